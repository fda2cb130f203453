/* The acceleration of the constrained system, q'', and the forces that go with it:
 *
 *   M q'' = Q + Q^c,  A q'' = b,  v'(Q^c - C) = 0 for all v with A v = 0        (002 eqs. 1-7; 000 eq. 3.46)
 *
 * C enters as Q + C in place of Q. A C built on reactions needs a first solve without it: there they mean the
 * ideal constraint force. */
#include "solve/system.h"

#include "solve/direct.h"
#include "solve/linalg.h"

#include <math.h>
#include <string.h>

static bool row_finite(sparsity p, const double *A, int i) {
    return linalg_finite(A + p.start[i], p.start[i + 1] - p.start[i]);
}

// which row or coordinate has the value that is not finite
static solve_status not_finite(const trm_system *sys, trm_state *st) {
    st->culprit = -1;
    for (int i = 0; i < sys->n; i++)
        if (!row_finite(sys->M, st->M, i) || !isfinite(st->Q[i]))
            st->culprit = -2 - i;
    for (int i = 0; i < sys->m; i++)
        if (!row_finite(sys->A, st->A, i) || !isfinite(st->b[i]) || !isfinite(st->w[i]))
            st->culprit = i;
    return SOLVE_NOT_FINITE;
}

static solve_status status_of(const trm_system *sys, trm_state *st, dense_status why) {
    switch (why) {
    case DENSE_OK:
        return SOLVE_OK;
    case DENSE_UNDETERMINED:
        return SOLVE_UNDETERMINED;
    case DENSE_INDEFINITE:
        return SOLVE_INDEFINITE;
    default:
        return not_finite(sys, st);
    }
}

// a row that is not in force: to solvers it vanishes
static bool idle(const trm_system *sys, const trm_state *st, int row) {
    return sys->friction_count && friction_idle(sys, st, row);
}

// hard rows first, then rows equivalent to the weighted ones (003 eq. 38); unused ones are zero
static void stack_rows(const trm_system *sys, trm_state *st) {
    int n = sys->n, hard = sys->hard_count, soft = sys->soft_count;
    memset(st->A_all, 0, (size_t)(sys->m * n) * sizeof(double));
    memset(st->A_soft, 0, (size_t)(soft * n) * sizeof(double));
    for (int i = 0; i < hard; i++) {
        if (idle(sys, st, sys->hard_rows[i])) {
            st->b_all[i] = 0;
            continue;
        }
        row_add(sys->A, st->A, sys->hard_rows[i], 1, st->A_all + i * n);
        st->b_all[i] = st->b[sys->hard_rows[i]];
    }
    for (int i = 0; i < soft; i++) {
        row_add(sys->A, st->A, sys->soft_rows[i], 1, st->A_soft + i * n);
        st->b_soft[i] = st->b[sys->soft_rows[i]];
        st->w_soft[i] = st->w[sys->soft_rows[i]];
    }
    memset(st->b_all + hard, 0, (size_t)soft * sizeof(double));
    weighted_rows(st->weighted, st->A_all, st->cut, st->A_soft, st->b_soft, st->w_soft, st->A_all + hard * n,
                  st->b_all + hard);
}

// the rows that are not repeats, and are in force
static void take_solved(const trm_system *sys, trm_state *st) {
    for (int k = 0; k < sys->all.rows; k++) {
        int row = sys->solved_rows[k];
        const double *A_k = st->A + sys->A.start[row] - sys->all.start[k];
        double scale = idle(sys, st, row) ? 0 : sys->row_scale[k];
        for (int e = sys->all.start[k]; e < sys->all.start[k + 1]; e++)
            st->A_all[e] = A_k[e] * scale;
        st->b_all[k] = st->b[row] * scale;
    }
}

static const double *solved_A(const trm_state *st) {
    return st->A_all ? st->A_all : st->A;
}

const double *solve_right(const trm_state *st) {
    return st->b_all ? st->b_all : st->b;
}

static bool has_solved_rows(const trm_system *sys) { // of their own
    return sys->sharing || (sys->friction_count && !sys->soft_count);
}

void solve_only_factor(const trm_system *sys, trm_state *st) {
    if (has_solved_rows(sys))
        take_solved(sys, st);
    solver_factor(st->solver, st->M, solved_A(st), st->cut);
}

