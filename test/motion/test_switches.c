/* Forces that switch: motions known in closed form, with every integrator, and switches that must not pile
 * up. */
#include "motion/run.h"

#include "support/build.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct {
    built b;
    run_report *report;
} run;

static run run_text(const char *given, const integrator_ops *method, double until, double tolerance) {
    run r = {.b = build(given)};
    run_options o = {.until = until, .every = until, .tolerance = tolerance, .method = method};
    r.report = run_simulation(r.b.arena, r.b.sys, r.b.st, &o);
    if (r.report->end != RUN_DONE)
        fail_msg("%s\n%s", r.report->failure.message ? r.report->failure.message : "?", given);
    return r;
}

static const integrator_ops *const methods[] = {&integrator_rk8, &integrator_rk5, &integrator_bdf,
                                                &integrator_adams};

static bool there(const integrator_ops *method) {
    const char *hint;
    return method->missing == NULL || method->missing(&hint) == NULL;
}

// whichever way the force is written, x is off by no more than this; a switch for each expected
static void assert_motion(const char *given, double until, double x, double accuracy, long switches) {
    for (int i = 0; i < 4; i++) {
        if (!there(methods[i]))
            continue;
        run r = run_text(given, methods[i], until, 1e-9);
        assert_near(r.report->q[0], x, accuracy);
        assert_int_equal(r.report->switches, switches);
        demolish(&r.b);
    }
}

#define MASS "coord x\nkinetic x'^2/2\n"

// x'' = -sign(x) from 1: parabolas, a quarter of the period is sqrt(2)
static void parabolas(void **state) {
    static const char *const forces[] = {"potential abs(x)",           "force x = -sign(x)",
                                         "force x = if(x > 0, -1, 1)", "force x = if(not x > 0, 1, -1)",
                                         "potential max(x, -x)",       "potential -min(x, -x)"};
    for (int i = 0; i < 6; i++) {
        char given[200];
        snprintf(given, sizeof given, MASS "initial x = 1\n%s\n", forces[i]);
        assert_motion(given, 40 * sqrt(2), 1, 1e-5, 20);
    }
    run r = run_text(MASS "initial x = 1\npotential abs(x)\n", &integrator_rk8, 40 * sqrt(2), 1e-9);
    assert_near(r.report->q[0], 1, 1e-11); // no error but that of rounding
    assert_int_equal(r.report->statistics.rejected, 0);
    demolish(&r.b);
}

// between two walls of springs: a second from one to the other, half an oscillation in each
// beside a force that switches in time alone, within a step: neither keeps the other from being found
static void parabolas_and_a_pulse(void **state) {
    const char *given = "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 1\nforce x = -sign(x)\n"
                        "force y = if(t > 3 and t < 3.01, 100, 0)\n";
    double until = 40 * sqrt(2);
    run r = run_text(given, &integrator_rk8, until, 1e-9);
    assert_near(r.report->q[0], 1, 1e-9);
    assert_near(r.report->v[1], 1, 1e-9);
    assert_near(r.report->q[1], until - 3.005, 1e-7);
    assert_in_range(r.report->switches, 22, 24);
    demolish(&r.b);
}

// a pulse of two parts in ten thousand, wherever it lies in the run and its steps
static void short_pulses(void **state) {
    for (int k = 1; k < 40; k++) {
        char given[200];
        snprintf(given, sizeof given,
                 MASS "potential x^2/2\nforce x = if(t > %d/4 and t < %d/4 + 0.002, 500, 0)\n", k, k);
        run r = run_text(given, &integrator_rk8, 10, 1e-9);
        assert_int_equal(r.report->switches, 2);
        assert_near(r.report->q[0], sin(10 - 0.001 - k / 4.0), 1e-6);
        demolish(&r.b);
    }
}

static void bouncing(void **state) {
    assert_motion(MASS "initial x' = 1\nforce x = if(x < 0, -100*x, if(x > 1, -100*(x - 1), 0))\n",
                  6 * (1 + PI / 10) + 0.5, 0.5, 1e-5, 12);
}

