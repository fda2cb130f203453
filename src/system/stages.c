/* From the derived shapes to stages. First the patterns of M and A, then where each quantity stands in the
 * outputs (quantities.c), then the kernels: fused (fused.c), or assembled, one for each shape. */
#include "system/stages.h"

#include "linear/linalg.h"
#include "mech/tree/tree.h"
#include "system/cost.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/quantities.h"
#include "system/rates.h"
#include "system/seen.h"
#include "system/slopes.h"
#include "system/supply.h"
#include "system/symbols.h"
#include "system/watch.h"

#include <math.h>

// ---- assembled: one kernel for each shape, run over its table of instances

// whether a shape's entry belongs to the stage for any instance: rows that repeat others are not held
static bool entry_wanted(element at, const mech_entry *e) {
    for (at.instance = 0; at.instance < at.shape->count; at.instance++)
        if (quantities_place(&at, e) >= 0)
            return true;
    return false;
}

typedef struct {
    vec(const mech_entry *) entries; // what the kernel computes
    vec(expr) outputs;               // their expressions
    symbol_list symbols;             // what it reads
} shape_kernel;

static void collect(element at, shape_kernel *k) {
    for (int i = 0; i < at.derived->entries.count; i++) {
        const mech_entry *e = &at.derived->entries.at[i];
        if (!entry_wanted(at, e))
            continue;
        expr term = element_expression(&at, e);
        vec_push(k->symbols.arena, k->outputs, term);
        vec_push(k->symbols.arena, k->entries, e);
    }
}

// the tables of the instances: where the kernel reads, where it adds
static void tabulate(element at, const shape_kernel *k, stage_group *group, int *from, int *to) {
    for (at.instance = 0; at.instance < at.shape->count; at.instance++) {
        if (quantities_place(&at, k->entries.at[0]) < 0)
            continue; // then none of its entries has a place
        group->count++;
        for (int i = 0; i < k->symbols.kinds.count; i++)
            *from++ = element_input(&at, (sym_kind)k->symbols.kinds.at[i], k->symbols.indices.at[i]);
        for (int i = 0; i < k->entries.count; i++)
            *to++ = quantities_place(&at, k->entries.at[i]);
    }
}

static void assemble_shape(trm_system *s, expr_pool *pool, element at, bool taped) {
    arena *scratch = arena_child(s->arena);
    shape_kernel k = {.symbols = {.arena = scratch}};
    collect(at, &k);
    if (k.outputs.count) {
        const kernel *made = (taped ? kernel_compile_tape : kernel_compile)(
            s->arena, pool, k.outputs.at, k.outputs.count, INPUTS_MET, symbols_find, &k.symbols);
        size_t count = (size_t)at.shape->count;
        int *from = arena_array(scratch, int, count *(size_t)kernel_inputs(made));
        int *to = arena_array(scratch, int, count *(size_t)k.outputs.count);
        stage_group group = {.kernel = made, .gather = from, .scatter = to};
        tabulate(at, &k, &group, from, to);
        stage_add(s->arena, &s->stages[at.stage], group);
    }
    arena_free(scratch);
}

// the solution that a fused kernel adds to y
static int solution_size(const trm_system *s, stage_kind kind) {
    const system_level *level = kind == STAGE_POSITION ? &s->position : &s->velocity;
    if (kind == STAGE_DYNAMICS)
        return s->direct ? s->n + 2 * s->all.rows + DIRECT_CHECKS : 0; // and the squares of rows
    bool solves = (kind == STAGE_POSITION || kind == STAGE_VELOCITY) && level->direct;
    return solves ? s->n + level->m + DIRECT_CHECKS : 0;
}

static void build(trm_system *s, expr_pool *pool, stage_kind kind, cost_way way) {
    bool fused = way == WAY_FUSED || way == WAY_DIRECT;
    s->stages[kind] = (stage){.y_size = s->layout->end[kind] + solution_size(s, kind)};
    if (fused)
        stages_fuse(s, pool, kind);
    for (int i = 0; !fused && i < s->model->shapes.count; i++)
        assemble_shape(s, pool, element_of(s, kind, i), way == WAY_TAPED);
    if (kind == STAGE_DYNAMICS) // the others run too rarely
        stage_finish(s->arena, &s->stages[kind]);
}

// ---- where M and A have entries

typedef struct {
    sparsity_builder M, A, G;
} patterns;

