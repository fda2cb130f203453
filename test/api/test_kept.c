/* What is kept when parameters change, and what is not: whatever a value decides on, the result is that of a
 * model read with it, in messages too; where it decides on nothing, nothing is read or compiled. */
#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/objects.h"

enum { VALUES = 7, NUMBER = 40 };

static trm_model *read_with(const char *given, const char *name, double value, trm_status *status) {
    char number[NUMBER];
    trm_model *m = NULL;
    snprintf(number, sizeof number, "%.17g", value);
    *status = trm_model_read_text("test", given, &(trm_setting){name, number}, 1, &m);
    return m;
}

static trm_status run(trm_model *m, const char *coordinates, trm_result **out) {
    trm_run_def def = trm_run_def_default();
    def.keep = TRM_KEEP_COLUMNS;
    def.until = "0.2";
    def.every = "0.1";
    def.coordinates = coordinates;
    return trm_run(m, &def, out);
}

static void assert_same_columns(trm_result *a, trm_result *b) {
    assert_int_equal(trm_result_columns(a), trm_result_columns(b));
    assert_int_equal(trm_result_samples(a), trm_result_samples(b));
    for (int c = 0; c < trm_result_columns(a); c++)
        if (trm_result_samples(a))
            assert_memory_equal(trm_result_column(a, c), trm_result_column(b, c),
                                (size_t)trm_result_samples(a) * sizeof(double));
}

static void assert_as_read(trm_model *m, const char *given, const char *name, double value, trm_status was) {
    trm_status status;
    trm_model *fresh = read_with(given, name, value, &status);
    trm_result *a = NULL, *b = NULL;
    assert_int_equal(was, status);
    assert_string_equal(trm_model_messages(m, 0), trm_model_messages(fresh, 0));
    if (status == TRM_OK) {
        assert_int_equal(run(m, NULL, &a), run(fresh, NULL, &b));
        assert_string_equal(trm_result_messages(a, 0), trm_result_messages(b, 0));
        assert_same_columns(a, b);
    }
    trm_result_free(a);
    trm_result_free(b);
    trm_model_free(fresh);
}

