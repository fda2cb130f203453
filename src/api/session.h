/* A run that is advanced piece by piece: what trm_run does in one go, and sessions on demand. */
#ifndef TRAMMEL_API_SESSION_H
#define TRAMMEL_API_SESSION_H

#include "api/objects.h"

/* One run of a result's system. */
typedef struct drive {
    run_options options; // the run looks at these
    arena *arena;        // of its states
    running *run;
    profile *profile;
    double began;
} drive;

/* Makes the states and begins: the start is assembled and sampled. */
void drive_begin(drive *d, trm_result *r, const trm_system *sys, const trm_run_def *def,
                 const run_options *o);
/* Ends it, with the times that it took. */
run_report *drive_end(drive *d, trm_result *r);

#endif
