/* Eigenvalues and singular values without a library: what they are by definition, and what LAPACK has. */
#include "linear/eigen.h"
#include "linear/lapack.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 24 };
typedef struct {
    double K[MOST * MOST], re[MOST], im[MOST], V[MOST * MOST], scratch[MOST * MOST + 8 * MOST + 1];
} found;

static double dice(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

// K V = lambda V, and V of unit length
static void check_vectors(int n, const double *K, const found *f, double tolerance) {
    double norm = 0;
    for (int i = 0; i < n * n; i++)
        norm = fmax(norm, fabs(K[i]));
    for (int k = 0; k < n; k++) {
        bool pair = f->im[k] != 0;
        double length = 0;
        if (f->im[k] < 0)
            continue;
        for (int i = 0; i < n; i++) {
            double complex x = f->V[k * n + i] + (pair ? f->V[(k + 1) * n + i] : 0) * I, sum = 0;
            length += cabs(x) * cabs(x);
            for (int j = 0; j < n; j++)
                sum += K[i * n + j] * (f->V[k * n + j] + (pair ? f->V[(k + 1) * n + j] : 0) * I);
            assert_true(cabs(sum - (f->re[k] + f->im[k] * I) * x) <= tolerance * norm * n);
        }
        assert_float_equal(length, 1, 1e-12);
        assert_true(!pair || (f->re[k] == f->re[k + 1] && f->im[k] == -f->im[k + 1]));
    }
}

// the same numbers, in any order
static void same_numbers(int n, const found *a, const found *b, double tolerance) {
    bool taken[MOST] = {false};
    for (int i = 0; i < n; i++) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < n; k++) {
            double off = hypot(a->re[i] - b->re[k], a->im[i] - b->im[k]);
            if (!taken[k] && off < least)
                least = off, best = k;
        }
        assert_true(least <= tolerance);
        taken[best] = true;
    }
}

static void random_matrices_have_the_eigenvalues_of_lapack(void **state) {
    const char *hint;
    uint64_t seed = 12345;
    for (int n = 0; n <= MOST; n++)
        for (int kind = 0; kind < 4; kind++) {
            double K[MOST * MOST] = {0};
            found f, g;
            for (int i = 0; i < n * n; i++) {
                K[i] = dice(&seed);
                if (kind == 1 && dice(&seed) > -0.3) // with many zeros
                    K[i] = 0;
                if (kind == 2) // of sizes far apart
                    K[i] *= pow(10, 6 * (i / n - i % n) / (double)n);
            }
            for (int i = 0; i < n; i++)
                for (int j = 0; kind == 3 && j < i; j++) // symmetric
                    K[i * n + j] = K[j * n + i];
            memcpy(f.K, K, sizeof K);
            memcpy(g.K, K, sizeof K);
            assert_true(eigen_values(n, f.K, f.re, f.im, f.V, f.scratch));
            check_vectors(n, K, &f, 1e-13);
            if (lapack_missing(&hint))
                continue;
            assert_true(lapack_eigenvalues(n, g.K, g.re, g.im, g.V, g.scratch));
            if (kind != 1) // defective ones are known to half the digits only
                same_numbers(n, &f, &g, 1e-11 * (kind == 2 ? 1e6 : 1));
            memcpy(g.K, K, sizeof K);
            assert_true(eigen_values(n, g.K, g.re, g.im, NULL, g.scratch)); // the same without vectors
            same_numbers(n, &f, &g, 1e-11 * (kind == 2 ? 1e6 : 1) + (kind == 1));
        }
    (void)state;
}

// of a chain of equal masses and springs: w^2 = 2 - 2 cos(k pi / (n + 1)), in the form x'' = - K x
static void a_chain_has_its_frequencies(void **state) {
    enum { N = 8, ALL = 2 * N };
    found f;
    memset(&f, 0, sizeof f);
    for (int i = 0; i < N; i++) {
        f.K[i * ALL + N + i] = 1;
        f.K[(N + i) * ALL + i] = -2;
        if (i > 0)
            f.K[(N + i) * ALL + i - 1] = 1;
        if (i < N - 1)
            f.K[(N + i) * ALL + i + 1] = 1;
    }
    assert_true(eigen_values(ALL, f.K, f.re, f.im, f.V, f.scratch));
    for (int k = 1; k <= N; k++) {
        double w = sqrt(2 - 2 * cos(k * acos(-1) / (N + 1))), least = INFINITY;
        for (int i = 0; i < ALL; i++)
            least = fmin(least, hypot(f.re[i], f.im[i] - w));
        assert_true(least < 1e-13);
    }
    (void)state;
}

