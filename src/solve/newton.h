/* Newton's matrix I - gamma J of an implicit step, J = [0 I; dq''/dq dq''/dv], where full matrices do not
 * fit. With F, G the slopes of M x - Q - A'l and A x - b (jacobian.c) it is solved without J, which is full:
 * of
 *
 *     dq - gamma dv = f,   dv - gamma w = g,   w = dq''/dq dq + dq''/dv dv
 *
 * remains, with s = f + gamma g,
 *
 *     (M + gamma F_v + gamma^2 F_q) w - A'u = -(F_q s + F_v g)
 *     (A + gamma G_v + gamma^2 G_q) w       = -(G_q s + G_v g)
 *
 * over the rows that are kept: sparse, of n + m rows, and not symmetric (linear/lu_sparse.h). */
#ifndef TRAMMEL_SOLVE_NEWTON_H
#define TRAMMEL_SOLVE_NEWTON_H

#include "solve/solve.h"

typedef struct solve_newton solve_newton;

solve_newton *solve_newton_new(arena *a, const trm_system *sys); // of a system with sparse_slopes
/* After an acceleration: takes all there is at this state. False if a slope is not finite; it counts as 0. */
bool solve_newton_take(const trm_system *sys, trm_state *st, solve_newton *k);
bool solve_newton_factor(solve_newton *k, double gamma); // false: singular
void solve_newton_solve(solve_newton *k, double *r);     // r (2 n) <- (I - gamma J)^-1 r

#endif
