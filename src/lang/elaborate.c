/* From statements to the model, in three walks over them: declarations (parameters, coordinates, quasi-velocities),
 * the system (energies, forces, constraints, initial values), and what needs its constraints to be known (non-ideal
 * forces, outputs, expectations, plots). */
#include "lang/elab.h"

#include <math.h>
#include <string.h>

typedef struct {
    elab *elab;
    void (*act)(elab *L, const stmt *s, const binding *scope); // on each statement that is no loop
    bool (*wanted)(const stmt *s);                             // whether a loop's body holds anything to do
} walk;

uint64_t elab_cell(int name, int index) {
    return (uint64_t)(uint32_t)name << 32 | (uint32_t)index;
}

static bool any_wanted(const walk *w, const stmt_list *list) {
    for (int i = 0; i < list->count; i++) {
        const stmt *s = list->at[i];
        if (s->kind == STMT_FOR ? any_wanted(w, &s->body) : w->wanted(s))
            return true;
    }
    return false;
}

static void walk_list(const walk *w, const stmt_list *list, const binding *scope);

static void walk_loop(const walk *w, const stmt *s, const binding *scope) {
    elab *L = w->elab;
    int low, high;
    if (s->low == NULL || s->high == NULL || !any_wanted(w, &s->body))
        return;
    if (!elab_whole(L, s->low, scope, "a bound", &low) || !elab_whole(L, s->high, scope, "a bound", &high))
        return;
    binding variable = {.next = scope, .name = s->name, .loop = true};
    for (long long i = low; i <= high; i++) {
        int errors = L->diags->errors;
        variable.value = elab_scalar((scalar){.number = (double)i, .known = true, .varies = true});
        walk_list(w, &s->body, &variable);
        if (!elab_spend(L, s->at, 1) || L->diags->errors > errors)
            return; // the next iterations would say the same
    }
}

static void walk_list(const walk *w, const stmt_list *list, const binding *scope) {
    elab *L = w->elab;
    binding *lets = NULL; // those of this loop's body
    int let_count = 0;
    for (int i = 0; scope && i < list->count; i++)
        let_count += list->at[i]->kind == STMT_LET && !list->at[i]->function;
    if (let_count)
        lets = arena_array(L->arena, binding, let_count);
    for (int i = 0; i < list->count && !L->stopped; i++) {
        const stmt *s = list->at[i];
        L->sequence = s->sequence;
        L->use = (place){0};
        if (s->kind == STMT_FOR) {
            walk_loop(w, s, scope);
        } else if (s->kind == STMT_LET && scope && !s->function) {
            *lets = (binding){.next = scope, .name = s->items.at[0].name, .body = s->value, .scope = scope};
            scope = lets++;
        } else {
            w->act(L, s, scope);
        }
    }
}

// ---- names

static bool is_taken(const char *name) {
    return strcmp(name, "pi") == 0 || strcmp(name, "deg") == 0 || strcmp(name, "t") == 0;
}

static symbol *new_symbol(elab *L, symbol **table, symbol_kind kind, const item *it, const stmt *s) {
    const char *name = names_text(L->names, it->name);
    symbol *old = table[it->name];
    bool array = it->index || it->first;
    if (is_taken(name)) {
        elab_error(L, it->at, "the name '%s' is taken", name)->hint =
            "pi and deg are constants, t is the time; choose another name";
        return NULL;
    }
    bool family = array && it->first == NULL && kind != SYMBOL_COORD;
    if (old && !(family && old->array && old->kind == kind)) {
        elab_error(L, it->at, "'%s' is declared twice", name)->other = old->at;
        return NULL;
    }
    if (old)
        return old; // one more member of link[...]
    if (table == L->symbols && elab_is_result_name(name))
        diag_warning(L->diags, it->at, "'%s' now means this, not the built-in result", name);
    symbol *added = arena_alloc(L->arena, sizeof *added);
    *added = (symbol){.kind = kind, .name = it->name, .at = it->at, .sequence = s->sequence, .array = array, .id = -1};
    return table[it->name] = added;
}

