/* Which rows of a matrix depend on which others. The one place where that is decided. */
#ifndef TRAMMEL_SOLVE_RANK_H
#define TRAMMEL_SOLVE_RANK_H

#include "base/arena.h"

#include <stdbool.h>

/* Rows are taken at unit length. A row is dependent when what remains of it, after the rows kept before it
 * are taken out, is at most cut. Rows are considered in the given order, so that of two equal rows the later
 * one is the redundant one. */
typedef struct {
    int m, n, rank;
    bool *kept;          // (m)
    double *coefficient; // (m x m): row i of A = sum over kept j of coefficient[i][j] * row j of A, rows as
                         // written
    bool *unique;        // (m): the row's multiplier is the same in every solution
    double *remainder;   // (m): of the row at unit length
} rank_report;

rank_report *rank_of_rows(arena *a, const double *A, int m, int n, double cut);

/* Rank of the stacked matrix [M; A], with M (n x n) scaled to the size of normalised rows. */
int rank_stacked(arena *a, const double *M, const double *A, int n, int m, double cut);

#endif
