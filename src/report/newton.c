/* Bodies and joints in print, as one writes them by hand. Of each body
 *
 *   m r'' = forces,   I w' + w x I w = R^T (torques about its centre, in world axes) + torques in its own
 * axes
 *
 * where joint J exerts f_J and n_J about its point P_J on its second body, and the opposite on its first;
 * along its axis a_J beside that a torque tau_J or a force h_J where it has a motor, a spring or a damper.
 * What else acts is written out where it depends on positions alone, and else named, in the words of the
 * model. */
#include "report/newton.h"

#include "report/newton_joints.h"

#include <string.h>

enum { SHORT = 60 }; // operations of a force that is written out

static bool is_mass(shape_kind kind) {
    return kind == SHAPE_KINETIC || kind == SHAPE_MASS || kind == SHAPE_MASS_PAIR;
}

bool newton_suits(arena *a, const model *m) {
    const mech_parts *parts = m->extension;
    if (!mech_has_bodies(m) || m->quasis.count || m->supplies.count)
        return false;
    arena *own = arena_child(a);
    int *owner = newton_owners(own, m, parts), *found = arena_array(own, int, parts->bodies.count + 1);
    bool suits = true;
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *s = &m->shapes.at[i];
        for (int k = 0; is_mass(s->kind) && k < s->count; k++) {
            const int *slots = typeset_slots(s, k);
            int of = s->slot_count ? owner[slots[0]] : -1;
            for (int j = 1; j < s->slot_count; j++)
                suits &= owner[slots[j]] == of;
            if (of >= 0)
                found[of]++;
        }
    }
    for (int i = 0; i < parts->bodies.count; i++)
        suits &= found[i] == parts->bodies.at[i].energies;
    arena_free(own);
    return suits;
}

// ---- what acts on whom

static const joint *joint_of_part(const newton *w, int part) {
    for (int i = 0; i < w->parts->joints.count; i++)
        if (w->parts->joints.at[i]->part == part)
            return w->parts->joints.at[i];
    return NULL;
}

// whether what the instance of a shape does to a body is told by the body's joints and loads, or is inertia
static bool is_told(newton *w, int shape_id, int instance, int number) {
    const shape *s = &w->model->shapes.at[shape_id];
    if (is_mass(s->kind) || w->known[shape_id][instance])
        return true;
    const joint *j = NULL;
    if (s->kind == SHAPE_ACTUATOR) {
        const model_actuator *a = &w->model->actuators.at[s->targets.at[instance]];
        j = joint_of_part(w, a->part);
        return newton_has_axis(j, a->torque) && newton_is_party(w, j, number);
    }
    if (s->kind != SHAPE_ROW)
        return false;
    int constraint = w->model->rows.at[s->targets.at[instance]].constraint;
    if (w->parts->bodies.at[number].constraint == constraint)
        return true; // of its unit quaternion: it does nothing to what turns
    j = w->joint_of[constraint];
    return j && newton_is_party(w, j, number);
}

static const char *described(newton *w, const shape *s, int instance) {
    static const char *const words[SHAPE_KINDS] = {[SHAPE_POTENTIAL] = "potential energy",
                                                   [SHAPE_DISSIPATION] = "dissipation",
                                                   [SHAPE_FORCE] = "force",
                                                   [SHAPE_ACTUATOR] = "effort at a joint",
                                                   [SHAPE_NONIDEAL] = "non-ideal force"};
    if (s->kind == SHAPE_ROW) {
        const model_row *r = &w->model->rows.at[s->targets.at[instance]];
        return arena_print(w->t->scratch, "constraint %s",
                           newton_name(w, w->model->constraints.at[r->constraint].label));
    }
    const char *word = words[s->kind] ? words[s->kind] : "force";
    if (s->count > 1 || s->at.source == NULL)
        return word;
    const char *written = arena_copy(w->t->scratch, s->at.source->text + s->at.offset, (size_t)s->at.length);
    return arena_print(w->t->scratch, "%s %s", word, newton_plain(w, written));
}

// the same thing in several rows or components is one
static bool *named_as(newton *w, const char *what) {
    for (int i = 0; i < w->named.count; i++)
        if (strcmp(w->named.at[i].what, what) == 0)
            return w->named.at[i].acts;
    newton_force new = {what, arena_array(w->t->scratch, bool, w->parts->bodies.count)};
    vec_push(w->t->scratch, w->named, new);
    return new.acts;
}

