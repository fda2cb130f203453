/* The acceleration of the constrained system, q'':
 *
 *   M q'' = Q + Q^c,  A q'' = b,  v'(Q^c - C) = 0 for all v with A v = 0        (002 eqs. 1-7; 000 eq. 3.46)
 *
 * C enters as Q + C in place of Q. A C built on reactions needs a first solve without it: there they mean the
 * ideal constraint force. */
#include "linear/accuracy.h"
#include "linear/linalg.h"
#include "solve/friction.h"
#include "solve/solve_inside.h"
#include "system/direct.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

trm_state *solve_new_state(arena *a, const trm_system *sys) {
    trm_state *st = state_new(a, sys);
    if (sys->friction_count)
        friction_add(sys, st);
    return st;
}

// the dense solver needs none of this, and it remembers what it meets
void solve_settle(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    if (!solver_is_sparse(st->solver))
        return;
    st->x[0] = m->simulate.from;
    for (int i = 0; i < sys->n; i++) {
        st->x[sys->x_q + i] = m->position.at[i].value;
        st->x[sys->x_v + i] = m->velocity.at[i].value;
    }
    state_run(sys, st, STAGE_DYNAMICS);
    solve_only_factor(sys, st);
    solver_settle(st->solver, sys->mech->constant_mass);
}

static bool row_finite(sparsity p, const double *A, int i) {
    return linalg_finite(A + p.start[i], p.start[i + 1] - p.start[i]);
}

// which row or coordinate has the value that is not finite
static outcome not_finite(const trm_system *sys, const trm_state *st) {
    int culprit = -1;
    for (int i = 0; i < sys->n; i++)
        if (!row_finite(sys->M, st->M, i) || !isfinite(st->Q[i]))
            culprit = -2 - i;
    for (int i = 0; i < sys->m; i++)
        if (!row_finite(sys->A, st->A, i) || !isfinite(st->b[i]) || !isfinite(st->w[i]))
            culprit = i;
    return (outcome){SOLVE_NOT_FINITE, culprit};
}

static outcome outcome_of(const trm_system *sys, const trm_state *st, dense_status why) {
    switch (why) {
    case DENSE_OK:
        return SOLVED;
    case DENSE_UNDETERMINED:
        return (outcome){SOLVE_UNDETERMINED, -1};
    case DENSE_INDEFINITE:
        return (outcome){SOLVE_INDEFINITE, -1};
    default:
        return not_finite(sys, st);
    }
}

static dense_status factor(const trm_system *sys, trm_state *st) {
    rows_refresh(sys, st);
    return solver_factor(st->solver, st->M, st->rows.A, st->cut);
}

void solve_only_factor(const trm_system *sys, trm_state *st) {
    factor(sys, st);
}

void solve_undetermined(const trm_state *st, bool *named) {
    solver_undetermined(st->solver, named);
}

// q'' with a non-ideal C, or NULL, by the solver in use
static outcome constrained(const trm_system *sys, trm_state *st, const double *C) {
    for (int i = 0; i < sys->n && st->force != st->Q; i++)
        st->force[i] = st->Q[i] + (C ? C[i] : 0);
    if (st->formulated)
        return solve_formulated(sys, st, C);
    solver_solve(st->solver, st->force, st->rows.b, st->qdd, st->lambda);
    return SOLVED;
}

// C at the ideal reactions, if it asks for them
static outcome nonideal_force(const trm_system *sys, trm_state *st) {
    if (sys->mech->nonideal_needs_ideal) {
        friction_forget(sys, st);
        outcome found = constrained(sys, st, NULL);
        if (found.status != SOLVE_OK)
            return found;
        solve_forces(sys, st);
        solve_results(sys, st);
    }
    state_run(sys, st, STAGE_NONIDEAL);
    for (int i = 0; i < sys->n; i++)
        if (!isfinite(st->C[i]))
            return (outcome){SOLVE_NOT_FINITE, -2 - i};
    return SOLVED;
}

// the acceleration with M, Q, A, b at hand, by the general solvers
static outcome solve_generally(const trm_system *sys, trm_state *st) {
    for (int i = 0; i < sys->soft_count; i++)
        if (st->w[sys->soft_rows[i]] < 0)
            return (outcome){SOLVE_WEIGHT, sys->soft_rows[i]};
    dense_status why = factor(sys, st);
    if (why != DENSE_OK)
        return outcome_of(sys, st, why);
    outcome found = sys->nonideal ? nonideal_force(sys, st) : SOLVED;
    const double *C = sys->nonideal ? st->C : NULL;
    if (found.status == SOLVE_OK)
        found = friction_force(sys, st, C, &C);
    if (found.status == SOLVE_OK)
        found = constrained(sys, st, C);
    if (found.status == SOLVE_OK && !linalg_finite(st->qdd, sys->n))
        return (outcome){SOLVE_NOT_FINITE, -1};
    return found;
}

// ---- the kernel's own solution

// what the kernel found, if it can be trusted
static bool take_direct(const trm_system *sys, trm_state *st) {
    const double *x = st->y[STAGE_DYNAMICS] + sys->direct_at, *checks = x + sys->n + sys->all.rows;
    if (!direct_sure(checks) || !linalg_finite(x, sys->n + sys->all.rows))
        return false;
    memcpy(st->qdd, x, (size_t)sys->n * sizeof(double));
    memcpy(st->lambda, x + sys->n, (size_t)sys->all.rows * sizeof(double));
    return true;
}

