/* What a joint fixes in its bodies. Points and axes are given in world axes at the typed start, or, for a
 * start that is only a rough guess, on each side in the axes of its body. */
#include "mech/joints/joints.h"

#include <math.h>
#include <string.h>

static bool fits(elab *L, joint *j, const stmt *s) {
    const joint_kind *kind = j->kind;
    if (j->planar ? kind->in_plane : kind->in_space)
        return true;
    elab_error(L, s->extent, "a %s joint is not one of planar bodies", kind->name)->hint =
        strcmp(kind->name, "spherical") == 0 ? "in the plane it is a revolute one" : NULL;
    return false;
}

bool joint_bodies(elab *L, joint *j, const stmt *s, const binding *scope) {
    for (int i = 0; i < 2; i++)
        if (!body_find(L, s->list.at[i], scope, &j->body[i]))
            return false;
    const body **b = j->body;
    if (b[0] == b[1]) {
        elab_error(L, s->list.at[1]->whole,
                   body_is_ground(b[0]) ? "a joint of the ground with itself"
                                        : "a joint of a body with itself")
            ->hint = "it connects two bodies, or a body and ground";
        return false;
    }
    for (int i = 0; i < 2; i++) // the world is as its counterpart is
        if (body_is_ground(b[i]))
            b[i] = body_ground(b[1 - i]->planar);
    if (b[0]->planar != b[1]->planar) {
        elab_error(L, s->list.at[1]->whole,
                   "'%s' moves in the plane and '%s' in space: no joint connects them",
                   body_name(L, b[!b[0]->planar]), body_name(L, b[b[0]->planar]))
            ->hint = "make both 'body' or both 'body2'";
        return false;
    }
    j->planar = b[0]->planar;
    return fits(L, j, s);
}

// ---- points

static const item *find(elab *L, const stmt *s, const char *name) {
    return setting_find(L, &s->settings, name);
}

const item *joint_needed(elab *L, const joint *j, const stmt *s, const char *name) {
    const item *it = setting_find(L, &s->settings, name);
    if (it == NULL)
        elab_error(L, s->extent, "this joint needs %s = ...", name)->hint =
            arena_print(L->arena, "write %s", j->kind->form);
    return it;
}

static bool missing(elab *L, const joint *j, const stmt *s, const char *what) {
    elab_error(L, s->extent, "this joint needs %s", what)->hint =
        j->planar
            ? "write it in the plane, as in revolute(B1, B2, at = (0, 0)) or prismatic(B1, B2, axis = (1, 0))"
            : arena_print(L->arena, "write %s", j->kind->form);
    return false;
}

// at1 and at2 stand for at: both, and not all three
static bool one_way(elab *L, const item *both, const item *first, const item *second, const char *form) {
    const item *extra = first ? first : second;
    if (both && extra) {
        diag_other(elab_error(L, extra->at, "this is given in two ways"), both->at, "the other is here");
        return false;
    }
    if (!both && extra && !(first && second)) {
        elab_error(L, extra->at, "the other side is missing")->hint = form;
        return false;
    }
    return true;
}

bool joint_points(elab *L, joint *j, const stmt *s, const binding *scope) {
    const item *at = find(L, s, "at"), *own[2] = {find(L, s, "at1"), find(L, s, "at2")};
    bool needed = !(j->kind->turning == TURN_NOT); // else it only says where the reaction acts
    if (!one_way(L, at, own[0], own[1],
                 "give both: at1 in the axes of the first body, at2 in those of the second"))
        return false;
    j->placed = at || own[0];
    if (own[0])
        return setting_vector(L, own[0]->value, scope, j->planar, "a point", &j->point[0]) &&
               setting_vector(L, own[1]->value, scope, j->planar, "a point", &j->point[1]);
    if (at == NULL && needed)
        return missing(L, j, s, "a point: at = ...");
    vector point = body_typed_centre(L, j->body[0]);
    if (at && !setting_vector(L, at->value, scope, j->planar, "a point", &point))
        return false;
    for (int i = 0; i < 2; i++)
        j->point[i] = body_typed_into(L, j->body[i], point);
    return true;
}

// ---- axes

bool joint_direction(elab *L, const joint *j, const item *it, const binding *scope, vector *out) {
    if (!setting_vector(L, it->value, scope, j->planar, "a direction", out))
        return false;
    double size = vector_norm(*out);
    if (!(size > 0)) {
        elab_error(L, it->value->whole, "a direction cannot be zero");
        return false;
    }
    *out = vector_scaled(1 / size, *out);
    return true;
}

/* c takes the axis of body 1 to that of body 2, and leaves no turn about it at the typed start. Where the two
 * agree there it is q2^-1 o q1. */
static void set_zero(elab *L, joint *j, vector axis2) {
    quaternion q1 = body_typed_rotation(L, j->body[0]), q2 = body_typed_rotation(L, j->body[1]);
    quaternion against = rotation_product(rotation_inverse(q2), q1); // of body 1 in the axes of body 2
    vector seen = rotation_apply(against, j->axis);
    j->c = rotation_product(rotation_between(seen, axis2), against);
    vector between =
        vector_difference(vector_sum(body_typed_centre(L, j->body[1]), rotation_apply(q2, j->point[1])),
                          vector_sum(body_typed_centre(L, j->body[0]), rotation_apply(q1, j->point[0])));
    j->slide0 = vector_dot(rotation_apply(q1, j->axis), between);
}

