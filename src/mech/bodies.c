/* Particles and bodies to coordinates, initial values, energies and the constraint of a unit quaternion:
 *
 *   T = m/2 |x'|^2 + omega' J omega / 2     V = -m g . x     B.norm: q0^2 + q1^2 + q2^2 + q3^2 = 1
 *
 * The mass matrix of the quaternion, 4 E'JE, is singular along q; with the constraint the motion is unique
 * (002, section 4). Each term is an element of a shape that all bodies share. */
#include "mech/bodies.h"

#include "mech/derive.h"

#include <math.h>
#include <string.h>

static const char *const particle_names[] = {"x", "y", "z"};
static const char *const body_names[] = {"x", "y", "z", "q0", "q1", "q2", "q3"};
static const char *const planar_names[] = {"x", "y", "angle"};

void parts_finish(elab *L, shape_kind kind, place at, const expr *parts) {
    int made = elab_finish(L, kind, at, parts, NULL, 0);
    vec_push(L->arena, parts_of(L)->elements, ((part_element){made, L->model->shapes.at[made].count - 1}));
}

mech_parts *parts_of(elab *L) {
    return L->extending;
}

static body *own(elab *L, int part) {
    int record = L->parts.at[part].record;
    return record < 0 ? NULL : &parts_of(L)->bodies.at[record];
}

static bool is_particle(elab *L, const body *b) {
    return L->parts.at[b->part].word[0] == 'p';
}

// ---- which body

const body *body_ground(bool planar) {
    static const body ground[2] = {{.part = -1, .position = -1, .rotation = -1},
                                   {.part = -1, .position = -1, .rotation = -1, .planar = true}};
    return &ground[planar];
}

bool body_is_ground(const body *b) {
    return b->part < 0;
}

const char *body_name(elab *L, const body *b) {
    text t;
    text_init(&t, L->arena);
    if (body_is_ground(b))
        return "ground";
    model_label(L->model, L->parts.at[b->part].label, &t);
    return text_string(&t);
}

bool body_find(elab *L, const node *n, const binding *scope, const body **out) {
    int part;
    if (n->kind == NODE_NAME && L->symbols[n->name] == NULL &&
        strcmp(names_text(L->names, n->name), "ground") == 0) {
        *out = body_ground(false);
        return true;
    }
    if (!elab_find_part(L, n, scope, "a body", &part))
        return false;
    if (strncmp(L->parts.at[part].word, "body", 4) != 0) {
        elab_error(L, n->whole, "expected a body, and this is a %s", L->parts.at[part].word);
        return false;
    }
    *out = own(L, part);
    return *out != NULL;
}

// ---- in symbols

static value coordinates(elab *L, int first, int count) {
    value out = {.size = count};
    for (int i = 0; i < count; i++)
        out.at[i] = elab_coordinate_value(L, first + i).at[0];
    return out;
}

value body_centre(elab *L, const body *b) {
    int size = b->planar ? 2 : 3;
    if (b->position >= 0)
        return coordinates(L, b->position, size);
    return body_is_ground(b) ? frames_known(L, (double[]){0, 0, 0}, size) : frames_vector(L, b->at, size);
}

value body_rotation(elab *L, const body *b) {
    int size = b->planar ? 1 : 4;
    return b->rotation >= 0 ? coordinates(L, b->rotation, size)
           : b->planar      ? elab_scalar(elab_constant(L, 0))
                            : frames_known(L, (double[]){1, 0, 0, 0}, 4);
}

value body_vector(elab *L, const body *b, value s) {
    if (b->rotation < 0)
        return s;
    value turned = body_rotation(L, b);
    return b->planar ? frames_rotate_planar(L, turned.at[0], s) : frames_rotate(L, turned, s);
}

value body_point(elab *L, const body *b, value s) {
    value turned = body_vector(L, b, s);
    return body_is_ground(b) ? turned : frames_sum(L, body_centre(L, b), turned);
}

value body_omega(elab *L, const body *b) {
    if (b->rotation < 0)
        return frames_known(L, (double[]){0, 0, 0}, b->planar ? 1 : 3);
    value turned = body_rotation(L, b);
    return b->planar ? frames_rate(L, turned) : frames_omega(L, turned);
}

value body_world_omega(elab *L, const body *b) {
    return body_vector(L, b, body_omega(L, b));
}

// ---- as typed

static double typed(elab *L, int coordinate) {
    return L->model->position.at[coordinate].value;
}

