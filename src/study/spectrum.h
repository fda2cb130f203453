/* The eigenvalues of a linear system whose state can be moved without a change of the equations. */
#ifndef TRAMMEL_STUDY_SPECTRUM_H
#define TRAMMEL_STUDY_SPECTRUM_H

#include "base/arena.h"

#include <stdbool.h>

/* Of A (size x size) to re, im (size): the largest real parts first, then the slowest. moves (count x size,
 * by rows) are directions that A turns into each other; they may depend on each other and are spoiled. */
bool spectrum_find(arena *a, const double *A, int size, double *moves, int count, double *re, double *im);

#endif
