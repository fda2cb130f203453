/* What all solvers of the constrained acceleration hold numbers against: dense.c, the files of sparse.h, and
 * the kernel of system/direct.c. What concerns the mass alone is in mass.h. */
#ifndef TRAMMEL_LINEAR_ACCURACY_H
#define TRAMMEL_LINEAR_ACCURACY_H

/* Squared remainders of rows above this leave half the digits in a Gram matrix, and refinement restores the
 * others: the rows are out of doubt. Below, errors of 3e-4 to 3e-1 were measured (rows that are dependent up
 * to 1e-6 to 1e-10). */
static const double GRAM_CLEAR = 1e-8;

/* A refinement that moves x by this part leaves about its square. More than one is rarely needed: where rows
 * are nearly dependent in the metric of the mass, or M is nearly singular along what they fix. */
static const double REFINED = 1e-8;
enum { REFINEMENTS = 3 };

/* A quick way that failed is not tried again for so many factorisations. */
enum { CALM_CALLS = 64 };

#endif
