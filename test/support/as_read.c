#include "support/as_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static trm_run_def short_run(const char *coordinates) {
    trm_run_def def = trm_run_def_default();
    def.keep = TRM_KEEP_COLUMNS;
    def.until = "0.1";
    def.every = "0.02";
    def.coordinates = coordinates;
    return def;
}

// but for times: "seconds": {...}
static void assert_same_json(const char *a, const char *b, const char *of) {
    while (*a && *a == *b) {
        bool times = strncmp(a, "\"seconds\": {", 12) == 0;
        a += times ? strcspn(a, "}") : 1;
        b += times ? strcspn(b, "}") : 1;
    }
    if (*a != *b)
        fail_msg("%s: '%.60s' instead of '%.60s'", of, a, b);
}

void assert_same_results(trm_result *a, trm_result *b, const char *of) {
    if (a == NULL || b == NULL) {
        assert_ptr_equal(a, b);
        return;
    }
    assert_string_equal(trm_result_messages(a, 0), trm_result_messages(b, 0));
    assert_same_json(trm_result_json(a), trm_result_json(b), of);
    assert_int_equal(trm_result_samples(a), trm_result_samples(b));
    for (int c = 0; c < trm_result_columns(a); c++)
        if (trm_result_samples(a) && memcmp(trm_result_column(a, c), trm_result_column(b, c),
                                            (size_t)trm_result_samples(a) * sizeof(double)) != 0)
            fail_msg("%s: %s differs", of, trm_result_column_name(a, c));
}

void assert_as_read(const as_read *c, const char *coordinates) {
    char of[1000];
    trm_model *fresh = NULL;
    trm_result *shared = NULL, *read = NULL;
    trm_run_def def = short_run(coordinates);
    snprintf(of, sizeof of, "%s, %s with %s = %s", c->path, coordinates, c->names[c->count - 1],
             c->numbers[c->count - 1]);
    assert_int_equal(trm_model_read(c->path, c->settings, c->count, &fresh), TRM_OK);
    trm_status status = trm_run(c->model, &def, &shared);
    assert_int_equal(trm_run(fresh, &def, &read), status);
    assert_same_results(shared, read, of);
    trm_result_free(shared);
    trm_result_free(read);
    trm_model_free(fresh);
}