static sparsity_builder *builder_of(patterns *p, mech_quantity quantity) {
    return quantity == MECH_M ? &p->M : quantity == MECH_A ? &p->A : quantity == MECH_G ? &p->G : NULL;
}

static void announce_entry(sparsity_builder *b, int i, int j) {
    (void)j;
    sparsity_announce(b, i);
}

static void for_matrix_entries(const trm_system *s, patterns *p,
                               void (*act)(sparsity_builder *b, int i, int j)) {
    for (int i = 0; i < s->model->shapes.count; i++) {
        element at = element_of(s, STAGE_DYNAMICS, i);
        for (int k = 0; k < at.derived->entries.count; k++) {
            const mech_entry *e = &at.derived->entries.at[k];
            sparsity_builder *b = builder_of(p, e->quantity);
            bool mass = e->quantity == MECH_M;
            for (at.instance = 0; b && at.instance < at.shape->count; at.instance++)
                act(b, mass ? element_coordinate(&at, e->i) : element_target(&at),
                    element_coordinate(&at, mass ? e->j : e->i));
        }
    }
}

// all slots of the quasi-velocities
static sparsity quasi_slots(const trm_system *s) {
    sparsity_builder b = sparsity_begin(s->arena, s->model->quasis.count);
    for (int put = 0; put < 2; put++)
        for (int i = 0; i < s->model->shapes.count; i++) {
            element at = element_of(s, STAGE_QUASI, i);
            for (; at.shape->kind == SHAPE_QUASI && at.instance < at.shape->count; at.instance++)
                for (int k = 0; k < at.shape->slot_count; k++)
                    if (put)
                        sparsity_put(&b, element_target(&at), element_coordinate(&at, k));
                    else
                        sparsity_announce(&b, element_target(&at));
        }
    return sparsity_end(&b);
}

static sparsity pattern_of(const trm_system *s, const system_level *level) {
    return level->m == s->m ? s->A : sparsity_rows(s->arena, s->A, level->rows, level->m);
}

// the last of the rows of the model that row k of the solvers takes: one that shares its weight, those behind
// it
static int last_taken(const trm_system *s, int k) {
    const model_row *rows = s->model->rows.at;
    int i = k - (s->all.rows - s->soft_count), last = i;
    if (i < 0)
        return s->solved_rows[k];
    while (s->shares_weights && last + 1 < s->soft_count &&
           rows[s->soft_rows[last + 1]].constraint == rows[s->soft_rows[i]].constraint)
        last++;
    return s->soft_rows[last];
}

// the rows that solvers see where those with weight stay as they are
static sparsity measured_rows(const trm_system *s) {
    int exact = s->all.rows - s->soft_count;
    sparsity_builder b = sparsity_begin(s->arena, s->all.rows);
    for (int put = 0; put < 2; put++)
        for (int k = 0; k < s->all.rows; k++)
            for (int row = k < exact ? s->solved_rows[k] : s->soft_rows[k - exact]; row <= last_taken(s, k);
                 row++)
                for (int e = s->A.start[row]; e < s->A.start[row + 1]; e++)
                    if (put)
                        sparsity_put(&b, k, s->A.to[e]);
                    else
                        sparsity_announce(&b, k);
    return sparsity_end(&b);
}

static void find_patterns(trm_system *s) {
    patterns p = {sparsity_begin(s->arena, s->n), sparsity_begin(s->arena, s->m),
                  sparsity_begin(s->arena, s->model->quasis.count)};
    for_matrix_entries(s, &p, announce_entry);
    for (int i = 0; i < s->n; i++)
        sparsity_announce(&p.M, i); // the diagonal is always there
    for_matrix_entries(s, &p, sparsity_put);
    for (int i = 0; i < s->n; i++)
        sparsity_put(&p.M, i, i);
    s->M = sparsity_end(&p.M);
    s->A = sparsity_end(&p.A);
    s->G = sparsity_end(&p.G);
    s->G_slots = quasi_slots(s);
    s->all = s->fits         ? measured_rows(s)
             : s->soft_count ? sparsity_full(s->arena, s->m, s->n)
             : s->sharing    ? sparsity_rows(s->arena, s->A, s->solved_rows, s->all.rows)
                             : s->A;
    s->position.A = pattern_of(s, &s->position);
    s->velocity.A = s->velocity.m == s->position.m ? s->position.A : pattern_of(s, &s->velocity);
}

