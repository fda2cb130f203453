/* Elements: an expression over slots finds its shape by its structure, and becomes one more row of its
 * tables. */
#include "lang/elab.h"

#include <string.h>

void elab_remark(elab *L) {
    for (int i = 0; i < L->builder.slots.count; i++) {
        L->slot_of[L->builder.slots.at[i]] = i;
        L->slot_epoch[L->builder.slots.at[i]] = L->builder.epoch;
    }
}

void elab_begin(elab *L) {
    L->builder.epoch = ++L->epochs;
    L->builder.slots.count = 0;
    L->builder.numbers.count = L->builder.steps.count = 0;
    L->builder.results.count = 0;
    L->builder.turns.count = 0;
}

int elab_slot(elab *L, int coordinate) {
    if (L->slot_epoch[coordinate] != L->builder.epoch) {
        L->slot_epoch[coordinate] = L->builder.epoch;
        L->slot_of[coordinate] = L->builder.slots.count;
        vec_push(L->arena, L->builder.slots, coordinate);
    }
    return L->slot_of[coordinate];
}

expr elab_expr(elab *L, scalar s) {
    if (s.e != EXPR_NONE)
        return s.e;
    int slot = L->builder.numbers.count;
    vec_push(L->arena, L->builder.numbers, s.number);
    vec_push(L->arena, L->builder.steps, s.step);
    return expr_symbol(L->pool, SYM_NUMBER, slot);
}

static int intern_result(elab *L, model_result r) {
    uint64_t key = map_mix(map_mix(map_mix(map_mix(0, r.kind), (uint64_t)r.coordinate), (uint64_t)r.first),
                           (uint64_t)r.count);
    int found = map_get(&L->results, key);
    if (found >= 0)
        return found;
    found = L->model->results.count;
    vec_push(L->arena, L->model->results, r);
    map_put(&L->results, key, found);
    return found;
}

expr elab_result(elab *L, model_result r) {
    int id = intern_result(L, r), slot = 0;
    while (slot < L->builder.results.count && L->builder.results.at[slot] != id)
        slot++;
    if (slot == L->builder.results.count)
        vec_push(L->arena, L->builder.results, id);
    return expr_symbol(L->pool, SYM_RESULT, slot);
}

expr elab_turn_symbol(elab *L, int turn) {
    int slot = 0;
    while (slot < L->builder.turns.count && L->builder.turns.at[slot] != turn)
        slot++;
    if (slot == L->builder.turns.count)
        vec_push(L->arena, L->builder.turns, turn);
    return expr_symbol(L->pool, SYM_TURN, slot);
}

// what is known only after a first solve
static bool on_forces(const elab *L) {
    for (int i = 0; i < L->builder.results.count; i++)
        if (!model_is_energy(L->model->results.at[L->builder.results.at[i]].kind))
            return true;
    return false;
}

static bool same_shape(const elab *L, const shape *s, shape_kind kind, const expr *parts, int targets) {
    const builder *b = &L->builder;
    return s->kind == kind && s->on_forces == on_forces(L) && memcmp(s->part, parts, sizeof s->part) == 0 &&
           s->slot_count == b->slots.count && s->number_count == b->numbers.count &&
           s->result_count == b->results.count && s->turn_count == b->turns.count &&
           s->target_count == targets;
}

static int find_shape(elab *L, shape_kind kind, place at, const expr *parts, int targets) {
    const builder *b = &L->builder;
    uint64_t key = map_mix(map_mix(map_mix(kind, (uint64_t)b->slots.count), (uint64_t)b->numbers.count),
                           (uint64_t)b->results.count);
    for (int i = 0; i < SHAPE_PARTS; i++)
        key = map_mix(key, parts[i]);
    for (;; key++) {
        int id = map_get(&L->shapes, key);
        if (id >= 0 && same_shape(L, &L->model->shapes.at[id], kind, parts, targets))
            return id;
        if (id >= 0)
            continue; // another shape has this key: try the next
        shape s = {.kind = kind,
                   .at = at,
                   .on_forces = on_forces(L),
                   .slot_count = b->slots.count,
                   .number_count = b->numbers.count,
                   .result_count = b->results.count,
                   .turn_count = b->turns.count,
                   .target_count = targets};
        memcpy(s.part, parts, sizeof s.part);
        id = L->model->shapes.count;
        vec_push(L->arena, L->model->shapes, s);
        map_put(&L->shapes, key, id);
        return id;
    }
}

