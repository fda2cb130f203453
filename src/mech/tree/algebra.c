#include "mech/tree/algebra.h"

#include <math.h>

// ---- scalars

expr t_number(expr_pool *p, double x) {
    return x == 0 ? EXPR_NONE : expr_number(p, x);
}

static expr without_zero(expr_pool *p, expr e) {
    return e && expr_is_number(p, e, 0) ? EXPR_NONE : e;
}

expr t_add(expr_pool *p, expr a, expr b) {
    return a && b ? without_zero(p, expr_op2(p, OP_ADD, a, b)) : a ? a : b;
}

expr t_neg(expr_pool *p, expr a) {
    return a ? expr_op1(p, OP_NEG, a) : EXPR_NONE;
}

expr t_sub(expr_pool *p, expr a, expr b) {
    if (a == b)
        return EXPR_NONE;
    return a && b ? without_zero(p, expr_op2(p, OP_SUB, a, b)) : a ? a : t_neg(p, b);
}

expr t_mul(expr_pool *p, expr a, expr b) {
    return a && b ? expr_op2(p, OP_MUL, a, b) : EXPR_NONE;
}

expr t_div(expr_pool *p, expr a, expr b) {
    return a ? expr_op2(p, OP_DIV, a, b) : EXPR_NONE;
}

// ---- vectors

tvec tv_number(expr_pool *p, vector v) {
    return (tvec){{t_number(p, v.x), t_number(p, v.y), t_number(p, v.z)}};
}

tvec tv_add(expr_pool *p, tvec a, tvec b) {
    tvec out;
    for (int i = 0; i < 3; i++)
        out.at[i] = t_add(p, a.at[i], b.at[i]);
    return out;
}

tvec tv_sub(expr_pool *p, tvec a, tvec b) {
    tvec out;
    for (int i = 0; i < 3; i++)
        out.at[i] = t_sub(p, a.at[i], b.at[i]);
    return out;
}

tvec tv_neg(expr_pool *p, tvec a) {
    return tv_sub(p, (tvec){0}, a);
}

tvec tv_scale(expr_pool *p, expr s, tvec a) {
    tvec out;
    for (int i = 0; i < 3; i++)
        out.at[i] = t_mul(p, s, a.at[i]);
    return out;
}

tvec tv_cross(expr_pool *p, tvec a, tvec b) {
    tvec out;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out.at[i] = t_sub(p, t_mul(p, a.at[j], b.at[k]), t_mul(p, a.at[k], b.at[j]));
    }
    return out;
}

expr tv_dot(expr_pool *p, tvec a, tvec b) {
    expr sum = EXPR_NONE;
    for (int i = 0; i < 3; i++)
        sum = t_add(p, sum, t_mul(p, a.at[i], b.at[i]));
    return sum;
}

bool tv_is_zero(tvec a) {
    return !a.at[0] && !a.at[1] && !a.at[2];
}

// ---- matrices

static tmat columns(tvec a, tvec b, tvec c) {
    tmat out;
    for (int i = 0; i < 3; i++) {
        out.at[i][0] = a.at[i];
        out.at[i][1] = b.at[i];
        out.at[i][2] = c.at[i];
    }
    return out;
}

// what is off a whole number by rounding alone is that number
static vector snapped(vector v) {
    double *at[] = {&v.x, &v.y, &v.z};
    for (int i = 0; i < 3; i++)
        if (fabs(*at[i] - nearbyint(*at[i])) < 1e-15)
            *at[i] = nearbyint(*at[i]);
    return v;
}

tmat tm_number(expr_pool *p, quaternion q) {
    return columns(tv_number(p, snapped(rotation_apply(q, (vector){1, 0, 0}))),
                   tv_number(p, snapped(rotation_apply(q, (vector){0, 1, 0}))),
                   tv_number(p, snapped(rotation_apply(q, (vector){0, 0, 1}))));
}

tmat tm_identity(expr_pool *p) {
    return tm_number(p, (quaternion){.w = 1});
}

static tvec row(tmat a, int i) {
    return (tvec){{a.at[i][0], a.at[i][1], a.at[i][2]}};
}

tmat tm_transpose(tmat a) {
    return columns(row(a, 0), row(a, 1), row(a, 2));
}

tmat tm_add(expr_pool *p, tmat a, tmat b) {
    return tm_transpose(columns(tv_add(p, row(a, 0), row(b, 0)), tv_add(p, row(a, 1), row(b, 1)),
                                tv_add(p, row(a, 2), row(b, 2))));
}

tmat tm_sub(expr_pool *p, tmat a, tmat b) {
    return tm_transpose(columns(tv_sub(p, row(a, 0), row(b, 0)), tv_sub(p, row(a, 1), row(b, 1)),
                                tv_sub(p, row(a, 2), row(b, 2))));
}

tvec tm_apply(expr_pool *p, tmat a, tvec v) {
    return (tvec){{tv_dot(p, row(a, 0), v), tv_dot(p, row(a, 1), v), tv_dot(p, row(a, 2), v)}};
}

