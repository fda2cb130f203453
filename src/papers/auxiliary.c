/* The auxiliary system with a definite mass matrix (002 eqs. 45 to 54, 62; the force eqs. 65 to 75), alpha
 * not zero and z any vector:
 *
 *   M_A = M + alpha^2 A+A,   Q_z = Q + A+ z,   a = M_A^-1 Q_z,   B = A M_A^-1/2
 *   q'' = a + M_A^-1/2 B+ (b - A a) + M_A^-1/2 (I - B+B) M_A^-1/2 C
 *   Q^c = M_A^1/2 B+ (b - A a) + M_A^1/2 (I - B+B) M_A^-1/2 C + A+ (z - alpha^2 b)
 *
 * With z = alpha^2 b the constraint force of the auxiliary system is that of the actual one. */
#include "papers/papers.h"

#include <math.h>

static double default_alpha(const paper *p) {
    double trace = 0;
    for (int i = 0; i < p->n; i++)
        trace += p->M.at[i * p->n + i];
    return trace > 0 ? sqrt(trace / p->n) : 1;
}

static mat choose_z(paper *p, mat special) {
    const paper_choice *c = &p->choice;
    if (c->z == Z_SPECIAL || p->correcting)
        return special;
    if (c->z == Z_RANDOM)
        return paper_random_matrix(p, p->m, 1);
    mat z = mat_new(p->w, p->m, 1);
    for (int i = 0; i < p->m; i++)
        z.at[i] = c->z_given[c->z_count == 1 ? 0 : i];
    return z;
}

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    double alpha = p->choice.alpha != 0 ? p->choice.alpha : default_alpha(p);
    mat special = mat_scale(w, alpha * alpha, p->b), z = choose_z(p, special), half, inverse;
    mat A_plus = mat_pinv(w, p->A, p->rank);
    mat M_A = mat_add(w, p->M, mat_scale(w, alpha * alpha, mat_mul(w, A_plus, p->A)));
    if (!mat_roots(w, M_A, &half, &inverse))
        return false;
    mat Q_z = mat_add(w, p->Q, mat_mul(w, A_plus, z));
    mat a = mat_mul(w, inverse, mat_mul(w, inverse, Q_z));
    mat B = mat_mul(w, p->A, inverse), B_plus = mat_pinv(w, B, p->rank);
    mat ideal = mat_mul(w, B_plus, mat_sub(w, p->b, mat_mul(w, p->A, a)));
    mat c = mat_mul(w, inverse, p->C);
    mat nonideal = mat_sub(w, c, mat_mul(w, B_plus, mat_mul(w, B, c)));
    mat sum = mat_add(w, ideal, nonideal);
    *x = mat_add(w, a, mat_mul(w, inverse, sum));
    *force = mat_add(w, mat_mul(w, half, sum), mat_mul(w, A_plus, mat_sub(w, z, special)));
    return true;
}

const formulation paper_auxiliary = {"auxiliary", "an auxiliary system with a definite mass matrix",
                                     "002 eqs. 45-54, 62, 65-75", false, solve};
