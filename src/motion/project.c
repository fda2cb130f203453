#include "motion/project.h"

#include "solve/linalg.h"

#include <math.h>
#include <string.h>

/* Rows are brought this far below what promise 1 allows, or to rounding; Newton's last step usually lands at
 * rounding anyway. */
static const double GOAL = 1e-3, ROUNDING = 1e-15;
enum { NEWTON_MOST = 12 };

double project_allowed(const double *A_row, int n, double size, double tolerance) {
    double norm = linalg_norm(A_row, n);
    return norm > 0 ? tolerance * norm * (1 + size) : tolerance;
}

static projection worst_row(const double *residual, const double *A, int m, int n, double size,
                            double tolerance, const int *rows) {
    projection worst = {.row = -1, .held = true};
    double largest = -1;
    for (int i = 0; i < m; i++) {
        double allowed = project_allowed(A + i * n, n, size, tolerance);
        double ratio = fabs(residual[i]) / allowed;
        if (!(ratio <= largest)) { // also if not finite
            largest = ratio;
            worst = (projection){rows[i], residual[i], allowed, ratio <= 1};
        }
    }
    return worst;
}

static double ratio_of(projection p) {
    return p.row < 0 ? 0 : fabs(p.residual) / p.allowed;
}

static void freeze(int n, int m, double *M, double *A, const bool *frozen) {
    for (int j = 0; j < n; j++) {
        if (!frozen[j])
            continue;
        for (int i = 0; i < n; i++)
            M[i * n + j] = M[j * n + i] = i == j;
        for (int i = 0; i < m; i++)
            A[i * n + j] = 0;
    }
}

// where M and A leave a component free, the smallest change in the coordinates' own units decides
static void add_identity(int n, double *M) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, M[i * n + i]);
    for (int i = 0; i < n; i++)
        M[i * n + i] += largest > 0 ? 1e-9 * largest : 1;
}

bool project_step(dense *d, int n, int m, double *M, double *A, const double *residual, double cut,
                  const bool *frozen, double *scratch, double *x) {
    double *zero = scratch, *change = zero + n, *b = change + n, *multiplier = b + m;
    if (frozen)
        freeze(n, m, M, A, frozen);
    dense_status why = dense_factor(d, M, A, cut);
    if (why == DENSE_UNDETERMINED || why == DENSE_INDEFINITE) {
        add_identity(n, M);
        why = dense_factor(d, M, A, cut);
    }
    if (why != DENSE_OK)
        return false;
    memset(zero, 0, (size_t)n * sizeof *zero);
    for (int i = 0; i < m; i++)
        b[i] = -residual[i];
    dense_solve(d, zero, b, change, multiplier);
    for (int i = 0; i < n; i++)
        x[i] += change[i];
    return linalg_finite(x, n);
}

/* One level: which stage gives M, residual and A, and which solver factors them. */
typedef struct {
    const trm_system *sys;
    trm_state *st;
    stage_kind stage;
    dense *dense;
    int count;
    const int *rows;
    double tolerance;
    const bool *frozen;
} level;

static projection look(const level *l, const double *x) {
    int n = l->sys->n;
    state_run(l->sys, l->st, l->stage);
    const double *residual = l->st->y[l->stage] + n * n, *A = residual + l->count;
    return worst_row(residual, A, l->count, n, linalg_norm(x, n), l->tolerance, l->rows);
}

// Newton's method from x, which also stands in the state's inputs at `input`
static projection newton(const level *l, double *x, double *input) {
    int n = l->sys->n;
    double *M = l->st->y[l->stage], *residual = M + n * n, *A = residual + l->count;
    double goal = fmax(GOAL, ROUNDING / l->tolerance);
    projection now = look(l, x);
    for (int k = 0; k < NEWTON_MOST && ratio_of(now) > goal; k++) {
        double before = ratio_of(now);
        if (!project_step(l->dense, n, l->count, M, A, residual, l->st->cut, l->frozen, l->st->scratch, x)) {
            now.held = false;
            return now;
        }
        memcpy(input, x, (size_t)n * sizeof *x);
        now = look(l, x);
        if (ratio_of(now) <= 1 && ratio_of(now) > before / 2)
            break; // rounding: it gets no better
    }
    return now;
}

projection project_position(const trm_system *sys, trm_state *st, double t, double *q, double tolerance,
                            const bool *frozen) {
    level l = {sys,       st,    STAGE_POSITION, st->dense_position, sys->position_count, sys->position_rows,
               tolerance, frozen};
    state_set(sys, st, t, q, NULL);
    if (l.count == 0)
        return (projection){.row = -1, .held = true};
    return newton(&l, q, st->x + sys->x_q);
}

projection project_velocity(const trm_system *sys, trm_state *st, double t, const double *q, double *v,
                            double tolerance) {
    level l = {sys,       st,  STAGE_VELOCITY, st->dense_velocity, sys->velocity_count, sys->velocity_rows,
               tolerance, NULL};
    state_set(sys, st, t, q, v);
    if (l.count == 0)
        return (projection){.row = -1, .held = true};
    return newton(&l, v, st->x + sys->x_v);
}
