/* The slip velocity of a joint: its free motion, of body 2 as seen from body 1.
 *
 *   slides   d/dt (e . (P2 - P1)) with e fixed in body 1: the axis, or the two directions of a plane
 *   turns    r e . (omega2 - omega1), the velocity at the distance r from the axis e
 *
 * So a row of slip times a force is that force at P2 along e, or its torque with the lever r. */
#include "mech/joints/joints.h"

static int slides(const joint *j) {
    switch (j->kind->meeting) {
    case MEET_LINE:
        return 1;
    case MEET_PLANE:
        return 2;
    default:
        return 0;
    }
}

static int turns(const joint *j) {
    if (j->planar)
        return j->kind->turning == TURN_ABOUT;
    switch (j->kind->turning) {
    case TURN_FREE:
        return 3;
    case TURN_CROSS:
        return 2;
    case TURN_ABOUT:
        return 1;
    default:
        return 0;
    }
}

int joint_slip_count(elab *L, const joint *j, const item *radius, place at) {
    const char *kind = j->kind->name;
    if (j->kind->meeting == MEET_NOT || slides(j) + turns(j) == 0) {
        elab_error(L, at, "a %s joint has no motion that friction could act on", kind)->hint =
            "friction acts on revolute, prismatic, cylindrical, spherical, universal and planar joints, and "
            "on "
            "constraints";
        return 0;
    }
    if (radius && turns(j) == 0) {
        elab_error(L, radius->at, "a %s joint does not turn: a radius means nothing here", kind)->hint =
            "leave it away";
        return 0;
    }
    bool spins = j->kind->meeting == MEET_PLANE; // it slides, and may turn freely
    if (radius == NULL && turns(j) && !spins) {
        elab_error(L, at, "a %s joint turns: its friction needs the radius at which it acts", kind)->hint =
            "write friction NAME: mu = 0.1, radius = 0.02";
        return 0;
    }
    return slides(j) + (radius ? turns(j) : 0);
}

static value gap(elab *L, const joint *j) {
    return frames_difference(L, joint_point(L, j, 1), joint_point(L, j, 0));
}

static scalar sliding(elab *L, const joint *j, int which) {
    vector along = j->kind->meeting == MEET_LINE ? j->axis : which == 0 ? j->e1 : j->e2;
    scalar distance = frames_dot(L, joint_vector(L, j, along), gap(L, j));
    return frames_rate(L, elab_scalar(distance)).at[0];
}

static scalar turning(elab *L, const joint *j, int which) {
    if (j->planar)
        return frames_difference(L, body_omega(L, j->body[1]), body_omega(L, j->body[0])).at[0];
    value omega = frames_difference(L, body_world_omega(L, j->body[1]), body_world_omega(L, j->body[0]));
    if (j->kind->turning == TURN_FREE)
        return omega.at[which];
    bool second = j->kind->turning == TURN_CROSS && which == 1;
    value axis =
        second ? body_vector(L, j->body[1], frames_vector(L, j->axis2, 3)) : joint_vector(L, j, j->axis);
    return frames_dot(L, axis, omega);
}

scalar joint_slip(elab *L, const joint *j, int which, scalar radius) {
    if (which < slides(j))
        return sliding(L, j, which);
    return frames_op(L, OP_MUL, radius, turning(L, j, which - slides(j)));
}

int joint_pressed(const joint *j) {
    return j->body[1]->position >= 0 ? j->body[1]->position : j->body[0]->position;
}
