/* Friction in a run: what sticks and what slips is held within a step, and so is the direction of a slip that
 * has one component; the integrator sees a smooth system. A step is searched for the first instant
 *
 *   at which a slip comes to its end:  s . d = 0, d its direction at the beginning of the step, or
 *   at which static friction is overcome:  static N - |f| = 0.
 *
 * The motion up to there is right; there it is decided anew what sticks (solve/sticking.c), and integration
 * begins anew. */
#include "motion/running.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* After so many changes for each friction, one right behind the other, the motion leads nowhere. */
enum { CHATTER = 100 };

bool run_any_sticks(const running *r) {
    for (int f = 0; f < r->sys->friction_count; f++)
        if (friction_sticks(r->st, f))
            return true;
    return false;
}

// ---- looking

// those of what sticks are projected and solved for forces
static bool evaluate(running *r, double t) {
    if (!run_step_state(r, t))
        return false;
    if (run_any_sticks(r)) {
        if (!run_solve_state(r, t, r->step.y))
            return false;
        solve_forces(r->full, r->full_st);
        return true;
    }
    const double *v = run_velocities(r, t, r->step.y);
    if (v == NULL)
        return false;
    state_set(r->sys, r->st, t, r->step.y, v);
    state_run(r->sys, r->st, STAGE_FRICTION);
    return true;
}

static bool look(void *context, double t, bool *happened, double *distance) {
    running *r = context;
    run_trouble before = r->trouble;
    bool held = run_any_sticks(r), seen = evaluate(r, t);
    const trm_system *sys = held ? r->full : r->sys; // of which evaluate tells
    const trm_state *st = held ? r->full_st : r->st;
    r->trouble = before;
    for (int f = 0; seen && f < sys->friction_count; f++) {
        distance[f] = friction_sticks(st, f) ? friction_margin(sys, st, f) : friction_slip_margin(sys, st, f);
        happened[f] = distance[f] < 0;
    }
    return seen;
}

int run_find_slip(running *r, double from, double *to) {
    return r->slips.which = events_find(&r->slips.events, from, to);
}

// ---- changing

static void velocities(running *r, double t, const double *y) {
    const double *v = run_velocities(r, t, y);
    if (v && v != r->v)
        memcpy(r->v, v, (size_t)r->sys->n * sizeof *r->v);
}

void run_keep_slips(running *r, double t, const double *y) {
    velocities(r, t, y);
    moment at = run_moment(r, t, y, r->v);
    friction_keep(r->sys, r->st, &at);
}

// what sticks at (t, y), whose velocities are projected accordingly; `breaking` does not
static int decide(running *r, double t, double *y, int breaking) {
    const trm_system *sys = r->sys;
    velocities(r, t, y);
    moment at = run_moment(r, t, y, r->v);
    friction_look(sys, r->st, &at, r->options->tolerance);
    r->trouble.time = t;
    int code = run_project(r, t, y);
    if (code != 0)
        return code;
    velocities(r, t, y);
    memcpy(r->work_v, r->v, (size_t)sys->n * sizeof *r->v);
    project_velocity(sys, r->st, t, y, r->work_v, DBL_EPSILON); // what is left would make it creep
    run_set_velocities(r, t, r->work_v, y);
    at.v = r->work_v;
    r->trouble.of_full = false;
    r->trouble.solve = friction_settle(sys, r->st, &at, breaking);
    if (r->trouble.solve.status != SOLVE_OK)
        return 1;
    run_forget_distance(r);
    return 0;
}

int run_decide_slips(running *r, double t, double *y) {
    return r->sys->friction_count ? decide(r, t, y, -1) : 0;
}

int run_begin_slips(running *r, double t, double *y) {
    run_slips *w = &r->slips;
    if (r->sys->friction_count == 0)
        return 0;
    w->events =
        (events){.count = r->sys->friction_count, .look = look, .context = r, .least = run_least_time(r)};
    events_create(&w->events, r->work);
    w->record.last = -INFINITY;
    w->which = -1;
    return run_decide_slips(r, t, y);
}

int run_turn_slips(running *r, double t, double *y) {
    run_slips *w = &r->slips;
    if (event_chatters(&w->record, t, run_span(r), CHATTER * r->sys->friction_count)) {
        r->trouble.solve = (outcome){SOLVE_FRICTION_MODES, w->which};
        r->trouble.time = t;
        return 1;
    }
    return decide(r, t, y, friction_sticks(r->st, w->which) ? w->which : -1);
}
