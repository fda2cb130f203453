/* From the derived shapes to stages: which outputs each stage has and where they go, fused or assembled. */
#include "solve/stages.h"

#include "solve/dependence.h"
#include "solve/direct.h"

#include <math.h>
#include <string.h>

/* Above this many operations the instances are not fused into one kernel: code and tables grow faster than
 * sharing between elements saves. */
enum { FUSE_AT_MOST = 20000 };
/* Above this many, the solution is not part of the kernel. */
enum { DIRECT_AT_MOST = 20000 };
/* Up to this size a fused kernel writes all of y, zeros included, which costs less than adding the others to
 * their places: enough for DIRECT_MOST coordinates. */
enum { WHOLE_AT_MOST = 400 };

typedef struct {
    arena *arena;
    trm_system *sys;
    expr_pool *pool;
    stage_kind stage;
    const shape *shape;
    const mech_shape *derived;
    int number; // of the shape
    int instance;
} building;

static int slot_coordinate(const building *b, int slot) {
    return b->shape->slots.at[(size_t)b->instance * (size_t)b->shape->slot_count + (size_t)slot];
}

static int target(const building *b) {
    return b->shape->targets.at[b->instance];
}

// ---- where an entry of an instance goes in a stage's y; -1 if it has no place there

static int place_dynamics(const building *b, const mech_entry *e) {
    const trm_system *s = b->sys;
    switch (e->quantity) {
    case MECH_M:
        return sparsity_find(s->M, slot_coordinate(b, e->i), slot_coordinate(b, e->j));
    case MECH_Q:
        return s->Q_at + slot_coordinate(b, e->i);
    case MECH_A:
        return s->A_at + sparsity_find(s->A, target(b), slot_coordinate(b, e->i));
    case MECH_B:
        return s->b_at + target(b);
    case MECH_WEIGHT:
        return s->w_at + target(b);
    default:
        return -1;
    }
}

// M, residuals of the held rows, their A
static int place_projection(const building *b, const mech_entry *e) {
    const trm_system *s = b->sys;
    bool position = b->stage == STAGE_POSITION;
    const system_level *level = position ? &s->position : &s->velocity;
    if (e->quantity == MECH_M)
        return sparsity_find(s->M, slot_coordinate(b, e->i), slot_coordinate(b, e->j));
    if (b->shape->kind != SHAPE_ROW)
        return -1;
    const system_row *row = &s->rows[target(b)];
    int held = position ? row->position : row->velocity;
    if (held < 0)
        return -1;
    if (e->quantity == (position ? MECH_POSITION : MECH_VELOCITY))
        return level->residual_at + held;
    return e->quantity == MECH_A ? level->A_at + sparsity_find(level->A, held, slot_coordinate(b, e->i)) : -1;
}

static int place_residual(const building *b, const mech_entry *e) {
    bool holonomic = b->shape->kind == SHAPE_ROW && b->derived->level == ROW_HOLONOMIC;
    if (e->quantity == MECH_POSITION)
        return target(b);
    if (e->quantity == MECH_VELOCITY)
        return target(b) + (holonomic ? b->sys->m : 0);
    return -1;
}

static int place_quasi(const building *b, const mech_entry *e) {
    int n = b->sys->n;
    switch (e->quantity) {
    case MECH_G:
        return target(b) * n + slot_coordinate(b, e->i);
    case MECH_QUASI:
        return n * n + target(b);
    case MECH_QUASI_OFFSET:
        return n * n + n + target(b);
    case MECH_QUASI_RATE:
        return n * n + 2 * n + target(b);
    default:
        return -1;
    }
}

static int place_output(const building *b, const mech_entry *e) {
    int outputs = b->sys->model->outputs.count;
    if (e->quantity == MECH_OUTPUT)
        return target(b);
    int instance = b->sys->expect_base[b->number] + b->instance;
    if (e->quantity == MECH_EXPECT)
        return outputs + instance;
    return e->quantity == MECH_MARGIN ? outputs + b->sys->expect_count + instance : -1;
}

static int place_stop(const building *b, const mech_entry *e) {
    if (e->quantity < MECH_STOP || e->quantity > MECH_STOP_REST)
        return -1;
    return (int)(e->quantity - MECH_STOP) * b->sys->model->stops.count + target(b);
}

