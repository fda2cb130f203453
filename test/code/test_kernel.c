/* Exact kernels give the bits of expr_eval, scalar and in lanes, on random expressions and on special ones,
 * by every path that this processor has. Fast ones differ little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../expr/trees.h"
#include "code/kernel.h"
#include "code/native.h"
#include "code/tape.h"
#include "support/share.h"

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

static expr_pool *exact_pool(arena *a) {
    expr_pool *pool = expr_pool_new(a);
    expr_pool_set_exact(pool, true);
    return pool;
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
    kernel_add_lanes(a, k);
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

/* A value that arithmetic treats in its own way, or one near it. */
static double special_value(forest *wood) {
    static const double values[] = {
        0.0,      -0.0,    1,           -1,     NAN,     INFINITY, -INFINITY,
        0.5,      DBL_MIN, -DBL_MIN,    5e-324, -5e-324, 1e-310,   DBL_MAX,
        -DBL_MAX, 2,       DBL_EPSILON, 1e16,   -1e300,  1e-300,   3.141592653589793,
        -0.5,     64,      -3};
    return values[random_below(wood, sizeof values / sizeof *values)];
}

static void random_lanes(forest *wood, double lane[KERNEL_LANES][TREE_SYMBOLS]) {
    for (int l = 0; l < KERNEL_LANES; l++)
        random_point(wood, lane[l], -2, 2);
}

static void random_expressions(void **state) {
    (void)state;
    long operations = 0;
    for (int i = 0; i < 1500; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = {
            .arena = a, .random = (uint64_t)i, .ops = some_ops, .op_count = i % 3 ? OPERATIONS : 6};
        expr_pool *pool = exact_pool(a);
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
    assert_true(operations > 100000 / test_every());
}

static void special_values(void **state) {
    (void)state;
    for (int i = 0; i < 1500; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = {.arena = a, .random = (uint64_t)i + 10000, .ops = some_ops, .op_count = OPERATIONS};
        expr_pool *pool = exact_pool(a);
        expr outputs[MOST_OUTPUTS];
        for (int j = 0; j < MOST_OUTPUTS; j++)
            outputs[j] = tree_build(pool, tree_random(&wood, 1 + i % 5));
        kernel *k = kernel_compile(a, pool, outputs, MOST_OUTPUTS, TREE_SYMBOLS, input_of, NULL);
        double lane[KERNEL_LANES][TREE_SYMBOLS];
        for (int l = 0; l < KERNEL_LANES; l++)
            for (int j = 0; j < TREE_SYMBOLS; j++)
                lane[l][j] = special_value(&wood);
        check_kernel(a, pool, k, outputs, lane);
        arena_free(a);
    }
}

static void each_operation(void **state) { // on every pair of special values, lane by lane
    (void)state;
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 77};
    expr_pool *pool = exact_pool(a);
    expr x = expr_symbol(pool, SYM_P, 0), y = expr_symbol(pool, SYM_P, 1), z = expr_symbol(pool, SYM_V, 0);
    expr outputs[OPERATIONS];
    for (int i = 0; i < OPERATIONS; i++) {
        op_code op = some_ops[i];
        outputs[i] = ops[op].arity == 1   ? expr_op1(pool, op, x)
                     : ops[op].arity == 2 ? expr_op2(pool, op, x, y)
                                          : expr_op3(pool, op, x, y, z);
    }
    kernel *k = kernel_compile(a, pool, outputs, OPERATIONS, TREE_SYMBOLS, input_of, NULL);
    for (int i = 0; i < 500; i++) {
        double lane[KERNEL_LANES][TREE_SYMBOLS];
        for (int l = 0; l < KERNEL_LANES; l++)
            for (int j = 0; j < TREE_SYMBOLS; j++)
                lane[l][j] = special_value(&wood);
        check_kernel(a, pool, k, outputs, lane);
    }
    arena_free(a);
}

/* How far apart, in units of the last place of the larger; infinities and nans must agree. */
static double ulps(double a, double b) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    if (!isfinite(a) || !isfinite(b))
        return INFINITY;
    double size = fmax(fabs(a), fabs(b)), unit = fmax(nextafter(size, INFINITY) - size, 5e-324);
    return fabs(a - b) / unit;
}

