/* Measured rows, sparse: their values and shares against the normal equations in 113 bits, weights over
 * decades, rows that depend on exact ones, on each other, or count for nothing. */
#include "linear/fit.h"
#include "linear/weighted.h"
#include "support/build.h"
#include "support/exact.h"

#include <math.h>
#include <string.h>

enum { SIDE = 10 };
static const double CUT = 1e-11;

typedef struct {
    int n, m, k;
    double rows[SIDE * SIDE], b[SIDE], weight[SIDE], units[SIDE]; // (m exact, then k measured)
} problem;

static sparsity pattern_of(arena *a, const problem *p, double *values) {
    sparsity_builder b = sparsity_begin(a, p->m + p->k);
    for (int put = 0; put < 2; put++)
        for (int i = 0; i < p->m + p->k; i++)
            for (int j = 0; j < p->n; j++)
                if (put)
                    sparsity_put(&b, i, j);
                else
                    sparsity_announce(&b, i);
    memcpy(values, p->rows, sizeof p->rows);
    return sparsity_end(&b);
}

static bool counts(const problem *p, int i) {
    return i < p->m || p->weight[i - p->m] > 0;
}

// by equivalent rows: which are right (test_weighted.c). x: one of the minimisers, and s of a force R'1 the
// shares
static void equivalent(const problem *p, double *values, double *share) {
    arena *a = arena_new(0);
    int n = p->n;
    double R[SIDE * SIDE], r[SIDE], one[SIDE];
    weighted *w = weighted_new(a, n, p->m, p->k);
    int rows = weighted_rows(w, p->rows, CUT, p->rows + p->m * n, p->b + p->m, p->weight, R, r);
    static real K[MOST][MOST];
    real x[MOST] = {0};
    int unknown[MOST];
    for (int i = 0; i < p->m + rows; i++) {
        for (int j = 0; j < n; j++)
            K[i][j] = i < p->m ? p->rows[i * n + j] : R[(i - p->m) * n + j];
        K[i][n] = i < p->m ? p->b[i] : r[i - p->m];
    }
    int rank = exact_reduce(K, p->m + rows, n + 1, n, 1e-12, unknown);
    for (int i = 0; i < rank; i++)
        x[unknown[i]] = K[i][n];
    for (int i = 0; i < p->k; i++) {
        real sum = 0;
        for (int j = 0; j < n; j++)
            sum += p->rows[(p->m + i) * n + j] * x[j];
        values[i] = (double)sum;
    }
    for (int i = 0; i < rows; i++)
        one[i] = 1;
    weighted_share(w, one, share);
    arena_free(a);
}

// false: it is not told
static bool check(problem *p) {
    arena *a = arena_new(0);
    double A[SIDE * SIDE], b[SIDE], values[SIDE], share[SIDE], multiplier[SIDE], largest = 0;
    for (int i = 0; i < p->m + p->k; i++)
        for (int j = 0; j < p->n && !counts(p, i); j++)
            p->rows[i * p->n + j] = p->b[i] = 0;
    sparsity rows = pattern_of(a, p, A);
    fit *f = fit_new(a, p->n, rows, p->m);
    equivalent(p, values, share);
    assert_true(fit_factor(f, A, p->weight, p->units, CUT));
    memcpy(b, p->b, sizeof b);
    if (!fit_values(f, b)) {
        arena_free(a);
        return false;
    }
    for (int i = 0; i < p->m; i++)
        assert_true(b[i] == p->b[i]);
    for (int i = 0; i < p->k; i++)
        largest = fmax(largest, fabs(values[i]));
    for (int i = 0; i < p->k; i++)
        if (counts(p, p->m + i))
            assert_near_scaled(b[p->m + i], values[i], 1e-9, 1 + largest);
    // another way to put the same force: it comes out by weights again
    memset(multiplier, 0, sizeof multiplier);
    memcpy(multiplier + p->m, share, (size_t)p->k * sizeof *share);
    for (int i = 0; i < p->m; i++)
        multiplier[i] = 0.5;
    bool told = fit_multipliers(f, multiplier);
    largest = 0;
    for (int i = 0; i < p->k; i++)
        largest = fmax(largest, fabs(share[i]));
    for (int i = 0; i < p->m && told; i++)
        assert_near_scaled(multiplier[i], 0.5, 1e-8, 1 + largest);
    for (int i = 0; i < p->k && told; i++)
        assert_near_scaled(multiplier[p->m + i], share[i], 1e-8, 1 + largest);
    arena_free(a);
    return told;
}

static void random_measurements(void **state) {
    dice d = {17};
    int told = 0;
    for (int trial = 0; trial < 1000; trial++) {
        problem p = {.n = 2 + below(&d, 5), .m = below(&d, 3)};
        p.k = 1 + below(&d, SIDE - p.m);
        p.m = p.m < p.n ? p.m : p.n - 1;
        int some = 1 + below(&d, p.k); // those from here on depend on those before
        for (int j = 0; j < p.n; j++)
            p.units[j] = decades(&d, 1);
        for (int i = 0; i < p.m + p.k; i++) {
            p.b[i] = normal(&d);
            for (int j = 0; j < p.n; j++)
                p.rows[i * p.n + j] =
                    i < p.m + some ? normal(&d) : 2 * p.rows[(p.m + (i - p.m) % some) * p.n + j];
        }
        for (int i = 0; i < p.k; i++)
            p.weight[i] = below(&d, 10) ? decades(&d, 3) : 0;
        told += check(&p);
    }
    assert_true(told > 950);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_measurements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
