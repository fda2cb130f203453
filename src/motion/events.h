/* Conditions along a step, and the instant at which one of them comes true. They are looked at in some places
 * of the step, in order. Where one has come true that had not at the place before, the border between both is
 * found by halving, to neighbouring numbers. Most also tell how far they are from it: a distance that comes
 * near to 0 and goes away again may have been below in between, so its lowest point is sought. */
#ifndef TRAMMEL_MOTION_EVENTS_H
#define TRAMMEL_MOTION_EVENTS_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    int count; // conditions
    /* At t: which have come true, and how far the others are from it, > 0; NAN where that is not known. False
     * where the state cannot be had: then nothing is seen there. */
    bool (*look)(void *context, double t, bool *happened, double *distance);
    /* After it was looked at where it comes true: whether that does not count after all. May be NULL. */
    bool (*passes)(void *context, int which);
    /* Nothing has come true up to the place that was looked at last: what later ones are compared with. May
     * be NULL. */
    void (*keep)(void *context);
    void *context;
    double least; // times nearer than this are not told apart
    // the rest is found by the functions below
    bool *happened;
    double *now, *distance[3], time[3];
    int kept;     // looks in this step, 3 at most
    double shown; // the time of the last look
} events;

/* Memory for `count` conditions. */
void events_create(events *e, arena *a);
/* A step begins. */
void events_begin(events *e);
/* The first condition that comes true behind `from`, the place before, and not behind *to; then *to is the
 * instant, at which it is true. -1 if none does. */
int events_find(events *e, double from, double *to);

/* What changes how the motion goes on, and may do so to and fro without getting anywhere. */
typedef struct {
    double last; // when it changed
    int close;   // how often since then it did right behind the time before
} event_record;

/* Notes a change at t; true where that was the `most`th in a row, each within a billionth of the span behind
 * the last. */
bool event_chatters(event_record *r, double t, double span, int most);

#endif
