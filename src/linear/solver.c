/* Which alternative for which patterns; and multipliers of least norm where rows differ much in length. */
#include "linear/solver.h"

#include <math.h>

/* Times of a whole run, dense to sparse: chains of 6 and 10 particles (n = 12, 20) 1.0, 4.4; three cranks
 * (12) 6; Andrews' mechanism (7) 1.2; two windows (6) 0.8; full M and A with n = 8, 16, 40, 100: 0.5, 0.6,
 * 0.8, 1.0. */
enum { FEW = 6, MANY = 500 };

static bool dense_is_faster(int n, sparsity M, sparsity A) {
    double all = (double)n * (n + A.rows), used = (double)sparsity_entries(M) + sparsity_entries(A);
    return n <= FEW || (n <= MANY && used > all / 2);
}

/* Where the lengths of rows differ by more than this, multipliers of least norm come from the dense solver,
 * up to so many operations: to rounding whatever the lengths are. */
static const double LENGTHS_ALIKE = 1e3, LEAST_NORM_FULL = 2e6;

struct solver {
    const solver_ops *by;
    void *self;
    sparsity A;
    void *full; // of solver_dense, for multipliers of least norm; or NULL
    // units of the coordinates, NULL if they are alike; and S M S, A S, S Q in these
    const double *scale;
    sparsity M;
    double *own_M, *own_A, *own_Q;
    // of the last factorisation
    const double *M_values, *A_values;
    double cut;
};

static void add_units(solver *s, arena *a, const double *scale) {
    s->scale = scale;
    s->own_M = arena_doubles(a, (size_t)sparsity_entries(s->M) + 1);
    s->own_A = arena_doubles(a, (size_t)sparsity_entries(s->A) + 1);
    s->own_Q = arena_doubles(a, (size_t)s->M.rows + 1);
}

solver *solver_new(arena *a, int n, sparsity M, sparsity A, solver_kind kind, const double *scale) {
    solver *s = arena_alloc(a, sizeof *s);
    bool by_full = kind == SOLVER_DENSE || (kind == SOLVER_AUTO && dense_is_faster(n, M, A));
    *s = (solver){.by = by_full ? &solver_dense : &solver_sparse, .M = M, .A = A};
    if (scale)
        add_units(s, a, scale);
    s->self = s->by->create(a, n, M, A);
    if (!by_full && (double)n * n * (n + A.rows) <= LEAST_NORM_FULL)
        s->full = solver_dense.create(a, n, M, A);
    return s;
}

bool solver_is_sparse(const solver *s) {
    return s->by != &solver_dense;
}

bool solver_is_quick(const solver *s) {
    return s->by->is_quick && s->by->is_quick(s->self);
}

const double *solver_scale(const solver *s) {
    return s->scale;
}

// M becomes S M S, A becomes A S
static void take_units(solver *s, const double **M, const double **A) {
    for (int i = 0; i < s->M.rows; i++)
        for (int e = s->M.start[i]; e < s->M.start[i + 1]; e++)
            s->own_M[e] = (*M)[e] * (s->scale[i] * s->scale[s->M.to[e]]);
    for (int e = 0; e < sparsity_entries(s->A); e++)
        s->own_A[e] = (*A)[e] * s->scale[s->A.to[e]];
    *M = s->own_M;
    *A = s->own_A;
}

dense_status solver_factor(solver *s, const double *M, const double *A, double cut) {
    if (s->scale)
        take_units(s, &M, &A);
    s->M_values = M;
    s->A_values = A;
    s->cut = cut;
    return s->by->factor(s->self, M, A, cut);
}

void solver_solve(solver *s, const double *Q, const double *b, double *x, double *multiplier) {
    int n = s->scale ? s->M.rows : 0;
    for (int i = 0; i < n; i++)
        s->own_Q[i] = Q[i] * s->scale[i];
    s->by->solve(s->self, s->scale ? s->own_Q : Q, b, x, multiplier);
    for (int i = 0; i < n; i++)
        x[i] *= s->scale[i];
}

static bool lengths_alike(const solver *s) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < s->A.rows; i++) {
        double length = row_norm(s->A, s->A_values, i);
        least = length > 0 && length < least ? length : least;
        most = length > most ? length : most;
    }
    return most <= LENGTHS_ALIKE * least;
}

void solver_least_norm(solver *s, double *multiplier) {
    if (solver_rank(s) == s->A.rows)
        return;
    bool full = s->full && !lengths_alike(s) &&
                solver_dense.factor(s->full, s->M_values, s->A_values, s->cut) == DENSE_OK &&
                solver_dense.rank(s->full) == solver_rank(s);
    if (full)
        solver_dense.least_norm(s->full, multiplier);
    else
        s->by->least_norm(s->self, multiplier);
}

void solver_leave_out(solver *s, const bool *rows) {
    s->by->leave_out(s->self, rows);
}

int solver_rank(const solver *s) {
    return s->by->rank(s->self);
}

double solver_nearness(const solver *s) {
    return s->by->nearness(s->self);
}

bool solver_dropped(const solver *s, int row) {
    return s->by->dropped(s->self, row);
}

bool solver_mass_singular(const solver *s) {
    return s->by->mass_singular(s->self);
}

int solver_undetermined(const solver *s, bool *coordinate) {
    return s->by->undetermined(s->self, coordinate);
}

void solver_settle(solver *s, bool constant_mass) {
    if (s->by->settle)
        s->by->settle(s->self, constant_mass);
}

bool solver_has_parts(const solver *s) {
    return s->by->has_parts && s->by->has_parts(s->self);
}

void solver_use_team(solver *s, team *t) {
    if (s->by->use_team)
        s->by->use_team(s->self, t);
}
