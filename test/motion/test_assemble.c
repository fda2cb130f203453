/* Assembly: exact values stay, guesses move by the least change in the mass metric, contradictions are named.
 */
#include "motion/assemble.h"

#include "support/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    built b;
    bool done;
    start_state start;
    failure failure;
} assembled;

static assembled assemble_at(const char *given, double t, double tolerance) {
    assembled x = {.b = build(given)};
    x.b.st->cut = 1e-6; // as in a run
    x.done = assemble(x.b.arena, x.b.sys, x.b.st, t, tolerance, &x.start, &x.failure);
    return x;
}

static void free_assembled(assembled *x) {
    demolish(&x->b);
}

static void assert_start(const char *given, const double *q, const double *v, double tolerance) {
    assembled x = assemble_at(given, 0, 1e-10);
    if (!x.done)
        fail_msg("%s\n%s", x.failure.message, given);
    for (int i = 0; i < x.b.sys->n; i++) {
        assert_near_scaled(x.start.q[i], q[i], tolerance, 1 + fabs(q[i]));
        assert_near_scaled(x.start.v[i], v[i], tolerance, 1 + fabs(v[i]));
    }
    free_assembled(&x);
}

// ---- positions

static void consistent_values_stay(void **state) {
    assembled x = assemble_at("coord x, y\ninitial x = 3, y = 4, x' = 4, y' = -3\nkinetic (x'^2 + y'^2)/2\n"
                              "constraint c: x^2 + y^2 = 25\n",
                              0, 1e-9);
    assert_true(x.done && !x.failure.failed);
    assert_true(x.start.q[0] == 3 && x.start.q[1] == 4 && x.start.v[0] == 4 && x.start.v[1] == -3);
    assert_true(x.start.q_typed[0] == 3 && x.start.v_typed[1] == -3);
    free_assembled(&x);
}

static void without_constraints(void **state) {
    assert_start("coord x, y, z\ninitial x = 1, y ~ 2, z' = 5\nkinetic (x'^2 + y'^2 + z'^2)/2\n",
                 (double[]){1, 2, 0}, (double[]){0, 0, 5}, 0);
}

// with equal masses the nearest point of a circle lies on its radius
static void nearest_on_circle(void **state) {
    double r = hypot(3, 1);
    assert_start("coord x, y\ninitial x ~ 3, y ~ 1\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 4\n",
                 (double[]){2 * 3 / r, 2 * 1 / r}, (double[]){0, 0}, 1e-9);
}

/* Least m1 (x - a)^2 + m2 (y - b)^2 on x^2 + y^2 = 1: x = m1 a / (m1 + l), y = m2 b / (m2 + l), with the l
 * that puts them on the circle. */
static void nearest_by_mass(double a, double b, double m1, double m2, double *q) {
    long double low = -fmin(m1, m2) * 0.999999, high = 1e6;
    for (int k = 0; k < 200; k++) {
        long double l = (low + high) / 2, x = m1 * a / (m1 + l), y = m2 * b / (m2 + l);
        *(x * x + y * y > 1 ? &low : &high) = l;
        q[0] = (double)x;
        q[1] = (double)y;
    }
}

