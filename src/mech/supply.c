/* One shape for each kind of what is given, with an instance for each number or row. Forces and non-ideal
 * forces are those of a text, f being a result; the others have a derivation of their own, below. What is
 * given cannot be differentiated: there is no Jacobian of it, and no energy balance where masses are. */
#include "mech/supply.h"

#include "mech/derive.h"

#include <string.h>

typedef struct {
    model *model;
    const mech_supplies *from;
    int first[SUPPLY_KINDS]; // its first result
} supplying;

static int count_of(const supplying *s, supply_kind kind) {
    int n = s->model->coords.count;
    const int counts[] = {[SUPPLY_MASS] = n * n,
                          [SUPPLY_FORCE] = n,
                          [SUPPLY_ROWS] = s->from->rows * (n + 1),
                          [SUPPLY_NONIDEAL] = n,
                          [SUPPLY_POSITION] = s->from->position_rows,
                          [SUPPLY_VELOCITY] = s->from->velocity_rows,
                          [SUPPLY_ENERGY] = 2};
    return counts[kind];
}

static void add_results(supplying *s) {
    model *m = s->model;
    for (supply_kind kind = 0; kind < SUPPLY_KINDS; kind++) {
        model_supply one = {kind, m->results.count, count_of(s, kind), s->from->give[kind], s->from->by};
        s->first[kind] = one.first;
        if (one.give == NULL || one.count == 0)
            continue;
        vec_push(m->arena, m->supplies, one);
        for (int i = 0; i < one.count; i++)
            vec_push(m->arena, m->results, ((model_result){.kind = RESULT_GIVEN, .first = i}));
    }
}

static shape *add_shape(model *m, shape_kind kind, bool given) {
    shape s = {.kind = kind, .given = given};
    s.part[PART_VALUE] = expr_symbol(m->pool, SYM_RESULT, 0);
    vec_push(m->arena, m->shapes, s);
    return &m->shapes.at[m->shapes.count - 1];
}

// forces on all coordinates, or the diagonal of M: result `first`, and then each `apart`
static void add_each(model *m, shape_kind kind, bool given, int first, int apart) {
    shape *s = add_shape(m, kind, given);
    s->slot_count = s->result_count = 1;
    s->count = m->coords.count;
    for (int i = 0; i < s->count; i++) {
        vec_push(m->arena, s->slots, i);
        vec_push(m->arena, s->results, first + i * apart);
    }
}

static void add_mass(model *m, int first) {
    int n = m->coords.count;
    add_each(m, SHAPE_MASS, true, first, n + 1);
    if (n < 2)
        return;
    shape *s = add_shape(m, SHAPE_MASS_PAIR, true);
    s->slot_count = 2;
    s->result_count = 1;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            vec_push(m->arena, s->slots, i);
            vec_push(m->arena, s->slots, j);
            vec_push(m->arena, s->results, first + i * n + j);
            s->count++;
        }
}

static void add_energy(model *m, int first) {
    shape *s = add_shape(m, SHAPE_KINETIC, true);
    s->count = 1;
    s->result_count = 2;
    vec_push(m->arena, s->results, first);
    vec_push(m->arena, s->results, first + 1);
}

// a row's results: A (n), b, phi' or psi, phi; as far as its level has them
static void add_row(const supplying *k, shape *s, int row) {
    model *m = k->model;
    int n = m->coords.count, target = m->rows.count;
    const char *name = k->from->names[row];
    label l = {.name = names_intern(m->names, name, (int)strlen(name))};
    vec_push(m->arena, m->rows, ((model_row){m->constraints.count, NULL, (int)(s - m->shapes.at), s->count}));
    vec_push(m->arena, m->constraints, ((model_constraint){.label = l, .first_row = target, .row_count = 1}));
    for (int i = 0; i < n; i++) {
        vec_push(m->arena, s->slots, i);
        vec_push(m->arena, s->results, k->first[SUPPLY_ROWS] + row * n + i);
    }
    vec_push(m->arena, s->results, k->first[SUPPLY_ROWS] + k->from->rows * n + row);
    if (row < k->from->velocity_rows)
        vec_push(m->arena, s->results, k->first[SUPPLY_VELOCITY] + row);
    if (row < k->from->position_rows)
        vec_push(m->arena, s->results, k->first[SUPPLY_POSITION] + row);
    vec_push(m->arena, s->targets, target);
    s->count++;
}

