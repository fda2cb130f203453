/* For a mass matrix that may be singular (002 eqs. 8, 64), as long as [M; A] has full rank:
 *
 *   q'' = [(I - A+A) M; A]+ [Q + C; b],   Q^c = M q'' - Q
 *
 * The equations are consistent, so that the upper and the lower ones may be multiplied by any number: here by
 * one over the largest entry of M, and one over the smallest nonzero singular value of A. Otherwise the
 * rounding in I - A+A would weigh as much as a row of A that holds only for heavy coordinates. */
#include "papers/papers.h"

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    double largest = mat_largest(p->M), upper = largest > 0 ? 1 / largest : 1;
    double smallest = paper_smallest(p, p->A), lower = smallest > 0 ? 1 / smallest : 1;
    mat A_plus = mat_pinv(w, p->A, p->rank);
    mat free = mat_sub(w, mat_identity(w, p->n), mat_mul(w, A_plus, p->A));
    mat both = mat_stack(w, mat_scale(w, upper, mat_mul(w, free, p->M)), mat_scale(w, lower, p->A));
    mat given = mat_stack(w, mat_scale(w, upper, mat_add(w, p->Q, p->C)), mat_scale(w, lower, p->b));
    *x = mat_mul(w, mat_pinv(w, both, p->n), given);
    *force = mat_sub(w, mat_mul(w, p->M, *x), p->Q);
    return true;
}

const formulation paper_stacked = {"stacked", "one pseudoinverse, for a mass matrix that may be singular",
                                   "002 eqs. 8, 64", false, solve};
