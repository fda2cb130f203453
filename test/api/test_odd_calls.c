/* Calls as a tired person makes them: no name, no text, a number that is none, an enumerator of another time.
 * Each is refused with a reason, and nothing is changed. */
#include <trammel/trammel.h>

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char TEXT[] = "param m = 2, L = 1, g = 9.81\ncoord x, y\ninitial x = 0.6, y ~ -1\n"
                           "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = L^2\n"
                           "simulate until 1, every 0.1\n";

static trm_model *read_it(void) {
    trm_model *m = NULL;
    if (trm_model_read_text("test", TEXT, NULL, 0, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static void says(const char *messages, const char *what) {
    if (strstr(messages, what) == NULL)
        fail_msg("'%s' is not in: %s", what, messages);
}

static void no_name(void **state) {
    const struct {
        trm_setting setting;
        const char *said;
    } cases[] = {{{NULL, "1"}, "no parameter ''"},
                 {{"m", NULL}, "expected a number"},
                 {{" m", "0/0"}, "must be a finite number"}, // spaces before it do not count
                 {{" k", "1"}, "no parameter 'k'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_model *m = NULL;
        assert_int_equal(trm_model_read_text("test", TEXT, &cases[i].setting, 1, &m), TRM_WRONG_MODEL);
        says(trm_model_messages(m, 0), cases[i].said);
        trm_model_free(m);
    }
    trm_model *m = NULL;
    assert_int_equal(trm_model_read(NULL, NULL, 0, &m), TRM_IO_ERROR);
    says(trm_model_messages(m, 0), "cannot read ''");
    trm_model_free(m);
    assert_int_equal(trm_model_read_text("test", NULL, NULL, 0, &m), TRM_WRONG_MODEL);
    says(trm_model_messages(m, 0), "no coordinates");
    trm_model_free(m);
    assert_int_equal(trm_model_read_text(NULL, TEXT, NULL, 0, &m), TRM_OK);
    trm_model_free(m);
    m = read_it();
    assert_int_equal(trm_model_parameter_named(m, NULL), -1);
    assert_int_equal(trm_model_set(m, NULL, 1, NULL), TRM_WRONG_MODEL);
    assert_int_equal(trm_model_set(m, " output", 1, NULL), TRM_WRONG_MODEL);
    trm_model_free(m);
    trm_import *robot = NULL;
    assert_int_equal(trm_import_read(NULL, NULL, &robot), TRM_IO_ERROR);
    trm_import_free(robot);
}

// until the next number or setting
static void a_number_that_is_none(void **state) {
    trm_model *m = read_it();
    double value = 7;
    const char *const wrong[][2] = {
        {NULL, "expected a number"}, {"2*", "found the end"}, {"x", "unknown name 'x'"}, {"0/0", "finite"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(trm_model_number(m, wrong[i][0], &value), TRM_WRONG_MODEL);
        says(trm_model_messages(m, 0), wrong[i][1]);
        assert_true(value == 7);
    }
    assert_int_equal(trm_model_number(m, "2*m", &value), TRM_OK);
    assert_true(value == 4);
    assert_string_equal(trm_model_messages(m, 0), "");
    assert_int_equal(trm_model_number(m, "2*", &value), TRM_WRONG_MODEL);
    assert_int_equal(trm_model_set(m, "m", 3, NULL), TRM_OK);
    assert_string_equal(trm_model_messages(m, 0), "");
    assert_int_equal(trm_model_number(m, "2*", &value), TRM_WRONG_MODEL);
    trm_model_free(m);
}

static void settings_that_cannot_be(void **state) {
    trm_model *m = read_it();
    trm_setting unnamed = {NULL, "1"}, empty = {"alpha", NULL};
    trm_run_def keep = trm_run_def_default(), none = keep, fewer = keep, name = keep, value = keep,
                csv = keep;
    keep.keep = (trm_keep)77;
    none.choice_count = 3;
    fewer.choice_count = -1;
    name.choices = &unnamed;
    value.choices = &empty;
    name.choice_count = value.choice_count = 1;
    name.formulation = value.formulation = "auxiliary";
    csv.csv = "";
    const struct {
        const trm_run_def *def;
        const char *said;
    } cases[] = {{&keep, "none of trm_keep"},         {&none, "do not go together"},
                 {&fewer, "do not go together"},      {&name, "no choice ''"},
                 {&value, "choice alpha:1:1: error"}, {&csv, "cannot write '': it has no name"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_result *r = NULL;
        trm_session *s = NULL;
        assert_int_not_equal(trm_run(m, cases[i].def, &r), TRM_OK);
        says(trm_result_messages(r, 0), cases[i].said);
        trm_result_free(r);
        assert_int_not_equal(trm_session_create(m, cases[i].def, &s), TRM_OK);
        says(trm_session_messages(s, 0), cases[i].said);
        trm_session_free(s);
    }
    assert_int_equal(trm_run(m, NULL, NULL), TRM_OK); // nobody asks for the results
    double q[2], v[2];
    assert_int_equal(trm_assemble(m, NULL, q, v, NULL), TRM_OK);
    assert_true(fabs(hypot(q[0], q[1]) - 1) < 1e-9);
    trm_model_free(m);
}

static void sessions(void **state) {
    trm_model *m = read_it();
    trm_session *s = NULL;
    double reached = 7;
    assert_int_equal(trm_session_create(m, NULL, &s), TRM_OK);
    assert_int_equal(trm_session_advance(s, 0.5, NULL), TRM_OK);
    assert_int_equal(trm_session_advance(s, NAN, &reached), TRM_WRONG_MODEL);
    says(trm_session_messages(s, 0), "not a number");
    assert_true(reached == 0.5);
    assert_int_equal(trm_session_advance(s, -1, &reached), TRM_OK);
    assert_true(reached == 0.5);
    const char *const names[] = {NULL, "", "t", "x''", "reaction(x)", " output"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(trm_session_set(s, names[i], 1), TRM_WRONG_MODEL);
        says(trm_session_messages(s, 0), "nor is there a coordinate or velocity of that name");
        assert_null(strstr(trm_session_messages(s, 0), "--set"));
    }
    assert_int_equal(trm_session_set(s, "x", NAN), TRM_WRONG_MODEL);
    assert_int_equal(trm_session_advance(s, 1, &reached), TRM_OK);
    assert_true(reached == 1);
    trm_session_free(s);
    trm_model_free(m);
}

static int mass(void *context, double t, const double *q, double *M) {
    return M[0] = 1, 0;
}

static void functions(void **state) {
    const trm_callbacks huge = {sizeof huge, .n = INT_MAX, .mass = mass};
    trm_model *m = NULL;
    trm_system *s = NULL;
    assert_int_equal(trm_model_from_callbacks(&huge, &m), TRM_WRONG_MODEL);
    says(trm_model_messages(m, 0), "too large");
    trm_model_free(m);
    assert_int_equal(trm_system_from_callbacks(NULL, &m, &s), TRM_WRONG_MODEL);
    assert_null(s);
    trm_model_free(m);
    m = read_it();
    assert_int_equal(trm_model_add_callbacks(m, NULL), TRM_WRONG_MODEL);
    says(trm_model_messages(m, 0), "size");
    const trm_callbacks drag = {sizeof drag, .n = 2};
    assert_int_equal(trm_model_set(m, "m", 3, NULL), TRM_OK);
    assert_int_equal(trm_model_add_callbacks(m, &drag), TRM_WRONG_MODEL);
    says(trm_model_messages(m, 0), "something was made of the model before, or set in it");
    assert_int_equal(trm_run(m, NULL, NULL), TRM_OK); // it is as before
    trm_model_free(m);
}

static void nothing_at_all(void **state) {
    char why[100] = "";
    says(trm_model_messages(NULL, 0), "out of memory");
    says(trm_result_messages(NULL, 0), "out of memory");
    says(trm_session_messages(NULL, 0), "out of memory");
    says(trm_import_messages(NULL, 0), "out of memory");
    trm_text_tame(NULL, 0);
    assert_int_equal(trm_file_write("", "a", 1, NULL, why, sizeof why), TRM_IO_ERROR);
    says(why, "it has no name");
    assert_int_equal(trm_file_write(NULL, NULL, 9, NULL, why, sizeof why), TRM_IO_ERROR);
    trm_model_free(NULL);
    trm_system_free(NULL);
    trm_state_free(NULL);
    trm_result_free(NULL);
    trm_session_free(NULL);
    trm_import_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name),   cmocka_unit_test(a_number_that_is_none),
        cmocka_unit_test(sessions),  cmocka_unit_test(settings_that_cannot_be),
        cmocka_unit_test(functions), cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
