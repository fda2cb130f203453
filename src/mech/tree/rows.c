/* Rows in joint coordinates: those that the coordinates do not hold by themselves. */
#include "mech/tree/tree_inside.h"

#include <string.h>

static const joint *tree_joint(const mech_tree *t, int constraint) {
    for (int i = 0; i < t->links.count; i++)
        if (t->links.at[i].joint && t->links.at[i].joint->constraint == constraint)
            return t->links.at[i].joint;
    return NULL;
}

// rows that the coordinates hold by themselves
bool tree_has_built_in(const mech_tree *t, int row) {
    const model_row *r = &t->full->model->rows.at[row];
    for (int i = 0; i < t->parts->bodies.count; i++)
        if (t->link_of[i] >= 0 && t->parts->bodies.at[i].constraint == r->constraint)
            return true;
    return tree_joint(t, r->constraint) && !(r->part && strcmp(r->part, "motion") == 0);
}

// what moves a coordinate: levers of the model, or turns
static double length_of(const mech_tree *t, int coordinate) {
    int number = t->owner[coordinate];
    const body *b = number < 0 ? NULL : &t->parts->bodies.at[number];
    double length = t->full->model->length;
    bool turns = b && coordinate >= b->rotation && coordinate < b->rotation + (b->planar ? 1 : 4);
    return b && !turns && length > 0 ? length : 1;
}

static void add_term(mech_tree *t, int row, expr e, double length) {
    vec_push(t->arena, t->terms[row].entries, e);
    vec_push(t->arena, t->terms[row].lengths, length);
}

// A_s (n) and A h of a row; by its expressions, or those with switches held
static void row_parts(lifting *l, int row, bool held, expr *A, expr *drift) {
    mech_tree *t = l->t;
    arena *scratch = arena_child(t->arena);
    tree_load load = tree_load_new(t, scratch);
    *drift = EXPR_NONE;
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity != MECH_A)
            continue;
        expr a = lift_expression(l, held ? e->held : e->e);
        lift_force(l, &load, e->i, a);
        if (!held)
            add_term(t, row, a, l->slots[e->i] < 0 ? 1 : length_of(t, l->slots[e->i]));
        if (l->slots[e->i] >= 0)
            *drift = t_add(t->pool, *drift, t_mul(t->pool, a, tree_drift(t, l->slots[e->i])));
    }
    tree_load_carry(t, &load, A);
    arena_free(scratch);
}

static void add_general_row(lifting *l, int row, int to) {
    mech_tree *t = l->t;
    arena *scratch = arena_child(t->arena);
    expr *A = arena_array(scratch, expr, t->n + 1), *held = arena_array(scratch, expr, t->n + 1), h, h_held;
    row_parts(l, row, false, A, &h);
    row_parts(l, row, true, held, &h_held);
    for (int i = 0; i < t->n; i++)
        tree_push(t, to, MECH_A, i, 0, A[i], held[i]);
    for (int i = 0; i < l->derived->entries.count; i++) {
        const mech_entry *e = &l->derived->entries.at[i];
        if (e->quantity == MECH_A || e->quantity == MECH_B)
            continue;
        tree_push(t, to, e->quantity, e->i, 0, lift_expression(l, e->e), lift_expression(l, e->held));
    }
    expr b = EXPR_NONE, b_held = EXPR_NONE;
    for (int i = 0; i < l->derived->entries.count; i++)
        if (l->derived->entries.at[i].quantity == MECH_B) {
            b = lift_expression(l, l->derived->entries.at[i].e);
            b_held = lift_expression(l, l->derived->entries.at[i].held);
        }
    tree_push(t, to, MECH_B, 0, 0, t_sub(t->pool, b, h), t_sub(t->pool, b_held, h_held));
    arena_free(scratch);
}

static void add_closure(mech_tree *t, int row, const tree_row *r, int to) {
    add_term(t, row, expr_number(t->pool, 1), t->full->model->length > 0 ? t->full->model->length : 1);
    t->along[row] = r->along;
    for (int i = 0; i < t->n; i++)
        tree_push(t, to, MECH_A, i, 0, r->A[i], r->A[i]);
    tree_push(t, to, MECH_B, 0, 0, r->b, r->b);
    tree_push(t, to, MECH_POSITION, 0, 0, r->position, r->position);
    tree_push(t, to, MECH_VELOCITY, 0, 0, r->velocity, r->velocity);
}

void tree_add_row(mech_tree *t, int row) {
    const model_row *r = &t->full->model->rows.at[row];
    const shape *from = &t->full->model->shapes.at[r->shape];
    arena *scratch = arena_child(t->arena);
    lifting l = lift_begin(t, r->shape, r->instance, t->mech, scratch);
    shape *s = tree_new_shape(t, SHAPE_ROW, from->at, t->model->rows.count);
    int number = t->shapes.count - 1;
    s->part[PART_VALUE] = lift_expression(&l, l.from->part[PART_VALUE]);
    t->shapes.at[number] = *l.derived;
    t->shapes.at[number].entries.at = NULL;
    t->shapes.at[number].entries.count = t->shapes.at[number].entries.room = 0;
    lift_switches(&l, number, r->shape);
    tree_row closure = {.A = arena_array(scratch, expr, t->n + 1)};
    if (tree_close(t, row, &closure))
        add_closure(t, row, &closure, number);
    else
        add_general_row(&l, row, number);
    model_row own = {.constraint = r->constraint, .part = r->part, .shape = number};
    t->row_of[row] = t->model->rows.count;
    t->full_row[t->model->rows.count] = row;
    vec_push(t->arena, t->model->rows, own);
    arena_free(scratch);
}

int mech_tree_rows(const mech_tree *t, int link, int *rows) {
    const tree_link *l = &t->links.at[link];
    const model *m = t->full->model;
    int count = 0;
    for (int i = 0; l->body && i < m->rows.count; i++) {
        int of = m->rows.at[i].constraint;
        if (t->row_of[i] < 0 && (of == l->body->constraint || (l->joint && of == l->joint->constraint)) &&
            tree_has_built_in(t, i))
            rows[count++] = i;
    }
    return count;
}

int mech_tree_columns(const mech_tree *t, int link, int *coordinates) {
    const body *b = t->links.at[link].body;
    int count = 0;
    for (int k = 0; b && b->position >= 0 && k < (b->planar ? 2 : 3); k++)
        coordinates[count++] = b->position + k;
    for (int k = 0; b && k < (b->planar ? 1 : 4); k++)
        coordinates[count++] = b->rotation + k;
    return count;
}
