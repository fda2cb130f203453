/* The two parts of the force of the controls (001, after eq. 32). The constraint force is linear in what the
 * forces at hand ask for and in what the constraints ask for:
 *
 *   Q^c - C = -A'(A M^-1 A')+ A M^-1 (Q + C)  +  A'(A M^-1 A')+ b
 *
 * Where M, A and b depend on time alone, the second part can be computed beforehand: it is fed forward. The
 * first needs the measured state: it is fed back. */
#include "solve/system.h"

#include <math.h>
#include <string.h>

// the share of the controls in A' multiplier
static void controls_share(const trm_system *sys, trm_state *st, double *multiplier, double *share) {
    solver_least_norm(st->solver, multiplier);
    memset(share, 0, (size_t)sys->n * sizeof *share);
    for (int i = 0; i < sys->hard_count; i++)
        if (sys->rows[sys->hard_rows[i]].control)
            row_add(sys->A, st->A, sys->hard_rows[i], multiplier[i], share);
}

void solve_control_parts(const trm_system *sys, trm_state *st, double *back, double *forward) {
    int n = sys->n, m = sys->m;
    double *x = st->scratch, *none = x + n, *multiplier = none + (n > m ? n : m);
    const double *A, *b;
    solve_all_rows(sys, st, &A, &b);
    if (!sys->mech->prescribed || m == 0) {
        for (int i = 0; i < n; i++)
            back[i] = forward[i] = m == 0 ? 0 : NAN;
        return;
    }
    if (st->direct)
        solver_factor(st->solver, st->M, A, st->cut);
    memset(none, 0, (size_t)(n > m ? n : m) * sizeof *none);
    solver_solve(st->solver, st->force, none, x, multiplier);
    controls_share(sys, st, multiplier, back);
    solver_solve(st->solver, none, b, x, multiplier);
    controls_share(sys, st, multiplier, forward);
}
