/* Multipliers of a known force, group by group: random trees of groups, with rows whose multipliers are given
 * across them, against the multipliers that the force was made with. */
#include "linear/peel.h"

#include "support/exact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPS = 12, ROWS = 6, COLUMNS = 7, ACROSS = 3 };
enum { N = GROUPS * COLUMNS + 1, M = GROUPS * ROWS + ACROSS }; // the last column is in no group

/* Row k of group g has entries with its own columns and those of a group above it. */
typedef struct {
    arena *a;
    dice d;
    sparsity A;
    peel *p;
    double *values, *scale;
    double lambda[M], f[N], size[N], found[M];
} tree;

static int pick(dice *d, int low, int high) {
    return low + below(d, high - low + 1);
}

static void for_entries(tree *t, const int *above, sparsity_builder *b, bool put) {
    for (int r = 0; r < M; r++) {
        int g = r < GROUPS * ROWS ? r / ROWS : (r - GROUPS * ROWS) * 5,
            up = r < GROUPS * ROWS ? above[g] : -1;
        for (int k = 0; k < COLUMNS; k++) {
            put ? sparsity_put(b, r, g * COLUMNS + k) : sparsity_announce(b, r);
            if (up >= 0)
                put ? sparsity_put(b, r, up * COLUMNS + k) : sparsity_announce(b, r);
        }
        if (r >= GROUPS * ROWS)
            put ? sparsity_put(b, r, N - 1) : sparsity_announce(b, r);
    }
}

static void set_force(tree *t) {
    memset(t->f, 0, sizeof t->f);
    memset(t->size, 0, sizeof t->size);
    for (int r = 0; r < M; r++)
        for (int e = t->A.start[r]; e < t->A.start[r + 1]; e++) {
            t->f[t->A.to[e]] += t->lambda[r] * t->values[e];
            t->size[t->A.to[e]] += fabs(t->lambda[r] * t->values[e]);
        }
    memset(t->found, 0, sizeof t->found);
    for (int r = GROUPS * ROWS; r < M; r++)
        t->found[r] = t->lambda[r];
}

static tree plant(int seed) {
    tree t = {.a = arena_new(0), .d = {(uint64_t)seed}};
    int above[GROUPS];
    for (int g = 0; g < GROUPS; g++) // leaves come first
        above[g] = g + 1 < GROUPS ? pick(&t.d, g + 1, GROUPS - 1) : -1;
    sparsity_builder b = sparsity_begin(t.a, M);
    for_entries(&t, above, &b, false);
    for_entries(&t, above, &b, true);
    t.A = sparsity_end(&b);
    t.values = arena_doubles(t.a, (size_t)sparsity_entries(t.A));
    t.scale = arena_doubles(t.a, N);
    for (int i = 0; i < N; i++)
        t.scale[i] = seed % 2 ? ldexp(1, pick(&t.d, -20, 20)) : 1;
    for (int e = 0; e < sparsity_entries(t.A); e++)
        t.values[e] = normal(&t.d) / t.scale[t.A.to[e]];
    for (int r = 0; r < M; r++)
        t.lambda[r] = normal(&t.d);
    t.p = peel_new(t.a, N, t.A, t.scale);
    for (int g = 0; g < GROUPS; g++) {
        int rows[ROWS], columns[COLUMNS];
        for (int k = 0; k < ROWS; k++)
            rows[k] = g * ROWS + k;
        for (int k = 0; k < COLUMNS; k++)
            columns[k] = g * COLUMNS + k;
        peel_add(t.p, rows, ROWS, columns, COLUMNS);
    }
    set_force(&t);
    return t;
}

static void multipliers_are_found(void **state) {
    (void)state;
    for (int seed = 1; seed <= 40; seed++) {
        tree t = plant(seed);
        assert_true(peel_solve(t.p, t.values, t.f, t.size, t.found));
        for (int r = 0; r < M; r++)
            assert_true(fabs(t.found[r] - t.lambda[r]) <= 1e-7);
        arena_free(t.a);
    }
}

static void what_is_no_force_of_the_rows_is_told(void **state) {
    (void)state;
    for (int seed = 1; seed <= 40; seed++) {
        tree t = plant(seed);
        int at = pick(&t.d, 0, N - 1);
        t.f[at] += 1e-6 * t.size[at];
        t.size[at] *= 1 + 1e-6;
        assert_false(peel_solve(t.p, t.values, t.f, t.size, t.found));
        arena_free(t.a);
    }
}

static void dependent_rows_are_told(void **state) {
    (void)state;
    for (int seed = 1; seed <= 40; seed++) {
        tree t = plant(seed);
        int r = pick(&t.d, 0, GROUPS - 1) * ROWS + pick(&t.d, 1, ROWS - 1);
        int count = t.A.start[r + 1] - t.A.start[r];
        for (int k = 0; k < count; k++)
            t.values[t.A.start[r] + k] = 3 * t.values[t.A.start[r - 1] + k];
        set_force(&t);
        assert_false(peel_solve(t.p, t.values, t.f, t.size, t.found));
        arena_free(t.a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_are_found),
        cmocka_unit_test(what_is_no_force_of_the_rows_is_told),
        cmocka_unit_test(dependent_rows_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
