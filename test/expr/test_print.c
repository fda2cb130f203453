/* Printed forms, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "expr/expr.h"

typedef struct {
    arena *arena;
    expr_pool *pool;
} fixture;

static int setup(void **state) {
    arena *a = arena_new(0);
    fixture *f = arena_array(a, fixture, 1);
    f->arena = a;
    f->pool = expr_pool_new(a);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    arena_free(((fixture *)*state)->arena);
    return 0;
}

/* Symbols are letters; the velocity of x is x', in LaTeX \dot x. */
static void name(void *context, text *out, print_style style, sym_kind kind, int index) {
    (void)context;
    if (kind == SYM_V && style == PRINT_LATEX)
        text_print(out, "\\dot %c", index);
    else
        text_print(out, "%c%s", index, kind == SYM_V ? "'" : "");
}

static const char *printed(fixture *f, expr e, print_style style) {
    text out;
    text_init(&out, f->arena);
    expr_print(f->pool, e, style, name, NULL, &out);
    return text_string(&out);
}

#define N(value)     expr_number(pool, value)
#define NEG(a)       expr_op1(pool, OP_NEG, a)
#define ADD(a, b)    expr_op2(pool, OP_ADD, a, b)
#define SUB(a, b)    expr_op2(pool, OP_SUB, a, b)
#define MUL(a, b)    expr_op2(pool, OP_MUL, a, b)
#define DIV(a, b)    expr_op2(pool, OP_DIV, a, b)
#define POW(a, b)    expr_op2(pool, OP_POW, a, b)
#define F1(op, a)    expr_op1(pool, op, a)
#define F2(op, a, b) expr_op2(pool, op, a, b)
#define IF(c, a, b)  expr_op3(pool, OP_IF, c, a, b)
#define FIXTURE                                                                                              \
    fixture *f = *state;                                                                                     \
    expr_pool *pool = f->pool;                                                                               \
    expr m = expr_symbol(pool, SYM_PARAM, 'm'), g = expr_symbol(pool, SYM_PARAM, 'g');                       \
    expr x = expr_symbol(pool, SYM_P, 'x'), y = expr_symbol(pool, SYM_P, 'y');                               \
    expr v = expr_symbol(pool, SYM_V, 'x'), x2 = POW(x, N(2)), v2 = POW(v, N(2)), y2 = POW(y, N(2));         \
    (void)x, (void)y, (void)v, (void)m, (void)g, (void)x2, (void)v2, (void)y2
#define TEXT(e, as)  assert_string_equal(printed(f, e, PRINT_TEXT), as)
#define LATEX(e, as) assert_string_equal(printed(f, e, PRINT_LATEX), as)

static void sums_and_products(void **state) {
    FIXTURE;
    TEXT(NEG(MUL(MUL(m, g), y)), "-m*g*y");
    TEXT(ADD(x2, y2), "x^2 + y^2");
    TEXT(SUB(ADD(x, y), m), "x + y - m");
    TEXT(SUB(x, ADD(y, m)), "x - (m + y)");
    TEXT(SUB(x, SUB(y, m)), "x - (y - m)");
    TEXT(MUL(ADD(x, y), m), "m*(x + y)");
    TEXT(DIV(x, MUL(m, g)), "x/(m*g)");
    TEXT(DIV(DIV(x, m), g), "x/m/g");
    TEXT(MUL(N(3), MUL(x, y)), "3*(x*y)");
    TEXT(MUL(MUL(N(3), x), y), "3*x*y");
    TEXT(MUL(N(2), MUL(x, y)), "2*x*y");
    TEXT(ADD(x, N(-3)), "x - 3");
    TEXT(SUB(N(3), x), "3 - x");
    TEXT(SUB(N(-3), x), "-x - 3");
    TEXT(NEG(ADD(ADD(x, y), m)), "-x - y - m");
    TEXT(MUL(m, NEG(ADD(x, y))), "-m*(x + y)");
    TEXT(NEG(ADD(SUB(x, y), m)), "-(x - y + m)");
    TEXT(MUL(N(-3), x), "-3*x");
    TEXT(DIV(N(-3), x), "-3/x");
    TEXT(N(-1.5), "-1.5");
}

static void halves(void **state) {
    FIXTURE;
    TEXT(MUL(N(0.5), m), "m/2");
    TEXT(MUL(DIV(m, N(2)), ADD(v2, y2)), "m*(x'^2 + y^2)/2");
    TEXT(DIV(ADD(x, y), N(2)), "(x + y)/2");
    TEXT(DIV(x, MUL(N(2), y)), "x/(2*y)");
    TEXT(DIV(N(1), MUL(N(2), F1(OP_SQRT, x))), "1/(2*sqrt(x))");
    TEXT(MUL(N(-0.25), x), "-x/4");
    TEXT(DIV(N(1), x), "1/x");
    TEXT(DIV(MUL(N(2), x), y), "2*x/y");
    TEXT(MUL(N(0.75), x), "0.75*x");
}

