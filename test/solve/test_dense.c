/* The dense constrained acceleration against its definition and against 113-bit arithmetic. */
#include "solve/dense.h"

#include "exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const double CUT = 1e-11;

typedef struct {
    int n, m;
    double M[MOST * MOST], A[MOST * MOST], Q[MOST], b[MOST];
    bool redundant[MOST];      // the row was made from others
    double origin[MOST][MOST]; // a redundant row i at unit scale = sum of origin[i][j] * row j at unit scale
    double row_scale[MOST];    // of row i as written
    double x[MOST], force[MOST]; // of the reference
} problem;

/* ---- making problems ---- */

// M = sum of 10^(-span k/(n-1)) v_k v_k' over the first `rank` vectors of a random orthonormal set
static void make_mass(dice *d, problem *p, double span, int rank) {
    int n = p->n;
    static double v[MOST][MOST];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            v[k][i] = normal(d);
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < k; l++) {
                double f = 0;
                for (int i = 0; i < n; i++)
                    f += v[k][i] * v[l][i];
                for (int i = 0; i < n; i++)
                    v[k][i] -= f * v[l][i];
            }
        double s = 0;
        for (int i = 0; i < n; i++)
            s += v[k][i] * v[k][i];
        for (int i = 0; i < n; i++)
            v[k][i] /= sqrt(s);
    }
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                p->M[i * n + j] += pow(10, -span * k / (n > 1 ? n - 1 : 1)) * (v[k][i] * v[k][j]);
}

// masses D M D with D over 10^+-span
static void spread_mass(dice *d, problem *p, double span) {
    double s[MOST];
    for (int i = 0; i < p->n; i++)
        s[i] = decades(d, span);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            p->M[i * p->n + j] *= s[i] * s[j];
}

static void drop_mass(problem *p, int coordinate) {
    for (int j = 0; j < p->n; j++)
        p->M[coordinate * p->n + j] = p->M[j * p->n + coordinate] = 0;
}

// row i <- sum of random multiples of up to `terms` of the rows before `first`
static void make_redundant(dice *d, problem *p, int i, int first, int terms) {
    p->redundant[i] = true;
    memset(p->A + i * p->n, 0, (size_t)p->n * sizeof(double));
    for (int t = 0; t < terms; t++) {
        int from = (i + t) % first;
        double f = terms == 1 ? 1 : normal(d);
        p->origin[i][from] += f;
        for (int j = 0; j < p->n; j++)
            p->A[i * p->n + j] += f * p->A[from * p->n + j];
    }
}

static void scale_rows(dice *d, problem *p, double span) {
    for (int i = 0; i < p->m; i++) {
        p->row_scale[i] = decades(d, span);
        for (int j = 0; j < p->n; j++)
            p->A[i * p->n + j] *= p->row_scale[i];
    }
}

// b = A x for a random x, rounded once
static void make_b(dice *d, problem *p) {
    double x[MOST];
    for (int j = 0; j < p->n; j++)
        x[j] = normal(d);
    for (int i = 0; i < p->m; i++) {
        real s = 0;
        for (int j = 0; j < p->n; j++)
            s += (real)p->A[i * p->n + j] * x[j];
        p->b[i] = (double)s;
    }
}

static void start(dice *d, problem *p, int n, int m) {
    memset(p, 0, sizeof *p);
    p->n = n;
    p->m = m;
    for (int i = 0; i < m; i++) {
        p->row_scale[i] = 1;
        for (int j = 0; j < n; j++)
            p->A[i * n + j] = normal(d);
    }
    for (int j = 0; j < n; j++)
        p->Q[j] = normal(d);
}

/* The KKT equations M x - A'l = Q, A x = b of the rows that are not redundant, by elimination. Returns the
 * smallest pivot, rows and columns equilibrated: a condition number's inverse, roughly. */
