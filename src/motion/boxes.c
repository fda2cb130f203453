#include "motion/boxes.h"

#include "motion/curve.h"
#include "motion/search.h"
#include "system/natural.h"
#include "system/watch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 64 };
/* Of a polynomial for velocities that are not part of the state. */
enum { VELOCITY_DEGREE = 8 };
/* Of what the dense output tells. */
static const double ROUNDING = 4 * DBL_EPSILON;
/* Of the tolerance: what is nearer to 0 than such a change of the state would make it has no sign. */
static const double UNSURE = 1e-3;

/* Of a coordinate or of its velocity. The method has a polynomial for each: the derivative of the first is
 * not the second, but for its error, which is large where a multistep method begins with order 1. */
typedef struct {
    double c[CURVE_POINTS];
    int degree;
    int fetched; // the step that c is of
    int bounded; // the part of a step that the bounds are of
    interval value, slope;
} path;

typedef struct { // that arguments depend on
    path q, v;
} coordinate;

typedef struct {
    int instance, argument;
    double level; // that it crosses
} crossing;

struct boxes {
    const trm_system *sys;
    const trm_state *st;
    const system_watch *watch;
    double tolerance;
    boxes_velocities velocities;
    void *context;
    // the step
    const integrator_ops *method;
    integrator *it;
    double before, h;
    int degree;
    int step, part; // how many there were
    double from, to;
    coordinate *coordinates; // (watch->coordinates)
    double *own_velocities;  // (VELOCITY_DEGREE + 1) x n, along the step
    int own_fetched;         // the step that these are of
    bool own_known;          // they could be had
    // lists of instances that are not settled, one behind the other
    int *listed, begin[LISTS], lists, count; // begin of each, their number, the end of the last
    int spent, most;                         // instances looked at, and how many may be
    crossing crossings[BOXES_CROSSINGS];
    int crossing_count;
    // workspace
    int *first;                   // (groups) number of its first instance
    interval **work, *slope_work; // (groups) as prepared
    interval *in, *slope_in, *out, *slope_out, *middle;
};

boxes *boxes_new(arena *a, const trm_system *sys, const system_watch *w, const trm_state *st,
                 double tolerance, boxes_velocities velocities, void *context) {
    boxes *b = arena_alloc(a, sizeof *b);
    b->sys = sys;
    b->st = st;
    b->watch = w;
    b->tolerance = tolerance;
    b->velocities = velocities;
    b->context = context;
    b->most = BOXES_MOST;
    if (velocities)
        b->own_velocities = arena_doubles(a, (VELOCITY_DEGREE + 1) * (size_t)sys->n);
    b->coordinates = arena_array(a, coordinate, w->coordinates.count + 1);
    b->listed = arena_array(a, int, w->instances + BOXES_MOST + 1);
    b->first = arena_array(a, int, w->groups.count + 1);
    b->work = watch_workspaces(a, w, st);
    b->slope_work = arena_array(a, interval, w->most_work + 1);
    b->in = arena_array(a, interval, w->most_inputs + 1);
    b->slope_in = arena_array(a, interval, w->most_inputs + 1);
    b->out = arena_array(a, interval, w->most_arguments + 1);
    b->slope_out = arena_array(a, interval, w->most_arguments + 1);
    b->middle = arena_array(a, interval, w->most_arguments + 1);
    for (int g = 0, first = 0; g < w->groups.count; first += w->groups.at[g++].count)
        b->first[g] = first;
    return b;
}

