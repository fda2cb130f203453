/* Newton's method for rows from a rough guess: where rows depend on each other on the solution but not off
 * it, plain steps divide by next to nothing. After Levenberg and Marquardt each step is the least of
 *
 *   dx' M dx + |A dx + r|^2 / mu        rows at unit length
 *
 * with mu lowered after a step that brought the rows nearer, and raised after one that did not. */
#ifndef TRAMMEL_MOTION_ROUGH_H
#define TRAMMEL_MOTION_ROUGH_H

#include "motion/project.h"

/* Moves x until no step brings the rows nearer; the caller then looks whether they hold. Memory is of the
 * arena. */
void rough_approach(arena *a, const newton_problem *p, double *x);

#endif
