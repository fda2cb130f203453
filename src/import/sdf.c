/* SDF, the format of Gazebo: models, those within them, and what the file says as a whole. */
#include "import/sdf.h"

#include <stdlib.h>
#include <string.h>

static const leftover_reason reasons[] = {
    {"link", "without <inertial> a link has the mass 1 and the inertia 1, 1, 1: SDF says so",
     "given a weight"},
    {"include", "no other file is read: put the models it stands for into this one", NULL},
    {"plugin", "it is for that simulator alone", NULL},
    {"gripper", "there are no contacts", NULL},
    {"physics", "it says how another program computes", NULL},
    {"scene", "it does not change how the robot moves", NULL},
    {"placement_frame", "the model is placed by its own frame", "heeded"},
    {0},
};

static bool is_true(const xml_element *e) {
    return e && (e->text[0] == 't' || e->text[0] == '1');
}

static const char *name_of(sdf *s, const xml_element *e) {
    const xml_attribute *a = element_needed(s->r, e, "name");
    return a ? a->value : NULL;
}

// ---- models

static void add_named_frame(sdf *s, const xml_element *e, const char *prefix) {
    const char *name = name_of(s, e);
    const xml_attribute *to = xml_attribute_find(e, "attached_to");
    const char *holder = sdf_scoped(s, prefix, to && to->value[0] ? to->value : SDF_MODEL);
    if (name == NULL)
        return;
    sdf_frame frame = sdf_frame_of(s, e, prefix, holder);
    frame.holder = holder;
    if (sdf_add_frame(s, sdf_scoped(s, prefix, name), frame) < 0)
        diag_error(s->r->diags, e->at, "there are two frames of the name '%s'", name);
}

// of older files, which may have a link of the same name, the link counts
static void add_joint_frame(sdf *s, const xml_element *e, const char *prefix) {
    const xml_attribute *name = xml_attribute_find(e, "name");
    const char *child = sdf_joint_child(s, e, prefix);
    if (name == NULL || child == NULL)
        return;
    sdf_frame frame = sdf_frame_of(s, e, prefix, child);
    frame.holder = child;
    sdf_add_frame(s, sdf_scoped(s, prefix, name->value), frame);
}

// what a model moves with: the link that it names, or its first
static const char *canonical(sdf *s, const xml_element *e, const char *prefix) {
    const xml_attribute *given = xml_attribute_find(e, "canonical_link");
    if (given && given->value[0])
        return sdf_scoped(s, prefix, given->value);
    for (const xml_element *c = e->first; c; c = c->next) {
        const xml_attribute *name = xml_attribute_find(c, "name");
        if (name && element_is(c, "link"))
            return sdf_scoped(s, prefix, name->value);
        if (name && element_is(c, "model"))
            return sdf_scoped(s, prefix, name->value);
    }
    return NULL;
}

// links and frames of a model and those within it; `around`: the prefix of what it stands in, NULL: the world
static void read_model(sdf *s, const xml_element *e, const char *prefix, const char *around, bool still) {
    static const char *const known[] = {"pose", "static", "link", "joint", "frame", "model", NULL};
    const char *outer = around ? sdf_scoped(s, around, SDF_MODEL) : NULL;
    sdf_frame frame = sdf_frame_of(s, e, around ? around : "", outer);
    frame.holder = canonical(s, e, prefix);
    sdf_add_frame(s, sdf_scoped(s, prefix, SDF_MODEL), frame);
    still |= is_true(element_only(s->r, e, "static"));
    if (xml_attribute_find(e, "placement_frame"))
        element_leave_out(s->r, "placement_frame", xml_attribute_find(e, "placement_frame")->at);
    for (const xml_element *c = e->first; c; c = c->next) {
        if (element_is(c, "link"))
            sdf_read_link(s, c, prefix, still);
        else if (element_is(c, "joint"))
            add_joint_frame(s, c, prefix);
        else if (element_is(c, "frame"))
            add_named_frame(s, c, prefix);
        else if (element_is(c, "model") && name_of(s, c)) {
            const char *within = arena_print(s->r->arena, "%s%s::", prefix, name_of(s, c));
            sdf_frame same = {.at = c->at,
                              .own = pose_identity(),
                              .base = sdf_scoped(s, within, SDF_MODEL),
                              .base_at = c->at,
                              .link = -1};
            same.holder = same.base;
            sdf_add_frame(s, sdf_scoped(s, prefix, name_of(s, c)), same);
            read_model(s, c, within, prefix, still);
        }
    }
    element_leave_out_others(s->r, e, known);
}

