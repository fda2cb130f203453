/* Why a run could not go on, for people and for the JSON summary. */
#ifndef TRAMMEL_MOTION_FAILURE_H
#define TRAMMEL_MOTION_FAILURE_H

#include "solve/solve.h"

typedef struct {
    bool failed;
    const char *message, *hint; // hint may be NULL
    const char *constraint;     // the row's name, or NULL
    place at;                   // its place in the text; source NULL for none
    double time;
    bool unsuitable; // what was asked for is nothing for this model
} failure;

/* Fills f from how a call of solve.h went. */
void failure_of_solve(failure *f, arena *a, const trm_system *sys, trm_state *st, outcome why, double time);
/* Where a function of the host failed, that is why; else f stays. */
bool failure_of_refusal(failure *f, arena *a, const trm_state *st, double time);
/* A row that is off by more than it may be. `what` is "position" or "velocity". */
void failure_of_row(failure *f, arena *a, const trm_system *sys, int row, const char *what, double residual,
                    double allowed, double time);
/* A row that depends on others but asks for another acceleration; miss is the relative difference. */
void failure_of_contradiction(failure *f, arena *a, const trm_system *sys, int row, double miss, double time);
/* A row that is 0 here and has one sign all around. */
void failure_of_sides(failure *f, arena *a, const trm_system *sys, int row, bool above, double time);
const char *failure_row_name(arena *a, const trm_system *sys, int row);

#endif
