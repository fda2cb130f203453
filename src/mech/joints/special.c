/* Joints that do not follow from the table: distances between points, wheels that roll, and couplings of
 * other joints. */
#include "mech/joints/joints.h"

#include <math.h>
#include <string.h>

static scalar times(elab *L, scalar a, scalar b) {
    return frames_op(L, OP_MUL, a, b);
}

// ---- distance: |q - p| = l, as (|q - p|^2 - l^2) / (2 l), which is smooth where p = q and has the same
// multiplier

bool distance_connect(elab *L, joint *j, const stmt *s, const binding *scope) {
    (void)scope;
    j->p = s->list.at[0];
    j->q = s->list.at[1];
    return joint_needed(L, j, s, "length") != NULL;
}

static bool ends(elab *L, const joint *j, const binding *scope, value *between) {
    L->allowed = (allowance){WITH_P, false, "a point of a distance"};
    value p = elab_eval(L, j->p, scope), q = elab_eval(L, j->q, scope);
    if (p.size == 0 || q.size == 0)
        return false;
    if (p.size != q.size || p.size == 1 || p.size == 4) {
        elab_error(L, j->q->whole, "a distance is between two points, two pairs or two triples");
        return false;
    }
    *between = frames_difference(L, q, p);
    return true;
}

void distance_rows(elab *L, joint *j, const stmt *s, const binding *scope) {
    const node *n = setting_find(L, &s->settings, "length")->value;
    value between;
    scalar length, two = elab_constant(L, 2);
    elab_begin(L);
    if (!ends(L, j, scope, &between))
        return;
    L->allowed = (allowance){WITH_P, false, "a length"};
    if (!elab_number(L, n, scope, &length))
        return;
    if (length.known && !elab_asks(L, OP_LT, elab_plain(0), length)) {
        elab_error(L, n->whole, "a distance is larger than 0, not %.6g", length.number)->hint =
            "where two points coincide, write a spherical or revolute joint";
        return;
    }
    scalar off = frames_op(L, OP_SUB, frames_dot(L, between, between), times(L, length, length));
    joint_row(L, j, "1", frames_op(L, OP_DIV, off, times(L, two, length)));
}

value distance_place(elab *L, joint *j, const binding *scope) {
    return elab_eval(L, j->q, scope);
}

// multiplier times the unit vector from p to q
static value pull(elab *L, const joint *j, const node *n, const binding *scope) {
    value between;
    const model_constraint *c = &L->model->constraints.at[L->parts.at[j->part].constraint];
    value multiplier =
        elab_result_value(L, n, (model_result){.kind = RESULT_MULTIPLIER, .first = c->first_row});
    allowance old = L->allowed;
    bool ok = multiplier.size && ends(L, j, scope, &between);
    L->allowed = old;
    if (!ok)
        return elab_wrong();
    scalar square = frames_dot(L, between, between), length = elab_op(L, OP_SQRT, &square);
    return frames_scaled(L, frames_op(L, OP_DIV, multiplier.at[0], length), between);
}

// the part that a point such as P or point(B, s) is of
static bool point_is_of(elab *L, const node *n, const binding *scope, int part) {
    int found;
    if (n->kind == NODE_CALL && n->count > 0 && strcmp(names_text(L->names, n->name), "point") == 0)
        n = n->args[0];
    return elab_names_part(L, n, scope) && elab_find_part(L, n, scope, "a body", &found) && found == part;
}

// 1 for q, -1 for p; 0, and an error, if it is of neither
static int end_of(elab *L, const joint *j, const node *n, const binding *scope) {
    int part;
    if (!elab_find_part(L, n, scope, "a particle or body", &part))
        return 0;
    if (point_is_of(L, j->q, scope, part))
        return 1;
    if (point_is_of(L, j->p, scope, part))
        return -1;
    elab_error(L, n->whole, "neither point of this joint is of it");
    return 0;
}

value distance_force(elab *L, joint *j, const node *n, const binding *scope, bool torque) {
    int sign = n->count == 2 ? end_of(L, j, n->args[1], scope) : 1;
    value force = sign ? pull(L, j, n, scope) : elab_wrong();
    if (torque && force.size)
        force = frames_known(L, (double[]){0, 0, 0}, force.size == 2 ? 1 : 3);
    return sign < 0 && force.size ? frames_scaled(L, elab_constant(L, -1), force) : force;
}

