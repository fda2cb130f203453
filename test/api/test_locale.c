/* A host with a comma for decimal sign: what is read and written is the same bytes. */
#include <trammel/trammel.h>

#include "support/locales.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "param L = 1.5, g = 9.81\n"
                           "coord x, y\n"
                           "initial x = 1.5, y = 0\n"
                           "kinetic 0.75*(x'^2 + y'^2)\n"
                           "potential 1.5*g*y\n"
                           "constraint rod: x^2 + y^2 = L^2\n"
                           "simulate until 0.5, every 0.125\n"
                           "plot \"Height, 0.5\": y\n"
                           "expect always y > -0.25\n";

enum { ROOM = 100000 };

static void keep(char *all, const char *piece) {
    assert_true(strlen(all) + strlen(piece) < ROOM);
    strcat(all, piece);
}

// without the seconds that things took
static void keep_json(char *all, char *json) {
    char *seconds = strstr(json, "\"seconds\""), *end = seconds ? strchr(seconds, '}') : NULL;
    assert_non_null(end);
    *seconds = '\0';
    keep(all, json);
    keep(all, end);
}

static void keep_file(char *all, const char *path) {
    static char content[ROOM];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    content[fread(content, 1, sizeof content - 1, in)] = '\0';
    fclose(in);
    keep(all, content);
}

// everything that comes of the model, one after the other
static void live(char *all) {
    static char json[ROOM];
    char path[] = "/tmp/trammel-locale-XXXXXX";
    trm_model *m = NULL;
    trm_result *r = NULL;
    double number = 0;
    close(mkstemp(path));
    all[0] = '\0';
    assert_int_equal(trm_model_read_text("m.tram", text, &(trm_setting){"g", "9.75"}, 1, &m), TRM_OK);
    assert_int_equal(trm_model_number(m, "2.5*L", &number), TRM_OK);
    assert_true(number == 3.75);
    keep(all, trm_model_equations(m, TRM_TEXT));
    keep(all, trm_model_equations(m, TRM_LATEX));
    trm_run_def def = trm_run_def_default();
    def.csv = path;
    def.keep = TRM_KEEP_PAGE;
    def.tolerance = "1.5e-9";
    assert_int_equal(trm_run(m, &def, &r), TRM_EXPECTATION_FAILED);
    snprintf(json, sizeof json, "%s", trm_result_json(r));
    keep_json(all, json);
    keep(all, trm_result_failures(r));
    keep(all, trm_result_sketch(r, 60, 0));
    keep_file(all, path);
    trm_result_free(r);
    trm_model_free(m);
    unlink(path);
}

static void same_bytes(void **state) {
    static char plain[ROOM], with_comma[ROOM];
    live(plain);
    assert_non_null(strstr(plain, "\n0.125,"));
    if (!locales_set_comma())
        skip();
    live(with_comma);
    assert_string_equal(plain, with_comma);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
