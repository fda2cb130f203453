/* Stop statements: instants that are known in closed form, with every integrator. */
#include "motion/run.h"

#include "support/build.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct {
    built b;
    run_report *report;
    long samples;
    double last, before; // times of the last two samples
} run;

static bool take(void *context, const sample *s) {
    run *r = context;
    r->before = r->last;
    r->last = s->t;
    r->samples++;
    return true;
}

static run_options options(double until, double every, double tolerance) {
    return (run_options){.until = until, .every = every, .tolerance = tolerance, .method = &integrator_rk8};
}

static run run_how(const char *given, evaluate_how how, run_options o) {
    run r = {.b = build_how(given, how)};
    o.sink = (sink){take, &r};
    r.report = run_simulation(r.b.arena, r.b.sys, r.b.st, &o);
    if (r.report->end != RUN_DONE)
        fail_msg("%s\n%s", r.report->failure.message ? r.report->failure.message : "?", given);
    assert_near(r.report->time, r.last, 0);
    return r;
}

static run run_text(const char *given, run_options o) {
    return run_how(given, EVALUATE_AUTO, o);
}

// stops at t by its stop number `which`; -1: it runs to the end
static void assert_stop(const char *given, run_options o, int which, double t, double accuracy) {
    run r = run_text(given, o);
    if (r.report->stop != which)
        fail_msg("stopped by %d, not %d, at %.17g:\n%s", r.report->stop, which, r.report->time, given);
    assert_near(r.report->time, t, accuracy);
    demolish(&r.b);
}

#define OSCILLATOR "coord x\ninitial x = 1, x' = 0\nkinetic x'^2/2\npotential x^2/2\n"
#define FALL       "coord y\ninitial y = 0, y' = 10\nkinetic y'^2/2\npotential 10*y\n" // up for a second
#define PENDULUM                                                                                             \
    "coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"                            \
    "constraint rod: x^2 + y^2 = 1\n"

static void every_integrator(void **state) {
    static const integrator_ops *const methods[] = {&integrator_rk8, &integrator_rk5, &integrator_bdf,
                                                    &integrator_adams};
    for (int i = 0; i < 4; i++) {
        const char *hint;
        run_options o = options(10, 0.1, 1e-10);
        o.method = methods[i];
        if (o.method->missing && o.method->missing(&hint))
            continue;
        assert_stop(OSCILLATOR "stop when x < 0\n", o, 0, PI / 2, 1e-9);
        assert_stop(OSCILLATOR "stop when x == 0\n", o, 0, PI / 2, 1e-9);
        assert_stop(OSCILLATOR "stop when x > 0.9999\n", o, 0, 2 * PI - acos(0.9999), 1e-5);
        assert_stop(OSCILLATOR "stop when x > 2\n", o, -1, 10, 0);
    }
}

static void last_sample(void **state) {
    run r = run_text(OSCILLATOR "stop when x < 0\nexpect finally x < 0 and abs(x) < 1e-15\n"
                                "expect always x > -1e-15\n",
                     options(10, 0.5, 1e-10));
    assert_int_equal(r.samples, 5); // 0, 0.5, 1, 1.5, and the instant
    assert_near(r.before, 1.5, 1e-15);
    assert_near(r.report->q[0], 0, 1e-15);
    assert_near(r.report->v[0], -1, 1e-9);
    assert_true(r.report->expects[0].holds && r.report->expects[1].holds);
    demolish(&r.b);
    r = run_text(OSCILLATOR "stop when t >= 2\n", options(10, 0.5, 1e-10));
    assert_int_equal(r.samples, 5); // the instant is a regular one
    assert_near(r.last, 2, 0);
    demolish(&r.b);
}

