/* The point on the constraints that is nearest to a given one, in the metric M:
 *
 *   least (x - x0)' M (x - x0)  with all rows at zero
 *
 * From a point on the constraints it moves along them towards x0 and comes back onto them, with steps after
 * Barzilai and Borwein that must bring it nearer. Where the rows are linear the first step is the last. */
#ifndef TRAMMEL_MOTION_NEAREST_H
#define TRAMMEL_MOTION_NEAREST_H

#include "linear/sparsity.h"

#include <stdbool.h>

typedef struct {
    int n;
    sparsity M_pattern;
    const double *M;    // definite
    const double *size; // (n) of the components of x, beside which a step is small
    void *context;
    /* The part of d (n) along the constraints at x, in the metric M; false if it cannot be found. */
    bool (*along)(void *context, const double *x, const double *d, double *out);
    bool (*restore)(void *context, double *x); // back onto the constraints; false if it cannot
} nearest_problem;

/* Moves x (n), which is on the constraints, as near to x0 as it gets. */
void nearest_point(arena *a, const nearest_problem *p, const double *x0, double *x);

#endif
