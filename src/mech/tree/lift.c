/* An element of the full model in joint coordinates: its expressions with q and q' in place of its symbols.
 * The angle of a joint of the tree is a coordinate: what speaks of it is derived anew by that, with a slot
 * more. */
#include "mech/tree/tree_inside.h"

#include <string.h>

// ---- symbols

static expr put(void *context, sym_kind kind, int index) {
    const lifting *l = context;
    const mech_tree *t = l->t;
    switch (kind) {
    case SYM_P:
        return l->slots[index] < 0 ? tree_u(t, -1 - l->slots[index]) : t->position[l->slots[index]];
    case SYM_V:
        return l->slots[index] < 0 ? tree_s(t, -1 - l->slots[index]) : t->velocity[l->slots[index]];
    case SYM_NUMBER:
        return expr_number(t->pool, l->from->numbers.at[l->instance * l->from->number_count + index]);
    case SYM_MODE:
        return expr_symbol(t->pool, SYM_MODE, l->modes + index);
    case SYM_TURN:
        return expr_symbol(t->pool, SYM_TURN, l->from->turns.at[l->instance * l->from->turn_count + index]);
    case SYM_RESULT:
        return expr_symbol(t->pool, SYM_RESULT,
                           l->from->results.at[l->instance * l->from->result_count + index]);
    default:
        return EXPR_NONE;
    }
}

expr lift_expression(lifting *l, expr e) {
    return expr_substitute(l->t->pool, e, put, l);
}

void lift_switches(lifting *l, int to, int number) {
    mech_tree *t = l->t;
    t->shapes.at[to].switch_count = l->modes + l->derived->switch_count;
    for (int i = 0; i < l->derived->switch_count; i++)
        vec_push(t->arena, t->switches, ((tree_switch){to, l->modes + i, number, l->instance, i}));
}

void lift_force(lifting *l, tree_load *load, int slot, expr f) {
    int coordinate = l->slots[slot];
    if (coordinate >= 0)
        tree_load_add(l->t, load, coordinate, f);
    else
        load->along[-1 - coordinate] = t_add(l->t->pool, load->along[-1 - coordinate], f);
}

// ---- angles of the tree's joints

int mech_tree_angle(const mech_tree *t, int turn) {
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        if (l->joint && l->joint->turn == turn && l->turn >= 0 && !l->ball)
            return l->turn;
    }
    return -1;
}

// k + 2 atan2(...), as joint_angle writes it; the slot of k, or -1
static int turn_in(const expr_pool *p, expr e) {
    if (expr_op(p, e) != OP_ADD)
        return -1;
    for (int i = 0; i < 2; i++) {
        expr k = expr_arg(p, e, i), rest = expr_arg(p, e, 1 - i);
        if (expr_op(p, k) == OP_SYMBOL && expr_kind(p, k) == SYM_TURN && expr_op(p, rest) == OP_MUL)
            return expr_index(p, k);
    }
    return -1;
}

static expr rebuilt(expr_pool *p, expr e, const expr *by) {
    op_code op = expr_op(p, e);
    expr a[3];
    for (int i = 0; i < ops[op].arity; i++)
        a[i] = by[expr_arg(p, e, i)];
    return ops[op].arity == 0   ? e
           : ops[op].arity == 1 ? expr_op1(p, op, a[0])
           : ops[op].arity == 2 ? expr_op2(p, op, a[0], a[1])
                                : expr_op3(p, op, a[0], a[1], a[2]);
}

// the rate of an angle is 2 x with x from atan2: products keep the 2 elsewhere
static expr half_of(expr_pool *p, expr rate) {
    for (int i = 0; rate && expr_op(p, rate) == OP_MUL && i < 2; i++)
        if (expr_is_number(p, expr_arg(p, rate, i), 2))
            return expr_arg(p, rate, 1 - i);
    return EXPR_NONE;
}

void tree_find_angles(mech_tree *t) {
    int size = expr_pool_size(t->pool);
    for (expr e = 1; (int)e < size; e++)
        if (turn_in(t->pool, e) >= 0)
            vec_push(t->arena, t->angles, ((tree_angle){e, expr_dt(t->pool, e)}));
}

