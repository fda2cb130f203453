#include "report/record.h"

#include <math.h>
#include <string.h>

enum { BLOCK_SAMPLES = 256, STATES = 5 };
/* Numbers of a run that are kept: 8 bytes each here; in a page 11 for a column, 5 for a drawing. */
static const double COLUMN_NUMBERS_MOST = 2.5e6, VIEW_NUMBERS_MOST = 2e7;

void record_init(record *r, arena *a, const trm_system *sys, record_extent extent, double expected,
                 double tolerance) {
    const model *m = sys->model;
    *r = (record){.arena = a, .sys = sys, .extent = extent, .view_count = m->view_count};
    r->tolerance = tolerance;
    r->apart = (long)fmax(1, ceil((expected - 1) / (STATES - 1)));
    if (extent == RECORD_PLOTS || m->view_count * expected > VIEW_NUMBERS_MOST)
        r->view_count = m->plot_view_count;
    if (extent == RECORD_COLUMNS)
        r->view_count = 0;
    r->width = 1 + r->view_count;
    double numbers = 0;
    bool full = extent == RECORD_PLOTS;
    for (int i = 0; i < COLUMN_GROUPS; i++) {
        r->length[i] = columns_length(m, (column_group)i);
        numbers += r->length[i] * expected;
        full |= extent == RECORD_PAGE && numbers > COLUMN_NUMBERS_MOST;
        r->first[i] = full ? -1 : r->width;
        r->width += full ? 0 : r->length[i];
    }
    int energies = RECORD_ENERGIES + 2 * sys->work_count;
    full |= numbers + energies * expected > COLUMN_NUMBERS_MOST;
    r->work_count = sys->work_count;
    r->first_energy = full || extent != RECORD_PAGE ? -1 : r->width;
    r->width += r->first_energy < 0 ? 0 : energies;
}

void record_energies(const double *energy, double *out) {
    out[0] = energy[0];
    out[1] = energy[2];
    out[2] = energy[0] + energy[2];
    out[3] = energy[1] + energy[2];
}

// energies, and works and powers behind them
static void keep_energies(const record *r, const sample *s, double *out) {
    size_t works = (size_t)r->work_count;
    record_energies(s->energy, out);
    if (works) {
        memcpy(out + RECORD_ENERGIES, s->work, works * sizeof *out);
        memcpy(out + RECORD_ENERGIES + works, s->power, works * sizeof *out);
    }
}

static double *sample_at(const record *r, long at) {
    return r->blocks.at[at / BLOCK_SAMPLES] + (size_t)(at % BLOCK_SAMPLES) * (size_t)r->width;
}

static void keep_state(record *r, const sample *s) {
    size_t n = (size_t)r->sys->n;
    double *q = arena_doubles(r->arena, 2 * n);
    memcpy(q, s->q, n * sizeof *q);
    memcpy(q + n, s->v, n * sizeof *q);
    vec_push(r->arena, r->states, ((record_state){r->count, s->t, q, q + n}));
}

bool record_take(void *context, const sample *s) {
    record *r = context;
    if (r->count % BLOCK_SAMPLES == 0) {
        double *block = arena_doubles(r->arena, (size_t)BLOCK_SAMPLES * (size_t)r->width);
        vec_push(r->arena, r->blocks, block);
    }
    if (r->extent != RECORD_COLUMNS && r->count % r->apart == 0 && r->states.count < STATES)
        keep_state(r, s);
    double *to = sample_at(r, r->count++);
    to[0] = s->t;
    if (r->view_count)
        memcpy(to + 1, s->views, (size_t)r->view_count * sizeof *to);
    for (int i = 0; i < COLUMN_GROUPS; i++)
        if (r->first[i] >= 0 && r->length[i])
            memcpy(to + r->first[i], columns_values(s, (column_group)i), (size_t)r->length[i] * sizeof *to);
    if (r->first_energy >= 0)
        keep_energies(r, s, to + r->first_energy);
    return true;
}

double record_time(const record *r, long at) {
    return sample_at(r, at)[0];
}

double record_view(const record *r, long at, int view) {
    return sample_at(r, at)[1 + view];
}

double record_number(const record *r, long at, int i) {
    return sample_at(r, at)[i];
}

const double *record_numbers(const record *r, long at) {
    return sample_at(r, at);
}

double record_column(const record *r, long at, column_group group, int which) {
    return sample_at(r, at)[r->first[group] + which];
}

void record_all_of(const record *r, int i, double *out) {
    for (long at = 0; at < r->count; at++)
        out[at] = sample_at(r, at)[i];
}
