/* Actuators: torque J = e and force J = e act along the freedoms of a joint, on body 2 and the opposite on
 * body 1. With r the velocity of a freedom (freedom.c) the power is e r, so that the force on each coordinate
 * is e dr/dv. About a universal joint these are torques about its axes, which are perpendicular. That of a
 * spherical joint is in the axes of body 2, as the torque on a body is in its own. */
#include "mech/joints/joints.h"

#include <string.h>

typedef struct {
    elab *elab;
    const stmt *s;
    const binding *scope;
    const joint *joint;
    bool torque;
    int count; // of the freedoms that the statement can act along
} actuation;

// by which single ones are named; NULL where there is but one
static const char *const *names_of(const actuation *a) {
    static const char *const turns[] = {"angle1", "angle2"}, *const components[] = {"x", "y", "z"},
                             *const slides[] = {"slide1", "slide2"};
    return a->count == 1 ? NULL : !a->torque ? slides : a->count == 2 ? turns : components;
}

// ---- what is wrong

static void no_freedom(const actuation *a) {
    elab *L = a->elab;
    const char *kind = a->joint->kind->name, *word = a->torque ? "torque" : "force";
    const char *name = names_text(L->names, a->s->items.at[0].name);
    bool other = a->torque ? joint_slides(a->joint) : joint_turns(a->joint);
    diag *d = elab_error(L, a->s->items.at[0].at, "no %s acts along a %s joint%s", word, kind,
                         !other      ? ""
                         : a->torque ? ", which does not turn"
                                     : ", which does not slide");
    if (other)
        d->hint = arena_print(L->arena, "write %s %s = ...", a->torque ? "force" : "torque", name);
    else if (a->joint->kind->force == coupling_force)
        d->hint = "it ties two joints: write torque J = ... or force J = ... of one of these";
    else if (a->joint->kind->wheel)
        d->hint = "write torque B = ... on the body that rolls, or torque J = ... on the joint of its axle";
    else if (a->joint->kind->place == distance_place)
        d->hint = "it holds the distance; a force between two points is that of a spring, or one on each: "
                  "force B at (0, 0, 1) = ...";
    else
        d->hint = "torques act on revolute, cylindrical, universal, spherical and planar joints, forces on "
                  "prismatic, cylindrical and planar ones";
}

static const char *form_of(const actuation *a) {
    const char *const *single = names_of(a);
    const char *word = a->torque ? "torque" : "force";
    const char *name = names_text(a->elab->names, a->s->items.at[0].name);
    if (single == NULL)
        return arena_print(a->elab->arena, "write %s %s = e", word, name);
    return arena_print(a->elab->arena, "write %s %s = %s, or one by its name: %s %s.%s = e", word, name,
                       a->count == 2 ? "(e1, e2)" : "(e1, e2, e3)", word, name, single[0]);
}

// the freedoms that the statement names: from `first` on
static bool named(const actuation *a, int *first, int *count) {
    place part = a->s->items.at[0].part;
    const char *const *single = names_of(a);
    *first = 0;
    *count = a->count;
    if (part.source == NULL)
        return true;
    const char *name = arena_copy(a->elab->arena, part.source->text + part.offset, (size_t)part.length);
    for (*count = 1; single && *first < a->count; ++*first)
        if (strcmp(single[*first], name) == 0)
            return true;
    elab_error(a->elab, part, "a %s joint has no %s '.%s'", a->joint->kind->name,
               a->torque ? "torque" : "force", name)
        ->hint = form_of(a);
    return false;
}

static bool effort_of(const actuation *a, int count, value *out) {
    const node *n = a->s->value;
    if (n == NULL)
        return false;
    *out = elab_eval(a->elab, n, a->scope);
    if (out->size == count && !out->condition)
        return true;
    if (out->size)
        elab_error(a->elab, n->whole, "a %s on this %s joint is %s, not %s", a->torque ? "torque" : "force",
                   a->joint->kind->name, setting_form(count),
                   out->condition ? "a condition" : setting_form(out->size))
            ->hint = form_of(a);
    return false;
}

// ---- elements

// about an axis that is fixed in both bodies: each in its own axes, where that is short
static scalar about_axis(elab *L, const joint *j) {
    const vector axis[] = {j->axis, rotation_apply(j->c, j->axis)};
    scalar rate[2];
    for (int i = 0; i < 2; i++)
        rate[i] = frames_dot(L, frames_vector(L, axis[i], 3), body_omega(L, j->body[i]));
    return frames_op(L, OP_SUB, rate[1], rate[0]);
}

