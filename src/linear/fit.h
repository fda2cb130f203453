/* Measured rows beside exact ones, sparse: what weighted.h does for few, without equivalent rows. Over the x
 * with A x = b that minimise the sum of w_i (E_i x - f_i)^2, E x has one value: with it in place of f the
 * rows E hold there exactly, whatever depends on what.
 *
 * With the rests u = E x - f as further coordinates this is the constrained acceleration (solver.h) of the
 * masses e for x and w for u: what is nearest to some x0, by a factor e, and has the least rests. Repeated
 * from where it led that converges as (e/(e + s))^k, s the square of W^1/2 E in a direction with A x = 0. */
#ifndef TRAMMEL_LINEAR_FIT_H
#define TRAMMEL_LINEAR_FIT_H

#include "linear/sparsity.h"

#include <stdbool.h>

typedef struct fit fit;

/* rows: `exact` ones, then measured ones. The pattern must stay. */
fit *fit_new(arena *a, int n, sparsity rows, int exact);
/* Entries of rows, weights of the measured ones; a weight of 0 or less leaves its row out. units (n): in
 * which columns are seen, NULL: as they are. False if that is not finite. */
bool fit_factor(fit *f, const double *A, const double *w, const double *units, double cut);
/* b (rows): the measured ones become what they are at the minimisers. False if that is not found to ten
 * digits. */
bool fit_values(fit *f, double *b);
/* Multipliers (rows) of a force become those of the same force in which measured rows have it by their
 * weights, W E p with A p = 0, and exact ones the rest, of least norm. False as above. */
bool fit_multipliers(fit *f, double *multiplier);
bool fit_dropped(const fit *f, int row); // an exact row depends on other exact ones

#endif
