/* Runs side by side: each comes to what it comes to alone, to the bit, whatever runs beside it. */
#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/guard.h"
#include "api/session.h"
#include "code/native.h"
#include "motion/together.h"
#include "support/as_read.h"

enum { VALUES = 13, NUMBER = 40 };

typedef struct {
    const char *name, *text, *param;
    double from, to;
    const char *integrator;
    bool in_lanes;
} subject;

#define PENDULUM                                                                                             \
    "coord x1, y1, x2, y2\n"                                                                                 \
    "initial x1 = L, y1 = 0, x2 = 2*L, y2 = 0\n"                                                             \
    "kinetic m/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)\n"                                                          \
    "potential 9.81*m*(y1 + y2)\n"                                                                           \
    "constraint upper: x1^2 + y1^2 = L^2\n"                                                                  \
    "constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = L^2\n"

static const subject subjects[] = {
    {"two rods", "param L = 1, m = 1\n" PENDULUM "simulate until 4, every 4, tolerance 1e-6\n", "L", 0.4, 2.3,
     NULL, true},
    {"two rods, with samples and forces",
     "param L = 1, m = 1\n" PENDULUM "output tension = -2*L*multiplier(upper)\nexpect always tension < 60*m\n"
     "simulate until 3, every 0.07, tolerance 1e-9\n",
     "m", 0.5, 2, NULL, true},
    {"two rods by order 5", "param L = 1, m = 1\n" PENDULUM "simulate until 2, every 1, tolerance 1e-7\n",
     "L", 0.8, 1.3, "rk5", true},
    {"angles: one sine of each, several, dissipation, a drive",
     "param k = 0.1\ncoord a, b\ninitial a = 1.5, b = 1\n"
     "let x1 = sin(a)\nlet y1 = -cos(a)\nlet x2 = x1 + sin(b) + sin(a + b)/9\nlet y2 = y1 - cos(b)\n"
     "kinetic (x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2\npotential 9.81*(y1 + y2)\n"
     "dissipation k/2*(a'^2 + b'^2)\nforce a = k*sin(2*t)*exp(-t)\nsimulate until 5, every 5, tolerance "
     "1e-8\n",
     "k", 0.01, 0.7, NULL, true},
    {"one row, one sine",
     "param L = 1\ncoord x, y\ninitial x = L, y = 0\nkinetic (x'^2 + y'^2)/2\n"
     "potential 9.81*y + sin(x)\nconstraint rod: x^2 + y^2 = L^2\n"
     "simulate until 3, every 3, tolerance 1e-8\n",
     "L", 0.6, 1.9, NULL, true},
    {"rows that do work, and what is looked for in steps",
     "param w = 2\ncoord x1, y1, x2, y2\ninitial x1 = 1, y1 = 0, x2 ~ 3, y2 ~ 2\n"
     "kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
     "constraint cx: x1 = cos(w*t)\nconstraint cy: y1 = sin(w*t)\n"
     "constraint coupler: (x2 - x1)^2 + (y2 - y1)^2 = 9\nconstraint rocker: (x2 - 3)^2 + y2^2 = 6.25\n"
     "output high = maximum(y2)\nstop when y2 > 2.45\nsimulate until 3, every 0.5, tolerance 1e-8\n",
     "w", 0.5, 3, NULL, true},
    {"some end in the middle",
     "param c = 1\ncoord x, y\ninitial x = 0, y = 0, x' = 1\nkinetic (x'^2 + y'^2)/2\n"
     "potential (1 - c*x)^1.5 + y^2\nsimulate until 3, every 1\n",
     "c", 0.05, 1.2, NULL, true},
    {"some begin nowhere",
     "param L = 1\ncoord x, y\ninitial x = L, y = 0\nkinetic (x'^2 + y'^2)/2\n"
     "potential 9.81*y\nconstraint rod: x^2 + y^2 = L*abs(L)\nsimulate until 1, every 1\n",
     "L", -0.3, 1.2, NULL, true},
    {"switches go alone",
     "param k = 1\ncoord x\ninitial x = 1\nkinetic x'^2/2\nforce x = if(x > 0, -k, 2*k)\n"
     "simulate until 3, every 1\n",
     "k", 0.5, 2, NULL, false},
};

static const int subject_count = sizeof subjects / sizeof subjects[0];

static double value_of(const subject *s, int i) {
    return s->from + (s->to - s->from) * i / (VALUES - 1);
}

static trm_run_def run_of(const subject *s) {
    trm_run_def def = trm_run_def_default();
    def.keep = TRM_KEEP_COLUMNS;
    def.integrator = s->integrator;
    return def;
}

static void assert_as_alone(const subject *s, int i, trm_status status, trm_result *found) {
    char number[NUMBER], of[200];
    trm_model *m = NULL;
    trm_result *alone = NULL;
    trm_run_def def = run_of(s);
    snprintf(number, sizeof number, "%.17g", value_of(s, i));
    snprintf(of, sizeof of, "%s, %s = %s", s->name, s->param, number);
    assert_int_equal(trm_model_read_text("test", s->text, &(trm_setting){s->param, number}, 1, &m), TRM_OK);
    assert_int_equal(trm_run(m, &def, &alone), status);
    assert_same_results(found, alone, of);
    trm_result_free(alone);
    trm_model_free(m);
}

