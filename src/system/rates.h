/* Rates of positions: q' = H v, where the velocities of a system are not q'. Of a tree form
 * (mech/tree/tree.h) those of a unit quaternion p are w = 2 p* p', of which the first is 0: p' = p w / 2; all
 * others are q'. */
#ifndef TRAMMEL_SYSTEM_RATES_H
#define TRAMMEL_SYSTEM_RATES_H

#include "system/system.h"

/* Whether there are any that are not. */
bool rates_differ(const trm_system *sys);
/* q' of velocities v, or a change of q of what v is in a short time; out may be v. */
void rates_of_positions(const trm_system *sys, const double *q, const double *v, double *out);
void rates_from_positions(const trm_system *sys, const double *q, const double *rate, double *v); // back
/* q'' of v and v'. */
void rates_curve(const trm_system *sys, const double *q, const double *v, const double *a, double *out);
/* Takes away what errors leave of |p| - 1 and of the first of w. */
void rates_normalise(const trm_system *sys, double *q, double *v);

// ---- quaternions

void quaternion_product(double factor, const double *a, const double *b, double *out); // factor a b
void quaternion_rate(const double *p, const double *v, double *out);                   // 2 p* v

#endif
