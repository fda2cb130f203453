/* Brings a state back onto its constraints: positions on the holonomic rows, velocities on their derivatives
 * and on the nonholonomic rows, by the smallest change in the mass metric. */
#ifndef TRAMMEL_MOTION_PROJECT_H
#define TRAMMEL_MOTION_PROJECT_H

#include "motion/failure.h"

typedef struct {
    int row;                  // worst row, -1 if there are none
    double residual, allowed; // of it
    bool held;                // every row within what promise 1 allows
} projection;

/* How far row i may be off: tol |A_i| (1 + |q|), or tol where the row vanishes (promise 1). */
double project_allowed(const double *A_row, int n, double size, double tolerance);

/* Change q (v). Where `frozen` (n) is given, those components stay. */
projection project_position(const trm_system *sys, trm_state *st, double t, double *q, double tolerance,
                            const bool *frozen);
projection project_velocity(const trm_system *sys, trm_state *st, double t, const double *q, double *v,
                            double tolerance);

/* Takes from small changes dq, dv (n) at (q, v) what the projections above would take: leaves the part along
 * the held rows. False if it cannot be told. */
bool project_tangent(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                     double *dq, double *dv);

/* Newton's method for rows: x moves by the least change in the metric M until all are within a thousandth of
 * what promise 1 allows, or at rounding. Steps that make the worst row worse are shortened. `look` puts x
 * into place, evaluates M, residual and A there, and tells the worst row; M and A may be changed after it. */
typedef struct {
    int n, m;
    double *M, *residual, *A; // (n x n), (m), (m x n)
    dense *dense;
    double cut, tolerance;
    int most;           // steps
    const bool *frozen; // (n) components that stay; NULL for none
    double *scratch;    // 3 n + 2 m
    const double
        *step; // what the evaluation itself found (direct.h): change (n), multipliers (m), checks; or NULL
    projection (*look)(void *context, const double *x);
    void *context;
} newton_problem;

projection project_newton(const newton_problem *p, double *x);

/* The row whose residual exceeds, or comes nearest to, what is allowed; `rows` gives the numbers to report.
 */
projection project_worst(const double *residual, const double *A, int m, int n, double size, double tolerance,
                         const int *rows);

/* Takes components out: identity in M (n x n), zero in A (m x n). */
void project_freeze(int n, int m, double *M, double *A, const bool *frozen);
/* Makes a semi-definite M definite: where it leaves a component free, the coordinates' own units decide. */
void project_add_identity(int n, double *M);

#endif
