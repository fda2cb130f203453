/* The energy balance: work in closed form, for every kind of what does it, with all integrators; across
 * events; and silent components, which leave the motion as it is. */
#include "motion/run.h"

#include "support/build.h"
#include "support/methods.h"

#include <math.h>

typedef struct {
    built b;
    run_report *report;
} run;

static run run_text(const char *given, const integrator_ops *method, double until, double tolerance) {
    run r = {.b = build(given)};
    run_options o = {.until = until, .every = until / 40, .tolerance = tolerance, .method = method};
    r.report = run_simulation(r.b.arena, r.b.sys, r.b.st, &o);
    if (r.report->end != RUN_DONE)
        fail_msg("%s: %s\n%s", method->name, r.report->failure.message, given);
    return r;
}

// ---- closed forms

typedef struct {
    const char *given;
    double until;
    double expected[3]; // outputs
    int count;
} closed;

static void works(const closed *c) {
    static const double TOLERANCE = 1e-10, FACTOR[] = {300, 300, 3e4, 3e4}; // bdf and adams: their own errors
    for (int k = 0; k < 4; k++) {
        if (!there(methods[k]))
            continue;
        run r = run_text(c->given, methods[k], c->until, TOLERANCE);
        for (int i = 0; i < c->count; i++)
            if (!(fabs(r.report->outputs[i] - c->expected[i]) <=
                  FACTOR[k] * TOLERANCE * (1 + fabs(c->expected[i]))))
                fail_msg("%s: output %d is %.15g, not %.15g\n%s", methods[k]->name, i, r.report->outputs[i],
                         c->expected[i], c->given);
        if (!(run_balance(r.report) <= FACTOR[k] * TOLERANCE))
            fail_msg("%s: a balance of %g\n%s", methods[k]->name, run_balance(r.report), c->given);
        demolish(&r.b);
    }
}

// x = exp(-t): critically damped; W = -integral of 2 x'^2, of the force k x' done by hand
static void oscillators(void **state) {
    double lost = -(1 - exp(-4));
    works(&(closed){"coord x\ninitial x = 1, x' = -1\nkinetic x'^2/2\npotential x^2/2\ndissipation x'^2\n"
                    "output w = work(dissipation)\n",
                    2,
                    {lost},
                    1});
    works(&(closed){"coord x\ninitial x = 1, x' = -1\nkinetic x'^2/2\npotential x^2/2\nforce x = -2*x'\n"
                    "output w = work(x)\n",
                    2,
                    {lost},
                    1});
    works(&(closed){"coord x\ninitial x = 1, x' = -1\nkinetic x'^2/2\npotential x^2/2\nnonideal x = -2*x'\n"
                    "output w = work(nonideal)\n",
                    2,
                    {lost},
                    1});
    works(&(closed){"coord x\ninitial x = 1, x' = -1\nquasi s = 3*x'\nkinetic x'^2/2\npotential "
                    "x^2/2\ndissipation x'^2\noutput w = work(dissipation)\n",
                    2,
                    {lost},
                    1});
}

// time in V, in T, and in M as given: x = t^2/2 where that is the motion
static void explicit_time(void **state) {
    works(&(closed){"coord x\nkinetic x'^2/2\npotential -x*t\noutput w = work(potential)\noutput x3 = x\n",
                    2,
                    {-16.0 / 24, 8.0 / 6},
                    2}); // x = t^3/6, W = -integral of x
    works(
        &(closed){"coord x\nkinetic x'^2/2 + t*x'\ninitial x' = 1\noutput w = work(kinetic)\noutput e = x\n",
                  2,
                  {0, 0},
                  2}); // x' = 1 - t, W = -integral of x' = -x
    works(&(closed){"coord x\nmass x = 1 + t\ninitial x' = 1\noutput w = work(mass)\n", 2, {1}, 1}); // x' = 1
}

