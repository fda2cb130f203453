/* Fused: the instances' own coordinates for the slots, and all entries of a stage in one kernel. Of a small
 * system the kernel solves, too: the outcome stands behind the quantities in y. */
#include "system/stages.h"

#include "linear/linalg.h"
#include "mech/tree/tree.h"
#include "system/cost.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/quantities.h"
#include "system/seen.h"
#include "system/settle.h"
#include "system/terms.h"

#include <math.h>

/* Up to this size a fused kernel writes all of y, zeros included, which costs less than adding the others to
 * their places; beyond, where at least half of it is not zero. IFToMM A02 with N = 40, 895 numbers: 4.6 us
 * where adding took 5.1. */
enum { WHOLE_AT_MOST = 400 };

typedef struct {
    trm_system *sys;
    expr_pool *pool;
    stage_kind stage;
} fusing;

// ---- sums over all instances

typedef struct {
    expr_pool *pool;
    element at;
} instance;

static expr put_instance(void *context, sym_kind kind, int index) {
    const instance *of = context;
    switch (kind) {
    case SYM_P:
    case SYM_V:
    case SYM_A:
        return expr_symbol(of->pool, kind, element_coordinate(&of->at, index));
    case SYM_NUMBER:
        return expr_number(of->pool, element_number(&of->at, index));
    case SYM_RESULT:
        return expr_symbol(of->pool, kind, element_result(&of->at, index));
    case SYM_MODE:
        return expr_symbol(of->pool, kind, element_switch(&of->at, index));
    case SYM_TURN:
        return expr_symbol(of->pool, kind, element_turn(&of->at, index));
    default:
        return EXPR_NONE;
    }
}

int stages_input(void *context, sym_kind kind, int index) {
    const trm_system *s = context;
    const int base[SYM_KINDS] = {
        [SYM_P] = s->x_q,           [SYM_V] = s->x_v,       [SYM_A] = s->x_a,      [SYM_PARAM] = s->x_param,
        [SYM_RESULT] = s->x_result, [SYM_MODE] = s->x_mode, [SYM_TURN] = s->x_turn};
    return base[kind] + index;
}

// in one walk over all entries: they share most of what they are made of
static void add_instance(instance *of, arena *scratch, expr *sums) {
    const mech_shape *derived = of->at.derived;
    vec(expr) terms = {0};
    vec(int) places = {0};
    for (int k = 0; k < derived->entries.count; k++) {
        int to = quantities_place(&of->at, &derived->entries.at[k]);
        if (to < 0)
            continue;
        vec_push(scratch, places, to);
        vec_push(scratch, terms, element_expression(&of->at, &derived->entries.at[k]));
    }
    if (terms.count)
        expr_substitute_all(of->pool, terms.at, terms.count, put_instance, of, terms.at);
    for (int k = 0; k < terms.count; k++) {
        expr *sum = &sums[places.at[k]];
        *sum = *sum ? expr_op2(of->pool, OP_ADD, *sum, terms.at[k]) : terms.at[k];
    }
}

void stages_sum(const trm_system *s, expr_pool *pool, stage_kind kind, int shape_number, arena *scratch,
                expr *sums) {
    instance of = {pool, element_of(s, kind, shape_number)};
    for (; of.at.instance < of.at.shape->count; of.at.instance++)
        add_instance(&of, scratch, sums);
}

static void add_instances(const fusing *f, arena *scratch, expr *sums) {
    for (int i = 0; i < f->sys->model->shapes.count; i++)
        stages_sum(f->sys, f->pool, f->stage, i, scratch, sums);
}

// ---- the solution

double stages_some_value(void *context, sym_kind kind, int index) {
    const trm_system *s = context;
    if (kind == SYM_PARAM)
        return s->model->params.at[index].value;
    for (int i = 0; s->full && kind == SYM_P && i < s->model->quaternions.count; i++) {
        int first = s->model->quaternions.at[i]; // without a row that says so, it is of unit length
        double of[4];
        for (int k = 0; k < 4; k++)
            of[k] = settle_some_number(kind, first + k);
        if (index >= first && index < first + 4)
            return of[index - first] / linalg_norm(of, 4);
    }
    return settle_some_number(kind, index);
}

static expr scaled(const fusing *f, expr e, double scale) {
    return e && scale != 1 ? expr_op2(f->pool, OP_MUL, expr_number(f->pool, scale), e) : e;
}

// ---- in natural units: S M S, A S, S Q, for x^ with x = S x^

static double unit_of(const fusing *f, int i) {
    const double *units = f->sys->natural->units;
    return units ? units[i] : 1;
}

static const expr *mass_in_units(const fusing *f, arena *a, const expr *M) {
    const trm_system *s = f->sys;
    expr *out = arena_array(a, expr, sparsity_entries(s->M) + 1);
    for (int i = 0; i < s->n; i++)
        for (int e = s->M.start[i]; e < s->M.start[i + 1]; e++)
            out[e] = scaled(f, M[e], unit_of(f, i) * unit_of(f, s->M.to[e]));
    return out;
}

