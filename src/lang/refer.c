/* What a name refers to: loop variables, parameters, coordinates, quasi-velocities, lets, constants, results.
 */
#include "lang/elab.h"

#include <string.h>

enum { LET_DEEPEST = 100 };

static void offer_names(elab *L, const binding *scope, const char *wrong, name_guess *best) {
    for (; scope; scope = scope->next)
        names_offer(best, wrong, names_text(L->names, scope->name));
    for (int i = 0; i < names_count(L->names); i++)
        if (L->symbols[i])
            names_offer(best, wrong, names_text(L->names, i));
}

static value unknown_name(elab *L, const node *n, const binding *scope) {
    const char *name = names_text(L->names, n->name);
    diag *d = elab_error(L, n->at, "unknown name '%s'", name);
    name_guess best = {0};
    offer_names(L, scope, name, &best);
    if (best.text)
        d->hint = arena_print(L->arena, "did you mean '%s'?", best.text);
    else if (L->functions[n->name])
        d->hint = arena_print(L->arena, "'%s' is a function: write %s(...)", name, name);
    else
        d->hint = "declare it with param, coord or let";
    return elab_wrong();
}

static bool before(elab *L, const symbol *s, const node *n) {
    if (s->sequence < L->sequence)
        return true;
    elab_error(L, n->at, "'%s' is used before it is defined", names_text(L->names, s->name))->other = s->at;
    return false;
}

