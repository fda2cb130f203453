/* The sparse constrained acceleration against the dense one on large patterns, and how its size grows. What
 * all solvers have in common is in test_solvers.c. */
#include "linear/sparse.h"

#include "linear/linalg.h"
#include "support/problems.h"

#include <stdlib.h>

static const double CUT = 1e-11;

/* ---- systems, built row by row ---- */

typedef vec(int) ints;
typedef vec(double) doubles;

typedef struct {
    arena *a;
    int n, m;
    ints M_start, M_to, A_start, A_to; // rows of M come in order, as those of A
    doubles M, A, Q, b;
    double *x0;    // (n) with A x0 = b
    int redundant; // rows made from others
} build;

static build build_new(arena *a, dice *d, int n) {
    build s = {.a = a, .n = n, .x0 = arena_doubles(a, (size_t)n)};
    vec_push(a, s.M_start, 0);
    vec_push(a, s.A_start, 0);
    for (int j = 0; j < n; j++) {
        s.x0[j] = normal(d);
        vec_push(a, s.Q, normal(d));
    }
    return s;
}

// the next block of M: (size x size)
static void add_mass(build *s, int size, const double *block) {
    int at = s->M_start.count - 1;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            vec_push(s->a, s->M_to, at + j);
            vec_push(s->a, s->M, block[i * size + j]);
        }
        vec_push(s->a, s->M_start, s->M_to.count);
    }
}

static void add_particles(build *s, dice *d, int count, double span) {
    for (int i = 0; i < count; i++) {
        double mass = decades(d, span);
        add_mass(s, 1, &mass);
    }
}

static void add_entry(build *s, int column, double value) {
    for (int e = s->A_start.at[s->m]; e < s->A_to.count; e++)
        if (s->A_to.at[e] == column) {
            s->A.at[e] += value;
            return;
        }
    vec_push(s->a, s->A_to, column);
    vec_push(s->a, s->A, value);
}

static void end_row(build *s) {
    double b = 0;
    for (int e = s->A_start.at[s->m]; e < s->A_to.count; e++)
        b += s->A.at[e] * s->x0[s->A_to.at[e]];
    vec_push(s->a, s->b, b);
    vec_push(s->a, s->A_start, s->A_to.count);
    s->m++;
}

// between particles i and j (i alone if j < 0) in a space of `dim` dimensions, along a random direction
static void add_link(build *s, dice *d, int dim, int i, int j) {
    for (int k = 0; k < dim; k++) {
        double c = normal(d);
        add_entry(s, dim * i + k, c);
        if (j >= 0)
            add_entry(s, dim * j + k, -c);
    }
    end_row(s);
}

// f1 row i + f2 row j
static void add_combination(build *s, int i, double f1, int j, double f2) {
    for (int e = s->A_start.at[i]; e < s->A_start.at[i + 1]; e++)
        add_entry(s, s->A_to.at[e], f1 * s->A.at[e]);
    for (int e = s->A_start.at[j]; e < s->A_start.at[j + 1] && f2 != 0; e++)
        add_entry(s, s->A_to.at[e], f2 * s->A.at[e]);
    end_row(s);
    s->redundant++;
}

static sparsity pattern_of(ints start, ints to) {
    return (sparsity){start.count - 1, start.at, to.at};
}

static sparse *sparse_by(build *s, int block_most) {
    return sparse_new(s->a, s->n, pattern_of(s->M_start, s->M_to), pattern_of(s->A_start, s->A_to),
                      block_most);
}

static sparse *sparse_of(build *s) {
    return sparse_by(s, SPARSE_BLOCK_MOST);
}

static double *full(build *s, ints start, ints to, doubles value) {
    int rows = start.count - 1;
    double *K = arena_doubles(s->a, (size_t)rows * (size_t)s->n);
    for (int i = 0; i < rows; i++)
        for (int e = start.at[i]; e < start.at[i + 1]; e++)
            K[i * (long)s->n + to.at[e]] += value.at[e];
    return K;
}

/* ---- checks ---- */

typedef struct {
    double rows, balance; // the largest |A_i x - b_i| / (|A_i| |x| + |b_i|), |M x - Q - A'l| / its terms
} residuals;

