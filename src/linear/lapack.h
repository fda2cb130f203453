/* LAPACK: singular values, eigenvalues, linear equations. The only file that knows it; the library is loaded
 * when it is first used, never linked. Matrices are row-major. Where it cannot be loaded, all but
 * lapack_eigen go by eigen.h and lu.h: slower, and as accurate. */
#ifndef TRAMMEL_LINEAR_LAPACK_H
#define TRAMMEL_LINEAR_LAPACK_H

#include <stdbool.h>
#include <stddef.h>

/* NULL if it is there; else what is missing, with what to do about it in *hint. */
const char *lapack_missing(const char **hint);

/* Doubles of scratch memory for any of the calls below with sizes up to `size`. */
size_t lapack_scratch(int size);

/* X (m x n) = U diag(s) Vt with k = min(m, n) singular values in falling order: U (m x k), s (k), Vt (n x n,
 * all rows: those from k on span the null space). Destroys X. False if it did not converge. */
bool lapack_svd(int m, int n, double *X, double *U, double *s, double *Vt, double *scratch);

/* K (n x n, symmetric) = sum over i of w_i v_i v_i', w in rising order; v_i is row i of K afterwards. */
bool lapack_eigen(int n, double *K, double *w, double *scratch);

/* The eigenvalues re_i + i im_i of K (n x n, any), a complex pair side by side, in no order. Destroys K. V (n
 * x n) if it is not NULL: K (V_i + i V_i+1) = (re_i + i im_i) (V_i + i V_i+1) with the rows of V for a pair,
 * of which im_i is positive, and K V_i = re_i V_i for one that is real. */
bool lapack_eigenvalues(int n, double *K, double *re, double *im, double *V, double *scratch);

/* X (n x k) := K^-1 X. Destroys K (n x n). False if K is singular. pivot: (n) */
bool lapack_solve(int n, int k, double *K, double *X, int *pivot, double *scratch);

#endif
