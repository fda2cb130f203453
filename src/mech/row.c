/* Constraint rows e = 0 of all three levels to A and b (004 eqs. 3, 4: the constraints are differentiated
 * until the accelerations appear). */
#include "mech/derive.h"

#include <math.h>

static expr op2(derivation *d, op_code op, expr a, expr b) {
    return expr_op2(d->pool, op, a, b);
}

// b -= factor * residual
static expr less(derivation *d, expr b, expr factor, expr residual) {
    return factor == EXPR_NONE ? b : op2(d, OP_SUB, b, op2(d, OP_MUL, factor, residual));
}

static void derive_A(derivation *d, sym_kind kind) {
    expr *slope = arena_array(d->arena, expr, d->shape->slot_count + 1);
    derive_gradient(d, d->shape->part[PART_VALUE], kind, slope);
    for (int i = 0; i < d->shape->slot_count; i++)
        derive_add(d, MECH_A, i, 0, slope[i]);
}

// phi(p, t): phi' = A v + dphi/dt, phi'' = A v' + (dphi'/dp) v + dphi'/dt
static void derive_holonomic(derivation *d) {
    expr phi = d->shape->part[PART_VALUE];
    expr rate = derive_drift(d, phi);
    expr b = expr_op1(d->pool, OP_NEG, derive_drift(d, rate));
    b = less(d, b, d->shape->part[PART_DAMPING], rate);
    b = less(d, b, d->shape->part[PART_STIFFNESS], phi);
    derive_A(d, SYM_P);
    derive_add(d, MECH_B, 0, 0, b);
    derive_add(d, MECH_POSITION, 0, 0, phi);
    derive_add(d, MECH_VELOCITY, 0, 0, rate);
    d->out->may_work = expr_has(d->pool, phi, SYM_TIME);
}

// psi(p, v, t): psi' = A v' + (dpsi/dp) v + dpsi/dt
static void derive_nonholonomic(derivation *d) {
    expr psi = d->shape->part[PART_VALUE];
    expr b = expr_op1(d->pool, OP_NEG, derive_drift(d, psi));
    derive_A(d, SYM_V);
    for (int i = 0; i < d->out->entries.count; i++)
        d->out->may_vanish |= expr_has(d->pool, d->out->entries.at[i].e, SYM_V);
    derive_add(d, MECH_B, 0, 0, less(d, b, d->shape->part[PART_DAMPING], psi));
    derive_add(d, MECH_VELOCITY, 0, 0, psi);
    d->out->homogeneous = derive_homogeneous(d, psi);
    d->out->may_work = expr_has(d->pool, psi, SYM_TIME) || !d->out->homogeneous;
}

static void derive_acceleration(derivation *d) {
    expr e = d->shape->part[PART_VALUE];
    derive_A(d, SYM_A);
    for (int i = 0; i < d->out->entries.count; i++)
        if (expr_has(d->pool, d->out->entries.at[i].e, SYM_A)) {
            diag_error(&d->model->diags, d->shape->at, "this constraint is not linear in the accelerations")
                ->hint =
                "x'' may stand in it with factors of positions, velocities and time, but not squared";
            return;
        }
    derive_add(d, MECH_B, 0, 0, expr_op1(d->pool, OP_NEG, derive_at_zero(d, e, SYM_A)));
    d->out->may_work = true;
}

static void check_options(derivation *d) {
    const shape *s = d->shape;
    if (d->out->level == ROW_ACCELERATION && (s->part[PART_DAMPING] || s->part[PART_STIFFNESS]))
        diag_error(&d->model->diags, s->at,
                   "a constraint on accelerations takes neither damping nor stiffness")
            ->hint = "damping and stiffness pull a position or velocity back to its target";
    if (d->out->level == ROW_NONHOLONOMIC && s->part[PART_STIFFNESS])
        diag_error(&d->model->diags, s->at, "a constraint on velocities takes no stiffness")->hint =
            "write (damping = d) alone: psi' + d*psi = 0";
}