// ---- rolling

// `in_world`, or `own` of the same, in the axes of its body; false, and an error, if both are given
static bool either(elab *L, const stmt *s, const char *in_world, const char *own, const item **world,
                   const item **inside) {
    *world = setting_find(L, &s->settings, in_world);
    *inside = setting_find(L, &s->settings, own);
    if (*world == NULL || *inside == NULL)
        return true;
    diag_other(elab_error(L, (*inside)->at, "this is given in two ways"), (*world)->at, "the other is here");
    return false;
}

// the plane, fixed in body 1
static bool read_plane(elab *L, joint *j, const stmt *s, const binding *scope) {
    const item *at, *at1, *normal, *normal1;
    if (!either(L, s, "at", "at1", &at, &at1) || !either(L, s, "normal", "normal1", &normal, &normal1) ||
        (!at1 && !joint_needed(L, j, s, "at")) || (!normal1 && !joint_needed(L, j, s, "normal")))
        return false;
    if (!setting_vector(L, (at ? at : at1)->value, scope, j->planar, "a point", &j->point[0]) ||
        !joint_direction(L, j, normal ? normal : normal1, scope, &j->axis))
        return false;
    if (at)
        j->point[0] = body_typed_into(L, j->body[0], j->point[0]);
    if (normal)
        j->axis = body_typed_direction(L, j->body[0], j->axis);
    j->e1 = (vector){j->axis.y, -j->axis.x, 0};
    if (!j->planar)
        vector_frame(j->axis, &j->e1, &j->e2);
    return true;
}

// of a disk, fixed in body 2
static bool read_wheel_axis(elab *L, joint *j, const stmt *s, const binding *scope) {
    const item *axis, *axis2;
    if (!either(L, s, "axis", "axis2", &axis, &axis2))
        return false;
    const item *given = axis ? axis : axis2;
    if (given == NULL)
        return true;
    if (j->planar) {
        elab_error(L, given->at, "in the plane a wheel has no axis")->hint = "leave it away";
        return false;
    }
    j->is_disk = true;
    if (!joint_direction(L, j, given, scope, &j->axis2))
        return false;
    if (axis)
        j->axis2 = body_typed_direction(L, j->body[1], j->axis2);
    vector up = rotation_apply(body_typed_rotation(L, j->body[0]), j->axis);
    if (1 - fabs(vector_dot(rotation_apply(body_typed_rotation(L, j->body[1]), j->axis2), up)) >= 1e-9)
        return true;
    elab_error(L, given->at, "the disk lies flat: its axis is the normal of the plane")->hint =
        "it must touch the plane with its rim";
    return false;
}

bool rolling_connect(elab *L, joint *j, const stmt *s, const binding *scope) {
    if (!joint_bodies(L, j, s, scope) || !read_plane(L, j, s, scope))
        return false;
    const item *radius = joint_needed(L, j, s, "radius");
    if (!radius || !elab_known_scalar(L, radius->value, scope, "a radius", &j->radius))
        return false;
    if (!elab_asks(L, OP_LT, elab_plain(0), j->radius)) {
        elab_error(L, radius->value->whole, "a radius is larger than 0, not %.6g", j->radius.number);
        return false;
    }
    return read_wheel_axis(L, j, s, scope);
}

// from the contact to the centre, in world axes: radius times a unit vector
static value upwards(elab *L, const joint *j, scalar *height) {
    value n = joint_vector(L, j, j->axis);
    *height = j->radius;
    if (!j->is_disk)
        return frames_scaled(L, j->radius, n);
    value a = body_vector(L, j->body[1], frames_vector(L, j->axis2, 3));
    scalar cosine = frames_dot(L, n, a),
           rest = frames_op(L, OP_SUB, elab_constant(L, 1), times(L, cosine, cosine));
    scalar sine = elab_op(L, OP_SQRT, &rest);
    *height = times(L, j->radius, sine);
    return frames_scaled(L, frames_op(L, OP_DIV, j->radius, sine),
                         frames_difference(L, n, frames_scaled(L, cosine, a)));
}

value rolling_place(elab *L, joint *j, const binding *scope) {
    scalar height;
    (void)scope;
    return frames_difference(L, body_centre(L, j->body[1]), upwards(L, j, &height));
}