tvec tm_apply_back(expr_pool *p, tmat a, tvec v) {
    return tm_apply(p, tm_transpose(a), v);
}

tmat tm_product(expr_pool *p, tmat a, tmat b) {
    tmat t = tm_transpose(b);
    return columns(tm_apply(p, a, row(t, 0)), tm_apply(p, a, row(t, 1)), tm_apply(p, a, row(t, 2)));
}

// the axis about which E turns, if it is one of these; -1
static int turns_about(const expr_pool *p, tmat E) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        bool plain = E.at[k][k] && expr_is_number(p, E.at[k][k], 1) && !E.at[k][i] && !E.at[k][j] &&
                     !E.at[i][k] && !E.at[j][k];
        if (plain && E.at[i][j])
            return k;
    }
    return -1;
}

/* About one axis, with c and s of the angle: of the block across it, the trace stays, and
 * a' = d + c^2 (a - d) + 2 c s b, b' = (c^2 - s^2) b - c s (a - d). */
static tmat turn_about(expr_pool *p, tmat E, tmat S, int k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    expr c = E.at[i][i], s = E.at[j][i], a = S.at[i][i], b = S.at[i][j], d = S.at[j][j];
    expr cc = t_mul(p, c, c), cs = t_mul(p, c, s), apart = t_sub(p, a, d);
    expr turned = t_sub(p, t_mul(p, expr_number(p, 2), cc), expr_number(p, 1)); // c^2 - s^2
    tmat out = S;
    expr more = t_add(p, t_mul(p, cc, apart), t_mul(p, t_mul(p, expr_number(p, 2), cs), b));
    out.at[i][i] = t_add(p, d, more);
    out.at[j][j] = t_sub(p, a, more);
    out.at[i][j] = out.at[j][i] = t_sub(p, t_mul(p, turned, b), t_mul(p, cs, apart));
    out.at[i][k] = out.at[k][i] = t_add(p, t_mul(p, c, S.at[i][k]), t_mul(p, s, S.at[j][k]));
    out.at[j][k] = out.at[k][j] = t_sub(p, t_mul(p, c, S.at[j][k]), t_mul(p, s, S.at[i][k]));
    return out;
}

tmat tm_turn_back(expr_pool *p, tmat E, tmat S) {
    int axis = turns_about(p, E);
    if (axis >= 0)
        return turn_about(p, E, S, axis);
    tmat SE = tm_product(p, S, E), by_column = tm_transpose(SE), turned = tm_transpose(E), out;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            out.at[i][j] = out.at[j][i] = tv_dot(p, row(turned, i), row(by_column, j));
    return out;
}

tmat tm_outer(expr_pool *p, tvec a, tvec b) {
    tmat out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.at[i][j] = t_mul(p, a.at[i], b.at[j]);
    return out;
}

tmat tm_cross(expr_pool *p, tvec a) {
    return (tmat){{{EXPR_NONE, t_neg(p, a.at[2]), a.at[1]},
                   {a.at[2], EXPR_NONE, t_neg(p, a.at[0])},
                   {t_neg(p, a.at[1]), a.at[0], EXPR_NONE}}};
}

// ---- quaternions

tquat tq_number(expr_pool *p, quaternion q) {
    return (tquat){{t_number(p, q.w), t_number(p, q.x), t_number(p, q.y), t_number(p, q.z)}};
}

tvec tq_vector(tquat q) {
    return (tvec){{q.at[1], q.at[2], q.at[3]}};
}

tquat tq_of(expr w, tvec v) {
    return (tquat){{w, v.at[0], v.at[1], v.at[2]}};
}

tquat tq_product(expr_pool *p, tquat a, tquat b) {
    tvec u = tq_vector(a), v = tq_vector(b);
    tvec w = tv_add(p, tv_cross(p, u, v), tv_add(p, tv_scale(p, a.at[0], v), tv_scale(p, b.at[0], u)));
    return tq_of(t_sub(p, t_mul(p, a.at[0], b.at[0]), tv_dot(p, u, v)), w);
}

/* 1 + 2 (w u~ + u~ u~), of a unit quaternion; with 2 (2 - |q|^2) for 2, which is the same there, it does not
 * change with |q|: within a step that is off by the error of its stages. */
tmat tq_matrix(expr_pool *p, tquat q) {
    tvec u = tq_vector(q);
    expr square = t_add(p, t_mul(p, q.at[0], q.at[0]), tv_dot(p, u, u));
    expr factor = t_sub(p, expr_number(p, 4), t_mul(p, expr_number(p, 2), square));
    tvec twice = tv_scale(p, factor, u);
    tmat out;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expr off = t_add(p, t_mul(p, twice.at[j], u.at[j]), t_mul(p, twice.at[k], u.at[k]));
        out.at[i][i] = t_sub(p, expr_number(p, 1), off);
        expr both = t_mul(p, twice.at[i], u.at[j]), turn = t_mul(p, q.at[0], twice.at[k]);
        out.at[i][j] = t_sub(p, both, turn);
        out.at[j][i] = t_add(p, both, turn);
    }
    return out;
}