static residuals residuals_of(const build *s, const double *x, const double *l) {
    residuals r = {0, 0};
    double *f = calloc((size_t)s->n, sizeof *f), *size = calloc((size_t)s->n, sizeof *size);
    double x_norm = linalg_norm(x, s->n), most = 0, terms = 0;
    for (int j = 0; j < s->n; j++) {
        f[j] = -s->Q.at[j];
        size[j] = fabs(s->Q.at[j]);
        for (int e = s->M_start.at[j]; e < s->M_start.at[j + 1]; e++) {
            f[j] += s->M.at[e] * x[s->M_to.at[e]];
            size[j] += fabs(s->M.at[e] * x[s->M_to.at[e]]);
        }
    }
    for (int i = 0; i < s->m; i++) {
        double off = -s->b.at[i], norm = 0;
        for (int e = s->A_start.at[i]; e < s->A_start.at[i + 1]; e++) {
            off += s->A.at[e] * x[s->A_to.at[e]];
            norm = hypot(norm, s->A.at[e]);
            f[s->A_to.at[e]] -= s->A.at[e] * l[i];
            size[s->A_to.at[e]] += fabs(s->A.at[e] * l[i]);
        }
        double scale = norm * x_norm + fabs(s->b.at[i]);
        r.rows = fmax(r.rows, scale > 0 ? fabs(off) / scale : 0);
    }
    for (int j = 0; j < s->n; j++) {
        most = hypot(most, f[j]);
        terms = hypot(terms, size[j]);
    }
    r.balance = most / terms;
    free(f);
    free(size);
    return r;
}

// same rank and acceleration as dense, with residuals at rounding
static void check_one_against_dense(build *s, sparse *p, double tolerance) {
    double *M = full(s, s->M_start, s->M_to, s->M), *A = full(s, s->A_start, s->A_to, s->A);
    double *x = arena_doubles(s->a, (size_t)s->n), *y = arena_doubles(s->a, (size_t)s->n);
    double *l = arena_doubles(s->a, (size_t)s->m), *k = arena_doubles(s->a, (size_t)s->m);
    dense *d = dense_new(s->a, s->n, s->m);
    assert_int_equal(dense_factor(d, M, A, CUT), DENSE_OK);
    for (int again = 0; again < 3; again++) { // what is remembered changes the way, not the answer
        assert_int_equal(sparse_factor(p, s->M.at, s->A.at, CUT), DENSE_OK);
        assert_int_equal(sparse_rank(p), dense_rank(d));
        assert_int_equal(sparse_rank(p), s->m - s->redundant);
        assert_int_equal(sparse_mass_singular(p), dense_mass_singular(d));
        dense_solve(d, s->Q.at, s->b.at, x, l);
        sparse_solve(p, s->Q.at, s->b.at, y, k);
        int dropped = 0;
        for (int i = 0; i < s->m; i++) {
            dropped += sparse_dropped(p, i);
            assert_true(!sparse_dropped(p, i) || k[i] == 0);
        }
        assert_int_equal(dropped, s->redundant);
        residuals of_dense = residuals_of(s, x, l), of_sparse = residuals_of(s, y, k);
        assert_true(of_sparse.rows <= fmax(1e-14, 4 * of_dense.rows));
        assert_true(of_sparse.balance <= fmax(1e-14, 4 * of_dense.balance));
        assert_true(distance(x, y, s->n) <= tolerance * linalg_norm(x, s->n));
        dense_least_norm(d, l);
        sparse_least_norm(p, k);
        assert_true(residuals_of(s, y, k).balance <= fmax(1e-13, 10 * of_dense.balance));
        assert_true(!s->redundant || linalg_norm(k, s->m) <= linalg_norm(l, s->m) * (1 + 1e-9));
    }
}

// by blocks of M where they are small, and by the KKT matrix
static void check_against_dense(build *s, double tolerance) {
    check_one_against_dense(s, sparse_of(s), tolerance);
    check_one_against_dense(s, sparse_by(s, 0), tolerance);
}

/* ---- families ---- */

static build chain(arena *a, dice *d, int particles, double span) {
    build s = build_new(a, d, 2 * particles);
    add_particles(&s, d, 2 * particles, span);
    for (int i = 0; i < particles; i++)
        add_link(&s, d, 2, i, i - 1);
    return s;
}

