/* A fill-reducing order for the factorisation of a symmetric matrix: approximate minimum degree. */
#ifndef TRAMMEL_LINEAR_ORDER_H
#define TRAMMEL_LINEAR_ORDER_H

#include "base/arena.h"

/* The pattern of a symmetric matrix without its diagonal: row i has entries in columns to[start[i]] ..
 * to[start[i + 1] - 1], both triangles. */
typedef struct {
    int n;
    const int *start, *to;
} graph;

/* order (n): which row is eliminated first, second, .. Time and memory nearly linear in the entries for
 * patterns that stay sparse. */
void order_minimum_degree(arena *a, graph g, int *order);

#endif
