/* Singular positions: rows of A become dependent for an instant, though the motion through it is smooth.
 * Where one is ahead, and what of a step's error projection would remove. */
#include "motion/running.h"

#include "solve/linalg.h"

#include <math.h>
#include <string.h>

/* A singular position that the motion passes: rows that are independent before and after come this near to
 * dependence, as a part of how far they were from it at the last step. */
static const double SINGULAR = 0.05, APPROACH = 0.2, NEARING = 0.5;
enum { SCAN = 24, REFINE = 30 }; // evaluations to find it

// nearness to dependence a time `ahead` after (t, q, v), along q + v ahead + a ahead^2 / 2
static double nearness_ahead(running *r, double t, const double *q, const double *v, const double *a,
                             double ahead) {
    const trm_system *sys = r->sys;
    trm_state *st = r->st;
    for (int i = 0; i < sys->n; i++) {
        r->work_q[i] = q[i] + ahead * (v[i] + ahead / 2 * a[i]);
        r->work_v[i] = v[i] + ahead * a[i];
    }
    state_set(sys, st, t + ahead, r->work_q, r->work_v);
    state_run(sys, st, STAGE_DYNAMICS);
    dense_leave_out(st->dense, r->dropped);
    if (!linalg_finite(st->A, sys->m * sys->n) || dense_factor(st->dense, st->M, st->A, st->cut) != DENSE_OK)
        return INFINITY;
    return run_nearness(r);
}

// when nearness is least within the span: the lowest of SCAN instants, then golden sections around it
static double time_of_least(running *r, double t, const double *q, const double *v, const double *a,
                            double span, double *least) {
    int lowest = 1;
    *least = INFINITY;
    for (int k = 1; k <= SCAN; k++) {
        double here = nearness_ahead(r, t, q, v, a, span * k / SCAN);
        if (here < *least) {
            *least = here;
            lowest = k;
        }
    }
    const double part = 0.6180339887498949;
    double from = span * (lowest - 1) / SCAN, to = span * (lowest + 1) / SCAN;
    for (int k = 0; k < REFINE; k++) {
        double one = to - part * (to - from), two = from + part * (to - from);
        double at_one = nearness_ahead(r, t, q, v, a, one), at_two = nearness_ahead(r, t, q, v, a, two);
        *least = fmin(*least, fmin(at_one, at_two));
        if (at_one < at_two)
            to = two;
        else
            from = one;
    }
    return (from + to) / 2;
}

double run_singular(void *context, double t, const double *y, const double *dydt, double span) {
    running *r = context;
    double nearest = r->nearest, least;
    r->nearest = INFINITY;
    if (r->sys->quasi || r->sys->soft_count || nearest > APPROACH * r->usual)
        return -1;
    double ahead = time_of_least(r, t, y, dydt, dydt + r->sys->n, span, &least);
    return least <= SINGULAR * r->usual ? ahead : -1;
}

// the part of an error that projection leaves
int run_tangent(void *context, double t, const double *y, double *e) {
    running *r = context;
    const trm_system *sys = r->sys;
    int n = sys->n;
    const double *v = y + n;
    double *dv = e + n;
    if (r->nearest > NEARING * r->usual)
        return 1; // no singular position near: off the constraints, the error is one of the step all the same
    if (sys->quasi) {
        if (solve_velocities(sys, r->st, t, y, y + n, r->v) != SOLVE_OK)
            return 1;
        v = r->v;
        dv = r->work_v;
        solve_velocity_change(sys, r->st, e + n, dv);
    }
    if (!project_tangent(sys, r->st, t, y, v, e, dv))
        return 1;
    if (sys->quasi)
        solve_quasi_change(sys, r->st, dv, e + n);
    return 0;
}
