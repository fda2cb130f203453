#include "solve/solver.h"

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
    int n;
    sparsity M, A;
    sparse *sparse; // NULL: dense
    dense *dense;   // for all, for multipliers of least norm, or NULL
    double *M_full, *A_full;
    // of the last factorisation
    const double *M_values, *A_values;
    double cut;
};

static void make_dense(solver *s, arena *a) {
    size_t n = (size_t)s->n;
    s->dense = dense_new(a, s->n, s->A.rows);
    s->M_full = arena_doubles(a, n * n);
    s->A_full = arena_doubles(a, (size_t)s->A.rows * n);
}

solver *solver_new(arena *a, int n, sparsity M, sparsity A, solver_kind kind) {
    solver *s = arena_alloc(a, sizeof *s);
    *s = (solver){.n = n, .M = M, .A = A};
    if (kind == SOLVER_DENSE || (kind == SOLVER_AUTO && dense_is_faster(n, M, A)))
        make_dense(s, a);
    else
        s->sparse = sparse_new(a, n, M, A, SPARSE_BLOCK_MOST);
    if (s->sparse && (double)n * n * (n + A.rows) <= LEAST_NORM_FULL)
        make_dense(s, a);
    return s;
}

bool solver_is_sparse(const solver *s) {
    return s->sparse != NULL;
}

static dense_status factor_full(solver *s) {
    sparsity_fill(s->M, s->M_values, s->n, s->M_full);
    sparsity_fill(s->A, s->A_values, s->n, s->A_full);
    return dense_factor(s->dense, s->M_full, s->A_full, s->cut);
}

dense_status solver_factor(solver *s, const double *M, const double *A, double cut) {
    s->M_values = M;
    s->A_values = A;
    s->cut = cut;
    return s->sparse ? sparse_factor(s->sparse, M, A, cut) : factor_full(s);
}

void solver_solve(solver *s, const double *Q, const double *b, double *x, double *multiplier) {
    if (s->sparse)
        sparse_solve(s->sparse, Q, b, x, multiplier);
    else
        dense_solve(s->dense, Q, b, x, multiplier);
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
    bool full = s->sparse == NULL;
    if (!full && s->dense && !lengths_alike(s))
        full = factor_full(s) == DENSE_OK && dense_rank(s->dense) == sparse_rank(s->sparse);
    if (full)
        dense_least_norm(s->dense, multiplier);
    else
        sparse_least_norm(s->sparse, multiplier);
}

void solver_leave_out(solver *s, const bool *rows) {
    if (s->sparse)
        sparse_leave_out(s->sparse, rows);
    else
        dense_leave_out(s->dense, rows);
}

int solver_rank(const solver *s) {
    return s->sparse ? sparse_rank(s->sparse) : dense_rank(s->dense);
}

double solver_nearness(const solver *s) {
    return s->sparse ? sparse_nearness(s->sparse) : dense_nearness(s->dense);
}

bool solver_dropped(const solver *s, int row) {
    return s->sparse ? sparse_dropped(s->sparse, row) : dense_dropped(s->dense, row);
}

bool solver_has_parts(const solver *s) {
    return s->sparse && sparse_has_parts(s->sparse);
}

void solver_use_team(solver *s, team *t) {
    if (s->sparse)
        sparse_use_team(s->sparse, t);
}

bool solver_mass_singular(const solver *s) {
    return s->sparse ? sparse_mass_singular(s->sparse) : dense_mass_singular(s->dense);
}

int solver_undetermined(const solver *s, bool *coordinate) {
    return s->sparse ? sparse_undetermined(s->sparse, coordinate) : dense_undetermined(s->dense, coordinate);
}
