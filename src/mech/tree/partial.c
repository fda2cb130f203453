/* jacobian(point(B, s), J) and jacobian(omega(B), J): the velocity of a point, and the angular velocity of a
 * body, for each unit of the rate of a joint of the tree, all its other rates being 0. With e the axis, in
 * the direction that body 2 moves against body 1, and P2 the joint's point in body 2 (joints/freedom.c),
 *
 *   turns   omega = e,  v = e x (P - P2)        slides   v = e
 *
 * for what hangs on the joint; the opposite where that is body 1. */
#include "mech/tree/tree_inside.h"

#include <string.h>

typedef struct {
    elab *elab;
    const node *node;
    const binding *scope;
    const body *of;
    bool angular;
    value point; // where it is not
    joint *joint;
    bool turn;
    int freedom;
    double side; // 1 or -1: body 2 or body 1 hangs on the joint; 0: the body does not
} partial;

static value wrong(partial *p, place at, const char *message, const char *hint) {
    elab_error(p->elab, at, "%s", message)->hint = hint;
    return elab_wrong();
}

// ---- of what

// point(B, s), omega(B), or B, its centre
static bool read_of(partial *p) {
    const node *n = p->node->args[0];
    elab *L = p->elab;
    const char *name = n->kind == NODE_CALL ? names_text(L->names, n->name) : "";
    bool point = strcmp(name, "point") == 0 && n->count == 2;
    p->angular = strcmp(name, "omega") == 0 && n->count == 1;
    if (n->kind == NODE_CALL && !point && !p->angular) {
        wrong(p, n->whole, "expected a point or the angular velocity of a body",
              "write jacobian(point(B, (a, b, c)), J) or jacobian(omega(B), J)");
        return false;
    }
    if (!body_find(L, n->kind == NODE_CALL ? n->args[0] : n, p->scope, &p->of))
        return false;
    if (!p->angular)
        p->point = elab_eval(L, n, p->scope);
    return p->angular || p->point.size;
}

// ---- by which rate

static const char *const freedoms[] = {"angle1", "angle2", "slide1", "slide2", "angle", "x", "y", "z"};

// its freedoms by name, as trm_system_coordinate_name has them; of spherical joints as torque J.x
static bool named(partial *p, const char *name) {
    int which = 0, turns = joint_turns(p->joint), slides = joint_slides(p->joint);
    while (which < 8 && strcmp(freedoms[which], name) != 0)
        which++;
    p->turn = which != 2 && which != 3;
    p->freedom = which < 2 ? which : which < 4 ? which - 2 : which == 4 ? 0 : which - 5;
    return which < 2    ? turns == 2
           : which < 4  ? slides == 2
           : which == 4 ? slides == 2 && turns == 1
           : which < 8  ? turns == 3
                        : false;
}

static bool read_rate(partial *p) {
    static const char *const forms[3][4] = {
        {NULL, "write J or angle(J)", "write J.angle1 or J.angle2", "write J.x, J.y or J.z"},
        {"write J or displacement(J)", "write angle(J) or displacement(J)"},
        {NULL, "write J.angle, J.slide1 or J.slide2"}};
    const node *n = p->node->args[1];
    elab *L = p->elab;
    const char *word = n->kind == NODE_CALL || n->kind == NODE_PART ? names_text(L->names, n->name) : "";
    bool call = n->kind == NODE_CALL, part = n->kind == NODE_PART,
         angle = call && strcmp(word, "angle") == 0 && n->count == 1,
         slide = call && strcmp(word, "displacement") == 0 && n->count == 1;
    if (call && !angle && !slide) {
        wrong(p, n->whole, "expected a joint",
              "write jacobian(point(B, (a, b, c)), J), or angle(J) instead of J");
        return false;
    }
    if (!joint_find(L, call ? n->args[0] : part ? n->a : n, p->scope, &p->joint))
        return false;
    int turns = joint_turns(p->joint), slides = joint_slides(p->joint);
    p->turn = turns > 0 && !slide;
    if (part ? named(p, word) : call ? (angle ? turns : slides) == 1 : turns + slides == 1)
        return true;
    elab_error(L, n->whole,
               turns + slides ? "this does not tell one freedom of a %s joint" : "a %s joint has no freedom",
               p->joint->kind->name)
        ->hint = forms[slides][turns];
    return false;
}

