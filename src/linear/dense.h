/* The constrained acceleration, dense: of all x with A x = b the one with least (x - a)' M (x - a), M a = Q.
 * It equals q'' = a + M^-1/2 (A M^-1/2)+ (b - A a) (paper 004 eq. 12), and with M semi-definite it is paper
 * 002 eq. 8, as long as [M; A] has full rank (002 lemma 1).
 *
 * Method: rank of the rows of A, at unit length and in the coordinates' own units; Cholesky of M, whitening,
 * Cholesky of the Schur complement of the rows kept. Where a relative pivot falls below 1e-8, pivoted
 * orthogonalisation of the rows instead (remembered for the next call); one refinement on the residual of the
 * KKT equations, up to three where that one was large. Semi-definite M: the same on M + A'WA. Nothing here
 * allocates after dense_new. All matrices are row-major. */
#ifndef TRAMMEL_LINEAR_DENSE_H
#define TRAMMEL_LINEAR_DENSE_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct dense dense;

typedef enum {
    DENSE_OK = 0,
    DENSE_UNDETERMINED, // [M; A] lacks full rank: dense_undetermined names the coordinates
    DENSE_INDEFINITE,   // M has a negative direction: dense_undetermined names the coordinates in it
    DENSE_NOT_FINITE,   // a value of M or A is not finite
    DENSE_NOT_SURE      // another solver has to look (solver.h); never said by this one
} dense_status;

dense *dense_new(arena *a, int n, int m); // m may be 0

/* Factors for one M (n x n, symmetric, both triangles given) and A (m x n). A row counts as dependent when
 * its remainder over the others, rows taken at unit length and in the coordinates' own units, is at most cut:
 * its own error level. The arrays must stay until the last dense_solve with them. */
dense_status dense_factor(dense *d, const double *M, const double *A, double cut);

/* x (n) for one Q (n) and b (m), with a multiplier for each row (m) such that M x - Q = A' multiplier to
 * rounding; rows that were dropped have multiplier 0 (use dense_least_norm). May be called repeatedly, after
 * DENSE_OK only. */
void dense_solve(dense *d, const double *Q, const double *b, double *x, double *multiplier);

/* Changes the multipliers to those of least Euclidean norm that give the same force A' multiplier, rows as
 * written (not normalised). What a dropped row's remainder (at most cut) adds to the force is not counted. */
void dense_least_norm(dense *d, double *multiplier);

/* Rows (m) that the next factorisations leave out, as dropped ones; NULL for none. While rows are left out,
 * dense_least_norm must not be called. */
void dense_leave_out(dense *d, const bool *rows);

int dense_rank(const dense *d);              // of A
double dense_nearness(const dense *d);       // how near the kept rows are to dependence: smallest remainder
bool dense_dropped(const dense *d, int row); // row was found to depend on the others
bool dense_mass_singular(const dense *d);    // M alone is not definite

/* After DENSE_UNDETERMINED or DENSE_INDEFINITE: 1 for each coordinate (n) that takes part in the undetermined
 * (negative) direction, 0 for the others. Returns how many. */
int dense_undetermined(const dense *d, bool *coordinate);

/* Whether the next factorisation tries the quick ways first, as dense_lanes.h does. */
bool dense_is_quick(const dense *d);

#endif
