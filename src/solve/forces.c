/* The forces that go with an acceleration: Q^c = M q'' - Q, and multipliers of least norm with A' lambda =
 * Q^c - C (004 eqs. 30, 42). */
#include "linear/linalg.h"
#include "solve/friction.h"
#include "solve/solve_inside.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

// a formulation's multipliers (the exact rows', and those of rows with weight) as shares by weight
static void share_of_formulation(const trm_system *sys, trm_state *st) {
    int exact = sys->all.rows - sys->soft_count;
    for (int k = 0; k < exact; k++)
        st->lambda[k] = st->multiplier[sys->solved_rows[k]] / sys->row_scale[k];
    rows_share(st, st->lambda);
    rows_hand_out(sys, st->lambda, st->multiplier);
}

// for a constraint force that a formulation found
static void multipliers_of_force(const trm_system *sys, trm_state *st) {
    double *ideal = st->scratch;
    for (int i = 0; i < sys->n; i++)
        ideal[i] = st->reaction[i] + st->Q[i] - st->force[i];
    papers_multipliers(st->formulated->papers, st->formulated->A_full, solver_rank(st->solver), ideal,
                       st->multiplier);
    double *measured = st->lambda + sys->all.rows - sys->soft_count;
    for (int i = 0; i < sys->soft_count; i++) {
        measured[i] = st->multiplier[sys->soft_rows[i]];
        st->multiplier[sys->soft_rows[i]] = 0;
    }
    if (st->rows.fitted)
        share_of_formulation(sys, st);
}

static void find_reactions(const trm_system *sys, trm_state *st) {
    for (int i = 0; i < sys->n; i++)
        st->reaction[i] =
            st->formulated ? st->formulated->force[i] : row_dot(sys->M, st->M, i, st->qdd) - st->Q[i];
}

// multipliers of the rows as written, those of least norm or any; of a formulation, after the reactions
static void find_multipliers(const trm_system *sys, trm_state *st, bool least) {
    if (st->formulated) {
        multipliers_of_force(sys, st);
    } else {
        if (st->rows.fitted || (least && !st->direct))
            rows_share(st, st->lambda);
        rows_hand_out(sys, st->lambda, st->multiplier);
    }
    friction_report(sys, st);
}

void solve_forces(const trm_system *sys, trm_state *st) {
    int n = sys->n;
    find_reactions(sys, st);
    find_multipliers(sys, st, true);
    if (sys->controls)
        rows_of_controls(sys, st, st->lambda, st->multiplier, st->control);
    st->found.rank = 0;
    for (int i = 0; i < sys->m; i++)
        st->found.rank += !solve_dropped(sys, st, i);
    memcpy(st->x + sys->x_a, st->qdd, (size_t)n * sizeof(double));
}

static double power_of_row(const trm_system *sys, const trm_state *st, int row) {
    return st->multiplier[row] * row_dot(sys->A, st->A, row, st->x + sys->x_v);
}

double solve_power(const trm_system *sys, const trm_state *st, int first, int count, double *most) {
    double sum = 0;
    *most = 0;
    for (int i = first; i < first + count; i++) {
        sum += power_of_row(sys, st, i);
        *most += fabs(st->multiplier[i]) * natural_length(sys, sys->A, st->A, i);
    }
    *most *= sys->natural->units ? sys->natural->scale[0] / sys->natural->units[0] : sys->natural->scale[0];
    return sum;
}

double solve_nonideal_power(const trm_system *sys, const trm_state *st) {
    return !sys->nonideal ? 0 : linalg_dot(st->C, st->x + sys->x_v, sys->n);
}

// of rows with weight it is what the other rows, and forces that are not ideal, leave of v Q^c
static double weighted_power(const trm_system *sys, const trm_state *st) {
    double sum = linalg_dot(st->reaction, st->x + sys->x_v, sys->n);
    for (int i = 0; i < sys->m; i++)
        sum -= power_of_row(sys, st, i);
    return sum - solve_nonideal_power(sys, st);
}

static double power_of(const trm_system *sys, const trm_state *st, int which) {
    const system_work *w = &sys->works[which];
    switch (w->kind) {
    case WORK_ROW:
        return w->of < 0 ? 0 : power_of_row(sys, st, w->of);
    case WORK_WEIGHTED:
        return weighted_power(sys, st);
    default:
        return w->of == SHAPE_NONIDEAL && w->kind == WORK_SHAPE && sys->nonideal
                   ? solve_nonideal_power(sys, st)
                   : st->M[sys->power_at + which]; // in a tree form it may be among the forces
    }
}

void solve_powers(const trm_system *sys, trm_state *st, double *out) {
    bool rows = sys->work_count && sys->works[sys->work_count - 1].kind >= WORK_ROW; // these come last
    if (rows && (st->formulated || sys->soft_count))
        find_reactions(sys, st);
    if (rows) // within a step rows that depend on others are left out: then those of least norm are not known
        find_multipliers(sys, st, false);
    for (int i = 0; i < sys->work_count; i++)
        out[i] = power_of(sys, st, i);
}
