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

// clang-format off
/* Rank: a row, at unit length and in natural units, depends on others if no more remains of it than its own error. That
 * follows from how far the state may be off the constraints, `off`, as a part of the scales of the coordinates:
 *
 *   rounding   at an assembled start, and of rows that do not change: covers noise of 1e-12 in A, keeps rows that
 *              differ by 1e-10
 *   30 off     rows change with the state, and one depends on several. (x, y) = (cos p, sin p) with x^2 + y^2 = 1, 200
 *              states each off by 1e-14 to 1e-5: the error of q'' is 5 off; with rounding alone the third row was kept,
 *              and the error up to 1500
 *   1e-6       in a run whose rows change: keeps a mechanism on its branch where it passes a singular position (a
 *              parallelogram, 1e-15 to 1e-2: smaller ones leave the branch, larger ones lose accuracy) */
// clang-format on
static const double RANK_ROUNDING = 1e-11, RANK_BY_OFF = 30, RANK_RUN = 1e-6;
/* A row that depends on others and is missed by more than this times its cut contradicts them: the sum that
 * it is of others has terms, and errors, larger than itself. */
static const double CONTRADICTS = 100;

/* A quick way that failed is not tried again for so many factorisations. */
enum { CALM_CALLS = 64 };

#endif
