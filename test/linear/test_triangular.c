/* Block triangular form: random patterns, against full factors. */
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
        assert_true(triangular_size(a, p) == (ring ? (double)LONG * LONG : LONG));
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_patterns), cmocka_unit_test(chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