static double reference(problem *p) {
    static real K[MOST][MOST];
    int n = p->n, N = n, unknown[MOST];
    real s[MOST];
    memset(K, 0, sizeof K);
    for (int i = 0; i < n; i++)
        s[i] = p->M[i * n + i] > 0 ? 1 / real_sqrt(p->M[i * n + i]) : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[i][j] = s[i] * s[j] * p->M[i * n + j];
    for (int i = 0; i < p->m; i++) {
        if (p->redundant[i])
            continue;
        real norm = 0;
        for (int j = 0; j < n; j++)
            norm += s[j] * s[j] * p->A[i * n + j] * p->A[i * n + j];
        s[N] = 1 / real_sqrt(norm);
        for (int j = 0; j < n; j++) {
            K[N][j] = s[N] * s[j] * p->A[i * n + j];
            K[j][N] = -K[N][j];
        }
        N++;
    }
    for (int i = 0, k = n; i < N; i++)
        if (i < n)
            K[i][N] = s[i] * p->Q[i];
        else {
            while (p->redundant[k - n])
                k++;
            K[i][N] = s[i] * p->b[k++ - n];
        }
    static real L[MOST][MOST];
    memcpy(L, K, sizeof L);
    double least = 1;
    while (least > 1e-28 && exact_reduce(L, N, N + 1, N, least, unknown) < N) {
        least /= 4;
        memcpy(L, K, sizeof L);
    }
    real x[MOST] = {0};
    for (int i = 0; i < N; i++)
        if (unknown[i] < n)
            x[unknown[i]] = s[unknown[i]] * L[i][N];
    for (int i = 0; i < n; i++) {
        real f = -(real)p->Q[i];
        for (int j = 0; j < n; j++)
            f += p->M[i * n + j] * x[j];
        p->x[i] = (double)x[i];
        p->force[i] = (double)f;
    }
    return least;
}

/* ---- checks by definition ---- */

static double length(const double *x, int n) {
    double s = 0;
    for (int j = 0; j < n; j++)
        s += x[j] * x[j];
    return sqrt(s);
}

static double distance(const double *x, const double *y, int n) {
    double d[MOST];
    for (int j = 0; j < n; j++)
        d[j] = x[j] - y[j];
    return length(d, n);
}

// the largest |A_i x - b_i| / (|A_i| |x| + |b_i|)
static double row_residual(const problem *p, const double *x) {
    double worst = 0;
    for (int i = 0; i < p->m; i++) {
        real s = -(real)p->b[i];
        for (int j = 0; j < p->n; j++)
            s += (real)p->A[i * p->n + j] * x[j];
        double size = length(p->A + i * p->n, p->n) * length(x, p->n) + fabs(p->b[i]);
        worst = fmax(worst, size > 0 ? (double)real_abs(s) / size : 0);
    }
    return worst;
}

// M x - Q, with the size of its terms
static void inertia(const problem *p, const double *x, const double *Q, real *f, double *size) {
    for (int i = 0; i < p->n; i++) {
        f[i] = -(real)Q[i];
        size[i] = fabs(Q[i]);
        for (int j = 0; j < p->n; j++) {
            f[i] += (real)p->M[i * p->n + j] * x[j];
            size[i] += fabs(p->M[i * p->n + j] * x[j]);
        }
    }
}

// v'(M x - Q) = v'C for all v with A v = 0, and x'Mx - 2x'(Q + C) is nowhere less
static void check_minimum(dice *d, const problem *p, const double *x, const double *C) {
    static real v[MOST][MOST];
    real f[MOST];
    double size[MOST];
    int free = exact_null_space(p->A, p->m, p->n, v), n = p->n;
    inertia(p, x, p->Q, f, size);
    for (int l = 0; l < free; l++) {
        real work = 0, scale = 0;
        for (int j = 0; j < n; j++) {
            work += v[l][j] * (f[j] - C[j]);
            scale += real_abs(v[l][j]) * (size[j] + fabs(C[j]));
        }
        assert_true(real_abs(work) <= 1e-13 * scale);
    }
    for (int other = 0; other < 50 && free > 0; other++) {
        real w[MOST] = {0}, change = 0, scale = 0;
        for (int l = 0; l < free; l++) {
            real t = normal(d) * decades(d, 3);
            for (int j = 0; j < n; j++)
                w[j] += t * v[l][j];
        }
        for (int i = 0; i < n; i++) {
            change += 2 * w[i] * (f[i] - C[i]);
            scale += real_abs(w[i]) * (size[i] + fabs(C[i]));
            for (int j = 0; j < n; j++)
                change += w[i] * p->M[i * n + j] * w[j];
        }
        assert_true(change >= -1e-13 * scale);
    }
}

