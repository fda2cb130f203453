#include "linear/fit.h"

#include "linear/linalg.h"
#include "linear/solver.h"

#include <math.h>
#include <string.h>

/* e, beside the lightest row: what is measured by more than a hundredth settles within some steps, and what
 * is measured by less than 1e-8, as by rows that depend on others but for errors of the state, moves no more
 * than FOUND; in between it is not told. */
static const double NEAR = 1e-6;
static const double FOUND = 1e-10; // of the rests
static const double LIGHT = 1e-8;  // beside the heaviest row
enum { STEPS_MOST = 12 };

struct fit {
    int n, exact, measured;
    sparsity rows;
    sparsity both;  // (rows.rows) with the rests behind x
    solver *solver; // of n + measured coordinates
    double *M, *A;  // (n + measured) masses, entries of both
    double *length; // (measured) factors that bring them to unit length
    const double *units;
    double *Q, *b, *x;  // (n + measured), (rows.rows), (n + measured)
    double *multiplier; // (rows.rows)
    double *at, *force; // (n)
    double *rest;       // (measured) of the step before
    double *given;      // (measured) how large rests may be
};

static sparsity with_rests(arena *a, int n, sparsity rows, int exact) {
    int measured = rows.rows - exact, entries = sparsity_entries(rows) + measured;
    int *start = arena_array(a, int, rows.rows + 1), *to = arena_array(a, int, entries + 1);
    for (int i = 0, at = 0; i < rows.rows; i++) {
        int count = rows.start[i + 1] - rows.start[i];
        memcpy(to + at, rows.to + rows.start[i], (size_t)count * sizeof *to);
        at += count;
        if (i >= exact)
            to[at++] = n + i - exact;
        start[i + 1] = at;
    }
    return (sparsity){rows.rows, start, to};
}

static sparsity diagonal(arena *a, int n) {
    int *start = arena_array(a, int, n + 1), *to = arena_array(a, int, n + 1);
    for (int i = 0; i < n; i++) {
        start[i + 1] = i + 1;
        to[i] = i;
    }
    return (sparsity){n, start, to};
}

fit *fit_new(arena *a, int n, sparsity rows, int exact) {
    fit *f = arena_alloc(a, sizeof *f);
    int measured = rows.rows - exact, all = n + measured;
    *f = (fit){.n = n, .exact = exact, .measured = measured, .rows = rows};
    f->both = with_rests(a, n, rows, exact);
    f->solver = solver_new(a, all, diagonal(a, all), f->both, SOLVER_SPARSE, NULL);
    double **of_all[] = {&f->M, &f->Q, &f->x}, **of_n[] = {&f->at, &f->force};
    double **of_measured[] = {&f->length, &f->rest, &f->given};
    for (int i = 0; i < 3; i++) {
        *of_all[i] = arena_doubles(a, (size_t)all);
        *of_measured[i] = arena_doubles(a, (size_t)measured);
    }
    for (int i = 0; i < 2; i++)
        *of_n[i] = arena_doubles(a, (size_t)n);
    f->b = arena_doubles(a, (size_t)rows.rows);
    f->multiplier = arena_doubles(a, (size_t)rows.rows);
    f->A = arena_doubles(a, (size_t)sparsity_entries(f->both) + 1);
    return f;
}

// rows in units, the measured ones at unit length and with their rests
static void take_rows(fit *f, const double *A) {
    for (int i = 0; i < f->rows.rows; i++) {
        int begin = f->rows.start[i], count = f->rows.start[i + 1] - begin;
        double *to = f->A + f->both.start[i];
        for (int e = 0; e < count; e++)
            to[e] = A[begin + e] * (f->units ? f->units[f->rows.to[begin + e]] : 1);
        if (i < f->exact)
            continue;
        double length = linalg_norm(to, count);
        f->length[i - f->exact] = length > 0 ? 1 / length : 1;
        linalg_scale(to, f->length[i - f->exact], count);
        to[count] = -1;
    }
}

/* Masses: the heaviest row has 1. Those that are next to nothing, as while a weight grows from 0, are all
 * made as much heavier as leaves them next to nothing. */
