#include "motion/curve.h"

#include "linear/lu.h"

#include <math.h>
#include <string.h>

// de Casteljau: from the coefficients of 0 .. 1 in p to those of 0 .. x; p[degree] is y(x)
static void cut_behind(double *p, int degree, double x) {
    for (int level = 1; level <= degree; level++)
        for (int k = degree; k >= level; k--)
            p[k] = (1 - x) * p[k - 1] + x * p[k];
}

// the same to those of x .. 1
static void cut_before(double *p, int degree, double x) {
    for (int level = 1; level <= degree; level++)
        for (int k = 0; k <= degree - level; k++)
            p[k] = (1 - x) * p[k] + x * p[k + 1];
}

double curve_at(const double *c, int degree, double x, double *slope) {
    double p[CURVE_POINTS];
    memcpy(p, c, (size_t)(degree + 1) * sizeof *p);
    for (int level = 1; level < degree; level++)
        for (int k = 0; k <= degree - level; k++)
            p[k] = (1 - x) * p[k] + x * p[k + 1];
    *slope = degree ? degree * (p[1] - p[0]) : 0;
    return degree ? (1 - x) * p[0] + x * p[1] : p[0];
}

void curve_part(const double *c, int degree, double a, double b, double *part) {
    memmove(part, c, (size_t)(degree + 1) * sizeof *part);
    if (b < 1)
        cut_behind(part, degree, b);
    if (a > 0)
        cut_before(part, degree, a / b);
}

void curve_derive(const double *c, int degree, double *out) {
    for (int k = 0; k < degree; k++)
        out[k] = degree * (c[k + 1] - c[k]);
}

void curve_times_x(double *c, int degree, double add) {
    for (int k = degree + 1; k > 0; k--)
        c[k] = k * (c[k - 1] + add) / (degree + 1);
    c[0] = 0;
}

void curve_times_rest(double *c, int degree, double add) {
    for (int k = 0; k <= degree; k++)
        c[k] = (degree + 1 - k) * (c[k] + add) / (degree + 1);
    c[degree + 1] = 0;
}

// the weight of c_k at x
static double weight(int degree, int k, double x) {
    double w = 1;
    for (int i = 0; i < k; i++)
        w *= x * (degree - i) / (i + 1);
    return w * pow(1 - x, degree - k);
}

void curve_through(const double *values, int degree, double *c) {
    double K[CURVE_POINTS * CURVE_POINTS], work[2 * CURVE_POINTS];
    int n = degree + 1, pivot[CURVE_POINTS], sign;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            K[i * n + k] = weight(degree, k, degree ? (double)i / degree : 0);
    memcpy(c, values, (size_t)n * sizeof *c);
    lu_factor(K, n, pivot, work, &sign);
    lu_solve(K, n, pivot, c);
}
