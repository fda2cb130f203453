/* The functions of joints: angle(J), displacement(J), drive(J), reaction(J), torque(J).
 *
 * The share of a joint's rows in the constraint force on a body's coordinates is A' lambda: on its centre the
 * force F itself, on its quaternion f, which is the torque E f / 2 about its centre c in its own axes. About
 * the joint's point P it is R E f / 2 + (c - P) x F. What a joint does to one body it does, with opposite
 * sign, to the other. */
#include "mech/joints/joints.h"

#include <string.h>

typedef struct {
    elab *elab;
    const node *node;
    const binding *scope;
    joint *joint;
    const model_friction *friction; // whose rows are asked for; NULL: the joint's
} call;

static value shares(call c, int first, int count) {
    elab *L = c.elab;
    const model_constraint *k = &L->model->constraints.at[L->parts.at[c.joint->part].constraint];
    int row = c.friction ? c.friction->stick_first : k->first_row;
    int rows = c.friction ? c.friction->stick_count : k->row_count;
    value out = {.size = count};
    for (int i = 0; i < count; i++) {
        model_result r = {RESULT_SHARE, first + i, row, rows};
        value v = elab_result_value(L, c.node, r);
        if (v.size == 0)
            return v;
        out.at[i] = v.at[0];
    }
    return out;
}

static value reversed(elab *L, value v) {
    return frames_scaled(L, elab_constant(L, -1), v);
}

// on body `side`: from its own coordinates, or those of the other
static value force_on(call c, int side) {
    const body *b = c.joint->body[side], *other = c.joint->body[1 - side];
    int size = c.joint->planar ? 2 : 3;
    if (b->position >= 0)
        return shares(c, b->position, size);
    if (other->position >= 0) {
        value v = shares(c, other->position, size);
        return v.size ? reversed(c.elab, v) : v;
    }
    elab_error(c.elab, c.node->at,
               "the force of this joint is not known: its bodies have no mass, and so no position");
    return elab_wrong();
}

static value place_of(call c) {
    const joint_kind *kind = c.joint->kind;
    return kind->place ? kind->place(c.elab, c.joint, c.scope) : joint_point(c.elab, c.joint, 0);
}

// (c - P) x F, in the plane a single number
static value moment(elab *L, value arm, value force) {
    if (arm.size == 3)
        return frames_cross(L, arm, force);
    return elab_scalar(frames_op(L, OP_SUB, frames_op(L, OP_MUL, arm.at[0], force.at[1]),
                                 frames_op(L, OP_MUL, arm.at[1], force.at[0])));
}

// about a point
static value torque_about(call c, int side, value point) {
    elab *L = c.elab;
    const body *b = c.joint->body[side];
    bool other = b->rotation < 0; // the world: from the other body
    if (other)
        b = c.joint->body[side = 1 - side];
    value force = force_on(c, side), f = shares(c, b->rotation, c.joint->planar ? 1 : 4);
    if (force.size == 0 || f.size == 0)
        return elab_wrong();
    value about = c.joint->planar ? f : body_vector(L, b, frames_torque(L, body_rotation(L, b), f));
    value arm = frames_difference(L, body_centre(L, b), point);
    value torque = frames_sum(L, about, moment(L, arm, force));
    return other ? reversed(L, torque) : torque;
}

static value torque_on(call c, int side) {
    return torque_about(c, side, place_of(c));
}

// it is at some place, and what it does there is known
static bool shows_force(const joint *j) {
    const body *const *b = j->body;
    return (b[0] || j->kind->place) &&
           (j->kind->force || (b[0] && (b[0]->position >= 0 || b[1]->position >= 0)));
}

bool joint_force(elab *L, joint *j, const model_friction *f, const binding *scope, elab_force *out) {
    node nameless = {.kind = NODE_NAME, .at = L->parts.at[j->part].at, .whole = L->parts.at[j->part].at};
    call c = {L, &nameless, scope, j, f};
    const joint_kind *kind = j->kind;
    if (!shows_force(j) || (f && j->body[0] == NULL))
        return false;
    out->force = kind->force && !f ? kind->force(L, j, &nameless, scope, false) : force_on(c, 1);
    bool block = f || (kind->place == NULL && kind->force == NULL);
    out->at = block ? joint_shown_point(L, j, body_is_ground(j->body[1]) ? 0 : 1) : place_of(c);
    if (block && out->force.size && (j->body[0]->rotation >= 0 || j->body[1]->rotation >= 0))
        out->torque = torque_about(c, 1, out->at);
    return out->force.size && out->at.size;
}

// ---- calls

static value wrong_form(call c, const char *form) {
    elab_error(c.elab, c.node->whole, "wrong number of arguments: %d", c.node->count)->hint =
        arena_print(c.elab->arena, "write %s", form);
    return elab_wrong();
}

