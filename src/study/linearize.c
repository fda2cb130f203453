/* The state z = (q, v) moves on the surface phi(q, t) = 0, psi(q, v, t) = 0, psi holding phi' too. Tangents
 * dz of it,
 *
 *     Dphi dq = 0,   psi_q dq + psi_v dv = 0,
 *
 * are N u, u the deviations of independent positions and velocities: some components of z, dz = N u being
 * the identity there. With P picking these and z' = f(z) = X(z) a steady motion (steady.h),
 *
 *     u' = P (Df - DX) N u.
 *
 * As f - X vanishes at z and is tangent to the surface, Df - DX leads from tangents to tangents, and the
 * eigenvalues do not depend on which components were chosen. Where the motion is not steady X is left out:
 * then this is how the rates of the chosen ones change, and other choices give other eigenvalues.
 *
 * All this is in natural units, as slopes are; the matrix, its eigenvalues and modes are written in those of
 * the model when they are there. */
#include "study/linearize.h"

#include "linear/linalg.h"
#include "motion/project.h"
#include "motion/run.h"
#include "solve/friction.h"
#include "study/spectrum.h"
#include "study/steady.h"
#include "study/tangent.h"
#include "system/natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    arena *arena;
    const trm_system *sys;
    trm_state *st;
    linear_report *r;
    slopes_of of;
    slopes *s;
    double *matrix; // of the report, in natural units
    tangent *q, *v; // v: offset (n x positions) goes with the independent positions
} linearizing;

void linear_prepare(trm_system *sys) {
    sys->direct =
        false; // it decides for itself which rows are independent; here that was decided at the start
    system_add_jacobian(sys);
}

// ---- independent coordinates

// those rows of a level that do not depend on others (*count x n)
static double *kept_rows(linearizing *l, const system_level *level, const double *full, int *count,
                         int *number) {
    int n = l->sys->n;
    bool *kept = arena_array(l->arena, bool, level->m + 1);
    double *out = arena_doubles(l->arena, (size_t)level->m * (size_t)n + 1);
    sparsity all = sparsity_full(l->arena, level->m, n);
    dependence_rank(l->arena, n, all, full, state_cut(l->st), kept);
    *count = 0;
    for (int i = 0; i < level->m; i++)
        if (kept[i]) {
            number[*count] = i;
            memcpy(out + (size_t)(*count)++ * (size_t)n, full + (size_t)i * (size_t)n,
                   (size_t)n * sizeof *out);
        }
    return out;
}

// y (m x k) = f X (m x n) Y (n x k)
static void multiply(double f, const double *X, const double *Y, int m, int n, int k, double *y) {
    memset(y, 0, (size_t)m * (size_t)k * sizeof *y);
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)n; j++)
            if (X[i * (size_t)n + j] != 0)
                linalg_add(y + i * (size_t)k, f * X[i * (size_t)n + j], Y + j * (size_t)k, k);
}

static void choose_coordinates(linearizing *l) {
    const trm_system *sys = l->sys;
    int n = sys->n, count, *number = arena_array(l->arena, int, sys->m + 1);
    double *rows = kept_rows(l, &sys->position, l->s->phi_by_q, &count, number);
    l->q = tangent_choose(l->arena, rows, count, n, NULL, NULL, 0);
    rows = kept_rows(l, &sys->velocity, l->s->psi_by_v, &count, number);
    double *by_q = arena_doubles(l->arena, (size_t)count * (size_t)n + 1);
    double *right = arena_doubles(l->arena, (size_t)count * (size_t)l->q->count + 1);
    for (int i = 0; i < count; i++)
        memcpy(by_q + (size_t)i * (size_t)n, l->s->psi_by_q + (size_t)number[i] * (size_t)n,
               (size_t)n * sizeof *by_q);
    multiply(-1, by_q, l->q->basis, count, n, l->q->count, right);
    l->v = tangent_choose(l->arena, rows, count, n, l->q->dependent, right, l->q->count);
    l->r->positions = l->q->count;
    l->r->velocities = l->v->count;
    l->r->position = l->q->independent;
    l->r->velocity = l->v->independent;
}

// ---- states beside the start

static const double BESIDE = 1e-2;

// dz (2 n) = N u
static void deviate(const linearizing *l, const double *u, double *dz) {
    int n = l->sys->n, p = l->q->count, r = l->v->count;
    for (int i = 0; i < n; i++) {
        dz[i] = linalg_dot(l->q->basis + (size_t)i * (size_t)p, u, p);
        dz[n + i] = linalg_dot(l->v->offset + (size_t)i * (size_t)p, u, p) +
                    linalg_dot(l->v->basis + (size_t)i * (size_t)r, u + p, r);
    }
}

