/* The kinds of joints. */
#include "mech/joints/joints.h"

static const char *const point_only[] = {"at", "at1", "at2", NULL};
static const char *const point_and_axis[] = {"at", "axis", "at1", "at2", "axis1", "axis2", NULL};
static const char *const point_and_normal[] = {"at", "normal", "at1", "at2", "normal1", "normal2", NULL};
static const char *const point_and_axes[] = {"at", "axis1", "axis2", "at1", "at2", NULL};
static const char *const of_distance[] = {"length", NULL};
static const char *const of_rolling[] = {"at", "normal", "radius", "axis", "at1", "normal1", "axis2", NULL};
static const char *const of_gear[] = {"ratio", NULL};
static const char *const of_rack[] = {"radius", NULL};

// name, in plane, in space, where the bodies meet, how they turn, has an angle, has a displacement, form,
// settings
const joint_kind joint_kinds[] = {
    {"revolute", true, true, MEET_POINT, TURN_ABOUT, true, false,
     "revolute(B1, B2, at = (0, 0, 0), axis = (0, 0, 1))", point_and_axis, NULL, NULL},
    {"spherical", false, true, MEET_POINT, TURN_FREE, false, false, "spherical(B1, B2, at = (0, 0, 0))",
     point_only, NULL, NULL},
    {"fixed", true, true, MEET_POINT, TURN_NOT, false, false, "fixed(B1, B2)", point_only, NULL, NULL},
    {"prismatic", true, true, MEET_LINE, TURN_NOT, false, true, "prismatic(B1, B2, axis = (1, 0, 0))",
     point_and_axis, NULL, NULL},
    {"cylindrical", false, true, MEET_LINE, TURN_ABOUT, true, true,
     "cylindrical(B1, B2, at = (0, 0, 0), axis = (0, 0, 1))", point_and_axis, NULL, NULL},
    {"universal", false, true, MEET_POINT, TURN_CROSS, false, false,
     "universal(B1, B2, at = (0, 0, 0), axis1 = (1, 0, 0), axis2 = (0, 1, 0))", point_and_axes, NULL, NULL},
    {"planar", false, true, MEET_PLANE, TURN_ABOUT, false, false,
     "planar(B1, B2, at = (0, 0, 0), normal = (0, 0, 1))", point_and_normal, NULL, NULL},
    {"distance", true, true, MEET_NOT, TURN_FREE, false, false, "distance(p, q, length = 1)", of_distance,
     distance_connect, distance_rows},
    {"rolling", true, true, MEET_NOT, TURN_FREE, false, false,
     "rolling(B1, B2, at = (0, 0, 0), normal = (0, 0, 1), radius = 1)", of_rolling, rolling_connect,
     rolling_rows},
    {"gear", true, true, MEET_NOT, TURN_FREE, false, false, "gear(J1, J2, ratio = 2)", of_gear,
     coupling_connect, gear_rows},
    {"rack", true, true, MEET_NOT, TURN_FREE, false, false, "rack(J1, J2, radius = 1)", of_rack,
     coupling_connect, rack_rows},
};
const int joint_kind_count = sizeof joint_kinds / sizeof *joint_kinds;
