/* The elements of the full model, in joint coordinates. An element speaks of the coordinates of bodies, and
 * its parts of M, Q, A, b by these are known (mech.shapes): they stay as they are, with q and q' in place of
 * its symbols, and its forces become forces on links. The angle of a joint of the tree is a coordinate: what
 * speaks of it is derived by that instead.
 *
 * All forces and masses go to one shape, whose switches they bring along; what steps have to watch in them
 * stays with a shape of each. Rows that others imply at every position are left out: those of a planar loop
 * in space that hold it in its plane, for instance. */
#include "mech/tree/tree_inside.h"

typedef struct {
    mech_tree *t;
    tree_load plain, held; // forces, without and with switches held
    derivation all;        // the one shape
    vec(expr) power, held_power;
} gathering;

// ---- what steps watch

static bool is_plain(const expr_pool *p, expr e, arena *scratch) {
    expr *order;
    int count = expr_order(p, &e, 1, scratch, &order);
    for (int i = 0; i < count; i++) {
        op_code op = expr_op(p, order[i]);
        if (op != OP_NUMBER && op != OP_SYMBOL && op != OP_ADD && op != OP_SUB && op != OP_MUL &&
            op != OP_NEG)
            return false;
    }
    return true;
}

static int *identity(const mech_tree *t, int count) {
    int *out = arena_array(t->arena, int, count + 1);
    for (int i = 0; i < count; i++)
        out[i] = i;
    return out;
}

shape *tree_new_shape(mech_tree *t, shape_kind kind, place at, int target) {
    static const shape none;
    shape s = none;
    const model *full = t->full->model;
    s.kind = kind;
    s.at = at;
    s.slot_count = t->n;
    s.turn_count = full->turns.count;
    s.count = 1;
    s.slots.at = t->slots;
    s.slots.count = t->n;
    s.turns.at = t->turns;
    s.turns.count = full->turns.count;
    if (target >= 0) {
        s.target_count = 1;
        vec_push(t->arena, s.targets, target);
    }
    vec_push(t->arena, t->model->shapes, s);
    mech_shape derived = {.unwatched = false};
    vec_push(t->arena, t->shapes, derived);
    return &t->model->shapes.at[t->model->shapes.count - 1];
}

void tree_push(mech_tree *t, int to, mech_quantity quantity, int i, int j, expr e, expr held) {
    mech_shape *derived = &t->shapes.at[to];
    if (e == EXPR_NONE && held == EXPR_NONE)
        return;
    expr zero = expr_number(t->pool, 0);
    mech_entry entry = {quantity, i, j, e ? e : zero, held ? held : zero};
    vec_push(t->arena, derived->entries, entry);
}

static void watch_element(lifting *l, arena *scratch) {
    mech_tree *t = l->t;
    bool any = false;
    for (int i = 0; i < l->derived->entries.count && !any; i++)
        any = !is_plain(t->pool, l->derived->entries.at[i].e, scratch);
    if (!any)
        return;
    tree_new_shape(t, l->from->kind, l->from->at, -1);
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity == MECH_M || e->quantity == MECH_Q || e->quantity == MECH_SWITCH)
            tree_push(t, t->shapes.count - 1, MECH_WATCHED, 0, 0, lift_expression(l, e->e), EXPR_NONE);
    }
}

// ---- forces and masses

static int work_of(mech_tree *t, gathering *g, const shape *s, const int *slots) {
    mech_work w = {s->kind, s->kind == SHAPE_FORCE ? slots[0] : -1};
    for (int i = 0; i < t->works.count; i++)
        if (t->works.at[i].kind == w.kind && t->works.at[i].coordinate == w.coordinate)
            return i;
    vec_push(t->arena, t->works, w);
    vec_push(t->arena, g->power, (expr)EXPR_NONE);
    vec_push(t->arena, g->held_power, (expr)EXPR_NONE);
    return t->works.count - 1;
}

static void add_force(gathering *g, lifting *l, const mech_entry *e) {
    mech_tree *t = g->t;
    switch (e->quantity) {
    case MECH_M: {
        int i = t->plain[l->slots[e->i]], j = t->plain[l->slots[e->j]];
        tree_push(t, 0, MECH_M, i, j, lift_expression(l, e->e), lift_expression(l, e->held));
        break;
    }
    case MECH_Q:
        lift_force(l, &g->plain, e->i, lift_expression(l, e->e));
        lift_force(l, &g->held, e->i, lift_expression(l, e->held));
        break;
    case MECH_SWITCH:
        tree_push(t, 0, MECH_SWITCH, l->modes + e->i, 0, lift_expression(l, e->e), lift_expression(l, e->e));
        break;
    case MECH_POWER: {
        int w = work_of(t, g, l->from, l->slots);
        g->power.at[w] = t_add(t->pool, g->power.at[w], lift_expression(l, e->e));
        g->held_power.at[w] = t_add(t->pool, g->held_power.at[w], lift_expression(l, e->held));
        break;
    }
    default:
        break;
    }
}

static bool on_bodies(const mech_tree *t, const shape *s, int instance) {
    for (int i = 0; i < s->slot_count; i++)
        if (t->owner[s->slots.at[instance * s->slot_count + i]] >= 0)
            return true;
    return false;
}

static bool is_force(shape_kind kind) {
    return kind == SHAPE_POTENTIAL || kind == SHAPE_DISSIPATION || kind == SHAPE_FORCE;
}

static bool is_mass(shape_kind kind) {
    return kind == SHAPE_KINETIC || kind == SHAPE_MASS || kind == SHAPE_MASS_PAIR;
}

