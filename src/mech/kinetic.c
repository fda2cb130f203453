/* Kinetic energy T = T2 + T1 + T0, quadratic, linear and constant in the velocities, to M and the velocity
 * terms of Lagrange's equations:
 *
 *     d/dt g - dT/dp = M v' + (dg/dp) v + dg/dt - dT/dp    with g = dT/dv, M = dg/dv
 *
 * g and dT/dp come from one sweep over T, M from another, and (dg/dp) v + dg/dt is a derivative of g in one
 * direction: nowhere is d2T/dv dp written out. */
#include "mech/derive.h"

static bool check_degree(derivation *d, expr momentum, const expr *mass_row, int k) {
    bool quadratic = !expr_has(d->pool, momentum, SYM_V);
    for (int j = 0; j < k; j++) {
        if (expr_has(d->pool, mass_row[j], SYM_V)) {
            quadratic = false;
            break;
        }
        quadratic |= !derive_is_zero(d, mass_row[j]);
    }
    if (!quadratic)
        diag_error(&d->model->diags, d->shape->at, "the kinetic energy is not quadratic in the velocities")
            ->hint = "each term may hold velocities to the second power at most, as in m/2*x'^2";
    return quadratic;
}

// T2 - T0 = T - T1 - 2 T0
static expr jacobi_part(derivation *d, const expr *momentum) {
    expr T = d->shape->part[PART_VALUE];
    expr T0 = derive_at_zero(d, T, SYM_V);
    expr sum = expr_op2(d->pool, OP_SUB, T, expr_op2(d->pool, OP_MUL, expr_number(d->pool, 2), T0));
    for (int i = 0; i < d->shape->slot_count; i++) {
        expr linear = derive_at_zero(d, momentum[i], SYM_V);
        expr T1 = expr_op2(d->pool, OP_MUL, linear, expr_symbol(d->pool, SYM_V, i));
        sum = expr_op2(d->pool, OP_SUB, sum, T1);
    }
    return sum;
}

// M by columns, where T is no polynomial: the message says so, or what divides by a velocity cancels
static void mass_by_columns(derivation *d, const expr *momentum, expr *mass) {
    int k = d->shape->slot_count;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            mass[i * k + j] = derive_diff(d, momentum[i], SYM_V, j);
}

void derive_kinetic(derivation *d) {
    int k = d->shape->slot_count;
    expr T = d->shape->part[PART_VALUE];
    arena *scratch = arena_child(d->arena);
    expr *momentum = arena_array(scratch, expr, k + 1), *slope = arena_array(scratch, expr, k + 1);
    expr *mass = arena_array(scratch, expr, k * k + 1);
    derive_gradients(d, T, slope, momentum);
    if (!expr_hessian(d->pool, T, SYM_V, k, mass))
        mass_by_columns(d, momentum, mass);
    for (int i = 0; i < k && check_degree(d, momentum[i], mass + i * k, k); i++) {
        for (int j = 0; j < k; j++)
            derive_add(d, MECH_M, i, j, mass[i * k + j]);
        derive_add(d, MECH_Q, i, 0, expr_op2(d->pool, OP_SUB, slope[i], derive_drift(d, momentum[i])));
    }
    derive_add(d, MECH_KINETIC, 0, 0, T);
    derive_add(d, MECH_JACOBI, 0, 0, jacobi_part(d, momentum));
    if (expr_has(d->pool, T, SYM_TIME)) {
        d->mech->conserves = false;
        derive_add(d, MECH_POWER, 0, 0, expr_op1(d->pool, OP_NEG, derive_diff(d, T, SYM_TIME, 0)));
    }
    arena_free(scratch);
}
