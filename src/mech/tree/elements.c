/* The elements of the full model, in joint coordinates. An element speaks of the coordinates of bodies, and
 * its parts of M, Q, A, b by these are known (mech.shapes): they stay as they are, with q and q' in place of
 * its symbols, and its forces become forces on links. The angle of a joint of the tree is a coordinate: what
 * speaks of it is derived by that instead.
 *
 * Masses of bodies are those of the links (inertia.c), unless other statements give some for their
 * coordinates, too: then all are elements, M_s = H'MH and S = H'(Q - M h) with H from unit forces.
 *
 * All forces and masses go to one shape, whose switches they bring along; what steps have to watch in them
 * stays with a shape of each. Rows that others imply at every position are left out: those of a planar loop
 * in space that hold it in its plane, for instance. */
#include "mech/tree/tree_inside.h"

#include <string.h>

/* Without and with switches held. */
typedef struct {
    tree_load plain, held;
} tree_loads;

typedef struct {
    vec(expr) plain, held; // (works)
} tree_powers;

typedef struct {
    mech_tree *t;
    tree_loads Q, C;      // forces; non-ideal ones where some are built on reactions
    tree_loads on_forces; // of Q, those that are
    derivation all;       // the one shape
    expr *M,
        *M_held; // (n x n, below and on the diagonal) of masses for the coordinates of bodies; NULL: none
    expr **H;    // (slots of the element at hand) how the rates move each
    tree_powers power, power_on_forces;
    const tree_freedom *along; // of an actuator whose rate is one of the tree; NULL: not
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

// `force` is the quantity that has the forces
static void watch_element(lifting *l, mech_quantity force, arena *scratch) {
    mech_tree *t = l->t;
    bool any = false;
    for (int i = 0; i < l->derived->entries.count && !any; i++)
        any = !is_plain(t->pool, l->derived->entries.at[i].e, scratch);
    if (!any)
        return;
    tree_new_shape(t, l->from->kind, l->from->at, -1);
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity == MECH_M || e->quantity == force || e->quantity == MECH_C ||
            e->quantity == MECH_Q_ON_FORCES || e->quantity == MECH_SWITCH)
            tree_push(t, t->shapes.count - 1, MECH_WATCHED, 0, 0, lift_expression(l, e->e), EXPR_NONE);
    }
}

// ---- forces and masses

static int work_of(mech_tree *t, gathering *g, const lifting *l) {
    shape_kind kind = l->from->kind;
    mech_work w = {kind, kind == SHAPE_FORCE      ? l->slots[0]
                         : kind == SHAPE_ACTUATOR ? l->from->targets.at[l->instance]
                                                  : -1};
    for (int i = 0; i < t->works.count; i++)
        if (t->works.at[i].kind == w.kind && t->works.at[i].of == w.of)
            return i;
    vec_push(t->arena, t->works, w);
    tree_powers *all[] = {&g->power, &g->power_on_forces};
    for (int i = 0; i < 2; i++) {
        vec_push(t->arena, all[i]->plain, (expr)EXPR_NONE);
        vec_push(t->arena, all[i]->held, (expr)EXPR_NONE);
    }
    return t->works.count - 1;
}

static void add_power(gathering *g, const lifting *l, expr power, expr held) {
    mech_tree *t = g->t;
    int w = work_of(t, g, l);
    tree_powers *to = l->from->on_forces ? &g->power_on_forces : &g->power;
    to->plain.at[w] = t_add(t->pool, to->plain.at[w], power);
    to->held.at[w] = t_add(t->pool, to->held.at[w], held);
}

// along rates of the tree it is a force on these, and on no body
static void add_effort(gathering *g, lifting *l, const mech_entry *e) {
    mech_tree *t = g->t;
    expr effort = lift_expression(l, e->e), held = lift_expression(l, e->held), rate = EXPR_NONE;
    tree_loads *loads = l->from->on_forces ? &g->on_forces : &g->Q;
    for (int i = 0; i < g->along->count; i++) {
        int to = g->along->rate[i];
        expr factor = t_number(t->pool, g->along->factor[i]);
        rate = t_add(t->pool, rate, t_mul(t->pool, factor, tree_s(t, to)));
        loads->plain.along[to] = t_add(t->pool, loads->plain.along[to], t_mul(t->pool, factor, effort));
        loads->held.along[to] = t_add(t->pool, loads->held.along[to], t_mul(t->pool, factor, held));
    }
    add_power(g, l, t_mul(t->pool, effort, rate), t_mul(t->pool, held, rate));
}

