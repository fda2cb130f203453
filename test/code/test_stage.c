/* Stages: instances in lanes give the bits of instances one by one, whatever their number, by every path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../expr/trees.h"
#include "code/native.h"
#include "code/stage.h"

enum { X_SIZE = 50, Y_SIZE = 200, OUTPUTS = 4, MOST = 3 * KERNEL_LANES + 1 };

static const op_code some_ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_SIN, OP_COS, OP_MAX, OP_IF};

static int input_of(void *context, sym_kind kind, int index) {
    for (int i = 0; i < TREE_SYMBOLS; i++)
        if (tree_symbol[i].kind == kind && tree_symbol[i].index == index)
            return i;
    return 0;
}

typedef struct {
    expr_pool *pool;
    expr outputs[OUTPUTS];
    int gather[MOST * TREE_SYMBOLS], scatter[MOST * OUTPUTS];
    double x[X_SIZE];
} example;

// places of a column: random, or evenly spaced, forwards or backwards
static void fill_column(forest *wood, int *table, int width, int column, int size) {
    int stride = (int)random_below(wood, 4) - 1, first = (int)random_below(wood, (uint32_t)(size / 2));
    bool even = random_below(wood, 2), within = first + (MOST - 1) * stride >= 0;
    for (int k = 0; k < MOST; k++)
        table[k * width + column] =
            even && within ? (first + k * stride) % size : (int)random_below(wood, (uint32_t)size / 8);
}

/* Parameters have one place for all. Outputs go to random places, so that these repeat; or each to places of
 * its own, one behind the other, between each other, or on from those of the output before. */
static void example_make(example *s, forest *wood) {
    s->pool = expr_pool_new(wood->arena);
    expr_pool_set_exact(s->pool, true);
    for (int i = 0; i < OUTPUTS; i++)
        s->outputs[i] = tree_build(s->pool, tree_random(wood, 4));
    for (int i = 0; i < TREE_SYMBOLS; i++) {
        fill_column(wood, s->gather, TREE_SYMBOLS, i, X_SIZE);
        if (tree_symbol[i].kind == SYM_PARAM || tree_symbol[i].kind == SYM_TIME)
            for (int k = 0; k < MOST; k++)
                s->gather[k * TREE_SYMBOLS + i] = i;
    }
    int kind = (int)random_below(wood, 4);
    for (int k = 0; k < MOST; k++)
        for (int i = 0; i < OUTPUTS; i++)
            s->scatter[k * OUTPUTS + i] = kind == 1   ? i * MOST + k
                                          : kind == 2 ? k * OUTPUTS + i
                                                      : 2 * (k + i);
    for (int i = 0; i < OUTPUTS && kind == 0; i++)
        fill_column(wood, s->scatter, OUTPUTS, i, Y_SIZE);
    for (int i = 0; i < X_SIZE; i++)
        s->x[i] = random_between(wood, -2, 2);
}

static void expected(const example *s, int count, double *y) {
    memset(y, 0, Y_SIZE * sizeof *y);
    for (int k = 0; k < count; k++) {
        double in[TREE_SYMBOLS];
        for (int i = 0; i < TREE_SYMBOLS; i++)
            in[i] = s->x[s->gather[k * TREE_SYMBOLS + i]];
        for (int i = 0; i < OUTPUTS; i++)
            y[s->scatter[k * OUTPUTS + i]] += expr_eval(s->pool, s->outputs[i], tree_get, in);
    }
}

static void check(arena *a, const example *s, int count, bool finished) {
    stage st = {.y_size = Y_SIZE};
    const kernel *k = kernel_compile(a, s->pool, s->outputs, OUTPUTS, TREE_SYMBOLS, input_of, NULL);
    stage_add(a, &st, (stage_group){.kernel = k, .count = count, .gather = s->gather, .scatter = s->scatter});
    if (finished)
        stage_finish(a, &st);
    double *work = arena_doubles(a, st.work_size), y[Y_SIZE] = {0}, want[Y_SIZE];
    stage_prepare(&st, s->x, work);
    expected(s, count, want);
    for (int run = 0; run < 2; run++) {
        stage_run(&st, s->x, y, work, NULL);
        for (int i = 0; i < Y_SIZE; i++)
            assert_true(memcmp(&y[i], &want[i], sizeof *y) == 0 || (isnan(y[i]) && isnan(want[i])));
    }
}

static void instances_in_order(void **state) {
    for (int i = 0; i < 10 * MOST; i++) {
        arena *a = arena_new(0);
        forest wood = {.arena = a,
                       .random = (uint64_t)i,
                       .ops = some_ops,
                       .op_count = sizeof some_ops / sizeof *some_ops};
        example *s = arena_array(a, example, 1);
        example_make(s, &wood);
        check(a, s, 1 + i % MOST, false);
        check(a, s, 1 + i % MOST, true);
        arena_free(a);
    }
}

// many instances with places of their own, by one thread and by three
static void by_threads(void **state) {
    enum { COUNT = 10001 };
    for (int i = 0; i < 20; i++) {
        arena *a = arena_new(0);
        forest wood = {.arena = a,
                       .random = (uint64_t)i,
                       .ops = some_ops,
                       .op_count = sizeof some_ops / sizeof *some_ops};
        example *s = arena_array(a, example, 1);
        example_make(s, &wood);
        int *gather = arena_array(a, int, COUNT *TREE_SYMBOLS),
            *scatter = arena_array(a, int, COUNT *OUTPUTS);
        double *x = arena_doubles(a, COUNT + TREE_SYMBOLS), *y[2];
        for (int k = 0; k < COUNT + TREE_SYMBOLS; k++)
            x[k] = random_between(&wood, -2, 2);
        for (int k = 0; k < COUNT; k++) {
            for (int l = 0; l < TREE_SYMBOLS; l++)
                gather[k * TREE_SYMBOLS + l] = k + l;
            for (int l = 0; l < OUTPUTS; l++)
                scatter[k * OUTPUTS + l] = l * COUNT + k;
        }
        stage st = {.y_size = OUTPUTS * COUNT};
        const kernel *k = kernel_compile(a, s->pool, s->outputs, OUTPUTS, TREE_SYMBOLS, input_of, NULL);
        stage_add(a, &st, (stage_group){.kernel = k, .count = COUNT, .gather = gather, .scatter = scatter});
        assert_true(st.groups.at[0].apart);
        if (i % 2)
            stage_finish(a, &st);
        double *work = arena_doubles(a, st.work_size);
        for (int t = 0; t < 2; t++) {
            y[t] = arena_doubles(a, (size_t)st.y_size);
            stage_prepare(&st, x, work);
            stage_run(&st, x, y[t], work, team_new(a, t ? 3 : 1));
        }
        assert_memory_equal(y[0], y[1], (size_t)st.y_size * sizeof(double));
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(instances_in_order), cmocka_unit_test(by_threads)};
    int failed = 0;
    for (int path = PATH_TAPE; path <= (int)native_best(); path++) {
        setenv("TRAMMEL_KERNEL", native_name((native_path)path), 1);
        failed += cmocka_run_group_tests_name(native_name((native_path)path), tests, NULL, NULL);
    }
    return failed;
}
