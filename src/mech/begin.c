/* Models of the start. Exact initial values of joints, angle(J) = e and angle(J)' = e, are rows there, which
 * hold while positions, or velocities, are assembled, and in no run. Of the rest, what knows results, or is
 * only looked at, is left away. */
#include "mech/derive.h"

static bool is_of_start(const shape *s) {
    return s->result_count == 0 &&
           (s->kind <= SHAPE_FORCE || s->kind == SHAPE_ACTUATOR || s->kind == SHAPE_QUASI ||
            s->kind == SHAPE_ROW || s->kind == SHAPE_FRICTION);
}

static bool holds(const model_begin *b, bool rate) {
    return b->given.kind == INITIAL_EXACT && b->label.rate == rate;
}

// one instance as a row of a constraint of its own
static void add_row(arena *a, model *m, shape *to, const shape *from, int instance, const model_begin *b) {
    model_constraint c = {.label = b->label, .first_row = m->rows.count, .row_count = 1, .at = b->given.at};
    model_row r = {.constraint = m->constraints.count,
                   .part = b->label.part,
                   .shape = m->shapes.count, // that it will have
                   .instance = to->count++};
    for (int i = 0; i < from->slot_count; i++)
        vec_push(a, to->slots, from->slots.at[instance * from->slot_count + i]);
    shape_pins_numbers(m, from, instance);
    for (int i = 0; i < from->number_count; i++)
        vec_push(a, to->numbers, from->numbers.at[instance * from->number_count + i]);
    for (int i = 0; i < from->turn_count; i++)
        vec_push(a, to->turns, from->turns.at[instance * from->turn_count + i]);
    vec_push(a, to->targets, m->rows.count);
    vec_push(a, m->constraints, c);
    vec_push(a, m->rows, r);
}

static shape empty_rows(const shape *from) {
    shape s = {.kind = SHAPE_ROW,
               .at = from->at,
               .slot_count = from->slot_count,
               .number_count = from->number_count,
               .turn_count = from->turn_count,
               .target_count = 1};
    s.part[PART_VALUE] = from->part[PART_VALUE];
    return s;
}

// copies of what grows
static model *copy_of(arena *a, const model *m) {
    model *out = arena_alloc(a, sizeof *out);
    int *number = arena_array(a, int, m->shapes.count + 1);
    *out = *m;
    out->shapes.count = out->shapes.room = out->rows.count = out->rows.room = 0;
    out->constraints.count = out->constraints.room = 0;
    out->shapes.at = NULL;
    out->rows.at = NULL;
    out->constraints.at = NULL;
    out->results.count = out->outputs.count = out->expects.count = out->stops.count = out->view_count = 0;
    out->shown_results = out->start_count = out->overs.count = 0;
    for (int i = 0; i < m->shapes.count; i++) {
        number[i] = out->shapes.count;
        if (is_of_start(&m->shapes.at[i]))
            vec_push(a, out->shapes, m->shapes.at[i]);
    }
    for (int i = 0; i < m->constraints.count; i++)
        vec_push(a, out->constraints, m->constraints.at[i]);
    for (int i = 0; i < m->rows.count; i++) {
        model_row r = m->rows.at[i];
        r.shape = number[r.shape];
        vec_push(a, out->rows, r);
    }
    return out;
}

model *begin_model(arena *a, const model *m, bool rate) {
    model *out = NULL;
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *from = &m->shapes.at[i];
        shape rows = empty_rows(from);
        for (int k = 0; from->kind == SHAPE_BEGIN && k < from->count; k++) {
            const model_begin *b = &m->begins.at[from->targets.at[k]];
            if (!holds(b, rate))
                continue;
            out = out ? out : copy_of(a, m);
            add_row(a, out, &rows, from, k, b);
        }
        if (rows.count)
            vec_push(a, out->shapes, rows);
    }
    return out;
}
