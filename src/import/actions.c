/* What acts in joints beside what they hold: springs, dampers, dry friction, rotors, couplings.
 *
 * Dry friction of a joint is a torque f whatever the load. Friction in a model is mu N, with N the size of a
 * constraint's reaction; so a pad, a coordinate that a force of 1 presses against a constraint, has N = 1 and
 * mu = f, and slips as the joint does. It sticks and slips as Coulomb says, exactly.
 *
 * A rotor that is geared to a joint adds a to the joint's own inertia, T = a/2 q'^2: a coordinate of mass a
 * that a constraint holds equal to the joint's position. */
#include "import/writer.h"

static bool moves(const robot_joint *j) {
    return robot_turns(j->kind) || robot_slides(j->kind);
}

// minus a number, so that no two signs follow each other
static void add_minus(writer *w, double number) {
    text_add(&w->out, number < 0 ? " + " : " - ");
    write_number(w, number < 0 ? -number : number, 0);
}

static void add_spring(writer *w, const robot_joint *j) {
    const char *position = write_position(w, j);
    if (j->stiffness > 0 && (j->rest != j->zero || j->kind == ROBOT_SCREW)) {
        text_add(&w->out, "potential ");
        write_number(w, j->stiffness, 0);
        text_print(&w->out, "/2*(%s", position);
        if (j->rest != j->zero)
            add_minus(w, write_rounded(j->rest - j->zero, 1));
        text_add(&w->out, ")^2\n");
    }
    if (j->damping > 0 && j->kind == ROBOT_SCREW) {
        text_add(&w->out, "dissipation ");
        write_number(w, j->damping, 0);
        text_print(&w->out, "/2*%s'^2\n", position);
    }
}

// of a ball: c/2 w^2, with w the angular velocity of one body against the other
static void add_ball_damping(writer *w, const robot_joint *j) {
    const char *rate = j->part[JOINT_RATE];
    text_print(&w->out, "let %s = ", rate);
    for (int end = 1; end >= 0; end--) {
        const robot_link *body = write_body_of(w->robot, end ? j->child : j->parent);
        if (body)
            text_print(&w->out, "%svector(%s, omega(%s))", end ? "" : " - ", body->id, body->id);
        else if (end)
            text_add(&w->out, "(0, 0, 0)");
    }
    text_add(&w->out, "\ndissipation ");
    write_number(w, j->damping, 0);
    text_print(&w->out, "/2*dot(%s, %s)\n", rate, rate);
}

static void add_friction(writer *w, const robot_joint *j) {
    const char *pad = j->part[JOINT_PAD], *dry = j->part[JOINT_DRY];
    text_print(&w->out,
               "# The dry friction of %s, whatever its load: a pad that a force of 1 presses on it.\n"
               "coord %s\nmass %s = 1\nforce %s = -1\nconstraint %s: %s = 0\nfriction %s: mu = ",
               j->id, pad, pad, pad, dry, pad, dry);
    write_number(w, j->friction, 0);
    text_print(&w->out, ", slip = %s'\n", write_position(w, j));
}

static void add_rotor(writer *w, const robot_joint *j) {
    const char *rotor = j->part[JOINT_ROTOR];
    text_print(&w->out, "# What turns with the drive of %s.\ncoord %s\nmass %s = ", j->id, rotor, rotor);
    write_number(w, j->armature, 0);
    text_print(&w->out, "\nconstraint %s: %s = %s\n", j->part[JOINT_SHAFT], rotor, write_position(w, j));
}

static void add_thread(writer *w, const robot_joint *j) {
    text_print(&w->out, "constraint %s: displacement(%s) = ", j->part[JOINT_THREAD], j->id);
    write_number(w, j->pitch, 0);
    text_print(&w->out, "*angle(%s)\n", j->id);
}

static bool is_plain(const robot_joint *j) {
    return moves(j) && j->kind != ROBOT_SCREW;
}

static bool is_linear(const robot_coupling *c) {
    bool bent = false;
    for (int i = 2; i < COUPLING_TERMS; i++)
        bent |= c->factor[i] != 0;
    return !bent && c->factor[0] == 0 && c->leader >= 0;
}

static void add_polynomial(writer *w, const robot_coupling *c) {
    const char *plus = "";
    for (int i = 0; i < COUPLING_TERMS; i++) {
        if (c->factor[i] == 0 || (i > 0 && c->leader < 0))
            continue;
        if (*plus)
            add_minus(w, -c->factor[i]);
        else
            write_number(w, c->factor[i], 0);
        if (i > 0)
            text_print(&w->out, "*%s", write_position(w, &w->robot->joints.at[c->leader]));
        if (i > 1)
            text_print(&w->out, "^%d", i);
        plus = "+";
    }
    text_add(&w->out, *plus ? "\n" : "0\n");
}