// A'multiplier = force, to rounding of its terms
static void check_force(const problem *p, const double *x, const double *Q, const double *multiplier) {
    real f[MOST];
    double size[MOST], total = 0;
    inertia(p, x, Q, f, size);
    for (int i = 0; i < p->m; i++)
        total += length(p->A + i * p->n, p->n) * fabs(multiplier[i]);
    for (int j = 0; j < p->n; j++) {
        real off = f[j];
        for (int i = 0; i < p->m; i++)
            off -= (real)p->A[i * p->n + j] * multiplier[i];
        assert_true(real_abs(off) <= 2e-14 * (size[j] + total));
    }
}

// least norm: orthogonal to the left null vectors e_i - sum of origin_ij e_j
static void check_least_norm(const problem *p, const double *multiplier) {
    for (int i = 0; i < p->m; i++) {
        if (!p->redundant[i])
            continue;
        double y[MOST] = {0}, s = multiplier[i];
        y[i] = 1;
        for (int j = 0; j < p->m; j++)
            if (p->origin[i][j] != 0) {
                y[j] = -p->origin[i][j] * p->row_scale[i] / p->row_scale[j];
                s += y[j] * multiplier[j];
            }
        assert_true(fabs(s) <= 1e-11 * length(y, p->m) * length(multiplier, p->m));
    }
}

/* ---- random systems ---- */

static int count_redundant(const problem *p) {
    int count = 0;
    for (int i = 0; i < p->m; i++)
        count += p->redundant[i];
    return count;
}

// n up to 8; M singular in half of them; redundant rows; row scales and masses over decades
static void make_random(dice *d, problem *p) {
    int n = 1 + below(d, 8), independent = below(d, n + 1);
    start(d, p, n, independent + (independent > 0 ? below(d, 5) : 0));
    for (int i = independent; i < p->m; i++)
        make_redundant(d, p, i, independent, 1 + below(d, 2));
    int missing = below(d, 2) ? below(d, independent + 1) : 0;
    if (below(d, 2)) {
        make_mass(d, p, 2, n - missing);
    } else {
        make_mass(d, p, 2, n);
        for (int i = 0; i < missing; i++)
            drop_mass(p, i);
    }
    spread_mass(d, p, below(d, 2) ? 3 : 0);
    scale_rows(d, p, below(d, 2) ? 8 : 0);
    make_b(d, p);
}

static void random_systems(void **state) {
    (void)state;
    dice d = {20240601};
    static problem p;
    for (int made = 0; made < 1000;) {
        make_random(&d, &p);
        if (reference(&p) < 1e-4)
            continue;
        made++;
        double x[MOST], multiplier[MOST], C[MOST] = {0}, force[MOST];
        for (int j = 0; j < p.n; j++) {
            C[j] = made % 3 == 0 ? normal(&d) : 0;
            force[j] = p.Q[j] + C[j];
        }
        arena *a = arena_new(0);
        dense *s = dense_new(a, p.n, p.m);
        assert_int_equal(dense_factor(s, p.M, p.A, CUT), DENSE_OK);
        assert_int_equal(dense_rank(s), p.m - count_redundant(&p));
        dense_solve(s, force, p.b, x, multiplier);
        assert_true(row_residual(&p, x) < 3e-14); // sums of rows that cancel included
        check_minimum(&d, &p, x, C);
        check_force(&p, x, force, multiplier);
        for (int i = 0; i < p.m; i++)
            assert_true(!dense_dropped(s, i) || multiplier[i] == 0);
        dense_least_norm(s, multiplier);
        check_force(&p, x, force, multiplier);
        check_least_norm(&p, multiplier);
        arena_free(a);
    }
}

/* ---- families, n = 20, m = 10 ---- */

typedef enum {
    REGULAR,
    ILL_MASS,
    SPREAD_MASS,
    DUPLICATES,
    COMBINATIONS,
    NOISE,
    NEAR,
    ROW_SCALES,
    SCALED_DUPLICATES,
    SEMIDEFINITE,
    SEMIDEFINITE_DUPLICATES
} family;