static void declare_let(elab *L, const stmt *s, bool in_loop) {
    const item *it = &s->items.at[0];
    const char *name = names_text(L->names, it->name);
    if (s->function && elab_is_function(name)) {
        elab_error(L, it->at, "'%s' is a built-in function", name)->hint = "choose another name";
        return;
    }
    if (s->function && in_loop) {
        elab_error(L, it->at, "a function cannot be defined in a loop")->hint = "define it before the loop";
        return;
    }
    if (in_loop)
        return; // local to its loop
    symbol *added = new_symbol(L, s->function ? L->functions : L->symbols, SYMBOL_LET, it, s);
    if (added) {
        added->let = s;
        added->ready = true;
    }
}

static void declare_names(elab *L, const stmt_list *list, bool in_loop) {
    for (int i = 0; i < list->count; i++) {
        const stmt *s = list->at[i];
        symbol_kind kind = s->kind == STMT_PARAM    ? SYMBOL_PARAM
                           : s->kind == STMT_COORD  ? SYMBOL_COORD
                           : s->kind == STMT_QUASI  ? SYMBOL_QUASI
                           : s->kind == STMT_OUTPUT ? SYMBOL_OUTPUT
                           : s->kind == STMT_NOT_YET ? SYMBOL_NOT_YET
                                                     : SYMBOL_CONSTRAINT;
        bool declares = kind != SYMBOL_CONSTRAINT || s->kind == STMT_CONSTRAINT || s->kind == STMT_CONTROL;
        if (s->kind == STMT_FOR)
            declare_names(L, &s->body, true);
        else if (s->kind == STMT_LET)
            declare_let(L, s, in_loop);
        for (int k = 0; declares && k < s->items.count; k++) {
            const item *it = &s->items.at[k];
            if (in_loop && it->index == NULL && kind != SYMBOL_NOT_YET) {
                const char *name = names_text(L->names, it->name);
                elab_error(L, it->at, "in a loop the name '%s' needs an index", name)->hint =
                    arena_print(L->arena, "write %s[i]", name);
            }
            symbol *added = new_symbol(L, L->symbols, kind, it, s);
            if (added && kind == SYMBOL_OUTPUT) {
                added->body = added->array ? NULL : it->value;
                added->ready = true;
            }
        }
    }
}

// ---- first walk: declarations

// enters a member of a family such as m[3]; false if it is there already
static bool enter_cell(elab *L, const item *it, int index, int id) {
    uint64_t key = elab_cell(it->name, index);
    if (map_get(&L->cells, key) >= 0) {
        elab_error(L, it->at, "%s[%d] is declared twice", names_text(L->names, it->name), index);
        return false;
    }
    map_put(&L->cells, key, id);
    return true;
}

// the label of what an item declares; for x[i] the index is evaluated
static bool label_of(elab *L, const item *it, const binding *scope, label *out) {
    *out = (label){.name = it->name, .indexed = it->index != NULL};
    if (it->first) {
        elab_error(L, it->at, "a range cannot stand here")->hint = "use a loop: for i in 1..N: ...";
        return false;
    }
    return it->index == NULL || elab_whole(L, it->index, scope, "an index", &out->index);
}

static bool param_value(elab *L, const item *it, const binding *scope, double *number) {
    for (int i = 0; i < L->setting_count; i++)
        if (it->index == NULL && strcmp(L->settings[i].name, names_text(L->names, it->name)) == 0) {
            L->setting_used[i] = true;
            return L->setting_values[i] && elab_known(L, L->setting_values[i], NULL, "a parameter", number);
        }
    return it->value && elab_known(L, it->value, scope, "a parameter", number);
}

static void add_param(elab *L, const item *it, label l, double number) {
    symbol *s = L->symbols[it->name];
    int id = L->model->params.count;
    if (l.indexed && !enter_cell(L, it, l.index, id))
        return;
    model_param p = {l, number};
    vec_push(L->arena, L->model->params, p);
    s->ready = true;
    s->id = id;
}

