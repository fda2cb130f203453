/* Samples without a file, and runs that are advanced piece by piece. */
#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static trm_model *read_file(const char *path) {
    trm_model *m = NULL;
    if (trm_model_read(path, NULL, 0, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static trm_model *read_text(const char *given) {
    trm_model *m = NULL;
    if (trm_model_read_text("test.tram", given, NULL, 0, &m) != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

// ---- columns

/* Switches, stops, friction, quasi-velocities, singular positions, joints: what the loop knows of.
 */
static const char *const models[] = {
    "models/classics/double-pendulum.tram",  "models/mechanisms/stick-slip.tram",
    "models/papers/000-euler.tram",          "models/benchmarks/iftomm-a02.tram",
    "models/mechanisms/four-bar-3d.tram",    "models/mechanisms/serial-chain.tram",
    "models/classics/chaplygin-sleigh.tram", "models/benchmarks/car-axis.tram",
};
enum { MODELS = sizeof models / sizeof *models };

static int kept_lines(FILE *in) {
    int lines = 0;
    for (int c; (c = fgetc(in)) != EOF;)
        lines += c == '\n';
    return lines;
}

// the columns that are kept are those of the file, to the last bit
static void columns_are_those_of_the_file(void **state) {
    char path[] = "/tmp/trammel-columns-XXXXXX";
    close(mkstemp(path));
    for (int k = 0; k < MODELS; k++) {
        trm_model *m = read_file(models[k]);
        trm_run_def def = trm_run_def_default();
        trm_result *r;
        def.csv = path;
        def.keep = TRM_KEEP_COLUMNS;
        assert_int_equal(trm_run(m, &def, &r), TRM_OK);
        FILE *in = fopen(path, "r");
        assert_int_equal(kept_lines(in), trm_result_samples(r) + 1);
        rewind(in);
        while (fgetc(in) != '\n') {
        }
        for (long i = 0; i < trm_result_samples(r); i++)
            for (int c = 0; c < trm_result_columns(r); c++) {
                double value;
                assert_int_equal(fscanf(in, c ? ",%lf" : "%lf", &value), 1);
                assert_true(value == trm_result_column(r, c)[i]);
            }
        fclose(in);
        assert_string_equal(trm_result_column_name(r, 0), "t");
        assert_string_equal(trm_result_column_name(r, trm_result_columns(r)), "");
        assert_int_equal(trm_result_column_named(r, trm_result_column_name(r, 3)), 3);
        assert_int_equal(trm_result_column_named(r, "nonsense"), -1);
        assert_null(trm_result_column(r, -1));
        assert_null(trm_result_column(r, trm_result_columns(r)));
        trm_result_free(r);
        trm_model_free(m);
    }
    unlink(path);
}

typedef struct {
    int count;
    double last;
    int most;
} counting;

static int count_sample(void *context, const double *values, int count) {
    counting *c = context;
    assert_int_equal(count, 8); // t, x, y, x', y', reactions, residual
    assert_true(c->count == 0 || values[0] > c->last);
    c->last = values[0];
    return ++c->count == c->most;
}

static const char pendulum[] = "coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                               "constraint rod: x^2 + y^2 = 1\nsimulate until 2, every 0.1\n";

static void samples_as_they_come(void **state) {
    trm_model *m = read_text(pendulum);
    trm_run_def def = trm_run_def_default();
    for (int most = 0; most <= 7; most += 7) {
        counting c = {.most = most};
        trm_result *r;
        def.sample = count_sample;
        def.sample_context = &c;
        assert_int_equal(trm_run(m, &def, &r), most ? TRM_INTERRUPTED : TRM_OK);
        assert_int_equal(c.count, most ? 7 : 21);
        assert_int_equal(trm_result_samples(r), c.count);
        assert_null(trm_result_column(r, 0)); // none were kept
        trm_result_free(r);
    }
    trm_model_free(m);
}

// ---- sessions

static trm_session *begin(trm_model *m, const trm_run_def *def) {
    trm_session *s;
    if (trm_session_create(m, def, &s) != TRM_OK)
        fail_msg("%s", trm_session_messages(s, 0));
    return s;
}

static trm_result *whole_run(trm_model *m, const char *integrator) {
    trm_run_def def = trm_run_def_default();
    trm_result *r;
    def.keep = TRM_KEEP_COLUMNS;
    def.integrator = integrator;
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    return r;
}

/* At each `each`-th sample of the run, the session has just these values. */
static void same_as_run(trm_model *m, trm_result *r, const char *integrator, int each) {
    trm_run_def def = trm_run_def_default();
    def.integrator = integrator;
    trm_session *s = begin(m, &def);
    for (long i = 0; i < trm_result_samples(r); i += each) {
        double t = trm_result_column(r, 0)[i], reached;
        assert_int_equal(trm_session_advance(s, t, &reached), TRM_OK);
        assert_true(reached == t);
        for (int c = 0; c < trm_result_columns(r); c++)
            if (trm_session_values(s)[c] != trm_result_column(r, c)[i])
                fail_msg("%s at t = %g: %.17g, in the run %.17g", trm_result_column_name(r, c), t,
                         trm_session_values(s)[c], trm_result_column(r, c)[i]);
    }
    trm_session_free(s);
}

static void pieces_change_nothing(void **state) {
    for (int k = 0; k < MODELS; k++) {
        trm_model *m = read_file(models[k]);
        trm_result *r = whole_run(m, "rk8");
        same_as_run(m, r, "rk8", 1);
        same_as_run(m, r, "rk8", 7);
        trm_result_free(r);
        trm_model_free(m);
    }
}

// beyond the end of the model's run, and where it states none
static void goes_on_beyond_its_end(void **state) {
    static const char spring[] = "coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\n";
    char with_end[200];
    snprintf(with_end, sizeof with_end, "%ssimulate until 1\n", spring);
    for (int k = 0; k < 2; k++) {
        trm_model *m = read_text(k ? with_end : spring);
        trm_run_def def = trm_run_def_default();
        double ends[2];
        for (int pieces = 1; pieces <= 9; pieces += 8) {
            trm_session *s = begin(m, &def);
            double reached = 0;
            for (int i = 1; i <= pieces; i++)
                assert_int_equal(trm_session_advance(s, 30.0 * i / pieces, &reached), TRM_OK);
            assert_true(reached == 30);
            ends[pieces > 1] = trm_session_values(s)[1];
            trm_session_free(s);
        }
        assert_true(fabs(ends[0] - cos(30)) < 1e-7);
        assert_true(ends[0] == ends[1]);
        trm_model_free(m);
    }
}

static void ends_where_the_motion_does(void **state) {
    static const char falls[] = "coord y\ninitial y = 1\nkinetic y'^2/2\npotential 2*y\nstop when y < 0\n"
                                "simulate until 10\n";
    trm_model *m = read_text(falls);
    trm_run_def def = trm_run_def_default();
    trm_session *s = begin(m, &def);
    double reached;
    assert_int_equal(trm_session_advance(s, 0.5, &reached), TRM_OK);
    assert_true(reached == 0.5 && fabs(trm_session_values(s)[1] - 0.75) < 1e-8);
    assert_int_equal(trm_session_advance(s, 0.2, &reached), TRM_OK); // time does not run backwards
    assert_true(reached == 0.5);
    assert_int_equal(trm_session_advance(s, 5, &reached), TRM_OK);
    assert_true(fabs(reached - 1) < 1e-8 && fabs(trm_session_values(s)[1]) < 1e-8);
    assert_int_equal(trm_session_advance(s, 6, &reached), TRM_OK);
    assert_true(fabs(reached - 1) < 1e-8);
    trm_session_free(s);
    trm_model_free(m);
}

static void tells_why_it_ends(void **state) {
    trm_model *m =
        read_text("coord x\ninitial x = 2\nmass x = 1\nforce x = -1/x\nconstraint drive: x = 1 - t\n"
                  "simulate until 5\n");
    trm_run_def def = trm_run_def_default();
    trm_session *s;
    double reached;
    assert_int_equal(trm_session_create(m, &def, &s), TRM_NO_SOLUTION);
    assert_true(strlen(trm_session_messages(s, 0)) > 10);
    trm_session_free(s);
    trm_model_free(m);
    m = read_text(
        "coord x\ninitial x = 1, x' = -1\nmass x = 1\nforce x = sqrt(x)\nconstraint drive: x = 1 - t\n"
        "simulate until 5\n");
    s = begin(m, &def);
    assert_int_equal(trm_session_advance(s, 0.4, &reached), TRM_OK);
    assert_int_equal(trm_session_advance(s, 3, &reached), TRM_NO_SOLUTION);
    assert_true(reached == 0.4 && trm_session_values(s)[0] == 0.4); // it stays where it was
    assert_non_null(strstr(trm_session_messages(s, 0), "t = 1"));
    assert_int_equal(trm_session_advance(s, 4, &reached), TRM_NO_SOLUTION);
    trm_session_free(s);
    def.tolerance = "7";
    assert_int_equal(trm_session_create(m, &def, &s), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_session_messages(s, 0), "tolerance"));
    trm_session_free(s);
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_those_of_the_file), cmocka_unit_test(samples_as_they_come),
        cmocka_unit_test(pieces_change_nothing),         cmocka_unit_test(goes_on_beyond_its_end),
        cmocka_unit_test(ends_where_the_motion_does),    cmocka_unit_test(tells_why_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
