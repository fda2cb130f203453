/* The motion as a differential equation y' = f(t, y) with y = (q, v), or (q, s) with quasi-velocities, and
 * its projection. */
#include "motion/running.h"

#include "solve/linalg.h"

#include <math.h>
#include <string.h>

double run_nearness(const running *r) {
    return dense_rank(r->st->dense) < r->rank ? 0 : dense_nearness(r->st->dense);
}

/* Rank is decided where the state is on the constraints. In between, stages are off them by more than
 * rounding, and rows that depend on others come out independent there: they are left out as at the last step.
 * A C built on multipliers needs them all. */
static void choose_rows(running *r) {
    bool decided = r->settled || r->sys->mech->nonideal_needs_ideal || r->sys->soft_count;
    dense_leave_out(r->st->dense, decided ? NULL : r->dropped);
    r->settled = false;
}

int run_evaluate(void *context, double t, const double *y, double *dydt) {
    running *r = context;
    if (r->options->stop && *r->options->stop)
        return RUN_INTERRUPTED;
    choose_rows(r);
    const trm_system *sys = r->sys;
    int n = sys->n;
    const double *q = y, *v = y + n;
    r->status = SOLVE_OK;
    if (sys->quasi) {
        r->status = solve_velocities(sys, r->st, t, q, y + n, r->v);
        v = r->v;
    }
    r->status_time = t;
    if (r->status == SOLVE_OK)
        r->status = solve_acceleration(sys, r->st, t, q, v);
    if (r->status != SOLVE_OK)
        return 1; // not here: a shorter step may do
    r->nearest = fmin(r->nearest, run_nearness(r));
    memcpy(dydt, v, (size_t)n * sizeof *v);
    if (sys->quasi)
        solve_quasi_rate(sys, r->st, dydt + n);
    else
        memcpy(dydt + n, r->st->qdd, (size_t)n * sizeof *v);
    return 0;
}

// [0 I; dq''/dq dq''/dv]
int run_jacobian(void *context, double t, const double *y, double *J) {
    running *r = context;
    int n = r->sys->n;
    r->status = solve_acceleration(r->sys, r->st, t, y, y + n);
    r->status_time = t;
    if (r->status != SOLVE_OK)
        return 1;
    memset(J, 0, (size_t)n * 2 * (size_t)n * sizeof *J);
    for (int i = 0; i < n; i++)
        J[i * 2 * n + n + i] = 1;
    double *lower = J + 2 * n * n;
    return !solve_jacobian(r->sys, r->st, lower, lower + n, 2 * n);
}

void run_implicit(void *context, double gamma) {
    running *r = context;
    solve_stiffness(r->sys, r->st, gamma);
}

// q and v of y, projected; false if they cannot be held
bool run_project_state(running *r, double t, double *q, double *v) {
    r->velocity = (projection){.row = -1, .held = true};
    r->position = project_position(r->sys, r->st, t, q, r->options->tolerance, NULL);
    if (r->position.held)
        r->velocity = project_velocity(r->sys, r->st, t, q, v, r->options->tolerance);
    if (r->position.held && r->velocity.held)
        return true;
    r->refused_position = !r->position.held;
    r->refused = r->refused_position ? r->position : r->velocity;
    return false;
}

int run_project(void *context, double t, double *y) {
    running *r = context;
    const trm_system *sys = r->sys;
    int n = sys->n;
    double *v = y + n;
    if (sys->quasi) {
        r->status = solve_velocities(sys, r->st, t, y, y + n, r->v);
        if (r->status != SOLVE_OK)
            return 1;
        v = r->v;
    }
    if (!run_project_state(r, t, y, v))
        return 1;
    if (sys->quasi)
        solve_quasi(sys, r->st, t, y, v, y + n);
    r->settled = true;
    return 0;
}
