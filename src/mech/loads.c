/* Forces and torques on bodies, and springs between points. A force F at the point s of a body does the work
 * F . (x' + R (omega x s)), so that beside F on the centre there is the torque s x R'F; a body-fixed torque
 * acts on the quaternion as frames_on_quaternion says. */
#include "mech/bodies.h"

// ---- force B = F, force B at s = F, torque B = tau

static bool load(elab *L, const node *n, const binding *scope, int size, const char *what, value *out) {
    if (n == NULL)
        return false;
    *out = elab_eval(L, n, scope);
    if (out->size == size && !out->condition)
        return true;
    if (out->size)
        elab_error(L, n->whole, "%s is %s here, not %s", what, setting_form(size), setting_form(out->size));
    return false;
}

static const body *loaded(elab *L, int part) {
    int record = L->parts.at[part].record;
    return record < 0 ? NULL : &parts_of(L)->bodies.at[record];
}

// one more element: component i of what `of` gives acts on the coordinate
typedef struct {
    const stmt *s;
    const binding *scope;
    const body *b;
} loading;

static bool force_of(elab *L, const loading *l, value *force) {
    return load(L, l->s->value, l->scope, l->b->planar ? 2 : 3, "a force", force);
}

static bool on_centre(elab *L, const loading *l, int i) {
    value force;
    elab_begin(L);
    elab_slot(L, l->b->position + i);
    if (!force_of(L, l, &force))
        return false;
    expr parts[SHAPE_PARTS] = {elab_expr(L, force.at[i])};
    parts_finish(L, SHAPE_FORCE, l->s->value->whole, parts);
    return true;
}

// the torque of the statement about the body's centre: body-fixed, or a single number
static bool torque_of(elab *L, const loading *l, value *torque) {
    value force, s;
    bool planar = l->b->planar;
    if (l->s->kind == STMT_TORQUE)
        return load(L, l->s->value, l->scope, planar ? 1 : 3, "a torque", torque);
    if (!force_of(L, l, &force) || !load(L, l->s->point, l->scope, planar ? 2 : 3, "a point", &s))
        return false;
    if (!planar) {
        *torque = frames_cross(L, s, frames_rotate_back(L, body_rotation(L, l->b), force));
        return true;
    }
    value arm = body_vector(L, l->b, s);
    *torque = elab_scalar(frames_op(L, OP_SUB, frames_op(L, OP_MUL, arm.at[0], force.at[1]),
                                    frames_op(L, OP_MUL, arm.at[1], force.at[0])));
    return true;
}

static bool on_rotation(elab *L, const loading *l, int i) {
    value torque;
    elab_begin(L);
    elab_slot(L, l->b->rotation + i);
    if (!torque_of(L, l, &torque))
        return false;
    if (!l->b->planar)
        torque = frames_on_quaternion(L, body_rotation(L, l->b), torque);
    expr parts[SHAPE_PARTS] = {elab_expr(L, torque.at[i])};
    parts_finish(L, SHAPE_FORCE, l->s->value->whole, parts);
    return true;
}

// torque B.x = e, force B.angle7 = e
static void no_such_part(elab *L, const stmt *s, const elab_part *p) {
    place part = s->items.at[0].part;
    elab_error(L, part, "this %s has no %s '.%.*s'", p->word,
               s->kind == STMT_TORQUE ? "torque" : "coordinate", part.length, part.source->text + part.offset)
        ->hint =
        s->kind == STMT_TORQUE ? "write torque B = (0, 0, 1), or torque B = 1 for a planar body" : NULL;
}

