/* The second walk: the system. Energies, forces, masses, constraints, initial values, what to simulate. */
#include "lang/elab.h"

#include <math.h>
#include <string.h>

static void act_energy(elab *L, const stmt *s, const binding *scope) {
    static const struct {
        shape_kind kind;
        allowance allowed;
    } forms[] = {
        {SHAPE_KINETIC, {WITH_V, false, "a kinetic energy"}},
        {SHAPE_POTENTIAL, {WITH_P, false, "a potential"}},
        {SHAPE_DISSIPATION, {WITH_V, false, "a dissipation function"}},
    };
    int which = s->kind - STMT_KINETIC;
    L->allowed = forms[which].allowed;
    if (s->value)
        elab_terms(L, forms[which].kind, s->value, scope);
}

// the part that an item such as J[2].angle1 names; false, and an error, if it is none
static bool part_of(elab *L, const item *it, const binding *scope, const char *what, int *part) {
    node name = {.kind = NODE_NAME, .name = it->name, .at = it->at, .whole = it->at};
    node index = {.kind = NODE_INDEX, .a = &name, .b = it->index, .at = it->at, .whole = it->at};
    return elab_find_part(L, it->index ? &index : &name, scope, what, part);
}

static bool names_part(elab *L, const item *it, const binding *scope) {
    node name = {.kind = NODE_NAME, .name = it->name, .at = it->at, .whole = it->at};
    return !it->first && elab_names_part(L, &name, scope);
}

// force B.x = e is on a coordinate
static bool is_of_coordinate(elab *L, const item *it, int part) {
    const char *name = arena_copy(L->arena, it->part.source->text + it->part.offset, (size_t)it->part.length);
    return L->parts.at[part].count && elab_part_coordinate(L, part, name) >= 0;
}

// force B = e, torque J.angle1 = e; false if it is no part that the statement names
static bool on_part(elab *L, const stmt *s, const binding *scope,
                    void (*act)(elab *L, const stmt *s, const binding *scope, int part)) {
    const item *it = &s->items.at[0];
    int part;
    bool torque = s->kind == STMT_TORQUE;
    if (!torque && !names_part(L, it, scope))
        return false;
    L->allowed = (allowance){WITH_FORCES, true, torque ? "a torque" : "a force"};
    if (it->first)
        elab_error(L, it->at, "a torque acts on a body or joint, not on a range")->hint =
            "use a loop: for i in 1..N: ...";
    else if (!part_of(L, it, scope, "a body or joint", &part))
        return true;
    else if (it->part.source && !torque && is_of_coordinate(L, it, part))
        return false;
    else
        act(L, s, scope, part);
    return true;
}

void elab_show_loads(elab *L, const stmt *s, const binding *scope) {
    if (L->extension && L->extension->show_force)
        on_part(L, s, scope, L->extension->show_force);
}

void elab_on_coordinate(elab *L, const stmt *s, const binding *scope) {
    static const struct {
        stmt_kind statement;
        shape_kind kind;
        allowance allowed;
        const char *word;
    } forms[] = {
        {STMT_MASS, SHAPE_MASS, {WITH_P, false, "an entry of the mass matrix"}, "mass"},
        {STMT_FORCE, SHAPE_FORCE, {WITH_FORCES, true, "a force"}, "force"},
        {STMT_NONIDEAL, SHAPE_NONIDEAL, {WITH_FORCES, true, "a non-ideal force"}, "nonideal"},
    };
    int which = 0, targets[2] = {0}, count = s->items.count;
    if ((s->kind == STMT_FORCE || s->kind == STMT_TORQUE) &&
        on_part(L, s, scope, L->extension ? L->extension->force : NULL))
        return;
    if (s->point) {
        elab_error(L, s->point->whole, "only a force on a body acts at a point of it");
        return;
    }
    while (forms[which].statement != s->kind)
        which++;
    L->allowed = forms[which].allowed;
    for (int i = 0; i < count; i++)
        if (!elab_target(L, &s->items.at[i], scope, forms[which].word, &targets[i]))
            return;
    elab_begin(L);
    for (int i = 0; i < count; i++) // the coordinates acted on are the first slots
        elab_slot(L, targets[i]);
    scalar amount;
    if (s->value == NULL || !elab_number(L, s->value, scope, &amount))
        return;
    expr parts[SHAPE_PARTS] = {elab_expr(L, amount)};
    bool pair = count == 2 && targets[0] != targets[1];
    elab_finish(L, pair ? SHAPE_MASS_PAIR : forms[which].kind, s->value->whole, parts, NULL, 0);
}

