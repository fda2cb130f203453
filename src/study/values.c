#include "study/values.h"

#include "solve/friction.h"

#include <string.h>

static double *copy(arena *a, const double *from, int count) {
    double *to = arena_doubles(a, (size_t)count + 1);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static void find_results(const trm_system *sys, trm_state *st) {
    solve_forces(sys, st);
    for (int i = 0; i <= sys->model->start_count && i < 8; i++) { // a start(...) may hold another
        solve_results(sys, st);
        state_run(sys, st, STAGE_START);
    }
    solve_results(sys, st);
    solve_overs_at_rest(sys, st);
    state_run(sys, st, STAGE_OUTPUT);
    solve_views(sys, st);
}

values values_at(arena *a, const trm_system *sys, trm_state *st, const moment *at, bool still,
                 double tolerance) {
    if (still)
        solve_stand_still(st);
    state_set(sys, st, at->t, at->q, at->v);
    state_keep_turns(sys, st);
    if (friction_start(sys, st, at, tolerance).status != SOLVE_OK || solve_at(sys, st, at).status != SOLVE_OK)
        return (values){0};
    find_results(sys, st);
    const state_found *found = state_look(st);
    return (values){.force = copy(a, found->Q, sys->n),
                    .reaction = copy(a, found->reaction, sys->n),
                    .control = sys->controls ? copy(a, found->control, sys->n) : NULL,
                    .multiplier = copy(a, found->multiplier, sys->m),
                    .outputs = copy(a, state_output(st, STAGE_OUTPUT), sys->model->outputs.count),
                    .views = copy(a, state_output(st, STAGE_VIEW), sys->model->view_count)};
}
