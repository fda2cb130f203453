/* Forces and constraints that switch: if, sign, abs, min, max and atan2. Within a step the switches are held
 * as they are at its beginning (mech/switch.c), so the integrator sees a smooth system. The first instant at
 * which one would turn is where the motion is right up to; integration begins anew there, with the switches
 * turned. */
#include "motion/running.h"

#include "linear/linalg.h"
#include "motion/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Switches that turn and turn back without the motion getting anywhere (a body that sticks, with sign(v) for
 * its friction) are no longer held after so many of them, one right behind the other. */
enum { CHATTER = 10 };
static const double NEGLIGIBLE = 0.1; // part of the tolerance

outcome run_solve_unheld(running *r, double t, const double *q, const double *v) {
    if (r->switches.hold)
        state_get_switches(r->sys, r->st, r->switches.kept);
    outcome found = solve_acceleration(r->sys, r->st, t, q, v);
    if (r->switches.hold)
        state_put_switches(r->sys, r->st, r->switches.kept);
    return found;
}

int run_evaluate_unheld(running *r, double t, const double *y, double *dydt) {
    state_get_switches(r->sys, r->st, r->switches.kept);
    r->switches.hold = false;
    int code = run_evaluate(r, t, y, dydt);
    r->switches.hold = true;
    state_put_switches(r->sys, r->st, r->switches.kept);
    return code;
}

// where the held branch has no value, as sqrt(x) in if(x > 0, sqrt(x), 0), the other one is taken
int run_evaluate_held(void *context, double t, const double *y, double *dydt) {
    running *r = context;
    int code = run_evaluate(r, t, y, dydt);
    if (code > 0 && r->switches.hold && state_switches_turned(r->sys, r->st))
        return run_evaluate_unheld(r, t, y, dydt);
    return code;
}

void run_set_switches(running *r, double t, const double *y) {
    state_set(r->sys, r->st, t, y, run_velocities(r, t, y));
    state_set_switches(r->sys, r->st);
}

void run_hold_switches(running *r, double t, const double *y) {
    run_switches *w = &r->switches;
    if (r->sys->switch_count == 0)
        return;
    w->kept = arena_doubles(r->work, (size_t)r->sys->switch_count);
    w->slope = arena_doubles(r->work, 2 * (size_t)r->sys->n);
    w->powers = arena_doubles(r->work, 2 * (size_t)r->sys->work_count + 1);
    w->record.last = -INFINITY;
    w->pending = NAN;
    run_set_switches(r, t, y);
    w->hold = true;
}

// ---- looking

static bool turned(void *context, double t) {
    running *r = context;
    if (!run_step_state(r, t))
        return false;
    const double *v = run_velocities(r, t, r->step.y);
    if (v == NULL)
        return false;
    state_set(r->sys, r->st, t, r->step.y, v);
    return state_switches_turned(r->sys, r->st);
}

/* Whether a constraint is off at (t, y) by more than errors explain, as one that jumps where the switches
 * turn; *named says which. */
static bool constraint_jumps(running *r, double t, const double *y, run_trouble *named) {
    static const double JUMP = 1000; // of what it may be off
    const trm_system *sys = r->sys;
    const double *v = run_velocities(r, t, y);
    double largest = JUMP;
    if (v == NULL)
        return false;
    state_set(sys, r->st, t, y, v);
    state_level levels[] = {state_position(sys, r->st), state_velocity(sys, r->st)};
    for (int k = 0; k < 2; k++) {
        if (levels[k].level->m == 0)
            continue;
        state_run(sys, r->st, levels[k].stage);
        projection worst = project_worst(sys, levels[k].level->A, levels[k].residual, levels[k].A, k ? v : y,
                                         k == 1, r->options->tolerance, levels[k].level->rows);
        double rounding = DBL_EPSILON * (1 + linalg_norm(k ? v : y, sys->n)); // where the row nearly vanishes
        if (fabs(worst.residual) > largest * fmax(worst.allowed, rounding)) {
            largest = fabs(worst.residual) / fmax(worst.allowed, rounding);
            named->refused = worst;
            named->of_position = k == 0;
            named->of_a_jump = true;
        }
    }
    return largest > JUMP;
}

// the slope and the powers at (t, y), with the switches as they are held or as they are there
static int peek_at(running *r, double t, const double *y, bool held, double *slope, double *powers) {
    int code = run_peek(r, t, y, slope, held);
    if (code == 0)
        solve_powers(r->sys, r->st, powers);
    return code;
}

/* Whether it matters for the step how the switches are at t: the forces differ by more than what the
 * tolerance leaves, or the powers where a constraint takes the difference upon itself. They do not at rest,
 * where rounding turns a sign from step to step, nor where a force begins that is continuous. */
static bool differs(running *r, double t) {
    run_switches *w = &r->switches;
    double h = r->step.end - r->step.before, *y = r->step.y, *held = r->look.slope, *other = w->slope;
    int n = r->sys->n, works = r->sys->work_count;
    run_trouble ignored = r->trouble;
    if (!turned(r, t))
        return false;
    if (constraint_jumps(r, t, y, &ignored))
        return true;
    if (peek_at(r, t, y, true, held, w->powers) != 0 ||
        peek_at(r, t, y, false, other, w->powers + works) != 0)
        return true;
    double least = NEGLIGIBLE * r->options->tolerance;
    for (int i = n; i < 2 * n; i++)
        if (!(h * fabs(held[i] - other[i]) <= least * (r->system.floor[i] + fabs(y[i]))))
            return true;
    for (int i = 0; i < works; i++)
        if (!(h * fabs(w->powers[i] - w->powers[works + i]) <= least * r->report->balance_size))
            return true;
    return false;
}

int run_find_switch(running *r, double from, double *to) {
    run_switches *w = &r->switches;
    bool now = turned(r, *to), found = false;
    if (isnan(w->pending) && !now)
        return -1;
    if (isnan(w->pending)) {
        w->pending = search_border(turned, r, from, *to, run_least_time(r));
        found = differs(r, w->pending);
    }
    double middle = fmax(from, w->pending) + (*to - fmax(from, w->pending)) / 2;
    if (found || differs(r, middle) || differs(r, *to)) {
        *to = w->pending;
        return 0;
    }
    if (!now)
        w->pending = NAN;
    return -1;
}

// ---- changing

void run_keep_switches(running *r, double t, const double *y) {
    if (r->switches.hold && !isnan(r->switches.pending))
        run_set_switches(r, t, y);
}

// where sign(x) turns, x may be exactly 0: it would turn again at once
void run_look_behind(running *r, double t) {
    double behind = fmin(r->step.end, t + 4 * DBL_EPSILON * fmax(fabs(t), t - r->step.before));
    if (turned(r, behind) || turned(r, t))
        state_set_switches(r->sys, r->st);
}

int run_turn_switches(running *r, double t, double *y) {
    run_switches *w = &r->switches;
    if (constraint_jumps(r, t, y, &r->trouble))
        return 1;
    w->hold = !event_chatters(&w->record, t, run_span(r), CHATTER);
    r->report->switches++;
    return run_project(r, t, y);
}

int run_release_switches(running *r, integrator *it, int code, double *y) {
    const run_options *o = r->options;
    if (code != INTEGRATOR_STEP_TOO_SMALL && code != INTEGRATOR_NOT_FINITE)
        return code;
    r->switches.hold = false;
    r->settled = o->method->time(it);
    memcpy(y, o->method->state(it), 2 * (size_t)r->sys->n * sizeof *y);
    run_keep_work(r, o->method->time(it));
    return o->method->start(it, o->method->time(it), y, o->until, 0);
}