static void read_joints(sdf *s, const xml_element *e, const char *prefix) {
    for (const xml_element *c = e->first; c; c = c->next) {
        const xml_attribute *name = xml_attribute_find(c, "name");
        if (element_is(c, "joint"))
            sdf_read_joint(s, c, prefix);
        if (element_is(c, "model") && name)
            read_joints(s, c, arena_print(s->r->arena, "%s%s::", prefix, name->value));
    }
}

// ---- the file

static int count_of(const xml_element *e, const char *name) {
    int count = 0;
    for (const xml_element *c = e->first; c; c = c->next)
        count += element_is(c, name);
    return count;
}

// one model gives its name to the robot, and several theirs to their links
static void each_model(sdf *s, const xml_element *e, bool joints) {
    bool alone = count_of(e, "model") == 1;
    for (const xml_element *c = e->first; c; c = c->next) {
        const char *name = element_is(c, "model") ? name_of(s, c) : NULL;
        if (name == NULL)
            continue;
        const char *prefix = alone ? "" : arena_print(s->r->arena, "%s::", name);
        if (alone)
            s->r->robot->name = name;
        if (joints)
            read_joints(s, c, prefix);
        else
            read_model(s, c, prefix, NULL, false);
    }
}

static void read_world(sdf *s, const xml_element *e) {
    static const char *const known[] = {"model", "gravity", NULL};
    const xml_attribute *name = xml_attribute_find(e, "name");
    const xml_element *gravity = element_only(s->r, e, "gravity");
    double g[3];
    xml_attribute given = gravity ? element_text(gravity) : (xml_attribute){0};
    s->r->robot->name = name ? name->value : "";
    if (gravity && numbers_in(s->r, &given, 3, g))
        s->r->robot->gravity = vector_of(g);
    element_leave_out_others(s->r, e, known);
}

static void add_ground(sdf *s, const xml_element *root) {
    robot_link ground = {.name = "world", .at = root->at, .in_world = pose_identity()};
    names_intern(s->r->links, "world", 5);
    vec_push(s->r->arena, s->r->robot->links, ground);
    sdf_add_frame(
        s, "world",
        (sdf_frame){
            .at = root->at, .own = pose_identity(), .progress = SDF_KNOWN, .in_world = pose_identity()});
}

void sdf_read(reader *r, const xml_element *root) {
    static const char *const known[] = {"world", "model", NULL};
    const xml_attribute *version = xml_attribute_find(root, "version");
    const xml_element *world = element_only(r, root, "world"), *from = world ? world : root;
    sdf s = {.r = r,
             .frame_names = names_new(r->arena),
             .old_axes = version && strncmp(version->value, "1.", 2) == 0 && version->value[2] < '5' &&
                         version->value[3] == '\0'};
    r->reasons = reasons;
    r->robot->placed = true;
    r->robot->gravity = (vector){0, 0, -9.8}; // what SDF says where it is not given
    add_ground(&s, root);
    if (world)
        read_world(&s, world);
    element_leave_out_others(r, root, known);
    each_model(&s, from, false);
    sdf_resolve(&s);
    for (int i = 1; i < s.frames.count; i++)
        if (s.frames.at[i].link > 0 && s.frames.at[i].holder == NULL)
            r->robot->links.at[s.frames.at[i].link].in_world = s.frames.at[i].in_world;
    if (r->diags->errors == 0)
        each_model(&s, from, true);
    for (int i = 0; i < r->robot->joints.count && r->diags->errors == 0; i++)
        mimic_find(r, &r->robot->joints.at[i]);
    if (r->robot->links.count == 1 && r->diags->errors == 0)
        diag_error(r->diags, from->at, "this robot has no <link>");
}
