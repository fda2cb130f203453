/* Small dense kernels shared by the solvers. Row-major, upper triangles, every inner loop over a contiguous
 * row. Nothing here allocates. */
#ifndef TRAMMEL_LINEAR_LINALG_H
#define TRAMMEL_LINEAR_LINALG_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

// x'y; four sums, so that the additions need not wait for each other
static inline double linalg_dot(const double *x, const double *y, int n) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        s0 += x[j] * y[j];
        s1 += x[j + 1] * y[j + 1];
        s2 += x[j + 2] * y[j + 2];
        s3 += x[j + 3] * y[j + 3];
    }
    for (; j < n; j++)
        s0 += x[j] * y[j];
    return (s0 + s2) + (s1 + s3);
}

// y += f x
static inline void linalg_add(double *restrict y, double f, const double *restrict x, int n) {
    for (int j = 0; j < n; j++)
        y[j] += f * x[j];
}

// y += f_0 x_0 + .. + f_3 x_3, for four rows x of the given stride: y is read and written once, not four
// times
static inline void linalg_add4(double *restrict y, double f0, double f1, double f2, double f3,
                               const double *restrict x, long stride, int n) {
    const double *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    for (int j = 0; j < n; j++)
        y[j] += (f0 * x[j] + f1 * x1[j]) + (f2 * x2[j] + f3 * x3[j]);
}

static inline void linalg_scale(double *x, double f, int n) {
    for (int j = 0; j < n; j++)
        x[j] *= f;
}

bool linalg_finite(const double *x, int n); // no infinity, no NaN

/* to <- from, and whether that is finite, for vectors of small systems: there a call takes longer than the
 * work. Two numbers at a time, an odd one first, which leaves a loop of five instructions. The two vectors
 * are apart, or the same. */
enum { LINALG_FEW = 40 };
typedef double linalg_pair __attribute__((vector_size(2 * sizeof(double)), aligned(8), may_alias));

static inline void linalg_copy(double *to, const double *from, int n) {
    long j = n & 1;
    if (n > LINALG_FEW) {
        memmove(to, from, (size_t)n * sizeof *to);
        return;
    }
    if (j)
        *to = *from;
    for (; j < n; j += 2)
        *(linalg_pair *)(to + j) = *(const linalg_pair *)(from + j);
}

static inline bool linalg_all_finite(const double *x, int n) {
    linalg_pair off = {0};
    long j = n & 1;
    if (n > LINALG_FEW)
        return linalg_finite(x, n);
    if (j)
        off[0] = *x - *x;
    for (; j < n; j += 2) {
        linalg_pair v = *(const linalg_pair *)(x + j);
        off += v - v;
    }
    return off[0] + off[1] == 0;
}

double linalg_norm_scaled(const double *x, int n); // the same for very large or small numbers

// Euclidean; neither overflows nor underflows on the way
static inline double linalg_norm(const double *x, int n) {
    double square = linalg_dot(x, x, n);
    return square > 1e-280 && square < 1e280 ? sqrt(square) : linalg_norm_scaled(x, n);
}

/* K = U'U in place of the upper triangle of K (n x n), with inverse (n) the reciprocals of U's diagonal.
 * Returns the smallest pivot, each relative to its own diagonal entry of K (1 for n = 0); 0 as soon as one is
 * at most least, and K is spoiled then. n^3/3 operations. */
double linalg_cholesky(double *K, int n, double least, double *inverse);

void linalg_solve_lower(const double *U, const double *inverse, int n, double *x); // x <- U'^-1 x
void linalg_solve_upper(const double *U, const double *inverse, int n, double *x); // x <- U^-1 x

/* Cholesky with diagonal pivoting, for symmetric K (n x n, both triangles) that may be singular or
 * indefinite. Goes on while a pivot exceeds least; returns their number. Row order[k] of K then holds row k
 * of U, with zeros at the columns order[0..k-1]; rows and columns that were not chosen hold what remains of K
 * (its Schur complement). order (n) lists the chosen ones first, then the others. */
int linalg_cholesky_pivoted(double *K, int n, double least, int *order);

/* After it: extends v (n), given at the columns that were not chosen, to the others so that U v = 0. So v'K v
 * is that of what remains. */
void linalg_extend(const double *K, int n, const int *order, int rank, double *v);

/* Whether the determinant of K (n x n) is negative; destroys K. */
bool linalg_negative(double *K, int n);

#endif
