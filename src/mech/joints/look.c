/* How joints look in pictures: a mark at the joint's point, lines from there to the centres of its bodies, a
 * line between the points of a distance, a wheel; and the force that a joint exerts. */
#include "mech/joints/joints.h"

#include <math.h>
#include <string.h>

static const char *name_of(elab *L, const joint *j) {
    text t;
    text_init(&t, L->arena);
    model_label(L->model, L->parts.at[j->part].label, &t);
    return text_string(&t);
}

elab_drawing joint_drawing(elab *L, const joint *j, draw_kind kind) {
    elab_begin(L);
    return (elab_drawing){.kind = kind, .label = name_of(L, j)};
}

void distance_draw(elab *L, joint *j, const binding *scope) {
    elab_drawing d = joint_drawing(L, j, DRAW_LINE);
    d.at = elab_eval(L, j->p, scope);
    d.to = elab_eval(L, j->q, scope);
    if (!elab_is_drawn(L))
        elab_draw(L, L->parts.at[j->part].at, &d);
}

// how far a shape reaches from its centre
static double reach(const body *b) {
    if (b->form == NULL)
        return 0;
    if (strcmp(b->form, "rod") == 0)
        return b->size[0] / 2;
    if (strcmp(b->form, "box") == 0)
        return sqrt(b->size[0] * b->size[0] + b->size[1] * b->size[1] + b->size[2] * b->size[2]) / 2;
    return strcmp(b->form, "cylinder") == 0 ? hypot(b->size[0], b->size[1] / 2) : b->size[0];
}

// a body is its shape, and what its joints and its centre span beyond it
static void draw_arm(elab *L, const joint *j, int side) {
    const body *b = j->body[side];
    if (body_is_ground(b) || body_is_link(b) || !body_draws_itself(L, b) ||
        !(vector_norm(j->point[side]) > reach(b) * (1 + 1e-9)))
        return;
    elab_drawing d = joint_drawing(L, j, DRAW_LINE);
    d.label = body_name(L, b);
    d.at = body_centre(L, b);
    d.to = joint_point(L, j, side);
    elab_draw(L, L->parts.at[j->part].at, &d);
}

// the rotation that takes z to the unit vector a
static quaternion from_z(vector a) {
    if (a.z < -1 + 1e-12)
        return (quaternion){.x = 1};
    double w = sqrt((1 + a.z) / 2);
    return (quaternion){.w = w, .x = -a.y / (2 * w), .y = a.x / (2 * w)};
}

void rolling_draw(elab *L, joint *j, const binding *scope) {
    const body *b = j->body[1];
    bool round = !j->planar && !j->is_disk;
    (void)scope;
    if (b->form || !body_draws_itself(L, b))
        return;
    elab_drawing d = joint_drawing(L, j, round ? DRAW_SPHERE : DRAW_CYLINDER);
    d.label = body_name(L, b);
    d.at = body_centre(L, b);
    d.size[0] = elab_picture(L, &j->radius);
    d.size[1] = 0.04 * j->radius.number;
    d.size_count = round ? 1 : 2;
    d.turn = body_rotation(L, b);
    if (j->is_disk && !j->planar)
        d.turn = frames_product(L, d.turn, frames_quaternion(L, from_z(j->axis2)));
    elab_draw(L, L->parts.at[j->part].at, &d);
}

static bool holds_drawn(elab *L, const joint *j) {
    for (int i = 0; i < 2; i++)
        if (!body_is_ground(j->body[i]) && !body_draws_itself(L, j->body[i]))
            return true;
    return false;
}

static void draw_meeting(elab *L, const joint *j) {
    if (j->body[0] == NULL || !j->placed)
        return;
    if (holds_drawn(L, j)) {
        draw_arm(L, j, 0);
        draw_arm(L, j, 1);
        return;
    }
    elab_drawing d = joint_drawing(L, j, DRAW_POINT);
    d.at = joint_point(L, j, 0);
    elab_draw(L, L->parts.at[j->part].at, &d);
    draw_arm(L, j, 0);
    draw_arm(L, j, 1);
}

