/* The elements of the full model, in joint coordinates. An element speaks of the coordinates of bodies, and
 * its parts of M, Q, A, b by these are known (mech.shapes): they stay as they are, with q and q' in place of
 * its symbols, and its forces become forces on links. The angle of a joint of the tree is a coordinate: what
 * speaks of it is derived by that instead.
 *
 * All forces and masses go to one shape, whose switches they bring along; what steps have to watch in them
 * stays with a shape of each. Rows that others imply at every position are left out: those of a planar loop
 * in space that hold it in its plane, for instance. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

typedef struct {
    mech_tree *t;
    const shape *from;         // in the full model, or the same with angles as slots
    const mech_shape *derived; // of that
    const int *slots;          // coordinates of the full model; -1 - u: a coordinate here
    int instance;
    int modes; // number of its first switch in the shape that it goes to
} lifting;

typedef struct {
    mech_tree *t;
    tree_load plain, held; // forces, without and with switches held
    derivation all;        // the one shape
    vec(expr) power, held_power;
} gathering;

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
    default:
        return EXPR_NONE;
    }
}

static expr lift(lifting *l, expr e) {
    return expr_substitute(l->t->pool, e, put, l);
}

static void load_slot(lifting *l, tree_load *load, int slot, expr f) {
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

/* The angles that an expression speaks of, or of whose rates it does: an angle may stand in the pool alone.
 */
static int find_angles(expr_pool *p, const bool *in, int size, const shape *from, expr *angle, expr *rate) {
    int count = 0;
    for (expr e = 1; (int)e < size; e++) {
        int k = turn_in(p, e);
        if (k < 0 || k >= from->turn_count)
            continue;
        expr slope = expr_dt(p, e);
        expr half = half_of(p, slope);
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
    int found = find_angles(p, in, size, from, angles, rates);
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
static lifting lifting_of(mech_tree *t, int number, int instance, mech *notes, arena *scratch) {
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

static int *identity(const mech_tree *t) {
    int *out = arena_array(t->arena, int, t->n + 1);
    for (int i = 0; i < t->n; i++)
        out[i] = i;
    return out;
}

// an empty shape of one instance, over all coordinates and turns
static shape *new_shape(mech_tree *t, shape_kind kind, place at, int target) {
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
    for (int i = 0; i < full->turns.count; i++)
        vec_push(t->arena, s.turns, i);
    if (target >= 0) {
        s.target_count = 1;
        vec_push(t->arena, s.targets, target);
    }
    vec_push(t->arena, t->model->shapes, s);
    mech_shape derived = {.unwatched = false};
    vec_push(t->arena, t->shapes, derived);
    return &t->model->shapes.at[t->model->shapes.count - 1];
}

static void push(mech_tree *t, int to, mech_quantity quantity, int i, int j, expr e, expr held) {
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
    new_shape(t, l->from->kind, l->from->at, -1);
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity == MECH_M || e->quantity == MECH_Q || e->quantity == MECH_SWITCH)
            push(t, t->shapes.count - 1, MECH_WATCHED, 0, 0, lift(l, e->e), EXPR_NONE);
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
        push(t, 0, MECH_M, i, j, lift(l, e->e), lift(l, e->held));
        break;
    }
    case MECH_Q:
        load_slot(l, &g->plain, e->i, lift(l, e->e));
        load_slot(l, &g->held, e->i, lift(l, e->held));
        break;
    case MECH_SWITCH:
        push(t, 0, MECH_SWITCH, l->modes + e->i, 0, lift(l, e->e), lift(l, e->e));
        break;
    case MECH_POWER: {
        int w = work_of(t, g, l->from, l->slots);
        g->power.at[w] = t_add(t->pool, g->power.at[w], lift(l, e->e));
        g->held_power.at[w] = t_add(t->pool, g->held_power.at[w], lift(l, e->held));
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
        lifting l = lifting_of(t, number, k, t->mech, scratch);
        l.modes = t->shapes.at[0].switch_count;
        for (int i = 0; i < l.derived->entries.count; i++)
            add_force(g, &l, &l.derived->entries.at[i]);
        t->shapes.at[0].switch_count += l.derived->switch_count;
        watch_element(&l, scratch);
        arena_free(scratch);
    }
}

// ---- rows

static const joint *tree_joint(const mech_tree *t, int constraint) {
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].joint && t->links.at[i].joint->constraint == constraint)
            return t->links.at[i].joint;
    return NULL;
}

