/* For each stage the quantities in its y, in their order there: how many numbers each has, and which of them
 * an instance adds to. */
#include "system/quantities.h"

#include "mech/tree/tree.h"

/* How many numbers. */
typedef enum {
    ONE,
    COORDINATES,
    ROWS,
    TWICE_ROWS,
    SHARED_WEIGHTS,
    POSITION_ROWS,
    VELOCITY_ROWS,
    SLIPS,
    ENTRIES_OF_M,
    ENTRIES_OF_A,
    POSITION_ENTRIES,
    VELOCITY_ENTRIES,
    QUASIS,
    ENTRIES_OF_G,
    SLOTS_OF_G, // where there is a Jacobian
    OUTPUTS,
    EXPECTATIONS,
    START_VALUES,
    TURNS,
    SWITCHES,
    STOPS,
    OVERS,
    FRICTIONS,
    VIEWS,
    WORKS,
    SOLVED,   // coordinates, where the shapes have their accelerations
    SLOPES,   // entries of their pattern
    WITH_NEXT // its numbers are in the block that follows
} size;

static int count(const trm_system *s, size which) {
    const int counts[] = {
        [ONE] = 1,
        [COORDINATES] = s->n,
        [ROWS] = s->m,
        [TWICE_ROWS] = 2 * s->m,
        [SHARED_WEIGHTS] = s->shares_weights ? WEIGHTS_SHARED * s->m : 0,
        [POSITION_ROWS] = s->position.m,
        [VELOCITY_ROWS] = s->velocity.m,
        [SLIPS] = s->slip_count,
        [ENTRIES_OF_M] = sparsity_entries(s->M),
        [ENTRIES_OF_A] = sparsity_entries(s->A),
        [POSITION_ENTRIES] = sparsity_entries(s->position.A),
        [VELOCITY_ENTRIES] = sparsity_entries(s->velocity.A),
        [QUASIS] = s->model->quasis.count,
        [ENTRIES_OF_G] = sparsity_entries(s->G),
        [SLOTS_OF_G] = s->slopes ? sparsity_entries(s->G_slots) : 0,
        [OUTPUTS] = s->model->outputs.count,
        [EXPECTATIONS] = s->expect_count,
        [START_VALUES] = s->model->start_count,
        [TURNS] = s->model->turns.count,
        [SWITCHES] = s->switch_count,
        [STOPS] = s->model->stops.count,
        [OVERS] = s->model->overs.count,
        [FRICTIONS] = s->friction_count,
        [VIEWS] = s->model->view_count,
        [WORKS] = s->work_count,
        [SOLVED] = s->mech->tree && s->mech->tree->articulated ? s->n : 0,
        [SLOPES] = s->slopes ? sparsity_entries(s->slope_pattern) : 0,
        [WITH_NEXT] = 0,
    };
    return counts[which];
}

// ---- which of them; -1: none

static int of_model(const element *at, const mech_entry *e) {
    (void)at;
    (void)e;
    return 0;
}

static int of_target(const element *at, const mech_entry *e) {
    (void)e;
    return element_target(at);
}

// a shape may have several, one behind the other
static int of_output(const element *at, const mech_entry *e) {
    return element_target(at) + e->i;
}

static int of_slot(const element *at, const mech_entry *e) {
    return element_coordinate(at, e->i);
}

static int of_work(const element *at, const mech_entry *e) {
    const mech_work *here = at->sys->mech->works ? &at->sys->mech->works[e->i] : NULL;
    if (here)
        return system_work_of(at->sys->full, here->kind, here->of);
    int of = at->shape->kind == SHAPE_FORCE      ? element_coordinate(at, 0)
             : at->shape->kind == SHAPE_ACTUATOR ? element_target(at)
                                                 : -1;
    return system_work_of(at->sys, at->shape->kind, of);
}

static int of_switch(const element *at, const mech_entry *e) {
    return element_switch(at, e->i);
}

