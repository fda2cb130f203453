/* The freedoms of a joint, as velocities of body 2 as seen from body 1:
 *
 *   slides   d/dt (e . (P2 - P1)) with e fixed in body 1: the axis, or the two directions of a plane
 *   turns    e . (omega2 - omega1), about the axis, or each axis of a universal joint; of a spherical one
 *            about those of the world */
#include "mech/joints/joints.h"

#include <string.h>

static const joint_part parts[] = {
    {MEET_POINT, TURN_CROSS, "angle1", true, 0},  {MEET_POINT, TURN_CROSS, "angle2", true, 1},
    {MEET_PLANE, TURN_ABOUT, "angle", true, 0},   {MEET_PLANE, TURN_ABOUT, "slide1", false, 0},
    {MEET_PLANE, TURN_ABOUT, "slide2", false, 1},
};
enum { PARTS = sizeof parts / sizeof *parts };

const joint_part *joint_part_at(const joint *j, int i) {
    for (const joint_part *p = parts; p < parts + PARTS; p++)
        if (p->meeting == j->kind->meeting && p->turning == j->kind->turning && i-- == 0)
            return p;
    return NULL;
}

const joint_part *joint_part_named(const joint *j, const char *name) {
    const joint_part *p;
    for (int i = 0; (p = joint_part_at(j, i)) != NULL; i++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

int joint_slides(const joint *j) {
    switch (j->kind->meeting) {
    case MEET_LINE:
        return 1;
    case MEET_PLANE:
        return 2;
    default:
        return 0;
    }
}

int joint_turns(const joint *j) {
    if (j->kind->meeting == MEET_NOT)
        return 0;
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

scalar joint_slide(elab *L, const joint *j, int which) {
    vector along = j->kind->meeting == MEET_LINE ? j->axis : which == 0 ? j->e1 : j->e2;
    value gap = frames_difference(L, joint_point(L, j, 1), joint_point(L, j, 0));
    return frames_dot(L, joint_vector(L, j, along), gap);
}

scalar joint_slide_rate(elab *L, const joint *j, int which) {
    return frames_rate(L, elab_scalar(joint_slide(L, j, which))).at[0];
}

scalar joint_turn_rate(elab *L, const joint *j, int which) {
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
