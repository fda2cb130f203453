/* The two parts of the force of the controls (001, after eq. 32). The constraint force is linear in what the
 * forces at hand ask for and in what the constraints ask for:
 *
 *   Q^c - C = -A'(A M^-1 A')+ A M^-1 (Q + C)  +  A'(A M^-1 A')+ b
 *
 * Where M, A and b depend on time alone, the second part can be computed beforehand: it is fed forward. The
 * first needs the measured state: it is fed back. */
#include "solve/solve_inside.h"

#include <math.h>
#include <string.h>

// the share of the controls in A' multiplier, for the multipliers of the last solution
static void controls_share(const trm_system *sys, trm_state *st, double *lambda, double *share) {
    double *multiplier = lambda + sys->m;
    rows_share(st, lambda);
    rows_hand_out(sys, lambda, multiplier);
    rows_of_controls(sys, st, lambda, multiplier, share);
}

void solve_control_parts(const trm_system *sys, trm_state *st, double *back, double *forward) {
    back = back ? back : st->back;
    forward = forward ? forward : st->forward;
    int n = sys->n, m = sys->m, longer = n > m ? n : m;
    double *x = st->scratch, *none = x + n, *lambda = none + longer;
    if (!sys->mech->prescribed || m == 0) {
        for (int i = 0; i < n; i++)
            back[i] = forward[i] = m == 0 ? 0 : NAN;
        return;
    }
    if (st->direct) // its factors were not asked for
        solve_only_factor(sys, st);
    memset(none, 0, (size_t)longer * sizeof *none);
    solver_solve(st->solver, st->force, none, x, lambda);
    controls_share(sys, st, lambda, back);
    solver_solve(st->solver, none, st->rows.b, x, lambda);
    controls_share(sys, st, lambda, forward);
}
