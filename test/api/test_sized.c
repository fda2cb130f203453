/* Structs that begin with their size: older ones are taken, unknown ones are refused with a message. */
#include <trammel/trammel.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char falling[] = "coord x\nkinetic x'^2/2\nforce x = -1\nsimulate until 1, every 0.25\n";

static trm_model *read_text(const char *text) {
    trm_model *m = NULL;
    assert_int_equal(trm_model_read_text("a.tram", text, NULL, 0, &m), TRM_OK);
    return m;
}

typedef trm_status study(trm_model *m, const trm_run_def *def, trm_result **out);
static study *const studies[] = {trm_run, trm_check, trm_compare, trm_linearize, trm_equilibrium};

static void refuse(trm_model *m, const trm_run_def *def, const char *piece) {
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        trm_result *r = NULL;
        assert_int_equal(studies[i](m, def, &r), TRM_WRONG_MODEL);
        assert_non_null(strstr(trm_result_messages(r, 0), piece));
        trm_result_free(r);
    }
    trm_session *s = NULL;
    assert_int_equal(trm_session_create(m, def, &s), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_session_messages(s, 0), piece));
    trm_session_free(s);
}

static void unknown_sizes(void **state) {
    static const size_t sizes[] = {1, sizeof(size_t), sizeof(trm_run_def) - 1, sizeof(trm_run_def) + 8, -1};
    trm_model *m = read_text(falling);
    trm_run_def def = {0};
    refuse(m, &def, "a trm_run_def has the size 0: trm_run_def_init(&it, sizeof it) comes before all else");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        def = trm_run_def_default();
        def.size = sizes[i];
        refuse(m, &def, "is the header as old as the library?");
    }
    trm_file file = {0};
    def = trm_run_def_default();
    def.file = &file;
    refuse(m, &def, "a trm_file has the size 0: trm_file_init(");
    trm_model_free(m);
}

static long samples_with(trm_model *m, const trm_run_def *def) {
    trm_result *r = NULL;
    assert_int_equal(trm_run(m, def, &r), TRM_OK);
    long count = trm_result_samples(r);
    trm_result_free(r);
    return count;
}

// a program of an older header: what comes after its struct is not looked at
static void older_sizes(void **state) {
    trm_model *m = read_text(falling);
    volatile size_t older = offsetof(trm_run_def, choices); // the compiler is not to know
    size_t size = older;
    trm_run_def *def = malloc(size);
    memset(def, 0xff, size);
    trm_run_def_init(def, size);
    assert_true(def->size == size && def->until == NULL && def->sample_context == NULL);
    assert_int_equal(samples_with(m, def), 5);
    def->every = "0.5";
    assert_int_equal(samples_with(m, def), 3);
    free(def);
    trm_model_free(m);
}

// a newer header's: all that it asks to be made 0 is
static void newer_sizes(void **state) {
    unsigned char more[sizeof(trm_run_def) + 64];
    memset(more, 0xff, sizeof more);
    trm_run_def_init((trm_run_def *)(void *)more, sizeof more - 1);
    for (size_t i = sizeof(size_t); i < sizeof more - 1; i++)
        assert_int_equal(more[i], 0);
    assert_int_equal(more[sizeof more - 1], 0xff);
    trm_run_def_init((trm_run_def *)(void *)more, 0); // no room for anything
    assert_true(((trm_run_def *)(void *)more)->size == sizeof more - 1);
}

static void none_is_all_defaults(void **state) {
    trm_model *m = read_text(falling);
    assert_int_equal(samples_with(m, NULL), 5);
    for (size_t i = 1; i < sizeof studies / sizeof *studies; i++) {
        trm_result *r = NULL;
        trm_status status = studies[i](m, NULL, &r);
        assert_true(status == TRM_OK || studies[i] == trm_equilibrium); // it falls for ever
        trm_result_free(r);
    }
    trm_model_free(m);
}

static void writing(void **state) {
    char why[300] = "", nothing[] = "";
    trm_write_def def = {0};
    trm_file file = {.size = 7};
    assert_int_equal(trm_file_write("/dev/null", nothing, 0, &def, why, sizeof why), TRM_WRONG_MODEL);
    assert_non_null(strstr(why, "a trm_write_def has the size 0: trm_write_def_init("));
    trm_write_def_init(&def, sizeof def);
    assert_int_equal(trm_file_write("/dev/null", nothing, 0, &def, why, sizeof why), TRM_OK);
    def.file = &file;
    assert_int_equal(trm_file_write("/dev/null", nothing, 0, &def, why, sizeof why), TRM_WRONG_MODEL);
    assert_non_null(strstr(why, "a trm_file has the size 7"));
    assert_null(trm_file_rescue(&file));
}

static void importing(void **state) {
    trm_import_def def = {0};
    trm_import *m = NULL;
    assert_int_equal(trm_import_read("/nowhere.urdf", &def, &m), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_import_messages(m, 0), "a trm_import_def has the size 0"));
    assert_string_equal(trm_import_text(m), "");
    trm_import_free(m);
    assert_int_equal(trm_import_read("/nowhere.urdf", NULL, &m), TRM_IO_ERROR);
    trm_import_free(m);
}

static void version(void **state) {
    char expected[40];
    snprintf(expected, sizeof expected, "%d.%d.%d", TRM_VERSION_MAJOR, TRM_VERSION_MINOR, TRM_VERSION_PATCH);
    assert_string_equal(trm_version(), expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_sizes), cmocka_unit_test(older_sizes),
        cmocka_unit_test(newer_sizes),   cmocka_unit_test(none_is_all_defaults),
        cmocka_unit_test(writing),       cmocka_unit_test(importing),
        cmocka_unit_test(version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
