/* One trajectory's numbers: memory asked for once, inputs set, stages run. */
#include "solve/system.h"

#include <math.h>
#include <string.h>

static void fill_constants(const trm_system *sys, trm_state *st) {
    const model *m = sys->model;
    for (int i = 0; i < m->params.count; i++)
        st->x[sys->x_param + i] = m->params.at[i].value;
    for (int i = 0; i < m->shapes.count; i++)
        if (m->shapes.at[i].numbers.count)
            memcpy(st->x + sys->number_base[i], m->shapes.at[i].numbers.at,
                   (size_t)m->shapes.at[i].numbers.count * sizeof(double));
}

static void name_parts(const trm_system *sys, trm_state *st) {
    size_t n = (size_t)sys->n, m = (size_t)sys->m;
    st->M = st->y[STAGE_DYNAMICS];
    st->Q = st->M + n * n;
    st->A = st->Q + n;
    st->b = st->A + m * n;
    st->w = st->b + m;
    st->C = st->y[STAGE_NONIDEAL];
}

static void add_solvers(const trm_system *sys, trm_state *st) {
    arena *a = st->arena;
    size_t n = (size_t)sys->n, rows = (size_t)sys->m, soft = (size_t)sys->soft_count;
    st->dense = dense_new(a, sys->n, sys->m);
    st->dense_position = dense_new(a, sys->n, sys->position_count);
    st->dense_velocity = dense_new(a, sys->n, sys->velocity_count);
    st->lambda = arena_doubles(a, rows);
    if (soft) {
        st->weighted = weighted_new(a, sys->n, sys->hard_count, sys->soft_count);
        st->A_all = arena_doubles(a, rows * n);
        st->b_all = arena_doubles(a, rows);
        st->A_soft = arena_doubles(a, soft * n);
        st->b_soft = arena_doubles(a, soft);
        st->w_soft = arena_doubles(a, soft);
    }
    if (sys->quasi) {
        st->G = arena_doubles(a, n * n);
        st->pivot = arena_array(a, int, n);
    }
}

trm_state *state_new(arena *a, const trm_system *sys) {
    trm_state *st = arena_alloc(a, sizeof *st);
    size_t n = (size_t)sys->n, m = (size_t)sys->m;
    st->arena = a;
    st->x = arena_doubles(a, (size_t)sys->x_size);
    fill_constants(sys, st);
    for (int i = 0; i < STAGES; i++) {
        st->y[i] = arena_doubles(a, (size_t)sys->stages[i].y_size);
        st->work[i] = arena_doubles(a, sys->stages[i].work_size);
        stage_prepare(&sys->stages[i], st->x, st->work[i]);
    }
    name_parts(sys, st);
    st->qdd = arena_doubles(a, n);
    st->multiplier = arena_doubles(a, m);
    st->reaction = arena_doubles(a, n);
    st->control = arena_doubles(a, n);
    st->back = arena_doubles(a, n);
    st->forward = arena_doubles(a, n);
    st->force = arena_doubles(a, n);
    st->scratch = arena_doubles(a, n * n + 4 * (n + m));
    add_solvers(sys, st);
    st->cut = 1e-11;
    return st;
}

void state_set(const trm_system *sys, trm_state *st, double t, const double *q, const double *v) {
    st->x[0] = t;
    memmove(st->x + sys->x_q, q, (size_t)sys->n * sizeof *q);
    if (v)
        memmove(st->x + sys->x_v, v, (size_t)sys->n * sizeof *v);
}

void state_set_switches(const trm_system *sys, trm_state *st) {
    state_run(sys, st, STAGE_SWITCH);
    memcpy(st->x + sys->x_mode, st->y[STAGE_SWITCH], (size_t)sys->switch_count * sizeof(double));
}

void state_run(const trm_system *sys, trm_state *st, stage_kind which) {
    if (which == STAGE_DYNAMICS && sys->switch_count && !st->held)
        state_set_switches(sys, st);
    stage_run(&sys->stages[which], st->x, st->y[which], st->work[which]);
}
