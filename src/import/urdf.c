/* URDF: what the elements and attributes of a robot description mean. */
#include "import/robot.h"
#include "import/xml.h"

#include "base/names.h"
#include "base/number.h"
#include "mech/inertia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No length, mass or angle of a machine is as large; products of a few such numbers are still finite. */
static const double LARGEST = 1e30;

typedef struct {
    const char *name; // of an element
    place at;         // the first of them
    int count;
} leftover;

typedef struct {
    arena *arena;
    diags *diags;
    robot *robot;
    names *links, *joints; // numbered as in the robot
    names *leftover_names; // numbered as what follows
    vec(leftover) leftovers;
} reader;

// ---- elements and attributes

static bool is(const xml_element *e, const char *name) {
    return strcmp(e->name, name) == 0;
}

// the child of that name; two are an error
static const xml_element *only(reader *r, const xml_element *e, const char *name) {
    const xml_element *found = NULL;
    for (const xml_element *c = e->first; c; c = c->next) {
        if (is(c, name) && found)
            diag_other(diag_error(r->diags, c->at, "<%s> is given twice", name), found->at,
                       "first given here");
        else if (is(c, name))
            found = c;
    }
    return found;
}

// for people, once for each kind of element
static void leave_out(reader *r, const char *name, place at) {
    int kind = names_intern(r->leftover_names, name, (int)strlen(name));
    leftover added = {name, at, 0};
    if (kind == r->leftovers.count)
        vec_push(r->arena, r->leftovers, added);
    r->leftovers.at[kind].count++;
}

static void leave_out_others(reader *r, const xml_element *e, const char *const *known) {
    for (const xml_element *c = e->first; c; c = c->next) {
        int i = 0;
        while (known[i] && !is(c, known[i]))
            i++;
        if (known[i] == NULL)
            leave_out(r, c->name, c->at);
    }
}

static const xml_attribute *needed(reader *r, const xml_element *e, const char *name) {
    const xml_attribute *a = xml_attribute_find(e, name);
    if (a && a->value[strspn(a->value, " \t\r\n")])
        return a;
    diag_error(r->diags, a ? a->at : e->at, "<%s> needs %s=\"...\"", e->name, name);
    return NULL;
}

// ---- numbers

static const char *skip_blank(const char *at) {
    return at + strspn(at, " \t\r\n");
}

// a decimal number, not hexadecimal, inf or nan
static bool number(const char **at, double *out) {
    char *end;
    const char *digits = *at + (**at == '-' || **at == '+');
    digits += *digits == '.';
    if (*digits < '0' || *digits > '9' || (digits[0] == '0' && (digits[1] | 32) == 'x'))
        return false;
    *out = number_read(*at, &end);
    *at = end;
    return true;
}

enum { SHOWN = 60 }; // of a value that is wrong

static bool no_numbers(reader *r, const xml_attribute *a, int count) {
    diag *d = count == 1 ? diag_error(r->diags, a->at, "%s is no number: \"%.*s\"", a->name, SHOWN, a->value)
                         : diag_error(r->diags, a->at, "%s is not %d numbers: \"%.*s\"", a->name, count,
                                      SHOWN, a->value);
    if (strstr(a->value, "${") || strstr(a->value, "$("))
        d->hint = "this is for xacro: write 'xacro FILE > robot.urdf' first, and import that";
    return false;
}

// out keeps its values where they are wrong
static bool numbers_in(reader *r, const xml_attribute *a, int count, double *out) {
    const char *at = skip_blank(a->value);
    double found[3];
    for (int i = 0; i < count; i++) {
        if (!number(&at, &found[i]) || (*at && skip_blank(at) == at))
            return no_numbers(r, a, count);
        if (!(fabs(found[i]) <= LARGEST)) {
            diag_error(r->diags, a->at, "%s is too large: no robot has \"%.*s\"", a->name, SHOWN, a->value);
            return false;
        }
        at = skip_blank(at);
    }
    if (*at)
        return no_numbers(r, a, count);
    memcpy(out, found, (size_t)count * sizeof *out);
    return true;
}

// out keeps its value where there is no such attribute
static void optional(reader *r, const xml_element *e, const char *name, int count, double *out) {
    const xml_attribute *a = e ? xml_attribute_find(e, name) : NULL;
    if (a)
        numbers_in(r, a, count, out);
}

static bool required(reader *r, const xml_element *e, const char *name, double *out) {
    const xml_attribute *a = needed(r, e, name);
    return a && numbers_in(r, a, 1, out);
}

