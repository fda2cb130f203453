/* The constrained acceleration as expressions, for small systems: compiled with M, Q, A and b into one
 * kernel, for just these sizes and without what is zero. */
#ifndef TRAMMEL_SOLVE_DIRECT_H
#define TRAMMEL_SOLVE_DIRECT_H

#include "base/arena.h"
#include "expr/expr.h"

#include <stdbool.h>

/* What it adds to the outputs of STAGE_DYNAMICS: x (n), multipliers (m), and the smallest pivots of M, of the
 * Schur complement A M^-1 A', of A A', and of what tells a negative direction of a singular M, each relative
 * to its own diagonal. Where these are small, the general solver must look: rows may be dependent, the motion
 * may be undetermined. */
enum { DIRECT_MASS, DIRECT_SCHUR, DIRECT_GRAM, DIRECT_SIGN, DIRECT_CHECKS };
enum { DIRECT_MOST = 12 }; // coordinates: the code grows with the third power

/* Whether these checks allow it. */
bool direct_sure(const double *checks);

typedef struct {
    bool singular; // M needs the rows to be definite; a definite M may have them, too
    bool refined;  // as accurate as the general solver
} direct_how;

/* Whether M (n x n) is singular, or nearly, at the values that `get` gives. */
bool direct_singular(arena *a, const expr_pool *pool, int n, const expr *M, expr_get get, void *context);

/* dynamics: M (n x n), Q (n), A (m x n), b (m) as in that stage, EXPR_NONE for zero; out: n + m +
 * DIRECT_CHECKS. */
void direct_build(arena *a, expr_pool *pool, int n, int m, const expr *dynamics, direct_how how, expr *out);

#endif
