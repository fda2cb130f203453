/* Numbers that are not expressions of the state alone: energies, forces, the Gaussian. Outputs, expectations
 * and pictures have them among their inputs. */
#include "solve/solve_inside.h"

#include "linear/linalg.h"
#include "system/rates.h"

#include <math.h>

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

static double share(const trm_system *sys, const trm_state *st, const model_result *r) {
    double sum = 0;
    for (int i = r->first; i < r->first + r->count; i++)
        sum += st->multiplier[i] * row_entry(sys->A, st->A, i, r->coordinate);
    return sum;
}

static bool is_asked(const trm_system *sys, int which, const model_result *r) {
    const system_work *w = &sys->works[which];
    switch (r->kind) {
    case RESULT_WORK:
        return w->kind == WORK_ROW && w->of >= r->first && w->of < r->first + r->count;
    case RESULT_WORK_FORCE:
        return which == sys->force_work[r->coordinate];
    case RESULT_WORK_JOINT:
    case RESULT_POWER_JOINT:
        return w->kind == WORK_ACTUATOR && sys->model->actuators.at[w->of].part == r->first;
    default:
        return w->kind == WORK_SHAPE && w->of == r->first;
    }
}

// of what each work has done so far, or of what each puts in now
static double sum_of_works(const trm_system *sys, const double *each, const model_result *r) {
    double sum = 0;
    for (int i = 0; i < sys->work_count; i++)
        sum += is_asked(sys, i, r) ? each[i] : 0;
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
        return st->found.rank;
    case RESULT_MULTIPLIER:
        return st->multiplier[r->first];
    case RESULT_REACTION:
        return st->reaction[r->coordinate];
    case RESULT_QUASI:
        return st->quasi_reaction[r->first];
    case RESULT_SHARE:
        return share(sys, st, r);
    case RESULT_ACTIVE:
        return st->found.Q[r->coordinate];
    case RESULT_CONTROL:
        return st->control[r->coordinate];
    case RESULT_FEEDBACK:
        return st->back[r->coordinate];
    case RESULT_FEEDFORWARD:
        return st->forward[r->coordinate];
    case RESULT_POWER:
        return solve_power(sys, st, r->first, r->count, &most);
    case RESULT_POWER_NONIDEAL:
        return solve_nonideal_power(sys, st);
    case RESULT_WORK:
    case RESULT_WORK_FORCE:
    case RESULT_WORK_SHAPE:
    case RESULT_WORK_JOINT:
        return sum_of_works(sys, st->done, r);
    case RESULT_POWER_JOINT:
        return sum_of_works(sys, st->M + sys->power_at, r);
    case RESULT_OVER:
        return st->over[r->first];
    case RESULT_GIVEN: // it is there
        return st->x[sys->x_result + (int)(r - sys->model->results.at)];
    default:
        return st->y[STAGE_START][r->first];
    }
}

// S^c = H'Q^c (000 eq. 3.8)
static void find_quasi_reactions(const trm_system *sys, trm_state *st) {
    if (solve_quasi(sys, st).status == SOLVE_OK)
        solve_quasi_transform(sys, st, st->reaction, NULL, st->quasi_reaction);
    else
        for (int i = 0; i < sys->n; i++)
            st->quasi_reaction[i] = NAN;
}

void solve_energies(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    state_run(sys, st, STAGE_ENERGY);
    for (int i = 0; i < m->results.count; i++)
        if (model_is_energy(m->results.at[i].kind))
            st->x[sys->x_result + i] = result(sys, st, &m->results.at[i]);
}

void solve_results(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    state_run(sys, st, STAGE_ENERGY);
    if (sys->control_parts)
        solve_control_parts(sys, st, st->back, st->forward);
    if (sys->quasi_reactions)
        find_quasi_reactions(sys, st);
    for (int i = 0; i < m->shown_results; i++)
        st->x[sys->x_result + i] = result(sys, st, &m->results.at[i]);
}

void solve_overs(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    for (int i = 0; i < m->results.count; i++)
        if (m->results.at[i].kind == RESULT_OVER)
            st->x[sys->x_result + i] = st->over[m->results.at[i].first];
}

void solve_overs_at_rest(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    state_run(sys, st, STAGE_OVER);
    for (int i = 0; i < m->overs.count; i++) {
        over_kind kind = m->overs.at[i].kind;
        double now = st->y[STAGE_OVER][i];
        st->over[i] = kind < OVER_INTEGRAL ? now : kind < OVER_FIRST ? 0 : now != 0 ? st->x[0] : NAN;
    }
    solve_overs(sys, st);
}

void solve_views(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    for (int i = m->shown_results; i < m->results.count; i++)
        st->x[sys->x_result + i] = result(sys, st, &m->results.at[i]);
    state_run(sys, st, STAGE_VIEW);
}

void solve_residuals(const trm_system *sys, trm_state *st) {
    state_run(sys, st, STAGE_RESIDUAL);
    for (int i = 0; i < sys->m; i++)
        if (sys->rows[i].level == ROW_ACCELERATION)
            st->y[STAGE_RESIDUAL][i] = row_dot(sys->A, st->A, i, st->qdd) - st->b[i];
}
