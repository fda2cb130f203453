/* Where the transfer from one input to one output vanishes. */
#ifndef TRAMMEL_STUDY_ZEROS_H
#define TRAMMEL_STUDY_ZEROS_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    int count;       // -1: the input does not reach the output
    double *re, *im; // (count)
    double gain;     // transfer = gain s^-order (s - z1)... / ... where s is large
    int order;       // so many more poles than zeros
} transfer_zeros;

/* Of x' = A x + b u, y = c x + d u, A (n x n), b (n, at that distance), c (n). False if they cannot be found.
 */
bool zeros_find(arena *a, int n, const double *A, const double *b, int stride, const double *c, double d,
                transfer_zeros *out);

#endif