static void chains(void **state) {
    dice d = {1};
    for (int particles = 1; particles <= 200; particles += 1 + particles / 2) {
        arena *a = arena_new(0);
        build s = chain(a, &d, particles, 1);
        check_against_dense(&s, 1e-12);
        arena_free(a);
    }
}

static build cloth(arena *a, dice *d, int side) {
    build s = build_new(a, d, 3 * side * side);
    add_particles(&s, d, s.n, 1);
    for (int i = 0; i < side * side; i++) {
        if (i % side)
            add_link(&s, d, 3, i, i - 1);
        if (i >= side)
            add_link(&s, d, 3, i, i - side);
    }
    return s;
}

static void cloths(void **state) {
    dice d = {2};
    for (int side = 2; side <= 8; side++) {
        arena *a = arena_new(0);
        build s = cloth(a, &d, side);
        check_against_dense(&s, 1e-12);
        arena_free(a);
    }
}

static void trees(void **state) {
    dice d = {3};
    for (int trial = 0; trial < 10; trial++) {
        arena *a = arena_new(0);
        int particles = 2 + below(&d, 80);
        build s = build_new(a, &d, 3 * particles);
        add_particles(&s, &d, s.n, 1);
        for (int i = 1; i < particles; i++)
            for (int k = 0; k < 2; k++)
                add_link(&s, &d, 3, i, below(&d, i));
        check_against_dense(&s, 1e-11);
        arena_free(a);
    }
}

// every row repeated with another factor, one in ten; sums of two rows, one in ten
static void redundant_rows(void **state) {
    dice d = {4};
    for (int trial = 0; trial < 20; trial++) {
        arena *a = arena_new(0);
        build s = trial % 2 ? cloth(a, &d, 3 + trial / 4) : chain(a, &d, 10 + 8 * trial, 1);
        int rows = s.m;
        for (int i = 0; i < rows; i++) {
            if (below(&d, 10) == 0)
                add_combination(&s, i, normal(&d) * decades(&d, 2), i, 0);
            if (below(&d, 10) == 0)
                add_combination(&s, i, normal(&d), below(&d, rows), normal(&d));
        }
        check_against_dense(&s, 1e-11);
        arena_free(a);
    }
}