int elab_finish(elab *L, shape_kind kind, place at, const expr *parts, const int *targets, int target_count) {
    const builder *b = &L->builder;
    elab_spend(L, at, 10); // its rows in the tables
    L->turned = L->spent;
    int id = find_shape(L, kind, at, parts, target_count);
    shape *s = &L->model->shapes.at[id];
    for (int i = 0; i < b->slots.count; i++)
        vec_push(L->arena, s->slots, b->slots.at[i]);
    for (int i = 0; i < b->numbers.count; i++)
        vec_push(L->arena, s->numbers, b->numbers.at[i]);
    for (int i = 0; L->recipes && i < b->steps.count; i++)
        vec_push(L->arena, s->steps, b->steps.at[i]);
    for (int i = 0; i < b->results.count; i++)
        vec_push(L->arena, s->results, b->results.at[i]);
    for (int i = 0; i < b->turns.count; i++)
        vec_push(L->arena, s->turns, b->turns.at[i]);
    for (int i = 0; i < target_count; i++)
        vec_push(L->arena, s->targets, targets[i]);
    if (kind == SHAPE_ROW) {
        L->model->rows.at[targets[0]].shape = id;
        L->model->rows.at[targets[0]].instance = s->count;
    }
    s->count++;
    return id;
}

void shape_pins_numbers(const model *m, const shape *s, int instance) {
    for (int i = 0; s->steps.count && i < s->number_count; i++)
        recipe_pins(m->recipes, s->steps.at[instance * s->number_count + i], PIN_SAME);
}

/* Expressions over the slots of one element, moved to those of the element at hand. */
typedef struct {
    elab *elab;
    const int *slots;
    const double *numbers;
    const int *steps; // of these; NULL: nothing changes them
    const int *results, *turns;
} moving;

static expr put_slot(void *context, sym_kind kind, int index) {
    moving *from = context;
    elab *L = from->elab;
    switch (kind) {
    case SYM_P:
    case SYM_V:
    case SYM_A:
        return expr_symbol(L->pool, kind, elab_slot(L, from->slots[index]));
    case SYM_NUMBER:
        return elab_expr(L, (scalar){.known = true,
                                     .step = from->steps ? from->steps[index] : 0,
                                     .number = from->numbers[index]});
    case SYM_RESULT:
        return elab_result(L, L->model->results.at[from->results[index]]);
    case SYM_TURN:
        return elab_turn_symbol(L, from->turns[index]);
    default:
        return EXPR_NONE;
    }
}

expr elab_row_value(elab *L, int row) {
    const model_row *r = &L->model->rows.at[row];
    const shape *s = &L->model->shapes.at[r->shape];
    moving from = {.elab = L};
    if (s->slot_count)
        from.slots = s->slots.at + r->instance * s->slot_count;
    if (s->number_count)
        from.numbers = s->numbers.at + r->instance * s->number_count;
    if (s->steps.count)
        from.steps = s->steps.at + r->instance * s->number_count;
    if (s->turn_count)
        from.turns = s->turns.at + r->instance * s->turn_count;
    return expr_substitute(L->pool, s->part[PART_VALUE], put_slot, &from);
}

expr elab_only(elab *L, expr e) {
    builder all = L->builder;
    L->builder = (builder){0};
    elab_begin(L);
    moving from = {L, all.slots.at, all.numbers.at, all.steps.at, all.results.at, all.turns.at};
    return expr_substitute(L->pool, e, put_slot, &from);
}
