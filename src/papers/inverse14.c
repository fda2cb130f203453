/* The same with any {1,4}-inverse X of B, B X B = B and X B symmetric (004 eqs. 8 to 11):
 *
 *   q'' = a + M^-1/2 X (b - A a),   B = A M^-1/2,  a = M^-1 (Q + C)
 *
 * X (b - A a) is the shortest y with B y = b - A a, whichever X is taken. If the rows of B are independent,
 * there is only B+. Rows of B are brought to unit length first: some of the choices square its condition. */
#include "papers/papers.h"

// the Moore-Penrose inverse of some independent rows, zero for the others
static mat of_independent_rows(paper *p, mat B) {
    matrices *w = p->w;
    int *which = paper_independent_rows(p->w, B, p->rank);
    mat inverse = mat_pinv(w, mat_rows(w, B, which, p->rank), p->rank), X = mat_new(w, p->n, p->m);
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->rank; k++)
            X.at[i * p->m + which[k]] = inverse.at[i * p->rank + k];
    return X;
}

// B+ + Y (I - B B+), Y arbitrary
static mat shifted(paper *p, mat B) {
    matrices *w = p->w;
    mat plus = mat_pinv(w, B, p->rank);
    mat rest = mat_sub(w, mat_identity(w, p->m), mat_mul(w, B, plus));
    return mat_add(w, plus, mat_mul(w, paper_random_matrix(p, p->n, p->m), rest));
}

// B' (B B')-
static mat by_normal_equations(paper *p, mat B) {
    matrices *w = p->w;
    mat transposed = mat_transpose(w, B);
    return mat_mul(w, transposed, paper_g_inverse(p, mat_mul(w, B, transposed), SHIFTED));
}

// (S B)+ S, S diagonal
static mat weighted(paper *p, mat B) {
    matrices *w = p->w;
    mat S = mat_new(w, p->m, p->m);
    for (int i = 0; i < p->m; i++)
        S.at[i * p->m + i] = 2 + paper_random(p);
    return mat_mul(w, mat_pinv(w, mat_mul(w, S, B), p->rank), S);
}

mat paper_inverse14_of(paper *p, mat B) {
    switch (p->choice.inverse14) {
    case X_SHIFTED:
        return shifted(p, B);
    case X_NORMAL:
        return by_normal_equations(p, B);
    case X_WEIGHTED:
        return weighted(p, B);
    case X_MOORE_PENROSE:
        return mat_pinv(p->w, B, p->rank);
    default:
        return of_independent_rows(p, B);
    }
}

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    mat half, inverse;
    if (!mat_roots(w, p->M, &half, &inverse))
        return false;
    mat a = mat_mul(w, inverse, mat_mul(w, inverse, mat_add(w, p->Q, p->C)));
    mat B = mat_mul(w, p->A, inverse), rest = mat_sub(w, p->b, mat_mul(w, p->A, a));
    paper_unit_rows(&B, &rest);
    mat y = mat_mul(w, paper_inverse14_of(p, B), rest);
    *x = mat_add(w, a, mat_mul(w, inverse, y));
    *force = mat_add(w, mat_mul(w, half, y), p->C);
    return true;
}

const formulation paper_inverse14 = {"inverse14", "the same by any {1,4}-inverse", "004 eqs. 8-11", true,
                                     solve};