// rigid bars between the joints of a frame: more of them than it can use
static void trusses(void **state) {
    dice d = {5};
    for (int trial = 0; trial < 10; trial++) {
        arena *a = arena_new(0);
        int side = 3 + trial / 3, joints = side * side;
        double *place = arena_doubles(a, 2 * (size_t)joints);
        build s = build_new(a, &d, 2 * joints);
        add_particles(&s, &d, s.n, 1);
        for (int j = 0; j < 2 * joints; j++)
            place[j] = (j % 2 ? j / 2 / side : j / 2 % side) + 0.2 * normal(&d);
        static const int to[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
        for (int i = 0; i < joints; i++)
            for (int k = 0; k < 4; k++) {
                int u = i % side + to[k][0], v = i / side + to[k][1], j = v * side + u;
                if (u < 0 || u >= side || v >= side)
                    continue;
                for (int c = 0; c < 2; c++) {
                    double along = place[2 * i + c] - place[2 * j + c];
                    add_entry(&s, 2 * i + c, along);
                    add_entry(&s, 2 * j + c, -along);
                }
                end_row(&s);
            }
        s.redundant = s.m - (2 * joints - 3);
        check_against_dense(&s, 1e-9);
        arena_free(a);
    }
}

static void mass_ratios(void **state) {
    dice d = {6};
    for (int trial = 0; trial < 10; trial++) {
        arena *a = arena_new(0);
        build s = trial % 2 ? cloth(a, &d, 5) : chain(a, &d, 60, 6);
        for (int j = 0; j < s.n && trial % 2; j++)
            s.M.at[j] = decades(&d, 6);
        check_against_dense(&s, 1e-6);
        arena_free(a);
    }
}

// bodies with quaternions, joined one to the next by five rows, of which one is repeated
static void quaternions(void **state) {
    dice d = {7};
    for (int bodies = 1; bodies <= 30; bodies += 7) {
        arena *a = arena_new(0);
        build s = build_new(a, &d, 7 * bodies);
        for (int i = 0; i < bodies; i++) {
            double u[4], J[3] = {1 + uniform(&d), 1 + uniform(&d), 1 + uniform(&d)}, M[16];
            double off =
                i % 3 == 0 ? 1
                           : pow(10, i < 10 ? -5 * i : -140 - i); // from an axis: to underflow of its square
            for (int k = 0; k < 4; k++)
                u[k] = k == i % 4 ? 1 + fabs(normal(&d)) : off * normal(&d);
            double norm = linalg_norm(u, 4);
            for (int k = 0; k < 4; k++)
                u[k] /= norm;
            add_particles(&s, &d, 3, 0.5);
            quaternion_mass(u, J, M);
            add_mass(&s, 4, M);
            for (int k = 0; k < 4; k++)
                add_entry(&s, 7 * i + 3 + k, u[k]);
            end_row(&s);
            for (int row = 0; row < 5 && i > 0; row++) {
                for (int k = 0; k < 14; k++)
                    add_entry(&s, 7 * (i - 1) + k, normal(&d));
                end_row(&s);
            }
            if (i > 0)
                add_combination(&s, s.m - 1, -3, s.m - 1, 0);
        }
        check_against_dense(&s, 1e-9);
        arena_free(a);
    }
}

// row i of the derivative of R(u) e with respect to u
static void direction_slope(const double *u, const double *e, int i, double *out) {
    for (int k = 0; k < 4; k++) {
        double q[4] = {0}, p[4], f[3];
        q[k] = 1; // d(u e u*) = q e u* + u e q*, twice the vector part of q e u*
        p[0] = -q[1] * e[0] - q[2] * e[1] - q[3] * e[2];
        p[1] = q[0] * e[0] + q[2] * e[2] - q[3] * e[1];
        p[2] = q[0] * e[1] + q[3] * e[0] - q[1] * e[2];
        p[3] = q[0] * e[2] + q[1] * e[1] - q[2] * e[0];
        f[0] = p[1] * u[0] - p[0] * u[1] - p[2] * u[3] + p[3] * u[2];
        f[1] = p[2] * u[0] - p[0] * u[2] - p[3] * u[1] + p[1] * u[3];
        f[2] = p[3] * u[0] - p[0] * u[3] - p[1] * u[2] + p[2] * u[1];
        out[k] = 2 * f[i];
    }
}

static void unit_quaternion(dice *d, double *u) {
    for (int k = 0; k < 4; k++)
        u[k] = normal(d);
    double norm = linalg_norm(u, 4);
    for (int k = 0; k < 4; k++)
        u[k] /= norm;
}

/* Bodies in a row, a direction of each along one of the next: with R(u) e = R(w) f for all three components,
 * the norms of u and w depend on each other, and one of the rows is redundant. It must not be a norm, which
 * is what makes its block of M definite. */
static void norms_are_kept(void **state) {
    dice d = {23};
    int lost = 0;
    for (int round = 0; round < 100; round++) {
        arena *a = arena_new(0);
        int bodies = 2 + round % 3;
        build s = build_new(a, &d, 4 * bodies);
        double u[4][4], e[3], row[4];
        unit_quaternion(&d, u[0]);
        for (int i = 0; i < bodies; i++) {
            double J[3] = {1 + uniform(&d), 1 + uniform(&d), 1 + uniform(&d)}, M[16];
            memcpy(u[i], u[0], sizeof u[i]);
            quaternion_mass(u[i], J, M);
            add_mass(&s, 4, M);
            for (int k = 0; k < 4; k++)
                add_entry(&s, 4 * i + k, u[i][k]);
            end_row(&s);
        }
        for (int i = 0; i + 1 < bodies; i++) {
            for (int k = 0; k < 3; k++)
                e[k] = normal(&d);
            for (int r = 0; r < 3; r++) {
                for (int side = 0; side < 2; side++) {
                    direction_slope(u[i], e, r, row);
                    for (int k = 0; k < 4; k++)
                        add_entry(&s, 4 * (i + side) + k, side ? -row[k] : row[k]);
                }
                end_row(&s);
            }
            s.redundant++;
        }
        sparse *p = sparse_of(&s);
        assert_int_equal(sparse_factor(p, s.M.at, s.A.at, CUT), DENSE_OK);
        for (int i = 0; i < bodies; i++)
            lost += sparse_dropped(p, i);
        check_against_dense(&s, 1e-9);
        arena_free(a);
    }
    assert_int_equal(lost, 0);
}

// particles without mass between others, some of them neighbours
static void massless(void **state) {
    dice d = {8};
    for (int trial = 0; trial < 10; trial++) {
        arena *a = arena_new(0);
        int particles = 5 + 10 * trial;
        build s = build_new(a, &d, 2 * particles);
        add_particles(&s, &d, s.n, 1);
        for (int i = 0; i < particles; i++) {
            add_link(&s, &d, 2, i, i - 1);
            if (i % 5 != 2 && i % 7 != 3)
                continue;
            add_link(&s, &d, 2, i, i - 1);
            s.M.at[2 * i] = s.M.at[2 * i + 1] = 0;
        }
        check_against_dense(&s, 1e-7);
        arena_free(a);
    }
}

/* ---- small systems of every kind, patterns as full as they come ---- */

static build from_full(arena *a, dice *d, int n, int m, const double *M, const double *A) {
    build s = build_new(a, d, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            if (M[i * n + j] != 0 || M[j * n + i] != 0) {
                vec_push(a, s.M_to, j);
                vec_push(a, s.M, M[i * n + j]);
            }
        vec_push(a, s.M_start, s.M_to.count);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            if (A[i * n + j] != 0)
                add_entry(&s, j, A[i * n + j]);
        end_row(&s);
    }
    return s;
}

// a row of masses that is coupled to the next, as of a beam in finite elements
static build beam(arena *a, dice *d, int n) {
    build s = build_new(a, d, n);
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            vec_push(a, s.M_to, j);
            vec_push(a, s.M, i == j ? 4 : 1);
        }
        vec_push(a, s.M_start, s.M_to.count);
    }
    return s;
}