static int place_friction(const building *b, const mech_entry *e) {
    int count = b->sys->friction_count;
    if (e->quantity == MECH_MU || e->quantity == MECH_STATIC)
        return (e->quantity == MECH_STATIC ? count : 0) + target(b);
    if (e->quantity != MECH_VELOCITY || b->shape->kind != SHAPE_ROW || b->sys->rows[target(b)].slip < 0)
        return -1;
    return 2 * count + b->sys->rows[target(b)].slip;
}

static int switch_of(const building *b, int index) {
    int each = b->sys->mech->shapes[b->number].switch_count;
    return b->sys->switch_base[b->number] + b->instance * each + index;
}

// the dynamics see the switches as they are held
static expr expression_of(const building *b, const mech_entry *e) {
    return b->stage == STAGE_DYNAMICS || b->stage == STAGE_NONIDEAL || b->stage == STAGE_FRICTION ? e->held
                                                                                                  : e->e;
}

// columns of n + m: first those of the positions, then those of the velocities
static int place_jacobian(const building *b, const mech_entry *e) {
    int n = b->sys->n, column = slot_coordinate(b, e->j);
    if (e->quantity == MECH_FORCE_BY_V || e->quantity == MECH_ROW_BY_V)
        column += n;
    bool force = e->quantity == MECH_FORCE_BY_P || e->quantity == MECH_FORCE_BY_V;
    return column * (n + b->sys->m) + (force ? slot_coordinate(b, e->i) : n + target(b));
}

static int place_of(const building *b, const mech_entry *e) {
    switch (b->stage) {
    case STAGE_JACOBIAN:
        return place_jacobian(b, e);
    case STAGE_DYNAMICS:
        return place_dynamics(b, e);
    case STAGE_POSITION:
    case STAGE_VELOCITY:
        return place_projection(b, e);
    case STAGE_RESIDUAL:
        return place_residual(b, e);
    case STAGE_ENERGY:
        return e->quantity >= MECH_KINETIC && e->quantity <= MECH_POTENTIAL ? (int)e->quantity - MECH_KINETIC
                                                                            : -1;
    case STAGE_NONIDEAL:
        return e->quantity == MECH_C ? slot_coordinate(b, e->i) : -1;
    case STAGE_QUASI:
        return place_quasi(b, e);
    case STAGE_OUTPUT:
        return place_output(b, e);
    case STAGE_STOP:
        return place_stop(b, e);
    case STAGE_FRICTION:
        return place_friction(b, e);
    case STAGE_SWITCH:
        return e->quantity == MECH_SWITCH ? switch_of(b, e->i) : -1;
    case STAGE_TURN:
        return e->quantity == MECH_TURN ? target(b) : -1;
    case STAGE_VIEW:
        return e->quantity == MECH_VIEW ? target(b) : -1;
    default:
        return e->quantity == MECH_START ? target(b) : -1;
    }
}

static int y_size(const trm_system *s, stage_kind kind) {
    int n = s->n, m = s->m;
    switch (kind) {
    case STAGE_DYNAMICS:
        return s->direct_at + (s->direct ? n + s->all.rows + DIRECT_CHECKS : 0);
    case STAGE_POSITION:
        return s->position.step_at + (s->direct ? n + s->position.m + DIRECT_CHECKS : 0);
    case STAGE_VELOCITY:
        return s->velocity.step_at + (s->direct ? n + s->velocity.m + DIRECT_CHECKS : 0);
    case STAGE_RESIDUAL:
        return 2 * m;
    case STAGE_ENERGY:
        return 3;
    case STAGE_NONIDEAL:
        return n;
    case STAGE_QUASI:
        return s->quasi ? n * n + 3 * n : 0;
    case STAGE_OUTPUT:
        return s->model->outputs.count + 2 * s->expect_count;
    case STAGE_TURN:
        return s->model->turns.count;
    case STAGE_SWITCH:
        return s->switch_count;
    case STAGE_FRICTION:
        return 2 * s->friction_count + s->slip_count;
    case STAGE_VIEW:
        return s->model->view_count;
    case STAGE_STOP:
        return 3 * s->model->stops.count;
    case STAGE_JACOBIAN:
        return s->slopes ? 2 * n * (n + m) : 0;
    default:
        return s->model->start_count;
    }
}

