/* Switches: what decides which branch a force or a constraint takes. In if(c, a, b) it is the truth of c, in
 * abs(a) and sign(a) the sign of a, in min(a, b) and max(a, b) the truth of a < b, in floor(a) its value, in
 * atan2(y, x) on which side of its cut y is, where x <= 0.
 *
 * With the switches held at given values (SYM_MODE) a force is smooth, beyond the place where it switches
 * too: integration goes on to the end of a step as if nothing had happened, and the place is then found in
 * it. What is known only after solving switches nothing here. */
#include "mech/derive.h"

typedef struct {
    derivation *d;
    expr *held;   // by expression: with switches held
    bool *needed; // by expression: what remains of the entries then has it
} holding;

static bool may_switch(const mech_entry *e) {
    switch (e->quantity) {
    case MECH_M:
    case MECH_Q:
    case MECH_A:
    case MECH_B:
    case MECH_C:
    case MECH_Q_ON_FORCES:
    case MECH_POWER_ON_FORCES:
    case MECH_MU:
    case MECH_STATIC:
    case MECH_WEIGHT:
    case MECH_SHARED:
    case MECH_POSITION:
    case MECH_VELOCITY:
    case MECH_POWER:
    case MECH_EFFORT:
        return true;
    default:
        return false;
    }
}

bool derive_is_decided(op_code op) {
    return op == OP_IF || op == OP_ABS || op == OP_SIGN || op == OP_MIN || op == OP_MAX || op == OP_FLOOR ||
           op == OP_ATAN2;
}

// 1 or -1: y is above or below the cut of atan2(y, x); 0 where x > 0, and neither matters
static expr side_of_cut(expr_pool *pool, expr y, expr x) {
    expr zero = expr_number(pool, 0), one = expr_number(pool, 1), minus = expr_number(pool, -1);
    expr side = expr_op3(pool, OP_IF, expr_op2(pool, OP_LE, zero, y), one, minus);
    return expr_op3(pool, OP_IF, expr_op2(pool, OP_LT, zero, x), zero, side);
}

// what decides in e, or EXPR_NONE
static expr decider(expr_pool *pool, expr e) {
    op_code op = expr_op(pool, e);
    if (!derive_is_decided(op))
        return EXPR_NONE;
    expr a = expr_arg(pool, e, 0);
    unsigned kinds = expr_kinds(pool, op == OP_IF ? a : e),
             moving = 1u << SYM_TIME | 1u << SYM_P | 1u << SYM_V;
    if (!(kinds & moving) || kinds & (1u << SYM_A | 1u << SYM_RESULT))
        return EXPR_NONE;
    return op == OP_IF                     ? a
           : op == OP_ABS || op == OP_SIGN ? expr_op1(pool, OP_SIGN, a)
           : op == OP_FLOOR                ? e
           : op == OP_ATAN2                ? side_of_cut(pool, a, expr_arg(pool, e, 1))
                                           : expr_op2(pool, OP_LT, a, expr_arg(pool, e, 1));
}

// atan2 that goes on beyond its cut: atan2(y, x) = side pi/2 + atan2(-side x, side y) on that side
static expr held_angle(expr_pool *pool, expr side, expr y, expr x) {
    expr quarter = expr_op2(pool, OP_MUL, side, expr_number(pool, 1.5707963267948966));
    expr across = expr_op1(pool, OP_NEG, expr_op2(pool, OP_MUL, side, x)),
         along = expr_op2(pool, OP_MUL, side, y);
    expr turned = expr_op2(pool, OP_ADD, quarter, expr_op2(pool, OP_ATAN2, across, along));
    return expr_op3(pool, OP_IF, side, turned, expr_op2(pool, OP_ATAN2, y, x));
}

static void mark_operands(holding *h, expr e) {
    expr_pool *pool = h->d->pool;
    op_code op = expr_op(pool, e);
    bool decided = decider(pool, e) != EXPR_NONE;
    if (!h->needed[e] || (decided && (op == OP_SIGN || op == OP_FLOOR)))
        return;
    for (int i = decided && op == OP_IF; i < ops[op].arity; i++)
        h->needed[expr_arg(pool, e, i)] = true;
}

// the symbol of a switch; the same for the same decider
static expr mode_of(holding *h, expr decides) {
    mech_shape *out = h->d->out;
    for (int i = 0; i < out->entries.count; i++)
        if (out->entries.at[i].quantity == MECH_SWITCH && out->entries.at[i].e == decides)
            return expr_symbol(h->d->pool, SYM_MODE, out->entries.at[i].i);
    derive_add(h->d, MECH_SWITCH, out->switch_count, 0, decides);
    return expr_symbol(h->d->pool, SYM_MODE, out->switch_count++);
}

static expr hold(holding *h, expr e) {
    expr_pool *pool = h->d->pool;
    op_code op = expr_op(pool, e);
    expr a[3] = {0}, decides = decider(pool, e);
    for (int i = 0; i < ops[op].arity; i++)
        a[i] = h->held[expr_arg(pool, e, i)];
    expr mode = decides ? mode_of(h, decides) : EXPR_NONE;
    if (mode && (op == OP_SIGN || op == OP_FLOOR))
        return mode;
    if (mode && op == OP_ATAN2)
        return held_angle(pool, mode, a[0], a[1]);
    if (mode && op == OP_ABS)
        return expr_op2(pool, OP_MUL, mode, a[0]);
    if (mode && op == OP_IF)
        return expr_op3(pool, OP_IF, mode, a[1], a[2]);
    if (mode)
        return expr_op3(pool, OP_IF, mode, a[op == OP_MAX], a[op == OP_MIN]);
    return ops[op].arity == 0   ? e
           : ops[op].arity == 1 ? expr_op1(pool, op, a[0])
           : ops[op].arity == 2 ? expr_op2(pool, op, a[0], a[1])
                                : expr_op3(pool, op, a[0], a[1], a[2]);
}

static bool any_switch(expr_pool *pool, const expr *order, int count) {
    for (int i = 0; i < count; i++)
        if (decider(pool, order[i]) != EXPR_NONE)
            return true;
    return false;
}

static void hold_entries(derivation *d, const expr *order, int count, arena *scratch) {
    int size = expr_pool_size(d->pool);
    holding h = {d, arena_array(scratch, expr, size), arena_array(scratch, bool, size)};
    mech_shape *out = d->out;
    for (int i = 0; i < out->entries.count; i++)
        if (may_switch(&out->entries.at[i]))
            h.needed[out->entries.at[i].e] = true;
    for (int i = count - 1; i >= 0; i--)
        mark_operands(&h, order[i]);
    for (int i = 0; i < count; i++)
        if (h.needed[order[i]])
            h.held[order[i]] = hold(&h, order[i]);
    for (int i = 0; i < out->entries.count; i++)
        if (may_switch(&out->entries.at[i]))
            out->entries.at[i].held = h.held[out->entries.at[i].e];
}

void derive_switches(derivation *d) {
    arena *scratch = arena_child(d->arena);
    vec(expr) roots = {0};
    for (int i = 0; i < d->out->entries.count; i++)
        if (may_switch(&d->out->entries.at[i]))
            vec_push(scratch, roots, d->out->entries.at[i].e);
    expr *order;
    int count = expr_order(d->pool, roots.at, roots.count, scratch, &order);
    if (any_switch(d->pool, order, count))
        hold_entries(d, order, count, scratch);
    arena_free(scratch);
}
