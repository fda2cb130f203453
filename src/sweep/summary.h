/* What a sweep came to, for people and as JSON. */
#ifndef TRAMMEL_SWEEP_SUMMARY_H
#define TRAMMEL_SWEEP_SUMMARY_H

#include "sweep/export.h"

typedef struct {
    const sweep_store *store;
    const char *title;       // of the model, or its file
    const char *kind;        // of the plan
    const char *const *vary; // (vary_count) what was varied, as it was given
    int vary_count;
    double seconds; // of this process; 0: nothing was done now
    long done_now;
    int threads;
} sweep_about;

const char *sweep_summary(arena *a, const sweep_about *s);
const char *sweep_json(arena *a, const sweep_about *s);

/* Whether a parameter was varied in its logarithm, as its rule says. */
bool sweep_is_log(const sweep_about *s, const char *parameter);

/* Least and largest value of a column over the cases that have one; false if none has. */
typedef struct {
    double least, largest;
    long least_at, largest_at;
} sweep_extremes;
bool sweep_extremes_of(const sweep_store *s, sweep_extremes *out, bool *known); // (columns) both

#endif
