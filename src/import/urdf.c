/* URDF: what the elements and attributes of a robot description mean. */
#include "import/elements.h"

#include <string.h>

/* <origin xyz rpy>: roll, pitch and yaw about the fixed axes x, y, z, in this order. */
static pose origin(reader *r, const xml_element *e) {
    const xml_element *o = element_only(r, e, "origin");
    double xyz[3] = {0}, rpy[3] = {0};
    numbers_optional(r, o, "xyz", 3, xyz);
    numbers_optional(r, o, "rpy", 3, rpy);
    return (pose){turn_of_angles(rpy, 1), vector_of(xyz)};
}

// ---- links

static void read_inertia(reader *r, const xml_element *inertial, robot_inertia *out) {
    static const char *const entries[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xml_element *e = element_only(r, inertial, "inertia");
    bool ok = e != NULL;
    if (e == NULL)
        diag_error(r->diags, inertial->at, "<inertial> needs <inertia ixx=\"...\" iyy=\"...\" izz=\"...\">");
    for (int i = 0; e && i < 6; i++) {
        if (i < 3)
            ok &= number_required(r, e, entries[i], &out->inertia[i]);
        else
            numbers_optional(r, e, entries[i], 1, &out->inertia[i]);
    }
    if (ok)
        inertia_check(r, e->at, out->inertia);
}

static void read_mass(reader *r, const xml_element *inertial, robot_inertia *out) {
    const xml_element *e = element_only(r, inertial, "mass");
    if (e == NULL)
        diag_error(r->diags, inertial->at, "<inertial> needs <mass value=\"...\">");
    else if (number_required(r, e, "value", &out->mass))
        mass_check(r, xml_attribute_find(e, "value")->at, out->mass);
}

static void read_inertial(reader *r, const xml_element *link, robot_link *out) {
    static const char *const known[] = {"origin", "mass", "inertia", NULL};
    const xml_element *e = element_only(r, link, "inertial");
    if (e == NULL)
        return;
    pose centre = origin(r, e);
    out->has_inertial = true;
    element_leave_out_others(r, e, known);
    read_mass(r, e, &out->own);
    read_inertia(r, e, &out->own);
    out->own.centre = centre.at;
    robot_turn_inertia(centre.turn, out->own.inertia);
}

static void read_mesh(reader *r, const xml_element *e, robot_shape *out) {
    const xml_attribute *file = element_needed(r, e, "filename");
    out->file = file ? file->value : "";
    out->size[0] = out->size[1] = out->size[2] = 1;
    numbers_optional(r, e, "scale", 3, out->size);
    mesh_find(r, e->at, NULL, out);
}

static void read_shape(reader *r, const xml_element *e, robot_link *out) {
    static const char *const known[] = {"box", "sphere", "cylinder", "capsule", "mesh", NULL};
    static const solid_kind kinds[] = {SOLID_BOX, SOLID_SPHERE, SOLID_CYLINDER, SOLID_CAPSULE, SOLID_MESH};
    const xml_element *geometry = element_only(r, e, "geometry");
    robot_shape shape = {.origin = origin(r, e)};
    for (const xml_element *c = geometry ? geometry->first : NULL; c; c = c->next) {
        int kind = 0;
        while (known[kind] && !element_is(c, known[kind]))
            kind++;
        if (known[kind] == NULL) {
            element_leave_out(r, c->name, c->at);
            continue;
        }
        shape.kind = kinds[kind];
        if (shape.kind == SOLID_MESH) {
            read_mesh(r, c, &shape);
        } else if (shape.kind == SOLID_BOX) {
            numbers_optional(r, c, "size", 3, shape.size);
        } else {
            numbers_optional(r, c, "radius", 1, &shape.size[0]);
            numbers_optional(r, c, "length", 1, &shape.size[1]);
        }
        if (solid_is_whole(&shape))
            vec_push(r->arena, out->shapes, shape);
    }
}

static void read_link(reader *r, const xml_element *e) {
    static const char *const known[] = {"inertial", "visual", "collision", NULL};
    if (link_new(r, e, "") < 0)
        return;
    const xml_attribute *name = xml_attribute_find(e, "name");
    robot_link link = {.name = name->value, .at = name->at, .joint = -1};
    element_leave_out_others(r, e, known);
    read_inertial(r, e, &link);
    const char *shown = element_shown(r, e);
    for (const xml_element *c = e->first; c; c = c->next)
        if (element_is(c, shown))
            read_shape(r, c, &link);
    vec_push(r->arena, r->robot->links, link);
}

// ---- joints

static bool read_kind(reader *r, const xml_element *e, robot_joint *out) {
    static const char *const kinds[] = {"revolute", "continuous", "prismatic", "fixed",
                                        "floating", "planar",     NULL}; // as in robot_kind
    const xml_attribute *a = element_needed(r, e, "type");
    int kind = a ? choice_in(r, a, "type of joint", kinds) : -1;
    out->kind = kind < 0 ? ROBOT_FIXED : (robot_kind)kind;
    return kind >= 0;
}

// <parent link> or <child link>: a link's number, or -1 and an error
static int read_end(reader *r, const xml_element *joint, const char *which) {
    const xml_element *e = element_only(r, joint, which);
    const xml_attribute *a = e ? element_needed(r, e, "link") : NULL;
    if (e == NULL)
        diag_error(r->diags, joint->at, "<joint> needs <%s link=\"...\">", which);
    return a ? name_find(r, a, "link", r->links) : -1;
}

static void read_axis(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = element_only(r, joint, "axis");
    double xyz[3] = {1, 0, 0}; // what URDF says of a joint without one
    numbers_optional(r, e, "xyz", 3, xyz);
    out->axis = vector_unit(vector_of(xyz));
    axis_check(r, e ? e->at : joint->at, out, "<axis xyz=\"0 0 1\"/>");
}

static void read_limit(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = element_only(r, joint, "limit");
    numbers_optional(r, e, "effort", 1, &out->effort);
    numbers_optional(r, e, "velocity", 1, &out->speed);
    if (e == NULL || !(out->kind == ROBOT_REVOLUTE || out->kind == ROBOT_PRISMATIC))
        return;
    numbers_optional(r, e, "lower", 1, &out->lower);
    numbers_optional(r, e, "upper", 1, &out->upper);
    out->limited = xml_attribute_find(e, "lower") || xml_attribute_find(e, "upper");
    limits_check(r, e->at, out);
    element_leave_out(r, "limit", e->at);
}

static void read_dynamics(reader *r, const xml_element *joint, robot_joint *out) {
    static const char *const all[] = {"damping", "friction"};
    double *const values[] = {&out->damping, &out->friction};
    const xml_element *e = element_only(r, joint, "dynamics");
    for (int i = 0; i < 2; i++) {
        const xml_attribute *a = e ? xml_attribute_find(e, all[i]) : NULL;
        if (a == NULL || !numbers_in(r, a, 1, values[i]))
            continue;
        damping_check(r, a->at, all[i], *values[i]);
        if (*values[i] == 0 || robot_turns(out->kind) || robot_slides(out->kind) || out->kind == ROBOT_FIXED)
            continue;
        element_leave_out(r, i ? "dynamics friction" : "dynamics damping", a->at);
        *values[i] = 0;
    }
}

static void read_mimic(reader *r, const xml_element *joint, robot_joint *out) {
    const xml_element *e = element_only(r, joint, "mimic");
    const xml_attribute *a = e ? element_needed(r, e, "joint") : NULL;
    out->multiplier = 1;
    if (a == NULL)
        return;
    numbers_optional(r, e, "multiplier", 1, &out->multiplier);
    numbers_optional(r, e, "offset", 1, &out->offset);
    out->leader_name = a->value;
    out->leader_at = a->at;
    if (robot_turns(out->kind) || robot_slides(out->kind))
        return;
    diag_error(r->diags, e->at, "a %s joint cannot mimic another", robot_kind_name(out->kind))->hint =
        "revolute, continuous and prismatic joints can";
}

static void read_joint(reader *r, const xml_element *e) {
    static const char *const known[] = {"origin", "parent",   "child", "axis",
                                        "limit",  "dynamics", "mimic", NULL};
    const xml_attribute *name = xml_attribute_find(e, "name");
    robot_joint joint = {.name = name->value, .at = name->at, .leader = -1};
    element_leave_out_others(r, e, known);
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

static const leftover_reason reasons[] = {
    {"material", "a model has no colours", NULL},
    {"transmission", "drive a joint with 'torque J = ...', 'force J = ...' or (motion = ...)", NULL},
    {"gazebo", "it is for that simulator alone", NULL},
    {"safety_controller", "write a 'control' or a 'torque' for what a controller does", NULL},
    {"calibration", "it does not change how the robot moves", NULL},
    {"dynamics friction", "only joints with one motion have it", NULL},
    {"dynamics damping", "only joints with one motion have it", NULL},
    {0},
};

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

void urdf_read(reader *r, const xml_element *root) {
    static const char *const known[] = {"link", "joint", NULL};
    const xml_attribute *name = xml_attribute_find(root, "name");
    r->reasons = reasons;
    if (!is_expanded(r, root))
        return;
    r->robot->name = name ? name->value : "";
    for (const xml_element *e = root->first; e; e = e->next)
        if (element_is(e, "link"))
            read_link(r, e);
    for (const xml_element *e = root->first; e; e = e->next)
        if (element_is(e, "joint") && joint_new(r, e, "") >= 0)
            read_joint(r, e);
    element_leave_out_others(r, root, known);
    for (int i = 0; i < r->robot->joints.count; i++)
        mimic_find(r, &r->robot->joints.at[i]);
    if (r->robot->links.count == 0 && r->diags->errors == 0)
        diag_error(r->diags, root->at, "this robot has no <link>");
}
