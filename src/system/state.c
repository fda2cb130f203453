/* One trajectory's numbers: memory asked for once, inputs set, stages run. */
#include "linear/accuracy.h"
#include "linear/linalg.h"
#include "system/natural.h"
#include "system/rates.h"
#include "system/slopes.h"
#include "system/state_inside.h"
#include "system/supply.h"

#include <math.h>
#include <string.h>

static void name_parts(const trm_system *sys, trm_state *st) {
    st->M = st->y[STAGE_DYNAMICS];
    st->Q = st->M + sys->Q_at;
    st->A = st->M + sys->A_at;
    st->b = st->M + sys->b_at;
    st->w = st->M + sys->w_at;
    st->shared = st->M + sys->shared_at;
    st->C = st->y[STAGE_NONIDEAL];
}

/* A level that holds all rows needs no sparse solver of its own: they are large. The dense one chooses rows
 * by what it met before, and goes on as it began. */
static solver *level_solver(const trm_system *sys, trm_state *st, const system_level *level) {
    bool same = solver_is_sparse(st->solver) && level->A.to == sys->all.to;
    return same ? st->solver
                : solver_new(st->arena, sys->n, sys->M, level->A, sys->solver, sys->natural->units);
}

static bool asks_for_gaussian(const model *m) {
    for (int i = 0; i < m->results.count; i++)
        if (m->results.at[i].kind == RESULT_GAUSSIAN)
            return true;
    return false;
}

// whether the rows that solvers see are others than those of A
static bool has_own_rows(const trm_system *sys) {
    return sys->soft_count || sys->sharing || sys->friction_count;
}

static void add_rows(const trm_system *sys, trm_state *st) {
    arena *a = st->arena;
    size_t n = (size_t)sys->n, rows = (size_t)sys->all.rows, soft = (size_t)sys->soft_count;
    rows_in_force *r = &st->rows;
    if (has_own_rows(sys)) {
        r->own_A = arena_doubles(a, (size_t)sparsity_entries(sys->all));
        r->own_b = arena_doubles(a, rows);
    }
    if (sys->fits)
        r->fit = fit_new(a, sys->n, sys->all, sys->all.rows - sys->soft_count);
    if (soft && !sys->fits) {
        r->weighted = weighted_new(a, sys->n, sys->m - sys->soft_count, sys->soft_count);
        r->soft_A = arena_doubles(a, soft * n);
    }
    if (soft) {
        r->soft_b = arena_doubles(a, soft);
        r->soft_w = arena_doubles(a, soft);
        r->soft_share = arena_doubles(a, soft);
        r->soft_L = sys->shares_weights ? arena_doubles(a, soft * WEIGHTS_SHARED) : NULL;
    }
    r->indefinite = -1;
    r->A = r->own_A ? r->own_A : st->A;
    r->b = r->own_b ? r->own_b : st->b;
    st->idle = arena_array(a, bool, sys->m + 1);
    st->lambda = arena_doubles(a, (size_t)sys->m);
    st->left_out = arena_array(a, bool, sys->m + 1);
}

static void add_solvers(const trm_system *sys, trm_state *st) {
    arena *a = st->arena;
    size_t n = (size_t)sys->n;
    st->solver = solver_new(a, sys->n, sys->M, sys->all,
                            sys->fits         ? SOLVER_SPARSE
                            : sys->soft_count ? SOLVER_DENSE
                                              : sys->solver,
                            sys->natural->units);
    st->position = level_solver(sys, st, &sys->position);
    st->velocity =
        sys->velocity.A.to == sys->position.A.to ? st->position : level_solver(sys, st, &sys->velocity);
    solver *all[] = {st->solver, st->position, st->velocity};
    st->team = solver_has_parts(st->solver) ? team_new(a, team_threads_wanted()) : NULL;
    for (int i = 0; i < 3; i++)
        solver_use_team(all[i], st->team);
    if (asks_for_gaussian(sys->model))
        st->free = solver_new(a, n ? sys->n : 0, sys->M, (sparsity){0, arena_array(a, int, 1), NULL},
                              sys->solver, sys->natural->units);
    if (sys->quasi)
        st->quasi = triangular_factors_new(a, sys->rates->by);
}

