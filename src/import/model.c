/* A robot as a model: a body for each link that moves, a joint for each that lets it, and what a person who
 * reads the text wants to know beside them. */
#include "import/import.h"
#include "import/libxml.h"
#include "import/writer.h"

#include "base/file.h"

#include <math.h>
#include <string.h>

static void add_alias(writer *w, const char *name, const char *id, bool unnamed) {
    if (!unnamed && strcmp(name, id) != 0)
        text_print(&w->out, "# %s is '%s' in the file.\n", id, write_shown(w, name));
}

static vector rotation_vector(quaternion q) {
    vector u = {q.x, q.y, q.z};
    double size = vector_norm(u), sign = q.w < 0 ? -1 : 1;
    return size > 0 ? vector_scaled(2 * atan2(size, fabs(q.w)) * sign / size, u) : u;
}

static double largest(double size, vector v) {
    return fmax(size, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
}

// ---- bodies

static vector centre_in_world(const robot_link *l) {
    return pose_apply(l->in_world, l->total.centre);
}

static void add_mass(writer *w, int link) {
    const robot_link *l = &w->robot->links.at[link];
    char buffer[32];
    const char *plus = "";
    if (!(l->total.mass > 0))
        return;
    text_print(&w->out, "param %s = ", l->mass_id);
    for (int i = link; i >= 0; i = w->next[i]) {
        double mass = w->robot->links.at[i].own.mass;
        if (!(mass > 0))
            continue;
        text_print(&w->out, "%s%s", plus, number_shortest(buffer, mass));
        plus = " + ";
    }
    text_add(&w->out, "\n");
}

static void add_inertia(writer *w, const double *J) {
    double scale = J[0] + J[1] + J[2];
    bool principal =
        write_rounded(J[3], scale) == 0 && write_rounded(J[4], scale) == 0 && write_rounded(J[5], scale) == 0;
    write_numbers(w, J, principal ? 3 : 6, scale);
}

static void add_members(writer *w, int link) {
    for (int i = w->next[link]; i >= 0; i = w->next[i]) {
        const robot_link *l = &w->robot->links.at[i];
        const robot_joint *j = &w->robot->joints.at[l->joint];
        text_print(&w->out, "# '%s' is one body with it", write_shown(w, l->name));
        if (!j->unnamed)
            text_print(&w->out, ", by the fixed joint '%s'", write_shown(w, j->name));
        text_add(&w->out, ".\n");
    }
}

static void add_body(writer *w, int link) {
    const robot_link *l = &w->robot->links.at[link];
    vector turn = rotation_vector(l->in_world.turn);
    text_add(&w->out, "\n");
    add_alias(w, l->name, l->id, l->unnamed || l->made);
    if (l->made)
        text_add(&w->out, "# It weighs nothing, and stands between two joints.\n");
    add_members(w, link);
    add_mass(w, link);
    text_print(&w->out, "body %s: mass = %s, inertia = ", l->id, l->total.mass > 0 ? l->mass_id : "0");
    add_inertia(w, l->total.inertia);
    text_print(&w->out, ",\n    at %s ", w->by);
    write_vector(w, centre_in_world(l), w->size);
    if (!write_is_zero(turn, 1)) {
        text_print(&w->out, ", rotation %s (", w->by);
        write_angle(w, turn.x);
        text_add(&w->out, ", ");
        write_angle(w, turn.y);
        text_add(&w->out, ", ");
        write_angle(w, turn.z);
        text_add(&w->out, ")");
    }
    text_add(&w->out, "\n");
}

static void add_base(writer *w) {
    const robot *r = w->robot;
    bool first = true;
    for (int k = 0; k < r->links.count; k++) {
        const robot_link *l = &r->links.at[r->order[k]];
        if (l->body >= 0 || (r->placed && r->order[k] == 0))
            continue;
        text_print(&w->out, "%s'%s'", first ? "\n# The ground: " : ", ", write_shown(w, l->name));
        first = false;
    }
    text_add(&w->out, first ? "" : "\n");
}

// the frame of a link that is part of another body is a point of that
static void add_frames(writer *w) {
    const robot *r = w->robot;
    const char *heading =
        "\n# Where links are that are part of another body or the ground: the origins of their frames.\n";
    for (int k = 0; k < r->links.count; k++) {
        const robot_link *l = &r->links.at[r->order[k]];
        if (l->body == r->order[k] || (r->placed && r->order[k] == 0))
            continue;
        text_print(&w->out, "%slet %s = ", heading, l->id);
        heading = "";
        write_point(w, write_body_of(r, r->order[k]), l->in_body.at);
        text_add(&w->out, "\n");
    }
}

// ---- joints

static void add_limits(writer *w, const robot_joint *j) {
    const char *sep = " ";
    if (!j->limited && j->start == 0 && !(j->effort > 0) && !(j->speed > 0))
        return;
    text_print(&w->out, "# %s", j->id);
    if (j->limited) {
        text_add(&w->out, " may go from ");
        write_number(w, j->lower, 0);
        text_add(&w->out, " to ");
        write_number(w, j->upper, 0);
        sep = ", and ";
    }
    if (j->start != 0) {
        text_print(&w->out, "%sstarts at ", sep);
        write_number(w, j->start, 1);
        sep = ", and ";
    }
    if (j->effort > 0) {
        text_print(&w->out, "%s%s with at most ", sep, robot_turns(j->kind) ? "turns" : "pushes");
        write_number(w, j->effort, 0);
        sep = NULL;
    }
    if (j->speed > 0) {
        text_print(&w->out, "%s at a speed of at most ", sep ? arena_print(w->arena, "%smoves", sep) : "");
        write_number(w, j->speed, 0);
    }
    text_add(&w->out, ".\n");
}

// a spring whose rest is elsewhere is an energy of its own, see actions.c
static void add_settings(writer *w, const robot_joint *j) {
    bool own = robot_slides(j->kind) || (robot_turns(j->kind) && j->kind != ROBOT_SCREW);
    bool spring = own && j->stiffness > 0 && j->rest == j->zero, damper = own && j->damping > 0;
    if (!spring && !damper)
        return;
    text_add(&w->out, " (");
    if (spring) {
        text_add(&w->out, "stiffness = ");
        write_number(w, j->stiffness, 0);
        text_add(&w->out, damper ? ", " : "");
    }
    if (damper) {
        text_add(&w->out, "damping = ");
        write_number(w, j->damping, 0);
    }
    text_add(&w->out, ")");
}

// a point of the world, in the axes of a link's body; -1: as it is
static void add_end(writer *w, const char *name, int link, vector p) {
    const robot_link *body = link < 0 ? NULL : write_body_of(w->robot, link);
    text_print(&w->out, ", %s = ", name);
    if (body)
        p = vector_difference(pose_apply(pose_inverse(body->in_world), p), body->total.centre);
    write_vector(w, p, w->size);
}

static void add_joint(writer *w, const robot_joint *j) {
    static const char *const kind[] = {"revolute", "revolute", "prismatic", "fixed",
                                       "",         "planar",   "spherical", "cylindrical"};
    const robot *r = w->robot;
    add_alias(w, j->name, j->id, j->unnamed);
    if (j->kind == ROBOT_FLOATING) {
        text_print(&w->out, "# %s leaves %s free.\n", write_shown(w, j->name), r->links.at[j->child].id);
        return;
    }
    if (!write_connects(r, j)) {
        text_print(&w->out, "# %s is left out: what it joins is one body.\n", write_shown(w, j->name));
        return;
    }
    add_limits(w, j);
    text_print(&w->out, "joint %s", j->id);
    add_settings(w, j);
    text_print(&w->out, ": %s(%s, %s", kind[j->kind], write_body_name(r, j->parent),
               write_body_name(r, j->child));
    add_end(w, j->apart ? "at1" : "at", j->apart ? j->parent : -1, j->in_world.at);
    if (j->apart)
        add_end(w, "at2", j->child, j->other);
    if (j->kind != ROBOT_FIXED && j->kind != ROBOT_SPHERICAL) {
        text_add(&w->out, j->kind == ROBOT_PLANAR ? ", normal = " : ", axis = ");
        write_vector(w, rotation_apply(j->in_world.turn, j->axis), 1);
    }
    text_add(&w->out, ")\n");
}

static void add_joints(writer *w) {
    const robot *r = w->robot;
    const char *heading = "# What closes loops.\n";
    text_add(&w->out, "\n");
    for (int k = 0; k < r->links.count; k++) {
        int joint = r->links.at[r->order[k]].joint;
        if (joint >= 0 && r->joints.at[joint].kind != ROBOT_FIXED)
            add_joint(w, &r->joints.at[joint]);
    }
    for (int i = 0; i < r->joints.count; i++) {
        if (!r->joints.at[i].closes)
            continue;
        text_add(&w->out, heading);
        heading = "";
        add_joint(w, &r->joints.at[i]);
    }
}

// where joints do not start as the file has them
static void add_starts(writer *w) {
    const robot *r = w->robot;
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (j->start == j->zero || !write_connects(r, j))
            continue;
        text_print(&w->out, "initial %s %s ", write_position(w, j), w->by);
        write_number(w, j->start - j->zero, 1);
        text_add(&w->out, "\n");
    }
}

