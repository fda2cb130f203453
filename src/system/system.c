/* Sizes, rows and the layout of x; then the stages. Done once per model. */
#include "system/system.h"

#include "mech/tree/tree.h"
#include "system/rates.h"
#include "system/seen.h"
#include "system/stages.h"

#include <math.h>
#include <string.h>

/* Full matrices hold n x n + m x n numbers; beyond this, several of them would need gigabytes. */
static const double LARGEST_FULL = 3e7;
/* Coordinates from which on implicit methods, and constraints with weights, do without them. */
enum { SPARSE_FROM = 200, FITS_FROM = 500 };

static bool has_weight(const trm_system *s, int row) {
    return s->mech->shapes[s->model->rows.at[row].shape].weighted;
}

// those with weight are dealt with apart, and then none counts as a repeat
static void find_weights(trm_system *s) {
    s->soft_rows = arena_array(s->arena, int, s->m + 1);
    for (int i = 0; i < s->m; i++)
        if (has_weight(s, i)) {
            s->soft_rows[s->soft_count++] = i;
            s->shares_weights |= s->mech->shapes[s->model->rows.at[i].shape].shares_weight;
        }
}

// which rows solvers see
static void find_solved(trm_system *s) {
    arena *scratch = arena_child(s->arena);
    const mech_repeats *repeats = s->soft_count ? NULL : mech_find_repeats(scratch, s->model, s->mech);
    double *scale = arena_doubles(scratch, (size_t)s->m);
    int count = 0;
    if (repeats && repeats->count)
        s->sharing = share_new(s->arena, repeats);
    s->solved_rows = arena_array(s->arena, int, s->m + 1);
    s->row_scale = arena_doubles(s->arena, (size_t)s->m);
    for (int i = 0; i < s->m; i++) {
        bool seen = !has_weight(s, i) && !(s->sharing && repeats->of[i] >= 0);
        s->rows[i].solved = seen ? count : -1;
        if (seen)
            s->solved_rows[count++] = i;
        scale[i] = 1;
    }
    if (s->sharing)
        share_scale(s->sharing, scale);
    for (int k = 0; k < count; k++)
        s->row_scale[k] = scale[s->solved_rows[k]];
    for (int i = 0; i < s->soft_count; i++) {
        s->row_scale[count] = 1;
        s->solved_rows[count++] = -1;
    }
    s->all.rows = count;
    seen_repeats(s, repeats);
    arena_free(scratch);
}

static void describe_rows(trm_system *s) {
    const model *m = s->model;
    s->rows = arena_array(s->arena, system_row, s->m + 1);
    find_weights(s);
    find_solved(s);
    s->position.rows = arena_array(s->arena, int, s->m + 1);
    s->velocity.rows = arena_array(s->arena, int, s->m + 1);
    for (int i = 0; i < s->m; i++) {
        const mech_shape *d = &s->mech->shapes[m->rows.at[i].shape];
        system_row *r = &s->rows[i];
        *r = (system_row){
            .level = d->level, .damped = d->damped, .weighted = d->weighted, .solved = r->solved};
        r->control = m->constraints.at[m->rows.at[i].constraint].control;
        r->position = r->velocity = r->friction = r->slip = -1;
        s->controls |= r->control;
        bool held = !r->damped && r->solved >= 0;
        if (held && r->level == ROW_HOLONOMIC)
            s->position.rows[r->position = s->position.m++] = i;
        if (held && r->level != ROW_ACCELERATION)
            s->velocity.rows[r->velocity = s->velocity.m++] = i;
    }
}

static void describe_frictions(trm_system *s) {
    s->friction_count = s->model->frictions.count;
    for (int i = 0; i < s->friction_count; i++) {
        const model_friction *f = &s->model->frictions.at[i];
        for (int k = f->stick_first; k < f->stick_first + f->stick_count; k++) {
            s->rows[k].friction = i;
            s->rows[k].slip = s->slip_count++;
        }
    }
}

// ---- what does work

static void add_work(trm_system *s, work_kind kind, int of) {
    s->works[s->work_count++] = (system_work){kind, of};
}

