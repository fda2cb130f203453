/* What closes loops, couples joints and drives them: <equality> and <actuator>. */
#include "import/mjcf.h"

#include <math.h>
#include <string.h>

static int class_of(mjcf *m, const xml_element *e) {
    return mjcf_class_of(m, e, "class", m->classes.count ? 0 : -1);
}

static const char *name_of(mjcf *m, const xml_element *e, const char *otherwise) {
    const xml_attribute *a = xml_attribute_find(e, "name");
    return a && a->value[0] ? arena_copy(m->r->arena, a->value, strlen(a->value)) : otherwise;
}

// a body's number; the world where the attribute is not needed and not there
static int body_of(mjcf *m, const xml_element *e, const char *name, bool need) {
    const xml_attribute *a = need ? element_needed(m->r, e, name) : xml_attribute_find(e, name);
    if (a == NULL)
        return need ? -1 : 0;
    return name_find(m->r, a, "body", m->r->links);
}

static const mjcf_site *site_of(mjcf *m, const xml_element *e, const char *name) {
    const xml_attribute *a = element_needed(m->r, e, name);
    int site = a ? name_find(m->r, a, "site", m->site_names) : -1;
    return site < 0 ? NULL : &m->sites.at[site];
}

// the ground comes first
static void add_closing(mjcf *m, robot_joint j) {
    if (j.child == 0) {
        int body = j.parent;
        vector at = j.in_world.at;
        j.parent = j.child;
        j.child = body;
        if (j.apart) {
            j.in_world.at = j.other;
            j.other = at;
        }
    }
    vec_push(m->r->arena, m->r->robot->joints, j);
}

static robot_joint closing(mjcf *m, const xml_element *e, robot_kind kind) {
    return (robot_joint){.name = name_of(m, e, e->name),
                         .unnamed = xml_attribute_find(e, "name") == NULL,
                         .at = e->at,
                         .kind = kind,
                         .in_world = pose_identity(),
                         .leader = -1,
                         .closes = true};
}

static void read_sites(mjcf *m, const xml_element *e, robot_kind kind) {
    const mjcf_site *one = site_of(m, e, "site1"), *two = site_of(m, e, "site2");
    robot_joint j = closing(m, e, kind);
    if (one == NULL || two == NULL)
        return;
    j.parent = one->link;
    j.child = two->link;
    j.in_world.at = one->at;
    j.other = two->at;
    j.apart = vector_norm(vector_difference(one->at, two->at)) > 1e-12 * (1 + vector_norm(one->at));
    if (kind == ROBOT_FIXED)
        element_leave_out(m->r, "weld site1", e->at);
    else
        add_closing(m, j);
}

// the point is given in the first body, and both share it at the start
static void read_connect(mjcf *m, const xml_element *e, int class) {
    double anchor[3] = {0};
    const xml_attribute *a = mjcf_find(m, e, class, "anchor");
    robot_joint j = closing(m, e, ROBOT_SPHERICAL);
    j.parent = body_of(m, e, "body1", true);
    j.child = body_of(m, e, "body2", false);
    if (a == NULL)
        diag_error(m->r->diags, e->at, "<connect> needs anchor=\"...\"");
    else
        numbers_in(m->r, a, 3, anchor);
    if (j.parent < 0 || j.child < 0)
        return;
    j.in_world.at = pose_apply(m->r->robot->links.at[j.parent].in_world, vector_of(anchor));
    add_closing(m, j);
}

// a pose that is given must be the one at the start
static void check_relpose(mjcf *m, const xml_attribute *a, const robot_joint *j) {
    double v[7];
    if (a == NULL || !numbers_in(m->r, a, 7, v) || (v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0))
        return;
    const robot_link *links = m->r->robot->links.at;
    pose now = pose_product(pose_inverse(links[j->parent].in_world), links[j->child].in_world);
    double size = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
    double same = fabs(now.turn.w * v[3] + now.turn.x * v[4] + now.turn.y * v[5] + now.turn.z * v[6]) / size;
    if (vector_norm(vector_difference(now.at, vector_of(v))) < 1e-6 * (1 + vector_norm(now.at)) &&
        same > 1 - 1e-9)
        return;
    diag_error(m->r->diags, a->at, "the bodies of this <weld> are not where its relpose has them")->hint =
        "a model welds bodies as they are at the start: place them so in the file, or leave relpose away";
}

