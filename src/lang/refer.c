/* What a name refers to: loop variables, parameters, coordinates, quasi-velocities, lets, constants, results.
 */
#include "lang/elab.h"

#include <string.h>

static void offer_names(elab *L, const binding *scope, const char *wrong, name_guess *best) {
    if (L->diags->errors > DIAG_MOST)
        return; // nobody will see it
    for (; scope; scope = scope->next)
        names_offer(best, wrong, names_text(L->names, scope->name));
    for (int i = 0; i < names_count(L->names); i++)
        if (L->symbols[i] && L->symbols[i]->kind != SYMBOL_WRONG)
            names_offer(best, wrong, names_text(L->names, i));
}

bool elab_suggest(elab *L, diag *d, name_guess best) {
    if (best.text)
        d->hint = arena_print(L->arena, "did you mean '%s'?", best.text);
    return best.text != NULL;
}

void elab_told(elab *L, int name, place at) {
    symbol *s = arena_alloc(L->arena, sizeof *s);
    *s = (symbol){.kind = SYMBOL_WRONG, .name = name, .at = at, .id = -1};
    L->symbols[name] = s;
}

static value unknown_name(elab *L, int id, place at, const binding *scope) {
    const char *name = names_text(L->names, id);
    diag *d = elab_error(L, at, "unknown name '%s'", name);
    name_guess best = {0};
    offer_names(L, scope, name, &best);
    if (L->local && L->local[id].source)
        diag_other(d, L->local[id], "it is known only in this loop");
    else if ((L->functions[id] && L->functions[id]->kind == SYMBOL_LET) || elab_is_function(name))
        d->hint = arena_print(L->arena, "'%s' is a function: write %s(...)", name, name);
    else if (!elab_suggest(L, d, best))
        d->hint = L->option ? "numbers and the model's parameters can stand here"
                            : "declare it with param, coord or let";
    elab_told(L, id, at);
    return elab_wrong();
}

static bool before(elab *L, const symbol *s, place at) {
    const char *name = names_text(L->names, s->name);
    if (s->sequence < L->sequence)
        return true;
    if (s->sequence == L->sequence && s->kind == SYMBOL_LET)
        elab_error(L, at, "'%s' is defined by itself", name);
    else
        diag_other(elab_error(L, at, "'%s' is used before it is defined", name), s->at, "it is defined here");
    return false;
}

value elab_elsewhere(elab *L, const node *body, const binding *scope, int sequence, place use) {
    int old_sequence = L->sequence;
    place old_use = L->use;
    L->sequence = sequence;
    if (L->use.source == NULL)
        L->use = use;
    value v = elab_eval(L, body, scope);
    L->sequence = old_sequence;
    L->use = old_use;
    return v;
}

static value eval_let(elab *L, symbol *s, place use) {
    if (s->epoch != L->builder.epoch) {
        const node *body = s->kind == SYMBOL_OUTPUT ? s->body : s->let->value;
        s->memo = elab_elsewhere(L, body, NULL, s->sequence, use);
        s->epoch = L->builder.epoch;
    }
    return s->memo;
}

value elab_coordinate_value(elab *L, int id) {
    return elab_scalar((scalar){.e = expr_symbol(L->pool, SYM_P, elab_slot(L, id))});
}

// a parameter with an index differs from instance to instance, like the index itself
static value parameter(elab *L, int id) {
    const model_param *p = &L->model->params.at[id];
    scalar s = {.number = p->value, .step = p->step, .known = true, .varies = p->label.indexed};
    elab_note_use(L, id);
    if (!p->label.indexed)
        s.e = expr_symbol(L->pool, SYM_PARAM, id);
    return elab_scalar(s);
}

static value quasi(elab *L, int id, place use) {
    quasi_body *q = &L->quasi_bodies.at[id];
    if (q->busy)
        elab_error(L, use, "this quasi-velocity is defined by itself")->hint =
            "a quasi-velocity is made of velocities, as in quasi s = x' + y'";
    if (q->busy || q->wrong)
        return elab_wrong();
    q->busy = true;
    value v = elab_elsewhere(L, q->body, q->scope, q->sequence, use);
    L->quasi_bodies.at[id].busy = false;
    L->quasi_bodies.at[id].wrong = v.size == 0;
    return v;
}