// the component of what is written out that a coordinate has: 0 to 2 of the force, 3 the torque in the plane;
// -1: a component of a quaternion
static int component_of(const newton *w, int coordinate) {
    const body *b = &w->parts->bodies.at[w->owner[coordinate]];
    if (b->position >= 0 && coordinate >= b->position && coordinate < b->position + (b->planar ? 2 : 3))
        return coordinate - b->position;
    return b->planar ? 3 : -1;
}

static bool is_force(mech_quantity q) {
    return q == MECH_Q || q == MECH_Q_ON_FORCES || q == MECH_C;
}

// written out, if all of it is short
static bool write_out(newton *w, int shape_id, int instance) {
    const shape *s = &w->model->shapes.at[shape_id];
    const mech_shape *d = &w->derived->shapes[shape_id];
    const int *slots = typeset_slots(s, instance);
    bool fits = s->kind != SHAPE_ROW && s->kind != SHAPE_FRICTION;
    for (int i = 0; i < d->entries.count && fits; i++) {
        const mech_entry *e = &d->entries.at[i];
        if (is_force(e->quantity) && w->owner[slots[e->i]] >= 0)
            fits = component_of(w, slots[e->i]) >= 0 &&
                   typeset_operations(w->t, typeset_instance(w->t, s, instance, e->e)) <= SHORT;
    }
    for (int i = 0; i < d->entries.count && fits; i++) {
        const mech_entry *e = &d->entries.at[i];
        if (!is_force(e->quantity) || w->owner[slots[e->i]] < 0)
            continue;
        expr *sum = &w->applied[w->owner[slots[e->i]]][component_of(w, slots[e->i])];
        expr add = typeset_instance(w->t, s, instance, e->e);
        *sum = *sum == EXPR_NONE ? add : expr_op2(w->t->pool, OP_ADD, *sum, add);
    }
    return fits;
}

static void take_instance(newton *w, int shape_id, int instance) {
    const shape *s = &w->model->shapes.at[shape_id];
    const mech_shape *d = &w->derived->shapes[shape_id];
    const int *slots = typeset_slots(s, instance);
    bool open = false;
    for (int i = 0; i < d->entries.count; i++) {
        mech_quantity q = d->entries.at[i].quantity;
        int number = is_force(q) || q == MECH_A ? w->owner[slots[d->entries.at[i].i]] : -1;
        open |= number >= 0 && !is_told(w, shape_id, instance, number);
    }
    if (!open || write_out(w, shape_id, instance))
        return;
    bool *acts = named_as(w, described(w, s, instance));
    for (int i = 0; i < d->entries.count; i++) {
        mech_quantity q = d->entries.at[i].quantity;
        int number = is_force(q) || q == MECH_A ? w->owner[slots[d->entries.at[i].i]] : -1;
        if (number >= 0 && !is_told(w, shape_id, instance, number))
            acts[number] = true;
    }
}

// it acts on what the rows of its sticking do
static void take_friction(newton *w, const model_friction *f) {
    label on = w->model->constraints.at[f->constraint].label;
    bool *acts = named_as(w, arena_print(w->t->scratch, "friction on %s", newton_name(w, on)));
    for (int r = f->stick_first; r < f->stick_first + f->stick_count; r++) {
        const model_row *row = &w->model->rows.at[r];
        const shape *s = &w->model->shapes.at[row->shape];
        for (int i = 0; i < s->slot_count; i++) {
            int number = w->owner[typeset_slots(s, row->instance)[i]];
            if (number >= 0)
                acts[number] = true;
        }
    }
}

static bool is_stick(const newton *w, const shape *s, int instance) {
    return s->kind == SHAPE_ROW &&
           w->model->constraints.at[w->model->rows.at[s->targets.at[instance]].constraint].stick;
}

static void take_all(newton *w) {
    for (int i = 0; i < w->model->shapes.count; i++) {
        const shape *s = &w->model->shapes.at[i];
        for (int k = 0; s->kind <= SHAPE_ROW && k < s->count; k++)
            if (!is_stick(w, s, k))
                take_instance(w, i, k);
    }
    for (int i = 0; i < w->model->frictions.count; i++)
        take_friction(w, &w->model->frictions.at[i]);
}

