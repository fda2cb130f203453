/* The KKT matrix of a system whose M couples many coordinates, so that it cannot be inverted block by block:
 *
 *     K = [ M + N'WN  N' ]   W >= 0, over the rows N that are kept; W = 0 where M is definite.
 *         [ N         0  ]
 *
 * K = L D L', each row of N after all coordinates that it has entries with: so the pivots of coordinates are
 * positive and those of rows negative if M + N'WN is definite and the rows are independent. */
#ifndef TRAMMEL_LINEAR_SADDLE_H
#define TRAMMEL_LINEAR_SADDLE_H

#include "linear/ldl.h"
#include "linear/sparsity.h"

typedef struct saddle saddle;

/* Where coordinates (n), then rows (m), stand in the order of elimination of K. */
int *saddle_places(arena *a, int n, sparsity M, sparsity N);

typedef enum { SADDLE_OK, SADDLE_UNDETERMINED, SADDLE_INDEFINITE } saddle_status;

saddle *saddle_new(arena *a, int n, sparsity M, sparsity N);
/* M, N in the order of their patterns' entries, W (m) for the case that M is singular. */
saddle_status saddle_factor(saddle *s, const double *M, const double *N, const double *W, const bool *kept);
bool saddle_augmented(const saddle *s); // W was used
int saddle_mass_rank(const saddle *s);
double saddle_smallest(const saddle *s); // pivot of a row, relative to its entry of N M^-1 N'
long saddle_entries(const saddle *s);    // of L
/* f (n), g (m) <- dx, dl with (M + N'WN) dx - N'dl = f, N dx = g over the kept rows. */
void saddle_solve(saddle *s, double *f, double *g);
/* After a failure: adds the coordinates of directions that are undetermined or negative. */
void saddle_name(saddle *s, const double *M, bool *named);

#endif
