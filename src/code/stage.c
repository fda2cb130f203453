#include "code/stage.h"

#include <stdbool.h>
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

// ---- tables

static int place(const stage_column *c, int instance) {
    return c->table ? c->table[instance] : c->first + instance * c->stride;
}

// column i of a table (count x width)
static stage_column column_of(arena *a, const int *table, int count, int width, int i) {
    const int *at = table + i;
    size_t step = (size_t)width;
    stage_column c = {.first = *at, .stride = count > 1 ? at[step] - *at : 0};
    int k = 1;
    while (k < count && at[(size_t)k * step] == c.first + k * c.stride)
        k++;
    if (k >= count)
        return c;
    int *own = arena_array(a, int, count);
    for (k = 0; k < count; k++)
        own[k] = at[(size_t)k * step];
    c.table = own;
    return c;
}

static stage_column *columns_of(arena *a, const int *table, int count, int width) {
    stage_column *columns = arena_array(a, stage_column, width);
    for (int i = 0; i < width; i++)
        columns[i] = column_of(a, table, count, width, i);
    return columns;
}

static void find_varying(arena *a, stage_group *g) {
    int inputs = kernel_inputs(g->kernel), *varies = arena_array(a, int, inputs);
    for (int i = 0; i < inputs; i++)
        if (g->in[i].table || g->in[i].stride)
            varies[g->vary_count++] = i;
    g->varies = varies;
}

// lowest and highest place
static void range_of(const stage_column *c, int count, int *low, int *high) {
    *low = *high = place(c, 0);
    for (int k = c->table ? 1 : count - 1; k < count; k++) {
        *low = place(c, k) < *low ? place(c, k) : *low;
        *high = place(c, k) > *high ? place(c, k) : *high;
    }
}

// whether two columns have no place in common, as far as that is easily seen
static bool are_apart(const stage_column *c, const stage_column *d, int count) {
    int low[2], high[2];
    if (!c->table && !d->table && c->stride == d->stride && c->stride &&
        (c->first - d->first) % c->stride != 0)
        return true;
    range_of(c, count, &low[0], &high[0]);
    range_of(d, count, &low[1], &high[1]);
    return high[0] < low[1] || high[1] < low[0];
}

static bool all_apart(const stage_column *columns, int width, int count) {
    for (int i = 0; i < width; i++)
        for (int j = 0; j < i; j++)
            if (!are_apart(&columns[i], &columns[j], count))
                return false;
    return true;
}

static bool all_even(const stage_column *columns, int width) {
    for (int i = 0; i < width; i++)
        if (columns[i].table || columns[i].stride == 0)
            return false;
    return true;
}

// outputs with places of their own may be added column by column; else the order of instances has to be kept
static void take_outputs(arena *a, stage_group *g) {
    int outputs = kernel_outputs(g->kernel);
    size_t size = (size_t)g->count * (size_t)outputs;
    arena *tried = arena_child(a);
    if (g->count > 1 && all_apart(columns_of(tried, g->scatter, g->count, outputs), outputs, g->count))
        g->out = columns_of(a, g->scatter, g->count, outputs);
    if (g->out)
        g->apart = all_even(g->out, outputs);
    else
        g->scatter = memcpy(arena_array(a, int, size), g->scatter, size * sizeof(int));
    arena_free(tried);
}

static void take_tables(arena *a, stage_group *g) {
    if (g->gather) {
        g->in = columns_of(a, g->gather, g->count, kernel_inputs(g->kernel));
        find_varying(a, g);
    }
    if (g->scatter)
        take_outputs(a, g);
}

void stage_add(arena *a, stage *s, stage_group group) {
    group.work = s->work_size;
    if (in_lanes(&group)) {
        kernel_add_lanes(a, group.kernel);
        s->work_size += rounded(kernel_lanes_work_size(group.kernel));
    }
    take_tables(a, &group);
    s->work_size += in_size(&group) + out_size(&group) + rounded(kernel_work_size(group.kernel));
    s->operations += group.count * kernel_operations(group.kernel);
    vec_push(a, s->groups, group);
}

// ---- places that one output has for itself

enum { ADDED = 2 }; // at least so often

