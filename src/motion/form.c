/* A run in joint coordinates: what is integrated are angles, slides and quaternions of joints, what samples
 * show is the bodies' form of the same system at q(u), q' = H s. There forces, reactions, multipliers of
 * least norm and everything else is as if that had been integrated. */
#include "motion/running.h"

#include "mech/tree/tree.h"

#include <string.h>

bool run_has_tree(const running *r) {
    return r->full != r->sys;
}

// angles of the tree's joints are coordinates, those of others are kept with these
static void take_turns(running *r, const double *q) {
    const mech_tree *tree = r->sys->mech->tree;
    for (int i = 0; i < r->full->model->turns.count; i++) {
        int angle = mech_tree_angle(tree, i);
        state_put_turn(r->full, r->full_st, i,
                       angle >= 0 ? q[angle] : state_input(r->st, r->sys->x_turn + i));
    }
}

void run_lift(running *r, double t, const double *q, const double *v) {
    size_t n = (size_t)r->full->n;
    if (!run_has_tree(r))
        return;
    state_set(r->sys, r->st, t, q, v);
    state_run(r->sys, r->st, STAGE_OUTPUT);
    const double *lifted = state_output(r->st, STAGE_OUTPUT);
    memcpy(r->full_q, lifted, n * sizeof *lifted);
    memcpy(r->full_v, lifted + n, n * sizeof *lifted);
    take_turns(r, q);
}

bool *run_full_rows(running *r, const bool *rows) {
    int m = r->full->m;
    bool *out = arena_array(r->arena, bool, m + 1);
    for (int i = 0; i < m; i++) {
        int row = run_has_tree(r) ? r->sys->mech->tree->row_of[i] : i;
        out[i] = row >= 0 ? rows[row] : r->full_dropped[i];
    }
    return out;
}
