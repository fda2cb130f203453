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

/* slot_of[i]: where the result of step i is, (count). */
tape tape_make(arena *a, arena *scratch, const step *steps, int count, int first, int *slot_of);

/* How kernel_run goes. */
typedef struct {
    native_code one, lanes; // run is NULL where the tape runs
    tape tape;              // made only if something runs by it
    const int *output;      // slots (outputs); NULL: there is no tape
} kernel_code;

struct kernel {
    int inputs, outputs, numbers, slots;
    const double *number; // (numbers)
    tape prepare;
    native_path path;
    program program;   // what kernel_run does
    kernel_code *code; // kernel_add_lanes adds to it
};

#endif
