/* What is compiled once and shared never shows: over all models and random values of their parameters, a run
 * after trm_model_set is to the bit and to the letter that of a model read with these values, in either form
 * of coordinates, also where threads do so with one model. */
#include <trammel/trammel.h>

#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/as_read.h"
#include "support/share.h"

enum { CHANGES = AS_READ_MOST, NUMBER = AS_READ_NUMBER };

static uint32_t random_bits(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// such as make numbers alike, vanish, and be of no shape at all
static double other_value(double value, uint32_t *seed) {
    const double factors[] = {1, 2, 0.5, 0, -1, 1.25, 0.9, 1.001, 1.37};
    uint32_t which = random_bits(seed) % 12;
    if (which < sizeof factors / sizeof *factors)
        return value == 0 ? factors[which] : value * factors[which];
    return which == 9 ? 1 : value * (0.8 + 0.4 * random_bits(seed) / (1 << 24));
}

// sets one more; what is refused stays unset
static void change(as_read *c, uint32_t *seed) {
    int count = trm_model_parameters(c->model), k = c->count;
    int which = (int)(random_bits(seed) % (uint32_t)count);
    double value = other_value(trm_model_parameter_value(c->model, which), seed);
    snprintf(c->names[k], NUMBER, "%s", trm_model_parameter_name(c->model, which));
    snprintf(c->numbers[k], NUMBER, "%.17g", value);
    for (int i = 0; i < k; i++)
        if (strcmp(c->names[i], c->names[k]) == 0)
            return;
    c->settings[k] = (trm_setting){c->names[k], c->numbers[k]};
    if (trm_model_set(c->model, c->names[k], value, NULL) != TRM_OK)
        return;
    c->count++;
    assert_as_read(c, "bodies");
    assert_as_read(c, "auto");
}

static void change_all(const char *path, uint32_t seed) {
    as_read c = {.path = path};
    assert_int_equal(trm_model_read(path, NULL, 0, &c.model), TRM_OK);
    for (int tries = 0; tries < 2 * CHANGES && c.count < CHANGES && trm_model_parameters(c.model); tries++)
        change(&c, &seed);
    trm_model_free(c.model);
}

static void all_models(void **state) {
    glob_t all;
    int models = 0;
    assert_int_equal(glob("models/*/*.tram", 0, NULL, &all), 0);
    for (size_t i = 0; i < all.gl_pathc; i++)
        if (test_takes((long)i)) {
            change_all(all.gl_pathv[i], (uint32_t)i + 1);
            models++;
        }
    assert_true(models > 0 || test_every() > 1);
    globfree(&all);
}

// ---- threads, each with values of its own, on one store

static const char ARM[] =
    "param m = 1, L = 1, g = 9.81, half = L/2, k = 2\n"
    "gravity (0, 0, -g)\n"
    "body upper: mass = m, inertia = (0.01, m*L^2/12, m*L^2/12), at = (half, 0, 0)\n"
    "body lower: mass = m, inertia = (0.01, m*L^2/12, m*L^2/12), at = (L + half, 0, 0)\n"
    "joint shoulder: revolute(ground, upper, at = (0, 0, 0), axis = (0, 1, 0))\n"
    "joint elbow: revolute(upper, lower, at = (L, 0, 0), axis = (0, 1, 0))\n"
    "torque elbow = -k*angle(elbow)\n"
    "simulate until 1, every 0.1\n";

enum { THREADS = 4, TIMES = 5 };

typedef struct {
    trm_model *model;
    double found[TIMES];
} worker;

static double rate_at_end(trm_model *m) {
    trm_run_def def = trm_run_def_default();
    trm_result *r = NULL;
    def.keep = TRM_KEEP_COLUMNS;
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    const double *x = trm_result_column(r, trm_result_column_named(r, "lower.x'"));
    assert_non_null(x);
    double last = x[trm_result_samples(r) - 1];
    trm_result_free(r);
    return last;
}

static void *run_many(void *context) {
    worker *w = context;
    for (int i = 0; i < TIMES; i++)
        w->found[i] = rate_at_end(w->model);
    return NULL;
}

static void threads_share(void **state) {
    trm_model *m = NULL;
    assert_int_equal(trm_model_read_text("arm", ARM, NULL, 0, &m), TRM_OK);
    for (int round = 0; round < 3; round++) {
        pthread_t thread[THREADS];
        worker w[THREADS];
        assert_int_equal(trm_model_set(m, "L", 1 + 0.3 * round, NULL), TRM_OK);
        for (int i = 0; i < THREADS; i++) {
            w[i] = (worker){m, {0}};
            assert_int_equal(pthread_create(&thread[i], NULL, run_many, &w[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
        trm_model *fresh = NULL;
        char number[NUMBER];
        snprintf(number, sizeof number, "%.17g", 1 + 0.3 * round);
        assert_int_equal(trm_model_read_text("arm", ARM, &(trm_setting){"L", number}, 1, &fresh), TRM_OK);
        double expected = rate_at_end(fresh);
        for (int i = 0; i < THREADS * TIMES; i++)
            assert_memory_equal(&w[i / TIMES].found[i % TIMES], &expected, sizeof expected);
        trm_model_free(fresh);
    }
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_models), cmocka_unit_test(threads_share)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
