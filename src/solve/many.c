#include "solve/many.h"

#include "solve/many_lanes.h"
#include "solve/solve_inside.h"
#include "system/direct.h"

#include <math.h>
#include <string.h>

enum { WIDE = KERNEL_LANES };

typedef struct many {
    const kernel *kernel;
    double *x, *y, *work; // WIDE times those of the stage
    const many_loops *loops;
    many_layout layout;
    bool plain; // forces follow from the kernel's outputs alone
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
    l->loops = many_loops_here();
    l->layout =
        (many_layout){sys->M,         sys->n,           sys->m,        sys->all.rows, (int)(st->Q - st->M),
                      sys->direct_at, sys->solved_rows, sys->row_scale};
    l->plain = !sys->friction_count && !sys->soft_count && !sys->sharing;
    l->x = arena_doubles(a, WIDE * (size_t)sys->x_size);
    l->y = arena_doubles(a, WIDE * (size_t)sys->stages[STAGE_DYNAMICS].y_size);
    l->work = arena_doubles(a, kernel_lanes_work_size(k));
    for (int i = 0; i < sys->x_size; i++)
        for (int j = 0; j < WIDE; j++)
            l->x[i * WIDE + j] = st->x[i];
    kernel_lanes_prepare(k, l->x, l->work);
    st->many = l;
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
    l->loops->put(m->t + first, 1, l->x);
    l->loops->put(m->q + at, sys->n, l->x + (size_t)sys->x_q * WIDE);
    l->loops->put(m->v + at, sys->n, l->x + (size_t)sys->x_v * WIDE);
    for (int i = 0; i < sys->model->turns.count; i++)
        for (int j = 0; j < WIDE; j++)
            l->x[(sys->x_turn + i) * WIDE + j] = st->x[sys->x_turn + i];
    for (int j = 0; sys->switch_count && j < WIDE; j++)
        put_switches(sys, st, l, j, m, first + j);
}

// of the stage's outputs
static void take(const many *l, int lane, int at, int count, double *to) {
    for (int i = 0; i < count; i++)
        to[i] = l->y[(at + i) * WIDE + lane];
}

// whether all of a lane is finite: what it was made of, and what it found
static bool is_finite(const trm_system *sys, const many *l, int lane) {
    double sum = 0;
    int end = sys->direct_at + sys->n + sys->all.rows;
    for (int i = 0; i < end; i++)
        sum += 0 * l->y[i * WIDE + lane];
    return sum == 0;
}

static bool is_enough(const trm_system *sys, const double *checks) {
    return direct_sure(checks) && (direct_clear(checks) || sys->direct_added || sys->full);
}

// one that would have to be looked at more closely is solved by itself
static bool is_sure(const trm_system *sys, const many *l, int lane) {
    double checks[DIRECT_CHECKS];
    take(l, lane, sys->direct_at + sys->n + sys->all.rows, DIRECT_CHECKS, checks);
    return is_finite(sys, l, lane) && is_enough(sys, checks);
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
    st->moved = false;
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

// all of a block at once, where no lane needs a closer look
static bool put_block(const trm_system *sys, const many *l, const many_states *m, int first) {
    size_t n = (size_t)first * (size_t)sys->n, rows = (size_t)first * (size_t)sys->m;
    double checks[DIRECT_CHECKS];
    bool forces = m->reaction || m->multiplier;
    if ((forces && !l->plain) || !l->loops->look(&l->layout, l->y, checks) || !is_enough(sys, checks))
        return false;
    if (m->qdd)
        l->loops->take(l->y + (size_t)sys->direct_at * WIDE, sys->n, m->qdd + n);
    if (forces)
        l->loops->forces(&l->layout, l->y, m->reaction ? m->reaction + n : NULL,
                         m->multiplier ? m->multiplier + rows : NULL);
    return true;
}

static outcome solve_block(const trm_system *sys, trm_state *st, const many_states *m, int first) {
    many *l = st->many;
    outcome worst = SOLVED;
    set_block(sys, st, l, m, first);
    kernel_lanes_run(l->kernel, l->x, l->y, l->work);
    if (put_block(sys, l, m, first))
        return SOLVED;
    for (int j = 0; j < WIDE; j++) {
        outcome found = SOLVED;
        if (is_sure(sys, l, j))
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
