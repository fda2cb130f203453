/* Where the benchmark problems end, with more digits than double has.
 *
 *     reference PROBLEM N        prints the final values, one per line, with 24 digits
 *
 * PRECISION 128 is binary128 in software (33 digits), 64 the 80-bit format of x86 (19 digits): where both
 * agree, the digits are right as far as arithmetic and step size go. P1, P3 and P4 are solved in their
 * degrees of freedom (angles), so that they share no equation with the models; P2 in coordinates and
 * tensions, like the hand-written code, and P2 with N = 2 after 10 s is P1.
 *
 * Gragg's method extrapolated over 2, 4, ..., 2 K substeps (Hairer, Norsett, Wanner I, section II.9): order 2
 * K. */
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
enum { K = 12 };
#else
typedef long double real;
#define F(f)      f##l
#define R(x)      x##L
#define TOLERANCE 1e-16L
enum { K = 7 }; // more columns, more rounding: extrapolation takes differences
#endif

typedef void right_hand_side(int n, const real *y, real *f); // y' = f(y), y (n)

static void *allocate(size_t bytes) {
    void *p = calloc(1, bytes);
    if (!p)
        exit(1);
    return p;
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

/* From 0 to end. A step is good when the last two columns differ by less than the tolerance. */
static void integrate(right_hand_side *rhs, int n, real *y, real end) {
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
        if (error <= TOLERANCE) {
            t += H;
            memcpy(y, table, sizeof(real) * n);
        }
        real growth = error > 0 ? R(0.8) * F(pow)(TOLERANCE / error, R(1.0) / (2 * K - 1)) : 2;
        H *= F(fmin)(2, F(fmax)(R(0.2), growth));
    }
    free(f), free(work), free(table), free(last);
}

// ---- P1, P3, P5: ordinary differential equations of textbooks

#define G R(9.81)

/* The angles of the rods from below (Landau & Lifshitz, Mechanics, section 5), m = L = 1. y: a, b, a', b'. */
static void double_pendulum(int n, const real *y, real *f) {
    (void)n;
    real c = F(cos)(y[0] - y[1]), s = F(sin)(y[0] - y[1]);
    real p = -s * y[3] * y[3] - 2 * G * F(sin)(y[0]), q = s * y[2] * y[2] - G * F(sin)(y[1]);
    f[0] = y[2], f[1] = y[3];
    f[2] = (p - c * q) / (2 - c * c); // 2 a'' + c b'' = p, c a'' + b'' = q
    f[3] = (2 * q - c * p) / (2 - c * c);
}

static real kappa;

static void pendulum(int n, const real *y, real *f) {
    (void)n;
    f[0] = y[1], f[1] = kappa * F(sin)(y[0]);
}

/* Euler's equations with J = (1, 2, 3). */
static void euler(int n, const real *w, real *f) {
    (void)n;
    f[0] = -w[1] * w[2], f[1] = w[2] * w[0], f[2] = -w[0] * w[1] / 3;
}

// ---- P2

/* d_i = p_i - p_i-1, d_i . (a_i - a_i-1) = -|d_i'|^2, a_i = g - s_i d_i + s_i+1 d_i+1: tridiagonal in s.
 * y: positions, then velocities, each x_1, y_1, x_2, ... */
static void chain(int n, const real *y, real *f) {
    int N = n / 4;
    const real *v = y + 2 * N;
    static real *pivot, *s;
    if (!pivot)
        pivot = allocate(sizeof(real) * N), s = allocate(sizeof(real) * (N + 1));
    real ex = 0, ey = 0, c = 0;
    for (int i = 0; i < N; i++) {
        real x = y[2 * i], z = y[2 * i + 1], p = v[2 * i], q = v[2 * i + 1];
        if (i > 0)
            x -= y[2 * i - 2], z -= y[2 * i - 1], p -= v[2 * i - 2], q -= v[2 * i - 1];
        c = ex * x + ey * z;
        pivot[i] = (i > 0 ? 2 : 1) * (x * x + z * z);
        s[i] = p * p + q * q - (i > 0 ? 0 : G * z);
        if (i > 0) {
            pivot[i] -= c * c / pivot[i - 1];
            s[i] += c * s[i - 1] / pivot[i - 1];
        }
        ex = x, ey = z;
    }
    memcpy(f, v, sizeof(real) * 2 * N);
    real *a = f + 2 * N, next = 0, nx = 0, ny = 0; // the thread above
    for (int i = N - 1; i >= 0; i--) {
        real x = y[2 * i], z = y[2 * i + 1];
        if (i > 0)
            x -= y[2 * i - 2], z -= y[2 * i - 1];
        s[i] = (s[i] + (x * nx + z * ny) * next) / pivot[i];
        a[2 * i] = next * nx - s[i] * x;
        a[2 * i + 1] = -G + next * ny - s[i] * z;
        next = s[i], nx = x, ny = z;
    }
}

// ---- P4

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

static vector P3;

