/* Kernels on intervals: bounds of every output for all inputs within bounds, and of its derivative by time,
 * given those of the inputs' derivatives. They run by the tape, at about ten times the cost of numbers, twice
 * that with derivatives.
 *
 * Every result is widened by a few units in the last place, more than the operations and the C library are
 * off by, so the bounds hold for what is computed as well as for what is meant. Where an operation is not
 * defined, jumps, or has a pole inside the bounds, they become those of all numbers. */
#ifndef TRAMMEL_CODE_INTERVAL_H
#define TRAMMEL_CODE_INTERVAL_H

#include "code/kernel.h"

typedef struct {
    double lo, hi;
} interval;

static inline interval interval_of(double x) {
    return (interval){x, x};
}

static inline bool interval_has(interval a, double x) {
    return a.lo <= x && x <= a.hi;
}

interval interval_hull(interval a, interval b);
interval interval_meet(interval a, interval b); // what is in both; a, if nothing is, up to rounding
interval interval_add(interval a, interval b);
interval interval_multiply(interval a, interval b);

size_t kernel_bounds_size(const kernel *k); // intervals in a workspace
/* Once after the parameters in `in` (numbers) are set, before the first call with this workspace. */
void kernel_bounds_prepare(const kernel *k, const double *in, interval *work);
/* Values at the workspace `work`, and with slope_in and slope_work given, too, derivatives. The workspace for
 * derivatives needs no preparation. */
typedef struct {
    const interval *in, *slope_in; // (inputs); slope_in NULL: without derivatives
    interval *out, *slope_out;     // (outputs)
    interval *work, *slope_work;   // (kernel_bounds_size)
} bounds;
void kernel_bound(const kernel *k, const bounds *b);

#endif
