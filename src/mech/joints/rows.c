/* The rows of the kinds that follow from the table, see joints.h. */
#include "mech/joints/joints.h"

value joint_point(elab *L, const joint *j, int side) {
    return body_point(L, j->body[side], frames_vector(L, j->point[side], j->planar ? 2 : 3));
}

value joint_vector(elab *L, const joint *j, vector v) {
    return body_vector(L, j->body[0], frames_vector(L, v, j->planar ? 2 : 3));
}

static value gap(elab *L, const joint *j) {
    return frames_difference(L, joint_point(L, j, 1), joint_point(L, j, 0));
}

// component k of P2 - P1 in world axes: only the slots that it needs
static int point_rows(elab *L, const joint *j) {
    int size = j->planar ? 2 : 3;
    for (int k = 0; k < size; k++) {
        elab_begin(L);
        scalar component = gap(L, j).at[k];
        joint_row(L, j, joint_row_name(k), (scalar){.e = elab_only(L, elab_expr(L, component))});
    }
    return size;
}

static int along_rows(elab *L, const joint *j, int next, const vector *direction, int count) {
    for (int k = 0; k < count; k++) {
        elab_begin(L);
        joint_row(L, j, joint_row_name(next + k), frames_dot(L, joint_vector(L, j, direction[k]), gap(L, j)));
    }
    return next + count;
}

static int meeting_rows(elab *L, const joint *j) {
    const vector across[] = {j->e1, j->e2};
    if (j->kind->meeting == MEET_POINT)
        return point_rows(L, j);
    return j->kind->meeting == MEET_PLANE ? along_rows(L, j, 0, &j->axis, 1)
                                          : along_rows(L, j, 0, across, j->planar ? 1 : 2);
}

// 2 L e . vec(p) = (q1 o d) . q2 with d = 2 L e o c^-1
static void turn_row(elab *L, const joint *j, int which, vector e) {
    double scale = 2 * joint_length(L);
    quaternion d =
        rotation_product((quaternion){0, scale * e.x, scale * e.y, scale * e.z}, rotation_inverse(j->c));
    elab_begin(L);
    value q1 = body_rotation(L, j->body[0]), q2 = body_rotation(L, j->body[1]),
          constant = frames_quaternion(L, d);
    if (j->body[0]->rotation >= 0)
        constant = frames_product(L, q1, constant);
    joint_row(L, j, joint_row_name(which), frames_dot(L, constant, q2));
}

static void cross_row(elab *L, const joint *j, int which) {
    elab_begin(L);
    value axis2 = body_vector(L, j->body[1], frames_vector(L, j->axis2, 3));
    scalar cosine = frames_dot(L, joint_vector(L, j, j->axis), axis2);
    joint_row(L, j, joint_row_name(which), frames_op(L, OP_MUL, elab_constant(L, joint_length(L)), cosine));
}

// L (angle 2 - angle 1 - angle 0)
static void planar_turn_row(elab *L, const joint *j, int which) {
    elab_begin(L);
    scalar angle =
        frames_op(L, OP_SUB, body_rotation(L, j->body[1]).at[0], body_rotation(L, j->body[0]).at[0]);
    scalar off = frames_op(L, OP_SUB, angle, frames_number(L, j->angle0));
    joint_row(L, j, joint_row_name(which), frames_op(L, OP_MUL, elab_constant(L, joint_length(L)), off));
}

void joint_rows(elab *L, joint *j) {
    int next = meeting_rows(L, j);
    joint_turning turning = j->kind->turning;
    if (j->planar && turning == TURN_NOT)
        planar_turn_row(L, j, next);
    if (j->planar)
        return;
    if (turning == TURN_CROSS)
        cross_row(L, j, next);
    if (turning == TURN_ABOUT || turning == TURN_NOT) {
        turn_row(L, j, next++, j->e1);
        turn_row(L, j, next++, j->e2);
    }
    if (turning == TURN_NOT)
        turn_row(L, j, next, j->axis);
}