static void act_param(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        symbol *entry = L->symbols[it->name];
        double number;
        if (entry == NULL || entry->kind != SYMBOL_PARAM || (!it->index && !it->first && entry->at.offset != it->at.offset))
            continue; // declared twice: told
        entry->sequence = s->sequence;
        if (!param_value(L, it, scope, &number))
            continue;
        if (it->first) { // m[1..N] = e: the same for all
            int low, high;
            if (!elab_whole(L, it->first, scope, "a bound", &low) ||
                !elab_whole(L, it->last, scope, "a bound", &high))
                continue;
            for (int k = low; k <= high && elab_spend(L, it->at, 1); k++)
                add_param(L, it, (label){.name = it->name, .index = k, .indexed = true}, number);
        } else {
            label l;
            if (label_of(L, it, scope, &l))
                add_param(L, it, l, number);
        }
        // `param a = 1, b = 2*a`: the next item may use this one
        entry->sequence = s->sequence - 1;
    }
    for (int i = 0; i < s->items.count; i++)
        if (L->symbols[s->items.at[i].name])
            L->symbols[s->items.at[i].name]->sequence = s->sequence - 1;
}

static void act_coord(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        symbol *entry = L->symbols[it->name];
        if (entry == NULL || entry->kind != SYMBOL_COORD || entry->at.offset != it->at.offset ||
            entry->at.source != it->at.source)
            continue;
        if (it->index) {
            elab_error(L, it->at, "the coordinates of an array are declared together")->hint =
                arena_print(L->arena, "write coord %s[1..N]", names_text(L->names, it->name));
            continue;
        }
        if (it->first && (!elab_whole(L, it->first, scope, "a bound", &entry->low) ||
                          !elab_whole(L, it->last, scope, "a bound", &entry->high)))
            continue;
        entry->first = L->model->coords.count;
        for (int k = entry->low; k <= entry->high && elab_spend(L, it->at, 1); k++) {
            label l = {.name = it->name, .index = k, .indexed = it->first != NULL};
            vec_push(L->arena, L->model->coords, l);
        }
        entry->ready = true;
    }
}

static const binding *kept_scope(elab *L, const binding *scope) {
    if (scope == NULL)
        return NULL;
    binding *copy = arena_alloc(L->arena, sizeof *copy);
    *copy = *scope;
    copy->next = kept_scope(L, scope->next);
    if (copy->body)
        copy->scope = copy->next;
    return copy;
}

static void act_quasi(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    int id = L->model->quasis.count;
    if (entry == NULL || entry->kind != SYMBOL_QUASI || !label_of(L, it, scope, &l))
        return;
    if (l.indexed ? !enter_cell(L, it, l.index, id) : entry->id >= 0)
        return;
    quasi_body body = {.body = it->value, .scope = kept_scope(L, scope), .sequence = s->sequence};
    vec_push(L->arena, L->model->quasis, l);
    vec_push(L->arena, L->quasi_bodies, body);
    entry->id = id;
    entry->ready = true;
}

static void act_declaration(elab *L, const stmt *s, const binding *scope) {
    if (s->kind == STMT_PARAM)
        act_param(L, s, scope);
    else if (s->kind == STMT_COORD)
        act_coord(L, s, scope);
    else if (s->kind == STMT_QUASI)
        act_quasi(L, s, scope);
}

static bool is_declaration(const stmt *s) {
    return s->kind == STMT_PARAM || s->kind == STMT_COORD || s->kind == STMT_QUASI;
}

// ---- second walk: the system

enum {
    WITH_TIME = 1u << SYM_TIME,
    WITH_P = WITH_TIME | 1u << SYM_P,
    WITH_V = WITH_P | 1u << SYM_V,
    WITH_A = WITH_V | 1u << SYM_A,
    WITH_RESULTS = WITH_A | 1u << SYM_RESULT
};

/* A sum of terms taken apart: each term is an element, times the factors that stood before a bracket or sum. */
typedef struct factor {
    const struct factor *next;
    const node *node;
    const binding *scope;
    op_code op; // OP_MUL, OP_DIV, or OP_NEG
} factor;

static bool times_factors(elab *L, const factor *f, scalar *s) {
    for (; f; f = f->next) {
        scalar args[2];
        int other = f->op == OP_MUL ? 0 : 1; // a factor stands on the left, a divisor on the right
        args[1 - other] = *s;
        if (f->op != OP_NEG && !elab_number(L, f->node, f->scope, &args[other]))
            return false;
        *s = elab_op(L, f->op, args);
    }
    return true;
}

