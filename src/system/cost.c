/* Times by counts of operations, numbers and kernels. The figures were measured on one core of an EPYC with
 * AVX2; what decides are their ratios.
 *
 * By these a kernel that solves pays from some 1300 evaluations on, whatever its size, where M is not
 * diagonal; from some 6000 where it is; and hardly ever where M is full, unless it is small. */
#include "system/cost.h"

#include "mech/tree/tree.h"
#include "system/direct.h"
#include "system/natural.h"
#include "system/quantities.h"

#include <math.h>

/* Compiling one operation fused (3-D chains of 7 to 100 bodies: 0.45 to 0.51 us), and of a solution, with
 * each pair of coordinates and rows, which stand in full tables (37 to 72 ns): 14, 27, 87 and 525 ms for
 * chains of 7, 12, 30 and 100 bodies that took 13, 25, 75 and 600. */
static const double COMPILE_FUSED = 0.47e-6, COMPILE_SOLUTION = 0.62e-6, COMPILE_PAIR = 50e-9;
/* The same by shapes, with its lanes, and for each kernel: 6.5 ms for 90 kernels that took 4 to 6 ms, 57 ms
 * for 2000 that took 54. */
static const double COMPILE_SHAPE = 0.75e-6, COMPILE_KERNEL = 15e-6;
/* Running one operation (0.20 to 0.41 ns), and eight lanes as that many of them. */
static const double OPERATION = 0.27e-9, LANES_COST = 2;
/* By tapes: 60 % of what kernels take to compile (42 kernels of an arm), and kernel.h. */
static const double COMPILE_TAPE = 0.6, OPERATION_TAPE = 1.1e-9, LANES_TAPE = 5.3;
/* A number gathered or added to its place, one of a fused stage, and beginning with a kernel: right for some
 * tens of kernels, and too little for a thousand (380 ns). */
static const double NUMBER = 0.8e-9, NUMBER_FUSED = 0.55e-9, KERNEL = 60e-9;
/* General solvers, and for each operation of a solution: where most entries are there (planar chains by 20,
 * 40 and 80 angles: 0.32, 0.27, 0.13 ns), where M is diagonal (planar chains of 10 to 300 particles: 0.5 to
 * 0.65), and elsewhere (3-D chains 0.93, the platform with six legs 1.25, IFToMM A02 1.4). */
static const double SOLVER = 0.4e-6, SOLVER_FULL = 0.25e-9, SOLVER_DIAGONAL = 0.5e-9, SOLVER_OTHER = 1e-9;
/* A kernel of so many operations takes twice as long for each of them to compile, one of so many numbers for
 * each of them to run: chains of 1000, 10 000 and 30 000 particles take 0.48, 0.72 and 1.0 us per operation
 * and 0.56, 0.79 and 1.2 ns per number. */
static const double LARGE = 250e3;
/* Operations of an expression evaluated without a kernel: 19 to 26 ns, and 60 where they are few. */
static const double PLAIN = 25e-9;
/* Of the operations of all instances, what is left once they are one kernel: 1 for particles, 0.6 for bodies,
 * whose joints share the rotations. */
static const double SHARED = 0.75;
/* A solution as it is, to what direct_operations tells: 1.1 (A02) to 1.35 (bodies, whose M is singular);
 * those of the levels, which are not refined, 0.5 to 1.1. */
static const double SOLVES_REFINED = 1.2, SOLVES_UNREFINED = 0.85;
/* Operations that rows added to a singular M cost the general solver, as a part of what they cost a kernel. A
 * massless link, 13 rows on 15 coordinates, takes 3.7 us there and 1.1 us by a kernel of 4400 operations; a
 * slider crank with thin rods, 21 rows on 21, 16 us and 9 us by 33 000. */
static const double ADDED = 0.5;
/* What a row may be off is found in some 1.3 ns for each of its entries, or as 5 operations of a look's
 * kernel; a look costs about 0.6 of the operations of its level besides. Where there are samples, a state
 * visited needs 0.4 (serial chain) to 0.9 (six legs) steps of Newton's method at each level, and 2 with
 * singular positions (A02); ends of steps alone 0.1 to 0.4. */
static const double ALLOWANCE = 1.3e-9, ALLOWANCE_OPERATIONS = 5, LOOK = 0.6, LOOKS = 1.8, STEPPED = 0.8;
/* Counting the operations of a solution ends here: its code would be ten megabytes. */
static const long COUNT_MOST = 1000000;

// ---- how often

/* Beside the samples, with tau = span * rate: 900 sqrt(tau) + 225 tau at a tolerance of 1e-11, which order 8
 * takes to the power 1/8. Of 55 shipped models half need less than 0.6 of it, and six more than five times as
 * much, most of them stiff; the mean is 1.9. A run that is longer than expected loses more than one that is
 * shorter: so it lies between median and mean. Where nothing tells a rate, seven models need 400 to 76 000.
 */
