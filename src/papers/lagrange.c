/* Lagrange's multipliers (004 eqs. 30, 31):
 *
 *   M q'' = Q + C + A' lambda,   A q'' = b
 *
 * one system [M -A'; A 0] of rank n + rank(A), whose Moore-Penrose inverse gives the multipliers of least
 * norm: all others differ by (I - A A+) w (eq. 42). The force A' lambda is the same for all of them.
 *
 * A and b are first multiplied by one over the smallest nonzero singular value s of A: a singular value s
 * much below 1 beside M of about 1 would be one of s^2 in the whole. */
#include "papers/papers.h"

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    double smallest = paper_smallest(p, p->A), c = smallest > 0 ? 1 / smallest : 1;
    mat A = mat_scale(w, c, p->A), A_t = mat_transpose(w, A);
    mat upper = mat_beside(w, p->M, mat_scale(w, -1, A_t));
    mat lower = mat_beside(w, A, mat_new(w, p->m, p->m));
    mat given = mat_stack(w, mat_add(w, p->Q, p->C), mat_scale(w, c, p->b));
    mat inverse = mat_pinv(w, mat_stack(w, upper, lower), p->n + p->rank);
    mat both = mat_mul(w, inverse, given);
    *x = mat_block(w, both, 0, 0, p->n, 1);
    mat lambda = mat_block(w, both, p->n, 0, p->m, 1);
    *force = mat_add(w, mat_mul(w, A_t, lambda), p->C);
    return true;
}

const formulation paper_lagrange = {"lagrange", "Lagrange's multipliers", "004 eqs. 30, 31, 42", false,
                                    solve};
