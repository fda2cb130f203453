#include "linear/dense_lanes.h"

#include "base/fours.h"
#include "code/native.h"
#include "linear/accuracy.h"
#include "linear/mass.h"
#include "linear/rank.h"

#include <math.h>

typedef void solving(dense_lanes *d, const double *cut, double *x, double *fine);

struct dense_lanes {
    int n, m;
    sparsity M_pattern, A_pattern;
    const double *scale;
    solving *solve;
    // the names of dense.c
    double *last, *definite; // M that U is of; the lanes where it is clearly definite
    double *M, *A, *U, *U_inverse, *B, *length, *fit, *R, *R_inverse;
    double *b, *f, *g, *h, *multiplier;
};

// ---- linalg.h

#define at(x, i)     four_at(x, i, o)
#define put(x, i, v) four_put(x, i, o, v)

LANES_INLINE four dot(const double *x, const double *y, int n, int o) {
    four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        s0 += at(x, j) * at(y, j);
        s1 += at(x, j + 1) * at(y, j + 1);
        s2 += at(x, j + 2) * at(y, j + 2);
        s3 += at(x, j + 3) * at(y, j + 3);
    }
    for (; j < n; j++)
        s0 += at(x, j) * at(y, j);
    return (s0 + s2) + (s1 + s3);
}

LANES_INLINE void add(double *y, four f, const double *x, int n, int o) {
    for (int j = 0; j < n; j++)
        put(y, j, at(y, j) + f * at(x, j));
}

LANES_INLINE void add4(double *y, four f0, four f1, four f2, four f3, const double *x, long stride, int n,
                       int o) {
    const double *x1 = x + stride * LANES, *x2 = x1 + stride * LANES, *x3 = x2 + stride * LANES;
    for (int j = 0; j < n; j++)
        put(y, j, at(y, j) + ((f0 * at(x, j) + f1 * at(x1, j)) + (f2 * at(x2, j) + f3 * at(x3, j))));
}

LANES_INLINE four_bits cholesky(double *K, int n, four least, double *inverse, int o) {
    four_bits good = four_true();
    for (int k = 0; k < n; k++) {
        double *row = K + (k * (long)n + k) * LANES, *U = K + k * LANES;
        four diagonal = at(row, 0);
        long apart = (long)n * LANES;
        int i = 0;
        for (; i + 4 <= k; i += 4, U += 4 * apart)
            add4(row, -at(U, 0), -at(U + apart, 0), -at(U + 2 * apart, 0), -at(U + 3 * apart, 0), U, n, n - k,
                 o);
        for (; i < k; i++, U += apart)
            add(row, -at(U, 0), U, n - k, o);
        four pivot = at(row, 0);
        good &= (pivot > least * diagonal) & (pivot > 0);
        four over = 1 / four_root(pivot);
        put(inverse, k, over);
        for (int j = 0; j < n - k; j++)
            put(row, j, at(row, j) * over);
    }
    return good;
}

LANES_INLINE void solve_lower(const double *U, const double *inverse, int n, double *x, int o) {
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        const double *u0 = U + (k * (long)n + k) * LANES, *u1 = u0 + n * LANES, *u2 = u1 + n * LANES;
        four y0 = at(x, k) * at(inverse, k);
        four y1 = (at(x, k + 1) - at(u0, 1) * y0) * at(inverse, k + 1);
        four y2 = (at(x, k + 2) - (at(u0, 2) * y0 + at(u1, 2) * y1)) * at(inverse, k + 2);
        four y3 = (at(x, k + 3) - (at(u0, 3) * y0 + at(u1, 3) * y1 + at(u2, 3) * y2)) * at(inverse, k + 3);
        put(x, k, y0);
        put(x, k + 1, y1);
        put(x, k + 2, y2);
        put(x, k + 3, y3);
        add4(x + (k + 4) * LANES, -y0, -y1, -y2, -y3, u0 + 4 * LANES, n, n - k - 4, o);
    }
    for (; k < n; k++) {
        four y = at(x, k) * at(inverse, k);
        put(x, k, y);
        add(x + (k + 1) * LANES, -y, U + (k * (long)n + k + 1) * LANES, n - k - 1, o);
    }
}

LANES_INLINE void solve_upper(const double *U, const double *inverse, int n, double *x, int o) {
    for (int k = n - 1; k >= 0; k--)
        put(x, k,
            (at(x, k) - dot(U + (k * (long)n + k + 1) * LANES, x + (k + 1) * LANES, n - k - 1, o)) *
                at(inverse, k));
}

// where no scaling is needed on the way
LANES_INLINE four norm(const double *x, int n, four_bits *good, int o) {
    four square = dot(x, x, n, o);
    *good &= (square > 1e-280) & (square < 1e280);
    return four_root(square);
}

// ---- factors

LANES_INLINE four_bits all_finite(const double *x, int n, int o) {
    four sum = {0};
    for (int j = 0; j < n; j++)
        sum += 0 * at(x, j);
    return sum == 0;
}

