/* Projections of eight systems at once are those of the dense solver one by one, to the bit, or are left to
 * it. */
#include "linear/dense_lanes.h"
#include "linear/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 8, MOST = 13 };

static uint64_t seed = 1;

static double number(void) { // from -1 to 1
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)seed * 0x1p-63;
}

typedef struct {
    int n, m;
    double M[SIDE][MOST * MOST], A[SIDE][MOST * MOST], residual[SIDE][MOST], cut[SIDE];
} systems;

static void make(systems *s, int n, int m, bool diagonal) {
    double G[MOST * MOST];
    s->n = n;
    s->m = m;
    for (int l = 0; l < SIDE; l++) {
        for (int i = 0; i < n * n; i++)
            G[i] = number();
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = i == j ? 0.5 + fabs(number()) : 0;
                for (int k = 0; k < n && !diagonal; k++)
                    sum += G[i * n + k] * G[j * n + k];
                s->M[l][i * n + j] = sum;
            }
        for (int i = 0; i < m * n; i++)
            s->A[l][i] = number() > -0.3 ? number() : 0;
        for (int i = 0; i < m; i++)
            s->residual[l][i] = 1e-6 * number();
        s->cut[l] = 1e-11;
    }
}

static void interleave(double (*from)[MOST * MOST], int count, double *to) {
    for (int l = 0; l < SIDE; l++)
        for (int i = 0; i < count; i++)
            to[i * SIDE + l] = from[l][i];
}

// how many lanes were fine; those are held against the solver
static int compare(const systems *s, solver *by, dense_lanes *d) {
    double M[SIDE * MOST * MOST], A[SIDE * MOST * MOST], residual[SIDE * MOST], x[SIDE * MOST], fine[SIDE];
    int n = s->n, m = s->m, count = 0;
    interleave((double(*)[MOST * MOST]) s->M, n * n, M);
    interleave((double(*)[MOST * MOST]) s->A, m * n, A);
    for (int l = 0; l < SIDE; l++) {
        fine[l] = 1;
        for (int i = 0; i < m; i++)
            residual[i * SIDE + l] = s->residual[l][i];
    }
    dense_lanes_solve(d, M, A, residual, s->cut, x, fine);
    for (int l = 0; l < SIDE; l++) {
        double zero[MOST] = {0}, b[MOST], alone[MOST], multiplier[MOST];
        if (fine[l] == 0)
            continue;
        for (int i = 0; i < m; i++)
            b[i] = -s->residual[l][i];
        assert_true(solver_is_quick(by));
        assert_int_equal(solver_factor(by, s->M[l], s->A[l], s->cut[l]), DENSE_OK);
        solver_solve(by, zero, b, alone, multiplier);
        for (int i = 0; i < n; i++)
            assert_memory_equal(&x[i * SIDE + l], &alone[i], sizeof alone[i]);
        count++;
    }
    return count;
}

static void test_bits(void **state) {
    (void)state;
    arena *a = arena_new(0);
    for (int n = 1; n <= MOST; n++)
        for (int m = 1; m <= n; m += 1 + n / 5)
            for (int kind = 0; kind < 4; kind++) {
                systems s;
                double scale[MOST];
                bool scaled = kind >= 2;
                sparsity M = sparsity_full(a, n, n), A = sparsity_full(a, m, n);
                for (int i = 0; i < n; i++)
                    scale[i] = ldexp(1, i % 5 - 2);
                solver *by = solver_new(a, n, M, A, SOLVER_DENSE, scaled ? scale : NULL);
                dense_lanes *d = dense_lanes_new(a, n, M, A, scaled ? scale : NULL);
                int fine = 0;
                make(&s, n, m, kind % 2 == 0);
                for (int again = 0; again < 3; again++) { // with the same masses, then with others
                    fine += compare(&s, by, d);
                    if (again == 1)
                        make(&s, n, m, kind % 2 == 0);
                }
                assert_true(fine >= (m < n ? 16 : 6));
            }
    arena_free(a);
}

/* What the solver decides upon is not decided here. */
static void test_doubt(void **state) {
    enum { N = 4, M_ROWS = 2 };
    (void)state;
    arena *a = arena_new(0);
    sparsity M = sparsity_full(a, N, N), A = sparsity_full(a, M_ROWS, N);
    dense_lanes *d = dense_lanes_new(a, N, M, A, NULL);
    solver *by = solver_new(a, N, M, A, SOLVER_DENSE, NULL);
    systems s;
    make(&s, N, M_ROWS, true);
    double m[SIDE * N * N], rows[SIDE * M_ROWS * N], residual[SIDE * M_ROWS] = {0}, x[SIDE * N], fine[SIDE];
    for (int l = 0; l < SIDE; l++)
        fine[l] = l != 7;
    for (int j = 0; j < N; j++)
        s.A[0][N + j] = s.A[0][j] * 3; // the same row twice
    for (int j = 0; j < N; j++)
        s.A[1][N + j] = s.A[1][j] * (1 + 1e-7 * number());
    s.M[2][0] = 0;  // no mass
    s.M[3][5] = -1; // a negative one
    s.M[4][5] = NAN;
    s.A[5][3] = INFINITY;
    memset(s.A[6], 0, N * sizeof(double)); // a row of zeros
    interleave(s.M, N * N, m);
    interleave(s.A, M_ROWS * N, rows);
    dense_lanes_solve(d, m, rows, residual, s.cut, x, fine);
    for (int l = 0; l < SIDE; l++)
        assert_true(fine[l] == 0);
    make(&s, N, M_ROWS, true);
    assert_int_equal(compare(&s, by, d), SIDE);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_doubt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
