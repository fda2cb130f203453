/* Over all parameters of all models: what was read, derived and compiled for one value and takes another
 * gives, to the bit and to the letter, what a model read with that value gives. */
#include <trammel/trammel.h>

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/as_read.h"
#include "support/share.h"

static void again_and_again(const char *path, const char *name, double value, const char *coordinates) {
    const double values[] = {value, value, value == 0 ? 0.3 : value * 1.01, value == 0 ? -1 : value * 0.61,
                             0,     value};
    as_read c = {.path = path, .count = 1};
    assert_int_equal(trm_model_read(path, NULL, 0, &c.model), TRM_OK);
    snprintf(c.names[0], AS_READ_NUMBER, "%s", name);
    for (int i = 0; i < 6; i++) {
        snprintf(c.numbers[0], AS_READ_NUMBER, "%.17g", values[i]);
        c.settings[0] = (trm_setting){c.names[0], c.numbers[0]};
        if (trm_model_set(c.model, name, values[i], NULL) == TRM_OK)
            assert_as_read(&c, coordinates);
    }
    trm_model_free(c.model);
}

static void all_parameters(void **state) {
    glob_t all;
    long which = 0;
    assert_int_equal(glob("models/*/*.tram", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++) {
        trm_model *m = NULL;
        assert_int_equal(trm_model_read(all.gl_pathv[i], NULL, 0, &m), TRM_OK);
        for (int p = 0; p < trm_model_parameters(m); p++, which++)
            if (test_takes(which))
                again_and_again(all.gl_pathv[i], trm_model_parameter_name(m, p),
                                trm_model_parameter_value(m, p), which % 2 ? "auto" : "bodies");
        trm_model_free(m);
    }
    assert_true(which > 300);
    globfree(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
