/* Links: what they weigh and what is drawn of them. */
#include "import/sdf.h"

#include <string.h>

// the numbers in a child; out keeps its values where there is none
static const xml_element *child_numbers(sdf *s, const xml_element *e, const char *name, int count,
                                        double *out) {
    const xml_element *c = e ? element_only(s->r, e, name) : NULL;
    xml_attribute given = c ? element_text(c) : (xml_attribute){0};
    if (c)
        numbers_in(s->r, &given, count, out);
    return c;
}

static void read_inertial(sdf *s, const xml_element *link, robot_link *out) {
    static const char *const entries[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xml_element *e = element_only(s->r, link, "inertial");
    const xml_attribute *a = e ? xml_attribute_find(e, "auto") : NULL;
    out->own =
        (robot_inertia){.mass = 1, .inertia = {1, 1, 1, 0, 0, 0}}; // what SDF says of a link without one
    if (e == NULL) {
        element_leave_out(s->r, "link", link->at);
        return;
    }
    if (a && (strcmp(a->value, "true") == 0 || strcmp(a->value, "1") == 0))
        diag_error(s->r->diags, a->at, "an inertia is not computed from collisions")->hint =
            "write <mass> and <inertia>";
    pose centre = sdf_pose(s, e);
    const xml_element *mass = child_numbers(s, e, "mass", 1, &out->own.mass);
    const xml_element *inertia = element_only(s->r, e, "inertia");
    for (int i = 0; i < 6; i++)
        child_numbers(s, inertia, entries[i], 1, &out->own.inertia[i]);
    if (mass)
        mass_check(s->r, mass->at, out->own.mass);
    inertia_check(s->r, inertia ? inertia->at : e->at, out->own.inertia);
    out->has_inertial = true;
    out->own.centre = centre.at;
    robot_turn_inertia(centre.turn, out->own.inertia);
}

static void read_mesh(sdf *s, const xml_element *e, robot_shape *out) {
    const xml_element *file = element_only(s->r, e, "uri");
    out->file = file ? file->text : "";
    out->size[0] = out->size[1] = out->size[2] = 1;
    child_numbers(s, e, "scale", 3, out->size);
    mesh_find(s->r, e->at, NULL, out);
}

static void read_shape(sdf *s, const xml_element *e, robot_link *out) {
    static const char *const known[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh", NULL};
    const xml_element *geometry = element_only(s->r, e, "geometry");
    robot_shape shape = {.origin = sdf_pose(s, e)};
    for (const xml_element *c = geometry ? geometry->first : NULL; c; c = c->next) {
        int kind = 0; // as in solid_kind
        while (known[kind] && !element_is(c, known[kind]))
            kind++;
        if (known[kind] == NULL)
            continue;
        shape.kind = (solid_kind)kind;
        if (shape.kind == SOLID_MESH)
            read_mesh(s, c, &shape);
        child_numbers(s, c, "size", 3, shape.size);
        child_numbers(s, c, "radii", 3, shape.size);
        child_numbers(s, c, "radius", 1, &shape.size[0]);
        child_numbers(s, c, "length", 1, &shape.size[1]);
        if (solid_is_whole(&shape))
            vec_push(s->r->arena, out->shapes, shape);
    }
}

// fixed to the world
static void hold(sdf *s, int link) {
    const char *name = arena_print(s->r->arena, "%s_static", s->r->robot->links.at[link].name);
    robot_joint weld = {.name = name_new(s->r, s->r->joints, name),
                        .unnamed = true,
                        .at = s->r->robot->links.at[link].at,
                        .kind = ROBOT_FIXED,
                        .child = link,
                        .in_world = pose_identity(),
                        .leader = -1};
    vec_push(s->r->arena, s->r->robot->joints, weld);
}

void sdf_read_link(sdf *s, const xml_element *e, const char *prefix, bool still) {
    static const char *const known[] = {"pose", "inertial", "visual", "collision", "gravity", NULL};
    int number = link_new(s->r, e, prefix);
    if (number < 0)
        return;
    robot_link link = {.name = names_text(s->r->links, number), .at = xml_attribute_find(e, "name")->at};
    const xml_element *gravity = element_only(s->r, e, "gravity");
    sdf_frame frame = sdf_frame_of(s, e, prefix, sdf_scoped(s, prefix, SDF_MODEL));
    if (gravity && (gravity->text[0] == 'f' || gravity->text[0] == '0'))
        link.lift = 1;
    if (still)
        link.own = (robot_inertia){0};
    else
        read_inertial(s, e, &link);
    const char *shown = element_shown(s->r, e);
    for (const xml_element *c = e->first; c; c = c->next)
        if (element_is(c, shown))
            read_shape(s, c, &link);
    element_leave_out_others(s->r, e, known);
    frame.link = number;
    vec_push(s->r->arena, s->r->robot->links, link);
    if (sdf_add_frame(s, link.name, frame) < 0)
        diag_error(s->r->diags, link.at, "there are two frames of the name '%s'", link.name);
    if (still)
        hold(s, number);
}