// the kinds of shapes whose work is told as one
static shape_kind work_shape(shape_kind kind) {
    return kind == SHAPE_MASS_PAIR ? SHAPE_MASS : kind;
}

int system_work_of(const trm_system *s, shape_kind kind, int of) {
    return kind == SHAPE_FORCE      ? s->force_work[of]
           : kind == SHAPE_ACTUATOR ? s->actuator_work[of]
                                    : s->shape_work[work_shape(kind)];
}

static bool has_quantity(const trm_system *s, int number, mech_quantity quantity) {
    const mech_shape *derived = &s->mech->shapes[number];
    for (int k = 0; k < derived->entries.count; k++)
        if (derived->entries.at[k].quantity == quantity)
            return true;
    return false;
}

static bool has_power(const trm_system *s, int number) {
    return s->model->shapes.at[number].kind == SHAPE_NONIDEAL || has_quantity(s, number, MECH_POWER) ||
           has_quantity(s, number, MECH_POWER_ON_FORCES);
}

// forces on the four coordinates of a quaternion are one torque
static void describe_force_work(trm_system *s, int coordinate) {
    int first = coordinate, count = 1;
    if (s->force_work[coordinate] >= 0)
        return;
    for (int i = 0; i < s->model->quaternions.count; i++)
        if (coordinate >= s->model->quaternions.at[i] && coordinate < s->model->quaternions.at[i] + 4) {
            first = s->model->quaternions.at[i];
            count = 4;
        }
    for (int i = first; i < first + count; i++)
        s->force_work[i] = s->work_count;
    add_work(s, count == 4 ? WORK_TORQUE : WORK_FORCE, first);
}

static void describe_actuator_work(trm_system *s, int actuator) {
    if (s->actuator_work[actuator] >= 0)
        return;
    s->actuator_work[actuator] = s->work_count;
    add_work(s, WORK_ACTUATOR, actuator);
}

static void describe_shape_work(trm_system *s, const shape *of) {
    shape_kind kind = work_shape(of->kind);
    for (int i = 0; kind == SHAPE_FORCE && i < of->count; i++)
        describe_force_work(s, of->slots.at[i * of->slot_count]);
    for (int i = 0; kind == SHAPE_ACTUATOR && i < of->count; i++)
        describe_actuator_work(s, of->targets.at[i]);
    if (kind != SHAPE_FORCE && kind != SHAPE_ACTUATOR && s->shape_work[kind] < 0) {
        s->shape_work[kind] = s->work_count;
        add_work(s, WORK_SHAPE, (int)kind);
    }
}

// in a tree form the same, of its own rows
static void take_works(trm_system *s) {
    const trm_system *full = s->full;
    s->work_count = full->work_count;
    s->works = arena_array(s->arena, system_work, s->work_count + 1);
    for (int i = 0; i < s->work_count; i++) {
        s->works[i] = full->works[i];
        if (s->works[i].kind == WORK_ROW)
            s->works[i].of = s->mech->tree->row_of[full->works[i].of];
    }
}

static void describe_works(trm_system *s) {
    const model *m = s->model;
    if (s->full) {
        take_works(s);
        return;
    }
    s->works = arena_array(s->arena, system_work, s->n + s->m + m->actuators.count + SHAPE_KINDS);
    s->force_work = arena_array(s->arena, int, s->n + 1);
    s->actuator_work = arena_array(s->arena, int, m->actuators.count + 1);
    for (int i = 0; i < s->n; i++)
        s->force_work[i] = -1;
    for (int i = 0; i < m->actuators.count; i++)
        s->actuator_work[i] = -1;
    for (int i = 0; i < SHAPE_KINDS; i++)
        s->shape_work[i] = -1;
    if (s->mech->conserves || s->mech->unbalanced)
        return;
    for (int i = 0; i < m->shapes.count; i++)
        if (has_power(s, i))
            describe_shape_work(s, &m->shapes.at[i]);
    for (int i = 0; i < s->m; i++)
        if (s->rows[i].friction >= 0 || (s->mech->shapes[m->rows.at[i].shape].may_work && !has_weight(s, i)))
            add_work(s, WORK_ROW, i);
    if (s->soft_count)
        add_work(s, WORK_WEIGHTED, -1);
}

