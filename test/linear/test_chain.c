/* Chains of rows: found in patterns in any order, and solved as the KKT matrix is; the same bits on all
 * processors and with any number of threads. What all solvers have in common is in test_solvers.c. */
#include "linear/chain.h"

#include "linear/solver.h"
#include "support/problems.h"

#include <stdlib.h>
#include <string.h>

static const double CUT = 1e-11;

typedef struct {
    arena *a;
    int n, m;
    sparsity M_pattern, A_pattern;
    double *M, *A, *Q, *b;
} links;

typedef enum { FORTH, BACK, SHUFFLED } numbering;

static const int *numbers(arena *a, dice *d, int count, numbering how) {
    int *number = arena_array(a, int, count + 1);
    for (int i = 0; i < count; i++)
        number[i] = how == BACK ? count - 1 - i : i;
    for (int i = count - 1; i > 0 && how == SHUFFLED; i--) {
        int j = below(d, i + 1), other = number[i];
        number[i] = number[j];
        number[j] = other;
    }
    return number;
}

/* `m` rows; row r joins particles r - 1 and r, or is one particle's where a chain begins: one every `each`
 * rows. dim coordinates of a particle, apart from each other. */
static links links_new(dice *d, int m, int dim, int each, numbering how, double span) {
    links s = {.a = arena_new(0), .n = m * dim, .m = m};
    const int *of_row = numbers(s.a, d, m, how), *of_particle = numbers(s.a, d, m, how);
    int *start = arena_array(s.a, int, m + 1), *to = arena_array(s.a, int, 2 * s.n + 1), count = 0;
    int *M_start = arena_array(s.a, int, s.n + 1);
    s.M = arena_doubles(s.a, (size_t)s.n);
    s.Q = arena_doubles(s.a, (size_t)s.n);
    s.b = arena_doubles(s.a, (size_t)m);
    s.A = arena_doubles(s.a, 2 * (size_t)s.n);
    for (int j = 0; j < s.n; j++) {
        s.M[j] = decades(d, span);
        s.Q[j] = normal(d);
        M_start[j + 1] = j + 1;
    }
    int *row = arena_array(s.a, int, m); // the chain's row that is i-th
    for (int r = 0; r < m; r++)
        row[of_row[r]] = r;
    for (int i = 0; i < m; i++) {
        int r = row[i], first = count;
        s.b[i] = normal(d);
        for (int k = 0; k < dim; k++) {
            double along = normal(d);
            int mine = of_particle[r] + k * m, before = r % each ? of_particle[r - 1] + k * m : -1;
            for (int side = 0; side < 2; side++) {
                int column = side ? (mine > before ? mine : before) : (mine > before ? before : mine);
                if (column >= 0) {
                    s.A[count] = column == mine ? along : -along;
                    to[count++] = column;
                }
            }
        }
        assert_true(count > first);
        start[i + 1] = count;
    }
    s.M_pattern = (sparsity){s.n, M_start, numbers(s.a, d, s.n, FORTH)};
    s.A_pattern = (sparsity){m, start, to};
    return s;
}

typedef struct {
    double *x, *l;
    double nearness;
} answer;

static answer solve(links *s, const solver_ops *by, int threads) {
    answer found = {arena_doubles(s->a, (size_t)s->n), arena_doubles(s->a, (size_t)s->m), 0};
    void *self = by->create(s->a, s->n, s->M_pattern, s->A_pattern);
    by->use_team(self, team_new(s->a, threads));
    for (int again = 0; again < 2; again++) {
        assert_int_equal(by->factor(self, s->M, s->A, CUT), DENSE_OK);
        assert_int_equal(by->rank(self), s->m);
        by->solve(self, s->Q, s->b, found.x, found.l);
    }
    for (int i = 0; i < s->m; i += 1 + s->m / 50)
        assert_false(by->dropped(self, i));
    found.nearness = by->nearness(self);
    return found;
}

static double worst_row(const links *s, const double *x) {
    double worst = 0, size = linalg_norm(x, s->n);
    for (int i = 0; i < s->m; i++) {
        double off = fabs(s->b[i] - row_dot(s->A_pattern, s->A, i, x));
        worst = fmax(worst, off / (row_norm(s->A_pattern, s->A, i) * size + fabs(s->b[i])));
    }
    return worst;
}

static void check(links *s, double tolerance) {
    chain *c = chain_new(s->a, s->n, s->A_pattern);
    assert_non_null(c);
    double *mobility = arena_doubles(s->a, (size_t)s->n);
    for (int j = 0; j < s->n; j++)
        mobility[j] = 1 / s->M[j];
    chain_pivots pivots;
    assert_true(chain_factor(c, s->A, mobility, NULL, &pivots)); // it is not the general way that is tested
    answer expected = solve(s, &solver_kkt, 1), found = solve(s, &solver_chain, 1);
    assert_true(worst_row(s, found.x) < 1e-14);
    assert_true(distance(found.x, expected.x, s->n) <= tolerance * linalg_norm(expected.x, s->n));
    assert_true(distance(found.l, expected.l, s->m) <= tolerance * linalg_norm(expected.l, s->m));
    assert_true(found.nearness > 0.01 * expected.nearness && found.nearness < 100 * expected.nearness);
    double least = 1;
    for (int i = 0; i < s->m; i++)
        least = fmin(least, chain_remainder(c, i));
    assert_true(least > 0);
}