static void find_places(trm_system *s) {
    s->layout = quantities_lay_out(s->arena, s);
    const int *start = s->layout->start[STAGE_DYNAMICS];
    s->Q_at = start[MECH_Q];
    s->A_at = start[MECH_A];
    s->b_at = start[MECH_B];
    s->w_at = start[MECH_WEIGHT];
    s->shared_at = start[MECH_SHARED];
    s->power_at = start[MECH_POWER];
    s->Q_on_forces_at = s->layout->start[STAGE_NONIDEAL][MECH_Q_ON_FORCES];
    s->power_on_forces_at = s->layout->start[STAGE_NONIDEAL][MECH_POWER_ON_FORCES];
    s->direct_at = s->layout->end[STAGE_DYNAMICS];
    s->position.residual_at = s->layout->start[STAGE_POSITION][MECH_POSITION];
    s->position.A_at = s->layout->start[STAGE_POSITION][MECH_A];
    s->position.step_at = s->layout->end[STAGE_POSITION];
    s->velocity.residual_at = s->layout->start[STAGE_VELOCITY][MECH_VELOCITY];
    s->velocity.A_at = s->layout->start[STAGE_VELOCITY][MECH_A];
    s->velocity.step_at = s->layout->end[STAGE_VELOCITY];
}

// ---- the start as it is typed

typedef struct {
    element at;
    double moved; // guesses of positions are, by so many of their scales
} typed_start;

static double position(const typed_start *of, int j) {
    const model_initial *typed = &of->at.sys->model->position.at[j];
    bool moves = of->moved > 0 && typed->kind != INITIAL_EXACT;
    return typed->value + (moves ? of->moved * of->at.sys->natural->scale[j] * sin(1 + 7.3 * j) : 0);
}

static double typed_value(void *context, sym_kind kind, int index) {
    const typed_start *of = context;
    const element *at = &of->at;
    const model *m = at->sys->model;
    switch (kind) {
    case SYM_TIME:
        return m->simulate.from;
    case SYM_P:
        return position(of, element_coordinate(at, index));
    case SYM_V:
        return m->velocity.at[element_coordinate(at, index)].value;
    case SYM_PARAM:
        return m->params.at[index].value;
    case SYM_NUMBER:
        return element_number(at, index);
    default:
        return 0;
    }
}

static void evaluate_instance(const typed_start *of, const expr_pool *pool, arena *a, double *y) {
    const element *at = &of->at;
    int count = at->derived->entries.count;
    expr *e = arena_array(a, expr, count + 1);
    double *values = arena_doubles(a, (size_t)count + 1);
    for (int k = 0; k < count; k++)
        if (quantities_place(at, &at->derived->entries.at[k]) >= 0)
            e[k] = at->derived->entries.at[k].e;
    expr_eval_all(pool, e, count, typed_value, (void *)of, values);
    for (int k = 0; k < count; k++)
        if (e[k])
            y[quantities_place(at, &at->derived->entries.at[k])] += values[k];
}

// the quantities of STAGE_DYNAMICS there, of a small system, whose kernel is to know its natural units
static double *evaluate_typed(const trm_system *s, const expr_pool *pool, arena *a, double moved) {
    double *y = arena_doubles(a, (size_t)s->layout->end[STAGE_DYNAMICS] + 1);
    for (int i = 0; i < s->model->shapes.count; i++) {
        typed_start of = {element_of(s, STAGE_DYNAMICS, i), moved};
        for (; of.at.instance < of.at.shape->count; of.at.instance++)
            evaluate_instance(&of, pool, a, y);
    }
    return y;
}

static void run_stage(const trm_system *s, stage_kind kind, const double *x, double *y, arena *a) {
    double *work = arena_doubles(a, s->stages[kind].work_size + 1);
    stage_prepare(&s->stages[kind], x, work);
    stage_run(&s->stages[kind], x, y, work, NULL);
}

// the same of a large one, by its kernels
static double *run_typed(const trm_system *s, arena *a) {
    const model *m = s->model;
    double *x = arena_doubles(a, (size_t)s->x_size + 1);
    double *y = arena_doubles(a, (size_t)s->stages[STAGE_DYNAMICS].y_size + 1);
    system_constants(s, x);
    x[0] = m->simulate.from;
    for (int i = 0; i < s->n; i++) {
        x[s->x_q + i] = m->position.at[i].value;
        x[s->x_v + i] = m->velocity.at[i].value;
    }
    run_stage(s, STAGE_SWITCH, x, x + s->x_mode, a);
    supply_inputs(s, STAGE_DYNAMICS, x);
    run_stage(s, STAGE_DYNAMICS, x, y, a);
    return y;
}