// G of the rows at unit length, and its pivots
LANES_INLINE four_bits rows_independent(dense_lanes *d, const double *cut, int o) {
    four_bits good = four_true();
    int n = d->n, m = d->m;
    four rounding = rank_rounding(n) + FOUR_ZERO, clear = GRAM_CLEAR + FOUR_ZERO;
    four most = four_larger(rounding, at(cut, 0));
    for (int i = 0; i < m; i++)
        put(d->length, i, 1 / norm(d->A + i * (long)n * LANES, n, &good, o));
    for (int i = 0; i < m; i++) {
        put(d->R, i * (long)m + i, FOUR_ONE);
        for (int j = i + 1; j < m; j++)
            put(d->R, i * (long)m + j,
                dot(d->A + i * (long)n * LANES, d->A + j * (long)n * LANES, n, o) * at(d->length, i) *
                    at(d->length, j));
    }
    return m < 2 ? good : good & cholesky(d->R, m, four_larger(clear, 100 * most * most), d->R_inverse, o);
}

// masses are mostly those of the call before
LANES_INLINE bool same_mass(dense_lanes *d, int o) {
    four_bits same = four_true();
    for (long e = 0; e < d->n * (long)d->n; e++) {
        same &= (four_bits)at(d->M, e) == (four_bits)at(d->last, e);
        put(d->last, e, at(d->M, e));
    }
    return four_all(same);
}

LANES_INLINE four_bits factor_mass(dense_lanes *d, int o) {
    int n = d->n;
    four most = {0};
    if (same_mass(d, o))
        return at(d->definite, 0) != 0;
    four_bits good = four_true();
    for (long e = 0; e < n * (long)n; e++)
        put(d->U, e, at(d->M, e));
    for (int i = 0; i < n; i++)
        most = four_larger(most, at(d->M, i * (long)(n + 1)));
    for (int i = 0; i < n; i++)
        good &= at(d->U, i * (long)(n + 1)) > MASS_TINY * most;
    // dense.c holds quotients against that, here it is products: a little more is asked for
    good &= cholesky(d->U, n, MASS_DOUBTFUL * (1 + 1e-12) + FOUR_ZERO, d->U_inverse, o);
    put(d->definite, 0, four_flags(good));
    return good;
}

LANES_INLINE four_bits whiten(dense_lanes *d, int o) {
    int n = d->n, m = d->m;
    four_bits good = four_true();
    for (int k = 0; k < m; k++) {
        double *B_k = d->B + k * (long)n * LANES;
        for (int j = 0; j < n; j++)
            put(B_k, j, at(d->A, k * (long)n + j) * at(d->length, k));
        solve_lower(d->U, d->U_inverse, n, B_k, o);
        four size = norm(B_k, n, &good, o), over = 1 / size;
        for (int j = 0; j < n; j++)
            put(B_k, j, at(B_k, j) * over);
        put(d->fit, k, at(d->length, k) / size);
    }
    for (int i = 0; i < m; i++) {
        put(d->R, i * (long)m + i, FOUR_ONE);
        for (int j = i + 1; j < m; j++)
            put(d->R, i * (long)m + j, dot(d->B + i * (long)n * LANES, d->B + j * (long)n * LANES, n, o));
    }
    return good & cholesky(d->R, m, GRAM_CLEAR + FOUR_ZERO, d->R_inverse, o);
}

// ---- solving

LANES_INLINE void correct(dense_lanes *d, four_bits which, double *x, int o) {
    int n = d->n, m = d->m;
    for (int k = 0; k < m; k++)
        put(d->h, k, at(d->fit, k) * at(d->g, k));
    solve_lower(d->U, d->U_inverse, n, d->f, o);
    for (int k = 0; k < m; k++)
        put(d->h, k, at(d->h, k) - dot(d->B + k * (long)n * LANES, d->f, n, o));
    solve_lower(d->R, d->R_inverse, m, d->h, o);
    solve_upper(d->R, d->R_inverse, m, d->h, o);
    for (int k = 0; k < m; k++)
        add(d->f, at(d->h, k), d->B + k * (long)n * LANES, n, o);
    solve_upper(d->U, d->U_inverse, n, d->f, o);
    for (int j = 0; j < n; j++)
        put(x, j, four_choose(which, at(x, j) + 1 * at(d->f, j), at(x, j)));
    for (int k = 0; k < m; k++)
        put(d->multiplier, k, at(d->multiplier, k) + at(d->fit, k) * at(d->h, k));
}

LANES_INLINE void find_rest(dense_lanes *d, const double *x, int o) {
    int n = d->n;
    for (int j = 0; j < n; j++)
        put(d->f, j, 0 - dot(d->M + j * (long)n * LANES, x, n, o));
    for (int k = 0; k < d->m; k++) {
        const double *A_k = d->A + k * (long)n * LANES;
        add(d->f, at(d->multiplier, k), A_k, n, o);
        put(d->g, k, at(d->b, k) - dot(A_k, x, n, o));
    }
}