/* The angles that an expression speaks of, or of whose rates it does: an angle may stand in the pool alone.
 */
static int find_angles(const mech_tree *t, const bool *in, int size, const shape *from, expr *angle,
                       expr *rate) {
    int count = 0;
    for (int i = 0; i < t->angles.count; i++) {
        expr e = t->angles.at[i].angle, slope = t->angles.at[i].rate;
        if (turn_in(t->pool, e) >= from->turn_count)
            continue;
        expr half = half_of(t->pool, slope);
        bool moves = ((int)slope < size && in[slope]) || ((int)half < size && in[half]);
        if ((in[e] || moves) && count < 2 * from->turn_count) {
            angle[count] = e;
            rate[count++] = moves ? slope : EXPR_NONE;
        }
    }
    return count;
}

/* The shape of one instance, with a slot more for each angle that is a coordinate here. */
static shape with_angles(lifting *l, arena *scratch) {
    expr_pool *p = l->t->pool;
    const shape *from = l->from;
    shape out = *from;
    expr *order, roots[SHAPE_PARTS];
    int parts = 0, size = expr_pool_size(p), most = 2 * from->turn_count;
    for (int i = 0; i < SHAPE_PARTS; i++)
        if (from->part[i])
            roots[parts++] = from->part[i];
    int count = expr_order(p, roots, parts, scratch, &order);
    int *slots = arena_array(scratch, int, from->slot_count + most + 1);
    memcpy(slots, l->slots, (size_t)from->slot_count * sizeof *slots);
    expr *by = arena_array(scratch, expr, size + 1), *angles = arena_array(scratch, expr, most + 1),
         *rates = arena_array(scratch, expr, most + 1);
    bool *in = arena_array(scratch, bool, size + 1);
    for (int i = 0; i < count; i++)
        in[order[i]] = true;
    int found = find_angles(l->t, in, size, from, angles, rates);
    for (int i = 0; i < found; i++) {
        int turn = from->turns.at[l->instance * from->turn_count + turn_in(p, angles[i])];
        int u = mech_tree_angle(l->t, turn);
        if (u < 0)
            continue;
        slots[out.slot_count] = -1 - u;
        by[angles[i]] = expr_symbol(p, SYM_P, out.slot_count);
        expr rate = expr_symbol(p, SYM_V, out.slot_count), half = half_of(p, rates[i]);
        if (rates[i] && (int)rates[i] < size)
            by[rates[i]] = rate;
        if (half && (int)half < size)
            by[half] = expr_op2(p, OP_MUL, expr_number(p, 0.5), rate);
        out.slot_count++;
    }
    for (int i = 0; i < count; i++)
        if (by[order[i]] == EXPR_NONE)
            by[order[i]] = rebuilt(p, order[i], by);
    for (int i = 0; i < SHAPE_PARTS; i++)
        out.part[i] = from->part[i] ? by[from->part[i]] : EXPR_NONE;
    l->slots = slots;
    return out;
}

static bool has_tree_angle(const mech_tree *t, const shape *s, int instance) {
    for (int i = 0; i < s->turn_count; i++)
        if (mech_tree_angle(t, s->turns.at[instance * s->turn_count + i]) >= 0)
            return true;
    return false;
}

// what an instance of a shape of the full model is, over which slots
lifting lift_begin(mech_tree *t, int number, int instance, mech *notes, arena *scratch) {
    const model *m = t->full->model;
    const shape *s = &m->shapes.at[number];
    lifting l = {
        t, s, &t->full->shapes[number], s->slots.at + (size_t)instance * (size_t)s->slot_count, instance, 0};
    if (!has_tree_angle(t, s, instance))
        return l;
    shape *own = arena_alloc(scratch, sizeof *own);
    mech_shape *derived = arena_alloc(scratch, sizeof *derived);
    *own = with_angles(&l, scratch);
    l.from = own;
    derivation d = {
        .arena = scratch, .model = (model *)m, .pool = t->pool, .mech = notes, .shape = own, .out = derived};
    derive_element(&d);
    l.derived = derived;
    return l;
}