static const expr *rows_in_units(const fusing *f, arena *a, sparsity pattern, const expr *A) {
    expr *out = arena_array(a, expr, sparsity_entries(pattern) + 1);
    for (int e = 0; e < sparsity_entries(pattern); e++)
        out[e] = scaled(f, A[e], unit_of(f, pattern.to[e]));
    return out;
}

// out: as direct_build has it, but x in the units of the model
static void solve_in_units(const fusing *f, const direct_problem *p, bool refined, expr *out) {
    direct_build(f->sys->arena, f->pool, p, refined, out);
    for (int i = 0; i < p->n; i++)
        out[i] = scaled(f, out[i], unit_of(f, i));
}

// what the kernel solves beside evaluating M, Q, A, b, with the outcome behind these
static void add_acceleration(const fusing *f, expr *sums) {
    trm_system *s = f->sys;
    arena *scratch = arena_child(f->sys->arena);
    expr *A = arena_array(scratch, expr, sparsity_entries(s->all) + 1);
    expr *right = arena_array(scratch, expr, s->all.rows + 1);
    for (int k = 0; k < s->all.rows; k++) {
        int row = s->solved_rows[k], begin = s->A.start[row];
        for (int e = 0; e < s->all.start[k + 1] - s->all.start[k]; e++)
            A[s->all.start[k] + e] = scaled(f, sums[s->A_at + begin + e], s->row_scale[k]);
        right[k] = scaled(f, sums[s->b_at + row], s->row_scale[k]);
    }
    expr *Q = arena_array(scratch, expr, s->n + 1);
    for (int i = 0; i < s->n; i++)
        Q[i] = scaled(f, sums[s->Q_at + i], unit_of(f, i));
    direct_problem p = {.n = s->n, .M_pattern = s->M, .A_pattern = s->all, .Q = Q, .b = right};
    p.M = mass_in_units(f, scratch, sums);
    p.A = rows_in_units(f, scratch, s->all, A);
    p.single = s->how == EVALUATE_EMITTED_SINGLE;
    p.by_mass = s->full != NULL; // A A' would take a third of all operations
    p.added = s->direct_added = direct_rows_for_mass(s->arena, f->pool, &p, stages_some_value, s, &s->direct);
    seen_added(s, f->pool, &p, p.added, s->direct);
    s->direct = s->direct && cost_affords(s, STAGE_DYNAMICS, s->all, p.added);
    if (s->direct) // terms of rows that are added cancel; otherwise solve/residual.c tells
        solve_in_units(f, &p, p.added && s->full == NULL, sums + s->direct_at);
    expr *square = sums + s->direct_at + s->n + s->all.rows + DIRECT_CHECKS;
    for (int k = 0; k < s->all.rows && s->direct; k++)
        for (int e = s->all.start[k]; e < s->all.start[k + 1]; e++)
            term_add(f->pool, &square[k], p.A[e], p.A[e]);
    arena_free(scratch);
}

// the accelerations are there
static void take_acceleration(const fusing *f, expr *sums) {
    const trm_system *s = f->sys;
    const expr *rate = sums + s->layout->start[STAGE_DYNAMICS][MECH_RATE];
    for (int i = 0; i < s->n; i++)
        sums[s->direct_at + i] = rate[i];
    for (int i = 0; i < DIRECT_CHECKS; i++)
        sums[s->direct_at + s->n + i] = expr_number(f->pool, 1);
}

// the least change in the metric of M that satisfies the rows of a level
static void add_correction(const fusing *f, const system_level *level, expr *sums) {
    const trm_system *s = f->sys;
    if (level->m == 0)
        return;
    arena *scratch = arena_child(f->sys->arena);
    expr *right = arena_array(scratch, expr, level->m + 1);
    const bool *added = stages_added(scratch, s, level);
    for (int i = 0; i < level->m; i++) {
        if (sums[level->residual_at + i])
            right[i] = expr_op1(f->pool, OP_NEG, sums[level->residual_at + i]);
    }
    direct_problem p = {.n = s->n, .M_pattern = s->M, .A_pattern = level->A, .b = right, .added = added};
    p.single = s->how == EVALUATE_EMITTED_SINGLE;
    p.M = mass_in_units(f, scratch, sums);
    p.A = rows_in_units(f, scratch, level->A, sums + level->A_at);
    p.by_mass = s->full != NULL;
    solve_in_units(f, &p, false, sums + level->step_at);
    arena_free(scratch);
}

// ---- looks without a solution

