/* First and second derivatives of one expression with respect to many symbols, in one sweep from the
 * expression down to them. A node's adjoint is the derivative of the whole by the node: the sum, over the
 * nodes that use it, of their adjoints times their partial derivatives, by the rules in the table of
 * operations. That costs a few operations for each of the expression, however many symbols there are.
 *
 * The second derivatives come the same way (edge pushing: R. M. Gower, M. P. Mello, 2012). W of two nodes is
 * the second derivative of the whole by them, at what was swept so far. With y = f(a, b), f_a the partial
 * derivative, a node y is taken out by
 *
 *     W_aj += f_a W_yj    W_aa += f_a^2 W_yy    W_ab += f_a f_b W_yy + f_ab (adjoint of y)    ...
 *
 * What nodes have in common is summed up before it goes further down. The kinetic energy of a chain, its
 * velocities written from link to link, gives the inertias of composite bodies and their columns of M this
 * way: operations quadratic in its length, as the recursion by hand. */
#include "base/map.h"
#include "expr/expr.h"
#include "expr/pool.h"

static bool in_walk(const walk *w, expr e) {
    return w->stamp[e] == w->epoch;
}

static int first_operand(const node *n) { // a condition only chooses
    return n->op == OP_IF ? 1 : 0;
}

// f_k times factor, for operand k of e
static expr through(expr_pool *pool, expr e, int k, expr factor) {
    if (factor == EXPR_NONE || factor == EXPR_ZERO)
        return factor;
    expr d[3] = {EXPR_ZERO, EXPR_ZERO, EXPR_ZERO};
    d[k] = factor;
    return ops[expr_op(pool, e)].derive(pool, e, d);
}

static expr plus(expr_pool *pool, expr a, expr b) {
    return a == EXPR_NONE || b == EXPR_NONE ? EXPR_NONE : expr_op2(pool, OP_ADD, a, b);
}

static void hand_down(expr_pool *pool, walk *w, expr e) {
    node n = *node_at(pool, e);
    for (int k = first_operand(&n); k < ops[n.op].arity && !(ops[n.op].flags & OPS_STEP); k++)
        if (in_walk(w, n.args[k])) {
            expr *to = &w->result[n.args[k]].e;
            *to = plus(pool, *to, through(pool, e, k, w->result[e].e));
        }
}

// results are the adjoints
static walk *adjoints(expr_pool *pool, expr e, unsigned kinds) {
    walk *w = walk_begin(pool, &e, 1, kinds);
    for (int i = 0; i < w->order.count; i++)
        w->result[w->order.at[i]].e = EXPR_ZERO;
    if (w->order.count)
        w->result[e].e = EXPR_ONE;
    for (int i = w->order.count - 1; i >= 0; i--)
        hand_down(pool, w, w->order.at[i]);
    return w;
}

void expr_gradient(expr_pool *pool, expr e, int count, expr *const out[SYM_KINDS]) {
    unsigned kinds = 0;
    for (int kind = 0; kind < SYM_KINDS; kind++) {
        kinds |= out[kind] ? 1u << kind : 0;
        for (int i = 0; out[kind] && i < count; i++)
            out[kind][i] = EXPR_ZERO;
    }
    walk *w = adjoints(pool, e, kinds);
    for (int i = 0; i < w->order.count; i++) {
        expr x = w->order.at[i];
        if (expr_op(pool, x) == OP_SYMBOL && expr_index(pool, x) < count)
            out[expr_kind(pool, x)][expr_index(pool, x)] = w->result[x].e;
    }
    walk_end(pool, w);
}

// ---- second derivatives

