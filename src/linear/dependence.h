/* What rank.h tells of full rows, for rows of any number and pattern. */
#ifndef TRAMMEL_LINEAR_DEPENDENCE_H
#define TRAMMEL_LINEAR_DEPENDENCE_H

#include "linear/rank.h"
#include "linear/sparsity.h"

/* As rank_of_rows. Where rows are many, they are taken in an order that keeps the work small, and of equal
 * rows it need not be the later one that is redundant. Where a solver has found all of them independent,
 * `independent`, that is taken for granted, and their remainders are not looked for: they are called 1. */
rank_report *dependence_of_rows(arena *a, int n, sparsity pattern, const double *A, double cut,
                                bool independent);

/* The same, as of many rows. */
rank_report *dependence_of_many(arena *a, int n, sparsity pattern, const double *A, double cut);

/* The rank alone, and which rows were kept (rows). */
int dependence_rank(arena *a, int n, sparsity pattern, const double *A, double cut, bool *kept);

/* Rank of the stacked matrix [M; A], with the rows of M at unit length like those of A, columns in these
 * units (n); NULL: as they are. */
int dependence_rank_stacked(arena *a, int n, sparsity M_pattern, const double *M, sparsity A_pattern,
                            const double *A, double cut, const double *units);

#endif
