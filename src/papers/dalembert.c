/* The extended d'Alembert principle (003 eqs. 20 to 22, 35, 36), V any basis of the null space of B = A
 * M^-1/2:
 *
 *   q'' = M^-1/2 (a_s + J B'(b - B a_s)),   Q^c = M^1/2 J B'(b - B a_s) + C
 *   J = (B'B + V V')^-1,   a_s = M^-1/2 (Q + C)
 *
 * J B'(b - B a_s) = (L'L)^-1 L' [b - B a_s; 0] with L = [B; V'], and is taken as L+ [b - B a_s; 0]: the sum
 * B'B + V V' itself has the square of the condition of B, and at mass ratios of 1e12 that is all digits. Rows
 * of B are brought to unit length first. Eq. 38 of the same paper, for rows that may contradict each other,
 * is behind `weight`: linear/weighted.c. */
#include "papers/papers.h"

// of the null space of B: an orthonormal basis, or that times another matrix
static mat null_basis(paper *p, mat B) {
    matrices *w = p->w;
    mat V = mat_null(w, B, p->rank);
    if (p->choice.basis == BASIS_GIVEN)
        return mat_mul(w, V, mat_wrap(p->choice.mix, p->choice.mix_size, p->choice.mix_size));
    if (p->choice.basis == BASIS_ORTHONORMAL)
        return V;
    mat mix = mat_identity(w, V.cols);
    for (int i = 0; i < V.cols; i++)
        for (int j = 0; j <= i; j++)
            mix.at[i * V.cols + j] += 0.5 * paper_random(p);
    return mat_mul(w, V, mix);
}

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    mat half, inverse;
    if (!mat_roots(w, p->M, &half, &inverse))
        return false;
    mat B = mat_mul(w, p->A, inverse), b = mat_copy(w, p->b);
    paper_unit_rows(&B, &b);
    mat V = null_basis(p, B), L = mat_stack(w, B, mat_transpose(w, V));
    mat a_s = mat_mul(w, inverse, mat_add(w, p->Q, p->C));
    mat rest = mat_sub(w, b, mat_mul(w, B, a_s));
    mat y = mat_mul(w, mat_pinv(w, L, p->n), mat_stack(w, rest, mat_new(w, V.cols, 1)));
    *x = mat_mul(w, inverse, mat_add(w, a_s, y));
    *force = mat_add(w, mat_mul(w, half, y), p->C);
    return true;
}

const formulation paper_dalembert = {"dalembert", "the extended principle of d'Alembert",
                                     "003 eqs. 20-22, 35, 36", true, solve};
