/* P1: the double pendulum in coordinates. y: x1, y1, x2, y2 and their derivatives.
 *
 * With d1 = p1, d2 = p2 - p1 and tensions s1, s2 per length, p1'' = g - s1 d1 + s2 d2, p2'' = g - s2 d2, and
 * d.d'' = -|d'|^2 gives
 *     |d1|^2 s1 -    d1.d2  s2 = |d1'|^2 + g.d1
 *    -d1.d2  s1 + 2 |d2|^2 s2 = |d2'|^2 */
#ifndef BENCH_P1_H
#define BENCH_P1_H

#include <math.h>

enum { P1_SIZE = 8 };

static inline void p1_rhs(void *c, const double *restrict y, double *restrict f) {
    (void)c;
    const double g = 9.81;
    double ux = y[2] - y[0], uy = y[3] - y[1], px = y[6] - y[4], py = y[7] - y[5];
    double a = y[0] * y[0] + y[1] * y[1], b = -(y[0] * ux + y[1] * uy), d = 2 * (ux * ux + uy * uy);
    double r = y[4] * y[4] + y[5] * y[5] - g * y[1], s = px * px + py * py;
    double over = 1 / (a * d - b * b);
    double s1 = (d * r - b * s) * over, s2 = (a * s - b * r) * over;
    f[0] = y[4];
    f[1] = y[5];
    f[2] = y[6];
    f[3] = y[7];
    f[4] = s2 * ux - s1 * y[0];
    f[5] = s2 * uy - s1 * y[1] - g;
    f[6] = -s2 * ux;
    f[7] = -s2 * uy - g;
}

static inline void p1_start(double *y) {
    const double start[P1_SIZE] = {1, 0, 2, 0, 0, 0, 0, 0};
    for (int i = 0; i < P1_SIZE; i++)
        y[i] = start[i];
}

/* The larger of | |d|^2 - 1 |. */
static inline double p1_violation(const double *y) {
    double ux = y[2] - y[0], uy = y[3] - y[1];
    return fmax(fabs(y[0] * y[0] + y[1] * y[1] - 1), fabs(ux * ux + uy * uy - 1));
}

#endif