// a row that vanishes tells nothing; y: the dynamics there
static bool depends_at(const trm_system *s, const double *y) {
    static const double CLEAR = 1e-3;
    arena *scratch = arena_child(s->arena);
    const double *units = s->natural->units;
    double *A = arena_doubles(scratch, (size_t)sparsity_entries(s->all) + 1);
    bool known = true;
    for (int k = 0; k < s->all.rows; k++) {
        const double *from = y + s->A_at + s->A.start[s->solved_rows[k]];
        for (int e = s->all.start[k]; e < s->all.start[k + 1]; e++)
            A[e] = from[e - s->all.start[k]] * (units ? units[s->all.to[e]] : 1);
        known &= row_norm(s->all, A, k) > 0;
    }
    int *start = arena_array(scratch, int, s->n + 1), *to = arena_array(scratch, int, s->n + 1);
    double *one = arena_doubles(scratch, (size_t)s->n + 1);
    for (int i = 0; i < s->n; i++) {
        to[i] = i;
        start[i + 1] = i + 1;
        one[i] = 1;
    }
    solver *rows = solver_new(scratch, s->n, (sparsity){s->n, start, to}, s->all, s->solver, NULL);
    known &= linalg_finite(A, sparsity_entries(s->all));
    bool dependent =
        known && (solver_factor(rows, one, A, CLEAR) != DENSE_OK || solver_rank(rows) < s->all.rows);
    arena_free(scratch);
    return dependent;
}

/* Rows that depend on each other at the start usually do so all the time: a kernel that solves would hand
 * over at every call. Where positions are guesses, as of rods typed upright that will lean, they have to do
 * so a little beside it, too, unless there are as many as coordinates: then nothing could move but for that.
 */
static bool dependent_at_start(const trm_system *s, const expr_pool *pool, const double *y) {
    static const double MOVED = 0.1;
    bool dependent = s->all.rows > 0 && depends_at(s, y);
    if (!dependent || s->all.rows >= s->n || s->full) // there the start is assembled
        return dependent;
    arena *scratch = arena_child(s->arena);
    dependent = depends_at(s, evaluate_typed(s, pool, scratch, MOVED));
    arena_free(scratch);
    return dependent;
}

const double *stages_typed(arena *scratch, const trm_system *s, const expr_pool *pool) {
    const system_seen *seen = s->seen;
    trm_system *first = arena_alloc(scratch, sizeof *first);
    if (!seen->by_kernels)
        return evaluate_typed(s, pool, scratch, 0);
    *first = *s;
    first->stages[STAGE_DYNAMICS] = seen->first[0];
    first->stages[STAGE_SWITCH] = seen->first[1];
    return run_typed(first, scratch);
}

bool stages_dependent(const trm_system *s, const expr_pool *pool, const double *y) {
    return dependent_at_start(s, pool, y);
}

// ---- which way

static bool may_solve(const trm_system *s) { // what is only shown has its accelerations from elsewhere
    return s->how != EVALUATE_SHOWN && !s->model->supplies.count && s->all.rows <= s->n && !s->nonideal &&
           !s->on_forces && !s->soft_count && !s->friction_count;
}

static bool is_solved_for(stage_kind kind) {
    return kind == STAGE_DYNAMICS || kind == STAGE_POSITION || kind == STAGE_VELOCITY;
}

// a tree form is made to be solved in the kernel
static cost_way way_of(const trm_system *s, const expr_pool *pool, stage_kind kind, bool solves) {
    if (system_is_emitted(s))
        return is_solved_for(kind) && solves && cost_emits_solution(s, kind) ? WAY_DIRECT : WAY_FUSED;
    if (s->full)
        return solves && s->how == EVALUATE_AUTO ? WAY_DIRECT : WAY_FUSED;
    if (s->how != EVALUATE_AUTO && s->how != EVALUATE_SHOWN)
        return s->how == EVALUATE_FUSED ? WAY_FUSED : WAY_ASSEMBLED;
    return cost_choose(s, pool, kind, solves);
}