// ---- whether it hangs on the joint

static const mech_tree *tree_of(elab *L) {
    mech_parts *parts = parts_of(L);
    if (parts->tree == NULL) {
        mech_tree *t = arena_alloc(L->arena, sizeof *t);
        mech *full = arena_alloc(L->arena, sizeof *full);
        full->model = L->model;
        *t = (mech_tree){.arena = L->arena, .pool = L->pool, .full = full, .parts = parts};
        tree_span(t);
        parts->tree = t;
    }
    return parts->tree;
}

static bool find_side(partial *p) {
    const mech_tree *t = tree_of(p->elab);
    int own = body_is_ground(p->of) ? -1 : t->link_of[p->of - t->parts->bodies.at], last = -1;
    bool taken = false;
    for (int i = 0; i < t->links.count; i++)
        taken |= t->links.at[i].joint == p->joint;
    if (!taken) {
        wrong(p, p->node->args[1]->whole, "this joint closes a loop: its rate is not one of the tree's",
              "'trammel check' says which joints close loops; those of the tree stand here, as if the loops "
              "were open");
        return false;
    }
    for (int i = own; i >= 0; i = t->links.at[i].parent)
        if (t->links.at[i].joint == p->joint && t->links.at[i].body)
            last = i;
    p->side = last < 0 ? 0 : t->links.at[last].flipped ? -1 : 1;
    return true;
}

// ---- its value

static value axis_of(partial *p) {
    elab *L = p->elab;
    const joint *j = p->joint;
    if (p->turn && j->kind->turning == TURN_FREE) {
        const vector unit = {p->freedom == 0, p->freedom == 1, p->freedom == 2};
        return body_vector(L, j->body[1], frames_vector(L, unit, 3));
    }
    if (p->turn && j->kind->turning == TURN_CROSS && p->freedom == 1)
        return body_vector(L, j->body[1], frames_vector(L, j->axis2, 3));
    bool plane = !p->turn && j->kind->meeting == MEET_PLANE;
    return joint_vector(L, j, !plane ? j->axis : p->freedom == 0 ? j->e1 : j->e2);
}

static value zero(elab *L, int size) {
    return frames_known(L, (double[]){0, 0, 0}, size);
}

// in the plane the axis points out of it
static value in_plane(partial *p) {
    elab *L = p->elab;
    scalar side = elab_constant(L, p->side);
    if (p->angular)
        return elab_scalar(p->turn ? side : elab_constant(L, 0));
    if (!p->turn)
        return frames_scaled(L, side, axis_of(p));
    value arm = frames_difference(L, p->point, joint_point(L, p->joint, 1));
    scalar back = elab_op(L, OP_NEG, &arm.at[1]);
    return frames_scaled(L, side, (value){.size = 2, .at = {back, arm.at[0]}});
}

static value in_space(partial *p) {
    elab *L = p->elab;
    value axis = frames_scaled(L, elab_constant(L, p->side), axis_of(p));
    if (p->angular && !p->turn)
        return zero(L, 3);
    if (p->angular)
        return frames_rotate_back(L, body_rotation(L, p->of), axis);
    if (!p->turn)
        return axis;
    return frames_cross(L, axis, frames_difference(L, p->point, joint_point(L, p->joint, 1)));
}

value mech_tree_partial(elab *L, const node *n, const binding *scope) {
    partial p = {.elab = L, .node = n, .scope = scope};
    if (n->count != 2)
        return wrong(&p, n->whole, "a jacobian is of a point or an angular velocity, by the rate of a joint",
                     "write jacobian(point(B, (a, b, c)), J) or jacobian(omega(B), J)");
    if (!read_of(&p) || !read_rate(&p) || L->diags->errors || !find_side(&p))
        return elab_wrong();
    bool planar = p.joint->planar;
    if (p.side == 0 || p.of->planar != planar)
        return zero(L, p.of->planar ? (p.angular ? 1 : 2) : 3);
    return planar ? in_plane(&p) : in_space(&p);
}