static void beams(void **state) {
    dice d = {14};
    for (int n = 30; n <= 200; n += 34) {
        arena *a = arena_new(0);
        build s = beam(a, &d, n);
        for (int i = 0; i + 3 < n; i += 2) {
            add_entry(&s, i, normal(&d));
            add_entry(&s, i + 1, normal(&d));
            add_entry(&s, i + 3, normal(&d));
            end_row(&s);
        }
        int rows = s.m;
        for (int i = 0; i + 1 < rows; i += 5)
            add_combination(&s, i, normal(&d), i + 1, i % 2 ? normal(&d) : 0);
        check_against_dense(&s, 1e-11);
        arena_free(a);
    }
}

// many pendulums on one cart: every coordinate is coupled to that of the cart
static void hubs(void **state) {
    dice d = {15};
    arena *a = arena_new(0);
    enum { N = 100 };
    double *M = arena_doubles(a, N * N), *A = arena_doubles(a, 20 * N);
    M[0] = N;
    for (int j = 1; j < N; j++) {
        M[j * (N + 1)] = 1;
        M[j] = M[j * N] = uniform(&d);
    }
    for (int i = 0; i < 20; i++)
        A[i * N + 1 + i] = A[i * N + 40 + 2 * i] = 1;
    build s = from_full(a, &d, N, 20, M, A);
    check_against_dense(&s, 1e-11);
    assert_true(sparse_entries(sparse_of(&s)) < 5 * N);
    arena_free(a);
}

// so many massless particles in a row that their blocks do not stay small
static void massless_chains(void **state) {
    dice d = {16};
    for (int every = 2; every <= 5; every++) {
        arena *a = arena_new(0);
        int particles = 60;
        build s = build_new(a, &d, 2 * particles);
        add_particles(&s, &d, s.n, 1);
        for (int i = 0; i < particles; i++) {
            add_link(&s, &d, 2, i, i - 1);
            if (i % every == 0)
                continue;
            add_link(&s, &d, 2, i, i - 1);
            s.M.at[2 * i] = s.M.at[2 * i + 1] = 0;
        }
        check_against_dense(&s, 1e-7);
        arena_free(a);
    }
}

