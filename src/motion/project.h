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

/* One step of least change: x += M^-1 A' (A M^-1 A')+ (-residual), frozen components stay. M (n x n) and A (m
 * x n) are changed where components are frozen or M does not determine the step. */
bool project_step(dense *d, int n, int m, double *M, double *A, const double *residual, double cut,
                  const bool *frozen, double *scratch, double *x);

#endif
