/* Derivatives against differences. The oracle knows no rule of differentiation: central differences of the
 * tree's own evaluation in long double, extrapolated twice (Richardson) to an error of order h^6.
 *
 * Tolerances. With h = 1e-3 rounding leaves 1e-19/1e-3 = 1e-16 of the values' size, and the difference of
 * the last two extrapolations bounds the rest; points where it exceeds 1e-11 (kinks, jumps and poles nearby)
 * say nothing and are left out. So are points where rounding matters: where the derivative's expression,
 * evaluated in long double, differs by more than 1e-12. What is left must agree to 1e-10. All relative to 1 +
 * |value|. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/share.h"
#include "trees.h"

static const op_code differentiable[] = {
    OP_NEG,  OP_ADD, OP_SUB,  OP_MUL, OP_DIV,  OP_POW, OP_ADD,  OP_SUB,  OP_MUL,  OP_DIV,   OP_ADD,  OP_MUL,
    OP_ADD,  OP_MUL, OP_SQRT, OP_SIN, OP_COS,  OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN, OP_ATAN2, OP_SINH, OP_COSH,
    OP_TANH, OP_EXP, OP_LOG,  OP_ABS, OP_SIGN, OP_MIN, OP_MAX,  OP_LT,   OP_IF,   OP_IF};
static const op_code choosing[] = {OP_ADD, OP_MUL, OP_SIN, OP_ATAN2, OP_MIN, OP_MAX, OP_ABS, OP_LT, OP_LE,
                                   OP_EQ,  OP_NE,  OP_AND, OP_OR,    OP_NOT, OP_IF,  OP_IF,  OP_IF};
enum {
    OPERATIONS = sizeof differentiable / sizeof *differentiable,
    CHOICES = sizeof choosing / sizeof *choosing
};

static forest plant(arena *a, int seed) { // every fourth wood consists mostly of conditions
    bool choice = seed % 4 == 0;
    return (forest){.arena = a,
                    .random = (uint64_t)seed,
                    .ops = choice ? choosing : differentiable,
                    .op_count = choice ? CHOICES : OPERATIONS};
}

/* A path through all symbols: x_i + s along a direction that may curve. */
typedef void (*path)(const void *context, long double s, long double *x);

typedef struct {
    const double *x;
    int symbol;
} straight;

static void along_symbol(const void *context, long double s, long double *x) {
    const straight *line = context;
    for (int i = 0; i < TREE_SYMBOLS; i++)
        x[i] = line->x[i] + (i == line->symbol ? s : 0);
}

// f' at s = 0; false where differences say nothing
static bool difference(const tree *t, path where, const void *context, double *result) {
    long double estimate[3], x[TREE_SYMBOLS], h = 1e-3L;
    int tame = 1;
    for (int i = 0; i < 3; i++, h /= 2) {
        where(context, h, x);
        long double right = tree_long_value(t, x, 1e4L, &tame);
        where(context, -h, x);
        estimate[i] = (right - tree_long_value(t, x, 1e4L, &tame)) / (2 * h);
    }
    long double first = (4 * estimate[1] - estimate[0]) / 3, second = (4 * estimate[2] - estimate[1]) / 3;
    long double best = (16 * second - first) / 15;
    *result = (double)best;
    return tame && fabsl(best) < 1e6L && fabsl(best - second) <= 1e-11L * (1 + fabsl(best));
}

/* Where expressions are evaluated: the symbols of trees, and the time that accelerations follow from. */
typedef struct {
    double x[TREE_SYMBOLS], time;
} instant;

// whether rounding hardly matters in the value of e: in long double it is the same
static bool precise(const expr_pool *pool, expr e, expr_get get, instant *at, double value) {
    arena *a = arena_new(0);
    expr *order;
    int count = expr_order(pool, &e, 1, a, &order);
    long double *v = arena_array(a, long double, expr_pool_size(pool));
    for (int i = 0; i < count; i++) {
        expr x = order[i], arg[3] = {0};
        op_code op = expr_op(pool, x);
        for (int k = 0; k < ops[op].arity; k++)
            arg[k] = expr_arg(pool, x, k);
        if (op == OP_NUMBER)
            v[x] = expr_value(pool, x);
        else if (op == OP_SYMBOL)
            v[x] = get(at, expr_kind(pool, x), expr_index(pool, x));
        else
            v[x] = tree_long_value_op(op, v[arg[0]], v[arg[1]], v[arg[2]]);
    }
    long double error = fabsl(v[e] - value);
    arena_free(a);
    return error <= 1e-12L * (1 + fabsl((long double)value));
}

static void compare(int number, double value, double truth) {
    if (!(fabs(value - truth) <= 1e-10 * (1 + fabs(truth))))
        fail_msg("tree %d: derivative %.17g, difference %.17g", number, value, truth);
}

