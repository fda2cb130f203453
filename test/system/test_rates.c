/* Velocities that are not q': which are taken, that they go to q' and back, their derivatives. */
#include "support/build.h"
#include "support/exact.h"
#include "support/simulate.h"
#include "system/rates.h"

#include <math.h>

static const char head[] = "coord a, p0, p1, p2, p3, b\nparam R = 2\n"
                           "initial p0 ~ 1, p1 ~ 1, p2 ~ 0.5, p3 ~ 0.2\n"
                           "kinetic (a'^2 + p0'^2 + p1'^2 + p2'^2 + p3'^2 + b'^2)/2\n";

static built build_with(const char *more) {
    char all[2000];
    snprintf(all, sizeof all, "%s%s", head, more);
    return build(all);
}

static int taken(const char *more) {
    built b = build_with(more);
    int count = b.sys->rates->quaternion_count;
    assert_true(count == 0 || b.sys->rates->quaternions[0] == 1);
    assert_true(rates_own(b.sys) == (count || b.sys->quasi) && !rates_differ(b.sys));
    demolish(&b);
    return count;
}

// those that mech finds, but for models with velocities of their own
static void which_are_taken(void **state) {
    static const char held[] = "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n";
    static const char quasi[] = "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n"
                                "quasi s0 = a'\nquasi s1 = p0'\nquasi s2 = p1'\n"
                                "quasi s3 = p2'\nquasi s4 = p3'\nquasi s5 = b'\n";
    assert_int_equal(taken(held), 1);
    assert_int_equal(taken("constraint c: p0^2 + p1^2 + p2^2 + 2*p3^2 = 1\n"), 0);
    assert_int_equal(taken(quasi), 0);
}

// to and fro, and rates against differences along q + v t + a t^2 / 2
static void to_and_fro(void **state) {
    enum { N = 6 };
    static const double q[N] = {0.3, 1.1, -0.7, 0.4, 0.9, 5}, v[N] = {1, -0.5, 0.25, 2, 0.75, -3};
    static const double a[N] = {-2, 0.3, 1.7, -0.6, 0.2, 4};
    built b = build_with("constraint c: p0^2 + p1^2 + p2^2 + p3^2 = R\n");
    double s[N], back[N], rates[N], before[N], after[N], h = 1e-5;
    rates_set(b.sys, b.st, 0, q, v, s);
    assert_true(s[0] == v[0] && s[N - 1] == v[N - 1] && fabs(s[2] - v[2]) > 0.1);
    assert_int_equal(rates_velocities(b.sys, b.st, 0, q, s, back), -1);
    for (int i = 0; i < N; i++)
        assert_true(fabs(back[i] - v[i]) < 1e-15 * 10);
    state_set(b.sys, b.st, 0, q, v);
    rates_slope(b.sys, b.st, a, rates);
    for (int side = -1; side <= 1; side += 2) {
        double t = side * h, there[N], moved[N];
        for (int i = 0; i < N; i++) {
            there[i] = q[i] + t * (v[i] + t / 2 * a[i]);
            moved[i] = v[i] + t * a[i];
        }
        rates_set(b.sys, b.st, 0, there, moved, side < 0 ? before : after);
    }
    for (int i = 0; i < N; i++)
        assert_true(fabs((after[i] - before[i]) / (2 * h) - rates[i]) < 1e-8);
    rates_curve(b.sys, q, s, rates, back);
    for (int i = 0; i < N; i++)
        assert_true(fabs(back[i] - a[i]) < 1e-14);
    demolish(&b);
}

// ---- the Jacobian, against differences of the equation of motion

enum { LARGEST = 8 };

static void equation(const built *b, const double *y, double *f) {
    int n = b->sys->n;
    double v[LARGEST];
    assert_int_equal(rates_velocities(b->sys, b->st, 0.3, y, y + n, v), -1);
    assert_int_equal(solve_acceleration(b->sys, b->st, 0.3, y, v).status, SOLVE_OK);
    rates_of_positions(b->sys, y, v, f);
    rates_slope(b->sys, b->st, state_look(b->st)->qdd, f + n);
}

static void check_jacobian(const char *given) {
    built b = build(given);
    int n = b.sys->n, wide = 2 * n;
    assert_true(system_add_jacobian(b.sys));
    b.st = solve_new_state(b.arena, b.sys);
    double y[2 * LARGEST], f[2 * LARGEST], X[2 * LARGEST * LARGEST], J[4 * LARGEST * LARGEST];
    dice d = {7};
    for (int i = 0; i < wide; i++)
        y[i] = 0.4 + 0.9 * uniform(&d);
    equation(&b, y, f);
    solve_jacobian(b.sys, b.st, X, X + n, wide);
    rates_jacobian(b.sys, b.st, X, J);
    for (int j = 0; j < wide; j++) {
        double h = 1e-5, before[2 * LARGEST], after[2 * LARGEST], at = y[j];
        y[j] = at - h;
        equation(&b, y, before);
        y[j] = at + h;
        equation(&b, y, after);
        y[j] = at;
        for (int i = 0; i < wide; i++)
            assert_near_scaled(J[i * wide + j], (after[i] - before[i]) / (2 * h), 1e-7, 1 + fabs(f[i]));
    }
    demolish(&b);
}

