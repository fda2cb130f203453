/* What the tests of the papers' formulations share: solvers by size, results and how far they are apart. */
#ifndef TRAMMEL_TEST_SOLVE_PAPERS_FIXTURE_H
#define TRAMMEL_TEST_SOLVE_PAPERS_FIXTURE_H

#include "linear/dense.h"
#include "linear/lapack.h"
#include "papers/papers.h"
#include "support/random_systems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double CUT = 1e-11;

// solvers are kept from system to system, as a run keeps them from step to step
typedef struct {
    arena *arena;
    papers *papers[MOST_N + 1][MOST_M + 1];
    dense *dense[MOST_N + 1][MOST_M + 1];
    matrices w; // of the test's own algebra
    dice dice;
} fixture;

static inline int fixture_start(void **state) {
    arena *a = arena_new(0);
    fixture *f = arena_alloc(a, sizeof *f);
    f->arena = a;
    f->dice.state = 88172645463325252u;
    matrices_init(&f->w, a, 10000);
    for (int n = 1; n <= MOST_N; n++)
        for (int m = 0; m <= MOST_M; m++) {
            f->papers[n][m] = papers_new(a, n, m, NULL);
            f->dense[n][m] = dense_new(a, n, m);
        }
    *state = f;
    return 0;
}

static inline int fixture_stop(void **state) {
    arena_free(((fixture *)*state)->arena);
    return 0;
}

static inline void need_lapack(void) {
    const char *hint, *missing = lapack_missing(&hint);
    if (missing) {
        print_message("%s: %s\n", missing, hint);
        skip();
    }
}

/* ---- results ---- */

typedef struct {
    double x[MOST_N], force[MOST_N];
} result;

static inline bool by_default(const fixture *f, const random_system *s, result *r, int *rank) {
    dense *d = f->dense[s->n][s->m];
    double given[MOST_N], multiplier[MOST_M];
    *rank = 0;
    if (dense_factor(d, s->M, s->A, CUT) != DENSE_OK)
        return false;
    for (int j = 0; j < s->n; j++)
        given[j] = s->Q[j] + s->C[j];
    dense_solve(d, given, s->b, r->x, multiplier);
    for (int j = 0; j < s->n; j++) {
        r->force[j] = s->C[j];
        for (int i = 0; i < s->m; i++)
            r->force[j] += s->A[i * s->n + j] * multiplier[i];
    }
    *rank = dense_rank(d);
    return true;
}

static inline void by_paper(const fixture *f, const formulation *how, const paper_choice *choice,
                            const random_system *s, int rank, result *r) {
    if (!papers_solve(f->papers[s->n][s->m], how, choice, s->M, s->Q, s->C, s->A, s->b, rank, r->x, r->force))
        fail_msg("%s gives nothing: n = %d, m = %d", how->name, s->n, s->m);
}

/* ---- how far they are apart ---- */

typedef struct {
    double x, force; // relative
} difference;

// in units in which diag(M) is 1: otherwise light coordinates alone decide
static inline double unit_of(const random_system *s, int j) {
    double mass = s->M[j * s->n + j], heaviest = 0;
    for (int i = 0; i < s->n; i++)
        heaviest = fmax(heaviest, s->M[i * s->n + i]);
    return mass > 1e-14 * heaviest ? 1 / sqrt(mass) : 1; // less is rounding
}

// |p - q| / |q|; a force is compared with Q + C where that is larger: it is what M x leaves of Q
static inline difference apart(const random_system *s, const result *p, const result *q) {
    double x = 0, x_size = 0, force = 0, force_size = 0, given = 0;
    for (int j = 0; j < s->n; j++) {
        double u = unit_of(s, j);
        x += pow((p->x[j] - q->x[j]) / u, 2);
        x_size += pow(q->x[j] / u, 2);
        force += pow((p->force[j] - q->force[j]) * u, 2);
        force_size += pow(q->force[j] * u, 2);
        given += pow((s->Q[j] + s->C[j]) * u, 2);
    }
    force_size = fmax(force_size, given);
    return (difference){x != 0 ? sqrt(x / x_size) : 0, force != 0 ? sqrt(force / force_size) : 0};
}

/* ---- the accuracy to ask for ---- */

typedef struct {
    double mass, rows; // cond(M), cond(B); INFINITY where the motion is not determined
    bool definite;     // M is, and far from singular
} conditions;

static inline double ratio(mat singular_values, int rank) {
    return rank ? singular_values.at[0] / singular_values.at[rank - 1] : 1;
}

/* B = A M^-1/2, in units in which diag(M) is 1, rows at unit length: a condition number that is due to units
 * alone excuses nothing. For singular M, M + A+A takes its place. */
static inline conditions conditions_of(fixture *f, const random_system *s, int rank) {
    matrices *w = &f->w;
    int n = s->n, m = s->m;
    matrices_reset(w);
    mat M = mat_new(w, n, n), A = mat_new(w, m, n), none = mat_new(w, m, 1), half, inverse;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            M.at[i * n + j] = unit_of(s, i) * s->M[i * n + j] * unit_of(s, j);
    for (int i = 0; i < m * n; i++)
        A.at[i] = s->A[i] * unit_of(s, i % n);
    paper_unit_rows(&A, &none);
    double cond = mat_roots(w, M, &half, &inverse) ? ratio(mat_svd(w, M).s, n) : INFINITY;
    bool definite = cond < 1e12;
    if (!definite) {
        M = mat_add(w, M, mat_mul(w, mat_pinv(w, A, rank), A));
        cond = mat_roots(w, M, &half, &inverse) ? ratio(mat_svd(w, M).s, n) : INFINITY;
        if (!(cond < 1e12))
            return (conditions){INFINITY, INFINITY, false};
    }
    mat B = mat_mul(w, A, inverse);
    paper_unit_rows(&B, &none);
    return (conditions){cond, ratio(mat_svd(w, B).s, rank), definite};
}

static inline double tolerance_for(conditions c) {
    return fmax(1e-10, 1e-14 * c.mass * c.rows);
}

#endif
