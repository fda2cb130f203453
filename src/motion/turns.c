/* Angles of joints go on over full turns: each is found within two half turns of where it was. In joint
 * coordinates a step may go far beyond that, a wheel at constant speed being a straight line there, so the
 * angles of joints that are no coordinates are followed along the step, in pieces of less than a radian by
 * their rates at both ends. */
#include "motion/running.h"

#include "mech/tree/tree.h"
#include "system/rates.h"

#include <math.h>
#include <string.h>

static const double FAR = 1.5, PIECE = 0.75; // radians
enum { MOST = 100000 };

static void keep_at(running *r, double t, const double *y) {
    state_set(r->sys, r->st, t, y, NULL);
    state_keep_turns(r->sys, r->st);
    r->turned = t;
}

// the largest rate of an angle, by its difference over a short time
static double fastest(running *r, double t, const double *y, double time) {
    static const double SHORT = 1e-6;
    const trm_system *sys = r->sys;
    int count = sys->model->turns.count, n = sys->n;
    double *at = r->turn_work, *rate = at + count, *q = rate + n, most = 0;
    state_set(sys, r->st, t, y, NULL);
    state_run(sys, r->st, STAGE_TURN);
    memcpy(at, state_output(r->st, STAGE_TURN), (size_t)count * sizeof *at);
    rates_of_positions(sys, y, y + n, rate);
    for (int i = 0; i < n; i++)
        q[i] = y[i] + SHORT * time * rate[i];
    state_set(sys, r->st, t, q, NULL);
    state_run(sys, r->st, STAGE_TURN);
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(state_output(r->st, STAGE_TURN)[i] - at[i]) / (SHORT * time));
    return most;
}

void run_begin_turns(running *r) {
    size_t count = (size_t)r->sys->model->turns.count;
    for (int i = 0; i < r->sys->model->turns.count; i++)
        r->keeps_turns |= !run_has_tree(r) || mech_tree_angle(r->sys->mech->tree, i) < 0;
    r->turned = r->options->from;
    r->turn_work = arena_doubles(r->work, count + 5 * (size_t)r->sys->n);
}

void run_follow_turns(running *r, double t, const double *y) {
    const trm_system *sys = r->sys;
    if (!r->keeps_turns || !run_has_tree(r) || rates_own(sys))
        return;
    double from = fmax(r->turned, r->window.from), span = t - from;
    double *between = r->turn_work + sys->model->turns.count + 2 * sys->n;
    if (!(span > 0) || r->options->method->interpolate(r->it, from, between) != 0)
        return;
    double far = fmax(fastest(r, from, between, span), fastest(r, t, y, span)) * span;
    int pieces = far > FAR ? (int)fmin(MOST, ceil(far / PIECE)) : 0;
    for (int i = 1; i < pieces; i++) {
        double at = from + span * i / pieces;
        if (r->options->method->interpolate(r->it, at, between) != 0)
            return;
        keep_at(r, at, between);
    }
    if (pieces)
        keep_at(r, t, y);
}

void run_keep_turns(running *r) {
    const integrator_ops *method = r->options->method;
    if (!r->keeps_turns)
        return;
    run_follow_turns(r, method->time(r->it), method->state(r->it));
    keep_at(r, method->time(r->it), method->state(r->it));
}
