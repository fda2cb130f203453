/* What particles, bodies, springs and joints mean, for the room that reads them: which function acts on a
 * statement, and the functions of the language that take them. */
#include "mech/bodies.h"
#include "mech/friction.h"
#include "mech/joints/joints.h"
#include "mech/mech.h"
#include "mech/tree/tree.h"

#include <string.h>

static void *begin(elab *L) {
    return arena_alloc(L->arena, sizeof(mech_parts));
}

static void act(elab *L, part_phase phase, const stmt *s, const binding *scope, int part) {
    const char *word = names_text(L->names, s->word);
    if (strcmp(word, "gravity") == 0)
        gravity_act(L, phase, s, scope);
    else if (strcmp(word, "joint") == 0)
        joint_act(L, phase, s, scope, part);
    else if (strcmp(word, "spring") == 0)
        spring_act(L, phase, s, scope, part);
    else
        body_act(L, phase, s, scope, part);
}

// a name alone is the position of the centre
static bool name_value(elab *L, int part, place at, value *out) {
    const elab_part *p = &L->parts.at[part];
    if (p->word[0] == 'j')
        elab_error(L, at, "a joint is no number")->hint =
            "write angle(J), displacement(J), reaction(J), torque(J) or residual(J)";
    else if (p->word[0] == 's')
        elab_error(L, at, "a spring is no number");
    else if (p->record >= 0)
        *out = body_centre(L, &parts_of(L)->bodies.at[p->record]);
    return p->record >= 0 && p->word[0] != 'j' && p->word[0] != 's';
}

static bool member(elab *L, int part, const char *name, place at, value *out) {
    const elab_part *p = &L->parts.at[part];
    joint *j = p->word[0] != 'j' || p->record < 0 ? NULL : parts_of(L)->joints.at[p->record];
    if (p->word[0] != 'j')
        elab_error(L, at, "a %s has no '.%s'", p->word, name);
    return j && j->connected && joint_member(L, j, name, at, out);
}

static value wrong_count(elab *L, const node *n, const char *form) {
    elab_error(L, n->whole, "wrong number of arguments: %d", n->count)->hint =
        arena_print(L->arena, "write %s", form);
    return elab_wrong();
}

// point(B, s), vector(B, s)
static value call_fixed(elab *L, const node *n, const binding *scope, bool point) {
    const body *b;
    if (n->count != 2)
        return wrong_count(L, n, point ? "point(B, (a, b, c))" : "vector(B, (a, b, c))");
    if (!body_find(L, n->args[0], scope, &b))
        return elab_wrong();
    value s = elab_eval(L, n->args[1], scope);
    if (s.size == 0 || (body_is_ground(b) && (s.size == 2 || s.size == 3)))
        return s;
    int size = b->planar ? 2 : 3;
    if (s.size != size) {
        elab_error(L, n->args[1]->whole, "%s of this body is %s, not %s", point ? "a point" : "a vector",
                   setting_form(size), setting_form(s.size));
        return elab_wrong();
    }
    return point ? body_point(L, b, s) : body_vector(L, b, s);
}

static value call_omega(elab *L, const node *n, const binding *scope) {
    const body *b;
    if (n->count != 1)
        return wrong_count(L, n, "omega(B)");
    return body_find(L, n->args[0], scope, &b) ? body_omega(L, b) : elab_wrong();
}

static value call(elab *L, const node *n, const binding *scope) {
    const char *name = names_text(L->names, n->name);
    if (strcmp(name, "point") == 0 || strcmp(name, "vector") == 0)
        return call_fixed(L, n, scope, name[0] == 'p');
    if (strcmp(name, "omega") == 0)
        return call_omega(L, n, scope);
    if (strcmp(name, "jacobian") == 0)
        return mech_tree_partial(L, n, scope);
    return joint_call(L, n, scope);
}

// force B = e, torque J = e
static void load(elab *L, const stmt *s, const binding *scope, int part) {
    if (L->parts.at[part].word[0] == 'j')
        joint_actuate(L, s, scope, part);
    else
        body_force(L, s, scope, part);
}

static bool pose(elab *L, const node *n, const binding *scope, place at, int dimensions, value point,
                 elab_drawing *d) {
    const body *b;
    if (!body_find(L, n, scope, &b))
        return false;
    b = body_is_ground(b) ? body_ground(dimensions == 2) : b;
    int size = b->planar ? 2 : 3;
    if (point.size && point.size != size) {
        elab_error(L, at, "a point of this body is %s, not %s", setting_form(size), setting_form(point.size));
        return false;
    }
    d->at = point.size ? body_point(L, b, point) : body_centre(L, b);
    d->turn = body_rotation(L, b);
    d->colour = b->colour;
    return true;
}

static void show_load(elab *L, const stmt *s, const binding *scope, int part) {
    if (L->parts.at[part].word[0] == 'j')
        joint_show_effort(L, s, scope, part);
    else
        body_show_force(L, s, scope, part);
}

const elab_extension parts_extension = {begin,      act,    friction_act, load, show_load, joint_start,
                                        name_value, member, call,         pose, mesh_draw};

model *mech_read(arena *a, const source *file, const model_setting *settings, int setting_count) {
    return mech_read_again(a, file, NULL, settings, setting_count);
}

model *mech_read_again(arena *a, const source *file, const source_list *known, const model_setting *settings,
                       int setting_count) {
    model *m = elab_read(a, file, known, settings, setting_count, &parts_extension);
    mech_tree_begin(m);
    return m;
}
