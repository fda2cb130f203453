/* Below which remainder a row counts as dependent: one rule for check, runs, compare and calls from outside
 * (linear/accuracy.h has the numbers). */
#include "solve/solve_inside.h"

#include "linear/accuracy.h"
#include "system/natural.h"

#include <math.h>

double solve_cut(const trm_system *sys, double off) {
    if (sys->rank > 0)
        return sys->rank;
    return sys->mech->constant_rows ? RANK_ROUNDING : fmax(RANK_ROUNDING, RANK_BY_OFF * off);
}

double solve_run_cut(const trm_system *sys, double tolerance) {
    bool moves = sys->rank == 0 && !sys->mech->constant_rows;
    return fmax(solve_cut(sys, tolerance), moves ? RANK_RUN : 0);
}

// largest residual of a level, as a part of what its row makes of the scales of the coordinates
static double off_level(const trm_system *sys, trm_state *st, state_level l) {
    double worst = 0;
    if (l.level->m)
        state_run(sys, st, l.stage);
    for (int i = 0; i < l.level->m; i++) {
        double size = natural_allowance(sys, l.level->A, l.A, i, NULL, l.stage == STAGE_VELOCITY);
        if (size > 0)
            worst = fmax(worst, fabs(l.residual[i]) / size);
    }
    return worst;
}

double solve_off(const trm_system *sys, trm_state *st) {
    double position = off_level(sys, st, state_position(sys, st));
    return fmax(position, off_level(sys, st, state_velocity(sys, st)));
}

outcome solve_off_constraints(const trm_system *sys, trm_state *st, double t, const double *q,
                              const double *v) {
    bool may_depend = sys->all.rows > 1 && sys->rank == 0 && !sys->mech->constant_rows;
    st->cut = solve_cut(sys, 0);
    outcome found = solve_acceleration(sys, st, t, q, v);
    if (!may_depend || st->direct || found.status != SOLVE_OK)
        return found;
    double cut = solve_cut(sys, solve_off(sys, st));
    if (cut <= st->cut || solver_nearness(st->solver) > cut)
        return found;
    st->cut = cut;
    return solve_acceleration(sys, st, t, q, v);
}