// ---- a body

static void put_scalar(newton *w, scalar s) {
    text_add(&w->t->out, newton_scalar(w, s));
}

static bool is_nothing(scalar s) {
    return s.known && s.number == 0;
}

static void put_inertia(newton *w, const body *b) {
    const char *between = w->t->latex ? ",\\, " : ", ";
    if (b->planar) {
        put_scalar(w, b->inertia[0]);
        return;
    }
    bool principal = is_nothing(b->inertia[3]) && is_nothing(b->inertia[4]) && is_nothing(b->inertia[5]);
    static const int full[] = {0, 3, 4, 3, 1, 5, 4, 5, 2}, diagonal[] = {0, 1, 2};
    typeset_add(w->t, principal ? "diag(" : "((", principal ? "\\operatorname{diag}(" : "\\begin{pmatrix} ");
    for (int i = 0; i < (principal ? 3 : 9); i++) {
        if (i > 0 && (principal || i % 3))
            text_add(&w->t->out, principal || !w->t->latex ? between : " & ");
        else if (i > 0)
            typeset_add(w->t, "), (", " \\\\ ");
        put_scalar(w, b->inertia[principal ? diagonal[i] : full[i]]);
    }
    typeset_add(w->t, principal ? ")" : "))", principal ? ")" : " \\end{pmatrix}");
}

static void put_title(newton *w, const body *b) {
    text_add(&w->t->out, "\n\n");
    text_add(&w->t->out, newton_name(w, b->label));
    if (b->position >= 0) {
        text_print(&w->t->out, w->t->latex ? ": $%s = " : ": %s = ", w->m);
        put_scalar(w, b->mass);
        typeset_add(w->t, "", "$");
    }
    if (b->rotation >= 0) {
        text_add(&w->t->out, b->position >= 0 ? ", " : ": ");
        text_print(&w->t->out, w->t->latex ? "$%s = " : "%s = ", w->I);
        put_inertia(w, b);
        typeset_add(w->t, "", "$");
    }
}

// (0, 0, -m g)
static void add_applied(newton *w, int number, typeset_terms *terms) {
    const body *b = &w->parts->bodies.at[number];
    const expr *e = w->applied[number];
    bool some = false;
    for (int i = 0; i < (b->planar ? 2 : 3); i++)
        some |= !typeset_is_zero(w->t, e[i]) && !typeset_cancels(w->t, e[i]);
    if (!some)
        return;
    text page = w->t->out;
    text_init(&w->t->out, w->t->scratch);
    text_add(&w->t->out, "+ (");
    for (int i = 0; i < (b->planar ? 2 : 3); i++) {
        text_add(&w->t->out, i == 0 ? "" : w->t->latex ? ",\\, " : ", ");
        typeset_expr(w->t, e[i] == EXPR_NONE ? expr_number(w->t->pool, 0) : e[i]);
    }
    text_add(&w->t->out, ")");
    const char *term = text_string(&w->t->out);
    w->t->out = page;
    vec_push(w->t->scratch, *terms, term);
}

static void add_applied_torque(newton *w, int number, typeset_terms *terms) {
    expr e = w->applied[number][3];
    if (typeset_is_zero(w->t, e) || typeset_cancels(w->t, e))
        return;
    text page = w->t->out;
    text_init(&w->t->out, w->t->scratch);
    typeset_expr(w->t, e);
    const char *term = text_string(&w->t->out);
    w->t->out = page;
    newton_term(w, terms, "+ (%s)", term);
}

static void add_loads(newton *w, int number, bool torques, typeset_terms *terms) {
    for (int i = 0; i < w->parts->loads.count; i++) {
        const body_load *l = &w->parts->loads.at[i];
        if (l->body != number || l->torque != torques)
            continue;
        newton_term(w, terms, "+ %s", newton_words(w, l->value));
    }
}

static void add_load_moments(newton *w, int number, typeset_terms *terms) {
    for (int i = 0; i < w->parts->loads.count; i++) {
        const body_load *l = &w->parts->loads.at[i];
        if (l->body == number && l->point)
            newton_term(w, terms, w->t->latex ? "+ %s\\,%s \\times %s" : "+ (%s %s) x %s", w->R,
                        newton_words(w, l->point), newton_words(w, l->value));
    }
}