static const double BY_ROOT = 900, BY_TAU = 225, AT_TOLERANCE = 1e-11, ORDER = 8, UNTOLD = 4000;
static const double DEFAULT_TOLERANCE = 1e-9, DEFAULT_SAMPLES = 1000, A_STEP = 12;

// every: between them
static double samples_of(const trm_system *s, double every) {
    return !(s->span > 0) ? 0 : every > 0 ? ceil(s->span / every) : DEFAULT_SAMPLES;
}

cost_runs cost_expect(const trm_system *s) {
    const model_simulate *run = &s->model->simulate;
    double tau = s->span * s->natural->rate,
           tolerance = run->tolerance > 0 ? run->tolerance : DEFAULT_TOLERANCE;
    // those of the model: what is integrated is chosen by its motion, which fewer samples do not make shorter
    double samples = samples_of(s, s->how == EVALUATE_SHOWN && s->every > 0 ? s->every : run->every);
    bool told = s->natural->timed != SCALE_UNKNOWN && tau > 0 && isfinite(tau);
    double between = told ? BY_ROOT * sqrt(tau) + BY_TAU * tau : UNTOLD;
    between *= s->how == EVALUATE_SHOWN ? 0 : pow(AT_TOLERANCE / tolerance, 1 / ORDER);
    return (cost_runs){samples + between, samples + between / A_STEP};
}

// of a system that is only shown, its start is assembled, and nothing else projected
static const double ASSEMBLY = 10;

static bool is_level(stage_kind kind) {
    return kind == STAGE_POSITION || kind == STAGE_VELOCITY;
}

static double runs_of(const trm_system *s, stage_kind kind) {
    cost_runs expected = cost_expect(s);
    if (s->how == EVALUATE_SHOWN && is_level(kind))
        return ASSEMBLY;
    switch (kind) {
    case STAGE_DYNAMICS:
    case STAGE_NONIDEAL:
    case STAGE_QUASI:
    case STAGE_FRICTION:
    case STAGE_SWITCH:
        return expected.evaluations;
    case STAGE_START:
        return 1;
    default:
        return expected.visits;
    }
}

/* How often what is shown is evaluated is known. What is integrated, or projected, may be evaluated more
 * often than expected, and is four times slower by tapes. */
static bool is_shown(const trm_system *s, stage_kind kind) {
    bool shown = kind == STAGE_RESIDUAL || kind == STAGE_ENERGY || kind == STAGE_OUTPUT ||
                 kind == STAGE_START || kind == STAGE_VIEW;
    bool by_steps = s->full && (s->model->stops.count || s->mech->tree->asks); // by outputs of a tree form
    return (shown && !by_steps) || s->how == EVALUATE_SHOWN;
}

/* So seldom run that nothing pays: an operation takes as long to compile as 400 times to run by a tape. */
static const double SELDOM = 20;

bool cost_seldom(const trm_system *s, stage_kind kind) {
    double every = s->every > 0 ? s->every : s->model->simulate.every;
    return is_shown(s, kind) && s->span > 0 && samples_of(s, every) <= SELDOM;
}

// ---- a stage without a solution

/* Times in seconds. */
typedef struct {
    double compile, run;
} cost;

typedef struct {
    cost shapes;       // assembled
    cost tapes;        // the same by tapes
    double operations; // of all instances
} stage_cost;

static bool is_of(const trm_system *s, stage_kind kind, const mech_entry *e) {
    return s->layout->line[kind][e->quantity] != 0;
}

// the kernel of one shape; an operation that entries share counts once
static void add_shape(stage_cost *c, const expr_pool *pool, const element *at, arena *scratch) {
    vec(expr) roots = {0};
    expr *order;
    double operations = 0, numbers = 0, count = at->shape->count;
    for (int k = 0; k < at->derived->entries.count; k++)
        if (is_of(at->sys, at->stage, &at->derived->entries.at[k]))
            vec_push(scratch, roots, element_expression(at, &at->derived->entries.at[k]));
    if (roots.count == 0 || at->shape->count == 0)
        return;
    int nodes = expr_order(pool, roots.at, roots.count, scratch, &order);
    for (int i = 0; i < nodes; i++) {
        op_code op = expr_op(pool, order[i]);
        operations += ops[op].arity > 0;
        numbers += op == OP_SYMBOL && expr_kind(pool, order[i]) != SYM_PARAM;
    }
    double together = count < KERNEL_LANES ? count : LANES_COST * ceil(count / KERNEL_LANES);
    c->operations += count * operations;
    double compile = COMPILE_KERNEL + COMPILE_SHAPE * operations;
    double besides = KERNEL + NUMBER * count * (numbers + roots.count);
    c->shapes.compile += compile;
    c->shapes.run += OPERATION * operations * together + besides;
    c->tapes.compile += COMPILE_TAPE * compile;
    together = count < KERNEL_LANES ? count : LANES_TAPE * ceil(count / KERNEL_LANES);
    c->tapes.run += OPERATION_TAPE * operations * together + besides;
}

