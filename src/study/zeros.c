/* With the least order r for which m = c A^(r-1) b is not 0 (r = 0: m = d), the output stays 0 under u = -k
 * x, k = c A^r / m, for states with c x = c A x = ... = c A^(r-1) x = 0. The zeros are the eigenvalues of A -
 * b k on these: a space of dimension n - r, with an orthonormal basis Z from singular values, Z' (A - b k) Z.
 * No pencil is needed, whose infinite eigenvalues rounding would make finite ones. */
#include "study/zeros.h"

#include "linear/lapack.h"
#include "linear/linalg.h"

#include <math.h>
#include <string.h>

static const double NOTHING = 1e-10; // of a product, beside the sum of the sizes of its terms

// whether x . y is more than rounding
static bool is_there(const double *x, const double *y, int n, double *product) {
    double size = 0;
    *product = 0;
    for (int i = 0; i < n; i++) {
        *product += x[i] * y[i];
        size += fabs(x[i] * y[i]);
    }
    return fabs(*product) > NOTHING * size;
}

// y = x A, rounding left out
static void times(const double *x, const double *A, int n, double *y) {
    for (int j = 0; j < n; j++) {
        double sum = 0, size = 0;
        for (int i = 0; i < n; i++) {
            sum += x[i] * A[i * n + j];
            size += fabs(x[i] * A[i * n + j]);
        }
        y[j] = fabs(sum) > 1e-14 * size ? sum : 0;
    }
}

// rows c, c A, ..., c A^r of O, each at unit length but the last; its order r, or -1
static int order_of(int n, const double *A, const double *b, const double *c, double d, double *O,
                    double *m) {
    memcpy(O, c, (size_t)n * sizeof *O);
    *m = d;
    if (d != 0)
        return 0;
    for (int r = 1; r <= n; r++) {
        double *row = O + (size_t)(r - 1) * (size_t)n;
        bool found = is_there(row, b, n, m);
        times(row, A, n, row + n);
        if (found)
            return r;
    }
    return -1;
}

bool zeros_find(arena *a, int n, const double *A, const double *b, int stride, const double *c, double d,
                transfer_zeros *out) {
    size_t size = (size_t)n, square = size * size + 1;
    double *O = arena_doubles(a, (size + 1) * size + 1), *x = arena_doubles(a, size + 1), m;
    for (size_t i = 0; i < size; i++)
        x[i] = b[i * (size_t)stride];
    int r = order_of(n, A, x, c, d, O, &m), rest = n - r;
    *out = (transfer_zeros){.count = r < 0 ? -1 : rest, .order = r, .gain = m};
    if (r < 0 || rest == 0)
        return true;
    double *U = arena_doubles(a, square), *s = arena_doubles(a, size), *Vt = arena_doubles(a, square),
           *F = arena_doubles(a, square), *Z = arena_doubles(a, square),
           *scratch = arena_doubles(a, lapack_scratch(n));
    memcpy(F, A, size * size * sizeof *F);
    for (size_t i = 0; i < size; i++)
        linalg_add(F + i * size, -x[i] / m, O + (size_t)r * size, n);
    for (size_t i = 0; i < size; i++)
        Vt[i * size + i] = 1;
    for (int i = 0; i < r; i++)
        linalg_scale(O + (size_t)i * size, 1 / linalg_norm(O + (size_t)i * size, n), n);
    if (r > 0 && !lapack_svd(r, n, O, U, s, Vt, scratch))
        return false;
    const double *basis = Vt + (size_t)r * size; // (rest x n)
    for (int i = 0; i < rest; i++)
        for (int j = 0; j < rest; j++) {
            double sum = 0;
            for (size_t k = 0; k < size; k++)
                sum += basis[(size_t)i * size + k] * linalg_dot(F + k * size, basis + (size_t)j * size, n);
            Z[i * rest + j] = sum;
        }
    out->re = arena_doubles(a, (size_t)rest);
    out->im = arena_doubles(a, (size_t)rest);
    return lapack_eigenvalues(rest, Z, out->re, out->im, NULL, scratch);
}