// ---- what a run shows and claims

static void add_plot(writer *w, const char *title, bool (*wanted)(robot_kind)) {
    const robot *r = w->robot;
    int count = 0;
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (!wanted(j->kind) || !write_connects(r, j))
            continue;
        if (count == 0)
            text_print(&w->out, "plot \"%s\": ", title);
        text_print(&w->out, "%s%s", count == 0 ? "" : count % 5 ? ", " : ",\n    ", write_position(w, j));
        count++;
    }
    text_add(&w->out, count ? "\n" : "");
}

static void add_claims(writer *w) {
    const robot *r = w->robot;
    const char *heading =
        "\n# Nothing stops a joint at its limits. A run tells whether they were kept if the '#' goes:\n";
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (!j->limited || !write_connects(r, j))
            continue;
        const char *position = write_position(w, j);
        text_print(&w->out, "%s# expect always %s >= ", heading, position);
        write_number(w, j->lower - j->zero, 1);
        text_print(&w->out, " and %s <= ", position);
        write_number(w, j->upper - j->zero, 1);
        text_add(&w->out, "\n");
        heading = "";
    }
}

// the statements of a file, with the ends of lines as ours are, and nothing that a terminal would obey
static const char *tidy(writer *w, const source *s) {
    static const char mark[] = "\xEF\xBB\xBF"; // of the byte order
    bool marked = strncmp(s->text, mark, sizeof mark - 1) == 0;
    char *out = arena_copy(w->arena, s->text, (size_t)s->length), *to = out;
    for (const char *c = out + (marked ? sizeof mark - 1 : 0); *c; c++)
        if (*c != '\r' || c[1] != '\n')
            *to++ = *c == '\r' ? ' ' : *c;
    *to = '\0';
    text_tame(out, true);
    return out;
}

