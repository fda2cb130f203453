/* Constructors that simplify. No rule changes a value where all operands are finite (the sign of a zero,
 * which never shows in one, aside):
 *
 *  - operations on numbers are done, with the same functions as at run time, where the result is finite;
 *  - signs and factors that are powers of two are exact, so products and quotients pull them out:
 *    (2^a u) (2^b v) = 2^(a+b) (u v), x/2 = 0.5 x, x + x = 2 x, 2^a u + 2^a v = 2^a (u + v),
 *    a + (-b) = a - b (exact while nothing overflows or becomes subnormal: factors stay within 2^+-64);
 *  - operands of commutative operations stand in one order;
 *  - what could hide an undefined value stays: 0 x = 0 and x - x = 0 only where x is total, 0/x never.
 *
 * Nothing is reassociated or distributed, and sqrt(x)^2 is not x.
 *
 * The normal form: a negative expression is a negative number, -x, or a product or quotient whose first
 * operand is a negative number; sums, products and quotients have no other negative operands. */
#include "expr/expr.h"
#include "expr/pool.h"

#include <math.h>

static expr add(expr_pool *pool, expr a, expr b);
static expr sub(expr_pool *pool, expr a, expr b);
static expr power(expr_pool *pool, expr a, expr b);

static bool total(const expr_pool *pool, expr e) {
    return node_at(pool, e)->flags & NODE_TOTAL;
}

static bool power_of_two(double value) { // or minus one, within the range where factors move
    int exponent;
    return fabs(frexp(value, &exponent)) == 0.5 && exponent >= -63 && exponent <= 65;
}

// the number k in k u or k/u, and else 0
static double coefficient(const expr_pool *pool, expr e) {
    const node *n = node_at(pool, e);
    if ((n->op == OP_MUL || n->op == OP_DIV) && is_number(pool, n->args[0]))
        return expr_value(pool, n->args[0]);
    return 0;
}

static expr with_coefficient(expr_pool *pool, expr e, double value) { // e with another k
    node n = *node_at(pool, e);
    return pool_node(pool, (op_code)n.op, expr_number(pool, value), n.args[1], 0);
}

static bool negative(const expr_pool *pool, expr e) {
    if (is_number(pool, e))
        return expr_value(pool, e) < 0;
    return expr_op(pool, e) == OP_NEG || coefficient(pool, e) < 0;
}

static expr negate(expr_pool *pool, expr e) {
    node n = *node_at(pool, e);
    if (n.op == OP_NUMBER)
        return expr_number(pool, -expr_value(pool, e));
    if (n.op == OP_NEG)
        return n.args[0];
    double k = coefficient(pool, e);
    if (k != 0)
        return with_coefficient(pool, e, -k);
    if (n.op == OP_SUB)
        return pool_node(pool, OP_SUB, n.args[1], n.args[0], 0);
    return pool_node(pool, OP_NEG, e, 0, 0);
}

/* e = factor * rest, the factor a power of two or minus one. Numbers are left whole. */
typedef struct {
    double factor;
    expr rest;
} scaled;

static scaled split(expr_pool *pool, expr e) {
    node n = *node_at(pool, e);
    double k = coefficient(pool, e);
    if (n.op == OP_NEG)
        return (scaled){-1, n.args[0]};
    if (n.op == OP_MUL && power_of_two(k))
        return (scaled){k, n.args[1]};
    if (k < 0)
        return (scaled){-1, negate(pool, e)};
    return (scaled){1, e};
}

// factor * e for a number and an expression that is none
static expr scale(expr_pool *pool, double factor, expr e) {
    if (factor == 0 && total(pool, e))
        return EXPR_ZERO;
    if (factor == 1)
        return e;
    if (factor == -1)
        return negate(pool, e);
    if (expr_op(pool, e) == OP_NEG)
        return scale(pool, -factor, expr_arg(pool, e, 0));
    double k = coefficient(pool, e);
    bool product = expr_op(pool, e) == OP_MUL; // 3 (2 u) is 6 u, but 3 (2/u) is not 6/u: it rounds twice
    if (isnormal(k * factor) && (power_of_two(factor) || (product && power_of_two(k)))) {
        if (product)
            return scale(pool, k * factor, expr_arg(pool, e, 1));
        return with_coefficient(pool, e, k * factor);
    }
    return pool_node(pool, OP_MUL, expr_number(pool, factor), e, 0);
}

