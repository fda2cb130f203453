/* Velocities in the state that integrators see: quasi-velocities where the model has them; else q', but
 * w = 2 p* p' for four coordinates p whose norm is held (mech.quaternions), such as a unit quaternion. Of a
 * body, w is its angular velocity, which is smooth where p' turns with it: a free body that turns over every
 * few seconds for 100 s ends with an error of 4e-9 instead of 3e-4, at a tolerance of 1e-10. Products and the
 * conjugate p* are those of quaternions, |p|^2 p' = p w / 2, w' = 2 p* p'' + 2 p'* p'. Implicit methods have
 * p': their Jacobian is by that. A tree form has w by itself (system/rates.h): what it takes for velocities
 * stands in the state. */
#include "motion/running.h"

#include "linear/linalg.h"
#include "system/rates.h"

#include <math.h>
#include <string.h>

enum { FOUR = 4 };

void run_find_spheres(running *r) {
    const mech *m = r->sys->mech;
    if (r->sys->quasi || r->sys->full || r->options->method->implicit)
        return;
    for (int i = 0; i < m->quaternions.count; i++)
        vec_push(r->work, r->spheres, m->quaternions.at[i].first);
}

// ---- for the equation

bool run_has_own_velocities(const running *r) {
    return r->sys->quasi || r->spheres.count;
}

void run_change_of_velocities(running *r, const double *q, const double *change, double *dv) {
    if (r->sys->quasi) {
        solve_velocity_change(r->sys, r->st, change, dv);
        return;
    }
    memmove(dv, change, (size_t)r->sys->n * sizeof *dv);
    for (int i = 0; i < r->spheres.count; i++) {
        int at = r->spheres.at[i];
        quaternion_product(0.5 / linalg_dot(q + at, q + at, FOUR), q + at, change + at, dv + at);
    }
}

void run_own_change(running *r, const double *q, const double *dv, double *change) {
    if (r->sys->quasi) {
        solve_quasi_change(r->sys, r->st, dv, change);
        return;
    }
    memmove(change, dv, (size_t)r->sys->n * sizeof *dv);
    for (int i = 0; i < r->spheres.count; i++)
        quaternion_rate(q + r->spheres.at[i], dv + r->spheres.at[i], change + r->spheres.at[i]);
}

const double *run_velocities(running *r, double t, const double *y) {
    int n = r->sys->n;
    if (!run_has_own_velocities(r))
        return y + n;
    if (r->sys->quasi) {
        r->trouble.solve = solve_velocities(r->sys, r->st, t, y, y + n, r->v);
        return r->trouble.solve.status == SOLVE_OK ? r->v : NULL;
    }
    run_change_of_velocities(r, y, y + n, r->v);
    return r->v;
}

void run_set_velocities(running *r, double t, const double *v, double *y) {
    int n = r->sys->n;
    if (r->sys->quasi)
        solve_quasi(r->sys, r->st, t, y, v, y + n);
    else if (v != y + n || r->spheres.count)
        run_own_change(r, y, v, y + n);
}

void run_own_rates(running *r, const double *q, const double *v, double *rates) {
    if (r->sys->quasi) {
        solve_quasi_rate(r->sys, r->st, rates);
        return;
    }
    run_own_change(r, q, r->found->qdd, rates);
    for (int i = 0; i < r->spheres.count; i++) {
        int at = r->spheres.at[i];
        rates[at] += 2 * linalg_dot(v + at, v + at, FOUR); // p'* p' is a number
    }
}

// s_i = sum_j G_ij v_j, as large as its terms; w = 2 p* p'
void run_own_floors(running *r, const double *y, double *floor) {
    const trm_system *sys = r->sys;
    int n = sys->n;
    for (int i = 0; i < r->spheres.count; i++)
        for (int k = 0, at = r->spheres.at[i]; k < FOUR; k++)
            floor[at + k] *= sys->natural->scale[at];
    if (!sys->quasi || run_velocities(r, r->options->from, y) == NULL)
        return;
    const double *G = state_output(r->st, STAGE_QUASI);
    memcpy(r->work_v, floor, (size_t)n * sizeof *floor);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(G[i * n + j]) * r->work_v[j];
        floor[i] = sum > 0 ? sum : floor[i];
    }
}

const double *run_accelerations(running *r, const double *y, const double *dydt) {
    int n = r->sys->n;
    if (rates_differ(r->sys)) {
        rates_curve(r->sys, y, y + n, dydt + n, r->v);
        return r->v;
    }
    if (r->spheres.count == 0)
        return dydt + n;
    memcpy(r->v, dydt + n, (size_t)n * sizeof *r->v);
    for (int i = 0; i < r->spheres.count; i++) {
        int at = r->spheres.at[i];
        r->v[at] -= 2 * linalg_dot(dydt + at, dydt + at, FOUR);
    }
    run_change_of_velocities(r, y, r->v, r->v);
    return r->v;
}
