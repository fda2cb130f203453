/* Derivatives and substitution: one walk over the nodes below an expression, operands first, with one result
 * per node. Derivatives go forward (each node's from its operands', by the rules in the table of operations)
 * and leave out all that cannot depend on the symbol, so they cost time linear in the nodes that do. */
#include "expr/expr.h"
#include "expr/pool.h"

typedef struct {
    bool in_time;  // the total derivative d/dt, and else d/d(kind, index)
    bool drifting; // at constant velocities
    sym_kind kind;
    int index;
} variable;

static expr seed(expr_pool *pool, variable by, expr symbol) {
    sym_kind kind = expr_kind(pool, symbol);
    int index = expr_index(pool, symbol);
    if (!by.in_time)
        return kind == by.kind && index == by.index ? EXPR_ONE : EXPR_ZERO;
    if (kind == SYM_P || (kind == SYM_V && !by.drifting))
        return expr_symbol(pool, kind == SYM_P ? SYM_V : SYM_A, index);
    return kind == SYM_TIME ? EXPR_ONE : EXPR_ZERO;
}

static expr derive(expr_pool *pool, const walk *w, expr e) {
    node n = *node_at(pool, e);
    if (ops[n.op].flags & OPS_STEP)
        return EXPR_ZERO;
    expr d[3] = {EXPR_ZERO, EXPR_ZERO, EXPR_ZERO};
    bool all_zero = true;
    for (int k = n.op == OP_IF ? 1 : 0; k < ops[n.op].arity; k++) { // a condition only chooses
        if (w->stamp[n.args[k]] == w->epoch)
            d[k] = w->result[n.args[k]].e;
        if (d[k] == EXPR_NONE)
            return EXPR_NONE;
        all_zero &= d[k] == EXPR_ZERO;
    }
    return all_zero ? EXPR_ZERO : ops[n.op].derive(pool, e, d);
}

static expr derivative(expr_pool *pool, expr e, variable by, unsigned kinds) {
    if (!(expr_kinds(pool, e) & kinds))
        return EXPR_ZERO;
    walk *w = walk_begin(pool, &e, 1, kinds);
    for (int i = 0; i < w->order.count; i++) {
        expr x = w->order.at[i];
        w->result[x].e = expr_op(pool, x) == OP_SYMBOL ? seed(pool, by, x) : derive(pool, w, x);
    }
    expr result = w->result[e].e;
    walk_end(pool, w);
    return result;
}

expr expr_diff(expr_pool *pool, expr e, sym_kind kind, int index) {
    return derivative(pool, e, (variable){.kind = kind, .index = index}, 1u << kind);
}

expr expr_dt(expr_pool *pool, expr e) {
    if (expr_has(pool, e, SYM_A) || expr_has(pool, e, SYM_RESULT))
        return EXPR_NONE;
    return derivative(pool, e, (variable){.in_time = true}, 1u << SYM_TIME | 1u << SYM_P | 1u << SYM_V);
}

expr expr_drift(expr_pool *pool, expr e) {
    return derivative(pool, e, (variable){.in_time = true, .drifting = true}, 1u << SYM_TIME | 1u << SYM_P);
}

static expr rebuild(expr_pool *pool, const walk *w, expr e) {
    node n = *node_at(pool, e);
    expr args[3] = {0};
    bool changed = false;
    for (int k = 0; k < ops[n.op].arity; k++) {
        args[k] = w->stamp[n.args[k]] == w->epoch ? w->result[n.args[k]].e : n.args[k];
        changed |= args[k] != n.args[k];
    }
    return changed ? pool_make(pool, (op_code)n.op, args) : e;
}

void expr_substitute_all(expr_pool *pool, const expr *e, int count, expr_put put, void *context, expr *out) {
    walk *w = walk_begin(pool, e, count, ~0u);
    for (int i = 0; i < w->order.count; i++) {
        expr x = w->order.at[i], to = x;
        if (expr_op(pool, x) != OP_SYMBOL)
            to = rebuild(pool, w, x);
        else if ((to = put(context, expr_kind(pool, x), expr_index(pool, x))) == EXPR_NONE)
            to = x;
        w->result[x].e = to;
    }
    for (int i = 0; i < count; i++)
        out[i] = w->stamp[e[i]] == w->epoch ? w->result[e[i]].e : e[i];
    walk_end(pool, w);
}

expr expr_substitute(expr_pool *pool, expr e, expr_put put, void *context) {
    expr_substitute_all(pool, &e, 1, put, context, &e);
    return e;
}
