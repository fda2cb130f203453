/* Quasi-velocities s = G(q, t) v + g(q, t): velocities from them, and their rates (000 eqs. 2.1-2.4, 3.10). G
 * is factored by LU with partial pivoting, n^3/3 operations. */
#include "solve/system.h"

#include "solve/linalg.h"

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

// -1, or the column in which no pivot is left that exceeds rounding; units of rows and columns do not matter.
// The diagonal of K becomes that of U's reciprocals.
static int factor(double *K, int n, int *pivot, double *row, double *column, int *sign) {
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

static void back_substitute(const double *K, int n, const int *pivot, double *x) {
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

// G at the state in x, and its factors
static solve_status factor_quasi(const trm_system *sys, trm_state *st) {
    int n = sys->n;
    state_run(sys, st, STAGE_QUASI);
    memcpy(st->G, st->y[STAGE_QUASI], (size_t)(n * n) * sizeof(double));
    st->culprit = factor(st->G, n, st->pivot, st->scratch, st->scratch + n, &st->quasi_sign);
    return st->culprit >= 0 ? SOLVE_SINGULAR_QUASI : SOLVE_OK;
}

solve_status solve_quasi_inverse(const trm_system *sys, trm_state *st, double *H) {
    int n = sys->n;
    double *column = st->scratch + 2 * n;
    if (factor_quasi(sys, st) != SOLVE_OK)
        return SOLVE_SINGULAR_QUASI;
    for (int j = 0; j < n; j++) {
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = 1;
        back_substitute(st->G, n, st->pivot, column);
        for (int i = 0; i < n; i++)
            H[i * n + j] = column[i];
    }
    return SOLVE_OK;
}

solve_status solve_velocities(const trm_system *sys, trm_state *st, double t, const double *q,
                              const double *s, double *v) {
    int n = sys->n;
    const double *g = st->y[STAGE_QUASI] + n * n + n;
    state_set(sys, st, t, q, NULL);
    if (factor_quasi(sys, st) != SOLVE_OK)
        return SOLVE_SINGULAR_QUASI;
    for (int i = 0; i < n; i++)
        v[i] = s[i] - g[i];
    back_substitute(st->G, n, st->pivot, v);
    return SOLVE_OK;
}

void solve_quasi(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                 double *s) {
    state_set(sys, st, t, q, v);
    state_run(sys, st, STAGE_QUASI);
    memcpy(s, st->y[STAGE_QUASI] + sys->n * sys->n, (size_t)sys->n * sizeof(double));
}

void solve_quasi_rate(const trm_system *sys, trm_state *st, double *sdot) {
    int n = sys->n;
    state_run(sys, st, STAGE_QUASI);
    const double *G = st->y[STAGE_QUASI], *rate = G + n * n + 2 * n;
    for (int i = 0; i < n; i++)
        sdot[i] = linalg_dot(G + i * n, st->qdd, n) + rate[i];
}

void solve_velocity_change(const trm_system *sys, trm_state *st, const double *ds, double *dv) {
    memcpy(dv, ds, (size_t)sys->n * sizeof *dv);
    back_substitute(st->G, sys->n, st->pivot, dv);
}

void solve_quasi_change(const trm_system *sys, const trm_state *st, const double *dv, double *ds) {
    const double *G = st->y[STAGE_QUASI];
    for (int i = 0; i < sys->n; i++)
        ds[i] = linalg_dot(G + i * sys->n, dv, sys->n);
}