// a as it is, and values that decide on something
static const struct {
    const char *decides, *given;
    double values[VALUES];
} cases[] = {
    {"nothing", "coord x\ninitial x = a\nkinetic x'^2/2\npotential a*x^2", {1, 2, 1.5, 3, 2.25, 1, 7}},
    {"a bound",
     "coord x[1..a]\ninitial x[1] = 1\nkinetic sum(i in 1..a: x[i]'^2/2)\npotential x[1]^2",
     {1, 2, 1, 2.5, 2, 3, 1}},
    {"a condition",
     "coord x\ninitial x = 1\nkinetic x'^2/2\npotential if(a > 1, a*x^2, x^4)",
     {2, 3, 0.5, 4, 1, 2, 0.25}},
    {"energy",
     "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2\ndissipation a*x'^2/2",
     {1, 2, 0, 3, 0, 0, 1}},
    {"a finite number",
     "param b = 1/a\ncoord x\ninitial x = b\nkinetic x'^2/2\npotential x^2",
     {1, 2, 0, 3, 1, 2, 4}},
    {"a sign",
     "gravity (0, -9.81)\nparticle P: mass = a, at = (0, 0)\nforce P.x = 1",
     {1, 2, -1, 3, 0, 2, 1}},
    {"an inertia",
     "body B: mass = 1, inertia = (1, 1, a), at = (0, 0, 0), omega = (1, 2, 0.1)",
     {1, 1.5, 3, 1.25, 0.1, -1, 1}},
    {"friction",
     "param b = 0.3\ncoord x, y\ninitial x = 0, y = 0, x' = 1\nkinetic (x'^2 + y'^2)/2\n"
     "potential 9.81*y\nconstraint floor: y = 0\nfriction floor: mu = a, static = b, slip = x'",
     {0.1, 0.2, 0.4, 0.25, 0.3, 0, 0.1}},
    {"rows that repeat",
     "coord x, y\ninitial x = 0, y ~ 0\nkinetic (x'^2 + y'^2)/2\npotential y^2 + x\n"
     "constraint one: x - y = 0\nconstraint two: a*x - 2*y = 0",
     {2, 2, 1, 2, 3, 2, 2.5}},
    {"a singular mass",
     "coord x, y\ninitial x = 1\nkinetic x'^2/2 + a*y'^2/2\npotential x^2\n"
     "constraint tie: y' = x'",
     {1, 2, 0, 3, 0, 1e-30, 1}},
    {"scales",
     "coord x, y\ninitial x = a, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "constraint rod: x^2 + y^2 = a^2",
     {1, 1.01, 1.02, 100, 1, 0.001, 1.01}},
    {"numbers of instances",
     "param m[1..3] = a\ncoord x[1..3]\ninitial x[1] = 1\n"
     "kinetic sum(i in 1..3: m[i]*i*x[i]'^2/2)\n"
     "potential sum(i in 1..2: (x[i] - x[i+1])^2) + x[1]^2",
     {1, 2, 3, 1, 0.5, 4, 1}},
    {"joined energies",
     "param m[1..3] = a\ncoord q[1..3]\ninitial q[1] = 1\n"
     "for k in 1..3:\n  kinetic m[k]/2*sum(i in 1..k: q[i]'*cos(q[i]))^2\n"
     "kinetic sum(i in 1..3: q[i]'^2)\npotential q[1]^2",
     {1, 2, 3, 1, 0.5, 4, 1}},
    {"the end",
     "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2\nsimulate until a, every a/2",
     {1, 2, -1, 3, 0, 2, 1}},
    {"a weight",
     "coord x, y\ninitial x = 1\nkinetic (x'^2 + y'^2)/2\n"
     "constraint tie (weight = a): x'' + y'' = 1\npotential x^2",
     {1, 2, -1, 3, 0, 2, 1}},
    {"where a joint is",
     "gravity (0, 0, -9.81)\nbody B: mass = 1, inertia = (1, 1, 1), at = (a, 0, 0)\n"
     "joint J: revolute(ground, B, at = (0, 0, 0), axis = (0, 1, 0))",
     {1, 2, 1, 3, 0, 2, 1}},
    {"a start of a joint",
     "gravity (0, 0, -9.81)\nbody B: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0)\n"
     "joint J: revolute(ground, B, at = (0, 0, 0), axis = (0, 1, 0))\n"
     "initial angle(J) = a, angle(J)' = 1",
     {1, 2, 1, 3, 0, 2, 1}},
    {"a norm",
     "coord q[0..3]\ninitial q[0] = a, q[1]' = 1\nkinetic sum(i in 0..3: q[i]'^2)\n"
     "constraint norm: sum(i in 0..3: q[i]^2) = a^2",
     {1, 2, 1, 3, 0.5, 2, 1}},
    {"what a distance is",
     "particle P: mass = 1, at = (1, 0)\ngravity (0, -9.81)\n"
     "joint D: distance((0, 0), P, length = a)",
     {1, 1.1, -1, 0, 0.9, 1, 1}},
    {"an expectation",
     "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2\nexpect always x < a",
     {2, 3, 0.5, 2, 1, 4, 2}},
};

static void as_read(void **state) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given[1000];
        trm_status status;
        snprintf(given, sizeof given, "param a = %g\n%s\n", cases[i].values[0], cases[i].given);
        print_message("%s\n", cases[i].decides);
        trm_model *m = read_with(given, "a", cases[i].values[0], &status);
        if (status != TRM_OK)
            fail_msg("%s", trm_model_messages(m, 0));
        for (int round = 0; round < 2; round++)
            for (int k = 0; k < VALUES; k++) {
                status = trm_model_set(m, "a", cases[i].values[k], NULL);
                assert_as_read(m, given, "a", cases[i].values[k], status);
            }
        trm_model_free(m);
    }
}

static void run_once(trm_model *m, const char *name, double value, const char *coordinates) {
    trm_result *r = NULL;
    assert_int_equal(trm_model_set(m, name, value, NULL), TRM_OK);
    assert_int_equal(run(m, coordinates, &r), TRM_OK);
    trm_result_free(r);
}

