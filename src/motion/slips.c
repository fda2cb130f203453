/* Friction in a run: what sticks and what slips is held within a step, and so is the direction of a slip that
 * has one component; the integrator sees a smooth system. After a step it is searched for the first instant
 *
 *   at which a slip comes to its end:  s . d = 0, d its direction at the beginning of the step, or
 *   at which static friction is overcome:  static N - |f| = 0.
 *
 * The motion up to there is right; there it is decided anew what sticks (solve/sticking.c), and integration
 * begins anew. */
#include "motion/running.h"

#include "solve/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The places in a step that are looked at. Where something sticks, steps may be long while forces change with
 * time: so many looks in a run at least. */
enum { LOOKS_LEAST = 8, LOOKS_RUN = 2000, DESCENT_MOST = 40 };
/* After so many changes for each friction, each within CLOSE of the span behind the last, the motion leads
 * nowhere. */
enum { CHATTER = 100 };
static const double CLOSE = 1e-9;
static const double GOLDEN = 0.381966;
/* Of what counts as none, where a slip with several components ends: a step less far into where its direction
 * cannot be told. */
static const double LEFT = 1e-3;

typedef struct {
    running *r;
    integrator *it;
    double *y; // (2 n)
} search;

static friction_state *frictions(const running *r) {
    return r->st->friction;
}

static bool any_sticks(const running *r) {
    for (int f = 0; f < r->sys->friction_count; f++)
        if (frictions(r)->sticks[f])
            return true;
    return false;
}

// ---- looking

/* Below 0 it has come to its end. What has just begun to slip may be off by what counts as none; of several
 * components, that much need not be left. */
static double slip_margin(const running *r, int f) {
    const friction_state *fr = frictions(r);
    int count = friction_slip_count(r->sys, f), first = r->sys->model->frictions.at[f].stick_first;
    const double *direction = fr->direction + r->sys->rows[first].slip;
    double along = linalg_dot(friction_slip(r->sys, r->st, f), direction, count);
    return fr->begins[f] ? along + fr->rest[f] : count > 1 ? along - LEFT * fr->rest[f] : along;
}

// state and velocities at t; those of what sticks are projected and solved for forces
static bool go_to(search *s, double t, bool forces) {
    running *r = s->r;
    const trm_system *sys = r->sys;
    if (r->options->method->interpolate(s->it, t, s->y) != 0)
        return false;
    if (forces) {
        if (!run_solve_state(r, t, s->y))
            return false;
        solve_forces(sys, r->st);
        return true;
    }
    const double *v = run_velocities(r, t, s->y);
    if (v == NULL)
        return false;
    state_set(sys, r->st, t, s->y, v);
    state_run(sys, r->st, STAGE_FRICTION);
    return true;
}

// margins (frictions) at t; false where there is no state to be had
static bool look(search *s, double t, double *margin) {
    running *r = s->r;
    projection refused = r->refused;
    bool refused_position = r->refused_position;
    solve_status status = r->status;
    bool seen = go_to(s, t, any_sticks(r));
    r->refused = refused;
    r->refused_position = refused_position;
    r->status = status;
    for (int f = 0; seen && f < r->sys->friction_count; f++)
        margin[f] = frictions(r)->sticks[f] ? friction_margin(r->sys, r->st, f) : slip_margin(r, f);
    return seen;
}

// the one that is below 0 by most, or -1
static int ended(const running *r, const double *margin) {
    int which = -1;
    for (int f = 0; f < r->sys->friction_count; f++)
        if (margin[f] < 0 && (which < 0 || margin[f] < margin[which]))
            which = f;
    return which;
}

// ---- locating

// the first number behind `from` at which a margin is below 0, in *to, where one is; returns which
static int locate(search *s, double from, double *to) {
    running *r = s->r;
    double least = DBL_EPSILON / 16 * (r->options->until - r->options->from), *margin = r->slips.margin[3];
    int which = -1;
    while (*to - from > least) {
        double middle = from + (*to - from) / 2;
        if (!(middle > from && middle < *to))
            break;
        int now = look(s, middle, margin) ? ended(r, margin) : -1;
        if (now >= 0)
            which = now;
        *(now >= 0 ? to : &from) = middle;
    }
    if (which < 0 && look(s, *to, margin))
        which = ended(r, margin);
    return which;
}

/* Margin f is lowest, and above 0, at the middle of three looks: goes down from there as long as it may come
 * below 0. True if it does, at *at. */
static bool descend(search *s, int f, double *at) {
    run_slips *w = &s->r->slips;
    double t[3], g[3];
    for (int k = 0; k < 3; k++) {
        t[k] = w->time[k];
        g[k] = w->margin[k][f];
    }
    for (int k = 0; k < DESCENT_MOST; k++) {
        double left = (g[1] - g[0]) / (t[1] - t[0]), right = (g[2] - g[1]) / (t[2] - t[1]);
        if (fmin(g[1] + left * (t[2] - t[1]), g[1] - right * (t[1] - t[0])) >= 0)
            return false;
        bool later = t[2] - t[1] > t[1] - t[0];
        *at = t[1] + GOLDEN * (later ? t[2] - t[1] : t[0] - t[1]);
        if (!look(s, *at, w->margin[3]))
            return false;
        double now = w->margin[3][f];
        if (now < 0)
            return true;
        int end = later ? 2 : 0;
        if (now < g[1]) { // the middle becomes the other end
            t[2 - end] = t[1], g[2 - end] = g[1];
            t[1] = *at, g[1] = now;
        } else {
            t[end] = *at, g[end] = now;
        }
    }
    return false;
}