static stage_cost count_stage(const trm_system *s, const expr_pool *pool, stage_kind kind) {
    stage_cost c = {0};
    for (int i = 0; i < s->model->shapes.count; i++) {
        element at = element_of(s, kind, i);
        arena *scratch = arena_child(s->arena);
        add_shape(&c, pool, &at, scratch);
        arena_free(scratch);
    }
    return c;
}

static double grown(double count) {
    return count * (1 + count / LARGE);
}

static cost fused(const trm_system *s, stage_kind kind, const stage_cost *c) {
    double operations = SHARED * c->operations;
    return (cost){COMPILE_FUSED * grown(operations),
                  OPERATION * operations + NUMBER_FUSED * grown(s->layout->end[kind])};
}

bool cost_start(const trm_system *s, const expr_pool *pool, cost_way *way) {
    *way = cost_seldom(s, STAGE_DYNAMICS) ? WAY_TAPED : WAY_ASSEMBLED;
    if (*way == WAY_TAPED)
        return true;
    stage_cost c = count_stage(s, pool, STAGE_DYNAMICS);
    return c.shapes.compile < PLAIN * c.operations;
}

// ---- solutions

static bool is_diagonal(sparsity M) {
    return sparsity_entries(M) == M.rows;
}

// more than half of all entries are there: the dense solver has them in vectors
static bool is_full(const trm_system *s, sparsity A) {
    double all = (double)s->n * (s->n + A.rows);
    return (double)sparsity_entries(s->M) + sparsity_entries(A) > all / 2;
}

static double general_run(const trm_system *s, sparsity A, double operations) {
    double each = is_full(s, A) ? SOLVER_FULL : is_diagonal(s->M) ? SOLVER_DIAGONAL : SOLVER_OTHER;
    return SOLVER + each * operations;
}

typedef struct {
    sparsity A;
    double runs;
    double part; // SOLVES_REFINED or SOLVES_UNREFINED
} solving;

// what a solution of so many operations saves in a run, compiling included
static double saved_with(const trm_system *s, const solving *k, double operations) {
    double size = s->n + k->A.rows;
    double compile = COMPILE_SOLUTION * grown(k->part * operations) + COMPILE_PAIR * size * size;
    return k->runs * (general_run(s, k->A, operations) - OPERATION * k->part * operations) - compile;
}

/* The same of the one it would be; -1: nothing. Its operations, at least one for each entry, are not counted
 * where that would not help. */
static double saved_by_solution(const trm_system *s, const solving *k) {
    double entries = (double)sparsity_entries(s->M) + sparsity_entries(k->A);
    double few = saved_with(s, k, entries), more = saved_with(s, k, 2 * entries);
    if (few <= 0 && more <= few)
        return -1;
    long count = direct_operations(s->arena, s->n, s->M, k->A, COUNT_MOST);
    return count > COUNT_MOST ? -1 : saved_with(s, k, (double)count);
}

typedef struct {
    const trm_system *sys;
    sparsity A;
    const bool *added; // (A.rows)
} added_rows;

static void for_pairs(const added_rows *k, sparsity_builder *b,
                      void (*act)(sparsity_builder *b, int i, int j)) {
    sparsity M = k->sys->M, A = k->A;
    for (int i = 0; i < M.rows; i++)
        for (int e = M.start[i]; e < M.start[i + 1]; e++)
            act(b, i, M.to[e]);
    for (int r = 0; r < A.rows; r++)
        for (int e = A.start[r]; k->added[r] && e < A.start[r + 1]; e++)
            for (int f = A.start[r]; f < A.start[r + 1]; f++)
                act(b, A.to[e], A.to[f]);
}

static void announce(sparsity_builder *b, int i, int j) {
    (void)j;
    sparsity_announce(b, i);
}

// the pattern of M + A'WA
static sparsity with_rows(arena *a, const added_rows *k) {
    sparsity_builder b = sparsity_begin(a, k->sys->n);
    for_pairs(k, &b, announce);
    for_pairs(k, &b, sparsity_put);
    return sparsity_end(&b);
}

// whether these rows make entries that M has not; SOLVES_REFINED and SOLVES_UNREFINED have what others cost
static bool affords(const added_rows *k, double rows, double runs, arena *scratch) {
    const trm_system *s = k->sys;
    sparsity M = with_rows(scratch, k);
    if (sparsity_entries(M) == sparsity_entries(s->M))
        return true;
    double without = (double)direct_operations(scratch, s->n, s->M, k->A, COUNT_MOST);
    double with = (double)direct_operations(scratch, s->n, M, k->A, COUNT_MOST) + rows * rows * s->n;
    double general = SOLVER + SOLVER_OTHER * (without + ADDED * (with - without));
    return with < (double)COUNT_MOST && runs * (general - OPERATION * with) > COMPILE_SOLUTION * grown(with);
}