void body_force(elab *L, const stmt *s, const binding *scope, int part) {
    const elab_part *p = &L->parts.at[part];
    bool torque = s->kind == STMT_TORQUE;
    if (p->word[0] == 's') {
        elab_error(L, s->items.at[0].at, "a %s acts on a body or joint, and this is a %s",
                   torque ? "torque" : "force", p->word);
        return;
    }
    if (s->items.at[0].part.source) {
        no_such_part(L, s, p);
        return;
    }
    const body *b = loaded(L, part);
    if (b == NULL)
        return;
    if ((torque || s->point) && b->rotation < 0) {
        elab_error(L, s->items.at[0].at, "a particle does not turn, so it has no %s",
                   torque ? "torque" : "points");
        return;
    }
    if (!torque && !s->point && b->position < 0) {
        elab_error(L, s->items.at[0].at, "this body has no mass, so its centre stays where it is")->hint =
            "give a point of it, as in force B at (0, 0, 1) = ..., or a mass";
        return;
    }
    mech_parts *all = parts_of(L);
    const char *at = s->point ? elab_shown(L, s->point->whole, scope) : NULL;
    vec_push(L->arena, all->loads,
             ((body_load){(int)(b - all->bodies.at), torque, elab_shown(L, s->value->whole, scope), at}));
    loading l = {s, scope, b};
    for (int i = 0; !torque && b->position >= 0 && i < (b->planar ? 2 : 3); i++)
        if (!on_centre(L, &l, i))
            return;
    for (int i = 0; (torque || s->point) && i < (b->planar ? 1 : 4); i++)
        if (!on_rotation(L, &l, i))
            return;
}

void body_show_force(elab *L, const stmt *s, const binding *scope, int part) {
    const body *b = loaded(L, part);
    if (b == NULL || s->items.at[0].part.source)
        return;
    loading l = {s, scope, b};
    elab_force out = {.label = "applied", .kind = "applied", .on = {NULL, body_name(L, b)}};
    L->allowed = (allowance){WITH_RESULTS, false, "a drawing"};
    elab_begin(L);
    out.at = body_centre(L, b);
    if (s->kind == STMT_TORQUE) {
        if (!torque_of(L, &l, &out.torque))
            return;
        out.torque = b->planar ? out.torque : body_vector(L, b, out.torque);
    } else if (!force_of(L, &l, &out.force))
        return;
    else if (s->point)
        out.at = body_point(L, b, elab_eval(L, s->point, scope));
    elab_show_load(L, s->items.at[0].at, &out);
}

// ---- springs

static const char *const spring_settings[] = {"stiffness", "length", "damping", NULL};

typedef struct {
    value between; // q - p
    scalar length; // |q - p|
} span;

static bool spring_points(elab *L, const stmt *s, const binding *scope, span *out) {
    value p[2];
    elab_begin(L);
    L->allowed = (allowance){WITH_P, false, "a point of a spring"};
    for (int i = 0; i < 2; i++)
        if ((p[i] = elab_eval(L, s->list.at[i], scope)).size == 0)
            return false;
    for (int i = 0; i < 2; i++)
        if (p[i].condition || p[i].size == 1 || p[i].size == 4 || p[i].size != p[0].size) {
            elab_error(L, s->list.at[i]->whole, "a spring is between two points, two pairs or two triples");
            return false;
        }
    out->between = frames_difference(L, p[1], p[0]);
    scalar square = frames_dot(L, out->between, out->between);
    out->length = elab_op(L, OP_SQRT, &square);
    return true;
}

static bool spring_number(elab *L, const item *it, const binding *scope, unsigned kinds, const char *where,
                          scalar *out) {
    L->allowed = (allowance){kinds, false, where};
    return elab_number(L, it->value, scope, out);
}

static void finish(elab *L, shape_kind kind, place at, scalar factor, scalar x) {
    scalar half = frames_op(L, OP_DIV, factor, elab_constant(L, 2));
    expr parts[SHAPE_PARTS] = {elab_expr(L, frames_op(L, OP_MUL, half, frames_op(L, OP_MUL, x, x)))};
    elab_finish(L, kind, at, parts, NULL, 0);
}

// k/2 (|q - p| - l)^2; without a length, or with 0, k/2 (q - p)^2 for each component, which is smooth where p
// = q
static void spring_potential(elab *L, const stmt *s, const binding *scope, const item *k,
                             const item *length) {
    span between;
    scalar stiffness, rest;
    if (!spring_points(L, s, scope, &between) ||
        (length && !spring_number(L, length, scope, WITH_TIME, "a length", &rest)))
        return;
    bool stretched = length && !(rest.known && elab_asks(L, OP_EQ, rest, elab_plain(0)));
    int count = stretched ? 1 : between.between.size;
    for (int i = 0; i < count; i++) {
        if (!spring_points(L, s, scope, &between) ||
            !spring_number(L, k, scope, WITH_P, "a stiffness", &stiffness) ||
            (stretched && !spring_number(L, length, scope, WITH_TIME, "a length", &rest)))
            return;
        scalar x = stretched ? frames_op(L, OP_SUB, between.length, rest) : between.between.at[i];
        finish(L, SHAPE_POTENTIAL, s->items.at[0].at, stiffness, x);
    }
}

