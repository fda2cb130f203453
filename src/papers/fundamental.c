/* The fundamental equation, by the root of the mass matrix (004 eq. 12; 002 eq. 7; 000 eqs. 3.25, 3.47):
 *
 *   q'' = a + M^-1/2 B+ (b - A a) + M^-1/2 (I - B+B) M^-1/2 C,   B = A M^-1/2,  a = M^-1 Q
 *   Q^c = M^1/2 B+ (b - A a) + M^1/2 (I - B+B) M^-1/2 C */
#include "papers/papers.h"

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    mat half, inverse;
    if (!mat_roots(w, p->M, &half, &inverse))
        return false;
    mat a = mat_mul(w, inverse, mat_mul(w, inverse, p->Q));
    mat B = mat_mul(w, p->A, inverse), B_plus = mat_pinv(w, B, p->rank);
    mat ideal = mat_mul(w, B_plus, mat_sub(w, p->b, mat_mul(w, p->A, a)));
    mat c = mat_mul(w, inverse, p->C);
    mat nonideal = mat_sub(w, c, mat_mul(w, B_plus, mat_mul(w, B, c)));
    mat sum = mat_add(w, ideal, nonideal);
    *x = mat_add(w, a, mat_mul(w, inverse, sum));
    *force = mat_mul(w, half, sum);
    return true;
}

const formulation paper_fundamental = {"fundamental",
                                       "the fundamental equation, by the root of the mass matrix",
                                       "004 eq. 12; 002 eq. 7; 000 eqs. 3.25, 3.47", true, solve};
