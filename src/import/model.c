/* A robot as a model: a body for each link that moves, a joint for each that lets it, and what a person who
 * reads the text wants to know beside them. */
#include "import/import.h"
#include "import/libxml.h"
#include "import/robot.h"

#include "base/names.h"
#include "base/text.h"
#include "lang/elab.h"
#include "lang/token.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    arena *arena;
    const robot *robot;
    text out;
    double size;    // the largest coordinate, for rounding
    const char *g;  // the parameter of gravity
    const char *by; // "=", or "~" where places are guesses
    int *next;      // of a link: the next one of its body, or -1
} writer;

// ---- names

typedef struct {
    arena *arena;
    names *taken;
    vec(int) uses; // by number of a name in `taken`: how often a name was made from it
} namer;

static bool has_meaning(const char *name) {
    static const char *const words[] = {"ground", "and", "or", "not", "if", "in", "vs", "at", "from"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return token_is_taken(name) || elab_is_result_name(name);
}

static bool take_name(namer *n, const char *name) {
    if (has_meaning(name) || names_find(n->taken, name, (int)strlen(name)) >= 0)
        return false;
    names_intern(n->taken, name, (int)strlen(name));
    vec_push(n->arena, n->uses, 1);
    return true;
}

static bool may_stand(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// letters, digits and _, not a digit first
static const char *spelt(arena *a, const char *name, const char *what) {
    char *out = arena_print(a, "%s%s", *name >= '0' && *name <= '9' ? "_" : "", name);
    for (char *c = out; *c; c++)
        if (!may_stand(*c))
            *c = '_';
    return out[strspn(out, "_")] ? out : what;
}

// NAME, NAME_what, NAME_2, NAME_3, ...
static const char *new_name(namer *n, const char *name, const char *what) {
    const char *base = spelt(n->arena, name, what), *longer = arena_print(n->arena, "%s_%s", base, what);
    if (take_name(n, base))
        return base;
    if (take_name(n, longer))
        return longer;
    int of = names_find(n->taken, longer, (int)strlen(longer));
    for (;;) {
        const char *numbered = arena_print(n->arena, "%s_%d", longer, ++n->uses.at[of]);
        if (take_name(n, numbered))
            return numbered;
    }
}

static void choose_names(writer *w, robot *r) {
    namer n = {.arena = w->arena, .taken = names_new(w->arena)};
    for (int i = 0; i < r->links.count; i++)
        r->links.at[i].id = new_name(&n, r->links.at[i].name, "link");
    for (int i = 0; i < r->joints.count; i++)
        r->joints.at[i].id = new_name(&n, r->joints.at[i].name, "joint");
    for (int i = 0; i < r->links.count; i++)
        if (r->links.at[i].body == i)
            r->links.at[i].mass_id =
                new_name(&n, arena_print(w->arena, "%s_mass", r->links.at[i].id), "param");
    for (int i = 0; i < r->joints.count; i++)
        if (r->joints.at[i].leader >= 0)
            r->joints.at[i].gear =
                new_name(&n, arena_print(w->arena, "%s_mimic", r->joints.at[i].id), "gear");
    w->g = new_name(&n, "g", "gravity");
}

// a text of the file in a comment or a title, on one line
static const char *shown(writer *w, const char *name) {
    char *out = arena_copy(w->arena, name, strlen(name));
    text_tame(out, false);
    for (char *c = out; *c; c++)
        if (*c == '\t' || *c == '"')
            *c = *c == '"' ? '\'' : '?';
    return out;
}

static void add_alias(writer *w, const char *name, const char *id) {
    if (strcmp(name, id) != 0)
        text_print(&w->out, "# %s is '%s' in the file.\n", id, shown(w, name));
}

// ---- numbers

// without what rounding leaves at the sixteenth digit of `scale`
static double rounded(double number, double scale) {
    char buffer[128];
    int decimals = scale > 0 ? 15 - (int)ceil(log10(scale)) : 0;
    if (decimals <= 0 || decimals > 40)
        return number;
    number_print(buffer, sizeof buffer, "%.*f", decimals, number);
    double out = number_read(buffer, NULL);
    return out == 0 ? 0 : out;
}

static void add_number(writer *w, double number, double scale) {
    char buffer[32];
    text_add(&w->out, number_shortest(buffer, rounded(number, scale)));
}

static void add_numbers(writer *w, const double *values, int count, double scale) {
    text_add(&w->out, "(");
    for (int i = 0; i < count; i++) {
        text_add(&w->out, i ? ", " : "");
        add_number(w, values[i], scale);
    }
    text_add(&w->out, ")");
}

static void add_vector(writer *w, vector v, double scale) {
    add_numbers(w, (double[]){v.x, v.y, v.z}, 3, scale);
}

// k pi/12 as people write it
static void add_angle(writer *w, double number) {
    int twelfths = (int)lround(number * 12 / M_PI), size = abs(twelfths), common = 12;
    if (size == 0 || size > 24 || fabs(number - twelfths * M_PI / 12) > 4e-15) {
        add_number(w, number, 1);
        return;
    }
    while (size % common || 12 % common)
        common--;
    text_add(&w->out, number < 0 ? "-" : "");
    if (size / common > 1)
        text_print(&w->out, "%d*", size / common);
    text_add(&w->out, "pi");
    if (12 / common > 1)
        text_print(&w->out, "/%d", 12 / common);
}

static vector rotation_vector(quaternion q) {
    vector u = {q.x, q.y, q.z};
    double size = vector_norm(u), sign = q.w < 0 ? -1 : 1;
    return size > 0 ? vector_scaled(2 * atan2(size, fabs(q.w)) * sign / size, u) : u;
}

static bool is_zero(vector v, double scale) {
    return rounded(v.x, scale) == 0 && rounded(v.y, scale) == 0 && rounded(v.z, scale) == 0;
}

static double largest(double size, vector v) {
    return fmax(size, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
}

// ---- bodies

static vector centre_in_world(const robot_link *l) {
    return vector_sum(l->in_world.at, rotation_apply(l->in_world.turn, l->total.centre));
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
    bool principal = rounded(J[3], scale) == 0 && rounded(J[4], scale) == 0 && rounded(J[5], scale) == 0;
    add_numbers(w, J, principal ? 3 : 6, scale);
}

static void add_body(writer *w, int link) {
    const robot_link *l = &w->robot->links.at[link];
    vector turn = rotation_vector(l->in_world.turn);
    text_add(&w->out, "\n");
    add_alias(w, l->name, l->id);
    for (int i = w->next[link]; i >= 0; i = w->next[i])
        text_print(&w->out, "# '%s' is one body with it, by the fixed joint '%s'.\n",
                   shown(w, w->robot->links.at[i].name),
                   shown(w, w->robot->joints.at[w->robot->links.at[i].joint].name));
    add_mass(w, link);
    text_print(&w->out, "body %s: mass = %s, inertia = ", l->id, l->total.mass > 0 ? l->mass_id : "0");
    add_inertia(w, l->total.inertia);
    text_print(&w->out, ",\n    at %s ", w->by);
    add_vector(w, centre_in_world(l), w->size);
    if (!is_zero(turn, 1)) {
        text_print(&w->out, ", rotation %s (", w->by);
        add_angle(w, turn.x);
        text_add(&w->out, ", ");
        add_angle(w, turn.y);
        text_add(&w->out, ", ");
        add_angle(w, turn.z);
        text_add(&w->out, ")");
    }
    text_add(&w->out, "\n");
}

static void add_base(writer *w) {
    const robot *r = w->robot;
    bool first = true;
    for (int k = 0; k < r->links.count; k++) {
        const robot_link *l = &r->links.at[r->order[k]];
        if (l->body >= 0)
            continue;
        text_print(&w->out, "%s'%s'", first ? "\n# The ground: " : ", ", shown(w, l->name));
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
        if (l->body == r->order[k])
            continue;
        text_print(&w->out, "%slet %s = ", heading, l->id);
        heading = "";
        if (l->body < 0) {
            add_vector(w, l->in_body.at, w->size);
        } else {
            const robot_link *body = &r->links.at[l->body];
            text_print(&w->out, "point(%s, ", body->id);
            add_vector(w, vector_difference(l->in_body.at, body->total.centre), w->size);
            text_add(&w->out, ")");
        }
        text_add(&w->out, "\n");
    }
}

// ---- joints

static const char *body_of(const robot *r, int link) {
    int body = r->links.at[link].body;
    return body < 0 ? "ground" : r->links.at[body].id;
}

static void add_limits(writer *w, const robot_joint *j) {
    if (!j->limited && j->start == 0)
        return;
    text_print(&w->out, "# %s", j->id);
    if (j->limited) {
        text_add(&w->out, " may go from ");
        add_number(w, j->lower, 0);
        text_add(&w->out, " to ");
        add_number(w, j->upper, 0);
    }
    if (j->start != 0) {
        text_add(&w->out, j->limited ? ", and starts at " : " starts at ");
        add_number(w, j->start, 1);
    }
    text_add(&w->out, ".\n");
}

static void add_joint(writer *w, const robot_joint *j) {
    static const char *const kind[] = {"revolute", "revolute", "prismatic", "fixed", "", "planar"};
    vector axis = rotation_apply(j->in_world.turn, j->axis);
    add_alias(w, j->name, j->id);
    if (j->kind == ROBOT_FLOATING) {
        text_print(&w->out, "# %s leaves %s free.\n", shown(w, j->name), w->robot->links.at[j->child].id);
        return;
    }
    add_limits(w, j);
    text_print(&w->out, "joint %s", j->id);
    if (j->damping > 0 && j->kind != ROBOT_PLANAR) {
        text_add(&w->out, " (damping = ");
        add_number(w, j->damping, 0);
        text_add(&w->out, ")");
    }
    text_print(&w->out, ": %s(%s, %s, at = ", kind[j->kind], body_of(w->robot, j->parent),
               body_of(w->robot, j->child));
    add_vector(w, j->in_world.at, w->size);
    text_add(&w->out, j->kind == ROBOT_PLANAR ? ", normal = " : ", axis = ");
    add_vector(w, axis, 1);
    text_add(&w->out, ")\n");
}

static const char *position_of(writer *w, const robot_joint *j) {
    return arena_print(w->arena, "%s(%s)", robot_turns(j->kind) ? "angle" : "displacement", j->id);
}

// position = multiplier * that of the leader + offset; both count from a start at which that holds
static void add_mimic(writer *w, const robot_joint *j) {
    const robot_joint *leader = &w->robot->joints.at[j->leader];
    bool turns = robot_turns(j->kind);
    if (robot_turns(leader->kind)) {
        text_print(&w->out, "joint %s: %s(%s, %s, %s = ", j->gear, turns ? "gear" : "rack", leader->id, j->id,
                   turns ? "ratio" : "radius");
        add_number(w, j->multiplier, 0);
        text_add(&w->out, ")\n");
        return;
    }
    text_print(&w->out, "constraint %s: %s = ", j->gear, position_of(w, j));
    add_number(w, j->multiplier, 0);
    text_print(&w->out, "*%s\n", position_of(w, leader));
}

static void add_joints(writer *w) {
    const robot *r = w->robot;
    text_add(&w->out, "\n");
    for (int k = 0; k < r->links.count; k++) {
        int joint = r->links.at[r->order[k]].joint;
        if (joint >= 0 && r->joints.at[joint].kind != ROBOT_FIXED)
            add_joint(w, &r->joints.at[joint]);
    }
    for (int i = 0; i < r->joints.count; i++)
        if (r->joints.at[i].leader >= 0)
            add_mimic(w, &r->joints.at[i]);
}

// ---- what a run shows and claims

static void add_line(writer *w, const robot_link *body, vector from, vector to) {
    if (is_zero(vector_difference(to, from), w->size))
        return;
    text_add(&w->out, "draw line ");
    for (int end = 0; end < 2; end++) {
        vector p = end ? to : from;
        text_add(&w->out, end ? " " : "");
        if (body)
            text_print(&w->out, "point(%s, ", body->id);
        add_vector(w, body ? vector_difference(p, body->total.centre) : p, w->size);
        text_add(&w->out, body ? ")" : "");
    }
    text_add(&w->out, "\n");
}

// in each body, lines from the origin of its frame to the joints of what it carries, or to its centre
static void add_drawing(writer *w) {
    const robot *r = w->robot;
    bool *carries = arena_array(w->arena, bool, r->links.count);
    text_add(&w->out, "\n");
    for (int k = 0; k < r->links.count; k++) {
        int joint = r->links.at[r->order[k]].joint;
        if (joint < 0)
            continue;
        const robot_joint *j = &r->joints.at[joint];
        const robot_link *parent = &r->links.at[j->parent];
        if (j->kind == ROBOT_FLOATING || (parent->body < 0 && j->kind == ROBOT_FIXED))
            continue;
        const robot_link *body = parent->body < 0 ? NULL : &r->links.at[parent->body];
        if (body)
            carries[parent->body] = true;
        add_line(w, body, (vector){0}, pose_product(parent->in_body, j->origin).at);
    }
    for (int i = 0; i < r->links.count; i++)
        if (r->links.at[i].body == i && !carries[i])
            add_line(w, &r->links.at[i], (vector){0}, r->links.at[i].total.centre);
}

static void add_plot(writer *w, const char *title, bool (*wanted)(robot_kind)) {
    const robot *r = w->robot;
    int count = 0;
    for (int i = 0; i < r->joints.count; i++) {
        const robot_joint *j = &r->joints.at[i];
        if (!wanted(j->kind))
            continue;
        if (count == 0)
            text_print(&w->out, "plot \"%s\": ", title);
        text_print(&w->out, "%s%s", count == 0 ? "" : count % 5 ? ", " : ",\n    ", position_of(w, j));
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
        if (!j->limited)
            continue;
        const char *position = position_of(w, j);
        text_print(&w->out, "%s# expect always %s >= ", heading, position);
        add_number(w, j->lower - j->start, 1);
        text_print(&w->out, " and %s <= ", position);
        add_number(w, j->upper - j->start, 1);
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
    text_print(&w->out, "\n# From %s.\n", shown(w, slash ? slash + 1 : loops->path));
    text_add(&w->out, statements);
    if (length && statements[length - 1] != '\n')
        text_add(&w->out, "\n");
}

// ---- the whole

static void add_head(writer *w, const char *path) {
    const char *slash = strrchr(path, '/'), *name = shown(w, w->robot->name);
    text_print(
        &w->out,
        "# Made by 'trammel import' from %s, to be read and changed: nothing refers to that file any more.\n"
        "# Points and directions are in world axes at the start. angle(J) and displacement(J) count from "
        "there.\n"
        "title \"%s\"\n\nparam %s = 9.81\ngravity (0, 0, -%s)\n",
        shown(w, slash ? slash + 1 : path), *name ? name : "Robot", w->g, w->g);
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

const char *import_urdf(arena *a, const source *s, const import_options *o, diags *d) {
    robot r = {0};
    writer w = {.arena = a, .robot = &r, .by = o->loops ? "~" : "="};
    if (!robot_read(a, s, d, &r) || !robot_assemble(a, d, &r, o->free_base))
        return NULL;
    text_init(&w.out, a);
    choose_names(&w, &r);
    link_members(&w);
    find_size(&w);
    add_head(&w, s->path);
    add_base(&w);
    for (int k = 0; k < r.links.count; k++)
        if (r.links.at[r.order[k]].body == r.order[k])
            add_body(&w, r.order[k]);
    add_joints(&w);
    add_frames(&w);
    text_add(&w.out, "\nsimulate until 1\n");
    add_plot(&w, "Angles", robot_turns);
    add_plot(&w, "Displacements", robot_slides);
    add_drawing(&w);
    add_claims(&w);
    if (o->loops)
        add_loops(&w, o->loops);
    return text_string(&w.out);
}

const char *import_missing(const char **hint) {
    return libxml_missing(hint);
}
