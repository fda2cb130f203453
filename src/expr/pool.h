/* The inside of a pool, private to this folder: nodes, and walks over them.
 *
 * A node's operands are older than the node, so indices are a topological order. No function here recurses
 * over operands: a sum of 100 000 terms is 100 000 nodes deep. */
#ifndef TRAMMEL_EXPR_POOL_H
#define TRAMMEL_EXPR_POOL_H

#include "expr/expr.h"

enum { NODE_TOTAL = 1 }; // every operation in it is finite for finite symbols, overflow aside

/* Made with the pool. */
enum { EXPR_ZERO = 1, EXPR_ONE = 2 };

typedef struct {
    uint8_t op, flags;
    uint16_t kinds;
    uint32_t args[3]; // a number: its bits; a symbol: kind and index
} node;

typedef struct {
    expr e;
    int arg; // the operand to visit next
} visit;

typedef union {
    expr e;
    double value;
    int place;
} walk_result;

/* What a walk has found, with room for one result per node. Valid until walk_end. */
typedef struct walk {
    struct walk *next;
    vec(expr) order; // the nodes, operands first
    vec(visit) stack;
    int room;
    uint32_t epoch, *stamp; // stamp[e] == epoch: e is in order
    walk_result *result;    // of the nodes in order
} walk;

struct expr_pool {
    arena *arena;
    vec(node) nodes;
    expr *table; // open addressing
    uint32_t mask;
    walk *spare; // the head of the list of walks not in use; it is never used itself
    bool exact;
    struct kernel_store *kernels; // NULL: none
};

expr pool_node(expr_pool *pool, op_code op, expr a, expr b, expr c); // as it is, without simplifying
expr pool_make(expr_pool *pool, op_code op, const expr *args); // any operation with operands, simplified

/* Visits what is below the roots and has a symbol of the given kinds (a mask; 0: all). Walks nest. */
walk *walk_begin(const expr_pool *pool, const expr *roots, int count, unsigned kinds);
void walk_end(const expr_pool *pool, walk *w);

static inline const node *node_at(const expr_pool *pool, expr e) {
    return &pool->nodes.at[e];
}

static inline bool is_number(const expr_pool *pool, expr e) {
    return node_at(pool, e)->op == OP_NUMBER;
}

#endif
