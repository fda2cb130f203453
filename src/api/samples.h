/* Where the samples of a run go: to a file, to a record for pictures, to both, or nowhere. */
#ifndef TRAMMEL_API_SAMPLES_H
#define TRAMMEL_API_SAMPLES_H

#include <trammel/trammel.h>

#include "report/csv.h"
#include "report/record.h"

/* Where samples go. Time spent on writing is not simulation. */
typedef struct {
    csv csv;
    trm_file *follower; // who wants to know how far the file is; may be NULL
    double seconds;
    record *record;                                                  // NULL: nothing is kept
    int (*callback)(void *context, const double *values, int count); // NULL: there is none
    void *context;
    bool refused; // it took no more
    const model *model;
    double *values; // (columns) for it
} outlet;

/* Makes what the run is to keep and opens its file, and makes them the sink of its options. */
trm_status samples_open(trm_result *r, const trm_run_def *def, run_options *o);
/* Closes the file, if there is one. False, with a message, if not all samples came to be in it; `taken` says
 * whether the sink took all that it was given. */
bool samples_close(trm_result *r, bool taken);
/* The same where memory ran out in the run, without a word. */
void samples_abandon(outlet *out);

#endif