static void make_family(dice *d, problem *p, family f, double size) {
    enum { N = 20, M = 10 };
    bool some = f == DUPLICATES || f == COMBINATIONS || f == NOISE || f == SCALED_DUPLICATES ||
                f == SEMIDEFINITE_DUPLICATES;
    start(d, p, N, M);
    make_mass(d, p, f == ILL_MASS ? 8 : 2, N);
    if (f == SPREAD_MASS)
        spread_mass(d, p, 3);
    for (int i = 0; i < N / 4 && (f == SEMIDEFINITE || f == SEMIDEFINITE_DUPLICATES); i++) {
        drop_mass(p, i);
        p->Q[i] = 0;
    }
    for (int j = 0; j < N && f == NEAR; j++)
        p->A[(M - 1) * N + j] = p->A[j] + size * normal(d);
    for (int i = M / 2; i < M && some; i++)
        make_redundant(d, p, i, M / 2, f == COMBINATIONS || f == NOISE ? 2 : 1);
    if (f == ROW_SCALES || f == SCALED_DUPLICATES)
        scale_rows(d, p, 8);
    make_b(d, p);
    for (int i = M / 2; i < M && f == NOISE; i++)
        for (int j = 0; j < N; j++)
            p->A[i * N + j] *= 1 + size * normal(d);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// x and M x - Q against 113 bits: median and worst of 15, in units of the size of x
static void against_reference(void **state) {
    (void)state;
    static const struct {
        family family;
        double size, median, worst;
    } families[] = {
        {REGULAR, 0, 1e-15, 2e-15},
        {ILL_MASS, 0, 1e-12, 1e-11},
        {SPREAD_MASS, 0, 1e-15, 1e-14},
        {DUPLICATES, 0, 1e-15, 5e-15},
        {COMBINATIONS, 0, 2e-15, 1e-14},
        {NOISE, 1e-12, 2e-12, 1e-11},
        {NEAR, 1e-6, 1e-9, 1e-8},
        {NEAR, 1e-8, 1e-7, 1e-6},
        {NEAR, 1e-10, 1e-5, 1e-4},
        {ROW_SCALES, 0, 1e-15, 2e-15},
        {SCALED_DUPLICATES, 0, 2e-15, 1e-14},
        {SEMIDEFINITE, 0, 1e-15, 5e-15},
        {SEMIDEFINITE_DUPLICATES, 0, 1e-14, 2e-13},
    };
    static problem p;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        dice d = {4242 + f};
        double error[15];
        for (int trial = 0; trial < 15; trial++) {
            make_family(&d, &p, families[f].family, families[f].size);
            reference(&p);
            double x[MOST], multiplier[MOST];
            arena *a = arena_new(0);
            dense *s = dense_new(a, p.n, p.m);
            assert_int_equal(dense_factor(s, p.M, p.A, CUT), DENSE_OK);
            assert_int_equal(dense_rank(s), p.m - count_redundant(&p));
            dense_solve(s, p.Q, p.b, x, multiplier);
            error[trial] = distance(x, p.x, p.n) / length(p.x, p.n);
            arena_free(a);
        }
        qsort(error, 15, sizeof *error, ascending);
        assert_true(error[7] <= families[f].median);
        assert_true(error[14] <= families[f].worst);
    }
}

/* ---- masses that vanish, masses that differ by decades ---- */

// x for given values against the reference, with rank and tolerance
static void check_case(problem *p, int rank, double tolerance) {
    double x[MOST], multiplier[MOST];
    for (int i = 0; i < p->m; i++)
        p->row_scale[i] = 1;
    reference(p);
    arena *a = arena_new(0);
    dense *s = dense_new(a, p->n, p->m);
    assert_int_equal(dense_factor(s, p->M, p->A, CUT), DENSE_OK);
    assert_int_equal(dense_rank(s), rank);
    dense_solve(s, p->Q, p->b, x, multiplier);
    for (int j = 0; j < p->n; j++) // each coordinate by itself: the heavy must not hide the light
        assert_true(fabs(x[j] - p->x[j]) <= tolerance * fabs(p->x[j]));
    check_force(p, x, p->Q, multiplier);
    arena_free(a);
}

