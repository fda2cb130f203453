/* How rows that repeat each other share a multiplier.
 *
 * Rows c_k r (k = 1 .. g) are solved as the one row r, with multiplier l and force r' l. Any l_k with
 * sum c_k l_k = l give the same force; the least sum of squares have
 *
 *     l_k = c_k l / (c_1^2 + ... + c_g^2),   and it is l^2 / (c_1^2 + ... + c_g^2).
 *
 * So where r depends on further rows, multipliers of least norm among all rows are those of least norm for r
 * times sqrt(c_1^2 + ... + c_g^2), see share_scale. */
#ifndef TRAMMEL_SYSTEM_SHARE_H
#define TRAMMEL_SYSTEM_SHARE_H

#include "mech/repeat.h"

typedef struct {
    int row, of;
    double factor; // row is factor times of
    double part;   // l_row = part * l_of
} share_entry;

typedef struct {
    int count;
    share_entry *entries; // the repeats first, then the rows that they repeat
} sharing;

sharing *share_new(arena *a, const mech_repeats *repeats);
/* From the multipliers (m) of the rows that repeat none to those of all rows, in place. Does not allocate. */
void share_multipliers(const sharing *s, double *multiplier);
/* By what the rows are to be multiplied before they are solved for least norm, and the multipliers after
 * that: writes sqrt(c_1^2 + ... + c_g^2) for each row that is repeated, leaves the others (m). */
void share_scale(const sharing *s, double *scale);

#endif
