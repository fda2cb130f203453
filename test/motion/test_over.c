/* Results over a run: in closed form with all integrators; whatever the samples are; and asking for them
 * changes no bit of the motion. */
#include "motion/run.h"

#include "support/build.h"
#include "support/methods.h"

#include <math.h>
#include <string.h>

enum { KEPT = 4000 };

typedef struct {
    int count;
    double q[KEPT];
} kept;

typedef struct {
    built b;
    run_report *report;
    kept samples;
} run;

static bool keep(void *context, const sample *s) {
    kept *k = context;
    assert_true(k->count < KEPT);
    k->q[k->count++] = s->q[0];
    return true;
}

static void run_text(run *r, const char *given, const integrator_ops *method, double until, double every,
                     double tolerance) {
    *r = (run){.b = build(given)};
    run_options o = {.until = until,
                     .every = every,
                     .tolerance = tolerance,
                     .method = method,
                     .sink = {keep, &r->samples}};
    r->report = run_simulation(r->b.arena, r->b.sys, r->b.st, &o);
    if (r->report->end != RUN_DONE)
        fail_msg("%s: %s\n%s", method->name, r->report->failure.message, given);
}

static over_record found(const run *r, const char *name) {
    const model *m = r->b.model;
    for (int i = 0; i < m->told.count; i++)
        if (strcmp(m->told.at[i].name, name) == 0)
            return run_result(m, r->report, i);
    fail_msg("nothing is told of '%s'", name);
    return (over_record){NAN, NAN};
}

static void check(const run *r, const integrator_ops *method, const char *name, double value, double at,
                  double allowed) {
    over_record f = found(r, name);
    if (!(fabs(f.value - value) <= allowed) || isnan(f.at) != isnan(at) || fabs(f.at - at) > 1e3 * allowed)
        fail_msg("%s: %s = %.17g at %.17g, not %.17g at %.17g", method->name, name, f.value, f.at, value, at);
}

static const double PI = 3.14159265358979323846;

// of the time alone, so that steps are long: pulses, waves, kinks, jumps, an equality, what is never true
static void functions_of_time(void **state) {
    (void)state;
    static const char given[] =
        "coord x\ninitial x = 1\nkinetic x'^2/2\n"
        "output wave = maximum(sin(50*t))\n"
        "output pulse = integral(exp(-((t - 5)/0.001)^2))\n"
        "output above = duration(sin(50*t) > 0.5)\n"
        "output once = first(sin(50*t) > 0.999999)\n"
        "output teeth = integral(abs(sin(7*t)))\n"
        "output steps = integral(if(sin(3*t) > 0, 1, 0))\n"
        "output met = first(t == 2 and x > 0)\noutput unmet = first(t == 2 and x < 0)\n"
        "output never = first(t > 11)\noutput moment = duration(t == 2)\n"
        "output one = mean(3)\noutput ramp = mean(t)\noutput low = minimum(abs(t - 3))\n"
        "output both = (maximum(t), minimum(t))\n"
        "output span = maximum(t) - minimum(t)\nsimulate until 10\n";
    double u = 500, wave = 2 * PI, rest = u - wave * floor(u / wave);
    double above = (floor(u / wave) * 2 * PI / 3 + fmax(0, fmin(rest, 5 * PI / 6) - PI / 6)) / 50;
    double teeth = (2 * floor(70 / PI) + 1 - cos(70 - PI * floor(70 / PI))) / 7;
    double halves = floor(30 / wave), steps = (halves * PI + fmin(30 - wave * halves, PI)) / 3;
    for (int i = 0; i < INTEGRATORS; i++) {
        if (!there(integrators[i]))
            continue;
        run r;
        run_text(&r, given, integrators[i], 10, 1, 1e-9);
        over_record top = found(&r, "wave");
        assert_true(fabs(top.value - 1) < 1e-9 && fabs(sin(50 * top.at) - 1) < 1e-9);
        check(&r, integrators[i], "pulse", 0.001 * sqrt(PI), NAN, 1e-11);
        check(&r, integrators[i], "above", above, NAN, 1e-9);
        check(&r, integrators[i], "once", asin(0.999999) / 50, asin(0.999999) / 50, 1e-9);
        check(&r, integrators[i], "teeth", teeth, NAN, 1e-8);
        check(&r, integrators[i], "steps", steps, NAN, 1e-9);
        check(&r, integrators[i], "met", 2, 2, 1e-9);
        check(&r, integrators[i], "moment", 0, NAN, 0);
        check(&r, integrators[i], "one", 3, NAN, 1e-12);
        check(&r, integrators[i], "ramp", 5, NAN, 1e-9);
        check(&r, integrators[i], "low", 0, 3, 1e-9);
        check(&r, integrators[i], "both.x", 10, 10, 0);
        check(&r, integrators[i], "both.y", 0, 0, 0);
        check(&r, integrators[i], "span", 10, NAN, 0);
        assert_true(isnan(found(&r, "unmet").value) && isnan(found(&r, "never").value));
        assert_int_equal(r.report->warnings.count, 0);
        demolish(&r.b);
    }
}

