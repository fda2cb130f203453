/* Matrices by rows. Where the entries are is known once and for all; their values stand in an array of their
 * own, in the same order. */
#ifndef TRAMMEL_LINEAR_SPARSITY_H
#define TRAMMEL_LINEAR_SPARSITY_H

#include "base/arena.h"
#include "linear/linalg.h"

/* Row i has the columns to[start[i]] .. to[start[i + 1] - 1], ascending. */
typedef struct {
    int rows;
    const int *start, *to;
} sparsity;

static inline int sparsity_entries(sparsity p) {
    return p.start[p.rows];
}

// A_i x
static inline double row_dot(sparsity p, const double *A, int i, const double *x) {
    double sum = 0;
    for (int e = p.start[i]; e < p.start[i + 1]; e++)
        sum += A[e] * x[p.to[e]];
    return sum;
}

// y += f A_i
static inline void row_add(sparsity p, const double *A, int i, double f, double *y) {
    for (int e = p.start[i]; e < p.start[i + 1]; e++)
        y[p.to[e]] += f * A[e];
}

static inline double row_norm(sparsity p, const double *A, int i) {
    return linalg_norm(A + p.start[i], p.start[i + 1] - p.start[i]);
}

/* Where the entry of row i and column j is; -1 if there is none. */
int sparsity_find(sparsity p, int i, int j);
double row_entry(sparsity p, const double *A, int i, int j); // 0 where there is none

/* Puts the entries where they belong in a full matrix (rows x n); the others stay as they are. */
void sparsity_fill(sparsity p, const double *A, int n, double *full);

/* Collects entries: first all are announced, then all are put in, in any order and as often as they like. */
typedef struct {
    arena *arena;
    int rows;
    int *start, *to, *next;
} sparsity_builder;

sparsity_builder sparsity_begin(arena *a, int rows);
void sparsity_announce(sparsity_builder *b, int row);
void sparsity_put(sparsity_builder *b, int row, int column); // the first one ends the announcements
sparsity sparsity_end(sparsity_builder *b);

sparsity sparsity_full(arena *a, int rows, int n);
/* The given rows of p, `count` of them. */
sparsity sparsity_rows(arena *a, sparsity p, const int *rows, int count);

#endif
