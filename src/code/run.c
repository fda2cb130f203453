/* Running kernels. Scalar and lanes are one function, compiled twice with the number of lanes as a constant,
 * so that they cannot differ: the order of operations and the functions are the same, and so are the bits.
 *
 * The operations that fill the kernels of mechanics are written out; a loop over one operation costs no
 * dispatch. The others are called through the table of operations, whose functions the loops repeat. */
#include "code/tape.h"

#include <math.h>
#include <string.h>

/* Inlined whatever the level of optimisation: the number of lanes must become a constant. */
#define SAME static inline __attribute__((always_inline))

/* All lanes of a value, as one: C's operators work on them lane by lane. */
typedef double wide __attribute__((vector_size(KERNEL_LANES * sizeof(double)), aligned(8), may_alias));

/* A run of an operation that is an operator of C, on its operands X and Y. */
#define EACH(arity, result)                                                                                  \
    for (int i = 0; i < r->count; i++, args += (arity), to += lanes) {                                       \
        const double *x = work + (size_t)args[0] * lanes, *y = work + (size_t)args[(arity)-1] * lanes;       \
        if (lanes == 1) {                                                                                    \
            const double X = *x, Y = *y;                                                                     \
            (void)Y, *to = (result);                                                                         \
        } else {                                                                                             \
            const wide X = *(const wide *)x, Y = *(const wide *)y;                                           \
            (void)Y, *(wide *)to = (result);                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    break

/* A run of a function of one operand. */
#define EACH_CALL(function)                                                                                  \
    for (int i = 0; i < r->count; i++, to += lanes)                                                          \
        for (size_t l = 0; l < lanes; l++)                                                                   \
            to[l] = function(work[(size_t)args[i] * lanes + l]);                                             \
    break

SAME void run_others(const run *r, double *work, const size_t lanes) {
    const op_info *op = &ops[r->op];
    const int *args = r->args;
    double *to = work + (size_t)r->first * lanes;
    for (int i = 0; i < r->count; i++, args += op->arity, to += lanes) {
        const double *x = work + (size_t)args[0] * lanes;
        const double *y = work + (size_t)args[op->arity > 1] * lanes;
        const double *z = work + (size_t)args[op->arity > 2 ? 2 : 0] * lanes;
        for (size_t l = 0; l < lanes; l++)
            to[l] = op->value(x[l], y[l], z[l]);
    }
}

SAME void run_tape(const tape *t, double *work, const size_t lanes) {
    for (const run *r = t->runs, *end = r + t->count; r < end; r++) {
        const int *args = r->args;
        double *to = work + (size_t)r->first * lanes;
        switch (r->op) {
        case OP_NEG:
            EACH(1, -X);
        case OP_ADD:
            EACH(2, X + Y);
        case OP_SUB:
            EACH(2, X - Y);
        case OP_MUL:
            EACH(2, X * Y);
        case OP_DIV:
            EACH(2, X / Y);
        case OP_SQRT:
            EACH_CALL(sqrt);
        case OP_SIN:
            EACH_CALL(sin);
        case OP_COS:
            EACH_CALL(cos);
        default:
            run_others(r, work, lanes);
        }
    }
}

SAME void copy_inputs(const kernel *k, const double *in, double *work, const size_t lanes) {
    if (k->inputs)
        memcpy(work, in, (size_t)k->inputs * lanes * sizeof *work);
}

SAME void prepare(const kernel *k, const double *in, double *work, const size_t lanes) {
    copy_inputs(k, in, work, lanes);
    double *to = work + (size_t)k->inputs * lanes;
    for (int i = 0; i < k->numbers; i++)
        for (size_t l = 0; l < lanes; l++)
            *to++ = k->number[i];
    run_tape(&k->prepare, work, lanes);
}

SAME void run_all(const kernel *k, const double *in, double *out, double *work, const size_t lanes) {
    copy_inputs(k, in, work, lanes);
    run_tape(&k->code->tape, work, lanes);
    for (int i = 0; i < k->outputs; i++)
        memcpy(out + (size_t)i * lanes, work + (size_t)k->code->output[i] * lanes, lanes * sizeof *out);
}

void kernel_prepare(const kernel *k, const double *in, double *work) {
    prepare(k, in, work, 1);
}

// apart, so that native code is reached by a jump
static __attribute__((noinline)) void run_one(const kernel *k, const double *in, double *out, double *work) {
    run_all(k, in, out, work, 1);
}

void kernel_run(const kernel *k, const double *in, double *out, double *work) {
    if (k->code->one.run)
        k->code->one.run(in, out, work);
    else
        run_one(k, in, out, work);
}

kernel_entry kernel_native(const kernel *k) {
    return k->code->one.run;
}

void kernel_lanes_prepare(const kernel *k, const double *in, double *work) {
    prepare(k, in, work, KERNEL_LANES);
}

void kernel_lanes_run(const kernel *k, const double *in, double *out, double *work) {
    const native_code *native = &k->code->lanes;
    if (native->run == NULL) {
        run_all(k, in, out, work, KERNEL_LANES);
        return;
    }
    native->run(in, out, work);
    if (k->path == PATH_AVX2) // did the first four
        native->run(in + 4, out + 4, work + 4);
}
