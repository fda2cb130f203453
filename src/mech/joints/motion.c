/* The free motion of a joint: its angle and displacement, and what drives, springs or damps it.
 *
 * With p = (w; v) the rotation of body 2 against body 1 and s = axis . v, the angle is 2 atan2(s, w), which
 * jumps by 4 pi once in two turns. So a run keeps the angle of its last step, the turn k, and
 *
 *   angle = k + 2 atan2(s cos(k/2) - w sin(k/2), w cos(k/2) + s sin(k/2))
 *
 * is continuous within two full turns of it. */
#include "mech/joints/joints.h"

// (q1 o d) . q2
static scalar pairing(elab *L, const joint *j, quaternion d) {
    value constant = frames_quaternion(L, d);
    if (j->body[0]->rotation >= 0)
        constant = frames_product(L, body_rotation(L, j->body[0]), constant);
    return frames_dot(L, constant, body_rotation(L, j->body[1]));
}

static scalar times(elab *L, scalar a, scalar b) {
    return frames_op(L, OP_MUL, a, b);
}

static scalar angle_from(elab *L, const joint *j) {
    quaternion back = rotation_inverse(j->c);
    scalar w = pairing(L, j, back);
    scalar s = pairing(L, j, rotation_product((quaternion){0, j->axis.x, j->axis.y, j->axis.z}, back));
    scalar turn = {.e = elab_turn_symbol(L, j->turn)}, half = times(L, elab_constant(L, 0.5), turn);
    scalar cosine = elab_op(L, OP_COS, &half), sine = elab_op(L, OP_SIN, &half);
    scalar y = frames_op(L, OP_SUB, times(L, s, cosine), times(L, w, sine));
    scalar x = frames_op(L, OP_ADD, times(L, w, cosine), times(L, s, sine));
    return frames_op(L, OP_ADD, turn, times(L, elab_constant(L, 2), frames_op(L, OP_ATAN2, y, x)));
}

/* The angle k + atan2(sin(angle - k), cos(angle - k)) that takes `from`, perpendicular to the axis, to `to`.
 */
static scalar angle_between(elab *L, value axis, value from, value to, scalar k) {
    scalar sine = frames_dot(L, axis, frames_cross(L, from, to)), cosine = frames_dot(L, from, to);
    scalar s = elab_op(L, OP_SIN, &k), c = elab_op(L, OP_COS, &k);
    scalar y = frames_op(L, OP_SUB, times(L, sine, c), times(L, cosine, s));
    scalar x = frames_op(L, OP_ADD, times(L, cosine, c), times(L, sine, s));
    return frames_op(L, OP_ADD, k, frames_op(L, OP_ATAN2, y, x));
}

// about axis1 turns axis2, about axis2 what axis1 was to body 2
static scalar cross_from(elab *L, const joint *j, int which) {
    scalar k = {.e = elab_turn_symbol(L, j->cross[which])};
    vector first = rotation_apply(body_typed_rotation(L, j->body[0]), j->axis),
           second = rotation_apply(body_typed_rotation(L, j->body[1]), j->axis2);
    value axis1 = joint_vector(L, j, j->axis),
          axis2 = body_vector(L, j->body[1], frames_vector(L, j->axis2, 3));
    if (which == 0)
        return angle_between(L, axis1, joint_vector(L, j, body_typed_direction(L, j->body[0], second)), axis2,
                             k);
    vector was = body_typed_direction(L, j->body[1], first);
    return angle_between(L, axis2, axis1, body_vector(L, j->body[1], frames_vector(L, was, 3)), k);
}

// the element that tells a run what its turn becomes; which: of a universal joint's angles, or -1
static void add_turn(elab *L, joint *j, int which) {
    builder outer = L->builder;
    int *turn = which < 0 ? &j->turn : &j->cross[which];
    L->builder = (builder){0};
    elab_begin(L);
    *turn = L->model->turns.count;
    vec_push(L->arena, L->model->turns, L->parts.at[j->part].label);
    vec_push(L->arena, L->model->turn_starts, 0.0);
    expr parts[SHAPE_PARTS] = {elab_expr(L, which < 0 ? angle_from(L, j) : cross_from(L, j, which))};
    elab_finish(L, SHAPE_TURN, L->parts.at[j->part].at, parts, turn, 1);
    L->builder = outer;
    elab_remark(L);
}

scalar joint_angle(elab *L, joint *j) {
    if (j->planar) {
        scalar angle =
            frames_op(L, OP_SUB, body_rotation(L, j->body[1]).at[0], body_rotation(L, j->body[0]).at[0]);
        return frames_op(L, OP_SUB, angle, frames_number(L, j->angle0));
    }
    if (j->turn < 0)
        add_turn(L, j, -1);
    return angle_from(L, j);
}