// a crank turned unevenly, against damping: the drive gives what is lost and what is gained
static void drives(void **state) {
    double angle = 3 + 0.5 * sin(5), rate = 3 + 2.5 * cos(5);
    double gain = (rate * rate - 5.5 * 5.5) / 2, loss = 0.2 * (9 + 3 * sin(5) + 3.125 * (1 + sin(10) / 10));
    works(
        &(closed){"coord phi\ninitial phi = 0\nkinetic phi'^2/2\npotential 5*sin(phi)\ndissipation "
                  "0.1*phi'^2\nconstraint drive: phi = 3*t + 0.5*sin(5*t)\noutput w = work(drive)\noutput d "
                  "= work(dissipation)\n",
                  1,
                  {5 * sin(angle) + gain + loss, -loss},
                  2});
    works(&(closed){"coord phi\ninitial phi = 0\nkinetic phi'^2/2\npotential 5*sin(phi)\ndissipation "
                    "0.1*phi'^2\nconstraint drive: phi = 3*t\noutput w = work(drive)\noutput d = "
                    "work(dissipation)\n",
                    10,
                    {5 * sin(30) + 18, -18},
                    2});                            // steps are as long as they may be
    double all = 20 * sin(angle) + 3 * gain + loss; // inertia about the pin: 1 + 2 * 1^2
    works(&(closed){"body2 B: mass = 2, inertia = 1, at = (1, 0)\ngravity (0, -10)\njoint J (motion = 3*t + "
                    "0.5*sin(5*t), damping = 0.2): revolute(ground, B, at = (0, 0))\noutput w = "
                    "work(J)\noutput m = work(J.motion)\n",
                    1,
                    {all, all},
                    2});
    works(&(closed){"coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1\ncontrol c: y = t^2\noutput w = "
                    "work(c)\n",
                    2,
                    {8},
                    1});
}

// mu N s, up to where the block comes to rest; then on a belt, which takes it along
static void frictions(void **state) {
    works(&(closed){"coord x, y\ninitial x' = 3\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint f: y = "
                    "0\nfriction f: mu = 0.3, slip = x'\noutput w = work(f.stick)\noutput s = x\n",
                    4,
                    {-4.5, 1.5},
                    2});
    works(&(closed){"coord x, y\ninitial x' = -1\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint f: y = "
                    "0\nfriction f: mu = 0.3, slip = x' - 2\noutput w = work(f.stick)\n",
                    4,
                    {1.5},
                    1});
}

// integration begins anew where the force switches
static void switches(void **state) {
    works(
        &(closed){"coord x\ninitial x' = 1\nkinetic x'^2/2\nforce x = if(x > 1, if(x < 2, 3, -1), 0)\noutput "
                  "v = x'^2 - 2*work(x)\noutput w = work(x) + if(x > 2, x - 5, 0)\n",
                  2.5,
                  {1, 0},
                  2}); // 3 on the way from 1 to 2, then -(x - 2)
    works(&(closed){"coord x\nkinetic x'^2/2\nforce x = if(t < 1, 2, if(t < 2, -1, 0))\noutput w = work(x)\n",
                    3,
                    {0.5},
                    1});
    // what drives takes the difference upon itself: the motion is the same, the work is not
    works(&(closed){"coord x\nkinetic x'^2/2\nconstraint c: x = t\nforce x = if(x > 0.3, -10, 0)\noutput w = "
                    "work(c)\noutput f = work(x)\n",
                    1,
                    {7, -7},
                    2});
    works(
        &(closed){"body2 b: mass = 1, inertia = 1, at = (1, 0)\njoint j (motion = t): revolute(ground, b, at "
                  "= (0, 0))\npotential 10*abs(b.y - 0.3)\noutput w = work(j)\n",
                  1,
                  {10 * (sin(1) - 0.6)},
                  1});
}