static void jacobians(void **state) {
    check_jacobian("coord x, p0, p1, p2, p3\nkinetic (x'^2*(1 + p1^2) + (p0*p1' - p1*p0')^2 + "
                   "2*(p0*p2' - p2*p0')^2 + 3*(p0*p3' - p3*p0')^2 + p1'^2 + p2'^2*x^2 + p3'^2)/2\n"
                   "potential x*p2 + sin(p3)\ndissipation x'^2*p1'^2\n"
                   "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\nforce x = cos(t)*p1'\n");
    check_jacobian(
        "coord psi, theta, phi\nkinetic (p^2 + 2*q^2 + 3*r^2)/2\npotential cos(theta)\n"
        "quasi p = psi'*sin(theta)*sin(phi) + theta'*cos(phi) + t*psi\n"
        "quasi q = psi'*sin(theta)*cos(phi) - theta'*sin(phi)\nquasi r = psi'*cos(theta) + phi'\n");
    check_jacobian("coord x, y, a\nkinetic (x'^2 + 2*y'^2 + a'^2)/2\nquasi along = x'*cos(a) + y'*sin(a)\n"
                   "quasi turn = a'\nquasi across = y'*cos(a) - x'*sin(a)\nforce x = -x^3\n"
                   "constraint c: across = 0\n");
}

// ---- many

/* Bodies in Euler angles that do not touch each other, the last as in a model of its own: the energy holds
 * for all, and the errors of all are within the tolerance. */
static void bodies_text(char *to, size_t size, int count, int first) {
    snprintf(to, size,
             "coord a[1..%d], b[1..%d], c[1..%d]\nfor i in 1..%d {\n let k = i + %d\n"
             " initial a[i] = 0, b[i] = 1 + 0.3*sin(k), c[i] = 0.1\n"
             " quasi p[i] = a[i]'*sin(b[i])*sin(c[i]) + b[i]'*cos(c[i])\n"
             " quasi q[i] = a[i]'*sin(b[i])*cos(c[i]) - b[i]'*sin(c[i])\n"
             " quasi r[i] = a[i]'*cos(b[i]) + c[i]'\n"
             " initial p[i] = 0.1, q[i] = 1 + 0.1*sin(2*k), r[i] = 0.2\n"
             " kinetic (p[i]^2 + 2*q[i]^2 + 3*r[i]^2)/2\n potential cos(b[i])\n}\n"
             "expect always abs(energy - start(energy)) < 1e-9*%d\n",
             count, count, count, count, first, count);
}

static void many_quasi(void **state) {
    enum { BODIES = 6667 };
    char given[1200];
    built all, one;
    bodies_text(given, sizeof given, BODIES, 0);
    run_report *r = simulate(&all, given, 0.5, 1e-9);
    assert_int_equal(all.sys->rates->by->count, BODIES * 2); // r for itself, once a' is known
    bodies_text(given, sizeof given, 1, BODIES - 1);
    run_report *apart = simulate(&one, given, 0.5, 1e-12);
    for (int k = 0; k < 3; k++) {
        int last = k * BODIES + BODIES - 1;
        assert_near(r->q[last], apart->q[k], 1e-8);
        assert_near(r->s[3 * BODIES - 3 + k], apart->s[k], 1e-8);
    }
    demolish(&all);
    demolish(&one);
}

// one of them stands where its angles do not determine its rates, and is named
static void one_of_many(void **state) {
    static const char given[] = "param N = 2000\ncoord a[1..N], b[1..N], c[1..N]\nfor i in 1..N {\n"
                                " initial a[i] = 0, b[i] = if(i == 1234, 0, 1), c[i] = 0\n"
                                " quasi p[i] = a[i]'*sin(b[i])*sin(c[i]) + b[i]'*cos(c[i])\n"
                                " quasi q[i] = a[i]'*sin(b[i])*cos(c[i]) - b[i]'*sin(c[i])\n"
                                " quasi r[i] = a[i]'*cos(b[i]) + c[i]'\n"
                                " kinetic (p[i]^2 + 2*q[i]^2 + 3*r[i]^2)/2\n}\n";
    built b = build(given);
    run_options o = {.until = 1, .every = 1, .tolerance = 1e-9, .method = &integrator_rk8};
    run_report *r = run_simulation(b.arena, b.sys, b.st, &o);
    assert_int_equal(r->end, RUN_FAILED);
    assert_non_null(strstr(r->failure.message, "do not determine the velocities here: 'q[1234]'"));
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_are_taken), cmocka_unit_test(to_and_fro),  cmocka_unit_test(jacobians),
        cmocka_unit_test(many_quasi),      cmocka_unit_test(one_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
