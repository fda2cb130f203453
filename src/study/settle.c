/* With r(q) = a(q, X(q)) - DX X the acceleration that is left, in independent positions u (chart.h),
 *
 *     K = dr/du,
 *
 * first Newton's steps, u := u - K+ r, as long as they stay close to the guess: an equilibrium that was meant
 * is found whether it is stable or not. Else the guess is let go, as against friction that leaves no speed:
 * u' = r, which of forces with a potential is its steepest descent in the metric of the masses. Steps are
 * those of linearly implicit Euler,
 *
 *     (1/d - K) du = r,       1/d >= 2 max(0, Re of the eigenvalues of K),
 *
 * so that what is unstable is left, not sought; d grows to infinity where the linear r tells the truth, and
 * the last steps are Newton's. Where that goes round in circles, as without a potential it may, |r| is made
 * least (Levenberg and Marquardt). Each step ends on the constraints. Positions are compared with their
 * natural scales; each step costs one evaluation with slopes and a few factorisations of K. */
#include "study/settle.h"

#include "linear/lapack.h"
#include "linear/linalg.h"
#include "motion/project.h"
#include "study/chart.h"
#include "system/natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double NEAR = 0.1;         // how far from the guess Newton's method may go
static const double ENOUGH = 1e-9;      // r, as a part of the usual accelerations
static const double CLOSE = 1e-3;       // Newton's step, where r is so small: else r only fades far away
static const double EXACT = 1e-13;      // Newton's step that is rounding
static const double FIRST_STEP = 0.25;  // of the flow
static const double LEAST_STEP = 1e-10; // a kink that is not passed
static const double FAR = 1e7;          // to which nothing pulled back
static const double SINGULAR = 1e-12;   // singular values of K, beside what it was made of
static const double TRUE = 0.25,
                    FALSE = 0.75; // what a step may miss of r, as a part of it: to go farther, to stay
enum { NEAR_MOST = 12, FLOW_MOST = 400, LEAST_MOST = 200, POLISH_MOST = 60 };

/* r and its slopes at one position. */
typedef struct {
    arena *arena; // of all this
    double *q, *v;
    double *r; // (n) natural units
    double size;
    double stiff; // largest entry of K, or the forces over a scale: what K is rounded beside
    chart chart;
    int p;     // independent positions
    double *K; // (p x p)
    double *u; // (p) r of these
} point;

typedef struct {
    const settle_problem *of;
    const trm_system *sys;
    int n, steps;
    double usual;        // largest so far
    const double *guess; // (n)
} search;

// ---- evaluation

static double size_of(const search *k, int i) {
    return natural_size(k->sys->natural, i, false);
}

// X(q), in the model's units
static void carry(const search *k, const double *q, double *v) {
    const settle_problem *p = k->of;
    memset(v, 0, (size_t)k->n * sizeof *v);
    for (int i = 0; p->S && i < k->n; i++) {
        double sum = p->v0[i];
        for (int j = 0; j < k->n; j++)
            sum += p->S[(size_t)i * (size_t)k->n + (size_t)j] * (q[j] / size_of(k, j) - p->q0[j]);
        v[i] = sum * natural_size(k->sys->natural, i, true);
    }
}

// y (n) += f S x
static void add_S(const search *k, double f, const double *x, double *y) {
    for (int i = 0; k->of->S && i < k->n; i++)
        y[i] += f * linalg_dot(k->of->S + (size_t)i * (size_t)k->n, x, k->n);
}

// dr = (a_q + a_v S - S S) dq
static void slope_along(const search *k, const slopes *s, const double *dq, double *dr) {
    size_t n = (size_t)k->n;
    double *dv = dr + n;
    memset(dr, 0, 2 * n * sizeof *dr);
    add_S(k, 1, dq, dv);
    for (size_t i = 0; i < n; i++)
        dr[i] = linalg_dot(s->a_by_q + i * n, dq, k->n) + linalg_dot(s->a_by_v + i * n, dv, k->n);
    add_S(k, -1, dv, dr);
}

