/* How particles, bodies and springs look in pictures: a body as its shape, else as the homogeneous ellipsoid
 * (in the plane: square plate) of its mass and inertia, with m/5 (b^2 + c^2) = Jx (plate: m/6 a^2 = J). Links
 * in the plane, which joints hold off their centre, are lines, as in a drawing of a mechanism. */
#include "mech/bodies.h"

#include "base/hull.h"
#include "mech/inertia.h"
#include "mech/joints/joints.h"

#include <math.h>
#include <string.h>

const char *part_name(elab *L, int part) {
    text t;
    text_init(&t, L->arena);
    model_label(L->model, L->parts.at[part].label, &t);
    return text_string(&t);
}

// half axes about the principal axes, to which it turns; none is less than a twentieth of the largest, so
// that thin bodies are seen. What has no place in the world has no scale either: there the largest is 1.
static quaternion ellipsoid(elab *L, const body *b, double *out) {
    double J[6], moment[3], largest = 0, m = elab_picture(L, &b->mass);
    for (int i = 0; i < 6; i++)
        J[i] = elab_picture(L, &b->inertia[i]);
    quaternion axes = inertia_axes(J, moment);
    for (int i = 0; i < 3; i++) {
        double sum = moment[(i + 1) % 3] + moment[(i + 2) % 3] - moment[i];
        out[i] = m > 0 || b->position < 0 ? sqrt(fmax(0, 2.5 / (m > 0 ? m : 1) * sum)) : 0;
        largest = fmax(largest, out[i]);
    }
    double unit = b->position < 0 && largest > 0 ? largest : 1;
    for (int i = 0; i < 3; i++)
        out[i] = fmax(out[i], 0.05 * largest) / unit;
    return axes;
}

static void plate(elab *L, const body *b, double *out) {
    double m = elab_picture(L, &b->mass), J = elab_picture(L, &b->inertia[0]);
    out[0] = out[1] = m > 0 ? sqrt(6 * J / m) : 0;
    out[2] = 0.05 * out[0];
}

static void draw_rod(elab *L, const body *b, elab_drawing d) {
    value end = frames_vector(L, (vector){b->size[0] / 2, 0, 0}, 3);
    d.kind = DRAW_LINE;
    d.at = body_point(L, b, frames_scaled(L, elab_constant(L, -1), end));
    d.to = body_point(L, b, end);
    elab_draw(L, L->parts.at[b->part].at, &d);
}

// a disk is a flat cylinder
static void draw_shape(elab *L, const body *b, elab_drawing d) {
    bool disk = strcmp(b->form, "disk") == 0;
    d.kind = disk || strcmp(b->form, "cylinder") == 0 ? DRAW_CYLINDER
             : strcmp(b->form, "sphere") == 0         ? DRAW_SPHERE
                                                      : DRAW_BOX;
    d.size_count = d.kind == DRAW_SPHERE ? 1 : d.kind == DRAW_CYLINDER ? 2 : 3;
    memcpy(d.size, b->size, sizeof d.size);
    if (disk)
        d.size[1] = 0.04 * b->size[0];
    elab_draw(L, L->parts.at[b->part].at, &d);
}

bool body_is_link(const body *b) {
    enum { ROOM = sizeof b->arm / sizeof *b->arm };
    return b->form == NULL && !b->meshed && !b->wheel && b->arms >= 2 && b->arms <= ROOM && b->rotation >= 0;
}

// the two points that are farthest from each other
static void ends_of(const body *b, int *first, int *last) {
    double most = -1;
    for (int i = 0; i < b->arms; i++)
        for (int k = 0; k < i; k++) {
            double length = vector_norm(vector_difference(b->arm[i], b->arm[k]));
            if (length > most)
                *first = k, *last = i, most = length;
        }
}

// the rotation whose x and y are these
static quaternion from_axes(vector x, vector y) {
    vector z = vector_cross(x, y);
    quaternion tilt = rotation_between((vector){0, 0, 1}, z);
    vector from = rotation_apply(tilt, (vector){1, 0, 0});
    double angle = atan2(vector_dot(vector_cross(from, x), z), vector_dot(from, x));
    return rotation_product(rotation_about(z, angle), tilt);
}

static void draw_plate(elab *L, const body *b, elab_drawing d, int first, vector along, vector across) {
    double *points = arena_doubles(L->arena, 2 * (size_t)b->arms);
    double *corners = arena_doubles(L->arena, 2 * (size_t)b->arms);
    for (int i = 0; i < b->arms; i++) {
        vector v = vector_difference(b->arm[i], b->arm[first]);
        points[2 * i] = vector_dot(v, along);
        points[2 * i + 1] = vector_dot(v, across);
    }
    d.kind = DRAW_PLATE;
    d.corners = corners;
    d.corner_count = hull_wrap(points, b->arms, corners);
    d.at = body_point(L, b, frames_vector(L, b->arm[first], b->planar ? 2 : 3));
    if (b->planar)
        d.turn = elab_scalar(frames_op(L, OP_ADD, d.turn.at[0], frames_number(L, atan2(along.y, along.x))));
    else
        d.turn = frames_product(L, d.turn, frames_quaternion(L, from_axes(along, across)));
    elab_draw(L, L->parts.at[b->part].at, &d);
}