// ways (STAGES) of all that are not optional; y: the dynamics at the start
static void choose_ways(trm_system *s, const expr_pool *pool, const double *y, cost_way *ways) {
    cost_way dynamics = way_of(s, pool, STAGE_DYNAMICS, may_solve(s));
    bool asked = dynamics == WAY_DIRECT, dependent = asked && dependent_at_start(s, pool, y);
    if (s->seen) {
        s->seen->asked_dependent = asked;
        s->seen->dependent = dependent;
    }
    if (dependent)
        dynamics = way_of(s, pool, STAGE_DYNAMICS, false);
    ways[STAGE_DYNAMICS] = dynamics;
    for (stage_kind kind = STAGE_DYNAMICS + 1; kind < STAGE_JACOBIAN; kind++)
        ways[kind] = way_of(s, pool, kind, dynamics == WAY_DIRECT);
    s->fused = dynamics == WAY_FUSED || dynamics == WAY_DIRECT;
    s->direct = dynamics == WAY_DIRECT;
}

const bool *stages_added(arena *a, const trm_system *s, const system_level *level) {
    bool *added = arena_array(a, bool, level->m + 1);
    for (int i = 0; i < level->m; i++)
        added[i] = s->direct_added && s->direct_added[s->rows[level->rows[i]].solved];
    return added;
}

static system_level *level_of(trm_system *s, stage_kind kind) {
    return kind == STAGE_POSITION ? &s->position : kind == STAGE_VELOCITY ? &s->velocity : NULL;
}

// once it is known what the dynamics add to M
static void choose_level(trm_system *s, stage_kind kind, cost_way way) {
    system_level *level = level_of(s, kind);
    arena *scratch = arena_child(s->arena);
    level->direct =
        s->direct && way == WAY_DIRECT && cost_affords(s, kind, level->A, stages_added(scratch, s, level));
    arena_free(scratch);
}

bool stages_lay_out(trm_system *s) {
    find_patterns(s);
    find_places(s);
    s->rates = rates_new(s->arena, s);
    return s->rates != NULL;
}

void stages_build(trm_system *s, expr_pool *pool, evaluate_how how) {
    cost_way ways[STAGES];
    s->how = how;
    arena *scratch = arena_child(s->arena);
    cost_way first = WAY_ASSEMBLED;
    bool by_kernels =
        !s->full && (how == EVALUATE_ASSEMBLED || s->model->supplies.count ||
                     (how != EVALUATE_FUSED && !system_is_emitted(s) && cost_start(s, pool, &first)));
    if (by_kernels) {
        build(s, pool, STAGE_DYNAMICS, first);
        build(s, pool, STAGE_SWITCH, first);
    }
    if (s->seen) {
        s->seen->by_kernels = by_kernels;
        s->seen->first[0] = s->stages[STAGE_DYNAMICS];
        s->seen->first[1] = s->stages[STAGE_SWITCH];
    }
    const double *y = by_kernels ? run_typed(s, scratch) : evaluate_typed(s, pool, scratch, 0);
    s->natural = s->full ? natural_of_tree(s->arena, s) : natural_find(s->arena, s, pool, y);
    choose_ways(s, pool, y, ways);
    for (stage_kind kind = 0; kind < STAGE_JACOBIAN; kind++) {
        bool there = by_kernels && (kind == STAGE_DYNAMICS || kind == STAGE_SWITCH);
        if (level_of(s, kind))
            choose_level(s, kind, ways[kind]);
        if (s->full && level_of(s, kind) && level_of(s, kind)->m == 0)
            s->stages[kind].y_size = s->layout->end[kind]; // nothing is projected
        else if (!there || ways[kind] > WAY_ASSEMBLED)
            build(s, pool, kind, ways[kind]);
    }
    arena_free(scratch);
    stages_add_motion(s, pool);
    s->watch = watch_new(s->arena, s, pool, false);
    s->over_watch = watch_new(s->arena, s, pool, true);
}

void stages_add_views(trm_system *s, expr_pool *pool) {
    build(s, pool, STAGE_VIEW, way_of(s, pool, STAGE_VIEW, false));
}

void stages_add_jacobian(trm_system *s, expr_pool *pool) {
    s->slope_pattern = slopes_pattern(s);
    find_places(s); // the others stay where they are
    build(s, pool, STAGE_JACOBIAN, way_of(s, pool, STAGE_JACOBIAN, false));
}