static void as_by_the_whole_matrix(void **state) {
    dice d = {1};
    for (int m = 1; m <= 3000; m += m < 40 ? 1 : m / 2)
        for (int dim = 1; dim <= 3; dim++)
            for (numbering how = FORTH; how <= SHUFFLED; how++) {
                links s = links_new(&d, m, dim, dim == 1 ? 1 : 1 + below(&d, 2 * m), how, 1);
                check(&s, 1e-9);
                arena_free(s.a);
            }
}

static void over_decades(void **state) {
    dice d = {2};
    for (int trial = 0; trial < 10; trial++) {
        links s = links_new(&d, 200, 3, 200, FORTH, 6);
        check(&s, 1e-5);
        arena_free(s.a);
    }
}

static void same_bits(void **state) {
    static const char *const kernels[] = {"tape", "avx2", "avx512"};
    dice d = {3};
    for (int dim = 2; dim <= 3; dim++) {
        links s = links_new(&d, 20000, dim, 7001, FORTH, 1);
        answer first = solve(&s, &solver_chain, 1);
        for (int k = 0; k < 3; k++) {
            setenv("TRAMMEL_KERNEL", kernels[k], 1);
            answer found = solve(&s, &solver_chain, 1 + k);
            assert_memory_equal(found.x, first.x, (size_t)s.n * sizeof(double));
            assert_memory_equal(found.l, first.l, (size_t)s.m * sizeof(double));
        }
        unsetenv("TRAMMEL_KERNEL");
        arena_free(s.a);
    }
}

// three rows at one coordinate, a ring, a row with many entries, one without any
static void other_patterns(void **state) {
    arena *a = arena_new(0);
    const int star[] = {0, 1, 2, 3}, common[] = {0, 0, 0}, ring[] = {0, 1, 1, 2, 0, 2},
              of_two[] = {0, 2, 4, 6};
    int many[] = {0, 9}, nine[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, empty[] = {0, 1, 1};
    assert_null(chain_new(a, 1, (sparsity){3, star, common}));
    assert_null(chain_new(a, 3, (sparsity){3, of_two, ring}));
    assert_null(chain_new(a, 9, (sparsity){1, many, nine}));
    assert_null(chain_new(a, 1, (sparsity){2, empty, common}));
    arena_free(a);
}

// what the chain does not decide is decided as ever
static void said_no(void **state) {
    dice d = {4};
    links s = links_new(&d, 100, 2, 100, FORTH, 1);
    void *self = solver_chain.create(s.a, s.n, s.M_pattern, s.A_pattern);
    double *x = arena_doubles(s.a, (size_t)s.n), *l = arena_doubles(s.a, (size_t)s.m), kept = s.A[40];
    s.A[40] = NAN;
    assert_int_equal(solver_chain.factor(self, s.M, s.A, CUT), DENSE_NOT_FINITE);
    s.A[40] = kept;
    for (int e = s.A_pattern.start[30]; e < s.A_pattern.start[31]; e++)
        s.A[e] = 0;
    s.b[30] = 0;
    assert_int_equal(solver_chain.factor(self, s.M, s.A, CUT), DENSE_OK);
    assert_int_equal(solver_chain.rank(self), s.m - 1);
    assert_true(solver_chain.dropped(self, 30));
    solver_chain.solve(self, s.Q, s.b, x, l);
    assert_true(worst_row(&s, x) < 1e-14 && l[30] == 0);
    s.A[s.A_pattern.start[30]] = 1; // and back
    assert_int_equal(solver_chain.factor(self, s.M, s.A, CUT), DENSE_OK);
    assert_int_equal(solver_chain.rank(self), s.m);
    bool *out = arena_array(s.a, bool, s.m);
    out[99] = true;
    solver_chain.leave_out(self, out);
    assert_int_equal(solver_chain.factor(self, s.M, s.A, CUT), DENSE_OK);
    assert_int_equal(solver_chain.rank(self), s.m - 1);
    assert_true(solver_chain.dropped(self, 99));
    solver_chain.leave_out(self, NULL);
    s.M[7] = 0;
    assert_int_equal(solver_chain.factor(self, s.M, s.A, CUT), DENSE_OK);
    assert_true(solver_chain.mass_singular(self));
    arena_free(s.a);
}

// the general way takes memory when it is needed first, and none after it was settled
static void memory_on_demand(void **state) {
    enum { ROWS = 2000 };
    dice d = {5};
    for (int settled = 0; settled < 2; settled++) {
        links s = links_new(&d, ROWS, 2, ROWS, FORTH, 1);
        arena *own = arena_new(0);
        void *self = solver_sparse.create(own, s.n, s.M_pattern, s.A_pattern);
        size_t before = arena_used(own);
        assert_int_equal(solver_sparse.factor(self, s.M, s.A, CUT), DENSE_OK);
        assert_int_equal(arena_used(own), before);
        if (settled)
            solver_sparse.settle(self, true);
        size_t then = arena_used(own);
        for (int e = s.A_pattern.start[30]; e < s.A_pattern.start[31]; e++)
            s.A[e] = 0;
        assert_int_equal(solver_sparse.factor(self, s.M, s.A, CUT), DENSE_OK);
        assert_int_equal(solver_sparse.rank(self), ROWS - 1);
        assert_true(arena_used(own) > before + 100 * ROWS);
        assert_int_equal(arena_used(own) > then, !settled);
        arena_free(own);
        arena_free(s.a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_by_the_whole_matrix),
        cmocka_unit_test(over_decades),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(other_patterns),
        cmocka_unit_test(said_no),
        cmocka_unit_test(memory_on_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