// ---- order

/* Sums start with sums and end with numbers, products start with numbers, then products, so that chains lean
 * to the left as they are written; for the rest the older operand comes first. */
static int rank(const expr_pool *pool, op_code op, expr e) {
    op_code of = expr_op(pool, e);
    if (of == OP_NUMBER)
        return op == OP_ADD ? 2 : -1;
    if (op == OP_ADD)
        return of == OP_ADD || of == OP_SUB ? 0 : 1;
    if (op == OP_MUL)
        return of == OP_MUL || of == OP_DIV ? 0 : 1;
    return 0;
}

static expr ordered(expr_pool *pool, op_code op, expr a, expr b) {
    int first = rank(pool, op, a), second = rank(pool, op, b);
    bool swap = first > second || (first == second && a > b);
    return swap ? pool_node(pool, op, b, a, 0) : pool_node(pool, op, a, b, 0);
}

// ---- sums

// a + b or a - b, neither negative: equal powers of two go in front
static expr sum(expr_pool *pool, op_code op, expr a, expr b) {
    scaled u = split(pool, a), v = split(pool, b);
    if (u.factor == v.factor && u.factor != 1)
        return scale(pool, u.factor, op == OP_ADD ? add(pool, u.rest, v.rest) : sub(pool, u.rest, v.rest));
    return op == OP_ADD ? ordered(pool, op, a, b) : pool_node(pool, op, a, b, 0);
}

static expr add(expr_pool *pool, expr a, expr b) {
    if (a == EXPR_ZERO)
        return b;
    if (b == EXPR_ZERO)
        return a;
    if (a == b && !is_number(pool, a))
        return scale(pool, 2, a);
    if (negative(pool, b))
        return sub(pool, a, negate(pool, b));
    if (negative(pool, a))
        return sub(pool, b, negate(pool, a));
    return sum(pool, OP_ADD, a, b);
}

static expr sub(expr_pool *pool, expr a, expr b) {
    if (b == EXPR_ZERO)
        return a;
    if (a == EXPR_ZERO)
        return negate(pool, b);
    if (a == b && total(pool, a))
        return EXPR_ZERO;
    if (negative(pool, b))
        return add(pool, a, negate(pool, b));
    if (negative(pool, a))
        return negate(pool, add(pool, negate(pool, a), b));
    return sum(pool, OP_SUB, a, b);
}

// ---- products

static expr multiply(expr_pool *pool, expr a, expr b) {
    if (is_number(pool, b)) {
        expr other = a;
        a = b;
        b = other;
    }
    if (is_number(pool, a))
        return is_number(pool, b) ? pool_node(pool, OP_MUL, a, b, 0) : scale(pool, expr_value(pool, a), b);
    scaled u = split(pool, a), v = split(pool, b);
    expr product;
    if (u.rest == v.rest)
        product = power(pool, u.rest, expr_number(pool, 2));
    else
        product = ordered(pool, OP_MUL, u.rest, v.rest);
    return scale(pool, u.factor * v.factor, product);
}

static expr divide_by_number(expr_pool *pool, expr a, expr b) {
    double value = expr_value(pool, b);
    if (is_number(pool, a))
        return pool_node(pool, OP_DIV, a, b, 0);
    if (power_of_two(value))
        return scale(pool, 1 / value, a);
    if (value < 0)
        return negate(pool, divide_by_number(pool, a, expr_number(pool, -value)));
    scaled u = split(pool, a);
    return scale(pool, u.factor, pool_node(pool, OP_DIV, u.rest, b, 0));
}

static expr divide(expr_pool *pool, expr a, expr b) {
    if (is_number(pool, b))
        return divide_by_number(pool, a, b);
    scaled u = split(pool, a), v = split(pool, b);
    return scale(pool, u.factor / v.factor, pool_node(pool, OP_DIV, u.rest, v.rest, 0));
}

// a^n for the whole number n: (2^k u)^n = 2^(kn) u^n
static expr whole_power(expr_pool *pool, expr a, double n) {
    if (n == 0)
        return EXPR_ONE;
    if (n == 1)
        return a;
    if (n == -1)
        return divide(pool, EXPR_ONE, a);
    scaled u = split(pool, a);
    double factor = ops_power(u.factor, n);
    if (factor == 1 || power_of_two(factor))
        return scale(pool, factor, pool_node(pool, OP_POW, u.rest, expr_number(pool, n), 0));
    return pool_node(pool, OP_POW, a, expr_number(pool, n), 0);
}

