/* Matrices for formulas as they stand in the papers: each operation gives a new one, in memory that is all
 * taken back at once. Vectors are matrices of one column. */
#ifndef TRAMMEL_PAPERS_MATRIX_H
#define TRAMMEL_PAPERS_MATRIX_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    int rows, cols;
    double *at; // row-major
} mat;

typedef struct {
    arena *arena;
    double *memory;
    size_t room, used;
    bool failed; // an operation since the last reset did not converge, or met a singular matrix
} matrices;

void matrices_init(matrices *w, arena *a, size_t room); // doubles at first; more are taken if they are needed
void matrices_reset(matrices *w);                       // everything made since is gone

int *matrices_ints(matrices *w, int count);

mat mat_new(matrices *w, int rows, int cols); // zero
mat mat_copy(matrices *w, mat x);
mat mat_wrap(const double *at, int rows, int cols); // not copied, to be read only
mat mat_identity(matrices *w, int n);

mat mat_add(matrices *w, mat x, mat y);
mat mat_sub(matrices *w, mat x, mat y);
mat mat_scale(matrices *w, double c, mat x);
mat mat_mul(matrices *w, mat x, mat y);
mat mat_transpose(matrices *w, mat x);
mat mat_stack(matrices *w, mat upper, mat lower); // [upper; lower]
mat mat_beside(matrices *w, mat left, mat right); // [left right]
mat mat_columns(matrices *w, mat x, const int *which, int count);
mat mat_rows(matrices *w, mat x, const int *which, int count);
mat mat_block(matrices *w, mat x, int row, int col, int rows, int cols);

typedef struct {
    mat U, s, Vt; // X = U diag(s) Vt; Vt is square, its last rows span the null space
} svd;
svd mat_svd(matrices *w, mat x);
mat mat_pinv(matrices *w, mat x, int rank); // the Moore-Penrose inverse of a matrix of that rank
mat mat_null(matrices *w, mat x, int rank); // columns: an orthonormal basis of the null space

/* The symmetric roots of a definite matrix, M^1/2 and M^-1/2; false if it is not definite. */
bool mat_roots(matrices *w, mat m, mat *half, mat *inverse_half);
mat mat_solve(matrices *w, mat k, mat x); // k^-1 x

double mat_largest(mat x); // |x_ij|
double mat_norm(mat x);    // Euclidean

#endif
