/* The pool of expressions: nodes of 16 bytes in one array, found again through a hash table, so that making
 * an expression costs one look-up and equal expressions are one node. Walks over the nodes below an
 * expression cost time linear in what they visit; their marks are kept from call to call. */
#include "expr/expr.h"
#include "expr/pool.h"

#include <math.h>
#include <string.h>

expr_pool *expr_pool_new(arena *a) {
    expr_pool *pool = arena_array(a, expr_pool, 1);
    pool->arena = a;
    pool->mask = 255;
    pool->table = arena_array(a, expr, pool->mask + 1);
    pool->spare = arena_array(a, walk, 1);
    vec_push(a, pool->nodes, (node){0}); // EXPR_NONE
    expr_number(pool, 0);
    expr_number(pool, 1);
    return pool;
}

void expr_pool_set_exact(expr_pool *pool, bool exact) {
    pool->exact = exact;
}

bool expr_pool_exact(const expr_pool *pool) {
    return pool->exact;
}

void expr_pool_set_kernels(expr_pool *pool, struct kernel_store *store) {
    pool->kernels = store;
}

struct kernel_store *expr_pool_kernels(const expr_pool *pool) {
    return pool->kernels;
}

// ---- nodes

static uint32_t hash(const node *n) {
    uint64_t h = n->op;
    for (int i = 0; i < 3; i++) {
        h = (h ^ n->args[i]) * 0x9E3779B97F4A7C15u; // 2^64 over the golden ratio
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static bool same(const node *a, const node *b) {
    return a->op == b->op && memcmp(a->args, b->args, sizeof a->args) == 0;
}

static uint32_t slot_of(const expr_pool *pool, const node *n) { // where n is, or the free slot for it
    uint32_t slot = hash(n) & pool->mask;
    while (pool->table[slot] && !same(n, node_at(pool, pool->table[slot])))
        slot = (slot + 1) & pool->mask;
    return slot;
}

static void grow_table(expr_pool *pool) {
    uint32_t mask = 2 * pool->mask + 1;
    pool->table = arena_array(pool->arena, expr, (size_t)mask + 1);
    pool->mask = mask; // after that: without memory the old table stays good
    for (int e = 1; e < pool->nodes.count; e++)
        pool->table[slot_of(pool, &pool->nodes.at[e])] = (expr)e;
}

static expr intern(expr_pool *pool, node n) {
    uint32_t slot = slot_of(pool, &n);
    if (pool->table[slot])
        return pool->table[slot];
    expr e = (expr)pool->nodes.count;
    vec_push(pool->arena, pool->nodes, n);
    pool->table[slot] = e;
    if ((uint32_t)pool->nodes.count > pool->mask / 2)
        grow_table(pool);
    return e;
}

expr expr_number(expr_pool *pool, double value) {
    node n = {.op = OP_NUMBER, .flags = isfinite(value) ? NODE_TOTAL : 0};
    value += 0.0; // there is one zero
    memcpy(n.args, &value, sizeof value);
    return intern(pool, n);
}

expr expr_symbol(expr_pool *pool, sym_kind kind, int index) {
    node n = {.op = OP_SYMBOL, .flags = NODE_TOTAL, .kinds = (uint16_t)(1u << kind)};
    n.args[0] = (uint32_t)kind;
    n.args[1] = (uint32_t)index;
    return intern(pool, n);
}

// whether op is finite for all finite operands; division and power are where their second operand says so
static bool total(const expr_pool *pool, op_code op, expr b) {
    if (op == OP_DIV)
        return is_number(pool, b) && expr_value(pool, b) != 0;
    if (op == OP_POW)
        return is_number(pool, b) && expr_value(pool, b) >= 0 &&
               expr_value(pool, b) == floor(expr_value(pool, b));
    return ops[op].flags & OPS_TOTAL;
}

expr pool_node(expr_pool *pool, op_code op, expr a, expr b, expr c) {
    node n = {.op = (uint8_t)op, .args = {a, b, c}};
    unsigned all = total(pool, op, b) ? NODE_TOTAL : 0;
    for (int i = 0; i < ops[op].arity; i++) {
        n.kinds |= node_at(pool, n.args[i])->kinds;
        all &= node_at(pool, n.args[i])->flags;
    }
    n.flags = (uint8_t)all;
    return intern(pool, n);
}

// ---- looking

op_code expr_op(const expr_pool *pool, expr e) {
    return (op_code)node_at(pool, e)->op;
}

expr expr_arg(const expr_pool *pool, expr e, int which) {
    return node_at(pool, e)->args[which];
}

double expr_value(const expr_pool *pool, expr e) {
    double value;
    memcpy(&value, node_at(pool, e)->args, sizeof value);
    return value;
}

sym_kind expr_kind(const expr_pool *pool, expr e) {
    return (sym_kind)node_at(pool, e)->args[0];
}

int expr_index(const expr_pool *pool, expr e) {
    return (int)node_at(pool, e)->args[1];
}

bool expr_is_number(const expr_pool *pool, expr e, double value) {
    return is_number(pool, e) && expr_value(pool, e) == value;
}

unsigned expr_kinds(const expr_pool *pool, expr e) {
    return node_at(pool, e)->kinds;
}

bool expr_has(const expr_pool *pool, expr e, sym_kind kind) {
    return expr_kinds(pool, e) >> kind & 1;
}

int expr_pool_size(const expr_pool *pool) {
    return pool->nodes.count;
}

// the last first: no older node was moved on by a younger one in its slot
void expr_pool_truncate(expr_pool *pool, int size) {
    while (pool->nodes.count > size) {
        pool->table[slot_of(pool, &pool->nodes.at[pool->nodes.count - 1])] = EXPR_NONE;
        pool->nodes.count--;
    }
}

// ---- walks

static walk *walk_take(const expr_pool *pool) {
    walk *w = pool->spare->next;
    if (w)
        pool->spare->next = w->next;
    else
        w = arena_array(pool->arena, walk, 1);
    if (w->room < pool->nodes.count) {
        w->room = 2 * pool->nodes.count;
        w->stamp = arena_array(pool->arena, uint32_t, w->room);
        w->result = arena_alloc(pool->arena, (size_t)w->room * sizeof *w->result);
        w->epoch = 0;
    }
    if (++w->epoch == 0) { // 2^32 walks later
        memset(w->stamp, 0, (size_t)w->room * sizeof *w->stamp);
        w->epoch = 1;
    }
    w->order.count = 0;
    return w;
}

static void walk_push(const expr_pool *pool, walk *w, expr e, unsigned kinds) {
    if (e == EXPR_NONE || w->stamp[e] == w->epoch || (kinds && !(node_at(pool, e)->kinds & kinds)))
        return;
    w->stamp[e] = w->epoch;
    vec_push(pool->arena, w->stack, ((visit){e, 0}));
}

walk *walk_begin(const expr_pool *pool, const expr *roots, int count, unsigned kinds) {
    walk *w = walk_take(pool);
    for (int i = 0; i < count; i++) {
        walk_push(pool, w, roots[i], kinds);
        while (w->stack.count) {
            visit *top = &w->stack.at[w->stack.count - 1];
            const node *n = node_at(pool, top->e);
            if (top->arg < ops[n->op].arity) {
                walk_push(pool, w, n->args[top->arg++], kinds);
            } else {
                vec_push(pool->arena, w->order, top->e);
                w->stack.count--;
            }
        }
    }
    return w;
}

void walk_end(const expr_pool *pool, walk *w) {
    w->next = pool->spare->next;
    pool->spare->next = w;
}

int expr_order(const expr_pool *pool, const expr *roots, int count, arena *a, expr **order) {
    walk *w = walk_begin(pool, roots, count, 0);
    int found = w->order.count;
    *order = arena_array(a, expr, found);
    if (found)
        memcpy(*order, w->order.at, (size_t)found * sizeof **order);
    walk_end(pool, w);
    return found;
}

int expr_order_places(const expr_pool *pool, const expr *roots, int count, arena *a, expr **order,
                      int (**args)[3], int **root_places) {
    walk *w = walk_begin(pool, roots, count, 0);
    int found = w->order.count;
    *order = arena_array(a, expr, found);
    *args = arena_alloc(a, (size_t)(found + 1) * sizeof **args);
    *root_places = arena_array(a, int, count + 1);
    for (int i = 0; i < found; i++) {
        expr x = (*order)[i] = w->order.at[i];
        const node *n = node_at(pool, x);
        w->result[x].place = i;
        for (int k = 0; k < 3; k++)
            (*args)[i][k] = k < ops[n->op].arity ? w->result[n->args[k]].place : -1;
    }
    for (int i = 0; i < count; i++)
        (*root_places)[i] = roots[i] == EXPR_NONE ? -1 : w->result[roots[i]].place;
    walk_end(pool, w);
    return found;
}

void expr_eval_all(const expr_pool *pool, const expr *e, int count, expr_get get, void *context,
                   double *out) {
    walk *w = walk_begin(pool, e, count, 0);
    for (int i = 0; i < w->order.count; i++) {
        expr x = w->order.at[i];
        node n = *node_at(pool, x);
        double v[3] = {0};
        for (int k = 0; k < ops[n.op].arity; k++)
            v[k] = w->result[n.args[k]].value;
        if (n.op == OP_NUMBER)
            w->result[x].value = expr_value(pool, x);
        else if (n.op == OP_SYMBOL)
            w->result[x].value = get(context, (sym_kind)n.args[0], (int)n.args[1]);
        else
            w->result[x].value = ops[n.op].value(v[0], v[1], v[2]);
    }
    for (int i = 0; i < count; i++)
        out[i] = e[i] == EXPR_NONE ? 0 : w->result[e[i]].value;
    walk_end(pool, w);
}

double expr_eval(const expr_pool *pool, expr e, expr_get get, void *context) {
    double value;
    expr_eval_all(pool, &e, 1, get, context, &value);
    return value;
}
