/* All shapes but kinetic energies and constraint rows, which have files of their own. */
#include "mech/derive.h"

#include <stdlib.h>

void derive_add(derivation *d, mech_quantity quantity, int i, int j, expr e) {
    if (derive_is_zero(d, e))
        return;
    mech_entry entry = {quantity, i, j, e, e};
    vec_push(d->arena, d->out->entries, entry);
}

// a force, or its power: if it is built on reactions, not known with the others
static void add_force(derivation *d, mech_quantity quantity, int i, expr e) {
    if (d->shape->on_forces)
        quantity = quantity == MECH_POWER ? MECH_POWER_ON_FORCES : MECH_Q_ON_FORCES;
    derive_add(d, quantity, i, 0, e);
}

bool derive_is_zero(const derivation *d, expr e) {
    return e == EXPR_NONE || expr_is_number(d->pool, e, 0);
}

// the derivative, or 0 where there is none, which is told
static expr told(derivation *d, expr result) {
    if (result == EXPR_NONE && !d->failed) {
        d->failed = true;
        diag_error(&d->model->diags, d->shape->at, "this must be differentiated, but floor has no derivative")
            ->hint = "floor may stand in output, plot, expect and stop, and in forces";
    }
    return result == EXPR_NONE ? expr_number(d->pool, 0) : result;
}

expr derive_diff(derivation *d, expr e, sym_kind kind, int index) {
    return told(d, expr_diff(d->pool, e, kind, index));
}

static void tell_all(derivation *d, expr *slopes) {
    for (int i = 0; i < d->shape->slot_count; i++)
        slopes[i] = told(d, slopes[i]);
}

void derive_gradient(derivation *d, expr e, sym_kind kind, expr *out) {
    expr *to[SYM_KINDS] = {0};
    to[kind] = out;
    expr_gradient(d->pool, e, d->shape->slot_count, to);
    tell_all(d, out);
}

void derive_gradients(derivation *d, expr e, expr *by_p, expr *by_v) {
    expr_gradient(d->pool, e, d->shape->slot_count, (expr *[SYM_KINDS]){[SYM_P] = by_p, [SYM_V] = by_v});
    tell_all(d, by_p);
    tell_all(d, by_v);
}

expr derive_drift(derivation *d, expr e) {
    return told(d, expr_drift(d->pool, e));
}

typedef struct {
    expr_pool *pool;
    sym_kind kind;
} zeroing;

static expr put_zero(void *context, sym_kind kind, int index) {
    (void)index;
    zeroing *z = context;
    return kind == z->kind ? expr_number(z->pool, 0) : EXPR_NONE;
}

expr derive_at_zero(derivation *d, expr e, sym_kind kind) {
    return expr_substitute(d->pool, e, put_zero, &(zeroing){d->pool, kind});
}

// a number that all instances have in this slot
static expr put_value(void *context, sym_kind kind, int index) {
    const derivation *d = context;
    const shape *s = d->shape;
    if (kind == SYM_PARAM)
        return expr_number(d->pool, d->model->params.at[index].value);
    for (int i = 0; kind == SYM_NUMBER && i < s->count; i++)
        if (s->numbers.at[i * s->number_count + index] != s->numbers.at[index])
            return EXPR_NONE;
    return kind == SYM_NUMBER ? expr_number(d->pool, s->numbers.at[index]) : EXPR_NONE;
}

// whether the shape adds nothing with the values that its parameters have: damping with c = 0
bool derive_does_nothing(derivation *d) {
    int size = expr_pool_size(d->pool);
    bool nothing = true;
    for (int i = 0; i < d->out->entries.count && nothing; i++)
        nothing = derive_is_zero(d, expr_substitute(d->pool, d->out->entries.at[i].e, put_value, d));
    expr_pool_truncate(d->pool, size); // no expression that is made later depends on values
    return nothing;
}

// Q -= dE/dp (potential) or dE/dv (dissipation)
static void derive_slopes(derivation *d, sym_kind kind) {
    expr *slope = arena_array(d->arena, expr, d->shape->slot_count + 1);
    derive_gradient(d, d->shape->part[PART_VALUE], kind, slope);
    for (int i = 0; i < d->shape->slot_count; i++)
        derive_add(d, MECH_Q, i, 0, expr_op1(d->pool, OP_NEG, slope[i]));
}

static void derive_potential(derivation *d) {
    expr value = d->shape->part[PART_VALUE];
    derive_slopes(d, SYM_P);
    derive_add(d, MECH_POTENTIAL, 0, 0, value);
    if (expr_has(d->pool, value, SYM_TIME)) {
        d->mech->conserves = false;
        derive_add(d, MECH_POWER, 0, 0, derive_diff(d, value, SYM_TIME, 0));
    }
}

// energy is not conserved, unless the shape adds nothing
static void derive_power(derivation *d, expr power) {
    d->out->does_nothing = derive_does_nothing(d);
    d->out->asked = d->out->entries.count;
    if (d->out->does_nothing)
        return;
    d->mech->conserves = false;
    add_force(d, MECH_POWER, 0, power);
}

