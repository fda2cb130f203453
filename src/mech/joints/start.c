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

// ---- which freedom

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
    const joint_part *p;
    for (int i = 0; (p = joint_part_at(s->joint, i)) != NULL; i++)
        text_print(&t, ", %s.%s = ...", name, p->name);
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
    const joint_part *p = call ? NULL : joint_part_named(s->joint, s->word);
    if (p) {
        out->turn = p->turn;
        out->freedom = p->freedom;
        out->label.part = p->name;
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

static scalar position_less(elab *L, joint *j, const model_begin *b) {
    const joint_part *p = b->label.part ? joint_part_named(j, b->label.part) : NULL;
    scalar e = {.e = elab_turn_symbol(L, b->target)};
    return difference(L,
                      p         ? joint_part_value(L, j, p)
                      : b->turn ? joint_angle(L, j)
                                : joint_displacement(L, j),
                      e);
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
    b->counted = !b->turn ? -1 : j->kind->turning == TURN_CROSS ? j->cross[b->freedom] : j->turn;
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
    b.given = (model_initial){it->guess ? INITIAL_GUESS : INITIAL_EXACT, true, number, it->at};
    if (!is_new(L, &b))
        return;
    add_condition(L, s.joint, &b);
    vec_push(L->arena, L->model->begins, b);
}