// coupled, and still refused as by the dense solver
static void coupled_and_refused(void **state) {
    dice d = {17};
    arena *a = arena_new(0);
    bool named[64];
    build s = beam(a, &d, 60);
    s.M.at[s.M_start.at[30] + 1] = -4;
    assert_int_equal(sparse_factor(sparse_of(&s), s.M.at, s.A.at, CUT), DENSE_INDEFINITE);
    for (int e = s.M_start.at[30]; e < s.M_start.at[31]; e++)
        s.M.at[e] = 0;
    s.M.at[s.M_start.at[29] + 2] = s.M.at[s.M_start.at[31]] = 0;
    sparse *p = sparse_of(&s);
    assert_int_equal(sparse_factor(p, s.M.at, s.A.at, CUT), DENSE_UNDETERMINED);
    assert_int_equal(sparse_undetermined(p, named), 1);
    assert_true(named[30]);
    arena_free(a);
}

// M of blocks, definite or not; rows of few entries, some repeated or combined, over decades
static build random_system(arena *a, dice *d) {
    int n = 2 + below(d, 12), m = below(d, n), at = 0;
    double M[MOST * MOST] = {0}, A[MOST * MOST] = {0};
    while (at < n) {
        int size = 1 + below(d, 3), rank = below(d, 4) ? size : below(d, size + 1);
        size = size < n - at ? size : n - at;
        double mass = decades(d, 2);
        for (int r = 0; r < rank; r++) {
            double v[3] = {normal(d), normal(d), normal(d)};
            for (int i = 0; i < size; i++)
                for (int j = 0; j < size; j++)
                    M[(at + i) * n + at + j] += mass * (v[i] * v[j]);
        }
        at += size;
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++)
            A[i * n + below(d, n)] = normal(d);
    build s = from_full(a, d, n, m, M, A);
    for (int more = m ? below(d, 4) : 0; more > 0; more--)
        add_combination(&s, below(d, m), normal(d), below(d, m), below(d, 2) ? normal(d) : 0);
    return s;
}

// whether status, rank, names and acceleration are those of the dense solver
static bool as_dense(build *s, sparse *p, dense *d) {
    double *M = full(s, s->M_start, s->M_to, s->M), *A = full(s, s->A_start, s->A_to, s->A);
    double x[MOST], y[MOST], l[MOST], k[MOST];
    bool named[MOST], named_too[MOST];
    dense_status status = dense_factor(d, M, A, CUT);
    if (sparse_factor(p, s->M.at, s->A.at, CUT) != status)
        return false;
    if (status != DENSE_OK) {
        dense_undetermined(d, named);
        sparse_undetermined(p, named_too);
        return memcmp(named, named_too, (size_t)s->n * sizeof(bool)) == 0;
    }
    dense_solve(d, s->Q.at, s->b.at, x, l);
    sparse_solve(p, s->Q.at, s->b.at, y, k);
    residuals of_dense = residuals_of(s, x, l), of_sparse = residuals_of(s, y, k);
    return sparse_rank(p) == dense_rank(d) && of_sparse.rows <= fmax(1e-13, 10 * of_dense.rows) &&
           of_sparse.balance <= fmax(1e-13, 10 * of_dense.balance);
}

/* The KKT matrix is factored in another order than the dense one, so that in a few of a thousand cases
 * rounding decides otherwise whether M + A'WA is definite. */
static void random_systems(void **state) {
    dice d = {9};
    int otherwise = 0;
    for (int trial = 0; trial < 5000; trial++) {
        arena *a = arena_new(0);
        build s = random_system(a, &d);
        dense *by_dense = dense_new(a, s.n, s.m);
        assert_true(as_dense(&s, sparse_of(&s), by_dense));
        otherwise += !as_dense(&s, sparse_by(&s, 0), by_dense);
        arena_free(a);
    }
    assert_true(otherwise <= 5);
}

/* ---- rank ---- */