value elab_elsewhere(elab *L, const node *body, const binding *scope, int sequence, place use) {
    if (L->depth >= LET_DEEPEST) {
        elab_error(L, use, "definitions are nested more than %d deep", LET_DEEPEST);
        return elab_wrong();
    }
    int old_sequence = L->sequence;
    place old_use = L->use;
    L->sequence = sequence;
    if (L->use.source == NULL)
        L->use = use;
    L->depth++;
    value v = elab_eval(L, body, scope);
    L->depth--;
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

static value coordinate(elab *L, int id) {
    return elab_scalar((scalar){.e = expr_symbol(L->pool, SYM_P, elab_slot(L, id))});
}

// a parameter with an index differs from instance to instance, like the index itself
static value parameter(elab *L, int id) {
    double number = L->model->params.at[id].value;
    if (L->model->params.at[id].label.indexed)
        return elab_scalar((scalar){.number = number, .known = true, .varies = true});
    return elab_scalar((scalar){.e = expr_symbol(L->pool, SYM_PARAM, id), .number = number, .known = true});
}

static value quasi(elab *L, int id, place use) {
    quasi_body *q = &L->quasi_bodies.at[id];
    if (q->busy) {
        elab_error(L, use, "this quasi-velocity is defined by itself");
        return elab_wrong();
    }
    q->busy = true;
    value v = elab_elsewhere(L, q->body, q->scope, q->sequence, use);
    L->quasi_bodies.at[id].busy = false;
    return v;
}

// x[i] where the index is in `index`: the number of the coordinate, parameter, quasi-velocity
static bool indexed(elab *L, const symbol *s, const node *n, int index, const binding *scope, int *id) {
    const char *name = names_text(L->names, s->name);
    if (s->kind == SYMBOL_COORD && s->ready) {
        if (index >= s->low && index <= s->high) {
            *id = s->first + index - s->low;
            return true;
        }
        elab_error(L, n->at, "%s[%d] is outside %s[%d..%d]%s", name, index, name, s->low, s->high,
                   elab_variables(L, scope));
        return false;
    }
    *id = map_get(&L->cells, elab_cell(s->name, index));
    if (*id < 0)
        elab_error(L, n->at, "there is no %s[%d]%s", name, index, elab_variables(L, scope));
    return *id >= 0;
}

// a symbol, with the node of its index where it has one
static value eval_symbol(elab *L, symbol *s, const node *n, const node *index, const binding *scope) {
    const char *name = names_text(L->names, s->name);
    if (s->kind == SYMBOL_NOT_YET)
        return elab_wrong(); // its declaration has been told
    if (s->kind == SYMBOL_CONSTRAINT) {
        elab_error(L, n->at, "'%s' is a constraint, not a number", name)->hint =
            arena_print(L->arena, "write residual(%s), multiplier(%s) or reaction(x, %s)", name, name, name);
        return elab_wrong();
    }
    if (s->array != (index != NULL)) {
        elab_error(L, n->at, s->array ? "'%s' needs an index" : "'%s' has no index", name)->hint =
            s->array ? arena_print(L->arena, "write %s[i]", name) : NULL;
        return elab_wrong();
    }
    if ((s->kind == SYMBOL_PARAM || s->kind == SYMBOL_LET) && !before(L, s, n))
        return elab_wrong();
    int number = 0, id = s->kind == SYMBOL_COORD ? s->first : s->id;
    if (index && !elab_whole(L, index, scope, "an index", &number))
        return elab_wrong();
    if (index && !indexed(L, s, n, number, scope, &id))
        return elab_wrong();
    if (!(L->allowed.kinds & 1u << SYM_P) && (s->kind == SYMBOL_COORD || s->kind == SYMBOL_QUASI)) {
        elab_error(L, n->at, "'%s' changes with time, so it cannot stand in %s", name, L->allowed.where)
            ->hint = "only numbers and parameters are known when the model is read";
        return elab_wrong();
    }
    bool numbered = s->kind == SYMBOL_PARAM || s->kind == SYMBOL_QUASI;
    if (!s->ready || (numbered && id < 0))
        return elab_wrong(); // its own declaration is wrong
    switch (s->kind) {
    case SYMBOL_PARAM:
        return parameter(L, id);
    case SYMBOL_COORD:
        return coordinate(L, id);
    case SYMBOL_QUASI:
        return quasi(L, id, n->at);
    default:
        if (s->kind == SYMBOL_OUTPUT && (s->body == NULL || !before(L, s, n)))
            return elab_wrong();
        return eval_let(L, s, n->at);
    }
}

value elab_refer(elab *L, const node *n, const node *index, const binding *scope) {
    const char *name = names_text(L->names, n->name);
    for (const binding *b = scope; b; b = b->next) {
        if (b->name != n->name)
            continue;
        if (index)
            elab_error(L, n->at, "'%s' has no index", name);
        else if (b->body)
            return elab_elsewhere(L, b->body, b->scope, L->sequence, n->at);
        return index ? elab_wrong() : b->value;
    }
    if (L->symbols[n->name])
        return eval_symbol(L, L->symbols[n->name], n, index, scope);
    value out = elab_wrong();
    bool found = true;
    if (strcmp(name, "pi") == 0)
        out = elab_scalar(elab_constant(L, 3.14159265358979323846));
    else if (strcmp(name, "deg") == 0)
        out = elab_scalar(elab_constant(L, 3.14159265358979323846 / 180));
    else if (strcmp(name, "t") == 0)
        out = elab_scalar((scalar){.e = expr_symbol(L->pool, SYM_TIME, 0)});
    else if (!elab_builtin_result(L, n, &out))
        found = false;
    if (!found)
        return unknown_name(L, n, scope);
    if (index) {
        elab_error(L, n->at, "'%s' has no index", name);
        return elab_wrong();
    }
    return out;
}

static bool coordinate_of(elab *L, int name, place at, const node *index, const binding *scope, int *id) {
    const char *word = names_text(L->names, name);
    symbol *s = L->symbols[name];
    if (s && s->kind == SYMBOL_NOT_YET)
        return false;
    if (s == NULL || s->kind != SYMBOL_COORD) {
        diag *d = elab_error(L, at, "'%s' is no coordinate", word);
        name_guess best = {0};
        for (int i = 0; i < names_count(L->names); i++)
            if (L->symbols[i] && L->symbols[i]->kind == SYMBOL_COORD)
                names_offer(&best, word, names_text(L->names, i));
        d->hint = best.text ? arena_print(L->arena, "did you mean '%s'?", best.text)
                            : arena_print(L->arena, "declare it: coord %s", word);
        return false;
    }
    if (s->array != (index != NULL)) {
        elab_error(L, at, s->array ? "'%s' needs an index" : "'%s' has no index", word)->hint =
            s->array ? arena_print(L->arena, "write %s[i]", word) : NULL;
        return false;
    }
    if (!s->ready)
        return false;
    node here = {.kind = NODE_NAME, .at = at, .name = name};
    int number;
    *id = s->first;
    return index == NULL ||
           (elab_whole(L, index, scope, "an index", &number) && indexed(L, s, &here, number, scope, id));
}

bool elab_coordinate(elab *L, const node *n, const binding *scope, int *id) {
    if (n->kind == NODE_NAME)
        return coordinate_of(L, n->name, n->at, NULL, scope, id);
    if (n->kind == NODE_INDEX && n->a->kind == NODE_NAME)
        return coordinate_of(L, n->a->name, n->at, n->b, scope, id);
    elab_error(L, n->at, "expected the name of a coordinate");
    return false;
}

bool elab_target(elab *L, const item *it, const binding *scope, const char *what, int *id) {
    if (it->first) {
        elab_error(L, it->at, "%s takes one coordinate, not a range", what)->hint =
            "use a loop: for i in 1..N: ...";
        return false;
    }
    return coordinate_of(L, it->name, it->at, it->index, scope, id);
}
