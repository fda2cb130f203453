/* The start of a joint: initial angle(J) = e, displacement(J)' ~ e, J.angle1 = e, of the freedoms that
 * freedom.c names. Each is a condition on the start, VALUE = 0, which assembly holds if it is exact. */
#include "mech/joints/joints.h"

#include <string.h>

typedef struct {
    elab *elab;
    const item *it;
    joint *joint;
    const char *word; // the call or the part
} starting;

/* Those of joints with several freedoms, which angle(J) and displacement(J) do not tell apart. */
static const struct {
    joint_meeting meeting;
    joint_turning turning;
    const char *name;
    bool turn;
    int freedom;
} parts[] = {
    {MEET_POINT, TURN_CROSS, "angle1", true, 0},  {MEET_POINT, TURN_CROSS, "angle2", true, 1},
    {MEET_PLANE, TURN_ABOUT, "angle", true, 0},   {MEET_PLANE, TURN_ABOUT, "slide1", false, 0},
    {MEET_PLANE, TURN_ABOUT, "slide2", false, 1},
};
enum { PARTS = sizeof parts / sizeof *parts };

// ---- which freedom

static bool has_part(const joint *j, int i) {
    return parts[i].meeting == j->kind->meeting && parts[i].turning == j->kind->turning;
}

static const char *remedy(const starting *s) {
    elab *L = s->elab;
    const joint_kind *kind = s->joint->kind;
    const char *name = names_text(L->names, s->it->name);
    text t;
    text_init(&t, L->arena);
    if (kind->turns)
        text_print(&t, ", angle(%s) = ...", name);
    if (kind->slides)
        text_print(&t, ", displacement(%s) = ...", name);
    for (int i = 0; i < PARTS; i++)
        if (has_part(s->joint, i))
            text_print(&t, ", %s.%s = ...", name, parts[i].name);
    if (t.bytes.count)
        return arena_print(L->arena, "write initial %s", text_string(&t) + 2);
    return kind->turning == TURN_FREE && kind->meeting == MEET_POINT
               ? "turn the body that hangs on it: body B: ..., rotation = (0, 0, 0.5)"
               : "angles are of revolute, cylindrical, universal and planar joints, displacements of "
                 "prismatic, "
                 "cylindrical and planar ones";
}

static bool find(const starting *s, model_begin *out) {
    const joint_kind *kind = s->joint->kind;
    bool call = s->it->call.source != NULL;
    out->turn = strcmp(s->word, "angle") == 0;
    if (call && (out->turn ? kind->turns : kind->slides))
        return true;
    for (int i = 0; !call && i < PARTS; i++)
        if (has_part(s->joint, i) && strcmp(parts[i].name, s->word) == 0) {
            out->turn = parts[i].turn;
            out->freedom = parts[i].freedom;
            out->label.part = parts[i].name;
            return true;
        }
    elab_error(s->elab, s->it->at, call ? "a %s joint has no %s" : "a %s joint has no '.%s'", kind->name,
               s->word)
        ->hint = remedy(s);
    return false;
}

// ---- its condition

static scalar difference(elab *L, scalar a, scalar b) {
    return frames_op(L, OP_SUB, a, b);
}

static scalar product(elab *L, scalar a, scalar b) {
    return frames_op(L, OP_MUL, a, b);
}

/* The angle that takes `from`, perpendicular to the axis, to `to`, less e: with the sine and cosine of the
 * angle, atan2 is turned by e, so that its cut is far away. */
static scalar angle_less(elab *L, value axis, value from, value to, scalar e) {
    scalar sine = frames_dot(L, axis, frames_cross(L, from, to)), cosine = frames_dot(L, from, to);
    scalar s = elab_op(L, OP_SIN, &e), c = elab_op(L, OP_COS, &e);
    scalar y = difference(L, product(L, sine, c), product(L, cosine, s));
    scalar x = frames_op(L, OP_ADD, product(L, cosine, c), product(L, sine, s));
    return frames_op(L, OP_ATAN2, y, x);
}

