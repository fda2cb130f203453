#include "code/stage.h"

#include <string.h>

static size_t rounded(size_t count) {
    return (count + 7) & ~(size_t)7; // workspaces start on cache lines
}

/* A group's workspace: gathered inputs and outputs for all lanes, then the kernel's scalar and lanes
 * workspaces. */
typedef struct {
    double *in, *out, *scalar, *lanes;
} room;

static room room_of(const stage_group *g, double *work) {
    room r;
    r.in = work + g->work;
    r.out = r.in + rounded((size_t)kernel_inputs(g->kernel) * KERNEL_LANES);
    r.scalar = r.out + rounded((size_t)kernel_outputs(g->kernel) * KERNEL_LANES);
    r.lanes = r.scalar + rounded(kernel_work_size(g->kernel));
    return r;
}

void stage_add(arena *a, stage *s, stage_group group) {
    group.work = s->work_size;
    s->work_size += rounded((size_t)kernel_inputs(group.kernel) * KERNEL_LANES) +
                    rounded((size_t)kernel_outputs(group.kernel) * KERNEL_LANES) +
                    rounded(kernel_work_size(group.kernel));
    if (group.count >= KERNEL_LANES)
        s->work_size += rounded(kernel_lanes_work_size(group.kernel));
    s->operations += group.count * kernel_operations(group.kernel);
    vec_push(a, s->groups, group);
}

static void gather(const stage_group *g, const double *x, int first, int lanes, double *in) {
    int inputs = kernel_inputs(g->kernel);
    for (int l = 0; l < lanes; l++) {
        const int *from = g->gather + (size_t)(first + l) * (size_t)inputs;
        for (int i = 0; i < inputs; i++)
            in[i * lanes + l] = x[from[i]];
    }
}

static void scatter(const stage_group *g, const double *out, int first, int lanes, double *y) {
    int outputs = kernel_outputs(g->kernel);
    for (int l = 0; l < lanes; l++) {
        const int *to = g->scatter + (size_t)(first + l) * (size_t)outputs;
        for (int i = 0; i < outputs; i++)
            y[to[i]] += out[i * lanes + l];
    }
}

void stage_prepare(const stage *s, const double *x, double *work) {
    for (int k = 0; k < s->groups.count; k++) {
        const stage_group *g = &s->groups.at[k];
        room r = room_of(g, work);
        if (g->gather == NULL) {
            kernel_prepare(g->kernel, x, r.scalar);
            continue;
        }
        gather(g, x, 0, 1, r.in); // parameters are the same for all instances
        kernel_prepare(g->kernel, r.in, r.scalar);
        if (g->count >= KERNEL_LANES) {
            gather(g, x, 0, KERNEL_LANES, r.in);
            kernel_lanes_prepare(g->kernel, r.in, r.lanes);
        }
    }
}

static void run_group(const stage_group *g, const double *x, double *y, room r) {
    int first = 0;
    for (; first + KERNEL_LANES <= g->count; first += KERNEL_LANES) {
        gather(g, x, first, KERNEL_LANES, r.in);
        kernel_lanes_run(g->kernel, r.in, r.out, r.lanes);
        scatter(g, r.out, first, KERNEL_LANES, y);
    }
    for (; first < g->count; first++) {
        gather(g, x, first, 1, r.in);
        kernel_run(g->kernel, r.in, r.out, r.scalar);
        scatter(g, r.out, first, 1, y);
    }
}

void stage_run(const stage *s, const double *x, double *y, double *work) {
    memset(y, 0, (size_t)s->y_size * sizeof *y);
    for (int k = 0; k < s->groups.count; k++) {
        const stage_group *g = &s->groups.at[k];
        room r = room_of(g, work);
        if (g->gather) {
            run_group(g, x, y, r);
        } else {
            kernel_run(g->kernel, x, r.out, r.scalar);
            scatter(g, r.out, 0, 1, y);
        }
    }
}