static void massless_coordinates(void **state) {
    (void)state;
    static problem p;
    double rows[][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {1e-7, 1, 3}, {1, 0, 1e-7}, {1e8, 0, -3e8}};
    for (int i = 0; i < 6; i++) {
        p = (problem){.n = 3, .m = 1, .Q = {3e12, 2, 0.5}, .b = {0.7}};
        p.M[0] = 1e12;
        p.M[4] = 1;
        memcpy(p.A, rows[i], sizeof rows[i]);
        check_case(&p, 1, 1e-14);
    }
    // a chain of massless coordinates between a heavy and a light mass, and back
    double chain[] = {1, -1, 0, 0, 0, 1, -1, 0, 0, 0, 1, -1};
    for (int i = 0; i < 2; i++) {
        p = (problem){.n = 4, .m = 3, .Q = {1, 2, 3, 4}, .b = {0.1, 0.2, 0.3}};
        p.M[0] = i == 0 ? 1e12 : 1e-6;
        p.M[15] = i == 0 ? 1e-6 : 1e12;
        memcpy(p.A, chain, sizeof chain);
        check_case(&p, 3, 1e-13);
    }
    // no mass at all: the rows decide
    p = (problem){.n = 2, .m = 2, .Q = {1, 2}, .b = {3, 4}, .A = {1, 1, 1, -1}};
    check_case(&p, 2, 1e-15);
}

static void mass_ratio_is_not_dependence(void **state) {
    (void)state;
    // independent in their own units; whitened the two rows differ by 1e-6 of their length. Multipliers of
    // 1e6 cancel in the force on the middle coordinate, which itself is 1e-6: hence the tolerance
    static problem p;
    p = (problem){.n = 3, .m = 2, .Q = {1, 1, 1}, .b = {1, 3}, .A = {1, 1, 0, 1, 1, 1}};
    p.M[0] = 1e-6;
    p.M[4] = 1;
    p.M[8] = 1e6;
    check_case(&p, 2, 1e-9);
    // dependent in their own units; whitened they are perpendicular
    p = (problem){.n = 2, .m = 2, .Q = {1, 1e-26}, .b = {1, 1}, .A = {1, 0, 1, 1e-13}};
    p.M[0] = 1;
    p.M[3] = 1e-26;
    p.redundant[1] = true;
    check_case(&p, 1, 1e-14);
}

// rotation by a quaternion u: M = 4 E'JE has the null direction u (002 section 4)
static void quaternion_mass(const double *u, const double *J, double *M) {
    double E[3][4] = {{-u[1], u[0], u[3], -u[2]}, {-u[2], -u[3], u[0], u[1]}, {-u[3], u[2], -u[1], u[0]}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            M[i * 4 + j] = 0;
            for (int k = 0; k < 3; k++)
                M[i * 4 + j] += 4 * J[k] * (E[k][i] * E[k][j]);
        }
}

static void quaternions(void **state) {
    (void)state;
    dice d = {7};
    static problem p;
    arena *a = arena_new(0);
    dense *s = dense_new(a, 4, 1), *free = dense_new(a, 4, 0);
    for (int trial = 0; trial < 100; trial++) {
        double u[4], J[3] = {decades(&d, 2), decades(&d, 2), decades(&d, 2)}, x[4], multiplier[1];
        p = (problem){.n = 4, .m = 1};
        for (int i = 0; i < 4; i++) {
            u[i] = normal(&d);
            p.Q[i] = normal(&d);
        }
        double norm = length(u, 4);
        for (int i = 0; i < 4; i++)
            p.A[i] = u[i] /= norm;
        p.b[0] = normal(&d);
        quaternion_mass(u, J, p.M);
        reference(&p);
        assert_int_equal(dense_factor(s, p.M, p.A, CUT), DENSE_OK);
        assert_true(dense_mass_singular(s));
        dense_solve(s, p.Q, p.b, x, multiplier);
        assert_true(distance(x, p.x, 4) <= 1e-12 * length(p.x, 4)); // condition number 1e4
        check_force(&p, x, p.Q, multiplier);
        bool named[4];
        assert_int_equal(dense_factor(free, p.M, NULL, CUT), DENSE_UNDETERMINED);
        assert_int_equal(dense_undetermined(free, named), 4);
    }
    arena_free(a);
}

