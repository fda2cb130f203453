/* Energies that speak of the same coordinates become one. The links of a chain in angles have energies of
 * 1, 2, ... n coordinates: each would give its own part of M, n^3/3 entries together, and what they share,
 * the motion of the links before, would be derived again with each. An element joins a larger one whose
 * coordinates include its own, and the sum of a group takes their place where it has many fewer entries.
 *
 * Equal numbers of a group are one slot, so that what was equal in the text is so in the sum. */
#include "mech/derive.h"

#include <stdlib.h>
#include <string.h>

/* Elements of one coordinate stay, and shapes of many instances: they run side by side. A sum must save at
 * least every other entry. Of the groups that have a coordinate, the last are looked at. */
enum { SLOTS_LEAST = 2, INSTANCES_MOST = 100, SAVES = 2, LOOKED_AT = 8 };

typedef struct {
    int shape, instance;
    int group; // -1: none
} part;

typedef struct {
    int first;       // part, whose slots are those of the group
    vec(int) parts;  // as they stand in the model
    long long apart; // entries of its parts, each for itself
    bool made;
} group;

typedef struct {
    vec(int) list;
} groups_of;

typedef struct {
    arena *scratch, *arena;
    model *model;
    shape_kind kind;
    vec(part) parts;
    vec(group) groups;
    groups_of *at; // by coordinate
    map slot;      // group and coordinate -> slot
} joining;

// ---- groups

static const int *slots_of(const joining *j, const part *p) {
    const shape *s = &j->model->shapes.at[p->shape];
    return s->slots.at + (size_t)p->instance * (size_t)s->slot_count;
}

static int slot_count(const joining *j, const part *p) {
    return j->model->shapes.at[p->shape].slot_count;
}

static long long entries(const joining *j, const part *p) {
    long long k = slot_count(j, p);
    return j->kind == SHAPE_KINETIC ? k * k : k;
}

static uint64_t slot_key(int of, int coordinate) {
    return (uint64_t)of << 32 | (uint32_t)coordinate;
}

static bool includes(const joining *j, int which, const part *p) {
    const int *slots = slots_of(j, p);
    for (int i = 0; i < slot_count(j, p); i++)
        if (map_get(&j->slot, slot_key(which, slots[i])) < 0)
            return false;
    return true;
}

static int find_group(const joining *j, const part *p) {
    const groups_of *near = &j->at[slots_of(j, p)[0]];
    int least = near->list.count > LOOKED_AT ? near->list.count - LOOKED_AT : 0;
    for (int i = near->list.count - 1; i >= least; i--)
        if (includes(j, near->list.at[i], p))
            return near->list.at[i];
    return -1;
}

static void put_in_group(joining *j, int which) {
    part *p = &j->parts.at[which];
    p->group = find_group(j, p);
    if (p->group < 0) {
        p->group = j->groups.count;
        vec_push(j->scratch, j->groups, ((group){.first = which}));
        for (int i = 0; i < slot_count(j, p); i++) {
            map_put(&j->slot, slot_key(p->group, slots_of(j, p)[i]), i);
            vec_push(j->scratch, j->at[slots_of(j, p)[i]].list, p->group);
        }
    }
}

// the larger ones first, and else as they stand in the model
static void find_groups(joining *j) {
    int most = 0;
    for (int i = 0; i < j->parts.count; i++)
        most = slot_count(j, &j->parts.at[i]) > most ? slot_count(j, &j->parts.at[i]) : most;
    int *start = arena_array(j->scratch, int, most + 2),
        *order = arena_array(j->scratch, int, j->parts.count + 1);
    for (int i = 0; i < j->parts.count; i++)
        start[most - slot_count(j, &j->parts.at[i]) + 1]++;
    for (int k = 0; k <= most; k++)
        start[k + 1] += start[k];
    for (int i = 0; i < j->parts.count; i++)
        order[start[most - slot_count(j, &j->parts.at[i])]++] = i;
    for (int i = 0; i < j->parts.count; i++)
        put_in_group(j, order[i]);
    for (int i = 0; i < j->parts.count; i++) {
        group *g = &j->groups.at[j->parts.at[i].group];
        vec_push(j->scratch, g->parts, i);
        g->apart += entries(j, &j->parts.at[i]);
    }
    for (int i = 0; i < j->groups.count; i++) {
        group *g = &j->groups.at[i];
        g->made = g->parts.count > 1 && g->apart >= SAVES * entries(j, &j->parts.at[g->first]);
    }
}

// ---- sums

typedef struct {
    joining *j;
    const part *p;
    shape *to;
    map *numbers; // by their bits: slot
} moving;

static expr put_in_sum(void *context, sym_kind kind, int index) {
    moving *m = context;
    expr_pool *pool = m->j->model->pool;
    if (kind == SYM_P || kind == SYM_V)
        return expr_symbol(pool, kind,
                           map_get(&m->j->slot, slot_key(m->p->group, slots_of(m->j, m->p)[index])));
    if (kind != SYM_NUMBER)
        return EXPR_NONE;
    const shape *from = &m->j->model->shapes.at[m->p->shape];
    double number = from->numbers.at[(size_t)m->p->instance * (size_t)from->number_count + (size_t)index];
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int known = map_get(m->numbers, bits);
    if (known < 0) {
        known = m->to->numbers.count;
        vec_push(m->j->arena, m->to->numbers, number);
        map_put(m->numbers, bits, known);
    }
    return expr_symbol(pool, SYM_NUMBER, known);
}

