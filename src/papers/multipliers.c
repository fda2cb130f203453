/* Multipliers of least norm for rows as written, whose lengths l may range over many decades: where they do,
 * a singular value decomposition of A takes short rows for rounding in long ones.
 *
 *   A = diag(l) U,  U = c N with N (rank x n) independent rows of U
 *
 * shows in c (m x rank) what depends on what. By the longest independent rows J, no entry of F much above 1:
 *
 *   A = F A_J,   F = diag(l) c c_J^-1 diag(l_J)^-1
 *   A_J' t = force,   F' multiplier = t,   multiplier = (F')+ t
 *
 * The part of J is then t - F_D' multiplier_D, D the others, so that their force is kept to rounding. */
#include "linear/linalg.h"
#include "papers/papers.h"

#include <math.h>

static mat lengths(matrices *w, mat A) {
    mat l = mat_new(w, A.rows, 1);
    for (int i = 0; i < A.rows; i++)
        l.at[i] = linalg_norm(A.at + i * A.cols, A.cols);
    return l;
}

// diag(l) c
static mat weighed(matrices *w, mat c, mat l) {
    mat y = mat_copy(w, c);
    for (int i = 0; i < c.rows; i++)
        linalg_scale(y.at + i * c.cols, l.at[i], c.cols);
    return y;
}

mat paper_least_norm(matrices *w, mat A, int rank, mat force) {
    int m = A.rows;
    mat U = mat_copy(w, A), l = lengths(w, A), unused = mat_new(w, m, 1);
    paper_unit_rows(&U, &unused);
    mat N = mat_rows(w, U, paper_independent_rows(w, U, rank), rank);
    mat c = mat_mul(w, U, mat_pinv(w, N, rank));
    int *J = paper_independent_rows(w, weighed(w, c, l), rank);
    mat F_t = mat_solve(w, mat_transpose(w, mat_rows(w, c, J, rank)), mat_transpose(w, c));
    mat t = mat_mul(w, mat_pinv(w, mat_transpose(w, mat_rows(w, U, J, rank)), rank), force);
    mat seen = mat_new(w, rank, m); // F' without what is rounding in a row
    for (int k = 0; k < rank; k++) {
        for (int i = 0; i < m; i++) {
            double part = F_t.at[k * m + i], scale = l.at[i] / l.at[J[k]];
            F_t.at[k * m + i] = part * scale;
            seen.at[k * m + i] = fabs(part) > PAPER_ROUNDING ? part * scale : 0;
        }
        t.at[k] /= l.at[J[k]];
    }
    mat y = mat_mul(w, mat_pinv(w, seen, rank), t);
    mat left = mat_sub(w, t, mat_mul(w, F_t, y)); // F_J is the identity
    for (int k = 0; k < rank; k++)
        y.at[J[k]] += left.at[k];
    return y;
}