trm_state *state_new(arena *a, const trm_system *sys) {
    trm_state *st = arena_alloc(a, sizeof *st);
    size_t n = (size_t)sys->n, m = (size_t)sys->m;
    st->arena = a;
    st->x = arena_doubles(a, (size_t)sys->x_size);
    system_constants(sys, st->x);
    for (int i = 0; i < STAGES; i++) {
        st->y[i] = arena_doubles(a, (size_t)sys->stages[i].y_size);
        st->work[i] = arena_doubles(a, sys->stages[i].work_size);
        stage_prepare(&sys->stages[i], st->x, st->work[i]);
    }
    name_parts(sys, st);
    st->supply = supply_new(a, sys);
    st->done = arena_doubles(a, (size_t)sys->work_count);
    st->over = arena_doubles(a, (size_t)sys->model->overs.count);
    for (int i = 0; i < sys->model->overs.count; i++)
        st->over[i] = NAN;
    st->qdd = arena_doubles(a, n);
    st->multiplier = arena_doubles(a, m);
    st->reaction = arena_doubles(a, n);
    st->control = arena_doubles(a, n);
    st->back = arena_doubles(a, n);
    st->forward = arena_doubles(a, n);
    if (sys->quasi_reactions)
        st->quasi_reaction = arena_doubles(a, n);
    st->force = sys->nonideal || sys->friction_count ? arena_doubles(a, n) : st->Q;
    st->found = (state_found){.M = st->M,
                              .Q = st->Q,
                              .A = st->A,
                              .b = st->b,
                              .qdd = st->qdd,
                              .force = st->force,
                              .multiplier = st->multiplier,
                              .reaction = st->reaction,
                              .control = st->control};
    st->scratch = arena_doubles(a, (sys->slopes && !sys->sparse_slopes ? n * n : 0) + 4 * (n + m));
    add_rows(sys, st);
    add_solvers(sys, st);
    st->cut = RANK_ROUNDING;
    return st;
}

void state_free(trm_state *st) {
    arena_free(st->arena);
}

const state_found *state_look(const trm_state *st) {
    return &st->found;
}

// ---- inputs

void state_set(const trm_system *sys, trm_state *st, double t, const double *q, const double *v) {
    st->x[0] = t;
    linalg_copy(st->x + sys->x_q, q, sys->n);
    if (v)
        linalg_copy(st->x + sys->x_v, v, sys->n);
}

void state_set_done(const trm_system *sys, trm_state *st, const double *done) {
    memcpy(st->done, done, (size_t)sys->work_count * sizeof *done);
}

void state_set_over(const trm_system *sys, trm_state *st, const double *over) {
    memcpy(st->over, over, (size_t)sys->model->overs.count * sizeof *over);
}

const double *state_q(const trm_system *sys, const trm_state *st) {
    return st->x + sys->x_q;
}

const double *state_v(const trm_system *sys, const trm_state *st) {
    return st->x + sys->x_v;
}

double state_input(const trm_state *st, int x) {
    return st->x[x];
}

void state_set_unit(const trm_system *sys, trm_state *st, int rate) {
    memset(st->x + sys->x_v, 0, (size_t)sys->n * sizeof(double));
    st->x[sys->x_v + rate] = 1;
}

void state_keep_turns(const trm_system *sys, trm_state *st) {
    if (sys->model->turns.count == 0)
        return;
    state_run(sys, st, STAGE_TURN);
    memcpy(st->x + sys->x_turn, st->y[STAGE_TURN], (size_t)sys->model->turns.count * sizeof(double));
}

void state_put_turn(const trm_system *sys, trm_state *st, int turn, double angle) {
    st->x[sys->x_turn + turn] = angle;
}

void state_turns(const trm_system *sys, const trm_state *st, double *out) {
    for (int i = 0; i < sys->model->turns.count; i++)
        out[i] = st->x[sys->x_turn + i];
}

