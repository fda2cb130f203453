#include "solve/many.h"

#include "solve/solve_inside.h"
#include "system/direct.h"

#include <math.h>
#include <string.h>

enum { WIDE = KERNEL_LANES };

typedef struct many {
    const kernel *kernel;
    double *x, *y, *work; // WIDE times those of the stage
} many;

static const kernel *kernel_of(const trm_system *sys) {
    const stage *s = &sys->stages[STAGE_DYNAMICS];
    bool one = sys->direct && s->groups.count == 1 && s->groups.at[0].gather == NULL;
    return one && !sys->mech->needs_energy ? s->groups.at[0].kernel : NULL;
}

void many_add(trm_system *sys) {
    const kernel *k = kernel_of(sys);
    if (k)
        kernel_add_lanes(sys->arena, k);
}

void many_join(const trm_system *sys, trm_state *st) {
    const kernel *k = kernel_of(sys);
    arena *a = st->arena;
    if (k == NULL)
        return;
    many *l = arena_alloc(a, sizeof *l);
    l->kernel = k;
    l->x = arena_doubles(a, WIDE * (size_t)sys->x_size);
    l->y = arena_doubles(a, WIDE * (size_t)sys->stages[STAGE_DYNAMICS].y_size);
    l->work = arena_doubles(a, kernel_lanes_work_size(k));
    for (int i = 0; i < sys->x_size; i++)
        for (int j = 0; j < WIDE; j++)
            l->x[i * WIDE + j] = st->x[i];
    kernel_lanes_prepare(k, l->x, l->work);
    st->many = l;
}

// values (WIDE x count) of the states, one after the other, become inputs from `at` on
static void put(many *l, int at, const double *from, int count) {
    for (int i = 0; i < count; i++) {
        double *to = l->x + (size_t)(at + i) * WIDE;
        for (int j = 0; j < WIDE; j++)
            to[j] = from[j * count + i];
    }
}

static void put_switches(const trm_system *sys, trm_state *st, many *l, int lane, const many_states *m,
                         int which) {
    size_t at = (size_t)which * (size_t)sys->n;
    state_set(sys, st, m->t[which], m->q + at, m->v + at);
    state_set_switches(sys, st);
    for (int i = 0; i < sys->switch_count; i++)
        l->x[(sys->x_mode + i) * WIDE + lane] = st->x[sys->x_mode + i];
}

static void set_block(const trm_system *sys, trm_state *st, many *l, const many_states *m, int first) {
    size_t at = (size_t)first * (size_t)sys->n;
    put(l, 0, m->t + first, 1);
    put(l, sys->x_q, m->q + at, sys->n);
    put(l, sys->x_v, m->v + at, sys->n);
    for (int j = 0; sys->switch_count && j < WIDE; j++)
        put_switches(sys, st, l, j, m, first + j);
}

// of the stage's outputs
static void take(const many *l, int lane, int at, int count, double *to) {
    for (int i = 0; i < count; i++)
        to[i] = l->y[(at + i) * WIDE + lane];
}

// what each lane was made of, and what it found: 0, or NAN where a number is not finite
static void look_for_nan(const trm_system *sys, const many *l, double *zero) {
    typedef double wide __attribute__((vector_size(WIDE * sizeof(double)), aligned(8), may_alias));
    int end = sys->direct_at + sys->n + sys->all.rows;
    wide sum = {0};
    for (int i = 0; i < end; i++)
        sum += 0 * *(const wide *)(l->y + (size_t)i * WIDE);
    memcpy(zero, &sum, sizeof sum);
}

// one that would have to be looked at more closely is solved by itself
static bool is_sure(const trm_system *sys, const many *l, int lane) {
    double checks[DIRECT_CHECKS];
    take(l, lane, sys->direct_at + sys->n + sys->all.rows, DIRECT_CHECKS, checks);
    return direct_sure(checks) && (direct_clear(checks) || sys->direct_added || sys->full);
}

static void put_forces(const trm_system *sys, trm_state *st, const many_states *m, int which) {
    size_t n = (size_t)sys->n, rows = (size_t)sys->m;
    if (m->reaction == NULL && m->multiplier == NULL)
        return;
    solve_forces(sys, st);
    if (m->reaction)
        memcpy(m->reaction + (size_t)which * n, st->reaction, n * sizeof(double));
    if (m->multiplier)
        memcpy(m->multiplier + (size_t)which * rows, st->multiplier, rows * sizeof(double));
}

static void put_lane(const trm_system *sys, trm_state *st, const many *l, int lane, const many_states *m,
                     int which) {
    size_t at = (size_t)which * (size_t)sys->n;
    if (m->qdd)
        take(l, lane, sys->direct_at, sys->n, m->qdd + at);
    if (m->reaction == NULL && m->multiplier == NULL)
        return;
    state_set(sys, st, m->t[which], m->q + at, m->v + at);
    take(l, lane, 0, sys->stages[STAGE_DYNAMICS].y_size, st->y[STAGE_DYNAMICS]);
    memcpy(st->qdd, st->M + sys->direct_at, (size_t)sys->n * sizeof(double));
    memcpy(st->lambda, st->M + sys->direct_at + sys->n, (size_t)sys->all.rows * sizeof(double));
    st->direct = true;
    put_forces(sys, st, m, which);
}

static void put_nan(double *to, int which, int count) {
    for (int i = 0; to && i < count; i++)
        to[(size_t)which * (size_t)count + (size_t)i] = NAN;
}

static outcome solve_one(const trm_system *sys, trm_state *st, const many_states *m, int which) {
    size_t n = (size_t)sys->n, at = (size_t)which * n;
    state_forgive(st);
    outcome found = solve_off_constraints(sys, st, m->t[which], m->q + at, m->v + at);
    if (found.status != SOLVE_OK) {
        put_nan(m->qdd, which, sys->n);
        put_nan(m->reaction, which, sys->n);
        put_nan(m->multiplier, which, sys->m);
        return found;
    }
    if (m->qdd)
        memcpy(m->qdd + at, st->qdd, n * sizeof(double));
    put_forces(sys, st, m, which);
    return found;
}

static outcome solve_block(const trm_system *sys, trm_state *st, const many_states *m, int first) {
    many *l = st->many;
    outcome worst = SOLVED;
    double zero[WIDE];
    set_block(sys, st, l, m, first);
    kernel_lanes_run(l->kernel, l->x, l->y, l->work);
    look_for_nan(sys, l, zero);
    for (int j = 0; j < WIDE; j++) {
        outcome found = SOLVED;
        if (zero[j] == 0 && is_sure(sys, l, j))
            put_lane(sys, st, l, j, m, first + j);
        else
            found = solve_one(sys, st, m, first + j);
        worst = worst.status == SOLVE_OK ? found : worst;
    }
    return worst;
}

outcome many_solve(const trm_system *sys, trm_state *st, const many_states *m) {
    outcome worst = SOLVED;
    for (int i = 0; i < m->count;) {
        bool block = st->many && m->count - i >= WIDE && !st->formulated;
        outcome found = block ? solve_block(sys, st, m, i) : solve_one(sys, st, m, i);
        worst = worst.status == SOLVE_OK ? found : worst;
        i += block ? WIDE : 1;
    }
    return worst;
}
