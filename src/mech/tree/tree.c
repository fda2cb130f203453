/* The tree form of a model, if it can have one: coordinates, their start, rows; then its elements. */
#include "mech/tree/tree_inside.h"

#include <math.h>
#include <string.h>

// ---- whether there is one

static const char *find_reason(const mech *full) {
    if (!mech_has_bodies(full->model))
        return "there are no bodies";
    if (full->model->supplies.count)
        return "functions in C know the coordinates of bodies";
    return NULL;
}

// ---- what all bodies fall by

static double constant(void *context, sym_kind kind, int index) {
    const void *const *c = context;
    const model *m = c[0];
    const shape *s = c[1];
    int instance = *(const int *)c[2];
    return kind == SYM_PARAM ? m->params.at[index].value : s->numbers.at[instance * s->number_count + index];
}

// a constant force on the centre of a body with mass: which coordinate, and as an acceleration
static int weight_of(const mech_tree *t, int number, int instance, double *acceleration) {
    const model *m = t->full->model;
    const shape *s = &m->shapes.at[number];
    const mech_shape *d = &t->full->shapes[number];
    if (s->kind != SHAPE_POTENTIAL || s->slot_count != 1)
        return -1;
    int coordinate = s->slots.at[instance], number_of = t->owner[coordinate];
    const body *b = number_of < 0 ? NULL : &t->parts->bodies.at[number_of];
    if (b == NULL || b->position < 0 || coordinate < b->position ||
        coordinate >= b->position + (b->planar ? 2 : 3) || !(b->mass.number > 0))
        return -1;
    for (int i = 0; i < d->entries.count; i++) {
        const mech_entry *e = &d->entries.at[i];
        if (e->quantity != MECH_Q)
            continue;
        if (expr_kinds(t->pool, e->e) & ~(1u << SYM_PARAM | 1u << SYM_NUMBER))
            return -1;
        const void *context[] = {m, s, &instance};
        *acceleration = expr_eval(t->pool, e->e, constant, context) / b->mass.number;
        return coordinate;
    }
    return -1;
}

bool tree_falls(const mech_tree *t, int number, int instance) {
    double ignored;
    return t->falls && weight_of(t, number, instance, &ignored) >= 0;
}

// the same for all bodies with mass, each axis once
static void find_fall(mech_tree *t) {
    const model *m = t->full->model;
    arena *scratch = arena_child(t->arena);
    int bodies = t->parts->bodies.count;
    double(*by)[3] = arena_alloc(scratch, (size_t)(bodies + 1) * sizeof *by);
    const double *first = NULL;
    for (int i = 0; i < m->shapes.count; i++)
        for (int k = 0; k < m->shapes.at[i].count; k++) {
            double a;
            int coordinate = weight_of(t, i, k, &a);
            if (coordinate >= 0)
                by[t->owner[coordinate]][coordinate - t->parts->bodies.at[t->owner[coordinate]].position] +=
                    a;
        }
    t->falls = !t->full->foreign_energy; // there it is a force like any other
    for (int i = 0; i < bodies; i++) {
        const body *b = &t->parts->bodies.at[i];
        if (t->link_of[i] < 0 || b->position < 0 || !(b->mass.number > 0))
            continue;
        first = first ? first : by[i];
        for (int k = 0; k < 3; k++)
            t->falls &= fabs(by[i][k] - first[k]) <= 1e-14 * fabs(first[k]);
    }
    t->falls = t->falls && first;
    if (t->falls)
        t->fall = (vector){first[0], first[1], first[2]};
    arena_free(scratch);
}

// ---- coordinates

static const char *turn_name(const tree_link *l, int k) {
    static const char *const parts[] = {"q0", "q1", "q2", "q3"};
    if (l->ball)
        return parts[k];
    bool cross = l->joint && l->joint->kind->turning == TURN_CROSS;
    return !cross ? "angle" : l->body ? "angle2" : "angle1";
}

// angle(J) and displacement(J) where a joint has just one of them, else J.angle1, J.slide2, J.q0; B.x
static void name_link(mech_tree *t, const tree_link *l) {
    static const char *const slides[] = {"slide1", "slide2", "slide3"};
    label base = l->joint ? l->joint->label : l->body->label;
    for (int k = 0; k < l->slides; k++) {
        label *to = &t->model->coords.at[l->first + k];
        *to = base;
        to->call = l->slides == 1 ? "displacement" : NULL;
        to->part = l->joint == NULL ? t->full->model->coords.at[l->body->position + k].part
                   : l->slides == 1 ? NULL
                                    : slides[k];
    }
    for (int k = 0; l->turn >= 0 && k < (l->ball ? 4 : 1); k++) {
        label *to = &t->model->coords.at[l->turn + k];
        bool one = !l->ball && l->joint && l->joint->kind->turns;
        *to = base;
        to->call = one ? "angle" : NULL;
        to->part = one ? NULL : turn_name(l, k);
    }
    if (l->ball)
        vec_push(t->arena, t->model->quaternions, l->turn);
}