static void describe_expectations(trm_system *s) {
    const model *m = s->model;
    s->expect_base = arena_array(s->arena, int, m->shapes.count + 1);
    for (int i = 0; i < m->shapes.count; i++) {
        s->expect_base[i] = s->expect_count;
        if (m->shapes.at[i].kind == SHAPE_EXPECT)
            s->expect_count += m->shapes.at[i].count;
        s->nonideal |= has_quantity(s, i, MECH_C);
        s->on_forces |= has_quantity(s, i, MECH_Q_ON_FORCES);
    }
    s->expect_of = arena_array(s->arena, int, s->expect_count + 1);
    s->has_margin = arena_array(s->arena, bool, s->expect_count + 1);
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; m->shapes.at[i].kind == SHAPE_EXPECT && k < m->shapes.at[i].count; k++) {
            s->expect_of[s->expect_base[i] + k] = m->shapes.at[i].targets.at[k];
            s->has_margin[s->expect_base[i] + k] = m->shapes.at[i].part[PART_MARGIN] != EXPR_NONE;
        }
}

static void count_switches(trm_system *s) {
    const model *m = s->model;
    s->switch_base = arena_array(s->arena, int, m->shapes.count + 1);
    for (int i = 0; i < m->shapes.count; i++) {
        s->switch_base[i] = s->switch_count;
        s->switch_count += s->mech->shapes[i].switch_count * m->shapes.at[i].count;
    }
    for (int i = 0; i < m->shapes.count; i++) {
        int count = s->mech->shapes[i].switch_count * m->shapes.at[i].count;
        if (m->shapes.at[i].kind != SHAPE_ROW || count == 0)
            continue;
        if (s->row_switch == NULL)
            s->row_switch = arena_array(s->arena, bool, s->switch_count);
        memset(s->row_switch + s->switch_base[i], true, (size_t)count * sizeof(bool));
    }
}

// x: t, q, q', q'', parameters, results, multipliers of the rows, switches, turns, constants of the instances
static void lay_out(trm_system *s) {
    const model *m = s->model;
    s->x_q = 1;
    s->x_v = s->x_q + s->n;
    s->x_a = s->x_v + s->n;
    s->x_param = s->x_a + s->n;
    s->x_result = s->x_param + m->params.count;
    s->x_multiplier = s->x_result + m->results.count;
    s->x_mode = s->x_multiplier + s->m;
    s->x_turn = s->x_mode + s->switch_count;
    s->x_number = s->x_turn + m->turns.count;
    s->number_base = arena_array(s->arena, int, m->shapes.count + 1);
    s->x_size = s->x_number;
    for (int i = 0; i < m->shapes.count; i++) {
        s->number_base[i] = s->x_size;
        s->x_size += m->shapes.at[i].numbers.count;
    }
}

void system_constants(const trm_system *s, double *x) {
    const model *m = s->model;
    for (int i = 0; i < m->params.count; i++)
        x[s->x_param + i] = m->params.at[i].value;
    for (int i = 0; i < m->shapes.count; i++)
        if (m->shapes.at[i].numbers.count)
            memcpy(x + s->number_base[i], m->shapes.at[i].numbers.at,
                   (size_t)m->shapes.at[i].numbers.count * sizeof(double));
}

void system_add_views(trm_system *s) {
    s->views = true;
    stages_add_views(s, s->model->pool);
}

bool system_fits_full(const trm_system *s) {
    return (double)s->n * s->n + (double)s->m * s->n <= LARGEST_FULL;
}

int system_full_most(const trm_system *s) {
    double all = (double)s->n * s->n + (double)s->m * s->n;
    return (int)(s->n * sqrt(LARGEST_FULL / all)) / 10 * 10;
}

// whether STAGE_JACOBIAN would have all that changes with q and v
static bool are_all_slopes(const trm_system *sys) {
    bool on_results =
        sys->model->supplies.count || sys->nonideal || sys->on_forces || sys->mech->needs_energy;
    return !(sys->full || on_results || sys->soft_count || sys->friction_count);
}

