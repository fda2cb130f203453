#include "system/seen.h"

#include "system/natural.h"
#include "system/stages.h"

#include <string.h>

// ---- the numbers of a system

static size_t constants_size(const trm_system *s) {
    const model *m = s->model;
    size_t size = (size_t)m->params.count;
    for (int i = 0; i < m->shapes.count; i++)
        size += (size_t)m->shapes.at[i].numbers.count;
    return size;
}

// parameters, then the numbers of the instances
static double *constants_of(arena *a, const trm_system *s) {
    const model *m = s->model;
    double *out = arena_doubles(a, constants_size(s) + 1), *to = out;
    for (int i = 0; i < m->params.count; i++)
        *to++ = m->params.at[i].value;
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; k < m->shapes.at[i].numbers.count; k++)
            *to++ = m->shapes.at[i].numbers.at[k];
    return out;
}

static double *start_of(arena *a, const trm_system *s) {
    double *out = arena_doubles(a, 2 * (size_t)s->n + 2);
    for (int i = 0; i < s->n; i++) {
        out[i] = s->model->position.at[i].value;
        out[s->n + i] = s->model->velocity.at[i].value;
    }
    out[2 * s->n] = s->model->simulate.from;
    return out;
}

static bool same(const double *a, const double *b, size_t count) {
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

// ---- while it is compiled

system_seen *seen_new(trm_system *s, double span) {
    if (s->model->recipes == NULL)
        return NULL;
    system_seen *seen = arena_alloc(s->arena, sizeof *seen);
    seen->given_span = span;
    seen->simulate = s->model->simulate;
    seen->constants = constants_of(s->arena, s);
    seen->start = start_of(s->arena, s);
    return seen;
}

static bool rows_hold_numbers(const model *m) {
    const unsigned numbers = 1u << SYM_PARAM | 1u << SYM_NUMBER;
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; m->shapes.at[i].kind == SHAPE_ROW && k < SHAPE_PARTS; k++)
            if (m->shapes.at[i].part[k] && expr_kinds(m->pool, m->shapes.at[i].part[k]) & numbers)
                return true;
    return false;
}

void seen_repeats(trm_system *s, const mech_repeats *found) {
    if (s->seen == NULL || found == NULL || !rows_hold_numbers(s->model))
        return;
    mech_repeats *kept = arena_alloc(s->arena, sizeof *kept);
    *kept = *found;
    kept->of = arena_array(s->arena, int, found->rows + 1);
    kept->factor = arena_doubles(s->arena, (size_t)found->rows + 1);
    for (int i = 0; i < found->rows; i++) {
        kept->of[i] = found->of[i];
        kept->factor[i] = found->factor[i];
    }
    s->seen->repeats = kept;
}

void seen_added(trm_system *s, const expr_pool *pool, const direct_problem *p, const bool *added,
                bool possible) {
    system_seen *seen = s->seen;
    if (seen == NULL)
        return;
    arena *scratch = arena_child(s->arena);
    int masses = sparsity_entries(p->M_pattern), entries = sparsity_entries(p->A_pattern);
    expr *both = arena_array(scratch, expr, masses + entries + 1);
    for (int i = 0; i < masses; i++)
        both[i] = p->M[i];
    for (int i = 0; i < entries; i++)
        both[masses + i] = p->A[i];
    seen->added_by = written_new(s->arena, pool, both, masses + entries);
    seen->added_of = (direct_problem){.n = p->n, .M_pattern = p->M_pattern, .A_pattern = p->A_pattern};
    seen->added = added;
    seen->possible = possible;
    arena_free(scratch);
}

// ---- with other numbers

static bool same_natural(const natural *a, const natural *b, int n) {
    size_t count = (size_t)n;
    return same(a->scale, b->scale, count) && memcmp(a->why, b->why, count * sizeof *a->why) == 0 &&
           memcmp(a->row, b->row, count * sizeof *a->row) == 0 && same(&a->rate, &b->rate, 1) &&
           a->timed == b->timed && (a->units == NULL) == (b->units == NULL) &&
           (a->units == NULL || same(a->units, b->units, count));
}

static bool same_repeats(arena *scratch, const trm_system *s) {
    const mech_repeats *was = s->seen->repeats;
    if (was == NULL)
        return true;
    const mech_repeats *now = mech_find_repeats(scratch, s->model, s->mech);
    return memcmp(was->of, now->of, (size_t)was->rows * sizeof *was->of) == 0 &&
           same(was->factor, now->factor, (size_t)was->rows);
}

static bool same_added(arena *scratch, trm_system *s) {
    const system_seen *seen = s->seen;
    const direct_problem *p = &seen->added_of;
    if (seen->added_by == NULL)
        return true;
    int masses = sparsity_entries(p->M_pattern), entries = sparsity_entries(p->A_pattern);
    double *both = arena_doubles(scratch, (size_t)(masses + entries) + 1);
    bool possible;
    written_eval(scratch, seen->added_by, stages_some_value, s, both);
    const bool *added = direct_rows_by_numbers(scratch, p, both, both + masses, &possible);
    if (possible != seen->possible || (added == NULL) != (seen->added == NULL))
        return false;
    return added == NULL || memcmp(added, seen->added, (size_t)p->A_pattern.rows * sizeof *added) == 0;
}

static bool same_at_start(arena *scratch, const trm_system *s) {
    const system_seen *seen = s->seen;
    expr_pool *pool = s->model->pool;
    const double *y = stages_typed(scratch, s, pool);
    return same_natural(s->natural, natural_find(scratch, s, pool, y), s->n) &&
           (!seen->asked_dependent || stages_dependent(s, pool, y) == seen->dependent);
}

// what is expected of a run, beside natural scales
static bool same_run(const trm_system *s, double span, double every) {
    const model_simulate *was = &s->seen->simulate, *now = &s->model->simulate;
    double until = span > 0 ? span : now->until - now->from;
    return same(&s->span, &until, 1) && same(&s->every, &every, 1) && same(&was->every, &now->every, 1) &&
           same(&was->tolerance, &now->tolerance, 1);
}

static bool decided_alike(arena *scratch, trm_system *s, double span, double every) {
    const system_seen *seen = s->seen;
    size_t params = (size_t)s->model->params.count, all = constants_size(s);
    const double *now = constants_of(scratch, s);
    bool unmoved = same(seen->start, start_of(scratch, s), 2 * (size_t)s->n + 1);
    if (!same_run(s, span, every))
        return false;
    if (unmoved && same(seen->constants, now, all))
        return true;
    if (seen->everything || (seen->folds && !same(seen->constants + params, now + params, all - params)))
        return false;
    return same_repeats(scratch, s) && same_at_start(scratch, s) && same_added(scratch, s);
}

bool system_fits(trm_system *s, double span, double every) {
    arena *scratch = arena_child(s->arena);
    bool fits = decided_alike(scratch, s, span, every);
    for (int i = 0; i < 2 && fits; i++)
        fits = s->starting[i] == NULL || system_fits((trm_system *)s->starting[i], span, every);
    arena_free(scratch);
    return fits;
}