vector body_typed_centre(elab *L, const body *b) {
    int at = b->position;
    return at < 0 ? b->at : (vector){typed(L, at), typed(L, at + 1), b->planar ? 0 : typed(L, at + 2)};
}

quaternion body_typed_rotation(elab *L, const body *b) {
    int at = b->rotation;
    if (at < 0)
        return (quaternion){.w = 1};
    if (b->planar)
        return rotation_about((vector){0, 0, 1}, typed(L, at));
    quaternion q = {typed(L, at), typed(L, at + 1), typed(L, at + 2), typed(L, at + 3)};
    double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return size > 0 ? (quaternion){q.w / size, q.x / size, q.y / size, q.z / size} : (quaternion){.w = 1};
}

vector body_typed_direction(elab *L, const body *b, vector axis) {
    return rotation_apply(rotation_inverse(body_typed_rotation(L, b)), axis);
}

vector body_typed_into(elab *L, const body *b, vector point) {
    return body_typed_direction(L, b, vector_difference(point, body_typed_centre(L, b)));
}

// ---- declaration

static const char *const settings_of_particle[] = {"mass", "at", "velocity", "colour", NULL};
static const char *const settings_of_body[] = {"mass",     "inertia",       "shape",  "density", "at",
                                               "rotation", "velocity",      "omega",  "mesh",    "mesh_scale",
                                               "mesh_at",  "mesh_rotation", "colour", NULL};
static const char *const settings_of_planar[] = {"mass",     "inertia",       "at",     "angle",
                                                 "velocity", "omega",         "mesh",   "mesh_scale",
                                                 "mesh_at",  "mesh_rotation", "colour", NULL};

static void declare(elab *L, const stmt *s, const binding *scope, int part) {
    const char *word = L->parts.at[part].word;
    bool particle = word[0] == 'p', flat = strcmp(word, "body2") == 0;
    const item *at = setting_find(L, &s->settings, "at");
    if (!setting_check(L, &s->settings,
                       particle ? settings_of_particle
                       : flat   ? settings_of_planar
                                : settings_of_body,
                       particle ? "a particle"
                       : flat   ? "a planar body"
                                : "a body in space"))
        return;
    int size = flat ? 2 : 3;
    if (particle && at == NULL) {
        elab_error(L, s->items.at[0].at, "this particle is nowhere")->hint =
            "write particle P: mass = 1, at = (0, 0, 0), or (0, 0) for one in the plane";
        return;
    }
    if (particle)
        size = elab_known_value(L, at->value, scope, "a position").size;
    if (size == 1 || size == 4)
        elab_error(L, at->value->whole, "a position is a pair or a triple");
    if (size != 2 && size != 3)
        return;
    bool placed =
        particle || flat || setting_find(L, &s->settings, "mass") || setting_find(L, &s->settings, "density");
    body b = {
        .part = part, .planar = size == 2, .position = placed ? L->model->coords.count : -1, .rotation = -1};
    if (!particle)
        b.rotation = L->model->coords.count + (placed ? size : 0);
    elab_part *p = &L->parts.at[part];
    b.label = p->label;
    b.constraint = -1;
    p->count = particle ? size : flat ? 3 : placed ? 7 : 4;
    p->names = particle ? particle_names : flat ? planar_names : placed ? body_names : body_names + 3;
    p->record = parts_of(L)->bodies.count;
    vec_push(L->arena, parts_of(L)->bodies, b);
}

// ---- the start

static void set(elab *L, const item *it, int coordinate, bool velocity, double number) {
    model_initial *to = velocity ? &L->model->velocity.at[coordinate] : &L->model->position.at[coordinate];
    if (it)
        elab_set_initial(L, it, to, number);
    else
        to->value = number;
}

static void set_tuple(elab *L, const stmt *s, const binding *scope, const char *name, const char *what,
                      int size, int first, bool velocity) {
    const item *it = setting_find(L, &s->settings, name);
    double at[4];
    if (it == NULL || !setting_tuple(L, it->value, scope, size, what, at))
        return;
    for (int i = 0; i < size; i++)
        set(L, it, first + i, velocity, at[i]);
}