static void keep_look(run_slips *w, double t) {
    double *oldest = w->margin[0];
    w->margin[0] = w->margin[1];
    w->margin[1] = w->margin[2];
    w->margin[2] = oldest;
    w->time[0] = w->time[1];
    w->time[1] = w->time[2];
    w->time[2] = t;
}

// a margin that was below 0 only between the last three looks; true with a place where it was
static bool find_dip(search *s, double *at) {
    run_slips *w = &s->r->slips;
    for (int f = 0; f < s->r->sys->friction_count; f++)
        if (w->margin[1][f] < w->margin[0][f] && w->margin[1][f] < w->margin[2][f] && descend(s, f, at))
            return true;
    return false;
}

// the step is searched from `before` to *limit
static int first_end(search *s, double before, double *limit) {
    running *r = s->r;
    run_slips *w = &r->slips;
    double part = (*limit - before) / (r->options->until - r->options->from), from = before, at;
    int looks = (int)fmax(LOOKS_LEAST, any_sticks(r) ? ceil(LOOKS_RUN * part) : 0), seen = 0;
    for (int k = 1; k <= looks; k++) {
        double t = k == looks ? *limit : before + (*limit - before) * k / looks;
        if (!look(s, t, w->margin[0]))
            continue;
        keep_look(w, t);
        seen++;
        bool below = ended(r, w->margin[2]) >= 0;
        at = t;
        if (!below && seen >= 3 && find_dip(s, &at)) {
            below = true;
            from = w->time[0];
        }
        if (below) {
            *limit = at;
            return locate(s, from, limit);
        }
        from = t;
    }
    return -1;
}

// ---- for the loop

static void velocities(running *r, double t, const double *y) {
    const double *v = run_velocities(r, t, y);
    if (v && v != r->v)
        memcpy(r->v, v, (size_t)r->sys->n * sizeof *r->v);
}

bool run_find_slip(running *r, integrator *it, double before, double *limit, double *y) {
    search s = {r, it, y};
    double end = *limit;
    r->slips.which = first_end(&s, before, limit);
    if (r->slips.which >= 0)
        return true;
    *limit = end;
    if (r->options->method->interpolate(it, end, y) != 0)
        return false;
    velocities(r, end, y);
    friction_keep(r->sys, r->st, end, y, r->v);
    r->settled = end; // evaluated as the step did, for those who look at the state behind it
    run_evaluate(r, end, y, r->slips.slope);
    return false;
}

// what sticks at (t, y), whose velocities are projected accordingly; `breaking` does not
static int decide(running *r, double t, double *y, int breaking) {
    const trm_system *sys = r->sys;
    velocities(r, t, y);
    friction_look(sys, r->st, t, y, r->v, r->options->tolerance);
    r->status_time = t;
    int code = run_project(r, t, y);
    if (code != 0)
        return code;
    velocities(r, t, y);
    memcpy(r->work_v, r->v, (size_t)sys->n * sizeof *r->v);
    project_velocity(sys, r->st, t, y, r->work_v, DBL_EPSILON); // what is left would make it creep
    run_set_velocities(r, t, r->work_v, y);
    r->status = (solve_status)friction_settle(sys, r->st, t, y, r->work_v, breaking);
    if (r->status != SOLVE_OK)
        return 1;
    run_forget_distance(r);
    return 0;
}

int run_begin_slips(running *r, double t, double *y) {
    run_slips *w = &r->slips;
    size_t count = (size_t)r->sys->friction_count;
    if (count == 0)
        return 0;
    for (int i = 0; i < 4; i++)
        w->margin[i] = arena_doubles(r->arena, count);
    w->slope = arena_doubles(r->arena, 2 * (size_t)r->sys->n);
    w->last = -INFINITY;
    w->which = -1;
    return decide(r, t, y, -1);
}

int run_turn_slips(running *r, integrator *it, double t, double *y) {
    const run_options *o = r->options;
    run_slips *w = &r->slips;
    int code = o->method->interpolate(it, t, y);
    if (code != 0)
        return code;
    w->close = t - w->last < CLOSE * (o->until - o->from) ? w->close + 1 : 0;
    w->last = t;
    if (w->close >= CHATTER * r->sys->friction_count) {
        r->status = SOLVE_FRICTION_MODES;
        r->status_time = t;
        r->st->culprit = w->which;
        return 1;
    }
    code = decide(r, t, y, frictions(r)->sticks[w->which] ? w->which : -1);
    if (code != 0)
        return code;
    r->settled = t;
    run_evaluate(r, t, y, w->slope);
    return 0;
}
