/* q'' and the constraint force by one of the papers' formulations, in coordinates or in quasi-velocities. */
#ifndef TRAMMEL_SOLVE_FORMULATED_H
#define TRAMMEL_SOLVE_FORMULATED_H

#include "solve/papers/papers.h"

typedef struct {
    const formulation *by;
    papers *papers;
    double *M_full, *A_full;              // (n x n), (m x n): what is given
    double *force;                        // (n) Q^c of the last solve, its non-ideal part included
    double *none;                         // (n) zero: C where there is none
    double *H, *M, *Q, *C, *A, *b, *rate; // in quasi-velocities: G^-1, M_s, S, C_s, A_s, b_s, s'; else NULL
} formulated;

#endif
