/* MJCF, the format of MuJoCo: what its file says as a whole. Constraints are soft there; here they are held.
 */
#include "import/mjcf.h"

#include <math.h>
#include <string.h>

static const leftover_reason reasons[] = {
    {"geom", "there are no contacts: bodies pass through each other", "solid"},
    {"geom shellinertia", "it weighs as if it were solid", NULL},
    {"contact", "there are no contacts", NULL},
    {"joint range",
     "nothing stops a joint at its limits; those of hinges and slides stand in the model as comments",
     "enforced"},
    {"joint stiffness", "only hinges and slides have it here", NULL},
    {"joint armature", "only hinges and slides have it here", NULL},
    {"joint frictionloss", "only hinges and slides have it here", NULL},
    {"joint damping", "hinges, slides and balls have it here", NULL},
    {"joint springdamper", "write its stiffness and damping", NULL},
    {"actuator", "each stands in the model as a comment, to be completed", "driving anything"},
    {"tendon", "write a 'spring', or a 'constraint' on its length", NULL},
    {"keyframe", "write what the start is to be with 'initial'", NULL},
    {"equality active=\"false\"", "MuJoCo does not hold it either", NULL},
    {"weld site1", "weld bodies, not sites", NULL},
    {"body mocap", "write a joint with (motion = ...)", "moved from outside"},
    {"asset", "textures, materials and height fields are not drawn", NULL},
    {"visual", "it does not change how the robot moves", NULL},
    {"statistic", "it does not change how the robot moves", NULL},
    {"size", "it does not change how the robot moves", NULL},
    {"camera", "it does not change how the robot moves", NULL},
    {"option", "air, wind and magnets are not there", NULL},
    {"compiler", "it would change masses that the file gives: write them as they are to be", NULL},
    {0},
};

// ---- <compiler> and <option>

static void read_angle(mjcf *m, const xml_element *e) {
    static const char *const units[] = {"degree", "radian", NULL};
    const xml_attribute *a = xml_attribute_find(e, "angle");
    if (a)
        m->unit = choice_in(m->r, a, "unit of angles", units) == 1 ? 1 : M_PI / 180;
}

static void read_euler(mjcf *m, const xml_element *e) {
    const xml_attribute *a = xml_attribute_find(e, "eulerseq");
    if (a && (strlen(a->value) != 3 || strspn(a->value, "xyzXYZ") != 3))
        diag_error(m->r->diags, a->at, "eulerseq is not three of x, y, z, X, Y and Z: \"%.60s\"", a->value);
    else if (a)
        m->euler = a->value;
}

static void read_inertia_source(mjcf *m, const xml_element *e) {
    static const char *const sources[] = {"auto", "false", "true", NULL};
    const xml_attribute *a = xml_attribute_find(e, "inertiafromgeom");
    int found = a ? choice_in(m->r, a, "choice", sources) : -1;
    if (found >= 0)
        m->source = (mjcf_inertia)found;
    numbers_optional(m->r, e, "inertiagrouprange", 2, m->groups);
}

static void read_compiler(mjcf *m, const xml_element *e) {
    static const char *const changing[] = {"boundmass", "boundinertia", "settotalmass", "balanceinertia"};
    const xml_attribute *a = xml_attribute_find(e, "coordinate");
    if (a && strcmp(a->value, "local") != 0)
        diag_error(m->r->diags, a->at, "only coordinate=\"local\" is read")->hint =
            "MuJoCo has given up the other one, too; its older versions can convert the file";
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        a = xml_attribute_find(e, changing[i]);
        if (a && strcmp(a->value, "0") != 0 && strcmp(a->value, "false") != 0 && strcmp(a->value, "-1") != 0)
            element_leave_out(m->r, "compiler", a->at);
    }
    for (int i = 0; i < 2 && m->mesh_folder == NULL; i++)
        if ((a = xml_attribute_find(e, i ? "assetdir" : "meshdir")))
            m->mesh_folder = a->value;
    read_angle(m, e);
    read_euler(m, e);
    read_inertia_source(m, e);
}

