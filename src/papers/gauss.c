/* Gauss's principle as a least-squares problem (001 eqs. 17 to 32), with D- any g-inverse of D = A, and H_ls
 * any least-squares inverse of H, H H_ls H = H and H H_ls symmetric:
 *
 *   H = M^1/2 (I - D-D),   z = M^-1/2 (Q + C) - M^1/2 D- b
 *   q'' = D- b + (I - D-D) H_ls z
 *   Q^c = -(I - M X M^-1)(Q + C) + M (I - X) D- b + C,   X = (I - D-D) H_ls M^1/2
 *
 * A least-squares inverse of I - D-D instead of H would be wrong unless M is a multiple of I. */
#include "papers/papers.h"

// zero but for the rows of independent columns of H, which hold their Moore-Penrose inverse
static mat of_independent_columns(paper *p, mat H, int rank) {
    matrices *w = p->w;
    int *which = paper_independent_rows(p->w, mat_transpose(w, H), rank);
    mat inverse = mat_pinv(w, mat_columns(w, H, which, rank), rank), X = mat_new(w, p->n, p->n);
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < p->n; j++)
            X.at[which[k] * p->n + j] = inverse.at[k * p->n + j];
    return X;
}

mat paper_least_squares_inverse(paper *p, mat H, int rank) {
    matrices *w = p->w;
    if (p->choice.least_squares == LS_COLUMNS)
        return of_independent_columns(p, H, rank);
    if (p->choice.least_squares == LS_NORMAL) {
        mat transposed = mat_transpose(w, H), square = mat_mul(w, transposed, H);
        return mat_mul(w, paper_g_inverse_of_rank(p, square, SHIFTED, rank), transposed);
    }
    mat plus = mat_pinv(w, H, rank);
    if (p->choice.least_squares == LS_MOORE_PENROSE)
        return plus;
    mat free = mat_sub(w, mat_identity(w, p->n), mat_mul(w, plus, H));
    return mat_add(w, plus, mat_mul(w, free, paper_random_matrix(p, p->n, p->n)));
}

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    mat half, inverse;
    if (!mat_roots(w, p->M, &half, &inverse))
        return false;
    mat D_minus = paper_g_inverse(p, p->A, p->choice.g_inverse), given = mat_add(w, p->Q, p->C);
    mat particular = mat_mul(w, D_minus, p->b);
    mat free = mat_sub(w, mat_identity(w, p->n), mat_mul(w, D_minus, p->A));
    mat H = mat_mul(w, half, free), H_ls = paper_least_squares_inverse(p, H, p->n - p->rank);
    mat z = mat_sub(w, mat_mul(w, inverse, given), mat_mul(w, half, particular));
    *x = mat_add(w, particular, mat_mul(w, free, mat_mul(w, H_ls, z)));
    mat X = mat_mul(w, free, mat_mul(w, H_ls, half));
    mat a = mat_mul(w, inverse, mat_mul(w, inverse, given));
    mat back = mat_sub(w, mat_mul(w, p->M, mat_mul(w, X, a)), given);
    mat forth = mat_mul(w, p->M, mat_sub(w, particular, mat_mul(w, X, particular)));
    *force = mat_add(w, mat_add(w, back, forth), p->C);
    return true;
}

const formulation paper_gauss = {"gauss", "Gauss's principle as a least-squares problem", "001 eqs. 17-32",
                                 true, solve};
