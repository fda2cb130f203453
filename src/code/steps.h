/* What native code is made from: operations in an order that suits registers.
 *
 * Values are numbered: inputs, then what kernel_prepare leaves in the workspace (numbers and results, at the
 * slot of that number), then the steps' results. */
#ifndef TRAMMEL_CODE_STEPS_H
#define TRAMMEL_CODE_STEPS_H

#include "base/arena.h"
#include "expr/ops.h"

#include <stdbool.h>

typedef struct {
    op_code op;
    int args[3]; // values, all older than the result
} step;

typedef struct {
    const step *steps; // (count)
    int count;
    int inputs;        // values below are in the input array
    int first;         // the value of the first step's result; values between are in the workspace
    const int *output; // (outputs) values
    int outputs;
    bool exact; // functions one at a time
    bool alike; // in lanes, functions are those that scalar code calls
} program;

/* Brings functions of the C library together, so that one call serves many: a function's level is the largest
 * number of functions on a way to it, and all functions of one level and kind stand in a row. Every other
 * step stands before the functions that need it, as late as they allow: few values live across calls.
 * Otherwise the order stays. place[i]: where step i went. Linear in the steps.
 *
 * Measured and left: a list schedule that brings independent steps together, within windows of 16 to 128
 * steps, by age or by the longest way to an end. Of articulated bodies 800 operations took 4 % less at best,
 * 2600 took 6 to 50 % more: processors look ahead themselves, and more values are spilled (Zen 3). */
void steps_order(arena *scratch, step *steps, int count, int first, int *place);

#endif