// ---- side by side

typedef struct {
    trm_model *model;
    together *runs;
    trm_result *made[TOGETHER_MOST];
    int value[TOGETHER_MOST];
    int begun, joined;
} side;

// the next one in a free place; false if it ended at once, or went alone
static bool begin(side *d, const subject *s, int i, int at) {
    char number[NUMBER];
    trm_run_def def = run_of(s);
    snprintf(number, sizeof number, "%.17g", value_of(s, i));
    trm_result *r = NULL;
    trm_status status = result_begin_with(d->model, &(model_setting){s->param, number}, 1, &def, &r);
    d->begun += status == TRM_OK && run_so_far(r->drive->run)->end == RUN_DONE;
    bool goes_on = status == TRM_OK && together_join(d->runs, r->drive->run, at);
    if (goes_on) {
        d->made[at] = r;
        d->value[at] = i;
        d->joined++;
        return true;
    }
    if (status == TRM_OK) {
        run_advance(r->drive->run, INFINITY);
        status = result_end(r);
    }
    assert_as_alone(s, i, status, r);
    trm_result_free(r);
    return false;
}

static void end(side *d, const subject *s, int at) {
    trm_status status = result_end(d->made[at]);
    assert_as_alone(s, d->value[at], status, d->made[at]);
    trm_result_free(d->made[at]);
    d->made[at] = NULL;
}

// in this order, at most so many at once
static void run_all(const subject *s, bool backwards, int most) {
    arena *a = arena_new(0);
    side d = {.runs = together_new(a)};
    int next = 0, under_way = 0;
    assert_int_equal(trm_model_read_text("test", s->text, NULL, 0, &d.model), TRM_OK);
    while (next < VALUES || under_way > 0) {
        for (int at = 0; at < most && next < VALUES; at++)
            if (d.made[at] == NULL) {
                under_way += begin(&d, s, backwards ? VALUES - 1 - next : next, at);
                next++;
            }
        if (under_way == 0)
            continue;
        end(&d, s, together_advance(d.runs));
        under_way--;
    }
    if (native_chosen() >= PATH_AVX2 && native_allowed() && s->in_lanes)
        assert_true(d.joined >= d.begun - 1); // what compiled first has kernels of its own
    else
        assert_int_equal(d.joined, 0);
    trm_model_free(d.model);
    arena_free(a);
}

static void test_bits(void **state) {
    (void)state;
    for (int i = 0; i < subject_count; i++) {
        run_all(&subjects[i], false, KERNEL_LANES);
        run_all(&subjects[i], true, TOGETHER_MOST);
    }
}

// ---- memory runs out in one of them, and the others go on

typedef struct {
    trm_result *result; // whose memory it is; NULL: it has enough
    int samples;
} poor;

static int take(void *context, const double *values, int count) {
    poor *p = context;
    (void)values, (void)count;
    if (p->result && ++p->samples == 2) // the first one in a step
        arena_give_up(p->result->arena);
    return 0;
}

static void advance(void *context) {
    side *d = context;
    d->begun = together_advance(d->runs);
}

static void test_memory(void **state) {
    enum { RUNS = 6, POOR = 2 };
    (void)state;
    arena *a = arena_new(0), *all[RUNS];
    const subject *s = &subjects[0];
    side d = {.runs = together_new(a)};
    poor p = {NULL, 1}; // the sample of the start is taken before
    trm_run_def def = run_of(s);
    int count = 0;
    assert_int_equal(trm_model_read_text("test", s->text, NULL, 0, &d.model), TRM_OK);
    assert_int_equal(trm_model_set(d.model, "m", 1.5, NULL), TRM_OK);
    for (int i = 0; i < RUNS; i++) {
        char number[NUMBER];
        snprintf(number, sizeof number, "%.17g", 1 + 0.01 * i);
        def.sample = i == POOR ? take : NULL;
        def.sample_context = &p;
        assert_int_equal(result_begin_with(d.model, &(model_setting){"L", number}, 1, &def, &d.made[i]),
                         TRM_OK);
        if (together_join(d.runs, d.made[i]->drive->run, i))
            all[count++] = d.made[i]->arena;
    }
    p.result = d.made[POOR];
    bool lost = false;
    for (int left = count; left > 0; left--) {
        bool enough = guard_run_all(all, count, advance, &d);
        int at = enough ? d.begun : together_drop(d.runs);
        assert_false(together_has(d.runs, at));
        assert_int_equal(enough, at != POOR);
        if (enough)
            assert_int_equal(result_end(d.made[at]), TRM_OK);
        lost |= !enough;
    }
    assert_true(lost || !together_has(d.runs, POOR));
    assert_int_equal(lost, count > POOR && native_chosen() >= PATH_AVX2 && native_allowed());
    for (int i = 0; i < RUNS; i++)
        trm_result_free(d.made[i]);
    trm_model_free(d.model);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