void state_reset_turns(const trm_system *sys, trm_state *st) {
    const double *starts = sys->start_turns ? sys->start_turns : sys->model->turn_starts.at;
    for (int i = 0; i < sys->model->turns.count; i++)
        st->x[sys->x_turn + i] = starts[i];
}

static size_t switch_bytes(const trm_system *sys) {
    return (size_t)sys->switch_count * sizeof(double);
}

void state_set_switches(const trm_system *sys, trm_state *st) {
    state_run(sys, st, STAGE_SWITCH);
    state_put_switches(sys, st, st->y[STAGE_SWITCH]);
}

bool state_switches_turned(const trm_system *sys, trm_state *st) {
    state_run(sys, st, STAGE_SWITCH);
    return memcmp(st->y[STAGE_SWITCH], st->x + sys->x_mode, switch_bytes(sys)) != 0;
}

bool state_row_switches_turned(const trm_system *sys, trm_state *st) {
    if (sys->row_switch == NULL)
        return false;
    state_run(sys, st, STAGE_SWITCH);
    for (int i = 0; i < sys->switch_count; i++)
        if (sys->row_switch[i] && st->y[STAGE_SWITCH][i] != st->x[sys->x_mode + i])
            return true;
    return false;
}

void state_get_switches(const trm_system *sys, const trm_state *st, double *out) {
    memcpy(out, st->x + sys->x_mode, switch_bytes(sys));
}

void state_put_switches(const trm_system *sys, trm_state *st, const double *in) {
    memcpy(st->x + sys->x_mode, in, switch_bytes(sys));
}

double state_cut(const trm_state *st) {
    return st->cut;
}

void state_set_cut(trm_state *st, double cut) {
    st->cut = cut;
}

bool state_idle(const trm_state *st, int row) {
    return st->idle[row];
}

void state_set_idle(trm_state *st, int row, bool idle) {
    st->idle[row] = idle;
}

// ---- stages

// rows that are not in force are not held: they vanish
static void clear_idle(const trm_system *sys, trm_state *st) {
    double *y = st->y[STAGE_VELOCITY], *residual = y + sys->velocity.residual_at, *A = y + sys->velocity.A_at;
    for (int i = 0; i < sys->velocity.m; i++) {
        if (!st->idle[sys->velocity.rows[i]])
            continue;
        residual[i] = 0;
        for (int e = sys->velocity.A.start[i]; e < sys->velocity.A.start[i + 1]; e++)
            A[e] = 0;
    }
}

// M + stiffness for projections
static void add_stiffness(const trm_system *sys, trm_state *st, const double *M) {
    const stiff_metric *f = st->stiff;
    memcpy(f->M, f->stiffness, (size_t)sparsity_entries(f->pattern) * sizeof(double));
    for (int e = 0; e < sparsity_entries(sys->M); e++)
        f->M[f->of_mass[e]] += M[e];
}

static void finish_level(const trm_system *sys, trm_state *st, stage_kind which) {
    if (which == STAGE_VELOCITY && sys->friction_count)
        clear_idle(sys, st);
    if (st->stiff)
        add_stiffness(sys, st, st->y[which]);
}

// apart, so that evaluations do not pay for what few need
static __attribute__((noinline)) void run_and_finish(const trm_system *sys, trm_state *st, stage_kind which) {
    profile_part before = profile_enter(st->profile, PROFILE_EVALUATE);
    if (st->supply)
        supply_run(sys, st, which);
    stage_run(&sys->stages[which], st->x, st->y[which], st->work[which], st->team);
    if (which == STAGE_POSITION || which == STAGE_VELOCITY)
        finish_level(sys, st, which);
    profile_leave(st->profile, before);
}

void state_run(const trm_system *sys, trm_state *st, stage_kind which) {
    if (st->profile || st->stiff || st->supply || sys->friction_count)
        run_and_finish(sys, st, which);
    else
        stage_run(&sys->stages[which], st->x, st->y[which], st->work[which], st->team);
}

const double *state_output(const trm_state *st, stage_kind which) {
    return st->y[which];
}