// a pendulum from 2 at rest: maxima and zeros from its period 4 K(sin 1) by the arithmetic-geometric mean,
// forces from energy
static void a_pendulum(void **state) {
    (void)state;
    static const char given[] =
        "coord x, y\ninitial x = sin(2), y = -cos(2)\nkinetic (x'^2 + y'^2)/2\npotential y\n"
        "constraint rod: x^2 + y^2 = 1\n"
        "output tension = -2*multiplier(rod)\noutput most = maximum(tension)\noutput least = "
        "minimum(tension)\n"
        "output crossed = first(x < 0)\noutput right = duration(x > 0)\noutput square = mean(x'^2 + y'^2)\n"
        "output way = integral(x')\nexpect finally maximum(abs(reaction(y))) < 5\nsimulate until 20\n";
    double a = 1, g = cos(1);
    for (int k = 0; k < 8; k++) {
        double next = (a + g) / 2;
        g = sqrt(a * g);
        a = next;
    }
    double quarter = PI / (2 * a), right = quarter, end = 20;
    for (double t = 3 * quarter; t < end; t += 4 * quarter)
        right += fmin(t + 2 * quarter, end) - t;
    for (int i = 0; i < INTEGRATORS; i++) {
        if (!there(integrators[i]))
            continue;
        bool many = integrators[i]->implicit || strcmp(integrators[i]->name, "adams") == 0;
        double allowed = many ? 1e-5 : 1e-7;
        run r;
        run_text(&r, given, integrators[i], end, 0.5, 1e-10);
        double deep = 3 + 2 * -cos(2); // at the bottom: 1 + v^2, v^2 = 2 (1 - cos 2)
        over_record most = found(&r, "most"), least = found(&r, "least");
        assert_true(fabs(most.value - deep) < allowed && fabs(least.value - cos(2)) < allowed);
        double phase = fmod(most.at / quarter, 2);
        assert_true(fabs(phase - 1) < 1e-3);
        check(&r, integrators[i], "crossed", quarter, quarter, allowed);
        check(&r, integrators[i], "right", right, NAN, 10 * allowed);
        check(&r, integrators[i], "way", r.report->q[0] - sin(2), NAN, allowed);
        demolish(&r.b);
    }
}

static const char *const asked =
    "output o1 = maximum(x)\noutput o2 = minimum(abs(x'))\noutput o3 = integral(x^2)\n"
    "output o4 = duration(x > 0.1)\noutput o5 = first(x' < -0.1)\noutput o6 = maximum(abs(x''))\n"
    "output o7 = mean(abs(reaction(x)))\n";

static const char *const motions[] = {
    // smooth; Duffing's; a switch; friction; a constraint; a singular passage
    "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^4/4\nforce x = cos(2*t)\n",
    "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nforce x = if(x > 0.2, -3, 1)\n",
    "coord x, y\ninitial x' = 2\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + x^2\nconstraint c: y = "
    "0\nfriction c: mu = 0.05, slip = x'\n",
    "coord x, y\ninitial x = sin(2), y = -cos(2)\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 "
    "+ y^2 = 1\n",
    "coord x, y\ninitial x = 1\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint a: x*y = 0\n"
    "constraint b: y = 0\ninitial x' = -1\n",
};
enum { MOTIONS = sizeof motions / sizeof *motions };

static const char *with(const char *given, const char *more, char *out, size_t room) {
    snprintf(out, room, "%s%ssimulate until 6\n", given, more);
    return out;
}

