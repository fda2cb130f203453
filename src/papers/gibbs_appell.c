/* Gibbs and Appell: r dependent coordinates e, given by the independent ones I (004 eqs. 17 to 27),
 *
 *   q_e'' = A_e+ b - R q_I'',   R = A_e+ A_I
 *
 * and the equation of motion of these alone. The paper has M diagonal; for any M, with N = [-R; I] and
 * p = [A_e+ b; 0],
 *
 *   N'M N q_I'' = N'(Q + C - M p),   q'' = p + N q_I''
 *
 * which is its eq. 25 where M is diagonal. N spans the null space of A, so N'M N is definite where the motion
 * is unique, also if M is not. The partition is kept from call to call as long as it is good: q'' does not
 * depend on it. */
#include "papers/papers.h"

/* The columns A_e are kept while their smallest singular value is more than this part of that of A. */
static const double GOOD = 0.01;

// the dependent coordinates first
static void choose_partition(paper *p) {
    int *first = paper_independent_rows(p->w, mat_transpose(p->w, p->A), p->rank), count = p->rank;
    for (int i = 0; i < p->rank; i++)
        p->partition[i] = first[i];
    for (int j = 0; j < p->n; j++) {
        bool taken = false;
        for (int i = 0; i < p->rank; i++)
            taken |= first[i] == j;
        if (!taken && count < p->n)
            p->partition[count++] = j;
    }
    *p->partition_rank = p->rank;
}

static bool good_partition(paper *p) {
    if (*p->partition_rank != p->rank)
        return false;
    mat A_e = mat_columns(p->w, p->A, p->partition, p->rank);
    return paper_smallest(p, A_e) > GOOD * paper_smallest(p, p->A);
}

// rows of the partitioned order back to their places
static mat in_place(paper *p, mat parts) {
    mat x = mat_new(p->w, parts.rows, parts.cols);
    for (int i = 0; i < parts.rows; i++)
        for (int j = 0; j < parts.cols; j++)
            x.at[p->partition[i] * parts.cols + j] = parts.at[i * parts.cols + j];
    return x;
}

// N = [-R; I] for the order at hand, and A_e+
static mat null_space(paper *p, mat *A_e_plus) {
    matrices *w = p->w;
    int free = p->n - p->rank;
    *A_e_plus = mat_pinv(w, mat_columns(w, p->A, p->partition, p->rank), p->rank);
    mat A_I = mat_columns(w, p->A, p->partition + p->rank, free), R = mat_mul(w, *A_e_plus, A_I);
    return in_place(p, mat_stack(w, mat_scale(w, -1, R), mat_identity(w, free)));
}

void paper_gibbs(paper *p, mat x, mat *force, mat *slope) {
    matrices *w = p->w;
    mat unused, N_t = mat_transpose(w, null_space(p, &unused));
    *force = mat_mul(w, N_t, mat_add(w, p->Q, p->C));
    *slope = mat_mul(w, N_t, mat_mul(w, p->M, x));
}

static bool solve(paper *p, mat *x, mat *force) {
    matrices *w = p->w;
    int free = p->n - p->rank;
    if (!good_partition(p))
        choose_partition(p);
    mat A_e_plus, N = null_space(p, &A_e_plus);
    mat particular = in_place(p, mat_stack(w, mat_mul(w, A_e_plus, p->b), mat_new(w, free, 1)));
    mat N_t = mat_transpose(w, N);
    mat given = mat_sub(w, mat_add(w, p->Q, p->C), mat_mul(w, p->M, particular));
    mat x_I = mat_solve(w, mat_mul(w, N_t, mat_mul(w, p->M, N)), mat_mul(w, N_t, given));
    *x = mat_add(w, particular, mat_mul(w, N, x_I));
    *force = mat_sub(w, mat_mul(w, p->M, *x), p->Q);
    return true;
}

const formulation paper_gibbs_appell = {"gibbs-appell", "Gibbs and Appell: independent coordinates alone",
                                        "004 eqs. 17-27", false, solve};
