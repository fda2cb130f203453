/* Parameters that are set in a model and in a session, copies of sessions, and one model run by two threads.
 */
#include <trammel/trammel.h>

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char ARM[] =
    "param m = 1, L = 1, g = 9.81, half = L/2, N = 2, twice = 2*N\n"
    "gravity (0, 0, -g)\n"
    "body upper: mass = m, inertia = (0.01, m*L^2/12, m*L^2/12), at = (half, 0, 0)\n"
    "body lower: mass = m, inertia = (0.01, m*L^2/12, m*L^2/12), at = (L + half, 0, 0)\n"
    "joint shoulder: revolute(ground, upper, at = (0, 0, 0), axis = (0, 1, 0))\n"
    "joint elbow: revolute(upper, lower, at = (L, 0, 0), axis = (0, 1, 0))\n"
    "coord x[1..N]\n"
    "kinetic sum(i in 1..N: x[i]'^2/2)\n"
    "initial x[1] = twice\n"
    "simulate until 1, every 0.1\n";
static const char PENDULUM[] = "param m = 2, L = 1, g = 9.81, k = 0\n"
                               "coord x, y\n"
                               "initial x = L, y = 0\n"
                               "kinetic m/2*(x'^2 + y'^2)\n"
                               "potential m*g*y\n"
                               "dissipation k/2*(x'^2 + y'^2)\n"
                               "constraint rod: x^2 + y^2 = L^2\n"
                               "simulate until 1, every 0.1\n";

static trm_model *read_with(const char *given, const char *name, const char *value) {
    trm_setting setting = {name, value};
    trm_model *m = NULL;
    if (trm_model_read_text("test.tram", given, &setting, name != NULL, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static trm_result *run(trm_model *m) {
    trm_run_def def = trm_run_def_default();
    trm_result *r = NULL;
    def.keep = TRM_KEEP_COLUMNS;
    if (trm_run(m, &def, &r) != TRM_OK)
        fail_msg("%s", trm_result_messages(r, 0));
    return r;
}

static void assert_same_columns(trm_result *a, trm_result *b) {
    assert_int_equal(trm_result_columns(a), trm_result_columns(b));
    assert_int_equal(trm_result_samples(a), trm_result_samples(b));
    for (int c = 0; c < trm_result_columns(a); c++)
        assert_memory_equal(trm_result_column(a, c), trm_result_column(b, c),
                            (size_t)trm_result_samples(a) * sizeof(double));
}

// what was set gives the bits of what is read with that value, and what was made before keeps its own
static void set_as_read(void **state) {
    const struct {
        const char *text, *name, *value;
    } cases[] = {{ARM, "L", "1.25"}, {ARM, "m", "3"}, {PENDULUM, "k", "0.5"}, {PENDULUM, "L", "0.001"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_model *m = read_with(cases[i].text, NULL, NULL);
        trm_model *fresh = read_with(cases[i].text, cases[i].name, cases[i].value);
        trm_model *plain = read_with(cases[i].text, NULL, NULL);
        trm_result *before = run(m);
        int rebuilt = -1;
        assert_int_equal(trm_model_set(m, cases[i].name, strtod(cases[i].value, NULL), &rebuilt), TRM_OK);
        assert_int_equal(rebuilt, 0);
        trm_result *after = run(m), *as_read = run(fresh), *unset = run(plain);
        assert_same_columns(after, as_read);
        assert_same_columns(before, unset);
        trm_result *all[] = {before, after, as_read, unset};
        for (int k = 0; k < 4; k++)
            trm_result_free(all[k]);
        trm_model_free(m);
        trm_model_free(fresh);
        trm_model_free(plain);
    }
}

static void listed_and_read(void **state) {
    trm_model *m = read_with(ARM, NULL, NULL);
    assert_int_equal(trm_model_parameters(m), 6);
    assert_string_equal(trm_model_parameter_name(m, 1), "L");
    assert_string_equal(trm_model_parameter_name(m, 6), "");
    assert_int_equal(trm_model_parameter_named(m, "half"), 3);
    assert_int_equal(trm_model_parameter_named(m, "nonsense"), -1);
    assert_true(trm_model_parameter_value(m, 3) == 0.5);
    assert_true(isnan(trm_model_parameter_value(m, -1)));
    assert_int_equal(trm_model_set(m, "L", 3, NULL), TRM_OK);
    assert_true(trm_model_parameter_value(m, 1) == 3 && trm_model_parameter_value(m, 3) == 1.5);
    for (int i = 0; i < 6; i++)
        assert_int_equal(trm_model_parameter_structural(m, i), i == 4);
    int rebuilt = 0, n = trm_model_coordinates(m);
    assert_int_equal(trm_model_set(m, "N", 3, &rebuilt), TRM_OK);
    assert_int_equal(rebuilt, 1);
    assert_int_equal(trm_model_coordinates(m), n + 1);
    assert_true(trm_model_parameter_value(m, 1) == 3); // what was set before stays
    trm_model_free(m);
}

// those that others are made of, and that decided conditions hold
static void structural(void **state) {
    trm_model *m = read_with("param a = 2, N = a + 1, flat = 1, k = 2, c = 3\n"
                             "coord x[1..N]\n"
                             "kinetic sum(i in 1..N: x[i]'^2/2)\n"
                             "potential if(flat > 0, k, c)*x[1]^2\n"
                             "simulate until 1\n",
                             NULL, NULL);
    const int expected[] = {1, 1, 1, 0, 0};
    for (int i = 0; i < 5; i++)
        assert_int_equal(trm_model_parameter_structural(m, i), expected[i]);
    trm_model_free(m);
}

static void wrong_values(void **state) {
    trm_model *m = read_with(ARM, NULL, NULL);
    int rebuilt = 7;
    assert_int_equal(trm_model_set(m, "l", 2, &rebuilt), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_model_messages(m, 0), "no parameter 'l'"));
    assert_int_equal(rebuilt, 0);
    assert_int_equal(trm_model_set(m, "N", 2.5, NULL), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_model_messages(m, 0), "whole number"));
    assert_int_equal(trm_model_set(m, "L", NAN, NULL), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_model_messages(m, 0), "finite"));
    assert_true(trm_model_parameter_value(m, 1) == 1);
    trm_result_free(run(m)); // it is as before
    assert_int_equal(trm_model_set(m, "L", 2, NULL), TRM_OK);
    assert_string_equal(trm_model_messages(m, 0), "");
    trm_model_free(m);
}

static void memory_does_not_grow(void **state) {
    trm_model *m = read_with(ARM, NULL, NULL);
    size_t used = 0;
    for (int i = 0; i < 60; i++) {
        assert_int_equal(trm_model_set(m, "L", 1 + 0.01 * i, NULL), TRM_OK);
        trm_result_free(run(m));
        if (i == 20)
            used = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= used + 4096);
    trm_model_free(m);
}

// a controller sets its force ten thousand times a minute
static void sessions_do_not_grow(void **state) {
    trm_model *m = read_with(
        "param u = 0\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nforce x = u\n", NULL, NULL);
    trm_session *s = NULL;
    size_t used = 0;
    assert_int_equal(trm_session_create(m, NULL, &s), TRM_OK);
    for (int i = 1; i <= 2000; i++) {
        assert_int_equal(trm_session_set(s, "u", i % 7), TRM_OK);
        assert_int_equal(trm_session_set(s, "nothing", 1), TRM_WRONG_MODEL);
        assert_int_equal(trm_session_advance(s, 0.01 * i, NULL), TRM_OK);
        if (i == 100)
            used = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= used + 4096);
    trm_session_free(s);
    trm_model_free(m);
}

// ---- threads

static void *run_often(void *context) {
    trm_model *m = context;
    trm_result *kept = run(m);
    for (int i = 0; i < 5; i++) {
        trm_result *other = run(m);
        assert_same_columns(kept, other);
        trm_result_free(other);
    }
    return kept;
}

static void two_threads_on_one_model(void **state) {
    trm_model *m = read_with(ARM, NULL, NULL);
    pthread_t threads[3];
    trm_result *results[3], *alone = run(m);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_often, m), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], (void **)&results[i]);
        assert_same_columns(alone, results[i]);
        trm_result_free(results[i]);
    }
    trm_result_free(alone);
    trm_model_free(m);
}

