/* The statement `friction`. It gives its constraint or joint a second constraint, the slip velocity, whose
 * rows NAME.stick hold while it sticks, and an element with its coefficients. */
#include "mech/friction.h"

#include "mech/joints/joints.h"

#include <string.h>

typedef struct {
    elab *elab;
    const stmt *stmt;
    const binding *scope;
    const item *mu, *at_rest, *radius, *slip;
    int constraint; // on which it acts
    joint *joint;   // whose that is, or NULL
    int stick;      // constraint of the slip velocity
} acting;

static bool read_settings(acting *a) {
    static const char *const known[] = {"mu", "static", "radius", "slip", NULL};
    elab *L = a->elab;
    const item_list *list = &a->stmt->settings;
    if (!setting_check(L, list, known, "friction"))
        return false;
    a->mu = setting_find(L, list, "mu");
    a->at_rest = setting_find(L, list, "static");
    a->radius = setting_find(L, list, "radius");
    a->slip = setting_find(L, list, "slip");
    if (a->mu == NULL)
        elab_error(L, a->stmt->items.at[0].at, "friction needs its coefficient mu")->hint =
            "write friction NAME: mu = 0.3";
    if (a->slip && a->radius)
        elab_error(L, a->radius->at, "with the slip velocity given, a radius means nothing")->hint =
            "write slip = r*angle(J)'";
    return a->mu && !(a->slip && a->radius);
}

static bool find_target(acting *a) {
    elab *L = a->elab;
    const item *it = &a->stmt->items.at[0];
    node name = {.kind = NODE_NAME, .name = it->name, .at = it->at, .whole = it->at};
    node index = {.kind = NODE_INDEX, .a = &name, .b = it->index, .at = it->at, .whole = it->at};
    const node *target = it->index ? &index : &name;
    if (it->first || it->primes || it->part.source) {
        elab_error(L, it->at, "friction acts on a whole constraint or joint")->hint =
            it->first ? "use a loop: for i in 1..N: friction link[i]: ..." : "write its name alone";
        return false;
    }
    if (!elab_find_constraint(L, target, a->scope, &a->constraint))
        return false;
    if (elab_names_part(L, target, a->scope) && !joint_find(L, target, a->scope, &a->joint))
        return false;
    if (L->model->constraints.at[a->constraint].control) {
        elab_error(L, it->at, "a control has no friction: its force is that of a controller");
        return false;
    }
    for (int i = 0; i < L->model->frictions.count; i++)
        if (L->model->frictions.at[i].constraint == a->constraint) {
            diag_other(elab_error(L, it->at, "this has its friction already"), L->model->frictions.at[i].at,
                       "the first is here");
            return false;
        }
    return true;
}

// ---- rows of the slip velocity

static void add_row(acting *a, int which, int count, expr e) {
    static const char *const parts_named[] = {"stick.1", "stick.2", "stick.3", "stick.4", "stick.5",
                                              "stick.6", "stick.7", "stick.8", "stick.9"};
    elab *L = a->elab;
    expr parts[SHAPE_PARTS] = {e};
    const char *name = count == 1  ? "stick"
                       : which < 9 ? parts_named[which]
                                   : arena_print(L->arena, "stick.%d", which + 1);
    elab_new_row(L, a->stick, name, parts);
}

static bool given_slip(acting *a) {
    elab *L = a->elab;
    int size = 1;
    for (int i = 0; i < size; i++) {
        elab_begin(L);
        L->allowed = (allowance){WITH_V, false, "a slip velocity"};
        value v = elab_eval(L, a->slip->value, a->scope);
        size = v.size;
        if (size == 0)
            return false;
        expr e = v.condition ? EXPR_NONE : elab_only(L, elab_expr(L, v.at[i]));
        if (e == EXPR_NONE || !expr_has(L->pool, e, SYM_V)) {
            elab_error(L, a->slip->value->whole, "a slip velocity must hold a velocity")->hint =
                "as in slip = x' - u, or slip = (x', y')";
            return false;
        }
        add_row(a, i, size, e);
    }
    return true;
}

static bool joint_rows_of_slip(acting *a) {
    elab *L = a->elab;
    place at = a->stmt->items.at[0].at;
    scalar radius = {0};
    int count = joint_slip_count(L, a->joint, a->radius, at);
    if (count == 0)
        return false;
    if (a->radius && !elab_known_scalar(L, a->radius->value, a->scope, "a radius", &radius))
        return false;
    if (a->radius && !elab_asks(L, OP_LT, elab_plain(0), radius)) {
        elab_error(L, a->radius->value->whole, "a radius is larger than 0, not %.6g", radius.number);
        return false;
    }
    for (int i = 0; i < count; i++) {
        elab_begin(L);
        add_row(a, i, count, elab_expr(L, joint_slip(L, a->joint, i, radius)));
    }
    return true;
}