static void read_option(mjcf *m, const xml_element *e) {
    static const char *const others[] = {"density", "viscosity", "wind"};
    double g[3] = {0, 0, -9.81};
    const xml_element *flag = element_only(m->r, e, "flag");
    numbers_optional(m->r, e, "gravity", 3, g);
    if (xml_attribute_find(e, "gravity"))
        m->r->robot->gravity = vector_of(g);
    if (flag && mjcf_says(m, flag, -1, "gravity", "disable"))
        m->r->robot->gravity = (vector){0};
    for (int i = 0; i < 3; i++)
        if (xml_attribute_find(e, others[i]))
            element_leave_out(m->r, "option", xml_attribute_find(e, others[i])->at);
}

// ---- <asset>

// a mesh without a name has that of its file, up to the dot
static void read_meshes(mjcf *m, const xml_element *asset) {
    for (const xml_element *e = asset->first; e; e = e->next) {
        const xml_attribute *name = xml_attribute_find(e, "name"), *file = xml_attribute_find(e, "file");
        if (!element_is(e, "mesh") || (name == NULL && file == NULL))
            continue;
        const char *slash = name ? NULL : strrchr(file->value, '/');
        const char *start = name ? name->value : slash ? slash + 1 : file->value;
        int length = (int)(name ? strlen(start) : strcspn(start, "."));
        if (names_find(m->mesh_names, start, length) >= 0)
            continue;
        names_intern(m->mesh_names, start, length);
        vec_push(m->r->arena, m->meshes, e);
    }
}

// ---- the file

// another file would have to be read, or text be copied
static bool is_whole(mjcf *m, const xml_element *e) {
    static const char *const others[] = {"include", "replicate", "attach", "composite", "flexcomp", NULL};
    for (const xml_element *c = e->first; c; c = c->next) {
        if (element_is_among(c, others)) {
            diag_error(m->r->diags, c->at, "<%s> is not read, and the robot is not whole without it", c->name)
                ->hint =
                "let MuJoCo write what it makes of the file, 'compile FILE whole.xml', and import that";
            return false;
        }
        if (!is_whole(m, c))
            return false;
    }
    return true;
}

static void each(mjcf *m, const xml_element *root, const char *name,
                 void (*read)(mjcf *, const xml_element *)) {
    for (const xml_element *e = root->first; e; e = e->next)
        if (element_is(e, name))
            read(m, e);
}

static void add_ground(reader *r, const xml_element *root) {
    robot_link ground = {.name = "world", .at = root->at, .in_world = pose_identity()};
    names_intern(r->links, "world", 5);
    vec_push(r->arena, r->robot->links, ground);
}

void mjcf_read(reader *r, const xml_element *root) {
    static const char *const known[] = {"compiler",  "option",   "default",  "asset",
                                        "worldbody", "equality", "actuator", NULL};
    const xml_attribute *name = xml_attribute_find(root, "model");
    mjcf m = {.r = r,
              .unit = M_PI / 180,
              .euler = "xyz",
              .groups = {0, 5},
              .class_names = names_new(r->arena),
              .site_names = names_new(r->arena),
              .mesh_names = names_new(r->arena)};
    r->reasons = reasons;
    r->robot->name = name ? name->value : "";
    r->robot->placed = r->robot->driven = true;
    add_ground(r, root);
    if (!is_whole(&m, root))
        return;
    mjcf_read_defaults(&m, root);
    each(&m, root, "compiler", read_compiler);
    each(&m, root, "option", read_option);
    each(&m, root, "asset", read_meshes);
    each(&m, root, "worldbody", mjcf_read_world);
    each(&m, root, "equality", mjcf_read_equality);
    each(&m, root, "actuator", mjcf_read_actuators);
    element_leave_out_others(r, root, known);
    if (r->robot->links.count == 1 && r->diags->errors == 0)
        diag_error(r->diags, root->at, "this robot has no <body>");
}
