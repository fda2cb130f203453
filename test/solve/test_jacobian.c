/* The Jacobian of q'' from the expressions, against differences of q'' on models of every kind of element,
 * fused and assembled; Newton's matrix of an implicit step, made of it and sparse; which systems have one;
 * the metric for projections in implicit steps. */
#include "solve/newton.h"
#include "support/build.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 12, LEVELS = 5 };

static built build_jacobian(const char *given, evaluate_how how) {
    built b = build_how(given, how);
    assert_true(system_add_jacobian(b.sys));
    assert_true(b.sys->n <= SIDE);
    b.st = solve_new_state(b.arena, b.sys);
    return b;
}

static double random_part(void) {
    return (double)rand() / RAND_MAX;
}

// q'' with component k of (q, v) moved by h
static void moved(const built *b, double t, const double *y, int k, double h, double *qdd) {
    double at[2 * SIDE];
    int n = b->sys->n;
    memcpy(at, y, (size_t)(2 * n) * sizeof *at);
    at[k] += h;
    assert_int_equal(solve_acceleration(b->sys, b->st, t, at, at + n).status, SOLVE_OK);
    memcpy(qdd, b->st->qdd, (size_t)n * sizeof *qdd);
}

// dq''/dy_k by central differences with h, h/2, h/4 ..., extrapolated (Richardson)
static void differences(const built *b, double t, const double *y, int k, double *slope) {
    double table[LEVELS][SIDE], plus[SIDE], minus[SIDE], h = 0.02;
    int n = b->sys->n;
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        moved(b, t, y, k, h, plus);
        moved(b, t, y, k, -h, minus);
        for (int i = 0; i < n; i++)
            table[level][i] = (plus[i] - minus[i]) / (2 * h);
    }
    for (int order = 1; order < LEVELS; order++)
        for (int level = LEVELS - 1; level >= order; level--)
            for (int i = 0; i < n; i++)
                table[level][i] += (table[level][i] - table[level - 1][i]) / (pow(4, order) - 1);
    memcpy(slope, table[LEVELS - 1], (size_t)n * sizeof *slope);
}

/* (I - gamma J)^-1 by the sparse way, J = [0 I; by_q by_v], of what I - gamma J makes of numbers. */
static void check_newton(const built *b, double gamma, const double *by_q, const double *by_v) {
    int n = b->sys->n;
    double given[2 * SIDE], r[2 * SIDE], size = 1;
    solve_newton *k = solve_newton_new(b->arena, b->sys);
    for (int i = 0; i < 2 * n; i++)
        given[i] = sin(i + 1); // random ones would move the states to come
    for (int i = 0; i < n; i++) {
        r[i] = given[i] - gamma * given[n + i];
        r[n + i] = given[n + i];
        for (int j = 0; j < n; j++)
            r[n + i] -= gamma * (by_q[i * n + j] * given[j] + by_v[i * n + j] * given[n + j]);
        size = fmax(size, fabs(r[n + i]));
    }
    assert_true(solve_newton_take(b->sys, b->st, k));
    assert_true(solve_newton_factor(k, gamma));
    solve_newton_solve(k, r);
    for (int i = 0; i < 2 * n; i++)
        assert_near_scaled(r[i], given[i], 1e-9, size);
}

static void check_at(const built *b, double t, const double *y) {
    int n = b->sys->n;
    double by[2][SIDE * SIDE], slope[SIDE], size = 1;
    assert_int_equal(solve_acceleration(b->sys, b->st, t, y, y + n).status, SOLVE_OK);
    assert_true(solve_jacobian(b->sys, b->st, by[0], by[1], n));
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fmax(fabs(by[0][i]), fabs(by[1][i])));
    for (int i = 0; i < 3; i++)
        check_newton(b, pow(0.01, i + 1), by[0], by[1]);
    for (int k = 0; k < 2 * n; k++) {
        differences(b, t, y, k, slope);
        for (int i = 0; i < n; i++)
            assert_near_scaled(by[k / n][i * n + k % n], slope[i], 1e-8, size);
    }
}

// at random positions near 1 and random velocities; positions need not satisfy the constraints
static void check(const char *given) {
    for (int how = EVALUATE_FUSED; how <= EVALUATE_ASSEMBLED; how++) {
        built b = build_jacobian(given, (evaluate_how)how);
        srand(7);
        for (int round = 0; round < 5; round++) {
            double y[2 * SIDE];
            for (int i = 0; i < 2 * b.sys->n; i++)
                y[i] = 0.7 + 0.6 * random_part();
            check_at(&b, 0.3 + round, y);
        }
        demolish(&b);
    }
}