static void least_change_in_the_mass_metric(void **state) {
    const double cases[][4] = {
        {3, 1, 1, 10}, {3, 1, 10, 1}, {0.2, 0.3, 1, 5}, {1.1, 0.1, 1, 1000}, {2, 2, 3, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double *c = cases[k];
        char given[300];
        double q[2];
        snprintf(given, sizeof given,
                 "coord x, y\ninitial x ~ %g, y ~ %g\nkinetic (%g*x'^2 + %g*y'^2)/2\nconstraint c: x^2 + y^2 "
                 "= 1\n",
                 c[0], c[1], c[2], c[3]);
        nearest_by_mass(c[0], c[1], c[2], c[3], q);
        assert_start(given, q, (double[]){0, 0}, 1e-7);
    }
}

// a plane: the change is M^-1 A', exactly
static void plane(void **state) {
    // A = (1, 2, 3), M = diag(1, 2, 4), off by 9: the change is (1, 1, 3/4) 9 / (1 + 2 + 9/4)
    double f = -9 / 5.25;
    assert_start("coord x, y, z\ninitial x ~ 1, y ~ 1, z ~ 2\nkinetic (x'^2 + 2*y'^2 + 4*z'^2)/2\n"
                 "constraint c: x + 2*y + 3*z = 0\n",
                 (double[]){1 + f, 1 + f, 2 + 0.75 * f}, (double[]){0, 0, 0}, 1e-12);
}

static void exact_ones_stay(void **state) {
    assembled x = assemble_at("coord x, y, z\ninitial x = 0.6, y ~ 1, z ~ 0.1\nkinetic x'^2 + y'^2 + z'^2\n"
                              "constraint c: x^2 + y^2 + z^2 = 1\n",
                              0, 1e-12);
    assert_true(x.done && x.start.q[0] == 0.6);
    double r = hypot(1, 0.1);
    assert_near(x.start.q[1], 0.8 / r, 1e-9);
    assert_near(x.start.q[2], 0.08 / r, 1e-9);
    free_assembled(&x);
}

// what has no mass moves first, and among equals the smallest change in the coordinates' own units
static void massless_coordinates(void **state) {
    assert_start("coord x, y\nmass x = 1\nconstraint c: x + y = 2\n", (double[]){0, 2}, (double[]){0, 0},
                 1e-6);
    assert_start("coord x, y, z\nmass x = 1\nconstraint c: x + y + z = 3\n", (double[]){0, 1.5, 1.5},
                 (double[]){0, 0, 0}, 1e-6);
    assert_start("coord x, y\nconstraint c: x + y = 4\n", (double[]){2, 2}, (double[]){0, 0}, 1e-6);
}

static void redundant_rows(void **state) {
    double r = hypot(3, 1);
    assert_start("coord x, y\ninitial x ~ 3, y ~ 1\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 4\n"
                 "constraint again: x^2 + y^2 = 4\nconstraint scaled: 1e6*(x^2 + y^2 - 4) = 0\n",
                 (double[]){6 / r, 2 / r}, (double[]){0, 0}, 1e-9);
}

// a linkage from a rough sketch: every loop closes to what promise 1 allows
static void linkage_from_a_sketch(void **state) {
    assembled x =
        assemble_at("coord x[1..3], y[1..3]\n"
                    "initial x[1] ~ 0.2, y[1] ~ 1.3, x[2] ~ 2, y[2] ~ 2, x[3] ~ 3.3, y[3] ~ 0.8\n"
                    "for i in 1..3: kinetic (x[i]'^2 + y[i]'^2)/2\n"
                    "constraint a: x[1]^2 + y[1]^2 = 1\n"
                    "for i in 1..2: constraint l[i]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1.5^2\n"
                    "constraint d: (x[3] - 3)^2 + y[3]^2 = 1\n",
                    0, 1e-10);
    assert_true(x.done);
    const double *q = x.start.q; // x[1..3], y[1..3]
    assert_near(hypot(q[0], q[3]), 1, 1e-9);
    assert_near(hypot(q[1] - q[0], q[4] - q[3]), 1.5, 1e-9);
    assert_near(hypot(q[2] - q[1], q[5] - q[4]), 1.5, 1e-9);
    assert_near(hypot(q[2] - 3, q[5]), 1, 1e-9);
    assert_true(q[4] > 0.5); // on the side that was sketched
    free_assembled(&x);
}

// constraints with damping or weight may start off their targets
static void not_assembled(void **state) {
    assert_start("coord x, y, z\ninitial x ~ 1, y ~ 2, y' ~ 7\nkinetic x'^2 + y'^2 + z'^2\n"
                 "constraint a (damping = 1, stiffness = 1): x = 0\nconstraint b (damping = 2): y' = 0\n"
                 "constraint c (weight = 1): x + y = 9\nconstraint d: x'' = 3\n"
                 "control e (damping = 1, stiffness = 1): z = 4\n",
                 (double[]){1, 2, 0}, (double[]){0, 7, 0}, 0);
}

static void at_another_time(void **state) {
    assembled x = assemble_at(
        "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = sin(t)\nconstraint b: y' = t*x\n", 2, 1e-10);
    assert_true(x.done);
    assert_near(x.start.q[0], sin(2), 1e-12);
    assert_near(x.start.v[0], cos(2), 1e-12);
    assert_near(x.start.v[1], 2 * sin(2), 1e-12);
    free_assembled(&x);
}

// ---- velocities

// v moves by M^-1 A' (A M^-1 A')^-1 (A v + dphi/dt)
static void least_change_of_velocities(void **state) {
    // A = (6, 8), M = diag(1, 3): A v = 6 + 16 = 22, A M^-1 A' = 36 + 64/3
    double f = (22 - 1) / (36 + 64.0 / 3);
    assert_start("coord x, y\ninitial x = 3, y = 4, x' ~ 1, y' ~ 2\nkinetic (x'^2 + 3*y'^2)/2\n"
                 "constraint c: x^2 + y^2 = 25 + t\n",
                 (double[]){3, 4}, (double[]){1 - 6 * f, 2 - 8 * f / 3}, 1e-12);
}

static void exact_velocities_stay(void **state) {
    assert_start("coord x, y\ninitial x = 3, y = 4, x' = 2\nkinetic (x'^2 + 3*y'^2)/2\n"
                 "constraint c: x^2 + y^2 = 25\n",
                 (double[]){3, 4}, (double[]){2, -1.5}, 1e-14);
}

static void nonlinear_in_velocities(void **state) {
    assert_start(
        "coord x, y\ninitial x' ~ 3, y' ~ 4\nkinetic (x'^2 + y'^2)/2\nconstraint c: x'^2 + y'^2 = 4\n",
        (double[]){0, 0}, (double[]){1.2, 1.6}, 1e-10);
}

// ---- quasi-velocities: exact ones hold, together with velocities and constraints

#define QUASI "coord x, y\nkinetic (x'^2 + y'^2)/2\nquasi a = x' + y'\nquasi c = x' - y' + t\n"

static void quasi_values(void **state) {
    const double zero[2] = {0};
    assert_start(QUASI "initial a = 3, c = 1\n", zero, (double[]){2, 1}, 1e-12);
    assert_start(QUASI "initial a = 3, x' = 1\n", zero, (double[]){1, 2}, 1e-12);
    assert_start(QUASI "initial a = 3, x' = 1, y' = 2\n", zero, (double[]){1, 2}, 1e-12);
    assert_start(QUASI "initial a ~ 3, c ~ 1\n", zero, (double[]){2, 1}, 1e-12);
    assert_start(QUASI "initial a = 3\nconstraint k: x' = 2*y'\n", zero, (double[]){2, 1}, 1e-12);
    assert_start(QUASI "initial a ~ 3, c = 1\nconstraint k: x' = 2*y'\n", zero, (double[]){2, 1}, 1e-12);
    assert_start(QUASI "initial a ~ 6\nconstraint k: x' = 0\n", zero, (double[]){0, 3}, 1e-12); // from (3, 3)
}

// ---- contradictions

static void assert_contradiction(const char *given, const char *constraint, double residual,
                                 const char *piece) {
    assembled x = assemble_at(given, 0, 1e-9);
    assert_false(x.done);
    assert_true(x.failure.failed);
    if (constraint) {
        assert_string_equal(x.failure.constraint, constraint);
        assert_non_null(strstr(x.failure.message, constraint));
        assert_non_null(x.failure.at.source); // the line can be shown
    }
    assert_non_null(strstr(x.failure.message, piece));
    assert_non_null(strchr(x.failure.hint, '~'));
    const char *number = strstr(x.failure.message, "residual is ");
    if (!isnan(residual))
        assert_near_scaled(strtod(number + strlen("residual is "), NULL), residual, 1e-5, fabs(residual));
    free_assembled(&x);
}

static void contradictions(void **state) {
    assert_contradiction(
        "coord x, y\ninitial x = 1, y = 1\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 1\n", "rod", 1,
        "contradict");
    assert_contradiction("coord x, y\ninitial x = 3, y = 4, x' = 1, y' = 2\nkinetic x'^2 + y'^2\n"
                         "constraint other: x = 3\nconstraint rod: x^2 + y^2 = 25\n",
                         "rod", 22, "velocity residual");
    assert_contradiction("coord x, y\ninitial x = 1, y ~ 1\nkinetic x'^2 + y'^2\n"
                         "constraint a: y = 2\nconstraint b: x + y = 4\n",
                         "b", NAN, "contradict"); // y can satisfy one of the two
    assert_contradiction("coord x\ninitial x' = 1\nkinetic x'^2\nconstraint roll: x' = 3\n", "roll", -2,
                         "velocity");
    assert_contradiction("coord x, y\ninitial x ~ 2\nkinetic x'^2 + y'^2\nconstraint none: x^2 + y^2 = -1\n",
                         "none", NAN, "none"); // no point satisfies it
    assert_contradiction(QUASI "initial a = 3, x' = 1, y' = 1\n", NULL, NAN, "'a'");
}

static void rows_of_tuples_are_named(void **state) {
    assert_contradiction(
        "coord x, y\ninitial x = 1, y = 5\nkinetic x'^2 + y'^2\nconstraint tip: (x, y) = (1, 2)\n", "tip.y",
        3, "tip.y");
}

// what was rounded in typing is moved away, more is not
static void rounding_in_what_was_typed(void **state) {
    const char *format =
        "coord x, y\ninitial x = 0.6, y = %s\nkinetic x'^2 + y'^2\nconstraint c: %s*(x^2 + y^2 - 1) = 0\n";
    const char *const scales[] = {"1", "1e6", "1e-6"}; // the constraint's scale does not matter
    for (int k = 0; k < 3; k++) {
        char given[300];
        snprintf(given, sizeof given, format, "0.8000000005", scales[k]);
        assembled x = assemble_at(given, 0, 1e-13);
        assert_true(x.done);
        assert_near(x.start.q[0] * x.start.q[0] + x.start.q[1] * x.start.q[1], 1, 4e-13);
        assert_near(x.start.q[0], 0.6, 1e-9);
        free_assembled(&x);
        snprintf(given, sizeof given, format, "0.80000001", scales[k]);
        x = assemble_at(given, 0, 1e-13);
        assert_false(x.done);
        free_assembled(&x);
    }
    assembled x = assemble_at(
        "coord x, y\ninitial x = 0.6, y = 0.8, x' = 0.8, y' = -0.6000000003\nkinetic x'^2 + y'^2\n"
        "constraint c: x^2 + y^2 = 1\n",
        0, 1e-13);
    assert_true(x.done);
    assert_near(x.start.q[0] * x.start.v[0] + x.start.q[1] * x.start.v[1], 0, 1e-12);
    free_assembled(&x);
}

// three cranks carry a bar: three rows, two of them independent on every solution, all three off it
static void redundant_from_a_rough_guess(void **state) {
    srand(7);
    for (int k = 0; k < 100; k++) {
        double phi = 6.28 * rand() / RAND_MAX, off[3];
        for (int i = 0; i < 3; i++)
            off[i] = 0.6 * rand() / RAND_MAX - 0.3;
        char given[500];
        snprintf(given, sizeof given,
                 "coord X, Y, turn\nkinetic (X'^2 + Y'^2)/2 + turn'^2/6\n"
                 "initial X ~ %.17g, Y ~ %.17g, turn ~ %.17g\n"
                 "for i in 0..2: constraint crank[i]: "
                 "(X + (i - 1)*cos(turn) - i)^2 + (Y + (i - 1)*sin(turn))^2 = 1\n",
                 1 + sin(phi) + off[0], cos(phi) + off[1], off[2]);
        assembled x = assemble_at(given, 0, 1e-9);
        if (!x.done)
            fail_msg("%s\n%s", x.failure.message, given);
        free_assembled(&x);
    }
}

/* A plate on legs without thickness, of which nothing is said: all lie at the origin, in one plane. Nothing
 * leads out of it but a step to the side, and turns without inertia must not run away. */
static void legs_at_the_origin(void **state) {
    for (int legs = 2; legs <= 6; legs++) {
        char given[1000];
        snprintf(given, sizeof given,
                 "param N = %d, l = 0.6\nbody top: mass = 5, shape = cylinder(0.3, 0.05)\n"
                 "let around(i) = (cos(i*2*pi/N), sin(i*2*pi/N), 0)\nfor i in 1..N {\n"
                 "body leg[i]: mass = 0.3, shape = rod(l)\n"
                 "joint foot[i]: spherical(ground, leg[i], at1 = 0.5*around(i), at2 = (-l/2, 0, 0))\n"
                 "joint head[i]: spherical(leg[i], top, at1 = (l/2, 0, 0), at2 = 0.3*around(i + 0.1))\n}\n",
                 legs);
        assembled x = assemble_at(given, 0, 1e-9);
        if (!x.done)
            fail_msg("%s\n%s", x.failure.message, given);
        free_assembled(&x);
    }
}

// at the centre of a circle every direction is as good: one is taken, the same every time
static void guess_at_the_centre(void **state) {
    const char *given = "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 4\n";
    assembled x = assemble_at(given, 0, 1e-9), y = assemble_at(given, 0, 1e-9);
    assert_true(x.done && y.done);
    assert_near_scaled(hypot(x.start.q[0], x.start.q[1]), 2, 1e-12, 1);
    assert_true(x.start.q[0] == y.start.q[0] && x.start.q[1] == y.start.q[1]);
    free_assembled(&x);
    free_assembled(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consistent_values_stay),
        cmocka_unit_test(without_constraints),
        cmocka_unit_test(nearest_on_circle),
        cmocka_unit_test(least_change_in_the_mass_metric),
        cmocka_unit_test(plane),
        cmocka_unit_test(exact_ones_stay),
        cmocka_unit_test(massless_coordinates),
        cmocka_unit_test(redundant_rows),
        cmocka_unit_test(linkage_from_a_sketch),
        cmocka_unit_test(not_assembled),
        cmocka_unit_test(at_another_time),
        cmocka_unit_test(least_change_of_velocities),
        cmocka_unit_test(exact_velocities_stay),
        cmocka_unit_test(nonlinear_in_velocities),
        cmocka_unit_test(quasi_values),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(rows_of_tuples_are_named),
        cmocka_unit_test(rounding_in_what_was_typed),
        cmocka_unit_test(redundant_from_a_rough_guess),
        cmocka_unit_test(legs_at_the_origin),
        cmocka_unit_test(guess_at_the_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
