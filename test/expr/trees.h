/* Random expressions for tests: trees with an evaluation of their own, which knows nothing of the table of
 * operations (whole powers aside, whose order of multiplication is part of the definition). */
#ifndef TRAMMEL_TEST_EXPR_TREES_H
#define TRAMMEL_TEST_EXPR_TREES_H

#include "expr/expr.h"

#include <math.h>

enum { TREE_SYMBOLS = 8 };

/* The symbols that occur, and what a test's values mean. */
static const struct {
    sym_kind kind;
    int index;
} tree_symbol[TREE_SYMBOLS] = {{SYM_P, 0},    {SYM_P, 1},      {SYM_V, 0},     {SYM_V, 1},
                               {SYM_TIME, 0}, {SYM_NUMBER, 0}, {SYM_PARAM, 0}, {SYM_PARAM, 1}};

typedef struct tree {
    op_code op;
    double number;
    int symbol;
    struct tree *arg[3];
} tree;

typedef struct {
    arena *arena;
    uint64_t random;
    const op_code *ops; // to choose from
    int op_count;
    vec(tree *) made; // to be used again: sharing is where simplification happens
} forest;

static inline uint32_t random_below(forest *f, uint32_t limit) { // splitmix64
    uint64_t z = f->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32) % limit;
}

static inline double random_between(forest *f, double low, double high) {
    return low + (high - low) * random_below(f, 1u << 30) / (1u << 30);
}

static inline void random_point(forest *f, double *x, double low, double high) {
    for (int i = 0; i < TREE_SYMBOLS; i++)
        x[i] = random_between(f, low, high);
}

static inline tree *tree_leaf(forest *f) {
    static const double numbers[] = {0, 0, 1, 1, -1, 2, 2, -2, 0.5, 0.5, -0.5, 4, 0.25, 3, -3, 7, 0.1, 1.7};
    tree *t = arena_array(f->arena, tree, 1);
    if (random_below(f, 3) == 0) {
        t->op = OP_NUMBER;
        t->number = numbers[random_below(f, sizeof numbers / sizeof *numbers)];
    } else {
        t->op = OP_SYMBOL;
        t->symbol = (int)random_below(f, TREE_SYMBOLS);
    }
    return t;
}

static inline tree *tree_random(forest *f, int depth) {
    if (f->made.count && random_below(f, 8) == 0)
        return f->made.at[random_below(f, (uint32_t)f->made.count)];
    if (depth == 0 || random_below(f, 6) == 0)
        return tree_leaf(f);
    tree *t = arena_array(f->arena, tree, 1);
    t->op = f->ops[random_below(f, (uint32_t)f->op_count)];
    for (int k = 0; k < ops[t->op].arity; k++)
        t->arg[k] = tree_random(f, depth - 1);
    if (t->op == OP_POW && random_below(f, 4)) { // most powers are whole
        t->arg[1] = arena_array(f->arena, tree, 1);
        t->arg[1]->number = (double)random_below(f, 9) - 3;
    }
    vec_push(f->arena, f->made, t);
    return t;
}

static inline expr tree_build(expr_pool *pool, const tree *t) {
    expr a[3] = {0};
    for (int k = 0; k < ops[t->op].arity; k++)
        a[k] = tree_build(pool, t->arg[k]);
    switch (ops[t->op].arity) {
    case 1:
        return expr_op1(pool, t->op, a[0]);
    case 2:
        return expr_op2(pool, t->op, a[0], a[1]);
    case 3:
        return expr_op3(pool, t->op, a[0], a[1], a[2]);
    default:
        return t->op == OP_NUMBER
                   ? expr_number(pool, t->number)
                   : expr_symbol(pool, tree_symbol[t->symbol].kind, tree_symbol[t->symbol].index);
    }
}

/* One operation in a floating type, as C does it; and a tree's value. *tame is cleared where an intermediate
 * value is not less than `most`, or less than 1/most^2 but not 0. */