static double point_for(forest *wood, op_code op, int i) {
    if (i % 8 == 7)
        return special_value(wood);
    bool narrow = op == OP_ASIN || op == OP_ACOS;
    return i % 2 || narrow ? random_between(wood, -1, 1) : random_between(wood, -30, 30);
}

// how far a kernel's output is from the operation's value; a power may come by multiplication or from libm
static double error_of(op_code op, const double *x, int i, double out) {
    double y = x[(i + 1) % TREE_SYMBOLS], far = ulps(out, ops[op].value(x[i], y, 0));
    return op == OP_POW ? fmin(far, ulps(out, pow(x[i], y))) : far;
}

// all outputs at one point; returns the largest error
static double fast_error(arena *a, const kernel *k, op_code op, const double *x) {
    double in[TREE_SYMBOLS * KERNEL_LANES], out[TREE_SYMBOLS], wide_out[TREE_SYMBOLS * KERNEL_LANES];
    double *work = arena_doubles(a, kernel_work_size(k)), worst = 0;
    double *wide_work = arena_doubles(a, kernel_lanes_work_size(k));
    for (int i = 0; i < TREE_SYMBOLS * KERNEL_LANES; i++)
        in[i] = x[i / KERNEL_LANES];
    kernel_prepare(k, x, work);
    kernel_run(k, x, out, work);
    kernel_lanes_prepare(k, in, wide_work);
    kernel_lanes_run(k, in, wide_out, wide_work);
    for (int i = 0; i < kernel_outputs(k); i++) {
        worst = fmax(worst, error_of(op, x, i, out[i]));
        for (int l = 0; l < KERNEL_LANES; l++)
            worst = fmax(worst, error_of(op, x, i, wide_out[i * KERNEL_LANES + l]));
    }
    return worst;
}

static void fast_functions(void **state) { // libmvec promises 4
    (void)state;
    for (op_code op = OP_POW; op <= OP_LOG; op++) {
        arena *a = arena_new(0);
        forest wood = {.arena = a, .random = op};
        expr_pool *pool = expr_pool_new(a);
        expr symbol[TREE_SYMBOLS], outputs[TREE_SYMBOLS];
        for (int i = 0; i < TREE_SYMBOLS; i++)
            symbol[i] = expr_symbol(pool, tree_symbol[i].kind, tree_symbol[i].index);
        for (int i = 0; i < TREE_SYMBOLS; i++)
            outputs[i] = ops[op].arity == 1 ? expr_op1(pool, op, symbol[i])
                                            : expr_op2(pool, op, symbol[i], symbol[(i + 1) % TREE_SYMBOLS]);
        kernel *k = kernel_compile(a, pool, outputs, 1 + (int)random_below(&wood, TREE_SYMBOLS), TREE_SYMBOLS,
                                   input_of, NULL);
        kernel_add_lanes(a, k);
        for (int n = 0; n < 1000; n++) {
            double x[TREE_SYMBOLS];
            for (int i = 0; i < TREE_SYMBOLS; i++)
                x[i] = point_for(&wood, op, n + i);
            assert_true(fast_error(a, k, op, x) <= 4);
        }
        arena_free(a);
    }
}

/* sin(x + i) and atan2(x + i, y), i < count, in rows of that length; what lies behind the workspace stays. */
static void check_row(arena *a, op_code op, int count, bool exact) {
    enum { BEHIND = 16 };
    expr_pool *pool = expr_pool_new(a);
    expr_pool_set_exact(pool, exact);
    expr x = expr_symbol(pool, SYM_P, 0), y = expr_symbol(pool, SYM_P, 1), outputs[MOST_OUTPUTS];
    for (int i = 0; i < count; i++) {
        expr sum = expr_op2(pool, OP_ADD, x, expr_number(pool, i));
        outputs[i] = ops[op].arity == 1 ? expr_op1(pool, op, sum) : expr_op2(pool, op, sum, y);
    }
    kernel *k = kernel_compile(a, pool, outputs, count, TREE_SYMBOLS, input_of, NULL);
    size_t size = kernel_work_size(k);
    double in[TREE_SYMBOLS] = {0.3, -0.7}, out[MOST_OUTPUTS], *work = arena_doubles(a, size + BEHIND);
    for (size_t i = size; i < size + BEHIND; i++)
        work[i] = 77;
    kernel_prepare(k, in, work);
    kernel_run(k, in, out, work);
    for (int i = 0; i < count; i++)
        assert_true(ulps(out[i], ops[op].value(0.3 + i, -0.7, 0)) <= (exact ? 0 : 4));
    for (size_t i = size; i < size + BEHIND; i++)
        assert_true(work[i] == 77);
}

