/* What can go wrong after a model was read: each failure has its status and says what it is. */
#include <trammel/trammel.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static trm_model *read_text(const char *given) {
    trm_model *m = NULL;
    trm_status status = trm_model_read_text("test.tram", given, NULL, 0, &m);
    if (status != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static void check_run(const char *given, const trm_run_def *def, trm_status expected, const char *piece) {
    trm_model *m = read_text(given);
    trm_result *r = NULL;
    trm_status status = trm_run(m, def, &r);
    assert_non_null(r);
    const char *messages = trm_result_messages(r, 0);
    if (status != expected || strstr(messages, piece) == NULL)
        fail_msg("status %d, not %d, for\n%s\n%s", (int)status, (int)expected, given, messages);
    trm_result_summary(r); // whatever happened, there is something to say
    trm_result_json(r);
    trm_result_free(r);
    trm_model_free(m);
}

// ---- the numbers do not allow it

static void no_solution(void **state) {
    static const struct {
        const char *model, *piece;
    } cases[] = {
        {"coord x, y\nquasi u = x*x'\nquasi w = y'\nkinetic x'^2 + y'^2\ninitial x = 0, u = 0\n"
         "simulate until 1\n",
         "quasi-velocities do not determine"},
        {"coord x\nkinetic x'^2\nconstraint seen (weight = 0.5 - t): x' = 1\nsimulate until 1\n",
         "the weight of constraint 'seen' is negative"},
        {"coord x\nkinetic -x'^2\nsimulate until 1\n", "indefinite"},
        {"coord x[1..12], y\nkinetic y'^2\nsimulate until 1\n", "and 4 more"},
        {"coord x\ninitial x' = -1\nkinetic x'^2/2\nforce x = log(x + 0.5)\nsimulate until 2\n",
         "not finite"},
        {"coord x, y\nkinetic x'^2 + y'^2\ninitial x = 0, x' = 1\nconstraint c: y = sqrt(0.5 - x)\n"
         "simulate until 2\n",
         "'c'"},
        {"coord x\nkinetic x'^2\ninitial x ~ 0\nconstraint a: x = 0\nconstraint b: x = 0.1*t\nsimulate until "
         "1\n",
         "error"},
        {"coord x\ninitial x = 1\nkinetic x'^2/2\nforce x = x^3\nsimulate until 100\n", "step size"},
    };
    trm_run_def def = trm_run_def_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_run(cases[i].model, &def, TRM_NO_SOLUTION, cases[i].piece);
}

static void accelerations_say_why_not(void **state) {
    static const struct {
        const char *model, *piece;
    } cases[] = {
        {"coord x\nkinetic x'^2\nforce x = 1/x\n", "not finite"},
        {"coord x, y\nkinetic x'^2\n", "not unique"},
        {"coord x\nkinetic -x'^2\n", "indefinite"},
        {"coord x\nkinetic x'^2\nconstraint c (weight = -1 - t): x' = 1\n", "negative"},
        {"coord x\nquasi u = x*x'\nkinetic x'^2\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_model *m = read_text(cases[i].model);
        trm_system *sys = NULL;
        trm_state *st = NULL;
        double zero[2] = {0}, qdd[2], reaction[2];
        assert_int_equal(trm_system_create(m, &sys), TRM_OK);
        assert_int_equal(trm_state_create(sys, &st), TRM_OK);
        trm_status status = trm_acceleration(sys, st, 0, zero, zero, qdd, reaction, NULL);
        assert_int_equal(status, cases[i].piece[0] ? TRM_NO_SOLUTION : TRM_OK);
        if (strstr(trm_state_error(st), cases[i].piece) == NULL)
            fail_msg("%s: %s", cases[i].model, trm_state_error(st));
        trm_state_free(st);
        trm_system_free(sys);
        trm_model_free(m);
    }
}

// ---- options and files

static const char falling[] = "coord x\nkinetic x'^2/2\nforce x = -1\nsimulate until 1, every 0.1\n";

static void options_that_cannot_be(void **state) {
    static const struct {
        trm_run_def def;
        const char *piece;
    } cases[] = {
        {{.size = sizeof(trm_run_def), .until = "-1"}, "before the start"},
        {{.size = sizeof(trm_run_def), .from = "2"}, "before the start"},
        {{.size = sizeof(trm_run_def), .every = "0"}, "larger than 0"},
        {{.size = sizeof(trm_run_def), .every = "1e-16"}, "samples"},
        {{.size = sizeof(trm_run_def), .tolerance = "1e-20"}, "below rounding"},
        {{.size = sizeof(trm_run_def), .tolerance = "nothing"}, "nothing"},
        {{.size = sizeof(trm_run_def), .tolerance = "1"}, "must be below 1"},
        {{.size = sizeof(trm_run_def), .tolerance = "1e300"}, "must be below 1"},
        {{.size = sizeof(trm_run_def), .until = "1e-320"}, "too short"},
        {{.size = sizeof(trm_run_def), .integrator = "euler"}, "euler"},
        {{.size = sizeof(trm_run_def), .formulation = "kane"}, "gibbs-appell"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_run(falling, &cases[i].def, TRM_WRONG_MODEL, cases[i].piece);
    trm_run_def none = trm_run_def_default();
    check_run("coord x\nkinetic x'^2/2\n", &none, TRM_WRONG_MODEL, "when does the run end?");
}

static void files_that_cannot_be(void **state) {
    trm_run_def nowhere = {.size = sizeof nowhere, .csv = "/nowhere/at/all.csv"},
                full = {.size = sizeof full, .csv = "/dev/full", .every = "1e-4"};
    check_run(falling, &nowhere, TRM_IO_ERROR, "cannot write '/nowhere/at/all.csv'");
    check_run(falling, &full, TRM_IO_ERROR, "No space left");
    trm_model *m = NULL;
    static const char *const unreadable[] = {"/nowhere.tram", "/", "/proc/self/mem", "/dev/zero"};
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        double number;
        trm_result *r = NULL;
        assert_int_equal(trm_model_read(unreadable[i], NULL, 0, &m), TRM_IO_ERROR);
        assert_non_null(strstr(trm_model_messages(m, 0), unreadable[i]));
        assert_int_equal(trm_model_number(m, "1", &number), TRM_IO_ERROR); // and nothing else crashes
        assert_int_equal(trm_run(m, &nowhere, &r), TRM_IO_ERROR);
        assert_null(r);
        assert_null(trm_model_equations(m, 0));
        assert_string_equal(trm_model_title(m), "");
        assert_string_equal(trm_model_row_name(m, 0), "");
        trm_model_free(m);
    }
}

// ---- stopping

static volatile sig_atomic_t stop;

static void stop_at_half(void *context, double part) {
    stop = part > 0.5;
}

static void stops_when_told(void **state) {
    trm_run_def def = {.size = sizeof def, .stop = &stop, .progress = stop_at_half};
    stop = 0;
    check_run("coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nsimulate until 100\n", &def,
              TRM_INTERRUPTED, "");
}

static void stop_at_the_end(void *context, double part) {
    stop = part == 1;
}

// whatever is asked for: told before it begins, it says nothing and writes nothing
static void does_not_begin_when_told(void **state) {
    trm_status (*const studies[])(trm_model *, const trm_run_def *, trm_result **) = {
        trm_run, trm_check, trm_compare, trm_linearize, trm_equilibrium};
    trm_model *m = read_text("coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\n");
    trm_file file;
    trm_file_init(&file, sizeof file);
    char out[] = "/tmp/trammel-stopped-XXXXXX";
    int made = mkstemp(out);
    assert_int_equal(write(made, "old", 3), 3);
    close(made);
    trm_run_def def = {.size = sizeof def, .stop = &stop, .csv = out, .file = &file, .until = "1"};
    stop = 1;
    for (int i = 0; i < 5; i++) {
        trm_result *r = NULL;
        trm_status status = studies[i](m, &def, &r);
        assert_true(status == TRM_INTERRUPTED || strstr(trm_result_messages(r, 0), "liblapack"));
        assert_string_equal(trm_result_summary(r), "");
        assert_string_equal(trm_result_json(r), "");
        trm_result_free(r);
    }
    struct stat info;
    assert_true(stat(out, &info) == 0 && info.st_size == 3 && file.state == TRM_FILE_NONE);
    // and told when all is done, it has all to show
    trm_result *r = NULL;
    stop = 0;
    def.progress = stop_at_the_end;
    assert_int_equal(trm_run(m, &def, &r), TRM_INTERRUPTED);
    assert_int_equal(trm_result_samples(r), 1001);
    assert_non_null(strstr(trm_result_json(r), "\"end\": 1}"));
    assert_true(stat(out, &info) == 0 && info.st_size > 10000 && file.state == TRM_FILE_IN_PLACE);
    trm_result_free(r);
    trm_model_free(m);
    unlink(out);
}

// ---- ending in the midst of it

typedef struct {
    trm_file file;
    const char *kept;
    const char *place; // where it goes instead; NULL: where it was to go
    bool into;
} midst;

static void rescue_at_half(void *context, double part) {
    midst *k = context;
    if (part < 0.5 || k->kept)
        return;
    assert_true(k->file.state == TRM_FILE_HAS_SAMPLES && !k->file.busy);
    k->file.into |= k->into;
    if (k->place)
        snprintf(k->file.place, sizeof k->file.place, "%s", k->place);
    k->kept = trm_file_rescue(&k->file);
}

// the samples written so far are where they belong, or one is told where they are
static void rescues_what_is_written(void **state) {
    static midst k;
    char out[] = "/tmp/trammel-rescued-XXXXXX";
    struct stat before, after;
    close(mkstemp(out));
    for (int way = 0; way < 3; way++) {
        trm_model *m =
            read_text("coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2/2\nsimulate until 100\n");
        trm_result *r = NULL;
        k = (midst){.file = {.size = sizeof k.file}, .into = way == 1, .place = way == 2 ? "/tmp" : NULL};
        trm_run_def def = {.size = sizeof def,
                           .csv = out,
                           .file = &k.file,
                           .progress = rescue_at_half,
                           .progress_context = &k};
        assert_int_equal(stat(out, &before), 0);
        assert_int_equal(trm_run(m, &def, &r), TRM_OK); // it goes on, as the program would not
        trm_result_free(r);
        trm_model_free(m);
        assert_int_equal(stat(out, &after), 0);
        if (way == 2)
            assert_string_equal(k.kept, k.file.part);
        else
            assert_string_equal(k.kept, out);
        if (way == 1)
            assert_true(after.st_ino == before.st_ino);
        assert_true(k.file.state == TRM_FILE_IN_PLACE && after.st_size > 10000);
    }
    unlink(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_solution),
        cmocka_unit_test(accelerations_say_why_not),
        cmocka_unit_test(options_that_cannot_be),
        cmocka_unit_test(files_that_cannot_be),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(does_not_begin_when_told),
        cmocka_unit_test(rescues_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
