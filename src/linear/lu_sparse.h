/* K = L U of a sparse square matrix without symmetry, with a pattern that does not change: columns in an
 * order given, rows by partial pivoting, column by column (Gilbert, Peierls, SIAM J. Sci. Stat. Comput. 9
 * (1988) 862). Rows and columns are brought to size 1 first. The pivot is the entry that stands on the
 * diagonal, where it is no less than a hundredth of the largest one. Time is that of the multiplications,
 * memory grows with the fill. */
#ifndef TRAMMEL_LINEAR_LU_SPARSE_H
#define TRAMMEL_LINEAR_LU_SPARSE_H

#include "linear/sparsity.h"

typedef struct lu_sparse lu_sparse;

/* The pattern by columns: row i of it is column i of K. It must stay, and order (rows), which column is
 * eliminated first, second, .. */
lu_sparse *lu_sparse_new(arena *a, sparsity columns, const int *order);
/* Values in the order of the pattern's entries. Returns -1, or the column in which no pivot is left that
 * exceeds rounding. */
int lu_sparse_factor(lu_sparse *f, const double *K);
void lu_sparse_solve(lu_sparse *f, double *x);            // x <- K^-1 x
void lu_sparse_solve_transposed(lu_sparse *f, double *x); // x <- K'^-1 x
double lu_sparse_pivot(const lu_sparse *f,
                       int k);              // the k-th; their product is the determinant, but for its sign
int lu_sparse_sign(lu_sparse *f);           // of the determinant
long lu_sparse_entries(const lu_sparse *f); // of L and U

#endif
