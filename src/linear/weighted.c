/* Measured rows made into exact ones. The matrix U'W^1/2 of the textbook (U an orthonormal basis of the range
 * of W^1/2 E Z) is replaced by [I, W_J^-1 C'W_D], which spans the same: it needs no orthogonalisation in the
 * weighted metric, where light rows drown in the rounding of heavy ones. */
#include "linear/weighted.h"

#include "linear/linalg.h"
#include "linear/rank.h"

#include <math.h>
#include <string.h>

struct weighted {
    int n, m, k;
    rank_basis *exact;    // of the rows of A
    rank_basis *measured; // of the rows of E on the null space of A
    double *importance;   // (k): W^1/2 |E_i|
    double *C;            // (k x width)
    int *by;              // (width): the rows J
    double *share;        // (k x k): R = share E
    int rows;             // of R
};

weighted *weighted_new(arena *a, int n, int m, int k) {
    weighted *w = arena_alloc(a, sizeof *w);
    w->n = n;
    w->m = m;
    w->k = k;
    w->exact = rank_basis_new(a, m, n);
    w->measured = rank_basis_new(a, k, n);
    w->importance = arena_doubles(a, (size_t)k);
    w->C = arena_doubles(a, (size_t)k * (size_t)w->measured->width);
    w->by = arena_array(a, int, w->measured->width);
    w->share = arena_doubles(a, (size_t)k * (size_t)k);
    return w;
}

// measured rows at unit length, projected on the null space of A: E_i (I - A+A) / |E_i|
static void project(weighted *w, const double *E, const double *weight, double cut) {
    for (int i = 0; i < w->k; i++) {
        double *row = w->measured->row + i * (long)w->n;
        double scale = rank_basis_set(w->measured, i, E + i * (long)w->n);
        bool out = !(weight[i] > 0) || scale == 0 || rank_basis_remove(w->exact, row) <= cut;
        w->importance[i] = out ? 0 : sqrt(weight[i]) / scale;
        if (out)
            memset(row, 0, (size_t)w->n * sizeof(double));
    }
}

// R_j = E_j + sum over dependent rows d of C_dj sqrt(w_d / w_j) E_d
static void combine(const weighted *w, int column, double cut, const double *E, const double *f,
                    const double *weight, double *R, double *r, double *share) {
    const rank_basis *k = w->measured;
    int j = w->by[column];
    memcpy(R, E + j * (long)w->n, (size_t)w->n * sizeof(double));
    *r = f[j];
    memset(share, 0, (size_t)w->k * sizeof *share);
    share[j] = 1;
    for (int d = 0; d < w->k; d++) {
        if (d == j || w->importance[d] == 0 || rank_negligible(k, w->importance, cut, w->C, w->by, d, column))
            continue;
        double c = w->C[d * (long)k->width + column] * sqrt(weight[d] / weight[j]);
        linalg_add(R, c, E + d * (long)w->n, w->n);
        *r += c * f[d];
        share[d] = c;
    }
}

int weighted_rows(weighted *w, const double *A, double cut, const double *E, const double *f,
                  const double *weight, double *R, double *r) {
    cut = fmax(cut, rank_rounding(w->n));
    for (int i = 0; i < w->m; i++)
        rank_basis_set(w->exact, i, A + i * (long)w->n);
    rank_basis_choose(w->exact, w->m, cut);
    project(w, E, weight, cut);
    rank_basis_choose(w->measured, w->k, cut);
    rank_express(w->measured, w->importance, cut, w->C, w->by);
    int rows = 0;
    for (int j = 0; j < w->k; j++) // in the given order
        for (int column = 0; column < w->measured->rank; column++)
            if (w->by[column] == j) {
                combine(w, column, cut, E, f, weight, R + rows * (long)w->n, r + rows,
                        w->share + rows * (long)w->k);
                rows++;
            }
    w->rows = rows;
    return rows;
}

/* Where a pivot is rounding, what stands below it can be no more than the root of that. */
static const double PIVOT_ROUNDING = 1e-13;

bool weighted_uncouple(double *W, int k) {
    double own[4]; // k is 4 at most, as tuples are
    for (int i = 0; i < k; i++)
        own[i] = W[i * k + i];
    for (int i = 0; i < k; i++) {
        double d = W[i * k + i];
        bool none = fabs(d) <= PIVOT_ROUNDING * own[i];
        if (d < 0 && !none)
            return false;
        W[i * k + i] = none ? 0 : d;
        for (int j = i + 1; j < k; j++)
            if (none && fabs(W[j * k + i]) > sqrt(PIVOT_ROUNDING * own[i] * own[j]))
                return false;
        for (int j = i + 1; j < k; j++)
            for (int l = i + 1; l <= j && !none; l++)
                W[j * k + l] -= W[j * k + i] / d * W[l * k + i];
        for (int j = i + 1; j < k; j++)
            W[j * k + i] = none ? 0 : W[j * k + i] / d;
    }
    return true;
}

void weighted_share(const weighted *w, const double *lambda, double *share) {
    memset(share, 0, (size_t)w->k * sizeof *share);
    for (int i = 0; i < w->rows; i++)
        linalg_add(share, lambda[i], w->share + i * (long)w->k, w->k);
}