// how often each place of y is added to; alone: only by columns that are not
static void count_places(const stage *s, char *times, bool alone) {
    for (int k = 0; k < s->groups.count; k++) {
        const stage_group *g = &s->groups.at[k];
        int outputs = kernel_outputs(g->kernel);
        for (int i = 0; i < outputs && g->scatter; i++)
            for (int instance = 0; instance < g->count && !(alone && g->out && g->out[i].alone); instance++) {
                int at = g->out ? place(&g->out[i], instance)
                                : g->scatter[(size_t)instance * (size_t)outputs + (size_t)i];
                times[at] = (char)(times[at] < ADDED ? times[at] + 1 : ADDED);
            }
    }
}

static bool is_alone(const stage_group *g, const stage_column *c, const char *times) {
    for (int instance = 0; instance < g->count; instance++)
        if (times[place(c, instance)] >= ADDED)
            return false;
    return true;
}

void stage_finish(arena *a, stage *s) {
    arena *work = arena_child(a);
    char *times = arena_array(work, char, s->y_size + 1);
    count_places(s, times, false);
    for (int k = 0; k < s->groups.count; k++)
        for (int i = 0; s->groups.at[k].out && i < kernel_outputs(s->groups.at[k].kernel); i++)
            s->groups.at[k].out[i].alone = is_alone(&s->groups.at[k], &s->groups.at[k].out[i], times);
    memset(times, 0, (size_t)s->y_size);
    count_places(s, times, true);
    for (int at = 0; at < s->y_size; at++) {
        if (!times[at])
            continue;
        stage_range range = {at, at};
        while (range.to < s->y_size && times[range.to])
            range.to++;
        vec_push(a, s->cleared, range);
        at = range.to;
    }
    s->finished = true;
    arena_free(work);
}

// ---- one instance

static void gather(const stage_group *g, const double *x, int instance, double *in) {
    for (int i = 0; i < kernel_inputs(g->kernel); i++)
        in[i] = x[place(&g->in[i], instance)];
}

// the outputs of one instance, `apart` from each other
static void scatter(const stage_group *g, const double *out, size_t apart, int instance, double *y) {
    size_t outputs = (size_t)kernel_outputs(g->kernel);
    const int *to = g->scatter + (size_t)instance * outputs;
    for (size_t i = 0; i < outputs; i++) {
        double *at = &y[g->out ? place(&g->out[i], instance) : to[i]];
        *at = (g->out && g->out[i].alone ? 0 : *at) + out[i * apart];
    }
}

static void run_one_by_one(const stage_group *g, const double *x, double *y, room r) {
    for (int k = 0; k < g->count; k++) {
        gather(g, x, k, r.in);
        kernel_run(g->kernel, r.in, r.out, r.scalar);
        scatter(g, r.out, 1, k, y);
    }
}

// ---- lanes

static void gather_shared(const stage_group *g, const double *x, double *in) { // those that vary are replaced
    for (int i = 0; i < kernel_inputs(g->kernel); i++)
        for (int l = 0; l < KERNEL_LANES; l++)
            in[i * KERNEL_LANES + l] = x[place(&g->in[i], 0)];
}

// KERNEL_LANES values of a column, from instance `first` on; loops of constant length are unrolled
static void take_lanes(const stage_column *c, int first, const double *x, double *to) {
    if (c->table) {
        const int *from = c->table + first;
        for (int l = 0; l < KERNEL_LANES; l++)
            to[l] = x[from[l]];
        return;
    }
    const double *from = x + c->first + (ptrdiff_t)first * c->stride;
    if (c->stride == 1)
        memcpy(to, from, KERNEL_LANES * sizeof *to);
    else
        for (int l = 0; l < KERNEL_LANES; l++)
            to[l] = from[l * c->stride];
}

static void add_lanes(const stage_column *c, int first, const double *out, double *y) {
    double *to = y + c->first + (ptrdiff_t)first * c->stride;
    if (c->table) {
        const int *at = c->table + first;
        for (int l = 0; l < KERNEL_LANES; l++)
            y[at[l]] = (c->alone ? 0 : y[at[l]]) + out[l];
    } else if (c->stride == 1 && c->alone) {
        for (int l = 0; l < KERNEL_LANES; l++)
            to[l] = 0 + out[l]; // as if it had been 0 before: not -0
    } else if (c->stride == 1) {
        for (int l = 0; l < KERNEL_LANES; l++)
            to[l] += out[l];
    } else if (c->alone) {
        for (int l = 0; l < KERNEL_LANES; l++)
            to[l * c->stride] = 0 + out[l];
    } else {
        for (int l = 0; l < KERNEL_LANES; l++)
            to[l * c->stride] += out[l];
    }
}

