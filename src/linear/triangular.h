/* Square sparse systems G x = b without symmetry, by blocks. Rows and columns stand in an order in which G is
 * block triangular: each row has entries in its own block and in those before it. The blocks on the diagonal
 * are as small as the pattern allows (a matching of rows with columns, then the strongly connected parts of
 * what it makes a graph), and each has full factors (lu.h), or sparse ones (lu_sparse.h) where it is large
 * and mostly zero. G is singular where one of them is. */
#ifndef TRAMMEL_LINEAR_TRIANGULAR_H
#define TRAMMEL_LINEAR_TRIANGULAR_H

#include "linear/lu_sparse.h"

/* Of a large block: its pattern by columns, each column in the place of a row; which entries of G these are,
 * and which column is eliminated first, second, .. */
typedef struct {
    sparsity columns;
    int *entry, *order;
} triangular_large;

typedef struct {
    sparsity pattern;
    int count;                 // of blocks
    const int *row, *column;   // (n) which stand at a place
    const int *at;             // (n) places of columns
    const int *first, *inside; // (count + 1): places of a block, where its full factors begin
    triangular_large **large;  // (count) NULL: it has full ones
} triangular;

/* Numbers that full factors take, without making any. */
double triangular_size(arena *a, sparsity pattern);
triangular *triangular_new(arena *a, sparsity pattern);

/* Factors of one matrix. */
typedef struct {
    double *K;         // the full ones, one after the other
    lu_sparse **large; // (count) the others
    double *values;    // of a large block
    int *pivot;        // (n)
    signed char *sign; // (count) of the blocks' determinants
    double *work;      // (3 n)
} triangular_factors;

triangular_factors triangular_factors_new(arena *a, const triangular *t);
/* Returns -1, or a column in which no pivot is left that exceeds rounding. */
int triangular_factor(const triangular *t, const double *G, triangular_factors *f);
/* x (n) <- G^-1 b, of the same G; x may be b. */
void triangular_solve(const triangular *t, const double *G, const triangular_factors *f, const double *b,
                      double *x);
/* x (n) <- G'^-1 b. */
void triangular_solve_transposed(const triangular *t, const double *G, const triangular_factors *f,
                                 const double *b, double *x);
/* The block that is nearest to being singular, after a factorisation that may have failed: by the size of its
 * determinant beside those of its rows, and of the shortest of these. */
int triangular_worst(const triangular *t, const double *G, triangular_factors *f);

#endif