// velocity of the body's material at `arm` from its centre
static value material(elab *L, const body *b, value arm) {
    value v = frames_rate(L, body_centre(L, b)),
          omega = b->planar ? body_omega(L, b) : body_world_omega(L, b);
    if (!b->planar)
        return frames_sum(L, v, frames_cross(L, omega, arm));
    scalar w = omega.at[0], back = times(L, w, arm.at[1]);
    value turned = {.size = 2, .at = {elab_op(L, OP_NEG, &back), times(L, w, arm.at[0])}};
    return frames_sum(L, v, turned);
}

static void slip_row(elab *L, const joint *j, int which, vector along) {
    scalar height, minus = elab_constant(L, -1);
    elab_begin(L);
    value up = upwards(L, j, &height), slip = material(L, j->body[1], frames_scaled(L, minus, up));
    if (!body_is_ground(j->body[0])) {
        value contact = frames_difference(L, body_centre(L, j->body[1]), up);
        value arm = frames_difference(L, contact, body_centre(L, j->body[0]));
        slip = frames_difference(L, slip, material(L, j->body[0], arm));
    }
    joint_row(L, j, joint_row_name(which), frames_dot(L, joint_vector(L, j, along), slip));
}

void rolling_rows(elab *L, joint *j, const stmt *s, const binding *scope) {
    scalar height;
    (void)s;
    (void)scope;
    elab_begin(L);
    upwards(L, j, &height);
    value above = frames_difference(L, body_centre(L, j->body[1]), joint_point(L, j, 0));
    scalar off = frames_op(L, OP_SUB, frames_dot(L, joint_vector(L, j, j->axis), above), height);
    joint_row(L, j, "1", (scalar){.e = elab_only(L, elab_expr(L, off))});
    slip_row(L, j, 1, j->e1);
    if (!j->planar)
        slip_row(L, j, 2, j->e2);
}

// ---- gear and rack

bool coupling_connect(elab *L, joint *j, const stmt *s, const binding *scope) {
    (void)scope;
    return joint_needed(L, j, s, j->kind->settings[0]) != NULL;
}

value coupling_force(elab *L, joint *j, const node *n, const binding *scope, bool torque) {
    (void)scope;
    elab_error(L, n->at, "a %s couples two joints and has no %s of its own", j->kind->name,
               torque ? "torque" : "force")
        ->hint = "its multiplier is the torque or force on the second joint's motion: multiplier(NAME)";
    return elab_wrong();
}

static bool coupled(elab *L, const stmt *s, const binding *scope, int which, bool slides, joint **out) {
    if (!joint_find(L, s->list.at[which], scope, out))
        return false;
    if (slides ? (*out)->kind->slides : (*out)->kind->turns)
        return true;
    elab_error(L, s->list.at[which]->whole, "a %s joint has no %s", (*out)->kind->name,
               slides ? "displacement" : "angle")
        ->hint = slides ? "rack(J1, J2, radius = r) is displacement(J2) = r*angle(J1)" : NULL;
    return false;
}

// what the second joint does is `ratio` times the angle of the first
static void coupling_rows(elab *L, joint *j, const stmt *s, const binding *scope, bool slides) {
    joint *first, *second;
    scalar ratio;
    if (!coupled(L, s, scope, 0, false, &first) || !coupled(L, s, scope, 1, slides, &second))
        return;
    if (first == second && !slides) {
        elab_error(L, s->list.at[1]->whole, "a gear of a joint with itself")->hint =
            "it couples the angles of two joints";
        return;
    }
    elab_begin(L);
    L->allowed = (allowance){0, false, slides ? "a radius" : "a ratio"};
    if (!elab_number(L, setting_find(L, &s->settings, j->kind->settings[0])->value, scope, &ratio))
        return;
    j->coupled[0] = first;
    j->coupled[1] = second;
    j->ratio = ratio.known ? elab_picture(L, &ratio) : 0;
    scalar driven = slides ? joint_displacement(L, second) : joint_angle(L, second);
    joint_row(L, j, "1", frames_op(L, OP_SUB, driven, times(L, ratio, joint_angle(L, first))));
}

void gear_rows(elab *L, joint *j, const stmt *s, const binding *scope) {
    coupling_rows(L, j, s, scope, false);
}

void rack_rows(elab *L, joint *j, const stmt *s, const binding *scope) {
    coupling_rows(L, j, s, scope, true);
}
