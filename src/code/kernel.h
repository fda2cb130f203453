/* Expressions to kernels: a tape of operations grouped into runs of one operation each, and native code where
 * there is any for the processor (native.h); the tape is the measure that the code is held to.
 *
 * A kernel maps inputs to outputs and never allocates: in and out are arrays of doubles, work is a workspace
 * of kernel_work_size doubles that the caller owns. Operations on parameters and numbers alone are done once
 * by kernel_prepare, not by every run. Lanes: KERNEL_LANES instances at once, value i of lane l at [i * LANES
 * + l]. `in` and `out` do not overlap.
 *
 * From an exact pool (expr_pool_set_exact) every path gives the same bits, in every lane. From another one
 * functions such as sin may differ by a few units in the last place, and so may lanes from the scalar run.
 *
 * The parameters that kernel_prepare reads are those in `in`; it also sets up the workspace, so it comes
 * before the first run with that workspace, and again when a parameter changes.
 *
 * Measured (bench/kernels.c, Zen 4, 3000 operations of which 3.5 % are sin and cos), ns per operation:
 *
 *                    tape   native   native, exact
 *     one            1.08     0.25            0.53
 *     in lanes       0.73     0.08            0.39   per lane; AVX2 0.15 and 0.44
 *
 * and for 26 000 operations 1.10, 0.27 and 0.61; 0.85, 0.13 and 0.47. Compiling takes 0.17 us per operation
 * for the tape (0.25 with 26 000), native code 0.13 us more (0.26), and its lanes 0.13 us. */
#ifndef TRAMMEL_CODE_KERNEL_H
#define TRAMMEL_CODE_KERNEL_H

#include "base/arena.h"
#include "expr/expr.h"

enum { KERNEL_LANES = 8 };

typedef struct kernel kernel;

/* Which input a symbol is (0 <= input < inputs). */
typedef int (*kernel_input)(void *context, sym_kind kind, int index);

/* Outputs may repeat and may be numbers or symbols. The path is that of native_chosen. */
kernel *kernel_compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context);
/* Native code for the lanes, which otherwise run by the tape. Comes before kernel_lanes_work_size is asked.
 */
void kernel_add_lanes(arena *a, const kernel *k);
int kernel_operations(const kernel *k); // per run, without those of kernel_prepare
int kernel_inputs(const kernel *k);
int kernel_outputs(const kernel *k);

size_t kernel_work_size(const kernel *k);                             // doubles, for one scalar run
void kernel_prepare(const kernel *k, const double *in, double *work); // reads the parameters in `in`
void kernel_run(const kernel *k, const double *in, double *out, double *work);

size_t kernel_lanes_work_size(const kernel *k);                             // doubles
void kernel_lanes_prepare(const kernel *k, const double *in, double *work); // in: KERNEL_LANES wide
void kernel_lanes_run(const kernel *k, const double *in, double *out, double *work);

#endif
