/* Scalar expressions, hash-consed: equal expressions are one node, so equality is ==.
 *
 * An expr is an index into its pool. Constructors simplify, by rules that never change a value where the
 * operands are finite (simplify.c). Symbols are pairs (kind, index); what an index means is up to the user of
 * the pool. The kinds P, V, A are a coordinate, its velocity and its acceleration: d/dt takes each to the
 * next. */
#ifndef TRAMMEL_EXPR_EXPR_H
#define TRAMMEL_EXPR_EXPR_H

#include "base/arena.h"
#include "base/text.h"
#include "expr/ops.h"

#include <stdbool.h>

enum { EXPR_NONE = 0 }; // no expression; never a valid node

typedef enum {
    SYM_TIME,   // t; index 0
    SYM_P,      // coordinate (of a slot, or of the system)
    SYM_V,      // its velocity
    SYM_A,      // its acceleration
    SYM_NUMBER, // constant slot: differs from instance to instance
    SYM_PARAM,  // parameter: shared by all instances
    SYM_RESULT, // what is known only after solving: a multiplier, a reaction, an energy
    SYM_MODE,   // what a switch is held at: see mech/switch.c
    SYM_TURN,   // an angle that a run keeps from step to step: see mech/joints/motion.c
    SYM_KINDS
} sym_kind;

/* A pool is used by one thread at a time, for reading too. */
expr_pool *expr_pool_new(arena *a);
/* Whether kernels made from now on must give the bits of expr_eval, on every processor. Else, as a pool
 * begins, they may take functions such as sin from a vector library, which differs in the last bits. */
void expr_pool_set_exact(expr_pool *pool, bool exact);
bool expr_pool_exact(const expr_pool *pool);
/* Where kernels made from now on may be found compiled (code/kernel.h); NULL, as a pool begins: nowhere. */
struct kernel_store;
void expr_pool_set_kernels(expr_pool *pool, struct kernel_store *store);
struct kernel_store *expr_pool_kernels(const expr_pool *pool);

// ---- making
expr expr_number(expr_pool *pool, double value);
expr expr_symbol(expr_pool *pool, sym_kind kind, int index);
expr expr_op1(expr_pool *pool, op_code op, expr a);
expr expr_op2(expr_pool *pool, op_code op, expr a, expr b);
expr expr_op3(expr_pool *pool, op_code op, expr a, expr b, expr c);

// ---- looking
op_code expr_op(const expr_pool *pool, expr e);
expr expr_arg(const expr_pool *pool, expr e, int which); // which < ops[op].arity
double expr_value(const expr_pool *pool, expr e);        // of an OP_NUMBER
sym_kind expr_kind(const expr_pool *pool, expr e);       // of an OP_SYMBOL
int expr_index(const expr_pool *pool, expr e);           // of an OP_SYMBOL
bool expr_is_number(const expr_pool *pool, expr e, double value);
/* Which kinds of symbols occur in e: bit 1 << kind. Stored in the node, so it costs nothing. */
unsigned expr_kinds(const expr_pool *pool, expr e);
bool expr_has(const expr_pool *pool, expr e, sym_kind kind);
int expr_pool_size(const expr_pool *pool);
/* Forgets what was made since the pool had that size. */
void expr_pool_truncate(expr_pool *pool, int size);
/* All nodes below the roots, each once, operands before what uses them. The list belongs to the arena. */
int expr_order(const expr_pool *pool, const expr *roots, int count, arena *a, expr **order);
/* The same, and where in the order the operands of each are, and the roots (count); -1 for none. */
int expr_order_places(const expr_pool *pool, const expr *roots, int count, arena *a, expr **order,
                      int (**args)[3], int **root_places);

// ---- deriving
/* Derivative with respect to the symbol (kind, index). EXPR_NONE if e has an operation that has none (floor)
 * of an argument that depends on the symbol. Zero is expr_number(0). */
expr expr_diff(expr_pool *pool, expr e, sym_kind kind, int index);
/* All derivatives of e in one sweep: out[kind][i], i < count, for the kinds where out is not NULL. Values as
 * those of expr_diff, with fewer operations. */
void expr_gradient(expr_pool *pool, expr e, int count, expr *const out[SYM_KINDS]);
/* The degree of e as a polynomial in the symbols of a kind; -1 if it is none. */
int expr_degree(const expr_pool *pool, expr e, sym_kind kind);
/* The second derivatives of a polynomial with respect to the symbols (kind, i), i < count: out (count x
 * count) is symmetric. False if e is none. */
bool expr_hessian(expr_pool *pool, expr e, sym_kind kind, int count, expr *out);
/* Total time derivative: sum of de/dp v + de/dv a + de/dt. EXPR_NONE as above, or if e holds an SYM_A or an
 * SYM_RESULT. */
expr expr_dt(expr_pool *pool, expr e);
/* The same at constant velocities: sum of de/dp v + de/dt. EXPR_NONE if there is no derivative. */
expr expr_drift(expr_pool *pool, expr e);
/* Replaces symbols: put(context, kind, index) gives the replacement, or EXPR_NONE to leave the symbol. Many
 * expressions in one walk: what they share is visited once. out may be e. */
typedef expr (*expr_put)(void *context, sym_kind kind, int index);
expr expr_substitute(expr_pool *pool, expr e, expr_put put, void *context);
void expr_substitute_all(expr_pool *pool, const expr *e, int count, expr_put put, void *context, expr *out);

// ---- evaluating and printing
/* One value, straight from the table of operations (shared nodes once): the reference for all kernels. */
typedef double (*expr_get)(void *context, sym_kind kind, int index);
double expr_eval(const expr_pool *pool, expr e, expr_get get, void *context);
/* Many values in one walk; 0 for EXPR_NONE. */
void expr_eval_all(const expr_pool *pool, const expr *e, int count, expr_get get, void *context, double *out);

typedef enum { PRINT_TEXT, PRINT_LATEX } print_style;
/* Appends the symbol's name in the given style. */
typedef void (*expr_name)(void *context, text *out, print_style style, sym_kind kind, int index);
void expr_print(const expr_pool *pool, expr e, print_style style, expr_name name, void *context, text *out);

#endif
