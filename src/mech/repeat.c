/* Repeated rows: each row's residual is evaluated at two random points in each of two finite fields
 * (expr/residue.h). The values of proportional rows have the same ratio between the points of a field. These
 * ratios, together with what else must agree, are the key of a hash table; the first row with a key is the
 * one that later ones repeat. The plan of an evaluation is made per shape, so that a row costs a walk over
 * its shape's operations and a look-up: 0.4 us for a link of a chain.
 *
 * A factor is known as an element of the fields at first. Its double is the one near a numerical estimate
 * that is this element, so that 2 is 2 and a parameter is that parameter. */
#include "mech/repeat.h"

#include "expr/residue.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 128 };       // rows whose ratios are divided together
enum { GUESSES = 9 };       // points at which a factor is estimated
enum { NEAR = 8 };          // last digits by which an estimate may be off
enum { DENOMINATORS = 64 }; // of factors that are tried as fractions

/* What proportional rows have in common, and the value in which they differ. */
typedef struct {
    uint64_t key[2]; // both 0: the row repeats none
    residue value;
} fingerprint;

typedef struct {
    arena *arena; // scratch
    const model *model;
    const mech *mech;
    fingerprint *prints; // (rows)
    int *table, mask;    // row + 1, or 0; open addressing
    long compared;       // keys, so far
    map factors;         // of residues met
    vec(double) values;
    residue last; // the factor met last, which the next row often has too, and its value
    double last_value;
} search;

/* One row. */
typedef struct {
    const model *model;
    const shape *shape;
    int instance;
    int point; // of a numerical estimate
} element;

static int slot_of(const element *e, int slot) {
    return e->shape->slots.at[(size_t)e->instance * (size_t)e->shape->slot_count + (size_t)slot];
}

static double number_of(const element *e, int index) {
    return e->shape->numbers.at[(size_t)e->instance * (size_t)e->shape->number_count + (size_t)index];
}

// what a symbol stands for, as a number that tells it from all others
static uint64_t identity(const element *e, sym_kind kind, int index) {
    if (kind == SYM_P || kind == SYM_V || kind == SYM_A)
        index = slot_of(e, index);
    else if (kind == SYM_RESULT)
        index = e->shape->results.at[(size_t)e->instance * (size_t)e->shape->result_count + (size_t)index];
    return (uint64_t)index * SYM_KINDS + kind;
}

static bool get_residue(void *context, sym_kind kind, int index, residue *out) {
    const element *e = context;
    if (kind == SYM_NUMBER)
        return residue_number(number_of(e, index), out);
    if (kind == SYM_PARAM)
        return residue_number(e->model->params.at[index].value, out);
    *out = residue_random(identity(e, kind, index));
    return true;
}

// ---- fingerprints

typedef struct {
    residue_plan *plan;
    int parts[RESIDUE_ROOTS_MOST]; // PART_*, of the roots
    int count;
    uint64_t level;
} row_plan;

// false if rows of this shape repeat none
static bool plan_rows(search *s, int number, arena *scratch, row_plan *out) {
    const shape *of = &s->model->shapes.at[number];
    const mech_shape *derived = &s->mech->shapes[number];
    *out = (row_plan){.level = derived->level};
    if (of->kind != SHAPE_ROW || derived->weighted)
        return false;
    expr roots[RESIDUE_ROOTS_MOST];
    for (int part = PART_VALUE; part <= PART_STIFFNESS; part++)
        if (of->part[part] != EXPR_NONE) {
            roots[out->count] = of->part[part];
            out->parts[out->count++] = part;
        }
    element e = {.model = s->model, .shape = of};
    unsigned fixed = 1u << SYM_PARAM | 1u << SYM_TIME;
    out->plan = residue_plan_new(scratch, s->model->pool, roots, out->count, fixed, get_residue, &e);
    return out->plan != NULL;
}

// what must agree beside the proportions of the residual
static uint64_t kind_of(const search *s, const row_plan *plan, int row, const residue *parts,
                        uint64_t domain) {
    bool control = s->model->constraints.at[s->model->rows.at[row].constraint].control;
    bool stick = s->model->constraints.at[s->model->rows.at[row].constraint].stick; // it comes and goes
    uint64_t hash = map_mix(map_mix(map_mix(domain, plan->level), control), stick ? (uint64_t)row + 1 : 0);
    for (int i = 1; i < plan->count; i++) {
        hash = map_mix(hash, (uint64_t)plan->parts[i]);
        for (int k = 0; k < RESIDUE_LANES; k++)
            hash = map_mix(hash, parts[i].at[k]);
    }
    return hash;
}

static void print_block(search *s, const row_plan *plan, element *e, int count) {
    residue values[BLOCK];
    uint64_t kinds[BLOCK];
    residue_direction directions[BLOCK];
    int first = e->instance;
    for (int i = 0; i < count; i++) {
        residue parts[RESIDUE_ROOTS_MOST];
        uint64_t domain;
        e->instance = first + i;
        bool fit = residue_run(plan->plan, get_residue, e, parts, &domain);
        values[i] = fit ? parts[0] : (residue){0};
        kinds[i] = fit ? kind_of(s, plan, e->shape->targets.at[first + i], parts, domain) : 0;
    }
    residue_directions(count, values, directions);
    for (int i = 0; i < count; i++) {
        fingerprint *p = &s->prints[e->shape->targets.at[first + i]];
        p->value = values[i];
        for (int k = 0; k < 2 && directions[i].at[k] != 0; k++)
            p->key[k] = map_mix(map_mix(k, directions[i].at[k]), kinds[i]);
    }
}