static void add_term(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors) {
    elab_begin(L);
    scalar s;
    if (!elab_number(L, n, scope, &s) || !times_factors(L, factors, &s))
        return;
    expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
    elab_finish(L, kind, n->at, parts, NULL, 0);
}

static void add_terms(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors);

static void add_repeated(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors) {
    int low, high;
    if (!elab_whole(L, n->a, scope, "a bound", &low) || !elab_whole(L, n->b, scope, "a bound", &high))
        return;
    binding variable = {.next = scope, .name = n->name, .loop = true};
    int errors = L->diags->errors;
    for (long long i = low; i <= high && elab_spend(L, n->at, 1) && L->diags->errors == errors; i++) {
        variable.value = elab_scalar((scalar){.number = (double)i, .known = true, .varies = true});
        add_terms(L, kind, n->c, &variable, factors);
    }
}

static symbol *let_of(elab *L, const node *n, const binding *scope) {
    for (; scope; scope = scope->next)
        if (scope->name == n->name)
            return NULL;
    symbol *s = n->kind == NODE_NAME ? L->symbols[n->name] : NULL;
    return s && s->kind == SYMBOL_LET && s->sequence < L->sequence && s->let->value->has_sum ? s : NULL;
}

static bool splits(elab *L, const node *n, const binding *scope) {
    return n->has_sum || (n->kind == NODE_NAME && let_of(L, n, scope));
}

static void add_terms(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors) {
    while (n->kind == NODE_BINARY && (n->op == OP_ADD || n->op == OP_SUB)) { // the last term first
        factor minus = {.next = factors, .op = OP_NEG};
        add_terms(L, kind, n->b, scope, n->op == OP_SUB ? &minus : factors);
        n = n->a;
    }
    if (n->kind == NODE_SUM) {
        add_repeated(L, kind, n, scope, factors);
    } else if (n->kind == NODE_UNARY && n->op == OP_NEG) {
        factor minus = {.next = factors, .op = OP_NEG};
        add_terms(L, kind, n->a, scope, &minus);
    } else if (n->kind == NODE_BINARY && (n->op == OP_MUL || n->op == OP_DIV) && splits(L, n->a, scope)) {
        factor f = {factors, n->b, scope, n->op};
        add_terms(L, kind, n->a, scope, &f);
    } else if (n->kind == NODE_BINARY && n->op == OP_MUL && splits(L, n->b, scope)) {
        factor f = {factors, n->a, scope, OP_MUL};
        add_terms(L, kind, n->b, scope, &f);
    } else if (n->kind == NODE_NAME && let_of(L, n, scope)) {
        int sequence = L->sequence;
        symbol *s = let_of(L, n, scope);
        L->sequence = s->sequence;
        add_terms(L, kind, s->let->value, NULL, factors);
        L->sequence = sequence;
    } else {
        add_term(L, kind, n, scope, factors);
    }
}

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
        add_terms(L, forms[which].kind, s->value, scope, NULL);
}

static void act_on_coordinate(elab *L, const stmt *s, const binding *scope) {
    static const struct {
        stmt_kind statement;
        shape_kind kind;
        allowance allowed;
        const char *word;
    } forms[] = {
        {STMT_MASS, SHAPE_MASS, {WITH_P, false, "an entry of the mass matrix"}, "mass"},
        {STMT_FORCE, SHAPE_FORCE, {WITH_V, false, "a force"}, "force"},
        {STMT_NONIDEAL, SHAPE_NONIDEAL, {WITH_V | 1u << SYM_RESULT, true, "a non-ideal force"}, "nonideal"},
    };
    int which = 0, targets[2] = {0}, count = s->items.count;
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
    elab_finish(L, pair ? SHAPE_MASS_PAIR : forms[which].kind, s->value->at, parts, NULL, 0);
}

