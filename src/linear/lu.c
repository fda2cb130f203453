#include "linear/lu.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

static void swap_rows(double *K, int n, int a, int b) {
    for (int j = 0; j < n; j++) {
        double keep = K[a * n + j];
        K[a * n + j] = K[b * n + j];
        K[b * n + j] = keep;
    }
}

static double larger(double a, double b) { // as fmax, without a call
    return a > b ? a : b;
}

// the reciprocal of the largest entry of each row, and the largest entry of each column of the rows so scaled
static void measure(const double *K, int n, double *row, double *column) {
    memset(column, 0, (size_t)n * sizeof *column);
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++)
            largest = larger(fabs(K[i * n + j]), largest);
        row[i] = largest > 0 ? 1 / largest : 0;
        for (int j = 0; j < n; j++)
            column[j] = larger(fabs(K[i * n + j]) * row[i], column[j]);
    }
}

// the row below k with the largest entry in column k, each row measured by its own size
static int pivot_row(const double *K, int n, int k, const double *row) {
    int p = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(K[i * n + k]) * row[i] > fabs(K[p * n + k]) * row[p])
            p = i;
    return p;
}

int lu_factor(double *K, int n, int *pivot, double *work, int *sign) {
    double *row = work, *column = work + n;
    measure(K, n, row, column);
    *sign = 1;
    for (int k = 0; k < n; k++) {
        int p = pivot_row(K, n, k, row);
        if (!(fabs(K[p * n + k]) * row[p] > 1e-13 * column[k]))
            return k;
        pivot[k] = p;
        if (p != k) {
            swap_rows(K, n, p, k);
            row[p] = row[k];
            *sign = -*sign;
        }
        if (K[k * n + k] < 0)
            *sign = -*sign;
        K[k * n + k] = 1 / K[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double f = K[i * n + k] *= K[k * n + k];
            linalg_add(K + i * n + k + 1, -f, K + k * n + k + 1, n - k - 1);
        }
    }
    return -1;
}

void lu_solve(const double *K, int n, const int *pivot, double *x) {
    for (int k = 0; k < n; k++) {
        double keep = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = keep;
    }
    for (int i = 0; i < n; i++)
        x[i] -= linalg_dot(K + i * n, x, i);
    for (int i = n - 1; i >= 0; i--)
        x[i] = (x[i] - linalg_dot(K + i * n + i + 1, x + i + 1, n - i - 1)) * K[i * n + i];
}

void lu_solve_transposed(const double *K, int n, const int *pivot, double *x) {
    for (int i = 0; i < n; i++) {
        x[i] *= K[i * n + i];
        linalg_add(x + i + 1, -x[i], K + i * n + i + 1, n - i - 1);
    }
    for (int i = n - 1; i >= 0; i--)
        linalg_add(x, -x[i], K + i * n, i);
    for (int k = n - 1; k >= 0; k--) {
        double keep = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = keep;
    }
}
