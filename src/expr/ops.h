/* The table of operations: value, derivative and printed form of each stand in one place, so that evaluation,
 * differentiation, printing and generated code cannot drift apart. */
#ifndef TRAMMEL_EXPR_OPS_H
#define TRAMMEL_EXPR_OPS_H

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

typedef struct {
    const char *name;  // as in the language: "sin", "+"
    const char *latex; // "\\sin", "\\cdot"
    int arity;
    int precedence; // of an infix operation, higher binds tighter; 0 for a function
    double (*value)(double a, double b, double c);
    /* more fields (derivative rule, flags) are private to src/expr: see ops.c */
} op_info;

extern const op_info ops[OP_COUNT];

#endif
