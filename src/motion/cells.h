/* Functions of time along a part of a step, as polynomials through their values at Chebyshev points
 * (Trefethen, Approximation Theory and Approximation Practice, ch. 2 to 4): with x from -1 to 1
 *
 *     u(x) = sum_k c_k T_k(x),   through the values at x_j = cos(pi j/n), j = 0 .. n
 *
 * The last coefficients tell how far u is from the function. */
#ifndef TRAMMEL_MOTION_CELLS_H
#define TRAMMEL_MOTION_CELLS_H

enum { CELLS_COARSE = 8, CELLS_FINE = 16, CELLS_POINTS = CELLS_FINE + 1 };

double cells_place(int n, int j);                           // x_j; n is one of the two above
void cells_through(const double *values, int n, double *c); // (n + 1) each
double cells_error(const double *c, int n);                 // about the largest of u
double cells_at(const double *c, int n, double x);          // u(x)
void cells_derive(const double *c, int n, double *d);       // (n + 1): the coefficients of du/dx
void cells_integrate(const double *c, int n, double *w);    // (n + 2): those of the integral from -1
/* Where u is 0, in order: at most n of them. Returns how many. */
int cells_zeros(const double *c, int n, double *x);

#endif
