/* Four coordinates whose norm a row holds: the gradient of the row has their direction, dphi/dp_k = c p_k
 * with the same factor c(p) for all four, as it is of p . p - 1, |p| - R or any function of p . p. That is
 * decided by exact arithmetic in finite fields (expr/residue.h), dphi/dp_k p_0 = dphi/dp_0 p_k, so that it
 * does not matter how a row is written. Parameters count with their values. */
#include "mech/derive.h"

#include "expr/residue.h"

enum { FOUR = 4 };

typedef struct {
    const model *model;
    const shape *shape;
    int instance;
} element;

static bool get(void *context, sym_kind kind, int index, residue *out) {
    const element *e = context;
    if (kind == SYM_PARAM)
        return residue_number(e->model->params.at[index].value, out);
    if (kind == SYM_NUMBER)
        return residue_number(e->shape->numbers.at[e->instance * e->shape->number_count + index], out);
    *out = residue_random((uint64_t)index);
    return true;
}

// dphi/dp of the slots, functions of p alone; false if they are not, or one is missing
static bool find_slopes(const expr_pool *pool, const mech_shape *row, expr *slope) {
    const unsigned known = 1u << SYM_P | 1u << SYM_PARAM | 1u << SYM_NUMBER;
    int count = 0;
    for (int i = 0; i < row->entries.count; i++) {
        const mech_entry *e = &row->entries.at[i];
        if (e->quantity != MECH_A)
            continue;
        if (expr_kinds(pool, e->e) & ~known)
            return false;
        slope[e->i] = e->e;
        count++;
    }
    return count == FOUR;
}

static bool holds_norm(residue_plan *plan, element *e) {
    residue slope[FOUR], first = residue_random(0);
    uint64_t domain;
    if (!residue_run(plan, get, e, slope, &domain) || residue_same(slope[0], (residue){0}))
        return false;
    for (int k = 1; k < FOUR; k++)
        if (!residue_same(residue_times(slope[k], first),
                          residue_times(slope[0], residue_random((uint64_t)k))))
            return false;
    return true;
}

// the least of four coordinates in a row, in any order, that are in no other quaternion; -1 if they are not
static int first_of(const int *slots, const bool *taken) {
    int least = slots[0], most = slots[0];
    for (int k = 0; k < FOUR; k++) {
        least = slots[k] < least ? slots[k] : least;
        most = slots[k] > most ? slots[k] : most;
        if (taken[slots[k]])
            return -1;
    }
    return most - least == FOUR - 1 ? least : -1; // no slot is there twice
}

static bool may_hold(const mech *m, int number, expr *slope) {
    const shape *s = &m->model->shapes.at[number];
    const mech_shape *row = &m->shapes[number];
    return s->kind == SHAPE_ROW && s->slot_count == FOUR && row->level == ROW_HOLONOMIC && !row->damped &&
           !row->weighted && find_slopes(m->model->pool, row, slope);
}

bool derive_norms_hold_numbers(const mech *m) {
    expr slope[FOUR];
    for (int i = 0; i < m->model->shapes.count; i++)
        for (int k = 0; k < FOUR && may_hold(m, i, slope); k++)
            if (expr_kinds(m->model->pool, slope[k]) & (1u << SYM_PARAM | 1u << SYM_NUMBER))
                return true;
    return false;
}

static void search_shape(mech *m, arena *a, int number, bool *taken) {
    const shape *s = &m->model->shapes.at[number];
    element e = {m->model, s, 0};
    expr slope[FOUR];
    if (!may_hold(m, number, slope))
        return;
    arena *scratch = arena_child(a);
    residue_plan *plan = residue_plan_new(scratch, m->model->pool, slope, FOUR, 1u << SYM_PARAM, get, &e);
    for (; plan && e.instance < s->count && holds_norm(plan, &e); e.instance++) {
        int first = first_of(s->slots.at + e.instance * FOUR, taken);
        for (int k = 0; first >= 0 && k < FOUR; k++)
            taken[first + k] = true;
        if (first >= 0)
            vec_push(a, m->quaternions, ((mech_quaternion){first, s->targets.at[e.instance]}));
    }
    arena_free(scratch);
}

void derive_quaternions(arena *a, mech *m) {
    arena *scratch = arena_child(a);
    bool *taken = arena_array(scratch, bool, m->model->coords.count + 1);
    for (int i = 0; i < m->model->shapes.count; i++)
        search_shape(m, a, i, taken);
    arena_free(scratch);
}