// a row at a distance from the sum of two others: kept or dropped as the cut says, and found by the dense
// solver, too
static void near_dependence(void **state) {
    dice d = {10};
    for (int e = 2; e <= 13; e++) {
        arena *a = arena_new(0);
        build s = cloth(a, &d, 6);
        int near = s.m;
        double distance_off = pow(10, -e);
        add_combination(&s, 3, 1, 40, -1);
        s.redundant = 0;
        s.A.at[s.A_start.at[near]] += distance_off; // moves the row off by 1/4 to 1 of that
        s.b.at[near] += distance_off * s.x0[s.A_to.at[s.A_start.at[near]]];
        s.redundant = distance_off < CUT;
        if (e != 11)
            check_against_dense(&s, 1e-13 / distance_off);
        arena_free(a);
    }
}

// rows that are repeated, nearly so, or not at all, in turn: what is remembered changes the way, not the rank
static void values_change(void **state) {
    dice d = {18};
    arena *a = arena_new(0);
    build s = cloth(a, &d, 6);
    int rows = s.m;
    for (int i = 0; i < rows; i += 5)
        add_combination(&s, i, 2, i, 0);
    int begin = s.A_start.at[rows], end = s.A_to.count;
    double *as_repeated = arena_doubles(a, (size_t)end), x[108], l[128];
    memcpy(as_repeated, s.A.at, (size_t)end * sizeof(double));
    sparse *ways[] = {sparse_of(&s), sparse_by(&s, 0)};
    static const double off[] = {0, 0, 1, 0, 1e-5, 1e-5, 0, 1, 1, 1e-9, 0, 0, 1e-13, 1};
    for (size_t call = 0; call < sizeof off / sizeof *off; call++) {
        for (int e = begin; e < end; e++)
            s.A.at[e] = as_repeated[e] + off[call] * normal(&d);
        for (int way = 0; way < 2; way++) {
            assert_int_equal(sparse_factor(ways[way], s.M.at, s.A.at, CUT), DENSE_OK);
            assert_int_equal(sparse_rank(ways[way]), off[call] > CUT ? s.m : rows);
            sparse_solve(ways[way], s.Q.at, s.b.at, x, l);
            residuals r = residuals_of(&s, x, l);
            bool clear = off[call] == 0 || off[call] == 1;
            assert_true(!clear || (r.rows < 1e-13 && r.balance < 1e-13));
        }
    }
    arena_free(a);
}

/* ---- growth ---- */

// entries and memory of a chain are in proportion to its length
static void grows_linearly(void **state) {
    dice d = {13};
    for (int particles = 1000; particles <= 100000; particles *= 10) {
        arena *a = arena_new(0), *of_solver = arena_new(0);
        build s = chain(a, &d, particles, 0);
        sparse *p = sparse_new(of_solver, s.n, pattern_of(s.M_start, s.M_to), pattern_of(s.A_start, s.A_to),
                               SPARSE_BLOCK_MOST);
        assert_int_equal(sparse_entries(p), particles - 1);
        assert_true(arena_used(of_solver) < 800 * (size_t)particles);
        size_t before = arena_used(of_solver);
        assert_int_equal(sparse_factor(p, s.M.at, s.A.at, CUT), DENSE_OK);
        assert_int_equal(sparse_rank(p), particles);
        double *x = arena_doubles(a, (size_t)s.n), *l = arena_doubles(a, (size_t)s.m);
        sparse_solve(p, s.Q.at, s.b.at, x, l);
        assert_true(residuals_of(&s, x, l).rows < 1e-14 && residuals_of(&s, x, l).balance < 1e-14);
        assert_int_equal(arena_used(of_solver), before); // nothing was allocated
        arena_free(of_solver);
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(cloths),
        cmocka_unit_test(trees),
        cmocka_unit_test(redundant_rows),
        cmocka_unit_test(trusses),
        cmocka_unit_test(mass_ratios),
        cmocka_unit_test(quaternions),
        cmocka_unit_test(norms_are_kept),
        cmocka_unit_test(massless),
        cmocka_unit_test(beams),
        cmocka_unit_test(hubs),
        cmocka_unit_test(massless_chains),
        cmocka_unit_test(coupled_and_refused),
        cmocka_unit_test(random_systems),
        cmocka_unit_test(near_dependence),
        cmocka_unit_test(values_change),
        cmocka_unit_test(grows_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
