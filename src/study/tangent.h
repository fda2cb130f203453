/* Which coordinates may be chosen freely where rows hold, and how the others go with them. */
#ifndef TRAMMEL_STUDY_TANGENT_H
#define TRAMMEL_STUDY_TANGENT_H

#include "base/arena.h"

#include <stdbool.h>

/* All x (n) with rows x = right (a matrix: k right sides) are basis u + offset, u the values of the
 * independent components. */
typedef struct {
    int n, count;
    int *independent; // (count) ascending
    bool *dependent;  // (n)
    double *basis;    // (n x count): a row of the identity for each independent one
    double *offset;   // (n x k): 0 for independent ones
} tangent;

/* rows (m x n), linearly independent; right (m x k). Components that are marked in `first` (n, or NULL)
 * become dependent before any other. No entry of the basis is much above 1, where that can be had. */
tangent *tangent_choose(arena *a, const double *rows, int m, int n, const bool *first, const double *right,
                        int k);

#endif