// the expression of an option such as damping, over the slots of the row at hand
static bool option(elab *L, const node *n, const binding *scope, const char *where, expr *out) {
    allowance old = L->allowed;
    scalar s;
    if (n == NULL)
        return true;
    L->allowed = (allowance){WITH_P, false, where};
    bool ok = elab_number(L, n, scope, &s);
    L->allowed = old;
    if (ok)
        *out = elab_expr(L, s);
    return ok;
}

static bool row_parts(elab *L, const stmt *s, const binding *scope, expr *parts) {
    return option(L, s->damping, scope, "a damping", &parts[PART_DAMPING]) &&
           option(L, s->stiffness, scope, "a stiffness", &parts[PART_STIFFNESS]) &&
           option(L, s->weight, scope, "a weight", &parts[PART_WEIGHT]);
}

static int new_constraint(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    int id = L->model->constraints.count;
    if (entry == NULL || entry->kind != SYMBOL_CONSTRAINT || !label_of(L, it, scope, &l))
        return -1;
    if (l.indexed ? !enter_cell(L, it, l.index, id) : entry->id >= 0)
        return -1;
    model_constraint c = {
        .label = l, .first_row = L->model->rows.count, .control = s->kind == STMT_CONTROL, .at = it->at};
    vec_push(L->arena, L->model->constraints, c);
    entry->id = id;
    entry->ready = true;
    return id;
}

// both sides of an equation in one element; a scalar 0 goes with a tuple
static bool equation(elab *L, const stmt *s, const binding *scope, value *difference) {
    elab_begin(L);
    value a = elab_eval(L, s->lhs, scope), b = elab_eval(L, s->rhs, scope);
    if (a.size == 0 || b.size == 0)
        return false;
    if (a.condition || b.condition) {
        elab_error(L, s->lhs->at, "a constraint equates numbers, not conditions");
        return false;
    }
    if (a.size != b.size) {
        elab_error(L, s->lhs->at, "the two sides of this constraint have %d and %d numbers", a.size, b.size);
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
        int row = L->model->rows.count;
        if (size > 1 && !equation(L, s, scope, &difference))
            return;
        expr parts[SHAPE_PARTS] = {elab_expr(L, difference.at[i])};
        if (size > 1)
            parts[PART_VALUE] = elab_only(L, parts[PART_VALUE]);
        if (!row_parts(L, s, scope, parts))
            return;
        model_row r = {.constraint = id, .part = size == 1 ? 0 : size == 4 ? "wxyz"[i] : "xyz"[i]};
        vec_push(L->arena, L->model->rows, r);
        L->model->constraints.at[id].row_count++;
        elab_finish(L, SHAPE_ROW, s->items.at[0].at, parts, &row, 1);
    }
}

static void set_initial(elab *L, const item *it, model_initial *to, double number) {
    if (to->kind != INITIAL_NONE) {
        elab_error(L, it->at, "this initial value is given twice")->other = to->at;
        return;
    }
    *to = (model_initial){it->guess ? INITIAL_GUESS : INITIAL_EXACT, number, it->at};
}

static bool quasi_target(elab *L, const item *it, const binding *scope, int *id) {
    symbol *s = L->symbols[it->name];
    int index;
    *id = s->id;
    if (it->index == NULL)
        return s->ready && !s->array;
    if (!elab_whole(L, it->index, scope, "an index", &index))
        return false;
    *id = map_get(&L->cells, elab_cell(it->name, index));
    if (*id < 0)
        elab_error(L, it->at, "there is no %s[%d]%s", names_text(L->names, it->name), index,
                   elab_variables(L, scope));
    return *id >= 0;
}

static void act_initial(elab *L, const stmt *s, const binding *scope) {
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        symbol *entry = L->symbols[it->name];
        double number;
        int id;
        if (it->primes > (entry && entry->kind == SYMBOL_QUASI ? 0 : 1)) {
            elab_error(L, it->at, "only positions, velocities and quasi-velocities have initial values")->hint =
                "accelerations follow from the equations of motion";
            continue;
        }
        bool is_quasi = entry && entry->kind == SYMBOL_QUASI;
        if (is_quasi ? !quasi_target(L, it, scope, &id) : !elab_target(L, it, scope, "initial", &id))
            continue;
        if (it->value && elab_known(L, it->value, scope, "an initial value", &number))
            set_initial(L, it,
                        is_quasi     ? &L->model->quasi.at[id]
                        : it->primes ? &L->model->velocity.at[id]
                                     : &L->model->position.at[id],
                        number);
    }
}