// ---- symbols of an instance to places in x

// what a SYM_RESULT of an instance is among the results of the model and the multipliers behind them
static int result_of(const building *b, int index) {
    if (index == mech_multiplier_of(b->shape))
        return b->sys->model->results.count + target(b);
    return b->shape->results.at[b->instance * b->shape->result_count + index];
}

// which of the model's turns a SYM_TURN of an instance is
static int turn_of(const building *b, int index) {
    return b->shape->turns.at[b->instance * b->shape->turn_count + index];
}

static int place_of_symbol(const building *b, sym_kind kind, int index) {
    const trm_system *s = b->sys;
    switch (kind) {
    case SYM_TIME:
        return 0;
    case SYM_P:
        return s->x_q + slot_coordinate(b, index);
    case SYM_V:
        return s->x_v + slot_coordinate(b, index);
    case SYM_A:
        return s->x_a + slot_coordinate(b, index);
    case SYM_PARAM:
        return s->x_param + index;
    case SYM_NUMBER:
        return s->number_base[b->number] + b->instance * b->shape->number_count + index;
    case SYM_MODE:
        return s->x_mode + switch_of(b, index);
    case SYM_TURN:
        return s->x_turn + turn_of(b, index);
    default:
        return s->x_result + result_of(b, index);
    }
}

// ---- fused: the instances' own coordinates for the slots, everything in one kernel

static expr put_instance(void *context, sym_kind kind, int index) {
    const building *b = context;
    switch (kind) {
    case SYM_P:
    case SYM_V:
    case SYM_A:
        return expr_symbol(b->pool, kind, slot_coordinate(b, index));
    case SYM_NUMBER:
        return expr_number(b->pool, b->shape->numbers.at[b->instance * b->shape->number_count + index]);
    case SYM_RESULT:
        return expr_symbol(b->pool, kind, result_of(b, index));
    case SYM_MODE:
        return expr_symbol(b->pool, kind, switch_of(b, index));
    case SYM_TURN:
        return expr_symbol(b->pool, kind, turn_of(b, index));
    default:
        return EXPR_NONE;
    }
}

static int fused_input(void *context, sym_kind kind, int index) {
    const trm_system *s = context;
    const int base[SYM_KINDS] = {
        [SYM_P] = s->x_q,           [SYM_V] = s->x_v,       [SYM_A] = s->x_a,      [SYM_PARAM] = s->x_param,
        [SYM_RESULT] = s->x_result, [SYM_MODE] = s->x_mode, [SYM_TURN] = s->x_turn};
    return base[kind] + index;
}

static void fuse_instance(building *b, expr *sums) {
    for (int k = 0; k < b->derived->entries.count; k++) {
        const mech_entry *e = &b->derived->entries.at[k];
        int to = place_of(b, e);
        if (to < 0)
            continue;
        expr term = expr_substitute(b->pool, expression_of(b, e), put_instance, b);
        sums[to] = sums[to] ? expr_op2(b->pool, OP_ADD, sums[to], term) : term;
    }
}

static void take_shape(building *b) {
    const trm_system *s = b->sys;
    b->shape = &s->model->shapes.at[b->number];
    b->derived = &(b->stage == STAGE_JACOBIAN ? s->slopes : s->mech->shapes)[b->number];
}

static void for_instances(building *b, void (*act)(building *b, expr *sums), expr *sums) {
    const model *m = b->sys->model;
    for (b->number = 0; b->number < m->shapes.count; b->number++) {
        take_shape(b);
        for (b->instance = 0; b->instance < b->shape->count; b->instance++)
            act(b, sums);
    }
}

// some state, at which no two coordinates are alike and none is zero
static double some_value(void *context, sym_kind kind, int index) {
    const trm_system *s = context;
    return kind == SYM_PARAM ? s->model->params.at[index].value : 0.6 + 0.3 * sin(1.0 + 2.7 * index + kind);
}

static expr scaled(const building *b, expr e, double scale) {
    return e && scale != 1 ? expr_op2(b->pool, OP_MUL, expr_number(b->pool, scale), e) : e;
}

