/* Sparse factors without symmetry against full ones: random patterns, zeros on the diagonal, sizes that
 * differ by decades, singular matrices. */
#include "linear/lu.h"
#include "linear/lu_sparse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40 };

static double next(unsigned *seed) { // in -1 .. 1
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

// full (N x N) to columns and values
static sparsity columns_of(arena *a, const double *full, double *values) {
    sparsity_builder b = sparsity_begin(a, N);
    for (int put = 0; put < 2; put++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (full[i * N + j] != 0 && put)
                    sparsity_put(&b, j, i);
                else if (full[i * N + j] != 0)
                    sparsity_announce(&b, j);
    sparsity p = sparsity_end(&b);
    for (int j = 0; j < N; j++)
        for (int e = p.start[j]; e < p.start[j + 1]; e++)
            values[e] = full[p.to[e] * N + j];
    return p;
}

static void fill(double *full, unsigned seed, double range) {
    double size[N];
    for (int i = 0; i < N; i++)
        size[i] = pow(10, range * next(&seed));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            bool there = (j == (i + 1) % N) || (fabs(next(&seed)) < 0.08 && i != j);
            full[i * N + j] = there ? (j == (i + 1) % N ? 2 : 1) * (1 + next(&seed) / 3) * size[i] : 0;
        }
}

static void check(unsigned seed, double range) {
    arena *a = arena_new(0);
    double full[N * N], values[N * N], x[N], expected[N];
    int order[N], pivot[N], sign;
    fill(full, seed, range);
    sparsity p = columns_of(a, full, values);
    for (int i = 0; i < N; i++)
        order[i] = (7 * i + 3) % N;
    lu_sparse *f = lu_sparse_new(a, p, order);
    for (int again = 0; again < 2; again++) { // values may change
        for (int e = 0; e < sparsity_entries(p); e++)
            values[e] *= again ? -3 : 1;
        assert_int_equal(lu_sparse_factor(f, values), -1);
        for (int i = 0; i < N; i++)
            expected[i] = next(&seed);
        memset(x, 0, sizeof x);
        for (int j = 0; j < N; j++)
            for (int e = p.start[j]; e < p.start[j + 1]; e++)
                x[p.to[e]] += values[e] * expected[j];
        lu_sparse_solve(f, x);
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - expected[i]) < 1e-9);
    }
    double work[2 * N];
    assert_int_equal(lu_factor(full, N, pivot, work, &sign), -1); // the full one agrees that it is regular
    assert_true(lu_sparse_entries(f) >= sparsity_entries(p));
    arena_free(a);
}

static void solves_as_multiplied(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= 100; seed++)
        check(seed, seed % 2 ? 0 : 6);
}

static void singular_is_told(void **state) {
    (void)state;
    arena *a = arena_new(0);
    double full[N * N], values[N * N], kept[N];
    int order[N];
    for (int i = 0; i < N; i++)
        order[i] = i;
    fill(full, 5, 0);
    sparsity p = columns_of(a, full, values);
    int first = p.start[9], count = p.start[10] - first;
    lu_sparse *f = lu_sparse_new(a, p, order);
    memcpy(kept, values + first, (size_t)count * sizeof *kept);
    memset(values + first, 0, (size_t)count * sizeof *kept);
    assert_int_equal(lu_sparse_factor(f, values), 9);
    memcpy(values + first, kept, (size_t)count * sizeof *kept);
    assert_int_equal(lu_sparse_factor(f, values), -1); // nothing is left of the failure
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves_as_multiplied),
                                       cmocka_unit_test(singular_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
