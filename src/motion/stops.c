/* Stop statements: the instant at which a condition becomes true. At each place the state is projected and
 * evaluated as for a sample, because a condition may hold accelerations and forces. Most conditions have a
 * margin, see stop_kind. An equality becomes true where its margin changes sign, if the rest of the condition
 * is true there. */
#include "motion/running.h"

#include <math.h>

enum { WARNINGS_MOST = 10 };
/* The signs of differences are taken this part of the span after the start: an equality that changes its sign
 * before held at the start, up to rounding. */
static const double FIRST_MOMENT = 1e-12;

// ---- at the last look

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

static stop_kind kind_of(const running *r, int i) {
    return r->full->model->stops.at[i].kind;
}

static bool is_true(const running *r, int i) {
    return state_output(r->full_st, STAGE_STOP)[i] != 0;
}

static double margin_of(const running *r, int i) {
    return state_output(r->full_st, STAGE_STOP)[r->stops.events.count + i];
}

static bool rest_is_true(const running *r, int i) {
    return state_output(r->full_st, STAGE_STOP)[2 * r->stops.events.count + i] != 0;
}

static bool sign_changed(const running *r, int i) {
    return kind_of(r, i) == STOP_EQUALITY && sign_of(margin_of(r, i)) * r->stops.sign[i] < 0;
}

static double distance_of(const running *r, int i) {
    if (kind_of(r, i) == STOP_OTHER || r->stops.held[i])
        return NAN;
    return kind_of(r, i) == STOP_EQUALITY ? r->stops.sign[i] * margin_of(r, i) : -margin_of(r, i);
}

// ---- looking

static bool evaluate(running *r, double t) {
    run_trouble before = r->trouble;
    if (r->full->stops_over) {
        run_follow_over(r, t, true);
        run_find_over(r, t);
    }
    if (r->full->shows_work)
        run_find_work(r, t);
    bool solved = run_step_state(r, t) && run_solve_state(r, t, r->step.y);
    r->trouble = before;
    if (!solved)
        return false;
    run_results(r);
    if (r->full->stops_over)
        run_put_over(r, t);
    state_run(r->full, r->full_st, STAGE_STOP);
    return true;
}

static bool look(void *context, double t, bool *happened, double *distance) {
    running *r = context;
    if (!evaluate(r, t))
        return false;
    for (int i = 0; i < r->stops.events.count; i++) {
        happened[i] = (is_true(r, i) && !r->stops.held[i]) || sign_changed(r, i);
        distance[i] = distance_of(r, i);
    }
    return true;
}

// a sign that changed where the rest is not true
static bool passes(void *context, int which) {
    running *r = context;
    if (is_true(r, which) || rest_is_true(r, which))
        return false;
    r->stops.sign[which] = -r->stops.sign[which];
    return true;
}

static void keep_signs(running *r) {
    for (int i = 0; i < r->stops.events.count; i++)
        if (sign_of(margin_of(r, i)) != 0)
            r->stops.sign[i] = sign_of(margin_of(r, i));
}

static void keep(void *context) {
    running *r = context;
    for (int i = 0; i < r->stops.events.count; i++)
        r->stops.held[i] = is_true(r, i);
    keep_signs(r);
}

// ---- the start

static void warn_start(running *r, int i) {
    int line, column;
    const model_stop *stop = &r->full->model->stops.at[i];
    if (r->report->warnings.count >= WARNINGS_MOST)
        return;
    place_line(stop->at.source, stop->at.offset, &line, &column);
    const char *warning =
        arena_print(r->arena, "'%s' (line %d) is true at the start: the run stops when it becomes true again",
                    stop->text, line);
    vec_push(r->arena, r->report->warnings, warning);
}

void run_watch_stops(running *r) {
    run_stops *w = &r->stops;
    w->events = (events){.count = r->full->model->stops.count,
                         .look = look,
                         .passes = passes,
                         .keep = keep,
                         .context = r,
                         .least = run_least_time(r)};
    events_create(&w->events, r->work);
    w->held = arena_array(r->work, bool, w->events.count + 1);
    w->sign = arena_array(r->work, int, w->events.count + 1);
    state_run(r->full, r->full_st, STAGE_STOP);
    keep(r);
    for (int i = 0; i < w->events.count; i++)
        if (w->held[i])
            warn_start(r, i);
}

// at the first moment: signs of differences
static void begin(running *r) {
    run_stops *w = &r->stops;
    double before = r->step.before, first = before + FIRST_MOMENT * (r->options->until - r->options->from);
    w->begun = true;
    if (!evaluate(r, fmin(r->step.end, fmax(first, nextafter(before, r->step.end)))))
        return;
    for (int i = 0; i < w->events.count; i++)
        if (sign_changed(r, i) && rest_is_true(r, i))
            warn_start(r, i);
    keep_signs(r);
}

int run_find_stop(running *r, double from, double *to) {
    if (!r->stops.begun)
        begin(r);
    return events_find(&r->stops.events, from, to);
}