static void draw_bar(elab *L, const body *b, elab_drawing d, vector from, vector to) {
    int size = b->planar ? 2 : 3;
    d = (elab_drawing){.kind = DRAW_LINE, .label = d.label, .colour = d.colour};
    d.at = body_point(L, b, frames_vector(L, from, size));
    d.to = body_point(L, b, frames_vector(L, to, size));
    elab_draw(L, L->parts.at[b->part].at, &d);
}

// a rod between two points, a plate through more in a plane, else rods to the centre
static void draw_link(elab *L, const body *b, elab_drawing d) {
    static const double THIN = 1e-3; // of its length
    int first = 0, last = 1, off = -1;
    double most = 0;
    ends_of(b, &first, &last);
    vector span = vector_difference(b->arm[last], b->arm[first]);
    double length = vector_norm(span);
    vector along = vector_scaled(1 / length, span), across = {0};
    for (int i = 0; i < b->arms; i++) {
        vector v = vector_difference(b->arm[i], b->arm[first]);
        vector aside = vector_difference(v, vector_scaled(vector_dot(v, along), along));
        if (vector_norm(aside) > fmax(most, THIN * length))
            off = i, most = vector_norm(aside), across = vector_scaled(1 / most, aside);
    }
    if (off < 0) {
        draw_bar(L, b, d, b->arm[first], b->arm[last]);
        return;
    }
    vector normal = vector_cross(along, across);
    bool flat = true;
    if (b->planar)
        across = (vector){-along.y, along.x, 0};
    for (int i = 0; i < b->arms; i++)
        flat &= fabs(vector_dot(vector_difference(b->arm[i], b->arm[first]), normal)) <= THIN * length;
    if (flat)
        draw_plate(L, b, d, first, along, across);
    for (int i = 0; i < b->arms && !flat; i++) {
        elab_begin(L);
        draw_bar(L, b, d, (vector){0}, b->arm[i]);
    }
}

static void draw_inertia(elab *L, const body *b, elab_drawing d) {
    d.kind = b->planar ? DRAW_BOX : DRAW_ELLIPSOID;
    d.size_count = 3;
    if (b->planar)
        plate(L, b, d.size);
    else
        d.turn = frames_product(L, d.turn, frames_quaternion(L, ellipsoid(L, b, d.size)));
    if (!(d.size[0] > 0) || (b->planar && b->armed)) // a point mass, or none, or a link: its joints show it
        d = (elab_drawing){.kind = DRAW_POINT, .label = d.label, .at = d.at, .colour = d.colour};
    elab_draw(L, L->parts.at[b->part].at, &d);
}

// whether there are constraints beside those of bodies and joints
static bool has_plain_constraints(elab *L) {
    mech_parts *p = parts_of(L);
    if (p->plain == 0) {
        p->plain = 1 + L->model->constraints.count;
        for (int i = 0; i < L->parts.count; i++)
            p->plain -= L->parts.at[i].constraint >= 0;
    }
    return p->plain > 1;
}

// whether what constrains bodies are joints that tell their force body by body
static bool has_joints_only(elab *L) {
    const mech_parts *p = parts_of(L);
    for (int i = 0; i < p->joints.count; i++)
        if (p->joints.at[i]->kind->force)
            return false;
    return !has_plain_constraints(L);
}

// the constraint force on a particle or body that no joint connects
static void show_reaction(elab *L, const body *b) {
    value at, force = {.size = b->planar ? 2 : 3};
    if (b->position < 0 || b->joined || !has_plain_constraints(L))
        return;
    elab_begin(L);
    at = body_centre(L, b);
    for (int i = 0; i < force.size; i++) {
        model_result r = {.kind = RESULT_REACTION, .coordinate = b->position + i};
        force.at[i] = (scalar){.e = elab_result(L, r)};
    }
    const char *name = part_name(L, b->part);
    elab_force shown = {.label = elab_force_name(L, name), .at = at, .force = force, .on = {NULL, name}};
    elab_show_force(L, L->parts.at[b->part].at, &shown);
}

static value results(elab *L, result_kind kind, int first, int count) {
    value out = {.size = count};
    for (int i = 0; i < out.size; i++) {
        model_result r = {.kind = kind, .coordinate = first + i};
        out.at[i] = (scalar){.e = elab_result(L, r)};
    }
    return out;
}

