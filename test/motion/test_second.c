/* Runge-Kutta methods by accelerations alone (ode.accelerate): the same steps, states and dense output as by
 * all slopes, to rounding; and back to these where the system says so. */
#include "motion/integrator.h"

#include "support/build.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BODIES = 37, N = 2 * BODIES };

typedef struct {
    double refuse_from; // accelerations alone are refused from then on
    int whole, alone;   // evaluations
} ellipses;

static void attract(const double *q, double *a) {
    for (int i = 0; i < BODIES; i++) {
        double r = hypot(q[2 * i], q[2 * i + 1]);
        for (int k = 0; k < 2; k++)
            a[2 * i + k] = -q[2 * i + k] / (r * r * r);
    }
}

static int slopes(void *context, double t, const double *y, double *dydt) {
    ((ellipses *)context)->whole++;
    memcpy(dydt, y + N, N * sizeof *y);
    attract(y, dydt + N);
    return 0;
}

static int accelerations(void *context, double t, const double *y, double *a) {
    ellipses *e = context;
    if (t >= e->refuse_from)
        return INTEGRATOR_NOT_SECOND;
    e->alone++;
    attract(y, a);
    return 0;
}

// radii kept as they are, so that there is something to project on
static int project(void *context, double t, double *y) {
    for (int i = 0; i < 2 * N; i++)
        y[i] *= 1 + 1e-13;
    return 0;
}

typedef struct {
    integrator *it;
    const integrator_ops *method;
    ellipses context;
} run;

static run *start(arena *a, const integrator_ops *method, bool alone, double refuse_from, double tolerance) {
    run *r = arena_array(a, run, 1);
    double y[2 * N];
    r->method = method;
    r->context.refuse_from = refuse_from;
    ode system = {.size = 2 * N, .f = slopes, .project = project, .context = &r->context};
    if (alone)
        system.accelerate = accelerations;
    for (int i = 0; i < BODIES; i++) {
        double e = 0.5 * i / BODIES;
        y[2 * i] = 1 - e;
        y[2 * i + 1] = y[N + 2 * i] = 0;
        y[N + 2 * i + 1] = sqrt((1 + e) / (1 - e));
    }
    r->it = method->create(a, &system, tolerance);
    assert_int_equal(method->start(r->it, 0, y, 4, 0), 0);
    return r;
}

static double difference(const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < 2 * N; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// both step by step, with the states inside
static void compare(const integrator_ops *method, double refuse_from) {
    arena *a = arena_new(0);
    run *all = start(a, method, false, 0, 1e-8), *alone = start(a, method, true, refuse_from, 1e-8);
    int steps = 0;
    while (method->time(all->it) < 4) {
        double before = method->time(all->it);
        assert_int_equal(method->step(all->it), 0);
        assert_int_equal(method->step(alone->it), 0);
        double t = method->time(all->it), inside[2][2 * N];
        double apart = fabs(method->time(alone->it) - t); // where an error is rounding, steps differ by some
        assert_true(apart < 1e-6);
        assert_true(difference(method->state(all->it), method->state(alone->it)) < 1e-10 + 4 * apart);
        if (steps++ % 3 == 0) {
            assert_int_equal(method->interpolate(all->it, before + 0.4 * (t - before), inside[0]), 0);
            assert_int_equal(method->interpolate(alone->it, before + 0.4 * (t - before), inside[1]), 0);
            assert_true(difference(inside[0], inside[1]) < 1e-9);
        }
    }
    integrator_statistics by_all = method->statistics(all->it), by_alone = method->statistics(alone->it);
    assert_true(steps > 5 && by_all.steps == by_alone.steps && by_all.rejected == by_alone.rejected);
    assert_true(refuse_from == 0 ? alone->context.alone == 0 : alone->context.alone > 20);
    assert_true(refuse_from < 4 || by_all.evaluations == by_alone.evaluations);
    arena_free(a);
}

static void same_steps(void **state) {
    compare(&integrator_rk8, INFINITY);
    compare(&integrator_rk5, INFINITY);
}

static void refused(void **state) {
    compare(&integrator_rk8, 2);
    compare(&integrator_rk5, 2);
    compare(&integrator_rk8, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_steps), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