static scalar rate_of(const actuation *a, int which) {
    elab *L = a->elab;
    const joint *j = a->joint;
    if (!a->torque)
        return joint_slide_rate(L, j, which);
    if (!j->planar && j->kind->turning == TURN_ABOUT)
        return about_axis(L, j);
    if (j->kind->turning != TURN_FREE)
        return joint_turn_rate(L, j, which);
    value omega = frames_rotate_back(L, body_rotation(L, j->body[1]), body_world_omega(L, j->body[0]));
    return frames_difference(L, body_omega(L, j->body[1]), omega).at[which];
}

// the number of the actuator: several statements add up
static int number_of(const actuation *a, int which) {
    model *m = a->elab->model;
    model_actuator new = {
        .label = a->joint->label, .part = a->joint->part, .torque = a->torque, .freedom = which};
    new.written = elab_shown(a->elab, a->s->value->whole, a->scope);
    new.label.call = a->torque ? "torque" : "force";
    new.label.part = names_of(a) ? names_of(a)[which] : NULL;
    for (int i = 0; i < m->actuators.count; i++) {
        const model_actuator *old = &m->actuators.at[i];
        if (old->part == new.part && old->torque == new.torque && old->freedom == which) {
            m->actuators.at[i].written = arena_print(a->elab->arena, "%s + %s", old->written, new.written);
            return i;
        }
    }
    vec_push(a->elab->arena, m->actuators, new);
    return m->actuators.count - 1;
}

static bool act_along(const actuation *a, int first, int which, int count) {
    elab *L = a->elab;
    value effort;
    elab_begin(L);
    if (!effort_of(a, count, &effort))
        return false;
    scalar rate = rate_of(a, first + which);
    expr parts[SHAPE_PARTS] = {elab_expr(L, effort.at[which])};
    parts[PART_RATE] = elab_expr(L, rate);
    int target = number_of(a, first + which);
    elab_finish(L, SHAPE_ACTUATOR, a->s->value->whole, parts, &target, 1);
    return true;
}

void joint_actuate(elab *L, const stmt *s, const binding *scope, int part) {
    int record = L->parts.at[part].record, first, count;
    joint *j = record < 0 ? NULL : parts_of(L)->joints.at[record];
    if (j == NULL || !j->connected)
        return; // told
    actuation a = {L, s, scope, j, s->kind == STMT_TORQUE, 0};
    a.count = a.torque ? joint_turns(j) : joint_slides(j);
    if (a.count == 0)
        no_freedom(&a);
    else if (s->point)
        elab_error(L, s->point->whole, "a force on a joint acts along it, and not at a point")->hint =
            form_of(&a);
    else if (named(&a, &first, &count))
        for (int i = 0; i < count; i++)
            if (!act_along(&a, first, i, count))
                return;
}

/* Of joints with one such freedom: a torque about the axis; a force along it, at the point of body 2, as the
 * axis is fixed in body 1. */
void joint_show_effort(elab *L, const stmt *s, const binding *scope, int part) {
    const joint *j = parts_of(L)->joints.at[L->parts.at[part].record];
    actuation a = {L, s, scope, j, s->kind == STMT_TORQUE, 1};
    bool turns = a.torque && j->kind->turning == TURN_ABOUT, slides = !a.torque && joint_slides(j) == 1;
    value effort;
    L->allowed = (allowance){WITH_RESULTS, false, "a drawing"};
    elab_begin(L);
    if (!(turns || slides) || s->items.at[0].part.source || !effort_of(&a, 1, &effort))
        return;
    elab_force out = {.kind = "applied", .at = joint_point(L, j, 1)};
    out.label = arena_print(L->arena, "%s %s", a.torque ? "torque" : "force", part_name(L, part));
    for (int i = 0; i < 2; i++)
        out.on[i] = body_name(L, j->body[i]);
    value axis = {0};
    if (!j->planar || slides)
        axis = body_vector(L, j->body[0], frames_vector(L, j->axis, j->planar ? 2 : 3));
    value along = axis.size ? frames_scaled(L, effort.at[0], axis) : effort;
    *(a.torque ? &out.torque : &out.force) = along;
    elab_show_load(L, s->items.at[0].at, &out);
}
