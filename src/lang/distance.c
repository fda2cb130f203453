/* Constraints that hold a particle or the centre of a body at a distance from another, or from a place, draw
 * themselves as lines. They are known by their form: a sum of squares of differences, one for each axis,
 * under a root or not, and something without coordinates on the other side. */
#include "lang/elab.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    elab *elab;
    int held; // the first coordinate of what is held that was found; -1: none yet
    expr from[3], to[3];
    int count; // axes found
} distance;

static bool is_coordinate(const distance *d, expr e, int *coordinate) {
    const expr_pool *pool = d->elab->pool;
    if (expr_op(pool, e) != OP_SYMBOL || expr_kind(pool, e) != SYM_P)
        return false;
    *coordinate = d->elab->builder.slots.at[expr_index(pool, e)];
    return true;
}

static const char *axis_name(const elab *L, int coordinate) {
    label l = L->model->coords.at[coordinate];
    return l.part ? l.part : names_text(L->names, l.name);
}

/* Which letter of a name tells the axis: that of P.x, and the first or last one of plain names such as x1,
 * Px. -1: there is none. */
static int axis_letter(const char *name) {
    int last = (int)strlen(name) - 1;
    return strchr("xyzXYZ", name[0]) ? 0 : strchr("xyzXYZ", name[last]) ? last : -1;
}

// x, y, z as 0, 1, 2 of a coordinate such as P.x, x[3] or x3; -1 for one that is no place
static int axis_of(const elab *L, int coordinate) {
    const char *name = axis_name(L, coordinate);
    int letter = axis_letter(name);
    bool whole = L->model->coords.at[coordinate].part == NULL || name[1] == '\0';
    return letter >= 0 && whole ? tolower((unsigned char)name[letter]) - 'x' : -1;
}

// the name of the coordinate of the same point along another axis
static const char *along(const elab *L, int coordinate, int axis) {
    const char *name = axis_name(L, coordinate);
    char *other = arena_copy(L->arena, name, strlen(name));
    int letter = axis_letter(name);
    other[letter] = (char)(name[letter] - axis_of(L, coordinate) + axis);
    return other;
}

// of one thing, or one point: they differ by their axis only
static bool are_of_one(const elab *L, int a, int b) {
    label p = L->model->coords.at[a], q = L->model->coords.at[b];
    if (p.index != q.index || (p.part == NULL) != (q.part == NULL) || (p.part && p.name != q.name))
        return false;
    return strcmp(along(L, a, axis_of(L, b)), axis_name(L, b)) == 0;
}

// it has a coordinate z
static bool is_in_space(const elab *L, int coordinate) {
    int z = coordinate - axis_of(L, coordinate) + 2;
    if (L->model->coords.at[coordinate].part)
        return z < L->model->coords.count && axis_of(L, z) == 2 && are_of_one(L, coordinate, z);
    const char *name = along(L, coordinate, 2);
    int known = names_find(L->names, name, (int)strlen(name));
    return known >= 0 && L->symbols[known] && L->symbols[known]->kind == SYMBOL_COORD;
}

static bool moves(const distance *d, expr e) {
    return expr_kinds(d->elab->pool, e) & (1u << SYM_P | 1u << SYM_V | 1u << SYM_A);
}

// (held - other)^2 along one axis
static bool add_axis(distance *d, expr held, expr other) {
    int coordinate, opposite, axis;
    if (!is_coordinate(d, held, &coordinate) || (axis = axis_of(d->elab, coordinate)) < 0)
        return false;
    if (d->from[axis] != EXPR_NONE || (d->held >= 0 && !are_of_one(d->elab, d->held, coordinate)))
        return false;
    if (moves(d, other) && !(is_coordinate(d, other, &opposite) && axis_of(d->elab, opposite) == axis))
        return false;
    d->held = coordinate;
    d->from[axis] = held;
    d->to[axis] = other;
    d->count++;
    return true;
}