static void wrong_index(elab *L, const symbol *s, place at) {
    const char *name = names_text(L->names, s->name);
    diag *d = elab_error(L, at, s->array ? "'%s' needs an index" : "'%s' has no index", name);
    if (s->array)
        d->hint = arena_print(L->arena, "write %s[i]", name);
    else
        diag_other(d, s->at, "it is declared here");
}

// x[i] where the index is in `index`: the number of the coordinate, parameter, quasi-velocity
static bool indexed(elab *L, const symbol *s, place at, int index, const binding *scope, int *id) {
    const char *name = names_text(L->names, s->name);
    if (s->kind == SYMBOL_COORD && s->ready) {
        if (index >= s->low && index <= s->high) {
            *id = s->first + index - s->low;
            return true;
        }
        elab_error(L, at, "%s[%d] is outside %s[%d..%d]%s", name, index, name, s->low, s->high,
                   elab_variables(L, scope));
        return false;
    }
    *id = map_get(&L->cells, elab_cell(s->name, index));
    if (*id < 0 && !s->torn)
        elab_error(L, at, "there is no %s[%d]%s", name, index, elab_variables(L, scope));
    return *id >= 0;
}

// a symbol, with the node of its index where it has one
static value eval_symbol(elab *L, symbol *s, place at, const node *index, const binding *scope) {
    const char *name = names_text(L->names, s->name);
    if (s->kind == SYMBOL_WRONG)
        return elab_wrong();
    if (s->kind == SYMBOL_CONSTRAINT) {
        elab_error(L, at, "'%s' is a constraint, not a number", name)->hint =
            arena_print(L->arena, "write residual(%s), multiplier(%s) or reaction(x, %s)", name, name, name);
        return elab_wrong();
    }
    if (s->array != (index != NULL)) {
        wrong_index(L, s, at);
        return elab_wrong();
    }
    bool ordered = s->kind == SYMBOL_LET || (s->kind == SYMBOL_PARAM && !s->array); // c[i] may use c[i-1]
    if (ordered && !before(L, s, at))
        return elab_wrong();
    int number = 0, id = s->kind == SYMBOL_COORD ? s->first : s->id;
    if (index && !elab_whole(L, index, scope, "an index", &number))
        return elab_wrong();
    if (index && !indexed(L, s, at, number, scope, &id))
        return elab_wrong();
    if (!(L->allowed.kinds & 1u << SYM_P) &&
        (s->kind == SYMBOL_COORD || s->kind == SYMBOL_QUASI || s->kind == SYMBOL_PART)) {
        elab_error(L, at, "'%s' changes with time, so it cannot stand in %s", name, L->allowed.where)->hint =
            "only numbers and parameters are known when the model is read";
        return elab_wrong();
    }
    bool numbered = s->kind == SYMBOL_PARAM || s->kind == SYMBOL_QUASI || s->kind == SYMBOL_PART;
    value of_part;
    if (!s->ready || (numbered && id < 0))
        return elab_wrong(); // its own declaration is wrong
    switch (s->kind) {
    case SYMBOL_PARAM:
        return parameter(L, id);
    case SYMBOL_COORD:
        return elab_coordinate_value(L, id);
    case SYMBOL_QUASI:
        return quasi(L, id, at);
    case SYMBOL_PART:
        return L->extension->value(L, id, at, &of_part) ? of_part : elab_wrong();
    default:
        if (s->kind == SYMBOL_OUTPUT && (s->body == NULL || !before(L, s, at)))
            return elab_wrong();
        return eval_let(L, s, at);
    }
}

