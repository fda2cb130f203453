/* Arithmetic of expressions in which EXPR_NONE is zero, for matrices that are mostly that. */
#ifndef TRAMMEL_SYSTEM_TERMS_H
#define TRAMMEL_SYSTEM_TERMS_H

#include "expr/expr.h"

static inline expr term_times(expr_pool *pool, expr a, expr b) {
    return a && b ? expr_op2(pool, OP_MUL, a, b) : EXPR_NONE;
}

static inline expr term_plus(expr_pool *pool, expr a, expr b) {
    return a && b ? expr_op2(pool, OP_ADD, a, b) : a ? a : b;
}

static inline expr term_minus(expr_pool *pool, expr a, expr b) {
    if (a && b)
        return expr_op2(pool, OP_SUB, a, b);
    return b ? expr_op1(pool, OP_NEG, b) : a;
}

static inline expr term_over(expr_pool *pool, expr a, expr b) {
    return a ? expr_op2(pool, OP_DIV, a, b ? b : expr_number(pool, 0)) : EXPR_NONE;
}

// sum += a b
static inline void term_add(expr_pool *pool, expr *sum, expr a, expr b) {
    *sum = term_plus(pool, *sum, term_times(pool, a, b));
}

#endif