// the start as it is typed
static double typed_value(void *context, sym_kind kind, int index) {
    const model *m = ((const trm_system *)context)->model;
    switch (kind) {
    case SYM_PARAM:
        return m->params.at[index].value;
    case SYM_P:
        return m->position.at[index].value;
    case SYM_V:
        return m->velocity.at[index].value;
    default:
        return 0;
    }
}

/* Rows that depend on each other at the start usually do so all the time: the kernel would hand over at every
 * call. A row that vanishes where guesses are typed tells nothing. */
static bool dependent_at_start(const trm_system *s, expr_pool *pool, const expr *A) {
    static const double CLEAR = 1e-3;
    arena *scratch = arena_child(s->arena);
    double *values = arena_doubles(scratch, (size_t)sparsity_entries(s->all));
    bool *kept = arena_array(scratch, bool, s->all.rows + 1);
    for (int e = 0; e < sparsity_entries(s->all); e++)
        values[e] = A[e] ? expr_eval(pool, A[e], typed_value, (void *)s) : 0;
    bool known = linalg_finite(values, sparsity_entries(s->all));
    for (int i = 0; i < s->all.rows; i++)
        known &= row_norm(s->all, values, i) > 0;
    bool dependent = known && dependence_rank(scratch, s->n, s->all, values, CLEAR, kept) < s->all.rows;
    arena_free(scratch);
    return dependent;
}

// what the kernel solves beside evaluating M, Q, A, b, with the outcome behind these
static void add_acceleration(building *b, expr *sums) {
    trm_system *s = b->sys;
    arena *scratch = arena_child(b->arena);
    expr *A = arena_array(scratch, expr, sparsity_entries(s->all) + 1);
    expr *right = arena_array(scratch, expr, s->all.rows + 1);
    for (int k = 0; k < s->all.rows; k++) {
        int row = s->solved_rows[k], begin = s->A.start[row];
        for (int e = 0; e < s->all.start[k + 1] - s->all.start[k]; e++)
            A[s->all.start[k] + e] = scaled(b, sums[s->A_at + begin + e], s->row_scale[k]);
        right[k] = scaled(b, sums[s->b_at + row], s->row_scale[k]);
    }
    direct_problem p = {s->n, s->M, s->all, sums, sums + s->Q_at, A, right, NULL};
    p.added = s->direct_added = direct_rows_for_mass(s->arena, b->pool, &p, some_value, s, &s->direct);
    s->direct = s->direct && !dependent_at_start(s, b->pool, A);
    if (s->direct)
        direct_build(b->arena, b->pool, &p, true, sums + s->direct_at);
    arena_free(scratch);
}

// the least change in the metric of M that satisfies the rows of a level
static void add_correction(building *b, const system_level *level, expr *sums) {
    const trm_system *s = b->sys;
    if (level->m == 0)
        return;
    arena *scratch = arena_child(b->arena);
    expr *right = arena_array(scratch, expr, level->m + 1);
    bool *added = arena_array(scratch, bool, level->m + 1);
    for (int i = 0; i < level->m; i++) {
        added[i] = s->direct_added && s->direct_added[s->rows[level->rows[i]].solved];
        if (sums[level->residual_at + i])
            right[i] = expr_op1(b->pool, OP_NEG, sums[level->residual_at + i]);
    }
    direct_problem p = {s->n, s->M, level->A, sums, NULL, sums + level->A_at, right, added};
    direct_build(b->arena, b->pool, &p, false, sums + level->step_at);
    arena_free(scratch);
}

static void add_direct(building *b, expr *sums) {
    if (b->stage == STAGE_DYNAMICS)
        add_acceleration(b, sums);
    else if (b->stage == STAGE_POSITION)
        add_correction(b, &b->sys->position, sums);
    else if (b->stage == STAGE_VELOCITY)
        add_correction(b, &b->sys->velocity, sums);
}

