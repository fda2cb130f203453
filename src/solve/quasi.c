/* Quasi-velocities s = G(q, t) v + g(q, t): velocities from them, and their rates (000 eqs. 2.1-2.4, 3.10).
 */
#include "solve/solve_inside.h"

#include "linear/linalg.h"
#include "linear/lu.h"

#include <string.h>

// G at the state in x, and its factors
static outcome factor_quasi(const trm_system *sys, trm_state *st) {
    int n = sys->n;
    state_run(sys, st, STAGE_QUASI);
    memcpy(st->G, st->y[STAGE_QUASI], (size_t)(n * n) * sizeof(double));
    int column = lu_factor(st->G, n, st->pivot, st->scratch, &st->quasi_sign);
    return column >= 0 ? (outcome){SOLVE_SINGULAR_QUASI, column} : SOLVED;
}

int solve_quasi_sign(const trm_state *st) {
    return st->quasi_sign;
}

outcome solve_quasi_inverse(const trm_system *sys, trm_state *st, double *H) {
    int n = sys->n;
    double *column = st->scratch + 2 * n;
    outcome found = factor_quasi(sys, st);
    if (found.status != SOLVE_OK)
        return found;
    for (int j = 0; j < n; j++) {
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = 1;
        lu_solve(st->G, n, st->pivot, column);
        for (int i = 0; i < n; i++)
            H[i * n + j] = column[i];
    }
    return SOLVED;
}

outcome solve_velocities(const trm_system *sys, trm_state *st, double t, const double *q, const double *s,
                         double *v) {
    int n = sys->n;
    const double *g = st->y[STAGE_QUASI] + n * n + n;
    state_set(sys, st, t, q, NULL);
    outcome found = factor_quasi(sys, st);
    if (found.status != SOLVE_OK)
        return found;
    for (int i = 0; i < n; i++)
        v[i] = s[i] - g[i];
    lu_solve(st->G, n, st->pivot, v);
    return SOLVED;
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
    lu_solve(st->G, sys->n, st->pivot, dv);
}

void solve_quasi_change(const trm_system *sys, const trm_state *st, const double *dv, double *ds) {
    const double *G = st->y[STAGE_QUASI];
    for (int i = 0; i < sys->n; i++)
        ds[i] = linalg_dot(G + i * sys->n, dv, sys->n);
}