static void simulate_number(elab *L, const node *n, const char *what, double least, double *out) {
    if (n == NULL || !elab_known(L, n, NULL, what, out))
        return;
    if (*out <= least)
        elab_error(L, n->at, "%s must be larger than 0", what);
}

static void act_simulate(elab *L, const stmt *s) {
    model_simulate *to = &L->model->simulate;
    if (to->given) {
        elab_error(L, s->at, "a model has one simulate statement, this is the second");
        return;
    }
    to->given = true;
    simulate_number(L, s->from, "the start time", -INFINITY, &to->from);
    simulate_number(L, s->until, "the end time", -INFINITY, &to->until);
    simulate_number(L, s->every, "the sampling interval", 0, &to->every);
    simulate_number(L, s->tolerance, "the tolerance", 0, &to->tolerance);
    if (to->until < to->from)
        elab_error(L, s->until->at, "the end time lies before the start");
}

static void act_title(elab *L, const stmt *s) {
    if (L->model->title)
        elab_error(L, s->at, "a model has one title, this is the second");
    L->model->title = arena_copy(L->arena, s->extent.source->text + s->extent.offset + 1, (size_t)s->extent.length - 2);
}

static void act_system(elab *L, const stmt *s, const binding *scope) {
    switch (s->kind) {
    case STMT_KINETIC:
    case STMT_POTENTIAL:
    case STMT_DISSIPATION:
        act_energy(L, s, scope);
        break;
    case STMT_MASS:
    case STMT_FORCE:
        act_on_coordinate(L, s, scope);
        break;
    case STMT_CONSTRAINT:
    case STMT_CONTROL:
        act_constraint(L, s, scope);
        break;
    case STMT_INITIAL:
        act_initial(L, s, scope);
        break;
    case STMT_SIMULATE:
        act_simulate(L, s);
        break;
    case STMT_TITLE:
        act_title(L, s);
        break;
    default:
        break;
    }
}

static bool is_system(const stmt *s) {
    return s->kind == STMT_KINETIC || s->kind == STMT_POTENTIAL || s->kind == STMT_DISSIPATION ||
           s->kind == STMT_MASS || s->kind == STMT_FORCE || s->kind == STMT_CONSTRAINT ||
           s->kind == STMT_CONTROL || s->kind == STMT_INITIAL || s->kind == STMT_SIMULATE || s->kind == STMT_TITLE;
}

// ---- third walk: what looks at the solution

static void act_output(elab *L, const stmt *s, const binding *scope) {
    const item *it = &s->items.at[0];
    symbol *entry = L->symbols[it->name];
    label l;
    if (entry == NULL || entry->kind != SYMBOL_OUTPUT || !label_of(L, it, scope, &l) || it->value == NULL)
        return;
    int id = L->model->outputs.count;
    if (l.indexed ? !enter_cell(L, it, l.index, id) : entry->id >= 0)
        return;
    entry->id = id;
    elab_begin(L);
    value v = elab_eval(L, it->value, scope);
    if (v.condition) {
        elab_error(L, it->value->at, "an output is a number, not a condition")->hint = "write if(c, 1, 0)";
        return;
    }
    builder all = L->builder;
    for (int i = 0; i < v.size; i++) {
        int target = L->model->outputs.count;
        expr parts[SHAPE_PARTS] = {elab_expr(L, v.at[i])};
        if (v.size > 1)
            parts[PART_VALUE] = elab_only(L, parts[PART_VALUE]);
        l.part = v.size == 1 ? 0 : v.size == 4 ? "wxyz"[i] : "xyz"[i];
        vec_push(L->arena, L->model->outputs, l);
        elab_finish(L, SHAPE_OUTPUT, it->at, parts, &target, 1);
        L->builder = all;
        elab_remark(L);
    }
}

