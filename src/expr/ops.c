/* The table of operations at the end of this file, and above it the functions it is made of: the values, and
 * the rules of differentiation
 *
 *     d f(a, b) = f_a da + f_b db
 *
 * written with the constructors of expressions, which drop the terms whose derivative is 0. */
#include "expr/ops.h"
#include "expr/expr.h"

#include <math.h>

// ---- values

#define VALUE(op, result)                                                                                    \
    static double value_##op(double a, double b, double c) {                                                 \
        (void)a, (void)b, (void)c;                                                                           \
        return result;                                                                                       \
    }

int ops_power_is_product(double n) {
    return fabs(n) <= OPS_POWER_MOST && n == floor(n);
}

double ops_power(double x, double n) {
    if (!ops_power_is_product(n))
        return pow(x, n);
    double result = 1, square = x;
    int started = 0;
    for (int bits = (int)fabs(n); bits; bits >>= 1) {
        if (bits & 1) {
            result = started ? result * square : square;
            started = 1;
        }
        if (bits > 1)
            square = square * square;
    }
    return n < 0 ? 1 / result : result;
}

VALUE(neg, -a)
VALUE(add, a + b)
VALUE(sub, a - b)
VALUE(mul, a *b)
VALUE(div, a / b)
VALUE(pow, ops_power(a, b))
VALUE(sqrt, sqrt(a))
VALUE(sin, sin(a))
VALUE(cos, cos(a))
VALUE(tan, tan(a))
VALUE(asin, asin(a))
VALUE(acos, acos(a))
VALUE(atan, atan(a))
VALUE(atan2, atan2(a + 0.0, b + 0.0)) // -0 + 0 is 0: atan2 alone would tell the two zeros apart
VALUE(sinh, sinh(a))
VALUE(cosh, cosh(a))
VALUE(tanh, tanh(a))
VALUE(exp, exp(a))
VALUE(log, log(a))
VALUE(abs, fabs(a))
VALUE(sign, (a > 0) - (a < 0))
VALUE(min, b < a ? b : a)
VALUE(max, a < b ? b : a)
VALUE(floor, floor(a))
VALUE(lt, a < b)
VALUE(le, a <= b)
VALUE(eq, a == b)
VALUE(ne, a != b)
VALUE(and, a != 0 && b != 0)
VALUE(or, a != 0 || b != 0)
VALUE(not, a == 0)
VALUE(if, a != 0 ? b : c)

// ---- derivatives

#define DERIVE(op, result)                                                                                   \
    static expr derive_##op(expr_pool *pool, expr e, const expr *d) {                                        \
        (void)e;                                                                                             \
        return result;                                                                                       \
    }
#define A             expr_arg(pool, e, 0)
#define B             expr_arg(pool, e, 1)
#define NUMBER(value) expr_number(pool, value)
#define NEG(a)        expr_op1(pool, OP_NEG, a)
#define ADD(a, b)     expr_op2(pool, OP_ADD, a, b)
#define SUB(a, b)     expr_op2(pool, OP_SUB, a, b)
#define MUL(a, b)     expr_op2(pool, OP_MUL, a, b)
#define DIV(a, b)     expr_op2(pool, OP_DIV, a, b)
#define SQUARE(a)     expr_op2(pool, OP_POW, a, NUMBER(2))
#define OF(op, a)     expr_op1(pool, op, a)
#define IF(c, a, b)   expr_op3(pool, OP_IF, c, a, b)

static expr times(expr_pool *pool, expr a, expr da) { // a da, where da = 0 builds nothing
    return expr_is_number(pool, da, 0) ? da : MUL(a, da);
}

static expr over(expr_pool *pool, expr da, expr b) { // da / b, likewise
    return expr_is_number(pool, da, 0) ? da : DIV(da, b);
}

// d a^b = b a^(b-1) da + a^b log(a) db
static expr derive_pow(expr_pool *pool, expr e, const expr *d) {
    expr a = A, b = B, sum = NUMBER(0);
    if (!expr_is_number(pool, d[0], 0))
        sum = MUL(MUL(b, expr_op2(pool, OP_POW, a, SUB(b, NUMBER(1)))), d[0]);
    if (!expr_is_number(pool, d[1], 0))
        sum = ADD(sum, MUL(MUL(e, OF(OP_LOG, a)), d[1]));
    return sum;
}

DERIVE(neg, NEG(d[0]))
DERIVE(add, ADD(d[0], d[1]))
DERIVE(sub, SUB(d[0], d[1]))
DERIVE(mul, ADD(times(pool, B, d[0]), times(pool, A, d[1])))
DERIVE(div, SUB(over(pool, d[0], B), over(pool, times(pool, e, d[1]), B))) // da/b - (a/b) db/b
DERIVE(sqrt, DIV(d[0], MUL(NUMBER(2), e)))
DERIVE(sin, MUL(OF(OP_COS, A), d[0]))
DERIVE(cos, NEG(MUL(OF(OP_SIN, A), d[0])))
DERIVE(tan, MUL(ADD(SQUARE(e), NUMBER(1)), d[0]))
DERIVE(asin, DIV(d[0], OF(OP_SQRT, SUB(NUMBER(1), SQUARE(A)))))
DERIVE(acos, NEG(DIV(d[0], OF(OP_SQRT, SUB(NUMBER(1), SQUARE(A))))))
DERIVE(atan, DIV(d[0], ADD(SQUARE(A), NUMBER(1))))
DERIVE(atan2, DIV(SUB(times(pool, B, d[0]), times(pool, A, d[1])), ADD(SQUARE(A), SQUARE(B))))
DERIVE(sinh, MUL(OF(OP_COSH, A), d[0]))
DERIVE(cosh, MUL(OF(OP_SINH, A), d[0]))
DERIVE(tanh, MUL(SUB(NUMBER(1), SQUARE(e)), d[0]))
DERIVE(exp, MUL(e, d[0]))
DERIVE(log, DIV(d[0], A))
DERIVE(abs, MUL(OF(OP_SIGN, A), d[0]))
DERIVE(min, IF(expr_op2(pool, OP_LT, B, A), d[1], d[0]))
DERIVE(max, IF(expr_op2(pool, OP_LT, A, B), d[1], d[0]))
DERIVE(if, IF(A, d[1], d[2]))