value elab_refer(elab *L, const node *n, const binding *scope) {
    const node *index = n->kind == NODE_INDEX ? n->b : NULL;
    int id = index ? n->a->name : n->name;
    const char *name = names_text(L->names, id);
    for (const binding *b = scope; b; b = b->next) {
        if (b->name != id)
            continue;
        if (index)
            elab_error(L, n->at, "'%s' has no index", name);
        else if (b->body)
            return elab_elsewhere(L, b->body, b->scope, L->sequence, n->at);
        return index ? elab_wrong() : b->value;
    }
    if (L->symbols[id])
        return eval_symbol(L, L->symbols[id], n->at, index, scope);
    value out = elab_wrong();
    bool found = true;
    if (strcmp(name, "pi") == 0)
        out = elab_scalar(elab_constant(L, 3.14159265358979323846));
    else if (strcmp(name, "deg") == 0)
        out = elab_scalar(elab_constant(L, 3.14159265358979323846 / 180));
    else if (strcmp(name, "t") == 0)
        out = elab_scalar((scalar){.e = expr_symbol(L->pool, SYM_TIME, 0)});
    else if (!elab_builtin_result(L, index ? n->a : n, &out))
        found = false;
    if (!found)
        return unknown_name(L, id, n->at, scope);
    if (index) {
        elab_error(L, n->at, "'%s' has no index", name);
        return elab_wrong();
    }
    return out;
}

static void no_coordinate(elab *L, int name, place at) {
    static const char *const kinds[] = {
        [SYMBOL_PARAM] = "a parameter",  [SYMBOL_QUASI] = "a quasi-velocity",
        [SYMBOL_LET] = "defined by let", [SYMBOL_CONSTRAINT] = "a constraint",
        [SYMBOL_OUTPUT] = "an output",   [SYMBOL_PART] = "a part with coordinates",
    };
    const char *word = names_text(L->names, name);
    const symbol *s = L->symbols[name];
    if (s) {
        const elab_part *p = s->kind == SYMBOL_PART && s->id >= 0 ? &L->parts.at[s->id] : NULL;
        bool bare = p && p->count == 0; // a joint or spring
        diag *d = elab_error(L, at, "'%s' is %s%s, not a coordinate", word, bare ? "a " : kinds[s->kind],
                             bare ? p->word : "");
        diag_other(d, s->at, "it is declared here");
        if (bare && p->word[0] == 'j')
            d->hint =
                arena_print(L->arena, "of a joint there are angle(%s) and displacement(%s)", word, word);
        else if (s->kind == SYMBOL_PART && !bare)
            d->hint = arena_print(L->arena, "write one of them, as in %s%s.x", word, s->array ? "[i]" : "");
        return;
    }
    diag *d = elab_error(L, at, "'%s' is no coordinate", word);
    name_guess best = {0};
    for (int i = 0; i < names_count(L->names); i++)
        if (L->symbols[i] && (L->symbols[i]->kind == SYMBOL_COORD || L->symbols[i]->kind == SYMBOL_PART))
            names_offer(&best, word, names_text(L->names, i));
    if (!elab_suggest(L, d, best))
        d->hint = arena_print(L->arena, "declare it: coord %s", word);
    elab_told(L, name, at);
}

static bool coordinate_of(elab *L, int name, place at, const node *index, const binding *scope, int *id) {
    symbol *s = L->symbols[name];
    if (s && s->kind == SYMBOL_WRONG)
        return false;
    if (s == NULL || s->kind != SYMBOL_COORD) {
        no_coordinate(L, name, at);
        return false;
    }
    if (s->array != (index != NULL)) {
        wrong_index(L, s, at);
        return false;
    }
    if (!s->ready)
        return false;
    int number;
    *id = s->first;
    return index == NULL ||
           (elab_whole(L, index, scope, "an index", &number) && indexed(L, s, at, number, scope, id));
}

// ---- parts

int elab_part_coordinate(const elab *L, int part, const char *name) {
    const elab_part *p = &L->parts.at[part];
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->names[i], name) == 0)
            return p->first + i;
    return -1;
}

static int name_of(const node *n) {
    return n->kind == NODE_NAME                               ? n->name
           : n->kind == NODE_INDEX && n->a->kind == NODE_NAME ? n->a->name
                                                              : -1;
}

bool elab_names_part(elab *L, const node *n, const binding *scope) {
    int name = name_of(n);
    for (; name >= 0 && scope; scope = scope->next)
        if (scope->name == name)
            return false;
    return name >= 0 && L->symbols[name] && L->symbols[name]->kind == SYMBOL_PART;
}