static const char PENDULUM[] = "param m = 1, L = 1\ncoord x, y\ninitial x = L, y = 0\n"
                               "kinetic m/2*(x'^2 + y'^2)\npotential 9.81*m*y\n"
                               "constraint rod: x^2 + y^2 = L^2\n";
static const char ARM[] = "param m = 1, c = 0.1\ngravity (0, 0, -9.81)\n"
                          "body upper: mass = 2, inertia = (0.1, 0.1, 0.01), at = (0, 0, -0.2)\n"
                          "body fore: mass = m, shape = box(0.04, 0.04, 0.3), at = (0, 0, -0.55)\n"
                          "joint shoulder: revolute(ground, upper, at = (0, 0, 0), axis = (0, 1, 0))\n"
                          "joint elbow: revolute(upper, fore, at = (0, 0, -0.4), axis = (0, 1, 0))\n"
                          "initial angle(shoulder) = 1\ntorque elbow = -c*angle(elbow)'\n";

// two readings take turns, and their systems stay
static void nothing_is_made(void **state) {
    const struct {
        const char *given, *name, *coordinates;
    } kinds[] = {{PENDULUM, "m", NULL}, {PENDULUM, "L", NULL}, {ARM, "m", "bodies"}, {ARM, "c", "joints"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        trm_status status;
        trm_model *m = read_with(kinds[i].given, kinds[i].name, 1, &status), *now[2];
        const trm_system *systems[2];
        assert_int_equal(status, TRM_OK);
        for (int k = 0; k < 8; k++) {
            run_once(m, kinds[i].name, 1 + 0.01 * k, kinds[i].coordinates);
            if (k >= 2) {
                assert_ptr_equal(m->now, now[k % 2]);
                assert_ptr_equal(m->now->systems[0].system, systems[k % 2]);
            }
            now[k % 2] = m->now;
            systems[k % 2] = m->now->systems[0].system;
            assert_non_null(systems[k % 2]);
        }
        trm_model_free(m);
    }
}

// a result that lives on keeps its values
static void results_keep_theirs(void **state) {
    enum { HELD = 5 };
    trm_status status;
    trm_model *m = read_with(PENDULUM, "L", 1, &status);
    trm_result *held[HELD];
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < HELD; k++) {
            assert_int_equal(trm_model_set(m, "L", 1 + 0.1 * k, NULL), TRM_OK);
            assert_int_equal(run(m, NULL, &held[k]), TRM_OK);
        }
        for (int k = 0; k < HELD; k++) {
            trm_model *fresh = read_with(PENDULUM, "L", 1 + 0.1 * k, &status);
            trm_result *r = NULL;
            assert_int_equal(run(fresh, NULL, &r), TRM_OK);
            assert_same_columns(held[k], r);
            trm_result_free(r);
            trm_model_free(fresh);
        }
        for (int k = 0; k < HELD; k++)
            trm_result_free(held[k]);
    }
    assert_true(m->spares <= HELD + 1);
    trm_model_free(m);
}

// what bodies look like follows from their masses; only a page shows it
static void pictures_are_of_the_values(void **state) {
    trm_run_def def = trm_run_def_default();
    trm_status status;
    trm_model *m = read_with(ARM, "m", 1, &status);
    const char *const given = "param m = 1\nbody B: mass = m, inertia = (1, 2, 2.5), at = (0, 0, 0)\n";
    trm_model_free(m);
    m = read_with(given, "m", 1, &status);
    for (int k = 0; k < 4; k++)
        run_once(m, "m", 1 + k, NULL);
    def.keep = TRM_KEEP_PAGE;
    def.until = "0.1";
    trm_result *r = NULL, *other = NULL;
    trm_model *fresh = read_with(given, "m", 4, &status);
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    assert_int_equal(trm_run(fresh, &def, &other), TRM_OK);
    const char *draws = strstr(trm_result_page(r, 0), "\"draws\""),
               *expected = strstr(trm_result_page(other, 0), "\"draws\"");
    assert_non_null(draws);
    assert_string_equal(draws, expected);
    trm_result_free(r);
    trm_result_free(other);
    trm_model_free(m);
    trm_model_free(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_read), cmocka_unit_test(nothing_is_made),
                                       cmocka_unit_test(results_keep_theirs),
                                       cmocka_unit_test(pictures_are_of_the_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