// x + 1 = x
static void check_depends(derivation *d) {
    for (int i = 0; i < d->out->entries.count; i++)
        if (d->out->entries.at[i].quantity == MECH_A)
            return;
    if (!d->failed)
        diag_error(&d->model->diags, d->shape->at, "the coordinates cancel in this constraint")->hint =
            "it holds or fails whatever the motion";
}

void derive_row(derivation *d) {
    const shape *s = d->shape;
    expr e = s->part[PART_VALUE];
    d->out->damped = s->part[PART_DAMPING] || s->part[PART_STIFFNESS];
    d->out->weighted = s->part[PART_WEIGHT] != EXPR_NONE;
    d->out->level = expr_has(d->pool, e, SYM_A)   ? ROW_ACCELERATION
                    : expr_has(d->pool, e, SYM_V) ? ROW_NONHOLONOMIC
                                                  : ROW_HOLONOMIC;
    if (d->out->level == ROW_HOLONOMIC && !expr_has(d->pool, e, SYM_P)) {
        diag_error(&d->model->diags, s->at,
                   "this constraint holds no coordinate, so no motion can satisfy it")
            ->hint = "a constraint is an equation between coordinates, velocities or accelerations";
        return;
    }
    check_options(d);
    if (d->out->level == ROW_HOLONOMIC)
        derive_holonomic(d);
    else if (d->out->level == ROW_NONHOLONOMIC)
        derive_nonholonomic(d);
    else
        derive_acceleration(d);
    check_depends(d);
    derive_add(d, MECH_WEIGHT, 0, 0, s->part[PART_WEIGHT]);
    for (int i = 0; i < WEIGHTS_SHARED; i++) {
        d->out->shares_weight |= s->part[PART_SHARED + i] != EXPR_NONE;
        derive_add(d, MECH_SHARED, i, 0, s->part[PART_SHARED + i]);
    }
    d->out->may_work |= d->out->damped || d->out->weighted;
    if (d->out->may_work)
        d->mech->conserves = false;
}

// ---- homogeneous constraints do no work: by Euler's theorem A v = degree * psi = 0

typedef struct {
    double scale; // of the velocities
    double size;  // of the positions
    int seed;
    const double *numbers; // of an instance; NULL: any
} probe;

static double probe_value(void *context, sym_kind kind, int index) {
    probe *p = context;
    double x = 0.3 + fmod(0.754877666 * (index + 1) * (kind + 2) + 0.569840291 * p->seed, 1.0);
    if (kind == SYM_NUMBER && p->numbers)
        return p->numbers[index];
    return kind == SYM_V ? p->scale * x : kind == SYM_P ? p->size * x : x;
}

static double degree_at(derivation *d, expr psi, probe at) {
    double once = expr_eval(d->pool, psi, probe_value, &at);
    at.scale = 2;
    return log2(fabs(expr_eval(d->pool, psi, probe_value, &at) / once));
}

/* Where psi has no value for any numbers, it may have one for those of its instances and smaller coordinates:
 * the axis of a wheel is a unit vector, and so is its normal. */
static bool homogeneous_with(derivation *d, expr psi, const double *numbers) {
    double degree[2] = {NAN, NAN};
    for (double size = 1; !isfinite(degree[0] + degree[1]) && size > 1e-3; size /= 4)
        for (int k = 0; k < 2; k++)
            degree[k] = degree_at(d, psi, (probe){1, size, k, numbers});
    return fabs(degree[0] - degree[1]) < 1e-9 && degree[0] > 0.5;
}

bool derive_homogeneous(derivation *d, expr psi) {
    enum { INSTANCES_MOST = 100 };
    const shape *s = d->shape;
    bool any = isfinite(degree_at(d, psi, (probe){1, 1, 0, NULL}));
    if (any || s->number_count == 0 || s->count > INSTANCES_MOST)
        return homogeneous_with(d, psi, NULL);
    for (int i = 0; i < s->count; i++)
        if (!homogeneous_with(d, psi, s->numbers.at + i * s->number_count))
            return false;
    return true;
}
