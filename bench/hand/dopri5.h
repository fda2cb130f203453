/* Dormand and Prince's method of order 5(4) with the step control of Hairer, Norsett, Wanner I, section II.4
 * and II.5 (DOPRI5: PI control, beta = 0.04). Everything is inlined into the caller, so that a constant n
 * unrolls.
 *
 * rhs computes f(y), both (n). project, or NULL, brings a new y back onto the constraints and leaves f(y)
 * there, which costs evaluations of its own. watch, or NULL, sees every accepted y. Returns the number of
 * evaluations. */
#ifndef BENCH_DOPRI5_H
#define BENCH_DOPRI5_H

#include <math.h>

#define DOPRI5_INLINE static inline __attribute__((always_inline))

typedef void rhs_function(void *c, const double *restrict y, double *restrict f);
typedef void project_function(void *c, double *restrict y, double *restrict f);
typedef void watch_function(void *c, const double *y);

enum { DOPRI5_WORK = 8 }; // vectors of n

DOPRI5_INLINE double dopri5_norm(int n, const double *e, const double *a, const double *b, double tolerance) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double larger = fmax(fabs(a[i]), fabs(b[i])), q = e[i] / (tolerance + tolerance * larger);
        sum += q * q;
    }
    return sqrt(sum / n);
}

/* A first step from the sizes of y, f and the change of f over a small Euler step. */
DOPRI5_INLINE double dopri5_first(int n, const double *y, const double *f, double *z, double *g, double end,
                                  double tolerance, rhs_function *rhs, void *c) {
    double d0 = dopri5_norm(n, y, y, y, tolerance), d1 = dopri5_norm(n, f, y, y, tolerance);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int i = 0; i < n; i++)
        z[i] = y[i] + h * f[i];
    rhs(c, z, g);
    for (int i = 0; i < n; i++)
        z[i] = (g[i] - f[i]) / h;
    double d2 = dopri5_norm(n, z, y, y, tolerance), d = fmax(d1, d2);
    return fmin(fmin(100 * h, end), d < 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / d, 0.2));
}

DOPRI5_INLINE long dopri5(int n, double *restrict y, double end, double tolerance, rhs_function *rhs,
                          project_function *project, watch_function *watch, void *c, double *restrict work) {
    double *restrict k1 = work, *restrict k2 = work + n, *restrict k3 = work + 2 * n,
                     *restrict k4 = work + 3 * n;
    double *restrict k5 = work + 4 * n, *restrict k6 = work + 5 * n, *restrict k7 = work + 6 * n;
    double *restrict z = work + 7 * n;
    double t = 0, before = 1e-4;
    int rejected = 0;
    rhs(c, y, k1);
    double h = dopri5_first(n, y, k1, z, k2, end, tolerance, rhs, c);
    long evaluations = 2;
    while (t < end) {
        if (t + 1.01 * h >= end)
            h = end - t;
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * (1.0 / 5) * k1[i];
        rhs(c, z, k2);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * (3.0 / 40 * k1[i] + 9.0 / 40 * k2[i]);
        rhs(c, z, k3);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * (44.0 / 45 * k1[i] - 56.0 / 15 * k2[i] + 32.0 / 9 * k3[i]);
        rhs(c, z, k4);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * (19372.0 / 6561 * k1[i] - 25360.0 / 2187 * k2[i] + 64448.0 / 6561 * k3[i] -
                               212.0 / 729 * k4[i]);
        rhs(c, z, k5);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * (9017.0 / 3168 * k1[i] - 355.0 / 33 * k2[i] + 46732.0 / 5247 * k3[i] +
                               49.0 / 176 * k4[i] - 5103.0 / 18656 * k5[i]);
        rhs(c, z, k6);
        for (int i = 0; i < n; i++)
            z[i] = y[i] + h * (35.0 / 384 * k1[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] -
                               2187.0 / 6784 * k5[i] + 11.0 / 84 * k6[i]);
        rhs(c, z, k7);
        evaluations += 6;
        for (int i = 0; i < n; i++)
            k2[i] = h * (71.0 / 57600 * k1[i] - 71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] -
                         17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i] - 1.0 / 40 * k7[i]);
        double error = fmax(dopri5_norm(n, k2, y, z, tolerance), 1e-10);
        float grown = powf((float)error, 0.2f - 0.04f * 0.75f);
        if (error <= 1) {
            t = t + 1.01 * h >= end && h == end - t ? end : t + h;
            if (project) {
                project(c, z, k7);
                evaluations++;
            }
            for (int i = 0; i < n; i++) {
                y[i] = z[i];
                k1[i] = k7[i];
            }
            if (watch)
                watch(c, y);
            double factor = grown / powf((float)before, 0.04f) / 0.9f;
            factor = fmax(0.1, fmin(5, factor));
            h /= rejected ? fmax(1, factor) : factor;
            before = fmax(error, 1e-4);
            rejected = 0;
        } else {
            h /= fmin(5, grown / 0.9f);
            rejected = 1;
        }
    }
    return evaluations;
}

#endif