// the power of a dissipation: -v dD/dv
static expr loss(derivation *d) {
    expr sum = expr_number(d->pool, 0);
    for (int i = 0; i < d->shape->slot_count; i++) {
        expr slope = derive_diff(d, d->shape->part[PART_VALUE], SYM_V, i);
        expr term = expr_op2(d->pool, OP_MUL, expr_symbol(d->pool, SYM_V, i), slope);
        sum = expr_op2(d->pool, OP_SUB, sum, term);
    }
    return sum;
}

// Q += e dr/dv
static void derive_actuator(derivation *d) {
    expr effort = d->shape->part[PART_VALUE], rate = d->shape->part[PART_RATE];
    expr *slope = arena_array(d->arena, expr, d->shape->slot_count + 1);
    derive_add(d, MECH_EFFORT, 0, 0, effort);
    derive_gradient(d, rate, SYM_V, slope);
    for (int i = 0; i < d->shape->slot_count; i++)
        add_force(d, MECH_Q, i, expr_op2(d->pool, OP_MUL, effort, slope[i]));
    derive_power(d, expr_op2(d->pool, OP_MUL, effort, rate));
}

// M is given; q' M q' / 2 counts as kinetic energy
static void derive_mass(derivation *d, int other) {
    expr entry = d->shape->part[PART_VALUE];
    derive_add(d, MECH_M, 0, other, entry);
    if (other)
        derive_add(d, MECH_M, other, 0, entry);
    expr v = expr_op2(d->pool, OP_MUL, expr_symbol(d->pool, SYM_V, 0), expr_symbol(d->pool, SYM_V, other));
    expr energy = expr_op2(d->pool, OP_MUL, entry, v);
    if (other == 0)
        energy = expr_op2(d->pool, OP_MUL, expr_number(d->pool, 0.5), energy);
    derive_add(d, MECH_KINETIC, 0, 0, energy);
    derive_add(d, MECH_JACOBI, 0, 0, energy);
    if (expr_has(d->pool, entry, SYM_P) || expr_has(d->pool, entry, SYM_TIME)) {
        d->mech->conserves = false; // no velocity terms follow from it
        derive_add(d, MECH_POWER, 0, 0, derive_drift(d, energy));
    }
}

// s = G(q, t) v + g(q, t)
static void derive_quasi(derivation *d) {
    expr s = d->shape->part[PART_VALUE];
    if (!expr_has(d->pool, s, SYM_V))
        diag_error(&d->model->diags, d->shape->at, "a quasi-velocity must hold a velocity")->hint =
            "as in quasi s = cos(phi)*x' + sin(phi)*y'";
    for (int i = 0; i < d->shape->slot_count; i++) {
        expr g = derive_diff(d, s, SYM_V, i);
        if (expr_has(d->pool, g, SYM_V)) {
            diag_error(&d->model->diags, d->shape->at, "a quasi-velocity must be linear in the velocities")
                ->hint = "as in quasi s = cos(phi)*x' + sin(phi)*y'";
            return;
        }
        derive_add(d, MECH_G, i, 0, g);
    }
    derive_add(d, MECH_QUASI, 0, 0, s);
    derive_add(d, MECH_QUASI_OFFSET, 0, 0, derive_at_zero(d, s, SYM_V));
    derive_add(d, MECH_QUASI_RATE, 0, 0, derive_drift(d, s));
}

/* Shapes whose parts are quantities as they stand, in the order of the parts. */
static const struct {
    int count;
    mech_quantity parts[SHAPE_PARTS];
} plain[SHAPE_KINDS] = {
    [SHAPE_OUTPUT] = {1, {MECH_OUTPUT}},
    [SHAPE_EXPECT] = {2, {MECH_EXPECT, MECH_MARGIN}},
    [SHAPE_STOP] = {3, {MECH_STOP, MECH_STOP_MARGIN, MECH_STOP_REST}},
    [SHAPE_OVER] = {3, {MECH_OVER, MECH_OVER_MARGIN, MECH_OVER_REST}},
    [SHAPE_START] = {1, {MECH_START}},
    [SHAPE_TURN] = {1, {MECH_TURN}},
    [SHAPE_FRICTION] = {2, {MECH_MU, MECH_STATIC}},
    [SHAPE_VIEW] = {1, {MECH_VIEW}},
};

static void derive_parts(derivation *d) {
    for (int i = 0; i < plain[d->shape->kind].count; i++)
        derive_add(d, plain[d->shape->kind].parts[i], 0, 0, d->shape->part[i]);
}

