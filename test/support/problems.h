/* Constrained systems M, Q, A, b as full matrices, with their solution in 113 bits, and checks of a solution
 * by its definition: what tests of the solvers share. */
#ifndef TRAMMEL_TEST_SUPPORT_PROBLEMS_H
#define TRAMMEL_TEST_SUPPORT_PROBLEMS_H

#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    int n, m;
    double M[MOST * MOST], A[MOST * MOST], Q[MOST], b[MOST];
    bool redundant[MOST];      // the row was made from others
    double origin[MOST][MOST]; // a redundant row i at unit scale = sum of origin[i][j] * row j at unit scale
    double row_scale[MOST];    // of row i as written
    double x[MOST], force[MOST]; // of the reference
} problem;

/* ---- making problems ---- */

// M = sum of 10^(-span k/(n-1)) v_k v_k' over the first `rank` vectors of a random orthonormal set
static inline void make_mass(dice *d, problem *p, double span, int rank) {
    int n = p->n;
    static double v[MOST][MOST];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            v[k][i] = normal(d);
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < k; l++) {
                double f = 0;
                for (int i = 0; i < n; i++)
                    f += v[k][i] * v[l][i];
                for (int i = 0; i < n; i++)
                    v[k][i] -= f * v[l][i];
            }
        double s = 0;
        for (int i = 0; i < n; i++)
            s += v[k][i] * v[k][i];
        for (int i = 0; i < n; i++)
            v[k][i] /= sqrt(s);
    }
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                p->M[i * n + j] += pow(10, -span * k / (n > 1 ? n - 1 : 1)) * (v[k][i] * v[k][j]);
}

// masses D M D with D over 10^+-span
static inline void spread_mass(dice *d, problem *p, double span) {
    double s[MOST];
    for (int i = 0; i < p->n; i++)
        s[i] = decades(d, span);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            p->M[i * p->n + j] *= s[i] * s[j];
}

static inline void drop_mass(problem *p, int coordinate) {
    for (int j = 0; j < p->n; j++)
        p->M[coordinate * p->n + j] = p->M[j * p->n + coordinate] = 0;
}

// row i <- sum of random multiples of up to `terms` of the rows before `first`
static inline void make_redundant(dice *d, problem *p, int i, int first, int terms) {
    p->redundant[i] = true;
    memset(p->A + i * p->n, 0, (size_t)p->n * sizeof(double));
    for (int t = 0; t < terms; t++) {
        int from = (i + t) % first;
        double f = terms == 1 ? 1 : normal(d);
        p->origin[i][from] += f;
        for (int j = 0; j < p->n; j++)
            p->A[i * p->n + j] += f * p->A[from * p->n + j];
    }
}

static inline void scale_rows(dice *d, problem *p, double span) {
    for (int i = 0; i < p->m; i++) {
        p->row_scale[i] = decades(d, span);
        for (int j = 0; j < p->n; j++)
            p->A[i * p->n + j] *= p->row_scale[i];
    }
}

// b = A x for a random x, rounded once
static inline void make_b(dice *d, problem *p) {
    double x[MOST];
    for (int j = 0; j < p->n; j++)
        x[j] = normal(d);
    for (int i = 0; i < p->m; i++) {
        real s = 0;
        for (int j = 0; j < p->n; j++)
            s += (real)p->A[i * p->n + j] * x[j];
        p->b[i] = (double)s;
    }
}

static inline void start(dice *d, problem *p, int n, int m) {
    memset(p, 0, sizeof *p);
    p->n = n;
    p->m = m;
    for (int i = 0; i < m; i++) {
        p->row_scale[i] = 1;
        for (int j = 0; j < n; j++)
            p->A[i * n + j] = normal(d);
    }
    for (int j = 0; j < n; j++)
        p->Q[j] = normal(d);
}

/* The KKT equations M x - A'l = Q, A x = b of the rows that are not redundant, by elimination. Returns the
 * smallest pivot, rows and columns equilibrated: a condition number's inverse, roughly. */
static inline double reference(problem *p) {
    static real K[MOST][MOST];
    int n = p->n, N = n, unknown[MOST];
    real s[MOST];
    memset(K, 0, sizeof K);
    for (int i = 0; i < n; i++)
        s[i] = p->M[i * n + i] > 0 ? 1 / real_sqrt(p->M[i * n + i]) : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[i][j] = s[i] * s[j] * p->M[i * n + j];
    for (int i = 0; i < p->m; i++) {
        if (p->redundant[i])
            continue;
        real norm = 0;
        for (int j = 0; j < n; j++)
            norm += s[j] * s[j] * p->A[i * n + j] * p->A[i * n + j];
        s[N] = 1 / real_sqrt(norm);
        for (int j = 0; j < n; j++) {
            K[N][j] = s[N] * s[j] * p->A[i * n + j];
            K[j][N] = -K[N][j];
        }
        N++;
    }
    for (int i = 0, k = n; i < N; i++)
        if (i < n)
            K[i][N] = s[i] * p->Q[i];
        else {
            while (p->redundant[k - n])
                k++;
            K[i][N] = s[i] * p->b[k++ - n];
        }
    static real L[MOST][MOST];
    memcpy(L, K, sizeof L);
    double least = 1;
    while (least > 1e-28 && exact_reduce(L, N, N + 1, N, least, unknown) < N) {
        least /= 4;
        memcpy(L, K, sizeof L);
    }
    real x[MOST] = {0};
    for (int i = 0; i < N; i++)
        if (unknown[i] < n)
            x[unknown[i]] = s[unknown[i]] * L[i][N];
    for (int i = 0; i < n; i++) {
        real f = -(real)p->Q[i];
        for (int j = 0; j < n; j++)
            f += p->M[i * n + j] * x[j];
        p->x[i] = (double)x[i];
        p->force[i] = (double)f;
    }
    return least;
}

