/* Values in the two fields: the axioms on random numbers, against arithmetic done the slow way, and
 * expressions that are equal, proportional, or neither. */
#include "expr/residue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint64_t primes[2] = {2305843009213693951u, 144115188075855859u}; // 2^61 - 1, 2^57 - 13
static const residue one = {{1, 1, 1, 1}};

__extension__ typedef unsigned __int128 wide;

static residue of_number(double value) {
    residue r;
    assert_true(residue_number(value, &r));
    return r;
}

static void products_and_quotients(void **state) {
    for (uint64_t i = 0; i < 2000; i++) {
        residue a = residue_random(2 * i), b = residue_random(2 * i + 1), c = residue_times(a, b), q;
        for (int k = 0; k < RESIDUE_LANES; k++) {
            assert_true(a.at[k] < primes[k / 2]);
            assert_true(c.at[k] == (uint64_t)((wide)a.at[k] * b.at[k] % primes[k / 2]));
            assert_true((a.at[k] + residue_negative(a).at[k]) % primes[k / 2] == 0);
        }
        assert_true(residue_over(c, b, &q) && residue_same(q, a));
    }
    residue q, last = {{primes[0] - 1, primes[0] - 1, primes[1] - 1, primes[1] - 1}};
    assert_true(residue_same(residue_times(last, last), one));
    assert_true(residue_over(one, last, &q) && residue_same(q, last));
    assert_false(residue_over(one, (residue){0}, &q));
    assert_true(residue_same(residue_negative((residue){0}), (residue){0}));
}

static void numbers_are_exact(void **state) {
    assert_true(residue_same(of_number(1), one));
    assert_true(residue_same(of_number(-0.0), (residue){0}));
    static const double values[] = {
        3, -7, 0.1, 1e300, 5e-324, -0x1.fffffffffffffp1023, 12345678901234567890.0};
    for (int i = 0; i < (int)(sizeof values / sizeof *values); i++) {
        residue r = of_number(values[i]), back = of_number(1);
        double v = values[i];
        int exponent; // put together from its digits
        v = frexp(v, &exponent);
        residue two = of_number(2), half = of_number(0.5);
        assert_true(residue_same(residue_times(two, half), one));
        back = of_number(ldexp(v, 53));
        for (int k = 53; k < exponent; k++)
            back = residue_times(back, two);
        for (int k = 53; k > exponent; k--)
            back = residue_times(back, half);
        assert_true(residue_same(r, back));
    }
    residue r;
    assert_false(residue_number(NAN, &r) || residue_number(INFINITY, &r));
}

static void directions_forget_factors(void **state) {
    enum { COUNT = 50 };
    residue r[COUNT];
    residue_direction out[COUNT];
    for (int i = 0; i < COUNT; i++)
        r[i] = residue_times(residue_random(7 + (uint64_t)i / 2), of_number(i % 2 ? 0.3 : -5));
    r[10] = (residue){0};
    residue_directions(COUNT, r, out);
    assert_true(out[10].at[0] == 0 && out[10].at[1] == 0);
    for (int i = 0; i < COUNT; i += 2)
        for (int k = 0; i != 10 && k < 2; k++) {
            assert_true(out[i].at[k] == out[i + 1].at[k]);
            assert_true(out[i].at[k] != 0 && (i == 0 || out[i].at[k] != out[i - 1].at[k]));
        }
}

// ---- expressions

typedef struct {
    residue value;
    uint64_t domain;
    bool defined;
} answer;

static bool get(void *context, sym_kind kind, int index, residue *out) {
    if (kind == SYM_PARAM)
        return residue_number(index == 0 ? 2 : 0, out);
    *out = residue_random((uint64_t)index * SYM_KINDS + kind);
    return true;
}

static answer ask(expr_pool *pool, arena *a, expr e) {
    answer found = {0};
    residue_plan *plan = residue_plan_new(a, pool, &e, 1, 1u << SYM_PARAM, get, NULL);
    found.defined = plan && residue_run(plan, get, NULL, &found.value, &found.domain);
    answer again = found;
    if (plan && found.defined)
        assert_true(residue_run(plan, get, NULL, &again.value, &again.domain));
    assert_true(residue_same(again.value, found.value) && again.domain == found.domain);
    return found;
}

static bool alike(answer a, answer b) {
    return a.defined && b.defined && residue_same(a.value, b.value) && a.domain == b.domain;
}

