/* The constrained acceleration by whitening. With M = U'U and the kept rows of A at unit whitened length,
 * B = F A U^-1 (F diagonal), the answer y = U x lies nearest to z = U^-T Q among all y with B y = F b:
 *     y = z + B'h,  B B'h = F b - B z,  x = U^-1 y,  multiplier = F h.
 * B B' = R'R by Cholesky; if that is too ill-conditioned, B = R'P with P orthonormal by Gram-Schmidt:
 *     y = z + P'g,  g = R^-T F b - P z,  R h = g.
 * Costs n^3/3 + m n^2 + m^2 n + m^3/3 operations, and 2 (n^2 + m n) for each right-hand side. */
#include "linear/dense.h"

#include "linear/accuracy.h"
#include "linear/linalg.h"
#include "linear/mass.h"
#include "linear/rank.h"

#include <math.h>
#include <string.h>

static const double CALM_REMAINDER = 1e-3; // well above sqrt(GRAM_CLEAR)

/* The quick way (a Gram matrix) failed, so the careful one (orthogonalisation) comes first from now on, until
 * it has found remainders far from critical CALM_CALLS times in a row. */
typedef struct {
    bool careful;
    int calm;
} habit;

struct dense {
    int n, m, rank;
    const double *M, *A;
    double cut;

    double *scale;        // (m): 1/|A_i|, 0 for a row that vanishes
    int *row;             // (rank): the kept rows, ascending
    bool *dropped;        // (m)
    const bool *left_out; // (m) by the caller; NULL for none
    rank_basis *own;
    double nearness; // smallest remainder of a kept row
    habit rows;

    double *U, *U_inverse; // (n x n), (n): M = U'U, or M + A'WA = U'U if augmented
    bool augmented, expect_singular;
    mass_block block; // all of M
    double *weight;   // (rank): W, for rows as written
    double *felt;     // (n): m of mass.h
    bool *named;      // (n): coordinates of the direction that made dense_factor fail

    rank_basis *white;     // its rows are B, or P in the order of choice
    double *fit;           // (rank): F
    double *R, *R_inverse; // (rank x rank), (rank)
    bool orthogonal;       // P is used, not B
    habit schur;

    bool expressed;           // the following are ready
    double *C;                // (m x width): A_i = sum of C[i][k] A_j, j = by[k]
    double *norm;             // (m): |A_i|
    double *share, *share_in; // (rank x rank), (rank): Cholesky factor of I + C'C
    int *by;                  // (width)

    double *f, *g, *h; // (n), (m), (m)
};

dense *dense_new(arena *a, int n, int m) {
    size_t N = (size_t)n, m_ = (size_t)m, width = (size_t)(m < n ? m : n);
    dense *d = arena_alloc(a, sizeof *d);
    d->n = n;
    d->m = m;
    d->scale = arena_doubles(a, m_);
    d->row = arena_array(a, int, m);
    d->dropped = arena_array(a, bool, m);
    d->own = rank_basis_new(a, m, n);
    d->U = arena_doubles(a, N * N);
    d->U_inverse = arena_doubles(a, N);
    d->weight = arena_doubles(a, m_);
    d->felt = arena_doubles(a, N);
    d->block = mass_block_new(a, n);
    d->named = arena_array(a, bool, n);
    d->white = rank_basis_new(a, m, n);
    d->fit = arena_doubles(a, m_);
    d->R = arena_doubles(a, m_ * m_);
    d->R_inverse = arena_doubles(a, m_);
    d->C = arena_doubles(a, m_ * width);
    d->norm = arena_doubles(a, m_);
    d->share = arena_doubles(a, width * width);
    d->share_in = arena_doubles(a, width);
    d->by = arena_array(a, int, width);
    d->f = arena_doubles(a, N);
    d->g = arena_doubles(a, m_);
    d->h = arena_doubles(a, m_);
    return d;
}

static const double *row_of_A(const dense *d, int i) {
    return d->A + i * (long)d->n;
}

static void careful_was(habit *h, bool calm) {
    h->calm = calm ? h->calm + 1 : 0;
    h->careful = h->calm < CALM_CALLS;
    if (!h->careful)
        h->calm = 0;
}

/* ---- which rows to keep ---- */