// the symbols for which the derivative was compared and is not 0
static int compare_derivatives(expr_pool *pool, forest *wood, int number) {
    tree *t = tree_random(wood, 6);
    expr e = tree_build(pool, t);
    instant at;
    double truth;
    random_point(wood, at.x, 0.1, 1.9);
    int compared = 0;
    for (int i = 0; i < TREE_SYMBOLS; i++) {
        expr d = expr_diff(pool, e, tree_symbol[i].kind, tree_symbol[i].index);
        assert_int_not_equal(d, EXPR_NONE);
        double value = expr_eval(pool, d, tree_get, &at);
        if (!difference(t, along_symbol, &(straight){at.x, i}, &truth) ||
            !precise(pool, d, tree_get, &at, value))
            continue;
        compare(number, value, truth);
        compared += truth != 0;
    }
    return compared;
}

static void derivatives_are_limits_of_differences(void **state) {
    (void)state;
    int trees = 0;
    for (int i = 0; i < 40000; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = plant(a, i);
        trees += compare_derivatives(expr_pool_new(a), &wood, i) > 0;
        arena_free(a);
    }
    assert_true(trees > 5000 / test_every());
}

// each rule alone, at several points, so that none is left out by chance
static void every_rule(void **state) {
    (void)state;
    static tree x = {.op = OP_SYMBOL, .symbol = 0}, y = {.op = OP_SYMBOL, .symbol = 1},
                z = {.op = OP_SYMBOL, .symbol = 2};
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    forest wood = plant(a, 1);
    for (int op = OP_NEG; op < OP_COUNT; op++) {
        if (op == OP_FLOOR)
            continue;
        tree t = {.op = (op_code)op, .arg = {&x, &y, &z}};
        expr e = tree_build(pool, &t);
        for (int i = 0; i < 200; i++) {
            double at[TREE_SYMBOLS], truth;
            random_point(&wood, at, i % 2 ? 0.05 : -0.95, 0.95);
            straight line = {at, i % 3};
            if (!difference(&t, along_symbol, &line, &truth))
                continue; // log(-x)
            expr d = expr_diff(pool, e, tree_symbol[line.symbol].kind, tree_symbol[line.symbol].index);
            compare(op, expr_eval(pool, d, tree_get, at), truth);
        }
    }
    arena_free(a);
}

/* Positions on curves, with their velocities and, for the derivative, accelerations. */
static const double phase[2] = {0.3, 1.1};

static void along_motion(const void *context, long double s, long double *x) {
    long double t = *(const double *)context + s;
    for (int i = 0; i < 2; i++) {
        x[i] = 1 + 0.5L * sinl(t + phase[i]);
        x[2 + i] = 0.5L * cosl(t + phase[i]);
    }
    x[4] = t;
    x[5] = 0.7L;
    x[6] = 1.3L;
    x[7] = 0.4L;
}

static double get_motion(void *context, sym_kind kind, int index) {
    instant *now = context;
    if (kind == SYM_A)
        return -0.5 * sin(now->time + phase[index]);
    return tree_get(now->x, kind, index);
}

static void total_derivatives_follow_motions(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < 20000; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = plant(a, i + 100000);
        tree *t = tree_random(&wood, 5);
        expr_pool *pool = expr_pool_new(a);
        expr d = expr_dt(pool, tree_build(pool, t));
        instant now = {.time = random_between(&wood, 0.1, 1.5)};
        double truth;
        bool usable = difference(t, along_motion, &now.time, &truth);
        long double x[TREE_SYMBOLS];
        along_motion(&now.time, 0, x);
        for (int k = 0; k < TREE_SYMBOLS; k++)
            now.x[k] = (double)x[k];
        double value = expr_eval(pool, d, get_motion, &now);
        if (usable && precise(pool, d, get_motion, &now, value)) {
            compare(i, value, truth);
            compared += truth != 0;
        }
        arena_free(a);
    }
    assert_true(compared > 4000 / test_every());
}

static expr diff_by(expr_pool *pool, expr e, int symbol) {
    return expr_diff(pool, e, tree_symbol[symbol].kind, tree_symbol[symbol].index);
}

// how many second derivatives were compared and are not 0
static int compare_mixed(expr_pool *pool, expr e, instant *at, int number) {
    int compared = 0;
    for (int i = 0; i < TREE_SYMBOLS; i++)
        for (int j = 0; j < i; j++) {
            expr one = diff_by(pool, diff_by(pool, e, i), j), two = diff_by(pool, diff_by(pool, e, j), i);
            double first = expr_eval(pool, one, tree_get, at), second = expr_eval(pool, two, tree_get, at);
            if (!precise(pool, one, tree_get, at, first) || !precise(pool, two, tree_get, at, second))
                continue;
            compare(number, first, second);
            compared += first != 0;
        }
    return compared;
}

