/* Eigenvalues and singular values without a library, for where LAPACK cannot be loaded (lapack.h has the
 * contracts). All matrices are row-major. */
#ifndef TRAMMEL_LINEAR_EIGEN_H
#define TRAMMEL_LINEAR_EIGEN_H

#include <stdbool.h>

/* As lapack_eigenvalues; scratch: n^2 + 6 n. About 25 n^3 operations. */
bool eigen_values(int n, double *K, double *re, double *im, double *V, double *scratch);
/* As lapack_svd; scratch: n. About 10 m n^2 operations for each of some 6 to 10 sweeps. */
bool eigen_svd(int m, int n, double *X, double *U, double *s, double *Vt, double *scratch);

#endif