static void gather_lanes(const stage_group *g, const double *x, int first, int lanes, double *in) {
    for (int k = 0; k < g->vary_count; k++) {
        const stage_column *c = &g->in[g->varies[k]];
        double *to = in + (size_t)g->varies[k] * KERNEL_LANES;
        if (lanes == KERNEL_LANES)
            take_lanes(c, first, x, to);
        else
            for (int l = 0; l < lanes; l++)
                to[l] = x[place(c, first + l)];
    }
}

static void scatter_lanes(const stage_group *g, const double *out, int first, int lanes, double *y) {
    if (g->out && lanes == KERNEL_LANES)
        for (int i = 0; i < kernel_outputs(g->kernel); i++)
            add_lanes(&g->out[i], first, out + (size_t)i * KERNEL_LANES, y);
    else
        for (int l = 0; l < lanes; l++)
            scatter(g, out + l, KERNEL_LANES, first + l, y);
}

// the last lanes may be fewer: the others do again what they did before, or what the first instance does
static void run_some(const stage_group *g, const double *x, double *y, room r, int from, int to) {
    for (int first = from; first < to; first += KERNEL_LANES) {
        int lanes = to - first < KERNEL_LANES ? to - first : KERNEL_LANES;
        gather_lanes(g, x, first, lanes, r.in);
        kernel_lanes_run(g->kernel, r.in, r.out, r.lanes);
        scatter_lanes(g, r.out, first, lanes, y);
    }
}

// ---- by threads

enum {
    PART = 2048,     // instances, a multiple of KERNEL_LANES
    OWN_ROOM = 6144, // numbers of a part's own workspace, on its stack
    CLEARED = 1 << 16
};

typedef struct {
    const stage_group *group;
    const double *x;
    double *y;
    room room; // as prepared
    size_t size;
} task;

static size_t own_size(const stage_group *g) {
    return in_size(g) + out_size(g) + rounded(kernel_lanes_work_size(g->kernel));
}

static void run_part(void *context, int i) {
    const task *t = context;
    const stage_group *g = t->group;
    _Alignas(64) double own[OWN_ROOM];
    room r = {.in = own, .out = own + in_size(g), .lanes = own + in_size(g) + out_size(g)};
    memcpy(r.in, t->room.in, in_size(g) * sizeof *own);
    memcpy(r.lanes, t->room.lanes, kernel_lanes_work_size(g->kernel) * sizeof *own);
    int from = i * PART;
    run_some(g, t->x, t->y, r, from, g->count - from < PART ? g->count : from + PART);
}

static void run_lanes(const stage_group *g, const double *x, double *y, room r, team *t) {
    gather_shared(g, x, r.in);
    task all = {g, x, y, r, 0};
    if (t && g->apart && g->count >= 2 * PART && own_size(g) <= OWN_ROOM)
        team_run(t, (g->count + PART - 1) / PART, run_part, &all);
    else
        run_some(g, x, y, r, 0, g->count);
}

static void clear_part(void *context, int i) {
    const task *t = context;
    size_t from = (size_t)i * CLEARED, count = t->size - from < CLEARED ? t->size - from : CLEARED;
    memset(t->y + from, 0, count * sizeof *t->y);
}

static void clear(double *y, stage_range range, team *t) {
    int size = range.to - range.from;
    task all = {.y = y + range.from, .size = (size_t)size};
    team_run(t, (size + CLEARED - 1) / CLEARED, clear_part, &all);
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

void stage_run_groups(const stage *s, const double *x, double *y, double *work, team *t) {
    if (!s->finished)
        clear(y, (stage_range){0, s->y_size}, t);
    for (int i = 0; i < s->cleared.count; i++)
        clear(y, s->cleared.at[i], t);
    for (int k = 0; k < s->groups.count; k++) {
        const stage_group *g = &s->groups.at[k];
        room r = room_of(g, work);
        if (in_lanes(g)) {
            run_lanes(g, x, y, r, t);
        } else if (g->gather) {
            run_one_by_one(g, x, y, r);
        } else {
            kernel_run(g->kernel, x, r.out, r.scalar);
            scatter(g, r.out, 1, 0, y);
        }
    }
}
