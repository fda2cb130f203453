/* A x = b where only products with A are known, by generalised minimal residuals (Saad, Schultz, SIAM J. Sci.
 * Stat. Comput. 7 (1986) 856), with something near to A^-1 from the right: of all x in a space that grows by
 * one product at a time, the one that leaves least of b, each component measured by its size. */
#ifndef TRAMMEL_LINEAR_GMRES_H
#define TRAMMEL_LINEAR_GMRES_H

#include "base/arena.h"

#include <stdbool.h>

enum { GMRES_MOST = 20 }; // products

typedef struct {
    bool (*times)(void *context, const double *x, double *out); // out = A x; false: it has no value
    void (*nearly)(void *context, double *x);                   // x <- about A^-1 x
    const double *size;                                         // (n) > 0
    void *context;
} gmres_problem;

typedef struct gmres gmres;
gmres *gmres_new(arena *a, int n);
/* x: b, then what leaves this part of it, or as little as GMRES_MOST products allow. False if one of them has
 * no value. */
bool gmres_solve(gmres *g, const gmres_problem *p, double part, double *x);

#endif