static bool tangent_rows(acting *a) {
    elab *L = a->elab;
    model_constraint c = L->model->constraints.at[a->constraint];
    tangent t;
    if (a->radius) {
        elab_error(L, a->radius->at, "a constraint has no radius: this is for joints that turn")->hint =
            "leave it away";
        return false;
    }
    if (!tangent_find(L, &c, a->stmt->items.at[0].at, &t))
        return false;
    for (int i = 0; i < t.count; i++)
        add_row(a, i, t.count, tangent_component(L, &c, t, i));
    return true;
}

// ---- what presses

// the coordinates in a constraint, of one body
static void press_all(acting *a, model_friction *f) {
    elab *L = a->elab;
    elab_begin(L);
    for (int i = 0; i < f->count; i++)
        elab_row_value(L, f->first + i);
    f->pressed_count = L->builder.slots.count;
    int *pressed = arena_array(L->arena, int, f->pressed_count + 1);
    memcpy(pressed, L->builder.slots.at, (size_t)f->pressed_count * sizeof *pressed);
    if (a->slip) // the velocity along a constraint is that of one body
        f->pressed_count = friction_one_side(L, f, pressed, f->pressed_count);
    f->pressed = pressed;
}

// the centre of one of the joint's bodies; what drives the joint does not press
static bool press_body(acting *a, model_friction *f) {
    elab *L = a->elab;
    int first = joint_pressed(a->joint), size = a->joint->planar ? 2 : 3;
    if (a->joint->body[0] == NULL || first < 0) {
        elab_error(L, a->stmt->items.at[0].at,
                   "the force of this joint is not known: its bodies have no mass, and so no position");
        return false;
    }
    while (f->count > 0 && strcmp(L->model->rows.at[f->first + f->count - 1].part, "motion") == 0)
        f->count--;
    int *pressed = arena_array(L->arena, int, size);
    for (int i = 0; i < size; i++)
        pressed[i] = first + i;
    f->pressed = pressed;
    f->pressed_count = size;
    return true;
}

// ---- coefficients

static bool coefficient(acting *a, const item *it, unsigned kinds, const char *what, scalar *out) {
    elab *L = a->elab;
    L->allowed = (allowance){kinds, false, what};
    if (!elab_number(L, it->value, a->scope, out))
        return false;
    if (out->known && !elab_asks(L, OP_LE, elab_plain(0), *out)) {
        elab_error(L, it->value->whole, "%s is not negative: this is %.6g", what, out->number);
        return false;
    }
    return true;
}

static void add_coefficients(acting *a) {
    elab *L = a->elab;
    int which = L->model->frictions.count;
    scalar mu, at_rest;
    elab_begin(L);
    if (!coefficient(a, a->mu, WITH_V, "a coefficient of friction", &mu))
        return;
    at_rest = mu;
    if (a->at_rest && !coefficient(a, a->at_rest, WITH_P, "a coefficient of static friction", &at_rest))
        return;
    if (mu.known && at_rest.known && elab_asks(L, OP_LT, at_rest, mu)) {
        elab_error(L, a->at_rest->value->whole, "static friction, %.6g, is less than that of slipping, %.6g",
                   at_rest.number, mu.number)
            ->hint = "it takes at least as much to begin to slip as to go on";
        return;
    }
    expr parts[SHAPE_PARTS] = {elab_expr(L, mu)};
    parts[PART_STATIC] = a->at_rest ? elab_expr(L, at_rest) : parts[PART_VALUE];
    elab_finish(L, SHAPE_FRICTION, a->stmt->items.at[0].at, parts, &which, 1);
}

void friction_act(elab *L, const stmt *s, const binding *scope) {
    acting a = {.elab = L, .stmt = s, .scope = scope};
    if (!read_settings(&a) || !find_target(&a))
        return;
    const model_constraint *c = &L->model->constraints.at[a.constraint];
    model_friction f = {.constraint = a.constraint,
                        .first = c->first_row,
                        .count = c->row_count,
                        .stick_first = L->model->rows.count,
                        .at = s->items.at[0].at};
    a.stick = elab_new_constraint(L, c->label, f.at, false);
    L->model->constraints.at[a.stick].stick = true;
    bool known = a.slip ? given_slip(&a) : a.joint ? joint_rows_of_slip(&a) : tangent_rows(&a);
    if (!known)
        return;
    f.stick_count = L->model->rows.count - f.stick_first;
    if (a.joint ? !press_body(&a, &f) : (press_all(&a, &f), false))
        return;
    add_coefficients(&a);
    vec_push(L->arena, L->model->frictions, f);
}
