/* A stage: kernels over tables of instances. Each instance gathers its inputs from one flat array x, and its
 * outputs are added to the places in one flat array y that its table names. A stage in which everything is
 * fused is one kernel with one instance.
 *
 * Groups of several instances run in lanes, KERNEL_LANES at a time. Sums are formed in the order of the
 * instances, so that exact kernels give the same bits as instances one by one. */
#ifndef TRAMMEL_CODE_STAGE_H
#define TRAMMEL_CODE_STAGE_H

#include "base/team.h"
#include "code/kernel.h"

/* The places of one input or output, from instance to instance. In most models they are evenly spaced, and
 * need no table. */
typedef struct {
    const int *table;  // (count), or NULL: first + k * stride
    int first, stride; // 0: the same for all
    bool alone;        // of an output: nothing else is added at its places, so that they need not be 0 before
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
    stage_column *out; // (outputs); NULL: outputs share places, the whole of scatter is kept
    bool apart;        // no two instances share a place: threads may run them
} stage_group;

typedef struct {
    int from, to;
} stage_range;

typedef struct {
    vec(stage_group) groups;
    bool finished;
    vec(stage_range) cleared; // places in y that are 0 before a run, if finished; else all
    int y_size;
    size_t work_size; // doubles
    int operations;   // of one run
} stage;

/* Adds a group. */
void stage_add(arena *a, stage *s, stage_group group);
/* After the last group, with y_size set; y must be 0 before the first run then. Without it, all of y is
 * cleared in each run. */
void stage_finish(arena *a, stage *s);
/* Once after the parameters in x are set, before the first run with this workspace. */
void stage_prepare(const stage *s, const double *x, double *work);
/* With a team, large groups are run in parts; NULL: by one thread. The bits are the same. */
void stage_run_groups(const stage *s, const double *x, double *y, double *work, team *t);

static inline bool stage_is_kernel(const stage *s) { // of which x is the input and y the output
    return s->groups.count == 1 && s->groups.at[0].scatter == NULL;
}

static inline void stage_run(const stage *s, const double *x, double *y, double *work, team *t) {
    if (stage_is_kernel(s))
        kernel_run(s->groups.at[0].kernel, x, y, work);
    else
        stage_run_groups(s, x, y, work, t);
}

#endif