#define TREE_VALUE(name, type, f, power)                                                                     \
    static inline type name##_op(op_code op, type a, type b, type c) {                                       \
        switch (op) {                                                                                        \
        case OP_NEG:                                                                                         \
            return -a;                                                                                       \
        case OP_ADD:                                                                                         \
            return a + b;                                                                                    \
        case OP_SUB:                                                                                         \
            return a - b;                                                                                    \
        case OP_MUL:                                                                                         \
            return a * b;                                                                                    \
        case OP_DIV:                                                                                         \
            return a / b;                                                                                    \
        case OP_POW:                                                                                         \
            return power(a, b);                                                                              \
        case OP_SQRT:                                                                                        \
            return f(sqrt)(a);                                                                               \
        case OP_SIN:                                                                                         \
            return f(sin)(a);                                                                                \
        case OP_COS:                                                                                         \
            return f(cos)(a);                                                                                \
        case OP_TAN:                                                                                         \
            return f(tan)(a);                                                                                \
        case OP_ASIN:                                                                                        \
            return f(asin)(a);                                                                               \
        case OP_ACOS:                                                                                        \
            return f(acos)(a);                                                                               \
        case OP_ATAN:                                                                                        \
            return f(atan)(a);                                                                               \
        case OP_ATAN2:                                                                                       \
            return f(atan2)(a == 0 ? 0 : a, b == 0 ? 0 : b);                                                 \
        case OP_SINH:                                                                                        \
            return f(sinh)(a);                                                                               \
        case OP_COSH:                                                                                        \
            return f(cosh)(a);                                                                               \
        case OP_TANH:                                                                                        \
            return f(tanh)(a);                                                                               \
        case OP_EXP:                                                                                         \
            return f(exp)(a);                                                                                \
        case OP_LOG:                                                                                         \
            return f(log)(a);                                                                                \
        case OP_ABS:                                                                                         \
            return a < 0 ? -a : a;                                                                           \
        case OP_SIGN:                                                                                        \
            return a > 0 ? 1 : a < 0 ? -1 : 0;                                                               \
        case OP_MIN:                                                                                         \
            return a < b ? a : b;                                                                            \
        case OP_MAX:                                                                                         \
            return a > b ? a : b;                                                                            \
        case OP_FLOOR:                                                                                       \
            return f(floor)(a);                                                                              \
        case OP_LT:                                                                                          \
            return a < b;                                                                                    \
        case OP_LE:                                                                                          \
            return a <= b;                                                                                   \
        case OP_EQ:                                                                                          \
            return a == b;                                                                                   \
        case OP_NE:                                                                                          \
            return a != b;                                                                                   \
        case OP_AND:                                                                                         \
            return a != 0 && b != 0;                                                                         \
        case OP_OR:                                                                                          \
            return a != 0 || b != 0;                                                                         \
        case OP_NOT:                                                                                         \
            return a == 0;                                                                                   \
        case OP_IF:                                                                                          \
            return a != 0 ? b : c;                                                                           \
        default:                                                                                             \
            return (type)NAN;                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static inline type name(const tree *t, const type *x, type most, int *tame) {                            \
        type v[3] = {0}, result;                                                                             \
        for (int k = 0; k < ops[t->op].arity; k++)                                                           \
            v[k] = name(t->arg[k], x, most, tame);                                                           \
        if (t->op == OP_NUMBER)                                                                              \
            result = (type)t->number;                                                                        \
        else                                                                                                 \
            result = t->op == OP_SYMBOL ? x[t->symbol] : name##_op(t->op, v[0], v[1], v[2]);                 \
        if (!(f(fabs)(result) < most && (result == 0 || f(fabs)(result) > 1 / (most * most))))               \
            *tame = 0;                                                                                       \
        return result;                                                                                       \
    }

#define TREE_PLAIN(function) function
#define TREE_LONG(function)  function##l
TREE_VALUE(tree_value, double, TREE_PLAIN, ops_power)
TREE_VALUE(tree_long_value, long double, TREE_LONG, powl)

/* For expr_eval: context is the array of values, in the order of tree_symbol. */
static inline double tree_get(void *context, sym_kind kind, int index) {
    for (int i = 0; i < TREE_SYMBOLS; i++)
        if (tree_symbol[i].kind == kind && tree_symbol[i].index == index)
            return ((const double *)context)[i];
    return NAN;
}

#endif
