/* The shapes that go with the eigenvalues of a linear system. */
#ifndef TRAMMEL_STUDY_MODES_H
#define TRAMMEL_STUDY_MODES_H

#include "base/arena.h"

#include <complex.h>
#include <stdbool.h>

typedef struct {
    double complex *shape; // (size) A shape = lambda shape, the largest of the positions being 1; NULL: none
    int leading;           // the component that is 1
    int times;             // how often the eigenvalue is among all, up to rounding
} mode;

/* One for each eigenvalue re + i im of A (size x size), whose first `positions` components are positions and
 * the others velocities. Those of a repeated eigenvalue are a basis: mixtures of them are shapes, too. It may
 * have fewer of them than it is often; then the last have none. Eigenvalues that differ by less than `same`,
 * beside the largest, are one that is repeated. NULL if they cannot be found.
 * T (size x size), or NULL: what is told are T shape. */
mode *modes_find(arena *a, const double *A, int size, int positions, const double *re, const double *im,
                 double same, const double *T);

#endif