bool rotation_read(elab *L, const node *n, const binding *scope, quaternion *out) {
    value v = elab_known_value(L, n, scope, "a rotation");
    const scalar *a = v.at;
    if (v.size == 0)
        return false;
    if (v.size < 3) {
        elab_error(L, n->whole, "a rotation is a quaternion (w, x, y, z), or a vector: angle times axis");
        return false;
    }
    for (int i = 0; i < v.size; i++)
        elab_peek(L, &a[i]);
    *out = v.size == 3 ? rotation_of_vector((vector){a[0].number, a[1].number, a[2].number})
                       : (quaternion){a[0].number, a[1].number, a[2].number, a[3].number};
    double size = sqrt(out->w * out->w + out->x * out->x + out->y * out->y + out->z * out->z);
    if (!(size > 0)) {
        elab_error(L, n->whole, "the quaternion of a rotation cannot be zero");
        return false;
    }
    *out = (quaternion){out->w / size, out->x / size, out->y / size, out->z / size};
    return true;
}

static void set_rotation(elab *L, const stmt *s, const binding *scope, int first) {
    const item *it = setting_find(L, &s->settings, "rotation");
    quaternion q = {.w = 1};
    if (it && !rotation_read(L, it->value, scope, &q))
        return;
    double at[] = {q.w, q.x, q.y, q.z};
    for (int i = 0; i < 4; i++)
        set(L, it, first + i, false, at[i]);
}

// the velocities of the quaternion follow from its assembled value
static void set_spin(elab *L, const stmt *s, const binding *scope, int first) {
    const item *it = setting_find(L, &s->settings, "omega");
    model_spin spin = {.first = first};
    if (it == NULL || !setting_tuple(L, it->value, scope, 3, "an angular velocity", spin.omega))
        return;
    for (int i = 0; i < 4; i++)
        set(L, it, first + i, true, 0);
    vec_push(L->arena, L->model->spins, spin);
}

// a body without a mass stands where it is, and only turns
static void stay(elab *L, const stmt *s, const binding *scope, body *b) {
    const item *at = setting_find(L, &s->settings, "at"),
               *velocity = setting_find(L, &s->settings, "velocity");
    if (at)
        setting_vector(L, at->value, scope, false, "a position", &b->at);
    if (velocity)
        elab_error(L, velocity->at, "a body without a mass has no velocity: it only turns")->hint =
            "give it a mass; zero is fine where the motion stays unique";
}

// where numbers are looked at once the model is read
static void keep_numbers(elab *L, body *b) {
    recipe_keeps(L->recipes, b->mass.step, &b->mass.number);
    for (int i = 0; i < 6; i++)
        recipe_keeps(L->recipes, b->inertia[i].step, &b->inertia[i].number);
}

static void start(elab *L, const stmt *s, const binding *scope, int part) {
    body *b = own(L, part);
    int size = b->planar ? 2 : 3;
    const item *colour = setting_find(L, &s->settings, "colour");
    if (colour)
        colour_read(L, colour->value, scope, &b->colour);
    b->meshed = mesh_check(L, s);
    if (b->position >= 0) {
        set_tuple(L, s, scope, "at", "a position", size, b->position, false);
        set_tuple(L, s, scope, "velocity", "a velocity", size, b->position, true);
    } else {
        stay(L, s, scope, b);
    }
    if (is_particle(L, b)) {
        b->described = mass_read(L, s, scope, b);
        if (setting_find(L, &s->settings, "mass") == NULL)
            elab_error(L, s->items.at[0].at, "this particle has no mass")->hint =
                "write particle P: mass = 1, at = (0, 0, 0)";
    } else if (b->planar) {
        set_tuple(L, s, scope, "angle", "an angle", 1, b->rotation, false);
        set_tuple(L, s, scope, "omega", "an angular velocity", 1, b->rotation, true);
        b->described = inertia_read_planar(L, s, scope, b);
    } else {
        set_rotation(L, s, scope, b->rotation);
        set_spin(L, s, scope, b->rotation);
        b->described = inertia_read(L, s, scope, b);
    }
    keep_numbers(L, b);
}

// ---- energies and the constraint

static void finish(elab *L, shape_kind kind, place at, scalar s) {
    expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
    elab_finish(L, kind, at, parts, NULL, 0);
}

// m/2 v^2 for each coordinate
static void kinetic(elab *L, place at, scalar mass, int first, int count) {
    for (int i = 0; i < count; i++) {
        elab_begin(L);
        value v = frames_rate(L, elab_coordinate_value(L, first + i));
        scalar half = frames_op(L, OP_DIV, mass, elab_constant(L, 2));
        finish(L, SHAPE_KINETIC, at, frames_op(L, OP_MUL, half, frames_op(L, OP_MUL, v.at[0], v.at[0])));
    }
}