static bool perpendicular(elab *L, const joint *j, const stmt *s) {
    vector a = rotation_apply(body_typed_rotation(L, j->body[0]), j->axis);
    vector b = rotation_apply(body_typed_rotation(L, j->body[1]), j->axis2);
    if (find(L, s, "at1") || fabs(vector_dot(a, b)) < 1e-9)
        return true; // in axes of their own, that is a matter of assembly
    elab_error(L, find(L, s, "axis2")->at,
               "the axes of a universal joint are perpendicular; these are at %.6g degrees",
               acos(vector_dot(a, b)) * 57.29577951308232);
    return false;
}

// axis1 and axis2 of a universal joint: in world axes, unless the points are given in the bodies' own
static bool read_cross(elab *L, joint *j, const stmt *s, const binding *scope) {
    const item *own[2] = {find(L, s, "axis1"), find(L, s, "axis2")};
    bool inside = find(L, s, "at1") != NULL;
    if (own[0] == NULL || own[1] == NULL)
        return missing(L, j, s, "two axes: axis1 = ..., axis2 = ...");
    if (!joint_direction(L, j, own[0], scope, &j->axis) || !joint_direction(L, j, own[1], scope, &j->axis2))
        return false;
    if (!inside) {
        j->axis = body_typed_direction(L, j->body[0], j->axis);
        j->axis2 = body_typed_direction(L, j->body[1], j->axis2);
    }
    return perpendicular(L, j, s);
}

static bool read_axis(elab *L, joint *j, const stmt *s, const binding *scope, vector *axis2) {
    bool normal = j->kind->meeting == MEET_PLANE;
    const item *axis = find(L, s, normal ? "normal" : "axis");
    const item *own[2] = {find(L, s, normal ? "normal1" : "axis1"), find(L, s, normal ? "normal2" : "axis2")};
    if (!one_way(L, axis, own[0], own[1],
                 "give both: axis1 in the axes of the first body, axis2 in those of the second"))
        return false;
    if (axis == NULL && own[0] == NULL)
        return missing(L, j, s, normal ? "a normal: normal = ..." : "an axis: axis = ...");
    if (!joint_direction(L, j, axis ? axis : own[0], scope, &j->axis) ||
        !joint_direction(L, j, axis ? axis : own[1], scope, axis2))
        return false;
    if (axis) {
        j->axis = body_typed_direction(L, j->body[0], j->axis);
        *axis2 = body_typed_direction(L, j->body[1], *axis2);
    }
    return true;
}

static double planar_angle(elab *L, const body *b) {
    return b->rotation < 0 ? 0 : L->model->position.at[b->rotation].value;
}

// at which directions in the axes of two bodies agree, with the whole turns of the typed angle between these
static double meeting_angle(vector a, vector b, double typed) {
    static const double TURN = 6.283185307179586;
    double angle = atan2(a.y, a.x) - atan2(b.y, b.x);
    return angle + TURN * nearbyint((typed - angle) / TURN);
}

// in the plane a fixed or prismatic joint keeps the angle between the bodies, a revolute one has no axis to
// give
static bool planar_axes(elab *L, joint *j, const stmt *s, const binding *scope) {
    const item *axis = find(L, s, "axis");
    vector axis2 = {0};
    j->angle0 = planar_angle(L, j->body[1]) - planar_angle(L, j->body[0]);
    if (j->kind->meeting != MEET_LINE && axis) {
        elab_error(L, axis->at, "in the plane a %s joint has no axis", j->kind->name)->hint = "leave it away";
        return false;
    }
    if (j->kind->meeting != MEET_LINE)
        return true;
    if (!read_axis(L, j, s, scope, &axis2))
        return false;
    j->e1 = (vector){-j->axis.y, j->axis.x, 0};
    set_zero(L, j, axis2);
    if (find(L, s, "axis1"))
        j->angle0 = meeting_angle(j->axis, axis2, j->angle0);
    return true;
}

bool joint_axes(elab *L, joint *j, const stmt *s, const binding *scope) {
    vector axis2 = {.z = 1};
    if (j->planar)
        return planar_axes(L, j, s, scope);
    switch (j->kind->turning) {
    case TURN_FREE:
        return true;
    case TURN_CROSS:
        return read_cross(L, j, s, scope);
    default:
        j->axis = (vector){.z = 1}; // of a fixed joint: any
        if (strcmp(j->kind->name, "fixed") == 0)
            axis2 = body_typed_direction(L, j->body[1],
                                         rotation_apply(body_typed_rotation(L, j->body[0]), j->axis));
        else if (!read_axis(L, j, s, scope, &axis2))
            return false;
        vector_frame(j->axis, &j->e1, &j->e2);
        set_zero(L, j, axis2);
        return true;
    }
}