static void forces_and_masses(void **state) {
    check("coord x, y\nkinetic (x'^2 + 2*y'^2)/2 + x'*y'*cos(x*y)\npotential sin(x)*y^3\n"
          "dissipation (x' - y')^4\nforce x = x'*y*t + exp(-y)\n");
    check("coord x, y\nmass x = 2 + x^2\nmass x y = 0.3*sin(y)\nmass y = 3\nforce y = -x*y'\n");
}

static void rows_of_all_levels(void **state) {
    check("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n");
    check("coord x, y, z\nkinetic (x'^2 + 3*y'^2 + z'^2*(1 + x^2))/2\npotential x*y*z\n"
          "constraint moving: x*y + sin(t*z) = 1\nconstraint speed: x'^2 + y'^2*z = 2\n");
    check("coord x, y, z\nkinetic (x'^2 + y'^2 + 2*z'^2)/2\nconstraint pull: x*x'' + y'*z'' = sin(x)*y'\n");
    check("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
          "constraint soft (damping = 2 + x, stiffness = 3): x*y = 1\n");
}

static void singular_mass(void **state) {
    check("coord x, y, z\nkinetic (x'^2 + y'^2)/2\npotential y*z\nconstraint tied: z*x + y = z^2\n");
}

// loops: shapes with several instances, slots that meet in one place
static void chain(void **state) {
    check("coord x[1..4], y[1..4]\nkinetic sum(i in 1..4: (x[i]'^2 + y[i]'^2)/2)\n"
          "potential sum(i in 1..4: 9.81*y[i])\n"
          "potential sum(i in 1..3: 50*(sqrt((x[i+1] + i - x[i])^2 + (y[i+1] - y[i])^2) - 1)^2)\n"
          "for i in 1..3 {\n constraint link[i]: (x[i+1] + i - x[i])^2 + (y[i+1] + i*y[i])^2 = 1\n}\n");
}

// the second row repeats the first and is dropped
static void dependent_rows(void **state) {
    check("coord x, y\nkinetic (x'^2 + 2*y'^2)/2\npotential 9.81*y\n"
          "constraint rod: x^2 + y^2 = 1\nconstraint again: 3*x^2 + 3*y^2 = 3\n");
}

static void assert_none(const char *given) {
    built b = build(given);
    assert_false(system_add_jacobian(b.sys));
    assert_null(b.sys->slopes);
    demolish(&b);
}

static void systems_without(void **state) {
    assert_none("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint k: y = x\nnonideal x = -x'\n");
    assert_none("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint k (weight = 2): y = x\n");
    built b = build("coord x\nkinetic x'^2/2\nforce x = x*floor(x)\n"); // held, floor is a number
    assert_true(system_add_jacobian(b.sys));
    demolish(&b);
}

// springs and dampers enter with their symmetric parts; a negative stiffness that outweighs M is left out
static void metric(void **state) {
    const double g = 10 * 0.01, y[] = {0.5, 0.25, 0, 0};
    built b = build_jacobian("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 300*(x - y)^2/2\n"
                             "dissipation 7*y'^2/2\n",
                             EVALUATE_AUTO);
    double by_q[4], by_v[4];
    state_add_stiffness(b.sys, b.st);
    assert_int_equal(solve_acceleration(b.sys, b.st, 0, y, y + 2).status, SOLVE_OK);
    assert_true(solve_jacobian(b.sys, b.st, by_q, by_v, 2));
    solve_stiffness(b.sys, b.st, 0.01);
    const double expected[] = {g * g * 300, -g * g * 300, -g * g * 300, g * g * 300 + g * 7};
    for (int i = 0; i < 4; i++)
        assert_near(b.st->stiff->stiffness[i], expected[i], 1e-13);
    demolish(&b);

    b = build_jacobian("coord x\nkinetic x'^2/2\npotential -300*x^2/2\n", EVALUATE_AUTO);
    state_add_stiffness(b.sys, b.st);
    assert_int_equal(solve_acceleration(b.sys, b.st, 0, y, y + 2).status, SOLVE_OK);
    assert_true(solve_jacobian(b.sys, b.st, by_q, by_v, 1));
    assert_near(by_q[0], 300, 1e-12);
    solve_stiffness(b.sys, b.st, 0.01);
    assert_near(b.st->stiff->stiffness[0], 0, 0);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_and_masses),
        cmocka_unit_test(rows_of_all_levels),
        cmocka_unit_test(singular_mass),
        cmocka_unit_test(chain),
        cmocka_unit_test(dependent_rows),
        cmocka_unit_test(systems_without),
        cmocka_unit_test(metric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