static void rows_of_every_length(void **state) {
    (void)state;
    for (int count = 1; count <= MOST_OUTPUTS; count++) {
        arena *a = arena_new(0);
        for (int exact = 0; exact < 2; exact++) {
            check_row(a, OP_SIN, count, exact);
            check_row(a, OP_ATAN2, count, exact);
        }
        arena_free(a);
    }
}

enum { STEPS = 3000, RECENT = 150 };

typedef struct {
    expr e;
    double value; // in lane 0
} term;

static const term *random_operand(forest *wood, const term *made, int count) {
    bool any = count < RECENT || random_below(wood, 10) == 0;
    return &made[count - 1 - (int)random_below(wood, any ? (uint32_t)count : RECENT)];
}

// of moderate size: nothing overflows, and no value is a nan, of which one bit is as good as another
static term random_term(forest *wood, expr_pool *pool, const term *made, int count) {
    for (;;) {
        const term *x = random_operand(wood, made, count), *y = random_operand(wood, made, count);
        op_code op = wood->ops[random_below(wood, (uint32_t)wood->op_count)];
        double value = ops[op].value(x->value, y->value, 0);
        if (fabs(value) > 0.05 && fabs(value) < 20)
            return (term){ops[op].arity == 1 ? expr_op1(pool, op, x->e) : expr_op2(pool, op, x->e, y->e),
                          value};
    }
}

/* Long programs that have many values at once: registers are spilled, slots are used again, some values live
 * long. Every other one has functions, which empty the registers. */
static void many_live_values(void **state) {
    (void)state;
    static const op_code frequent[] = {OP_ADD, OP_SUB, OP_MUL, OP_ADD, OP_SUB, OP_MUL,
                                       OP_DIV, OP_NEG, OP_MAX, OP_ABS, OP_SIN, OP_COS};
    for (int n = 0; n < 20; n++) {
        arena *a = arena_new(0);
        forest wood = {.arena = a, .random = (uint64_t)n + 555, .ops = frequent, .op_count = n % 2 ? 12 : 10};
        expr_pool *pool = exact_pool(a);
        term *made = arena_array(a, term, STEPS);
        expr outputs[MOST_OUTPUTS];
        double lane[KERNEL_LANES][TREE_SYMBOLS];
        random_lanes(&wood, lane);
        for (int i = 0; i < TREE_SYMBOLS; i++)
            made[i] = (term){expr_symbol(pool, tree_symbol[i].kind, tree_symbol[i].index), lane[0][i]};
        for (int i = TREE_SYMBOLS; i < STEPS; i++)
            made[i] = random_term(&wood, pool, made, i);
        for (int i = 0; i < MOST_OUTPUTS; i++)
            outputs[i] = random_operand(&wood, made, STEPS)->e;
        kernel *k = kernel_compile(a, pool, outputs, MOST_OUTPUTS, TREE_SYMBOLS, input_of, NULL);
        assert_true(kernel_operations(k) > STEPS / 4);
        check_kernel(a, pool, k, outputs, lane);
        arena_free(a);
    }
}

static void derivatives(void **state) { // deep sharing
    (void)state;
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 5, .ops = some_ops, .op_count = 16};
    expr_pool *pool = exact_pool(a);
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
    expr_pool *pool = exact_pool(a);
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
    expr_pool *pool = exact_pool(a);
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
    expr_pool *pool = exact_pool(a);
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
    expr_pool *pool = exact_pool(a);
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