static state_level level_of(const trm_system *sys, const trm_state *st, stage_kind which,
                            stiff_metric *stiff) {
    bool position = which == STAGE_POSITION;
    const system_level *level = position ? &sys->position : &sys->velocity;
    double *y = st->y[which];
    stage_kind look = position ? STAGE_POSITION_LOOK : STAGE_VELOCITY_LOOK;
    state_level l = {.level = level,
                     .stage = which,
                     .M_pattern = sys->M,
                     .input = st->x + (position ? sys->x_q : sys->x_v),
                     .M = y,
                     .residual = y + level->residual_at,
                     .A = y + level->A_at,
                     .look = look,
                     .off = sys->stages[look].groups.count ? st->y[look] : NULL,
                     .step = level->direct && !stiff ? y + level->step_at : NULL,
                     .solver = position ? st->position : st->velocity,
                     .cut = st->cut,
                     .scratch = st->scratch};
    if (stiff) {
        l.M_pattern = stiff->pattern;
        l.M = stiff->M;
        l.solver = position ? stiff->position : stiff->velocity;
    }
    return l;
}

state_level state_position(const trm_system *sys, const trm_state *st) {
    return level_of(sys, st, STAGE_POSITION, st->stiff);
}

state_level state_velocity(const trm_system *sys, const trm_state *st) {
    return level_of(sys, st, STAGE_VELOCITY, st->stiff);
}

state_level state_without_stiffness(const trm_system *sys, const trm_state *st, stage_kind which) {
    return level_of(sys, st, which, NULL);
}

static void find_places(arena *a, const trm_system *sys, stiff_metric *f) {
    sparsity S = sys->slope_pattern;
    f->of_mass = arena_array(a, int, sparsity_entries(sys->M) + 1);
    f->of_slope = arena_array(a, int, sparsity_entries(S) + 1);
    f->across = arena_array(a, int, sparsity_entries(S) + 1);
    for (int j = 0; j < sys->n; j++) {
        for (int e = sys->M.start[j]; e < sys->M.start[j + 1]; e++)
            f->of_mass[e] = sparsity_find(f->pattern, j, sys->M.to[e]);
        for (int e = S.start[j]; e < S.start[j + 1]; e++) {
            bool row = S.to[e] >= sys->n;
            f->of_slope[e] = row ? -1 : sparsity_find(f->pattern, S.to[e], j);
            f->across[e] = row ? -1 : sparsity_find(f->pattern, j, S.to[e]);
        }
    }
}

void state_add_stiffness(const trm_system *sys, trm_state *st) {
    arena *a = st->arena;
    stiff_metric *f = arena_array(a, stiff_metric, 1);
    bool sparse = sys->sparse_slopes;
    solver_kind kind = sparse ? SOLVER_SPARSE : SOLVER_DENSE;
    f->pattern = sparse ? slopes_metric(a, sys) : sparsity_full(a, sys->n, sys->n);
    f->stiffness = arena_doubles(a, (size_t)sparsity_entries(f->pattern) + 1);
    f->M = arena_doubles(a, (size_t)sparsity_entries(f->pattern) + 1);
    find_places(a, sys, f);
    f->position = solver_new(a, sys->n, f->pattern, sys->position.A, kind, sys->natural->units);
    f->velocity = solver_new(a, sys->n, f->pattern, sys->velocity.A, kind, sys->natural->units);
    if (sparse)
        f->alone = solver_new(a, sys->n, f->pattern, sparsity_rows(a, sys->A, NULL, 0), kind, NULL);
    st->stiff = f;
}

void state_drop_stiffness(trm_state *st) {
    st->stiff = NULL;
}

// ---- others

team *state_team(const trm_state *st) {
    return st->team;
}

void state_set_error(trm_state *st, int code) {
    st->error = code;
}

void state_set_known(trm_state *st, bool known) {
    st->known = known;
}

bool state_known(const trm_state *st) {
    return st->known;
}

int state_error(const trm_state *st) {
    return st->error;
}

profile *state_profile(const trm_state *st) {
    return st->profile;
}

void state_set_profile(trm_state *st, profile *p) {
    st->profile = p;
}
