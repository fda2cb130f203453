/* The explicit Poincare equation, in quasi-velocities (000 eqs. 2.14, 3.25, 3.34, 3.45, 3.47): M, Q, A, b, C
 * are here M_s, S, A_s, b_s, C_s of the equations M_s s' = S + S^c, A_s s' = b_s (solve/formulated.c makes
 * them; without quasi-velocities they are those of the coordinates).
 *
 *   S^c = M_s^1/2 B_s+ (b_s - A_s a_s) + M_s^1/2 (I - B_s+B_s) M_s^-1/2 C_s,   B_s = A_s M_s^-1/2
 *   s' = a_s + M_s^-1 S^c,   a_s = M_s^-1 S */
#include "papers/papers.h"

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    mat half, inverse;
    if (!mat_roots(w, p->M, &half, &inverse))
        return false;
    mat a_s = mat_mul(w, inverse, mat_mul(w, inverse, p->Q));
    mat B_s = mat_mul(w, p->A, inverse), B_plus = mat_pinv(w, B_s, p->rank);
    mat lack = mat_sub(w, p->b, mat_mul(w, p->A, a_s));
    mat free = mat_sub(w, mat_identity(w, p->n), mat_mul(w, B_plus, B_s));
    mat ideal = mat_mul(w, half, mat_mul(w, B_plus, lack));
    mat nonideal = mat_mul(w, half, mat_mul(w, free, mat_mul(w, inverse, p->C)));
    *force = mat_add(w, ideal, nonideal);
    *x = mat_add(w, a_s, mat_mul(w, inverse, mat_mul(w, inverse, *force)));
    return true;
}

const formulation paper_poincare = {"poincare", "the explicit Poincare equation, in quasi-velocities",
                                    "000 eqs. 2.14, 3.25, 3.34, 3.47", true, solve};