// a number as factor, term, base and argument of a function; powers of what moves and of a parameter
static kernel *formula_of(arena *a, kernel_store *store, double number, double exponent) {
    expr_pool *pool = exact_pool(a);
    expr_pool_set_kernels(pool, store);
    expr x = expr_symbol(pool, SYM_P, 0), p = expr_symbol(pool, SYM_PARAM, 0);
    expr c = expr_number(pool, number), n = expr_number(pool, exponent);
    expr outputs[] = {
        expr_op2(pool, OP_MUL, c, x),
        expr_op1(pool, OP_SIN, expr_op2(pool, OP_MUL, c, p)),
        expr_op2(pool, OP_POW, expr_op2(pool, OP_ADD, x, c), n),
        expr_op2(pool, OP_POW, p, n),
        expr_op2(pool, OP_ADD, expr_op2(pool, OP_POW, x, expr_number(pool, -2)), c),
        c,
    };
    int count = sizeof outputs / sizeof *outputs;
    kernel *k = kernel_compile(a, pool, outputs, count, TREE_SYMBOLS, input_of, NULL);
    double lane[KERNEL_LANES][TREE_SYMBOLS];
    forest wood = {.arena = a, .random = 5};
    random_lanes(&wood, lane);
    check_kernel(a, pool, k, outputs, lane);
    return k;
}

// what was compiled before is taken where nothing but numbers differ, and has its own
static void kept_for_other_numbers(void **state) {
    (void)state;
    static const double numbers[] = {2.5, 0.3, 1, 0, 2, -1, -2.5, 3, 1e300, 0.7},
                        exponents[] = {2, 3, -2, -1, 0.5, 1, 0, 2.5};
    kernel_store *store = kernel_store_new();
    assert_non_null(store);
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            arena *a = arena_new(0);
            formula_of(a, store, numbers[k], exponents[i]);
            arena_free(a);
        }
    arena *a = arena_new(0), *b = arena_new(0);
    const kernel *first = formula_of(a, store, 2.7, 3), *second = formula_of(b, store, 0.9, 3);
    assert_ptr_equal(first->program.steps, second->program.steps);
    assert_ptr_not_equal(first->program.steps, formula_of(b, store, 0.9, 2)->program.steps);
    assert_ptr_not_equal(first->program.steps, formula_of(b, NULL, 0.9, 3)->program.steps);
    kernel_store_leave(store); // what is in use stays
    arena_free(a);
    assert_true(second->program.count > 0 && second->program.steps[0].op != OP_NUMBER);
    arena_free(b);
}

static void long_sums(void **state) {
    (void)state;
    enum { TERMS = 100000 };
    arena *a = arena_new(0);
    forest wood = {.arena = a, .random = 4};
    expr_pool *pool = exact_pool(a);
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

/* A process may forbid itself to make memory executable (Linux 6.3); it cannot take that back. */
static int run_without_code(void) {
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1, SKIPPED = 2 };
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
        return SKIPPED;
    arena *a = arena_new(0);
    expr_pool *pool = exact_pool(a);
    expr x = expr_symbol(pool, SYM_P, 0), sum = expr_op2(pool, OP_ADD, x, expr_op1(pool, OP_SIN, x));
    kernel *k = kernel_compile(a, pool, &sum, 1, TREE_SYMBOLS, input_of, NULL);
    kernel_add_lanes(a, k);
    double in[TREE_SYMBOLS] = {0.5}, out = 0, *work = arena_doubles(a, kernel_work_size(k));
    kernel_prepare(k, in, work);
    kernel_run(k, in, &out, work);
    arena_free(a);
    return native_allowed() || out != 0.5 + sin(0.5);
}

static void memory_that_cannot_be_executed(void **state) {
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(run_without_code());
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        skip();
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions),
        cmocka_unit_test(special_values),
        cmocka_unit_test(each_operation),
        cmocka_unit_test(fast_functions),
        cmocka_unit_test(rows_of_every_length),
        cmocka_unit_test(many_live_values),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(every_exponent),
        cmocka_unit_test(powers_share_their_squares),
        cmocka_unit_test(parameters_are_prepared),
        cmocka_unit_test(outputs_of_every_kind),
        cmocka_unit_test(kept_for_other_numbers),
        cmocka_unit_test(long_sums),
        cmocka_unit_test(memory_that_cannot_be_executed),
    };
    int failed = 0;
    for (int path = PATH_TAPE; path <= (int)native_best(); path++) {
        setenv("TRAMMEL_KERNEL", native_name((native_path)path), 1);
        failed += cmocka_run_group_tests_name(native_name((native_path)path), tests, NULL, NULL);
    }
    return failed;
}
