/* Geoms: what they weigh, where a body's inertia is that of its geoms, and what is drawn of them. */
#include "import/mjcf.h"

#include <math.h>
#include <string.h>

static const char *const types[] = {"box",  "sphere", "cylinder", "capsule", "ellipsoid", // as in solid_kind
                                    "mesh", "plane",  "hfield",   "sdf",     NULL};

// "from to": the length is between the two points, along the z axis
static bool read_ends(mjcf *m, const xml_element *e, int class, robot_shape *s, double *half) {
    double ends[6];
    const xml_attribute *a = mjcf_find(m, e, class, "fromto");
    if (a == NULL || s->kind == SOLID_SPHERE || !numbers_in(m->r, a, 6, ends))
        return false;
    vector from = vector_of(ends), to = vector_of(ends + 3), along = vector_difference(from, to);
    *half = vector_norm(along) / 2;
    if (!(*half > 0))
        diag_error(m->r->diags, a->at, "both ends of a geom are at the same place");
    s->origin = (pose){mjcf_turn_to(along), vector_scaled(0.5, vector_sum(from, to))};
    return true;
}

// MJCF has half sizes; radius, then half the length
static void read_sizes(mjcf *m, const xml_element *e, int class, robot_shape *s) {
    static const int wanted[] = {[SOLID_BOX] = 3,     [SOLID_SPHERE] = 1,    [SOLID_CYLINDER] = 2,
                                 [SOLID_CAPSULE] = 2, [SOLID_ELLIPSOID] = 3, [SOLID_MESH] = 0};
    double v[3] = {0}, half = 0;
    bool ends = read_ends(m, e, class, s, &half);
    const xml_attribute *a = mjcf_find(m, e, class, "size");
    int given = a ? numbers_among(m->r, a, 1, 3, v) : 0;
    if (a && given == 0)
        return;
    if (given < (ends ? 1 : wanted[s->kind])) {
        diag_error(m->r->diags, a ? a->at : e->at, "a <geom> of the type %s needs %d sizes", types[s->kind],
                   ends ? 1 : wanted[s->kind]);
        return;
    }
    if (ends && (s->kind == SOLID_BOX || s->kind == SOLID_ELLIPSOID))
        v[1] = v[0], v[2] = half;
    else if (ends)
        v[1] = half;
    double factor = s->kind == SOLID_BOX ? 2 : 1;
    for (int i = 0; i < 3; i++)
        s->size[i] = factor * v[i];
    if (s->kind == SOLID_CYLINDER || s->kind == SOLID_CAPSULE)
        s->size[1] *= 2;
    if (!solid_is_whole(s))
        diag_error(m->r->diags, a ? a->at : e->at, "the sizes of a <geom> are positive");
}

static void find_mesh(mjcf *m, const xml_element *e, int class, robot_shape *s) {
    const xml_attribute *a = mjcf_find(m, e, class, "mesh");
    int known = a ? names_find(m->mesh_names, a->value, (int)strlen(a->value)) : -1;
    const xml_element *mesh = known < 0 ? NULL : m->meshes.at[known];
    const xml_attribute *file = mesh ? xml_attribute_find(mesh, "file") : NULL;
    s->file = file ? file->value : a ? a->value : "";
    s->size[0] = s->size[1] = s->size[2] = 1;
    if (mesh)
        mjcf_numbers(m, mesh, mjcf_class_of(m, mesh, "class", m->classes.count ? 0 : -1), "scale", 3,
                     s->size);
    mesh_find(m->r, e->at, m->mesh_folder, s);
}

static bool counts(mjcf *m, const xml_element *e, int class) {
    double group = 0;
    mjcf_numbers(m, e, class, "group", 1, &group);
    return group >= m->groups[0] && group <= m->groups[1];
}

static void weigh(mjcf *m, const xml_element *e, int class, const robot_shape *s, pose frame,
                  mjcf_parts *parts) {
    double density = 1000, mass = -1;
    const xml_attribute *a = mjcf_find(m, e, class, "mass"), *d = mjcf_find(m, e, class, "density");
    mjcf_numbers(m, e, class, "density", 1, &density);
    if (d)
        mass_check(m->r, d->at, density);
    if (a && numbers_in(m->r, a, 1, &mass) && !mass_check(m->r, a->at, mass))
        return;
    if (s->kind == SOLID_MESH && mass != 0 && density != 0) {
        diag_error(m->r->diags, e->at, "what a mesh weighs is not known here: its file is not read")->hint =
            "give its body an <inertial>, or the geom mass=\"0\"";
        return;
    }
    if (mjcf_says(m, e, class, "shellinertia", "true"))
        element_leave_out(m->r, "geom shellinertia", e->at);
    robot_inertia part = solid_inertia(s, a ? mass : density * solid_volume(s));
    pose in_link = pose_product(frame, s->origin);
    part.centre = in_link.at;
    robot_turn_inertia(in_link.turn, part.inertia);
    if (part.mass > 0)
        vec_push(m->r->arena, *parts, part);
}

static void tell_contacts(mjcf *m, const xml_element *e, int class) {
    double type = 1, affinity = 1;
    mjcf_numbers(m, e, class, "contype", 1, &type);
    mjcf_numbers(m, e, class, "conaffinity", 1, &affinity);
    if (type != 0 || affinity != 0)
        element_leave_out(m->r, "geom", e->at);
}

void mjcf_read_geom(mjcf *m, const xml_element *e, int class, pose frame, bool weighs, robot_link *out,
                    mjcf_parts *parts) {
    class = mjcf_class_of(m, e, "class", class);
    const xml_attribute *type = mjcf_find(m, e, class, "type");
    int found = type                            ? choice_in(m->r, type, "type of geom", types)
                : xml_attribute_find(e, "mesh") ? SOLID_MESH
                                                : SOLID_SPHERE;
    if (found < 0)
        return;
    tell_contacts(m, e, class);
    if (found > SOLID_MESH)
        return;
    robot_shape s = {.kind = (solid_kind)found, .origin = mjcf_pose(m, e, class)};
    int before = m->r->diags->errors;
    if (s.kind == SOLID_MESH)
        find_mesh(m, e, class, &s);
    else
        read_sizes(m, e, class, &s);
    if (m->r->diags->errors > before)
        return;
    if (weighs && counts(m, e, class))
        weigh(m, e, class, &s, frame, parts);
    s.origin = pose_product(frame, s.origin);
    vec_push(m->r->arena, out->shapes, s);
}

robot_inertia mjcf_sum(const mjcf_parts *parts) {
    robot_inertia out = {0};
    for (int i = 0; i < parts->count; i++) {
        out.mass += parts->at[i].mass;
        out.centre = vector_sum(out.centre, vector_scaled(parts->at[i].mass, parts->at[i].centre));
    }
    if (out.mass > 0)
        out.centre = vector_scaled(1 / out.mass, out.centre);
    if (parts->count == 1)
        out.centre = parts->at[0].centre; // without rounding
    for (int i = 0; i < parts->count; i++)
        robot_add_inertia(&out, pose_identity(), &parts->at[i], out.centre);
    return out;
}
