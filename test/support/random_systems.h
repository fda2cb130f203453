/* Random constrained systems (M, Q, C, A, b) of several classes. Entries are small whole numbers, so that
 * rows made from others depend on them exactly; only scaling, where a class has it, rounds. */
#ifndef TRAMMEL_TEST_SOLVE_RANDOM_SYSTEMS_H
#define TRAMMEL_TEST_SOLVE_RANDOM_SYSTEMS_H

#include "support/exact.h"

#include <stdbool.h>

enum { MOST_N = 8, MOST_M = MOST_N + 2 };

typedef struct {
    int n, m;
    bool definite; // M was made definite
    double M[MOST_N * MOST_N], Q[MOST_N], C[MOST_N], A[MOST_M * MOST_N], b[MOST_M];
} random_system;

typedef struct {
    const char *name;
    bool dependent;    // rows that depend on others: 0 .. n of them independent, up to n + 2 in all
    bool semidefinite; // M of a rank that leaves [M; A] a full one
    bool nonideal;
    double mass_span;  // decades either way: masses D M D
    double row_span;   // decades either way: rows R A
    bool moving_units; // A D as well: the coordinates' units are what is spread, not the masses
} random_class;

static inline double whole(dice *d, int most) { // -most .. most
    return below(d, 2 * most + 1) - most;
}

static inline double odd(dice *d, int most) { // never 0
    return 2 * whole(d, most) + 1;
}

static inline void random_mass(dice *d, random_system *s, int rank) {
    double L[MOST_N * MOST_N];
    for (int i = 0; i < s->n * rank; i++)
        L[i] = whole(d, 3);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            for (int k = 0; k < rank; k++)
                s->M[i * s->n + j] += L[i * rank + k] * L[j * rank + k];
}

// A = K A0 with A0 (rank x n): whole numbers
static inline void random_rows(dice *d, random_system *s, int rank, bool dependent) {
    double A0[MOST_N * MOST_N];
    for (int i = 0; i < rank * s->n; i++)
        A0[i] = whole(d, 4);
    for (int i = 0; i < s->m; i++)
        for (int k = 0; k < rank; k++) {
            double c = dependent ? whole(d, 2) : i == k;
            for (int j = 0; j < s->n; j++)
                s->A[i * s->n + j] += c * A0[k * s->n + j];
        }
}

static inline void random_sides(dice *d, random_system *s, bool nonideal) {
    double x[MOST_N];
    for (int j = 0; j < s->n; j++) {
        x[j] = odd(d, 128) / 64; // exact in b too
        s->Q[j] = odd(d, 256) / 64;
        s->C[j] = nonideal ? whole(d, 256) / 32 : 0; // Q + C is never 0
    }
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++)
            s->b[i] += s->A[i * s->n + j] * x[j];
}

static inline void random_scales(dice *d, random_system *s, const random_class *c) {
    double D[MOST_N], R[MOST_M];
    for (int j = 0; j < s->n; j++)
        D[j] = decades(d, c->mass_span / 2);
    for (int i = 0; i < s->m; i++)
        R[i] = decades(d, c->row_span);
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++)
            s->M[i * s->n + j] *= D[i] * D[j];
        s->Q[i] *= D[i];
        s->C[i] *= D[i];
    }
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->n; j++)
            s->A[i * s->n + j] *= R[i] * (c->moving_units ? D[j] : 1);
        s->b[i] *= R[i];
    }
}

/* M may turn out singular, and [M; A] of less than full rank: whole numbers do so now and then. */
static inline void random_system_make(dice *d, const random_class *c, random_system *s) {
    memset(s, 0, sizeof *s);
    s->n = 1 + below(d, MOST_N);
    int rank = below(d, s->n + 1), free = s->n - rank;
    if (c->semidefinite && rank == 0)
        rank = 1, free = s->n - 1;
    s->m = c->dependent ? rank + below(d, s->n + 3 - rank) : rank;
    s->definite = !c->semidefinite;
    random_mass(d, s, s->definite ? s->n : free + below(d, s->n - free));
    random_rows(d, s, rank, c->dependent);
    random_sides(d, s, c->nonideal);
    if (c->mass_span > 0 || c->row_span > 0)
        random_scales(d, s, c);
}

#endif