static void name_coordinates(mech_tree *t) {
    const model *full = t->full->model;
    for (int i = 0; i < t->n; i++)
        vec_push(t->arena, t->model->coords, (label){0});
    for (int i = 0; i < t->links.count; i++)
        name_link(t, &t->links.at[i]);
    for (int i = 0; i < full->coords.count; i++)
        if (t->plain[i] >= 0)
            t->model->coords.at[t->plain[i]] = full->coords.at[i];
}

// as the full model, with nothing in it that depends on its coordinates
static model *new_model(mech_tree *t) {
    const model *full = t->full->model;
    model *m = arena_alloc(t->arena, sizeof *m);
    m->arena = t->arena;
    m->names = full->names;
    m->diags.arena = t->arena;
    m->sources = full->sources;
    m->pool = full->pool;
    m->title = full->title;
    m->simulate = full->simulate;
    m->length = full->length;
    for (int i = 0; i < full->params.count; i++)
        vec_push(t->arena, m->params, full->params.at[i]);
    for (int i = 0; i < full->constraints.count; i++)
        vec_push(t->arena, m->constraints, full->constraints.at[i]);
    for (int i = 0; i < full->stops.count; i++)
        vec_push(t->arena, m->stops, full->stops.at[i]);
    for (int i = 0; i < full->overs.count; i++)
        vec_push(t->arena, m->overs, full->overs.at[i]);
    for (int i = 0; i < full->turns.count; i++)
        vec_push(t->arena, m->turns, full->turns.at[i]);
    for (int i = 0; i < full->turn_starts.count; i++)
        vec_push(t->arena, m->turn_starts, full->turn_starts.at[i]);
    for (int i = 0; (t->asks || t->full->needs_energy) && i < full->results.count; i++)
        vec_push(t->arena, m->results, full->results.at[i]);
    return m;
}

// those of one constraint follow each other, as in the full model
static void number_rows(mech_tree *t) {
    model *m = t->model;
    for (int i = 0; i < m->constraints.count; i++)
        m->constraints.at[i].first_row = m->constraints.at[i].row_count = 0;
    for (int r = m->rows.count - 1; r >= 0; r--) {
        model_constraint *c = &m->constraints.at[m->rows.at[r].constraint];
        c->first_row = r;
        c->row_count++;
    }
}

// what presses is known to the bodies' form
static void list_frictions(mech_tree *t) {
    for (int i = 0; i < t->full->model->frictions.count; i++) {
        model_friction f = t->full->model->frictions.at[i];
        f.stick_first = t->row_of[f.stick_first];
        f.first = f.count = f.pressed_count = 0;
        vec_push(t->arena, t->model->frictions, f);
    }
}

mech_tree *mech_tree_new(arena *a, const mech *full, const char **why) {
    *why = full->model->diags.errors ? "the model is wrong" : find_reason(full);
    if (*why)
        return NULL;
    mech_tree *t = arena_alloc(a, sizeof *t);
    *t = (mech_tree){.arena = a, .pool = full->model->pool, .full = full, .parts = full->model->extension};
    t->asks = full->needs_ideal || full->model->frictions.count;
    tree_span(t);
    if (t->n == 0) // no integrator takes an empty state
        *why = "all bodies are fixed";
    return *why ? NULL : t;
}

static void set_start(mech_tree *t, const double *q, const double *v) {
    double *u = arena_doubles(t->arena, (size_t)t->n + 1), *s = arena_doubles(t->arena, (size_t)t->n + 1);
    mech_tree_lower(t, q, v, u, s);
    for (int i = 0; i < t->n; i++) {
        vec_push(t->arena, t->model->position, ((model_initial){.value = u[i]}));
        vec_push(t->arena, t->model->velocity, ((model_initial){.value = s[i]}));
    }
}

void mech_tree_derive(mech_tree *t, const double *q, const double *v) {
    int rows = t->full->model->rows.count;
    t->model = new_model(t);
    t->mech = arena_alloc(t->arena, sizeof *t->mech);
    t->mech->model = t->model;
    t->row_of = arena_array(t->arena, int, rows + 1);
    t->terms = arena_array(t->arena, row_terms, rows + 1);
    t->full_row = arena_array(t->arena, int, rows + 1);
    t->along = arena_array(t->arena, tvec, rows + 1);
    for (int i = 0; i < rows; i++)
        t->row_of[i] = -1;
    name_coordinates(t);
    set_start(t, q, v);
    find_fall(t);
    tree_find_angles(t);
    tree_move(t);
    tree_lift(t);
    tree_accelerate(t);
    tree_elements(t);
    number_rows(t);
    list_frictions(t);
    t->mech->shapes = t->shapes.at;
    t->mech->conserves = t->full->conserves;
    t->mech->needs_ideal = t->full->needs_ideal;
    t->mech->needs_energy = t->full->needs_energy;
    t->mech->tree = t;
    t->mech->works = t->works.at;
}