static void expressions(void **state) {
    arena *a = arena_new(0);
    expr_pool *p = expr_pool_new(a);
    expr x = expr_symbol(p, SYM_P, 0), y = expr_symbol(p, SYM_P, 1), v = expr_symbol(p, SYM_V, 0);
    expr n = expr_symbol(p, SYM_PARAM, 0), none = expr_symbol(p, SYM_PARAM, 1), two = expr_number(p, 2);
    expr less = expr_op2(p, OP_SUB, x, y), more = expr_op2(p, OP_SUB, y, x);
#define OP2(op, l, r) expr_op2(p, op, l, r)
#define ASK(e)        ask(p, a, e)
    // (x - y)^2 = x^2 - 2 x y + y^2, with the exponent as a number or parameter
    expr square = OP2(OP_POW, less, two);
    expr long_form =
        OP2(OP_ADD, OP2(OP_SUB, OP2(OP_MUL, x, x), OP2(OP_MUL, two, OP2(OP_MUL, x, y))), OP2(OP_MUL, y, y));
    assert_true(alike(ASK(square), ASK(long_form)));
    assert_true(alike(ASK(square), ASK(OP2(OP_POW, more, n))));
    assert_false(alike(ASK(square), ASK(OP2(OP_POW, OP2(OP_ADD, x, y), two))));
    assert_false(alike(ASK(x), ASK(v)));
    // symmetries
    for (op_code op = OP_SQRT; op < OP_FLOOR; op++)
        if (ops[op].arity == 1) {
            answer left = ASK(expr_op1(p, op, less)), right = ASK(expr_op1(p, op, more));
            double l = ops[op].value(0.3, 0, 0), r = ops[op].value(-0.3, 0, 0);
            assert_true(alike(left, right) == (l == r));
            right.value = residue_negative(right.value);
            assert_true(alike(left, right) == (l == -r));
        }
    assert_true(alike(ASK(OP2(OP_MAX, less, x)), ASK(OP2(OP_MAX, x, less))));
    assert_false(alike(ASK(OP2(OP_ATAN2, less, x)), ASK(OP2(OP_ATAN2, x, less))));
    // x y/y is x but where y is 0, and 1/(2 y) has no value where 1/y has none
    answer canceled = ASK(OP2(OP_DIV, OP2(OP_MUL, x, y), y)), plain = ASK(x);
    assert_true(residue_same(canceled.value, plain.value) && canceled.domain != plain.domain);
    answer half = ASK(OP2(OP_DIV, x, OP2(OP_MUL, expr_number(p, 3), y))), whole = ASK(OP2(OP_DIV, x, y));
    assert_true(half.domain == whole.domain && half.domain != 0);
    // no value
    assert_false(ASK(OP2(OP_DIV, x, none)).defined);
    assert_false(ASK(OP2(OP_DIV, x, OP2(OP_SUB, square, long_form))).defined);
    assert_false(ASK(expr_number(p, INFINITY)).defined);
    // degrees: 64^3 is fine, 64^4 is not
    expr high = x;
    for (int i = 0; i < 4; i++) {
        high = OP2(OP_POW, high, expr_number(p, 64));
        assert_true(ASK(high).defined == (i < 3));
    }
    arena_free(a);
}

// on the circle, sin and cos of the same angle belong together, and keep their symmetry
static void circles(void **state) {
    arena *a = arena_new((size_t)1 << 24);
    expr_pool *p = expr_pool_new(a);
    expr x = expr_symbol(p, SYM_P, 0), angle = expr_op1(p, OP_SIN, x), turned = expr_op1(p, OP_NEG, angle);
    expr roots[] = {expr_op1(p, OP_SIN, angle), expr_op1(p, OP_COS, angle), expr_op1(p, OP_SIN, turned),
                    expr_op1(p, OP_COS, turned), expr_op1(p, OP_COS, x)};
    residue out[5];
    uint64_t domain;
    for (int circle = 0; circle < 2; circle++) {
        residue_plan *plan = residue_plan_new(a, p, roots, 5, 0, get, NULL);
        assert_non_null(plan);
        if (circle)
            residue_plan_on_circle(plan);
        assert_true(residue_run(plan, get, NULL, out, &domain));
        residue whole = residue_plus(residue_times(out[0], out[0]), residue_times(out[1], out[1]));
        residue other = residue_plus(residue_times(out[0], out[0]), residue_times(out[4], out[4]));
        assert_true(residue_same(whole, one) == circle && !residue_same(other, one));
        assert_true(residue_same(out[2], residue_negative(out[0])) && residue_same(out[3], out[1]));
        assert_false(residue_constant(out[0]));
        assert_true(residue_constant(whole) == circle);
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_quotients),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(directions_forget_factors),
        cmocka_unit_test(expressions),
        cmocka_unit_test(circles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