static void add_load(lifting *l, tree_loads *to, const mech_entry *e) {
    lift_force(l, &to->plain, e->i, lift_expression(l, e->e));
    lift_force(l, &to->held, e->i, lift_expression(l, e->held));
}

/* Q + C is what moves the bodies; which part of it belongs to constraints is told by the full form. Where C
 * is built on reactions it stays apart. */
static void add_nonideal(gathering *g, lifting *l, const mech_entry *e) {
    mech_tree *t = g->t;
    bool apart = t->full->needs_ideal;
    expr rate = t->velocity[l->slots[e->i]];
    add_load(l, apart ? &g->C : &g->Q, e);
    if (!apart)
        add_power(g, l, t_mul(t->pool, rate, lift_expression(l, e->e)),
                  t_mul(t->pool, rate, lift_expression(l, e->held)));
}

// of each slot, the force 1 on it along the rates
static void find_H(gathering *g, lifting *l, arena *scratch) {
    g->H = arena_array(scratch, expr *, l->from->slot_count + 1);
    for (int i = 0; i < l->from->slot_count; i++) {
        tree_load load = tree_load_new(g->t, scratch);
        g->H[i] = arena_array(scratch, expr, g->t->n + 1);
        lift_force(l, &load, i, expr_number(g->t->pool, 1));
        tree_load_carry(g->t, &load, g->H[i]);
    }
}

static void add_mass_of(gathering *g, lifting *l, const mech_entry *e, expr m, tree_load *load, expr *M) {
    mech_tree *t = g->t;
    expr_pool *p = t->pool;
    const expr *one = g->H[e->i], *two = g->H[e->j];
    for (int a = 0; a < t->n; a++)
        for (int b = 0; one[a] && b <= a; b++)
            if (two[b])
                M[a * t->n + b] = t_add(p, M[a * t->n + b], t_mul(p, m, t_mul(p, one[a], two[b])));
    int slot = l->slots[e->j];
    expr h = slot >= 0 ? tree_drift(t, slot) : EXPR_NONE;
    if (h)
        lift_force(l, load, e->i, t_neg(p, t_mul(p, m, h)));
}

static void add_mass(gathering *g, lifting *l, const mech_entry *e) {
    mech_tree *t = g->t;
    expr m = lift_expression(l, e->e), held = lift_expression(l, e->held);
    if (t->full->foreign_energy) {
        add_mass_of(g, l, e, m, &g->Q.plain, g->M);
        add_mass_of(g, l, e, held, &g->Q.held, g->M_held);
    } else {
        tree_push(t, 0, MECH_M, t->plain[l->slots[e->i]], t->plain[l->slots[e->j]], m, held);
    }
}

static void push_masses(gathering *g) {
    int n = g->M ? g->t->n : 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) {
            expr m = g->M[a * n + b], held = g->M_held[a * n + b];
            tree_push(g->t, 0, MECH_M, a, b, m, held);
            if (a != b)
                tree_push(g->t, 0, MECH_M, b, a, m, held);
        }
}

