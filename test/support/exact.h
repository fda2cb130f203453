/* Reference arithmetic for the tests of the solvers: 113-bit numbers, Gauss-Jordan with complete pivoting.
 * Shares nothing with the code under test. */
#ifndef TRAMMEL_TEST_SOLVE_EXACT_H
#define TRAMMEL_TEST_SOLVE_EXACT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef __float128 real;

enum { MOST = 64 }; // of unknowns in one system

static inline real real_abs(real x) {
    return x < 0 ? -x : x;
}

static inline real real_sqrt(real x) {
    if (x <= 0)
        return 0;
    real y = sqrtl((long double)x);
    return (y + x / y) / 2;
}

// Brings K (rows x columns, stride MOST) to reduced form; the unknown of row i (i < rank) goes to unknown[i].
// At most `unknowns` columns are eliminated, the others are right-hand sides. Stops at pivots of at most
// least.
static inline int exact_reduce(real K[][MOST], int rows, int columns, int unknowns, real least,
                               int *unknown) {
    int rank = 0;
    for (; rank < rows; rank++) {
        int p = -1, q = -1;
        real most = least;
        for (int i = rank; i < rows; i++)
            for (int j = 0; j < unknowns; j++)
                if (real_abs(K[i][j]) > most) {
                    most = real_abs(K[i][j]);
                    p = i;
                    q = j;
                }
        if (p < 0)
            break;
        for (int j = 0; j < columns; j++) {
            real t = K[p][j];
            K[p][j] = K[rank][j];
            K[rank][j] = t;
        }
        unknown[rank] = q;
        real pivot = K[rank][q];
        for (int j = 0; j < columns; j++)
            K[rank][j] /= pivot;
        for (int i = 0; i < rows; i++) {
            real f = K[i][q];
            if (i == rank || f == 0)
                continue;
            for (int j = 0; j < columns; j++)
                K[i][j] -= f * K[rank][j];
            K[i][q] = 0;
        }
    }
    return rank;
}

// an orthonormal basis v (count x n) of all v with A v = 0; pivots of rows at unit length decide rank
static inline int exact_null_space(const double *A, int m, int n, real v[][MOST]) {
    static real K[MOST][MOST];
    int unknown[MOST], count = 0;
    for (int i = 0; i < m; i++) {
        real s = 0;
        for (int j = 0; j < n; j++)
            s += (real)A[i * n + j] * A[i * n + j];
        s = s > 0 ? 1 / real_sqrt(s) : 1;
        for (int j = 0; j < n; j++)
            K[i][j] = A[i * n + j] * s;
    }
    int rank = exact_reduce(K, m, n, n, 1e-10, unknown);
    for (int q = 0; q < n; q++) {
        int used = 0;
        for (int i = 0; i < rank; i++)
            used |= unknown[i] == q;
        if (used)
            continue;
        memset(v[count], 0, sizeof v[count]);
        v[count][q] = 1;
        for (int i = 0; i < rank; i++)
            v[count][unknown[i]] = -K[i][q];
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < count; l++) {
                real f = 0;
                for (int j = 0; j < n; j++)
                    f += v[l][j] * v[count][j];
                for (int j = 0; j < n; j++)
                    v[count][j] -= f * v[l][j];
            }
        real s = 0;
        for (int j = 0; j < n; j++)
            s += v[count][j] * v[count][j];
        for (int j = 0; j < n; j++)
            v[count][j] /= real_sqrt(s);
        count++;
    }
    return count;
}

/* ---- random numbers ---- */

typedef struct {
    uint64_t state;
} dice;

static inline double uniform(dice *d) { // in [0, 1)
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (double)(d->state >> 11) * 0x1p-53;
}

static inline double normal(dice *d) {
    return sqrt(-2 * log(uniform(d) + 1e-300)) * cos(6.283185307179586 * uniform(d));
}

static inline int below(dice *d, int n) { // 0 .. n - 1
    return (int)(uniform(d) * n);
}

static inline double decades(dice *d, double span) { // 10^(-span .. span)
    return pow(10, span * (2 * uniform(d) - 1));
}

#endif