scalar joint_displacement(elab *L, const joint *j) {
    return frames_op(L, OP_SUB, joint_slide(L, j, 0), frames_number(L, j->slide0));
}

scalar joint_part_value(elab *L, joint *j, const joint_part *p) {
    if (!p->turn)
        return joint_slide(L, j, p->freedom);
    if (p->turning != TURN_CROSS)
        return joint_angle(L, j);
    if (j->cross[p->freedom] < 0)
        add_turn(L, j, p->freedom);
    return cross_from(L, j, p->freedom);
}

// ---- (motion = e), (stiffness = k, damping = c)

static scalar free_motion(elab *L, joint *j) {
    return j->kind->turns ? joint_angle(L, j) : joint_displacement(L, j);
}

static bool has_one(elab *L, const joint *j, const item *it) {
    if (j->kind->turns != j->kind->slides)
        return true;
    elab_error(L, it->at,
               j->kind->turns ? "a %s joint has an angle and a displacement: it is not told which is meant"
                              : "a %s joint has neither an angle nor a displacement",
               j->kind->name)
        ->hint = j->kind->turns ? "write constraint NAME: angle(J) = e, or displacement(J) = e" : NULL;
    return false;
}

static void prescribe(elab *L, joint *j, const item *it, const binding *scope) {
    scalar wanted;
    elab_begin(L);
    L->allowed = (allowance){WITH_P, false, "the motion of a joint"};
    scalar now = free_motion(L, j);
    if (elab_number(L, it->value, scope, &wanted))
        joint_row(L, j, "motion", frames_op(L, OP_SUB, now, wanted));
}

// factor/2 x^2 with x the motion or its rate
static void energy(elab *L, joint *j, const item *it, const binding *scope, shape_kind kind,
                   const char *where) {
    scalar factor;
    elab_begin(L);
    L->allowed = (allowance){WITH_P, false, where};
    scalar x = free_motion(L, j);
    if (kind == SHAPE_DISSIPATION)
        x = frames_rate(L, elab_scalar(x)).at[0];
    if (!elab_number(L, it->value, scope, &factor))
        return;
    scalar half = frames_op(L, OP_DIV, factor, elab_constant(L, 2));
    expr parts[SHAPE_PARTS] = {elab_expr(L, times(L, half, times(L, x, x)))};
    parts_finish(L, kind, L->parts.at[j->part].at, parts);
}

void joint_options(elab *L, joint *j, const stmt *s, const binding *scope) {
    const item *motion = setting_find(L, &s->options, "motion");
    const item *stiffness = setting_find(L, &s->options, "stiffness"),
               *damping = setting_find(L, &s->options, "damping");
    for (int i = 0; i < s->options.count; i++)
        if (!has_one(L, j, &s->options.at[i]))
            return;
    j->motion = motion ? elab_shown(L, motion->value->whole, scope) : NULL;
    j->stiffness = stiffness ? elab_shown(L, stiffness->value->whole, scope) : NULL;
    j->damping = damping ? elab_shown(L, damping->value->whole, scope) : NULL;
    if (motion)
        prescribe(L, j, motion, scope);
    if (stiffness)
        energy(L, j, stiffness, scope, SHAPE_POTENTIAL, "a stiffness");
    if (damping)
        energy(L, j, damping, scope, SHAPE_DISSIPATION, "a damping");
}

// ---- outputs

static void show(elab *L, joint *j, const char *call, const joint_part *p, bool rate) {
    label name = j->label;
    name.call = call;
    name.part = p ? p->name : NULL;
    name.freedom = true;
    name.rate = rate;
    elab_begin(L);
    scalar x = p ? joint_part_value(L, j, p) : call[0] == 'a' ? joint_angle(L, j) : joint_displacement(L, j);
    if (rate)
        x = frames_rate(L, elab_scalar(x)).at[0];
    expr parts[SHAPE_PARTS] = {elab_expr(L, x)};
    int target = L->model->outputs.count;
    vec_push(L->arena, L->model->outputs, name);
    elab_finish(L, SHAPE_OUTPUT, L->parts.at[j->part].at, parts, &target, 1);
}

void joint_show(elab *L, joint *j) {
    const joint_part *p;
    for (int rate = 0; rate < 2; rate++) {
        if (j->kind->turns)
            show(L, j, "angle", NULL, rate);
        if (j->kind->slides)
            show(L, j, "displacement", NULL, rate);
        for (int i = 0; (p = joint_part_at(j, i)) != NULL; i++)
            show(L, j, NULL, p, rate);
    }
}
