/* The linear system about a state: eigenvalues that are known in closed form, in coordinates of several
 * kinds. */
#include "study/linearize.h"
#include "study/spectrum.h"
#include "study/tangent.h"

#include "support/build.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    built b;
    linear_report *r;
    int size;
} linearized;

static linearized linearize(const char *given) {
    linearized x = {.b = build(given)};
    linear_prepare(x.b.sys);
    x.b.st = solve_new_state(x.b.arena, x.b.sys);
    x.r = linear_system(x.b.arena, x.b.sys, x.b.st, 0, 1e-9, false, NULL);
    if (!x.r->solved)
        fail_msg("%s\n%s", x.r->failure.message, given);
    x.size = x.r->positions + x.r->velocities;
    return x;
}

typedef struct {
    double re, im;
} root;

// each of them is an eigenvalue, as often as it is listed; all others are 0
static void assert_spectrum(const linearized *x, const root *roots, int count, double tolerance) {
    bool *used = arena_array(x->b.arena, bool, x->size + 1);
    for (int i = 0; i < count; i++) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < x->size; k++) {
            double off = hypot(x->r->re[k] - roots[i].re, x->r->im[k] - roots[i].im);
            if (!used[k] && off < least) {
                least = off;
                best = k;
            }
        }
        if (!(least <= tolerance))
            fail_msg("no eigenvalue %.15g + %.15g i; the nearest is off by %.3g", roots[i].re, roots[i].im,
                     least);
        used[best] = true;
    }
    for (int k = 0; k < x->size; k++)
        if (!used[k] && hypot(x->r->re[k], x->r->im[k]) > tolerance)
            fail_msg("%.15g + %.15g i is an eigenvalue, too", x->r->re[k], x->r->im[k]);
}

typedef enum { RESTING, STEADY, UNSTEADY } state_kind;

static void assert_linear(const char *given, state_kind kind, int positions, int velocities,
                          const root *roots, int count, double tolerance) {
    linearized x = linearize(given);
    assert_int_equal(x.r->resting, kind == RESTING);
    assert_int_equal(x.r->steady, kind != UNSTEADY);
    assert_int_equal(x.r->positions, positions);
    assert_int_equal(x.r->velocities, velocities);
    assert_spectrum(&x, roots, count, tolerance);
    demolish(&x.b);
}

#define PAIR(re, im)                                                                                         \
    {(re), (im)}, {                                                                                          \
        (re), -(im)                                                                                          \
    }
#define COUNT(roots) (int)(sizeof(roots) / sizeof *(roots))

// ---- equilibria

static void pendulums(void **state) {
    double w = sqrt(9.81 / 2);
    root hanging[] = {PAIR(0, w)}, inverted[] = {{w, 0}, {-w, 0}};
    const char *form = "param y0 = %s\ncoord x, y\ninitial x = 0, y = y0\nkinetic (x'^2 + y'^2)/2\n"
                       "potential 9.81*y\nconstraint rod: x^2 + y^2 = 4\n";
    char given[400];
    snprintf(given, sizeof given, form, "-2");
    assert_linear(given, RESTING, 1, 1, hanging, COUNT(hanging), 1e-12);
    snprintf(given, sizeof given, form, "2");
    assert_linear(given, RESTING, 1, 1, inverted, COUNT(inverted), 1e-12);
    assert_linear("coord a\ninitial a = pi\nkinetic 2*a'^2\npotential -9.81*2*cos(a)\n", RESTING, 1, 1,
                  inverted, COUNT(inverted), 1e-12);
}

static double laguerre(int n, double x) {
    double before = 1, now = 1 - x;
    for (int k = 1; k < n; k++) {
        double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
        before = now;
        now = next;
    }
    return now;
}

/* A hanging chain of N equal masses and links: w^2 l/g are the zeros of Laguerre's polynomial L_N, those of
 * the Bessel function J0(2 sqrt(x)) as N grows. */
