/* Numbers with more digits than double has, and differential equations solved with them.
 *
 * PRECISION 128 is binary128 in software (33 digits), 64 the 80-bit format of x86 (19 digits).
 *
 * Gragg's method extrapolated over 2, 4, ..., 2 K substeps (Hairer, Norsett, Wanner I, section II.9): order 2
 * K. */
#ifndef BENCH_INTEGRATE_H
#define BENCH_INTEGRATE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if PRECISION == 128
#include <quadmath.h>
typedef __float128 real;
#define F(f)      f##q
#define R(x)      x##Q
#define TOLERANCE 1e-26Q
#define LOOSE     1e-20Q
enum { K = 12 };
#else
typedef long double real;
#define F(f)      f##l
#define R(x)      x##L
#define TOLERANCE 1e-16L
#define LOOSE     1e-13L
enum { K = 7 }; // more columns, more rounding: extrapolation takes differences
#endif

/* With 24 digits, on a line. */
static void print(real x) {
#if PRECISION == 128
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.24Qe", x);
    puts(text);
#else
    printf("%.24Le\n", x);
#endif
}

typedef void right_hand_side(int n, const real *y, real *f); // y' = f(y), y (n)

static void *allocate(size_t bytes) {
    void *p = calloc(1, bytes);
    if (!p)
        exit(1);
    return p;
}

// ---- vectors

typedef struct {
    real x, y, z;
} vector;

static vector add(vector a, vector b) {
    return (vector){a.x + b.x, a.y + b.y, a.z + b.z};
}
static vector scale(real c, vector a) {
    return (vector){c * a.x, c * a.y, c * a.z};
}
static real dot(vector a, vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vector cross(vector a, vector b) {
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* v turned about the unit vector e. */
static vector turned(vector e, real angle, vector v) {
    real c = F(cos)(angle), s = F(sin)(angle);
    return add(add(scale(c, v), scale(s, cross(e, v))), scale((1 - c) * dot(e, v), e));
}

// ---- integration

/* One step of Gragg's method with m substeps of H/m: the explicit midpoint rule, without smoothing (m is
 * even). */
static void gragg(right_hand_side *rhs, int n, const real *y, const real *f, real H, int m, real *out,
                  real *work) {
    real *a = work, *b = work + n, *g = work + 2 * n, h = H / m;
    for (int i = 0; i < n; i++) {
        a[i] = y[i];
        b[i] = y[i] + h * f[i];
    }
    for (int s = 1; s < m; s++) {
        rhs(n, b, g);
        for (int i = 0; i < n; i++) {
            real next = a[i] + 2 * h * g[i];
            a[i] = b[i];
            b[i] = next;
        }
    }
    memcpy(out, b, sizeof(real) * n);
}

/* From 0 to end. A step is good when the last two columns differ by less than the tolerance: TOLERANCE, or
 * LOOSE where accelerations come from matrices of such condition (1e8 for a hundred links) that rounding
 * would not let it be. */
static void integrate(right_hand_side *rhs, int n, real *y, real end, real tolerance) {
    real *f = allocate(sizeof(real) * n), *work = allocate(sizeof(real) * 3 * n);
    real *table = allocate(sizeof(real) * K * n), *last = allocate(sizeof(real) * n);
    real t = 0, H = end / 1000;
    while (t < end) {
        if (t + H > end)
            H = end - t;
        rhs(n, y, f);
        for (int k = 0; k < K; k++) { // Aitken-Neville in place: table[j] is T(k, k - j)
            gragg(rhs, n, y, f, H, 2 * (k + 1), table + (size_t)k * n, work);
            for (int j = k - 1; j >= 0; j--) {
                real ratio = (real)(k + 1) / (j + 1), factor = 1 / (ratio * ratio - 1);
                real *fine = table + (size_t)(j + 1) * n, *coarse = table + (size_t)j * n;
                if (k == K - 1 && j == 0)
                    memcpy(last, fine, sizeof(real) * n);
                for (int i = 0; i < n; i++)
                    coarse[i] = fine[i] + (fine[i] - coarse[i]) * factor;
            }
        }
        real error = 0;
        for (int i = 0; i < n; i++)
            error = F(fmax)(error, F(fabs)(table[i] - last[i]) / (1 + F(fabs)(y[i])));
        if (error <= tolerance) {
            t += H;
            memcpy(y, table, sizeof(real) * n);
        }
        real growth = error > 0 ? R(0.8) * F(pow)(tolerance / error, R(1.0) / (2 * K - 1)) : 2;
        H *= F(fmin)(2, F(fmax)(R(0.2), growth));
    }
    free(f), free(work), free(table), free(last);
}

#endif
