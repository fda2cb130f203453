#include "papers/papers.h"

#include "linear/linalg.h"
#include "linear/rank.h"

#include <math.h>
#include <string.h>

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
    matrices *w;
    double *unit;   // (n) x = unit times x in the scaled system
    int *partition; // (n)
    int partition_rank;
};

/* In matrices of (n + m)^2: a pass takes 6 to 21 for chains of 100 to 400 coordinates, with as many rows or
 * half of them, and with five corrections up to 69, the most that tests meet. Small systems have room for
 * that, in large ones it is taken when it is needed. */
static size_t workspace(int n, int m) {
    const size_t small = 4000000; // doubles
    size_t size = (size_t)n + (size_t)m + 1, usual = 24 * size * size, most = 100 * size * size;
    return usual > small ? usual : most < small ? most : small;
}

void papers_workspace(matrices *w, arena *a, int n, int m) {
    matrices_init(w, a, workspace(n, m));
}

double papers_workspace_bytes(int n, int m) {
    return (double)(workspace(n, m) * sizeof(double));
}

papers *papers_new(arena *a, int n, int m, matrices *shared) {
    papers *p = arena_alloc(a, sizeof *p);
    p->n = n;
    p->m = m;
    p->w = shared ? shared : arena_alloc(a, sizeof *p->w);
    if (shared == NULL)
        papers_workspace(p->w, a, n, m);
    p->unit = arena_doubles(a, (size_t)n);
    p->partition = arena_array(a, int, n + 1);
    p->partition_rank = -1;
    return p;
}

// ---- scaling

/* Powers of two that bring diag(M) to about 1, so that nothing is rounded. A mass that can be what rounding
 * left of the others, as in quasi-velocities of which one moves nothing, is none and stays so. */
static void choose_units(papers *p, const double *M) {
    double heaviest = 0;
    for (int i = 0; i < p->n; i++)
        heaviest = fmax(heaviest, M[i * p->n + i]);
    for (int i = 0; i < p->n; i++) {
        double mass = M[i * p->n + i], least = rank_rounding(p->n) * heaviest;
        p->unit[i] = mass > least && isfinite(mass) ? exp2(-round(log2(mass) / 2)) : 1;
    }
}

static mat scaled_vector(papers *p, const double *v) {
    mat x = mat_new(p->w, p->n, 1);
    for (int i = 0; i < p->n; i++)
        x.at[i] = p->unit[i] * v[i];
    return x;
}

static void scale_matrices(papers *p, paper *s, const double *M, const double *A, const double *b) {
    int n = p->n, m = p->m;
    s->M = mat_new(p->w, n, n);
    s->A = mat_new(p->w, m, n);
    s->b = mat_new(p->w, m, 1);
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
        s->b.at[i] = b ? b[i] * unit : 0;
    }
}

// ---- solving

/* A correction that moves the result by this part leaves about its square. More than one is rarely needed:
 * where a formula squares a condition number (dalembert), or a force is left where large terms cancel
 * (gauss), and the masses are spread over many decades. */
static const double SETTLED = 1e-8;

enum { CORRECTIONS = 5 };

static double part(double of, double size) {
    return of > 0 ? of / size : 0;
}

// C + (its part along the rows of A) (force - C): what else there is of it, ideal constraints cannot exert
static mat exerted(paper *s, mat along, mat force) {
    matrices *w = s->w;
    mat parts = mat_mul(w, along, mat_sub(w, force, s->C));
    return mat_add(w, s->C, mat_mul(w, mat_transpose(w, along), parts));
}

/* The formulation on what x and force leave of M x = Q + Q^c and A x = b; how far it moved them. The force is
 * first brought to satisfy the third equation, v'(Q^c - C) = 0: an error of x along v with A v = 0 that the
 * force follows would leave nothing of the other two. */
static bool correct(paper *s, const formulation *f, mat along, mat *x, mat *force, double *moved) {
    matrices *w = s->w;
    mat dx, dforce;
    paper rest = *s;
    *force = exerted(s, along, *force);
    rest.correcting = true;
    rest.C = mat_new(w, s->n, 1);
    rest.Q = mat_sub(w, mat_add(w, s->Q, *force), mat_mul(w, s->M, *x));
    rest.b = mat_sub(w, s->b, mat_mul(w, s->A, *x));
    if (!f->solve(&rest, &dx, &dforce) || w->failed)
        return false;
    *x = mat_add(w, *x, dx);
    *force = mat_add(w, *force, dforce);
    *moved = fmax(part(mat_norm(dx), mat_norm(*x)),
                  part(mat_norm(dforce), fmax(mat_norm(*force), mat_norm(mat_add(w, s->Q, s->C)))));
    return true;
}

// corrections until one of them is small, or larger than the one before: that is not taken
static bool settle(paper *s, const formulation *f, mat *x, mat *force) {
    double moved = INFINITY;
    mat along = mat_block(s->w, mat_svd(s->w, s->A).Vt, 0, 0, s->rank, s->n); // orthonormal rows
    for (int k = 0; k < CORRECTIONS && moved > SETTLED; k++) {
        mat x_before = *x, force_before = *force;
        double before = moved;
        if (!correct(s, f, along, x, force, &moved))
            return false;
        if (!(moved < before)) {
            *x = x_before;
            *force = force_before;
            break;
        }
    }
    return true;
}