// work in a condition that ends the run: x' = t, W = t^2/2
static void stops(void **state) {
    for (int k = 0; k < 4; k++) {
        if (!there(methods[k]))
            continue;
        run r =
            run_text("coord x\nkinetic x'^2/2\nforce x = 1\nstop when work(x) > 2\n", methods[k], 5, 1e-10);
        assert_true(fabs(r.report->time - 2) < 1e-7);
        demolish(&r.b);
    }
}

// ---- silent components

typedef struct {
    int evaluations;
    double t, y;
} decay;

static int falls(void *context, double t, const double *y, double *dydt) {
    decay *d = context;
    d->evaluations++;
    d->t = t;
    d->y = y[0];
    dydt[0] = -y[0] * (1 + 0.5 * sin(3 * t));
    dydt[1] = y[0];
    dydt[2] = cos(y[1]);
    return 0;
}

// of the last: nothing may come of it
static void falling_rates(void *context, double *rates) {
    const decay *d = context;
    rates[0] = d->y;
    rates[1] = 1e6 * cos(40 * d->t);
    rates[2] = NAN;
}

static int falling_rates_at(void *context, double t, const double *y, double *rates) {
    decay at = {.t = t, .y = y[0]};
    (void)context;
    falling_rates(&at, rates);
    return 0;
}

static void silent_components(void **state) {
    for (int k = 0; k < 4; k++) {
        if (!there(methods[k]))
            continue;
        const integrator_ops *m = methods[k];
        arena *a = arena_new((size_t)1 << 30);
        decay d[2] = {0};
        ode with = {.size = 3, .f = falls, .context = &d[0]}, without = with;
        static const double one = 1;
        with.silent = 3;
        with.silent_size = &one;
        with.rates = falling_rates;
        with.rates_at = falling_rates_at;
        without.context = &d[1];
        integrator *it[] = {m->create(a, &with, 1e-9), m->create(a, &without, 1e-9)};
        double y0[] = {1, 0, 0}, y[2][3], w[3];
        for (int i = 0; i < 2; i++)
            assert_int_equal(m->start(it[i], 0, y0, 4, 0), 0);
        while (m->time(it[0]) < 4) {
            double before = m->time(it[0]);
            for (int i = 0; i < 2; i++)
                assert_int_equal(m->step(it[i]), 0);
            assert_true(m->time(it[0]) == m->time(it[1]));
            assert_memory_equal(m->state(it[0]), m->state(it[1]), 3 * sizeof(double));
            double inside = before + 0.3 * (m->time(it[0]) - before);
            for (int i = 0; i < 2; i++)
                assert_int_equal(m->interpolate(it[i], inside, y[i]), 0);
            assert_memory_equal(y[0], y[1], sizeof *y);
            assert_int_equal(m->silent(it[0], inside, w), 0);
            assert_true(fabs(w[0] - y[0][1]) < (k < 2 ? 1e-7 : 1e-5)); // y[1] is the same integral
            assert_true(isnan(w[2]));
        }
        assert_int_equal(d[0].evaluations, d[1].evaluations);
        assert_int_equal(m->silent(it[0], 5, w), INTEGRATOR_OUTSIDE_STEP);
        assert_int_equal(m->start(it[0], 1, y0, 4, 0), 0);
        assert_int_equal(m->silent(it[0], 1, w), 0);
        assert_true(w[0] == 0); // counted from the start
        arena_free(a);
    }
}

// nothing is carried where energy is conserved by structure
static void conserved(void **state) {
    built b =
        build("coord x, y\ninitial x = 1\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint c: x^2 + y^2 "
              "= 1\n");
    assert_int_equal(b.sys->work_count, 0);
    assert_int_equal(b.sys->power_at, b.sys->direct_at);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillators),       cmocka_unit_test(explicit_time), cmocka_unit_test(drives),
        cmocka_unit_test(frictions),         cmocka_unit_test(switches),      cmocka_unit_test(stops),
        cmocka_unit_test(silent_components), cmocka_unit_test(conserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