static void build_fused(building *b, stage *out) {
    arena *scratch = arena_child(b->arena);
    expr *sums = arena_array(scratch, expr, out->y_size + 1);
    for_instances(b, fuse_instance, sums);
    if (b->sys->direct)
        add_direct(b, sums);
    vec(expr) outputs = {0};
    vec(int) places = {0};
    bool whole = out->y_size <= WHOLE_AT_MOST;
    for (int i = 0; i < out->y_size; i++)
        if (whole) {
            vec_push(scratch, outputs, sums[i] ? sums[i] : expr_number(b->pool, 0));
        } else if (sums[i] && !expr_is_number(b->pool, sums[i], 0)) {
            vec_push(scratch, outputs, sums[i]);
            vec_push(scratch, places, i);
        }
    const kernel *k =
        kernel_compile(b->arena, b->pool, outputs.at, outputs.count, b->sys->x_number, fused_input, b->sys);
    if (outputs.count)
        stage_add(b->arena, out, (stage_group){.kernel = k, .count = 1, .scatter = whole ? NULL : places.at});
    arena_free(scratch);
}

// ---- assembled: one kernel for each shape, run over its table of instances

typedef struct {
    arena *arena;
    vec(int) kinds;
    vec(int) indices;
} symbol_list;

static int find_symbol(void *context, sym_kind kind, int index) {
    symbol_list *list = context;
    for (int i = 0; i < list->kinds.count; i++)
        if (list->kinds.at[i] == (int)kind && list->indices.at[i] == index)
            return i;
    vec_push(list->arena, list->kinds, (int)kind);
    vec_push(list->arena, list->indices, index);
    return list->kinds.count - 1;
}

static expr note_symbol(void *context, sym_kind kind, int index) {
    find_symbol(context, kind, index);
    return EXPR_NONE;
}

// whether a shape's entry belongs to the stage for any instance: rows that repeat others are not held
static bool entry_wanted(building *b, const mech_entry *e) {
    for (b->instance = 0; b->instance < b->shape->count; b->instance++)
        if (place_of(b, e) >= 0)
            return true;
    return false;
}

static void build_shape(building *b, stage *out) {
    arena *scratch = arena_child(b->arena);
    vec(expr) outputs = {0};
    vec(const mech_entry *) entries = {0};
    symbol_list symbols = {.arena = scratch};
    for (int k = 0; k < b->derived->entries.count; k++) {
        const mech_entry *e = &b->derived->entries.at[k];
        if (!entry_wanted(b, e))
            continue;
        expr term = expression_of(b, e);
        vec_push(scratch, outputs, term);
        vec_push(scratch, entries, e);
        expr_substitute(b->pool, term, note_symbol, &symbols);
    }
    if (outputs.count) {
        int inputs = symbols.kinds.count, count = b->shape->count;
        int *from = arena_array(scratch, int, (size_t)count *(size_t)inputs);
        int *to = arena_array(scratch, int, (size_t)count *(size_t)outputs.count);
        stage_group group = {.count = count, .gather = from, .scatter = to};
        group.kernel =
            kernel_compile(b->arena, b->pool, outputs.at, outputs.count, inputs, find_symbol, &symbols);
        group.count = 0;
        for (b->instance = 0; b->instance < count; b->instance++) {
            if (place_of(b, entries.at[0]) < 0)
                continue; // then none of its entries has a place
            group.count++;
            for (int i = 0; i < inputs; i++)
                *from++ = place_of_symbol(b, (sym_kind)symbols.kinds.at[i], symbols.indices.at[i]);
            for (int i = 0; i < outputs.count; i++)
                *to++ = place_of(b, entries.at[i]);
        }
        stage_add(b->arena, out, group);
    }
    arena_free(scratch);
}

static void build_assembled(building *b, stage *out) {
    const model *m = b->sys->model;
    for (b->number = 0; b->number < m->shapes.count; b->number++) {
        take_shape(b);
        build_shape(b, out);
    }
}

// of all shapes but views, or of views alone
static long long operations_of(const trm_system *s, const mech_shape *shapes, bool views) {
    long long total = 0;
    for (int i = 0; i < s->model->shapes.count; i++)
        if ((s->model->shapes.at[i].kind == SHAPE_VIEW) == views)
            total += (long long)s->model->shapes.at[i].count * (1 + shapes[i].entries.count * 4);
    return total;
}