static int of_expectation(const element *at, const mech_entry *e) {
    (void)e;
    return at->sys->expect_base[at->number] + at->instance;
}

// its number among the rows of the stage
static int of_row(const element *at, const mech_entry *e) {
    const system_row *row = &at->sys->rows[element_target(at)];
    (void)e;
    switch (at->stage) {
    case STAGE_POSITION:
        return row->position;
    case STAGE_VELOCITY:
        return row->velocity;
    case STAGE_FRICTION:
        return row->slip;
    default:
        return element_target(at);
    }
}

static int of_shared(const element *at, const mech_entry *e) {
    return element_target(at) * WEIGHTS_SHARED + e->i;
}

// phi' of a holonomic row is behind the residuals, psi of another is one of them
static int of_rate(const element *at, const mech_entry *e) {
    (void)e;
    return element_target(at) + (at->derived->level == ROW_HOLONOMIC ? at->sys->m : 0);
}

static int in_M(const element *at, const mech_entry *e) {
    return sparsity_find(at->sys->M, element_coordinate(at, e->i), element_coordinate(at, e->j));
}

static int in_A(const element *at, const mech_entry *e) {
    const trm_system *s = at->sys;
    const sparsity *A = at->stage == STAGE_POSITION   ? &s->position.A
                        : at->stage == STAGE_VELOCITY ? &s->velocity.A
                                                      : &s->A;
    int row = of_row(at, e);
    return row < 0 ? -1 : sparsity_find(*A, row, element_coordinate(at, e->i));
}

static int in_G(const element *at, const mech_entry *e) {
    return sparsity_find(at->sys->G, element_target(at), element_coordinate(at, e->i));
}

static int in_G_slots(const element *at, const mech_entry *e) {
    return sparsity_find(at->sys->G_slots, element_target(at), element_coordinate(at, e->i));
}

static int force_in_slopes(const element *at, const mech_entry *e) {
    return sparsity_find(at->sys->slope_pattern, element_coordinate(at, e->j), element_coordinate(at, e->i));
}

static int row_in_slopes(const element *at, const mech_entry *e) {
    return sparsity_find(at->sys->slope_pattern, element_coordinate(at, e->j),
                         at->sys->n + element_target(at));
}

// ---- the table

typedef struct {
    stage_kind stage;
    mech_quantity quantity;
    size size;
    int (*place)(const element *at, const mech_entry *e); // from where the quantity begins
} line;