static void add_force(gathering *g, lifting *l, const mech_entry *e) {
    mech_tree *t = g->t;
    if (g->along && e->quantity == MECH_EFFORT)
        add_effort(g, l, e);
    if (g->along && e->quantity != MECH_SWITCH)
        return;
    switch (e->quantity) {
    case MECH_M:
        add_mass(g, l, e);
        break;
    case MECH_Q:
        add_load(l, &g->Q, e);
        break;
    case MECH_Q_ON_FORCES:
        add_load(l, &g->on_forces, e);
        break;
    case MECH_SWITCH:
        tree_push(t, 0, MECH_SWITCH, l->modes + e->i, 0, lift_expression(l, e->e), lift_expression(l, e->e));
        break;
    case MECH_C:
        add_nonideal(g, l, e);
        break;
    case MECH_POWER:
    case MECH_POWER_ON_FORCES:
        add_power(g, l, lift_expression(l, e->e), lift_expression(l, e->held));
        break;
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
    return kind == SHAPE_POTENTIAL || kind == SHAPE_DISSIPATION || kind == SHAPE_FORCE ||
           kind == SHAPE_ACTUATOR || kind == SHAPE_NONIDEAL;
}

static bool is_mass(shape_kind kind) {
    return kind == SHAPE_KINETIC || kind == SHAPE_MASS || kind == SHAPE_MASS_PAIR;
}

static void add_forces(gathering *g, int number) {
    mech_tree *t = g->t;
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++) {
        bool of_link = is_mass(s->kind) && !t->full->foreign_energy && on_bodies(t, s, k);
        if (of_link || !(is_mass(s->kind) || is_force(s->kind)) || tree_falls(t, number, k))
            continue; // a body's own, or what all fall by
        arena *scratch = arena_child(t->arena);
        lifting l = lift_begin(t, number, k, t->mech, scratch);
        tree_freedom along;
        const model_actuator *a =
            s->kind == SHAPE_ACTUATOR ? &t->full->model->actuators.at[s->targets.at[k]] : NULL;
        bool own = a && tree_freedom_of(t, a->part, a->torque, a->freedom, &along);
        g->along = own ? &along : NULL;
        l.modes = t->shapes.at[0].switch_count;
        if (is_mass(s->kind) && t->full->foreign_energy)
            find_H(g, &l, scratch);
        for (int i = 0; i < l.derived->entries.count; i++)
            add_force(g, &l, &l.derived->entries.at[i]);
        lift_switches(&l, 0, number);
        watch_element(&l, own ? MECH_EFFORT : MECH_Q, scratch);
        arena_free(scratch);
    }
}

static void push_loads(mech_tree *t, mech_quantity quantity, tree_loads *loads) {
    arena *scratch = arena_child(t->arena);
    expr *plain = arena_array(scratch, expr, t->n + 1), *held = arena_array(scratch, expr, t->n + 1);
    tree_load_carry(t, &loads->plain, plain);
    tree_load_carry(t, &loads->held, held);
    for (int i = 0; i < t->n; i++)
        tree_push(t, 0, quantity, i, 0, plain[i], held[i]);
    arena_free(scratch);
}

static void push_powers(mech_tree *t, mech_quantity quantity, const tree_powers *powers) {
    for (int i = 0; i < t->works.count; i++)
        tree_push(t, 0, quantity, i, 0, powers->plain.at[i], powers->held.at[i]);
}

static void add_apart(gathering *g) {
    mech_tree *t = g->t;
    shape *s = &t->model->shapes.at[0];
    s->result_count = s->results.count = t->model->results.count;
    s->results.at = identity(t, s->result_count);
    push_loads(t, MECH_C, &g->C);
    push_loads(t, MECH_Q_ON_FORCES, &g->on_forces);
    push_powers(t, MECH_POWER_ON_FORCES, &g->power_on_forces);
}

// ---- stops, turns, coefficients of friction

static void add_plain(mech_tree *t, int number, mech_quantity first, mech_quantity as) {
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++) {
        arena *scratch = arena_child(t->arena);
        lifting l = lift_begin(t, number, k, t->mech, scratch);
        tree_new_shape(t, s->kind, s->at, s->targets.at[k]);
        for (int i = 0; i < l.derived->entries.count; i++)
            if (l.derived->entries.at[i].quantity == first)
                tree_push(t, t->shapes.count - 1, as, 0, 0, lift_expression(&l, l.derived->entries.at[i].e),
                          EXPR_NONE);
        arena_free(scratch);
    }
}

