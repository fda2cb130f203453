/* Stop statements: the instant at which a condition becomes true.
 *
 * After each accepted step the conditions are looked at in some places of it, its end among them. At each
 * place the state is projected and evaluated as for a sample, because a condition may hold accelerations and
 * forces. Where a condition is true that was not at the look before, the interval between the two looks is
 * halved until its ends are neighbouring numbers: some 50 evaluations, once in a run, right for every
 * condition.
 *
 * Most conditions have a margin, see stop_kind. An equality becomes true where its margin changes sign, if
 * the rest of the condition is true there. A margin that rises and falls again below 0 may have been above 0
 * in between: its highest point is sought. */
#include "motion/running.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The places in a step. A fifth of a step is short enough: steps of rk8 are polynomials of degree 7, and what
 * turns more often within one is below its error. The two next to the ends tell whether a margin rises or
 * falls there, so that its highest point is between three looks at one step however near to an end it is. */
static const double PLACES[] = {0.001, 0.2, 0.4, 0.6, 0.8, 0.999, 1};
enum { LOOKS = sizeof PLACES / sizeof *PLACES, CLIMB_MOST = 40, WARNINGS_MOST = 10 };

/* The signs of differences are taken this part of the span after the start: an equality that changes its sign
 * before held at the start, up to rounding. */
static const double FIRST_MOMENT = 1e-12;

// one step and the place for a state in it
typedef struct {
    running *r;
    integrator *it;
    double *y;    // (2 n)
    double shown; // the time of the last look; NAN if it failed
} search;

// ---- looking

/* The conditions and margins at t; false where there is no state to be had: nothing is seen there. */
static bool look(search *s, double t) {
    running *r = s->r;
    if (t == s->shown)
        return true;
    projection refused = r->refused;
    bool refused_position = r->refused_position;
    solve_status status = r->status;
    bool solved = r->options->method->interpolate(s->it, t, s->y) == 0 && run_solve_state(r, t, s->y);
    r->refused = refused;
    r->refused_position = refused_position;
    r->status = status;
    s->shown = solved ? t : NAN;
    if (!solved)
        return false;
    run_results(r);
    state_run(r->sys, r->st, STAGE_STOP);
    return true;
}

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

static bool is_equality(const running *r, int i) {
    return r->sys->model->stops.at[i].kind == STOP_EQUALITY;
}

// at the last look
static bool is_true(const running *r, int i) {
    return r->st->y[STAGE_STOP][i] != 0;
}

static double margin_of(const running *r, int i) {
    return r->st->y[STAGE_STOP][r->stops.count + i];
}

static bool rest_is_true(const running *r, int i) {
    return r->st->y[STAGE_STOP][2 * r->stops.count + i] != 0;
}

static bool sign_changed(const running *r, int i) {
    return is_equality(r, i) && sign_of(margin_of(r, i)) * r->stops.sign[i] < 0;
}

// whether condition i became true between the look that is kept and the last one, a rest apart
static bool became_true(const running *r, int i) {
    return (is_true(r, i) && !r->stops.held[i]) || sign_changed(r, i);
}

// the first condition that did, or -1; `only` if it is not -1
static int fired(const running *r, int only) {
    for (int i = 0; i < r->stops.count; i++)
        if ((only < 0 || only == i) && became_true(r, i))
            return i;
    return -1;
}

static void keep_truth(running *r) {
    for (int i = 0; i < r->stops.count; i++) {
        r->stops.held[i] = is_true(r, i);
        if (sign_of(margin_of(r, i)) != 0)
            r->stops.sign[i] = sign_of(margin_of(r, i));
    }
}

static void keep_margins(running *r, double t) {
    stop_watch *w = &r->stops;
    double *oldest = w->margin[0];
    w->margin[0] = w->margin[1];
    w->margin[1] = w->margin[2];
    w->margin[2] = oldest;
    memcpy(oldest, r->st->y[STAGE_STOP] + w->count, (size_t)w->count * sizeof *oldest);
    w->time[0] = w->time[1];
    w->time[1] = w->time[2];
    w->time[2] = t;
}

// ---- locating

/* Between `from`, where nothing has become true, and *to, where something has: the first number at which it
 * has, in *to. Returns which; if `only` is not -1, it alone is asked for. */
static int locate(search *s, double from, double *to, int only) {
    const run_options *o = s->r->options;
    double least = DBL_EPSILON / 16 * (o->until - o->from); // near t = 0 numbers are denser than it is worth
    double late = *to;
    int which = look(s, late) ? fired(s->r, only) : -1;
    while (late - from > least) {
        double middle = from + (late - from) / 2;
        if (!(middle > from && middle < late))
            break;
        int now = look(s, middle) ? fired(s->r, only) : -1;
        if (now >= 0)
            which = now;
        *(now >= 0 ? &late : &from) = middle;
    }
    *to = late;
    return which;
}

// of an equality with the sign that makes it negative
static double below(const running *r, int i, double margin) {
    return is_equality(r, i) ? -r->stops.sign[i] * margin : margin;
}

/* The highest that a margin without points of inflexion can be between a and b: on the lines through (m, gm)
 * and the ends, continued beyond m. */
