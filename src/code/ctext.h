/* A kernel as text: C99 functions that give the bits of kernel_run from an exact pool.
 *
 *     static void NAME_prepare(const double *x, double *w)
 *     static void NAME(const double *restrict x, const double *restrict w, double *restrict y)
 *
 * with inputs x, what kernel_prepare leaves in w, and outputs y. Steps are printed in the order of the
 * kernel, one line each; operations are those of expr/ops.c. Steps that no wanted output needs are left out.
 * A long kernel becomes several functions: a compiler's time grows faster than their length, and what is used
 * in a later one goes through w. */
#ifndef TRAMMEL_CODE_CTEXT_H
#define TRAMMEL_CODE_CTEXT_H

#include "base/text.h"
#include "code/kernel.h"

#include <stdbool.h>

typedef struct {
    const kernel *kernel;
    const char *name;
    const int *input;  // (inputs) where in x each stands
    const int *output; // (outputs) where in y each goes; -1: it is not wanted
    bool added;        // outputs are added to 0, which makes 0 of -0
} ctext_kernel;

typedef struct {
    int operations; // of one run
    int prepared;   // of kernel_prepare
    int work;       // numbers in w
    bool calls_power;
} ctext_size;

/* Marks the inputs (inputs) that wanted outputs depend on; output: as above. */
void ctext_mark_inputs(arena *a, const kernel *k, const int *output, bool *read);

ctext_size ctext_print(text *out, arena *a, const ctext_kernel *k);

/* What the same in single precision gives: all numbers and the result of every operation are rounded to
 * float. in, out: as of kernel_run; parameters are those in `in`. */
void ctext_run_single(arena *a, const kernel *k, const double *in, double *out);

/* A number as C has it: shortest, with a point or an exponent, in parentheses where it is negative. */
void ctext_number(text *out, double value);

#endif
