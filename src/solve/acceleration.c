/* The acceleration of the constrained system, q'':
 *
 *   M q'' = Q + Q^c,  A q'' = b,  v'(Q^c - C) = 0 for all v with A v = 0        (002 eqs. 1-7; 000 eq. 3.46)
 *
 * C enters as Q + C in place of Q. A C built on reactions, or a part of Q that is, needs a first solve
 * without both: there they mean the ideal constraint force. What is built on energies is known with the
 * state. */
#include "linear/accuracy.h"
#include "linear/linalg.h"
#include "solve/friction.h"
#include "solve/solve_inside.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/rates.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

trm_state *solve_new_state(arena *a, const trm_system *sys) {
    trm_state *st = state_new(a, sys);
    solve_note_plain(st);
    if (sys->friction_count)
        friction_add(sys, st);
    bodies_add(sys, st);
    motion_add(sys, st);
    return st;
}

// the dense solver needs none of this, and it remembers what it meets
void solve_settle(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    if (st->bodies)
        solve_settle(sys->full, st->bodies);
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

static bool weights_finite(const trm_system *sys, const trm_state *st, int row) {
    return isfinite(st->w[row]) &&
           (!sys->shares_weights || linalg_finite(st->shared + row * WEIGHTS_SHARED, WEIGHTS_SHARED));
}

// which row or coordinate has the value that is not finite
static outcome not_finite(const trm_system *sys, const trm_state *st) {
    int culprit = -1;
    for (int i = 0; i < sys->n; i++)
        if (!row_finite(sys->M, st->M, i) || !isfinite(st->Q[i]))
            culprit = -2 - i;
    for (int i = 0; i < sys->m; i++)
        if (!row_finite(sys->A, st->A, i) || !isfinite(st->b[i]) || !weights_finite(sys, st, i))
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

static const double OWN = 0.1;   // of the largest entry of M in its row
static const double PART = 1e-4; // of usual accelerations
static const outcome REFUSED = {SOLVE_SUPPLY, -1};

// C, and what Q has beside, at the ideal reactions if they ask for them
static outcome nonideal_force(const trm_system *sys, trm_state *st) {
    if (sys->mech->needs_ideal && st->bodies) {
        bodies_results(sys, st);
    } else if (sys->mech->needs_ideal) {
        friction_forget(sys, st);
        outcome found = constrained(sys, st, NULL);
        if (found.status != SOLVE_OK)
            return found;
        solve_forces(sys, st);
        solve_results(sys, st);
    }
    state_run(sys, st, STAGE_NONIDEAL);
    if (st->supply && state_refusal(st))
        return REFUSED;
    const double *Q = st->C + sys->Q_on_forces_at, *power = st->C + sys->power_on_forces_at;
    for (int i = 0; i < sys->n; i++)
        if (!isfinite(st->C[i] + Q[i]))
            return (outcome){SOLVE_NOT_FINITE, -2 - i};
    linalg_add(st->Q, 1, Q, sys->n);
    linalg_add(st->M + sys->power_at, 1, power, sys->work_count);
    return SOLVED;
}

static outcome check_weights(const trm_system *sys, const trm_state *st) {
    for (int i = 0; i < sys->soft_count; i++) {
        int row = sys->soft_rows[i];
        if (!weights_finite(sys, st, row))
            return not_finite(sys, st);
        if (st->w[row] < 0)
            return (outcome){SOLVE_WEIGHT, row};
    }
    return SOLVED;
}

// the acceleration with M, Q, A, b at hand, by the general solvers
static outcome solve_generally(const trm_system *sys, trm_state *st) {
    outcome weights = check_weights(sys, st);
    if (weights.status != SOLVE_OK)
        return weights;
    dense_status why = factor(sys, st);
    if (st->rows.indefinite >= 0)
        return (outcome){SOLVE_WEIGHT, st->rows.indefinite};
    if (why != DENSE_OK)
        return outcome_of(sys, st, why);
    if (sys->fits && !rows_fit(sys, st))
        return (outcome){SOLVE_FIT, -1};
    outcome found = st->bodies ? bodies_solve(sys, st) : SOLVED;
    if (found.status == SOLVE_OK && (sys->nonideal || sys->on_forces))
        found = nonideal_force(sys, st);
    const double *C = sys->nonideal ? st->C : NULL;
    if (found.status == SOLVE_OK)
        found = friction_force(sys, st, C, &C);
    if (found.status == SOLVE_OK)
        found = constrained(sys, st, C);
    if (found.status == SOLVE_OK && !linalg_finite(st->qdd, sys->n))
        return (outcome){SOLVE_NOT_FINITE, -1};
    return found;
}

// what the kernel found, if it can be trusted
static bool take_direct(const trm_system *sys, trm_state *st) {
    const double *x = st->y[STAGE_DYNAMICS] + sys->direct_at, *checks = x + sys->n + sys->all.rows;
    bool found = direct_sure(checks) && linalg_all_finite(x, sys->n + sys->all.rows) &&
                 direct_is_accurate(sys, st, x, checks);
    if (found)
        direct_take(sys, st, x);
    return found;
}

// M, Q, A, b, w; where the solver sees all of M and A as they are, it looks at them itself
bool solve_inputs_finite(const trm_system *sys, const trm_state *st) {
    bool all = sys->direct || st->formulated || st->rows.own_A;
    if (all)
        return linalg_finite(st->M, sys->power_at);
    return linalg_finite(st->Q, sys->n) && linalg_finite(st->b, 2 * sys->m);
}

void solve_note_plain(trm_state *st) {
    st->plain = !st->still && !st->added_force && !st->added_ask && !st->formulated;
}

void solve_stand_still(trm_state *st) {
    st->still = true;
    solve_note_plain(st);
}

void solve_add(trm_state *st, const double *force, const double *ask) {
    st->added_force = force;
    st->added_ask = ask;
    solve_note_plain(st);
}

void solve_evaluate(const trm_system *sys, trm_state *st, const moment *at) {
    st->moved = false;
    state_set(sys, st, at->t, at->q, at->v);
    if (sys->switch_count && !at->held)
        state_set_switches(sys, st);
    if (sys->mech->needs_energy && st->bodies)
        bodies_energies(sys, st);
    else if (sys->mech->needs_energy)
        solve_energies(sys, st);
    state_run(sys, st, STAGE_DYNAMICS);
    for (int i = 0; i < sys->m && st->still; i++)
        if (sys->rows[i].velocity >= 0)
            st->b[i] = 0;
    if (st->added_force)
        linalg_add(st->Q, 1, st->added_force, sys->n);
    if (st->added_ask)
        linalg_add(st->b, 1, st->added_ask, sys->m);
}

outcome solve_at(const trm_system *sys, trm_state *st, const moment *at) {
    st->found.evaluations++;
    solve_evaluate(sys, st, at);
    if (st->supply && state_refusal(st))
        return REFUSED;
    bool tells = st->plain && sys->direct && direct_tells_of_inputs(sys);
    bool finite = tells || solve_inputs_finite(sys, st);
    st->direct = finite && sys->direct && st->plain && take_direct(sys, st);
    if (st->direct)
        return SOLVED;
    if (tells ? !solve_inputs_finite(sys, st) : !finite)
        return not_finite(sys, st);
    profile_part before = profile_enter(st->profile, PROFILE_SOLVE);
    outcome found = solve_generally(sys, st);
    profile_leave(st->profile, before);
    return found;
}

outcome solve_acceleration(const trm_system *sys, trm_state *st, double t, const double *q, const double *v) {
    return solve_at(sys, st, &(moment){t, q, v, false});
}

void solve_put_found(const trm_system *sys, trm_state *st) {
    memcpy(st->x + sys->x_a, st->qdd, (size_t)sys->n * sizeof(double));
    memset(st->x + sys->x_multiplier, 0, (size_t)sys->m * sizeof(double));
    for (int k = 0; k < sys->all.rows; k++) // the first of rows that repeat each other may have it all
        if (sys->solved_rows[k] >= 0)
            st->x[sys->x_multiplier + sys->solved_rows[k]] = st->lambda[k] * sys->row_scale[k];
}

// ---- rank

int solve_rank(const trm_system *sys, const trm_state *st) {
    return st->direct ? sys->all.rows : solver_rank(st->solver);
}

solve_distance solve_distance_now(const trm_system *sys, trm_state *st) {
    if (!st->direct)
        return (solve_distance){solver_rank(st->solver), solver_nearness(st->solver), NULL};
    if (st->moved)
        motion_keep(sys, st);
    const double *checks = st->y[STAGE_DYNAMICS] + sys->direct_at + sys->n + sys->all.rows;
    return (solve_distance){sys->all.rows, sqrt(checks[DIRECT_GRAM]),
                            sys->sharing ? NULL : checks + DIRECT_CHECKS};
}

double solve_nearness(const trm_system *sys, trm_state *st) {
    return solve_distance_now(sys, st).nearness;
}

bool solve_may_leave_out(const trm_system *sys) {
    return !sys->mech->needs_ideal && !sys->soft_count && !sys->friction_count;
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
    if (k >= 0 && st->rows.fitted)
        return fit_dropped(st->rows.fit, k);
    return k < 0 || (!st->direct && solver_dropped(st->solver, k));
}

bool solve_mass_singular(const trm_system *sys, trm_state *st) {
    if (st->direct && sys->direct && !sys->direct_added)
        return false;
    if (st->direct) // the kernel does not tell
        solve_only_factor(sys, st);
    return solver_mass_singular(st->solver);
}

// ---- what the acceleration tells of the rows

/* The mass of a coordinate by itself; 0 where it is next to nothing beside what couples it to others, as that
 * of the first component of a quaternion near no rotation: force over mass would be anything there. */
static double own_mass(const trm_system *sys, const trm_state *st, int i) {
    const double *units = sys->natural->units, mass = row_entry(sys->M, st->M, i, i);
    double most = 0;
    for (int e = sys->M.start[i]; e < sys->M.start[i + 1]; e++)
        most = fmax(most, fabs(st->M[e]) * (units ? units[sys->M.to[e]] / units[i] : 1));
    return mass > OWN * most ? mass : 0;
}

/* In a tree form gravity that the joints bear is no force along their rates, and where nothing else acts
 * there is only rounding: no less than a part of what is usual in the bodies' form, where that is known. */
double solve_usual_acceleration(const trm_system *sys, const trm_state *st) {
    const double *units = sys->natural->units;
    double found = 0, given = 0;
    for (int i = 0; i < sys->n; i++) {
        double mass = own_mass(sys, st, i), unit = units ? units[i] : 1;
        double a = st->qdd[i] / unit, free = mass > 0 ? st->force[i] / mass / unit : 0;
        found += a * a;
        given += free * free;
    }
    double of_bodies = st->bodies ? solve_usual_acceleration(sys->full, st->bodies) : 0;
    return fmax(sqrt(found) + sqrt(given), PART * of_bodies);
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