static void mixed_derivatives_commute(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < 20000; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = plant(a, i + 200000);
        tree *t = tree_random(&wood, 5);
        expr_pool *pool = expr_pool_new(a);
        instant at;
        random_point(&wood, at.x, 0.1, 1.9);
        int tame = 1;
        tree_value(t, at.x, 1e4, &tame);
        if (tame)
            compared += compare_mixed(pool, tree_build(pool, t), &at, i);
        arena_free(a);
    }
    assert_true(compared > 3000 / test_every());
}

// two expressions of one value, where rounding hardly matters in either
static int compare_same(expr_pool *pool, expr a, expr b, instant *at, int tree_number) {
    assert_true((a == EXPR_NONE) == (b == EXPR_NONE));
    double one = expr_eval(pool, a, tree_get, at->x), other = expr_eval(pool, b, tree_get, at->x);
    if (!isfinite(one + other) || fabs(other) > 1e6 || !precise(pool, a, tree_get, at, one) ||
        !precise(pool, b, tree_get, at, other))
        return 0;
    if (fabs(one - other) > 1e-10 * (1 + fabs(other)))
        fail_msg("tree %d: %.17g and %.17g", tree_number, one, other);
    return 1;
}

static int compare_gradient(expr_pool *pool, expr e, instant *at, int tree_number) {
    expr by_p[2], by_v[2];
    int compared = 0;
    expr_gradient(pool, e, 2, (expr *[SYM_KINDS]){[SYM_P] = by_p, [SYM_V] = by_v});
    for (int i = 0; i < 2; i++) {
        compared += compare_same(pool, by_p[i], expr_diff(pool, e, SYM_P, i), at, tree_number);
        compared += compare_same(pool, by_v[i], expr_diff(pool, e, SYM_V, i), at, tree_number);
    }
    return compared;
}

static expr no_acceleration(void *context, sym_kind kind, int index) {
    (void)index;
    return kind == SYM_A ? expr_number(context, 0) : EXPR_NONE;
}

static int compare_drift(expr_pool *pool, expr e, instant *at, int tree_number) {
    expr whole = expr_substitute(pool, expr_dt(pool, e), no_acceleration, pool);
    return compare_same(pool, expr_drift(pool, e), whole, at, tree_number);
}

static int compare_hessian(expr_pool *pool, expr e, instant *at, int tree_number) {
    expr second[4];
    int compared = 0;
    bool polynomial = expr_hessian(pool, e, SYM_V, 2, second);
    assert_int_equal(polynomial, expr_degree(pool, e, SYM_V) >= 0);
    for (int i = 0; i < 4 && polynomial; i++) {
        expr twice = expr_diff(pool, expr_diff(pool, e, SYM_V, i / 2), SYM_V, i % 2);
        compared += compare_same(pool, second[i], twice, at, tree_number);
    }
    return compared;
}

/* All derivatives at once, the drift and second derivatives against one at a time. */
static void sweeps_are_single_derivatives(void **state) {
    (void)state;
    static const op_code polynomial[] = {OP_NEG, OP_ADD, OP_SUB, OP_MUL, OP_MUL, OP_POW, OP_DIV, OP_IF};
    int gradients = 0, drifts = 0, seconds = 0;
    for (int i = 0; i < 20000; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = plant(a, i + 300000);
        if (i % 2) {
            wood.ops = polynomial;
            wood.op_count = sizeof polynomial / sizeof *polynomial;
        }
        tree *t = tree_random(&wood, 6);
        expr_pool *pool = expr_pool_new(a);
        instant at;
        random_point(&wood, at.x, 0.1, 1.9);
        int tame = 1;
        tree_value(t, at.x, 1e4, &tame);
        expr e = tree_build(pool, t);
        if (tame) {
            gradients += compare_gradient(pool, e, &at, i);
            drifts += compare_drift(pool, e, &at, i);
            seconds += compare_hessian(pool, e, &at, i);
        }
        arena_free(a);
    }
    assert_true(gradients > 20000 / test_every());
    assert_true(drifts > 5000 / test_every());
    assert_true(seconds > 5000 / test_every());
}

// T = s_1^2 + ... + s_n^2 with s_i = s_(i-1) + p_i v_i: gradient linear, second derivatives quadratic in n
static void sweep_chain(int n, int *first, int *second) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr s = expr_number(pool, 0), T = s, *out = arena_array(a, expr, n * n);
    for (int i = 0; i < n; i++) {
        expr term = expr_op2(pool, OP_MUL, expr_symbol(pool, SYM_P, i), expr_symbol(pool, SYM_V, i));
        s = expr_op2(pool, OP_ADD, s, term);
        T = expr_op2(pool, OP_ADD, T, expr_op2(pool, OP_POW, s, expr_number(pool, 2)));
    }
    int before = expr_pool_size(pool);
    expr_gradient(pool, T, n, (expr *[SYM_KINDS]){[SYM_V] = out});
    *first = expr_pool_size(pool) - before;
    assert_true(expr_hessian(pool, T, SYM_V, n, out));
    *second = expr_pool_size(pool) - before - *first;
    arena_free(a);
}