static shape sum_of(joining *j, const group *g) {
    const part *first = &j->parts.at[g->first];
    shape sum = {.kind = j->kind, .slot_count = slot_count(j, first), .count = 1};
    map numbers;
    map_init(&numbers, j->scratch);
    for (int i = 0; i < sum.slot_count; i++)
        vec_push(j->arena, sum.slots, slots_of(j, first)[i]);
    for (int i = 0; i < g->parts.count; i++) {
        const part *p = &j->parts.at[g->parts.at[i]];
        const shape *from = &j->model->shapes.at[p->shape];
        shape_pins_numbers(j->model, from, p->instance); // which of them are equal decides
        moving m = {j, p, &sum, &numbers};
        expr e = expr_substitute(j->model->pool, from->part[PART_VALUE], put_in_sum, &m);
        sum.at = sum.part[PART_VALUE] ? sum.at : from->at;
        sum.part[PART_VALUE] =
            sum.part[PART_VALUE] ? expr_op2(j->model->pool, OP_ADD, sum.part[PART_VALUE], e) : e;
    }
    sum.number_count = sum.numbers.count;
    return sum;
}

// as one more instance where there is such a shape
static void add_shape(joining *j, const shape *sum, map *known) {
    uint64_t key =
        map_mix(map_mix(sum->part[PART_VALUE], (uint64_t)sum->slot_count), (uint64_t)sum->number_count);
    int id = map_get(known, key);
    shape *s = id < 0 ? NULL : &j->model->shapes.at[id];
    if (s == NULL || s->part[PART_VALUE] != sum->part[PART_VALUE] || s->slot_count != sum->slot_count ||
        s->number_count != sum->number_count) {
        map_put(known, key, j->model->shapes.count);
        vec_push(j->arena, j->model->shapes, *sum);
        return;
    }
    for (int i = 0; i < sum->slot_count; i++)
        vec_push(j->arena, s->slots, sum->slots.at[i]);
    for (int i = 0; i < sum->number_count; i++)
        vec_push(j->arena, s->numbers, sum->numbers.at[i]);
    s->count++;
}

// ---- the model without the parts of sums

static void remove_instance(shape *s, int instance) {
    int last = --s->count; // the last takes its place
    memmove(s->slots.at + instance * s->slot_count, s->slots.at + last * s->slot_count,
            (size_t)s->slot_count * sizeof(int));
    if (s->number_count)
        memmove(s->numbers.at + instance * s->number_count, s->numbers.at + last * s->number_count,
                (size_t)s->number_count * sizeof(double));
    if (s->steps.count)
        memmove(s->steps.at + instance * s->number_count, s->steps.at + last * s->number_count,
                (size_t)s->number_count * sizeof(int));
    s->slots.count -= s->slot_count;
    s->numbers.count -= s->number_count;
    s->steps.count -= s->steps.count ? s->number_count : 0;
}

static void drop_empty(model *m, arena *scratch) {
    int *to = arena_array(scratch, int, m->shapes.count + 1), kept = 0;
    for (int i = 0; i < m->shapes.count; i++) {
        to[i] = kept;
        if (m->shapes.at[i].count)
            m->shapes.at[kept++] = m->shapes.at[i];
    }
    m->shapes.count = kept;
    for (int i = 0; i < m->rows.count; i++)
        m->rows.at[i].shape = to[m->rows.at[i].shape];
}

// ---- all of a kind

/* Where a message would speak of the one statement, it stays alone: no derivative, no polynomial in the
 * velocities, what switches. */
static bool may_join(const joining *j, const shape *s) {
    const expr_pool *pool = j->model->pool;
    if (s->kind != j->kind || s->slot_count < SLOTS_LEAST || s->count > INSTANCES_MOST || s->result_count ||
        s->turn_count || expr_has(pool, s->part[PART_VALUE], SYM_TIME))
        return false;
    int degree = s->kind == SHAPE_KINETIC ? expr_degree(pool, s->part[PART_VALUE], SYM_V) : 0;
    arena *scratch = arena_child(j->scratch);
    expr *order;
    int count = expr_order(pool, &s->part[PART_VALUE], 1, scratch, &order);
    bool smooth = degree == 2 || s->kind != SHAPE_KINETIC;
    for (int i = 0; i < count && smooth; i++)
        smooth = !derive_is_decided(expr_op(pool, order[i]));
    arena_free(scratch);
    return smooth;
}

static bool join_kind(arena *a, model *m, shape_kind kind) {
    joining j = {.scratch = arena_child(a), .arena = a, .model = m, .kind = kind};
    bool any = false;
    map known;
    map_init(&known, j.scratch);
    map_init(&j.slot, j.scratch);
    j.at = arena_array(j.scratch, groups_of, m->coords.count + 1);
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; k < m->shapes.at[i].count && may_join(&j, &m->shapes.at[i]); k++)
            vec_push(j.scratch, j.parts, ((part){i, k, -1}));
    find_groups(&j);
    for (int i = 0; i < j.groups.count; i++)
        if (j.groups.at[i].made) {
            shape sum = sum_of(&j, &j.groups.at[i]);
            add_shape(&j, &sum, &known);
            any = true;
        }
    for (int i = j.parts.count - 1; i >= 0; i--) // the last instance of a shape first
        if (j.groups.at[j.parts.at[i].group].made)
            remove_instance(&m->shapes.at[j.parts.at[i].shape], j.parts.at[i].instance);
    arena_free(j.scratch);
    return any;
}

void derive_join(arena *a, model *m) {
    bool any = join_kind(a, m, SHAPE_KINETIC);
    any |= join_kind(a, m, SHAPE_POTENTIAL);
    if (any) {
        arena *scratch = arena_child(a);
        drop_empty(m, scratch);
        arena_free(scratch);
    }
}
