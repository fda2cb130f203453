/* The order of elimination: a permutation of all rows, with as little fill as the pattern allows. */
#include "linear/ldl.h"

#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- patterns as lists of edges ---- */

typedef vec(int) ints;

typedef struct {
    arena *a;
    int n;
    ints first, second; // edges
} edges;

static void add_edge(edges *e, int i, int j) {
    if (i == j)
        return;
    for (int k = 0; k < e->first.count && e->n <= 64; k++)
        if ((e->first.at[k] == i && e->second.at[k] == j) || (e->first.at[k] == j && e->second.at[k] == i))
            return;
    vec_push(e->a, e->first, i);
    vec_push(e->a, e->second, j);
}

static graph graph_of(edges *e) {
    int *start = arena_array(e->a, int, e->n + 2), *to = arena_array(e->a, int, 2 * e->first.count + 1);
    for (int k = 0; k < e->first.count; k++) {
        start[e->first.at[k] + 2]++;
        start[e->second.at[k] + 2]++;
    }
    for (int i = 0; i < e->n; i++)
        start[i + 2] += start[i + 1];
    for (int k = 0; k < e->first.count; k++) {
        to[start[e->first.at[k] + 1]++] = e->second.at[k];
        to[start[e->second.at[k] + 1]++] = e->first.at[k];
    }
    return (graph){e->n, start, to};
}

static int entries_of(edges *e) {
    return ldl_plan_new(e->a, graph_of(e))->entries;
}

/* ---- fill ---- */

static void chains_and_trees_do_not_fill(void **state) {
    dice d = {1};
    for (int n = 1; n <= 100000; n *= 10) {
        arena *a = arena_new(0);
        edges chain = {.a = a, .n = n}, tree = {.a = a, .n = n};
        for (int i = 1; i < n; i++) {
            add_edge(&chain, i, i - 1);
            add_edge(&tree, i, below(&d, i));
        }
        assert_int_equal(entries_of(&chain), n - 1);
        assert_int_equal(entries_of(&tree), n - 1);
        arena_free(a);
    }
}

// a hub that all others see comes last
static void wheels_fill_little(void **state) {
    arena *a = arena_new(0);
    edges wheel = {.a = a, .n = 20000};
    for (int i = 1; i < wheel.n; i++) {
        add_edge(&wheel, i, 0);
        add_edge(&wheel, i, 1 + i % (wheel.n - 1));
    }
    assert_true(entries_of(&wheel) < 3 * wheel.n);
    arena_free(a);
}

// SuiteSparse's AMD makes 306 909 entries of this one; by rows it would be 1.7 million
static void grids_fill_as_expected(void **state) {
    enum { SIDE = 120 };
    arena *a = arena_new(0);
    edges grid = {.a = a, .n = SIDE * SIDE};
    for (int i = 0; i < grid.n; i++) {
        if (i % SIDE)
            add_edge(&grid, i, i - 1);
        if (i >= SIDE)
            add_edge(&grid, i, i - SIDE);
    }
    assert_true(entries_of(&grid) < 320000);
    arena_free(a);
}

/* ---- the factorisation on random patterns, against elimination in a full matrix ---- */

static void fill_values(dice *d, ldl *f, double K[][MOST]) {
    const ldl_plan *p = f->plan;
    for (int k = 0; k < p->n; k++) {
        K[k][k] = f->diagonal[k] = 1 + p->n + uniform(d);
        for (int z = p->row[k]; z < p->row[k + 1]; z++)
            K[k][p->column[z]] = K[p->column[z]][k] = f->value[z] = normal(d);
        f->out[k] = below(d, 8) == 0;
    }
}

static void check_solution(dice *d, const ldl *f, double K[][MOST]) {
    int n = f->plan->n;
    double x[MOST], b[MOST];
    for (int k = 0; k < n; k++)
        x[k] = b[k] = f->out[k] ? 0 : normal(d);
    ldl_solve(f, x);
    for (int k = 0; k < n; k++) {
        double sum = -b[k];
        for (int i = 0; i < n; i++)
            sum += K[k][i] * x[i];
        assert_true(f->out[k] ? x[k] == 0 : fabs(sum) < 1e-13);
    }
}

static void random_patterns(void **state) {
    dice d = {2};
    for (int trial = 0; trial < 2000; trial++) {
        arena *a = arena_new(0);
        edges e = {.a = a, .n = 1 + below(&d, 40)};
        for (int k = below(&d, 4 * e.n); k > 0; k--)
            add_edge(&e, below(&d, e.n), below(&d, e.n));
        double K[MOST][MOST] = {{0}};
        bool seen[MOST] = {false};
        ldl *f = ldl_new(a, ldl_plan_new(a, graph_of(&e)));
        for (int k = 0; k < e.n; k++) {
            int i = f->plan->order[k];
            assert_true(i >= 0 && i < e.n && !seen[i] && f->plan->place[i] == k);
            seen[i] = true;
        }
        fill_values(&d, f, K);
        ldl_factor(f, 1e-12, LDL_DROP);
        check_solution(&d, f, K);
        arena_free(a);
    }
}

// (1, 1, 0), (1, 1, 0), (0, 0, 1): of two equal rows one goes; raised, none does
static void small_pivots(void **state) {
    arena *a = arena_new(0);
    edges e = {.a = a, .n = 3};
    add_edge(&e, 0, 1);
    ldl *f = ldl_new(a, ldl_plan_new(a, graph_of(&e)));
    for (int k = 0; k < 3; k++)
        f->diagonal[k] = 4;
    f->value[0] = 4;
    ldl_factor(f, 1e-12, LDL_DROP);
    assert_int_equal(f->rank, 2);
    assert_true(f->smallest == 1);
    for (int k = 0; k < 3; k++)
        f->out[k] = false;
    ldl_factor(f, 1e-12, LDL_RAISE);
    assert_int_equal(f->rank, 3);
    assert_true(f->smallest == 0);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_and_trees_do_not_fill),
        cmocka_unit_test(wheels_fill_little),
        cmocka_unit_test(grids_fill_as_expected),
        cmocka_unit_test(random_patterns),
        cmocka_unit_test(small_pivots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
