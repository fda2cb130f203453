/* The velocity along a constraint. With n_1, n_2, ... the gradients of its rows made orthonormal (Gram and
 * Schmidt), it is v - sum_k n_k (n_k . v): what of the velocity of its coordinates is in the surface, also
 * where the surface moves. As rows, these components are perpendicular to the constraint's own, so that
 * forces are divided in one way only between it and its friction. Where one direction is left, that alone is
 * taken: (n_y, -n_x) of two coordinates, n_1 x n_2 of three. */
#include "mech/friction.h"

enum { ROWS_MOST = 6 };

static expr op2(elab *L, op_code op, expr a, expr b) {
    return expr_op2(L->pool, op, a, b);
}

static expr dot(elab *L, const expr *a, const expr *b, int n) {
    expr sum = op2(L, OP_MUL, a[0], b[0]);
    for (int i = 1; i < n; i++)
        sum = op2(L, OP_ADD, sum, op2(L, OP_MUL, a[i], b[i]));
    return sum;
}

static void normalise(elab *L, expr *a, int n) {
    expr length = expr_op1(L->pool, OP_SQRT, dot(L, a, a, n));
    for (int i = 0; i < n; i++)
        a[i] = op2(L, OP_DIV, a[i], length);
}

static void take_out(elab *L, expr *a, const expr *unit, int n) {
    expr along = dot(L, a, unit, n);
    for (int i = 0; i < n; i++)
        a[i] = op2(L, OP_SUB, a[i], op2(L, OP_MUL, along, unit[i]));
}

// a new element with the coordinates of the rows, in their order, as its slots
static void begin(elab *L, const model_constraint *c) {
    elab_begin(L);
    for (int i = 0; i < c->row_count; i++)
        elab_row_value(L, c->first_row + i);
    int count = L->builder.slots.count;
    int *order = arena_array(L->arena, int, count + 1);
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && order[k - 1] > L->builder.slots.at[i]; k--)
            order[k] = order[k - 1];
        order[k] = L->builder.slots.at[i];
    }
    elab_begin(L);
    for (int i = 0; i < count; i++)
        elab_slot(L, order[i]);
}

sym_kind tangent_level(elab *L, expr e) {
    return expr_has(L->pool, e, SYM_A) ? SYM_A : expr_has(L->pool, e, SYM_V) ? SYM_V : SYM_P;
}

// gradient of a row with respect to the slots; false if it has none that depends on positions and time alone
static bool gradient(elab *L, int row, expr *out, int n) {
    expr e = elab_row_value(L, row);
    sym_kind kind = tangent_level(L, e);
    for (int i = 0; i < n; i++) {
        out[i] = expr_diff(L->pool, e, kind, i);
        if (kind == SYM_A || out[i] == EXPR_NONE || expr_has(L->pool, out[i], SYM_V))
            return false;
    }
    return true;
}

bool tangent_find(elab *L, const model_constraint *c, place at, tangent *out) {
    begin(L, c);
    int n = L->builder.slots.count, m = c->row_count;
    expr *g = arena_array(L->arena, expr, n + 1);
    *out = (tangent){m, n, (n == 2 && m == 1) || (n == 3 && m == 2) ? 1 : n};
    for (int i = 0; i < m; i++) {
        if (L->model->shapes.at[L->model->rows.at[c->first_row + i].shape].part[PART_WEIGHT]) {
            elab_error(L, at, "a constraint with a weight has no force of its own, and so no friction");
            return false;
        }
        if (!gradient(L, c->first_row + i, g, n)) {
            elab_error(L, at, "friction acts on constraints of positions, or linear in the velocities");
            return false;
        }
    }
    if (n > m && m <= ROWS_MOST)
        return true;
    diag *d = elab_error(L, at, "this constraint leaves the coordinates in it no motion to slip with");
    d->hint = n > m ? "it has too many rows: give the slip velocity, as in slip = x'"
                    : "give the velocity with which it slips, as in friction NAME: mu = 0.3, slip = x'";
    return false;
}

static void orthonormal(elab *L, const model_constraint *c, expr **normal, int n) {
    for (int k = 0; k < c->row_count; k++) {
        normal[k] = arena_array(L->arena, expr, n);
        gradient(L, c->first_row + k, normal[k], n);
        for (int j = 0; j < k; j++)
            take_out(L, normal[k], normal[j], n);
        normalise(L, normal[k], n);
    }
}

// the only direction that is left, of two coordinates or of three
static void direction_left(elab *L, expr **normal, int n, expr *out) {
    const expr *a = normal[0], *b = normal[1];
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (n == 2)
            out[i] = i == 0 ? a[1] : expr_op1(L->pool, OP_NEG, a[0]);
        else
            out[i] = op2(L, OP_SUB, op2(L, OP_MUL, a[j], b[k]), op2(L, OP_MUL, a[k], b[j]));
    }
}

expr tangent_component(elab *L, const model_constraint *c, tangent t, int which) {
    begin(L, c);
    int n = t.coordinates;
    expr *normal[ROWS_MOST] = {0}, *v = arena_array(L->arena, expr, n), along[3];
    for (int i = 0; i < n; i++)
        v[i] = expr_symbol(L->pool, SYM_V, i);
    orthonormal(L, c, normal, n);
    if (t.count == 1) {
        direction_left(L, normal, n, along);
        return elab_only(L, dot(L, along, v, n));
    }
    expr component = v[which];
    for (int k = 0; k < t.rows; k++)
        component = op2(L, OP_SUB, component, op2(L, OP_MUL, normal[k][which], dot(L, normal[k], v, n)));
    return elab_only(L, component);
}
