/* `check`: assembles the start, evaluates once with rank decided to rounding, and looks at what depends on
 * what. */
#include "report/findings.h"

static const double ROUNDING_CUT = 1e-11; // covers noise of 1e-12 in A, keeps rows that differ by 1e-10
static const double CONTRADICTION = 1e-6;

static void find_contradiction(check_report *r, arena *a, const trm_system *sys, const trm_state *st,
                               double t) {
    int row = dense_worst_dropped(st->dense, sys->soft_count ? st->b_all : st->b, st->qdd, &r->contradiction);
    if (row < 0 || row >= sys->hard_count || r->contradiction <= CONTRADICTION)
        return;
    r->contradicting = sys->hard_rows[row];
    failure_of_row(&r->failure, a, sys, r->contradicting, "acceleration", r->contradiction, CONTRADICTION, t);
    r->failure.message =
        arena_print(a,
                    "constraint '%s' contradicts the others: it depends on them, but asks for another "
                    "acceleration (relative difference %.3g)",
                    r->failure.constraint, r->contradiction);
}

check_report *check_system(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance) {
    check_report *r = arena_alloc(a, sizeof *r);
    r->contradicting = -1;
    st->cut = ROUNDING_CUT;
    r->assembled = assemble(a, sys, st, t, tolerance, &r->start, &r->failure);
    if (!r->assembled)
        return r;
    solve_status status = solve_acceleration(sys, st, t, r->start.q, r->start.v);
    if (status == SOLVE_NOT_FINITE) {
        failure_of_solve(&r->failure, a, sys, st, status, t);
        return r;
    }
    r->rank = rank_at_state(a, sys, st);
    r->rank_stacked = rank_stacked(a, st->M, st->A, sys->n, sys->m, ROUNDING_CUT);
    r->mass_singular = dense_mass_singular(st->dense);
    if (status != SOLVE_OK) {
        failure_of_solve(&r->failure, a, sys, st, status, t);
        return r;
    }
    r->solved = true;
    find_contradiction(r, a, sys, st, t);
    return r;
}