LANES_INLINE void solve(dense_lanes *d, const double *cut, double *x, double *fine, int o) {
    four zero = {0};
    int n = d->n, m = d->m;
    four_bits good = all_finite(d->M, n * n, o) & all_finite(d->A, m * n, o) & (at(fine, 0) != 0);
    good &= rows_independent(d, cut, o);
    good &= factor_mass(d, o);
    good &= whiten(d, o);
    for (int j = 0; j < n; j++) {
        put(x, j, zero);
        put(d->f, j, zero);
    }
    for (int k = 0; k < m; k++) {
        put(d->multiplier, k, zero);
        put(d->g, k, at(d->b, k));
    }
    four_bits which = good;
    correct(d, which, x, o);
    for (int pass = 0; pass < REFINEMENTS && four_any(which); pass++) {
        find_rest(d, x, o);
        correct(d, which, x, o);
        which &= ~(dot(d->f, d->f, n, o) <= REFINED * REFINED * dot(x, x, n, o));
    }
    put(fine, 0, four_choose(good, 1 + zero, zero));
}

#define LOOPS(name, level)                                                                                   \
    level static void name##_solve(dense_lanes *d, const double *cut, double *x, double *fine) {             \
        solve(d, cut, x, fine, 0);                                                                           \
        solve(d, cut, x, fine, 4);                                                                           \
    }

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, LANES_AVX2)
#endif

static solving *solve_here(void) {
#ifdef __x86_64__
    if (native_chosen() >= PATH_AVX2)
        return avx2_solve;
#endif
    return plain_solve;
}

// ----

static sparsity copied(arena *a, sparsity p) {
    int *start = arena_array(a, int, p.rows + 1), *to = arena_array(a, int, sparsity_entries(p) + 1);
    memcpy(start, p.start, ((size_t)p.rows + 1) * sizeof *start);
    memcpy(to, p.to, (size_t)sparsity_entries(p) * sizeof *to);
    return (sparsity){p.rows, start, to};
}

static const double *copied_scale(arena *a, const double *scale, int n) {
    double *own = scale ? arena_doubles(a, (size_t)n) : NULL;
    return own ? memcpy(own, scale, (size_t)n * sizeof *own) : NULL;
}

dense_lanes *dense_lanes_new(arena *a, int n, sparsity M, sparsity A, const double *scale) {
    int m = A.rows;
    dense_lanes *d = arena_alloc(a, sizeof *d);
    *d = (dense_lanes){.n = n,
                       .m = m,
                       .M_pattern = copied(a, M),
                       .A_pattern = copied(a, A),
                       .scale = copied_scale(a, scale, n),
                       .solve = solve_here()};
    d->M = lanes_room(a, (size_t)(n * n));
    d->last = lanes_room(a, (size_t)(n * n));
    d->definite = lanes_room(a, 1);
    d->A = lanes_room(a, (size_t)(m * n));
    d->U = lanes_room(a, (size_t)(n * n));
    d->U_inverse = lanes_room(a, (size_t)(n));
    d->B = lanes_room(a, (size_t)(m * n));
    d->length = lanes_room(a, (size_t)(m));
    d->fit = lanes_room(a, (size_t)(m));
    d->R = lanes_room(a, (size_t)(m * m));
    d->R_inverse = lanes_room(a, (size_t)(m));
    d->b = lanes_room(a, (size_t)(m));
    d->f = lanes_room(a, (size_t)(n));
    d->g = lanes_room(a, (size_t)(m));
    d->h = lanes_room(a, (size_t)(m));
    d->multiplier = lanes_room(a, (size_t)(m));
    return d;
}

// what has no entry is 0, and stays so
static void fill(sparsity p, int n, const double *values, const double *by_row, const double *by_column,
                 double *out) {
    for (int i = 0; i < p.rows; i++)
        for (int e = p.start[i]; e < p.start[i + 1]; e++) {
            double *to = out + (i * (long)n + p.to[e]) * LANES;
            double unit = by_column ? (by_row ? by_row[i] * by_column[p.to[e]] : by_column[p.to[e]]) : 1;
            for (int l = 0; l < LANES; l++)
                to[l] = by_column ? values[e * LANES + l] * unit : values[e * LANES + l];
        }
}

void dense_lanes_solve(dense_lanes *d, const double *M, const double *A, const double *residual,
                       const double *cut, double *x, double *fine) {
    fill(d->M_pattern, d->n, M, d->scale, d->scale, d->M);
    fill(d->A_pattern, d->n, A, NULL, d->scale, d->A);
    for (int i = 0; i < d->m * LANES; i++)
        d->b[i] = -residual[i];
    d->solve(d, cut, x, fine);
    for (int i = 0; d->scale && i < d->n; i++)
        for (int l = 0; l < LANES; l++)
            x[i * LANES + l] *= d->scale[i];
}