// three equal eigenvalues with three vectors, and Jordan's block with one
static void equal_eigenvalues(void **state) {
    found f;
    double K[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 1, 1, 5};
    memcpy(f.K, K, sizeof K);
    assert_true(eigen_values(4, f.K, f.re, f.im, f.V, f.scratch));
    check_vectors(4, K, &f, 1e-14);
    double U[16], s[4], Vt[16], room[4];
    assert_true(eigen_svd(4, 4, f.V, U, s, Vt, room));
    assert_true(s[3] > 1e-3); // the vectors are independent
    double J[16] = {3, 1, 0, 0, 0, 3, 1, 0, 0, 0, 3, 1, 0, 0, 0, 3};
    memcpy(f.K, J, sizeof J);
    assert_true(eigen_values(4, f.K, f.re, f.im, f.V, f.scratch));
    check_vectors(4, J, &f, 1e-13);
    double bad[4] = {1, NAN, 0, 1};
    assert_false(eigen_values(2, bad, f.re, f.im, NULL, f.scratch));
    (void)state;
}

static void check_svd(int m, int n, const double *X, int rank) {
    double A[MOST * MOST], U[MOST * MOST], s[MOST], Vt[MOST * MOST], scratch[MOST * MOST + 8 * MOST + 1];
    double B[MOST * MOST], W[MOST * MOST], t[MOST], Yt[MOST * MOST];
    const char *hint;
    int k = m < n ? m : n;
    memcpy(A, X, (size_t)(m * n) * sizeof *A);
    memcpy(B, X, (size_t)(m * n) * sizeof *B);
    assert_true(eigen_svd(m, n, A, U, s, Vt, scratch));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += U[i * k + l] * s[l] * Vt[l * n + j];
            assert_float_equal(sum, X[i * n + j], 1e-13 * (1 + s[0]));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += Vt[i * n + l] * Vt[j * n + l];
            assert_float_equal(sum, i == j, 1e-13);
        }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int l = 0; l < m; l++)
                sum += U[l * k + i] * U[l * k + j];
            assert_float_equal(sum, i == j, 1e-12);
        }
    for (int i = 0; i < k; i++)
        assert_true((i == 0 || s[i] <= s[i - 1]) && (i < rank || s[i] < 1e-13 * (1 + s[0])));
    if (lapack_missing(&hint) || m == 0 || n == 0)
        return;
    assert_true(lapack_svd(m, n, B, W, t, Yt, scratch));
    for (int i = 0; i < k; i++)
        assert_float_equal(s[i], t[i], 1e-13 * (1 + t[0]));
}

static void singular_values_are_those_of_lapack(void **state) {
    uint64_t seed = 99;
    double X[MOST * MOST], L[MOST * MOST], R[MOST * MOST];
    for (int m = 1; m <= 12; m += 2)
        for (int n = 1; n <= 12; n++)
            for (int rank = 0; rank <= (m < n ? m : n); rank += 1 + (m < n ? m : n) / 3) {
                for (int i = 0; i < m * rank; i++)
                    L[i] = dice(&seed);
                for (int i = 0; i < rank * n; i++)
                    R[i] = dice(&seed);
                for (int i = 0; i < m; i++)
                    for (int j = 0; j < n; j++) {
                        X[i * n + j] = 0;
                        for (int l = 0; l < rank; l++)
                            X[i * n + j] += L[i * rank + l] * R[l * n + j];
                    }
                check_svd(m, n, X, rank);
            }
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_have_the_eigenvalues_of_lapack),
        cmocka_unit_test(a_chain_has_its_frequencies),
        cmocka_unit_test(equal_eigenvalues),
        cmocka_unit_test(singular_values_are_those_of_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
