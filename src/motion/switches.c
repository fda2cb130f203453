/* Forces that switch: if, sign, abs, min and max. Within a step the switches are held as they are at its
 * beginning (mech/switch.c), so the integrator sees a smooth system. Where a stage of the step came to where
 * a switch would turn, the step is searched for the first instant at which one does; the motion up to there
 * is right, and integration begins anew behind it, with the switches turned. */
#include "motion/running.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The places in a step that are looked at, if a stage gives reason to. */
static const double PLACES[] = {0.001, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
enum { LOOKS = sizeof PLACES / sizeof *PLACES };
/* Instants at which switches are looked at that depend on time alone, which costs little: so many in a run,
 * and in each step at least. */
enum { TIMES = 20000, TIMES_LEAST = 20 };

/* Switches that turn and turn back without the motion getting anywhere (a body that sticks, with sign(v) for
 * its friction) are no longer held after CHATTER of them, each within CLOSE of the span behind the last. */
static const double CLOSE = 1e-9;
enum { CHATTER = 10 };

static const double NEGLIGIBLE = 0.1; // part of the tolerance
static const double REST = 1e-12;     // part of the span, too short to begin anew for

static double *modes(const running *r) {
    return r->st->x + r->sys->x_mode;
}

static size_t bytes(const running *r) {
    return (size_t)r->sys->switch_count * sizeof(double);
}

// whether a switch turns at the state in x
static bool turned(running *r) {
    state_run(r->sys, r->st, STAGE_SWITCH);
    return memcmp(r->st->y[STAGE_SWITCH], modes(r), bytes(r)) != 0;
}

solve_status run_solve_unheld(running *r, double t, const double *q, const double *v) {
    bool held = r->st->held;
    if (held)
        memcpy(r->switches.held, modes(r), bytes(r));
    r->st->held = false;
    solve_status status = solve_acceleration(r->sys, r->st, t, q, v);
    r->st->held = held;
    if (held)
        memcpy(modes(r), r->switches.held, bytes(r));
    return status;
}

// where the held branch has no value, as sqrt(x) in if(x > 0, sqrt(x), 0), the other one is taken
static int evaluate_anyway(running *r, double t, const double *y, double *dydt) {
    memcpy(r->switches.held, modes(r), bytes(r));
    r->st->held = false;
    int code = run_evaluate(r, t, y, dydt);
    r->st->held = true;
    memcpy(modes(r), r->switches.held, bytes(r));
    return code;
}

int run_evaluate_held(void *context, double t, const double *y, double *dydt) {
    running *r = context;
    int code = run_evaluate(r, t, y, dydt);
    if (!r->st->held || !turned(r))
        return code;
    r->switches.seen = true;
    return code > 0 ? evaluate_anyway(r, t, y, dydt) : code;
}

void run_hold_switches(running *r, double t, const double *y) {
    run_switches *w = &r->switches;
    if (r->sys->switch_count == 0 || r->sys->quasi)
        return;
    w->held = arena_doubles(r->work, (size_t)r->sys->switch_count);
    w->slope[0] = arena_doubles(r->work, 2 * (size_t)r->sys->n);
    w->slope[1] = arena_doubles(r->work, 2 * (size_t)r->sys->n);
    w->last = -INFINITY;
    state_set(r->sys, r->st, t, y, run_velocities(r, t, y));
    state_set_switches(r->sys, r->st);
    r->st->held = true;
}

static bool turned_at(running *r, integrator *it, double t, double *y) {
    if (r->options->method->interpolate(it, t, y) != 0)
        return false;
    state_set(r->sys, r->st, t, y, run_velocities(r, t, y));
    return turned(r);
}

// y is the end of a step: evaluated as the step did, for those who look at the state behind it
static void evaluate_end(running *r, double t, const double *y, double *dydt) {
    r->settled = t;
    run_evaluate(r, t, y, dydt);
}

/* Whether it is all the same at (t, y) how the switches are, for a step of length h: the forces differ by
 * less than what the tolerance leaves. So at rest, where rounding turns a sign from step to step. */
static bool all_the_same(running *r, double t, const double *y, double h) {
    run_switches *w = &r->switches;
    double tolerance = r->options->tolerance;
    evaluate_end(r, t, y, w->slope[0]);
    r->settled = t;
    if (evaluate_anyway(r, t, y, w->slope[1]) != 0)
        return false;
    for (int i = r->sys->n; i < 2 * r->sys->n; i++)
        if (!(h * fabs(w->slope[0][i] - w->slope[1][i]) <= NEGLIGIBLE * tolerance * (1 + fabs(y[i]))))
            return false;
    return true;
}

// the first place in a step at which a switch has turned, with the one before it in *from; NAN if none has
static double first_turned(running *r, integrator *it, double before, double to, double *from, double *y) {
    *from = before;
    for (int k = 0; k < LOOKS; k++) {
        double t = k == LOOKS - 1 ? to : before + PLACES[k] * (to - before);
        if (turned_at(r, it, t, y))
            return t;
        *from = t;
    }
    return NAN;
}

static double locate(running *r, integrator *it, double from, double late, double *y) {
    double least = DBL_EPSILON / 16 * (r->options->until - r->options->from);
    while (late - from > least) {
        double middle = from + (late - from) / 2;
        if (!(middle > from && middle < late))
            break;
        *(turned_at(r, it, middle, y) ? &late : &from) = middle;
    }
    return late;
}

/* The first instant looked at in a step at which a switch has turned that depends on time alone; NAN if none.
 * No stage need have come there: such a switch may turn to and fro within a step. */
static double first_timed(running *r, double before, double to) {
    trm_state *st = r->st;
    double part = (to - before) / (r->options->until - r->options->from);
    int times = (int)fmax(TIMES_LEAST, ceil(TIMES * part));
    for (int k = 1; r->sys->any_timed && k <= times; k++) {
        double t = k == times ? to : before + (to - before) * k / times;
        st->x[0] = t;
        state_run(r->sys, st, STAGE_SWITCH);
        for (int i = 0; i < r->sys->switch_count; i++)
            if (r->sys->timed[i] && st->y[STAGE_SWITCH][i] != modes(r)[i])
                return t;
    }
    return NAN;
}

// the step stays as it is; the next begins with the switches as they are at its end
static void keep_step(running *r, integrator *it, double to, double *y) {
    r->options->method->interpolate(it, to, y);
    state_set(r->sys, r->st, to, y, run_velocities(r, to, y));
    state_set_switches(r->sys, r->st);
    evaluate_end(r, to, y, r->switches.slope[0]);
}

// whether it matters that a switch turned at t, or at the end of the step
static bool matters(running *r, integrator *it, double t, double to, double h, double *y) {
    const integrator_ops *method = r->options->method;
    return method->interpolate(it, t, y) != 0 || !all_the_same(r, t, y, h) ||
           method->interpolate(it, to, y) != 0 || !all_the_same(r, to, y, h);
}

bool run_find_switch(running *r, integrator *it, double before, double *limit, double *y) {
    const run_options *o = r->options;
    if (!r->st->held)
        return false;
    double to = *limit, from, timed = first_timed(r, before, to);
    if (isnan(timed) && !r->switches.seen)
        return false;
    double t = first_turned(r, it, before, isnan(timed) ? to : timed, &from, y);
    bool found = !isnan(t) && matters(r, it, t, to, to - before, y);
    double late = found ? locate(r, it, from, t, y) : to;
    found = found && o->until - late > REST * (o->until - o->from);
    if (found)
        *limit = late;
    else
        keep_step(r, it, to, y);
    r->switches.seen = false;
    return found;
}

int run_turn_switches(running *r, integrator *it, double t, double *y) {
    const run_options *o = r->options;
    run_switches *w = &r->switches;
    if (turned_at(r, it, t, y))
        memcpy(modes(r), r->st->y[STAGE_SWITCH], bytes(r));
    w->close = t - w->last < CLOSE * (o->until - o->from) ? w->close + 1 : 0;
    w->last = t;
    r->st->held = w->close < CHATTER;
    w->seen = false;
    r->report->switches++;
    int code = run_project(r, t, y);
    if (code == 0)
        evaluate_end(r, t, y, w->slope[0]);
    return code;
}

int run_release_switches(running *r, integrator *it, int code, double *y) {
    const run_options *o = r->options;
    if (code != INTEGRATOR_STEP_TOO_SMALL && code != INTEGRATOR_NOT_FINITE)
        return code;
    r->st->held = false;
    r->settled = o->method->time(it);
    memcpy(y, o->method->state(it), 2 * (size_t)r->sys->n * sizeof *y);
    return o->method->start(it, o->method->time(it), y, o->until, 0);
}
