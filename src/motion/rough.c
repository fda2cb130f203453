#include "motion/rough.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 300 };
static const double MU_FIRST = 1e-2, MU_LOWER = 0.2, MU_RAISE = 4, MU_MOST = 1e8, MU_LEAST = 1e-14;
/* Turns that have no inertia must not come for nothing: rods without thickness spin about themselves in every
 * step then, and a platform of six that lie at the origin takes 300 steps to nowhere. From 1e-7 to 1 it takes
 * 14 at most. */
static const double LEAST = 1e-3;

typedef struct {
    const newton_problem *p;
    int m;
    solver *solver;    // n + m unknowns: dx, and s with A dx + s = -r
    double *M, *A, *b; // of these
    sparsity A_pattern;
    double *change, *multiplier, *zero, *trial;
    double *row, *residual, *scale; // A and r at unit length where x is, and what brought them there
} approach;

// a coordinate of its own for each row
static sparsity widen_mass(arena *a, sparsity M, int m) {
    sparsity_builder b = sparsity_begin(a, M.rows + m);
    for (int i = 0; i < M.rows + m; i++)
        for (int e = i < M.rows ? M.start[i] : 0; e < (i < M.rows ? M.start[i + 1] : 1); e++)
            sparsity_announce(&b, i);
    for (int i = 0; i < M.rows; i++)
        for (int e = M.start[i]; e < M.start[i + 1]; e++)
            sparsity_put(&b, i, M.to[e]);
    for (int i = M.rows; i < M.rows + m; i++)
        sparsity_put(&b, i, i);
    return sparsity_end(&b);
}

// it comes last in the row
static sparsity widen_rows(arena *a, sparsity A, int n) {
    int *start = arena_array(a, int, A.rows + 1), *to = arena_array(a, int, sparsity_entries(A) + A.rows + 1);
    for (int i = 0; i < A.rows; i++) {
        int count = A.start[i + 1] - A.start[i];
        start[i + 1] = start[i] + count + 1;
        memcpy(to + start[i], A.to + A.start[i], (size_t)count * sizeof *to);
        to[start[i] + count] = n + i;
    }
    return (sparsity){A.rows, start, to};
}

static const double *widen_scale(arena *a, const newton_problem *p) {
    double *scale = arena_doubles(a, (size_t)(p->n + p->A_pattern.rows) + 1);
    for (int i = 0; i < p->n + p->A_pattern.rows; i++)
        scale[i] = i < p->n ? p->scale[i] : 1;
    return scale;
}

static approach *new_approach(arena *a, const newton_problem *p) {
    size_t n = (size_t)p->n, m = (size_t)p->A_pattern.rows, entries = (size_t)sparsity_entries(p->A_pattern);
    approach *r = arena_alloc(a, sizeof *r);
    sparsity M_pattern = widen_mass(a, p->M_pattern, p->A_pattern.rows);
    r->p = p;
    r->m = p->A_pattern.rows;
    r->A_pattern = widen_rows(a, p->A_pattern, p->n);
    r->solver = solver_new(a, p->n + r->m, M_pattern, r->A_pattern, SOLVER_AUTO, widen_scale(a, p));
    r->M = arena_doubles(a, (size_t)sparsity_entries(M_pattern));
    r->A = arena_doubles(a, entries + m);
    r->b = arena_doubles(a, m);
    r->change = arena_doubles(a, n + m);
    r->zero = arena_doubles(a, n + m);
    r->multiplier = arena_doubles(a, m);
    r->trial = arena_doubles(a, n);
    r->row = arena_doubles(a, entries);
    r->residual = arena_doubles(a, m);
    r->scale = arena_doubles(a, m);
    return r;
}

// evaluates at x; returns the sum of squares of the residuals, each times the scale of its row
static double look(approach *r, const double *x) {
    const newton_problem *p = r->p;
    double sum = 0;
    p->look(p->context, x);
    if (p->frozen) {
        project_freeze_mass(p->M_pattern, p->M, p->frozen, p->scale);
        project_freeze_rows(p->A_pattern, p->A, p->frozen);
    }
    for (int i = 0; i < r->m; i++) {
        double residual = p->residual[i] * r->scale[i];
        sum += residual * residual;
    }
    return isfinite(sum) ? sum : INFINITY;
}

// |A_i S|
static double length(const newton_problem *p, int i) {
    double sum = 0;
    for (int e = p->A_pattern.start[i]; e < p->A_pattern.start[i + 1]; e++) {
        double entry = p->A[e] * p->scale[p->A_pattern.to[e]];
        sum += entry * entry;
    }
    return sqrt(sum);
}

/* Keeps the rows of the point last looked at, at unit length, and returns the sum of squares there. Steps
 * from here are judged with the scales of here: with those of where they lead, log(x) = 5 would seem further
 * away at 6 than at 1. */
static double keep_rows(approach *r) {
    const newton_problem *p = r->p;
    double sum = 0;
    for (int i = 0; i < r->m; i++) {
        double norm = length(p, i);
        r->scale[i] = norm > 1e-9 * fabs(p->residual[i]) && norm > 0 ? 1 / norm : 1;
        for (int e = p->A_pattern.start[i]; e < p->A_pattern.start[i + 1]; e++)
            r->row[e] = p->A[e] * r->scale[i];
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
        largest = fmax(largest, row_entry(p->M_pattern, M, j, j) * p->scale[j] * p->scale[j]);
    for (int e = 0; e < sparsity_entries(p->A_pattern); e++) {
        int j = p->A_pattern.to[e];
        double a = r->row[e] * p->scale[j];
        double mass = fmax(row_entry(p->M_pattern, M, j, j) * p->scale[j] * p->scale[j], 1e-9 * largest);
        sum += mass > 0 ? a * a / mass : a * a;
    }
    return sum > 0 ? sum / r->m : 1;
}

static bool step(approach *r, const double *M, double mu) {
    const newton_problem *p = r->p;
    int inner = sparsity_entries(p->M_pattern);
    memcpy(r->M, M, (size_t)inner * sizeof(double));
    for (int i = 0; i < r->m; i++) {
        int begin = p->A_pattern.start[i], count = p->A_pattern.start[i + 1] - begin;
        double *A_i = r->A + r->A_pattern.start[i];
        r->M[inner + i] = 1 / mu;
        memcpy(A_i, r->row + begin, (size_t)count * sizeof(double));
        A_i[count] = 1;
        r->b[i] = -r->residual[i];
    }
    if (solver_factor(r->solver, r->M, r->A, 1e-15) != DENSE_OK)
        return false;
    solver_solve(r->solver, r->zero, r->b, r->change, r->multiplier);
    return linalg_finite(r->change, p->n);
}

// the sum of squares in the scales of the first point: which of the points passed was the best
static double measure(const approach *r, const double *first) {
    double sum = 0;
    for (int i = 0; i < r->m; i++)
        sum += r->p->residual[i] * first[i] * r->p->residual[i] * first[i];
    return sum;
}

void rough_approach(arena *a, const newton_problem *p, double *x) {
    arena *scratch = arena_child(a);
    approach *r = new_approach(scratch, p);
    double mu = MU_FIRST;
    look(r, x);
    double now = keep_rows(r), *M = project_metric(scratch, p->M_pattern, p->M, NULL, LEAST, p->scale),
           least = INFINITY;
    double *first = arena_doubles(scratch, (size_t)r->m), *best = arena_doubles(scratch, (size_t)p->n);
    memcpy(first, r->scale, (size_t)r->m * sizeof *first);
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
