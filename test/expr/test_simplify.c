/* Simplification: the rules, as structural equality, and on random expressions that no rule changes a value.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trees.h"

typedef struct {
    arena *arena;
    expr_pool *pool;
    expr x, y, z; // symbols
} fixture;

static int setup(void **state) {
    arena *a = arena_new(0);
    fixture *f = arena_array(a, fixture, 1);
    f->arena = a;
    f->pool = expr_pool_new(a);
    f->x = expr_symbol(f->pool, SYM_P, 0);
    f->y = expr_symbol(f->pool, SYM_P, 1);
    f->z = expr_symbol(f->pool, SYM_PARAM, 0);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    arena_free(((fixture *)*state)->arena);
    return 0;
}

#define FIXTURE                                                                                              \
    fixture *f = *state;                                                                                     \
    expr_pool *pool = f->pool;                                                                               \
    expr x = f->x, y = f->y, z = f->z;                                                                       \
    (void)x, (void)y, (void)z, (void)pool
#define N(value)        expr_number(pool, value)
#define NEG(a)          expr_op1(pool, OP_NEG, a)
#define ADD(a, b)       expr_op2(pool, OP_ADD, a, b)
#define SUB(a, b)       expr_op2(pool, OP_SUB, a, b)
#define MUL(a, b)       expr_op2(pool, OP_MUL, a, b)
#define DIV(a, b)       expr_op2(pool, OP_DIV, a, b)
#define POW(a, b)       expr_op2(pool, OP_POW, a, b)
#define F1(op, a)       expr_op1(pool, op, a)
#define F2(op, a, b)    expr_op2(pool, op, a, b)
#define IF(c, a, b)     expr_op3(pool, OP_IF, c, a, b)
#define SAME(a, b)      assert_int_equal(a, b)
#define DIFFERENT(a, b) assert_int_not_equal(a, b)

static void nodes_are_shared(void **state) {
    FIXTURE;
    SAME(expr_symbol(pool, SYM_P, 0), x);
    DIFFERENT(expr_symbol(pool, SYM_V, 0), x);
    SAME(N(2.5), N(2.5));
    SAME(N(-0.0), N(0.0));
    SAME(ADD(x, y), ADD(y, x));
    SAME(MUL(F1(OP_SIN, x), y), MUL(y, F1(OP_SIN, x)));
    SAME(F2(OP_MIN, x, y), F2(OP_MIN, y, x));
    DIFFERENT(SUB(x, y), SUB(y, x));
    DIFFERENT(F2(OP_ATAN2, x, y), F2(OP_ATAN2, y, x));
    SAME(expr_op(pool, ADD(x, y)), OP_ADD);
    assert_true(expr_kinds(pool, MUL(x, z)) == (1u << SYM_P | 1u << SYM_PARAM));
    assert_true(expr_has(pool, ADD(x, z), SYM_PARAM) && !expr_has(pool, ADD(x, z), SYM_V));
}

static void neutral_elements(void **state) {
    FIXTURE;
    SAME(ADD(x, N(0)), x);
    SAME(ADD(N(0), x), x);
    SAME(SUB(x, N(0)), x);
    SAME(SUB(N(0), x), NEG(x));
    SAME(MUL(x, N(1)), x);
    SAME(MUL(N(-1), x), NEG(x));
    SAME(DIV(x, N(1)), x);
    SAME(DIV(x, N(-1)), NEG(x));
    SAME(POW(x, N(1)), x);
    SAME(POW(x, N(0)), N(1));
    SAME(POW(x, N(-1)), DIV(N(1), x));
    SAME(MUL(x, x), POW(x, N(2)));
    SAME(F2(OP_MAX, x, x), x);
}

static void signs_move_out(void **state) {
    FIXTURE;
    SAME(NEG(NEG(x)), x);
    SAME(ADD(x, NEG(y)), SUB(x, y));
    SAME(SUB(x, NEG(y)), ADD(x, y));
    SAME(ADD(NEG(x), y), SUB(y, x));
    SAME(NEG(SUB(x, y)), SUB(y, x));
    SAME(SUB(NEG(x), y), NEG(ADD(x, y)));
    SAME(MUL(NEG(x), y), NEG(MUL(x, y)));
    SAME(MUL(NEG(x), NEG(y)), MUL(x, y));
    SAME(DIV(x, NEG(y)), NEG(DIV(x, y)));
    SAME(ADD(x, N(-3)), SUB(x, N(3)));
    SAME(ADD(x, MUL(N(-3), y)), SUB(x, MUL(N(3), y)));
    SAME(MUL(MUL(N(-3), x), y), NEG(MUL(MUL(N(3), x), y)));
    SAME(NEG(MUL(N(3), x)), MUL(N(-3), x));
    SAME(POW(NEG(x), N(2)), POW(x, N(2)));
    SAME(POW(NEG(x), N(3)), NEG(POW(x, N(3))));
    SAME(F1(OP_ABS, NEG(x)), F1(OP_ABS, x));
}

static void powers_of_two_move_out(void **state) {
    FIXTURE;
    SAME(ADD(x, x), MUL(N(2), x));
    SAME(DIV(x, N(2)), MUL(N(0.5), x));
    SAME(MUL(MUL(N(2), x), MUL(N(0.25), y)), MUL(N(0.5), MUL(x, y)));
    SAME(MUL(N(0.5), MUL(z, MUL(N(2), x))), MUL(z, x));
    SAME(MUL(N(2), MUL(N(3), x)), MUL(N(6), x));
    SAME(DIV(MUL(N(2), x), MUL(N(4), y)), MUL(N(0.5), DIV(x, y)));
    SAME(POW(MUL(N(2), x), N(3)), MUL(N(8), POW(x, N(3))));
    SAME(ADD(MUL(N(0.5), x), MUL(N(0.5), y)), MUL(N(0.5), ADD(x, y)));
    SAME(SUB(MUL(N(2), x), MUL(N(2), x)), N(0));
    SAME(DIV(N(1), MUL(N(-2), x)), DIV(N(-0.5), x));
    SAME(MUL(N(2), DIV(N(3), x)), DIV(N(6), x));
    DIFFERENT(MUL(N(3), DIV(N(2), x)), DIV(N(6), x));
    // m/2 v^2 twice by v
    expr energy = MUL(DIV(z, N(2)), POW(x, N(2)));
    SAME(expr_diff(pool, energy, SYM_P, 0), MUL(z, x));
    SAME(expr_diff(pool, expr_diff(pool, energy, SYM_P, 0), SYM_P, 0), z);
}

static void zeros_where_nothing_can_be_hidden(void **state) {
    FIXTURE;
    SAME(MUL(N(0), x), N(0));
    SAME(MUL(F1(OP_SIN, ADD(x, y)), N(0)), N(0));
    SAME(SUB(F1(OP_EXP, x), F1(OP_EXP, x)), N(0));
    SAME(MUL(N(0), DIV(x, N(3))), N(0));
    SAME(MUL(N(0), POW(x, N(3))), N(0));
    expr holes[] = {
        DIV(N(1), x), F1(OP_LOG, x), F1(OP_SQRT, x), POW(x, N(-2)),     POW(x, N(0.5)),
        POW(x, y),    F1(OP_TAN, x), F1(OP_ASIN, x), ADD(y, DIV(x, y)), F1(OP_SIN, F1(OP_LOG, x))};
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++) {
        DIFFERENT(MUL(N(0), holes[i]), N(0));
        DIFFERENT(SUB(holes[i], holes[i]), N(0));
    }
    DIFFERENT(DIV(N(0), x), N(0));
    DIFFERENT(DIV(x, x), N(1));
    DIFFERENT(POW(F1(OP_SQRT, x), N(2)), x);
}

static void numbers_fold(void **state) {
    FIXTURE;
    SAME(ADD(N(1), N(2)), N(3));
    SAME(F1(OP_SQRT, N(2)), N(sqrt(2)));
    SAME(F1(OP_SIN, N(1)), N(sin(1)));
    SAME(POW(N(3), N(4)), N(81));
    SAME(POW(N(2), N(0.5)), N(pow(2, 0.5)));
    SAME(POW(N(1), x), N(1));
    assert_int_equal(expr_op(pool, DIV(N(1), N(0))), OP_DIV);
    assert_int_equal(expr_op(pool, F1(OP_LOG, N(-1))), OP_LOG);
    assert_int_equal(expr_op(pool, MUL(N(1e200), N(1e200))), OP_MUL);
    // no reassociation: 0.1 + (0.2 + x) is not 0.3 + x
    DIFFERENT(ADD(N(0.1), ADD(N(0.2), x)), ADD(ADD(N(0.1), N(0.2)), x));
    DIFFERENT(MUL(N(3), MUL(N(7), x)), MUL(N(21), x));
    DIFFERENT(MUL(x, ADD(y, z)), ADD(MUL(x, y), MUL(x, z)));
}

static void conditions(void **state) {
    FIXTURE;
    expr less = F2(OP_LT, x, y);
    SAME(IF(N(1), x, y), x);
    SAME(IF(F2(OP_LT, N(2), N(1)), x, y), y);
    SAME(IF(less, y, y), y);
    SAME(F2(OP_LT, x, x), N(0));
    SAME(F2(OP_LE, x, x), N(1));
    DIFFERENT(F2(OP_LE, F1(OP_LOG, x), F1(OP_LOG, x)), N(1));
    SAME(F2(OP_AND, less, N(0)), N(0));
    SAME(F2(OP_AND, N(1), less), less);
    SAME(F2(OP_OR, less, N(2)), N(1));
    SAME(F2(OP_OR, N(0), less), less);
    SAME(F2(OP_AND, less, less), less);
    SAME(F1(OP_NOT, F1(OP_NOT, less)), less);
    DIFFERENT(F2(OP_AND, N(1), x), x); // 1 or 0, not x
    DIFFERENT(F1(OP_NOT, F1(OP_NOT, x)), x);
}

static expr swap_positions(void *context, sym_kind kind, int index) {
    return kind == SYM_P ? expr_symbol(context, SYM_P, 1 - index) : EXPR_NONE;
}

static void substitution(void **state) {
    FIXTURE;
    expr e = ADD(SUB(F1(OP_SIN, x), MUL(z, y)), N(2));
    expr swapped = ADD(SUB(F1(OP_SIN, y), MUL(z, x)), N(2));
    SAME(expr_substitute(pool, e, swap_positions, pool), swapped);
    SAME(expr_substitute(pool, N(3), swap_positions, pool), N(3));
    expr *order;
    int count = expr_order(pool, (expr[]){e, x, e}, 3, f->arena, &order);
    assert_int_equal(count, 8); // x, sin x, z, y, z y, sin x - z y, 2, e
    assert_int_equal(order[count - 1], e);
}

static const op_code all_ops[] = {OP_NEG,  OP_ADD,  OP_SUB,  OP_MUL,   OP_DIV,  OP_POW,   OP_NEG,  OP_ADD,
                                  OP_SUB,  OP_MUL,  OP_DIV,  OP_POW,   OP_SQRT, OP_SIN,   OP_COS,  OP_TAN,
                                  OP_ASIN, OP_ACOS, OP_ATAN, OP_ATAN2, OP_SINH, OP_COSH,  OP_TANH, OP_EXP,
                                  OP_LOG,  OP_ABS,  OP_SIGN, OP_MIN,   OP_MAX,  OP_FLOOR, OP_LT,   OP_LE,
                                  OP_EQ,   OP_NE,   OP_AND,  OP_OR,    OP_NOT,  OP_IF};

/* A tree and the simplified expression have the same value, but for the sign of a zero, where no value is so
 * large or small that powers of two no longer move exactly. */
