#include "motion/region.h"

#include "system/rates.h"
#include "system/watch.h"

#include <math.h>
#include <string.h>

/* By this part of what it bends, the cubic of a velocity is widened. */
static const double WIDEN = 0.5;
/* Steps ahead for which bounds are tried, at most, and part of a step behind. */
enum { AHEAD_MOST = 16 };
static const double BEHIND = 0.5;

typedef struct {
    double q, rate, curve; // q, q', q''
    double v, a;           // the velocity, which may be another (system/rates.h), and its rate
} point;

typedef struct {
    interval q, v;
} bound;

struct region {
    const trm_system *sys;
    const trm_state *st;
    const system_watch *watch;
    double last_time;
    point *last, *next; // (coordinates that are watched)
    bound *step;        // those of the step at hand
    bound *safe;        // nothing can happen in these
    interval step_time, safe_time;
    bool known;                 // safe is
    int ahead;                  // steps for which it was
    interval *in, *out, **work; // workspace, by group
    double *rate, *curve;       // (n) the same; NULL: velocities are q'
};

region *region_new(arena *a, const trm_system *sys, const trm_state *st) {
    const system_watch *w = sys->watch;
    region *r = arena_alloc(a, sizeof *r);
    int count = w->coordinates.count + 1;
    r->sys = sys;
    r->st = st;
    r->watch = w;
    r->ahead = 1;
    r->last = arena_array(a, point, count);
    r->next = arena_array(a, point, count);
    r->step = arena_array(a, bound, count);
    r->safe = arena_array(a, bound, count);
    r->in = arena_array(a, interval, w->most_inputs + 1);
    r->out = arena_array(a, interval, w->most_arguments + 1);
    r->work = watch_workspaces(a, w, st);
    if (rates_differ(sys)) {
        r->rate = arena_doubles(a, (size_t)sys->n);
        r->curve = arena_doubles(a, (size_t)sys->n);
    }
    return r;
}

static void gather(const region *r, const double *q, const double *v, const double *a, point *to) {
    const double *rate = r->rate ? r->rate : v, *curve = r->curve ? r->curve : a;
    if (r->rate) {
        rates_of_positions(r->sys, q, v, r->rate);
        rates_curve(r->sys, q, v, a, r->curve);
    }
    for (int i = 0; i < r->watch->coordinates.count; i++) {
        int k = r->watch->coordinates.at[i];
        to[i] = (point){q[k], rate[k], curve[k], v[k], a[k]};
    }
}

void region_start(region *r, double t, const double *q, const double *v, const double *a) {
    r->last_time = t;
    gather(r, q, v, a, r->last);
}

// ---- bounds of a step

static double smaller(double a, double b) { // as fmin, without a call
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static interval velocities(double from, double from_rate, double to, double to_rate, double h) {
    double rise = (to - from) / 3, b = h / 3 * from_rate, c = h / 3 * to_rate; // from the ends to the middle
    double lo = smaller(smaller(from, to), smaller(from + b, to - c));
    double hi = larger(larger(from, to), larger(from + b, to - c));
    double bends = WIDEN * larger(fabs(b - rise), fabs(c - rise));
    return (interval){lo - bends, hi + bends};
}

// the furthest from a line between both ends, with the velocity at one of its bounds: first `there`, then
// `back`
static double furthest(double from, double to, double h, double there, double back) {
    double s = back == there ? 0 : (to - from - back * h) / (there - back);
    return from + there * smaller(larger(s, 0), h);
}

static bound bound_step(const point *from, const point *to, double h) {
    interval q = velocities(from->rate, from->curve, to->rate, to->curve, h), v = q;
    if (from->rate != from->v || to->rate != to->v)
        v = velocities(from->v, from->a, to->v, to->a, h);
    double lo = furthest(from->q, to->q, h, q.lo, q.hi), hi = furthest(from->q, to->q, h, q.hi, q.lo);
    return (bound){{smaller(lo, smaller(from->q, to->q)), larger(hi, larger(from->q, to->q))}, v};
}

// `steps` more of them, the way that it goes
static interval widen(interval a, double slope, double steps) {
    double width = a.hi - a.lo, ahead = steps * width, behind = BEHIND * width;
    return slope < 0 ? (interval){a.lo - ahead, a.hi + behind} : (interval){a.lo - behind, a.hi + ahead};
}

static void widen_all(region *r, double steps) {
    for (int i = 0; i < r->watch->coordinates.count; i++)
        r->safe[i] =
            (bound){widen(r->step[i].q, r->next[i].rate, steps), widen(r->step[i].v, r->next[i].a, steps)};
    r->safe_time = widen(r->step_time, 1, steps);
}

// ---- what is watched, within `safe`

static interval input(const region *r, int x) {
    const trm_system *sys = r->sys;
    if (x == 0)
        return r->safe_time;
    if (x >= sys->x_a)
        return interval_of(state_input(r->st, x));
    bool position = x < sys->x_v;
    const bound *of = &r->safe[r->watch->number[x - (position ? sys->x_q : sys->x_v)]];
    return position ? of->q : of->v;
}

static bool is_safe(region *r) {
    for (int g = 0; g < r->watch->groups.count; g++) {
        const watch_group *group = &r->watch->groups.at[g];
        const int *inputs = group->inputs;
        int count = kernel_inputs(group->kernel);
        for (int i = 0; i < group->count; i++, inputs += count) {
            for (int k = 0; k < count; k++)
                r->in[k] = input(r, inputs[k]);
            kernel_bound(group->kernel, &(bounds){.in = r->in, .out = r->out, .work = r->work[g]});
            if (!watch_all_harmless(group, r->out))
                return false;
        }
    }
    return true;
}

static bool inside(interval a, interval b) {
    return a.lo >= b.lo && a.hi <= b.hi;
}

static bool step_is_inside(const region *r) {
    bool all = inside(r->step_time, r->safe_time);
    for (int i = 0; i < r->watch->coordinates.count && all; i++)
        all = inside(r->step[i].q, r->safe[i].q) && inside(r->step[i].v, r->safe[i].v);
    return all;
}

// bounds as wide as they can be, with the step in them
static bool find_safe(region *r) {
    r->ahead = r->ahead < AHEAD_MOST ? 2 * r->ahead : AHEAD_MOST;
    for (; r->ahead > 0; r->ahead /= 4) {
        widen_all(r, r->ahead);
        if (is_safe(r))
            return true;
    }
    r->ahead = 1;
    memcpy(r->safe, r->step, (size_t)r->watch->coordinates.count * sizeof *r->safe);
    r->safe_time = r->step_time;
    return is_safe(r);
}

bool region_clear(region *r, double t, const double *q, const double *v, const double *a) {
    double h = t - r->last_time;
    r->step_time = (interval){r->last_time, t};
    gather(r, q, v, a, r->next);
    for (int i = 0; i < r->watch->coordinates.count; i++)
        r->step[i] = bound_step(&r->last[i], &r->next[i], h);
    if (!(r->known && step_is_inside(r)))
        r->known = find_safe(r);
    return r->known;
}