static void hanging_chain(void **state) {
    enum { N = 8 };
    linearized x =
        linearize("param N = 8, g = 9.81, l = 0.5\ncoord x[1..N], y[1..N]\n"
                  "for i in 1..N { initial x[i] = 0, y[i] = -i*l\nkinetic (x[i]'^2 + y[i]'^2)/2\n"
                  "potential g*y[i] }\nconstraint link[1]: x[1]^2 + y[1]^2 = l^2\n"
                  "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n");
    assert_true(x.r->resting);
    assert_int_equal(x.r->positions, N);
    assert_int_equal(x.size, 2 * N);
    for (int i = 0; i < 2 * N; i += 2) {
        double z = x.r->im[i] * x.r->im[i] * 0.5 / 9.81;
        assert_near(x.r->re[i], 0, 1e-10);
        assert_near(x.r->im[i + 1], -x.r->im[i], 1e-10);
        assert_true(i == 0 || x.r->im[i] > x.r->im[i - 2] + 0.1); // the slowest first
        assert_true(laguerre(N, z * (1 - 1e-10)) * laguerre(N, z * (1 + 1e-10)) < 0);
    }
    demolish(&x.b);
}

static void redundant_rows(void **state) {
    root roots[] = {PAIR(-0.5, sqrt(9 - 0.25))};
    assert_linear(
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/6\npotential 4.5*x^2\ndissipation x'^2/2\n"
        "constraint a: x = y\nconstraint b: y = z\nconstraint c: x + y = 2*z\nconstraint d: x = z\n",
        RESTING, 1, 1, roots, COUNT(roots), 1e-12);
    // a closed loop of hinges in space, three of whose rows are redundant: a pendulum as a parallelogram
    root swing[] = {PAIR(0, sqrt(9.81 / 1))};
    assert_linear("gravity (0, 0, -9.81)\nparticle p: mass = 2, at = (0.3, 0, -1)\n"
                  "body bar: mass = 1, inertia = (1, 1, 1), at = (0, 0, -1), rotation = (0, 0, 0)\n"
                  "body left: mass = 0, inertia = (0, 0, 0), at = (-1, 0, -0.5), rotation = (0, 0, 0)\n"
                  "body right: mass = 0, inertia = (0, 0, 0), at = (1, 0, -0.5), rotation = (0, 0, 0)\n"
                  "joint a: revolute(ground, left, at = (-1, 0, 0), axis = (0, 1, 0))\n"
                  "joint b: revolute(ground, right, at = (1, 0, 0), axis = (0, 1, 0))\n"
                  "joint c: revolute(left, bar, at = (-1, 0, -1), axis = (0, 1, 0))\n"
                  "joint d: revolute(right, bar, at = (1, 0, -1), axis = (0, 1, 0))\n"
                  "constraint on: p = point(bar, (0.3, 0, 0))\n",
                  RESTING, 1, 1, swing, COUNT(swing), 1e-10);
}

// a train of three: its place and its speed give exact zeros
static void free_train(void **state) {
    linearized x = linearize("coord x[1..3]\nkinetic (x[1]'^2 + x[2]'^2 + x[3]'^2)/2\n"
                             "potential ((x[2] - x[1])^2 + (x[3] - x[2])^2)/2\n");
    root roots[] = {PAIR(0, 1), PAIR(0, sqrt(3))};
    assert_spectrum(&x, roots, COUNT(roots), 1e-12);
    assert_true(x.r->im[0] == 0 && x.r->im[1] == 0);
    demolish(&x.b);
}

// a constraint with damping and stiffness is not held: its error is part of the state
static void damped_constraint(void **state) {
    root roots[] = {{-1, 0}, {-2, 0}, PAIR(0, 1)};
    assert_linear("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2/2\n"
                  "constraint c (damping = 3, stiffness = 2): x = 0\n",
                  RESTING, 2, 2, roots, COUNT(roots), 1e-12);
}

