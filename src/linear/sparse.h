/* The constrained acceleration, sparse: the same x as dense.h, for systems in which each row joins few
 * coordinates and M is made of blocks.
 *
 * Method: rows at unit length; Cholesky of the blocks of M, whitening, L D L' of the Schur complement in an
 * order that keeps it sparse. Where its pivots leave no doubt that the rows are independent, that is all;
 * else their rank is decided as in dense.h, in the coordinates' own units. Refinement on the residual of the
 * KKT equations. A block in which M is singular has the rows added that see its null directions, as in
 * M + A'WA; where they reach other blocks, these become one.
 *
 * Order, pattern and memory are found in sparse_new; a factorisation asks for more only when M is found
 * singular in a block, or the rows of a chain (chain.h) are found to need the general way, for the first
 * time, and not after sparse_settle.
 *
 * If M couples many coordinates, L D L' of the KKT matrix takes the place of blocks and Schur complement. */
#ifndef TRAMMEL_LINEAR_SPARSE_H
#define TRAMMEL_LINEAR_SPARSE_H

#include "base/team.h"
#include "linear/blocks.h"
#include "linear/dense.h"

typedef struct sparse sparse;

/* Patterns of M (n rows, symmetric, both triangles) and of A (m rows); they must stay, and no entry may occur
 * twice. Blocks of M with more coordinates than block_most (usually SPARSE_BLOCK_MOST) are not inverted: from
 * about there on the KKT matrix costs less. */
enum { SPARSE_BLOCK_MOST = 8 };
sparse *sparse_new(arena *a, int n, sparsity M, sparsity A, int block_most);

/* Goes the way of chain.h, if it can be gone, for few rows, too: by itself it is for many only. */
void sparse_find_chain(sparse *s);

/* As in dense.h, values in the order of the patterns' entries. */
dense_status sparse_factor(sparse *s, const double *M, const double *A, double cut);
void sparse_solve(sparse *s, const double *Q, const double *b, double *x, double *multiplier);
/* By conjugate gradients: to rounding where rows that depend on each other have lengths within some decades.
 */
void sparse_least_norm(sparse *s, double *multiplier);
void sparse_leave_out(sparse *s, const bool *rows);
/* Once, after a factorisation at values like those to come: it is forgotten but for the blocks that it found
 * to be one, and no later one asks for memory. A definite M that is constant costs nothing; for another there
 * is a second set of factors from now on, of the KKT matrix, which serves whatever becomes singular. */
void sparse_settle(sparse *s, bool constant_mass);

int sparse_rank(const sparse *s);
/* How near the kept rows are to dependence: the smallest remainder in the metric of the mass. */
double sparse_nearness(const sparse *s);
bool sparse_dropped(const sparse *s, int row);
bool sparse_mass_singular(const sparse *s);
int sparse_undetermined(const sparse *s, bool *coordinate);
/* Of a kept row at unit length, once those before it in the order of elimination are taken out, in the metric
 * of the mass; 0 for others. */
double sparse_remainder(const sparse *s, int row);
/* A dropped row as a combination of kept ones, rows as written: c (m). Coefficients that cannot be told from
 * 0 are. Not where M couples many coordinates. */
void sparse_explain(sparse *s, int row, double *c);

long sparse_entries(sparse *s); // of the factor
/* Whether threads would help, and threads that do. Results are the same without. */
bool sparse_has_parts(const sparse *s);
void sparse_use_team(sparse *s, team *t);

#endif
