/* Where the benchmark problems end, with more digits than double has.
 *
 *     reference PROBLEM N        prints the final values, one per line, with 24 digits
 *
 * PRECISION is 128 or 64: where both agree, the digits are right as far as arithmetic and step size go. P1,
 * P3 and P4 are solved in their degrees of freedom (angles), so that they share no equation with the models;
 * P2 in coordinates and tensions, like the hand-written code, and P2 with N = 2 after 10 s is P1. J1 to J3
 * are in joints.h. */
#include "joints.h"

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

static void solve_chain(int N, real end) {
    real *y = allocate(sizeof(real) * 4 * N);
    for (int i = 0; i < N; i++)
        y[2 * i] = i + 1;
    integrate(chain, 4 * N, y, end, TOLERANCE);
    int near = N > 2 ? 2 : 0; // the third particle; the far end still falls freely after 1 s
    print(y[2 * near]), print(y[2 * near + 1]), print(y[2 * N - 2]), print(y[2 * N - 1]);
    free(y);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return fputs("usage: reference p1|p1check|p2|p3|p4|p5|j1|j2|j3 N\n", stderr), 2;
    int N = atoi(argv[2]);
    if (!strcmp(argv[1], "p1")) {
        real y[4] = {F(acos)(R(0.0)), F(acos)(R(0.0)), 0, 0};
        integrate(double_pendulum, 4, y, 10, TOLERANCE);
        print(F(sin)(y[0])), print(-F(cos)(y[0]));
        print(F(sin)(y[0]) + F(sin)(y[1])), print(-F(cos)(y[0]) - F(cos)(y[1]));
    } else if (!strcmp(argv[1], "p1check")) {
        solve_chain(2, 10);
    } else if (!strcmp(argv[1], "p2")) {
        solve_chain(N, 1);
    } else if (!strcmp(argv[1], "p3")) {
        real y[2] = {0, 1};
        kappa = 3 * (3 * N + 1) * G / (2 * (4 * N + 1));
        integrate(pendulum, 2, y, 10, TOLERANCE);
        print(F(sin)(y[0])), print(F(cos)(y[0])), print(N + F(sin)(y[0])), print(F(cos)(y[0]));
    } else if (!strcmp(argv[1], "p4")) {
        real y[2] = {0, 0}, f[2];
        integrate(bricard, 2, y, 10, TOLERANCE);
        bricard(2, y, f);
        print(P3.x), print(P3.y), print(P3.z);
    } else if (!strcmp(argv[1], "p5")) {
        real w[3] = {R(0.01), 5, R(0.01)};
        integrate(euler, 3, w, 100, TOLERANCE);
        print(w[0]), print(w[1]), print(w[2]);
    } else if (!strcmp(argv[1], "j1")) {
        solve_linkage(joints_chain(N));
    } else if (!strcmp(argv[1], "j2")) {
        solve_linkage(joints_arm());
    } else if (!strcmp(argv[1], "j3")) {
        solve_platform();
    }
    return 0;
}