// the first `count` rows of d->row are independent beyond doubt: G = N N', N the rows at unit length, has no
// small pivot
static bool rows_independent(dense *d, int count) {
    double least = fmax(GRAM_CLEAR, 100 * d->cut * d->cut);
    if (count > d->n)
        return false;
    for (int i = 0; i < count; i++) {
        int row = d->row[i];
        if (d->scale[row] == 0)
            return false;
        d->R[i * (long)count + i] = 1;
        for (int j = i + 1; j < count; j++)
            d->R[i * (long)count + j] = linalg_dot(row_of_A(d, row), row_of_A(d, d->row[j]), d->n) *
                                        d->scale[row] * d->scale[d->row[j]];
    }
    double pivot = count < 2 ? 1 : linalg_cholesky(d->R, count, least, d->R_inverse);
    d->nearness = sqrt(fmax(0, pivot));
    return pivot > 0;
}

static void choose_rows(dense *d) {
    int count = 0;
    for (int i = 0; i < d->m; i++) {
        d->scale[i] = rank_unit(row_of_A(d, i), d->n);
        d->dropped[i] = true;
        if (d->left_out == NULL || !d->left_out[i])
            d->row[count++] = i;
    }
    bool all = !d->rows.careful && rows_independent(d, count);
    if (!all) {
        for (int k = 0; k < count; k++)
            rank_basis_set(d->own, k, row_of_A(d, d->row[k]));
        rank_basis_choose(d->own, count, d->cut);
        d->nearness = d->own->rank ? d->own->least : 1;
        careful_was(&d->rows, d->own->rank == count && d->own->least > CALM_REMAINDER);
    }
    d->rank = 0;
    for (int k = 0; k < count; k++)
        if (all || d->own->kept[k]) {
            d->dropped[d->row[k]] = false;
            d->row[d->rank++] = d->row[k];
        }
}

/* ---- the mass matrix ---- */

// U'U = M, and clearly so; if no row can help, a doubtful one has to do
static bool factor_definite(dense *d) {
    double most = 0;
    for (int i = 0; i < d->n; i++)
        most = fmax(most, d->M[i * (long)(d->n + 1)]);
    memcpy(d->U, d->M, (size_t)d->n * (size_t)d->n * sizeof(double));
    return mass_definite(d->U, d->n, most, d->rank > 0 ? MASS_DOUBTFUL : 0, d->U_inverse);
}

// K <- M + A'WA over the kept rows
static void augment(void *context, double *K) {
    dense *d = context;
    int n = d->n;
    memcpy(K, d->M, (size_t)n * (size_t)n * sizeof(double));
    double least = mass_felt(d->M, n, false, d->felt), *N_i = d->f;
    for (int k = 0; k < d->rank; k++) {
        int i = d->row[k];
        const double *A_i = row_of_A(d, i);
        for (int j = 0; j < n; j++)
            N_i[j] = A_i[j] * d->scale[i];
        d->weight[k] = mass_weight(N_i, NULL, n, 1, d->felt, least) * d->scale[i] * d->scale[i];
        for (int j = 0; j < n; j++)
            if (A_i[j] != 0)
                linalg_add(K + j * (long)n, d->weight[k] * A_i[j], A_i, n);
    }
}

/* A doubtful M, too, is better off with M + A'WA, and the next one will be like it. */
static dense_status factor_mass(dense *d) {
    mass_block *b = &d->block;
    memset(d->named, 0, (size_t)d->n * sizeof(bool));
    b->mass_rank = d->n;
    d->augmented = d->expect_singular || !factor_definite(d);
    if (!d->augmented)
        return DENSE_OK;
    b->largest = 0;
    for (long e = 0; e < d->n * (long)d->n; e++)
        b->largest = fmax(b->largest, fabs(d->M[e]));
    mass_status status = mass_factor(b, d->M, augment, d, d->U, d->U_inverse);
    d->expect_singular = b->last <= MASS_DOUBTFUL;
    if (status == MASS_INDEFINITE)
        mass_name(b, NULL, d->named);
    for (int k = b->rank; k < d->n && status == MASS_SINGULAR; k++) {
        mass_direction(b, k);
        mass_name(b, NULL, d->named);
    }
    return status == MASS_OK ? DENSE_OK : status == MASS_SINGULAR ? DENSE_UNDETERMINED : DENSE_INDEFINITE;
}

/* ---- the kept rows in the metric of the mass ---- */

// B = F A U^-1, rows at unit length
static void whiten(dense *d) {
    for (int k = 0; k < d->rank; k++) {
        int i = d->row[k];
        const double *A_i = row_of_A(d, i);
        double *B_k = d->white->row + k * (long)d->n;
        for (int j = 0; j < d->n; j++)
            B_k[j] = A_i[j] * d->scale[i];
        linalg_solve_lower(d->U, d->U_inverse, d->n, B_k);
        double length = linalg_norm(B_k, d->n);
        linalg_scale(B_k, 1 / length, d->n);
        d->fit[k] = d->scale[i] / length;
    }
}

