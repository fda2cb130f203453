/* Singular values by rotations of pairs of columns until all are orthogonal (Hestenes; Demmel, Veselic, SIAM
 * J. Matrix Anal. 13 (1992) 1204): X V = U diag(s). */
#include "linear/eigen.h"
#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

// columns p and q of A (rows x n) turn by an angle
static void turn(double *A, int rows, int n, int p, int q, double c, double s) {
    for (int i = 0; i < rows; i++) {
        double x = A[i * n + p], y = A[i * n + q];
        A[i * n + p] = c * x - s * y;
        A[i * n + q] = s * x + c * y;
    }
}

// rows p and q of Vt likewise
static void turn_rows(double *Vt, int n, int p, int q, double c, double s) {
    for (int i = 0; i < n; i++) {
        double x = Vt[p * n + i], y = Vt[q * n + i];
        Vt[p * n + i] = c * x - s * y;
        Vt[q * n + i] = s * x + c * y;
    }
}

// makes columns p and q orthogonal; whether they were not. Those that are shorter than `least` are rounding
static bool rotate(int m, int n, double *X, double *Vt, int p, int q, double least) {
    double a = 0, b = 0, d = 0;
    for (int i = 0; i < m; i++) {
        a += X[i * n + p] * X[i * n + p];
        b += X[i * n + q] * X[i * n + q];
        d += X[i * n + p] * X[i * n + q];
    }
    if (!(fabs(d) > DBL_EPSILON * m * sqrt(a * b)) || sqrt(fmin(a, b)) <= least)
        return false;
    double zeta = (b - a) / (2 * d), t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
    double c = 1 / hypot(1, t);
    turn(X, m, n, p, q, c, c * t);
    turn_rows(Vt, n, p, q, c, c * t);
    return true;
}

static double column_norm(int m, int n, const double *X, int j) {
    double most = 0, sum = 0;
    for (int i = 0; i < m; i++)
        most = fmax(most, fabs(X[i * n + j]));
    for (int i = 0; i < m && most > 0; i++)
        sum += X[i * n + j] / most * (X[i * n + j] / most);
    return most * sqrt(sum);
}

static void swap(double *x, double *y) {
    double z = *x;
    *x = *y;
    *y = z;
}

// the largest first
static void sort(int m, int n, double *X, double *Vt, double *norm) {
    for (int k = 0; k < n; k++) {
        int most = k;
        for (int j = k + 1; j < n; j++)
            most = norm[j] > norm[most] ? j : most;
        swap(&norm[k], &norm[most]);
        for (int i = 0; i < m; i++)
            swap(&X[i * n + k], &X[i * n + most]);
        for (int i = 0; i < n; i++)
            swap(&Vt[k * n + i], &Vt[most * n + i]);
    }
}

/* Column j of U (m x k) becomes a unit vector that is orthogonal to those before: of a singular value that is
 * rounding beside the largest, any one. */
static void complete(int m, int k, double *U, int j) {
    for (int unit = 0; unit < m; unit++) {
        for (int i = 0; i < m; i++)
            U[i * k + j] = i == unit;
        for (int again = 0; again < 2; again++)
            for (int l = 0; l < j; l++) {
                double sum = 0;
                for (int i = 0; i < m; i++)
                    sum += U[i * k + l] * U[i * k + j];
                for (int i = 0; i < m; i++)
                    U[i * k + j] -= sum * U[i * k + l];
            }
        double length = column_norm(m, k, U, j);
        for (int i = 0; i < m; i++)
            U[i * k + j] /= length;
        if (length > 0.5 / sqrt(m))
            return;
    }
}

bool eigen_svd(int m, int n, double *X, double *U, double *s, double *Vt, double *scratch) {
    enum { SWEEPS = 60 };
    int k = m < n ? m : n, sweep = 0;
    for (int i = 0; i < n * n; i++)
        Vt[i] = i % (n + 1) == 0;
    if (!linalg_finite(X, m * n))
        return false;
    double least = DBL_EPSILON * (m + n) * linalg_norm(X, m * n);
    for (bool turned = true; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                turned |= rotate(m, n, X, Vt, p, q, least);
    }
    for (int j = 0; j < n; j++)
        scratch[j] = column_norm(m, n, X, j);
    sort(m, n, X, Vt, scratch);
    for (int j = 0; j < k; j++) {
        s[j] = scratch[j];
        for (int i = 0; i < m; i++)
            U[i * k + j] = s[j] > 0 ? X[i * n + j] / s[j] : 0;
        if (!(s[j] > least))
            complete(m, k, U, j);
    }
    return sweep < SWEEPS;
}