static void add_named(newton *w, int number, bool torques, typeset_terms *terms) {
    for (int i = 0; i < w->named.count; i++)
        if (w->named.at[i].acts[number])
            newton_term(w, terms,
                        w->t->latex ? torques ? "+ N_{%d}" : "+ F_{%d}"
                        : torques   ? "+ N[%d]"
                                    : "+ F[%d]",
                        i + 1);
}

static void put_translation(newton *w, int number) {
    typeset_terms terms = {0};
    add_applied(w, number, &terms);
    add_loads(w, number, false, &terms);
    newton_add_forces(w, number, &terms);
    add_named(w, number, false, &terms);
    typeset_line(w->t);
    text_print(&w->t->out, w->t->latex ? "%s\\,\\ddot{%s} &= " : "%s %s'' = ", w->m, w->r);
    typeset_written(w->t, 38, &terms);
}

static void put_rotation(newton *w, int number) {
    const body *b = &w->parts->bodies.at[number];
    typeset_terms terms = {0}, world = {0};
    add_loads(w, number, true, &terms);
    add_named(w, number, true, &terms);
    add_applied_torque(w, number, &terms);
    add_load_moments(w, number, &world);
    newton_add_torques(w, number, &world);
    for (int i = 0; i < world.count; i++) {
        const char *term = world.at[i];
        bool first = i == 0 && !b->planar, last = i + 1 == world.count && !b->planar;
        if (first)
            term = arena_print(w->t->scratch, w->t->latex ? "+ %s^{T} (%s%s" : "+ %s^T (%s%s", w->R,
                               term[0] == '-' ? "-" : "", term + 2);
        if (last)
            term = arena_print(w->t->scratch, "%s)", term);
        vec_push(w->t->scratch, terms, term);
    }
    typeset_line(w->t);
    if (b->planar)
        text_print(&w->t->out, w->t->latex ? "%s\\,\\ddot{%s} &= " : "%s %s'' = ", w->I, w->phi);
    else
        text_print(&w->t->out,
                   w->t->latex ? "%s\\,\\dot{%s} + %s \\times %s\\,%s &= " : "%s %s' + %s x %s %s = ", w->I,
                   w->omega, w->omega, w->I, w->omega);
    typeset_written(w->t, b->planar ? 36 : 80, &terms);
}

static void put_body(newton *w, int number) {
    const body *b = &w->parts->bodies.at[number];
    put_title(w, b);
    if (b->position >= 0)
        put_translation(w, number);
    if (b->rotation >= 0)
        put_rotation(w, number);
    typeset_end(w->t);
}

// ---- all of it

static void put_head(newton *w) {
    bool space = false, plane = false;
    for (int i = 0; i < w->parts->bodies.count; i++) {
        space |= w->parts->bodies.at[i].rotation >= 0 && !w->parts->bodies.at[i].planar;
        plane |= w->parts->bodies.at[i].rotation >= 0 && w->parts->bodies.at[i].planar;
    }
    const char *sign = w->t->latex ? "$" : "";
    text_print(
        &w->t->out,
        "%sNewton's and Euler's equations of the bodies, each with its mass %s%s%s, its inertia %s%s%s",
        w->t->latex ? "% needs amsmath\n" : "", sign, w->m, sign, sign, w->I, sign);
    text_print(&w->t->out,
               " about its centre %s%s%s in its own axes, the rotation %s%s%s from these to the world's",
               sign, w->r, sign, sign, w->R, sign);
    if (space)
        text_print(&w->t->out, ", its angular velocity %s%s%s in its own axes", sign, w->omega, sign);
    if (plane)
        text_print(&w->t->out, "; in the plane %s%s%s is the turn by its angle%s%s%s", sign, w->R, sign,
                   w->t->latex ? " $" : "", w->t->latex ? w->phi : "", sign);
    typeset_add(
        w->t,
        ".\nA joint J exerts f[J] and, about its point P[J], n[J] on its second body, in world axes, and the "
        "opposite on its first.",
        ". A joint $J$ exerts $f_{J}$ and, about its point $P_{J}$, $n_{J}$ on its second body, in world "
        "axes, and the opposite on its first.");
}

