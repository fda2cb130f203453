#include "motion/events.h"

#include "motion/search.h"

#include <math.h>
#include <string.h>

enum { DIP_MOST = 40 };           // looks for the lowest point of a distance
static const double CLOSE = 1e-9; // of the span

void events_create(events *e, arena *a) {
    e->happened = arena_array(a, bool, e->count + 1);
    e->now = arena_doubles(a, (size_t)e->count + 1);
    for (int i = 0; i < 3; i++)
        e->distance[i] = arena_doubles(a, (size_t)e->count + 1);
}

void events_begin(events *e) {
    e->kept = 0;
    e->shown = NAN;
}

static bool look(events *e, double t) {
    if (t == e->shown)
        return true;
    bool seen = e->look(e->context, t, e->happened, e->now);
    e->shown = seen ? t : NAN;
    return seen;
}

// at the last look: the first that has come true, -1 if none has; `only` that one, if it is not -1
static int come_true(const events *e, int only) {
    for (int i = 0; i < e->count; i++)
        if (e->happened[i] && (only < 0 || only == i))
            return i;
    return -1;
}

static void keep_look(events *e, double t) {
    double *oldest = e->distance[0];
    e->distance[0] = e->distance[1];
    e->distance[1] = e->distance[2];
    e->distance[2] = oldest;
    memcpy(oldest, e->now, (size_t)e->count * sizeof *oldest);
    e->time[0] = e->time[1];
    e->time[1] = e->time[2];
    e->time[2] = t;
    e->kept += e->kept < 3;
}

typedef struct {
    events *e;
    int only;
} one_of;

static bool has_come_true(void *context, double t) {
    const one_of *o = context;
    return look(o->e, t) && come_true(o->e, o->only) >= 0;
}

static double distance_at(void *context, double t) {
    const one_of *o = context;
    if (!look(o->e, t))
        return INFINITY;
    return o->e->happened[o->only] ? -1 : o->e->now[o->only];
}

// one that was true only between the last three looks, with a place where it was; -1 if none
static int find_dip(events *e, double *at) {
    for (int i = 0; i < e->count && e->kept == 3; i++) {
        search_dip d;
        for (int k = 0; k < 3; k++) {
            d.t[k] = e->time[k];
            d.f[k] = e->distance[k][i];
        }
        if (!(d.f[1] < d.f[0] && d.f[1] < d.f[2]))
            continue;
        search_least(&d, distance_at, &(one_of){e, i}, 0, true, e->least, DIP_MOST);
        *at = d.t[1];
        if (d.f[1] < 0)
            return i;
    }
    return -1;
}

int events_find(events *e, double from, double *to) {
    double at = *to;
    if (!look(e, at))
        return -1;
    keep_look(e, at);
    int which = come_true(e, -1), only = -1;
    if (which < 0) {
        which = only = find_dip(e, &at);
        from = which >= 0 ? e->time[0] : from;
    }
    while (which >= 0 && at > from) {
        at = search_border(has_come_true, &(one_of){e, only}, from, at, e->least);
        which = look(e, at) ? come_true(e, only) : -1;
        if (which >= 0 && !(e->passes && e->passes(e->context, which))) {
            *to = at;
            return which;
        }
        from = at;
        at = *to;
        only = -1;
        e->shown = NAN; // what passed is compared with something else from there on
        which = look(e, at) ? come_true(e, -1) : -1;
    }
    if (look(e, *to) && e->keep)
        e->keep(e->context);
    return -1;
}

bool event_chatters(event_record *r, double t, double span, int most) {
    r->close = t - r->last < CLOSE * span ? r->close + 1 : 0;
    r->last = t;
    return r->close >= most;
}
