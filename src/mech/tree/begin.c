/* The start of bodies by the start of their joints. A tree is spanned in which joints with initial values
 * come first; its coordinates at the typed places are taken, those values put in, and the bodies follow. What
 * hangs together with such joints, by whatever rows, is then a guess: where loops are closed, assembly moves
 * it. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-13; // of coordinates that were led to the joints and back

typedef struct {
    model *m;
    arena *scratch;
    mech_tree *t;
    mech_parts *parts;
    int *group;         // (coordinates) union of those that rows connect
    bool *moved, *sped; // (coordinates) of the last of a group: positions of joints are given in it, rates
    double *q, *v;      // at the typed places
    double length;      // how large positions are
    double *at, *rate;  // with the joints at their values
} beginning;

// ---- what hangs together

static int group_of(beginning *b, int i) {
    while (b->group[i] != i)
        i = b->group[i] = b->group[b->group[i]];
    return i;
}

static void join(beginning *b, const shape *s, int instance) {
    const int *slots = s->slots.at + (size_t)instance * (size_t)s->slot_count;
    for (int k = 1; k < s->slot_count; k++)
        b->group[group_of(b, slots[k])] = group_of(b, slots[0]);
}

static void find_groups(beginning *b) {
    b->group = arena_array(b->scratch, int, b->m->coords.count + 1);
    for (int i = 0; i < b->m->coords.count; i++)
        b->group[i] = i;
    for (int i = 0; i < b->m->shapes.count; i++) {
        const shape *s = &b->m->shapes.at[i];
        for (int k = 0; (s->kind == SHAPE_ROW || s->kind == SHAPE_BEGIN) && k < s->count; k++)
            join(b, s, k);
    }
    b->moved = arena_array(b->scratch, bool, b->m->coords.count + 1);
    b->sped = arena_array(b->scratch, bool, b->m->coords.count + 1);
    for (int i = 0; i < b->m->shapes.count; i++) {
        const shape *s = &b->m->shapes.at[i];
        for (int k = 0; s->kind == SHAPE_BEGIN && k < s->count; k++)
            (b->m->begins.at[s->targets.at[k]].label.rate
                 ? b->sped
                 : b->moved)[group_of(b, s->slots.at[k * s->slot_count])] = true;
    }
}

// ---- numbers

// what was typed, with the velocities of quaternions that follow from angular velocities
static void take_typed(beginning *b) {
    const model *m = b->m;
    for (int i = 0; i < m->coords.count; i++) {
        b->q[i] = m->position.at[i].value;
        b->v[i] = m->velocity.at[i].value;
    }
    for (int i = 0; i < m->spins.count; i++) {
        const double *w = m->spins.at[i].omega;
        quaternion p, rate;
        memcpy(&p, b->q + m->spins.at[i].first, sizeof p);
        rate = rotation_product(p, (quaternion){0, w[0] / 2, w[1] / 2, w[2] / 2});
        memcpy(b->v + m->spins.at[i].first, &rate, sizeof rate);
    }
}

static void put_values(const mech_tree *t, double part, double *u, double *s) {
    const model *m = t->full->model;
    for (int i = 0; i < m->begins.count; i++) {
        const model_begin *one = &m->begins.at[i];
        tree_freedom f;
        if (tree_freedom_of(t, one->part, one->turn, one->freedom, &f))
            (one->label.rate ? s : u)[f.rate[0]] = part * f.factor[0] * one->given.value;
    }
}

static void move(beginning *b) {
    double *u = arena_doubles(b->scratch, (size_t)b->t->n + 1),
           *s = arena_doubles(b->scratch, (size_t)b->t->n + 1);
    mech_tree_lower(b->t, b->q, b->v, u, s);
    put_values(b->t, 1, u, s);
    mech_tree_raise(b->t, u, s, b->at, b->rate);
}

static mech_tree *span(beginning *b) {
    mech_tree *t = arena_alloc(b->m->arena, sizeof *t);
    mech *full = arena_alloc(b->m->arena, sizeof *full);
    int last = 0;
    for (int i = 0; i < b->parts->joints.count; i++)
        last = b->parts->joints.at[i]->part > last ? b->parts->joints.at[i]->part : last;
    bool *first = arena_array(b->m->arena, bool, last + 1);
    for (int i = 0; i < b->m->begins.count; i++)
        first[b->m->begins.at[i].part] = true;
    full->model = b->m;
    *t = (mech_tree){
        .arena = b->m->arena, .pool = b->m->pool, .full = full, .parts = b->parts, .first = first};
    tree_span(t);
    return t;
}

// ---- what becomes of the initial values

// the coordinates of a body, one behind the other
static int coordinates_of(const body *b, int *count) {
    int first = b->position >= 0 ? b->position : b->rotation;
    *count = b->rotation + (b->planar ? 1 : 4) - first;
    return first;
}

// whether joints leave a coordinate of the body where it is, to what is rounded on the way to them and back
static bool stays(const beginning *b, const body *on, int i) {
    bool length = on->position >= 0 && i < on->rotation;
    return fabs(b->at[i] - b->q[i]) <= ROUNDING * (length ? b->length : 1 + fabs(b->q[i]));
}

static bool all_stay(const beginning *b, const body *on) {
    int count, first = coordinates_of(on, &count);
    for (int i = first; i < first + count; i++)
        if (!stays(b, on, i))
            return false;
    return true;
}

// its place is given twice: by itself and by a joint that it hangs on
static bool is_told_twice(beginning *b, const body *on) {
    int count, first = coordinates_of(on, &count);
    const model_initial *told = NULL;
    for (int i = first; i < first + count; i++)
        if (!told && b->m->position.at[i].stated && b->m->position.at[i].kind == INITIAL_EXACT)
            told = &b->m->position.at[i];
    if (told == NULL || all_stay(b, on))
        return false;
    diag *d = diag_error(&b->m->diags, told->at,
                         "initial values of joints move this body, so it can have none of its own");
    diag_other(d, b->m->begins.at[0].given.at, "one of a joint is here");
    d->hint = "give them by joints alone, or as a guess with '~'";
    return true;
}

static void put(model_initial *to, double number) {
    to->value = number;
    to->kind = INITIAL_GUESS;
}

static void put_spin(beginning *b, const body *on) {
    model *m = b->m;
    quaternion p, rate;
    memcpy(&p, b->at + on->rotation, sizeof p);
    memcpy(&rate, b->rate + on->rotation, sizeof rate);
    quaternion w = rotation_product(rotation_inverse(p), rate);
    model_spin spin = {on->rotation, {2 * w.x, 2 * w.y, 2 * w.z}};
    for (int i = 0; i < m->spins.count; i++)
        if (m->spins.at[i].first == on->rotation) {
            m->spins.at[i] = spin;
            return;
        }
    vec_push(m->arena, m->spins, spin);
}

// exact velocities stay
static void put_velocities(beginning *b, const body *on) {
    int size = on->planar ? 2 : 3, turns = on->planar ? 1 : 4;
    model_initial *turn = b->m->velocity.at + on->rotation;
    for (int k = 0; on->position >= 0 && k < size; k++)
        if (b->m->velocity.at[on->position + k].kind != INITIAL_EXACT)
            put(&b->m->velocity.at[on->position + k], b->rate[on->position + k]);
    bool exact = false;
    for (int k = 0; k < turns; k++)
        exact |= turn[k].kind == INITIAL_EXACT;
    for (int k = 0; !exact && k < turns; k++)
        put(&turn[k], b->rate[on->rotation + k]);
    if (!exact && !on->planar)
        put_spin(b, on);
}

static void put_body(beginning *b, int number) {
    const body *on = &b->parts->bodies.at[number];
    int group = on->rotation < 0 ? -1 : group_of(b, on->rotation);
    if (group < 0 || !(b->moved[group] || b->sped[group]) || (b->moved[group] && is_told_twice(b, on)))
        return;
    int count, first = coordinates_of(on, &count);
    for (int i = first; b->moved[group] && i < first + count; i++)
        put(&b->m->position.at[i], stays(b, on, i) ? b->q[i] : b->at[i]);
    put_velocities(b, on);
}

void mech_tree_begin(model *m) {
    size_t n = (size_t)m->coords.count + 1;
    if (m->begins.count == 0 || m->diags.errors)
        return;
    beginning b = {.m = m, .scratch = arena_child(m->arena), .parts = (mech_parts *)m->extension};
    b.q = arena_doubles(m->arena, n);
    b.v = arena_doubles(b.scratch, n);
    b.at = arena_doubles(b.scratch, n);
    b.rate = arena_doubles(b.scratch, n);
    take_typed(&b);
    b.parts->typed = b.q;
    b.length = b.parts->levers ? b.parts->lever / b.parts->levers : 0;
    for (int i = 0; i < b.parts->bodies.count; i++)
        for (int k = b.parts->bodies.at[i].position; k >= 0 && k < b.parts->bodies.at[i].rotation; k++)
            b.length = fmax(b.length, fabs(b.q[k]));
    b.parts->begin = b.t = span(&b);
    find_groups(&b);
    move(&b);
    for (int i = 0; i < b.parts->bodies.count; i++)
        put_body(&b, i);
    arena_free(b.scratch);
}

// ---- on the way there

static const mech_parts *parts_with(const model *m) {
    return m->extension;
}

const double *mech_tree_typed(const model *m) {
    return parts_with(m)->typed;
}

double mech_tree_begin_size(const model *m) {
    const mech_parts *p = parts_with(m);
    double most = 0, length = p->lever > 0 ? p->lever / p->levers : 1;
    for (int i = 0; i < m->begins.count; i++) {
        const model_begin *b = &m->begins.at[i];
        if (!b->label.rate)
            most = fmax(most, fabs(b->given.value) / (b->turn ? 1 : length));
    }
    return most;
}

void mech_tree_begin_part(arena *work, const model *m, double part, double *q) {
    mech_tree own = *parts_with(m)->begin, *t = &own;
    arena *scratch = own.arena = arena_child(work);
    double *v = arena_doubles(scratch, (size_t)m->coords.count + 1),
           *u = arena_doubles(scratch, (size_t)t->n + 1), *s = arena_doubles(scratch, (size_t)t->n + 1);
    mech_tree_lower(t, q, v, u, s);
    put_values(t, part, u, s);
    mech_tree_raise(t, u, s, q, v);
    arena_free(scratch);
}