// rows that the coordinates hold by themselves
static bool is_built_in(const mech_tree *t, int row) {
    const model_row *r = &t->full->model->rows.at[row];
    for (int i = 0; i < t->parts->bodies.count; i++)
        if (t->link_of[i] >= 0 && t->parts->bodies.at[i].constraint == r->constraint)
            return true;
    return tree_joint(t, r->constraint) && !(r->part && strcmp(r->part, "motion") == 0);
}

// what moves a coordinate: levers of the model, or turns
static double length_of(const mech_tree *t, int coordinate) {
    int number = t->owner[coordinate];
    const body *b = number < 0 ? NULL : &t->parts->bodies.at[number];
    double length = t->full->model->length;
    bool turns = b && coordinate >= b->rotation && coordinate < b->rotation + (b->planar ? 1 : 4);
    return b && !turns && length > 0 ? length : 1;
}

static void add_term(mech_tree *t, int row, expr e, double length) {
    vec_push(t->arena, t->terms[row].entries, e);
    vec_push(t->arena, t->terms[row].lengths, length);
}

// A_s (n) and A h of a row; by its expressions, or those with switches held
static void row_parts(lifting *l, int row, bool held, expr *A, expr *drift) {
    mech_tree *t = l->t;
    arena *scratch = arena_child(t->arena);
    tree_load load = tree_load_new(t, scratch);
    *drift = EXPR_NONE;
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity != MECH_A)
            continue;
        expr a = lift(l, held ? e->held : e->e);
        load_slot(l, &load, e->i, a);
        if (!held)
            add_term(t, row, a, l->slots[e->i] < 0 ? 1 : length_of(t, l->slots[e->i]));
        if (l->slots[e->i] >= 0)
            *drift = t_add(t->pool, *drift, t_mul(t->pool, a, tree_drift(t, l->slots[e->i])));
    }
    tree_load_carry(t, &load, A);
    arena_free(scratch);
}

static void add_general_row(lifting *l, int row, int to) {
    mech_tree *t = l->t;
    arena *scratch = arena_child(t->arena);
    expr *A = arena_array(scratch, expr, t->n + 1), *held = arena_array(scratch, expr, t->n + 1), h, h_held;
    row_parts(l, row, false, A, &h);
    row_parts(l, row, true, held, &h_held);
    for (int i = 0; i < t->n; i++)
        push(t, to, MECH_A, i, 0, A[i], held[i]);
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity == MECH_A || e->quantity == MECH_B)
            continue;
        push(t, to, e->quantity, e->i, 0, lift(l, e->e), lift(l, e->held));
    }
    expr b = EXPR_NONE, b_held = EXPR_NONE;
    for (int i = 0; i < l->derived->entries.count; i++)
        if (l->derived->entries.at[i].quantity == MECH_B) {
            b = lift(l, l->derived->entries.at[i].e);
            b_held = lift(l, l->derived->entries.at[i].held);
        }
    push(t, to, MECH_B, 0, 0, t_sub(t->pool, b, h), t_sub(t->pool, b_held, h_held));
    arena_free(scratch);
}

static void add_closure(mech_tree *t, int row, const tree_row *r, int to) {
    add_term(t, row, expr_number(t->pool, 1), t->full->model->length > 0 ? t->full->model->length : 1);
    for (int i = 0; i < t->n; i++)
        push(t, to, MECH_A, i, 0, r->A[i], r->A[i]);
    push(t, to, MECH_B, 0, 0, r->b, r->b);
    push(t, to, MECH_POSITION, 0, 0, r->position, r->position);
    push(t, to, MECH_VELOCITY, 0, 0, r->velocity, r->velocity);
}