bool boxes_exhausted(const boxes *b) {
    return b->spent > b->most;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

int boxes_begin(boxes *b, const integrator_ops *method, integrator *it, double before, double end) {
    b->method = method;
    b->it = it;
    b->before = before;
    b->h = end - before;
    b->step++;
    b->most = boxes_exhausted(b) ? larger(b->most / 2, BOXES_LEAST) : smaller(2 * b->most, BOXES_MOST);
    b->lists = b->count = b->spent = 0;
    return method->curve(it, &b->degree);
}

// ---- the state over a part of the step

static interval range(const double *c, int degree) {
    interval all = interval_of(c[0]);
    for (int k = 1; k <= degree; k++)
        all = interval_hull(all, interval_of(c[k]));
    return all;
}

static interval range_of_part(const boxes *b, const double *c, int degree) {
    double part[CURVE_POINTS];
    curve_part(c, degree, b->from, b->to, part);
    interval all = range(part, degree);
    double error = ROUNDING * fmax(fabs(all.lo), fabs(all.hi));
    return (interval){all.lo - error, all.hi + error};
}

// the derivative by time of what has these coefficients
static void derive(const boxes *b, const double *c, int degree, double *out) {
    curve_derive(c, degree, out);
    for (int k = 0; k < degree; k++)
        out[k] /= b->h;
}

static void fetch_own_velocities(boxes *b) {
    if (b->own_fetched == b->step)
        return;
    b->own_fetched = b->step;
    b->own_known = true;
    for (int k = 0; k <= VELOCITY_DEGREE && b->own_known; k++)
        b->own_known = b->velocities(b->context, (double)k / VELOCITY_DEGREE,
                                     b->own_velocities + (size_t)k * (size_t)b->sys->n);
}

static void fetch_own_velocity(boxes *b, int i, path *p) {
    double values[VELOCITY_DEGREE + 1];
    fetch_own_velocities(b);
    if (b->own_known) {
        for (int k = 0; k <= VELOCITY_DEGREE; k++)
            values[k] = b->own_velocities[(size_t)k * (size_t)b->sys->n + (size_t)i];
        p->degree = VELOCITY_DEGREE;
        curve_through(values, VELOCITY_DEGREE, p->c);
    } else {
        double q[CURVE_POINTS];
        b->method->coefficients(b->it, i, q);
        p->degree = b->degree - 1;
        derive(b, q, b->degree, p->c);
    }
}

// of coordinate i, or of its velocity
static path *fetch(boxes *b, int i, bool position) {
    coordinate *of = &b->coordinates[b->watch->number[i]];
    path *p = position ? &of->q : &of->v;
    if (p->fetched == b->step)
        return p;
    p->fetched = b->step;
    if (!position && b->velocities) {
        fetch_own_velocity(b, i, p);
    } else {
        p->degree = b->degree;
        b->method->coefficients(b->it, position ? i : b->sys->n + i, p->c);
    }
    return p;
}

static const path *bounded(boxes *b, int i, bool position) {
    path *p = fetch(b, i, position);
    double c[CURVE_POINTS];
    if (p->bounded == b->part)
        return p;
    p->bounded = b->part;
    p->value = range_of_part(b, p->c, p->degree);
    derive(b, p->c, p->degree, c);
    p->slope = p->degree ? range_of_part(b, c, p->degree - 1) : interval_of(0);
    return p;
}

// the coordinate whose position or velocity is at x, or -1
static int coordinate_at(const trm_system *sys, int x, bool *position) {
    *position = x < sys->x_v;
    return x < sys->x_q || x >= sys->x_a ? -1 : x - (*position ? sys->x_q : sys->x_v);
}

static void bound_input(boxes *b, int x, interval *value, interval *slope) {
    bool position;
    int i = coordinate_at(b->sys, x, &position);
    if (x == 0) {
        *value = (interval){b->before + b->from * b->h, b->before + b->to * b->h};
        *slope = interval_of(1);
    } else if (i >= 0) {
        const path *p = bounded(b, i, position);
        *value = p->value;
        *slope = p->slope;
    } else {
        *value = interval_of(state_input(b->st, x));
        *slope = interval_of(0);
    }
}

// at one place, known to `unsure`, relative to its size and to itself
static interval point_input(boxes *b, int x, double at, double unsure) {
    bool position;
    int i = coordinate_at(b->sys, x, &position);
    if (x == 0)
        return interval_of(b->before + at * b->h);
    if (i < 0)
        return interval_of(state_input(b->st, x));
    const path *p = fetch(b, i, position);
    double slope, value = curve_at(p->c, p->degree, at, &slope);
    double size = natural_size(b->sys->natural, i, !position);
    double error = unsure * (size + fabs(value)) + ROUNDING * fabs(value);
    return (interval){value - error, value + error};
}

// ---- arguments of an instance

static int group_of(const boxes *b, int instance) {
    int g = 0;
    while (g + 1 < b->watch->groups.count && b->first[g + 1] <= instance)
        g++;
    return g;
}

static const int *inputs_of(const boxes *b, int g, int instance) {
    const watch_group *group = &b->watch->groups.at[g];
    return group->inputs + (size_t)(instance - b->first[g]) * (size_t)kernel_inputs(group->kernel);
}

static void bound_arguments(boxes *b, int g, int instance, bool slopes) {
    const kernel *k = b->watch->groups.at[g].kernel;
    const int *inputs = inputs_of(b, g, instance);
    for (int i = 0; i < kernel_inputs(k); i++)
        bound_input(b, inputs[i], &b->in[i], &b->slope_in[i]);
    kernel_bound(
        k, &(bounds){b->in, slopes ? b->slope_in : NULL, b->out, b->slope_out, b->work[g], b->slope_work});
}

static void arguments_at(boxes *b, int g, int instance, double x, double unsure, interval *out) {
    const kernel *k = b->watch->groups.at[g].kernel;
    const int *inputs = inputs_of(b, g, instance);
    for (int i = 0; i < kernel_inputs(k); i++)
        b->in[i] = point_input(b, inputs[i], x, unsure);
    kernel_bound(k, &(bounds){.in = b->in, .out = out, .work = b->work[g]});
}

// out becomes narrower by the slopes
static void narrow(boxes *b, int g, int instance) {
    double half = (b->to - b->from) / 2 * b->h;
    arguments_at(b, g, instance, (b->from + b->to) / 2, 0, b->middle);
    for (int i = 0; i < kernel_outputs(b->watch->groups.at[g].kernel); i++) {
        interval change = interval_multiply(b->slope_out[i], (interval){-half, half});
        b->out[i] = interval_meet(b->out[i], interval_add(b->middle[i], change));
    }
}

// of what crosses a level, less that, at x: -1, 0 or 1; 0 also where rounding hides it
static int sign_at(boxes *b, int g, const crossing *of, double x) {
    arguments_at(b, g, of->instance, x, 0, b->middle);
    interval value = b->middle[of->argument];
    return interval_has(value, of->level) ? 0 : value.lo > of->level ? 1 : -1;
}

typedef enum { HARMLESS, CROSSES, UNSURE_OF, OPEN } fate;

/* Of an argument that jumps at a level, and is not harmless. */
static fate fate_of_jump(boxes *b, int g, const crossing *of) {
    interval value = b->out[of->argument], slope = b->slope_out[of->argument];
    if (slope.lo > 0 || slope.hi < 0) {
        int first = sign_at(b, g, of, b->from), last = sign_at(b, g, of, b->to);
        return first * last > 0 ? HARMLESS : CROSSES;
    }
    bool moves = !b->watch->groups.at[g].arguments[of->argument].stops; // conditions are found however narrow
    arguments_at(b, g, of->instance, (b->from + b->to) / 2, moves ? UNSURE * b->tolerance : 0, b->middle);
    double least = fmin(of->level - b->middle[of->argument].lo, b->middle[of->argument].hi - of->level);
    return value.lo >= of->level - 2 * least && value.hi <= of->level + 2 * least ? UNSURE_OF : OPEN;
}

// of argument i, which is not harmless; *of: what crosses a level
static fate fate_of(boxes *b, int g, int instance, int i, crossing *of) {
    watch_rule rule = b->watch->groups.at[g].arguments[i].rule;
    *of = (crossing){instance, i, rule == WATCH_FLOOR ? floor(b->out[i].hi) : 0};
    bool one = rule == WATCH_SIGN || (rule == WATCH_FLOOR && floor(b->out[i].lo) == of->level - 1);
    return one ? fate_of_jump(b, g, of) : OPEN;
}

static void note_crossing(boxes *b, const crossing *of, const watch_argument *a, boxes_verdict *all) {
    if (b->crossing_count < BOXES_CROSSINGS)
        b->crossings[b->crossing_count++] = *of;
    all->crossings++;
    all->crosses_motion |= a->moves;
    all->crosses_stop |= a->stops;
}

// true if the instance is not settled: one of its arguments is not harmless
static bool look_closely(boxes *b, int g, int instance, boxes_verdict *all) {
    const watch_group *group = &b->watch->groups.at[g];
    bool any = false, open = false;
    bound_arguments(b, g, instance, true);
    narrow(b, g, instance);
    for (int i = 0; i < kernel_outputs(group->kernel); i++) {
        const watch_argument *a = &group->arguments[i];
        if (watch_harmless(a->rule, b->out[i]))
            continue;
        crossing of;
        fate found = fate_of(b, g, instance, i, &of);
        if (found == CROSSES)
            note_crossing(b, &of, a, all);
        any |= found != HARMLESS;
        all->crosses_motion |= found == UNSURE_OF && a->moves;
        all->crosses_stop |= found == UNSURE_OF && a->stops;
        open |= found == OPEN;
        all->open_smooth |= found == OPEN && a->rule != WATCH_SIGN && a->rule != WATCH_FLOOR;
    }
    all->open += open;
    return any;
}

static void look_at(boxes *b, int g, int instance, boxes_verdict *all) {
    bound_arguments(b, g, instance, false);
    if (watch_all_harmless(&b->watch->groups.at[g], b->out))
        return;
    b->spent++;
    if (look_closely(b, g, instance, all))
        b->listed[b->count++] = instance;
}

boxes_verdict boxes_look(boxes *b, double from, double to) {
    boxes_verdict all = {0};
    int begin = b->lists ? b->begin[b->lists - 1] : 0, end = b->count;
    b->from = from;
    b->to = to;
    b->part++;
    b->crossing_count = 0;
    if (b->lists == 0) {
        for (int g = 0, instance = 0; g < b->watch->groups.count; g++)
            for (int i = 0; i < b->watch->groups.at[g].count; i++)
                look_at(b, g, instance++, &all);
    } else {
        for (int i = begin; i < end && !boxes_exhausted(b); i++) {
            b->spent++;
            look_at(b, group_of(b, b->listed[i]), b->listed[i], &all);
        }
    }
    b->begin[b->lists++] = end;
    return all;
}

void boxes_close(boxes *b) {
    b->count = b->begin[--b->lists];
}

int boxes_shape(const boxes *b) {
    return b->watch->groups.at[group_of(b, b->listed[b->count - 1])].shape;
}

// ---- where signs change

typedef struct {
    boxes *b;
    int group, sign; // sign: at the beginning
    crossing of;
} seeking;

static bool has_changed(void *context, double x) {
    seeking *s = context;
    return sign_at(s->b, s->group, &s->of, x) != s->sign;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int boxes_crossings(boxes *b, double *x) {
    for (int i = 0; i < b->crossing_count; i++) {
        seeking s = {b, group_of(b, b->crossings[i].instance), 0, b->crossings[i]};
        s.sign = sign_at(b, s.group, &s.of, b->from);
        x[i] = search_border(has_changed, &s, b->from, b->to, 0);
    }
    qsort(x, (size_t)b->crossing_count, sizeof *x, ascending);
    return b->crossing_count;
}
