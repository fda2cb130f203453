/* The state z = (q, v) moves on the surface phi(q, t) = 0, psi(q, v, t) = 0, psi holding phi' too. Tangents
 * dz of it are N u, u the deviations of independent positions and velocities (chart.h). With P picking these
 * and z' = f(z) = X(z) a steady motion (steady.h),
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
#include "motion/run.h"
#include "solve/friction.h"
#include "study/spectrum.h"
#include "study/steady.h"
#include "system/natural.h"

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
} linearizing;

void linear_prepare(trm_system *sys) {
    sys->direct =
        false; // it decides for itself which rows are independent; here that was decided at the start
    system_add_jacobian(sys);
}

// ---- beforehand

// if all rows are independent
static double states_of(const trm_system *sys) {
    return fmax(0, 2.0 * sys->n - sys->position.m - sys->velocity.m);
}

/* Rows of 400 masses on springs took 74 MB, chains of 400 particles, which have as many states, 147; chains
 * of 100 and 200 less than that makes of them. */
double linear_bytes(const trm_system *sys) {
    return 80 * states_of(sys) * states_of(sys) + 150.0 * sys->n * sys->n;
}

/* Most of it are the eigenvalues: 1.2e-8 (springs of 200 masses) to 1.9e-8 s (chains of 400 particles) for
 * each of states^3; other machines differ. */
double linear_seconds(const trm_system *sys) {
    return 1.5e-8 * pow(states_of(sys), 3);
}

// ---- independent coordinates

static void choose_coordinates(linearizing *l) {
    l->r->chart = chart_choose(l->arena, l->sys, l->st, l->s);
    l->r->positions = l->r->chart.q->count;
    l->r->velocities = l->r->chart.v->count;
    l->r->position = l->r->chart.q->independent;
    l->r->velocity = l->r->chart.v->independent;
}

static bool state_beside(void *context, int number, double t, double *z) {
    const linearizing *l = context;
    return chart_beside(&l->r->chart, l->arena, l->sys, l->st, number, t, l->r->start.q, l->r->start.v, z);
}

// ---- the matrix and its eigenvalues

