/* dense.c for several systems of one size side by side, where they need no closer look: the quick way through
 * factors and solution, to the bit. */
#ifndef TRAMMEL_LINEAR_DENSE_LANES_H
#define TRAMMEL_LINEAR_DENSE_LANES_H

#include "base/arena.h"
#include "linear/sparsity.h"

#include <stdbool.h>

typedef struct dense_lanes dense_lanes;

/* scale: as of solver_new, (n) or NULL. */
dense_lanes *dense_lanes_new(arena *a, int n, sparsity M, sparsity A, const double *scale);
/* x (n) of M x - A' multiplier = 0, A x = -residual, with M and A as entries of their patterns; number i of
 * lane l at [8 i + l]. fine[l] becomes 0 where dense.c would look closer. */
void dense_lanes_solve(dense_lanes *d, const double *M, const double *A, const double *residual,
                       const double *cut, double *x, double *fine);

#endif