// a pendulum let go at the height of its pivot: tension 3 m g sin, speed by energy
static void results_in_conditions(void **state) {
    static const char *const conditions[] = {"-2*multiplier(rod) > 15", "kinetic > 5",
                                             "reaction(x)^2 > 15^2*3/4", "energy - kinetic < -5",
                                             "y'' > 2.5"};
    for (int i = 0; i < 5; i++) {
        char given[500];
        snprintf(given, sizeof given, "%sstop when %s\n", PENDULUM, conditions[i]);
        run r = run_text(given, options(5, 0.01, 1e-11));
        assert_int_equal(r.report->stop, 0);
        if (i == 4) // y'' = 10 (3 sin^2 - 1)
            assert_near(r.report->q[1], -sqrt(12.5 / 30), 1e-9);
        else if (i != 2)
            assert_near(r.report->q[1], -0.5, 1e-9);
        else // 30 sin cos = 15 sqrt(3/4)
            assert_near(sin(2 * asin(-r.report->q[1])), sqrt(0.75), 1e-9);
        demolish(&r.b);
    }
}

// a free mass is integrated in steps of any length
static void true_only_within_a_step(void **state) {
    static const char start[] = "coord x\ninitial x' = 1\nkinetic x'^2/2\n";
    char given[200];
    for (double t = 0.01; t < 1000; t *= 1.37) {
        snprintf(given, sizeof given, "%sstop when abs(x - %.17g) < 1e-6\n", start, t);
        assert_stop(given, options(1000, 1000, 1e-9), 0, t - 1e-6, 1e-9);
        snprintf(given, sizeof given, "%sstop when (x - %.17g)^2 <= 1e-12\n", start, t);
        assert_stop(given, options(1000, 1000, 1e-9), 0, t - 1e-6, 1e-9);
        snprintf(given, sizeof given, "%sstop when x > %.17g and x < %.17g\n", start, t, 2 * t);
        assert_stop(given, options(1000, 1000, 1e-9), 0, t, 1e-9);
    }
}

// wherever the steps end
static void short_peaks(void **state) {
    for (double tolerance = 1e-6; tolerance > 1e-12; tolerance *= 0.7) {
        run_options o = options(20, 20, tolerance);
        double accuracy = 3e3 * tolerance; // a peak amplifies what the motion is off
        assert_stop(OSCILLATOR "stop when x < -0.9999\n", o, 0, PI - acos(0.9999), accuracy);
        assert_stop(OSCILLATOR "stop when x == -0.9999\n", o, 0, PI - acos(0.9999), accuracy);
    }
}

static void assert_warned(const char *given, const char *piece, double t) {
    run r = run_text(given, options(20, 1, 1e-10));
    assert_int_equal(r.report->warnings.count, 1);
    assert_non_null(strstr(r.report->warnings.at[0], piece));
    assert_near(r.report->time, t, 1e-8);
    demolish(&r.b);
}

static void true_at_the_start(void **state) {
    assert_warned(OSCILLATOR "stop when x > 0\n", "'x > 0' (line 5) is true at the start", 1.5 * PI);
    assert_warned(OSCILLATOR "stop when x' == 0\n", "'x' == 0'", PI);
    assert_warned(OSCILLATOR "stop when x < 2\n", "'x < 2'", 20);
    // up to rounding
    assert_stop(OSCILLATOR "stop when x' == 1e-17\n", options(20, 1, 1e-10), 0, PI, 1e-8);
    assert_warned(OSCILLATOR "stop when x' == -1e-17\n", "x' == -1e-17", PI);
    // false at the start, true right behind it
    assert_stop(OSCILLATOR "stop when x < 1\n", options(20, 1, 1e-10), 0, 0, 1e-6);
    assert_stop(FALL "stop when y < 0\n", options(20, 1, 1e-10), 0, 2, 1e-9);
}

static void equalities(void **state) {
    run_options o = options(20, 1, 1e-10);
    assert_stop(FALL "stop when y == 5 - 1e-4\n", o, 0, 1 - sqrt(2e-5), 1e-7); // on the way up
    assert_stop(FALL "stop when y' == -3\n", o, 0, 1.3, 1e-9);
    assert_stop(FALL "let level = y == -15\nstop when level\n", o, 0, 3, 1e-9);
    assert_stop(OSCILLATOR "stop when x == 0 and x' > 0\n", o, 0, 1.5 * PI, 1e-9);
    assert_stop(OSCILLATOR "stop when t > 6 and x == 0 and x' > 0\n", o, 0, 3.5 * PI, 1e-8);
    assert_stop(FALL "stop when y == 5 - 1e-4 and y' < 0\n", o, 0, 1 + sqrt(2e-5), 1e-7);
    assert_stop(FALL "stop when y == 0 and y' > 11 or y == 3\n", o, -1, 20, 0); // never seen to hold
    assert_stop(OSCILLATOR "stop when not x' < 0 and t > 0.1\n", o, 0, PI, 1e-9);
}