static bool is_zero(elab *L, const scalar *s, int count) {
    for (int i = 0; i < count; i++)
        if (!s[i].known || !elab_asks(L, OP_EQ, s[i], elab_plain(0)))
            return false;
    return true;
}

// six numbers are no body's like another's: as constants of instances they leave one shape for all
static scalar inertia_factor(elab *L, const body *b, int i, bool principal) {
    scalar factor = frames_op(L, OP_MUL, elab_constant(L, i < 3 ? 0.5 : 1), b->inertia[i]);
    bool plain = factor.known && factor.e && expr_op(L->pool, factor.e) == OP_NUMBER;
    return plain && !principal ? frames_number(L, elab_peek(L, &factor)) : factor;
}

// omega' J omega / 2
static void kinetic_of_rotation(elab *L, place at, const body *b) {
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    bool principal = is_zero(L, b->inertia + 3, 3);
    elab_begin(L);
    value omega = body_omega(L, b);
    scalar sum = elab_constant(L, 0);
    for (int i = 0; i < (principal ? 3 : 6); i++) {
        scalar square = frames_op(L, OP_MUL, omega.at[pair[i][0]], omega.at[pair[i][1]]);
        sum = frames_op(L, OP_ADD, sum, frames_op(L, OP_MUL, inertia_factor(L, b, i, principal), square));
    }
    finish(L, SHAPE_KINETIC, at, sum);
}

// gravity in an element just begun; size 0 if there is none, or it does not fit
static value gravity(elab *L, const body *b) {
    mech_parts *p = parts_of(L);
    if (p->gravity == NULL)
        return elab_wrong();
    L->allowed = (allowance){WITH_TIME, false, "gravity"};
    value g = elab_elsewhere(L, p->gravity, NULL, p->gravity_sequence, L->parts.at[b->part].at);
    if (b->planar && g.size == 3 && !is_zero(L, &g.at[2], 1)) {
        diag_other(elab_error(L, L->parts.at[b->part].at, "gravity leaves the plane in which this %s moves",
                              L->parts.at[b->part].word),
                   p->gravity_at, "its third number is not zero here");
        p->gravity = NULL; // once is enough
        return elab_wrong();
    }
    if (!b->planar && g.size == 2) {
        diag_other(elab_error(L, L->parts.at[b->part].at,
                              "gravity has two numbers, but this %s moves in space",
                              L->parts.at[b->part].word),
                   p->gravity_at, "it is given here");
        p->gravity = NULL;
        return elab_wrong();
    }
    return g;
}

value body_weight(elab *L, const body *b) {
    allowance old = L->allowed;
    value g = gravity(L, b);
    L->allowed = old;
    g.size = g.size > 2 && b->planar ? 2 : g.size;
    return g.size ? frames_scaled(L, b->mass, g) : (value){0};
}

// -m g x for each coordinate
static void weight(elab *L, place at, const body *b) {
    for (int i = 0; i < (b->planar ? 2 : 3); i++) {
        elab_begin(L);
        value g = gravity(L, b);
        if (g.size == 0)
            return;
        if (is_zero(L, &g.at[i], 1))
            continue;
        scalar force = frames_op(L, OP_MUL, b->mass, g.at[i]);
        scalar x = elab_coordinate_value(L, b->position + i).at[0], work = frames_op(L, OP_MUL, force, x);
        finish(L, SHAPE_POTENTIAL, at, elab_op(L, OP_NEG, &work));
    }
}

// q . q - 1
static void unit_quaternion(elab *L, int part, const body *b) {
    elab_part *p = &L->parts.at[part];
    p->constraint = own(L, part)->constraint = elab_new_constraint(L, p->label, p->at, false);
    elab_begin(L);
    value q = body_rotation(L, b);
    expr parts[SHAPE_PARTS] = {elab_expr(L, frames_op(L, OP_SUB, frames_dot(L, q, q), elab_constant(L, 1)))};
    elab_new_row(L, p->constraint, "norm", parts);
    vec_push(L->arena, L->model->quaternions, b->rotation);
}

