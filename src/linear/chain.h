/* The constrained acceleration where S = A M^-1 A' is tridiagonal: M diagonal, each coordinate in at most two
 * rows, and the rows, joined by these, one chain or several, as those of particles on links. The same x as
 * sparse.h, for rows that are all independent beyond doubt; in all other cases it says no, and the general
 * way decides.
 *
 * Method: the rows along the chain are cut into segments, eight of which are eliminated side by side in lanes
 * (AVX-512, AVX2 or plain C, the same bits). The last row of each segment stays, and these rows make a small
 * tridiagonal system. Parts of eight segments share nothing else, so that threads can take them.
 *
 *     S l = b - A a,   a = M^-1 Q,   x = a + M^-1 A'l
 *
 * Rows are taken as they are written: that changes no bit beside rows at unit length, for these are made by
 * powers of two. A chain of 1000 particles, all of a run per particle and evaluation: 84 to 90 ns by the
 * general way, 44 by this one (Zen 4, loaded). */
#ifndef TRAMMEL_LINEAR_CHAIN_H
#define TRAMMEL_LINEAR_CHAIN_H

#include "base/team.h"
#include "linear/sparsity.h"

typedef struct chain chain;

/* Fewer rows are not worth it: chains of 24 to 60 particles take 0.79 to 0.67 of the time of the general way,
 * of 16 to 22 0.91 to 0.98, of 12 and 14 1.2. */
enum { CHAIN_ROWS_LEAST = 24 };

/* NULL if the rows (m) of A over n coordinates are not chains, or some have many entries. */
chain *chain_new(arena *a, int n, sparsity A);

/* What S looks like: as in ldl.h, each pivot relative to its diagonal entry, and |A_k|^2 / pivot. */
typedef struct {
    double smallest, most;
} chain_pivots;

/* False if a value is not finite or extreme, or a pivot is not positive. A and the reciprocals of M (n) must
 * stay until the last solve. */
bool chain_factor(chain *c, const double *A, const double *mobility, team *t, chain_pivots *found);
/* x (n), multiplier (m); lightest: the least diagonal entry of M. */
void chain_solve(chain *c, const double *Q, const double *b, double lightest, team *t, double *x,
                 double *multiplier);
/* As sparse_remainder. */
double chain_remainder(const chain *c, int row);
bool chain_has_parts(const chain *c);

#endif
