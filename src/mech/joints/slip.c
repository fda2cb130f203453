/* The slip velocity of a joint: its free motion, of body 2 as seen from body 1, its turns times the radius r.
 *
 * So a row of slip times a force is that force at P2 along e, or its torque with the lever r. */
#include "mech/joints/joints.h"

int joint_slip_count(elab *L, const joint *j, const item *radius, place at) {
    const char *kind = j->kind->name;
    if (joint_slides(j) + joint_turns(j) == 0) {
        elab_error(L, at, "a %s joint has no motion that friction could act on", kind)->hint =
            "friction acts on revolute, prismatic, cylindrical, spherical, universal and planar joints, and "
            "on "
            "constraints";
        return 0;
    }
    if (radius && joint_turns(j) == 0) {
        elab_error(L, radius->at, "a %s joint does not turn: a radius means nothing here", kind)->hint =
            "leave it away";
        return 0;
    }
    bool spins = j->kind->meeting == MEET_PLANE; // it slides, and may turn freely
    if (radius == NULL && joint_turns(j) && !spins) {
        elab_error(L, at, "a %s joint turns: its friction needs the radius at which it acts", kind)->hint =
            "write friction NAME: mu = 0.1, radius = 0.02";
        return 0;
    }
    return joint_slides(j) + (radius ? joint_turns(j) : 0);
}

scalar joint_slip(elab *L, const joint *j, int which, scalar radius) {
    if (which < joint_slides(j))
        return joint_slide_rate(L, j, which);
    return frames_op(L, OP_MUL, radius, joint_turn_rate(L, j, which - joint_slides(j)));
}

int joint_pressed(const joint *j) {
    return j->body[1]->position >= 0 ? j->body[1]->position : j->body[0]->position;
}