bool cost_affords(const trm_system *s, stage_kind kind, sparsity A, const bool *added) {
    double rows = 0, runs = runs_of(s, kind) * (kind == STAGE_DYNAMICS ? 1 : STEPPED);
    for (int r = 0; added && r < A.rows; r++)
        rows += added[r];
    if (rows == 0)
        return true;
    arena *scratch = arena_child(s->arena);
    bool does = affords(&(added_rows){s, A, added}, rows, runs, scratch);
    arena_free(scratch);
    return does;
}

/* A kernel of its own for velocities that are not q' takes a fifth to two thirds off an evaluation. By counts
 * of instructions it pays after 1400 to 1600 of these with quasi-velocities (rolling disk of paper 000, a
 * free body), after 2000 for a free body in a quaternion, and after 4100 and 7500 with rows (sphere on a
 * plate, serial chain of five bodies). */
static const double MOVES_QUASI = 2000, MOVES = 6000;

bool cost_moves(const trm_system *s) {
    return s->how != EVALUATE_SHOWN && !system_is_emitted(s) &&
           cost_expect(s).evaluations > (s->quasi ? MOVES_QUASI : MOVES);
}

// ---- as text

/* Beyond, half a megabyte of code would be for the solution alone, and a compiler would take half a minute.
 */
static const long EMITTED_MOST = 40000;

bool cost_emits_solution(const trm_system *s, stage_kind kind) {
    sparsity A = kind == STAGE_DYNAMICS ? s->all : kind == STAGE_POSITION ? s->position.A : s->velocity.A;
    return direct_operations(s->arena, s->n, s->M, A, EMITTED_MOST) <= EMITTED_MOST;
}

// ---- choices

static double total(cost c, double runs) {
    return c.compile + runs * c.run;
}

// of a stage that is run as it is: how, and what it takes then
static cost_way way_without_solution(const trm_system *s, stage_kind kind, const stage_cost *c,
                                     double *least) {
    double runs = runs_of(s, kind), one = total(fused(s, kind, c), runs), many = total(c->shapes, runs);
    double tapes = is_shown(s, kind) ? total(c->tapes, runs) : INFINITY;
    *least = fmin(fmin(one, many), tapes);
    return one < many && one < tapes ? WAY_FUSED : tapes < many ? WAY_TAPED : WAY_ASSEMBLED;
}

static cost_way choose_dynamics(const trm_system *s, const stage_cost *c, bool solves) {
    double runs = runs_of(s, STAGE_DYNAMICS), least;
    cost_way plain = way_without_solution(s, STAGE_DYNAMICS, c, &least);
    double saved = solves ? saved_by_solution(s, &(solving){s->all, runs, SOLVES_REFINED}) : -1;
    if (saved > 0 && total(fused(s, STAGE_DYNAMICS, c), runs) - saved < least)
        return WAY_DIRECT;
    return plain;
}

// looks and steps
static cost_way choose_level(const trm_system *s, stage_kind kind, const stage_cost *c, bool solves) {
    const system_level *level = kind == STAGE_POSITION ? &s->position : &s->velocity;
    double visits = runs_of(s, kind), entries = sparsity_entries(level->A), least;
    if (s->how == EVALUATE_SHOWN)
        return way_without_solution(s, kind, c, &least);
    double look = LOOK * SHARED * c->operations + ALLOWANCE_OPERATIONS * entries;
    cost one = fused(s, kind, c), many = c->shapes;
    double by_one =
        one.compile + COMPILE_FUSED * grown(look) + visits * (LOOKS * OPERATION * look + STEPPED * one.run);
    double by_many = many.compile + visits * LOOKS * (many.run + ALLOWANCE * entries);
    double saved =
        solves ? saved_by_solution(s, &(solving){level->A, STEPPED * visits, SOLVES_UNREFINED}) : -1;
    if (saved > 0 && by_one - saved < by_many)
        return WAY_DIRECT;
    return by_one < by_many ? WAY_FUSED : WAY_ASSEMBLED;
}

cost_way cost_choose(const trm_system *s, const expr_pool *pool, stage_kind kind, bool solves) {
    if (cost_seldom(s, kind))
        return WAY_TAPED;
    stage_cost c = count_stage(s, pool, kind);
    double least;
    if (kind == STAGE_DYNAMICS)
        return choose_dynamics(s, &c, solves);
    if (is_level(kind))
        return choose_level(s, kind, &c, solves);
    return way_without_solution(s, kind, &c, &least);
}
