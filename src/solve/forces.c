/* The forces that go with an acceleration: Q^c = M q'' - Q, and multipliers of least norm with A' lambda =
 * Q^c - C (004 eqs. 30, 42). */
#include "solve/friction.h"
#include "solve/solve_inside.h"

#include <math.h>
#include <string.h>

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
}

// multipliers of the rows as written
static void find_multipliers(const trm_system *sys, trm_state *st) {
    if (st->formulated) {
        multipliers_of_force(sys, st);
        return;
    }
    if (!st->direct)
        solver_least_norm(st->solver, st->lambda);
    rows_hand_out(sys, st->lambda, st->multiplier);
}

void solve_forces(const trm_system *sys, trm_state *st) {
    int n = sys->n;
    for (int i = 0; i < n; i++)
        st->reaction[i] =
            st->formulated ? st->formulated->force[i] : row_dot(sys->M, st->M, i, st->qdd) - st->Q[i];
    find_multipliers(sys, st);
    friction_report(sys, st);
    if (sys->controls)
        rows_of_controls(sys, st, st->lambda, st->multiplier, st->control);
    st->found.rank = 0;
    for (int i = 0; i < sys->m; i++)
        st->found.rank += !solve_dropped(sys, st, i);
    memcpy(st->x + sys->x_a, st->qdd, (size_t)n * sizeof(double));
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
