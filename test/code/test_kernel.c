/* Kernels give the bits of expr_eval, scalar and in lanes, on random expressions and on special ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../expr/trees.h"
#include "code/kernel.h"

static const op_code some_ops[] = {OP_NEG,  OP_ADD,  OP_SUB,  OP_MUL,   OP_DIV,  OP_POW,   OP_NEG,  OP_ADD,
                                   OP_SUB,  OP_MUL,  OP_DIV,  OP_POW,   OP_SQRT, OP_SIN,   OP_COS,  OP_TAN,
                                   OP_ASIN, OP_ACOS, OP_ATAN, OP_ATAN2, OP_SINH, OP_COSH,  OP_TANH, OP_EXP,
                                   OP_LOG,  OP_ABS,  OP_SIGN, OP_MIN,   OP_MAX,  OP_FLOOR, OP_LT,   OP_LE,
                                   OP_EQ,   OP_NE,   OP_AND,  OP_OR,    OP_NOT,  OP_IF};
enum { OPERATIONS = sizeof some_ops / sizeof *some_ops, MOST_OUTPUTS = 40 };

static int input_of(void *context, sym_kind kind, int index) {
    (void)context;
    for (int i = 0; i < TREE_SYMBOLS; i++)
        if (tree_symbol[i].kind == kind && tree_symbol[i].index == index)
            return i;
    fail();
    return 0;
}

static bool same_bits(double a, double b) { // the bits of a nan say nothing
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Runs a kernel in all lanes and in each lane alone, and compares both with expr_eval. lane: the inputs of
 * KERNEL_LANES instances. */
static void check_kernel(arena *a, const expr_pool *pool, const kernel *k, const expr *outputs,
                         double lane[KERNEL_LANES][TREE_SYMBOLS]) {
    int count = kernel_outputs(k);
    double in[TREE_SYMBOLS * KERNEL_LANES];
    double *out = arena_doubles(a, (size_t)count), *wide_out = arena_doubles(a, (size_t)count * KERNEL_LANES);
    double *work = arena_doubles(a, kernel_work_size(k));
    double *wide_work = arena_doubles(a, kernel_lanes_work_size(k));
    for (int l = 0; l < KERNEL_LANES; l++)
        for (int i = 0; i < TREE_SYMBOLS; i++)
            in[i * KERNEL_LANES + l] = lane[l][i];
    kernel_lanes_prepare(k, in, wide_work);
    kernel_lanes_run(k, in, wide_out, wide_work);
    for (int l = 0; l < KERNEL_LANES; l++) {
        kernel_prepare(k, lane[l], work);
        kernel_run(k, lane[l], out, work);
        for (int i = 0; i < count; i++) {
            double value = expr_eval(pool, outputs[i], tree_get, lane[l]);
            assert_true(same_bits(out[i], value));
            assert_true(same_bits(wide_out[i * KERNEL_LANES + l], value));
        }
    }
}

static void random_lanes(forest *wood, double lane[KERNEL_LANES][TREE_SYMBOLS]) {
    for (int l = 0; l < KERNEL_LANES; l++)
        random_point(wood, lane[l], -2, 2);
}

static void random_expressions(void **state) {
    (void)state;
    long operations = 0;
    for (int i = 0; i < 1500; i++) {
        arena *a = arena_new(0);
        forest wood = {
            .arena = a, .random = (uint64_t)i, .ops = some_ops, .op_count = i % 3 ? OPERATIONS : 6};
        expr_pool *pool = expr_pool_new(a);
        int count = (int)random_below(&wood, MOST_OUTPUTS);
        expr outputs[MOST_OUTPUTS];
        for (int j = 0; j < count; j++)
            outputs[j] = tree_build(pool, tree_random(&wood, 7));
        kernel *k = kernel_compile(a, pool, outputs, count, TREE_SYMBOLS, input_of, NULL);
        double lane[KERNEL_LANES][TREE_SYMBOLS];
        random_lanes(&wood, lane);
        lane[0][0] = lane[1][1] = 0; // infinities and nans take the same way
        check_kernel(a, pool, k, outputs, lane);
        operations += kernel_operations(k);
        arena_free(a);
    }
    assert_true(operations > 100000);
}

static void derivatives(void **state) { // deep sharing
    (void)state;
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 5, .ops = some_ops, .op_count = 16};
    expr_pool *pool = expr_pool_new(a);
    expr outputs[3 * MOST_OUTPUTS];
    for (int j = 0; j < MOST_OUTPUTS; j++) {
        expr e = outputs[3 * j] = tree_build(pool, tree_random(&wood, 8));
        expr d = outputs[3 * j + 1] = expr_diff(pool, e, SYM_P, 0);
        outputs[3 * j + 2] = expr_diff(pool, d, SYM_V, 1);
    }
    kernel *k = kernel_compile(a, pool, outputs, 3 * MOST_OUTPUTS, TREE_SYMBOLS, input_of, NULL);
    double lane[KERNEL_LANES][TREE_SYMBOLS];
    random_lanes(&wood, lane);
    check_kernel(a, pool, k, outputs, lane);
    arena_free(a);
}