static double highest(const double *t, const double *g) {
    double rising = g[1] + (g[1] - g[0]) / (t[1] - t[0]) * (t[2] - t[1]);
    double falling = g[1] + (g[1] - g[2]) / (t[2] - t[1]) * (t[1] - t[0]);
    return fmax(rising, falling);
}

/* Margin i is highest at t[1] of the three looks t, and below 0. Goes towards the highest point in between by
 * golden section, as long as that may be above 0; true if the condition is true at the place it came to. */
static bool climb(search *s, int i, double *t, double *g, double *top) {
    for (int k = 0; k < CLIMB_MOST && highest(t, g) >= 0; k++) {
        bool right = t[2] - t[1] > t[1] - t[0];
        double at = t[1] + 0.382 * (right ? t[2] - t[1] : t[0] - t[1]);
        if (!look(s, at))
            return false;
        *top = at;
        if (became_true(s->r, i))
            return true;
        double now = below(s->r, i, margin_of(s->r, i));
        int end = right ? 2 : 0;
        if (now > g[1]) { // the middle becomes the other end
            t[2 - end] = t[1], g[2 - end] = g[1];
            t[1] = at, g[1] = now;
        } else {
            t[end] = at, g[end] = now;
        }
    }
    return false;
}

// a condition that was true only between the last three looks, with a place where it was; -1 if none
static int find_peak(search *s, double *top) {
    const running *r = s->r;
    for (int i = 0; i < r->stops.count; i++) {
        if (r->sys->model->stops.at[i].kind == STOP_OTHER || r->stops.held[i])
            continue;
        double t[3], g[3];
        for (int k = 0; k < 3; k++) {
            t[k] = r->stops.time[k];
            g[k] = below(r, i, r->stops.margin[k][i]);
        }
        if (g[1] > g[0] && g[1] > g[2] && g[1] < 0 && climb(s, i, t, g, top))
            return i;
    }
    return -1;
}

// ---- the start

static void warn_start(running *r, int i) {
    int line, column;
    const model_stop *stop = &r->sys->model->stops.at[i];
    if (r->report->warnings.count >= WARNINGS_MOST)
        return;
    place_line(stop->at.source, stop->at.offset, &line, &column);
    const char *warning =
        arena_print(r->arena, "'%s' (line %d) is true at the start: the run stops when it becomes true again",
                    stop->text, line);
    vec_push(r->arena, r->report->warnings, warning);
}

void run_watch_stops(running *r) {
    stop_watch *w = &r->stops;
    w->count = r->sys->model->stops.count;
    w->held = arena_array(r->work, bool, w->count);
    w->sign = arena_array(r->work, int, w->count);
    for (int i = 0; i < 3; i++)
        w->margin[i] = arena_doubles(r->work, (size_t)w->count);
    state_run(r->sys, r->st, STAGE_STOP);
    keep_truth(r);
    keep_margins(r, r->options->from);
    for (int i = 0; i < w->count; i++)
        if (w->held[i])
            warn_start(r, i);
}

// at the first moment: signs of differences
static void begin(search *s, double before, double to) {
    running *r = s->r;
    stop_watch *w = &r->stops;
    double moment = before + FIRST_MOMENT * (r->options->until - r->options->from);
    w->begun = true;
    if (!look(s, fmin(to, fmax(moment, nextafter(before, to)))))
        return;
    for (int i = 0; i < w->count; i++) {
        if (sign_changed(r, i) && rest_is_true(r, i))
            warn_start(r, i);
        if (sign_of(margin_of(r, i)) != 0)
            w->sign[i] = sign_of(margin_of(r, i));
    }
}

// ---- a step

/* Between `from` and t, the last look that is kept: what became true, with the first place, in *at, where it
 * is; -1 if nothing did. A sign that changed where the rest is not true is passed over. */
static int find_between(search *s, double from, double t, double *at, bool peaks) {
    running *r = s->r;
    int which = peaks ? find_peak(s, at) : -1;
    if (which >= 0)
        from = r->stops.time[0];
    for (;;) {
        int only = which;
        if (which < 0) {
            *at = t;
            if (!look(s, t) || fired(r, -1) < 0)
                return -1;
        }
        which = locate(s, from, at, only);
        if (which < 0 || !look(s, *at) || is_true(r, which) || rest_is_true(r, which))
            return which;
        r->stops.sign[which] = -r->stops.sign[which];
        from = *at;
        which = -1;
    }
}

int run_find_stop(running *r, integrator *it, double before, double *limit, double *y) {
    search s = {r, it, y, NAN};
    stop_watch *w = &r->stops;
    double at;
    if (!w->begun)
        begin(&s, before, *limit);
    for (int k = 0; k < LOOKS; k++) {
        double t = k == LOOKS - 1 ? *limit : before + PLACES[k] * (*limit - before);
        if (!look(&s, t))
            continue;
        keep_margins(r, t);
        int which = find_between(&s, fmax(before, w->time[1]), t, &at, w->time[0] >= before);
        if (which >= 0) {
            *limit = at;
            return which;
        }
        keep_truth(r);
    }
    return -1;
}
