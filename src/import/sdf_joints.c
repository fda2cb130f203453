/* Joints. A link may be the child of several: they close loops. One with two axes is two joints, and a link
 * that weighs nothing between them. */
#include "import/sdf.h"

#include <math.h>
#include <string.h>

typedef enum { REVOLUTE, CONTINUOUS, PRISMATIC, FIXED, BALL, SCREW, UNIVERSAL, REVOLUTE2 } type;

static const xml_element *child_of(sdf *s, const xml_element *e, const char *name) {
    return e ? element_only(s->r, e, name) : NULL;
}

static bool read_number(sdf *s, const xml_element *e, const char *name, double *out) {
    const xml_element *c = child_of(s, e, name);
    xml_attribute given = c ? element_text(c) : (xml_attribute){0};
    return c && numbers_in(s->r, &given, 1, out);
}

// <parent> or <child>: a link, or a frame that is held by one; -1 and an error
static int read_end(sdf *s, const xml_element *joint, const char *which, const char *prefix) {
    const xml_element *e = element_only(s->r, joint, which);
    if (e == NULL || e->text[0] == '\0') {
        diag_error(s->r->diags, e ? e->at : joint->at, "<joint> needs <%s>LINK</%s>", which, which);
        return -1;
    }
    xml_attribute name = {which, arena_copy(s->r->arena, e->text, strcspn(e->text, " \t\r\n")), e->at};
    int frame = sdf_find_frame(s, &name, prefix, "link");
    return frame < 0 ? -1 : s->frames.at[frame].link;
}

const char *sdf_joint_child(sdf *s, const xml_element *e, const char *prefix) {
    const xml_element *child = NULL;
    for (const xml_element *c = e->first; c && !child; c = c->next)
        if (element_is(c, "child"))
            child = c;
    if (child == NULL || child->text[0] == '\0')
        return NULL;
    return sdf_scoped(s, prefix, arena_copy(s->r->arena, child->text, strcspn(child->text, " \t\r\n")));
}

// ---- an axis

// without a limit there is none, or a number beyond all machines
static bool read_bound(sdf *s, const xml_element *limit, const char *name, double *out) {
    const xml_element *e = child_of(s, limit, name);
    const char *text = e ? e->text + (e->text[0] == '-' || e->text[0] == '+') : "inf";
    return strncmp(text, "inf", 3) != 0 && read_number(s, limit, name, out) && fabs(*out) < 1e15;
}

static void read_limit(sdf *s, const xml_element *axis, robot_joint *out) {
    const xml_element *e = child_of(s, axis, "limit");
    if (e == NULL)
        return;
    bool below = read_bound(s, e, "lower", &out->lower), above = read_bound(s, e, "upper", &out->upper);
    read_bound(s, e, "effort", &out->effort);
    read_bound(s, e, "velocity", &out->speed);
    out->limited = below && above && out->kind != ROBOT_CONTINUOUS;
    if (!out->limited)
        return;
    limits_check(s->r, e->at, out);
    element_leave_out(s->r, "limit", e->at);
}

static void read_dynamics(sdf *s, const xml_element *axis, robot_joint *out) {
    static const char *const all[] = {"damping", "friction", "spring_stiffness"};
    double *const values[] = {&out->damping, &out->friction, &out->stiffness};
    const xml_element *e = child_of(s, axis, "dynamics");
    for (int i = 0; i < 3; i++)
        if (read_number(s, e, all[i], values[i]))
            damping_check(s->r, element_only(s->r, e, all[i])->at, i == 2 ? "stiffness" : all[i], *values[i]);
    read_number(s, e, "spring_reference", &out->rest);
}

// position = multiplier (that of the leader - reference) + offset
static void read_mimic(sdf *s, const xml_element *axis, const char *prefix, robot_joint *out) {
    const xml_element *e = child_of(s, axis, "mimic");
    const xml_attribute *a = e ? element_needed(s->r, e, "joint") : NULL;
    double reference = 0;
    out->multiplier = 1;
    if (a == NULL)
        return;
    read_number(s, e, "multiplier", &out->multiplier);
    read_number(s, e, "offset", &out->offset);
    read_number(s, e, "reference", &reference);
    out->offset -= out->multiplier * reference;
    out->leader_name = sdf_scoped(s, prefix, a->value);
    out->leader_at = a->at;
}