// c/2 (|q - p|')^2
static void spring_dissipation(elab *L, const stmt *s, const binding *scope, const item *c) {
    span between;
    scalar damping;
    if (!spring_points(L, s, scope, &between) || !spring_number(L, c, scope, WITH_P, "a damping", &damping))
        return;
    scalar rate = frames_rate(L, elab_scalar(between.length)).at[0];
    finish(L, SHAPE_DISSIPATION, s->items.at[0].at, damping, rate);
}

// the thing that a point is of
static const char *owner_of(elab *L, const node *n, const binding *scope) {
    elab_begin(L);
    elab_eval(L, n, scope);
    return elab_owner(L);
}

// its pull on the second point towards the first, as a multiple of the way between them
static scalar pull_of(elab *L, const stmt *s, const binding *scope, const span *between) {
    const item *k = setting_find(L, &s->settings, "stiffness"), *c = setting_find(L, &s->settings, "damping"),
               *l = setting_find(L, &s->settings, "length");
    scalar stiffness, rest, damping, pull = elab_constant(L, 0), along = pull;
    if (k && !spring_number(L, k, scope, WITH_P, "a stiffness", &stiffness))
        return pull;
    if (k && l && spring_number(L, l, scope, WITH_TIME, "a length", &rest))
        along = frames_op(L, OP_MUL, stiffness, frames_op(L, OP_SUB, between->length, rest));
    else if (k)
        pull = stiffness;
    if (c && spring_number(L, c, scope, WITH_P, "a damping", &damping)) {
        scalar rate = frames_rate(L, elab_scalar(between->length)).at[0];
        along = frames_op(L, OP_ADD, along, frames_op(L, OP_MUL, damping, rate));
    }
    // without a length and damping it is smooth where the points meet
    return c || l ? frames_op(L, OP_ADD, pull, frames_op(L, OP_DIV, along, between->length)) : pull;
}

static void show_spring(elab *L, const stmt *s, const binding *scope, int part) {
    span between;
    elab_force out = {.label = part < 0 ? "spring" : part_name(L, part), .kind = "spring"};
    for (int i = 0; i < 2 && s->list.count == 2; i++)
        out.on[i] = owner_of(L, s->list.at[i], scope);
    if ((out.on[0] == NULL && out.on[1] == NULL) || !spring_points(L, s, scope, &between))
        return;
    scalar push = frames_op(L, OP_SUB, elab_constant(L, 0), pull_of(L, s, scope, &between));
    out.force = frames_scaled(L, push, between.between);
    L->allowed = (allowance){WITH_RESULTS, false, "a drawing"};
    out.at = elab_eval(L, s->list.at[1], scope);
    elab_show_load(L, s->at, &out);
}

void spring_act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part) {
    static const char form[] = "write spring S: p, q, stiffness = k, length = l, damping = c";
    if (phase == PART_DRAW) {
        spring_draw(L, s, scope, part);
        show_spring(L, s, scope, part);
    }
    if (phase != PART_DESCRIBE || !setting_check(L, &s->settings, spring_settings, "a spring"))
        return;
    const item *k = setting_find(L, &s->settings, "stiffness"), *c = setting_find(L, &s->settings, "damping");
    if (s->list.count != 2)
        elab_error(L, s->items.at[0].at, "a spring is between two points, not %d", s->list.count)->hint =
            form;
    else if (k == NULL && c == NULL)
        elab_error(L, s->items.at[0].at, "this spring has no stiffness")->hint = form;
    else {
        if (k)
            spring_potential(L, s, scope, k, setting_find(L, &s->settings, "length"));
        if (c)
            spring_dissipation(L, s, scope, c);
    }
}