// where the expressions give no slopes, differences do
static void by_differences(void **state) {
    root roots[] = {PAIR(-0.15, sqrt(4 - 0.15 * 0.15))};
    const char *drag =
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*x^2 - 2*y\nconstraint floor: y = x^2*0\n"
        "nonideal x = -0.15*abs(reaction(y))*x'\n";
    assert_linear(drag, RESTING, 1, 1, roots, COUNT(roots), 1e-9);
    linearized x = linearize(drag);
    assert_false(x.r->exact);
    demolish(&x.b);
    root turning[] = {PAIR(0, sqrt(9.81))};
    assert_linear("coord x, y\ninitial x = 0, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                  "quasi u = x' - y'\nquasi s = x*x' + y*y'\nconstraint rod: x^2 + y^2 = 1\n",
                  RESTING, 1, 1, turning, COUNT(turning), 1e-9);
}

// ---- modes

// A v = lambda v for every shape, whose largest position is 1; as many shapes as given
static void assert_modes(const linearized *x, int shapes, double tolerance) {
    int n = x->size, found = 0;
    for (int i = 0; i < n; i++) {
        const double complex *v = x->r->modes[i].shape, lambda = x->r->re[i] + I * x->r->im[i];
        double largest = 0;
        found += v != NULL;
        for (int k = 0; v && k < n; k++) {
            double complex sum = -lambda * v[k];
            for (int j = 0; j < n; j++)
                sum += x->r->matrix[k * n + j] * v[j];
            assert_near(cabs(sum), 0, tolerance);
            largest = k < x->r->positions ? fmax(largest, cabs(v[k])) : largest;
        }
        if (v)
            assert_near(largest, 1, 1e-6);
    }
    assert_int_equal(found, shapes);
}

static void coupled_oscillators(void **state) {
    linearized x =
        linearize("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2 + 1.5*(x - y)^2\n");
    for (int i = 0; i < 4; i++) {
        const mode *m = &x.r->modes[i];
        double rate = i < 2 ? 1 : sqrt(7), sign = i < 2 ? 1 : -1;
        assert_int_equal(m->times, 1);
        assert_near(cabs(m->shape[0] - 1), 0, 0);
        assert_near(cabs(m->shape[1] - sign), 0, 1e-14);
        assert_near(cabs(m->shape[2] - I * (i % 2 ? -rate : rate)), 0, 1e-13);
    }
    assert_modes(&x, 4, 1e-13);
    demolish(&x.b);
}

