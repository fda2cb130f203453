/* What an animation shows of a robot: the shapes of its links, and lines where they have none. */
#include "import/writer.h"

#include "base/file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_between(writer *w, const char *kind, const robot_link *body, vector from, vector to) {
    text_print(&w->out, "draw %s ", kind);
    write_point(w, body, from);
    text_add(&w->out, " ");
    write_point(w, body, to);
}

static void add_line(writer *w, const robot_link *body, vector from, vector to) {
    if (write_is_zero(vector_difference(to, from), w->size))
        return;
    add_between(w, "line", body, from, to);
    text_add(&w->out, "\n");
}

static void add_cylinder(writer *w, const robot_link *body, vector from, vector to, double radius) {
    add_between(w, "cylinder", body, from, to);
    text_add(&w->out, " ");
    write_number(w, radius, 0);
    text_add(&w->out, "\n");
}

static void add_ball(writer *w, const robot_link *body, vector centre, double radius) {
    text_add(&w->out, "draw circle ");
    write_point(w, body, centre);
    text_add(&w->out, " ");
    write_number(w, radius, 0);
    text_add(&w->out, "\n");
}

// ---- shapes

static bool is_upright(quaternion q) {
    return write_is_zero((vector){q.x, q.y, q.z}, 1);
}

// a corner, and what leads to the others
static void add_corner(writer *w, const robot_link *body, vector corner, vector u, vector v) {
    if (body) {
        text_print(&w->out, "point(%s, ", body->id);
        corner = vector_difference(corner, body->total.centre);
    } else {
        text_add(&w->out, "(");
    }
    write_vector(w, corner, w->size);
    text_print(&w->out, " + %s*", w->loop[0]);
    write_vector(w, u, w->size);
    text_print(&w->out, " + %s*", w->loop[1]);
    write_vector(w, v, w->size);
    text_add(&w->out, ")");
}

// four of them, along one edge
static void add_edges(writer *w, const robot_link *body, vector corner, vector along, vector u, vector v) {
    text_print(&w->out, "for %s in 0..1 { for %s in 0..1: draw line ", w->loop[0], w->loop[1]);
    add_corner(w, body, corner, u, v);
    text_add(&w->out, " ");
    add_corner(w, body, vector_sum(corner, along), u, v);
    text_add(&w->out, " }\n");
}

// where its middle is in the axes of the body, or the ground
static void add_middle(writer *w, const robot_link *body, vector middle) {
    if (body)
        middle = vector_difference(middle, body->total.centre);
    if (body && write_is_zero(middle, w->size))
        return;
    text_add(&w->out, " ");
    write_vector(w, middle, w->size);
}

// One along the axes of the body is one statement; any other is its edges.
static void add_box(writer *w, const robot_link *body, pose at, const double *size) {
    if (is_upright(at.turn)) {
        text_print(&w->out, "draw box %s ", body ? body->id : "ground");
        write_numbers(w, size, 3, 0);
        add_middle(w, body, at.at);
        text_add(&w->out, "\n");
        return;
    }
    vector edge[3] = {{size[0], 0, 0}, {0, size[1], 0}, {0, 0, size[2]}}, corner = at.at;
    for (int i = 0; i < 3; i++) {
        edge[i] = rotation_apply(at.turn, edge[i]);
        corner = vector_difference(corner, vector_scaled(0.5, edge[i]));
    }
    for (int i = 0; i < 3; i++)
        add_edges(w, body, corner, edge[i], edge[(i + 1) % 3], edge[(i + 2) % 3]);
}

// from where the model is to be
static const char *path_of(const writer *w, const char *path) {
    char real[PATH_MAX];
    bool found = w->apart && realpath(file_beside(w->arena, w->path, path), real) != NULL;
    return found ? arena_copy(w->arena, real, strlen(real)) : path;
}

static void add_mesh(writer *w, const robot_link *body, pose at, const robot_shape *s) {
    const double *size = s->size;
    quaternion q = at.turn;
    vector middle = body ? vector_difference(at.at, body->total.centre) : at.at;
    text_print(&w->out, "draw mesh %s \"%s\"", body ? body->id : "ground", path_of(w, s->path));
    bool moved = !write_is_zero(middle, w->size), turned = !is_upright(q);
    if (moved || turned || size[0] != 1 || size[1] != 1 || size[2] != 1) {
        text_add(&w->out, " ");
        if (size[0] == size[1] && size[1] == size[2])
            write_number(w, size[0], 0);
        else
            write_numbers(w, size, 3, 0);
    }
    if (moved || turned) {
        text_add(&w->out, " ");
        write_vector(w, middle, w->size);
    }
    if (turned) {
        text_add(&w->out, " ");
        write_numbers(w, (double[]){q.w, q.x, q.y, q.z}, 4, 1);
    }
    text_add(&w->out, "\n");
}

// of one that is not drawn
static void mention_mesh(writer *w, const robot_link *l, const robot_shape *s) {
    text_print(&w->out, "# mesh of %s: \"%s\"", l->id ? l->id : "ground", write_shown(w, s->file));
    if (s->size[0] != 1 || s->size[1] != 1 || s->size[2] != 1) {
        text_add(&w->out, ", scale ");
        write_numbers(w, s->size, 3, 0);
    }
    text_add(&w->out, ", at ");
    write_vector(w, s->origin.at, w->size);
    if (!is_upright(s->origin.turn)) {
        quaternion q = s->origin.turn;
        text_add(&w->out, ", turned by the quaternion ");
        write_numbers(w, (double[]){q.w, q.x, q.y, q.z}, 4, 1);
    }
    text_add(&w->out, " of its frame\n");
}