static void fill_matrix(linearizing *l, const steady_motion *steady) {
    int n = l->sys->n, size = chart_size(&l->r->chart);
    double *u = arena_doubles(l->arena, (size_t)size + 1), *dz = arena_doubles(l->arena, 2 * (size_t)n);
    l->matrix = arena_doubles(l->arena, (size_t)size * (size_t)size + 1);
    for (int j = 0; j < size; j++) {
        memset(u, 0, (size_t)size * sizeof *u);
        u[j] = 1;
        chart_deviate(&l->r->chart, u, dz);
        for (int i = 0; i < size; i++)
            l->matrix[(size_t)i * (size_t)size + (size_t)j] =
                response_rate(l->s, steady->S, n, dz, chart_place(&l->r->chart, i));
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

/* Where nothing pulls back, what is left of the slopes is rounding, and the eigenvalues are its roots. */
static void clear_rounding(linearizing *l, int size) {
    static const double ROOT = 1e-6;
    double largest = 0, push = slopes_push(&l->of);
    for (int i = 0; i < size; i++)
        largest = fmax(largest, hypot(l->r->re[i], l->r->im[i]));
    if (largest > ROOT * sqrt(push))
        return;
    memset(l->r->re, 0, (size_t)size * sizeof(double));
    memset(l->r->im, 0, (size_t)size * sizeof(double));
}

static bool find_eigenvalues(linearizing *l, const steady_motion *steady) {
    linear_report *r = l->r;
    int size = r->positions + r->velocities;
    r->re = arena_doubles(l->arena, (size_t)size + 1);
    r->im = arena_doubles(l->arena, (size_t)size + 1);
    if (!spectrum_find(l->arena, l->matrix, size, moves_of(l, steady),
                       steady->steady ? steady->move_count : 0, r->re, r->im))
        return false;
    clear_rounding(l, size);
    r->same = r->exact ? SAME : SAME_BY_DIFFERENCES;
    r->modes = modes_find(l->arena, l->matrix, size, r->positions, r->re, r->im, r->same, NULL);
    return r->modes != NULL;
}

// ---- in the units of the model

// of deviation number i
static double unit_of(const linearizing *l, int i) {
    const linear_report *r = l->r;
    bool velocity = i >= r->positions;
    if (r->sizes)
        return r->sizes[i];
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
        slopes_leave_out(&l->of);
        l->s = slopes_new(l->arena, l->sys);
        if (slopes_at(&l->of, r->time, q, v, l->s))
            return true;
        no_slopes(l);
        return false;
    }
    failure_of_solve(&r->failure, l->arena, l->sys, l->st, found, r->time);
    return false;
}

static bool begin(linearizing *l, double tolerance) {
    linear_report *r = l->r;
    state_set_cut(l->st, solve_cut(l->sys, 0));
    if (!assemble(l->arena, l->sys, l->st, r->time, tolerance, &r->start, &r->failure))
        return false;
    if (l->of.still)
        memset(r->start.v, 0, (size_t)l->sys->n * sizeof *r->start.v);
    return evaluate(l, tolerance);
}

static void respond(linearizing *l, const steady_motion *steady, const ports *with) {
    linear_report *r = l->r;
    response_problem p = {.arena = l->arena,
                          .sys = l->sys,
                          .st = l->st,
                          .of = &l->of,
                          .s = l->s,
                          .S = steady->S,
                          .steady = steady->steady,
                          .t = r->time,
                          .q = r->start.q,
                          .v = r->start.v,
                          .ports = with};
    r->response = response_find(&p);
    if (r->response->failure)
        r->failure = (failure){
            .failed = true, .time = r->time, .message = r->response->failure, .hint = r->response->hint};
}

// X (states x states) from units to units, what belongs to drives left out
static double *natural_part(const linearizing *l, const double *X, const double *to, const double *from) {
    size_t size = (size_t)(l->r->positions + l->r->velocities), states = (size_t)l->r->response->states;
    double *out = arena_doubles(l->arena, size * size + 1);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            out[i * size + j] = X[i * states + j] * from[j] / to[i];
    return out;
}

/* States with names stand for the independent coordinates in what is told, drives being held. Where the
 * motion is steady the eigenvalues are the same, and shapes are found in the latter, which are nearer to
 * rounding; else they are those of these states. */
static bool rename_states(linearizing *l) {
    linear_report *r = l->r;
    const response *by = r->response;
    int size = r->positions + r->velocities;
    double *plain = natural_part(l, by->plain, by->unit, by->unit);
    r->names = by->state_names;
    r->sizes = by->sizes;
    l->matrix = natural_part(l, by->A, by->sizes, by->sizes);
    for (int i = 0; i < size * size; i++) {
        plain[i] /= l->sys->natural->rate;
        l->matrix[i] /= l->sys->natural->rate;
    }
    if (!r->steady && !spectrum_find(l->arena, l->matrix, size, NULL, 0, r->re, r->im))
        return false;
    r->modes = r->steady ? modes_find(l->arena, plain, size, r->positions, r->re, r->im, r->same,
                                      natural_part(l, by->T, by->sizes, by->unit))
                         : modes_find(l->arena, l->matrix, size, r->positions, r->re, r->im, r->same, NULL);
    return r->modes != NULL;
}

static values there(const linearizing *l, double tolerance) {
    const start_state *start = &l->r->start;
    trm_state *st = solve_new_state(l->arena, l->sys);
    state_set_cut(st, solve_cut(l->sys, 0));
    state_reset_turns(l->sys, st);
    return values_at(l->arena, l->sys, st, &(moment){l->r->time, start->q, start->v, false}, l->of.still,
                     tolerance);
}

linear_report *linear_system(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance,
                             bool still, const ports *with) {
    linear_report *r = arena_alloc(a, sizeof *r);
    linearizing l = {.arena = a, .sys = sys, .st = st, .r = r};
    r->time = t;
    r->exact = sys->slopes != NULL;
    r->still = still;
    slopes_init(&l.of, a, sys, st, still);
    if (!begin(&l, tolerance))
        return r;
    r->timed = l.of.timed;
    choose_coordinates(&l);
    steady_motion *steady = steady_find(a, &l.of, t, l.s, state_beside, &l);
    write_steady(&l, steady);
    fill_matrix(&l, steady);
    r->solved = find_eigenvalues(&l, steady);
    if (r->solved && with) {
        respond(&l, steady, with);
        r->there = there(&l, tolerance);
    }
    if (r->solved && r->response && r->response->sizes && !r->response->failure)
        r->solved = rename_states(&l);
    write_matrix(&l);
    if (r->solved)
        write_eigenvalues(&l);
    else
        r->failure = (failure){.failed = true, .time = t, .message = "the eigenvalues could not be found"};
    return r;
}