// R'R = B B'
static bool factor_schur(dense *d) {
    int r = d->rank, n = d->n;
    const double *B = d->white->row;
    for (int i = 0; i < r; i++) {
        d->R[i * (long)r + i] = 1;
        for (int j = i + 1; j < r; j++)
            d->R[i * (long)r + j] = linalg_dot(B + i * (long)n, B + j * (long)n, n);
    }
    return linalg_cholesky(d->R, r, GRAM_CLEAR, d->R_inverse) > 0;
}

// B = R'P; every row is kept: that they are independent has been decided, and masses do not change it
static void factor_orthogonal(dense *d) {
    rank_basis *p = d->white;
    rank_basis_choose(p, d->rank, 0);
    for (int k = 0; k < p->rank; k++) {
        const double *c = p->coordinate + p->order[k] * (long)p->width;
        for (int j = 0; j <= k; j++)
            d->R[j * (long)p->rank + k] = c[j];
        d->R_inverse[k] = 1 / c[k];
    }
    careful_was(&d->schur, p->rank == d->rank && p->least > CALM_REMAINDER);
}

dense_status dense_factor(dense *d, const double *M, const double *A, double cut) {
    d->M = M;
    d->A = A;
    d->cut = fmax(cut, rank_rounding(d->n));
    d->expressed = false;
    if (!linalg_finite(M, d->n * d->n) || !linalg_finite(A, d->m * d->n))
        return DENSE_NOT_FINITE;
    choose_rows(d);
    dense_status status = factor_mass(d);
    if (status != DENSE_OK)
        return status;
    whiten(d);
    d->orthogonal = d->schur.careful || !factor_schur(d);
    if (d->orthogonal)
        factor_orthogonal(d);
    return DENSE_OK;
}

/* ---- solving ---- */

// f <- z + B'h with B B'h = h - B z, for f = z
static void nearest_by_schur(const dense *d, double *f, double *h) {
    int n = d->n, r = d->rank;
    const double *B = d->white->row;
    for (int k = 0; k < r; k++)
        h[k] -= linalg_dot(B + k * (long)n, f, n);
    linalg_solve_lower(d->R, d->R_inverse, r, h);
    linalg_solve_upper(d->R, d->R_inverse, r, h);
    for (int k = 0; k < r; k++)
        linalg_add(f, h[k], B + k * (long)n, n);
}

// f <- z + P'g with g = R^-T h - P z, and h <- R^-1 g, for f = z
static void nearest_by_projection(const dense *d, double *f, double *h, double *g) {
    const rank_basis *p = d->white;
    for (int k = 0; k < p->rank; k++)
        g[k] = h[p->order[k]];
    linalg_solve_lower(d->R, d->R_inverse, p->rank, g);
    for (int k = 0; k < p->rank; k++) {
        const double *q = p->row + p->order[k] * (long)p->n;
        g[k] -= linalg_dot(q, f, p->n);
        linalg_add(f, g[k], q, p->n);
    }
    linalg_solve_upper(d->R, d->R_inverse, p->rank, g);
    memset(h, 0, (size_t)d->rank * sizeof(double));
    for (int k = 0; k < p->rank; k++)
        h[p->order[k]] = g[k];
}

/* x += dx, multiplier += dl with M dx - A'dl = f, A dx = g over the kept rows (g as written); f becomes dx.
 * With A dx = g the equation (M + A'WA) dx - A'dl = f + A'Wg is the same one, with the same dl (002 result 1,
 * which has A+A in place of A'WA). Spoils g. */
static void correct(const dense *d, double *f, double *g, double *x, double *multiplier) {
    int n = d->n, r = d->rank;
    double *h = d->h;
    for (int k = 0; k < r; k++) {
        if (d->augmented)
            linalg_add(f, d->weight[k] * g[k], row_of_A(d, d->row[k]), n);
        h[k] = d->fit[k] * g[k];
    }
    linalg_solve_lower(d->U, d->U_inverse, n, f);
    if (d->orthogonal)
        nearest_by_projection(d, f, h, g);
    else
        nearest_by_schur(d, f, h);
    linalg_solve_upper(d->U, d->U_inverse, n, f);
    linalg_add(x, 1, f, n);
    for (int k = 0; k < r; k++)
        multiplier[d->row[k]] += d->fit[k] * h[k];
}