// J omega, in its own axes
static value spin(elab *L, const body *b) {
    static const int number[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    value omega = body_omega(L, b), out = {.size = 3};
    for (int i = 0; i < 3; i++) {
        value row = {.size = 3};
        for (int k = 0; k < 3; k++)
            row.at[k] = b->inertia[number[i][k]];
        out.at[i] = frames_dot(L, row, omega);
    }
    return out;
}

/* About its centre. The forces that are given on a quaternion hold -omega x J omega, as its kinetic energy
 * depends on it: that is of the inertia. */
static void show_torques(elab *L, const body *b, elab_body *d) {
    int count = b->planar ? 1 : 4;
    value active = results(L, RESULT_ACTIVE, b->rotation, count);
    value constraint = results(L, RESULT_REACTION, b->rotation, count);
    if (b->planar) {
        d->active_torque = active;
        d->constraint_torque = constraint;
        scalar less = frames_op(L, OP_SUB, elab_constant(L, 0), b->inertia[0]);
        d->inertia_torque = frames_scaled(L, less, frames_rate(L, body_omega(L, b)));
        return;
    }
    value turn = body_rotation(L, b), spun = spin(L, b);
    value gyroscopic = frames_cross(L, body_omega(L, b), spun);
    value given = frames_sum(L, frames_torque(L, turn, active), gyroscopic);
    value rate = frames_sum(L, frames_rate(L, spun), gyroscopic);
    d->active_torque = body_vector(L, b, given);
    d->constraint_torque = body_vector(L, b, frames_torque(L, turn, constraint));
    d->inertia_torque = frames_scaled(L, elab_constant(L, -1), body_vector(L, b, rate));
}

// what acts on it: its free-body diagram
static void show_body(elab *L, const body *b) {
    if (b->position < 0 || !b->described)
        return;
    elab_begin(L);
    elab_body d = {.label = part_name(L, b->part), .at = body_centre(L, b)};
    d.weight = body_weight(L, b);
    d.active = results(L, RESULT_ACTIVE, b->position, b->planar ? 2 : 3);
    d.constraint = results(L, RESULT_REACTION, b->position, b->planar ? 2 : 3);
    value acceleration = frames_rate(L, frames_rate(L, d.at));
    d.inertia = frames_scaled(L, frames_op(L, OP_SUB, elab_constant(L, 0), b->mass), acceleration);
    if (b->rotation >= 0)
        show_torques(L, b, &d);
    d.joints_only = b->joined && has_joints_only(L);
    elab_show_body(L, L->parts.at[b->part].at, &d);
}

bool body_draws_itself(elab *L, const body *b) {
    elab_begin(L);
    body_centre(L, b);
    body_rotation(L, b);
    return !b->meshed && !elab_is_drawn(L);
}

static void draw_mesh(elab *L, const stmt *s, const binding *scope, const body *b, int part) {
    elab_drawing d = {.label = part_name(L, part)};
    elab_begin(L);
    if (mesh_of_body(L, s, scope, b, &d))
        elab_draw(L, L->parts.at[part].at, &d);
}

void body_draw(elab *L, const stmt *s, const binding *scope, int part) {
    const body *b = &parts_of(L)->bodies.at[L->parts.at[part].record];
    show_reaction(L, b);
    show_body(L, b);
    if (b->meshed)
        draw_mesh(L, s, scope, b, part);
    if ((b->wheel && b->form == NULL) || !body_draws_itself(L, b)) // its joint draws a wheel
        return;
    elab_begin(L);
    elab_drawing d = {
        .kind = DRAW_POINT, .label = part_name(L, part), .at = body_centre(L, b), .colour = b->colour};
    if (b->rotation < 0) {
        elab_draw(L, L->parts.at[part].at, &d);
        return;
    }
    d.turn = body_rotation(L, b);
    if (body_is_link(b))
        draw_link(L, b, d);
    else if (b->form && strcmp(b->form, "rod") == 0)
        draw_rod(L, b, (elab_drawing){.label = d.label, .colour = d.colour});
    else if (b->form)
        draw_shape(L, b, d);
    else
        draw_inertia(L, b, d);
}

void spring_draw(elab *L, const stmt *s, const binding *scope, int part) {
    if (s->list.count != 2)
        return;
    elab_begin(L);
    elab_drawing d = {.kind = DRAW_SPRING, .label = part < 0 ? "" : part_name(L, part)};
    d.at = elab_eval(L, s->list.at[0], scope);
    d.to = elab_eval(L, s->list.at[1], scope);
    if (!elab_is_drawn(L))
        elab_draw(L, s->at, &d);
}