static void several(void **state) {
    run_options o = options(20, 1, 1e-10);
    assert_stop(FALL "stop when y < 0\nstop when y' < 0\n", o, 1, 1, 1e-9);
    assert_stop(FALL "stop when y < 0\nstop when y <= 0\nstop when y < 1e-12\n", o, 2, 2, 1e-9);
    run r = run_text("coord x[1..3]\nfor i in 1..3 {\n initial x[i]' = i\n kinetic x[i]'^2/2\n"
                     " stop when x[i] > 3*i^2 - 10*i + 12\n}\n",
                     options(20, 1, 1e-10));
    assert_int_equal(r.report->stop, 1); // 5, 2, 3
    assert_string_equal(r.b.model->stops.at[1].text, "x[i] > 3*i^2 - 10*i + 12 (here i = 2)");
    assert_near(r.report->time, 2, 1e-12);
    demolish(&r.b);
}

// a knife edge, in quasi-velocities; and a time span that starts elsewhere
static void other_states(void **state) {
    run_options o = options(20, 1, 1e-10);
    static const char sleigh[] =
        "coord x, y, phi\ninitial x' = 1, y' ~ 0, phi' = 1\nkinetic (x'^2 + y'^2 + phi'^2)/2\n"
        "quasi u = cos(phi)*x' + sin(phi)*y'\nquasi w = cos(phi)*y' - sin(phi)*x'\nquasi r = phi'\n"
        "constraint edge: w = 0\n";
    char given[500];
    snprintf(given, sizeof given, "%sstop when y > 1\n", sleigh); // on a circle about (0, 1)
    assert_stop(given, o, 0, PI / 2, 1e-8);
    snprintf(given, sizeof given, "%sstop when w' > 9 or r*phi > 2\n", sleigh);
    assert_stop(given, o, 0, 2, 1e-9);
    o.from = -2;
    assert_stop(OSCILLATOR "stop when x < 0\n", o, 0, PI / 2 - 2, 1e-9);
    o.from = 15;
    assert_stop(OSCILLATOR "stop when x < 0\n", o, 0, PI / 2 + 15, 1e-9);
}

static void fused_and_assembled(void **state) {
    static const char given[] = PENDULUM "for i in 1..4: stop when y < -i/5 and multiplier(rod) < -i\n";
    run a = run_how(given, EVALUATE_FUSED, options(5, 0.1, 1e-10));
    run b = run_how(given, EVALUATE_ASSEMBLED, options(5, 0.1, 1e-10));
    assert_int_equal(a.report->stop, 0);
    assert_int_equal(b.report->stop, 0);
    assert_near(a.report->time, b.report->time, 1e-9);
    assert_near(a.report->q[1], -0.2, 1e-9);
    demolish(&a.b);
    demolish(&b.b);
}

// looking changes nothing of the motion
static void looks_leave_no_trace(void **state) {
    run plain = run_text(PENDULUM, options(3, 0.1, 1e-9));
    run watched =
        run_text(PENDULUM "stop when multiplier(rod) > 1e3\nstop when y == 3\n", options(3, 0.1, 1e-9));
    assert_int_equal(watched.report->stop, -1);
    assert_int_equal(plain.report->statistics.steps, watched.report->statistics.steps);
    for (int i = 0; i < 2; i++) {
        assert_near(plain.report->q[i], watched.report->q[i], 0);
        assert_near(plain.report->v[i], watched.report->v[i], 0);
    }
    demolish(&plain.b);
    demolish(&watched.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator),
        cmocka_unit_test(last_sample),
        cmocka_unit_test(results_in_conditions),
        cmocka_unit_test(true_only_within_a_step),
        cmocka_unit_test(short_peaks),
        cmocka_unit_test(true_at_the_start),
        cmocka_unit_test(equalities),
        cmocka_unit_test(several),
        cmocka_unit_test(other_states),
        cmocka_unit_test(fused_and_assembled),
        cmocka_unit_test(looks_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
