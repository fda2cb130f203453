/* Rows of any number: the same answers as from full rows. */
#include "linear/dependence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double CUT = 1e-11;

static void stacked(void **state) {
    (void)state;
    double M[] = {1e12, 1e-6, 0}, tied[] = {1e-8, 1e-8}, loose[] = {1, 1};
    int one[] = {0, 1, 2, 3}, diagonal[] = {0, 1, 2}, two[] = {0, 2, 2}, last[] = {1, 2}, first[] = {0, 1};
    sparsity M_pattern = {3, one, diagonal};
    arena *a = arena_new(0);
    assert_int_equal(dependence_rank_stacked(a, 3, M_pattern, M, (sparsity){1, two, last}, tied, CUT, NULL),
                     3);
    assert_int_equal(dependence_rank_stacked(a, 3, M_pattern, M, (sparsity){2, two, first}, loose, CUT, NULL),
                     2);
    assert_int_equal(dependence_rank_stacked(a, 3, M_pattern, M, (sparsity){0, two, first}, loose, CUT, NULL),
                     2);
    arena_free(a);
}

enum { LINKS = 2000, REPEATED = 50 };

/* A chain of links between neighbours; then every 40th link once more, times -2, and one row that is the sum
 * of two neighbours. */
static void many(void **state) {
    (void)state;
    arena *a = arena_new(0);
    int m = LINKS + REPEATED + 1, *start = arena_array(a, int, m + 1), *to = arena_array(a, int, 2 * m + 2);
    double *A = arena_doubles(a, (size_t)(2 * m + 2));
    for (int i = 0; i < m; i++) {
        int link = i < LINKS ? i : i < LINKS + REPEATED ? 40 * (i - LINKS) : 7;
        bool sum = i == m - 1;
        to[2 * i] = link;
        to[2 * i + 1] = link + (sum ? 2 : 1);
        A[2 * i] = i < LINKS || sum ? 1 : -2;
        A[2 * i + 1] = -A[2 * i];
        start[i + 1] = 2 * i + 2;
    }
    rank_report *r = dependence_of_rows(a, LINKS + 1, (sparsity){m, start, to}, A, CUT, false);
    assert_int_equal(r->rank, LINKS);
    int dropped = 0;
    double *rest = arena_doubles(a, LINKS + 1);
    for (int i = 0; i < m; i++) {
        dropped += !r->kept[i];
        for (int k = 0; k < r->term_count[i]; k++)
            assert_true(r->kept[r->terms[i][k].row] && !r->unique[r->terms[i][k].row] && !r->kept[i]);
        if (r->kept[i])
            continue;
        for (int e = 2 * i; e < 2 * i + 2; e++)
            rest[to[e]] -= A[e];
        for (int k = 0; k < r->term_count[i]; k++)
            row_add((sparsity){m, start, to}, A, r->terms[i][k].row, r->terms[i][k].factor, rest);
        for (int e = 2 * i; e < 2 * i + 2; e++)
            assert_true(fabs(rest[to[e]]) < 1e-13);
    }
    assert_int_equal(dropped, m - LINKS);
    assert_true(r->unique[1] && r->unique[3] && !r->unique[7] && !r->unique[8] && !r->unique[40]);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacked), cmocka_unit_test(many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
