/* The inside of a kernel, private to this folder.
 *
 * Every value has a slot in the workspace: one double in a scalar run, KERNEL_LANES doubles with lanes. Slots
 * are laid out as
 *
 *     inputs | numbers | results of kernel_prepare | results of kernel_run
 *
 * and each is written by one operation only. A run's results have consecutive slots, so that an operation is
 * stored as the slots of its operands alone. */
#ifndef TRAMMEL_CODE_TAPE_H
#define TRAMMEL_CODE_TAPE_H

#include "code/kernel.h"
#include "code/native.h"

typedef struct {
    op_code op;
    int first;       // slot of the first result
    int count;       // of operations, done in order: one may use the results of those before it
    const int *args; // slots of the operands, (count x arity)
} run;

typedef struct {
    const run *runs;
    int count;      // of runs
    int operations; // of all runs
} tape;

typedef struct {
    native_code one, lanes; // run is NULL where the tape runs
} kernel_code;

struct kernel {
    int inputs, outputs, numbers, slots;
    const double *number; // (numbers)
    const int *output;    // slots (outputs)
    tape prepare, run;
    native_path path;
    program program;   // what `run` does, for native code; empty if the path is the tape
    kernel_code *code; // kernel_add_lanes adds to it
};

#endif