bool elab_option(elab *L, const node *n, const binding *scope, const char *where, scalar *out) {
    allowance old = L->allowed;
    L->allowed = (allowance){WITH_P, false, where};
    bool ok = elab_number(L, n, scope, out);
    L->allowed = old;
    return ok;
}

// the expression of an option such as damping, over the slots of the row at hand
static bool option(elab *L, const node *n, const binding *scope, const char *where, double least, expr *out) {
    scalar s;
    if (n == NULL)
        return true;
    bool ok = elab_option(L, n, scope, where, &s);
    if (ok && s.known && elab_asks(L, OP_LT, s, elab_plain(least))) {
        elab_error(L, n->whole, "%s is not negative: this is %.6g", where, s.number);
        return false;
    }
    if (ok)
        *out = elab_expr(L, s);
    return ok;
}

static bool row_parts(elab *L, const stmt *s, const binding *scope, int row, int size, expr *parts) {
    return option(L, s->damping, scope, "a damping", -INFINITY, &parts[PART_DAMPING]) &&
           option(L, s->stiffness, scope, "a stiffness", -INFINITY, &parts[PART_STIFFNESS]) &&
           (s->weight && s->weight->kind == NODE_TUPLE
                ? elab_weights(L, s->weight, scope, row, size, parts)
                : option(L, s->weight, scope, "a weight", 0, &parts[PART_WEIGHT]));
}

int elab_new_constraint(elab *L, label l, place at, bool control) {
    model_constraint c = {.label = l, .first_row = L->model->rows.count, .control = control, .at = at};
    vec_push(L->arena, L->model->constraints, c);
    return L->model->constraints.count - 1;
}

void elab_new_row(elab *L, int constraint, const char *part, const expr *parts) {
    int row = L->model->rows.count;
    model_row r = {.constraint = constraint, .part = part};
    vec_push(L->arena, L->model->rows, r);
    L->model->constraints.at[constraint].row_count++;
    elab_finish(L, SHAPE_ROW, L->model->constraints.at[constraint].at, parts, &row, 1);
}

static int new_constraint(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    int id = L->model->constraints.count;
    if (entry == NULL || entry->kind != SYMBOL_CONSTRAINT || !elab_label(L, it, scope, &l))
        return -1;
    if (l.indexed ? !elab_enter(L, it, l.index, id) : entry->id >= 0)
        return -1;
    elab_new_constraint(L, l, it->at, s->kind == STMT_CONTROL);
    entry->id = id;
    entry->ready = true;
    return id;
}

// both sides of an equation in one element; a scalar 0 goes with a tuple
static bool equation(elab *L, const stmt *s, const binding *scope, value *difference) {
    elab_begin(L);
    value a = elab_eval_alike(L, s->lhs, scope), b = elab_eval_alike(L, s->rhs, scope);
    if (a.size == 0 || b.size == 0)
        return false;
    if (a.condition || b.condition) {
        elab_error(L, (a.condition ? s->lhs : s->rhs)->whole, "a constraint equates numbers, not conditions");
        return false;
    }
    bool zero = b.size == 1 && b.at[0].known && a.size > 1 &&
                elab_asks(L, OP_EQ, b.at[0], elab_plain(0)); // (x, y) = 0
    if (a.size != b.size && !zero) {
        elab_error(L, s->lhs->whole, "the two sides of this constraint have %d and %d numbers", a.size,
                   b.size);
        return false;
    }
    *difference = elab_map2(L, OP_SUB, a, b);
    return true;
}

static void act_constraint(elab *L, const stmt *s, const binding *scope) {
    L->allowed = (allowance){WITH_A, false, "a constraint"};
    value difference;
    if (s->rhs == NULL)
        return;
    int id = new_constraint(L, s, scope);
    if (id < 0 || !equation(L, s, scope, &difference))
        return;
    int size = difference.size;
    for (int i = 0; i < size; i++) { // each row has only the slots it needs
        if (size > 1 && !equation(L, s, scope, &difference))
            return;
        expr parts[SHAPE_PARTS] = {elab_expr(L, difference.at[i])};
        if (size > 1)
            parts[PART_VALUE] = elab_only(L, parts[PART_VALUE]);
        if (!row_parts(L, s, scope, i, size, parts))
            return;
        elab_new_row(L, id, elab_component(size, i), parts);
    }
}

