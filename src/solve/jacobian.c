/* The Jacobian of q'' = x(q, v), from the expressions. The equations M x - Q - A'l = 0, A x - b = 0 hold for
 * all q and v, so with z any one of these
 *
 *     M dx/dz - A' dl/dz = -d(M x - Q - A'l)/dz,   A dx/dz = -d(A x - b)/dz     (right: at constant x and l)
 *
 * which is the system that solve_acceleration factored, with 2n right-hand sides. A row that was dropped as
 * dependent has l = 0 and stays dropped. */
#include "solve/solve_inside.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

// the equations of n coordinates that change with each, to as many columns of dx/dz
static void solve_columns(const trm_system *sys, trm_state *st, const double *slopes, double *out,
                          int stride) {
    int n = sys->n, size = n + sys->m;
    double *x = st->scratch, *b = x + n, *multiplier = b + sys->m, *column = multiplier + sys->m;
    for (int j = 0; j < n; j++) {
        memset(column, 0, (size_t)size * sizeof *column);
        row_add(sys->slope_pattern, slopes, j, 1, column);
        for (int k = 0; k < sys->all.rows; k++)
            b[k] = column[n + sys->solved_rows[k]] * sys->row_scale[k];
        solver_solve(st->solver, column, b, x, multiplier);
        for (int i = 0; i < n; i++)
            out[(size_t)i * (size_t)stride + (size_t)j] = -x[i];
    }
}

// what rows that stand still ask for beside this state
static void leave_out_still(const trm_system *sys, double *slopes) {
    for (int e = 0; e < sparsity_entries(sys->slope_pattern); e++) {
        int row = sys->slope_pattern.to[e] - sys->n;
        if (row >= 0 && sys->rows[row].velocity >= 0)
            slopes[e] = 0;
    }
}

bool solve_slopes(const trm_system *sys, trm_state *st) {
    if (st->direct) { // its factors were not asked for
        solve_only_factor(sys, st);
        st->direct = false;
    }
    int size = sys->stages[STAGE_JACOBIAN].y_size;
    double *y = st->y[STAGE_JACOBIAN];
    solve_put_found(sys, st);
    state_run(sys, st, STAGE_JACOBIAN);
    bool finite = linalg_finite(y, size);
    for (int i = 0; i < size && !finite; i++)
        y[i] = isfinite(y[i]) ? y[i] : 0;
    for (int k = 0; k < 2 && st->still; k++)
        leave_out_still(sys, y + k * sparsity_entries(sys->slope_pattern));
    return finite;
}

bool solve_jacobian(const trm_system *sys, trm_state *st, double *by_q, double *by_v, int stride) {
    bool finite = solve_slopes(sys, st);
    const double *y = st->y[STAGE_JACOBIAN];
    solve_columns(sys, st, y, by_q, stride);
    solve_columns(sys, st, y + sparsity_entries(sys->slope_pattern), by_v, stride);
    return finite;
}

/* A correction e of the positions changes the velocities of the next step by (stretch of stiff springs) /
 * gamma; in the metric M + (g D + g^2 K) with g = gamma that is still as large as e / (gamma w)^3, w the
 * frequency. Steps at tolerance 1e-6, 1e-8, 1e-10 of a pendulum that drags a mass on a spring, w = 1e4: with
 * M 6115, 25960, -; with g = gamma 515, 1787, 9239; 3 gamma 509, 1359, 2310; 10 gamma 487, 1192, 2173; 100
 * gamma 501, 1140, 2118. */
static const double EMPHASIS = 10;

// sums <- slopes + their transposed
static void add_across(const trm_system *sys, const stiff_metric *f, const double *slopes, double *sums) {
    memset(sums, 0, (size_t)sparsity_entries(f->pattern) * sizeof *sums);
    for (int e = 0; e < sparsity_entries(sys->slope_pattern); e++)
        if (f->of_slope[e] >= 0) {
            sums[f->of_slope[e]] += slopes[e];
            sums[f->across[e]] += slopes[e];
        }
}

// M + stiffness, in f->M
static bool is_definite(const trm_system *sys, trm_state *st, const stiff_metric *f) {
    size_t n = (size_t)sys->n;
    memcpy(f->M, f->stiffness, (size_t)sparsity_entries(f->pattern) * sizeof *f->M);
    for (int e = 0; e < sparsity_entries(sys->M); e++)
        f->M[f->of_mass[e]] += st->M[e];
    if (f->alone) // without rows: one that is singular is not determined
        return solver_factor(f->alone, f->M, NULL, 0) == DENSE_OK;
    memcpy(st->scratch, f->M, n * n * sizeof *f->M);
    return linalg_cholesky(st->scratch, sys->n, 1e-12, st->scratch + n * n) > 0;
}

void solve_stiffness(const trm_system *sys, trm_state *st, double gamma) {
    const stiff_metric *f = st->stiff;
    const double *K = st->y[STAGE_JACOBIAN], *D = K + sparsity_entries(sys->slope_pattern);
    double g = EMPHASIS * gamma;
    add_across(sys, f, K, f->stiffness);
    add_across(sys, f, D, f->M);
    for (int e = 0; e < sparsity_entries(f->pattern); e++)
        f->stiffness[e] = g / 2 * (f->M[e] + g * f->stiffness[e]);
    if (!is_definite(sys, st, f)) // symmetric parts need not be
        memset(f->stiffness, 0, (size_t)sparsity_entries(f->pattern) * sizeof *f->stiffness);
}