// ---- sessions

static trm_session *session(trm_model *m, const trm_run_def *def) {
    trm_session *s = NULL;
    if (trm_session_create(m, def, &s) != TRM_OK)
        fail_msg("%s", trm_session_messages(s, 0));
    return s;
}

static double value(trm_model *m, const trm_session *s, const char *name) {
    for (int i = 0; i < trm_model_columns(m); i++)
        if (strcmp(trm_model_column_name(m, i), name) == 0)
            return trm_session_values(s)[i];
    fail_msg("no column %s", name);
    return NAN;
}

// what is set acts from there on: a mass on a spring, whose motion is known
static void set_on_the_way(void **state) {
    trm_model *m =
        read_with("param k = 4\ncoord x\ninitial x = 1\nkinetic x'^2/2\npotential k*x^2/2\n", NULL, NULL);
    trm_session *s = session(m, NULL);
    double reached, t = 0.7, w = 3;
    assert_int_equal(trm_session_advance(s, t, &reached), TRM_OK);
    assert_int_equal(trm_session_set(s, "k", 9), TRM_OK);
    assert_true(fabs(value(m, s, "x") - cos(2 * t)) < 1e-8);
    assert_int_equal(trm_session_advance(s, 2, &reached), TRM_OK);
    double x = cos(2 * t) * cos(w * (2 - t)) - 2 * sin(2 * t) / w * sin(w * (2 - t));
    assert_true(reached == 2 && fabs(value(m, s, "x") - x) < 1e-8);
    assert_int_equal(trm_session_set(s, "x", 0.5), TRM_OK);
    assert_int_equal(trm_session_set(s, "x'", 0), TRM_OK);
    assert_int_equal(trm_session_advance(s, 3, NULL), TRM_OK);
    assert_true(fabs(value(m, s, "x") - 0.5 * cos(3)) < 1e-8);
    trm_session_free(s);
    trm_model_free(m);
}

