/* Bodies within bodies, and the joints of each to the one around it. A body with several joints hangs by a
 * chain of them: between each two stands a link that weighs nothing, at the same place. */
#include "import/mjcf.h"

#include <string.h>

typedef struct {
    int link;   // around
    pose frame; // in the world
    int class;
    bool still; // fixed to the world
} around;

enum { HINGE, SLIDE, BALL, FREE };

// ---- names

// of an element, or one that is made up where it has none; NULL and an error if it is there already
static const char *name_of(mjcf *m, const xml_element *e, bool link, const char *otherwise) {
    names *table = link ? m->r->links : m->r->joints;
    const xml_attribute *a = e ? xml_attribute_find(e, "name") : NULL;
    if (a == NULL || a->value[0] == '\0')
        return name_new(m->r, table, otherwise);
    int number = link ? link_new(m->r, e, "") : joint_new(m->r, e, "");
    return number < 0 ? NULL : a->value;
}

static place place_of(const xml_element *e) {
    const xml_attribute *a = xml_attribute_find(e, "name");
    return a ? a->at : e->at;
}

// ---- joints

static void read_range(mjcf *m, const xml_element *e, int class, double unit, robot_joint *out) {
    const xml_attribute *a = mjcf_find(m, e, class, "range");
    double range[2];
    if (a == NULL || mjcf_says(m, e, class, "limited", "false") || !numbers_in(m->r, a, 2, range))
        return;
    out->limited = range[0] != 0 || range[1] != 0;
    out->lower = range[0] * unit;
    out->upper = range[1] * unit;
    limits_check(m->r, a->at, out);
    if (out->limited)
        element_leave_out(m->r, "joint range", a->at);
}

static void read_positive(mjcf *m, const xml_element *e, int class, const char *name, double *out) {
    const xml_attribute *a = mjcf_find(m, e, class, name);
    if (a && numbers_in(m->r, a, 1, out))
        damping_check(m->r, a->at, name, *out);
}

// of a hinge or slide
static void read_motion(mjcf *m, const xml_element *e, int class, robot_joint *out) {
    double unit = out->kind == ROBOT_REVOLUTE ? m->unit : 1;
    mjcf_numbers(m, e, class, "ref", 1, &out->start);
    mjcf_numbers(m, e, class, "springref", 1, &out->rest);
    out->start *= unit;
    out->zero = out->start;
    out->rest *= unit;
    read_positive(m, e, class, "stiffness", &out->stiffness);
    read_positive(m, e, class, "damping", &out->damping);
    read_positive(m, e, class, "armature", &out->armature);
    read_positive(m, e, class, "frictionloss", &out->friction);
    read_range(m, e, class, unit, out);
}

// what only joints with one motion have here; a ball has its damping besides
static void read_of_ball(mjcf *m, const xml_element *e, int class, robot_joint *out) {
    static const char *const all[] = {"stiffness", "armature", "frictionloss", "damping"};
    for (int i = 0; i < 4; i++) {
        double value = 0;
        read_positive(m, e, class, all[i], &value);
        if (value > 0 && i == 3 && out->kind == ROBOT_SPHERICAL)
            out->damping = value;
        else if (value > 0)
            element_leave_out(m->r, arena_print(m->r->arena, "joint %s", all[i]),
                              mjcf_find(m, e, class, all[i])->at);
    }
    if (mjcf_find(m, e, class, "range") && !mjcf_says(m, e, class, "limited", "false"))
        element_leave_out(m->r, "joint range", mjcf_find(m, e, class, "range")->at);
}

static int type_of(mjcf *m, const xml_element *e, int class) {
    static const char *const types[] = {"hinge", "slide", "ball", "free", NULL};
    if (element_is(e, "freejoint"))
        return FREE;
    const xml_attribute *a = mjcf_find(m, e, class, "type");
    return a ? choice_in(m->r, a, "type of joint", types) : HINGE;
}