static expr derive_floor(expr_pool *pool, expr e, const expr *d) {
    (void)pool, (void)e, (void)d;
    return EXPR_NONE;
}

// ---- the table

#define TOTAL   OPS_TOTAL
#define SWAPS   OPS_COMMUTES | OPS_TOTAL
#define COMPARE OPS_TOTAL | OPS_STEP | OPS_TRUTH

const op_info ops[OP_COUNT] = {
    [OP_NUMBER] = {"number", "", 0, 0, TOTAL, NULL, NULL},
    [OP_SYMBOL] = {"symbol", "", 0, 0, TOTAL, NULL, NULL},
    [OP_NEG] = {"-", "-", 1, BIND_MINUS, TOTAL, value_neg, derive_neg},
    [OP_ADD] = {"+", "+", 2, BIND_SUM, SWAPS, value_add, derive_add},
    [OP_SUB] = {"-", "-", 2, BIND_SUM, TOTAL, value_sub, derive_sub},
    [OP_MUL] = {"*", "\\,", 2, BIND_PRODUCT, SWAPS, value_mul, derive_mul},
    [OP_DIV] = {"/", "\\frac", 2, BIND_PRODUCT, 0, value_div, derive_div},
    [OP_POW] = {"^", "^", 2, BIND_POWER, 0, value_pow, derive_pow},
    [OP_SQRT] = {"sqrt", "\\sqrt", 1, 0, 0, value_sqrt, derive_sqrt},
    [OP_SIN] = {"sin", "\\sin", 1, 0, TOTAL | OPS_ODD, value_sin, derive_sin},
    [OP_COS] = {"cos", "\\cos", 1, 0, TOTAL | OPS_EVEN, value_cos, derive_cos},
    [OP_TAN] = {"tan", "\\tan", 1, 0, OPS_ODD, value_tan, derive_tan},
    [OP_ASIN] = {"asin", "\\arcsin", 1, 0, OPS_ODD, value_asin, derive_asin},
    [OP_ACOS] = {"acos", "\\arccos", 1, 0, 0, value_acos, derive_acos},
    [OP_ATAN] = {"atan", "\\arctan", 1, 0, TOTAL | OPS_ODD, value_atan, derive_atan},
    [OP_ATAN2] = {"atan2", "\\operatorname{atan2}", 2, 0, TOTAL, value_atan2, derive_atan2},
    [OP_SINH] = {"sinh", "\\sinh", 1, 0, TOTAL | OPS_ODD, value_sinh, derive_sinh},
    [OP_COSH] = {"cosh", "\\cosh", 1, 0, TOTAL | OPS_EVEN, value_cosh, derive_cosh},
    [OP_TANH] = {"tanh", "\\tanh", 1, 0, TOTAL | OPS_ODD, value_tanh, derive_tanh},
    [OP_EXP] = {"exp", "\\exp", 1, 0, TOTAL, value_exp, derive_exp},
    [OP_LOG] = {"log", "\\log", 1, 0, 0, value_log, derive_log},
    [OP_ABS] = {"abs", "\\left|", 1, 0, TOTAL | OPS_EVEN, value_abs, derive_abs},
    [OP_SIGN] = {"sign", "\\operatorname{sign}", 1, 0, TOTAL | OPS_STEP | OPS_ODD, value_sign, NULL},
    [OP_MIN] = {"min", "\\min", 2, 0, SWAPS, value_min, derive_min},
    [OP_MAX] = {"max", "\\max", 2, 0, SWAPS, value_max, derive_max},
    [OP_FLOOR] = {"floor", "\\left\\lfloor", 1, 0, TOTAL, value_floor, derive_floor},
    [OP_LT] = {"<", "<", 2, BIND_COMPARE, COMPARE, value_lt, NULL},
    [OP_LE] = {"<=", "\\le", 2, BIND_COMPARE, COMPARE, value_le, NULL},
    [OP_EQ] = {"==", "=", 2, BIND_COMPARE, COMPARE | OPS_COMMUTES, value_eq, NULL},
    [OP_NE] = {"!=", "\\ne", 2, BIND_COMPARE, COMPARE | OPS_COMMUTES, value_ne, NULL},
    [OP_AND] = {"and", "\\land", 2, BIND_AND, COMPARE | OPS_COMMUTES, value_and, NULL},
    [OP_OR] = {"or", "\\lor", 2, BIND_OR, COMPARE | OPS_COMMUTES, value_or, NULL},
    [OP_NOT] = {"not", "\\lnot", 1, BIND_NOT, COMPARE, value_not, NULL},
    [OP_IF] = {"if", "cases", 3, 0, TOTAL, value_if, derive_if},
};