static void every_exponent(void **state) {
    (void)state;
    enum { MOST = 70 };
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 9};
    expr_pool *pool = expr_pool_new(a);
    expr x = expr_symbol(pool, SYM_P, 0), n = expr_symbol(pool, SYM_V, 0), outputs[4 * MOST + 3];
    for (int i = -2 * MOST; i <= 2 * MOST; i++) // halves too
        outputs[i + 2 * MOST] = expr_op2(pool, OP_POW, x, expr_number(pool, 0.5 * i));
    outputs[4 * MOST + 1] = expr_op2(pool, OP_POW, x, n);
    outputs[4 * MOST + 2] = expr_op2(pool, OP_POW, expr_number(pool, 3), n);
    kernel *k = kernel_compile(a, pool, outputs, 4 * MOST + 3, TREE_SYMBOLS, input_of, NULL);
    double lane[KERNEL_LANES][TREE_SYMBOLS];
    random_lanes(&wood, lane);
    for (int l = 0; l < KERNEL_LANES; l++)
        lane[l][2] = 3 * l - 9; // whole exponents that the kernel does not know
    check_kernel(a, pool, k, outputs, lane);
    arena_free(a);
}

static void powers_share_their_squares(void **state) {
    (void)state;
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr x = expr_symbol(pool, SYM_P, 0), two = expr_number(pool, 2);
    expr outputs[] = {expr_op2(pool, OP_POW, x, two), expr_op2(pool, OP_POW, x, expr_number(pool, 3)),
                      expr_op2(pool, OP_POW, x, expr_number(pool, 5)), expr_op2(pool, OP_MUL, x, x)};
    kernel *k = kernel_compile(a, pool, outputs, 4, TREE_SYMBOLS, input_of, NULL);
    assert_int_equal(kernel_operations(k), 4); // x x, x x^2, x^2 x^2, x x^4
    assert_int_equal(kernel_work_size(k), TREE_SYMBOLS + 4);
    arena_free(a);
}

static void parameters_are_prepared(void **state) {
    (void)state;
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr x = expr_symbol(pool, SYM_P, 0), n = expr_symbol(pool, SYM_NUMBER, 0);
    expr m = expr_symbol(pool, SYM_PARAM, 0), g = expr_symbol(pool, SYM_PARAM, 1);
    expr weight = expr_op2(pool, OP_MUL, m, expr_op1(pool, OP_SIN, g));
    expr outputs[] = {expr_op2(pool, OP_MUL, weight, x), weight, expr_op2(pool, OP_MUL, n, m)};
    kernel *k = kernel_compile(a, pool, outputs, 3, TREE_SYMBOLS, input_of, NULL);
    assert_int_equal(kernel_operations(k), 2); // weight x, n m
    double in[TREE_SYMBOLS] = {0}, out[3], *work = arena_doubles(a, kernel_work_size(k));
    in[6] = 2;
    in[7] = 0.5;
    kernel_prepare(k, in, work);
    for (int i = 0; i < 3; i++) { // one preparation, many runs
        in[0] = i;
        in[5] = i + 10;
        kernel_run(k, in, out, work);
        assert_true(out[0] == 2 * sin(0.5) * i && out[1] == 2 * sin(0.5) && out[2] == 2.0 * (i + 10));
    }
    in[7] = 0.25;
    kernel_prepare(k, in, work);
    kernel_run(k, in, out, work);
    assert_true(out[1] == 2 * sin(0.25));
    arena_free(a);
}

static void outputs_of_every_kind(void **state) {
    (void)state;
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 3};
    expr_pool *pool = expr_pool_new(a);
    expr x = expr_symbol(pool, SYM_P, 1), sum = expr_op2(pool, OP_ADD, x, expr_number(pool, 3));
    expr outputs[] = {
        sum, x, expr_number(pool, 3), sum, expr_number(pool, -7.5), x, expr_symbol(pool, SYM_PARAM, 1)};
    kernel *k = kernel_compile(a, pool, outputs, 7, TREE_SYMBOLS, input_of, NULL);
    double lane[KERNEL_LANES][TREE_SYMBOLS];
    random_lanes(&wood, lane);
    check_kernel(a, pool, k, outputs, lane);
    assert_int_equal(kernel_operations(k), 1);
    kernel *none = kernel_compile(a, pool, NULL, 0, TREE_SYMBOLS, input_of, NULL);
    assert_int_equal(kernel_outputs(none), 0);
    assert_int_equal(kernel_inputs(none), TREE_SYMBOLS);
    check_kernel(a, pool, none, NULL, lane);
    kernel *constant = kernel_compile(a, pool, (expr[]){expr_number(pool, 4)}, 1, 0, input_of, NULL);
    double out = 0, *work = arena_doubles(a, kernel_work_size(constant));
    kernel_prepare(constant, NULL, work);
    kernel_run(constant, NULL, &out, work);
    assert_true(out == 4);
    arena_free(a);
}

static void long_sums(void **state) {
    (void)state;
    enum { TERMS = 100000 };
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 4};
    expr_pool *pool = expr_pool_new(a);
    expr sum = expr_number(pool, 0), nest = expr_symbol(pool, SYM_P, 0);
    for (int i = 0; i < TERMS; i++) {
        expr x = expr_symbol(pool, tree_symbol[i % 4].kind, tree_symbol[i % 4].index);
        sum = expr_op2(pool, OP_ADD, sum, expr_op2(pool, OP_MUL, expr_number(pool, i + 0.1), x));
        nest = expr_op2(pool, OP_MUL, x, expr_op1(pool, OP_SIN, nest));
    }
    expr outputs[] = {sum, nest};
    kernel *k = kernel_compile(a, pool, outputs, 2, TREE_SYMBOLS, input_of, NULL);
    assert_int_equal(kernel_operations(k), 4 * TERMS - 1);
    double lane[KERNEL_LANES][TREE_SYMBOLS];
    random_lanes(&wood, lane);
    check_kernel(a, pool, k, outputs, lane);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(every_exponent),
        cmocka_unit_test(powers_share_their_squares),
        cmocka_unit_test(parameters_are_prepared),
        cmocka_unit_test(outputs_of_every_kind),
        cmocka_unit_test(long_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
