/* Multipliers of a known force: lambda with A' lambda = f, where rows come in groups that are peeled off one
 * after the other. On the columns of a group only its own rows, those of groups before it, and rows whose
 * multipliers are known have entries; there its own are independent. So are the joints of a tree of bodies,
 * from its leaves to the root.
 *
 * Each group is a small problem of least squares: some 500 operations for a body in space. */
#ifndef TRAMMEL_LINEAR_PEEL_H
#define TRAMMEL_LINEAR_PEEL_H

#include "linear/sparsity.h"

#include <stdbool.h>

typedef struct peel peel;

/* scale (n): units of the columns, NULL: of one. Both must stay. */
peel *peel_new(arena *a, int n, sparsity A, const double *scale);
/* The next group; each column is in one at most. */
void peel_add(peel *p, const int *rows, int row_count, const int *columns, int column_count);
/* f (n), with what its terms come to in size (n): both are spoiled. lambda (m): given for rows in no group.
 * False if the rows of a group are not clearly independent, or something is left of f. */
bool peel_solve(const peel *p, const double *A, double *f, double *size, double *lambda);

#endif