// in the axes of the joint's frame, of another one, or of the model
static void read_axis(sdf *s, const xml_element *joint, const char *name, const char *prefix,
                      robot_joint *out) {
    const xml_element *e = element_only(s->r, joint, name), *xyz = child_of(s, e, "xyz");
    const xml_element *old = child_of(s, e, "use_parent_model_frame");
    const xml_attribute *in = xyz ? xml_attribute_find(xyz, "expressed_in") : NULL;
    double v[3] = {0, 0, 1};
    xml_attribute given = xyz ? element_text(xyz) : (xml_attribute){0};
    if (xyz)
        numbers_in(s->r, &given, 3, v);
    out->axis = vector_unit(vector_of(v));
    axis_check(s->r, xyz ? xyz->at : joint->at, out, "<xyz>0 0 1</xyz>");
    xml_attribute model = {"", SDF_MODEL, joint->at};
    bool of_model = s->old_axes || (old && (old->text[0] == 't' || old->text[0] == '1'));
    int frame = in && in->value[0] ? sdf_find_frame(s, in, prefix, "frame")
                : of_model         ? sdf_find_frame(s, &model, prefix, "frame")
                                   : -1;
    if (frame >= 0)
        out->in_world.turn = s->frames.at[frame].in_world.turn;
    read_limit(s, e, out);
    read_dynamics(s, e, out);
    read_mimic(s, e, prefix, out);
}

// ---- a joint

// metres for each turn; before, turns by another measure: -2 pi / that
static void read_pitch(sdf *s, const xml_element *joint, robot_joint *out) {
    double pitch = 1, old = 0;
    bool given = read_number(s, joint, "screw_thread_pitch", &pitch);
    if (!given && read_number(s, joint, "thread_pitch", &old) && old != 0)
        pitch = -2 * M_PI / old;
    out->pitch = pitch / (2 * M_PI);
}

static void add_joint(sdf *s, robot_joint j) {
    vec_push(s->r->arena, s->r->robot->joints, j);
}

// parent - first axis - cross - second axis - child
static void add_cross(sdf *s, const xml_element *e, const char *prefix, robot_joint j, pose frame) {
    robot_joint second = j;
    const char *cross = arena_print(s->r->arena, "%s_cross", j.name),
               *name = arena_print(s->r->arena, "%s_2", j.name);
    robot_link link = {.name = name_new(s->r, s->r->links, cross),
                       .at = j.at,
                       .made = true,
                       .in_world = s->r->robot->links.at[j.child].in_world};
    vec_push(s->r->arena, s->r->robot->links, link);
    j.child = second.parent = s->r->robot->links.count - 1;
    read_axis(s, e, "axis", prefix, &j);
    add_joint(s, j);
    second.in_world = frame;
    second.name = name_new(s->r, s->r->joints, name);
    second.unnamed = true;
    read_axis(s, e, "axis2", prefix, &second);
    add_joint(s, second);
}

static int type_of(sdf *s, const xml_element *e) {
    static const char *const types[] = {"revolute", "continuous", "prismatic", "fixed", "ball",
                                        "screw",    "universal",  "revolute2", NULL};
    const xml_attribute *a = element_needed(s->r, e, "type");
    if (a && strcmp(a->value, "gearbox") == 0) {
        diag_error(s->r->diags, a->at, "a gearbox is not read")->hint =
            "delete it here, and write 'joint NAME: gear(J1, J2, ratio = k)' to a file for " SETTING "loops";
        return -1;
    }
    return a ? choice_in(s->r, a, "type of joint", types) : -1;
}

void sdf_read_joint(sdf *s, const xml_element *e, const char *prefix) {
    static const char *const known[] = {
        "pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch", NULL};
    static const robot_kind kinds[] = {ROBOT_REVOLUTE,  ROBOT_CONTINUOUS, ROBOT_PRISMATIC, ROBOT_FIXED,
                                       ROBOT_SPHERICAL, ROBOT_SCREW,      ROBOT_REVOLUTE,  ROBOT_REVOLUTE};
    int kind = type_of(s, e), parent = read_end(s, e, "parent", prefix),
        child = read_end(s, e, "child", prefix);
    int number = joint_new(s->r, e, prefix);
    element_leave_out_others(s->r, e, known);
    if (kind < 0 || parent < 0 || child < 0 || number < 0)
        return;
    const xml_attribute *name = xml_attribute_find(e, "name");
    sdf_frame frame = sdf_frame_of(s, e, prefix, sdf_joint_child(s, e, prefix));
    int base = sdf_find_frame(s, &(xml_attribute){"", frame.base, frame.base_at}, "", "frame");
    robot_joint j = {.name = names_text(s->r->joints, number),
                     .at = name->at,
                     .kind = kinds[kind],
                     .parent = parent,
                     .child = child,
                     .leader = -1,
                     .multiplier = 1};
    j.in_world = pose_product(base < 0 ? pose_identity() : s->frames.at[base].in_world, frame.own);
    if (kind == UNIVERSAL || kind == REVOLUTE2) {
        add_cross(s, e, prefix, j, j.in_world);
        return;
    }
    if (kind != FIXED && kind != BALL)
        read_axis(s, e, "axis", prefix, &j);
    if (kind == SCREW)
        read_pitch(s, e, &j);
    add_joint(s, j);
}
