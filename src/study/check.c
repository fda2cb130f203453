/* `check`: assembles the start, evaluates once with rank decided to rounding, and looks at what depends on
 * what. */
#include "study/check.h"

#include "linear/linalg.h"
#include "solve/friction.h"
#include "system/natural.h"
#include "system/rates.h"

#include <math.h>

static void find_contradiction(check_report *r, arena *a, const trm_system *sys, const trm_state *st,
                               double t) {
    int row = solve_contradiction(sys, st, 0, &r->contradiction);
    if (row < 0)
        return;
    r->contradicting = row;
    failure_of_contradiction(&r->failure, a, sys, row, r->contradiction, t);
}

static void find_powers(check_report *r, arena *a, const trm_system *sys, trm_state *st, double t) {
    const model *m = sys->model;
    double speed = natural_speed(sys, r->start.v);
    r->powers = arena_array(a, power_record, m->constraints.count + 1);
    solve_forces(sys, st);
    for (int i = 0; i < m->constraints.count; i++) {
        const model_constraint *c = &m->constraints.at[i];
        double most, power = solve_power(sys, st, c->first_row, c->row_count, &most);
        double could = most * speed;
        r->powers[i] = (power_record){power, t, could > 0 ? fabs(power) / could : 0, could};
    }
}

check_report *check_system(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance) {
    check_report *r = arena_alloc(a, sizeof *r);
    r->contradicting = -1;
    state_set_cut(st, solve_cut(sys, 0));
    r->assembled = assemble(a, sys, st, t, tolerance, &r->start, &r->failure);
    if (!r->assembled)
        return r;
    r->idle = arena_array(a, bool, sys->m + 1);
    outcome found = SOLVED;
    if (sys->quasi) { // s as a vector does not matter here: only whether G can be inverted
        double *v = arena_doubles(a, (size_t)sys->n);
        found = outcome_of_rates(rates_velocities(sys, st, t, r->start.q, r->start.v, v));
    }
    moment at = {t, r->start.q, r->start.v, false};
    if (found.status == SOLVE_OK)
        found = friction_start(sys, st, &at, tolerance);
    for (int i = 0; i < sys->m; i++)
        r->idle[i] = state_idle(st, i);
    if (found.status == SOLVE_OK)
        found = solve_at(sys, st, &at);
    if (found.status == SOLVE_NOT_FINITE || found.status == SOLVE_SINGULAR_QUASI ||
        found.status == SOLVE_WEIGHT || found.status == SOLVE_FIT || found.status == SOLVE_SUPPLY) {
        failure_of_solve(&r->failure, a, sys, st, found, t);
        return r;
    }
    r->rank = solve_dependence(a, sys, st);
    r->rank_stacked =
        dependence_rank_stacked(a, sys->n, sys->M, state_look(st)->M, sys->A,
                                solve_entries_in_force(a, sys, st), state_cut(st), sys->natural->units);
    r->mass_singular = solve_mass_singular(sys, st);
    if (found.status != SOLVE_OK) {
        failure_of_solve(&r->failure, a, sys, st, found, t);
        return r;
    }
    r->solved = true;
    find_powers(r, a, sys, st, t);
    find_contradiction(r, a, sys, st, t);
    return r;
}
