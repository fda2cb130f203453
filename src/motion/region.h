/* A rough look at steps, before their dense output is asked for: can anything that is watched
 * (system/watch.h) have happened on the way from one state to the next?
 *
 * Velocities are bounded by the cubic with the accelerations at both ends for its slopes, and somewhat more;
 * positions by these: no further from either end than the velocities take them. If nothing can happen within
 * these bounds, bounds some steps wider are tried as well, and as long as the motion stays within them it is
 * not asked again: of ten steps nine cost a comparison. */
#ifndef TRAMMEL_MOTION_REGION_H
#define TRAMMEL_MOTION_REGION_H

#include "system/state.h"

typedef struct region region;

region *region_new(arena *a, const trm_system *sys, const trm_state *st);
/* The motion goes on from here: q, v, a (n) are position, velocity and acceleration. */
void region_start(region *r, double t, const double *q, const double *v, const double *a);
/* Whether nothing can have happened on the way to this state. */
bool region_clear(region *r, double t, const double *q, const double *v, const double *a);

#endif