static void derive_shape(derivation *d) {
    expr value = d->shape->part[PART_VALUE];
    if (d->shape->given) {
        derive_given(d);
        return;
    }
    switch (d->shape->kind) {
    case SHAPE_KINETIC:
        derive_kinetic(d);
        break;
    case SHAPE_POTENTIAL:
        derive_potential(d);
        break;
    case SHAPE_DISSIPATION:
        derive_slopes(d, SYM_V);
        derive_power(d, loss(d));
        break;
    case SHAPE_MASS:
        derive_mass(d, 0);
        break;
    case SHAPE_MASS_PAIR:
        derive_mass(d, 1);
        break;
    case SHAPE_FORCE:
        add_force(d, MECH_Q, 0, value);
        derive_power(d, expr_op2(d->pool, OP_MUL, expr_symbol(d->pool, SYM_V, 0), value));
        break;
    case SHAPE_ACTUATOR:
        derive_actuator(d);
        break;
    case SHAPE_NONIDEAL:
        derive_add(d, MECH_C, 0, 0, value);
        d->out->does_nothing = derive_does_nothing(d);
        d->out->asked = d->out->entries.count;
        d->mech->conserves &= d->out->does_nothing;
        break;
    case SHAPE_QUASI:
        derive_quasi(d);
        break;
    case SHAPE_ROW:
        derive_row(d);
        break;
    case SHAPE_FRICTION:
        d->mech->conserves = false;
        derive_parts(d);
        break;
    default:
        derive_parts(d);
        break;
    }
}

// which results have to be known before its forces are
static void note_results(derivation *d) {
    const shape *s = d->shape;
    if (s->kind != SHAPE_FORCE && s->kind != SHAPE_ACTUATOR && s->kind != SHAPE_NONIDEAL)
        return;
    d->mech->needs_ideal |= s->on_forces;
    for (int i = 0; i < s->results.count; i++)
        d->mech->needs_energy |= model_is_energy(d->model->results.at[s->results.at[i]].kind);
}

void derive_element(derivation *d) {
    derive_shape(d);
    note_results(d);
    derive_switches(d);
}

// one for every coordinate, or none
static void check_quasi_count(model *m) {
    int missing = m->coords.count - m->quasis.count, last = -1;
    if (m->quasis.count == 0 || missing == 0)
        return;
    for (int i = 0; i < m->shapes.count; i++)
        if (m->shapes.at[i].kind == SHAPE_QUASI)
            last = i;
    diag_error(&m->diags, last >= 0 ? m->shapes.at[last].at : (place){0},
               "%d quasi-velocit%s for %d coordinate%s: %d %s", m->quasis.count,
               m->quasis.count == 1 ? "y" : "ies", m->coords.count, m->coords.count == 1 ? "" : "s",
               abs(missing),
               missing < 0    ? "too many"
               : missing == 1 ? "is missing"
                              : "are missing")
        ->hint = "declare one for every coordinate, or none; quasi s = x' is fine";
}

// M, A and b depend on neither positions nor velocities
static bool is_prescribed(const mech *out, const expr_pool *pool) {
    const unsigned moving = 1u << SYM_P | 1u << SYM_V | 1u << SYM_RESULT;
    for (int i = 0; i < out->model->shapes.count; i++)
        for (int k = 0; k < out->shapes[i].entries.count; k++) {
            const mech_entry *e = &out->shapes[i].entries.at[k];
            bool asked = e->quantity == MECH_M || e->quantity == MECH_A || e->quantity == MECH_B;
            if (asked && expr_kinds(pool, e->e) & moving)
                return false;
        }
    return true;
}

static bool is_constant(const mech *out, const expr_pool *pool, mech_quantity quantity) {
    const unsigned constant = 1u << SYM_PARAM | 1u << SYM_NUMBER;
    for (int i = 0; i < out->model->shapes.count; i++)
        for (int k = 0; k < out->shapes[i].entries.count; k++) {
            const mech_entry *e = &out->shapes[i].entries.at[k];
            if (e->quantity == quantity && (expr_kinds(pool, e->e) & ~constant))
                return false;
        }
    return true;
}

static mech *derive_joined(arena *a, model *m) {
    mech *out = arena_alloc(a, sizeof *out);
    out->model = m;
    out->conserves = true;
    out->shapes = arena_array(a, mech_shape, m->shapes.count + 1);
    check_quasi_count(m);
    for (int i = 0; i < m->shapes.count; i++) {
        derivation d = {.arena = a,
                        .model = m,
                        .pool = m->pool,
                        .mech = out,
                        .shape = &m->shapes.at[i],
                        .out = &out->shapes[i]};
        derive_element(&d);
    }
    out->prescribed = is_prescribed(out, m->pool);
    out->constant_mass = is_constant(out, m->pool, MECH_M);
    out->constant_rows = is_constant(out, m->pool, MECH_A);
    derive_quaternions(a, out);
    return out;
}

mech *mech_derive(arena *a, model *m) {
    bool foreign = bodies_have_foreign_energy(a, m); // as long as each energy stands for itself
    derive_join(a, m);
    mech *out = derive_joined(a, m);
    out->foreign_energy = foreign;
    for (int rate = 0; rate < 2 && m->diags.errors == 0; rate++) {
        model *starting = begin_model(a, m, rate);
        out->starting[rate] = starting ? derive_joined(a, starting) : NULL;
    }
    return out;
}