// f = Q - M x + A'multiplier, g = b - A x
static void residual(const dense *d, const double *Q, const double *b, const double *x,
                     const double *multiplier, double *f, double *g) {
    int n = d->n;
    for (int j = 0; j < n; j++)
        f[j] = Q[j] - linalg_dot(d->M + j * (long)n, x, n);
    for (int k = 0; k < d->rank; k++) {
        int i = d->row[k];
        linalg_add(f, multiplier[i], row_of_A(d, i), n);
        g[k] = b[i] - linalg_dot(row_of_A(d, i), x, n);
    }
}

void dense_solve(dense *d, const double *Q, const double *b, double *x, double *multiplier) {
    memset(x, 0, (size_t)d->n * sizeof(double));
    memset(multiplier, 0, (size_t)d->m * sizeof(double));
    memcpy(d->f, Q, (size_t)d->n * sizeof(double));
    for (int k = 0; k < d->rank; k++)
        d->g[k] = b[d->row[k]];
    correct(d, d->f, d->g, x, multiplier);
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        residual(d, Q, b, x, multiplier, d->f, d->g);
        correct(d, d->f, d->g, x, multiplier);
        if (linalg_dot(d->f, d->f, d->n) <= REFINED * REFINED * linalg_dot(x, x, d->n))
            return;
    }
}

/* ---- multipliers of least norm ---- */

// C_ik, without what is rounding in row i, or as small as what remains of it
static double share(const dense *d, int i, int k) {
    double remainder = d->own->kept[i] ? 0 : 10 * sqrt(d->own->square[i]);
    double known = fmin(d->cut, fmax(remainder, 10 * rank_rounding(d->n)));
    bool out = rank_negligible(d->own, d->norm, known, d->C, d->by, i, k);
    return out ? 0 : d->C[i * (long)d->own->width + k];
}

/* With J the rows of `by` and A_D = C A_J, a force A'l is A_J't with t = l_J + C'l_D. Least |l| means that l
 * is in the range of A, that is l_D = C l_J: (I + C'C) l_J = t. */
static bool express(dense *d) {
    int r = d->rank;
    for (int i = 0; i < d->m; i++)
        d->norm[i] = d->scale[i] > 0 ? 1 / d->scale[i] : 0;
    if (!rank_express(d->own, d->norm, d->cut, d->C, d->by))
        return false;
    memset(d->share, 0, (size_t)r * (size_t)r * sizeof(double));
    for (int i = 0; i < d->m; i++) { // the rows J are those of I
        for (int k = 0; k < r; k++)
            d->g[k] = share(d, i, k);
        for (int k = 0; k < r; k++)
            if (d->g[k] != 0)
                linalg_add(d->share + k * (long)r, d->g[k], d->g, r);
    }
    return linalg_cholesky(d->share, r, 0, d->share_in) > 0;
}

void dense_least_norm(dense *d, double *multiplier) {
    int r = d->rank, width = d->own->width;
    double *t = d->g, *u = d->h;
    if (r == d->m || (!d->expressed && !express(d)))
        return;
    d->expressed = true;
    memset(t, 0, (size_t)r * sizeof(double));
    for (int i = 0; i < d->m; i++)
        linalg_add(t, multiplier[i], d->C + i * (long)width, r);
    memcpy(u, t, (size_t)r * sizeof(double));
    linalg_solve_lower(d->share, d->share_in, r, u);
    linalg_solve_upper(d->share, d->share_in, r, u);
    for (int k = 0; k < r; k++)
        d->own->used[d->by[k]] = true;
    for (int i = 0; i < d->m; i++) { // l_D = C u, and l_J = t - C'l_D, so that the force is kept to rounding
        if (d->own->used[i])
            continue;
        multiplier[i] = 0;
        for (int k = 0; k < r; k++)
            multiplier[i] += share(d, i, k) * u[k];
        linalg_add(t, -multiplier[i], d->C + i * (long)width, r);
    }
    for (int k = 0; k < r; k++)
        multiplier[d->by[k]] = t[k];
}

/* ---- what was found ---- */

void dense_leave_out(dense *d, const bool *rows) {
    d->left_out = rows;
}

bool dense_is_quick(const dense *d) {
    return !d->rows.careful && !d->schur.careful && !d->expect_singular;
}

int dense_rank(const dense *d) {
    return d->rank;
}

double dense_nearness(const dense *d) {
    return d->nearness;
}

bool dense_dropped(const dense *d, int row) {
    return d->dropped[row];
}

bool dense_mass_singular(const dense *d) {
    return d->block.mass_rank < d->n;
}

int dense_undetermined(const dense *d, bool *coordinate) {
    int count = 0;
    for (int j = 0; j < d->n; j++) {
        coordinate[j] = d->named[j];
        count += d->named[j];
    }
    return count;
}
