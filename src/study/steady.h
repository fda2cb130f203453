/* Whether a state belongs to a steady motion: one along which the system turns, shifts and spins as a whole,
 * so that it looks the same at every instant. */
#ifndef TRAMMEL_STUDY_STEADY_H
#define TRAMMEL_STUDY_STEADY_H

#include "study/slopes.h"

/* The state changes as q' = S q + c, v' = S v, in natural units as slopes are. S is antisymmetric in the
 * model's: a coordinate that grows uniformly has a part in c alone. */
typedef struct {
    double *S; // (n x n)
    bool steady;
    bool resting;  // nothing changes at all
    double off;    // largest rate that this does not explain
    int off_where; // its coordinate; + n if it is that of the velocity
    int move_count;
    double *moves; // (move_count x 2 n) ways to move the state to another that is the same to the equations
} steady_motion;

/* A state beside the given one on the constraints at time t: z (2 n) = (q, v) of the model, the same for the
 * same number. False if it cannot be found. */
typedef bool beside(void *context, int number, double t, double *z);

/* A motion of the whole that has the velocities at hand, or, where rows change with time, comes next to them
 * and goes with these rows, whatever the accelerations: S (n x n), and in v (n) its velocities here; NULL if
 * there is none. */
const double *steady_carry(arena *a, const slopes_of *c, double t, const slopes *s, beside *other,
                           void *context, double *v);

/* s: slopes at time t. */
steady_motion *steady_find(arena *a, const slopes_of *c, double t, const slopes *s, beside *other,
                           void *context);

#endif