// a shape for each where they are independent, and none that is not there
static void repeated_eigenvalues(void **state) {
    linearized x = linearize("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                             "potential 2*(x^2 + y^2 + z^2)\ndissipation 0.1*(x'^2 + y'^2 + z'^2)\n");
    assert_modes(&x, 6, 1e-13);
    assert_int_equal(x.r->modes[0].times, 3);
    demolish(&x.b);
    x = linearize(
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 1e6*x^2\n"); // y may be anywhere, and run off
    assert_modes(&x, 3, 1e-9);
    demolish(&x.b);
    x = linearize("coord x\nkinetic x'^2/2\npotential 2*x^2\ndissipation 2*x'^2\n"); // critically damped
    assert_modes(&x, 1, 1e-7);
    demolish(&x.b);
    // turned off the axes, and seen from the side of a constraint
    x = linearize("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2 + y^2 + z^2\n"
                  "constraint c: x + 2*y + 3*z = 0\n");
    assert_modes(&x, 4, 1e-13);
    demolish(&x.b);
}

// ---- steady motions

/* The sleigh: its centre is a = 0.4 before the blade, and it runs with v = 2. In front the centre holds it on
 * its way, and behind it turns over. */
static void chaplygin_sleigh(void **state) {
    double rate = 3 * 0.4 * 2 / (0.7 + 3 * 0.4 * 0.4);
    root ahead[] = {{-rate, 0}}, behind[] = {{rate, 0}};
    const char *form =
        "param a = %s, m = 3, J = 0.7\ncoord x, y, th\ninitial th = 0.3, x' = 2*cos(0.3), y' = 2*sin(0.3)\n"
        "kinetic m/2*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + J/2*th'^2\n"
        "constraint blade: y'*cos(th) = x'*sin(th)\n";
    char given[500];
    snprintf(given, sizeof given, form, "0.4");
    assert_linear(given, STEADY, 3, 2, ahead, COUNT(ahead), 1e-9);
    snprintf(given, sizeof given, form, "-0.4");
    assert_linear(given, STEADY, 3, 2, behind, COUNT(behind), 1e-9);
}

/* A top with I1 about the pivot, spin w3 about its axis, leaning by th: it precesses with Om if
 * I3 w3 Om - I1 Om^2 cos(th) = m g l, and nods with w^2 = (Om sin(th))^2 + (a - 2 Om cos(th))^2, a = I3
 * w3/I1. */
static void precessing_top(void **state) {
    double I1 = 0.3 + 2 * 0.5 * 0.5, I3 = 0.2, th = 0.7, Om = 1.5, mgl = 2 * 9.81 * 0.5;
    double w3 = (mgl + I1 * Om * Om * cos(th)) / (I3 * Om), a = I3 * w3 / I1;
    root roots[] = {PAIR(0, hypot(Om * sin(th), a - 2 * Om * cos(th)))};
    char given[900];
    snprintf(
        given, sizeof given,
        "param w3 = %.17g, th0 = 0.7, Om = 1.5\ncoord phi, th, psi\n"
        "initial th = th0, phi' = Om, psi' = w3 - Om*cos(th0)\n"
        "kinetic %.17g/2*(th'^2 + phi'^2*sin(th)^2) + 0.1*(psi' + phi'*cos(th))^2\npotential 9.81*cos(th)\n",
        w3, I1);
    assert_linear(given, STEADY, 3, 3, roots, COUNT(roots), 1e-8);
    snprintf(given, sizeof given,
             "param w3 = %.17g, th = 0.7, Om = 1.5\ngravity (0, 0, -9.81)\n"
             "body top: mass = 2, inertia = (0.3, 0.3, 0.2), at = (0.5*sin(th), 0, 0.5*cos(th)), rotation = "
             "(0, th, 0),"
             " omega = (-Om*sin(th), 0, w3), velocity = (0, 0.5*sin(th)*Om, 0)\n"
             "joint pivot: spherical(ground, top, at = (0, 0, 0))\n",
             w3);
    assert_linear(given, STEADY, 3, 3, roots, COUNT(roots), 1e-8);
}

// upright: the axis moves as x'' - i a x' - b x = 0 in space, and stays upright if a^2 > 4 b
static void sleeping_top(void **state) {
    double I1 = 0.3 + 2 * 0.5 * 0.5, b = 9.81 / I1;
    for (int k = 0; k < 2; k++) {
        double w3 = k ? 20 : 40, a = 0.2 * w3 / I1, d = a * a - 4 * b, s = sqrt(fabs(d)) / 2;
        root steady[] = {PAIR(0, a / 2 + s), PAIR(0, a / 2 - s)},
             falling[] = {PAIR(s, a / 2), PAIR(-s, a / 2)};
        char given[400];
        assert_int_equal(d > 0, k == 0);
        snprintf(given, sizeof given,
                 "gravity (0, 0, -9.81)\nbody top: mass = 2, inertia = (0.3, 0.3, 0.2), at = (0, 0, 0.5),"
                 " rotation = (0, 0, 0), omega = (0, 0, %g)\njoint pivot: spherical(ground, top, at = (0, 0, "
                 "0))\n",
                 w3);
        assert_linear(given, STEADY, 3, 3, k ? falling : steady, 4, 1e-7);
    }
}

// about its middle axis a free body is unstable, about the others not; it has no symmetry of its own
static void free_body(void **state) {
    const char *form = "body b: inertia = (1, 2, 3), rotation = (0.3, -0.2, 0.5), omega = (%s)\n";
    root middle[] = {{4 * sqrt(1 / 3.0), 0}, {-4 * sqrt(1 / 3.0), 0}, PAIR(0, 4)};
    root first[] = {PAIR(0, 4 * sqrt(1 * 2 / 6.0)), PAIR(0, 4)};
    char given[200];
    snprintf(given, sizeof given, form, "0, 4, 0");
    assert_linear(given, STEADY, 3, 3, middle, COUNT(middle), 1e-8);
    snprintf(given, sizeof given, form, "4, 0, 0");
    assert_linear(given, STEADY, 3, 3, first, COUNT(first), 1e-8);
}

// a disk that rolls straight on is stable above v^2 = g r/3: w^2 = 12 v^2/(5 r^2) - 4 g/(5 r)
static void rolling_disk(void **state) {
    double r = 0.5, g = 9.81;
    for (int k = 0; k < 2; k++) {
        double v = k ? 1.2 : 1.35, square = 12 * v * v / (5 * r * r) - 4 * g / (5 * r),
               w = sqrt(fabs(square));
        root stable[] = {PAIR(0, w)}, falling[] = {{w, 0}, {-w, 0}};
        char given[500];
        assert_int_equal(square > 0, k == 0);
        snprintf(given, sizeof given,
                 "param r = 0.5, v = %g\ngravity (0, 0, -9.81)\n"
                 "body disk: mass = 2, shape = disk(r), at = (0, 0, r), velocity = (v, 0, 0), rotation = "
                 "(-pi/2, 0, 0),"
                 " omega = (0, 0, v/r)\n"
                 "joint floor: rolling(ground, disk, at = (0, 0, 0), normal = (0, 0, 1), radius = r, axis = "
                 "(0, 1, 0))\n",
                 v);
        assert_linear(given, STEADY, 5, 3, k ? falling : stable, 2, 1e-7);
    }
}

// driven with constant speed, the equations depend on time, and the motion is steady all the same
static void governor(void **state) {
    double a = 40 * acos(-1) / 180, m = 1, M = 2, square = (m + M) * 9.81 / (m * 0.3 * cos(a)),
           s = sin(a) * sin(a);
    double w = sqrt(2 * m * square * s / (2 * m + 4 * M * s));
    root roots[] = {PAIR(0, w), PAIR(0, w)}; // of the mechanism, and of the angle as a coordinate
    arena *scratch = arena_new(0);
    FILE *file = fopen("models/mechanisms/governor.tram", "r");
    assert_non_null(file);
    char *model_text = arena_alloc(scratch, 10000);
    assert_true(fread(model_text, 1, 9999, file) > 0);
    fclose(file);
    assert_linear(model_text, STEADY, 2, 2, roots, COUNT(roots), 1e-8);
    arena_free(scratch);
}

// a conical pendulum in Cartesian coordinates: found as a turn of two of them; w^2 = Om^2 (1 + 3 cos(th)^2)
static void conical_pendulum(void **state) {
    double th = 0.6, Om = sqrt(9.81 / cos(th));
    root roots[] = {PAIR(0, Om * sqrt(1 + 3 * cos(th) * cos(th)))};
    assert_linear("param th = 0.6, Om = sqrt(9.81/cos(th))\ncoord x, y, z\n"
                  "initial x = sin(th), y = 0, z = -cos(th), y' = Om*sin(th)\n"
                  "kinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\nconstraint rod: x^2 + y^2 + z^2 = 1\n",
                  STEADY, 2, 2, roots, COUNT(roots), 1e-8);
    assert_linear("param th = 0.6, Om = sqrt(9.81/cos(th))\ngravity (0, 0, -9.81)\n"
                  "particle p: mass = 3, at = (2 + sin(th), 1, -cos(th)), velocity = (0, Om*sin(th), 0)\n"
                  "joint rod: distance((2, 1, 0), p, length = 1)\n",
                  STEADY, 2, 2, roots, COUNT(roots), 1e-8);
}

// ---- states that are not steady

static void assert_unsteady(const char *given, int where, double off) {
    linearized x = linearize(given);
    assert_false(x.r->steady);
    assert_int_equal(x.r->off_where, where);
    assert_near(x.r->off, off, 1e-9 * (1 + off));
    demolish(&x.b);
}

static void unsteady_states(void **state) {
    assert_unsteady("coord a\ninitial a = 1\nkinetic a'^2/2\npotential -9*cos(a)\n", 1, 9 * sin(1));
    // through the lowest point nothing is accelerated, but it will be
    assert_unsteady("coord a\ninitial a = 0, a' = 2\nkinetic a'^2/2\npotential -9*cos(a)\n", 0, 2);
    assert_unsteady("coord x\ninitial x = 0, x' = 2\nkinetic x'^2/2\npotential x^6\n", 0, 2);
    // it grows as e^t, which is no steady motion
    assert_unsteady("coord x\ninitial x = 1, x' = 1\nkinetic x'^2/2\npotential -x^2/2\n", 0, 1);
}

static void time_in_the_equations(void **state) {
    linearized x = linearize("coord x\nkinetic x'^2/2\npotential (2 + cos(t))*x^2/2\n");
    assert_true(x.r->timed && !x.r->steady);
    demolish(&x.b);
}

// ---- failures

static void no_start(void **state) {
    built b = build("coord x, y\ninitial x = 1, y = 1\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\n");
    linear_prepare(b.sys);
    linear_report *r = linear_system(b.arena, b.sys, solve_new_state(b.arena, b.sys), 0, 1e-9, false, NULL);
    assert_true(!r->solved && r->failure.failed);
    assert_string_equal(r->failure.constraint, "c");
    demolish(&b);
    b = build("coord x, y\nkinetic x'^2\n");
    linear_prepare(b.sys);
    r = linear_system(b.arena, b.sys, solve_new_state(b.arena, b.sys), 0, 1e-9, false, NULL);
    assert_true(!r->solved && strstr(r->failure.message, "not unique"));
    demolish(&b);
}

static void nothing_is_free(void **state) {
    assert_linear("coord x\nkinetic x'^2\nconstraint c: x = 0\n", RESTING, 0, 0, NULL, 0, 0);
}

// ---- parts

// of x + 10 y = 0 the one that moves more is the independent one
static void independent_ones(void **state) {
    arena *a = arena_new(0);
    double rows[] = {1, 10, 0, 0, 1, 1}, right[] = {3, 4};
    tangent *t = tangent_choose(a, rows, 2, 3, NULL, right, 1);
    assert_int_equal(t->count, 1);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(t->basis[i]) <= 2);
    assert_near(t->basis[0] + 10 * t->basis[1], 0, 1e-14);
    assert_near(t->basis[1] + t->basis[2], 0, 1e-14);
    assert_near(t->offset[0] + 10 * t->offset[1], 3, 1e-14);
    assert_near(t->offset[1] + t->offset[2], 4, 1e-14);
    bool first[] = {true, true, false};
    t = tangent_choose(a, rows, 2, 3, first, right, 1);
    assert_int_equal(t->independent[0], 2);
    arena_free(a);
}

// the moves of a shift and a turn: y' = v th, x' = u, and two that decay
static void split_spectrum(void **state) {
    arena *a = arena_new(0);
    double A[] = {0, 0, 3, 1, 0, 0, 2, 0, 0, 0, 0, 5, 0, 0, 0, -1};
    double moves[] = {0, 1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0}, re[4], im[4];
    assert_true(spectrum_find(a, A, 4, moves, 3, re, im));
    for (int i = 0; i < 4; i++)
        assert_true(im[i] == 0 && re[i] == (i == 3 ? -1 : 0));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums),
        cmocka_unit_test(hanging_chain),
        cmocka_unit_test(redundant_rows),
        cmocka_unit_test(free_train),
        cmocka_unit_test(damped_constraint),
        cmocka_unit_test(by_differences),
        cmocka_unit_test(coupled_oscillators),
        cmocka_unit_test(repeated_eigenvalues),
        cmocka_unit_test(chaplygin_sleigh),
        cmocka_unit_test(precessing_top),
        cmocka_unit_test(sleeping_top),
        cmocka_unit_test(free_body),
        cmocka_unit_test(rolling_disk),
        cmocka_unit_test(governor),
        cmocka_unit_test(conical_pendulum),
        cmocka_unit_test(unsteady_states),
        cmocka_unit_test(time_in_the_equations),
        cmocka_unit_test(no_start),
        cmocka_unit_test(nothing_is_free),
        cmocka_unit_test(independent_ones),
        cmocka_unit_test(split_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