/* ---- checks by definition ---- */

static inline double length(const double *x, int n) {
    double s = 0;
    for (int j = 0; j < n; j++)
        s += x[j] * x[j];
    return sqrt(s);
}

static inline double distance(const double *x, const double *y, int n) {
    double s = 0;
    for (int j = 0; j < n; j++)
        s += (x[j] - y[j]) * (x[j] - y[j]);
    return sqrt(s);
}

// the largest |A_i x - b_i| / (|A_i| |x| + |b_i|)
static inline double row_residual(const problem *p, const double *x) {
    double worst = 0;
    for (int i = 0; i < p->m; i++) {
        real s = -(real)p->b[i];
        for (int j = 0; j < p->n; j++)
            s += (real)p->A[i * p->n + j] * x[j];
        double size = length(p->A + i * p->n, p->n) * length(x, p->n) + fabs(p->b[i]);
        worst = fmax(worst, size > 0 ? (double)real_abs(s) / size : 0);
    }
    return worst;
}

// M x - Q, with the size of its terms
static inline void inertia(const problem *p, const double *x, const double *Q, real *f, double *size) {
    for (int i = 0; i < p->n; i++) {
        f[i] = -(real)Q[i];
        size[i] = fabs(Q[i]);
        for (int j = 0; j < p->n; j++) {
            f[i] += (real)p->M[i * p->n + j] * x[j];
            size[i] += fabs(p->M[i * p->n + j] * x[j]);
        }
    }
}

// v'(M x - Q) = v'C for all v with A v = 0, and x'Mx - 2x'(Q + C) is nowhere less
static inline void check_minimum(dice *d, const problem *p, const double *x, const double *C) {
    static real v[MOST][MOST];
    real f[MOST];
    double size[MOST];
    int free = exact_null_space(p->A, p->m, p->n, v), n = p->n;
    inertia(p, x, p->Q, f, size);
    for (int l = 0; l < free; l++) {
        real work = 0, scale = 0;
        for (int j = 0; j < n; j++) {
            work += v[l][j] * (f[j] - C[j]);
            scale += real_abs(v[l][j]) * (size[j] + fabs(C[j]));
        }
        assert_true(real_abs(work) <= 1e-13 * scale);
    }
    for (int other = 0; other < 50 && free > 0; other++) {
        real w[MOST] = {0}, change = 0, scale = 0;
        for (int l = 0; l < free; l++) {
            real t = normal(d) * decades(d, 3);
            for (int j = 0; j < n; j++)
                w[j] += t * v[l][j];
        }
        for (int i = 0; i < n; i++) {
            change += 2 * w[i] * (f[i] - C[i]);
            scale += real_abs(w[i]) * (size[i] + fabs(C[i]));
            for (int j = 0; j < n; j++)
                change += w[i] * p->M[i * n + j] * w[j];
        }
        assert_true(change >= -1e-13 * scale);
    }
}

// A'multiplier = force, to rounding of its terms
static inline void check_force(const problem *p, const double *x, const double *Q, const double *multiplier) {
    real f[MOST];
    double size[MOST], total = 0;
    inertia(p, x, Q, f, size);
    for (int i = 0; i < p->m; i++)
        total += length(p->A + i * p->n, p->n) * fabs(multiplier[i]);
    for (int j = 0; j < p->n; j++) {
        real off = f[j];
        for (int i = 0; i < p->m; i++)
            off -= (real)p->A[i * p->n + j] * multiplier[i];
        assert_true(real_abs(off) <= 2e-14 * (size[j] + total));
    }
}

// least norm: orthogonal to the left null vectors e_i - sum of origin_ij e_j
static inline void check_least_norm(const problem *p, const double *multiplier) {
    for (int i = 0; i < p->m; i++) {
        if (!p->redundant[i])
            continue;
        double y[MOST] = {0}, s = multiplier[i];
        y[i] = 1;
        for (int j = 0; j < p->m; j++)
            if (p->origin[i][j] != 0) {
                y[j] = -p->origin[i][j] * p->row_scale[i] / p->row_scale[j];
                s += y[j] * multiplier[j];
            }
        assert_true(fabs(s) <= 1e-11 * length(y, p->m) * length(multiplier, p->m));
    }
}

static inline int count_redundant(const problem *p) {
    int count = 0;
    for (int i = 0; i < p->m; i++)
        count += p->redundant[i];
    return count;
}

// rotation by a quaternion u: M = 4 E'JE has the null direction u (002 section 4)
static inline void quaternion_mass(const double *u, const double *J, double *M) {
    double E[3][4] = {{-u[1], u[0], u[3], -u[2]}, {-u[2], -u[3], u[0], u[1]}, {-u[3], u[2], -u[1], u[0]}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            M[i * 4 + j] = 0;
            for (int k = 0; k < 3; k++)
                M[i * 4 + j] += 4 * J[k] * (E[k][i] * E[k][j]);
        }
}

#endif
