/* Block triangular form: random patterns, against full factors; large blocks, which have sparse ones. */
#include "linear/lu.h"
#include "linear/triangular.h"
#include "support/build.h"
#include "support/exact.h"

#include <math.h>

enum { N = 12 };

static sparsity pattern_of(arena *a, const double *full, int n) {
    sparsity_builder b = sparsity_begin(a, n);
    for (int put = 0; put < 2; put++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (full[i * n + j] != 0 && put)
                    sparsity_put(&b, i, j);
                else if (full[i * n + j] != 0)
                    sparsity_announce(&b, i);
    return sparsity_end(&b);
}

// G'x = b to rounding, or x'G = b
static void check_transposed(const triangular *t, const double *G, const triangular_factors *f, dice *d) {
    arena *a = arena_new(0);
    int n = t->pattern.rows;
    double *b = arena_doubles(a, (size_t)n), *x = arena_doubles(a, (size_t)n),
           *left = arena_doubles(a, (size_t)n);
    double size = 0;
    for (int i = 0; i < n; i++)
        b[i] = left[i] = 2 * uniform(d) - 1;
    triangular_solve_transposed(t, G, f, b, x);
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
        for (int e = t->pattern.start[i]; e < t->pattern.start[i + 1]; e++)
            left[t->pattern.to[e]] -= G[e] * x[i];
    }
    for (int i = 0; i < n; i++)
        assert_true(fabs(left[i]) <= 1e-11 * (1 + size) * n);
    arena_free(a);
}

static void check(const double *full, int n, dice *d) {
    arena *a = arena_new((size_t)1 << 30);
    sparsity p = pattern_of(a, full, n);
    triangular *t = triangular_new(a, p);
    triangular_factors f = triangular_factors_new(a, t);
    double K[N * N], work[2 * N], b[N], x[N], *G = arena_doubles(a, N * N);
    int pivot[N], sign, count = 0;
    for (int i = 0; i < n * n; i++) {
        K[i] = full[i];
        if (full[i] != 0)
            G[count++] = full[i];
    }
    for (int k = 0; k < n; k++) // each row has nothing behind its block
        for (int e = p.start[t->row[k]]; e < p.start[t->row[k] + 1]; e++)
            for (int c = 0; c < t->count; c++)
                assert_true(t->first[c + 1] <= k || t->first[c] > k || t->at[p.to[e]] < t->first[c + 1]);
    bool regular = lu_factor(K, n, pivot, work, &sign) < 0;
    assert_int_equal(triangular_factor(t, G, &f) < 0, regular);
    for (int i = 0; i < n; i++)
        b[i] = 2 * uniform(d) - 1;
    if (regular) {
        triangular_solve(t, G, &f, b, x);
        lu_solve(K, n, pivot, b);
    }
    for (int i = 0; i < n && regular; i++)
        assert_near_scaled(x[i], b[i], 1e-9, 1 + fabs(b[i]));
    if (regular)
        check_transposed(t, G, &f, d);
    arena_free(a);
}

static void random_patterns(void **state) {
    dice d = {5};
    for (int trial = 0; trial < 3000; trial++) {
        int n = 1 + below(&d, N);
        double full[N * N], many = 0.05 + 0.5 * uniform(&d);
        for (int i = 0; i < n * n; i++)
            full[i] = uniform(&d) < many ? 2 * uniform(&d) - 1 : 0;
        for (int i = 0; i < n && trial % 2; i++) // so that it is regular more often
            full[i * n + (i + trial) % n] = 1 + i;
        check(full, n, &d);
    }
}

// a long chain is as many blocks of one, a ring is one
static void chains(void **state) {
    enum { LONG = 20000 };
    for (int ring = 0; ring < 2; ring++) {
        arena *a = arena_new((size_t)1 << 30);
        sparsity_builder b = sparsity_begin(a, LONG);
        for (int put = 0; put < 2; put++)
            for (int i = 0; i < LONG; i++)
                for (int k = 0; k < 2; k++)
                    if (i + k < LONG + ring && put)
                        sparsity_put(&b, i, (i + k) % LONG);
                    else if (i + k < LONG + ring)
                        sparsity_announce(&b, i);
        sparsity p = sparsity_end(&b);
        triangular *t = triangular_new(a, p);
        assert_int_equal(t->count, ring ? 1 : LONG);
        assert_true(triangular_size(a, p) == (ring ? 0 : LONG)); // which is sparse
        arena_free(a);
    }
}

// one block of many with a few entries in each row: sign, solutions, the one that is nearest to singular
static void large_blocks(void **state) {
    enum { LARGE = 150 };
    dice d = {11};
    for (int trial = 0; trial < 40; trial++) {
        arena *a = arena_new((size_t)1 << 30);
        double *full = arena_doubles(a, LARGE * LARGE), *G = arena_doubles(a, LARGE * LARGE);
        for (int i = 0; i < LARGE; i++) {
            full[i * LARGE + (i + trial) % LARGE] = trial % 2 ? 2 * uniform(&d) - 1 : 2;
            full[i * LARGE + (i + 1 + trial) % LARGE] = 2 * uniform(&d) - 1;
            full[i * LARGE + below(&d, LARGE)] = 2 * uniform(&d) - 1;
        }
        sparsity p = pattern_of(a, full, LARGE);
        for (int i = 0, count = 0; i < LARGE * LARGE; i++)
            if (full[i] != 0)
                G[count++] = full[i];
        triangular *t = triangular_new(a, p);
        triangular_factors f = triangular_factors_new(a, t);
        assert_int_equal(t->count, 1);
        assert_non_null(t->large[0]);
        assert_int_equal(triangular_factor(t, G, &f), -1);
        double *b = arena_doubles(a, LARGE), *x = arena_doubles(a, LARGE),
               *work = arena_doubles(a, 2 * LARGE);
        int pivot[LARGE], sign;
        for (int i = 0; i < LARGE; i++)
            b[i] = 2 * uniform(&d) - 1;
        triangular_solve(t, G, &f, b, x);
        check_transposed(t, G, &f, &d);
        int here = f.sign[0];
        for (int e = p.start[7]; e < p.start[8]; e++)
            G[e] = -G[e];
        assert_int_equal(triangular_factor(t, G, &f), -1);
        assert_int_equal(f.sign[0], -here);
        assert_int_equal(triangular_worst(t, G, &f), 0);
        for (int e = p.start[7]; e < p.start[8]; e++)
            G[e] = 0;
        assert_true(triangular_factor(t, G, &f) >= 0);
        assert_int_equal(f.sign[0], 0);
        // by places: rows and columns in their order, as full factors of the block would see them
        double *block = arena_doubles(a, LARGE * LARGE);
        for (int k = 0; k < LARGE; k++)
            for (int l = 0; l < LARGE; l++)
                block[k * LARGE + l] = full[t->row[k] * LARGE + t->column[l]];
        assert_int_equal(lu_factor(block, LARGE, pivot, work, &sign), -1);
        assert_int_equal(sign, here);
        assert_int_equal(lu_factor(full, LARGE, pivot, work, &sign), -1);
        lu_solve(full, LARGE, pivot, b);
        for (int i = 0; i < LARGE; i++)
            assert_near_scaled(x[i], b[i], 1e-9, 1 + fabs(b[i]));
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_patterns), cmocka_unit_test(chains),
                                       cmocka_unit_test(large_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