// by how much a single comparison holds; EXPR_NONE for other conditions
static expr margin_of(elab *L, const node *n, const binding *scope) {
    if (n->kind != NODE_BINARY || (n->op != OP_LT && n->op != OP_LE))
        return EXPR_NONE;
    scalar side[2];
    if (!elab_number(L, n->b, scope, &side[0]) || !elab_number(L, n->a, scope, &side[1]))
        return EXPR_NONE;
    return elab_expr(L, elab_op(L, OP_SUB, side));
}

static int expectation(elab *L, const stmt *s) {
    model *m = L->model;
    for (int i = m->expects.count - 1; i >= 0; i--) // iterations of a loop are one claim
        if (m->expects.at[i].at.source == s->at.source && m->expects.at[i].at.offset == s->at.offset)
            return i;
    model_expect e = {.text = arena_copy(L->arena, s->extent.source->text + s->extent.offset, (size_t)s->extent.length),
                      .always = s->always,
                      .at = s->at};
    vec_push(L->arena, m->expects, e);
    return m->expects.count - 1;
}

static void act_expect(elab *L, const stmt *s, const binding *scope) {
    elab_begin(L);
    value v = elab_eval(L, s->value, scope);
    if (v.size && !v.condition) {
        elab_error(L, s->value->at, "expected a condition such as abs(x) < 1");
        return;
    }
    if (v.size == 0)
        return;
    int target = expectation(L, s);
    expr parts[SHAPE_PARTS] = {elab_expr(L, v.at[0])};
    parts[PART_MARGIN] = margin_of(L, s->value, scope);
    elab_finish(L, SHAPE_EXPECT, s->at, parts, &target, 1);
}

// plots and drawings are read and checked here, and made by other commands
static void act_plot(elab *L, const stmt *s, const binding *scope) {
    scalar ignored;
    elab_begin(L);
    for (int i = 0; i < s->list.count; i++)
        if (s->list.at[i])
            elab_number(L, s->list.at[i], scope, &ignored);
    if (s->value)
        elab_number(L, s->value, scope, &ignored);
}

static bool is_point(elab *L, const node *n, const binding *scope, const char *what) {
    value v = elab_eval(L, n, scope);
    if (v.size == 0 || (v.size > 1 && v.size < 4))
        return v.size > 0;
    elab_error(L, n->at, "%s is a pair or a triple", what);
    return false;
}

static void act_draw(elab *L, const stmt *s, const binding *scope) {
    const char *kind = names_text(L->names, s->name);
    scalar ignored;
    elab_begin(L);
    if (strcmp(kind, "box") == 0) {
        elab_error(L, s->extent, "'draw box' is not yet part of this version")->hint = "it draws a body";
        return;
    }
    if (!is_point(L, s->list.at[0], scope, "a point") || s->list.count < 2)
        return;
    if (strcmp(kind, "circle") == 0)
        elab_number(L, s->list.at[1], scope, &ignored);
    else
        is_point(L, s->list.at[1], scope, strcmp(kind, "line") == 0 ? "a point" : "a vector");
}

static void act_view(elab *L, const stmt *s, const binding *scope) {
    L->allowed = (allowance){WITH_RESULTS, false, "an output"};
    if (s->kind == STMT_NONIDEAL)
        act_on_coordinate(L, s, scope);
    else if (s->kind == STMT_OUTPUT)
        act_output(L, s, scope);
    else if (s->kind == STMT_EXPECT)
        act_expect(L, s, scope);
    else if (s->kind == STMT_PLOT)
        act_plot(L, s, scope);
    else if (s->kind == STMT_DRAW)
        act_draw(L, s, scope);
}

static bool is_view(const stmt *s) {
    return s->kind == STMT_NONIDEAL || s->kind == STMT_OUTPUT || s->kind == STMT_EXPECT || s->kind == STMT_PLOT ||
           s->kind == STMT_DRAW;
}

// ---- all of it

// each quasi-velocity's definition as an element
static void quasi_elements(elab *L) {
    L->allowed = (allowance){WITH_V, false, "a quasi-velocity"};
    for (int i = 0; i < L->quasi_bodies.count; i++) {
        quasi_body *q = &L->quasi_bodies.at[i];
        scalar s;
        elab_begin(L);
        L->sequence = q->sequence;
        q->busy = true;
        bool ok = elab_number(L, q->body, q->scope, &s);
        L->quasi_bodies.at[i].busy = false;
        if (!ok)
            continue;
        expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
        elab_finish(L, SHAPE_QUASI, q->body->at, parts, &i, 1);
    }
}

