/* How the equations of motion change with position and velocity, from the entries of a derived shape. With a
 * the accelerations and l the multiplier of a row,
 *
 *     r_i = sum_j M_ij a_j - Q_i - l A_i,   MECH_FORCE_BY_P = dr_i/dp_j,   MECH_FORCE_BY_V = dr_i/dv_j
 *     c   = sum_j A_j a_j - b,              MECH_ROW_BY_P = dc/dp_j,       MECH_ROW_BY_V = dc/dv_j
 *
 * at constant a and l. A shape has energy and forces or a row, never both. Of a quasi-velocity they are the
 * slopes of s = G v + g, and of its derivative s'. */
#include "mech/derive.h"

static expr plus_product(derivation *d, expr sum, expr a, expr b) {
    return expr_op2(d->pool, OP_ADD, sum, expr_op2(d->pool, OP_MUL, a, b));
}

// r_0 .. r_(k-1) and, behind them, c
static void sum_up(derivation *d, const mech_shape *from, expr *sums) {
    int k = d->shape->slot_count;
    expr multiplier = expr_symbol(d->pool, SYM_RESULT, mech_multiplier_of(d->shape));
    for (int i = 0; i <= k; i++)
        sums[i] = expr_number(d->pool, 0);
    for (int i = 0; i < from->entries.count; i++) {
        const mech_entry *e = &from->entries.at[i];
        if (e->quantity == MECH_M)
            sums[e->i] = plus_product(d, sums[e->i], e->held, expr_symbol(d->pool, SYM_A, e->j));
        if (e->quantity == MECH_Q)
            sums[e->i] = expr_op2(d->pool, OP_SUB, sums[e->i], e->held);
        if (e->quantity == MECH_A) {
            sums[e->i] = plus_product(d, sums[e->i], expr_op1(d->pool, OP_NEG, multiplier), e->e);
            sums[k] = plus_product(d, sums[k], e->e, expr_symbol(d->pool, SYM_A, e->i));
        }
        if (e->quantity == MECH_B)
            sums[k] = expr_op2(d->pool, OP_SUB, sums[k], e->e);
    }
}

// the slope of a sum with slot j; false if it has none
static bool add_slope(derivation *d, expr sum, sym_kind kind, mech_quantity quantity, int i, int j) {
    expr slope = expr_diff(d->pool, sum, kind, j);
    derive_add(d, quantity, i, j, slope);
    return slope != EXPR_NONE;
}

static bool derive_slopes(derivation *d, const mech_shape *from) {
    int k = d->shape->slot_count;
    expr *sums = arena_array(d->arena, expr, k + 1);
    bool ok = true;
    sum_up(d, from, sums);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++) {
            ok &= add_slope(d, sums[i], SYM_P, MECH_FORCE_BY_P, i, j);
            ok &= add_slope(d, sums[i], SYM_V, MECH_FORCE_BY_V, i, j);
        }
        ok &= add_slope(d, sums[k], SYM_P, MECH_ROW_BY_P, 0, j);
        ok &= add_slope(d, sums[k], SYM_V, MECH_ROW_BY_V, 0, j);
    }
    return ok;
}

int mech_multiplier_of(const shape *s) {
    return s->result_count;
}

static bool derive_quasi_slopes(derivation *d, const mech_shape *from) {
    expr s = d->shape->part[PART_VALUE], rate = expr_number(d->pool, 0);
    bool ok = true;
    for (int i = 0; i < from->entries.count; i++) {
        const mech_entry *e = &from->entries.at[i];
        if (e->quantity == MECH_G)
            rate = plus_product(d, rate, e->e, expr_symbol(d->pool, SYM_A, e->i));
        if (e->quantity == MECH_QUASI_RATE)
            rate = expr_op2(d->pool, OP_ADD, rate, e->e);
    }
    for (int i = 0; i < d->shape->slot_count; i++) {
        ok &= add_slope(d, s, SYM_P, MECH_QUASI_BY_P, i, i);
        ok &= add_slope(d, rate, SYM_P, MECH_QUASI_RATE_BY_P, i, i);
        ok &= add_slope(d, rate, SYM_V, MECH_QUASI_RATE_BY_V, i, i);
    }
    return ok;
}

static bool derive_all(derivation *d, const mech_shape *from) {
    if (d->shape->kind == SHAPE_QUASI)
        return derive_quasi_slopes(d, from);
    return (d->shape->kind > SHAPE_ACTUATOR && d->shape->kind != SHAPE_ROW) || derive_slopes(d, from);
}

mech_shape *mech_derive_jacobian(arena *a, const mech *m) {
    const model *of = m->model;
    mech_shape *shapes = arena_array(a, mech_shape, of->shapes.count + 1);
    bool ok = true;
    for (int i = 0; i < of->shapes.count && ok; i++) {
        derivation d = {.arena = a, .pool = of->pool, .shape = &of->shapes.at[i], .out = &shapes[i]};
        ok = derive_all(&d, &m->shapes[i]);
    }
    return ok ? shapes : NULL;
}
