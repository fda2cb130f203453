/* Measured constraints, which may contradict others (language: `weight = w`; paper 003 eq. 38).
 *
 * Among all x with A x = b, those that minimise the sum of w_i (E_i x - f_i)^2. This turns the measured rows
 * E (k x n), f (k), w (k) into equivalent rows R x = r (at most min(k, n) of them) that hold exactly at those
 * x, to be appended to A, b. With Z a basis of the null space of A the condition is Z'E'W (E x - f) = 0. Let
 * the rows of E_J be independent on Z and E_D Z = C E_J Z give the others; then it is
 *     R = E_J + W_J^-1 C'W_D E_D,   r = f_J + W_J^-1 C'W_D f_D.
 * J takes heavy rows first, so that the weights may range over many decades. */
#ifndef TRAMMEL_LINEAR_WEIGHTED_H
#define TRAMMEL_LINEAR_WEIGHTED_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct weighted weighted;
weighted *weighted_new(arena *a, int n, int m, int k);
/* Returns the number of rows written to R (k x n) and r (k). Rows with w_i <= 0 are left out. Does not
 * allocate. Where no measured row depends on others, R and r are those rows of E and f as they are. */
int weighted_rows(weighted *w, const double *A, double cut, const double *E, const double *f,
                  const double *weight, double *R, double *r);

/* For weights that rows share: W (k x k, row by row) = L D L' with L unit lower triangular, which with D on
 * its diagonal takes the place of W. Then L'E, L'f and D are rows and weights with the same sum. False if W
 * is not positive semi-definite up to rounding. */
bool weighted_uncouple(double *W, int k);

/* The force R' lambda of the rows that the last call wrote as E' share, share (k): rows that disagree have it
 * by their weights. */
void weighted_share(const weighted *w, const double *lambda, double *share);

#endif