static bool no_part(elab *L, const node *n, const char *what) {
    int name = name_of(n);
    const symbol *s = name >= 0 ? L->symbols[name] : NULL;
    if (s && s->kind == SYMBOL_WRONG)
        return false;
    diag *d = name < 0
                  ? elab_error(L, n->whole, "expected %s", what)
                  : elab_error(L, n->at, "expected %s, and '%s' is none", what, names_text(L->names, name));
    name_guess best = {0};
    for (int i = 0; name >= 0 && i < names_count(L->names); i++)
        if (L->symbols[i] && L->symbols[i]->kind == SYMBOL_PART)
            names_offer(&best, names_text(L->names, name), names_text(L->names, i));
    if (s)
        diag_other(d, s->at, "it is declared here");
    else if (name >= 0) {
        if (!elab_suggest(L, d, best))
            d->hint = "nothing of that name is declared";
        elab_told(L, name, n->at);
    }
    return false;
}

// the number of s, or of its member s[i]
static bool member(elab *L, const symbol *s, const node *n, const binding *scope, int *id) {
    int number;
    if (s->array != (n->kind == NODE_INDEX)) {
        wrong_index(L, s, n->at);
        return false;
    }
    *id = s->id;
    return n->kind == NODE_NAME
               ? s->id >= 0
               : elab_whole(L, n->b, scope, "an index", &number) && indexed(L, s, n->at, number, scope, id);
}

bool elab_find_part(elab *L, const node *n, const binding *scope, const char *what, int *part) {
    return elab_names_part(L, n, scope) ? member(L, L->symbols[name_of(n)], n, scope, part)
                                        : no_part(L, n, what);
}

bool elab_names_quasi(elab *L, const node *n) {
    const symbol *s = name_of(n) >= 0 ? L->symbols[name_of(n)] : NULL;
    return s && s->kind == SYMBOL_QUASI;
}

bool elab_find_quasi(elab *L, const node *n, const binding *scope, int *id) {
    return member(L, L->symbols[name_of(n)], n, scope, id);
}

// B.x as the name of a coordinate
static bool coordinate_of_part(elab *L, const node *n, const binding *scope, place at, const char *name,
                               int *id) {
    int part;
    if (!elab_find_part(L, n, scope, "a particle or body", &part))
        return false;
    *id = elab_part_coordinate(L, part, name);
    if (*id < 0)
        elab_error(L, at, "this %s has no coordinate '.%s'", L->parts.at[part].word, name);
    return *id >= 0;
}

bool elab_coordinate(elab *L, const node *n, const binding *scope, int *id) {
    if (n->kind == NODE_NAME)
        return coordinate_of(L, n->name, n->at, NULL, scope, id);
    if (n->kind == NODE_INDEX && n->a->kind == NODE_NAME)
        return coordinate_of(L, n->a->name, n->at, n->b, scope, id);
    if (n->kind == NODE_PART && elab_names_part(L, n->a, scope))
        return coordinate_of_part(L, n->a, scope, n->at, names_text(L->names, n->name), id);
    if (n->kind == NODE_PART && name_of(n->a) >= 0 && L->symbols[name_of(n->a)] &&
        L->symbols[name_of(n->a)]->kind == SYMBOL_WRONG)
        return false;
    elab_error(L, n->whole, "expected the name of a coordinate");
    return false;
}

bool elab_target(elab *L, const item *it, const binding *scope, const char *what, int *id) {
    if (it->first) {
        elab_error(L, it->at, "%s takes one coordinate, not a range", what)->hint =
            "use a loop: for i in 1..N: ...";
        return false;
    }
    const symbol *s = L->symbols[it->name];
    if (it->part.source && s && s->kind == SYMBOL_PART) {
        node name = {.kind = NODE_NAME, .name = it->name, .at = it->at, .whole = it->at};
        node index = {.kind = NODE_INDEX, .a = &name, .b = it->index, .at = it->at, .whole = it->at};
        const char *part =
            arena_copy(L->arena, it->part.source->text + it->part.offset, (size_t)it->part.length);
        return coordinate_of_part(L, it->index ? &index : &name, scope, it->part, part, id);
    }
    if (it->part.source && !(s && s->kind == SYMBOL_WRONG)) {
        elab_error(L, it->part, "'%s' has no parts", names_text(L->names, it->name))->hint =
            "parts are of particles and bodies, as in B.x";
        return false;
    }
    return coordinate_of(L, it->name, it->at, it->index, scope, id);
}
