/* A consistent start from the initial values: exact ones stay, guesses move, by the least change in the mass
 * metric. */
#ifndef TRAMMEL_MOTION_ASSEMBLE_H
#define TRAMMEL_MOTION_ASSEMBLE_H

#include "motion/failure.h"

typedef struct {
    double *q, *v;             // (n) the assembled start
    double *q_typed, *v_typed; // (n) what was typed
    int branching;             // row by which the start is a singular position, see branching_row
} start_state;

/* Fills s, or f if the initial values contradict the constraints. */
bool assemble(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance, start_state *s,
              failure *f);

/* A row that depends on the others at q, but not beside it, so that motions in several directions lead on
 * from there; -1 if there is none. */
int branching_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q);

#endif