static bool state_beside(void *context, int number, double t, double *z) {
    linearizing *l = context;
    int n = l->sys->n, size = l->q->count + l->v->count;
    double *u = arena_doubles(l->arena, (size_t)size + 1);
    unsigned seed = 12345u + 777u * (unsigned)number;
    for (int i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        u[i] = BESIDE * ((double)(seed >> 8) / (1 << 23) - 1);
    }
    deviate(l, u, z);
    for (int i = 0; i < n; i++) {
        z[i] = l->r->start.q[i] + z[i] * natural_size(l->sys->natural, i, false);
        z[n + i] = l->r->start.v[i] + z[n + i] * natural_size(l->sys->natural, i, true);
    }
    project_position(l->sys, l->st, t, z, DBL_EPSILON, NULL);
    project_velocity(l->sys, l->st, t, z, z + n, DBL_EPSILON);
    return linalg_finite(z, 2 * n);
}

// ---- the matrix and its eigenvalues

// X Y with what is rounding left out: small beside the largest of the products
static double product(const double *X, const double *Y, int n, double *size) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += X[i] * Y[i];
        *size = fmax(*size, fabs(X[i] * Y[i]));
    }
    return sum;
}

static double cleared(double sum, double size) {
    static const double ROUNDING = 1e-14;
    return fabs(sum) > ROUNDING * size ? sum : 0;
}

static void fill_matrix(linearizing *l, const steady_motion *steady) {
    int n = l->sys->n, p = l->q->count, size = p + l->v->count;
    double *u = arena_doubles(l->arena, (size_t)size + 1), *dz = arena_doubles(l->arena, 2 * (size_t)n);
    linear_report *r = l->r;
    l->matrix = arena_doubles(l->arena, (size_t)size * (size_t)size + 1);
    for (int j = 0; j < size; j++) {
        memset(u, 0, (size_t)size * sizeof *u);
        u[j] = 1;
        deviate(l, u, dz);
        for (int i = 0; i < size; i++) {
            size_t at = (size_t)(i < p ? r->position[i] : r->velocity[i - p]) * (size_t)n;
            double terms = 0, sum;
            if (i < p) {
                terms = fabs(dz[n + r->position[i]]);
                sum = dz[n + r->position[i]] - product(steady->S + at, dz, n, &terms);
            } else {
                sum = product(l->s->a_by_q + at, dz, n, &terms) +
                      product(l->s->a_by_v + at, dz + n, n, &terms) -
                      product(steady->S + at, dz + n, n, &terms);
            }
            l->matrix[(size_t)i * (size_t)size + (size_t)j] = cleared(sum, terms);
        }
    }
}

// the ways to move the state without a change of the equations, in independent coordinates (move_count x
// size)
static double *moves_of(linearizing *l, const steady_motion *steady) {
    const linear_report *r = l->r;
    size_t size = (size_t)(r->positions + r->velocities), n = (size_t)l->sys->n;
    double *W = arena_doubles(l->arena, (size_t)steady->move_count * size + 1);
    for (size_t k = 0; k < (size_t)steady->move_count; k++) {
        const double *move = steady->moves + k * 2 * n;
        for (int i = 0; i < r->positions; i++)
            W[k * size + (size_t)i] = move[r->position[i]];
        for (int i = 0; i < r->velocities; i++)
            W[k * size + (size_t)(r->positions + i)] = move[n + (size_t)r->velocity[i]];
    }
    return W;
}

/* What is left of a double eigenvalue beside the largest: half the digits of the matrix. */
static const double SAME = 1e-7, SAME_BY_DIFFERENCES = 1e-5;

static bool find_eigenvalues(linearizing *l, const steady_motion *steady) {
    linear_report *r = l->r;
    int size = r->positions + r->velocities;
    r->re = arena_doubles(l->arena, (size_t)size + 1);
    r->im = arena_doubles(l->arena, (size_t)size + 1);
    if (!spectrum_find(l->arena, l->matrix, size, moves_of(l, steady),
                       steady->steady ? steady->move_count : 0, r->re, r->im))
        return false;
    r->same = r->exact ? SAME : SAME_BY_DIFFERENCES;
    r->modes = modes_find(l->arena, l->matrix, size, r->positions, r->re, r->im, r->same);
    return r->modes != NULL;
}