static void describe(elab *L, int part) {
    const body b = *own(L, part);
    place at = L->parts.at[part].at;
    if (!b.described)
        return;
    if (b.position >= 0 && !is_zero(L, &b.mass, 1)) {
        kinetic(L, at, b.mass, b.position, b.planar ? 2 : 3);
        own(L, part)->energies += b.planar ? 2 : 3;
        weight(L, at, &b);
    }
    if (b.rotation < 0)
        return;
    if (is_zero(L, b.inertia, b.planar ? 1 : 6))
        ;
    else if (b.planar)
        kinetic(L, at, b.inertia[0], b.rotation, 1);
    else
        kinetic_of_rotation(L, at, &b);
    own(L, part)->energies += !is_zero(L, b.inertia, b.planar ? 1 : 6);
    if (!b.planar)
        unit_quaternion(L, part, &b);
}

bool mech_has_bodies(const model *m) {
    const mech_parts *parts = m->extension;
    for (int i = 0; parts && i < parts->bodies.count; i++)
        if (parts->bodies.at[i].rotation >= 0)
            return true;
    return false;
}

// ---- whose energies there are

// (coords + 1) the number of the body that turns whose each is, from 1 on; 0: it is no body's
static int *owners(arena *a, const model *m, const mech_parts *parts) {
    int *out = arena_array(a, int, m->coords.count + 1);
    for (int i = 0; i < parts->bodies.count; i++) {
        const body *b = &parts->bodies.at[i];
        for (int k = 0; b->rotation >= 0 && k < (b->planar ? 1 : 4); k++)
            out[b->rotation + k] = i + 1;
        for (int k = 0; b->rotation >= 0 && b->position >= 0 && k < (b->planar ? 2 : 3); k++)
            out[b->position + k] = i + 1;
    }
    return out;
}

static bool is_mass(shape_kind kind) {
    return kind == SHAPE_KINETIC || kind == SHAPE_MASS || kind == SHAPE_MASS_PAIR;
}

bool bodies_have_foreign_energy(arena *a, const model *m) {
    const mech_parts *parts = m->extension;
    if (parts == NULL)
        return false;
    arena *scratch = arena_child(a);
    int *found = arena_array(scratch, int, parts->bodies.count + 1), *owner = owners(scratch, m, parts);
    bool foreign = false;
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *s = &m->shapes.at[i];
        for (int k = 0; is_mass(s->kind) && k < s->count; k++) {
            const int *slots = s->slots.at + (size_t)k * (size_t)s->slot_count;
            for (int j = 1; j < s->slot_count; j++)
                foreign |= owner[slots[j]] != owner[slots[0]];
            found[s->slot_count ? owner[slots[0]] : 0]++;
        }
    }
    for (int i = 0; i < parts->bodies.count; i++)
        foreign |= parts->bodies.at[i].rotation >= 0 && found[i + 1] != parts->bodies.at[i].energies;
    arena_free(scratch);
    return foreign;
}

void body_act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part) {
    if (phase == PART_DECLARE)
        declare(L, s, scope, part);
    else if (own(L, part) && phase == PART_START)
        start(L, s, scope, part);
    else if (own(L, part) && phase == PART_DESCRIBE)
        describe(L, part);
    else if (own(L, part) && phase == PART_DRAW)
        body_draw(L, s, scope, part);
}

void gravity_act(elab *L, part_phase phase, const stmt *s, const binding *scope) {
    mech_parts *p = parts_of(L);
    if (phase == PART_DESCRIBE && p->bodies.count == 0 && L->diags->errors == 0)
        diag_warning(L->diags, s->at, "gravity acts on particles and bodies, and there are none")->hint =
            "for coordinates of your own write the potential, as in potential m*g*y";
    if (phase != PART_DECLARE || s->value == NULL)
        return;
    if (scope)
        elab_error(L, s->at, "'gravity' cannot stand in a loop");
    else if (p->gravity_at.source)
        diag_other(elab_error(L, s->at, "a model has one gravity, this is the second"), p->gravity_at,
                   "the first is here");
    if (scope || p->gravity_at.source)
        return;
    L->allowed = (allowance){WITH_TIME, false, "gravity"};
    value g = elab_eval(L, s->value, NULL);
    if (g.size == 1 || g.size == 4)
        elab_error(L, s->value->whole, "gravity is a pair or a triple, not %s", setting_form(g.size))->hint =
            "write gravity (0, 0, -9.81)";
    p->gravity = g.size == 2 || g.size == 3 ? s->value : NULL;
    L->model->upright =
        g.size == 3 && !is_zero(L, &g.at[1], 1) && is_zero(L, &g.at[0], 1) && is_zero(L, &g.at[2], 1);
    p->gravity_at = s->at;
    p->gravity_sequence = s->sequence;
}