static void read_joint(mjcf *m, const xml_element *e, const around *in, int child, pose body) {
    static const robot_kind kinds[] = {ROBOT_REVOLUTE, ROBOT_PRISMATIC, ROBOT_SPHERICAL, ROBOT_FLOATING};
    int class = element_is(e, "freejoint") ? -1 : mjcf_class_of(m, e, "class", in->class);
    int type = type_of(m, e, class);
    double pos[3] = {0}, axis[3] = {0, 0, 1};
    robot_joint out = {.unnamed = xml_attribute_find(e, "name") == NULL, .at = place_of(e), .leader = -1};
    const char *otherwise = arena_print(m->r->arena, "%s_joint", m->r->robot->links.at[child].name);
    out.name = type < 0 ? NULL : name_of(m, e, false, otherwise);
    if (out.name == NULL)
        return;
    mjcf_numbers(m, e, class, "pos", 3, pos);
    mjcf_numbers(m, e, class, "axis", 3, axis);
    out.kind = kinds[type];
    out.parent = in->link;
    out.child = child;
    out.axis = vector_unit(vector_of(axis));
    out.in_world = (pose){body.turn, pose_apply(body, vector_of(pos))};
    axis_check(m->r, mjcf_find(m, e, class, "axis") ? mjcf_find(m, e, class, "axis")->at : e->at, &out,
               "axis=\"0 0 1\"");
    if (mjcf_find(m, e, class, "springdamper"))
        element_leave_out(m->r, "joint springdamper", e->at);
    if (type == HINGE || type == SLIDE)
        read_motion(m, e, class, &out);
    else
        read_of_ball(m, e, class, &out);
    vec_push(m->r->arena, m->r->robot->joints, out);
}

static bool is_joint(const xml_element *e) {
    return element_is(e, "joint") || element_is(e, "freejoint");
}

static void check_free(mjcf *m, const xml_element *e, const around *in, int count) {
    int class = element_is(e, "freejoint") ? -1 : mjcf_class_of(m, e, "class", in->class);
    bool free = element_is(e, "freejoint") || mjcf_says(m, e, class, "type", "free");
    if (free && (count > 1 || in->link != 0))
        diag_error(m->r->diags, e->at, "a free joint is the only one of a body in <worldbody>");
}

// ---- links

static int add_link(mjcf *m, robot_link link) {
    vec_push(m->r->arena, m->r->robot->links, link);
    return m->r->robot->links.count - 1;
}

// between two joints of a body
static int add_between(mjcf *m, const xml_element *joint, const char *body, pose frame) {
    const xml_attribute *a = xml_attribute_find(joint, "name");
    const char *otherwise = arena_print(m->r->arena, "%s_%s", body, a ? a->value : "between");
    robot_link link = {
        .name = name_of(m, NULL, true, otherwise), .made = true, .at = joint->at, .in_world = frame};
    return add_link(m, link);
}

static void add_joints(mjcf *m, const xml_element *body, around in, int link, pose frame) {
    int count = 0, done = 0;
    for (const xml_element *e = body->first; e; e = e->next)
        count += is_joint(e);
    for (const xml_element *e = body->first; e; e = e->next) {
        if (!is_joint(e))
            continue;
        check_free(m, e, &in, count);
        int child = ++done == count ? link : add_between(m, e, m->r->robot->links.at[link].name, frame);
        read_joint(m, e, &in, child, frame);
        in.link = child;
    }
    if (count > 0)
        return;
    robot_joint weld = {.unnamed = true,
                        .at = body->at,
                        .kind = ROBOT_FIXED,
                        .parent = in.link,
                        .child = link,
                        .in_world = frame,
                        .leader = -1};
    const char *otherwise = arena_print(m->r->arena, "%s_weld", m->r->robot->links.at[link].name);
    weld.name = name_of(m, NULL, false, otherwise);
    vec_push(m->r->arena, m->r->robot->joints, weld);
}

static void read_inertial(mjcf *m, const xml_element *e, robot_inertia *out) {
    const xml_attribute *full = xml_attribute_find(e, "fullinertia"),
                        *diagonal = xml_attribute_find(e, "diaginertia");
    double J[6] = {0};
    pose at = mjcf_pose(m, e, -1);
    if (number_required(m->r, e, "mass", &out->mass))
        mass_check(m->r, xml_attribute_find(e, "mass")->at, out->mass);
    if (element_needed(m->r, e, "pos") == NULL)
        return;
    if (full == NULL && diagonal == NULL) {
        if (out->mass != 0)
            diag_error(m->r->diags, e->at, "<inertial> needs diaginertia=\"...\" or fullinertia=\"...\"");
        return;
    }
    if (full ? numbers_in(m->r, full, 6, J) : numbers_in(m->r, diagonal, 3, J))
        inertia_check(m->r, (full ? full : diagonal)->at, J);
    out->centre = at.at;
    memcpy(out->inertia, J, sizeof J);
    robot_turn_inertia(at.turn, out->inertia);
}