static bool add_difference(distance *d, expr e) {
    expr_pool *pool = d->elab->pool;
    switch (expr_op(pool, e)) {
    case OP_NEG:
        return add_difference(d, expr_arg(pool, e, 0));
    case OP_SUB: {
        expr a = expr_arg(pool, e, 0), b = expr_arg(pool, e, 1);
        return add_axis(d, a, b) || add_axis(d, b, a);
    }
    case OP_ADD: {
        expr a = expr_arg(pool, e, 0), b = expr_arg(pool, e, 1);
        return add_axis(d, a, expr_op1(pool, OP_NEG, b)) || add_axis(d, b, expr_op1(pool, OP_NEG, a));
    }
    default:
        return add_axis(d, e, expr_number(pool, 0));
    }
}

static bool add_squares(distance *d, expr e) {
    const expr_pool *pool = d->elab->pool;
    if (ops[expr_op(pool, e)].arity != 2)
        return false;
    expr a = expr_arg(pool, e, 0), b = expr_arg(pool, e, 1);
    switch (expr_op(pool, e)) {
    case OP_ADD:
        return add_squares(d, a) && add_squares(d, b);
    case OP_MUL:
        return a == b && add_difference(d, a);
    case OP_POW:
        return expr_is_number(pool, b, 2) && add_difference(d, a);
    default:
        return false;
    }
}

// what is left of a row when signs, factors, roots and terms without coordinates are taken away
static expr core(const distance *d, expr e) {
    const expr_pool *pool = d->elab->pool;
    for (;;) {
        op_code op = expr_op(pool, e);
        expr a = ops[op].arity > 0 ? expr_arg(pool, e, 0) : e,
             b = ops[op].arity > 1 ? expr_arg(pool, e, 1) : a;
        bool terms = op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV;
        if (op == OP_NEG || op == OP_SQRT || (op == OP_POW && expr_op(pool, a) == OP_SQRT))
            e = a;
        else if (terms && moves(d, a) != moves(d, b))
            e = moves(d, a) ? a : b;
        else
            return e;
    }
}

static value point(const expr *e, int count) {
    value v = {.size = count};
    for (int i = 0; i < count; i++)
        v.at[i] = (scalar){.e = e[i]};
    return v;
}

// a point of plain coordinates, once; a particle shows itself
static void show_point(const distance *d, const model_constraint *c, map *shown) {
    elab *L = d->elab;
    text name;
    if (L->model->coords.at[d->held].part || map_get(shown, (uint64_t)d->held) >= 0)
        return;
    map_put(shown, (uint64_t)d->held, 0);
    text_init(&name, L->arena);
    for (int i = 0, coordinate; i < d->count && is_coordinate(d, d->from[i], &coordinate); i++) {
        text_add(&name, i ? ", " : "");
        model_label(L->model, L->model->coords.at[coordinate], &name);
    }
    elab_drawing drawn = {.kind = DRAW_POINT, .label = text_string(&name), .at = point(d->from, d->count)};
    elab_draw(L, c->at, &drawn);
    elab_show_point_force(L, c->at, drawn.at, drawn.label);
}

static void show(elab *L, const model_constraint *c, map *shown) {
    distance d = {.elab = L, .held = -1};
    text name;
    elab_begin(L);
    expr row = elab_row_value(L, c->first_row);
    if (elab_is_drawn(L) || !add_squares(&d, core(&d, row)) || d.from[0] == EXPR_NONE ||
        d.from[1] == EXPR_NONE)
        return;
    if (d.count != 2 + is_in_space(L, d.held))
        return;
    text_init(&name, L->arena);
    model_label(L->model, c->label, &name);
    elab_drawing line = {.kind = DRAW_LINE, .label = text_string(&name), .at = point(d.from, d.count)};
    line.to = point(d.to, d.count);
    elab_draw(L, c->at, &line);
    show_point(&d, c, shown);
}

void elab_show_distances(elab *L) {
    map shown;
    bool *own =
        arena_array(L->arena, bool, L->model->constraints.count + 1); // of a joint, which shows itself
    map_init(&shown, L->arena);
    for (int i = 0; i < L->parts.count; i++)
        if (L->parts.at[i].constraint >= 0)
            own[L->parts.at[i].constraint] = true;
    for (int i = 0; i < L->model->constraints.count; i++) {
        const model_constraint *c = &L->model->constraints.at[i];
        if (c->row_count == 1 && !c->control && !c->stick && !own[i])
            show(L, c, &shown);
    }
}