static void set_that_fails(void **state) {
    trm_model *m = read_with(PENDULUM, NULL, NULL);
    trm_session *s = session(m, NULL), *other = session(m, NULL);
    trm_session_advance(s, 0.4, NULL);
    assert_int_equal(trm_session_set(s, "q", 1), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_session_messages(s, 0), "no parameter 'q'"));
    assert_int_equal(trm_session_set(s, "L", INFINITY), TRM_WRONG_MODEL);
    assert_int_equal(trm_session_set(s, "m", 0), TRM_NO_SOLUTION);
    assert_true(strlen(trm_session_messages(s, 0)) > 0);
    assert_int_equal(trm_session_advance(s, 1, NULL), TRM_OK);
    assert_string_equal(trm_session_messages(s, 0), "");
    assert_int_equal(trm_session_advance(other, 1, NULL), TRM_OK);
    for (int i = 0; i < trm_model_columns(m); i++) // to the bit
        assert_true(trm_session_values(s)[i] == trm_session_values(other)[i]);
    trm_session_free(s);
    trm_session_free(other);
    trm_model_free(m);
}

// a length that is set moves the bob onto the other circle: a stated constraint holds
static void assembled_anew(void **state) {
    trm_model *m = read_with(PENDULUM, NULL, NULL);
    trm_session *s = session(m, NULL);
    trm_session_advance(s, 0.3, NULL);
    assert_int_equal(trm_session_set(s, "L", 1.5), TRM_OK);
    assert_true(fabs(hypot(value(m, s, "x"), value(m, s, "y")) - 1.5) < 1e-9);
    trm_session_free(s);
    trm_model_free(m);
}

// joints count their turns on
static void turns_go_on(void **state) {
    trm_model *m = read_with("body wheel: mass = 1, inertia = (1, 1, 1), at = (0, 0, 0), omega = (0, 0, 7)\n"
                             "param tau = 0\n"
                             "joint axle: revolute(ground, wheel, at = (0, 0, 0), axis = (0, 0, 1))\n"
                             "torque axle = tau\noutput turned = angle(axle)\n",
                             NULL, NULL);
    const char *const forms[] = {"joints", "bodies"};
    for (int i = 0; i < 2; i++) {
        trm_run_def def = trm_run_def_default();
        def.coordinates = forms[i];
        trm_session *s = session(m, &def);
        assert_int_equal(trm_session_advance(s, 2, NULL), TRM_OK);
        assert_int_equal(trm_session_set(s, "tau", 1), TRM_OK);
        assert_true(fabs(value(m, s, "turned") - 14) < 1e-7);
        assert_int_equal(trm_session_advance(s, 4, NULL), TRM_OK);
        assert_true(fabs(value(m, s, "turned") - 30) < 1e-7);
        trm_session_free(s);
    }
    trm_model_free(m);
}

static void copies_go_on_alike(void **state) {
    trm_model *m = read_with(ARM, NULL, NULL);
    const char *const methods[] = {"rk8", "rk5"};
    for (int k = 0; k < 2; k++) {
        trm_run_def def = trm_run_def_default();
        def.integrator = methods[k];
        trm_session *s = session(m, &def), *copy = NULL;
        trm_session_advance(s, 0.3, NULL);
        assert_int_equal(trm_session_set(s, "m", 1.5), TRM_OK);
        trm_session_advance(s, 0.55, NULL);
        assert_int_equal(trm_session_set(s, "x[1]'", k ? -1 : 2), TRM_OK);
        trm_session_advance(s, 0.7, NULL);
        assert_int_equal(trm_model_set(m, "m", 9, NULL), TRM_OK); // of no matter to what is under way
        assert_int_equal(trm_session_copy(s, &copy), TRM_OK);
        trm_session *both[] = {s, copy};
        for (int i = 0; i < trm_model_columns(m); i++)
            assert_true(trm_session_values(s)[i] == trm_session_values(copy)[i]);
        for (int i = 0; i < 2; i++)
            assert_int_equal(trm_session_advance(both[i], 1.2, NULL), TRM_OK);
        for (int i = 0; i < trm_model_columns(m); i++)
            assert_true(trm_session_values(s)[i] == trm_session_values(copy)[i]);
        assert_int_equal(trm_session_set(copy, "g", 1), TRM_OK);
        trm_session_free(s);
        assert_int_equal(trm_session_advance(copy, 1.5, NULL), TRM_OK);
        trm_session_free(copy);
        assert_int_equal(trm_model_set(m, "m", 1, NULL), TRM_OK);
    }
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_as_read),
        cmocka_unit_test(listed_and_read),
        cmocka_unit_test(structural),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(sessions_do_not_grow),
        cmocka_unit_test(two_threads_on_one_model),
        cmocka_unit_test(set_on_the_way),
        cmocka_unit_test(set_that_fails),
        cmocka_unit_test(assembled_anew),
        cmocka_unit_test(turns_go_on),
        cmocka_unit_test(copies_go_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
