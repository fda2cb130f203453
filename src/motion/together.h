/* Runs that are advanced side by side: the stages of their steps, and what follows from these, are computed
 * for several at once, in lanes (code/kernel.h). Each has its own time, step and error; what a run comes to
 * is to the bit what run_advance gives, whatever runs beside it. Where a lane meets what takes more than
 * arithmetic, its step is tried again by itself. */
#ifndef TRAMMEL_MOTION_TOGETHER_H
#define TRAMMEL_MOTION_TOGETHER_H

#include "motion/run.h"

enum { TOGETHER_MOST = 3 * KERNEL_LANES };

typedef struct together together;

together *together_new(arena *a);
/* Takes a run that has begun to a free place, of TOGETHER_MOST. False if it cannot go in lanes, or there is
 * no group of lanes left for its kind: it is to go alone. */
bool together_join(together *w, running *r, int at);
bool together_has(const together *w, int at);
bool together_is_full(const together *w); // there are enough of one kind: more would not be faster
/* Goes on, with those of one kind, until one of them has ended, which leaves its place; returns that. There
 * is one at least. */
int together_advance(together *w);
/* After memory ran out in that: lets go of the run in which it did; returns its place. */
int together_drop(together *w);

#endif