// what stands in a body, or in a <frame> within it, whose frame is seen from the body's
static void read_geoms(mjcf *m, const xml_element *e, int class, pose frame, bool weighs, robot_link *out,
                       mjcf_parts *parts) {
    for (const xml_element *c = e->first; c; c = c->next) {
        if (element_is(c, "geom"))
            mjcf_read_geom(m, c, class, frame, weighs, out, parts);
        if (element_is(c, "frame"))
            read_geoms(m, c, mjcf_class_of(m, c, "childclass", class),
                       pose_product(frame, mjcf_pose(m, c, -1)), weighs, out, parts);
    }
}

static void read_weight(mjcf *m, const xml_element *e, int class, bool still, robot_link *out) {
    const xml_element *inertial = element_only(m->r, e, "inertial");
    bool of_geoms = m->source == MJCF_INERTIA_OF_GEOMS || (m->source == MJCF_INERTIA_AUTO && !inertial);
    mjcf_parts parts = {0};
    read_geoms(m, e, class, pose_identity(), of_geoms && !still, out, &parts);
    if (of_geoms)
        out->own = mjcf_sum(&parts);
    else if (inertial)
        read_inertial(m, inertial, &out->own);
    out->has_inertial = out->own.mass > 0;
}

static void read_inside(mjcf *m, const xml_element *e, around in);

static bool is_still(const around *in, const xml_element *body) {
    for (const xml_element *e = body->first; e; e = e->next)
        if (is_joint(e))
            return false;
    return in->still;
}

static void read_body(mjcf *m, const xml_element *e, around in) {
    robot_link link = {.unnamed = xml_attribute_find(e, "name") == NULL, .at = place_of(e)};
    link.name = name_of(m, e, true, "body");
    if (link.name == NULL)
        return;
    link.in_world = pose_product(in.frame, mjcf_pose(m, e, -1));
    in.class = mjcf_class_of(m, e, "childclass", in.class);
    in.still = is_still(&in, e);
    numbers_optional(m->r, e, "gravcomp", 1, &link.lift);
    if (mjcf_says(m, e, -1, "mocap", "true"))
        element_leave_out(m->r, "body mocap", e->at);
    read_weight(m, e, in.class, in.still, &link);
    int number = add_link(m, link);
    add_joints(m, e, in, number, link.in_world);
    in.link = number;
    in.frame = link.in_world;
    read_inside(m, e, in);
}

static void read_site(mjcf *m, const xml_element *e, const around *in) {
    const xml_attribute *name = xml_attribute_find(e, "name");
    mjcf_site site = {in->link,
                      pose_apply(in->frame, mjcf_pose(m, e, mjcf_class_of(m, e, "class", in->class)).at)};
    if (name == NULL || names_find(m->site_names, name->value, (int)strlen(name->value)) >= 0)
        return;
    names_intern(m->site_names, name->value, (int)strlen(name->value));
    vec_push(m->r->arena, m->sites, site);
}

static void read_inside(mjcf *m, const xml_element *e, around in) {
    static const char *const known[] = {"body",     "geom",  "frame",     "site",
                                        "inertial", "joint", "freejoint", NULL};
    for (const xml_element *c = e->first; c; c = c->next) {
        around within = in;
        if (element_is(c, "body"))
            read_body(m, c, in);
        if (element_is(c, "site"))
            read_site(m, c, &in);
        if (!element_is(c, "frame"))
            continue;
        within.frame = pose_product(in.frame, mjcf_pose(m, c, -1));
        within.class = mjcf_class_of(m, c, "childclass", in.class);
        read_inside(m, c, within);
    }
    element_leave_out_others(m->r, e, known);
}

void mjcf_read_world(mjcf *m, const xml_element *world) {
    robot_link *ground = &m->r->robot->links.at[0];
    around in = {0, pose_identity(), m->classes.count ? 0 : -1, true};
    mjcf_parts none = {0};
    read_geoms(m, world, in.class, in.frame, false, ground, &none);
    read_inside(m, world, in);
}