static void take_weights(fit *f, const double *w) {
    double most = 0, light = 0, least = 1, *M = f->M + f->n;
    for (int k = 0; k < f->measured; k++) {
        M[k] = w[k] > 0 ? w[k] / f->length[k] / f->length[k] : 0;
        most = fmax(most, M[k]);
    }
    for (int k = 0; k < f->measured; k++) {
        M[k] = M[k] > 0 ? M[k] / most : 1;
        light = M[k] < LIGHT ? fmax(light, M[k]) : light;
    }
    for (int k = 0; k < f->measured; k++) {
        M[k] *= M[k] < LIGHT ? LIGHT / light : 1;
        least = fmin(least, M[k]);
    }
    for (int i = 0; i < f->n; i++)
        f->M[i] = NEAR * least;
}

bool fit_factor(fit *f, const double *A, const double *w, const double *units, double cut) {
    f->units = units;
    take_rows(f, A);
    take_weights(f, w);
    return solver_factor(f->solver, f->M, f->A, cut) == DENSE_OK;
}

// the x nearest to `from`, in f->x with its rests; force (n) and b may be NULL
static void step(fit *f, const double *from, const double *force, const double *b) {
    for (int i = 0; i < f->n; i++)
        f->Q[i] = f->M[i] * (from ? from[i] : 0) + (force ? force[i] : 0);
    memset(f->Q + f->n, 0, (size_t)f->measured * sizeof *f->Q);
    if (b)
        memcpy(f->b, b, (size_t)f->rows.rows * sizeof *f->b);
    else
        memset(f->b, 0, (size_t)f->rows.rows * sizeof *f->b);
    solver_solve(f->solver, f->Q, f->b, f->x, f->multiplier);
}

// whether the rests are what they were, but for rounding; keeps them
static bool rests_stay(fit *f) {
    const double *rest = f->x + f->n;
    double moved = 0, size = 0;
    for (int k = 0; k < f->measured; k++) {
        moved = fmax(moved, fabs(rest[k] - f->rest[k]));
        size = fmax(size, fmax(fabs(rest[k]), f->given[k]));
        f->rest[k] = rest[k];
    }
    return moved <= FOUND * size; // not where one is not finite
}

// steps, force and b being given, until the rests stay; leaves f->x and f->multiplier
static bool settle(fit *f, const double *force, const double *b) {
    bool found = false;
    memset(f->at, 0, (size_t)f->n * sizeof *f->at);
    for (int k = 0; k < STEPS_MOST && !found; k++) {
        step(f, f->at, force, b);
        memcpy(f->at, f->x, (size_t)f->n * sizeof *f->at);
        found = rests_stay(f) && k > 0;
    }
    return found;
}

bool fit_values(fit *f, double *b) {
    double *measured = b + f->exact;
    const double *length = f->length, *rest = f->x + f->n;
    for (int k = 0; k < f->measured; k++) {
        measured[k] *= length[k];
        f->given[k] = fabs(measured[k]);
    }
    bool found = settle(f, NULL, b);
    for (int k = 0; k < f->measured; k++)
        measured[k] = (measured[k] + rest[k]) / length[k];
    return found;
}

bool fit_multipliers(fit *f, double *multiplier) {
    double *measured = f->multiplier + f->exact, *force = f->force;
    memset(force, 0, (size_t)f->n * sizeof *force);
    for (int i = 0; i < f->rows.rows; i++) {
        double part = multiplier[i] / (i < f->exact ? 1 : f->length[i - f->exact]);
        for (int e = 0; e < f->rows.start[i + 1] - f->rows.start[i]; e++)
            force[f->rows.to[f->rows.start[i] + e]] += part * f->A[f->both.start[i] + e];
    }
    memset(f->given, 0, (size_t)f->measured * sizeof *f->given);
    bool found = settle(f, force, NULL);
    solver_least_norm(f->solver, f->multiplier); // rests leave measured rows no choice
    for (int k = 0; k < f->measured; k++)
        measured[k] *= f->length[k];
    for (int i = 0; i < f->rows.rows; i++)
        multiplier[i] = -f->multiplier[i];
    return found;
}

bool fit_dropped(const fit *f, int row) {
    return solver_dropped(f->solver, row);
}
