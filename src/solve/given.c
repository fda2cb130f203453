/* The forces that go with an acceleration that is known from elsewhere: M, Q, A are evaluated, and A' lambda
 * = M q'' - Q is solved by what is known of the rows. */
#include "linear/linalg.h"
#include "solve/solve_inside.h"

#include <math.h>
#include <string.h>

bool solve_may_be_given(const trm_system *sys) {
    return !sys->nonideal && !sys->soft_count && !sys->friction_count && !sys->sharing;
}

bool solve_given(const trm_system *sys, trm_state *st, const moment *at, const solution *s,
                 const peel *rows) {
    double *f = st->scratch, *size = f + sys->n;
    solve_evaluate(sys, st, at);
    memcpy(st->qdd, s->qdd, (size_t)sys->n * sizeof(double));
    memcpy(st->lambda, s->multiplier, (size_t)sys->m * sizeof(double));
    for (int i = 0; i < sys->n; i++) {
        f[i] = row_dot(sys->M, st->M, i, st->qdd) - st->Q[i];
        size[i] = fabs(st->Q[i]);
        for (int e = sys->M.start[i]; e < sys->M.start[i + 1]; e++)
            size[i] += fabs(st->M[e] * st->qdd[sys->M.to[e]]);
    }
    st->direct = peel_solve(rows, st->A, f, size, st->lambda) && linalg_finite(st->b, sys->m);
    return st->direct;
}
