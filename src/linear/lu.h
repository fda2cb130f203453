/* Square systems K x = b without symmetry: LU with partial pivoting, rows measured by their own size. */
#ifndef TRAMMEL_LINEAR_LU_H
#define TRAMMEL_LINEAR_LU_H

/* K (n x n, row by row) becomes its factors, the diagonal that of U's reciprocals; pivot (n), work (2 n),
 * *sign that of the determinant. Returns -1, or the column in which no pivot is left that exceeds rounding;
 * units of rows and columns do not matter. n^3/3 operations. */
int lu_factor(double *K, int n, int *pivot, double *work, int *sign);
void lu_solve(const double *K, int n, const int *pivot, double *x);            // x <- K^-1 x
void lu_solve_transposed(const double *K, int n, const int *pivot, double *x); // x <- K'^-1 x

#endif