static void add_frictions(mech_tree *t, int number) {
    const shape *s = &t->full->model->shapes.at[number];
    for (int k = 0; k < s->count; k++) {
        arena *scratch = arena_child(t->arena);
        lifting l = lift_begin(t, number, k, t->mech, scratch);
        tree_new_shape(t, s->kind, s->at, s->targets.at[k]);
        for (int i = 0; i < l.derived->entries.count; i++) {
            const mech_entry *e = &l.derived->entries.at[i];
            tree_push(t, t->shapes.count - 1, e->quantity, e->i, 0, lift_expression(&l, e->e),
                      lift_expression(&l, e->held));
        }
        lift_switches(&l, t->shapes.count - 1, number);
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

// ---- q, q', q'' and multipliers

// a row on a point has the world's axes in the full model, and others here
static expr multiplier(mech_tree *t, int row) {
    const model_row *rows = t->full->model->rows.at;
    int component = rows[row].part ? rows[row].part[0] - '1' : -1;
    expr sum = EXPR_NONE;
    if (t->row_of[row] < 0 || tv_is_zero(t->along[row]))
        return t->row_of[row] < 0 ? EXPR_NONE : expr_symbol(t->pool, SYM_RESULT, t->row_of[row]);
    for (int r = 0; r < t->full->model->rows.count; r++)
        if (rows[r].constraint == rows[row].constraint && t->row_of[r] >= 0 && !tv_is_zero(t->along[r]))
            sum = t_add(
                t->pool, sum,
                t_mul(t->pool, t->along[r].at[component], expr_symbol(t->pool, SYM_RESULT, t->row_of[r])));
    return sum;
}

static void add_output(mech_tree *t, expr e) {
    e = e ? e : expr_number(t->pool, 0);
    tree_push(t, t->shapes.count - 1, MECH_OUTPUT, t->model->outputs.count, 0, e, e);
    vec_push(t->arena, t->model->outputs, (label){0});
}

static void add_outputs(mech_tree *t) {
    const model *full = t->full->model;
    const expr *parts[] = {t->position, t->velocity, t->acceleration};
    shape *s = tree_new_shape(t, SHAPE_OUTPUT, (place){0}, 0);
    s->result_count = t->model->rows.count;
    for (int i = 0; i < t->model->rows.count; i++) // these follow the results among the inputs
        vec_push(t->arena, s->results, t->model->results.count + i);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < full->coords.count; i++)
            add_output(t, parts[k][i]);
    for (int i = 0; i < full->rows.count; i++)
        add_output(t, multiplier(t, i));
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
    t->articulated =
        !plain && !t->asks && !t->full->foreign_energy && t->model->rows.count == 0 && is_long(t);
    g->all.out = &t->shapes.at[0];
    if (t->articulated) {
        tree_articulated(t, &g->Q.plain, S);
        if (t->shapes.at[0].switch_count)
            tree_articulated(t, &g->Q.held, held);
    } else {
        tree_mass(t, &g->all);
        push_masses(g);
        tree_forces(t, &g->Q.plain, S);
        if (t->shapes.at[0].switch_count)
            tree_forces(t, &g->Q.held, held);
    }
    if (t->shapes.at[0].switch_count == 0)
        memcpy(held, S, (size_t)t->n * sizeof *held);
    for (int i = 0; i < t->n; i++)
        tree_push(t, 0, t->articulated ? MECH_RATE : MECH_Q, i, 0, S[i], held[i]);
    push_powers(t, MECH_POWER, &g->power);
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].axis >= 0)
            tree_push(t, 0, MECH_WATCHED, 0, 0, expr_op1(t->pool, OP_SIN, tree_u(t, t->links.at[i].turn)),
                      EXPR_NONE);
    t->shapes.at[0].unwatched = true;
    arena_free(scratch);
}

static tree_loads new_loads(mech_tree *t) {
    return (tree_loads){tree_load_new(t, t->arena), tree_load_new(t, t->arena)};
}

void tree_elements(mech_tree *t) {
    const model *m = t->full->model;
    gathering g = {.t = t, .Q = new_loads(t), .C = new_loads(t), .on_forces = new_loads(t)};
    size_t entries = (size_t)t->n * (size_t)t->n;
    g.M = t->full->foreign_energy ? arena_array(t->arena, expr, entries) : NULL;
    g.M_held = t->full->foreign_energy ? arena_array(t->arena, expr, entries) : NULL;
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
    add_apart(&g);
    for (int i = 0; i < m->shapes.count; i++) {
        if (m->shapes.at[i].kind == SHAPE_STOP)
            add_plain(t, i, MECH_STOP, MECH_STOP_WATCHED);
        if (m->shapes.at[i].kind == SHAPE_OVER)
            add_plain(t, i, MECH_OVER, MECH_OVER_WATCHED);
        if (m->shapes.at[i].kind == SHAPE_TURN)
            add_turns(t, i);
        if (m->shapes.at[i].kind == SHAPE_FRICTION)
            add_frictions(t, i);
    }
    add_outputs(t);
}