static void add_shape(writer *w, const robot_link *l, const robot_link *body, const robot_shape *s) {
    pose at = pose_product(l->in_body, s->origin);
    vector axis = rotation_apply(at.turn, (vector){0, 0, s->size[1] / 2});
    vector from = vector_difference(at.at, axis), to = vector_sum(at.at, axis);
    switch (s->kind) {
    case SOLID_BOX:
        add_box(w, body, at, s->size);
        break;
    case SOLID_SPHERE:
        add_ball(w, body, at.at, s->size[0]);
        break;
    case SOLID_CAPSULE:
        add_ball(w, body, from, s->size[0]);
        add_ball(w, body, to, s->size[0]);
        add_cylinder(w, body, from, to, s->size[0]);
        break;
    case SOLID_CYLINDER:
        add_cylinder(w, body, from, to, s->size[0]);
        break;
    case SOLID_ELLIPSOID:
        add_ball(w, body, at.at, cbrt(s->size[0] * s->size[1] * s->size[2]));
        break;
    case SOLID_MESH:
        if (s->path)
            add_mesh(w, body, at, s);
        else
            mention_mesh(w, l, s);
        break;
    }
}

// ---- all

typedef struct {
    bool *shaped, *carries; // of a link that is a body
} bodies;

// a ball about its middle that holds it
static double reach_of(const robot_shape *s) {
    const double *size = s->size;
    switch (s->kind) {
    case SOLID_BOX:
        return 0.5 * vector_norm((vector){size[0], size[1], size[2]});
    case SOLID_CYLINDER:
        return hypot(size[0], size[1] / 2);
    case SOLID_CAPSULE:
        return size[0] + size[1] / 2;
    case SOLID_ELLIPSOID:
        return fmax(size[0], fmax(size[1], size[2]));
    default:
        return size[0];
    }
}

// of the shapes of a body the middle of that which is nearest to a joint; false if the joint is at one of
// them
static bool find_nearest(const robot *r, int body, vector at, vector *middle) {
    double least = INFINITY;
    bool apart = true;
    for (int i = 0; i < r->links.count; i++) {
        const robot_link *l = &r->links.at[i];
        for (int k = 0; k < l->shapes.count && l->body == body; k++) {
            vector centre = pose_product(l->in_body, l->shapes.at[k].origin).at;
            double far = vector_norm(vector_difference(at, centre)), reach = reach_of(&l->shapes.at[k]);
            if (l->shapes.at[k].kind == SOLID_MESH)
                continue;
            apart &= far > reach;
            if (far - reach < least)
                *middle = centre, least = far - reach;
        }
    }
    return apart;
}

// to a joint from the origin of the body's frame, or from a shape of it that is somewhere else
static void add_arm(writer *w, const bodies *b, int link, vector at) {
    const robot_link *body = write_body_of(w->robot, link);
    int number = w->robot->links.at[link].body;
    vector from = {0};
    if (body == NULL && w->robot->placed)
        return;
    if (body)
        b->carries[number] = true;
    if (body == NULL || !b->shaped[number] || find_nearest(w->robot, number, at, &from))
        add_line(w, body, from, at);
}

static vector seen_from(const robot_link *body, vector in_world) {
    return body ? pose_apply(pose_inverse(body->in_world), in_world) : in_world;
}

// to the joints of what each body carries, and to those that close loops
static void add_arms(writer *w, const bodies *b) {
    const robot *r = w->robot;
    for (int k = 0; k < r->links.count; k++) {
        const robot_link *l = &r->links.at[r->order[k]];
        if (l->joint < 0)
            continue;
        const robot_joint *j = &r->joints.at[l->joint];
        const robot_link *over = &r->links.at[l->over], *body = write_body_of(r, l->over);
        if (j->kind == ROBOT_FLOATING || (body == NULL && j->kind == ROBOT_FIXED))
            continue;
        add_arm(w, b, l->over,
                r->placed ? seen_from(body, j->in_world.at) : pose_product(over->in_body, j->origin).at);
        if (l->body == r->order[k] && b->shaped[l->body]) // and from its shape to its own joint
            add_arm(w, b, l->body, r->placed ? seen_from(l, j->in_world.at) : (vector){0});
    }
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (!j->closes)
            continue;
        add_arm(w, b, j->parent, seen_from(write_body_of(r, j->parent), j->in_world.at));
        add_arm(w, b, j->child, seen_from(write_body_of(r, j->child), j->apart ? j->other : j->in_world.at));
    }
}

void write_drawing(writer *w) {
    const robot *r = w->robot;
    bodies b = {arena_array(w->arena, bool, r->links.count), arena_array(w->arena, bool, r->links.count)};
    text_add(&w->out, "\n");
    for (int k = 0; k < r->links.count; k++) {
        const robot_link *l = &r->links.at[r->order[k]];
        for (int i = 0; i < l->shapes.count; i++) {
            const robot_shape *s = &l->shapes.at[i];
            add_shape(w, l, write_body_of(r, r->order[k]), s);
            if (l->body >= 0)
                b.shaped[l->body] |= s->kind != SOLID_MESH || s->path;
        }
    }
    add_arms(w, &b);
    for (int i = 0; i < r->links.count; i++)
        if (r->links.at[i].body == i && !b.carries[i] && !b.shaped[i])
            add_line(w, &r->links.at[i], (vector){0}, r->links.at[i].total.centre);
}
