/* Measured constraints, which may contradict others (language: `weight = w`; paper 003 eq. 38).
 *
 * Among all x with A x = b, those that minimise the sum of w_i (E_i x - f_i)^2. This turns the measured rows
 * E (k x n), f (k), w (k) into equivalent rows R x = r (at most min(k, n) of them) that hold exactly at those
 * x, to be appended to A, b: with Z a basis of the null space of A and U an orthonormal basis of the range of
 * W^1/2 E Z, R = U' W^1/2 E, r = U' W^1/2 f. */
#ifndef TRAMMEL_SOLVE_WEIGHTED_H
#define TRAMMEL_SOLVE_WEIGHTED_H

#include "base/arena.h"

typedef struct weighted weighted;
weighted *weighted_new(arena *a, int n, int m, int k);
/* Returns the number of rows written to R (k x n) and r (k). Rows with w_i <= 0 are left out. Does not
 * allocate. */
int weighted_rows(weighted *w, const double *A, double cut, const double *E, const double *f,
                  const double *weight, double *R, double *r);

#endif