static void add_row(mech_tree *t, int row) {
    const model_row *r = &t->full->model->rows.at[row];
    const shape *from = &t->full->model->shapes.at[r->shape];
    arena *scratch = arena_child(t->arena);
    lifting l = lifting_of(t, r->shape, r->instance, t->mech, scratch);
    shape *s = new_shape(t, SHAPE_ROW, from->at, t->model->rows.count);
    int number = t->shapes.count - 1;
    s->part[PART_VALUE] = lift(&l, l.from->part[PART_VALUE]);
    t->shapes.at[number] = *l.derived;
    t->shapes.at[number].entries.at = NULL;
    t->shapes.at[number].entries.count = t->shapes.at[number].entries.room = 0;
    tree_row closure = {.A = arena_array(scratch, expr, t->n + 1)};
    if (tree_close(t, row, &closure))
        add_closure(t, row, &closure, number);
    else
        add_general_row(&l, row, number);
    model_row own = {.constraint = r->constraint, .part = r->part, .shape = number};
    t->row_of[row] = t->model->rows.count;
    t->full_row[t->model->rows.count] = row;
    vec_push(t->arena, t->model->rows, own);
    arena_free(scratch);
}

// ---- stops, turns

static void add_plain(mech_tree *t, int number, mech_quantity first) {
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++) {
        arena *scratch = arena_child(t->arena);
        lifting l = lifting_of(t, number, k, t->mech, scratch);
        new_shape(t, s->kind, s->at, s->targets.at[k]);
        for (int i = 0; i < l.derived->entries.count; i++)
            if (l.derived->entries.at[i].quantity == first)
                push(t, t->shapes.count - 1, first, 0, 0, lift(&l, l.derived->entries.at[i].e), EXPR_NONE);
        arena_free(scratch);
    }
}

static void add_turns(mech_tree *t, int number) {
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++)
        if (mech_tree_angle(t, s->targets.at[k]) < 0) {
            lifting l = {t, s, &t->full->shapes[number], s->slots.at + (size_t)k * (size_t)s->slot_count,
                         k, 0};
            new_shape(t, SHAPE_TURN, s->at, s->targets.at[k]);
            expr e = lift(&l, s->part[PART_VALUE]);
            push(t, t->shapes.count - 1, MECH_TURN, 0, 0, e, e);
        }
}

// ---- q and q'

static void add_outputs(mech_tree *t) {
    int full = t->full->model->coords.count;
    for (int i = 0; i < 2 * full; i++) {
        expr e = i < full ? t->position[i] : t->velocity[i - full];
        new_shape(t, SHAPE_OUTPUT, (place){0}, i);
        push(t, t->shapes.count - 1, MECH_OUTPUT, 0, 0, e, e);
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
        push(t, 0, t->articulated ? MECH_RATE : MECH_Q, i, 0, S[i], held[i]);
    for (int i = 0; i < t->works.count; i++)
        push(t, 0, MECH_POWER, i, 0, g->power.at[i], g->held_power.at[i]);
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].axis >= 0)
            push(t, 0, MECH_WATCHED, 0, 0, expr_op1(t->pool, OP_SIN, tree_u(t, t->links.at[i].turn)),
                 EXPR_NONE);
    t->shapes.at[0].unwatched = true;
    arena_free(scratch);
}

void tree_elements(mech_tree *t) {
    const model *m = t->full->model;
    gathering g = {.t = t, .plain = tree_load_new(t, t->arena), .held = tree_load_new(t, t->arena)};
    g.all = (derivation){.arena = t->arena, .model = t->model, .pool = t->pool, .mech = t->mech};
    t->slots = identity(t);
    new_shape(t, SHAPE_KINETIC, (place){0}, -1);
    for (int i = 0; i < m->shapes.count; i++)
        add_forces(&g, i);
    for (int i = 0; i < m->rows.count; i++)
        if (!is_built_in(t, i))
            add_row(t, i);
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