// M, Q, A, b, w; where the solver sees all of M and A as they are, it looks at them itself
static bool inputs_finite(const trm_system *sys, const trm_state *st) {
    bool all = sys->direct || st->formulated || st->rows.own_A;
    if (all)
        return linalg_finite(st->M, sys->power_at);
    return linalg_finite(st->Q, sys->n) && linalg_finite(st->b, 2 * sys->m);
}

void solve_evaluate(const trm_system *sys, trm_state *st, const moment *at) {
    state_set(sys, st, at->t, at->q, at->v);
    if (sys->switch_count && !at->held)
        state_set_switches(sys, st);
    state_run(sys, st, STAGE_DYNAMICS);
}

outcome solve_at(const trm_system *sys, trm_state *st, const moment *at) {
    st->found.evaluations++;
    solve_evaluate(sys, st, at);
    // the masses of a tree form are finite, and then what it finds tells of all else
    bool tells = sys->full != NULL, finite = tells || inputs_finite(sys, st);
    st->direct = finite && sys->direct && !st->formulated && take_direct(sys, st);
    if (st->direct)
        return SOLVED;
    if (tells ? !inputs_finite(sys, st) : !finite)
        return not_finite(sys, st);
    profile_part before = profile_enter(st->profile, PROFILE_SOLVE);
    outcome found = solve_generally(sys, st);
    profile_leave(st->profile, before);
    return found;
}

outcome solve_acceleration(const trm_system *sys, trm_state *st, double t, const double *q, const double *v) {
    return solve_at(sys, st, &(moment){t, q, v, false});
}

// ---- rank

int solve_rank(const trm_system *sys, const trm_state *st) {
    return st->direct ? sys->all.rows : solver_rank(st->solver);
}

double solve_nearness(const trm_system *sys, const trm_state *st) {
    const double *checks = st->y[STAGE_DYNAMICS] + sys->direct_at + sys->n + sys->all.rows;
    return st->direct ? sqrt(checks[DIRECT_GRAM]) : solver_nearness(st->solver);
}

bool solve_may_leave_out(const trm_system *sys) {
    return !sys->mech->nonideal_needs_ideal && !sys->soft_count && !sys->friction_count;
}

void solve_leave_out(const trm_system *sys, trm_state *st, const bool *rows) {
    bool own = rows && (sys->sharing || sys->soft_count); // else solvers see the rows of A
    for (int k = 0; own && k < sys->all.rows; k++)
        st->left_out[k] = sys->solved_rows[k] >= 0 && rows[sys->solved_rows[k]];
    solver_leave_out(st->solver, own ? st->left_out : rows);
}

bool solve_only_rank(const trm_system *sys, trm_state *st, const moment *at, const bool *left_out) {
    const double *gram = st->y[STAGE_DYNAMICS] + sys->direct_at + sys->n + sys->all.rows + DIRECT_GRAM;
    bool all = true;
    solve_evaluate(sys, st, at);
    for (int k = 0; k < sys->all.rows; k++)
        all &= sys->solved_rows[k] < 0 || !left_out[sys->solved_rows[k]];
    st->direct = sys->direct && all && *gram > 0;
    if (st->direct)
        return true;
    solve_leave_out(sys, st, left_out);
    return factor(sys, st) == DENSE_OK;
}

bool solve_dropped(const trm_system *sys, const trm_state *st, int row) {
    int k = sys->rows[row].solved;
    return k < 0 || (!st->direct && solver_dropped(st->solver, k));
}

bool solve_mass_singular(const trm_system *sys, trm_state *st) {
    if (st->direct && !sys->direct_added)
        return false;
    if (st->direct) // the kernel does not tell
        solve_only_factor(sys, st);
    return solver_mass_singular(st->solver);
}

// ---- what the acceleration tells of the rows

double solve_usual_acceleration(const trm_system *sys, const trm_state *st) {
    const double *units = sys->natural->units;
    double found = 0, given = 0;
    for (int i = 0; i < sys->n; i++) {
        double mass = row_entry(sys->M, st->M, i, i), unit = units ? units[i] : 1;
        double a = st->qdd[i] / unit, free = mass > 0 ? st->force[i] / mass / unit : 0;
        found += a * a;
        given += free * free;
    }
    return sqrt(found) + sqrt(given);
}

// rows that depend on others, and are in force
static bool follows(const trm_system *sys, const trm_state *st, int row) {
    return !sys->rows[row].weighted && !st->idle[row] && solve_dropped(sys, st, row);
}

// rows on accelerations have no error but that of the rows they depend on
static double allowed_miss(const trm_system *sys, const trm_state *st, int row, double off) {
    return CONTRADICTS * (sys->rows[row].level == ROW_ACCELERATION ? fmax(RANK_ROUNDING, off) : st->cut);
}

int solve_contradiction(const trm_system *sys, const trm_state *st, double off, double *miss) {
    int worst = -1;
    double size = -1, largest = 1;
    for (int row = 0; row < sys->m; row++) {
        if (!follows(sys, st, row))
            continue;
        if (size < 0)
            size = solve_usual_acceleration(sys, st);
        double missed = fabs(row_dot(sys->A, st->A, row, st->qdd) - st->b[row]);
        double scale = natural_length(sys, sys->A, st->A, row) * size + fabs(st->b[row]);
        double limit = allowed_miss(sys, st, row, off);
        if (missed > largest * limit * scale) {
            largest = missed / (limit * scale);
            *miss = missed / scale;
            worst = row;
        }
    }
    return worst;
}