static void sweeps_share_what_is_common(void **state) {
    (void)state;
    for (int n = 10; n <= 160; n *= 2) {
        int first, second;
        sweep_chain(n, &first, &second);
        assert_true(first <= 5 * n);
        assert_true(second <= n * n + 5 * n);
    }
}

static void what_has_no_derivative(void **state) {
    (void)state;
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr x = expr_symbol(pool, SYM_P, 0), y = expr_symbol(pool, SYM_P, 1), zero = expr_number(pool, 0);
    expr whole = expr_op1(pool, OP_FLOOR, x);
    assert_int_equal(expr_diff(pool, expr_op2(pool, OP_MUL, y, whole), SYM_P, 0), EXPR_NONE);
    assert_int_equal(expr_diff(pool, expr_op2(pool, OP_MUL, y, whole), SYM_P, 1), whole);
    assert_int_equal(expr_dt(pool, whole), EXPR_NONE);
    expr both[2];
    expr_gradient(pool, expr_op2(pool, OP_MUL, y, whole), 2, (expr *[SYM_KINDS]){[SYM_P] = both});
    assert_int_equal(both[0], EXPR_NONE);
    assert_int_equal(both[1], whole);
    assert_int_equal(expr_diff(pool, expr_op1(pool, OP_SIGN, x), SYM_P, 0), zero);
    // a condition only chooses, whatever it is made of
    expr chosen = expr_op3(pool, OP_IF, expr_op2(pool, OP_LT, whole, y), x, y);
    expr one = expr_number(pool, 1);
    assert_int_equal(expr_diff(pool, chosen, SYM_P, 0),
                     expr_op3(pool, OP_IF, expr_op2(pool, OP_LT, whole, y), one, zero));
    assert_int_equal(expr_dt(pool, expr_symbol(pool, SYM_A, 0)), EXPR_NONE);
    assert_int_equal(expr_dt(pool, expr_symbol(pool, SYM_RESULT, 0)), EXPR_NONE);
    assert_int_equal(expr_dt(pool, expr_symbol(pool, SYM_PARAM, 0)), zero);
    assert_int_equal(expr_dt(pool, x), expr_symbol(pool, SYM_V, 0));
    // log(x) only where the exponent depends on the symbol
    expr power = expr_op2(pool, OP_POW, x, y), d = expr_diff(pool, power, SYM_P, 0), *order;
    for (int i = expr_order(pool, &d, 1, a, &order); i-- > 0;)
        assert_int_not_equal(expr_op(pool, order[i]), OP_LOG);
    arena_free(a);
}

static expr double_of(void *context, sym_kind kind, int index) {
    return expr_op2(context, OP_MUL, expr_number(context, 3), expr_symbol(context, kind, index));
}

static void depth_is_no_limit(void **state) {
    (void)state;
    enum { TERMS = 100000 };
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr x = expr_symbol(pool, SYM_P, 0), sum = x, nest = x;
    for (int i = 1; i < TERMS; i++) {
        sum = expr_op2(pool, OP_ADD, sum, expr_op1(pool, OP_SIN, expr_symbol(pool, SYM_P, i % 1000)));
        nest = expr_op2(pool, OP_MUL, x, expr_op1(pool, OP_COS, nest));
    }
    int before = expr_pool_size(pool);
    for (int i = 0; i < 10; i++)
        assert_int_not_equal(expr_diff(pool, sum, SYM_P, i), EXPR_NONE);
    assert_true(expr_pool_size(pool) - before < 3000); // zero derivatives build nothing
    assert_int_not_equal(expr_dt(pool, sum), EXPR_NONE);
    assert_int_not_equal(expr_diff(pool, nest, SYM_P, 0), EXPR_NONE);
    expr other = expr_substitute(pool, sum, double_of, pool);
    double at[TREE_SYMBOLS] = {0};
    assert_true(expr_eval(pool, expr_diff(pool, other, SYM_P, 0), tree_get, at) == 3 + 3 * 99);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_limits_of_differences),
        cmocka_unit_test(every_rule),
        cmocka_unit_test(total_derivatives_follow_motions),
        cmocka_unit_test(mixed_derivatives_commute),
        cmocka_unit_test(sweeps_are_single_derivatives),
        cmocka_unit_test(sweeps_share_what_is_common),
        cmocka_unit_test(what_has_no_derivative),
        cmocka_unit_test(depth_is_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
