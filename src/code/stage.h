/* A stage: kernels over tables of instances. Each instance gathers its inputs from one flat array x, and its
 * outputs are added to the places in one flat array y that its table names. A stage in which everything is
 * fused is one kernel with one instance.
 *
 * Groups of several instances run in lanes, KERNEL_LANES at a time. Sums are formed in the order of the
 * instances, so that exact kernels give the same bits as instances one by one. */
#ifndef TRAMMEL_CODE_STAGE_H
#define TRAMMEL_CODE_STAGE_H

#include "code/kernel.h"

/* The places of one input or output, from instance to instance. In most models they are evenly spaced, and
 * need no table. */
typedef struct {
    const int *table;  // (count), or NULL: first + k * stride
    int first, stride; // 0: the same for all
} stage_column;

typedef struct {
    const kernel *kernel;
    int count;          // instances
    const int *gather;  // (count x inputs) places in x; NULL: x itself is the input
    const int *scatter; // (count x outputs) places in y; NULL: y itself is the output; gather is NULL then,
                        // and there is no other group
    // the rest is found by stage_add, which takes what it needs of the tables: they may go then
    size_t work;            // where this group's workspace starts
    const stage_column *in; // (inputs), or NULL as gather
    const int *varies; // inputs whose place differs between instances; the others are gathered once a run
    int vary_count;
    const stage_column *out; // (outputs); NULL: outputs share places, the whole of scatter is kept
} stage_group;

typedef struct {
    vec(stage_group) groups;
    int y_size;
    size_t work_size; // doubles
    int operations;   // of one run
} stage;

/* Adds a group. */
void stage_add(arena *a, stage *s, stage_group group);
/* Once after the parameters in x are set, before the first run with this workspace. */
void stage_prepare(const stage *s, const double *x, double *work);
void stage_run(const stage *s, const double *x, double *y, double *work);

#endif
