#include "code/stage.h"

#include <string.h>

static size_t rounded(size_t count) {
    return (count + 7) & ~(size_t)7; // workspaces start on cache lines
}

/* A group's workspace: gathered inputs and outputs for all lanes, where they are not x and y themselves, then
 * the kernel's scalar and, if it runs in lanes, lanes workspaces. */
typedef struct {
    double *in, *out, *scalar, *lanes;
} room;

static size_t in_size(const stage_group *g) {
    return g->gather ? rounded((size_t)kernel_inputs(g->kernel) * KERNEL_LANES) : 0;
}

static size_t out_size(const stage_group *g) {
    return g->scatter ? rounded((size_t)kernel_outputs(g->kernel) * KERNEL_LANES) : 0;
}

static room room_of(const stage_group *g, double *work) {
    room r;
    r.in = work + g->work;
    r.out = r.in + in_size(g);
    r.scalar = r.out + out_size(g);
    r.lanes = r.scalar + rounded(kernel_work_size(g->kernel));
    return r;
}

// below that, instances run one by one: eight lanes cost two scalar runs
enum { LANES_FROM = 3 };

static bool in_lanes(const stage_group *g) {
    return g->gather && g->count >= LANES_FROM;
}

static void find_varying(arena *a, stage_group *g) {
    int inputs = kernel_inputs(g->kernel);
    int *varies = arena_array(a, int, inputs);
    for (int i = 0; i < inputs; i++) {
        const int *from = g->gather + i;
        int k = 1;
        while (k < g->count && from[(size_t)k * (size_t)inputs] == *from)
            k++;
        if (k < g->count)
            varies[g->vary_count++] = i;
    }
    g->varies = varies;
}

void stage_add(arena *a, stage *s, stage_group group) {
    group.work = s->work_size;
    if (in_lanes(&group)) {
        kernel_add_lanes(a, group.kernel);
        find_varying(a, &group);
        s->work_size += rounded(kernel_lanes_work_size(group.kernel));
    }
    s->work_size += in_size(&group) + out_size(&group) + rounded(kernel_work_size(group.kernel));
    s->operations += group.count * kernel_operations(group.kernel);
    vec_push(a, s->groups, group);
}

// ---- one instance

static void gather(const stage_group *g, const double *x, int instance, double *in) {
    int inputs = kernel_inputs(g->kernel);
    const int *from = g->gather + (size_t)instance * (size_t)inputs;
    for (int i = 0; i < inputs; i++)
        in[i] = x[from[i]];
}

static void scatter(const stage_group *g, const double *out, int instance, double *y) {
    int outputs = kernel_outputs(g->kernel);
    const int *to = g->scatter + (size_t)instance * (size_t)outputs;
    for (int i = 0; i < outputs; i++)
        y[to[i]] += out[i];
}

static void run_one_by_one(const stage_group *g, const double *x, double *y, room r) {
    for (int k = 0; k < g->count; k++) {
        gather(g, x, k, r.in);
        kernel_run(g->kernel, r.in, r.out, r.scalar);
        scatter(g, r.out, k, y);
    }
}

// ---- lanes

static void gather_shared(const stage_group *g, const double *x, double *in) { // those that vary are replaced
    for (int i = 0; i < kernel_inputs(g->kernel); i++)
        for (int l = 0; l < KERNEL_LANES; l++)
            in[i * KERNEL_LANES + l] = x[g->gather[i]];
}

static void gather_lanes(const stage_group *g, const double *x, int first, int lanes, double *in) {
    size_t inputs = (size_t)kernel_inputs(g->kernel);
    const int *block = g->gather + (size_t)first * inputs;
    for (int k = 0; k < g->vary_count; k++) {
        const int *from = block + g->varies[k];
        double *to = in + (size_t)g->varies[k] * KERNEL_LANES;
        if (lanes == KERNEL_LANES) // a constant: the loop is unrolled
            for (size_t l = 0; l < KERNEL_LANES; l++)
                to[l] = x[from[l * inputs]];
        else
            for (size_t l = 0; l < (size_t)lanes; l++)
                to[l] = x[from[l * inputs]];
    }
}

static void scatter_lanes(const stage_group *g, const double *out, int first, int lanes, double *y) {
    size_t outputs = (size_t)kernel_outputs(g->kernel);
    const int *to = g->scatter + (size_t)first * outputs;
    for (int l = 0; l < lanes; l++, to += outputs)
        for (size_t i = 0; i < outputs; i++)
            y[to[i]] += out[i * KERNEL_LANES + (size_t)l];
}

// the last lanes may be fewer: the others do again what they did before, or what the first instance does
static void run_lanes(const stage_group *g, const double *x, double *y, room r) {
    gather_shared(g, x, r.in);
    for (int first = 0; first < g->count; first += KERNEL_LANES) {
        int lanes = g->count - first < KERNEL_LANES ? g->count - first : KERNEL_LANES;
        gather_lanes(g, x, first, lanes, r.in);
        kernel_lanes_run(g->kernel, r.in, r.out, r.lanes);
        scatter_lanes(g, r.out, first, lanes, y);
    }
}

// ---- stages

void stage_prepare(const stage *s, const double *x, double *work) {
    for (int k = 0; k < s->groups.count; k++) {
        const stage_group *g = &s->groups.at[k];
        room r = room_of(g, work);
        if (in_lanes(g)) { // parameters are the same for all instances
            gather_shared(g, x, r.in);
            kernel_lanes_prepare(g->kernel, r.in, r.lanes);
        } else if (g->gather) {
            gather(g, x, 0, r.in);
            kernel_prepare(g->kernel, r.in, r.scalar);
        } else {
            kernel_prepare(g->kernel, x, r.scalar);
        }
    }
}

void stage_run(const stage *s, const double *x, double *y, double *work) {
    if (s->groups.count == 1 && s->groups.at[0].scatter == NULL) {
        kernel_run(s->groups.at[0].kernel, x, y, work);
        return;
    }
    memset(y, 0, (size_t)s->y_size * sizeof *y);
    for (int k = 0; k < s->groups.count; k++) {
        const stage_group *g = &s->groups.at[k];
        room r = room_of(g, work);
        if (in_lanes(g)) {
            run_lanes(g, x, y, r);
        } else if (g->gather) {
            run_one_by_one(g, x, y, r);
        } else {
            kernel_run(g->kernel, x, r.out, r.scalar);
            scatter(g, r.out, 0, y);
        }
    }
}
