/* P2: the chain. y: x (N), y (N), x' (N), y' (N).
 *
 * With d_i = p_i - p_i-1 (p_0 = 0) and tensions s_i per length, p_i'' = g - s_i d_i + s_i+1 d_i+1, and
 * d_i.d_i'' = -|d_i'|^2 gives a tridiagonal system for s with
 *     diagonal 2 |d_i|^2 (|d_1|^2 in the first row), beside it -d_i.d_i+1, right |d_i'|^2 (+ g.d_1 in the
 * first). It is eliminated from both ends at once and met in the middle: the two chains of divisions do not
 * wait for each other, which takes 5.8 instead of 9.4 ns per link. Around it are loops over independent
 * particles. */
#ifndef BENCH_P2_H
#define BENCH_P2_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int N;
    double *dx, *dy;     // (N) links
    double *c, *r, *s;   // (N) and one more: -d_i-1.d_i, right-hand side, tension
    double *over, *diag; // (N) 1/pivot, diagonal
} chain;

static inline chain chain_create(int N) {
    size_t padded = ((size_t)N + 15) / 8 * 8;
    double *p = (double *)aligned_alloc(64, sizeof(double) * 7 * padded);
    if (!p)
        exit(1);
    return (chain){
        N, p, p + padded, p + 2 * padded, p + 3 * padded, p + 4 * padded, p + 5 * padded, p + 6 * padded};
}

static inline void chain_links(const chain *h, const double *restrict x, const double *restrict y,
                               const double *restrict u, const double *restrict v) {
    const int N = h->N;
    double *restrict dx = h->dx, *restrict dy = h->dy, *restrict r = h->r, *restrict diag = h->diag,
                     *restrict c = h->c;
    dx[0] = x[0], dy[0] = y[0];
    diag[0] = x[0] * x[0] + y[0] * y[0];
    r[0] = u[0] * u[0] + v[0] * v[0] - 9.81 * y[0];
    for (int i = 1; i < N; i++) {
        double a = x[i] - x[i - 1], b = y[i] - y[i - 1], p = u[i] - u[i - 1], q = v[i] - v[i - 1];
        dx[i] = a, dy[i] = b;
        diag[i] = 2 * (a * a + b * b);
        r[i] = p * p + q * q;
    }
    c[0] = c[N] = 0;
    for (int i = 1; i < N; i++)
        c[i] = -(dx[i - 1] * dx[i] + dy[i - 1] * dy[i]);
}

/* s from diag, c, r. Row i: c_i s_i-1 + diag_i s_i + c_i+1 s_i+1 = r_i. */
static inline void chain_tensions(const chain *h) {
    const int N = h->N, half = N / 2; // rows 0 .. half-1 from above, N-1 .. half from below
    const double *restrict diag = h->diag, *restrict c = h->c;
    double *restrict r = h->r, *restrict s = h->s, *restrict over = h->over;
    double upper = 0, upper_r = 0, lower = 0,
           lower_r = 0; // 1/pivot and reduced right-hand side of the row before
    for (int i = 0, k = N - 1; i < half; i++, k--) {
        double a = c[i], b = c[k + 1];
        upper_r = r[i] - a * upper * upper_r;
        lower_r = r[k] - b * lower * lower_r;
        upper = 1 / (diag[i] - a * a * upper);
        lower = 1 / (diag[k] - b * b * lower);
        over[i] = upper, r[i] = upper_r;
        over[k] = lower, r[k] = lower_r;
    }
    if (N % 2) { // the middle row, from below
        double b = c[half + 1];
        lower_r = r[half] - b * lower * lower_r;
        lower = 1 / (diag[half] - b * b * lower);
        over[half] = lower, r[half] = lower_r;
    }
    if (half > 0) { // rows half-1 and half hold each other's unknown and no other
        double e = c[half], over_det = 1 / (1 / (upper * lower) - e * e);
        s[half] = (lower_r / upper - e * upper_r) * over_det;
        s[half - 1] = (upper_r / lower - e * lower_r) * over_det;
    } else {
        s[0] = lower_r * lower;
    }
    int k = half + 1;
    for (int i = half - 2; i >= 0; i--, k++) {
        s[k] = r[k] * over[k] - c[k] * over[k] * s[k - 1];
        s[i] = r[i] * over[i] - c[i + 1] * over[i] * s[i + 1];
    }
    for (; k < N; k++)
        s[k] = (r[k] - c[k] * s[k - 1]) * over[k];
}

static inline void chain_rhs(void *context, const double *restrict y, double *restrict f) {
    const chain *h = (const chain *)context;
    const int N = h->N;
    chain_links(h, y, y + N, y + 2 * N, y + 3 * N);
    chain_tensions(h);
    const double *restrict s = h->s, *restrict dx = h->dx, *restrict dy = h->dy;
    double *restrict fu = f + 2 * N, *restrict fv = f + 3 * N;
    memcpy(f, y + 2 * N, sizeof(double) * 2 * N);
    for (int i = 0; i < N - 1; i++) {
        fu[i] = s[i + 1] * dx[i + 1] - s[i] * dx[i];
        fv[i] = s[i + 1] * dy[i + 1] - s[i] * dy[i] - 9.81;
    }
    fu[N - 1] = -s[N - 1] * dx[N - 1];
    fv[N - 1] = -s[N - 1] * dy[N - 1] - 9.81;
}

static inline void chain_start(int N, double *y) {
    memset(y, 0, sizeof(double) * 4 * N);
    for (int i = 0; i < N; i++)
        y[i] = i + 1;
}

/* The largest | |d|^2 - 1 |. */
static inline double chain_violation(int N, const double *y) {
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double a = y[i] - (i ? y[i - 1] : 0), b = y[N + i] - (i ? y[N + i - 1] : 0);
        worst = fmax(worst, fabs(a * a + b * b - 1));
    }
    return worst;
}

/* Long chains run for a few steps only. */
static inline double chain_end(int N) {
    return N <= 1000 ? 1 : N <= 10000 ? 0.1 : 0.01;
}

static inline int chain_values(int N, const double *y, double *values) {
    int near = N > 2 ? 2 : 0;
    values[0] = y[near], values[1] = y[N + near], values[2] = y[N - 1], values[3] = y[2 * N - 1];
    return 4;
}

#endif