/* Bricard's mechanism by its first angle a: the hinges turn by a, b, a, b, a with sin a + sin b + sin a sin b
 * = 0 (the closure of the threefold symmetric linkage with twists of 90 degrees: Chen, You, Tarnai 2005).
 * d'Alembert's principle on the one freedom: sum of m v_a . (acc - g) + w_a . (I alpha + w x I w) = 0, where
 * acc = v_a a'' + acc_0 and so on; v_a, w_a are velocities for a' = 1. y: a, a'. */
static void bricard(int n, const real *y, real *f) {
    (void)n;
    static const vector start_axes[] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const vector start_rods[] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 1, 0}};
    const real axial = R(1.0) / 600, across = R(1.01) / 12, g = G;
    real a = y[0], u = y[1], sa = F(sin)(a), ca = F(cos)(a);
    real sb = -sa / (1 + sa), cb = F(sqrt)(1 - sb * sb);
    // b = asin(-sa/(1 + sa)), and its first and second derivative with respect to a
    real s1 = -ca / ((1 + sa) * (1 + sa)),
         s2 = (sa * (1 + sa) + 2 * ca * ca) / ((1 + sa) * (1 + sa) * (1 + sa));
    real b = F(asin)(sb), b1 = s1 / cb, b2 = (s2 + sb * b1 * b1) / cb;
    real angle[] = {a, b, a, b, a}, rate[] = {1, b1, 1, b1, 1}, bend[] = {0, b2, 0, b2, 0};

    real mass = 0, rest = 0;
    vector zero = {0, 0, 0}, p = zero, v = zero, acc = zero, w = zero,
           alpha = zero; // of the hinge; of the body before
    for (int i = 0; i < 5; i++) {
        vector e = start_axes[i], r = start_rods[i];
        r = turned(e, angle[i], r);
        for (int j = i - 1; j >= 0; j--) {
            e = turned(start_axes[j], angle[j], e);
            r = turned(start_axes[j], angle[j], r);
        }
        // w and v for a' = 1, alpha and acc for a' = 1, a'' = 0; all of these grow with u^2
        alpha = add(alpha, add(scale(bend[i], e), scale(rate[i], cross(w, e))));
        w = add(w, scale(rate[i], e));
        vector vc = add(v, scale(R(0.5), cross(w, r)));
        vector ac = add(acc, scale(R(0.5), add(cross(alpha, r), cross(w, cross(w, r)))));
        // I x = across x + (axial - across) (r . x) r
        vector Iw = add(scale(across, w), scale((axial - across) * dot(r, w), r));
        vector Ialpha = add(scale(across, alpha), scale((axial - across) * dot(r, alpha), r));
        mass += dot(vc, vc) + dot(w, Iw);
        rest += u * u * (dot(vc, ac) + dot(w, Ialpha)) + g * vc.y; // w . (w x I w) = 0
        p = add(p, r);
        v = add(v, cross(w, r));
        acc = add(acc, add(cross(alpha, r), cross(w, cross(w, r))));
        if (i == 1)
            P3 = p;
    }
    f[0] = u, f[1] = -rest / mass;
}

// ---- the problems

static void print(real x) {
#if PRECISION == 128
    char text[64];
    quadmath_snprintf(text, sizeof text, "%.24Qe", x);
    puts(text);
#else
    printf("%.24Le\n", x);
#endif
}

static void solve_chain(int N, real end) {
    real *y = allocate(sizeof(real) * 4 * N);
    for (int i = 0; i < N; i++)
        y[2 * i] = i + 1;
    integrate(chain, 4 * N, y, end);
    int near = N > 2 ? 2 : 0; // the third particle; the far end still falls freely after 1 s
    print(y[2 * near]), print(y[2 * near + 1]), print(y[2 * N - 2]), print(y[2 * N - 1]);
    free(y);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return fputs("usage: reference p1|p1check|p2|p3|p4|p5 N\n", stderr), 2;
    int N = atoi(argv[2]);
    if (!strcmp(argv[1], "p1")) {
        real y[4] = {F(acos)(R(0.0)), F(acos)(R(0.0)), 0, 0};
        integrate(double_pendulum, 4, y, 10);
        print(F(sin)(y[0])), print(-F(cos)(y[0]));
        print(F(sin)(y[0]) + F(sin)(y[1])), print(-F(cos)(y[0]) - F(cos)(y[1]));
    } else if (!strcmp(argv[1], "p1check")) {
        solve_chain(2, 10);
    } else if (!strcmp(argv[1], "p2")) {
        solve_chain(N, 1);
    } else if (!strcmp(argv[1], "p3")) {
        real y[2] = {0, 1};
        kappa = 3 * (3 * N + 1) * G / (2 * (4 * N + 1));
        integrate(pendulum, 2, y, 10);
        print(F(sin)(y[0])), print(F(cos)(y[0])), print(N + F(sin)(y[0])), print(F(cos)(y[0]));
    } else if (!strcmp(argv[1], "p4")) {
        real y[2] = {0, 0}, f[2];
        integrate(bricard, 2, y, 10);
        bricard(2, y, f);
        print(P3.x), print(P3.y), print(P3.z);
    } else if (!strcmp(argv[1], "p5")) {
        real w[3] = {R(0.01), 5, R(0.01)};
        integrate(euler, 3, w, 100);
        print(w[0]), print(w[1]), print(w[2]);
    }
    return 0;
}