// sum_j |A_ij| (size_j + |x_j|), as natural_allowance has it
static expr allowed_of(const fusing *f, const system_level *level, int row, const expr *A) {
    bool velocity = f->stage == STAGE_VELOCITY;
    expr sum = EXPR_NONE;
    for (int e = level->A.start[row]; e < level->A.start[row + 1]; e++) {
        int j = level->A.to[e];
        if (A[e] == EXPR_NONE)
            continue;
        expr x = expr_op1(f->pool, OP_ABS, expr_symbol(f->pool, velocity ? SYM_V : SYM_P, j));
        expr size = expr_number(f->pool, natural_size(f->sys->natural, j, velocity));
        expr part =
            expr_op2(f->pool, OP_MUL, expr_op1(f->pool, OP_ABS, A[e]), expr_op2(f->pool, OP_ADD, size, x));
        sum = sum ? expr_op2(f->pool, OP_ADD, sum, part) : part;
    }
    double least = natural_least(f->sys, level->rows, row, velocity);
    if (least > 0)
        return sum ? expr_op2(f->pool, OP_MAX, sum, expr_number(f->pool, least))
                   : expr_number(f->pool, least);
    return sum ? sum : expr_number(f->pool, 0);
}

static void add_look(const fusing *f, const system_level *level, stage_kind kind, const expr *sums) {
    trm_system *s = f->sys;
    stage *out = &s->stages[kind];
    if (level->m == 0 || s->friction_count) // rows of friction come and go
        return;
    arena *scratch = arena_child(s->arena);
    expr *outputs = arena_array(scratch, expr, 2 * level->m);
    for (int i = 0; i < level->m; i++) {
        expr residual = sums[level->residual_at + i];
        outputs[i] = residual ? residual : expr_number(f->pool, 0);
        outputs[level->m + i] = allowed_of(f, level, i, sums + level->A_at);
    }
    out->y_size = 2 * level->m;
    const kernel *k =
        kernel_compile(s->arena, f->pool, outputs, out->y_size, s->x_number, stages_input, f->sys);
    stage_add(s->arena, out, (stage_group){.kernel = k, .count = 1});
    arena_free(scratch);
}

static void add_looks(const fusing *f, const expr *sums) {
    if (f->stage == STAGE_POSITION)
        add_look(f, &f->sys->position, STAGE_POSITION_LOOK, sums);
    else if (f->stage == STAGE_VELOCITY)
        add_look(f, &f->sys->velocity, STAGE_VELOCITY_LOOK, sums);
}

static void add_direct(const fusing *f, expr *sums) {
    const mech_tree *tree = f->sys->mech->tree;
    if (f->stage == STAGE_DYNAMICS && tree && tree->articulated)
        take_acceleration(f, sums);
    else if (f->stage == STAGE_DYNAMICS && f->sys->direct)
        add_acceleration(f, sums);
    else if (f->stage == STAGE_POSITION && f->sys->position.direct)
        add_correction(f, &f->sys->position, sums);
    else if (f->stage == STAGE_VELOCITY && f->sys->velocity.direct)
        add_correction(f, &f->sys->velocity, sums);
}

// ---- the kernel

/* A look and the step that follows it have the same residual, to the last bit: of few sines a kernel that
 * need not be exact takes others than of many. */
static bool has_looks(stage_kind kind) {
    return kind == STAGE_POSITION || kind == STAGE_VELOCITY;
}

static bool is_there(const fusing *f, expr e) {
    return e && !expr_is_number(f->pool, e, 0);
}

static bool is_half_full(const fusing *f, const expr *sums, int size) {
    int count = 0;
    for (int i = 0; i < size; i++)
        count += is_there(f, sums[i]);
    return 2 * count >= size;
}

void stages_fuse(trm_system *s, expr_pool *pool, stage_kind kind) {
    fusing f = {s, pool, kind};
    stage *out = &s->stages[kind];
    arena *scratch = arena_child(s->arena);
    if (s->seen)
        s->seen->folds = true;
    bool exact = expr_pool_exact(pool);
    expr_pool_set_exact(pool, exact || has_looks(kind));
    expr *sums = arena_array(scratch, expr, out->y_size + 1);
    add_instances(&f, scratch, sums);
    add_looks(&f, sums);
    add_direct(&f, sums);
    vec(expr) outputs = {0};
    vec(int) places = {0};
    bool whole = out->y_size <= WHOLE_AT_MOST || is_half_full(&f, sums, out->y_size);
    for (int i = 0; i < out->y_size; i++)
        if (whole) {
            vec_push(scratch, outputs, sums[i] ? sums[i] : expr_number(pool, 0));
        } else if (is_there(&f, sums[i])) {
            vec_push(scratch, outputs, sums[i]);
            vec_push(scratch, places, i);
        }
    const kernel *k = (cost_seldom(s, kind) ? kernel_compile_tape : kernel_compile)(
        s->arena, pool, outputs.at, outputs.count, s->x_number, stages_input, s);
    if (outputs.count)
        stage_add(s->arena, out, (stage_group){.kernel = k, .count = 1, .scatter = whole ? NULL : places.at});
    expr_pool_set_exact(pool, exact);
    arena_free(scratch);
}
