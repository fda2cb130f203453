/* The equations in quasi-velocities s = G q' + g, from those in coordinates. With H = G^-1 and s' = G q'' + r
 * (000 eqs. 2.13, 2.14, 3.5, 3.8, 3.45):
 *
 *   M_s = H'M H,   S = H'Q + M_s r = H'(Q + M H r),   A_s = A H,   b_s = b + A H r,   C_s = H'C,   S^c =
 * H'Q^c
 *
 * H is never made: each of its columns is a solution with G, at the cost of the entries of its factors.
 * Matrices come out full, at the cost of n of these and of n^2 (n m) dot products. */
#include "solve/solve_inside.h"

#include "linear/linalg.h"
#include "system/rates.h"

#include <string.h>

outcome solve_quasi(const trm_system *sys, trm_state *st) {
    return outcome_of_rates(rates_factor(sys, st, st->x[0], st->x + sys->x_q));
}

// column j of H
static void column(const trm_system *sys, trm_state *st, int j, double *h) {
    memset(h, 0, (size_t)sys->n * sizeof *h);
    h[j] = 1;
    rates_change(sys, st, NULL, h, h);
}

static void times_M(const trm_system *sys, const trm_state *st, const double *x, double *out) {
    for (int i = 0; i < sys->n; i++)
        out[i] = row_dot(sys->M, st->M, i, x);
}

// columns of H stand in the rows of `out`; row j is not needed any more when its products are found
void solve_quasi_mass(const trm_system *sys, trm_state *st, double *out) {
    size_t n = (size_t)sys->n;
    double *Mh = st->scratch, *row = Mh + n;
    for (size_t j = 0; j < n; j++)
        column(sys, st, (int)j, out + j * n);
    for (size_t j = 0; j < n; j++) {
        times_M(sys, st, out + j * n, Mh);
        for (size_t i = j; i < n; i++)
            row[i] = linalg_dot(out + i * n, Mh, (int)n);
        memcpy(out + j * n + j, row + j, (n - j) * sizeof *out);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++)
            out[i * n + j] = out[j * n + i];
}

void solve_quasi_transform(const trm_system *sys, trm_state *st, const double *force, const double *less,
                           double *out) {
    for (int i = 0; i < sys->n; i++)
        out[i] = force[i] - (less ? less[i] : 0);
    rates_force(sys, st, out, out);
}

void solve_quasi_force(const trm_system *sys, trm_state *st, double *out) {
    double *rest = st->scratch + sys->n, *force = rest + sys->n;
    rates_change(sys, st, NULL, rates_rest(sys, st), rest);
    times_M(sys, st, rest, force);
    linalg_add(force, 1, st->Q, sys->n);
    solve_quasi_transform(sys, st, force, NULL, out);
}

void solve_quasi_rows(const trm_system *sys, trm_state *st, double *out) {
    double *h = st->scratch;
    for (int j = 0; j < sys->n; j++) {
        column(sys, st, j, h);
        for (int i = 0; i < sys->m; i++)
            out[(size_t)i * (size_t)sys->n + (size_t)j] = st->idle[i] ? 0 : row_dot(sys->A, st->A, i, h);
    }
}

void solve_quasi_asked(const trm_system *sys, trm_state *st, double *out) {
    double *rest = st->scratch;
    rates_change(sys, st, NULL, rates_rest(sys, st), rest);
    for (int i = 0; i < sys->m; i++)
        out[i] = st->idle[i] ? 0 : st->b[i] + row_dot(sys->A, st->A, i, rest);
}