void solve_written_rows(const trm_system *sys, const trm_state *st, double *A, const double **b) {
    bool soft = sys->soft_count > 0;
    sparsity_fill(soft ? sys->all : sys->A, soft ? st->A_all : st->A, sys->n, A);
    *b = soft ? st->b_all : st->b;
    if (soft || sys->friction_count == 0)
        return;
    for (int i = 0; i < sys->m; i++) {
        bool out = idle(sys, st, i);
        st->friction->right[i] = out ? 0 : st->b[i];
        if (out)
            memset(A + (size_t)i * (size_t)sys->n, 0, (size_t)sys->n * sizeof *A);
    }
    *b = st->friction->right;
}

const double *solve_rows_in_force(arena *a, const trm_system *sys, const trm_state *st) {
    if (sys->friction_count == 0)
        return st->A;
    double *A = arena_doubles(a, (size_t)sparsity_entries(sys->A));
    for (int i = 0; i < sys->m; i++)
        for (int e = sys->A.start[i]; e < sys->A.start[i + 1]; e++)
            A[e] = idle(sys, st, i) ? 0 : st->A[e];
    return A;
}

// of least norm with A' lambda = Q^c - C, for a constraint force that a formulation found
static void multipliers_of_force(const trm_system *sys, trm_state *st) {
    double *ideal = st->scratch;
    for (int i = 0; i < sys->n; i++)
        ideal[i] = st->reaction[i] + st->Q[i] - st->force[i];
    papers_multipliers(st->formulated->papers, st->formulated->A_full, solver_rank(st->solver), ideal,
                       st->lambda);
    memset(st->multiplier, 0, (size_t)sys->m * sizeof(double));
    for (int i = 0; i < sys->hard_count; i++)
        st->multiplier[sys->hard_rows[i]] = st->lambda[i];
}

void solve_hand_out(const trm_system *sys, const double *lambda, double *multiplier) {
    memset(multiplier, 0, (size_t)sys->m * sizeof *multiplier);
    if (sys->sharing) {
        for (int k = 0; k < sys->all.rows; k++)
            multiplier[sys->solved_rows[k]] = lambda[k] * sys->row_scale[k];
        share_multipliers(sys->sharing, multiplier);
        return;
    }
    for (int i = 0; i < sys->hard_count; i++)
        multiplier[sys->hard_rows[i]] = lambda[i];
}

// multipliers of the rows as written
static void find_multipliers(const trm_system *sys, trm_state *st) {
    if (st->formulated) {
        multipliers_of_force(sys, st);
        return;
    }
    if (!st->direct)
        solver_least_norm(st->solver, st->lambda);
    solve_hand_out(sys, st->lambda, st->multiplier);
}

static void row_force(const trm_system *sys, const trm_state *st, int row, double *force) {
    row_add(sys->A, st->A, row, st->multiplier[row], force);
}

// q'' with a non-ideal C, or NULL, by the solver in use
static solve_status constrained(const trm_system *sys, trm_state *st, const double *C) {
    for (int i = 0; i < sys->n && st->force != st->Q; i++)
        st->force[i] = st->Q[i] + (C ? C[i] : 0);
    if (st->formulated)
        return solve_formulated(sys, st, C);
    solver_solve(st->solver, st->force, solve_right(st), st->qdd, st->lambda);
    return SOLVE_OK;
}

// C at the ideal reactions, if it asks for them
static solve_status nonideal_force(const trm_system *sys, trm_state *st) {
    if (sys->mech->nonideal_needs_ideal) {
        if (sys->friction_count)
            memset(st->friction->force, 0, (size_t)sys->slip_count * sizeof(double));
        solve_status status = constrained(sys, st, NULL);
        if (status != SOLVE_OK)
            return status;
        solve_forces(sys, st);
        solve_results(sys, st);
    }
    state_run(sys, st, STAGE_NONIDEAL);
    for (int i = 0; i < sys->n; i++)
        if (!isfinite(st->C[i])) {
            st->culprit = -2 - i;
            return SOLVE_NOT_FINITE;
        }
    return SOLVE_OK;
}

// what the kernel found, if it can be trusted
static bool take_direct(const trm_system *sys, trm_state *st) {
    const double *x = st->y[STAGE_DYNAMICS] + sys->direct_at, *checks = x + sys->n + sys->all.rows;
    if (!direct_sure(checks) || !linalg_finite(x, sys->n + sys->all.rows))
        return false;
    memcpy(st->qdd, x, (size_t)sys->n * sizeof(double));
    memcpy(st->lambda, x + sys->n, (size_t)sys->all.rows * sizeof(double));
    return true;
}

int solve_rank(const trm_system *sys, const trm_state *st) {
    return st->direct ? sys->all.rows : solver_rank(st->solver);
}