static const line table[] = {
    {STAGE_DYNAMICS, MECH_M, ENTRIES_OF_M, in_M},
    {STAGE_DYNAMICS, MECH_Q, COORDINATES, of_slot},
    {STAGE_DYNAMICS, MECH_A, ENTRIES_OF_A, in_A},
    {STAGE_DYNAMICS, MECH_B, ROWS, of_row},
    {STAGE_DYNAMICS, MECH_WEIGHT, ROWS, of_row},
    {STAGE_DYNAMICS, MECH_SHARED, SHARED_WEIGHTS, of_shared},
    {STAGE_DYNAMICS, MECH_POWER, WORKS, of_work},
    {STAGE_DYNAMICS, MECH_RATE, SOLVED, of_slot},
    {STAGE_POSITION, MECH_M, ENTRIES_OF_M, in_M},
    {STAGE_POSITION, MECH_POSITION, POSITION_ROWS, of_row},
    {STAGE_POSITION, MECH_A, POSITION_ENTRIES, in_A},
    {STAGE_VELOCITY, MECH_M, ENTRIES_OF_M, in_M},
    {STAGE_VELOCITY, MECH_VELOCITY, VELOCITY_ROWS, of_row},
    {STAGE_VELOCITY, MECH_A, VELOCITY_ENTRIES, in_A},
    {STAGE_RESIDUAL, MECH_VELOCITY, WITH_NEXT, of_rate},
    {STAGE_RESIDUAL, MECH_POSITION, TWICE_ROWS, of_row},
    {STAGE_ENERGY, MECH_KINETIC, ONE, of_model},
    {STAGE_ENERGY, MECH_JACOBI, ONE, of_model},
    {STAGE_ENERGY, MECH_POTENTIAL, ONE, of_model},
    {STAGE_NONIDEAL, MECH_C, COORDINATES, of_slot},
    {STAGE_NONIDEAL, MECH_Q_ON_FORCES, COORDINATES, of_slot},
    {STAGE_NONIDEAL, MECH_POWER_ON_FORCES, WORKS, of_work},
    {STAGE_QUASI, MECH_G, ENTRIES_OF_G, in_G},
    {STAGE_QUASI, MECH_QUASI, QUASIS, of_target},
    {STAGE_QUASI, MECH_QUASI_OFFSET, QUASIS, of_target},
    {STAGE_QUASI, MECH_QUASI_RATE, QUASIS, of_target},
    {STAGE_OUTPUT, MECH_OUTPUT, OUTPUTS, of_output},
    {STAGE_OUTPUT, MECH_EXPECT, EXPECTATIONS, of_expectation},
    {STAGE_OUTPUT, MECH_MARGIN, EXPECTATIONS, of_expectation},
    {STAGE_START, MECH_START, START_VALUES, of_target},
    {STAGE_TURN, MECH_TURN, TURNS, of_target},
    {STAGE_SWITCH, MECH_SWITCH, SWITCHES, of_switch},
    {STAGE_STOP, MECH_STOP, STOPS, of_target},
    {STAGE_STOP, MECH_STOP_MARGIN, STOPS, of_target},
    {STAGE_STOP, MECH_STOP_REST, STOPS, of_target},
    {STAGE_OVER, MECH_OVER, OVERS, of_target},
    {STAGE_OVER, MECH_OVER_MARGIN, OVERS, of_target},
    {STAGE_OVER, MECH_OVER_REST, OVERS, of_target},
    {STAGE_FRICTION, MECH_MU, FRICTIONS, of_target},
    {STAGE_FRICTION, MECH_STATIC, FRICTIONS, of_target},
    {STAGE_FRICTION, MECH_VELOCITY, SLIPS, of_row},
    {STAGE_JACOBIAN, MECH_FORCE_BY_P, WITH_NEXT, force_in_slopes},
    {STAGE_JACOBIAN, MECH_ROW_BY_P, SLOPES, row_in_slopes},
    {STAGE_JACOBIAN, MECH_FORCE_BY_V, WITH_NEXT, force_in_slopes},
    {STAGE_JACOBIAN, MECH_ROW_BY_V, SLOPES, row_in_slopes},
    {STAGE_JACOBIAN, MECH_QUASI_BY_P, SLOTS_OF_G, in_G_slots},
    {STAGE_JACOBIAN, MECH_QUASI_RATE_BY_P, SLOTS_OF_G, in_G_slots},
    {STAGE_JACOBIAN, MECH_QUASI_RATE_BY_V, SLOTS_OF_G, in_G_slots},
    {STAGE_VIEW, MECH_VIEW, VIEWS, of_target},
};
enum { LINES = sizeof table / sizeof *table };

system_layout *quantities_lay_out(arena *a, const trm_system *s) {
    system_layout *out = arena_alloc(a, sizeof *out);
    for (int i = 0; i < LINES; i++) {
        const line *l = &table[i];
        out->line[l->stage][l->quantity] = (signed char)(i + 1);
        out->start[l->stage][l->quantity] = out->end[l->stage];
        out->end[l->stage] += count(s, l->size);
    }
    return out;
}

int quantities_place(const element *at, const mech_entry *e) {
    const system_layout *layout = at->sys->layout;
    int number = layout->line[at->stage][e->quantity];
    if (number == 0)
        return -1;
    int from_start = table[number - 1].place(at, e);
    return from_start < 0 ? -1 : layout->start[at->stage][e->quantity] + from_start;
}