// the body that reaction(J, B) names; by default the second
static bool side_of(call c, int *side) {
    const body *b;
    *side = 1;
    if (c.node->count == 1)
        return true;
    if (!body_find(c.elab, c.node->args[1], c.scope, &b))
        return false;
    for (*side = 0; *side < 2; ++*side)
        if (c.joint->body[*side] == b || (body_is_ground(b) && body_is_ground(c.joint->body[*side])))
            return true;
    elab_error(c.elab, c.node->args[1]->whole, "this joint does not connect '%s'", body_name(c.elab, b));
    return false;
}

static value call_force(call c, bool torque) {
    int side;
    if (c.node->count != 1 && c.node->count != 2)
        return wrong_form(c, torque ? "torque(J) or torque(J, B)" : "reaction(J) or reaction(J, B)");
    if (c.joint->kind->force)
        return c.joint->kind->force(c.elab, c.joint, c.node, c.scope, torque);
    if (c.joint->body[0] == NULL) {
        elab_error(c.elab, c.node->at, "a %s joint connects no bodies and has no %s of its own",
                   c.joint->kind->name, torque ? "torque" : "force")
            ->hint = "multiplier(NAME) is what its rows exert";
        return elab_wrong();
    }
    if (!side_of(c, &side))
        return elab_wrong();
    return torque ? torque_on(c, side) : force_on(c, side);
}

// "write angle(J)", or whatever tells its freedoms; NULL: it has none
static const char *forms_of(elab *L, const joint *j) {
    const char *name = names_text(L->names, j->label.name);
    const joint_part *p;
    text t;
    text_init(&t, L->arena);
    if (j->kind->turns)
        text_print(&t, ", angle(%s)", name);
    if (j->kind->slides)
        text_print(&t, ", displacement(%s)", name);
    for (int i = 0; (p = joint_part_at(j, i)) != NULL; i++)
        text_print(&t, ", %s.%s", name, p->name);
    return t.bytes.count ? arena_print(L->arena, "write %s", text_string(&t) + 2) : NULL;
}

static value call_motion(call c, bool slides) {
    const char *what = slides ? "displacement" : "angle";
    if (c.node->count != 1)
        return wrong_form(c, slides ? "displacement(J)" : "angle(J)");
    if (slides ? c.joint->kind->slides : c.joint->kind->turns)
        return elab_scalar(slides ? joint_displacement(c.elab, c.joint) : joint_angle(c.elab, c.joint));
    elab_error(c.elab, c.node->args[0]->whole, "a %s joint has no %s", c.joint->kind->name, what)->hint =
        forms_of(c.elab, c.joint);
    return elab_wrong();
}

bool joint_member(elab *L, joint *j, const char *name, place at, value *out) {
    const joint_part *p = joint_part_named(j, name);
    if (p) {
        *out = elab_scalar(joint_part_value(L, j, p));
        return true;
    }
    elab_error(L, at, "a %s joint has no '.%s'", j->kind->name, name)->hint = forms_of(L, j);
    return false;
}

static value call_drive(call c) {
    elab *L = c.elab;
    if (c.node->count != 1)
        return wrong_form(c, "drive(J)");
    const model_constraint *k = &L->model->constraints.at[L->parts.at[c.joint->part].constraint];
    for (int i = k->first_row; i < k->first_row + k->row_count; i++)
        if (strcmp(L->model->rows.at[i].part, "motion") == 0)
            return elab_result_value(L, c.node, (model_result){.kind = RESULT_MULTIPLIER, .first = i});
    elab_error(L, c.node->args[0]->whole, "nothing drives this joint")->hint =
        "write joint J (motion = e): ... to prescribe its motion; what torque J = e exerts is e itself";
    return elab_wrong();
}

value joint_call(elab *L, const node *n, const binding *scope) {
    call c = {L, n, scope, NULL, NULL};
    const char *name = names_text(L->names, n->name);
    if (n->count == 0)
        return wrong_form(c, arena_print(L->arena, "%s(J)", name));
    if (!joint_find(L, n->args[0], scope, &c.joint))
        return elab_wrong();
    if (strcmp(name, "angle") == 0 || strcmp(name, "displacement") == 0)
        return call_motion(c, name[0] == 'd');
    if (L->parts.at[c.joint->part].constraint < 0) { // forces are known where all joints are
        elab_error(L, n->at, "'%s' is known only after solving, so it cannot stand in %s", name,
                   L->allowed.where);
        return elab_wrong();
    }
    return strcmp(name, "drive") == 0 ? call_drive(c) : call_force(c, strcmp(name, "torque") == 0);
}