static void show_force(elab *L, joint *j, const binding *scope) {
    elab_force f = {.label = name_of(L, j)};
    elab_begin(L);
    for (int i = 0; i < 2; i++)
        f.on[i] = j->body[i] ? body_name(L, j->body[i]) : NULL;
    if (joint_force(L, j, NULL, scope, &f))
        elab_show_force(L, L->parts.at[j->part].at, &f);
    for (int i = 0; i < L->model->frictions.count; i++) {
        const model_friction *friction = &L->model->frictions.at[i];
        elab_begin(L);
        f.label = arena_print(L->arena, "friction of %s", name_of(L, j));
        f.kind = "friction";
        if (friction->constraint == j->constraint && joint_force(L, j, friction, scope, &f))
            elab_show_load(L, L->parts.at[j->part].at, &f);
    }
}

value joint_shown_point(elab *L, const joint *j, int side) {
    return j->placed ? joint_point(L, j, side) : body_centre(L, j->body[side]);
}

// a frame fixed in a body, its z along the joint's axis there; in the plane what slides or rolls does so
// along x
static value frame_of(elab *L, const joint *j, int side) {
    value turn = body_rotation(L, j->body[side]);
    vector axis = side == 0                                      ? j->axis
                  : j->kind->turning == TURN_CROSS || j->is_disk ? j->axis2
                                                                 : rotation_apply(j->c, j->axis);
    if (!j->planar)
        return vector_norm(axis) > 0.5 ? frames_product(L, turn, frames_quaternion(L, from_z(axis))) : turn;
    if (side == 1) // as it was typed, they agree
        axis = rotation_apply(rotation_inverse(body_typed_rotation(L, j->body[1])),
                              rotation_apply(body_typed_rotation(L, j->body[0]), j->axis));
    double angle = j->kind->slides               ? atan2(axis.y, axis.x)
                   : j->kind->wheel && side == 0 ? atan2(-axis.x, axis.y)
                                                 : 0;
    return elab_scalar(frames_op(L, OP_ADD, turn.at[0], frames_number(L, angle)));
}

// what two joints do together
static void show_coupling(elab *L, const joint *j, elab_joint *out) {
    elab_begin(L);
    for (int i = 0; i < 2; i++)
        out->of[i] = name_of(L, j->coupled[i]);
    out->size = j->ratio;
    elab_show_joint(L, L->parts.at[j->part].at, out);
}

static void show_joint(elab *L, const joint *j, const binding *scope) {
    elab_joint out = {.label = name_of(L, j), .kind = j->kind->name};
    if (j->coupled[0]) {
        show_coupling(L, j, &out);
        return;
    }
    if (!j->p && !j->body[0])
        return;
    elab_begin(L);
    if (j->p) {
        out.at[0] = elab_eval(L, j->p, scope);
        out.at[1] = elab_eval(L, j->q, scope);
        elab_show_joint(L, L->parts.at[j->part].at, &out);
        return;
    }
    for (int i = 0; i < 2; i++) {
        out.of[i] = body_name(L, j->body[i]);
        out.at[i] = j->kind->wheel && i == 1 ? body_centre(L, j->body[1]) : joint_shown_point(L, j, i);
        out.turn[i] = frame_of(L, j, i);
    }
    out.size = j->kind->wheel ? elab_picture(L, &j->radius) : 0;
    out.kind = j->kind->wheel && !j->is_disk && !j->planar ? "rolling ball" : out.kind;
    elab_show_joint(L, L->parts.at[j->part].at, &out);
}

void joint_draw(elab *L, joint *j, const binding *scope) {
    show_force(L, j, scope);
    show_joint(L, j, scope);
    if (j->kind->draw)
        j->kind->draw(L, j, scope);
    else
        draw_meeting(L, j);
}
