/* The equations in quasi-velocities, in symbols. */
#ifndef TRAMMEL_REPORT_QUASI_H
#define TRAMMEL_REPORT_QUASI_H

#include "expr/expr.h"

/* n quasi-velocities s = G q' + g, and what is given in the coordinates; EXPR_NONE where there is nothing. */
typedef struct {
    int n, m;
    const expr *G, *g, *rate; // (n x n), (n), (n): s' - G q''
    const expr *M, *Q, *C;    // (n x n), (n), (n)
    const expr *A, *b;        // (m x n), (m)
    sym_kind kind;            // of the symbols for s, by number: none of what is given has it
} quasi_given;

typedef struct {
    expr *M, *S, *C, *A, *b; // of the same sizes, with s in place of velocities
} quasi_made;

/* False if G cannot be inverted in symbols: too many depend on each other, or what comes of it is too long.
 */
bool quasi_derive(arena *a, expr_pool *pool, const quasi_given *given, quasi_made *out);

#endif