static void add_forces(gathering *g, int number) {
    mech_tree *t = g->t;
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++) {
        if (is_mass(s->kind) ? on_bodies(t, s, k) : !is_force(s->kind) || tree_falls(t, number, k))
            continue; // a body's own, or what all fall by
        arena *scratch = arena_child(t->arena);
        lifting l = lift_begin(t, number, k, t->mech, scratch);
        l.modes = t->shapes.at[0].switch_count;
        for (int i = 0; i < l.derived->entries.count; i++)
            add_force(g, &l, &l.derived->entries.at[i]);
        t->shapes.at[0].switch_count += l.derived->switch_count;
        watch_element(&l, scratch);
        arena_free(scratch);
    }
}

// ---- stops, turns

static void add_plain(mech_tree *t, int number, mech_quantity first) {
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++) {
        arena *scratch = arena_child(t->arena);
        lifting l = lift_begin(t, number, k, t->mech, scratch);
        tree_new_shape(t, s->kind, s->at, s->targets.at[k]);
        for (int i = 0; i < l.derived->entries.count; i++)
            if (l.derived->entries.at[i].quantity == first)
                tree_push(t, t->shapes.count - 1, first, 0, 0,
                          lift_expression(&l, l.derived->entries.at[i].e), EXPR_NONE);
        arena_free(scratch);
    }
}

static void add_turns(mech_tree *t, int number) {
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++)
        if (mech_tree_angle(t, s->targets.at[k]) < 0) {
            lifting l = {t, s, &t->full->shapes[number], s->slots.at + (size_t)k * (size_t)s->slot_count,
                         k, 0};
            tree_new_shape(t, SHAPE_TURN, s->at, s->targets.at[k]);
            expr e = lift_expression(&l, s->part[PART_VALUE]);
            tree_push(t, t->shapes.count - 1, MECH_TURN, 0, 0, e, e);
        }
}

// ---- q and q'

static void add_outputs(mech_tree *t) {
    int full = t->full->model->coords.count;
    tree_new_shape(t, SHAPE_OUTPUT, (place){0}, 0);
    for (int i = 0; i < 2 * full; i++) {
        expr e = i < full ? t->position[i] : t->velocity[i - full];
        tree_push(t, t->shapes.count - 1, MECH_OUTPUT, i, 0, e, e);
        vec_push(t->arena, t->model->outputs, t->full->model->coords.at[i % full]);
    }
}

// ---- the motion

// whether articulated bodies take fewer operations than M_s and its factors
static bool is_long(const mech_tree *t) {
    enum { PER_JOINT = 380, PER_PAIR = 16 };
    double rates = 0, pairs = 0, sum = 0;
    for (int i = 0; i < t->links.count; i++) {
        const tree_link *l = &t->links.at[i];
        double own = (l->ball ? 3 : l->axis >= 0) + l->slides;
        rates += own;
        pairs += own * l->depth;
        sum += own * l->depth * l->depth;
    }
    return PER_PAIR * pairs + sum / 2 > (PER_JOINT - 200) * rates;
}

static void add_motion(gathering *g) {
    mech_tree *t = g->t;
    arena *scratch = arena_child(t->arena);
    expr *S = arena_array(scratch, expr, t->n + 1), *held = arena_array(scratch, expr, t->n + 1);
    bool plain = false;
    for (int i = 0; i < t->full->model->coords.count; i++)
        plain |= t->plain[i] >= 0;
    t->articulated = !plain && t->model->rows.count == 0 && is_long(t);
    g->all.out = &t->shapes.at[0];
    if (t->articulated) {
        tree_articulated(t, &g->plain, S);
        tree_articulated(t, &g->held, held);
    } else {
        tree_mass(t, &g->all);
        tree_forces(t, &g->plain, S);
        tree_forces(t, &g->held, held);
    }
    for (int i = 0; i < t->n; i++)
        tree_push(t, 0, t->articulated ? MECH_RATE : MECH_Q, i, 0, S[i], held[i]);
    for (int i = 0; i < t->works.count; i++)
        tree_push(t, 0, MECH_POWER, i, 0, g->power.at[i], g->held_power.at[i]);
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].axis >= 0)
            tree_push(t, 0, MECH_WATCHED, 0, 0, expr_op1(t->pool, OP_SIN, tree_u(t, t->links.at[i].turn)),
                      EXPR_NONE);
    t->shapes.at[0].unwatched = true;
    arena_free(scratch);
}

void tree_elements(mech_tree *t) {
    const model *m = t->full->model;
    gathering g = {.t = t, .plain = tree_load_new(t, t->arena), .held = tree_load_new(t, t->arena)};
    g.all = (derivation){.arena = t->arena, .model = t->model, .pool = t->pool, .mech = t->mech};
    t->slots = identity(t, t->n);
    t->turns = identity(t, m->turns.count);
    tree_new_shape(t, SHAPE_KINETIC, (place){0}, -1);
    for (int i = 0; i < m->shapes.count; i++)
        add_forces(&g, i);
    for (int i = 0; i < m->rows.count; i++)
        if (!tree_has_built_in(t, i))
            tree_add_row(t, i);
    tree_thin_rows(t);
    add_motion(&g);
    for (int i = 0; i < m->shapes.count; i++) {
        if (m->shapes.at[i].kind == SHAPE_STOP)
            add_plain(t, i, MECH_STOP);
        if (m->shapes.at[i].kind == SHAPE_TURN)
            add_turns(t, i);
    }
    add_outputs(t);
}