// rows of one level
static void add_rows(const supplying *k, int from, int to, int more) {
    if (from == to)
        return;
    shape *s = add_shape(k->model, SHAPE_ROW, true);
    s->slot_count = k->model->coords.count;
    s->result_count = s->slot_count + 1 + more;
    s->target_count = 1;
    for (int i = from; i < to; i++)
        add_row(k, s, i);
}

void mech_supply(model *m, const mech_supplies *from) {
    supplying k = {.model = m, .from = from};
    add_results(&k);
    if (from->give[SUPPLY_MASS])
        add_mass(m, k.first[SUPPLY_MASS]);
    if (from->give[SUPPLY_FORCE])
        add_each(m, SHAPE_FORCE, false, k.first[SUPPLY_FORCE], 1);
    if (from->give[SUPPLY_NONIDEAL])
        add_each(m, SHAPE_NONIDEAL, false, k.first[SUPPLY_NONIDEAL], 1);
    if (from->give[SUPPLY_ENERGY])
        add_energy(m, k.first[SUPPLY_ENERGY]);
    add_rows(&k, 0, from->position_rows, 2);
    add_rows(&k, from->position_rows, from->velocity_rows, 1);
    add_rows(&k, from->velocity_rows, from->rows, 0);
}

// ---- what they add

static bool has_energy(const model *m) {
    for (int i = 0; i < m->supplies.count; i++)
        if (m->supplies.at[i].kind == SUPPLY_ENERGY)
            return true;
    return false;
}

// v' M v / 2 is the kinetic energy where none is given
static void derive_mass(derivation *d, int other) {
    expr entry = d->shape->part[PART_VALUE];
    d->mech->conserves = false;
    d->mech->unbalanced = true;
    derive_add(d, MECH_M, 0, other, entry);
    if (other)
        derive_add(d, MECH_M, other, 0, entry);
    if (has_energy(d->model))
        return;
    expr v = expr_op2(d->pool, OP_MUL, expr_symbol(d->pool, SYM_V, 0), expr_symbol(d->pool, SYM_V, other));
    expr energy = expr_op2(d->pool, OP_MUL, entry, v);
    if (other == 0)
        energy = expr_op2(d->pool, OP_MUL, expr_number(d->pool, 0.5), energy);
    derive_add(d, MECH_KINETIC, 0, 0, energy);
    derive_add(d, MECH_JACOBI, 0, 0, energy);
}

static void derive_energy(derivation *d) {
    expr kinetic = expr_symbol(d->pool, SYM_RESULT, 0);
    d->mech->conserves = false;
    d->mech->unbalanced = true;
    derive_add(d, MECH_KINETIC, 0, 0, kinetic);
    derive_add(d, MECH_JACOBI, 0, 0, kinetic);
    derive_add(d, MECH_POTENTIAL, 0, 0, expr_symbol(d->pool, SYM_RESULT, 1));
}

static void derive_row_given(derivation *d) {
    int n = d->shape->slot_count, more = d->shape->result_count - n - 1;
    for (int i = 0; i < n; i++)
        derive_add(d, MECH_A, i, 0, expr_symbol(d->pool, SYM_RESULT, i));
    derive_add(d, MECH_B, 0, 0, expr_symbol(d->pool, SYM_RESULT, n));
    if (more > 0)
        derive_add(d, MECH_VELOCITY, 0, 0, expr_symbol(d->pool, SYM_RESULT, n + 1));
    if (more > 1)
        derive_add(d, MECH_POSITION, 0, 0, expr_symbol(d->pool, SYM_RESULT, n + 2));
    d->out->level = more > 1 ? ROW_HOLONOMIC : more > 0 ? ROW_NONHOLONOMIC : ROW_ACCELERATION;
    d->out->may_vanish = more < 2;
    d->out->may_work = true; // whether it does is not known
    d->mech->conserves = false;
}

void derive_given(derivation *d) {
    if (d->shape->kind == SHAPE_MASS)
        derive_mass(d, 0);
    else if (d->shape->kind == SHAPE_MASS_PAIR)
        derive_mass(d, 1);
    else if (d->shape->kind == SHAPE_KINETIC)
        derive_energy(d);
    else
        derive_row_given(d);
}
