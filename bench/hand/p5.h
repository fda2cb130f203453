/* P5: a body without torque. y: quaternion (scalar first), angular velocity in body axes.
 * u' = u o w/2 and Euler's equations with J = (1, 2, 3). */
#ifndef BENCH_P5_H
#define BENCH_P5_H

#include <math.h>

enum { P5_SIZE = 7 };

static inline void p5_rhs(void *c, const double *restrict y, double *restrict f) {
    (void)c;
    double p = 0.5 * y[4], q = 0.5 * y[5], r = 0.5 * y[6];
    f[0] = -y[1] * p - y[2] * q - y[3] * r;
    f[1] = y[0] * p + y[2] * r - y[3] * q;
    f[2] = y[0] * q + y[3] * p - y[1] * r;
    f[3] = y[0] * r + y[1] * q - y[2] * p;
    f[4] = -y[5] * y[6];
    f[5] = y[6] * y[4];
    f[6] = (-1.0 / 3) * y[4] * y[5];
}

static inline void p5_start(double *y) {
    const double start[P5_SIZE] = {1, 0, 0, 0, 0.01, 5, 0.01};
    for (int i = 0; i < P5_SIZE; i++)
        y[i] = start[i];
}

static inline double p5_violation(const double *y) {
    return fabs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3] - 1);
}

#endif
