/* The inverse of G of quasi-velocities as expressions, block by block (linear/triangular.h):
 *
 *   H_B = K^-1 (I_B - sum over blocks E before B of G_BE H_E),   K the block B on the diagonal
 *
 * If the rows or the columns of K are orthogonal, as those of rotations and of quaternions are,
 * K^-1 = K'(K K')^-1 or (K'K)^-1 K', and the inverse of a diagonal matrix is all that is taken. Else it is
 * the adjugate over the determinant for two and three, and for more elimination with the pivots of the start.
 */
#ifndef TRAMMEL_SYSTEM_INVERSE_H
#define TRAMMEL_SYSTEM_INVERSE_H

#include "system/system.h"

/* G: entries of sys->G; H (n x n) is zero. Returns an expression that is positive where the inverse can be
 * trusted; EXPR_NONE: everywhere that it is finite. */
expr inverse_build(arena *a, expr_pool *pool, const trm_system *sys, const expr *G, expr *H);

#endif
