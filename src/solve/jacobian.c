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

// n columns of the stage's output to as many columns of dx/dz
static void solve_columns(const trm_system *sys, trm_state *st, const double *columns, double *out,
                          int stride) {
    int n = sys->n, size = n + sys->m;
    double *x = st->scratch, *b = x + n, *multiplier = b + sys->m;
    for (int j = 0; j < n; j++) {
        const double *column = columns + (size_t)j * (size_t)size;
        for (int k = 0; k < sys->all.rows; k++)
            b[k] = column[n + sys->solved_rows[k]] * sys->row_scale[k];
        solver_solve(st->solver, column, b, x, multiplier);
        for (int i = 0; i < n; i++)
            out[(size_t)i * (size_t)stride + (size_t)j] = -x[i];
    }
}

bool solve_jacobian(const trm_system *sys, trm_state *st, double *by_q, double *by_v, int stride) {
    if (st->direct) { // its factors were not asked for
        solve_only_factor(sys, st);
        st->direct = false;
    }
    int n = sys->n, m = sys->m, size = sys->stages[STAGE_JACOBIAN].y_size;
    double *y = st->y[STAGE_JACOBIAN];
    solve_put_found(sys, st);
    state_run(sys, st, STAGE_JACOBIAN);
    bool finite = linalg_finite(y, size);
    for (int i = 0; i < size && !finite; i++)
        y[i] = isfinite(y[i]) ? y[i] : 0;
    for (int i = 0; i < m && st->still; i++)
        for (int j = 0; j < 2 * n && sys->rows[i].velocity >= 0; j++)
            y[(size_t)j * (size_t)(n + m) + (size_t)(n + i)] = 0;
    solve_columns(sys, st, y, by_q, stride);
    solve_columns(sys, st, y + (size_t)n * (size_t)(n + m), by_v, stride);
    return finite;
}

/* A correction e of the positions changes the velocities of the next step by (stretch of stiff springs) /
 * gamma; in the metric M + (g D + g^2 K) with g = gamma that is still as large as e / (gamma w)^3, w the
 * frequency. Steps at tolerance 1e-6, 1e-8, 1e-10 of a pendulum that drags a mass on a spring, w = 1e4: with
 * M 6115, 25960, -; with g = gamma 515, 1787, 9239; 3 gamma 509, 1359, 2310; 10 gamma 487, 1192, 2173; 100
 * gamma 501, 1140, 2118. */
static const double EMPHASIS = 10;

void solve_stiffness(const trm_system *sys, trm_state *st, double gamma) {
    size_t n = (size_t)sys->n, size = n + (size_t)sys->m;
    const double *K = st->y[STAGE_JACOBIAN], *D = K + n * size, g = EMPHASIS * gamma; // by columns
    double *S = st->stiff->stiffness, *U = st->scratch;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double k = K[j * size + i] + K[i * size + j], d = D[j * size + i] + D[i * size + j];
            S[i * n + j] = g / 2 * (d + g * k);
        }
    memcpy(U, S, n * n * sizeof *U);
    for (size_t i = 0; i < n; i++)
        row_add(sys->M, st->M, (int)i, 1, U + i * n);
    if (!(linalg_cholesky(U, sys->n, 1e-12, U + n * n) > 0)) // symmetric parts need not be definite
        memset(S, 0, n * n * sizeof *S);
}
