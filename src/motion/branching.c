/* Whether the start is a singular position, from which more than one motion may lead on. */
#include "motion/assemble.h"
#include "motion/project.h"

#include "linear/dependence.h"
#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double BESIDE = 1e-3; // how far away rank is looked at, as a part of 1 + |q|, in natural units
static const double CUT = 1e-7;    // rows depend on each other there below this, far from BESIDE and rounding
enum { TRIES = 3 };

typedef struct {
    int rank;
    bool *kept; // (position rows)
} rows_kept;

/* Assembly ends within 1e-6 to 3e-5 of a singular position, since there residuals grow as the square of the
 * distance; at BESIDE it is ten times this. */
static const double NEAR = 1e-4, GROWN = 3;

// which rows are independent there, without a word on how the others follow
static rows_kept rows_at(arena *a, const trm_system *sys, trm_state *st, double t, const double *q,
                         double cut) {
    state_level l = state_position(sys, st);
    rows_kept r = {.kept = arena_array(a, bool, l.level->m)};
    state_set(sys, st, t, q, NULL);
    state_run(sys, st, STAGE_POSITION);
    solver_leave_out(l.solver, NULL);
    if (solver_factor(l.solver, l.M, l.A, cut) == DENSE_OK && solver_rank(l.solver) == l.level->m) {
        memset(r.kept, true, (size_t)l.level->m * sizeof(bool));
        r.rank = l.level->m;
    } else {
        r.rank = dependence_rank(a, sys->n, l.level->A, natural_rows(a, sys, l.level->A, l.A), cut, r.kept);
    }
    return r;
}

// on the constraints, a little away from q, the same in every run
static bool move_away(arena *a, const trm_system *sys, trm_state *st, double t, int try, double *q) {
    int n = sys->n;
    double *d = arena_doubles(a, (size_t)n), *v = arena_doubles(a, (size_t)n);
    for (int i = 0; i < n; i++)
        d[i] = sys->natural->scale[i] * sin(1 + try + 7.3 * i);
    if (!project_tangent(sys, st, t, q, v, d, v) || !(natural_norm(sys, d, false) > 0))
        return false;
    linalg_add(q, BESIDE * (1 + natural_norm(sys, q, false)) / natural_norm(sys, d, false), d, n);
    return project_position(sys, st, t, q, DBL_EPSILON, NULL).row >= 0 && linalg_finite(q, n);
}

// where the motion leads on with these velocities, for which positions may leave no choice
static bool move_on(const trm_system *sys, trm_state *st, const double *v, double *t, double *q) {
    int n = sys->n;
    double speed = natural_norm(sys, v, false), ahead = BESIDE * (1 + natural_norm(sys, q, false)) / speed;
    if (!(speed > 0) || !isfinite(ahead))
        return false;
    linalg_add(q, ahead, v, n);
    *t += ahead;
    return project_position(sys, st, *t, q, DBL_EPSILON, NULL).row >= 0 && linalg_finite(q, n);
}

/* A row that is kept with the second cut at a place beside q, or with v a moment later, but not with the
 * first at q. */
static int row_gained(arena *a, const trm_system *sys, trm_state *st, double t, const double *q,
                      const double *v, double cut, double cut_beside) {
    size_t n = (size_t)sys->n;
    double *beside = arena_doubles(a, n);
    int m = sys->position.m;
    rows_kept here = m ? rows_at(a, sys, st, t, q, cut) : (rows_kept){0};
    for (int k = 0; k < TRIES + (v != NULL) && here.rank < m; k++) {
        double at = t;
        memcpy(beside, q, n * sizeof *q);
        if (!(k < TRIES ? move_away(a, sys, st, t, k, beside) : move_on(sys, st, v, &at, beside)))
            continue;
        rows_kept there = rows_at(a, sys, st, at, beside, cut_beside);
        for (int i = 0; there.rank > here.rank && i < m; i++)
            if (there.kept[i] && !here.kept[i])
                return sys->position.rows[i];
    }
    return -1;
}

int branching_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q) {
    return row_gained(a, sys, st, t, q, NULL, state_cut(st), CUT);
}

int near_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q, const double *v) {
    double cut = state_cut(st);
    state_set_cut(st, NEAR); // what is nearly dependent shall not keep from moving away
    int row = row_gained(a, sys, st, t, q, v, NEAR, GROWN * NEAR);
    state_set_cut(st, cut);
    return row;
}