static void no_rule_changes_a_value(void **state) {
    FIXTURE;
    int compared = 0, smaller = 0;
    for (int i = 0; i < 30000; i++) {
        arena *a = arena_child(f->arena);
        forest wood = {.arena = a, .random = (uint64_t)i, .ops = all_ops, .op_count = i % 2 ? 6 : 38};
        tree *t = tree_random(&wood, 2 + i % 5);
        expr_pool *own = expr_pool_new(a);
        expr e = tree_build(own, t);
        smaller += expr_op(own, e) != t->op;
        for (int k = 0; k < 4; k++) {
            double point[TREE_SYMBOLS];
            int tame = 1;
            random_point(&wood, point, -2, 2);
            if (k == 0)
                point[0] = point[2] = 0;
            double naive = tree_value(t, point, 1e60, &tame);
            if (!tame)
                continue;
            compared++;
            double value = expr_eval(own, e, tree_get, point);
            if (value != naive)
                fail_msg("tree %d: %.17g, simplified %.17g", i, naive, value);
        }
        arena_free(a);
    }
    assert_true(compared > 40000);
    assert_true(smaller > 5000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nodes_are_shared, setup, teardown),
        cmocka_unit_test_setup_teardown(neutral_elements, setup, teardown),
        cmocka_unit_test_setup_teardown(signs_move_out, setup, teardown),
        cmocka_unit_test_setup_teardown(powers_of_two_move_out, setup, teardown),
        cmocka_unit_test_setup_teardown(zeros_where_nothing_can_be_hidden, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_fold, setup, teardown),
        cmocka_unit_test_setup_teardown(conditions, setup, teardown),
        cmocka_unit_test_setup_teardown(substitution, setup, teardown),
        cmocka_unit_test_setup_teardown(no_rule_changes_a_value, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
