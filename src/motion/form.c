/* A run in joint coordinates: what is integrated are angles, slides and quaternions of joints, what samples
 * show is the bodies' form of the same system at q(u), q' = H s. There forces, reactions, multipliers of
 * least norm and everything else is as if that had been integrated. Where no row depends on others these are
 * unique, and follow from q'' = H s' + h and the multipliers of the loops, from the leaves of the tree to its
 * root, without a solution of the bodies' form. */
#include "motion/running.h"

#include "mech/tree/tree.h"
#include "system/natural.h"

#include <string.h>

/* Rows at unit length that are so far from dependence are independent in both forms. */
static const double CLEARLY = 1e-3;

bool run_has_tree(const running *r) {
    return r->full != r->sys;
}

void run_lift(running *r, double t, const double *q, const double *v) {
    size_t n = (size_t)r->full->n;
    if (!run_has_tree(r))
        return;
    state_set(r->sys, r->st, t, q, v);
    solve_lift(r->sys, r->st, r->full_st);
    friction_copy(r->full, r->st, r->full_st);
    memcpy(r->full_q, state_q(r->full, r->full_st), n * sizeof *q);
    memcpy(r->full_v, state_v(r->full, r->full_st), n * sizeof *v);
}

// every row is held by a joint of the tree, or among those that are integrated
static bool has_all_rows(const running *r) {
    const mech_tree *tree = r->sys->mech->tree;
    int missing = r->full->m, *rows = arena_array(r->work, int, r->full->m + 1);
    for (int i = 0; i < r->full->m; i++)
        missing -= tree->row_of[i] >= 0;
    for (int i = 0; i < tree->links.count; i++)
        missing -= mech_tree_rows(tree, i, rows);
    return missing == 0;
}

void run_lift_new(running *r) {
    const trm_system *full = r->full;
    if (!run_has_tree(r) || !solve_may_be_given(full) || r->sys->sharing || !has_all_rows(r))
        return;
    const mech_tree *tree = r->sys->mech->tree;
    int *rows = arena_array(r->work, int, full->m + 1), *columns = arena_array(r->work, int, full->n + 1);
    r->full_rows = peel_new(r->work, full->n, full->A, full->natural->units);
    for (int i = tree->links.count - 1; i >= 0; i--) {
        int held = mech_tree_rows(tree, i, rows), count = mech_tree_columns(tree, i, columns);
        peel_add(r->full_rows, rows, held, columns, count);
    }
}

static bool give(running *r, double t) {
    const double *lifted = state_output(r->st, STAGE_OUTPUT);
    size_t n = (size_t)r->full->n;
    bool clear = r->started && r->full_rows && solve_rank(r->sys, r->st) == r->sys->m &&
                 (r->sys->m == 0 || solve_nearness(r->sys, r->st) > CLEARLY);
    return clear && solve_given(r->full, r->full_st, &(moment){t, r->full_q, r->full_v, false},
                                &(solution){lifted + 2 * n, lifted + 3 * n}, r->full_rows);
}

outcome run_solve_lifted(running *r, double t, const double *q, const double *v) {
    outcome own = run_solve_unheld(r, t, q, v);
    r->tree_solved = own.status == SOLVE_OK;
    if (r->tree_solved)
        solve_put_found(r->sys, r->st);
    run_lift(r, t, q, v);
    return r->tree_solved && give(r, t) ? SOLVED
                                        : solve_acceleration(r->full, r->full_st, t, r->full_q, r->full_v);
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