static void prepare_tables(elab *L) {
    model *m = L->model;
    int n = m->coords.count;
    L->slot_of = arena_array(L->arena, int, n + 1);
    L->slot_epoch = arena_array(L->arena, long, n + 1);
    vec_reserve(L->arena, m->position, n);
    vec_reserve(L->arena, m->velocity, n);
    vec_reserve(L->arena, m->quasi, m->quasis.count);
    m->position.count = m->velocity.count = n;
    m->quasi.count = m->quasis.count;
}

static void check_settings(elab *L) {
    for (int i = 0; i < L->setting_count; i++) {
        if (L->setting_used[i])
            continue;
        diag *d = diag_error(L->diags, (place){0}, "--set %s=%s: the model has no parameter '%s'", L->settings[i].name,
                             L->settings[i].value, L->settings[i].name);
        name_guess best = {0};
        for (int k = 0; k < L->model->params.count; k++)
            names_offer(&best, L->settings[i].name, names_text(L->names, L->model->params.at[k].label.name));
        if (best.text)
            d->hint = arena_print(L->arena, "did you mean '%s'?", best.text);
    }
}

static void parse_settings(elab *L) {
    L->setting_values = arena_array(L->arena, node *, L->setting_count + 1);
    L->setting_used = arena_array(L->arena, bool, L->setting_count + 1);
    for (int i = 0; i < L->setting_count; i++) {
        source *s = arena_alloc(L->arena, sizeof *s);
        *s = (source){arena_print(L->arena, "--set %s", L->settings[i].name), L->settings[i].value,
                      (int)strlen(L->settings[i].value)};
        L->setting_values[i] = parse_expression(L->arena, L->names, L->diags, s);
    }
}

static void elaborate(elab *L, const stmt_list *list) {
    L->symbols = arena_array(L->arena, symbol *, names_count(L->names) + 1);
    L->functions = arena_array(L->arena, symbol *, names_count(L->names) + 1);
    declare_names(L, list, false);
    walk declarations = {L, act_declaration, is_declaration};
    walk_list(&declarations, list, NULL);
    prepare_tables(L);
    check_settings(L);
    L->depth = 0;
    quasi_elements(L);
    walk system = {L, act_system, is_system};
    walk_list(&system, list, NULL);
    walk view = {L, act_view, is_view};
    walk_list(&view, list, NULL);
    if (L->model->coords.count == 0 && L->diags->errors == 0)
        diag_error(L->diags, (place){0}, "the model has no coordinates")->hint = "declare some: coord x, y";
}

model *model_read(arena *a, const source *file, const model_setting *settings, int setting_count) {
    model *m = arena_alloc(a, sizeof *m);
    m->arena = a;
    m->names = names_new(a);
    m->diags.arena = a;
    m->pool = expr_pool_new(a);
    elab L = {.model = m,
              .arena = a,
              .names = m->names,
              .diags = &m->diags,
              .pool = m->pool,
              .settings = settings,
              .setting_count = setting_count};
    map_init(&L.cells, a);
    map_init(&L.shapes, a);
    map_init(&L.results, a);
    stmt_list list = {0};
    parse_model(a, m->names, &m->diags, file, &list);
    parse_settings(&L);
    elaborate(&L, &list);
    return m;
}

// ---- names for people

void model_label(const model *m, label l, text *out) {
    text_add(out, names_text(m->names, l.name));
    if (l.indexed)
        text_print(out, "[%d]", l.index);
    if (l.part)
        text_print(out, ".%c", l.part);
}

void model_row_name(const model *m, int row, text *out) {
    label l = m->constraints.at[m->rows.at[row].constraint].label;
    l.part = m->rows.at[row].part;
    model_label(m, l, out);
}

const char *model_coord_name(const model *m, int coord, arena *a) {
    text t;
    text_init(&t, a);
    model_label(m, m->coords.at[coord], &t);
    return text_string(&t);
}