static paper scaled(papers *p, const double *M, const double *Q, const double *A, const double *b, int rank) {
    matrices_reset(p->w);
    choose_units(p, M);
    paper s = {.w = p->w, .n = p->n, .m = p->m, .rank = rank};
    s.partition = p->partition;
    s.partition_rank = &p->partition_rank;
    s.Q = scaled_vector(p, Q);
    s.C = mat_new(p->w, p->n, 1);
    scale_matrices(p, &s, M, A, b);
    return s;
}

bool papers_solve(papers *p, const formulation *f, const paper_choice *choice, const double *M,
                  const double *Q, const double *C, const double *A, const double *b, int rank, double *x,
                  double *force) {
    matrices *w = p->w;
    mat sx, sforce;
    paper s = scaled(p, M, Q, A, b, rank);
    if (choice)
        s.choice = *choice;
    s.C = scaled_vector(p, C);
    if (!f->solve(&s, &sx, &sforce) || w->failed || !settle(&s, f, &sx, &sforce))
        return false;
    for (int i = 0; i < p->n; i++) {
        x[i] = p->unit[i] * sx.at[i];
        force[i] = sforce.at[i] / p->unit[i];
    }
    return true;
}

bool papers_gibbs(papers *p, const double *M, const double *Q, const double *A, int rank, const double *x,
                  gibbs *out) {
    mat force, slope;
    if (p->partition_rank != rank)
        return false;
    paper s = scaled(p, M, Q, A, NULL, rank);
    mat sx = mat_new(p->w, p->n, 1);
    for (int i = 0; i < p->n; i++)
        sx.at[i] = x[i] / p->unit[i];
    paper_gibbs(&s, sx, &force, &slope);
    out->dependent = rank;
    memcpy(out->order, p->partition, (size_t)p->n * sizeof *out->order);
    out->energy = linalg_dot(sx.at, mat_mul(p->w, s.M, sx).at, p->n) / 2;
    for (int i = 0; i < p->n - rank; i++) {
        double unit = p->unit[p->partition[rank + i]];
        out->force[i] = force.at[i] / unit;
        out->slope[i] = slope.at[i] / unit;
    }
    return !p->w->failed;
}

bool papers_multipliers(papers *p, const double *A, int rank, const double *force, double *multiplier) {
    matrices *w = p->w;
    matrices_reset(w);
    mat least = paper_least_norm(w, mat_wrap(A, p->m, p->n), rank, mat_wrap(force, p->n, 1));
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

// the row of which most is left, if that is more than this part of its length; -1 if there is none
static int longest(mat rest, mat whole, double least_part) {
    int most = -1, n = rest.cols;
    double length = 0;
    for (int i = 0; i < rest.rows; i++) {
        double left = linalg_norm(rest.at + i * n, n);
        if (left > length && left > least_part * linalg_norm(whole.at + i * n, n)) {
            length = left;
            most = i;
        }
    }
    return most;
}

// Gram and Schmidt, the largest remainder first; each row is cleared twice of what was chosen
int *paper_independent_rows(matrices *w, mat x, int rank) {
    mat rest = mat_copy(w, x);
    int *which = matrices_ints(w, rank), n = x.cols;
    for (int k = 0; k < rank; k++) {
        int longest_one = longest(rest, x, PAPER_ROUNDING);
        if (longest_one < 0 && (longest_one = longest(rest, x, 0)) < 0)
            w->failed = true; // the rank is less
        which[k] = longest_one < 0 ? 0 : longest_one;
        mat q = mat_block(w, rest, which[k], 0, 1, n);
        linalg_scale(q.at, rank_unit(q.at, n), n);
        for (int i = 0; i < 2 * x.rows; i++) {
            double *row = rest.at + i % x.rows * n;
            linalg_add(row, -linalg_dot(row, q.at, n), q.at, n);
        }
        memset(rest.at + which[k] * n, 0, (size_t)n * sizeof(double));
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

double paper_smallest(paper *p, mat x) {
    mat s = mat_svd(p->w, x).s;
    return p->rank > 0 && p->rank <= s.rows ? s.at[p->rank - 1] : 1;
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
    int *rows = paper_independent_rows(p->w, x, rank);
    mat tall = mat_rows(w, x, rows, rank);
    int *cols = paper_independent_rows(p->w, mat_transpose(w, tall), rank);
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
    case SHIFTED:
        return with_arbitrary_parts(p, x, rank);
    case OF_BLOCK:
        return of_independent_block(p, x, rank);
    case IN_METRIC:
        return in_another_metric(p, x, rank);
    default:
        return mat_pinv(p->w, x, rank);
    }
}

mat paper_g_inverse(paper *p, mat x, int which) {
    return paper_g_inverse_of_rank(p, x, which, p->rank);
}