static bool add_slopes(trm_system *sys) {
    sys->slopes = mech_derive_jacobian(sys->arena, sys->mech);
    if (sys->slopes)
        stages_add_jacobian(sys, sys->model->pool);
    return sys->slopes != NULL;
}

bool system_add_jacobian(trm_system *sys) {
    if (sys->slopes)
        return !sys->near_slopes;
    if (!are_all_slopes(sys) || (rates_own(sys) && !system_fits_full(sys)))
        return false;
    sys->sparse_slopes = !rates_own(sys) && sys->n >= SPARSE_FROM;
    return add_slopes(sys);
}

bool system_add_slopes(trm_system *sys) {
    if (sys->n < SPARSE_FROM || sys->full || (are_all_slopes(sys) && !rates_own(sys)))
        return system_add_jacobian(sys);
    sys->sparse_slopes = sys->near_slopes = true;
    return add_slopes(sys);
}

static trm_system *begin(arena *a, const model *m, const mech *derived) {
    trm_system *s = arena_alloc(a, sizeof *s);
    s->arena = a;
    s->model = m;
    s->mech = derived;
    s->n = m->coords.count;
    s->m = m->rows.count;
    s->quasi = m->quasis.count > 0;
    s->rank = m->simulate.rank;
    return s;
}

// false if quasi-velocities are too many
static bool stops_over(const model *m) {
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *s = &m->shapes.at[i];
        for (int k = 0; s->kind == SHAPE_STOP && k < s->results.count; k++)
            if (m->results.at[s->results.at[k]].kind == RESULT_OVER)
                return true;
    }
    return false;
}

static bool finish(trm_system *s, evaluate_how how) {
    const model *m = s->model;
    for (int i = 0; i < m->results.count; i++) {
        result_kind kind = m->results.at[i].kind;
        s->control_parts |= kind == RESULT_FEEDBACK || kind == RESULT_FEEDFORWARD;
        s->quasi_reactions |= kind == RESULT_QUASI;
        s->shows_work |= kind == RESULT_WORK || kind == RESULT_WORK_FORCE || kind == RESULT_WORK_SHAPE ||
                         kind == RESULT_WORK_JOINT;
    }
    s->stops_over = !s->full && stops_over(m);
    describe_works(s);
    describe_expectations(s);
    count_switches(s);
    lay_out(s);
    s->fits = s->soft_count && s->n >= FITS_FROM && how != EVALUATE_EMITTED;
    if (!stages_lay_out(s))
        return false;
    stages_build(s, m->pool, how);
    return true;
}

static trm_system *too_large(const trm_system *s, model *m, const char *what) {
    diag_error(&m->diags, (place){0}, "%d coordinates with %d constraint rows are too many for %s", s->n,
               s->m, what)
        ->hint = arena_print(m->arena, "some %d coordinates of this kind are not", system_full_most(s));
    return NULL;
}

trm_system *system_new(arena *a, model *m, const mech *derived, evaluate_how how, double span, double every) {
    trm_system *s = begin(a, m, derived);
    s->every = every;
    s->span = span > 0 ? span : m->simulate.until - m->simulate.from;
    if (m->diags.errors)
        return NULL;
    s->seen = seen_new(s, span);
    describe_rows(s);
    describe_frictions(s);
    if (!finish(s, how))
        return too_large(s, m, "quasi-velocities that hang together");
    for (int i = 0; i < 2; i++) {
        const mech *of_start = derived->starting[i];
        s->starting[i] =
            of_start ? system_new(a, (model *)of_start->model, of_start, EVALUATE_ASSEMBLED, span, every)
                     : NULL;
    }
    return s;
}

trm_system *system_new_tree(arena *a, const mech_tree *tree, const trm_system *full, evaluate_how how) {
    trm_system *s = begin(a, tree->model, tree->mech);
    s->full = full;
    s->span = full->span;
    s->every = full->every;
    s->rank = full->rank;
    describe_rows(s);
    describe_frictions(s);
    finish(s, how);
    return s;
}