static void add_coupling(writer *w, const robot_coupling *c) {
    const robot_joint *follower = &w->robot->joints.at[c->follower];
    const robot_joint *leader = c->leader < 0 ? NULL : &w->robot->joints.at[c->leader];
    if (is_linear(c) && robot_turns(leader->kind) && is_plain(leader) && is_plain(follower)) {
        bool turns = robot_turns(follower->kind);
        text_print(&w->out, "joint %s: %s(%s, %s, %s = ", c->id, turns ? "gear" : "rack", leader->id,
                   follower->id, turns ? "ratio" : "radius");
        write_number(w, c->factor[1], 0);
        text_add(&w->out, ")\n");
        return;
    }
    text_print(&w->out, "constraint %s: %s = ", c->id, write_position(w, follower));
    add_polynomial(w, c);
}

// what bears a part of a link's weight
static void add_lift(writer *w, int link) {
    const robot_link *l = &w->robot->links.at[link], *body = write_body_of(w->robot, link);
    if (l->lift == 0 || body == NULL || !(l->own.mass > 0))
        return;
    text_print(&w->out, "# Gravity does not act on all of '%s'.\nforce %s at ", write_shown(w, l->name),
               body->id);
    write_vector(w, vector_difference(pose_apply(l->in_body, l->own.centre), body->total.centre), w->size);
    text_add(&w->out, " = ");
    write_vector(w, vector_scaled(-l->lift * l->own.mass, w->robot->gravity), 0);
    text_add(&w->out, "\n");
}

void write_actions(writer *w) {
    const robot *r = w->robot;
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (!write_connects(r, j))
            continue;
        if (j->part[JOINT_THREAD])
            add_thread(w, j);
        if (moves(j))
            add_spring(w, j);
        if (j->part[JOINT_RATE])
            add_ball_damping(w, j);
        if (j->part[JOINT_ROTOR])
            add_rotor(w, j);
        if (j->part[JOINT_PAD])
            add_friction(w, j);
    }
    for (int i = 0; i < r->couplings.count; i++) {
        const robot_coupling *c = &r->couplings.at[i];
        if (write_connects(r, &r->joints.at[c->follower]) &&
            (c->leader < 0 || write_connects(r, &r->joints.at[c->leader])))
            add_coupling(w, c);
    }
    for (int i = 0; i < r->links.count; i++)
        add_lift(w, i);
}

// ---- what drives it, in comments

static bool may_be_driven(const robot *r, const robot_joint *j) {
    return moves(j) && write_connects(r, j) && j->leader < 0 && !j->closes;
}

// where some joints have an effort, these are the driven ones
static bool has_efforts(const robot *r) {
    for (int i = 0; i < r->joints.count; i++)
        if (r->joints.at[i].effort > 0 && may_be_driven(r, &r->joints.at[i]))
            return true;
    return false;
}

static void add_drive_line(writer *w, const robot_joint *j, const robot_drive *d) {
    const char *position = write_position(w, j);
    text_print(&w->out, "# %s %s = ", robot_turns(j->kind) ? "torque" : "force", j->id);
    if (d->stiffness != 0) {
        write_number(w, d->stiffness, 0);
        text_add(&w->out, "*(");
        write_number(w, d->target, 0);
        text_print(&w->out, " - %s)", position);
    } else if (d->factor != 0 && d->factor != 1) {
        write_number(w, d->factor, 0);
        text_add(&w->out, "*0");
    } else {
        text_add(&w->out, "0");
    }
    if (d->damping != 0) {
        add_minus(w, d->damping);
        text_print(&w->out, "*%s'", position);
    }
    if (d->name)
        text_print(&w->out, "  # '%s'", write_shown(w, d->name));
    if (d->ranged) {
        text_add(&w->out, ", its control from ");
        write_number(w, d->lower, 0);
        text_add(&w->out, " to ");
        write_number(w, d->upper, 0);
    }
    text_add(&w->out, "\n");
}

void write_actuators(writer *w) {
    const robot *r = w->robot;
    const char *heading = "\n# What drives it: take the '#' of a line away, and change what it says.\n";
    bool efforts = !r->driven && has_efforts(r);
    for (int i = 0; i < (r->driven ? r->drives.count : r->joints.count); i++) {
        robot_drive plain = {.joint = i};
        const robot_drive *d = r->driven ? &r->drives.at[i] : &plain;
        const robot_joint *j = &r->joints.at[d->joint];
        if (!may_be_driven(r, j) || (efforts && !(j->effort > 0)))
            continue;
        text_add(&w->out, heading);
        heading = "";
        add_drive_line(w, j, d);
    }
}
