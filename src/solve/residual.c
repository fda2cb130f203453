/* What the kernel's solution leaves of M x = Q + A'multiplier and A x = b.
 *
 * The kernel eliminates without pivoting and does not refine: where all its pivots are large parts of what
 * they came from (direct_clear) there is nothing to gain, and elsewhere this tells. Each equation is measured
 * by the largest terms of its kind, in natural units: rounding leaves as much in all of them. */
#include "linear/linalg.h"
#include "solve/solve_inside.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

static const double LITTLE = 1e-14;

static double unit_of(const trm_system *sys, int i) {
    return sys->natural->units ? sys->natural->units[i] : 1;
}

// A'multiplier to force (n)
static void add_forces(const trm_system *sys, const trm_state *st, const double *multiplier, double *force) {
    memset(force, 0, (size_t)sys->n * sizeof *force);
    for (int k = 0; k < sys->all.rows; k++)
        row_add(sys->A, st->A, sys->solved_rows[k], multiplier[k] * sys->row_scale[k], force);
}

static bool forces_agree(const trm_system *sys, const trm_state *st, const double *x, const double *force) {
    double off = 0, most = 0;
    for (int i = 0; i < sys->n; i++) {
        double inertia = row_dot(sys->M, st->M, i, x), unit = unit_of(sys, i);
        off = fmax(off, unit * fabs(st->Q[i] - inertia + force[i]));
        most = fmax(most, unit * (fabs(st->Q[i]) + fabs(inertia) + fabs(force[i])));
    }
    return off <= LITTLE * most;
}

static bool rows_agree(const trm_system *sys, const trm_state *st, const double *x) {
    double most = 0;
    for (int i = 0; i < sys->n; i++)
        most = fmax(most, fabs(x[i]) / unit_of(sys, i));
    for (int k = 0; k < sys->all.rows; k++) {
        int row = sys->solved_rows[k];
        double off = fabs(st->b[row] - row_dot(sys->A, st->A, row, x));
        if (!(off <= LITTLE * (fabs(st->b[row]) + natural_length(sys, sys->A, st->A, row) * most)))
            return false;
    }
    return true;
}

bool solve_leaves_little(const trm_system *sys, trm_state *st, const double *x) {
    double *force = st->scratch;
    add_forces(sys, st, x + sys->n, force);
    return forces_agree(sys, st, x, force) && rows_agree(sys, st, x);
}
