/* What the tests of this room share: reading a model text, and evaluating its shapes at fixed values. */
#ifndef TRAMMEL_TEST_LANG_READING_H
#define TRAMMEL_TEST_LANG_READING_H

#include "lang/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static arena *memory;

static inline int fresh_memory(void **state) {
    memory = arena_new((size_t)1 << 30);
    return memory == NULL;
}

static inline int free_memory(void **state) {
    arena_free(memory);
    return 0;
}

static inline model *read_with(const char *given, const model_setting *settings, int count) {
    source *s = arena_alloc(memory, sizeof *s);
    *s = (source){"test.tram", arena_copy(memory, given, strlen(given)), (int)strlen(given)};
    return model_read(memory, s, settings, count);
}

static inline model *read_model(const char *given) {
    model *m = read_with(given, NULL, 0);
    if (m->diags.errors)
        fail_msg("%s\n%s", diags_text(&m->diags, memory, 0), given);
    return m;
}

// q_i = 1 + i/10, q_i' = 2 + i/10, q_i'' = 3 + i/10, t = 0.25
typedef struct {
    const model *model;
    const shape *shape;
    int instance;
} element;

static inline double symbol_value(void *context, sym_kind kind, int index) {
    const element *e = context;
    const shape *s = e->shape;
    switch (kind) {
    case SYM_TIME:
        return 0.25;
    case SYM_NUMBER:
        return s->numbers.at[e->instance * s->number_count + index];
    case SYM_PARAM:
        return e->model->params.at[index].value;
    case SYM_RESULT:
        return 1000 + s->results.at[e->instance * s->result_count + index];
    default:
        return 1 + (kind - SYM_P) + 0.1 * s->slots.at[e->instance * s->slot_count + index];
    }
}

static inline double value_of(const model *m, int which, int instance, int part) {
    element e = {m, &m->shapes.at[which], instance};
    return expr_eval(m->pool, m->shapes.at[which].part[part], symbol_value, &e);
}

// all elements of a kind, added up
static inline double total(const model *m, shape_kind kind) {
    double sum = 0;
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; m->shapes.at[i].kind == kind && k < m->shapes.at[i].count; k++)
            sum += value_of(m, i, k, PART_VALUE);
    return sum;
}

static inline int shapes_of(const model *m, shape_kind kind) {
    int count = 0;
    for (int i = 0; i < m->shapes.count; i++)
        count += m->shapes.at[i].kind == kind;
    return count;
}

// the element that belongs to a target: an output, a row, a quasi-velocity
static inline double at_target(const model *m, shape_kind kind, int target) {
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; m->shapes.at[i].kind == kind && k < m->shapes.at[i].count; k++)
            if (m->shapes.at[i].targets.at[k * m->shapes.at[i].target_count] == target)
                return value_of(m, i, k, PART_VALUE);
    fail_msg("nothing has the target %d", target);
    return NAN;
}

static inline const char *row_name(const model *m, int row) {
    text t;
    text_init(&t, memory);
    model_row_name(m, row, &t);
    return text_string(&t);
}

static inline const char *output_name(const model *m, int output) {
    text t;
    text_init(&t, memory);
    model_label(m, m->outputs.at[output], &t);
    return text_string(&t);
}

static inline bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-14 * (1 + fabs(b));
}
#define assert_value(a, b) assert_true(is_near((a), (b)))

// the value of an expression in the coordinates x (1, 2, 3), y (1.1, 2.1, 3.1), z (1.2, ...), and params
static inline double output(const char *expression) {
    model *m = read_model(arena_print(
        memory, "coord x, y, z\nparam a = 5, b = 3, c = 2\nparam m[1..3] = 7\noutput o = %s\n", expression));
    return at_target(m, SHAPE_OUTPUT, 0);
}

static inline void assert_wrong(const char *given, const char *piece) {
    model *m = read_with(given, NULL, 0);
    const char *messages = diags_text(&m->diags, memory, 0);
    if (m->diags.errors != 1 || strstr(messages, piece) == NULL)
        fail_msg("expected one error with '%s':\n%s\nmessages:\n%s", piece, given, messages);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_memory, free_memory)

#endif
