/* Where the time of a run goes, if that is asked for. Parts are entered and left; within a projection or a
 * sample all time is theirs, whatever is called from there. */
#ifndef TRAMMEL_BASE_PROFILE_H
#define TRAMMEL_BASE_PROFILE_H

#include <stddef.h>
#include <time.h>

typedef enum {
    PROFILE_STEPS,    // the integrator itself, and what no other part has
    PROFILE_EVALUATE, // kernels
    PROFILE_SOLVE,    // factorisations and solutions
    PROFILE_PROJECT,
    PROFILE_SAMPLE,
    PROFILE_START, // memory, patterns, assembly
    PROFILE_PARTS
} profile_part;

typedef struct {
    double seconds[PROFILE_PARTS];
    long calls[PROFILE_PARTS];
    profile_part now;
    double since;
} profile;

static inline double profile_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void profile_turn_to(profile *p, profile_part part) {
    double now = profile_clock();
    p->seconds[p->now] += now - p->since;
    p->since = now;
    p->now = part;
}

/* p may be NULL: nothing is measured. Returns what profile_leave wants. */
static inline profile_part profile_enter(profile *p, profile_part part) {
    if (p == NULL || p->now >= PROFILE_PROJECT)
        return PROFILE_PARTS;
    profile_part before = p->now;
    p->calls[part]++;
    profile_turn_to(p, part);
    return before;
}

static inline void profile_leave(profile *p, profile_part before) {
    if (before != PROFILE_PARTS)
        profile_turn_to(p, before);
}

#endif
