#include "solve/papers/papers.h"

#include "solve/linalg.h"
#include "solve/rank.h"

#include <math.h>
#include <string.h>

extern const formulation paper_fundamental, paper_inverse14, paper_gauss, paper_dalembert, paper_gibbs_appell,
    paper_lagrange, paper_stacked, paper_auxiliary, paper_poincare;

const formulation *const formulations[FORMULATIONS] = {
    &paper_fundamental, &paper_inverse14, &paper_gauss,     &paper_dalembert, &paper_gibbs_appell,
    &paper_lagrange,    &paper_stacked,   &paper_auxiliary, &paper_poincare};

const formulation *formulation_find(const char *name) {
    for (int i = 0; i < FORMULATIONS; i++)
        if (strcmp(formulations[i]->name, name) == 0)
            return formulations[i];
    return NULL;
}

struct papers {
    int n, m;
    matrices w;
    double *unit;   // (n) x = unit times x in the scaled system
    int *partition; // (n)
    int partition_rank;
};

papers *papers_new(arena *a, int n, int m) {
    papers *p = arena_alloc(a, sizeof *p);
    size_t size = (size_t)n + (size_t)m + 1;
    p->n = n;
    p->m = m;
    matrices_init(&p->w, a, 100 * size * size);
    p->unit = arena_doubles(a, (size_t)n);
    p->partition = arena_array(a, int, n + 1);
    p->partition_rank = -1;
    return p;
}

// ---- scaling

// powers of two that bring diag(M) to about 1, so that nothing is rounded
static void choose_units(papers *p, const double *M) {
    for (int i = 0; i < p->n; i++) {
        double mass = M[i * p->n + i];
        p->unit[i] = mass > 0 && isfinite(mass) ? exp2(-round(log2(mass) / 2)) : 1;
    }
}

static mat scaled_vector(papers *p, const double *v) {
    mat x = mat_new(&p->w, p->n, 1);
    for (int i = 0; i < p->n; i++)
        x.at[i] = p->unit[i] * v[i];
    return x;
}

