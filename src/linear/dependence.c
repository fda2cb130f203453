/* Many rows: the sparse solver, with the identity for M, decides as rank.c does. */
#include "linear/dependence.h"

#include "linear/sparse.h"

#include <math.h>
#include <string.h>

/* Operations of orthogonalisation, about a tenth of a second. */
static const double MOST_FULL = 1e8;

/* The sparse solver has tables of m^2 n/2 pairs where most entries are there. */
static bool is_full_better(int n, sparsity A) {
    return (double)A.rows * A.rows * n <= MOST_FULL || 2.0 * sparsity_entries(A) > (double)A.rows * n;
}

static double *full_rows(arena *a, int n, sparsity pattern, const double *A) {
    double *full = arena_doubles(a, (size_t)pattern.rows * (size_t)n);
    sparsity_fill(pattern, A, n, full);
    return full;
}

static sparse *factor_rows(arena *a, int n, sparsity pattern, const double *A, double cut) {
    int *start = arena_array(a, int, n + 1), *to = arena_array(a, int, n + 1);
    double *one = arena_doubles(a, (size_t)n);
    for (int i = 0; i < n; i++) {
        start[i + 1] = i + 1;
        to[i] = i;
        one[i] = 1;
    }
    sparse *s = sparse_new(a, n, (sparsity){n, start, to}, pattern, SPARSE_BLOCK_MOST);
    sparse_factor(s, one, A, cut);
    return s;
}

rank_report *dependence_of_many(arena *a, int n, sparsity pattern, const double *A, double cut) {
    rank_report *r = rank_report_new(a, pattern.rows, n);
    arena *work = arena_child(a);
    sparse *s = factor_rows(work, n, pattern, A, cut);
    double *c = arena_doubles(work, (size_t)pattern.rows);
    r->rank = sparse_rank(s);
    for (int i = 0; i < r->m; i++) {
        r->remainder[i] = sparse_remainder(s, i);
        if (sparse_dropped(s, i)) {
            sparse_explain(s, i, c);
            rank_report_explain(r, a, i, c);
        }
    }
    arena_free(work);
    return r;
}

rank_report *dependence_of_rows(arena *a, int n, sparsity pattern, const double *A, double cut,
                                bool independent) {
    if (independent)
        return rank_report_new(a, pattern.rows, n);
    if (!is_full_better(n, pattern))
        return dependence_of_many(a, n, pattern, A, cut);
    arena *work = arena_child(a);
    rank_report *r = rank_of_rows(a, full_rows(work, n, pattern, A), pattern.rows, n, cut);
    arena_free(work);
    return r;
}

int dependence_rank(arena *a, int n, sparsity pattern, const double *A, double cut, bool *kept) {
    arena *work = arena_child(a);
    int rank;
    if (is_full_better(n, pattern)) {
        rank_report *r = rank_of_rows(work, full_rows(work, n, pattern, A), pattern.rows, n, cut);
        memcpy(kept, r->kept, (size_t)pattern.rows * sizeof *kept);
        rank = r->rank;
    } else {
        sparse *s = factor_rows(work, n, pattern, A, cut);
        for (int i = 0; i < pattern.rows; i++)
            kept[i] = !sparse_dropped(s, i);
        rank = sparse_rank(s);
    }
    arena_free(work);
    return rank;
}

// the rows of one below those of the other
static sparsity stack(arena *a, sparsity above, sparsity below) {
    int inside = sparsity_entries(above), rows = above.rows + below.rows;
    int *start = arena_array(a, int, rows + 1),
        *to = arena_array(a, int, inside + sparsity_entries(below) + 1);
    memcpy(start, above.start, (size_t)above.rows * sizeof *start);
    memcpy(to, above.to, (size_t)inside * sizeof *to);
    for (int i = 0; i <= below.rows; i++)
        start[above.rows + i] = inside + below.start[i];
    for (int e = 0; e < sparsity_entries(below); e++)
        to[inside + e] = below.to[e];
    return (sparsity){rows, start, to};
}

int dependence_rank_stacked(arena *a, int n, sparsity M_pattern, const double *M, sparsity A_pattern,
                            const double *A, double cut, const double *units) {
    arena *work = arena_child(a);
    sparsity both = stack(work, M_pattern, A_pattern);
    int inside = sparsity_entries(M_pattern), rank;
    double *values = arena_doubles(work, (size_t)sparsity_entries(both) + 1);
    for (int e = 0; e < sparsity_entries(both); e++)
        values[e] = (e < inside ? M[e] : A[e - inside]) * (units ? units[both.to[e]] : 1);
    if (is_full_better(n, both)) {
        rank_basis *k = rank_basis_new(work, both.rows, n);
        double *full = full_rows(work, n, both, values);
        for (int i = 0; i < both.rows; i++)
            rank_basis_set(k, i, full + i * (long)n);
        rank_basis_choose(k, both.rows, fmax(cut, rank_rounding(n)));
        rank = k->rank;
    } else {
        rank = sparse_rank(factor_rows(work, n, both, values, cut));
    }
    arena_free(work);
    return rank;
}
