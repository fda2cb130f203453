/* The functions of the C library over arrays, as native kernels call them: x[i] = f(x[i], y[i]).
 *
 * Exact: one value at a time by the table of operations, the same bits as the tape. Fast: by glibc's vector
 * mathematics (libmvec), to 4 units in the last place; it is loaded when first asked for, and a function that
 * it lacks (before glibc 2.35 it had sin, cos, exp, log and pow only) goes one value at a time.
 *
 * Measured (Zen 4), ns per value: sin 8.4 one at a time, 0.6 by eights; exp 5.2 and 0.7; pow 9.9 and 3.7. */
#ifndef TRAMMEL_CODE_BATCH_H
#define TRAMMEL_CODE_BATCH_H

#include "expr/ops.h"

#include <stdbool.h>

typedef void (*batch_function)(void); // of the type that its run knows

typedef struct {
    void (*run)(double *x, const double *y, long count, batch_function f); // y is read by f of two operands
    batch_function f;
} batch;

/* How many values one call may take: BATCH_1 is exact. */
typedef enum { BATCH_1, BATCH_4, BATCH_8, BATCH_SIZES } batch_size;

/* halves: the values are in groups of eight, of which only the first four are to be done, and count is the
 * number of groups; at most BATCH_4 then. */
batch batch_find(op_code op, batch_size size, bool halves);

#endif