static void scale_matrices(papers *p, paper *s, const double *M, const double *A, const double *b) {
    int n = p->n, m = p->m;
    s->M = mat_new(&p->w, n, n);
    s->A = mat_new(&p->w, m, n);
    s->b = mat_new(&p->w, m, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->M.at[i * n + j] = p->unit[i] * M[i * n + j] * p->unit[j];
    for (int i = 0; i < m; i++) {
        double *row = s->A.at + i * n;
        for (int j = 0; j < n; j++)
            row[j] = A[i * n + j] * p->unit[j];
        double unit = rank_unit(row, n);
        for (int j = 0; j < n; j++)
            row[j] *= unit;
        s->b.at[i] = b[i] * unit;
    }
}

// ---- solving

// the formulation on what x and force leave of M x = Q + Q^c and A x = b
static bool correct(paper *s, const formulation *f, mat *x, mat *force) {
    matrices *w = s->w;
    mat dx, dforce;
    paper rest = *s;
    rest.correcting = true;
    rest.C = mat_new(w, s->n, 1);
    rest.Q = mat_sub(w, mat_add(w, s->Q, *force), mat_mul(w, s->M, *x));
    rest.b = mat_sub(w, s->b, mat_mul(w, s->A, *x));
    if (!f->solve(&rest, &dx, &dforce) || w->failed)
        return false;
    *x = mat_add(w, *x, dx);
    *force = mat_add(w, *force, dforce);
    return true;
}

bool papers_solve(papers *p, const formulation *f, const paper_choice *choice, const double *M,
                  const double *Q, const double *C, const double *A, const double *b, int rank, double *x,
                  double *force) {
    matrices *w = &p->w;
    mat sx, sforce;
    matrices_reset(w);
    choose_units(p, M);
    paper s = {.w = w, .n = p->n, .m = p->m, .rank = rank};
    if (choice)
        s.choice = *choice;
    s.partition = p->partition;
    s.partition_rank = &p->partition_rank;
    s.Q = scaled_vector(p, Q);
    s.C = scaled_vector(p, C);
    scale_matrices(p, &s, M, A, b);
    if (!f->solve(&s, &sx, &sforce) || w->failed || !correct(&s, f, &sx, &sforce))
        return false;
    for (int i = 0; i < p->n; i++) {
        x[i] = p->unit[i] * sx.at[i];
        force[i] = sforce.at[i] / p->unit[i];
    }
    return true;
}

bool papers_multipliers(papers *p, const double *A, int rank, const double *force, double *multiplier) {
    matrices *w = &p->w;
    matrices_reset(w);
    mat transposed = mat_transpose(w, mat_wrap(A, p->m, p->n));
    mat least = mat_mul(w, mat_pinv(w, transposed, rank), mat_wrap(force, p->n, 1));
    if (p->m)
        memcpy(multiplier, least.at, (size_t)p->m * sizeof *multiplier);
    return !w->failed;
}

// ---- what may be chosen

double paper_random(paper *p) {
    p->choice.seed = p->choice.seed * 1664525u + 1013904223u;
    return (double)(p->choice.seed >> 8) / (1 << 23) - 1;
}

mat paper_random_matrix(paper *p, int rows, int cols) {
    mat x = mat_new(p->w, rows, cols);
    for (int i = 0; i < rows * cols; i++)
        x.at[i] = paper_random(p);
    return x;
}

// Gram and Schmidt, the largest remainder first; each row is cleared twice of what was chosen
int *paper_independent_rows(paper *p, mat x, int rank) {
    mat rest = mat_copy(p->w, x);
    int *which = matrices_ints(p->w, rank), n = x.cols;
    mat none = mat_new(p->w, x.rows, 1);
    paper_unit_rows(&rest, &none);
    for (int k = 0; k < rank; k++) {
        int largest = 0;
        for (int i = 1; i < x.rows; i++)
            if (linalg_norm(rest.at + i * n, n) > linalg_norm(rest.at + largest * n, n))
                largest = i;
        which[k] = largest;
        mat q = mat_block(p->w, rest, largest, 0, 1, n);
        paper_unit_rows(&q, &(mat){1, 1, none.at});
        for (int i = 0; i < 2 * x.rows; i++) {
            double *row = rest.at + i % x.rows * n;
            linalg_add(row, -linalg_dot(row, q.at, n), q.at, n);
        }
        memset(rest.at + largest * n, 0, (size_t)n * sizeof(double));
    }
    return which;
}

void paper_unit_rows(mat *x, mat *b) {
    for (int i = 0; i < x->rows; i++) {
        double unit = rank_unit(x->at + i * x->cols, x->cols);
        for (int j = 0; j < x->cols; j++)
            x->at[i * x->cols + j] *= unit;
        b->at[i] *= unit;
    }
}

// x+ + (I - x+ x) Y + Z (I - x x+), Y and Z arbitrary: all g-inverses are of this kind
static mat with_arbitrary_parts(paper *p, mat x, int rank) {
    matrices *w = p->w;
    mat plus = mat_pinv(w, x, rank);
    mat right = mat_sub(w, mat_identity(w, x.cols), mat_mul(w, plus, x));
    mat left = mat_sub(w, mat_identity(w, x.rows), mat_mul(w, x, plus));
    mat Y = paper_random_matrix(p, x.cols, x.rows), Z = paper_random_matrix(p, x.cols, x.rows);
    return mat_add(w, plus, mat_add(w, mat_mul(w, right, Y), mat_mul(w, Z, left)));
}

static mat of_independent_block(paper *p, mat x, int rank) {
    matrices *w = p->w;
    int *rows = paper_independent_rows(p, x, rank);
    mat tall = mat_rows(w, x, rows, rank);
    int *cols = paper_independent_rows(p, mat_transpose(w, tall), rank);
    mat inverse = mat_solve(w, mat_columns(w, tall, cols, rank), mat_identity(w, rank));
    mat y = mat_new(w, x.cols, x.rows);
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < rank; j++)
            y.at[cols[i] * x.rows + rows[j]] = inverse.at[i * rank + j];
    return y;
}

// W (x W)+, W diagonal
static mat in_another_metric(paper *p, mat x, int rank) {
    matrices *w = p->w;
    mat W = mat_new(w, x.cols, x.cols);
    for (int i = 0; i < x.cols; i++)
        W.at[i * x.cols + i] = 2 + paper_random(p);
    return mat_mul(w, W, mat_pinv(w, mat_mul(w, x, W), rank));
}

mat paper_g_inverse_of_rank(paper *p, mat x, int which, int rank) {
    switch (which) {
    case 1:
        return with_arbitrary_parts(p, x, rank);
    case 2:
        return of_independent_block(p, x, rank);
    case 3:
        return in_another_metric(p, x, rank);
    default:
        return mat_pinv(p->w, x, rank);
    }
}

mat paper_g_inverse(paper *p, mat x, int which) {
    return paper_g_inverse_of_rank(p, x, which, p->rank);
}
