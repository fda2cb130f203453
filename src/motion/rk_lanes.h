/* Steps of up to eight runs at once, whose systems are alike. */
#ifndef TRAMMEL_MOTION_RK_LANES_H
#define TRAMMEL_MOTION_RK_LANES_H

#include "motion/run.h"

typedef struct rk_lanes rk_lanes;

rk_lanes *rk_lanes_new(arena *a);
/* Whether a run that has begun can go in lanes at all. */
bool rk_lanes_can(const running *r);
/* It takes a lane, and returns that; -1: there is none for it, or it is not like the others. */
int rk_lanes_join(rk_lanes *w, running *r);
int rk_lanes_count(const rk_lanes *w);
/* Goes on until one of them has ended, and returns its lane. There is one at least. */
int rk_lanes_advance(rk_lanes *w);
int rk_lanes_now(const rk_lanes *w); // the lane that was at work last, if that was left where memory ran out
void rk_lanes_leave(rk_lanes *w, int lane);

#endif