static int degree_of_power(const node *n, const expr_pool *pool, int base) {
    double exponent = is_number(pool, n->args[1]) ? expr_value(pool, n->args[1]) : -1;
    return ops_power_is_product(exponent) && exponent >= 0 && base >= 0 ? (int)exponent * base : -1;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// of a node, from those of its operands; -1: not a polynomial
static int degree(const expr_pool *pool, const node *n, const int *of) {
    if (of[0] < 0 || of[1] < 0 || of[2] < 0)
        return -1;
    switch (n->op) {
    case OP_SYMBOL:
        return 1;
    case OP_NEG:
    case OP_ADD:
    case OP_SUB:
        return larger(of[0], of[1]);
    case OP_MUL:
        return of[0] + of[1];
    case OP_DIV:
        return of[1] ? -1 : of[0];
    case OP_POW:
        return of[1] ? -1 : degree_of_power(n, pool, of[0]);
    case OP_IF:
        return of[0] ? -1 : larger(of[1], of[2]);
    default:
        return -1;
    }
}

int expr_degree(const expr_pool *pool, expr e, sym_kind kind) {
    enum { DEGREE_MOST = 1000 };
    if (!expr_has(pool, e, kind))
        return 0;
    walk *w = walk_begin(pool, &e, 1, 1u << kind);
    for (int i = 0; i < w->order.count; i++) {
        const node *n = node_at(pool, w->order.at[i]);
        int of[3] = {0};
        for (int k = 0; k < ops[n->op].arity; k++)
            of[k] = in_walk(w, n->args[k]) ? (int)w->result[n->args[k]].value : 0;
        int found = degree(pool, n, of);
        w->result[w->order.at[i]].value = found > DEGREE_MOST ? -1 : found;
    }
    int result = (int)w->result[e].value;
    walk_end(pool, w);
    return result;
}

/* Places: symbols by their index, then the other nodes as the walk has them. W of two is kept with the later
 * one, which is taken out first, and W of two symbols is the result. */
typedef struct {
    int other; // place
    expr second;
} edge;

typedef struct {
    vec(edge) list;
} edges;

typedef struct {
    arena *scratch;
    expr_pool *pool;
    const walk *w; // with adjoints
    int symbols;
    edges *of;    // by place
    map place_of; // by expression
    map edge_of;  // by pair of places: where in the list
    expr *out;    // (symbols x symbols)
} pushing;

static void add_result(pushing *p, int i, int j, expr second) {
    expr sum = plus(p->pool, p->out[i * p->symbols + j], second);
    p->out[i * p->symbols + j] = p->out[j * p->symbols + i] = sum;
}

static void add_edge(pushing *p, int i, int j, expr second) {
    int late = larger(i, j), early = i + j - late;
    if (second == EXPR_ZERO)
        return;
    if (late < p->symbols) {
        add_result(p, i, j, second);
        return;
    }
    uint64_t key = (uint64_t)late << 32 | (uint32_t)early;
    edges *list = &p->of[late];
    int known = map_get(&p->edge_of, key);
    if (known < 0) {
        map_put(&p->edge_of, key, list->list.count);
        vec_push(p->scratch, list->list, ((edge){early, second}));
    } else {
        list->list.at[known].second = plus(p->pool, list->list.at[known].second, second);
    }
}

// W_ij and W_ji, which are one where i = j
static void add_both(pushing *p, int i, int j, expr second) {
    add_edge(p, i, j, i == j ? plus(p->pool, second, second) : second);
}

/* The operands of a node that depend on the symbols. */
typedef struct {
    expr node;
    int count, which[3], place[3];
} operands;

static operands operands_of(const pushing *p, expr e) {
    const node *n = node_at(p->pool, e);
    operands o = {.node = e};
    for (int k = first_operand(n); k < ops[n->op].arity; k++)
        if (in_walk(p->w, n->args[k])) {
            o.which[o.count] = k;
            o.place[o.count++] = map_get(&p->place_of, n->args[k]);
        }
    return o;
}

// W_yj to the operands of y
static void push(pushing *p, const operands *y, int j, expr second) {
    for (int k = 0; k < y->count; k++)
        add_both(p, y->place[k], j, through(p->pool, y->node, y->which[k], second));
}

// W_yy
static void push_own(pushing *p, const operands *y, expr second) {
    for (int k = 0; k < y->count; k++) {
        expr part = through(p->pool, y->node, y->which[k], second);
        add_edge(p, y->place[k], y->place[k], through(p->pool, y->node, y->which[k], part));
        for (int l = 0; l < k; l++)
            add_both(p, y->place[k], y->place[l], through(p->pool, y->node, y->which[l], part));
    }
}

// what y itself has of second derivatives: (a b)_ab = 1, (a^n)_aa = n (n - 1) a^(n-2)
static void create(pushing *p, const operands *y) {
    node n = *node_at(p->pool, y->node);
    expr adjoint = p->w->result[y->node].e;
    if (n.op == OP_MUL && y->count == 2)
        add_both(p, y->place[0], y->place[1], adjoint);
    if (n.op != OP_POW)
        return;
    double exponent = expr_value(p->pool, n.args[1]);
    expr power = expr_op2(p->pool, OP_POW, n.args[0], expr_number(p->pool, exponent - 2));
    expr factor = expr_op2(p->pool, OP_MUL, expr_number(p->pool, exponent * (exponent - 1)), power);
    add_edge(p, y->place[0], y->place[0], expr_op2(p->pool, OP_MUL, factor, adjoint));
}

static void take_out(pushing *p, int place, expr e) {
    operands y = operands_of(p, e);
    edges *own = &p->of[place];
    for (int i = 0; i < own->list.count; i++)
        if (own->list.at[i].other == place)
            push_own(p, &y, own->list.at[i].second);
        else
            push(p, &y, own->list.at[i].other, own->list.at[i].second);
    create(p, &y);
    own->list.count = 0;
}

static void push_all(pushing *p, int nodes) {
    p->of = arena_array(p->scratch, edges, p->symbols + nodes);
    map_init(&p->place_of, p->scratch);
    map_init(&p->edge_of, p->scratch);
    for (int i = 0; i < nodes; i++) {
        expr e = p->w->order.at[i];
        bool symbol = expr_op(p->pool, e) == OP_SYMBOL;
        map_put(&p->place_of, e, symbol ? expr_index(p->pool, e) : p->symbols + i);
    }
    for (int i = nodes - 1; i >= 0; i--)
        if (expr_op(p->pool, p->w->order.at[i]) != OP_SYMBOL)
            take_out(p, p->symbols + i, p->w->order.at[i]);
}

bool expr_hessian(expr_pool *pool, expr e, sym_kind kind, int count, expr *out) {
    for (int i = 0; i < count * count; i++)
        out[i] = EXPR_ZERO;
    if (expr_degree(pool, e, kind) < 0)
        return false;
    walk *w = adjoints(pool, e, 1u << kind);
    pushing p = {arena_child(pool->arena), pool, w, .symbols = count, .out = out};
    push_all(&p, w->order.count);
    arena_free(p.scratch);
    walk_end(pool, w);
    return true;
}