void elab_set_initial(elab *L, const item *it, model_initial *to, double number) {
    if (to->kind != INITIAL_NONE) {
        diag_other(elab_error(L, it->at, "this initial value is given twice"), to->at, "first given here");
        return;
    }
    *to = (model_initial){it->guess ? INITIAL_GUESS : INITIAL_EXACT, it->part.source != NULL, number, it->at};
}

// the geometry of joints stays that of the initial values proper
static void set_instead(elab *L, const item *it, bool is_quasi, int id, double number) {
    model *m = L->model;
    if (is_quasi) {
        elab_error(L, it->at, "quasi-velocities have no other start than their initial values")->hint =
            "give velocities instead: initial instead x' ~ 1";
        return;
    }
    if (m->instead.count == 0) {
        vec_reserve(L->arena, m->instead, 2 * m->coords.count);
        m->instead.count = 2 * m->coords.count;
    }
    m->instead.at[it->primes ? m->coords.count + id : id] =
        (model_initial){INITIAL_GUESS, false, number, it->at}; // the last counts
}

static bool quasi_target(elab *L, const item *it, const binding *scope, int *id) {
    symbol *s = L->symbols[it->name];
    int index;
    *id = s->id;
    if (it->first || it->part.source || s->array != (it->index != NULL)) {
        const char *name = names_text(L->names, it->name);
        elab_error(L, it->at, s->array ? "'%s' needs an index" : "'%s' has no index and no parts", name)
            ->hint = s->array ? arena_print(L->arena, "write %s[i]", name) : NULL;
        return false;
    }
    if (it->index == NULL)
        return s->ready;
    if (!elab_whole(L, it->index, scope, "an index", &index))
        return false;
    *id = map_get(&L->cells, elab_cell(it->name, index));
    if (*id < 0)
        elab_error(L, it->at, "there is no %s[%d]%s", names_text(L->names, it->name), index,
                   elab_variables(L, scope));
    return *id >= 0;
}

static void set_initial(elab *L, const item *it, const binding *scope, bool instead) {
    symbol *entry = L->symbols[it->name];
    bool is_quasi = entry && entry->kind == SYMBOL_QUASI;
    scalar number;
    int id;
    if (is_quasi ? !quasi_target(L, it, scope, &id) : !elab_target(L, it, scope, "initial", &id))
        return;
    if (it->value == NULL || !elab_known_scalar(L, it->value, scope, "an initial value", &number))
        return;
    if (instead) {
        set_instead(L, it, is_quasi, id, elab_peek(L, &number));
        return;
    }
    model_initial *to = is_quasi     ? &L->model->quasi.at[id]
                        : it->primes ? &L->model->velocity.at[id]
                                     : &L->model->position.at[id];
    if (it->part.source) // of a body: joints are fixed where it is
        elab_peek(L, &number);
    else
        recipe_keeps(L->recipes, number.step, &to->value);
    elab_set_initial(L, it, to, number.number);
}

static void act_initial(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; s->kind == STMT_INITIAL && i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        symbol *entry = L->symbols[it->name];
        int part;
        if (it->primes > (entry && entry->kind == SYMBOL_QUASI ? 0 : 1))
            elab_error(L, it->at, "only positions, velocities and quasi-velocities have initial values")
                ->hint = "accelerations follow from the equations of motion";
        else if (it->call.source)
            continue; // of a joint
        else if (!it->part.source || !names_part(L, it, scope))
            set_initial(L, it, scope, s->instead);
        else if (part_of(L, it, scope, "a particle, body or joint", &part) && L->parts.at[part].count)
            set_initial(L, it, scope, s->instead);
    }
}

static bool is_started(elab *L, const item *it) {
    static const char *const words[] = {"angle", "displacement"};
    for (int i = 0; i < 2; i++)
        if ((size_t)it->call.length == strlen(words[i]) &&
            memcmp(it->call.source->text + it->call.offset, words[i], strlen(words[i])) == 0)
            return true;
    elab_error(L, it->call, "this has no initial value")->hint =
        "coordinates have, and angles and displacements of joints: initial x = 1, angle(J) = 0.5";
    return false;
}

