#include "linear/linalg.h"

#include <math.h>

/* v - v is 0 for a number, NaN for the rest. Few numbers are tested at each evaluation of small systems: no
 * chain of additions is longer than it has to be. */
bool linalg_finite(const double *x, int n) {
    enum { WIDE = 8 };
    double sum[WIDE] = {0};
    int j = 0;
    for (; j + WIDE <= n; j += WIDE)
        for (int l = 0; l < WIDE; l++)
            sum[l] += x[j + l] - x[j + l];
    for (int l = 0; l < n - j; l++)
        sum[l] += x[j + l] - x[j + l];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) == 0;
}

double linalg_norm_scaled(const double *x, int n) {
    double square = 0, most = 0;
    for (int j = 0; j < n; j++)
        most = fmax(most, fabs(x[j]));
    if (most == 0 || !isfinite(most))
        return most;
    for (int j = 0; j < n; j++)
        square += (x[j] / most) * (x[j] / most);
    return most * sqrt(square);
}

// row k of K, from its diagonal on, less what the rows above take: - sum over i < k of U_ik U_i
static void take_rows_above(double *K, long n, int k) {
    double *row = K + k * n + k;
    const double *U = K + k; // column k; its rest is U_i
    int i = 0;
    for (; i + 4 <= k; i += 4, U += 4 * n)
        linalg_add4(row, -U[0], -U[n], -U[2 * n], -U[3 * n], U, n, (int)n - k);
    for (; i < k; i++, U += n)
        linalg_add(row, -U[0], U, (int)n - k);
}

double linalg_cholesky(double *K, int n, double least, double *inverse) {
    double smallest = 1;
    for (int k = 0; k < n; k++) {
        double *row = K + k * (long)n, diagonal = row[k];
        take_rows_above(K, n, k);
        if (!(row[k] > least * diagonal && row[k] > 0))
            return 0;
        smallest = fmin(smallest, row[k] / diagonal);
        inverse[k] = 1 / sqrt(row[k]);
        linalg_scale(row + k, inverse[k], n - k);
    }
    return smallest;
}

void linalg_solve_lower(const double *U, const double *inverse, int n, double *x) {
    int k = 0;
    for (; k + 4 <= n; k += 4) { // four unknowns at a time, then out of the rest at once
        const double *u0 = U + k * (long)n + k, *u1 = u0 + n, *u2 = u1 + n;
        double *y = x + k;
        y[0] *= inverse[k];
        y[1] = (y[1] - u0[1] * y[0]) * inverse[k + 1];
        y[2] = (y[2] - (u0[2] * y[0] + u1[2] * y[1])) * inverse[k + 2];
        y[3] = (y[3] - (u0[3] * y[0] + u1[3] * y[1] + u2[3] * y[2])) * inverse[k + 3];
        linalg_add4(y + 4, -y[0], -y[1], -y[2], -y[3], u0 + 4, n, n - k - 4);
    }
    for (; k < n; k++) {
        x[k] *= inverse[k];
        linalg_add(x + k + 1, -x[k], U + k * (long)n + k + 1, n - k - 1);
    }
}

void linalg_solve_upper(const double *U, const double *inverse, int n, double *x) {
    for (int k = n - 1; k >= 0; k--)
        x[k] = (x[k] - linalg_dot(U + k * (long)n + k + 1, x + k + 1, n - k - 1)) * inverse[k];
}

static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}

int linalg_cholesky_pivoted(double *K, int n, double least, int *order) {
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (K[order[i] * (long)(n + 1)] > K[order[best] * (long)(n + 1)])
                best = i;
        swap(&order[k], &order[best]);
        double *row = K + order[k] * (long)n, pivot = row[order[k]];
        if (!(pivot > least))
            return k;
        linalg_scale(row, 1 / sqrt(pivot), n);
        for (int i = 0; i < k; i++)
            row[order[i]] = 0;
        for (int i = k + 1; i < n; i++) // K_rest -= u'u
            linalg_add(K + order[i] * (long)n, -row[order[i]], row, n);
    }
    return n;
}

void linalg_extend(const double *K, int n, const int *order, int rank, double *v) {
    for (int k = 0; k < rank; k++)
        v[order[k]] = 0;
    for (int k = rank - 1; k >= 0; k--) {
        const double *row = K + order[k] * (long)n;
        v[order[k]] = -linalg_dot(row, v, n) / row[order[k]];
    }
}

// Gauss with row exchanges
bool linalg_negative(double *K, int n) {
    bool negative = false;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(K[i * n + k]) > fabs(K[p * n + k]))
                p = i;
        if (K[p * n + k] == 0)
            return false;
        negative ^= (p != k) ^ (K[p * n + k] < 0);
        for (int j = k; p != k && j < n; j++) {
            double pivot = K[p * n + j];
            K[p * n + j] = K[k * n + j];
            K[k * n + j] = pivot;
        }
        for (int i = k + 1; i < n; i++)
            if (K[i * n + k] != 0)
                linalg_add(K + i * n + k, -K[i * n + k] / K[k * n + k], K + k * n + k, n - k);
    }
    return negative;
}
