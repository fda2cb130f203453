/* Brings a state back onto its constraints: positions on the holonomic rows, velocities on their derivatives
 * and on the nonholonomic rows, by the smallest change in the mass metric. */
#ifndef TRAMMEL_MOTION_PROJECT_H
#define TRAMMEL_MOTION_PROJECT_H

#include "motion/failure.h"
#include "system/natural.h"

/* Rows are brought this far below what promise 1 allows, or to rounding; Newton's last step usually lands at
 * rounding anyway. So many steps at most, but when a start is assembled. */
static const double PROJECT_GOAL = 1e-3, PROJECT_ROUNDING = 1e-15;
enum { PROJECT_MOST = 12 };

typedef struct {
    int row;                  // worst row, or any where all are held easily; -1 if there are none
    double residual, allowed; // of it, if it is the worst
    bool held;                // every row within what promise 1 allows
} projection;

/* How far row i may be off at x, positions or velocities: tol sum_j |A_ij| (size_j + |x_j|), or tol where it
 * vanishes (promise 1; system/natural.h). */
double project_allowed(const trm_system *sys, sparsity A_pattern, const double *A, int row, const double *x,
                       bool velocity, double tolerance);

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
 * into place and tells the worst row there; `evaluate`, called before a step alone, finds M, residual and A
 * there, which may be changed after it. */
typedef struct {
    int n;
    sparsity M_pattern, A_pattern;
    double *M, *residual, *A;
    const double *scale; // (n) of the coordinates, see system/natural.h
    solver *solver;
    double cut, tolerance;
    int most;           // steps
    const bool *frozen; // (n) components that stay; NULL for none
    double *scratch;    // 3 n + 2 m
    const double
        *step; // what the evaluation itself found (direct.h): change (n), multipliers (m), checks; or NULL
    const trm_system *moves; // x are positions that velocities move by system/rates.h; NULL: by themselves
    projection (*look)(void *context, const double *x);
    void (*evaluate)(void *context); // NULL: look has done it
    void *context;
} newton_problem;

projection project_newton(const newton_problem *p, double *x);

/* The row whose residual exceeds, or comes nearest to, what is allowed; `rows` gives the numbers to report.
 */
projection project_worst(const trm_system *sys, sparsity A_pattern, const double *residual, const double *A,
                         const double *x, bool velocity, double tolerance, const int *rows);

/* Take components out: diagonal in M, zero in A. */
void project_freeze_mass(sparsity M_pattern, double *M, const bool *frozen, const double *scale);
void project_freeze_rows(sparsity A_pattern, double *A, const bool *frozen);
/* A copy of M, frozen components apart, made definite if it is not: where it leaves a component free, the
 * scales of the coordinates decide. `least` is what these count, as a part of the largest mass. */
double *project_metric(arena *a, sparsity M_pattern, const double *M, const bool *frozen, double least,
                       const double *scale);
static const double PROJECT_LEAST = 1e-9; // so little that it decides only there

#endif
