/* Constraints that hold a particle or the centre of a body at a distance from another, or from a place, draw
 * themselves as lines. They are known by their form: a sum of squares of differences, one for each axis,
 * under a root or not, and something without coordinates on the other side. */
#include "lang/elab.h"

typedef struct {
    elab *elab;
    int coordinate; // x of the thing that is held
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

// x, y, z as 0, 1, 2 of a coordinate such as P.x; -1 for one that is no place
static int axis_of(const distance *d, int coordinate) {
    const char *part = d->elab->model->coords.at[coordinate].part;
    return part && part[0] >= 'x' && part[0] <= 'z' && part[1] == '\0' ? part[0] - 'x' : -1;
}

static bool moves(const distance *d, expr e) {
    return expr_kinds(d->elab->pool, e) & (1u << SYM_P | 1u << SYM_V | 1u << SYM_A);
}

// (held - other)^2 along one axis
static bool add_axis(distance *d, expr held, expr other) {
    int coordinate, opposite, axis;
    if (!is_coordinate(d, held, &coordinate) || (axis = axis_of(d, coordinate)) < 0)
        return false;
    if (d->coordinate < 0)
        d->coordinate = coordinate - axis;
    if (coordinate != d->coordinate + axis || d->from[axis] != EXPR_NONE)
        return false;
    if (moves(d, other) && !(is_coordinate(d, other, &opposite) && axis_of(d, opposite) == axis))
        return false;
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

static void show(elab *L, const model_constraint *c) {
    distance d = {.elab = L, .coordinate = -1};
    elab_begin(L);
    expr row = elab_row_value(L, c->first_row);
    if (!add_squares(&d, core(&d, row)) || d.from[0] == EXPR_NONE || d.from[1] == EXPR_NONE)
        return;
    int z = d.coordinate + 2;
    bool space = z < L->model->coords.count && axis_of(&d, z) == 2;
    if (d.count != 2 + space)
        return;
    text name;
    text_init(&name, L->arena);
    model_label(L->model, c->label, &name);
    elab_drawing line = {.kind = DRAW_LINE, .label = text_string(&name), .at = point(d.from, d.count)};
    line.to = point(d.to, d.count);
    elab_draw(L, c->at, &line);
}

void elab_show_distances(elab *L) {
    bool *own =
        arena_array(L->arena, bool, L->model->constraints.count + 1); // of a joint, which shows itself
    for (int i = 0; i < L->parts.count; i++)
        if (L->parts.at[i].constraint >= 0)
            own[L->parts.at[i].constraint] = true;
    for (int i = 0; i < L->model->constraints.count; i++) {
        const model_constraint *c = &L->model->constraints.at[i];
        if (c->row_count == 1 && !c->control && !c->stick && !own[i])
            show(L, c);
    }
}
