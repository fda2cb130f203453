/* The sparse constrained acceleration: factorisation and solution, once per evaluation of a large system.
 * Planar chains of 1e3 to 1e6 particles, cloths in space, with and without repeated constraints. Processor
 * time, the median of several evaluations. */
#include "linear/sparse.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    int n, m;
    int *M_start, *M_to, *A_start, *A_to;
    double *M, *A, *Q, *b, *x, *multiplier;
} problem;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *dice) { // in [-1, 1)
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*dice * 0x1p-63;
}

// m rows of at most `each` entries
static void start(arena *a, problem *p, int n, int m, int each, uint64_t *dice) {
    *p = (problem){.n = n, .m = m};
    p->M_start = arena_array(a, int, n + 1);
    p->M_to = arena_array(a, int, n);
    p->A_start = arena_array(a, int, m + 1);
    p->A_to = arena_array(a, int, (size_t)m *(size_t)each);
    p->M = arena_doubles(a, (size_t)n);
    p->A = arena_doubles(a, (size_t)m * (size_t)each);
    p->Q = arena_doubles(a, (size_t)n);
    p->b = arena_doubles(a, (size_t)m);
    p->x = arena_doubles(a, (size_t)n);
    p->multiplier = arena_doubles(a, (size_t)m);
    for (int j = 0; j < n; j++) {
        p->M_start[j + 1] = j + 1;
        p->M_to[j] = j;
        p->M[j] = 1 + 0.5 * uniform(dice);
        p->Q[j] = uniform(dice);
    }
}

static void chain(arena *a, problem *p, int particles, uint64_t *dice) {
    start(a, p, 2 * particles, particles, 4, dice);
    for (int i = 0, count = 0; i < particles; i++) {
        double angle = 1.5 * uniform(dice), d[2] = {cos(angle), sin(angle)};
        for (int end = i > 0 ? -1 : 0; end <= 0; end++)
            for (int k = 0; k < 2; k++) {
                p->A_to[count] = 2 * (i + end) + k;
                p->A[count++] = end ? -d[k] : d[k];
            }
        p->A_start[i + 1] = count;
        p->b[i] = uniform(dice);
    }
}

// edges of a square of side x side particles in space; the first `repeated` tenths of them once more
static void cloth(arena *a, problem *p, int side, double repeated, uint64_t *dice) {
    int edges = 2 * side * (side - 1), more = (int)(repeated * edges), count = 0;
    start(a, p, 3 * side * side, edges + more, 6, dice);
    for (int e = 0; e < edges; e++) {
        int across = e % 2, u = e / 2 / side, v = e / 2 % side; // u < side - 1
        int i = across ? v * side + u : u * side + v, j = i + (across ? 1 : side);
        for (int k = 0; k < 3; k++) {
            double d = (k == across) + 0.3 * uniform(dice);
            p->A_to[count] = 3 * i + k;
            p->A[count++] = -d;
            p->A_to[count] = 3 * j + k;
            p->A[count++] = d;
        }
        p->A_start[e + 1] = count;
        p->b[e] = uniform(dice);
    }
    for (int e = edges; e < p->m; e++) {
        int from = (int)((e - edges) / repeated);
        for (int k = 0; k < 6; k++) {
            p->A_to[count] = p->A_to[p->A_start[from] + k];
            p->A[count++] = p->A[p->A_start[from] + k];
        }
        p->A_start[e + 1] = count;
        p->b[e] = p->b[from];
    }
}

static int ascending(const void *x, const void *y) {
    double d = *(const double *)x - *(const double *)y;
    return (d > 0) - (d < 0);
}

static void measure(const char *name, arena *a, problem *p, int particles, int block_most) {
    enum { TIMES = 7 };
    double factor[TIMES], solve[TIMES], begin = seconds();
    size_t before = arena_used(a);
    sparsity M = {p->n, p->M_start, p->M_to}, A = {p->m, p->A_start, p->A_to};
    sparse *s = sparse_new(a, p->n, M, A, block_most);
    double symbolic = seconds() - begin;
    for (int k = -2; k < TIMES; k++) {
        double t0 = seconds();
        if (sparse_factor(s, p->M, p->A, 1e-11) != DENSE_OK)
            exit(1);
        double t1 = seconds();
        sparse_solve(s, p->Q, p->b, p->x, p->multiplier);
        if (k < 0)
            continue;
        factor[k] = t1 - t0;
        solve[k] = seconds() - t1;
    }
    qsort(factor, TIMES, sizeof *factor, ascending);
    qsort(solve, TIMES, sizeof *solve, ascending);
    double f = factor[TIMES / 2], v = solve[TIMES / 2];
    printf("%-22s %8d %8d %9ld %9.2f %9.3f %9.3f %8.1f %8.0f\n", name, p->m, sparse_rank(s),
           sparse_entries(s), 1e3 * symbolic, 1e3 * f, 1e3 * v, 1e9 * (f + v) / particles,
           (double)(arena_used(a) - before) / particles);
    fflush(stdout);
}

int main(void) {
    printf("%-22s %8s %8s %9s %9s %9s %9s %8s %8s\n", "", "rows", "rank", "entries", "prepare", "factor",
           "solve", "ns per", "bytes per");
    printf("%-22s %8s %8s %9s %9s %9s %9s %8s %8s\n", "", "", "", "of L", "ms", "ms", "ms", "particle",
           "particle");
    for (int particles = 1000; particles <= 1000000; particles *= 10) {
        uint64_t dice = 1;
        problem p;
        arena *a = arena_new(0);
        chain(a, &p, particles, &dice);
        measure("chain", a, &p, particles, SPARSE_BLOCK_MOST);
        if (particles == 100000)
            measure("chain, KKT matrix", a, &p, particles, 0);
        arena_free(a);
    }
    for (int side = 30; side <= 100; side += 70)
        for (int repeated = 0; repeated <= 1; repeated++) {
            uint64_t dice = 2;
            problem p;
            arena *a = arena_new(0);
            cloth(a, &p, side, 0.1 * repeated, &dice);
            measure(repeated ? "cloth, 10 % repeated" : "cloth", a, &p, side * side, SPARSE_BLOCK_MOST);
            arena_free(a);
        }
    return 0;
}
