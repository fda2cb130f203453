/* Measured rows against the normal equations of the constrained least-squares problem, in 113 bits. */
#include "linear/weighted.h"

#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

static const double CUT = 1e-11;

enum { SIDE = 8 };

typedef struct {
    int n, m, k;
    double A[SIDE * SIDE], b[SIDE], E[SIDE * SIDE], f[SIDE], weight[SIDE];
} problem;

static int rows_of(const problem *p, double *R, double *r) {
    arena *a = arena_new(0);
    int count = weighted_rows(weighted_new(a, p->n, p->m, p->k), p->A, CUT, p->E, p->f, p->weight, R, r);
    arena_free(a);
    return count;
}

/* One minimiser x = x0 + Z t, A x0 = b: Z'E'W E Z t = Z'E'W (f - E x0). Returns the rank of E Z, that is, how
 * many conditions there are. */
static int minimiser(const problem *p, real *x) {
    static real Z[MOST][MOST], K[MOST][MOST];
    int n = p->n, unknown[MOST], free = exact_null_space(p->A, p->m, n, Z);
    memset(K, 0, sizeof K);
    for (int i = 0; i < p->m; i++) {
        for (int j = 0; j < n; j++)
            K[i][j] = p->A[i * n + j];
        K[i][n] = p->b[i];
    }
    int rank = exact_reduce(K, p->m, n + 1, n, 1e-12, unknown);
    memset(x, 0, MOST * sizeof *x);
    for (int i = 0; i < rank; i++)
        x[unknown[i]] = K[i][n];
    memset(K, 0, sizeof K);
    for (int e = 0; e < p->k; e++) {
        real g[MOST] = {0}, gap = p->f[e];
        for (int j = 0; j < n; j++)
            gap -= p->E[e * n + j] * x[j];
        for (int l = 0; l < free; l++)
            for (int j = 0; j < n; j++)
                g[l] += p->E[e * n + j] * Z[l][j];
        for (int l = 0; l < free && p->weight[e] > 0; l++) {
            for (int q = 0; q < free; q++)
                K[l][q] += p->weight[e] * g[l] * g[q];
            K[l][free] += p->weight[e] * g[l] * gap;
        }
    }
    rank = exact_reduce(K, free, free + 1, free, 1e-22, unknown);
    for (int l = 0; l < rank; l++)
        for (int j = 0; j < n; j++)
            x[j] += K[l][free] * Z[unknown[l]][j];
    return rank;
}

// R x = r at the minimiser, and there are as many rows as conditions: then it holds at the minimisers only
static void check(const problem *p, double tolerance) {
    double R[SIDE * SIDE], r[SIDE];
    real x[MOST];
    int conditions = minimiser(p, x), rows = rows_of(p, R, r);
    assert_int_equal(rows, conditions);
    for (int i = 0; i < rows; i++) {
        real off = -(real)r[i], size = real_abs(r[i]);
        for (int j = 0; j < p->n; j++) {
            off += R[i * p->n + j] * x[j];
            size += real_abs(R[i * p->n + j] * x[j]);
        }
        assert_true(real_abs(off) <= tolerance * size);
    }
    double both[SIDE * SIDE * 2]; // and they are independent, with A
    static real v[MOST][MOST];
    int free = exact_null_space(p->A, p->m, p->n, v);
    memcpy(both, p->A, (size_t)(p->m * p->n) * sizeof(double));
    memcpy(both + p->m * p->n, R, (size_t)(rows * p->n) * sizeof(double));
    assert_int_equal(exact_null_space(both, p->m + rows, p->n, v), free - rows);
}

static void random_measurements(void **state) {
    (void)state;
    dice d = {17};
    for (int trial = 0; trial < 1000; trial++) {
        problem p = {.n = 1 + below(&d, 6), .m = below(&d, 4), .k = 1 + below(&d, 8)};
        int some = 1 + below(&d, p.k); // the rows from here on depend on those before: contradictions
        for (int i = 0; i < p.m; i++) {
            p.b[i] = normal(&d);
            for (int j = 0; j < p.n; j++)
                p.A[i * p.n + j] = normal(&d) + (i == j ? 3 : 0);
        }
        if (p.m > p.n)
            p.m = p.n;
        for (int i = 0; i < p.k; i++) {
            p.f[i] = normal(&d);
            p.weight[i] = below(&d, 10) ? decades(&d, 3) : 0;
            for (int j = 0; j < p.n; j++)
                p.E[i * p.n + j] = i < some ? normal(&d) : 2 * p.E[(i % some) * p.n + j];
        }
        check(&p, 1e-11);
    }
}

