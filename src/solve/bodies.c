/* Friction, and forces built on reactions, ask for the force of a joint of the tree, or for what rows that
 * depend on each other share. Both are known to the bodies' form, where every joint has its rows
 * and multipliers of least norm are those of all of them. So an evaluation of a tree form that asks has one
 * of the bodies' form at q(u), q' = H s in it, with the same switches, and the same that sticks. Energies, on
 * which forces may be built as well, are those of the bodies' form at that state. */
#include "mech/tree/tree.h"
#include "solve/friction.h"
#include "solve/solve_inside.h"

#include <string.h>

void bodies_add(const trm_system *sys, trm_state *st) {
    if (sys->full && (sys->mech->tree->asks || sys->mech->needs_energy))
        st->bodies = solve_new_state(st->arena, sys->full);
}

// angles of the tree's joints are coordinates, those of others are kept with these
static void take_turns(const trm_system *sys, const trm_state *st, trm_state *to) {
    for (int i = 0; i < sys->full->model->turns.count; i++) {
        int angle = mech_tree_angle(sys->mech->tree, i);
        state_put_turn(sys->full, to, i, st->x[angle >= 0 ? sys->x_q + angle : sys->x_turn + i]);
    }
}

void solve_lift(const trm_system *sys, trm_state *st, trm_state *to) {
    state_run(sys, st, STAGE_OUTPUT);
    const double *q = st->y[STAGE_OUTPUT];
    state_set(sys->full, to, st->x[0], q, q + sys->full->n);
    take_turns(sys, st, to);
}

static void take_switches(const trm_system *sys, const trm_state *st, trm_state *to) {
    const mech_tree *tree = sys->mech->tree;
    const trm_system *full = sys->full;
    for (int i = 0; sys->switch_count && i < tree->switches.count; i++) {
        const tree_switch *s = &tree->switches.at[i];
        int each = full->mech->shapes[s->full_shape].switch_count;
        if (sys->model->shapes.at[s->shape].count == 0 || s->full_number >= each)
            continue; // of a row that is left out; by an angle as a coordinate it may have been derived with
                      // more
        to->x[full->x_mode + full->switch_base[s->full_shape] + s->full_instance * each + s->full_number] =
            st->x[sys->x_mode + sys->switch_base[s->shape] + s->number];
    }
}

static outcome solve_lifted(const trm_system *sys, trm_state *st, trm_state *to) {
    const trm_system *full = sys->full;
    solve_lift(sys, st, to);
    if (full->switch_count)
        state_set_switches(full, to);
    take_switches(sys, st, to);
    friction_copy(full, st, to);
    to->cut = st->cut;
    moment at = {to->x[0], to->x + full->x_q, to->x + full->x_v, true};
    return solve_at(full, to, &at);
}

outcome bodies_solve(const trm_system *sys, trm_state *st) {
    if (!sys->mech->tree->asks)
        return SOLVED; // it is there for energies
    outcome found = solve_lifted(sys, st, st->bodies);
    if (found.status == SOLVE_NOT_FINITE)
        found.culprit = -1; // a row or coordinate of the bodies
    return found;
}

// ---- what the text shows, for calls from outside

void solve_shown_add(const trm_system *sys, trm_state *st) {
    if (sys->full == NULL)
        return;
    st->shown = st->bodies ? st->bodies : solve_new_state(st->arena, sys->full);
    solve_settle(sys->full, st->shown);
}

shown_state solve_shown(const trm_system *sys, trm_state *st) {
    if (sys->full == NULL)
        return (shown_state){sys, st};
    solve_lift(sys, st, st->shown);
    return (shown_state){sys->full, st->shown};
}

outcome solve_shown_solution(const trm_system *sys, trm_state *st) {
    return sys->full ? solve_lifted(sys, st, st->shown) : SOLVED;
}

void bodies_energies(const trm_system *sys, trm_state *st) {
    solve_lift(sys, st, st->bodies);
    solve_energies(sys->full, st->bodies);
    bodies_results(sys, st);
}

void bodies_results(const trm_system *sys, trm_state *st) {
    const trm_system *full = sys->full;
    memcpy(st->x + sys->x_result, st->bodies->x + full->x_result,
           (size_t)full->model->results.count * sizeof(double));
}
