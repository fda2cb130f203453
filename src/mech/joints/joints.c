/* The statement `joint`: its kind, and what happens in which phase. */
#include "mech/joints/joints.h"

#include <string.h>

static joint *own(elab *L, int part) {
    int record = L->parts.at[part].record;
    return record < 0 ? NULL : parts_of(L)->joints.at[record];
}

bool joint_find(elab *L, const node *n, const binding *scope, joint **out) {
    int part;
    if (!elab_find_part(L, n, scope, "a joint", &part))
        return false;
    if (L->parts.at[part].word[0] != 'j') {
        elab_error(L, n->whole, "expected a joint, and this is a %s", L->parts.at[part].word);
        return false;
    }
    *out = own(L, part);
    return *out && (*out)->connected;
}

// the mean distance between joints and the centres of their bodies: a lever of the model
double joint_length(elab *L) {
    const mech_parts *p = parts_of(L);
    return p->lever > 0 ? p->lever / p->levers : 1;
}

const char *joint_row_name(int which) {
    static const char *const digits[] = {"1", "2", "3", "4", "5", "6"};
    return digits[which];
}

void joint_row(elab *L, const joint *j, const char *name, scalar s) {
    expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
    elab_new_row(L, L->parts.at[j->part].constraint, name, parts);
}

// ---- phases

static const char *all_kinds(elab *L) {
    text t;
    text_init(&t, L->arena);
    text_add(&t, "joints are ");
    for (int i = 0; i < joint_kind_count; i++)
        text_print(&t, "%s%s", i == 0 ? "" : i == joint_kind_count - 1 ? " and " : ", ", joint_kinds[i].name);
    return text_string(&t);
}

static const joint_kind *find_kind(elab *L, const stmt *s) {
    const char *name = names_text(L->names, s->name);
    name_guess best = {0};
    for (int i = 0; i < joint_kind_count; i++) {
        if (strcmp(joint_kinds[i].name, name) == 0)
            return &joint_kinds[i];
        names_offer(&best, name, joint_kinds[i].name);
    }
    diag *d = elab_error(L, s->extent, "there is no joint '%s'", name);
    if (!elab_suggest(L, d, best))
        d->hint = all_kinds(L);
    return NULL;
}

static void declare(elab *L, const stmt *s, int part) {
    static const char *const options[] = {"motion", "stiffness", "damping", NULL};
    const joint_kind *kind = find_kind(L, s);
    if (kind == NULL ||
        !setting_check(L, &s->settings, kind->settings, arena_print(L->arena, "a %s joint", kind->name)) ||
        !setting_check(L, &s->options, options, "a joint"))
        return;
    if (s->list.count != 2) {
        elab_error(L, s->extent, "a joint connects two, not %d", s->list.count)->hint =
            arena_print(L->arena, "write %s", kind->form);
        return;
    }
    joint *j = arena_alloc(L->arena, sizeof *j);
    *j = (joint){.part = part,
                 .kind = kind,
                 .label = L->parts.at[part].label,
                 .constraint = -1,
                 .turn = -1,
                 .cross = {-1, -1}};
    L->parts.at[part].record = parts_of(L)->joints.count;
    vec_push(L->arena, parts_of(L)->joints, j);
}

static void note_arm(body *b, vector point) {
    enum { ROOM = sizeof b->arm / sizeof *b->arm };
    for (int i = 0; i < b->arms && i < ROOM; i++)
        if (vector_norm(vector_difference(point, b->arm[i])) <= 1e-9 * vector_norm(point))
            return;
    if (b->arms < ROOM)
        b->arm[b->arms] = point;
    b->arms += b->arms <= ROOM;
}

// what pictures need to know of a joint's bodies
static void note_joined(elab *L, const joint *j) {
    for (int i = 0; i < 2 && j->body[i]; i++)
        if (!body_is_ground(j->body[i])) {
            body *b = &parts_of(L)->bodies.at[L->parts.at[j->body[i]->part].record];
            b->joined = true;
            b->armed |= j->kind->draw == NULL && j->placed && vector_norm(j->point[i]) > 0;
            if (j->kind->draw == NULL && j->placed)
                note_arm(b, j->point[i]);
            b->wheel |= i == 1 && j->kind->wheel;
        }
}

static void note_levers(elab *L, const joint *j) {
    for (int i = 0; i < 2; i++)
        if (!body_is_ground(j->body[i])) {
            parts_of(L)->lever += vector_norm(j->point[i]);
            parts_of(L)->levers++;
        }
}

static bool connect(elab *L, joint *j, const stmt *s, const binding *scope) {
    if (j->kind->connect) {
        bool connected = j->kind->connect(L, j, s, scope);
        note_joined(L, j);
        return connected;
    }
    if (!joint_bodies(L, j, s, scope) || !joint_points(L, j, s, scope) || !joint_axes(L, j, s, scope))
        return false;
    note_levers(L, j);
    note_joined(L, j);
    return true;
}

static void describe(elab *L, joint *j, const stmt *s, const binding *scope) {
    elab_part *p = &L->parts.at[j->part];
    p->constraint = j->constraint = elab_new_constraint(L, p->label, p->at, false);
    if (j->kind->turning != TURN_FREE)
        L->model->length = joint_length(L);
    if (j->kind->rows)
        j->kind->rows(L, j, s, scope);
    else
        joint_rows(L, j);
    joint_options(L, j, s, scope);
}

void joint_act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part) {
    joint *j = own(L, part);
    if (phase == PART_DECLARE)
        declare(L, s, part);
    else if (j && phase == PART_CONNECT)
        j->connected = connect(L, j, s, scope);
    else if (j && j->connected && phase == PART_DESCRIBE)
        describe(L, j, s, scope);
    else if (j && j->connected && phase == PART_SHOW)
        joint_show(L, j);
    else if (j && j->connected && phase == PART_DRAW)
        joint_draw(L, j, scope);
}