static void read_weld(mjcf *m, const xml_element *e, int class) {
    robot_joint j = closing(m, e, ROBOT_FIXED);
    j.parent = body_of(m, e, "body1", true);
    j.child = body_of(m, e, "body2", false);
    if (j.parent < 0 || j.child < 0)
        return;
    check_relpose(m, mjcf_find(m, e, class, "relpose"), &j);
    j.in_world.at = m->r->robot->links.at[j.child ? j.child : j.parent].in_world.at;
    add_closing(m, j);
}

// a joint with one motion: -1 and an error if there is none
static int joint_of(mjcf *m, const xml_attribute *a) {
    int joint = name_find(m->r, a, "joint", m->r->joints);
    if (joint < 0)
        return -1;
    robot_kind kind = m->r->robot->joints.at[joint].kind;
    if (robot_turns(kind) || robot_slides(kind))
        return joint;
    diag_error(m->r->diags, a->at, "'%s' is no hinge or slide: it has no position", a->value);
    return -1;
}

static void read_coupling(mjcf *m, const xml_element *e, int class) {
    const xml_attribute *one = element_needed(m->r, e, "joint1"), *two = xml_attribute_find(e, "joint2");
    const xml_attribute *factors = mjcf_find(m, e, class, "polycoef");
    robot_coupling c = {.name = name_of(m, e, "coupling"), .at = e->at, .leader = -1, .factor = {0, 1}};
    if (one == NULL)
        return;
    c.follower = joint_of(m, one);
    if (two)
        c.leader = joint_of(m, two);
    if (factors)
        numbers_among(m->r, factors, 1, COUPLING_TERMS, c.factor);
    if (c.follower < 0 || (two && c.leader < 0))
        return;
    if (c.follower == c.leader)
        diag_error(m->r->diags, two->at, "joint '%s' is coupled to itself", two->value);
    vec_push(m->r->arena, m->r->robot->couplings, c);
}

void mjcf_read_equality(mjcf *m, const xml_element *equality) {
    for (const xml_element *e = equality->first; e; e = e->next) {
        int class = class_of(m, e);
        if (mjcf_says(m, e, class, "active", "false"))
            element_leave_out(m->r, "equality active=\"false\"", e->at);
        else if (element_is(e, "joint"))
            read_coupling(m, e, class);
        else if (!element_is(e, "connect") && !element_is(e, "weld"))
            element_leave_out(m->r, arena_print(m->r->arena, "equality %s", e->name), e->at);
        else if (xml_attribute_find(e, "site1"))
            read_sites(m, e, element_is(e, "weld") ? ROBOT_FIXED : ROBOT_SPHERICAL);
        else
            (element_is(e, "weld") ? read_weld : read_connect)(m, e, class);
    }
}

// ---- actuators

// a servo: kp (u - position) - kv position', where the position counts from 0 of the file
static void read_servo(mjcf *m, const xml_element *e, int class, double gear, robot_drive *out) {
    double kp = element_is(e, "position"), kv = element_is(e, "velocity");
    mjcf_numbers(m, e, class, "kp", 1, &kp);
    mjcf_numbers(m, e, class, "kv", 1, &kv);
    out->stiffness = element_is(e, "position") ? kp * gear * gear : 0;
    out->damping = kv * gear * gear;
    out->target = -m->r->robot->joints.at[out->joint].zero;
    out->factor = 0;
}

static void read_actuator(mjcf *m, const xml_element *e) {
    int class = class_of(m, e);
    const xml_attribute *joint = xml_attribute_find(e, "joint"), *gear = mjcf_find(m, e, class, "gear");
    const xml_attribute *range = mjcf_find(m, e, class, "ctrlrange");
    bool motor = element_is(e, "motor"), servo = element_is(e, "position") || element_is(e, "velocity");
    double factor[6] = {1}, ends[2];
    if (joint == NULL || (!motor && !servo)) {
        element_leave_out(m->r, arena_print(m->r->arena, "actuator %s", e->name), e->at);
        return;
    }
    robot_drive d = {.name = name_of(m, e, e->name), .joint = joint_of(m, joint)};
    if (gear)
        numbers_among(m->r, gear, 1, 6, factor);
    if (d.joint < 0)
        return;
    d.factor = factor[0];
    if (servo)
        read_servo(m, e, class, factor[0], &d);
    if (range && numbers_in(m->r, range, 2, ends)) {
        d.ranged = true;
        d.lower = ends[0];
        d.upper = ends[1];
    }
    vec_push(m->r->arena, m->r->robot->drives, d);
    element_leave_out(m->r, "actuator", e->at);
}

void mjcf_read_actuators(mjcf *m, const xml_element *actuator) {
    for (const xml_element *e = actuator->first; e; e = e->next)
        read_actuator(m, e);
}
