/* Where a system comes to rest, from a guess: positions q on the constraints at which the acceleration that
 * goes with the velocities X(q) is that of X, with X = 0 or a motion of the whole (steady.h). */
#ifndef TRAMMEL_STUDY_SETTLE_H
#define TRAMMEL_STUDY_SETTLE_H

#include "study/slopes.h"

typedef enum {
    SETTLE_FOUND,
    SETTLE_NONE,    // the accelerations do not vanish near the last point, but are least there
    SETTLE_RUNS_OFF // nothing pulls back: positions grew without bound
} settle_end;

typedef struct {
    arena *arena;
    slopes_of *of;
    double t, tolerance;
    const double *S;       // (n x n) of X, in natural units; NULL: X = 0
    const double *q0, *v0; // (n) X = v0 + S (q - q0), natural units as well
} settle_problem;

typedef struct {
    settle_end end;
    bool near;    // so close to the guess that it was taken, stable or not
    int steps;    // accelerations with slopes
    double *left; // (n) acceleration that is left, in the units of the model
    int worst;    // the coordinate of the largest of them, as parts of their scales
    double part;  // that one, as a part of the usual accelerations
    double moved; // largest |q - guess|/scale
} settle_result;

/* q (n): the guess, on the constraints; becomes what was found, or the nearest approach. v (n) becomes X(q).
 */
settle_result settle(const settle_problem *p, double *q, double *v);

#endif
