/* The constrained acceleration as expressions, for small systems: compiled with M, Q, A and b into one
 * kernel, for just these sizes and without what is zero. */
#ifndef TRAMMEL_SOLVE_DIRECT_H
#define TRAMMEL_SOLVE_DIRECT_H

#include "base/arena.h"
#include "expr/expr.h"

#include <stdbool.h>

/* What it adds to the outputs of STAGE_DYNAMICS: x (n), multipliers (m), and the smallest pivots of M, of the
 * Schur complement A M^-1 A' and of A A', each relative to its own diagonal. Where these are small, the
 * general solver must look: rows may be dependent, M may be singular. */
enum { DIRECT_MASS, DIRECT_SCHUR, DIRECT_GRAM, DIRECT_CHECKS };
enum { DIRECT_MOST = 12 }; // coordinates: the code grows with the third power

/* Whether these checks allow it. */
bool direct_sure(const double *checks);

/* dynamics: M (n x n), Q (n), A (m x n), b (m) as in that stage, EXPR_NONE for zero; out: n + m +
 * DIRECT_CHECKS. Refined, it is as accurate as the general solver. */
void direct_build(arena *a, expr_pool *pool, int n, int m, const expr *dynamics, bool refined, expr *out);

#endif
