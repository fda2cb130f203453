/* Reports of dependence: which rows, by which others, and whose multipliers are unique. */
#include "linear/rank.h"

#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double CUT = 1e-11;

static void check_kept(const rank_report *r, const char *kept, const char *unique) {
    int rank = 0;
    for (int i = 0; i < r->m; i++) {
        assert_int_equal(r->kept[i], kept[i] == '1');
        assert_int_equal(r->unique[i], unique[i] == '1');
        rank += r->kept[i];
        assert_true(r->kept[i] == (r->remainder[i] > CUT));
    }
    assert_int_equal(r->rank, rank);
}

static double coefficient(const rank_report *r, int i, int j) {
    for (int k = 0; k < r->term_count[i]; k++)
        if (r->terms[i][k].row == j)
            return r->terms[i][k].factor;
    return 0;
}

// a dropped row is the sum of its terms, relative to the row; only kept rows take part
static void check_coefficients(const rank_report *r, const double *A, double tolerance) {
    for (int i = 0; i < r->m; i++) {
        double off = 0, size = 0;
        assert_true(!r->kept[i] || r->term_count[i] == 0);
        for (int c = 0; c < r->n && !r->kept[i]; c++) {
            real s = -(real)A[i * r->n + c];
            for (int j = 0; j < r->m; j++) {
                assert_true(r->kept[j] || coefficient(r, i, j) == 0);
                s += (real)coefficient(r, i, j) * A[j * r->n + c];
            }
            off = fmax(off, (double)real_abs(s));
            size = fmax(size, fabs(A[i * r->n + c]));
        }
        assert_true(off <= tolerance * size);
    }
}

static void duplicates(void **state) {
    (void)state;
    double A[] = {1, 2, 0, 0, 0, 1, 1, 2, 0, 0, 3, 0, 0, 0, 1};
    arena *a = arena_new(0);
    rank_report *r = rank_of_rows(a, A, 5, 3, CUT);
    check_kept(r, "11010", "00010");
    check_coefficients(r, A, 1e-15);
    assert_true(fabs(coefficient(r, 2, 0) - 1) < 1e-15 && coefficient(r, 4, 1) == 1);
    arena_free(a);
}

static void rescaled_copies(void **state) {
    (void)state;
    double A[] = {1, 2, 3, 1e8, 2e8, 3e8, 0, 1e-8, 1e-8, -1e-8, -2e-8, -3e-8, 0, 3e8, 3e8};
    arena *a = arena_new(0);
    rank_report *r = rank_of_rows(a, A, 5, 3, CUT);
    check_kept(r, "10100", "00000");
    check_coefficients(r, A, 1e-14);
    assert_true(fabs(coefficient(r, 1, 0) / 1e8 - 1) < 1e-14);
    assert_true(fabs(coefficient(r, 4, 2) / 3e16 - 1) < 1e-14);
    arena_free(a);
}

static void sums_of_others(void **state) {
    (void)state;
    // row 3 = row 0 + 2 row 1; row 2 has no part in it; row 4 vanishes
    double A[] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 1e-5, 1, 3, 1, 2, 0, 1, 0, 0, 0, 0};
    arena *a = arena_new(0);
    rank_report *r = rank_of_rows(a, A, 5, 4, CUT);
    check_kept(r, "11100", "00100");
    check_coefficients(r, A, 1e-15);
    assert_true(fabs(coefficient(r, 3, 1) - 2) < 1e-15);
    arena_free(a);
}

// what is below the cut is explained by the others, what is above is kept
static void cut_decides(void **state) {
    (void)state;
    double A[] = {1, 0, 1, 1e-9};
    arena *a = arena_new(0);
    assert_int_equal(rank_of_rows(a, A, 2, 2, 1e-8)->rank, 1);
    rank_report *r = rank_of_rows(a, A, 2, 2, 1e-10);
    assert_int_equal(r->rank, 2);
    assert_true(fabs(r->remainder[1] / 1e-9 - 1) < 1e-6);
    assert_true(r->unique[0] && r->unique[1]);
    arena_free(a);
}

// dependence up to rounding is found for every cut from 0 to 1e-6, at any row scale, and none where there is
// none
static void random_rows(void **state) {
    (void)state;
    static const double cuts[] = {0, 1e-15, 1e-12, 1e-9, 1e-6};
    dice d = {31};
    for (int trial = 0; trial < 500; trial++) {
        int n = 2 + below(&d, 19), rank = 1 + below(&d, n), m = rank + below(&d, 6);
        double A[26 * 20] = {0}, scale[26];
        for (int i = 0; i < m; i++) {
            for (int t = 0; t < 2 && i >= rank; t++) {
                int from = (i + t) % rank;
                double f = 1 + uniform(&d); // no cancellation, so that rounding is all there is
                for (int j = 0; j < n; j++)
                    A[i * n + j] += f * A[from * n + j];
            }
            for (int j = 0; j < n && i < rank; j++)
                A[i * n + j] = normal(&d) + (i == j ? 5 : 0);
        }
        for (int i = 0; i < m; i++) {
            scale[i] = decades(&d, 8);
            for (int j = 0; j < n; j++)
                A[i * n + j] *= scale[i];
        }
        arena *a = arena_new(0);
        for (int c = 0; c < 5; c++) {
            rank_report *r = rank_of_rows(a, A, m, n, cuts[c]);
            assert_int_equal(r->rank, rank);
            check_coefficients(r, A, 1e-12);
            for (int i = 0; i < m; i++)
                assert_int_equal(r->kept[i], i < rank);
        }
        arena_free(a);
    }
}

// the solvers' choice: largest remainder first, but of equal rows the first
static void basis(void **state) {
    (void)state;
    double A[] = {0, 0, 1, 1, 1, 1, 1, -1, 1, 1e-3};
    arena *a = arena_new(0);
    rank_basis *k = rank_basis_new(a, 5, 2);
    for (int i = 0; i < 5; i++)
        rank_basis_set(k, i, A + 2 * i);
    rank_basis_choose(k, 5, CUT);
    assert_int_equal(k->rank, 2);
    assert_true(!k->kept[0] && k->kept[1] && !k->kept[2] && k->kept[3] && !k->kept[4]);
    double v[] = {3, 4};
    assert_true(rank_basis_remove(k, v) < 1e-15);
    // by importance: rows 4 and 2
    double importance[] = {0, 1, 1e6, 1, 1e9}, C[10];
    int by[2];
    assert_true(rank_express(k, importance, CUT, C, by));
    assert_true((by[0] == 4 && by[1] == 2) || (by[0] == 2 && by[1] == 4));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicates),  cmocka_unit_test(rescaled_copies), cmocka_unit_test(sums_of_others),
        cmocka_unit_test(cut_decides), cmocka_unit_test(random_rows),     cmocka_unit_test(basis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
