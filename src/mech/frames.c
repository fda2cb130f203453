#include "mech/frames.h"

scalar frames_number(elab *L, double number) {
    return (scalar){.e = elab_expr(L, (scalar){.number = number, .known = true, .varies = true})};
}

value frames_vector(elab *L, vector v, int size) {
    value out = {.size = size, .at = {frames_number(L, v.x), frames_number(L, v.y)}};
    if (size == 3)
        out.at[2] = frames_number(L, v.z);
    return out;
}

value frames_quaternion(elab *L, quaternion q) {
    return (value){
        .size = 4,
        .at = {frames_number(L, q.w), frames_number(L, q.x), frames_number(L, q.y), frames_number(L, q.z)}};
}

value frames_known(elab *L, const double *at, int size) {
    value out = {.size = size};
    for (int i = 0; i < size; i++)
        out.at[i] = elab_constant(L, at[i]);
    return out;
}

scalar frames_op(elab *L, op_code op, scalar a, scalar b) {
    return elab_op(L, op, (scalar[]){a, b});
}

scalar frames_dot(elab *L, value a, value b) {
    scalar sum = frames_op(L, OP_MUL, a.at[0], b.at[0]);
    for (int i = 1; i < a.size; i++)
        sum = frames_op(L, OP_ADD, sum, frames_op(L, OP_MUL, a.at[i], b.at[i]));
    return sum;
}

value frames_sum(elab *L, value a, value b) {
    return elab_map2(L, OP_ADD, a, b);
}

value frames_difference(elab *L, value a, value b) {
    return elab_map2(L, OP_SUB, a, b);
}

value frames_scaled(elab *L, scalar s, value a) {
    return elab_map2(L, OP_MUL, elab_scalar(s), a);
}

value frames_cross(elab *L, value a, value b) {
    value out = {.size = 3};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out.at[i] = frames_op(L, OP_SUB, frames_op(L, OP_MUL, a.at[j], b.at[k]),
                              frames_op(L, OP_MUL, a.at[k], b.at[j]));
    }
    return out;
}

value frames_rate(elab *L, value v) {
    for (int i = 0; i < v.size; i++)
        v.at[i] = v.at[i].known ? elab_constant(L, 0) : (scalar){.e = expr_dt(L->pool, v.at[i].e)};
    return v;
}

// the vector part of a quaternion
static value part(value q) {
    return (value){.size = 3, .at = {q.at[1], q.at[2], q.at[3]}};
}

static scalar times(elab *L, double factor, scalar s) {
    return frames_op(L, OP_MUL, elab_constant(L, factor), s);
}

static value rotated(elab *L, value q, scalar q0, value s) {
    value u = part(q), t = frames_scaled(L, elab_constant(L, 2), frames_cross(L, u, s));
    value change = frames_sum(L, frames_scaled(L, q0, t), frames_cross(L, u, t));
    scalar factor = frames_op(L, OP_SUB, elab_constant(L, 2), frames_dot(L, q, q));
    return frames_sum(L, s, frames_scaled(L, factor, change));
}

value frames_rotate(elab *L, value q, value s) {
    return rotated(L, q, q.at[0], s);
}

value frames_rotate_back(elab *L, value q, value s) {
    return rotated(L, q, times(L, -1, q.at[0]), s);
}

value frames_rotate_planar(elab *L, scalar angle, value s) {
    scalar c = elab_op(L, OP_COS, &angle), d = elab_op(L, OP_SIN, &angle);
    return (value){
        .size = 2,
        .at = {frames_op(L, OP_SUB, frames_op(L, OP_MUL, c, s.at[0]), frames_op(L, OP_MUL, d, s.at[1])),
               frames_op(L, OP_ADD, frames_op(L, OP_MUL, d, s.at[0]), frames_op(L, OP_MUL, c, s.at[1]))}};
}

// E(q) f = q0 f_u - f_0 u - u x f_u
static value times_E(elab *L, value q, value f) {
    value along =
        frames_difference(L, frames_scaled(L, q.at[0], part(f)), frames_scaled(L, f.at[0], part(q)));
    return frames_difference(L, along, frames_cross(L, part(q), part(f)));
}

value frames_omega(elab *L, value q) {
    return frames_scaled(L, elab_constant(L, 2), times_E(L, q, frames_rate(L, q)));
}

value frames_torque(elab *L, value q, value f) {
    return frames_scaled(L, elab_constant(L, 0.5), times_E(L, q, f));
}

// E(q)' tau = (-u . tau; q0 tau + u x tau)
value frames_on_quaternion(elab *L, value q, value torque) {
    value v = frames_sum(L, frames_scaled(L, q.at[0], torque), frames_cross(L, part(q), torque));
    value out = {.size = 4, .at = {times(L, -1, frames_dot(L, part(q), torque)), v.at[0], v.at[1], v.at[2]}};
    return frames_scaled(L, elab_constant(L, 2), out);
}

value frames_product(elab *L, value a, value b) {
    value cross = frames_cross(L, part(a), part(b));
    value v = frames_sum(
        L, frames_sum(L, frames_scaled(L, a.at[0], part(b)), frames_scaled(L, b.at[0], part(a))), cross);
    scalar w = frames_op(L, OP_SUB, frames_op(L, OP_MUL, a.at[0], b.at[0]), frames_dot(L, part(a), part(b)));
    return (value){.size = 4, .at = {w, v.at[0], v.at[1], v.at[2]}};
}