// angle(J), J.slide1: where joints are known
static void act_joint_initial(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; s->kind == STMT_INITIAL && i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        int part;
        bool named = !it->call.source && it->part.source && names_part(L, it, scope) && L->diags->errors == 0;
        bool called = it->call.source && is_started(L, it);
        if (it->primes > 1 || !(called || named) || !part_of(L, it, scope, "a joint", &part) ||
            (named && L->parts.at[part].count))
            continue;
        if (s->instead)
            elab_error(L, it->at, "another start is given by coordinates, not by joints")->hint =
                "write 'initial' without 'instead', or the positions of the bodies";
        else
            L->extension->start(L, it, scope, part);
    }
}

static scalar simulate_number(elab *L, const node *n, const char *what, double least, double *out) {
    scalar s = elab_plain(0);
    if (n == NULL || !elab_known_scalar(L, n, NULL, what, &s))
        return elab_plain(0);
    *out = s.number;
    recipe_keeps(L->recipes, s.step, out);
    if (elab_asks(L, OP_LE, s, elab_plain(least)))
        elab_error(L, n->whole, "%s must be larger than 0, not %.15g", what, *out);
    return s;
}

// scale x = 1e-6; scale time = 1e-3, unless a coordinate has that name
static void act_scale(elab *L, const item *it) {
    const char *name = names_text(L->names, it->name);
    bool of_time = strcmp(name, "time") == 0 && L->symbols[it->name] == NULL && !it->index && !it->primes;
    model_scale scale = {.at = it->at};
    if (!of_time && it->primes) {
        elab_error(L, it->at, "coordinates and time have scales, velocities do not")->hint =
            "write scale x = 1e-6, scale time = 1e-3";
        return;
    }
    if (!of_time && !elab_target(L, it, NULL, "scale", &scale.coordinate))
        return;
    if (it->value == NULL || !elab_known(L, it->value, NULL, "a scale", &scale.value))
        return;
    if (!(scale.value > 0) || !isfinite(scale.value)) {
        elab_error(L, it->value->whole, "a scale must be larger than 0, not %.15g", scale.value);
        return;
    }
    if (of_time) {
        if (L->model->simulate.time_scale > 0)
            elab_error(L, it->at, "the scale of time is given twice");
        L->model->simulate.time_scale = scale.value;
        return;
    }
    for (int i = 0; i < L->model->scales.count; i++)
        if (L->model->scales.at[i].coordinate == scale.coordinate)
            diag_other(elab_error(L, it->at, "this scale is given twice"), L->model->scales.at[i].at,
                       "first given here");
    vec_push(L->arena, L->model->scales, scale);
}

// what the model says itself counts, not what a file says that it includes
static bool is_own(const elab *L, place at) {
    return at.source == L->model->sources.at[0];
}

static void act_simulate(elab *L, const stmt *s) {
    model_simulate *to = &L->model->simulate;
    if (to->given && is_own(L, to->at) == is_own(L, s->at)) {
        diag_other(elab_error(L, s->at, "a model has one simulate statement, this is the second"), to->at,
                   "the first is here");
        return;
    }
    if (to->given && is_own(L, to->at))
        return;
    *to = (model_simulate){.given = true};
    L->model->scales.count = 0;
    to->at = s->at;
    to->equilibrium = s->equilibrium.source != NULL;
    double *const places[] = {&to->from, &to->until, &to->every, &to->tolerance, &to->rank};
    for (int i = 0; i < 5; i++)
        recipe_keeps(L->recipes, 0, places[i]);
    scalar from = simulate_number(L, s->from, "the start time", -INFINITY, &to->from);
    scalar until = simulate_number(L, s->until, "the end time", -INFINITY, &to->until);
    simulate_number(L, s->every, "the sampling interval", 0, &to->every);
    simulate_number(L, s->tolerance, "the tolerance", 0, &to->tolerance);
    scalar rank = simulate_number(L, s->rank, "the rank tolerance", 0, &to->rank);
    if (elab_asks(L, OP_LE, elab_plain(1), rank))
        elab_error(L, s->rank->whole, "the rank tolerance must be below 1, not %.15g", to->rank)->hint =
            "rows whose remainder over the others is less, at unit length, count as dependent: 1e-9";
    for (int i = 0; i < s->items.count; i++)
        act_scale(L, &s->items.at[i]);
    if (elab_asks(L, OP_LT, until, from))
        elab_error(L, s->until->whole, "the end time %.15g lies before the start %.15g", to->until, to->from);
}