// (e, 0, 0, 1) has the entry e^2 J on the diagonal of M, which is no mass to weigh a row by
static void quaternions_near_an_axis(void **state) {
    (void)state;
    dice d = {8};
    static problem p;
    arena *a = arena_new(0);
    dense *s = dense_new(a, 4, 1);
    for (int trial = 0; trial < 200; trial++) {
        double u[4], J[3] = {decades(&d, 1), decades(&d, 1), decades(&d, 1)}, x[4], multiplier[1];
        double off = pow(10, trial < 100 ? -trial / 5. : -20 - 3 * (trial - 100)); // to underflow, and to 0
        p = (problem){.n = 4, .m = 1};
        for (int i = 0; i < 4; i++) {
            u[i] = i == trial % 4 ? 1 : off * normal(&d);
            p.Q[i] = normal(&d);
        }
        double norm = length(u, 4);
        for (int i = 0; i < 4; i++)
            p.A[i] = u[i] /= norm;
        p.b[0] = normal(&d);
        quaternion_mass(u, J, p.M);
        assert_int_equal(dense_factor(s, p.M, p.A, CUT), DENSE_OK);
        dense_solve(s, p.Q, p.b, x, multiplier);
        assert_true(row_residual(&p, x) <= 1e-13);
        assert_true(length(x, 4) < 100);
        check_force(&p, x, p.Q, multiplier);
    }
    arena_free(a);
}

/* ---- what cannot be solved ---- */

static void check_refused(const double *M, const double *A, int n, int m, dense_status status,
                          const char *coordinates) {
    bool named[MOST];
    int count = 0;
    arena *a = arena_new(0);
    dense *s = dense_new(a, n, m);
    for (int again = 0; again < 2; again++) { // the second time it is expected
        assert_int_equal(dense_factor(s, M, A, CUT), status);
        count = dense_undetermined(s, named);
        for (int j = 0; j < n; j++) {
            assert_int_equal(named[j], coordinates[j] == '1');
            count -= named[j];
        }
        assert_int_equal(count, 0);
    }
    arena_free(a);
}