static void put_named(newton *w) {
    if (w->named.count)
        text_add(&w->t->out,
                 "\n\nwhere forces F and torques N about the centre, in the body's own axes, are those of");
    for (int i = 0; i < w->named.count; i++)
        text_print(&w->t->out, w->t->latex ? "%s (%d)~%s" : "%s (%d) %s", i ? "," : "", i + 1,
                   w->named.at[i].what);
    for (int i = 0; i < w->phrases.count; i++)
        text_print(&w->t->out, "%s$W_{%d}$: %s", i ? "; " : "\n\nand ", i + 1, w->phrases.at[i]);
}

static void mark(const newton *w, bool *coordinates, bool *rows) {
    for (int i = 0; i < w->model->coords.count; i++)
        coordinates[i] = w->owner[i] < 0;
    for (int i = 0; i < w->model->rows.count; i++) {
        int constraint = w->model->rows.at[i].constraint;
        rows[i] = w->joint_of[constraint] == NULL && !w->model->constraints.at[constraint].stick;
    }
    for (int i = 0; i < w->parts->bodies.count; i++)
        for (int k = 0; k < w->model->rows.count; k++)
            if (w->model->rows.at[k].constraint == w->parts->bodies.at[i].constraint)
                rows[k] = false;
}

// the first that no name of the model is, alone or with digits behind it
static const char *free_letter(const newton *w, const char *const *list) {
    for (; list[1]; list++) {
        const char *word = list[0][0] == '\\' ? list[0] + 1 : list[0];
        size_t length = strlen(word);
        bool taken = false;
        for (int i = 0; i < names_count(w->model->names); i++) {
            const char *name = names_text(w->model->names, i);
            taken |= strncmp(name, word, length) == 0 &&
                     strspn(name + length, "0123456789") == strlen(name + length);
        }
        if (!taken)
            break;
    }
    return list[0];
}

static void choose_letters(newton *w) {
    static const char *const mass[] = {"m", "M", "\\mu", NULL}, *const inertia[] = {"I", "J", "\\Theta",
                                                                                    NULL};
    static const char *const centre[] = {"r", "c", "p", "z", NULL}, *const turn[] = {"R", "A", "D", "S",
                                                                                     NULL};
    static const char *const rate[] = {"\\omega", "\\Omega", "\\nu", NULL}, *const rate_text[] = {"w", "W",
                                                                                                  "o", NULL};
    static const char *const angle[] = {"\\phi", "\\theta", "\\psi", "\\alpha", NULL};
    const char **const letters[] = {&w->m, &w->I, &w->r, &w->R};
    const char *const *const lists[] = {mass, inertia, centre, turn};
    for (int i = 0; i < 4; i++) {
        *letters[i] = free_letter(w, lists[i]);
        if (!w->t->latex && **letters[i] == '\\')
            ++*letters[i];
    }
    w->omega = free_letter(w, w->t->latex ? rate : rate_text);
    w->phi = w->t->latex ? free_letter(w, angle) : "angle";
}

void newton_put(typeset *t, bool *coordinates, bool *rows) {
    const model *m = t->model;
    newton w = {.t = t, .model = m, .derived = t->derived, .parts = m->extension};
    w.owner = newton_owners(t->scratch, m, w.parts);
    w.joint_of = arena_array(t->scratch, const joint *, m->constraints.count + 1);
    for (int i = 0; i < w.parts->joints.count; i++)
        w.joint_of[w.parts->joints.at[i]->constraint] = w.parts->joints.at[i];
    w.known = arena_array(t->scratch, bool *, m->shapes.count + 1);
    for (int i = 0; i < m->shapes.count; i++)
        w.known[i] = arena_array(t->scratch, bool, m->shapes.at[i].count + 1);
    for (int i = 0; i < w.parts->elements.count; i++)
        w.known[w.parts->elements.at[i].shape][w.parts->elements.at[i].instance] = true;
    w.applied = arena_alloc(t->scratch, (size_t)w.parts->bodies.count * sizeof *w.applied);
    memset(w.applied, 0, (size_t)w.parts->bodies.count * sizeof *w.applied);
    choose_letters(&w);
    take_all(&w);
    put_head(&w);
    for (int i = 0; i < w.parts->bodies.count; i++)
        put_body(&w, i);
    for (int i = 0; i < w.parts->joints.count; i++)
        newton_put_joint(&w, w.parts->joints.at[i]);
    put_named(&w);
    mark(&w, coordinates, rows);
}