static void add_loops(writer *w, const source *loops) {
    const char *slash = strrchr(loops->path, '/'), *statements = tidy(w, loops);
    size_t length = strlen(statements);
    text_print(&w->out, "\n# From %s.\n", write_shown(w, slash ? slash + 1 : loops->path));
    text_add(&w->out, statements);
    if (length && statements[length - 1] != '\n')
        text_add(&w->out, "\n");
}

// ---- the whole

static void add_gravity(writer *w) {
    vector g = w->robot->gravity;
    if (g.x == 0 && g.y == 0 && g.z < 0) {
        text_print(&w->out, "param %s = ", w->g);
        write_number(w, -g.z, 0);
        text_print(&w->out, "\ngravity (0, 0, -%s)\n", w->g);
    } else {
        text_add(&w->out, "gravity ");
        write_vector(w, g, 0);
        text_add(&w->out, "\n");
    }
}

static void add_head(writer *w, const char *path) {
    const char *slash = strrchr(path, '/'), *name = write_shown(w, w->robot->name);
    text_print(
        &w->out,
        "# Made by 'trammel import' from %s, to be read and changed: nothing refers to that file any more.\n"
        "# Points and directions are in world axes, as the file places everything; angle(J) and "
        "displacement(J) "
        "count from there.\n"
        "title \"%s\"\n\n",
        write_shown(w, slash ? slash + 1 : path), *name ? name : "Robot");
    add_gravity(w);
    if (*w->by == '~')
        text_add(&w->out,
                 "\n# Where the loops do not close at the start, its guesses (~) are moved until they do.\n");
}

static void link_members(writer *w) {
    const robot *r = w->robot;
    int *last = arena_array(w->arena, int, r->links.count);
    w->next = arena_array(w->arena, int, r->links.count);
    for (int k = 0; k < r->links.count; k++) {
        int i = r->order[k], body = r->links.at[i].body;
        w->next[i] = -1;
        if (body >= 0 && body != i)
            w->next[last[body]] = i;
        if (body >= 0)
            last[body] = i;
    }
}

static void find_size(writer *w) {
    const robot *r = w->robot;
    for (int i = 0; i < r->links.count; i++) {
        w->size = largest(w->size, r->links.at[i].in_world.at);
        w->size = largest(w->size, r->links.at[i].total.centre);
    }
}

static void write_model(writer *w, const char *path, const import_options *o) {
    const robot *r = w->robot;
    add_head(w, path);
    add_base(w);
    for (int k = 0; k < r->links.count; k++)
        if (r->links.at[r->order[k]].body == r->order[k])
            add_body(w, r->order[k]);
    add_joints(w);
    write_actions(w);
    add_starts(w);
    add_frames(w);
    text_add(&w->out, "\nsimulate until 1\n");
    add_plot(w, "Angles", robot_turns);
    add_plot(w, "Displacements", robot_slides);
    write_drawing(w);
    add_claims(w);
    write_actuators(w);
    if (o->loops)
        add_loops(w, o->loops);
}

const char *import_robot(arena *a, const source *s, const import_options *o, diags *d) {
    robot r = {0};
    writer w = {.arena = a, .robot = &r};
    if (!robot_read(a, s, d, &r) || !robot_assemble(a, d, &r, o->free_base))
        return NULL;
    if (r.placed && o->free_base)
        diag_warning(d, (place){0}, SETTING "free-base changes nothing: this file says itself what is free");
    w.path = s->path;
    w.apart = strcmp(file_beside(a, s->path, "x"), file_beside(a, o->model ? o->model : "", "x")) != 0;
    w.by = o->loops || !r.meeting ? "~" : "=";
    text_init(&w.out, a);
    write_choose_names(&w, &r);
    link_members(&w);
    find_size(&w);
    write_model(&w, s->path, o);
    return text_string(&w.out);
}

const char *import_missing(const char **hint) {
    return libxml_missing(hint);
}