/* <origin xyz rpy>: roll, pitch and yaw about the fixed axes x, y, z, in this order. */
static pose origin(reader *r, const xml_element *e) {
    const xml_element *o = only(r, e, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    optional(r, o, "xyz", 3, xyz);
    optional(r, o, "rpy", 3, rpy);
    quaternion roll = rotation_about((vector){1, 0, 0}, rpy[0]),
               pitch = rotation_about((vector){0, 1, 0}, rpy[1]);
    quaternion yaw = rotation_about((vector){0, 0, 1}, rpy[2]);
    return (pose){rotation_product(yaw, rotation_product(pitch, roll)), {xyz[0], xyz[1], xyz[2]}};
}

// ---- links

static void check_inertia(reader *r, const xml_element *e, const double *J) {
    double moment[3];
    inertia_fault fault = inertia_judge(J, moment);
    if (fault == INERTIA_FINE)
        return;
    diag_error(r->diags, e->at, "no body has this inertia: its principal moments are %.6g, %.6g and %.6g",
               moment[0], moment[1], moment[2])
        ->hint = fault == INERTIA_NEGATIVE ? "none of them can be negative"
                                           : "none of them can be larger than the other two together";
}

static void read_inertia(reader *r, const xml_element *inertial, robot_inertia *out) {
    static const char *const entries[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xml_element *e = only(r, inertial, "inertia");
    bool ok = e != NULL;
    if (e == NULL)
        diag_error(r->diags, inertial->at, "<inertial> needs <inertia ixx=\"...\" iyy=\"...\" izz=\"...\">");
    for (int i = 0; e && i < 6; i++) {
        if (i < 3)
            ok &= required(r, e, entries[i], &out->inertia[i]);
        else
            optional(r, e, entries[i], 1, &out->inertia[i]);
    }
    if (ok)
        check_inertia(r, e, out->inertia);
}

static void read_mass(reader *r, const xml_element *inertial, robot_inertia *out) {
    const xml_element *e = only(r, inertial, "mass");
    if (e == NULL)
        diag_error(r->diags, inertial->at, "<inertial> needs <mass value=\"...\">");
    else if (required(r, e, "value", &out->mass) && out->mass < 0)
        diag_error(r->diags, xml_attribute_find(e, "value")->at, "a mass cannot be negative: this is %.6g",
                   out->mass);
}

static void read_inertial(reader *r, const xml_element *link, robot_link *out) {
    static const char *const known[] = {"origin", "mass", "inertia", NULL};
    const xml_element *e = only(r, link, "inertial");
    if (e == NULL)
        return;
    pose centre = origin(r, e);
    out->has_inertial = true;
    leave_out_others(r, e, known);
    read_mass(r, e, &out->own);
    read_inertia(r, e, &out->own);
    out->own.centre = centre.at;
    robot_turn_inertia(centre.turn, out->own.inertia);
}

// a number for a new name; -1 and an error if it is missing or there already
static int new_name(reader *r, const xml_element *e, names *table, place (*first)(const robot *, int)) {
    const xml_attribute *a = needed(r, e, "name");
    if (a == NULL)
        return -1;
    int known = names_find(table, a->value, (int)strlen(a->value));
    if (known >= 0) {
        diag_other(diag_error(r->diags, a->at, "there are two <%s> of the name '%s'", e->name, a->value),
                   first(r->robot, known), "the first is here");
        return -1;
    }
    return names_intern(table, a->value, (int)strlen(a->value));
}

static place place_of_link(const robot *r, int i) {
    return r->links.at[i].at;
}

static place place_of_joint(const robot *r, int i) {
    return r->joints.at[i].at;
}

static void read_link(reader *r, const xml_element *e) {
    static const char *const known[] = {"inertial", NULL};
    int number = new_name(r, e, r->links, place_of_link);
    if (number < 0)
        return;
    const xml_attribute *name = xml_attribute_find(e, "name");
    robot_link link = {.name = name->value, .at = name->at, .joint = -1};
    leave_out_others(r, e, known);
    read_inertial(r, e, &link);
    vec_push(r->arena, r->robot->links, link);
}

// ---- joints

static const char *const kinds[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool read_kind(reader *r, const xml_element *e, robot_joint *out) {
    const xml_attribute *a = needed(r, e, "type");
    name_guess best = {0};
    for (int i = 0; a && i < KINDS; i++) {
        if (strcmp(a->value, kinds[i]) == 0) {
            out->kind = (robot_kind)i;
            return true;
        }
        names_offer(&best, a->value, kinds[i]);
    }
    if (a)
        diag_error(r->diags, a->at, "there is no type of joint '%s'", a->value)->hint =
            best.text ? arena_print(r->arena, "did you mean '%s'?", best.text)
                      : "there are revolute, continuous, prismatic, fixed, floating and planar";
    return false;
}

static void suggest(reader *r, diag *d, const char *wrong, const names *known) {
    name_guess best = {0};
    if (r->diags->errors > DIAG_MOST)
        return; // nobody sees it, and in a large robot it takes time
    for (int i = 0; i < names_count(known); i++)
        names_offer(&best, wrong, names_text(known, i));
    if (best.text)
        d->hint = arena_print(r->arena, "did you mean '%s'?", best.text);
}

// <parent link> or <child link>: a link's number, or -1 and an error
static int read_end(reader *r, const xml_element *joint, const char *which) {
    const xml_element *e = only(r, joint, which);
    const xml_attribute *a = e ? needed(r, e, "link") : NULL;
    if (e == NULL)
        diag_error(r->diags, joint->at, "<joint> needs <%s link=\"...\">", which);
    if (a == NULL)
        return -1;
    int link = names_find(r->links, a->value, (int)strlen(a->value));
    if (link >= 0)
        return link;
    suggest(r, diag_error(r->diags, a->at, "there is no link '%s'", a->value), a->value, r->links);
    return -1;
}

static void read_axis(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = only(r, joint, "axis");
    double xyz[3] = {1, 0, 0}; // what URDF says of a joint without one
    optional(r, e, "xyz", 3, xyz);
    vector axis = {xyz[0], xyz[1], xyz[2]};
    double size = vector_norm(axis);
    out->axis = size > 0 ? vector_scaled(1 / size, axis) : axis;
    if (!(size > 0) && out->kind != ROBOT_FIXED && out->kind != ROBOT_FLOATING)
        diag_error(r->diags, e->at, "the axis of a joint cannot be zero")->hint =
            "write a direction, as in <axis xyz=\"0 0 1\"/>";
}

static void read_limit(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = only(r, joint, "limit");
    if (e == NULL || !(out->kind == ROBOT_REVOLUTE || out->kind == ROBOT_PRISMATIC))
        return;
    optional(r, e, "lower", 1, &out->lower);
    optional(r, e, "upper", 1, &out->upper);
    out->limited = xml_attribute_find(e, "lower") || xml_attribute_find(e, "upper");
    if (out->lower > out->upper)
        diag_error(r->diags, e->at, "the lower limit %.6g is above the upper one, %.6g", out->lower,
                   out->upper);
    leave_out(r, "limit", e->at);
}

static void read_dynamics(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = only(r, joint, "dynamics");
    double friction = 0;
    if (e == NULL)
        return;
    optional(r, e, "damping", 1, &out->damping);
    optional(r, e, "friction", 1, &friction);
    if (out->damping < 0)
        diag_error(r->diags, xml_attribute_find(e, "damping")->at,
                   "a damping cannot be negative: this is %.6g", out->damping);
    if (friction != 0)
        leave_out(r, "dynamics friction", xml_attribute_find(e, "friction")->at);
    if (out->damping != 0 && (out->kind == ROBOT_FLOATING || out->kind == ROBOT_PLANAR))
        leave_out(r, "dynamics damping", xml_attribute_find(e, "damping")->at);
}

static void read_mimic(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = only(r, joint, "mimic");
    const xml_attribute *a = e ? needed(r, e, "joint") : NULL;
    out->multiplier = 1;
    if (a == NULL)
        return;
    optional(r, e, "multiplier", 1, &out->multiplier);
    optional(r, e, "offset", 1, &out->offset);
    out->leader_name = a->value;
    out->leader_at = a->at;
    if (robot_turns(out->kind) || robot_slides(out->kind))
        return;
    diag_error(r->diags, e->at, "a %s joint cannot mimic another", kinds[out->kind])->hint =
        "revolute, continuous and prismatic joints can";
}

static void read_joint(reader *r, const xml_element *e) {
    static const char *const known[] = {"origin", "parent",   "child", "axis",
                                        "limit",  "dynamics", "mimic", NULL};
    const xml_attribute *name = xml_attribute_find(e, "name");
    robot_joint joint = {.name = name->value, .at = name->at, .leader = -1};
    leave_out_others(r, e, known);
    bool kind_known = read_kind(r, e, &joint);
    joint.parent = read_end(r, e, "parent");
    joint.child = read_end(r, e, "child");
    joint.origin = origin(r, e);
    if (kind_known) {
        read_axis(r, e, &joint);
        read_limit(r, e, &joint);
        read_dynamics(r, e, &joint);
        read_mimic(r, e, &joint);
    }
    vec_push(r->arena, r->robot->joints, joint);
}

// ---- the file

static const char *why_left_out(const char *name) {
    static const struct {
        const char *name, *why;
    } known[] = {
        {"visual", "a model has no shapes; its 'draw' statements show where the links are"},
        {"collision", "there are no contacts"},
        {"material", "a model has no colours"},
        {"transmission", "drive a joint with (motion = ...), or with a torque on its bodies"},
        {"gazebo", "it is for that simulator alone"},
        {"sensor", "what a model records are its coordinates, forces and 'output' statements"},
        {"safety_controller", "write a 'control' or a 'torque' for what a controller does"},
        {"calibration", "it does not change how the robot moves"},
        {"limit", "nothing stops a joint at its limits; they stand in the model as comments, to be claimed"},
        {"dynamics friction",
         "it is a torque whatever the load; 'friction' in a model is proportional to the "
         "joint's reaction"},
        {"dynamics damping", "only joints with one motion have it"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].why;
    return NULL;
}

static void tell_leftover(reader *r, const leftover *it) {
    bool kept = strcmp(it->name, "limit") == 0;
    const char *times =
        it->count > 1 ? arena_print(r->arena, " (%d times; the first is here)", it->count) : "";
    diag_warning(r->diags, it->at, "<%s> is not %s%s", it->name, kept ? "enforced" : "imported", times)
        ->hint = why_left_out(it->name);
}

static void tell_leftovers(reader *r) {
    enum { MOST = DIAG_MOST - 5 }; // others may have warnings, too
    int count = r->leftovers.count;
    for (int i = 0; i < count && i < MOST; i++)
        tell_leftover(r, &r->leftovers.at[i]);
    if (count > MOST)
        diag_warning(r->diags, r->leftovers.at[MOST].at,
                     "<%s> and %d more kinds of elements are not imported", r->leftovers.at[MOST].name,
                     count - MOST - 1);
}

static bool is_robot(reader *r, const xml_element *root) {
    if (is(root, "robot"))
        return true;
    diag *d = diag_error(r->diags, root->at, "a robot description begins with <robot>, not <%s>", root->name);
    if (is(root, "sdf") || is(root, "mujoco"))
        d->hint = "this is another format; many of its tools can write URDF";
    return false;
}

// xacro writes URDF; before that there is little to say
static bool is_expanded(reader *r, const xml_element *e) {
    for (const xml_element *c = e->first; c; c = c->next) {
        if (strncmp(c->name, "xacro:", 6) == 0) {
            diag_error(r->diags, c->at, "<%s> is for xacro, which writes robot descriptions", c->name)->hint =
                "write 'xacro FILE > robot.urdf' first, and import that";
            return false;
        }
        if (!is_expanded(r, c))
            return false;
    }
    return true;
}

static void find_leaders(reader *r) {
    robot *all = r->robot;
    for (int i = 0; i < all->joints.count; i++) {
        robot_joint *j = &all->joints.at[i];
        if (j->leader_name == NULL)
            continue;
        j->leader = names_find(r->joints, j->leader_name, (int)strlen(j->leader_name));
        if (j->leader < 0) {
            suggest(r, diag_error(r->diags, j->leader_at, "there is no joint '%s' to mimic", j->leader_name),
                    j->leader_name, r->joints);
            continue;
        }
        robot_kind kind = all->joints.at[j->leader].kind;
        if (!robot_turns(kind) && !robot_slides(kind))
            diag_error(r->diags, j->leader_at, "'%s' is a %s joint: it has no position to mimic",
                       j->leader_name, kinds[kind]);
    }
}

static void read_parts(reader *r, const xml_element *root) {
    static const char *const known[] = {"link", "joint", NULL};
    for (const xml_element *e = root->first; e; e = e->next)
        if (is(e, "link"))
            read_link(r, e);
    for (const xml_element *e = root->first; e; e = e->next)
        if (is(e, "joint") && new_name(r, e, r->joints, place_of_joint) >= 0)
            read_joint(r, e);
    leave_out_others(r, root, known);
    find_leaders(r);
    if (r->robot->links.count == 0 && r->diags->errors == 0)
        diag_error(r->diags, root->at, "this robot has no <link>");
}

bool robot_read(arena *a, const source *s, diags *d, robot *out) {
    const xml_element *root = xml_read(a, s, d);
    reader r = {.arena = a,
                .diags = d,
                .robot = out,
                .links = names_new(a),
                .joints = names_new(a),
                .leftover_names = names_new(a)};
    if (root == NULL || !is_robot(&r, root) || !is_expanded(&r, root))
        return false;
    const xml_attribute *name = xml_attribute_find(root, "name");
    out->name = name ? name->value : "";
    read_parts(&r, root);
    tell_leftovers(&r);
    return d->errors == 0;
}
