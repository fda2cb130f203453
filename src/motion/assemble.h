/* A consistent start from the initial values: exact ones stay, guesses move, by the least change in the mass
 * metric. */
#ifndef TRAMMEL_MOTION_ASSEMBLE_H
#define TRAMMEL_MOTION_ASSEMBLE_H

#include "motion/failure.h"

typedef struct {
    double *q, *v;             // (n) the assembled start
    double *q_typed, *v_typed; // (n) what was typed
    int branching;             // row by which the start is a singular position, see branching_row
    int near;                  // row by which it is nearly one, see near_row
} start_state;

/* Fills s, or f if the initial values contradict the constraints. */
bool assemble(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance, start_state *s,
              failure *f);

/* lead.c: positions that initial values of joints ask for, by the system in which these are rows; exact
 * coordinates (n) stay. False, and q as it was, if there is no way. */
bool lead(arena *work, const trm_system *sys, trm_state *st, double t, double tolerance, const bool *exact,
          double *q);

/* A row that depends on the others at q, but not beside it, so that motions in several directions lead on
 * from there; -1 if there is none. */
int branching_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q);
/* A row of which hardly anything is left at q once the others are taken out of it, but more beside it or a
 * moment later, with the velocities v; -1 if there is none. */
int near_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q, const double *v);
/* A row that holds at this state and has one sign all around it, `above` or below 0: it cannot be held. -1 if
 * there is none. */
int one_sided_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                  bool *above);

#endif