static void undetermined(void **state) {
    (void)state;
    double one_free[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, tie[] = {1, 1, 0, 0};
    check_refused(one_free, tie, 4, 1, DENSE_UNDETERMINED, "0010");
    double two_massless[] = {1, 0, 0, 0, 0, 0, 0, 0, 0}, difference[] = {0, 1, -1};
    check_refused(two_massless, difference, 3, 1, DENSE_UNDETERMINED, "011");
    double decades_apart[] = {1e12, 0, 0, 0, 1e-6, 0, 0, 0, 0}, other[] = {1e8, 1e8, 0};
    check_refused(decades_apart, other, 3, 1, DENSE_UNDETERMINED, "001");
    double sum_only[] = {1, 1, 0, 1, 1, 0, 0, 0, 5};
    check_refused(sum_only, NULL, 3, 0, DENSE_UNDETERMINED, "110");
    double nothing[] = {0, 0, 0, 0}, zero_row[] = {0, 0};
    check_refused(nothing, zero_row, 2, 1, DENSE_UNDETERMINED, "11");
}

static void indefinite(void **state) {
    (void)state;
    double saddle[] = {1, 2, 2, 1}, both[] = {1, 1};
    check_refused(saddle, both, 2, 1, DENSE_INDEFINITE, "11");
    double negative[] = {1, 0, 0, 0, -1e-3, 0, 0, 0, 1};
    check_refused(negative, NULL, 3, 0, DENSE_INDEFINITE, "010");
    double exchange[] = {0, 1, 0, 1, 0, 0, 0, 0, 3};
    check_refused(exchange, NULL, 3, 0, DENSE_INDEFINITE, "110");
    double coupled[] = {1, 0, 0, 0, 0, 1e-3, 0, 1e-3, 1};
    check_refused(coupled, NULL, 3, 0, DENSE_INDEFINITE, "011");
    double light[] = {1e12, 0, 0, -1}, minute[] = {-1e-20};
    check_refused(light, NULL, 2, 0, DENSE_INDEFINITE, "01");
    check_refused(minute, NULL, 1, 0, DENSE_INDEFINITE, "1");
}

// rounding below zero is not a negative direction
static void rounding_below_zero(void **state) {
    (void)state;
    static problem p;
    p = (problem){.n = 2, .m = 1, .Q = {1, 2}, .b = {3}, .A = {1, 1}, .M = {1, 1e-17, 1e-17, -1e-17}};
    check_case(&p, 1, 1e-14);
    p = (problem){.n = 2, .m = 1, .Q = {1, 2}, .b = {3}, .A = {1, 0}, .M = {1, 1, 1, 1 - 1e-15}};
    check_case(&p, 1, 1e-13);
}

static void not_finite(void **state) {
    (void)state;
    double M[] = {1, 0, NAN, 1}, A[] = {1, INFINITY}, good[] = {1, 0, 0, 1}, row[] = {1, 1};
    arena *a = arena_new(0);
    dense *s = dense_new(a, 2, 1);
    assert_int_equal(dense_factor(s, M, row, CUT), DENSE_NOT_FINITE);
    assert_int_equal(dense_factor(s, good, A, CUT), DENSE_NOT_FINITE);
    assert_int_equal(dense_factor(s, good, row, CUT), DENSE_OK);
    arena_free(a);
}

/* ---- redundant rows ---- */

static void dropped_rows(void **state) {
    (void)state;
    // row 1 vanishes, 3 is a rescaled copy of 0, 4 a sum that b contradicts
    double M[] = {2, 0, 0, 0, 3, 0, 0, 0, 4}, Q[] = {1, 1, 1}, b[] = {1, 0, 2, 1e-8, 4}, x[3], l[5], miss;
    double A[] = {1, 0, 1, 0, 0, 0, 0, 1, 0, 1e-8, 0, 1e-8, 1, 1, 1};
    bool expected[] = {false, true, false, true, true};
    arena *a = arena_new(0);
    dense *s = dense_new(a, 3, 5);
    assert_int_equal(dense_factor(s, M, A, CUT), DENSE_OK);
    assert_int_equal(dense_rank(s), 2);
    for (int i = 0; i < 5; i++)
        assert_int_equal(dense_dropped(s, i), expected[i]);
    dense_solve(s, Q, b, x, l);
    assert_int_equal(dense_worst_dropped(s, b, x, &miss), 4);
    assert_true(fabs(miss - 1 / (sqrt(3) * length(x, 3) + 4)) < 1e-15);
    b[4] = 3;
    dense_worst_dropped(s, b, x, &miss);
    assert_true(miss < 1e-15);
    arena_free(a);
}

// f = A'l, f = (2, 0), rows (1, 0), (3, 0), (0, 1): least norm (0.2, 0.6, 0)
static void least_norm(void **state) {
    (void)state;
    double M[] = {1, 0, 0, 1}, Q[] = {0, 0}, b[] = {2, 6, 0}, A[] = {1, 0, 3, 0, 0, 1}, x[2], l[3];
    arena *a = arena_new(0);
    dense *s = dense_new(a, 2, 3);
    assert_int_equal(dense_factor(s, M, A, CUT), DENSE_OK);
    dense_solve(s, Q, b, x, l);
    assert_true(l[1] == 0);
    dense_least_norm(s, l);
    assert_true(fabs(l[0] - 0.2) < 1e-15 && fabs(l[1] - 0.6) < 1e-15 && fabs(l[2]) < 1e-15);
    arena_free(a);
}

// two heavy copies of a light row share its force; the difference between them must survive the scales
static void least_norm_over_decades(void **state) {
    (void)state;
    double M[] = {1, 0, 0, 1}, Q[] = {0, 0}, x[2], l[4];
    double A[] = {1e-8, 0, 1e8, 0, 1e8, 0, 0, 1e-8}, b[] = {1e-8, 1e8, 1e8, 3e-8};
    arena *a = arena_new(0);
    dense *s = dense_new(a, 2, 4);
    assert_int_equal(dense_factor(s, M, A, CUT), DENSE_OK);
    dense_solve(s, Q, b, x, l);
    dense_least_norm(s, l);
    assert_true(fabs(l[1] / 5e-9 - 1) < 1e-14 && fabs(l[2] / 5e-9 - 1) < 1e-14);
    assert_true(fabs(l[0]) < 1e-20 && fabs(l[3] / 3e8 - 1) < 1e-14);
    arena_free(a);
}

/* ---- one object over many calls ---- */

static void solve_with(dense *s, const problem *p, double *x) {
    double multiplier[MOST];
    assert_int_equal(dense_factor(s, p->M, p->A, CUT), DENSE_OK);
    assert_int_equal(dense_rank(s), p->m - count_redundant(p));
    dense_solve(s, p->Q, p->b, x, multiplier);
}

// what the object remembers changes the way, not the answer; and after a calm time it forgets
static void habits(void **state) {
    (void)state;
    static const family critical[] = {NEAR, DUPLICATES, SEMIDEFINITE, SEMIDEFINITE_DUPLICATES};
    dice d = {11};
    static problem hard, easy;
    arena *a = arena_new(0);
    for (int i = 0; i < 4; i++) {
        make_family(&d, &hard, critical[i], 1e-5);
        make_family(&d, &easy, REGULAR, 0);
        reference(&hard);
        double x[MOST], fresh[MOST];
        dense *s = dense_new(a, easy.n, easy.m);
        solve_with(s, &easy, fresh);
        solve_with(s, &hard, x);
        assert_true(distance(x, hard.x, hard.n) <= 1e-8 * length(hard.x, hard.n));
        for (int call = 0; call < 70; call++) {
            solve_with(s, &easy, x);
            assert_true(distance(x, fresh, easy.n) <= 1e-14 * length(fresh, easy.n));
        }
        assert_memory_equal(x, fresh, (size_t)easy.n * sizeof(double));
    }
    arena_free(a);
}

// several hundred coordinates: stretched row by row, nothing but sizes is new
static void large(void **state) {
    (void)state;
    enum { N = 301, ROWS = 150 };
    dice d = {5};
    arena *a = arena_new(0);
    double *M = arena_doubles(a, N * N), *A = arena_doubles(a, ROWS * N), *x = arena_doubles(a, N);
    double *Q = arena_doubles(a, N), *b = arena_doubles(a, ROWS), *l = arena_doubles(a, ROWS);
    for (int i = 0; i < N; i++) {
        M[i * N + i] = decades(&d, 3);
        Q[i] = normal(&d);
    }
    for (int i = 0; i < ROWS; i++) // the last ten repeat the first
        for (int j = 0; j < N; j++)
            A[i * N + j] = i < ROWS - 10 ? normal(&d) : A[(i - ROWS + 10) * N + j];
    for (int i = 0; i < ROWS; i++)
        b[i] = i < ROWS - 10 ? normal(&d) : b[i - ROWS + 10];
    dense *s = dense_new(a, N, ROWS);
    assert_int_equal(dense_factor(s, M, A, CUT), DENSE_OK);
    assert_int_equal(dense_rank(s), ROWS - 10);
    dense_solve(s, Q, b, x, l);
    dense_least_norm(s, l);
    for (int i = 0; i < ROWS; i++) {
        double off = -b[i];
        for (int j = 0; j < N; j++)
            off += A[i * N + j] * x[j];
        assert_true(fabs(off) <= 1e-14 * length(A + i * N, N) * length(x, N));
    }
    for (int j = 0; j < N; j++) {
        double off = M[j * N + j] * x[j] - Q[j], size = fabs(M[j * N + j] * x[j]) + fabs(Q[j]);
        for (int i = 0; i < ROWS; i++) {
            off -= A[i * N + j] * l[i];
            size += fabs(A[i * N + j] * l[i]);
        }
        assert_true(fabs(off) <= 1e-13 * size);
    }
    for (int i = 0; i < 10; i++)
        assert_true(fabs(l[i] - l[ROWS - 10 + i]) <= 1e-13 * length(l, ROWS));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(against_reference),
        cmocka_unit_test(massless_coordinates),
        cmocka_unit_test(mass_ratio_is_not_dependence),
        cmocka_unit_test(quaternions),
        cmocka_unit_test(quaternions_near_an_axis),
        cmocka_unit_test(undetermined),
        cmocka_unit_test(indefinite),
        cmocka_unit_test(rounding_below_zero),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(dropped_rows),
        cmocka_unit_test(least_norm),
        cmocka_unit_test(least_norm_over_decades),
        cmocka_unit_test(habits),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