static void fill_K(search *k, point *at, const slopes *s) {
    size_t n = (size_t)k->n, p = (size_t)at->p;
    double *dq = arena_doubles(at->arena, n), *dr = arena_doubles(at->arena, 2 * n);
    at->K = arena_doubles(at->arena, p * p + 1);
    at->u = arena_doubles(at->arena, p + 1);
    for (size_t j = 0; j < p; j++) {
        for (size_t i = 0; i < n; i++)
            dq[i] = at->chart.q->basis[i * p + j];
        slope_along(k, s, dq, dr);
        for (size_t i = 0; i < p; i++)
            at->K[i * p + j] = dr[at->chart.q->independent[i]];
        at->u[j] = at->r[at->chart.q->independent[j]];
    }
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* What r and K are compared with: forces without constraints, and the terms of K q. Slopes across the
 * constraints do not count, which are large beside singular positions. */
static void compare(search *k, point *at, const slopes *s, double push) {
    double most = 0;
    for (int i = 0; i < at->p; i++) {
        double sum = 0;
        for (int j = 0; j < at->p; j++)
            sum += fabs(at->K[i * at->p + j] * s->q[at->chart.q->independent[j]]);
        most = fmax(most, sum);
    }
    k->usual = fmax(k->usual, push + most);
    at->stiff = fmax(push, largest(at->K, at->p * at->p));
}

/* At q, which becomes the point's own; NULL if nothing can be told there. */
static point *look(search *k, const double *q) {
    arena *a = arena_child(k->of->arena);
    slopes_of *c = k->of->of;
    size_t n = (size_t)k->n;
    point *at = arena_alloc(a, sizeof *at);
    slopes *s = slopes_new(a, k->sys);
    *at = (point){.arena = a, .q = arena_doubles(a, n), .v = arena_doubles(a, n), .r = arena_doubles(a, n)};
    memcpy(at->q, q, n * sizeof *q);
    carry(k, q, at->v);
    k->steps++;
    c->left_out = NULL;
    solve_leave_out(k->sys, c->st, NULL);
    bool solved = solve_at(k->sys, c->st, &(moment){k->of->t, q, at->v, false}).status == SOLVE_OK;
    if (solved)
        slopes_leave_out(c);
    if (!solved || !slopes_at(c, k->of->t, q, at->v, s)) {
        arena_free(a);
        return NULL;
    }
    memcpy(at->r, s->a, n * sizeof *at->r);
    add_S(k, -1, s->v, at->r);
    at->size = largest(at->r, k->n);
    at->chart = chart_choose(a, k->sys, c->st, s);
    at->p = at->chart.q->count;
    fill_K(k, at, s);
    compare(k, at, s, slopes_push(c));
    return at;
}

// dq (n) = N du, natural units
static void spread(const search *k, const point *at, const double *du, double *dq) {
    for (int i = 0; i < k->n; i++)
        dq[i] = linalg_dot(at->chart.q->basis + (size_t)i * (size_t)at->p, du, at->p);
}

// the point at q + N du, put on the constraints; NULL if that cannot be had
static point *go(search *k, const point *from, const double *du) {
    double *dq = arena_doubles(from->arena, (size_t)k->n), *q = arena_doubles(from->arena, (size_t)k->n);
    spread(k, from, du, dq);
    for (int i = 0; i < k->n; i++)
        q[i] = from->q[i] + dq[i] * size_of(k, i);
    projection p = project_position(k->sys, k->of->of->st, k->of->t, q, k->of->tolerance, NULL);
    return p.held && linalg_finite(q, k->n) ? look(k, q) : NULL;
}

static double distance(const search *k, const double *q) {
    double most = 0;
    for (int i = 0; i < k->n; i++)
        most = fmax(most, fabs(q[i] - k->guess[i]) / size_of(k, i));
    return most;
}

// the better of two points stays, the other is let go
static point *better(point *a, point *b) {
    point *worse = a == NULL || (b && b->size < a->size) ? a : b, *best = worse == a ? b : a;
    if (worse)
        arena_free(worse->arena);
    return best;
}

// the same of approaches, of which the first is as good as one that is hardly better
static point *nearest(point *first, point *other) {
    static const double HARDLY = 1e-3;
    bool as_good = first && other && other->size > (1 - HARDLY) * first->size;
    if (as_good)
        arena_free(other->arena);
    return as_good ? first : better(first, other);
}

// ---- steps

/* du (p) = -(K'K + m)^-1 K' r, without what is singular; m = 0: the least one that does away with r. */
static bool least_step(const point *at, double m, double *du) {
    int p = at->p;
    size_t n = (size_t)p;
    arena *a = arena_child(at->arena);
    double *K = arena_doubles(a, n * n + 1), *U = arena_doubles(a, n * n + 1), *s = arena_doubles(a, n + 1),
           *Vt = arena_doubles(a, n * n + 1);
    memcpy(K, at->K, n * n * sizeof *K);
    memset(du, 0, n * sizeof *du);
    bool found = p == 0 || lapack_svd(p, p, K, U, s, Vt, arena_doubles(a, lapack_scratch(p)));
    for (size_t k = 0; found && k < n && s[k] > SINGULAR * at->stiff; k++) {
        double part = 0;
        for (size_t i = 0; i < n; i++)
            part += U[i * n + k] * at->u[i];
        linalg_add(du, -part * s[k] / (s[k] * s[k] + m), Vt + k * n, p);
    }
    arena_free(a);
    return found && linalg_finite(du, p);
}

// du = (e - K)^-1 r
static bool flow_step(const point *at, double e, double *du) {
    size_t p = (size_t)at->p;
    arena *a = arena_child(at->arena);
    double *K = arena_doubles(a, p * p + 1);
    for (size_t i = 0; i < p * p; i++)
        K[i] = (i % (p + 1) == 0 ? e : 0) - at->K[i];
    memcpy(du, at->u, p * sizeof *du);
    bool found = lapack_solve(at->p, 1, K, du, arena_array(a, int, at->p + 1),
                              arena_doubles(a, lapack_scratch(at->p)));
    arena_free(a);
    return found && linalg_finite(du, at->p);
}

// the largest real part of the eigenvalues of K, or 0
static double growth(const point *at) {
    size_t p = (size_t)at->p;
    arena *a = arena_child(at->arena);
    double *K = arena_doubles(a, p * p + 1), *re = arena_doubles(a, 2 * p + 1), most = 0;
    memcpy(K, at->K, p * p * sizeof *K);
    if (lapack_eigenvalues(at->p, K, re, re + p, NULL, arena_doubles(a, lapack_scratch(at->p))))
        for (size_t i = 0; i < p; i++)
            most = fmax(most, re[i]);
    arena_free(a);
    return most;
}

// a step of the flow that goes no farther than `most`
static bool step_within(const point *at, double most, double *du) {
    double slow = at->size / most, least = fmax(2 * growth(at), SINGULAR * at->stiff);
    for (double e = fmax(least, 1e-6 * slow); e <= 1e6 * slow + 2 * least; e *= 10)
        if (flow_step(at, e, du) && largest(du, at->p) <= most)
            return true;
    return false;
}

/* How much of r a step has missed: that at the new point, beside what was linear at the old one. */
static double missed(const search *k, const point *from, const double *du, const point *to) {
    size_t p = (size_t)from->p;
    double *u = arena_doubles(from->arena, p + 1), *r = arena_doubles(from->arena, (size_t)k->n);
    for (size_t i = 0; i < p; i++)
        u[i] = from->u[i] + linalg_dot(from->K + i * p, du, from->p);
    spread(k, from, u, r);
    for (int i = 0; i < k->n; i++)
        r[i] -= to->r[i];
    return largest(r, k->n) / fmax(from->size, to->size);
}

// ---- an end

static bool is_found(const search *k, const point *at, double *du) {
    if (at->p == 0 || at->size == 0)
        return true;
    return at->size <= ENOUGH * k->usual && least_step(at, 0, du) && largest(du, at->p) <= CLOSE;
}

// Newton's steps as long as they lead nearer
static point *polish(search *k, point *at) {
    for (int i = 0; i < POLISH_MOST && at->p > 0; i++) {
        double *du = arena_doubles(at->arena, (size_t)at->p);
        if (!least_step(at, 0, du) || largest(du, at->p) <= EXACT)
            break;
        point *next = go(k, at, du);
        bool nearer = next && next->size < at->size;
        at = better(at, next);
        if (!nearer)
            break;
    }
    return at;
}

// ---- the three ways

static point *by_newton(search *k, bool *found) {
    point *at = look(k, k->guess);
    *found = false;
    for (int i = 0; at && i < NEAR_MOST; i++) {
        double *du = arena_doubles(at->arena, (size_t)at->p + 1), before = at->size;
        *found = is_found(k, at, du);
        if (*found || !least_step(at, 0, du) || largest(du, at->p) > NEAR)
            break;
        point *next = go(k, at, du);
        bool nearer = next && next->size < before && distance(k, next->q) <= NEAR;
        if (!nearer && next)
            arena_free(next->arena);
        if (!nearer)
            break;
        arena_free(at->arena);
        at = next;
    }
    return at;
}

// *best: the least r on the way
static point *by_flow(search *k, bool *found, bool *runs_off, point **best) {
    point *at = look(k, k->guess);
    double most = FIRST_STEP;
    *found = *runs_off = false;
    for (int i = 0; at && i < FLOW_MOST && most > LEAST_STEP && !*found && !*runs_off; i++) {
        double *du = arena_doubles(at->arena, (size_t)at->p + 1);
        if (!step_within(at, most, du))
            break;
        point *next = go(k, at, du);
        double off = next ? missed(k, at, du, next) : 1, length = largest(du, at->p);
        most = off > FALSE ? length / 4 : off < TRUE ? fmax(most, 2 * length) : most;
        if (off > FALSE) {
            if (next)
                arena_free(next->arena);
            continue;
        }
        *best = nearest(*best, at);
        at = next;
        *found = is_found(k, at, arena_doubles(at->arena, (size_t)at->p + 1));
        *runs_off = !*found && distance(k, at->q) > FAR;
    }
    return at;
}

static point *by_least_squares(search *k, bool *found) {
    point *at = look(k, k->guess);
    double m = 1e-3, scale = at ? at->stiff : 0; // K may vanish on the way
    *found = false;
    for (int i = 0; at && i < LEAST_MOST && m < 1e12; i++) {
        double *du = arena_doubles(at->arena, (size_t)at->p + 1);
        *found = is_found(k, at, du);
        if (*found || !least_step(at, m * scale * scale, du))
            break;
        point *next = go(k, at, du);
        bool nearer = next && next->size < at->size;
        m = nearer ? fmax(m / 10, 1e-16) : 10 * m;
        at = better(at, next);
    }
    return at;
}

static settle_result told(const search *k, settle_end end, bool near, const point *at, double *q, double *v) {
    const natural *u = k->sys->natural;
    settle_result r = {.end = end,
                       .near = near,
                       .steps = k->steps,
                       .left = arena_doubles(k->of->arena, (size_t)k->n),
                       .part = at->size / (k->usual > 0 ? k->usual : 1),
                       .moved = distance(k, at->q)};
    for (int i = 0; i < k->n; i++) {
        r.left[i] = at->r[i] * u->scale[i] * u->rate * u->rate;
        if (fabs(at->r[i]) > fabs(at->r[r.worst]))
            r.worst = i;
    }
    memcpy(q, at->q, (size_t)k->n * sizeof *q);
    project_position(k->sys, k->of->of->st, k->of->t, q, DBL_EPSILON, NULL); // to rounding
    carry(k, q, v);
    return r;
}

settle_result settle(const settle_problem *p, double *q, double *v) {
    const trm_system *sys = p->of->sys;
    size_t n = (size_t)sys->n;
    double *guess = arena_doubles(p->arena, n);
    memcpy(guess, q, n * sizeof *q);
    search k = {.of = p, .sys = sys, .n = sys->n, .guess = guess};
    bool found, runs_off = false;
    point *best = by_newton(&k, &found);
    if (found)
        return told(&k, SETTLE_FOUND, true, polish(&k, best), q, v);
    point *at = best ? by_flow(&k, &found, &runs_off, &best) : NULL;
    if (!found && !runs_off && at) {
        best = nearest(best, at);
        at = by_least_squares(&k, &found);
    }
    if (found)
        return told(&k, SETTLE_FOUND, false, polish(&k, at), q, v);
    best = nearest(at, best);
    if (best)
        return told(&k, runs_off ? SETTLE_RUNS_OFF : SETTLE_NONE, false, best, q, v);
    memset(v, 0, n * sizeof *v);
    return (settle_result){.end = SETTLE_NONE, .steps = k.steps, .worst = -1};
}