static expr power(expr_pool *pool, expr a, expr b) {
    if (a == EXPR_ONE)
        return EXPR_ONE;
    if (!is_number(pool, a) && is_number(pool, b) && ops_power_is_product(expr_value(pool, b)))
        return whole_power(pool, a, expr_value(pool, b));
    return pool_node(pool, OP_POW, a, b, 0);
}

// ---- conditions

static bool truth(const expr_pool *pool, expr e) {
    return ops[expr_op(pool, e)].flags & OPS_TRUTH;
}

static expr compare(expr_pool *pool, op_code op, expr a, expr b) {
    if (a == b && (op == OP_LT || (op == OP_NE && total(pool, a))))
        return EXPR_ZERO;
    if (a == b && total(pool, a))
        return EXPR_ONE;
    return op == OP_EQ || op == OP_NE ? ordered(pool, op, a, b) : pool_node(pool, op, a, b, 0);
}

static expr logic(expr_pool *pool, op_code op, expr a, expr b) {
    if (is_number(pool, a)) { // the known operand goes second
        expr known = a;
        a = b;
        b = known;
    }
    if (is_number(pool, b) && (expr_value(pool, b) != 0) == (op == OP_OR))
        return op == OP_OR ? EXPR_ONE : EXPR_ZERO;
    if (truth(pool, a) && (a == b || is_number(pool, b)))
        return a;
    return ordered(pool, op, a, b);
}

static expr negation(expr_pool *pool, expr a) {
    if (expr_op(pool, a) == OP_NOT && truth(pool, expr_arg(pool, a, 0)))
        return expr_arg(pool, a, 0);
    return pool_node(pool, OP_NOT, a, 0, 0);
}

// ---- constructors

static expr absolute(expr_pool *pool, expr a) {
    return pool_node(pool, OP_ABS, expr_op(pool, a) == OP_NEG ? expr_arg(pool, a, 0) : a, 0, 0);
}

// the operation on numbers, where the result is finite; EXPR_NONE otherwise
static expr fold(expr_pool *pool, op_code op, const expr *args) {
    double v[3] = {0};
    for (int k = 0; k < ops[op].arity; k++) {
        if (!is_number(pool, args[k]))
            return EXPR_NONE;
        v[k] = expr_value(pool, args[k]);
    }
    double value = ops[op].value(v[0], v[1], v[2]);
    return isfinite(value) ? expr_number(pool, value) : EXPR_NONE;
}

expr pool_make(expr_pool *pool, op_code op, const expr *args) {
    expr a = args[0], b = args[1], known = fold(pool, op, args);
    if (known != EXPR_NONE)
        return known;
    switch (op) {
    case OP_NEG:
        return negate(pool, a);
    case OP_ADD:
        return add(pool, a, b);
    case OP_SUB:
        return sub(pool, a, b);
    case OP_MUL:
        return multiply(pool, a, b);
    case OP_DIV:
        return divide(pool, a, b);
    case OP_POW:
        return power(pool, a, b);
    case OP_ABS:
        return absolute(pool, a);
    case OP_MIN:
    case OP_MAX:
        return a == b ? a : ordered(pool, op, a, b);
    case OP_LT:
    case OP_LE:
    case OP_EQ:
    case OP_NE:
        return compare(pool, op, a, b);
    case OP_AND:
    case OP_OR:
        return logic(pool, op, a, b);
    case OP_NOT:
        return negation(pool, a);
    case OP_IF:
        if (is_number(pool, a))
            return expr_value(pool, a) != 0 ? b : args[2];
        return b == args[2] ? b : pool_node(pool, op, a, b, args[2]);
    default:
        return pool_node(pool, op, a, b, args[2]);
    }
}

expr expr_op1(expr_pool *pool, op_code op, expr a) {
    return pool_make(pool, op, (expr[3]){a, 0, 0});
}

expr expr_op2(expr_pool *pool, op_code op, expr a, expr b) {
    return pool_make(pool, op, (expr[3]){a, b, 0});
}

expr expr_op3(expr_pool *pool, op_code op, expr a, expr b, expr c) {
    return pool_make(pool, op, (expr[3]){a, b, c});
}
