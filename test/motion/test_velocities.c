/* Own velocities of four coordinates whose norm is held: which are taken, and that they go to q' and back. */
#include "motion/integrator.h"
#include "motion/running.h"
#include "support/build.h"

#include <math.h>

static const char head[] = "coord a, p0, p1, p2, p3, b\nparam R = 2\n"
                           "initial p0 ~ 1, p1 ~ 1, p2 ~ 0.5, p3 ~ 0.2\n"
                           "kinetic (a'^2 + p0'^2 + p1'^2 + p2'^2 + p3'^2 + b'^2)/2\n";

typedef struct {
    built built;
    run_options options;
    running r;
} fixture;

static void set_up(fixture *f, const char *constraints, const integrator_ops *method) {
    char all[2000];
    snprintf(all, sizeof all, "%s%s", head, constraints);
    f->built = build(all);
    f->options = (run_options){.method = method};
    f->r = (running){.work = f->built.arena,
                     .sys = f->built.sys,
                     .st = f->built.st,
                     .found = state_look(f->built.st),
                     .options = &f->options};
    f->r.v = arena_doubles(f->built.arena, (size_t)f->built.sys->n);
    run_find_spheres(&f->r);
}

static int taken(const char *more, const integrator_ops *method) {
    fixture f;
    set_up(&f, more, method);
    int count = f.r.spheres.count;
    assert_true(count == 0 || f.r.spheres.at[0] == 1);
    demolish(&f.built);
    return count;
}

// those that mech finds, but for methods whose Jacobian is by p', and models with velocities of their own
static void which_are_taken(void **state) {
    static const char held[] = "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n";
    static const char quasi[] = "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = 1\n"
                                "quasi s0 = a'\nquasi s1 = p0'\nquasi s2 = p1'\n"
                                "quasi s3 = p2'\nquasi s4 = p3'\nquasi s5 = b'\n";
    integrator_ops implicit = integrator_rk8;
    implicit.implicit = true;
    assert_int_equal(taken(held, &integrator_rk8), 1);
    assert_int_equal(taken("constraint c: p0^2 + p1^2 + p2^2 + 2*p3^2 = 1\n", &integrator_rk8), 0);
    assert_int_equal(taken(held, &implicit), 0);
    assert_int_equal(taken(quasi, &integrator_rk8), 0);
}

// to and fro, and rates against differences along q + v t + a t^2 / 2
static void to_and_fro(void **state) {
    enum { N = 6 };
    static const double q[N] = {0.3, 1.1, -0.7, 0.4, 0.9, 5}, v[N] = {1, -0.5, 0.25, 2, 0.75, -3};
    static const double a[N] = {-2, 0.3, 1.7, -0.6, 0.2, 4};
    fixture f;
    set_up(&f, "constraint c: p0^2 + p1^2 + p2^2 + p3^2 = R\n", &integrator_rk8);
    double y[2 * N], rates[2 * N], before[2 * N], after[2 * N], h = 1e-5;
    memcpy(y, q, sizeof q);
    run_set_velocities(&f.r, 0, v, y);
    assert_true(y[N] == v[0] && y[2 * N - 1] == v[N - 1] && fabs(y[N + 2] - v[2]) > 0.1);
    const double *back = run_velocities(&f.r, 0, y);
    for (int i = 0; i < N; i++)
        assert_true(fabs(back[i] - v[i]) < 1e-15 * 10);
    memcpy(f.r.st->qdd, a, sizeof a);
    memcpy(rates, v, sizeof v);
    run_own_rates(&f.r, q, v, rates + N);
    for (int side = -1; side <= 1; side += 2) {
        double *to = side < 0 ? before : after, t = side * h, moved[N];
        for (int i = 0; i < N; i++) {
            to[i] = q[i] + t * (v[i] + t / 2 * a[i]);
            moved[i] = v[i] + t * a[i];
        }
        run_set_velocities(&f.r, 0, moved, to);
    }
    for (int i = N; i < 2 * N; i++)
        assert_true(fabs((after[i] - before[i]) / (2 * h) - rates[i]) < 1e-8);
    const double *again = run_accelerations(&f.r, y, rates);
    for (int i = 0; i < N; i++)
        assert_true(fabs(again[i] - a[i]) < 1e-14);
    demolish(&f.built);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_are_taken),
        cmocka_unit_test(to_and_fro),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
