#include "motion/rough.h"

#include "solve/linalg.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 300 };
static const double MU_FIRST = 1e-2, MU_LOWER = 0.2, MU_RAISE = 4, MU_MOST = 1e8, MU_LEAST = 1e-14;

typedef struct {
    const newton_problem *p;
    dense *dense;      // n + m unknowns: dx, and s with A dx + s = -r
    double *M, *A, *b; // of these
    double *change, *multiplier, *zero, *trial;
    double *row, *residual,
        *scale; // A (m x n) and r (m) at unit length where x is, and what brought them there
} approach;

static approach *new_approach(arena *a, const newton_problem *p) {
    size_t n = (size_t)p->n, m = (size_t)p->m, all = n + m;
    approach *r = arena_alloc(a, sizeof *r);
    r->p = p;
    r->dense = dense_new(a, p->n + p->m, p->m);
    r->M = arena_doubles(a, all * all);
    r->A = arena_doubles(a, m * all);
    r->b = arena_doubles(a, m);
    r->change = arena_doubles(a, all);
    r->zero = arena_doubles(a, all);
    r->multiplier = arena_doubles(a, m);
    r->trial = arena_doubles(a, n);
    r->row = arena_doubles(a, m * n);
    r->residual = arena_doubles(a, m);
    r->scale = arena_doubles(a, m);
    return r;
}

// evaluates at x; returns the sum of squares of the residuals, each times the scale of its row
static double look(approach *r, const double *x) {
    const newton_problem *p = r->p;
    double sum = 0;
    p->look(p->context, x);
    if (p->frozen)
        project_freeze(p->n, p->m, p->M, p->A, p->frozen);
    for (int i = 0; i < p->m; i++) {
        double residual = p->residual[i] * r->scale[i];
        sum += residual * residual;
    }
    return isfinite(sum) ? sum : INFINITY;
}

/* Keeps the rows of the point last looked at, at unit length, and returns the sum of squares there. Steps
 * from here are judged with the scales of here: with those of where they lead, log(x) = 5 would seem further
 * away at 6 than at 1. */
static double keep_rows(approach *r) {
    const newton_problem *p = r->p;
    double sum = 0;
    for (int i = 0; i < p->m; i++) {
        double norm = linalg_norm(p->A + i * p->n, p->n);
        r->scale[i] = norm > 1e-9 * fabs(p->residual[i]) && norm > 0 ? 1 / norm : 1;
        for (int j = 0; j < p->n; j++)
            r->row[i * p->n + j] = p->A[i * p->n + j] * r->scale[i];
        r->residual[i] = p->residual[i] * r->scale[i];
        sum += r->residual[i] * r->residual[i];
    }
    return isfinite(sum) ? sum : INFINITY;
}

// how far a unit force along a row moves it, on the average: the scale of mu
static double mobility(const approach *r, const double *M) {
    const newton_problem *p = r->p;
    double sum = 0, largest = 0;
    for (int j = 0; j < p->n; j++)
        largest = fmax(largest, M[j * p->n + j]);
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            double a = r->row[i * p->n + j], mass = fmax(M[j * p->n + j], 1e-9 * largest);
            sum += mass > 0 ? a * a / mass : a * a;
        }
    return sum > 0 ? sum / p->m : 1;
}

static bool step(approach *r, const double *M, double mu) {
    const newton_problem *p = r->p;
    int n = p->n, m = p->m, all = n + m;
    memset(r->M, 0, (size_t)all * (size_t)all * sizeof(double));
    memset(r->A, 0, (size_t)m * (size_t)all * sizeof(double));
    for (int i = 0; i < n; i++)
        memcpy(r->M + i * all, M + i * n, (size_t)n * sizeof(double));
    for (int i = 0; i < m; i++) {
        r->M[(n + i) * all + n + i] = 1 / mu;
        memcpy(r->A + i * all, r->row + i * n, (size_t)n * sizeof(double));
        r->A[i * all + n + i] = 1;
        r->b[i] = -r->residual[i];
    }
    if (dense_factor(r->dense, r->M, r->A, 1e-15) != DENSE_OK)
        return false;
    dense_solve(r->dense, r->zero, r->b, r->change, r->multiplier);
    return linalg_finite(r->change, n);
}

// a definite metric, once for the whole approach: M where it starts
static double *metric(arena *a, const newton_problem *p) {
    size_t n = (size_t)p->n;
    double *M = arena_doubles(a, n * n), *copy = arena_doubles(a, n * n), *inverse = arena_doubles(a, n);
    memcpy(M, p->M, n * n * sizeof *M);
    memcpy(copy, p->M, n * n * sizeof *M);
    if (!(linalg_cholesky(copy, p->n, 1e-13, inverse) > 0))
        project_add_identity(p->n, M);
    return M;
}

// the sum of squares in the scales of the first point: which of the points passed was the best
static double measure(const approach *r, const double *first) {
    double sum = 0;
    for (int i = 0; i < r->p->m; i++)
        sum += r->p->residual[i] * first[i] * r->p->residual[i] * first[i];
    return sum;
}

void rough_approach(arena *a, const newton_problem *p, double *x) {
    arena *scratch = arena_child(a);
    approach *r = new_approach(scratch, p);
    double mu = MU_FIRST;
    look(r, x);
    double now = keep_rows(r), *M = metric(scratch, p), least = INFINITY;
    double *first = arena_doubles(scratch, (size_t)p->m), *best = arena_doubles(scratch, (size_t)p->n);
    memcpy(first, r->scale, (size_t)p->m * sizeof *first);
    memcpy(best, x, (size_t)p->n * sizeof *x);
    double scale = mobility(r, M);
    for (int k = 0; k < STEPS_MOST && now > 1e-28 && mu < MU_MOST; k++) {
        if (!step(r, M, mu * scale))
            break;
        for (int i = 0; i < p->n; i++)
            r->trial[i] = x[i] + r->change[i];
        double then = look(r, r->trial);
        if (!(then < now)) {
            mu *= MU_RAISE;
            continue;
        }
        bool slow = then > now * (1 - 1e-10);
        memcpy(x, r->trial, (size_t)p->n * sizeof *x);
        now = keep_rows(r);
        if (measure(r, first) < least) {
            least = measure(r, first);
            memcpy(best, x, (size_t)p->n * sizeof *x);
        }
        mu = fmax(MU_LEAST, mu * MU_LOWER);
        if (slow)
            break;
    }
    if (!(now <= 1e-28)) // there was none that satisfies the rows
        memcpy(x, best, (size_t)p->n * sizeof *x);
    look(r, x);
    arena_free(scratch);
}