static void powers(void **state) {
    FIXTURE;
    TEXT(NEG(POW(x, N(2))), "-x^2");
    TEXT(POW(POW(x, y), m), "(x^y)^m");
    TEXT(POW(x, POW(y, m)), "x^y^m");
    TEXT(POW(ADD(x, y), N(2)), "(x + y)^2");
    TEXT(POW(MUL(m, x), N(2)), "(m*x)^2");
    TEXT(POW(NEG(x), y), "(-x)^y");
    TEXT(POW(N(-2), x), "(-2)^x");
    TEXT(POW(x, N(-3)), "x^-3");
    TEXT(POW(x, NEG(y)), "x^(-y)");
    TEXT(POW(F1(OP_SIN, x), N(2)), "sin(x)^2");
}

static void functions_and_conditions(void **state) {
    FIXTURE;
    TEXT(F2(OP_ATAN2, y, SUB(x, N(1))), "atan2(y, x - 1)");
    TEXT(IF(F2(OP_LT, x, N(0)), NEG(x), ADD(x, y)), "if(x < 0, -x, x + y)");
    TEXT(F2(OP_LE, ADD(x, N(1)), y), "x + 1 <= y");
    expr equal = F2(OP_EQ, x, y);
    TEXT(F2(OP_AND, equal, F2(OP_NE, x, m)), "x == y and m != x");
    TEXT(F2(OP_AND, F2(OP_OR, x, y), m), "m and (x or y)");
    TEXT(F2(OP_OR, F2(OP_AND, x, y), m), "m or x and y");
    TEXT(F1(OP_NOT, F2(OP_LT, x, y)), "not (x < y)");
    TEXT(F2(OP_MIN, x, F1(OP_ABS, y)), "min(x, abs(y))");
}

static void latex(void **state) {
    FIXTURE;
    LATEX(NEG(MUL(MUL(m, g), y)), "-m\\,g\\,y");
    LATEX(DIV(ADD(x, y), m), "\\frac{x + y}{m}");
    LATEX(MUL(DIV(m, N(2)), POW(v, N(2))), "\\frac{m\\,\\dot x^{2}}{2}");
    LATEX(MUL(m, DIV(x, y)), "\\frac{x}{y}\\,m");
    LATEX(POW(DIV(x, y), N(2)), "\\left(\\frac{x}{y}\\right)^{2}");
    LATEX(POW(x, ADD(y, N(1))), "x^{y + 1}");
    LATEX(DIV(N(3), MUL(m, x)), "\\frac{3}{m\\,x}");
    LATEX(DIV(x, MUL(N(2), y)), "\\frac{x}{2\\,y}");
    LATEX(MUL(N(3), POW(N(2), x)), "3 \\cdot 2^{x}");
    LATEX(F1(OP_SIN, MUL(m, ADD(x, y))), "\\sin\\left(m\\,\\left(x + y\\right)\\right)");
    LATEX(F1(OP_SQRT, ADD(x, y)), "\\sqrt{x + y}");
    LATEX(F1(OP_ABS, x), "\\left| x\\right|");
    LATEX(MUL(N(6.5e-11), m), "6.5 \\cdot 10^{-11}\\,m");
    LATEX(N(1e20), "10^{20}");
    LATEX(F2(OP_LE, x, y), "x \\le y");
    LATEX(IF(F2(OP_LT, x, y), x, N(0)),
          "\\begin{cases} x & \\text{if } x < y \\\\ 0 & \\text{otherwise} \\end{cases}");
}

static void depth_is_no_limit(void **state) {
    FIXTURE;
    enum { TERMS = 100000 };
    expr sum = x, nest = x, right = x;
    for (int i = 0; i < TERMS; i++) {
        sum = ADD(sum, MUL(N(i + 3.1), y));
        nest = F1(OP_SIN, nest);
        right = DIV(N(3), ADD(right, N(1)));
    }
    assert_int_equal(strncmp(printed(f, sum, PRINT_TEXT), "x + 3.1*y + 4.1*y + 5.1*y", 25), 0);
    assert_int_equal(strlen(printed(f, nest, PRINT_TEXT)), 5 * TERMS + 1);
    assert_int_equal(strncmp(printed(f, right, PRINT_TEXT), "3/(3/(3/(", 9), 0);
    assert_int_equal(strncmp(printed(f, NEG(sum), PRINT_TEXT), "-x - 3.1*y - 4.1*y", 18), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_and_products, setup, teardown),
        cmocka_unit_test_setup_teardown(halves, setup, teardown),
        cmocka_unit_test_setup_teardown(powers, setup, teardown),
        cmocka_unit_test_setup_teardown(functions_and_conditions, setup, teardown),
        cmocka_unit_test_setup_teardown(latex, setup, teardown),
        cmocka_unit_test_setup_teardown(depth_is_no_limit, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
