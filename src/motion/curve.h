/* Polynomials over a step by their Bernstein coefficients c_0 .. c_d: with x from 0 to 1 along the step
 *
 *     y(x) = sum_k (d over k) x^k (1-x)^(d-k) c_k
 *
 * Over any part of the step y is within the least and the largest coefficient of that part, which de
 * Casteljau's rule finds by means of two numbers alone, so that rounding does not grow (Farin, Curves and
 * Surfaces for CAGD, ch. 5). */
#ifndef TRAMMEL_MOTION_CURVE_H
#define TRAMMEL_MOTION_CURVE_H

enum { CURVE_DEGREE = 12, CURVE_POINTS = CURVE_DEGREE + 1 }; // at most

/* y(x), and in *slope y'(x), the derivative by x. */
double curve_at(const double *c, int degree, double x, double *slope);
/* The coefficients of the part from a to b of the same polynomial, with b - a the unit of its x. */
void curve_part(const double *c, int degree, double a, double b, double *part);
/* The derivative by x, of degree - 1; out may be c. */
void curve_derive(const double *c, int degree, double *out);

/* The polynomial with these values (degree + 1) at x = k / degree. */
void curve_through(const double *values, int degree, double *c);

/* Building one from the inside out: c becomes (c + add) x, or (c + add) (1-x), of one degree more. */
void curve_times_x(double *c, int degree, double add);
void curve_times_rest(double *c, int degree, double add);

#endif