// about axis1 turns axis2, about axis2 what axis1 was to body 2
static scalar cross_angle(elab *L, const joint *j, int which, scalar e) {
    vector first = rotation_apply(body_typed_rotation(L, j->body[0]), j->axis),
           second = rotation_apply(body_typed_rotation(L, j->body[1]), j->axis2);
    value axis1 = joint_vector(L, j, j->axis),
          axis2 = body_vector(L, j->body[1], frames_vector(L, j->axis2, 3));
    if (which == 0)
        return angle_less(L, axis1, joint_vector(L, j, body_typed_direction(L, j->body[0], second)), axis2,
                          e);
    vector was = body_typed_direction(L, j->body[1], first);
    return angle_less(L, axis2, axis1, body_vector(L, j->body[1], frames_vector(L, was, 3)), e);
}

static scalar position_less(elab *L, joint *j, const model_begin *b) {
    scalar e = {.e = elab_turn_symbol(L, b->target)};
    if (b->turn && j->kind->turning == TURN_CROSS)
        return cross_angle(L, j, b->freedom, e);
    if (b->turn)
        return difference(L, joint_angle(L, j), e);
    return difference(L, j->kind->slides ? joint_displacement(L, j) : joint_slide(L, j, b->freedom), e);
}

static scalar rate_less(elab *L, const joint *j, const model_begin *b) {
    scalar rate = b->turn ? joint_turn_rate(L, j, b->freedom) : joint_slide_rate(L, j, b->freedom);
    return difference(L, rate, frames_number(L, b->given.value));
}

static void add_condition(elab *L, joint *j, model_begin *b) {
    model *m = L->model;
    int number = m->begins.count;
    b->target = m->turns.count;
    vec_push(L->arena, m->turns, b->label);
    vec_push(L->arena, m->turn_starts, b->given.value);
    elab_begin(L);
    expr row[SHAPE_PARTS] = {elab_expr(L, b->label.rate ? rate_less(L, j, b) : position_less(L, j, b))};
    b->counted = b->turn ? j->turn : -1;
    if (b->counted >= 0 && !b->label.rate)
        m->turn_starts.at[b->counted] = b->given.value;
    elab_finish(L, SHAPE_BEGIN, b->given.at, row, &number, 1);
}

static bool is_new(elab *L, const model_begin *b) {
    for (int i = 0; i < L->model->begins.count; i++) {
        const model_begin *old = &L->model->begins.at[i];
        if (old->part == b->part && old->turn == b->turn && old->freedom == b->freedom &&
            old->label.rate == b->label.rate) {
            diag_other(elab_error(L, b->given.at, "this initial value is given twice"), old->given.at,
                       "first given here");
            return false;
        }
    }
    return true;
}

void joint_start(elab *L, const item *it, const binding *scope, int part) {
    place word = it->call.source ? it->call : it->part;
    starting s = {L, it, NULL, arena_copy(L->arena, word.source->text + word.offset, (size_t)word.length)};
    model_begin b = {.label = L->parts.at[part].label, .part = part};
    double number;
    if (L->parts.at[part].word[0] != 'j') {
        elab_error(L, it->at, "expected a joint, and this is a %s", L->parts.at[part].word);
        return;
    }
    int record = L->parts.at[part].record;
    s.joint = record < 0 ? NULL : parts_of(L)->joints.at[record];
    if (s.joint == NULL || !s.joint->connected || !find(&s, &b) || it->value == NULL ||
        !elab_known(L, it->value, scope, "an initial value", &number))
        return;
    b.label.call = it->call.source ? s.word : NULL;
    b.label.rate = it->primes > 0;
    b.given = (model_initial){it->guess ? INITIAL_GUESS : INITIAL_EXACT, number, it->at, true};
    if (!is_new(L, &b))
        return;
    add_condition(L, s.joint, &b);
    vec_push(L->arena, L->model->begins, b);
}
