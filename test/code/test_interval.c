/* Kernels on intervals: whatever the inputs within their bounds, values and slopes are within those of the
 * outputs; and the bounds are hardly wider than the values where the box is small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>

#include "../expr/trees.h"
#include "code/interval.h"
#include "support/share.h"

static const op_code all_ops[] = {
    OP_NEG,  OP_ADD,   OP_SUB,  OP_MUL,   OP_DIV,  OP_POW,  OP_ADD,  OP_MUL, OP_SQRT, OP_SIN, OP_COS,  OP_TAN,
    OP_ASIN, OP_ACOS,  OP_ATAN, OP_ATAN2, OP_SINH, OP_COSH, OP_TANH, OP_EXP, OP_LOG,  OP_ABS, OP_SIGN, OP_MIN,
    OP_MAX,  OP_FLOOR, OP_LT,   OP_LE,    OP_EQ,   OP_NE,   OP_AND,  OP_OR,  OP_NOT,  OP_IF};
static const op_code smooth_ops[] = {OP_NEG,  OP_ADD,  OP_SUB, OP_MUL,  OP_DIV,   OP_POW,  OP_SIN, OP_COS,
                                     OP_ATAN, OP_TANH, OP_EXP, OP_SINH, OP_ATAN2, OP_COSH, OP_SQRT};
enum { ALL = sizeof all_ops / sizeof *all_ops, SMOOTH = sizeof smooth_ops / sizeof *smooth_ops, POINTS = 40 };

static int input_of(void *context, sym_kind kind, int index) {
    (void)context;
    for (int i = 0; i < TREE_SYMBOLS; i++)
        if (tree_symbol[i].kind == kind && tree_symbol[i].index == index)
            return i;
    fail();
    return 0;
}

typedef struct { // x + t slope, t = 0 .. width; parameters stay
    double x[TREE_SYMBOLS], slope[TREE_SYMBOLS], width;
} line;

static line random_line(forest *wood, double width) {
    line l = {.width = width};
    random_point(wood, l.x, -2, 2);
    for (int i = 0; i < TREE_SYMBOLS; i++)
        l.slope[i] = tree_symbol[i].kind == SYM_PARAM ? 0 : random_between(wood, -1, 1);
    return l;
}

static double value_on(const expr_pool *pool, expr e, const line *l, double t) {
    double at[TREE_SYMBOLS];
    for (int i = 0; i < TREE_SYMBOLS; i++)
        at[i] = l->x[i] + t * l->slope[i];
    return expr_eval(pool, e, tree_get, at);
}

typedef struct {
    interval value, slope;
} bound;

static bound bound_on(arena *a, const expr_pool *pool, expr e, const line *l) {
    kernel *k = kernel_compile_tape(a, pool, &e, 1, TREE_SYMBOLS, input_of, NULL);
    interval in[TREE_SYMBOLS], slope[TREE_SYMBOLS];
    bound out;
    for (int i = 0; i < TREE_SYMBOLS; i++) {
        double end = l->x[i] + l->width * l->slope[i];
        in[i] = interval_hull(interval_of(l->x[i]), interval_of(end));
        slope[i] = interval_of(l->slope[i]);
    }
    bounds b = {in,
                slope,
                &out.value,
                &out.slope,
                arena_alloc(a, kernel_bounds_size(k) * sizeof(interval)),
                arena_alloc(a, kernel_bounds_size(k) * sizeof(interval))};
    kernel_bounds_prepare(k, l->x, b.work);
    kernel_bound(k, &b);
    return out;
}

static void check(const expr_pool *pool, expr e, const line *l, bound found, forest *wood, long *counted) {
    double last = NAN, last_t = 0;
    for (int i = 0; i < POINTS; i++) {
        double t = i < 2 ? i * l->width : random_between(wood, 0, l->width), value = value_on(pool, e, l, t);
        if (isnan(value))
            return; // what is no number has no bounds
        assert_true(interval_has(found.value, value));
        double rounding = 1e-13 * (1 + fabs(value)) / fmax(fabs(t - last_t), 1e-300);
        if (!isnan(last) && isfinite(value) && isfinite(last) && t != last_t) {
            double slope = (value - last) / (t - last_t);
            double slack = rounding * (1 + 1e3 * fabs(value)) + 1e-9 * fabs(slope);
            if (slack < 1e-3 * (1 + fabs(slope))) {
                assert_true(slope >= found.slope.lo - slack && slope <= found.slope.hi + slack);
                *counted += isfinite(found.slope.lo) && isfinite(found.slope.hi);
            }
        }
        last = value;
        last_t = t;
    }
}

static void hold(void **state) {
    (void)state;
    long slopes = 0;
    for (int i = 0; i < 6000; i += (int)test_every()) {
        arena *a = arena_new(0);
        bool smooth = i % 2;
        forest wood = {.arena = a,
                       .random = (uint64_t)i,
                       .ops = smooth ? smooth_ops : all_ops,
                       .op_count = smooth ? SMOOTH : ALL};
        expr_pool *pool = expr_pool_new(a);
        expr e = tree_build(pool, tree_random(&wood, 1 + i % 5));
        line l = random_line(&wood, pow(10, -random_between(&wood, 0, 3)));
        check(pool, e, &l, bound_on(a, pool, e, &l), &wood, &slopes);
        arena_free(a);
    }
    assert_true(slopes > 50000 / test_every());
}

// a tenth of the box, at most about a tenth of the width
static void shrink(void **state) {
    (void)state;
    int counted = 0;
    for (int i = 0; i < 2000; i += (int)test_every()) {
        arena *a = arena_new(0);
        forest wood = {.arena = a, .random = (uint64_t)i + 77777, .ops = smooth_ops, .op_count = SMOOTH};
        expr_pool *pool = expr_pool_new(a);
        expr e = tree_build(pool, tree_random(&wood, 4));
        line wide = random_line(&wood, 1e-4), narrow = wide;
        narrow.width = 1e-5;
        bound w = bound_on(a, pool, e, &wide), n = bound_on(a, pool, e, &narrow);
        double size = fmax(fabs(w.value.lo), fabs(w.value.hi)), width = w.value.hi - w.value.lo;
        if (width < 1e-2 && width > 1e-7 * size && width > 1e-12) { // else it is not small
            counted++;
            assert_true(n.value.hi - n.value.lo < 0.2 * width);
        }
        arena_free(a);
    }
    assert_true(counted > 500 / test_every());
}

// ---- one by one

static bound of_text(op_code op, interval x, interval y) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr p = expr_symbol(pool, SYM_P, 0), q = expr_symbol(pool, SYM_P, 1);
    expr e = ops[op].arity == 1 ? expr_op1(pool, op, p) : expr_op2(pool, op, p, q);
    kernel *k = kernel_compile_tape(a, pool, &e, 1, TREE_SYMBOLS, input_of, NULL);
    interval in[TREE_SYMBOLS] = {x, y}, slope[TREE_SYMBOLS] = {{1, 1}, {0, 0}};
    bound out;
    bounds b = {in,
                slope,
                &out.value,
                &out.slope,
                arena_alloc(a, kernel_bounds_size(k) * sizeof(interval)),
                arena_alloc(a, kernel_bounds_size(k) * sizeof(interval))};
    kernel_bounds_prepare(k, (double[TREE_SYMBOLS]){0}, b.work);
    kernel_bound(k, &b);
    arena_free(a);
    return out;
}

static void assert_bounds(interval found, double lo, double hi) {
    assert_true(found.lo <= lo && found.lo >= lo - 1e-14 * (1 + fabs(lo)));
    assert_true(found.hi >= hi && found.hi <= hi + 1e-14 * (1 + fabs(hi)));
}

static void branches_of_atan2(void **state) {
    (void)state;
    const double pi = acos(-1);
    const interval none = {0, 0};
    assert_bounds(of_text(OP_ATAN2, (interval){1, 1}, (interval){-1, 1}).value, pi / 4, 3 * pi / 4);
    assert_bounds(of_text(OP_ATAN2, (interval){0.5, 1}, (interval){-2, -1}).value, 3 * pi / 4,
                  pi - atan(0.25));
    assert_bounds(of_text(OP_ATAN2, (interval){-1, 1}, (interval){1, 2}).value, -pi / 4, pi / 4);
    assert_bounds(of_text(OP_ATAN2, (interval){-1, -0.5}, (interval){-1, -1}).value, -pi + atan(0.5),
                  -3 * pi / 4);
    assert_bounds(of_text(OP_ATAN2, (interval){0, 1}, (interval){-1, -1}).value, 3 * pi / 4, pi);
    assert_bounds(of_text(OP_ATAN2, (interval){-0.1, 0.1}, (interval){-2, -1}).value, -pi, pi); // the cut
    assert_true(isinf(of_text(OP_ATAN2, (interval){-0.1, 0.1}, (interval){-2, -1}).slope.hi));
    assert_bounds(of_text(OP_ATAN2, none, none).value, -pi, pi);
}

static void waves_and_poles(void **state) {
    (void)state;
    const interval none = {0, 0};
    assert_bounds(of_text(OP_SIN, (interval){1, 2}, none).value, sin(1), 1);
    assert_bounds(of_text(OP_SIN, (interval){4, 5}, none).value, -1, sin(4));
    assert_bounds(of_text(OP_COS, (interval){-1, 1}, none).value, cos(1), 1);
    assert_bounds(of_text(OP_COS, (interval){100, 107}, none).value, -1, 1);
    assert_bounds(of_text(OP_COS, (interval){6.5, 7}, none).value, cos(7), cos(6.5));
    assert_true(isinf(of_text(OP_TAN, (interval){1, 2}, none).value.hi));
    assert_bounds(of_text(OP_TAN, (interval){2, 3}, none).value, tan(2), tan(3));
    assert_true(isinf(of_text(OP_DIV, (interval){1, 1}, (interval){-1, 1}).value.hi));
    assert_bounds(of_text(OP_DIV, (interval){1, 2}, (interval){2, 4}).value, 0.25, 1);
    assert_true(isinf(of_text(OP_LOG, (interval){0, 1}, none).value.lo));
    assert_true(isinf(of_text(OP_SQRT, (interval){-1, 1}, none).value.hi));
    assert_bounds(of_text(OP_SQRT, (interval){0, 4}, none).value, 0, 2);
    assert_true(isinf(of_text(OP_SQRT, (interval){0, 4}, none).slope.hi));
}

static void choices(void **state) {
    (void)state;
    bound undecided = of_text(OP_LT, (interval){0, 1}, (interval){0.5, 0.5});
    assert_true(undecided.value.lo == 0 && undecided.value.hi == 1 && isinf(undecided.slope.hi));
    bound decided = of_text(OP_LT, (interval){0, 0.4}, (interval){0.5, 0.5});
    assert_true(decided.value.lo == 1 && decided.value.hi == 1 && decided.slope.lo == 0 &&
                decided.slope.hi == 0);
    bound kink = of_text(OP_ABS, (interval){-1, 2}, (interval){0, 0});
    assert_bounds(kink.value, 0, 2);
    assert_bounds(kink.slope, -1, 1);
    bound least = of_text(OP_MIN, (interval){-1, 2}, (interval){0, 0});
    assert_bounds(least.value, -1, 0);
    assert_bounds(least.slope, 0, 1);
    assert_bounds(of_text(OP_FLOOR, (interval){1.5, 1.7}, (interval){0, 0}).slope, 0, 0);
    assert_true(isinf(of_text(OP_FLOOR, (interval){1.5, 2.7}, (interval){0, 0}).slope.hi));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hold),
        cmocka_unit_test(shrink),
        cmocka_unit_test(branches_of_atan2),
        cmocka_unit_test(waves_and_poles),
        cmocka_unit_test(choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
