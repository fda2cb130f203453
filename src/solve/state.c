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
    st->M = st->y[STAGE_DYNAMICS];
    st->Q = st->M + sys->Q_at;
    st->A = st->M + sys->A_at;
    st->b = st->M + sys->b_at;
    st->w = st->M + sys->w_at;
    st->C = st->y[STAGE_NONIDEAL];
}

/* A level that holds all rows needs no sparse solver of its own: they are large. The dense one chooses rows
 * by what it met before, and goes on as it began. */
static solver *level_solver(const trm_system *sys, trm_state *st, const system_level *level) {
    bool same = solver_is_sparse(st->solver) && level->A.to == sys->all.to;
    return same ? st->solver : solver_new(st->arena, sys->n, sys->M, level->A, sys->solver);
}

static bool asks_for_gaussian(const model *m) {
    for (int i = 0; i < m->results.count; i++)
        if (m->results.at[i].kind == RESULT_GAUSSIAN)
            return true;
    return false;
}

static void add_solvers(const trm_system *sys, trm_state *st) {
    arena *a = st->arena;
    size_t n = (size_t)sys->n, rows = (size_t)sys->m, soft = (size_t)sys->soft_count;
    st->solver = solver_new(a, sys->n, sys->M, sys->all, soft ? SOLVER_DENSE : sys->solver);
    st->position = level_solver(sys, st, &sys->position);
    st->velocity =
        sys->velocity.A.to == sys->position.A.to ? st->position : level_solver(sys, st, &sys->velocity);
    solver *all[] = {st->solver, st->position, st->velocity};
    team *helpers = solver_has_parts(st->solver) ? team_new(a, team_threads_wanted()) : NULL;
    for (int i = 0; i < 3; i++)
        solver_use_team(all[i], helpers);
    if (asks_for_gaussian(sys->model))
        st->free =
            solver_new(a, n ? sys->n : 0, sys->M, (sparsity){0, arena_array(a, int, 1), NULL}, sys->solver);
    st->lambda = arena_doubles(a, rows);
    st->left_out = arena_array(a, bool, rows + 1);
    if (sys->friction_count)
        st->friction = friction_new(a, sys);
    if (soft || sys->sharing || sys->friction_count) {
        st->A_all = arena_doubles(a, (size_t)sparsity_entries(sys->all));
        st->b_all = arena_doubles(a, rows);
    }
    if (soft) {
        st->weighted = weighted_new(a, sys->n, sys->hard_count, sys->soft_count);
        st->A_soft = arena_doubles(a, soft * n);
        st->b_soft = arena_doubles(a, soft);
        st->w_soft = arena_doubles(a, soft);
    }
    if (sys->quasi) {
        st->G = arena_doubles(a, n * n);
        st->pivot = arena_array(a, int, n);
    }
}

static state_level level_of(const trm_system *sys, const trm_state *st, const system_level *level,
                            stage_kind which, solver *plain, solver *stiff) {
    double *y = st->y[which];
    state_level l = {.level = level, .M_pattern = sys->M, .M = y, .solver = plain};
    l.residual = y + level->residual_at;
    l.A = y + level->A_at;
    l.step = sys->direct && !st->stiff ? y + level->step_at : NULL;
    if (st->stiff) {
        l.M_pattern = st->stiff->pattern;
        l.M = st->stiff->M;
        l.solver = stiff;
    }
    return l;
}

state_level state_position(const trm_system *sys, const trm_state *st) {
    return level_of(sys, st, &sys->position, STAGE_POSITION, st->position,
                    st->stiff ? st->stiff->position : NULL);
}

state_level state_velocity(const trm_system *sys, const trm_state *st) {
    return level_of(sys, st, &sys->velocity, STAGE_VELOCITY, st->velocity,
                    st->stiff ? st->stiff->velocity : NULL);
}

void state_add_stiffness(const trm_system *sys, trm_state *st) {
    stiff_metric *f = arena_alloc(st->arena, sizeof *f);
    size_t n = (size_t)sys->n;
    f->pattern = sparsity_full(st->arena, sys->n, sys->n);
    f->stiffness = arena_doubles(st->arena, n * n);
    f->M = arena_doubles(st->arena, n * n);
    f->position = solver_new(st->arena, sys->n, f->pattern, sys->position.A, SOLVER_DENSE);
    f->velocity = solver_new(st->arena, sys->n, f->pattern, sys->velocity.A, SOLVER_DENSE);
    st->stiff = f;
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
    st->force = sys->nonideal || sys->friction_count ? arena_doubles(a, n) : st->Q;
    st->scratch = arena_doubles(a, (sys->quasi || sys->slopes ? n * n : 0) + 4 * (n + m));
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

void state_keep_turns(const trm_system *sys, trm_state *st) {
    if (sys->model->turns.count == 0)
        return;
    state_run(sys, st, STAGE_TURN);
    memcpy(st->x + sys->x_turn, st->y[STAGE_TURN], (size_t)sys->model->turns.count * sizeof(double));
}

void state_reset_turns(const trm_system *sys, trm_state *st) {
    memset(st->x + sys->x_turn, 0, (size_t)sys->model->turns.count * sizeof(double));
}

void state_set_switches(const trm_system *sys, trm_state *st) {
    state_run(sys, st, STAGE_SWITCH);
    memcpy(st->x + sys->x_mode, st->y[STAGE_SWITCH], (size_t)sys->switch_count * sizeof(double));
}

// what slips is not held: its rows vanish
static void clear_idle(const trm_system *sys, trm_state *st) {
    state_level l = state_velocity(sys, st);
    for (int i = 0; i < l.level->m; i++) {
        if (!friction_idle(sys, st, l.level->rows[i]))
            continue;
        l.residual[i] = 0;
        for (int e = l.level->A.start[i]; e < l.level->A.start[i + 1]; e++)
            l.A[e] = 0;
    }
}

void state_run(const trm_system *sys, trm_state *st, stage_kind which) {
    if (which == STAGE_DYNAMICS && sys->switch_count && !st->held)
        state_set_switches(sys, st);
    profile_part before = profile_enter(st->profile, PROFILE_EVALUATE);
    stage_run(&sys->stages[which], st->x, st->y[which], st->work[which]);
    if (which == STAGE_VELOCITY && sys->friction_count)
        clear_idle(sys, st);
    if (st->stiff && (which == STAGE_POSITION || which == STAGE_VELOCITY)) {
        memcpy(st->stiff->M, st->stiff->stiffness, (size_t)sys->n * (size_t)sys->n * sizeof(double));
        for (int i = 0; i < sys->n; i++)
            row_add(sys->M, st->y[which], i, 1, st->stiff->M + (size_t)i * (size_t)sys->n);
    }
    profile_leave(st->profile, before);
}
