/* Results do not depend on the number of threads: the same bits from 1, 2, 4 and 8, for nets with random
 * rows, also where some of them are repeated, and in runs of the chain and the cloth of the benchmarks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear/sparse.h"
#include <trammel/trammel.h>

static const int threads[] = {1, 2, 4, 8};
enum { COUNTS = 4, SIDE = 45, EACH = 3, N = SIDE * SIDE * EACH, ROWS_MOST = 2 * SIDE * SIDE + SIDE };

typedef struct {
    int m, start[ROWS_MOST + 1], to[2 * EACH * ROWS_MOST], M_start[N + 1], M_to[N];
    double A[2 * EACH * ROWS_MOST], M[N], Q[N], b[ROWS_MOST];
} net;

static double random_part(uint64_t *seed) { // -1 .. 1
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void add_row(net *s, uint64_t *seed, int i, int j) {
    int at = s->start[s->m];
    for (int k = 0; k < 2 * EACH; k++) {
        s->to[at + k] = (k < EACH ? i * EACH : j * EACH - EACH) + k;
        s->A[at + k] = random_part(seed);
    }
    s->b[s->m++] = random_part(seed);
    s->start[s->m] = at + 2 * EACH;
}

static void repeat_row(net *s, int row) {
    int from = s->start[row], at = s->start[s->m];
    memcpy(s->to + at, s->to + from, 2 * EACH * sizeof *s->to);
    memcpy(s->A + at, s->A + from, 2 * EACH * sizeof *s->A);
    s->b[s->m] = s->b[row];
    s->start[++s->m] = at + 2 * EACH;
}

// threads along and across, a part of them missing
static net *net_new(arena *a, uint64_t seed, int repeated) {
    net *s = arena_array(a, net, 1);
    for (int i = 0; i < N; i++) {
        s->M_start[i + 1] = i + 1;
        s->M_to[i] = i;
        s->M[i] = 1.5 + random_part(&seed);
        s->Q[i] = random_part(&seed);
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (i % SIDE + 1 < SIDE && random_part(&seed) < 0.9)
            add_row(s, &seed, i, i + 1);
        if (i + SIDE < SIDE * SIDE && random_part(&seed) < 0.9)
            add_row(s, &seed, i, i + SIDE);
    }
    for (int i = 0; i < repeated; i++)
        repeat_row(s, i * 7);
    return s;
}

static void solve(const net *s, int count, double *x, double *l, int *rank) {
    arena *a = arena_new(0);
    sparse *p = sparse_new(a, N, (sparsity){N, s->M_start, s->M_to}, (sparsity){s->m, s->start, s->to},
                           SPARSE_BLOCK_MOST);
    assert_true(sparse_has_parts(p));
    sparse_use_team(p, team_new(a, count));
    for (int call = 0; call < 3; call++) {
        assert_int_equal(sparse_factor(p, s->M, s->A, 1e-11), DENSE_OK);
        sparse_solve(p, s->Q, s->b, x, l);
    }
    *rank = sparse_rank(p);
    arena_free(a);
}

static double worst_row(const net *s, const double *x) {
    double worst = 0;
    for (int i = 0; i < s->m; i++) {
        double rest = s->b[i];
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            rest -= s->A[e] * x[s->to[e]];
        worst = fmax(worst, fabs(rest));
    }
    return worst;
}

static void same_bits_of_nets(void **state) {
    for (int repeated = 0; repeated <= SIDE; repeated += SIDE) {
        arena *a = arena_new(0);
        net *s = net_new(a, 1 + (uint64_t)repeated, repeated);
        double *x[2], *l[2];
        int rank[2];
        for (int k = 0; k < 2; k++) {
            x[k] = arena_doubles(a, N);
            l[k] = arena_doubles(a, ROWS_MOST);
        }
        for (int k = 0; k < COUNTS; k++) {
            solve(s, threads[k], x[k > 0], l[k > 0], &rank[k > 0]);
            assert_int_equal(rank[k > 0], s->m - repeated);
            assert_true(worst_row(s, x[k > 0]) < 1e-12);
            assert_memory_equal(x[k > 0], x[0], N * sizeof(double));
            assert_memory_equal(l[k > 0], l[0], (size_t)s->m * sizeof(double));
        }
        arena_free(a);
    }
}

// the summary of a run, without the times
static char *summary(const char *path, const trm_setting *settings, int count, const char *until,
                     int number) {
    char text[8];
    snprintf(text, sizeof text, "%d", number);
    setenv("TRAMMEL_THREADS", text, 1);
    trm_model *m = NULL;
    trm_result *r = NULL;
    trm_run_def def = trm_run_def_default();
    def.until = until;
    def.every = "1";
    assert_int_equal(trm_model_read(path, settings, count, &m), TRM_OK);
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    char *copy = strdup(trm_result_json(r)), *from = strstr(copy, "\"seconds\""), *to = strchr(from, '}');
    memmove(from, to, strlen(to) + 1);
    trm_result_free(r);
    trm_model_free(m);
    return copy;
}

static void same_bits(const char *path, const trm_setting *settings, int count, const char *until) {
    char *first = summary(path, settings, count, until, 1);
    for (int k = 1; k < COUNTS; k++) {
        char *other = summary(path, settings, count, until, threads[k]);
        assert_true(strcmp(first, other) == 0);
        free(other);
    }
    free(first);
}

static void same_bits_of_runs(void **state) {
    trm_setting cloth[] = {{"W", "60"}, {"H", "60"}, {"repeat", "2"}}, chain[] = {{"N", "5000"}};
    same_bits("bench/models/cloth.tram", cloth, 3, "0.01");
    same_bits("bench/models/chain.tram", chain, 1, "0.05");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_of_nets),
                                       cmocka_unit_test(same_bits_of_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
