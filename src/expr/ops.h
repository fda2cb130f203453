/* The table of operations: value, derivative and printed form of each stand in one place, so that evaluation,
 * differentiation, printing and generated code cannot drift apart. */
#ifndef TRAMMEL_EXPR_OPS_H
#define TRAMMEL_EXPR_OPS_H

#include <stdint.h>

typedef uint32_t expr;
typedef struct expr_pool expr_pool;

typedef enum {
    OP_NUMBER,
    OP_SYMBOL,
    OP_NEG,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POW,
    OP_SQRT,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_ATAN2,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_SIGN,
    OP_MIN,
    OP_MAX,
    OP_FLOOR,
    OP_LT, // conditions are 1 or 0
    OP_LE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_NOT,
    OP_IF, // if(c, a, b): a where c is not 0
    OP_COUNT
} op_code;

/* Whole exponents up to this size are powers by multiplication, others by the C library: see ops_power. */
enum { OPS_POWER_MOST = 64 };

enum {                // flags
    OPS_COMMUTES = 1, // f(a, b) = f(b, a)
    OPS_TOTAL = 2,    // finite for all finite operands (overflow aside)
    OPS_STEP = 4,     // its derivative is 0 where it exists: it only chooses
    OPS_TRUTH = 8,    // its value is 1 or 0
    OPS_ODD = 16,     // f(-a) = -f(a)
    OPS_EVEN = 32     // f(-a) = f(a)
};

/* How the printed form binds. Unary minus stands below the power: -x^2 is -(x^2). */
enum {
    BIND_OR = 1,
    BIND_AND,
    BIND_NOT,
    BIND_COMPARE,
    BIND_SUM,
    BIND_PRODUCT,
    BIND_MINUS,
    BIND_POWER,
    BIND_ATOM
};

typedef struct {
    const char *name;  // as in the language: "sin", "+"
    const char *latex; // "\\sin", "\\,"
    int arity;
    int precedence; // of an infix or prefix operation, BIND_*: higher binds tighter; 0 for a function
    unsigned flags;
    /* The value; operands beyond the arity are ignored. NULL for numbers and symbols. The sign of a zero
     * never shows in a finite value, so that 0 - x may become -x. */
    double (*value)(double a, double b, double c);
    /* The derivative of e, given those of its operands, not all of them 0. NULL for numbers, symbols and
     * steps; EXPR_NONE where there is none. */
    expr (*derive)(expr_pool *pool, expr e, const expr *d);
} op_info;

extern const op_info ops[OP_COUNT];

/* x^n. For whole n, |n| <= OPS_POWER_MOST: 1/x^|n| if n < 0, and else the product of those squares x, x^2,
 * x^4, ... that the bits of n name, from the lowest bit up. Kernels multiply in the same order. */
double ops_power(double x, double n);
/* Whether ops_power goes by multiplication for this exponent. */
int ops_power_is_product(double n);

/* f(-a) is this times f(a); 0 for functions that are neither odd nor even. */
static inline int ops_symmetry(op_code op) {
    return ops[op].flags & OPS_ODD ? -1 : ops[op].flags & OPS_EVEN ? 1 : 0;
}

#endif