double solve_nearness(const trm_system *sys, const trm_state *st) {
    const double *checks = st->y[STAGE_DYNAMICS] + sys->direct_at + sys->n + sys->all.rows;
    return st->direct ? sqrt(checks[DIRECT_GRAM]) : solver_nearness(st->solver);
}

void solve_leave_out(const trm_system *sys, trm_state *st, const bool *hard) {
    for (int k = 0; hard && sys->sharing && k < sys->all.rows; k++)
        st->left_out[k] = hard[sys->solved_rows[k]];
    solver_leave_out(st->solver, hard && sys->sharing ? st->left_out : hard);
}

bool solve_only_rank(const trm_system *sys, trm_state *st, const bool *left_out) {
    const double *gram = st->y[STAGE_DYNAMICS] + sys->direct_at + sys->n + sys->all.rows + DIRECT_GRAM;
    int kept = 0;
    for (int k = 0; k < sys->all.rows; k++)
        kept += !left_out[sys->rows[sys->solved_rows[k]].hard];
    st->direct = sys->direct && kept == sys->all.rows && *gram > 0;
    if (st->direct)
        return true;
    if (has_solved_rows(sys))
        take_solved(sys, st);
    solve_leave_out(sys, st, left_out);
    return solver_factor(st->solver, st->M, solved_A(st), st->cut) == DENSE_OK;
}

bool solve_dropped(const trm_system *sys, const trm_state *st, int hard) {
    int k = sys->sharing ? sys->rows[sys->hard_rows[hard]].solved : hard;
    return k < 0 || (!st->direct && solver_dropped(st->solver, k));
}

bool solve_mass_singular(const trm_system *sys, trm_state *st) {
    if (st->direct && !sys->direct_added)
        return false;
    if (st->direct) // the kernel does not tell
        solve_only_factor(sys, st);
    return solver_mass_singular(st->solver);
}

// the acceleration with M, Q, A, b at hand, by the general solvers
static solve_status solve_generally(const trm_system *sys, trm_state *st) {
    for (int i = 0; i < sys->soft_count; i++)
        if (st->w[sys->soft_rows[i]] < 0) {
            st->culprit = sys->soft_rows[i];
            return SOLVE_WEIGHT;
        }
    if (sys->soft_count)
        stack_rows(sys, st);
    if (has_solved_rows(sys))
        take_solved(sys, st);
    dense_status why = solver_factor(st->solver, st->M, solved_A(st), st->cut);
    if (why != DENSE_OK)
        return status_of(sys, st, why);
    solve_status status = sys->nonideal ? nonideal_force(sys, st) : SOLVE_OK;
    const double *C = sys->nonideal ? st->C : NULL;
    if (status == SOLVE_OK && sys->friction_count)
        status = (solve_status)friction_force(sys, st, C, &C);
    if (status == SOLVE_OK)
        status = constrained(sys, st, C);
    if (status != SOLVE_OK)
        return status;
    if (!linalg_finite(st->qdd, sys->n)) {
        st->culprit = -1;
        return SOLVE_NOT_FINITE;
    }
    return SOLVE_OK;
}

// M, Q, A, b, w; where the solver sees all of M and A as they are, it looks at them itself
static bool inputs_finite(const trm_system *sys, const trm_state *st) {
    bool all = sys->direct || st->formulated || st->A_all;
    if (all)
        return linalg_finite(st->M, sys->direct_at);
    return linalg_finite(st->Q, sys->n) && linalg_finite(st->b, 2 * sys->m);
}

solve_status solve_acceleration(const trm_system *sys, trm_state *st, double t, const double *q,
                                const double *v) {
    st->evaluations++;
    state_set(sys, st, t, q, v);
    state_run(sys, st, STAGE_DYNAMICS);
    if (!inputs_finite(sys, st))
        return not_finite(sys, st);
    st->direct = sys->direct && !st->formulated && take_direct(sys, st);
    if (st->direct)
        return SOLVE_OK;
    profile_part before = profile_enter(st->profile, PROFILE_SOLVE);
    solve_status status = solve_generally(sys, st);
    profile_leave(st->profile, before);
    return status;
}

// (q'' - a)' M (q'' - a) = r' M^-1 r with r = M q'' - (Q + C)
static double gaussian(const trm_system *sys, trm_state *st) {
    double *r = st->scratch, *x = r + sys->n;
    for (int i = 0; i < sys->n; i++)
        r[i] = st->reaction[i] + st->Q[i] - st->force[i];
    if (solve_mass_singular(sys, st) || solver_factor(st->free, st->M, st->A, st->cut) != DENSE_OK)
        return NAN;
    solver_solve(st->free, r, st->b, x, st->lambda);
    return linalg_dot(r, x, sys->n);
}