// ---- in the units of the model

// of deviation number i
static double unit_of(const linearizing *l, int i) {
    const linear_report *r = l->r;
    bool velocity = i >= r->positions;
    return natural_size(l->sys->natural, velocity ? r->velocity[i - r->positions] : r->position[i], velocity);
}

static void write_matrix(linearizing *l) {
    linear_report *r = l->r;
    size_t size = (size_t)(r->positions + r->velocities);
    double rate = l->sys->natural->rate;
    r->matrix = arena_doubles(l->arena, size * size + 1);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            r->matrix[i * size + j] =
                l->matrix[i * size + j] * rate * (unit_of(l, (int)i) / unit_of(l, (int)j));
}

static void write_eigenvalues(linearizing *l) {
    linear_report *r = l->r;
    int size = r->positions + r->velocities;
    for (int k = 0; k < size; k++) {
        const mode *m = &r->modes[k];
        r->re[k] *= l->sys->natural->rate;
        r->im[k] *= l->sys->natural->rate;
        for (int i = 0; m->shape && i < size; i++)
            m->shape[i] *= unit_of(l, i) / unit_of(l, m->leading);
    }
}

static void write_steady(linearizing *l, const steady_motion *steady) {
    int n = l->sys->n, i = steady->off_where;
    l->r->steady = steady->steady;
    l->r->resting = steady->resting;
    l->r->off = steady->off * natural_size(l->sys->natural, i % n, i >= n) * l->sys->natural->rate;
    l->r->off_where = i;
}

// ---- all of it

// the rows that depend on others at the start stay out beside it, where rounding would call them independent
static const bool *left_out(linearizing *l) {
    const trm_system *sys = l->sys;
    bool *out = arena_array(l->arena, bool, sys->m + 1);
    if (!solve_may_leave_out(sys))
        return NULL;
    for (int i = 0; i < sys->m; i++)
        out[i] = solve_dropped(sys, l->st, i);
    return out;
}

static void no_slopes(linearizing *l) {
    l->r->failure = (failure){
        .failed = true,
        .time = l->r->time,
        .message = "the accelerations beside the start cannot be found, so there is no linear system",
        .hint = l->sys->friction_count
                    ? "friction on a reaction that is not unique has no slopes: are joints redundant?"
                    : "does a root, a logarithm or a division end at the start?"};
}

static bool evaluate(linearizing *l, double tolerance) {
    linear_report *r = l->r;
    const double *q = r->start.q, *v = r->start.v;
    moment at = {r->time, q, v, false};
    outcome found = friction_start(l->sys, l->st, &at, tolerance); // what sticks does so beside it, too
    r->idle = arena_array(l->arena, bool, l->sys->m + 1);
    for (int i = 0; i < l->sys->m; i++)
        r->idle[i] = state_idle(l->st, i);
    if (found.status == SOLVE_OK)
        found = solve_at(l->sys, l->st, &at);
    if (found.status == SOLVE_OK) {
        r->rank = solve_dependence(l->arena, l->sys, l->st);
        r->mass_singular = solve_mass_singular(l->sys, l->st);
        slopes_init(&l->of, l->arena, l->sys, l->st);
        l->of.left_out = left_out(l);
        l->s = slopes_new(l->arena, l->sys);
        if (slopes_at(&l->of, r->time, q, v, l->s))
            return true;
        no_slopes(l);
        return false;
    }
    failure_of_solve(&r->failure, l->arena, l->sys, l->st, found, r->time);
    return false;
}

linear_report *linear_system(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance) {
    linear_report *r = arena_alloc(a, sizeof *r);
    linearizing l = {.arena = a, .sys = sys, .st = st, .r = r};
    r->time = t;
    r->exact = sys->slopes != NULL;
    state_set_cut(st, solve_cut(sys, 0));
    if (!assemble(a, sys, st, t, tolerance, &r->start, &r->failure) || !evaluate(&l, tolerance))
        return r;
    r->timed = l.of.timed;
    choose_coordinates(&l);
    steady_motion *steady = steady_find(a, &l.of, t, l.s, state_beside, &l);
    write_steady(&l, steady);
    fill_matrix(&l, steady);
    write_matrix(&l);
    r->solved = find_eigenvalues(&l, steady);
    if (r->solved)
        write_eigenvalues(&l);
    if (!r->solved)
        r->failure = (failure){.failed = true, .time = t, .message = "the eigenvalues could not be found"};
    return r;
}