static void print_shape(search *s, int number) {
    arena *scratch = arena_child(s->arena);
    row_plan plan;
    if (plan_rows(s, number, scratch, &plan)) {
        element e = {.model = s->model, .shape = &s->model->shapes.at[number]};
        for (int first = 0; first < e.shape->count; first += BLOCK) {
            int left = e.shape->count - first;
            e.instance = first;
            print_block(s, &plan, &e, left < BLOCK ? left : BLOCK);
        }
    }
    arena_free(scratch);
}

// ---- factors

static double get_number(void *context, sym_kind kind, int index) {
    const element *e = context;
    if (kind == SYM_NUMBER)
        return number_of(e, index);
    if (kind == SYM_PARAM)
        return e->model->params.at[index].value;
    uint64_t random = map_mix(map_mix((uint64_t)e->point, identity(e, kind, index)), 1);
    return (double)((random >> 11) + 1) * 0x1p-53; // 0 < x <= 1
}

static double value_at(const search *s, int row, int point) {
    const model_row *r = &s->model->rows.at[row];
    element e = {s->model, &s->model->shapes.at[r->shape], r->instance, point};
    return expr_eval(s->model->pool, e.shape->part[PART_VALUE], get_number, &e);
}

static bool is_residue(double value, residue c) {
    residue r;
    return residue_number(value, &r) && residue_same(r, c);
}

static bool is_inverse(double value, residue c) {
    residue r;
    return residue_number(value, &r) && residue_same(residue_times(r, c), (residue){{1, 1, 1, 1}});
}

static bool is_quotient(double above, double below, residue c) {
    residue r;
    return residue_number(below, &r) && is_residue(above, residue_times(r, c));
}

/* The double that is c, or nearest to it, among those near the guess: a fraction of small numbers, a double,
 * or the inverse of one. 0 if it is none of these. */
static double exact_near(double guess, residue c) {
    for (int below = 1; below <= DENOMINATORS; below++)
        if (is_quotient(round(guess * below), below, c))
            return round(guess * below) / below;
    double up = guess, down = guess, over_up = 1 / guess, over_down = 1 / guess;
    for (int i = 0; i <= NEAR; i++) {
        if (is_residue(up, c) || is_residue(down, c))
            return is_residue(up, c) ? up : down;
        if (is_inverse(over_up, c) || is_inverse(over_down, c))
            return 1 / (is_inverse(over_up, c) ? over_up : over_down);
        up = nextafter(up, INFINITY);
        down = nextafter(down, -INFINITY);
        over_up = nextafter(over_up, INFINITY);
        over_down = nextafter(over_down, -INFINITY);
    }
    return 0;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// c = row / other as a double; 0 if none can be found
static double estimate(const search *s, int row, int other, residue c) {
    double guesses[GUESSES];
    int count = 0;
    for (int point = 0; point < 4 * GUESSES && count < GUESSES; point++) {
        double guess = value_at(s, row, point) / value_at(s, other, point);
        if (!isnormal(guess))
            continue;
        double exact = exact_near(guess, c);
        if (exact != 0)
            return exact;
        guesses[count++] = guess;
    }
    qsort(guesses, (size_t)count, sizeof *guesses, ascending);
    return count ? guesses[count / 2] : 0; // the one in the middle: some suffer from cancellation
}

static double factor_of(search *s, int row, int other) {
    residue u = s->prints[row].value, v = s->prints[other].value, c;
    if (residue_same(u, v))
        return 1;
    if (residue_same(u, residue_negative(v)))
        return -1;
    if (residue_same(u, residue_times(v, s->last)))
        return s->last_value; // spares the division
    if (!residue_over(u, v, &c))
        return 0;
    uint64_t key = map_mix(map_mix(0, c.at[0]), c.at[2]);
    int known = map_get(&s->factors, key);
    if (known < 0) {
        known = s->values.count;
        vec_push(s->arena, s->values, estimate(s, row, other, c));
        map_put(&s->factors, key, known);
    }
    s->last = c;
    s->last_value = s->values.at[known];
    return s->last_value;
}

// ---- the search

// the first row with the key of this one, which it may be itself
static int first_like(search *s, int row) {
    const uint64_t *key = s->prints[row].key;
    int at = (int)(key[0] & (uint64_t)s->mask);
    for (; s->table[at]; at = (at + 1) & s->mask) {
        const uint64_t *other = s->prints[s->table[at] - 1].key;
        s->compared++;
        if (other[0] == key[0] && other[1] == key[1])
            return s->table[at] - 1;
    }
    s->table[at] = row + 1;
    return row;
}

mech_repeats *mech_find_repeats(arena *a, const model *m, const mech *derived) {
    int rows = m->rows.count;
    mech_repeats *out = arena_alloc(a, sizeof *out);
    out->rows = rows;
    out->of = arena_array(a, int, rows);
    out->factor = arena_array(a, double, rows);
    search s = {.arena = arena_child(a), .model = m, .mech = derived, .mask = 15};
    while (s.mask < 2 * rows)
        s.mask = 2 * s.mask + 1;
    s.table = arena_array(s.arena, int, s.mask + 1);
    s.prints = arena_array(s.arena, fingerprint, rows);
    map_init(&s.factors, s.arena);
    for (int i = 0; i < m->shapes.count; i++)
        print_shape(&s, i);
    for (int row = 0; row < rows; row++) {
        int first = s.prints[row].key[0] ? first_like(&s, row) : row;
        double factor = first == row ? 1 : factor_of(&s, row, first);
        bool repeats = first != row && factor != 0;
        out->of[row] = repeats ? first : -1;
        out->factor[row] = repeats ? factor : 1;
        out->count += repeats;
    }
    out->compared = s.compared;
    arena_free(s.arena);
    return out;
}
