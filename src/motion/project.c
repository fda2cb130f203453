#include "motion/project.h"

#include "solve/direct.h"
#include "solve/linalg.h"

#include <math.h>
#include <string.h>

/* Rows are brought this far below what promise 1 allows, or to rounding; Newton's last step usually lands at
 * rounding anyway. */
static const double GOAL = 1e-3, ROUNDING = 1e-15;
enum { NEWTON_MOST = 12, ASSEMBLY_MOST = 100, HALVINGS_MOST = 30 };

double project_allowed(const double *A_row, int n, double size, double tolerance) {
    double norm = linalg_norm(A_row, n);
    return norm > 0 ? tolerance * norm * (1 + size) : tolerance;
}

projection project_worst(const double *residual, const double *A, int m, int n, double size, double tolerance,
                         const int *rows) {
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
    return p.row == -1 ? 0 : fabs(p.residual) / p.allowed;
}

void project_freeze(int n, int m, double *M, double *A, const bool *frozen) {
    for (int j = 0; j < n; j++) {
        if (!frozen[j])
            continue;
        for (int i = 0; i < n; i++)
            M[i * n + j] = M[j * n + i] = i == j;
        for (int i = 0; i < m; i++)
            A[i * n + j] = 0;
    }
}

void project_add_identity(int n, double *M) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, M[i * n + i]);
    for (int i = 0; i < n; i++)
        M[i * n + i] += largest > 0 ? 1e-9 * largest : 1;
}

// x += M^-1 A' (A M^-1 A')+ (-residual)
static bool step(const newton_problem *p, double *x) {
    int n = p->n, m = p->m;
    double *zero = p->scratch, *change = zero + n, *b = change + n, *multiplier = b + m;
    if (p->step && direct_sure(p->step + n + m)) {
        linalg_add(x, 1, p->step, n);
        return linalg_finite(x, n);
    }
    if (p->frozen)
        project_freeze(n, m, p->M, p->A, p->frozen);
    dense_status why = dense_factor(p->dense, p->M, p->A, p->cut);
    if (why == DENSE_UNDETERMINED || why == DENSE_INDEFINITE) {
        project_add_identity(n, p->M);
        why = dense_factor(p->dense, p->M, p->A, p->cut);
    }
    if (why != DENSE_OK)
        return false;
    memset(zero, 0, (size_t)n * sizeof *zero);
    for (int i = 0; i < m; i++)
        b[i] = -p->residual[i];
    dense_solve(p->dense, zero, b, change, multiplier);
    for (int i = 0; i < n; i++)
        x[i] += change[i];
    return linalg_finite(x, n);
}

// takes the step from `from` in x; shortens it until the worst row is no worse than before
static projection damped(const newton_problem *p, const double *from, double *x, double before) {
    projection now = p->look(p->context, x);
    for (int k = 0; k < HALVINGS_MOST && !(ratio_of(now) < before); k++) {
        for (int i = 0; i < p->n; i++)
            x[i] = (from[i] + x[i]) / 2;
        now = p->look(p->context, x);
    }
    return now;
}

projection project_newton(const newton_problem *p, double *x) {
    double goal = fmax(GOAL, ROUNDING / p->tolerance);
    projection now = p->look(p->context, x);
    for (int k = 0; k < p->most && ratio_of(now) > goal; k++) {
        double before = ratio_of(now), *from = p->scratch + 2 * p->n + 2 * p->m;
        memcpy(from, x, (size_t)p->n * sizeof *x);
        if (!step(p, x)) {
            memcpy(x, from, (size_t)p->n * sizeof *x);
            now = p->look(p->context, x);
            now.held = false;
            return now;
        }
        now = damped(p, from, x, before);
        if (!(ratio_of(now) < before)) { // it gets no better: rounding, or no way
            memcpy(x, from, (size_t)p->n * sizeof *x);
            return p->look(p->context, x);
        }
        if (now.held && ratio_of(now) > before / 2)
            break;
    }
    return now;
}

/* One level of a system: which stage gives M, residual and A. */
typedef struct {
    const trm_system *sys;
    trm_state *st;
    stage_kind stage;
    int count;
    const int *rows;
    double tolerance, *input; // where the unknowns stand in the state's inputs
} level;

// M, or what stands for it in an implicit step, with the rest of a stage
static void run_stage(const trm_system *sys, trm_state *st, stage_kind which) {
    state_run(sys, st, which);
    if (st->stiffness)
        linalg_add(st->y[which], 1, st->stiffness, sys->n * sys->n);
}

static projection look(void *context, const double *x) {
    level *l = context;
    int n = l->sys->n;
    memcpy(l->input, x, (size_t)n * sizeof *x);
    run_stage(l->sys, l->st, l->stage);
    const double *residual = l->st->y[l->stage] + n * n, *A = residual + l->count;
    return project_worst(residual, A, l->count, n, linalg_norm(x, n), l->tolerance, l->rows);
}

static projection project_level(level *l, dense *d, int most, const bool *frozen, double *x) {
    int n = l->sys->n;
    double *M = l->st->y[l->stage];
    if (l->count == 0)
        return (projection){.row = -1, .held = true};
    newton_problem p = {
        .n = n,
        .m = l->count,
        .M = M,
        .residual = M + n * n,
        .A = M + n * n + l->count,
        .dense = d,
        .cut = l->st->cut,
        .tolerance = l->tolerance,
        .most = most,
        .frozen = frozen,
        .scratch = l->st->scratch,
        .step = l->sys->direct && !frozen && !l->st->stiffness ? M + n * n + l->count * (n + 1) : NULL,
        .look = look,
        .context = l};
    return project_newton(&p, x);
}

projection project_position(const trm_system *sys, trm_state *st, double t, double *q, double tolerance,
                            const bool *frozen) {
    level l = {sys, st, STAGE_POSITION, sys->position_count, sys->position_rows, tolerance, st->x + sys->x_q};
    state_set(sys, st, t, q, NULL);
    return project_level(&l, st->dense_position, frozen ? ASSEMBLY_MOST : NEWTON_MOST, frozen, q);
}

projection project_velocity(const trm_system *sys, trm_state *st, double t, const double *q, double *v,
                            double tolerance) {
    level l = {sys, st, STAGE_VELOCITY, sys->velocity_count, sys->velocity_rows, tolerance, st->x + sys->x_v};
    state_set(sys, st, t, q, v);
    return project_level(&l, st->dense_velocity, NEWTON_MOST, NULL, v);
}

// dx -= M^-1 A' (A M^-1 A')+ A dx for the rows of a stage that has been set up
static bool take_along(const trm_system *sys, trm_state *st, stage_kind which, int m, dense *d, double *dx) {
    int n = sys->n;
    double *M = st->y[which], *residual = M + n * n, *A = residual + m;
    if (m == 0)
        return true;
    run_stage(sys, st, which);
    for (int i = 0; i < m; i++)
        residual[i] = linalg_dot(A + i * n, dx, n);
    newton_problem p = {n, m, M, residual, A, d, st->cut, .scratch = st->scratch};
    return step(&p, dx);
}

bool project_tangent(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                     double *dq, double *dv) {
    state_set(sys, st, t, q, v);
    return take_along(sys, st, STAGE_POSITION, sys->position_count, st->dense_position, dq) &&
           take_along(sys, st, STAGE_VELOCITY, sys->velocity_count, st->dense_velocity, dv);
}