// two clocks that disagree: the weighted mean
static void contradiction(void **state) {
    (void)state;
    problem p = {.n = 2, .m = 1, .k = 2, .A = {1, 1}, .b = {1}, .E = {1, 0, 2, 0}, .f = {1, 4}};
    double R[4], r[2];
    p.weight[0] = 3;
    p.weight[1] = 0.25; // (x - 1)^2 * 3 + (2x - 4)^2 / 4: x = (3 + 2) / 4
    assert_int_equal(rows_of(&p, R, r), 1);
    assert_true(fabs(r[0] - 1.25 * R[0]) < 1e-15 && R[1] == 0);
    check(&p, 1e-15);
}

// measured rows cannot contradict exact ones
static void exact_rows_prevail(void **state) {
    (void)state;
    problem p = {.n = 2, .m = 1, .k = 2, .A = {1, 1}, .b = {1}, .E = {2, 2, 0, 1}, .f = {9, 5}};
    double R[4], r[2];
    p.weight[0] = 1e12;
    p.weight[1] = 1e-12;
    assert_int_equal(rows_of(&p, R, r), 1);
    assert_true(R[0] == 0 && R[1] == 1 && r[0] == 5);
}

static void only_ratios_matter(void **state) {
    (void)state;
    problem p = {.n = 3, .m = 0, .k = 4, .f = {1, 2, 3, 4}, .weight = {1, 2, 3, 4}};
    double E[] = {1, 2, 3, 0, 1, 1, 1, 1, 2, 1, 3, 4}, R[2][12], r[2][4];
    memcpy(p.E, E, sizeof E);
    int rows = rows_of(&p, R[0], r[0]);
    assert_int_equal(rows, 2);
    for (int i = 0; i < 4; i++)
        p.weight[i] *= 0x1p-60;
    assert_int_equal(rows_of(&p, R[1], r[1]), rows);
    assert_memory_equal(R[0], R[1], (size_t)(rows * p.n) * sizeof(double));
    assert_memory_equal(r[0], r[1], (size_t)rows * sizeof(double));
}

// rows that agree with each other hold, whatever their weights
static void consistent_rows_ignore_weights(void **state) {
    (void)state;
    dice d = {3};
    for (int trial = 0; trial < 200; trial++) {
        problem p = {.n = 3, .m = 0, .k = 5};
        double x[3] = {1, -2, 0.5}, R[15], r[5];
        for (int i = 0; i < 5; i++) {
            p.weight[i] = decades(&d, 12);
            for (int j = 0; j < 3; j++) {
                p.E[i * 3 + j] = i < 3 ? normal(&d) : p.E[j] - 3 * p.E[(i - 2) * 3 + j];
                p.f[i] += p.E[i * 3 + j] * x[j];
            }
        }
        int rows = rows_of(&p, R, r);
        assert_int_equal(rows, 3);
        for (int i = 0; i < rows; i++) {
            double off = -r[i], size = fabs(r[i]);
            for (int j = 0; j < 3; j++) {
                off += R[i * 3 + j] * x[j];
                size += fabs(R[i * 3 + j] * x[j]);
            }
            assert_true(fabs(off) <= 1e-13 * size);
        }
    }
}

// weights over 24 decades: the heavy pair decides x, the light one y, and neither disturbs the other
static void weights_over_decades(void **state) {
    (void)state;
    problem p = {.n = 2, .m = 0, .k = 4, .E = {1, 0, 1, 1e-3, 0, 1, 1, 1}, .f = {1, 3, 5, 8}};
    double weight[] = {1e12, 0, 1e-12, 3e-12}, R[8], r[4];
    memcpy(p.weight, weight, sizeof weight);
    assert_int_equal(rows_of(&p, R, r), 2);
    check(&p, 1e-14); // x = 1, y = (5 + 3 * 7) / 4
    assert_true(fabs((r[1] - R[2]) / R[3] - 6.5) < 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_measurements),  cmocka_unit_test(contradiction),
        cmocka_unit_test(exact_rows_prevail),   cmocka_unit_test(only_ratios_matter),
        cmocka_unit_test(weights_over_decades), cmocka_unit_test(consistent_rows_ignore_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