static void build(trm_system *s, expr_pool *pool, stage_kind kind, bool fused) {
    building b = {.arena = s->arena, .sys = s, .pool = pool, .stage = kind};
    s->stages[kind].y_size = y_size(s, kind);
    if (fused)
        build_fused(&b, &s->stages[kind]);
    else
        build_assembled(&b, &s->stages[kind]);
}

// ---- where M and A have entries

static void for_matrix_entries(building *b, void (*act)(void *context, bool mass, int i, int j),
                               void *context) {
    const model *m = b->sys->model;
    for (b->number = 0; b->number < m->shapes.count; b->number++) {
        take_shape(b);
        for (int k = 0; k < b->derived->entries.count; k++) {
            const mech_entry *e = &b->derived->entries.at[k];
            bool mass = e->quantity == MECH_M;
            if (!mass && e->quantity != MECH_A)
                continue;
            for (b->instance = 0; b->instance < b->shape->count; b->instance++)
                act(context, mass, mass ? slot_coordinate(b, e->i) : target(b),
                    slot_coordinate(b, mass ? e->j : e->i));
        }
    }
}

typedef struct {
    sparsity_builder M, A;
} patterns;

static void announce_entry(void *context, bool mass, int i, int j) {
    patterns *p = context;
    (void)j;
    sparsity_announce(mass ? &p->M : &p->A, i);
}

static void put_entry(void *context, bool mass, int i, int j) {
    patterns *p = context;
    sparsity_put(mass ? &p->M : &p->A, i, j);
}

static void find_level(trm_system *s, system_level *level) {
    bool all = level->m == s->m;
    level->A = all ? s->A : sparsity_rows(s->arena, s->A, level->rows, level->m);
    level->residual_at = sparsity_entries(s->M);
    level->A_at = level->residual_at + level->m;
    level->step_at = level->A_at + sparsity_entries(level->A);
}

static void find_patterns(trm_system *s) {
    building b = {.sys = s, .stage = STAGE_DYNAMICS};
    patterns p = {sparsity_begin(s->arena, s->n), sparsity_begin(s->arena, s->m)};
    for_matrix_entries(&b, announce_entry, &p);
    for (int i = 0; i < s->n; i++)
        announce_entry(&p, true, i, i); // the diagonal is always there
    for_matrix_entries(&b, put_entry, &p);
    for (int i = 0; i < s->n; i++)
        put_entry(&p, true, i, i);
    s->M = sparsity_end(&p.M);
    s->A = sparsity_end(&p.A);
    s->all = s->soft_count ? sparsity_full(s->arena, s->m, s->n)
             : s->sharing  ? sparsity_rows(s->arena, s->A, s->solved_rows, s->all.rows)
                           : s->A;
    s->Q_at = sparsity_entries(s->M);
    s->A_at = s->Q_at + s->n;
    s->b_at = s->A_at + sparsity_entries(s->A);
    s->w_at = s->b_at + s->m;
    s->direct_at = s->w_at + s->m;
    find_level(s, &s->position);
    find_level(s, &s->velocity);
    if (s->velocity.m == s->position.m) // the same rows
        s->velocity.A = s->position.A;
}

void stages_build(trm_system *s, expr_pool *pool, evaluate_how how) {
    bool small = operations_of(s, s->mech->shapes, false) <= FUSE_AT_MOST;
    s->fused = how == EVALUATE_FUSED || (how == EVALUATE_AUTO && small);
    find_patterns(s);
    s->direct = s->fused && how == EVALUATE_AUTO && s->all.rows <= s->n && !s->nonideal && !s->soft_count &&
                !s->friction_count &&
                direct_operations(s->arena, s->n, s->M, s->all, DIRECT_AT_MOST) <= DIRECT_AT_MOST;
    for (stage_kind kind = 0; kind < STAGE_JACOBIAN; kind++)
        build(s, pool, kind, s->fused);
}

void stages_add_views(trm_system *s, expr_pool *pool) {
    build(s, pool, STAGE_VIEW, operations_of(s, s->mech->shapes, true) <= FUSE_AT_MOST);
}

void stages_add_jacobian(trm_system *s, expr_pool *pool) {
    build(s, pool, STAGE_JACOBIAN, s->fused && operations_of(s, s->slopes, false) <= FUSE_AT_MOST);
}
