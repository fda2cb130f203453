/* A point of a picture: where it is, and how the coordinates move it. By it a force that acts there becomes
 * one on the coordinates, Q = J'F. */
#ifndef TRAMMEL_SYSTEM_GRIP_H
#define TRAMMEL_SYSTEM_GRIP_H

#include "system/system.h"

/* So far on the way from one point of the picture to another, or at a distance from one in axes that turn. */
typedef struct {
    model_views from, to; // pairs or triples; to: count 0 where there is none
    double part;          // 0 is from, 1 is to
    model_views turn;     // a quaternion, an angle about z, or count 0
    double offset[3];     // in its axes
} grip_place;

typedef struct {
    int size;            // 2 or 3
    int count;           // coordinates that move it
    const int *which;    // (count) these
    const double *at;    // (size) where it is
    const double *slope; // (size x count) by each of them
    struct grip_kernel *kernel;
} grip;

/* False where it is made of more than positions and the time, or has no derivative. */
bool grip_new(arena *a, const trm_system *sys, const grip_place *where, grip *out);
/* Finds `at` and `slope` at the time t and positions q (n). */
void grip_find(const grip *p, double t, const double *q);

#endif