static void act_title(elab *L, const stmt *s) {
    bool given = L->model->title != NULL;
    if (given && is_own(L, L->title_at) && !is_own(L, s->at))
        return;
    if (given && is_own(L, L->title_at) == is_own(L, s->at))
        diag_other(elab_error(L, s->at, "a model has one title, this is the second"), L->title_at,
                   "the first is here");
    L->title_at = s->at;
    L->model->title =
        arena_copy(L->arena, s->extent.source->text + s->extent.offset + 1, (size_t)s->extent.length - 2);
}

static void act_coordinates(elab *L, const stmt *s) {
    model *m = L->model;
    if (m->form != FORM_AUTO)
        diag_other(elab_error(L, s->at, "this is said twice"), m->form_at, "the first is here");
    m->form = s->extent.source->text[s->extent.offset] == 'j' ? FORM_JOINTS : FORM_BODIES;
    m->form_at = s->at;
}

static void act_system(elab *L, const stmt *s, const binding *scope) {
    switch (s->kind) {
    case STMT_KINETIC:
    case STMT_POTENTIAL:
    case STMT_DISSIPATION:
        act_energy(L, s, scope);
        break;
    case STMT_MASS:
        elab_on_coordinate(L, s, scope);
        break;
    case STMT_CONSTRAINT:
    case STMT_CONTROL:
        act_constraint(L, s, scope);
        break;
    case STMT_PART:
        elab_describe_part(L, s, scope);
        break;
    case STMT_SIMULATE:
    case STMT_COORDINATES:
    case STMT_TITLE:
        if (scope)
            elab_error(L, s->at, "'%s' cannot stand in a loop",
                       s->kind == STMT_TITLE         ? "title"
                       : s->kind == STMT_COORDINATES ? "coordinates"
                                                     : "simulate");
        else if (s->kind == STMT_COORDINATES)
            act_coordinates(L, s);
        else if (s->kind == STMT_TITLE)
            act_title(L, s);
        else
            act_simulate(L, s);
        break;
    default:
        break;
    }
}

static bool is_system(const stmt *s) {
    return s->kind == STMT_KINETIC || s->kind == STMT_POTENTIAL || s->kind == STMT_DISSIPATION ||
           s->kind == STMT_MASS || s->kind == STMT_CONSTRAINT || s->kind == STMT_CONTROL ||
           s->kind == STMT_PART || s->kind == STMT_SIMULATE || s->kind == STMT_COORDINATES ||
           s->kind == STMT_TITLE;
}

// these may name the reactions of all others
static bool is_force(const stmt *s) {
    return s->kind == STMT_FORCE || s->kind == STMT_TORQUE;
}

static void act_force(elab *L, const stmt *s, const binding *scope) {
    if (is_force(s))
        elab_on_coordinate(L, s, scope);
}

// each quasi-velocity's definition as an element
static void quasi_elements(elab *L) {
    L->allowed = (allowance){WITH_V, false, "a quasi-velocity"};
    for (int i = 0; i < L->quasi_bodies.count; i++) {
        quasi_body *q = &L->quasi_bodies.at[i];
        scalar s;
        elab_begin(L);
        L->sequence = q->sequence;
        q->busy = true;
        bool ok = !q->wrong && elab_number(L, q->body, q->scope, &s);
        L->quasi_bodies.at[i].busy = false;
        L->quasi_bodies.at[i].wrong = !ok;
        if (!ok)
            continue;
        expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
        elab_finish(L, SHAPE_QUASI, q->body->whole, parts, &i, 1);
    }
}

static bool is_initial(const stmt *s) {
    return s->kind == STMT_INITIAL;
}

static bool is_friction(const stmt *s) {
    return s->kind == STMT_FRICTION;
}

static void act_friction(elab *L, const stmt *s, const binding *scope) {
    if (is_friction(s) && L->extension)
        L->extension->friction(L, s, scope);
    else if (is_friction(s))
        elab_error(L, s->at, "'friction' means nothing here");
}

void elab_describe(elab *L, const stmt_list *list) {
    elab_walk system = {L, act_system, is_system}, forces = {L, act_force, is_force},
              initials = {L, act_initial, is_initial}, joint_initials = {L, act_joint_initial, is_initial},
              frictions = {L, act_friction, is_friction};
    quasi_elements(L);
    elab_parts(L, PART_START, list);
    elab_list(&initials, list, NULL);
    elab_parts(L, PART_CONNECT, list);
    elab_list(&joint_initials, list, NULL);
    elab_list(&system, list, NULL);
    elab_list(&forces, list, NULL);
    elab_list(&frictions, list, NULL);
}
