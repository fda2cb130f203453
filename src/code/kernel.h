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
 * and for 26 000 operations 1.10, 0.27 and 0.61; 0.85, 0.13 and 0.47. A third of
 * that is functions (Zen 3: 0.31, with products in their place 0.21). Recursions of rigid bodies have few
 * (bench/recursions.c, Zen 3 with AVX2, one instance, runs apart; C is gcc -O2 for the same operations):
 *
 *     operations             220    820   2000   5000   13000   40000
 *     sines given           0.15   0.15   0.15   0.16    0.17    0.17
 *     native                0.27   0.18   0.17   0.17    0.17    0.17
 *     native, exact         0.33   0.22   0.21   0.20    0.20    0.20
 *     C, sines given        0.15   0.14   0.15   0.19
 *     C                     0.27   0.20   0.21   0.22
 *
 * and each run from the outcome of the one before 0.01 to 0.02 more, 0.05 to 0.08 with 220 operations.
 *
 * Compiling takes 0.2 us per operation, 0.3 with 40 000 (Zen 3; lanes 0.13 to 0.15 more); a tape is made only
 * where something runs by it. */
#ifndef TRAMMEL_CODE_KERNEL_H
#define TRAMMEL_CODE_KERNEL_H

#include "base/arena.h"
#include "expr/expr.h"

enum { KERNEL_LANES = 8 };

typedef struct kernel kernel;

/* What kernels were compiled to, for those of another reading of the same model, which mostly differ in their
 * numbers only. A pool that has a store (expr_pool_set_kernels) looks there first: what is found gives the
 * bits of what would be compiled. Threads share it; it lives until whoever made it and all kernels that came
 * from it have let go of it. */
typedef struct kernel_store kernel_store;
kernel_store *kernel_store_new(void);     // NULL without memory
void kernel_store_leave(kernel_store *s); // NULL is fine

/* Which input a symbol is (0 <= input < inputs). */
typedef int (*kernel_input)(void *context, sym_kind kind, int index);

/* Outputs may repeat and may be numbers or symbols. The path is that of native_chosen. Where the inputs are
 * the symbols that are met, as `input` numbers them one after the other, input_count is INPUTS_MET. */
enum { INPUTS_MET = -1 };
kernel *kernel_compile(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                       int input_count, kernel_input input, void *context);
/* The same without native code: for bounds (interval.h), and for what is run some hundred times at most. */
kernel *kernel_compile_tape(arena *a, const expr_pool *pool, const expr *outputs, int output_count,
                            int input_count, kernel_input input, void *context);
/* Makes the kernel ready for lanes: native code, or a tape. Comes before the other calls for lanes. */
void kernel_add_lanes(arena *a, const kernel *k);
int kernel_operations(const kernel *k); // per run, without those of kernel_prepare
int kernel_inputs(const kernel *k);
int kernel_outputs(const kernel *k);

size_t kernel_work_size(const kernel *k);                             // doubles, for one scalar run
void kernel_prepare(const kernel *k, const double *in, double *work); // reads the parameters in `in`
void kernel_run(const kernel *k, const double *in, double *out, double *work);
/* The native code that this runs, for those who do so often; NULL: there is none. */
typedef void (*kernel_entry)(const double *in, double *out, double *work);
kernel_entry kernel_native(const kernel *k);

size_t kernel_lanes_work_size(const kernel *k);                             // doubles
void kernel_lanes_prepare(const kernel *k, const double *in, double *work); // in: KERNEL_LANES wide
void kernel_lanes_run(const kernel *k, const double *in, double *out, double *work);

/* For one kernel of several readings, which have their own parameters and numbers: whether that is so, and a
 * kernel whose lanes give the bits of their scalar runs; NULL if there is no native code for it. Lane l is
 * made ready by the workspace of a scalar run that was prepared. */
bool kernel_is_same(const kernel *a, const kernel *b);
const kernel *kernel_alike(arena *a, const kernel *k);
void kernel_alike_prepare(const kernel *k, int lane, const double *scalar_work, double *work);

#endif