// at rest the sign of a velocity is rounding, and turns nothing
static void at_rest(void **state) {
    run r =
        run_text(MASS "initial x = 1\nforce x = -100*x - if(x' < 0, 10, 20)*x'\n", &integrator_rk8, 50, 1e-9);
    assert_near(r.report->q[0], 0, 1e-9);
    assert_true(r.report->switches < 40);
    demolish(&r.b);
}

// what is held has no value beyond the switch
static void where_a_branch_ends(void **state) {
    for (int i = 0; i < 4; i++) {
        if (!there(methods[i]))
            continue;
        run r =
            run_text(MASS "initial x = 1, x' = -3\nforce x = if(x > 0, -sqrt(x), 0)\n", methods[i], 3, 1e-9);
        assert_near(r.report->v[0], -sqrt(9 + 4.0 / 3), 1e-5);
        demolish(&r.b);
    }
}

static void fused_and_assembled(void **state) {
    const evaluate_how hows[] = {EVALUATE_FUSED, EVALUATE_ASSEMBLED};
    double x[2];
    for (int i = 0; i < 2; i++) {
        built b = build_how("coord x[1..3]\nfor i in 1..3 {\n initial x[i] = i\n kinetic x[i]'^2/2\n"
                            " potential i*abs(x[i])\n force x[i] = if(x[i] > t, -0.1, max(x[i], 0)/9)\n}\n",
                            hows[i]);
        run_options o = {.until = 9, .every = 1, .tolerance = 1e-10, .method = &integrator_rk8};
        run_report *report = run_simulation(b.arena, b.sys, b.st, &o);
        assert_int_equal(report->end, RUN_DONE);
        assert_true(report->switches > 8);
        x[i] = report->q[0] + report->q[1] + report->q[2];
        demolish(&b);
    }
    assert_near(x[0], x[1], 1e-8);
}

// the same motion in coordinates with and without a constraint
static void with_a_constraint(void **state) {
    static const char angle[] = "coord phi\ninitial phi = 1\nkinetic phi'^2/2\npotential abs(sin(phi))\n";
    static const char circle[] = "coord x, y\ninitial x = cos(1), y = sin(1)\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential abs(y)\nconstraint circle: x^2 + y^2 = 1\n";
    for (int i = 0; i < 4; i++) {
        if (!there(methods[i]))
            continue;
        run a = run_text(angle, methods[i], 20, 1e-9), b = run_text(circle, methods[i], 20, 1e-9);
        assert_int_equal(a.report->switches, b.report->switches);
        assert_near(cos(a.report->q[0]), b.report->q[0], 1e-5);
        assert_near(sin(a.report->q[0]), b.report->q[1], 1e-5);
        assert_near(a.report->energy_end, a.report->energy_start, 1e-6);
        demolish(&a.b);
        demolish(&b.b);
    }
}

// a sample just before and behind a switch has the acceleration of its own side; so has a stop
static void results_near_a_switch(void **state) {
    run r = run_text(MASS "initial x = 1\npotential abs(x)\nstop when x'' > 0\n", &integrator_rk8, 5, 1e-9);
    assert_int_equal(r.report->stop, 0);
    assert_near(r.report->time, sqrt(2), 1e-9);
    demolish(&r.b);
    r = run_text(MASS "initial x = 1\npotential abs(x)\nexpect always x''*x <= 0\n", &integrator_rk8, 5,
                 1e-9);
    assert_true(r.report->expects[0].holds);
    demolish(&r.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parabolas),
        cmocka_unit_test(parabolas_and_a_pulse),
        cmocka_unit_test(short_pulses),
        cmocka_unit_test(bouncing),
        cmocka_unit_test(at_rest),
        cmocka_unit_test(where_a_branch_ends),
        cmocka_unit_test(fused_and_assembled),
        cmocka_unit_test(with_a_constraint),
        cmocka_unit_test(results_near_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