void solve_forces(const trm_system *sys, trm_state *st) {
    int n = sys->n;
    for (int i = 0; i < n; i++)
        st->reaction[i] =
            st->formulated ? st->formulated->force[i] : row_dot(sys->M, st->M, i, st->qdd) - st->Q[i];
    find_multipliers(sys, st);
    if (sys->friction_count)
        friction_report(sys, st);
    if (sys->controls)
        memset(st->control, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < sys->m && sys->controls; i++)
        if (sys->rows[i].control)
            row_force(sys, st, i, st->control);
    st->rank = sys->hard_count;
    for (int i = 0; i < sys->hard_count; i++)
        st->rank -= solve_dropped(sys, st, i);
    memcpy(st->x + sys->x_a, st->qdd, (size_t)n * sizeof(double));
}

static double share(const trm_system *sys, const trm_state *st, const model_result *r) {
    double sum = 0;
    for (int i = r->first; i < r->first + r->count; i++)
        sum += st->multiplier[i] * row_entry(sys->A, st->A, i, r->coordinate);
    return sum;
}

double solve_power(const trm_system *sys, const trm_state *st, int first, int count, double *most) {
    const double *v = st->x + sys->x_v;
    double sum = 0;
    *most = 0;
    for (int i = first; i < first + count; i++) {
        sum += st->multiplier[i] * row_dot(sys->A, st->A, i, v);
        *most += fabs(st->multiplier[i]) * row_norm(sys->A, st->A, i);
    }
    return sum;
}

static double result(const trm_system *sys, trm_state *st, const model_result *r) {
    const double *energy = st->y[STAGE_ENERGY];
    double most;
    switch (r->kind) {
    case RESULT_KINETIC:
        return energy[0];
    case RESULT_POTENTIAL:
        return energy[2];
    case RESULT_ENERGY:
        return energy[0] + energy[2];
    case RESULT_JACOBI:
        return energy[1] + energy[2];
    case RESULT_GAUSSIAN:
        return gaussian(sys, st);
    case RESULT_RANK:
        return st->rank;
    case RESULT_MULTIPLIER:
        return st->multiplier[r->first];
    case RESULT_REACTION:
        return st->reaction[r->coordinate];
    case RESULT_SHARE:
        return share(sys, st, r);
    case RESULT_CONTROL:
        return st->control[r->coordinate];
    case RESULT_FEEDBACK:
        return st->back[r->coordinate];
    case RESULT_FEEDFORWARD:
        return st->forward[r->coordinate];
    case RESULT_POWER:
        return solve_power(sys, st, r->first, r->count, &most);
    default:
        return st->y[STAGE_START][r->first];
    }
}

void solve_results(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    state_run(sys, st, STAGE_ENERGY);
    if (sys->control_parts)
        solve_control_parts(sys, st, st->back, st->forward);
    for (int i = 0; i < m->shown_results; i++)
        st->x[sys->x_result + i] = result(sys, st, &m->results.at[i]);
}

void solve_views(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    for (int i = m->shown_results; i < m->results.count; i++)
        st->x[sys->x_result + i] = result(sys, st, &m->results.at[i]);
    state_run(sys, st, STAGE_VIEW);
}

double solve_usual_acceleration(const trm_system *sys, const trm_state *st) {
    double square = 0;
    for (int i = 0; i < sys->n; i++) {
        double mass = row_entry(sys->M, st->M, i, i), a = mass > 0 ? st->force[i] / mass : 0;
        square += a * a;
    }
    return linalg_norm(st->qdd, sys->n) + sqrt(square);
}

int solve_contradiction(const trm_system *sys, const trm_state *st, double allowed, double exact,
                        double *miss) {
    int worst = -1;
    double size = solve_usual_acceleration(sys, st), largest = 1;
    for (int i = 0; i < sys->hard_count; i++) {
        int row = sys->hard_rows[i];
        if (!solve_dropped(sys, st, i) || idle(sys, st, row))
            continue;
        double off = fabs(row_dot(sys->A, st->A, row, st->qdd) - st->b[row]);
        double scale = row_norm(sys->A, st->A, row) * size + fabs(st->b[row]);
        double limit = sys->rows[row].level == ROW_ACCELERATION ? exact : allowed;
        if (off > largest * limit * scale) {
            largest = off / (limit * scale);
            *miss = off / scale;
            worst = row;
        }
    }
    return worst;
}