static void asking_changes_no_bit(void **state) {
    (void)state;
    for (int k = 0; k < MOTIONS * INTEGRATORS; k++) {
        const integrator_ops *method = integrators[k % INTEGRATORS];
        const char *given = motions[k / INTEGRATORS];
        if (!there(method))
            continue;
        char room[2000];
        static run plain, asking, rarely;
        run_text(&plain, with(given, "", room, sizeof room), method, 6, 0.01, 1e-8);
        run_text(&asking, with(given, asked, room, sizeof room), method, 6, 0.01, 1e-8);
        run_text(&rarely, with(given, asked, room, sizeof room), method, 6, 1.7, 1e-8);
        assert_int_equal(plain.samples.count, asking.samples.count);
        if (memcmp(plain.samples.q, asking.samples.q, (size_t)plain.samples.count * sizeof(double)) != 0)
            fail_msg("%s: the motion is another\n%s", method->name, given);
        assert_int_equal(plain.report->statistics.steps, asking.report->statistics.steps);
        for (int i = 0; i < asking.b.model->told.count; i++) {
            over_record a = run_result(asking.b.model, asking.report, i);
            over_record b = run_result(rarely.b.model, rarely.report, i);
            if (memcmp(&a.value, &b.value, sizeof a.value) != 0 || (a.at != b.at && !isnan(a.at)))
                fail_msg("%s: %s depends on samples: %.17g and %.17g\n%s", method->name,
                         asking.b.model->told.at[i].name, a.value, b.value, given);
        }
        demolish(&plain.b);
        demolish(&asking.b);
        demolish(&rarely.b);
    }
}

// a mean force from one side of the switch to the other; and a stop by what has been summed up
static void across_events(void **state) {
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        if (!there(integrators[i]))
            continue;
        run r;
        run_text(&r,
                 "coord x\ninitial x' = 1\nkinetic x'^2/2\nforce x = if(x > 0.5, -2, 1)\n"
                 "output pushed = maximum(x'')\noutput pulled = minimum(x'')\noutput gain = integral(x'')\n"
                 "output fastest = maximum(x')\nsimulate until 1\n",
                 integrators[i], 1, 0.3, 1e-9);
        double top = sqrt(2); // v^2 = 1 + 2 x
        check(&r, integrators[i], "fastest", top, top - 1, 1e-8);
        assert_true(found(&r, "pushed").value == 1 && found(&r, "pulled").value == -2);
        check(&r, integrators[i], "gain", r.report->v[0] - 1, NAN, 1e-8);
        demolish(&r.b);
        run_text(&r,
                 "coord x\ninitial x' = 1\nkinetic x'^2/2\nstop when integral(x) > 2\n"
                 "output far = maximum(x)\nsimulate until 10\n",
                 integrators[i], 10, 3, 1e-9);
        assert_int_equal(r.report->stop, 0);
        assert_true(fabs(r.report->time - 2) < 1e-8);
        check(&r, integrators[i], "far", 2, 2, 1e-8);
        check(&r, integrators[i], "integral(x)", 2, NAN, 1e-8);
        demolish(&r.b);
    }
}

// a claim on what never was is not held; names are told once
static void claims_and_names(void **state) {
    (void)state;
    run r;
    run_text(&r,
             "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\n"
             "expect finally not (first(x > 5) < 3)\nexpect maximum(x) < 2\nexpect finally first(x < 0) < 2\n"
             "output peak = maximum(x)\noutput again = maximum(x)\nsimulate until 3\n",
             integrators[0], 3, 1, 1e-9);
    assert_true(!r.report->expects[0].holds && r.report->expects[1].holds && r.report->expects[2].holds);
    assert_int_equal(r.b.model->overs.count, 3);
    assert_int_equal(r.b.model->told.count, 4);
    assert_true(found(&r, "peak").value == 1 && found(&r, "again").at == 0);
    check(&r, integrators[0], "first(x < 0)", PI / 2, PI / 2, 1e-8);
    demolish(&r.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_time),     cmocka_unit_test(a_pendulum),
        cmocka_unit_test(asking_changes_no_bit), cmocka_unit_test(across_events),
        cmocka_unit_test(claims_and_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
