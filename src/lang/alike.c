/* Elements of a loop that are alike: an expression of numbers, parameters and coordinates such as x[i - 1]
 * is, from turn to turn, the same over other coordinates. Where these follow each other in the slots as they
 * did when it was evaluated last, it is what it was then. Everything else is evaluated: other names,
 * functions, conditions, a loop variable that is no index, and whatever is wrong.
 *
 * Reading a chain of particles takes a third of the instructions. */
#include "lang/elab.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- indices

static const binding *find_binding(const binding *scope, int name) {
    while (scope && scope->name != name)
        scope = scope->next;
    return scope;
}

static bool whole_number(const node *n, int *out) {
    if (n->kind != NODE_NUMBER || n->number != nearbyint(n->number) || fabs(n->number) > INT_MAX / 4)
        return false;
    *out = (int)n->number;
    return true;
}

static bool loop_variable(const node *n, const binding *scope, int *out) {
    const binding *b = n->kind == NODE_NAME ? find_binding(scope, n->name) : NULL;
    if (b == NULL || !b->loop)
        return false;
    *out = (int)b->value.at[0].number;
    return true;
}

bool elab_plain_index(const node *n, const binding *scope, int *out, int *nodes) {
    int a, b;
    *nodes = 1;
    if (whole_number(n, out) || loop_variable(n, scope, out))
        return true;
    *nodes = 3;
    if (n->kind != NODE_BINARY || (n->op != OP_ADD && n->op != OP_SUB) || !whole_number(n->b, &b) ||
        !loop_variable(n->a, scope, &a))
        return false;
    *out = n->op == OP_ADD ? a + b : a - b;
    return abs(*out) < INT_MAX / 4;
}

// ---- what an expression is made of

static bool is_arithmetic(op_code op) {
    return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV || op == OP_POW;
}

// x, x[i - 1]: its number
static bool coordinate(const elab *L, const node *n, const binding *scope, int *id) {
    const node *index = n->kind == NODE_INDEX ? n->b : NULL;
    const symbol *s = L->symbols[index ? n->a->name : n->name];
    int i = 0, nodes;
    if (s->array != (index != NULL) || (index && !elab_plain_index(index, scope, &i, &nodes)))
        return false;
    *id = index ? s->first + i - s->low : s->first;
    return index == NULL || (i >= s->low && i <= s->high);
}

/* Collects the coordinates in the order of evaluation; false if there is anything else than these, numbers
 * and parameters. */
static bool collect(elab *L, const node *n, const binding *scope, alike_value *to) {
    int name = n->kind == NODE_INDEX && n->a->kind == NODE_NAME ? n->a->name
               : n->kind == NODE_NAME                           ? n->name
                                                                : -1;
    if (name >= 0) {
        const symbol *s = L->symbols[name];
        if (s == NULL || !s->ready || find_binding(scope, name))
            return false;
        if (s->kind == SYMBOL_COORD)
            vec_push(L->arena, to->coordinates, n);
        return s->kind == SYMBOL_COORD || (s->kind == SYMBOL_PARAM && !s->array && n->kind == NODE_NAME);
    }
    switch (n->kind) {
    case NODE_NUMBER:
        return true;
    case NODE_PRIME:
        return collect(L, n->a, scope, to);
    case NODE_UNARY:
        return n->op == OP_NEG && collect(L, n->a, scope, to);
    case NODE_BINARY:
        return is_arithmetic(n->op) && collect(L, n->a, scope, to) && collect(L, n->b, scope, to);
    default:
        return false;
    }
}

// ---- again

static alike_value *alike_of(elab *L, const node *n, const binding *scope) {
    int found = map_get(&L->alike_by_node, (uint64_t)(uintptr_t)n);
    if (found >= 0)
        return &L->alikes.at[found];
    map_put(&L->alike_by_node, (uint64_t)(uintptr_t)n, L->alikes.count);
    alike_value new = {0};
    new.fits = collect(L, n, scope, &new);
    vec_push(L->arena, L->alikes, new);
    return &L->alikes.at[L->alikes.count - 1];
}

// gives the coordinates their slots, as evaluation would: whether they are those of the last time
static bool same_slots(elab *L, const alike_value *k, const binding *scope) {
    int id;
    for (int i = 0; i < k->coordinates.count; i++)
        if (!coordinate(L, k->coordinates.at[i], scope, &id) || elab_slot(L, id) != k->slots.at[i])
            return false;
    return true;
}

static bool note_slots(elab *L, alike_value *k, const binding *scope) {
    int id;
    k->slots.count = 0;
    for (int i = 0; i < k->coordinates.count; i++) {
        if (!coordinate(L, k->coordinates.at[i], scope, &id))
            return false;
        vec_push(L->arena, k->slots, elab_slot(L, id));
    }
    return true;
}

value elab_eval_alike(elab *L, const node *n, const binding *scope) {
    alike_value *k = scope ? alike_of(L, n, scope) : NULL;
    if (k && k->ready && same_slots(L, k, scope))
        return elab_spend(L, n->at, k->spent) ? k->last : elab_wrong();
    long long before = L->spent;
    value v = elab_eval(L, n, scope);
    if (k && k->fits) {
        k->ready = v.size == 1 && L->builder.numbers.count == 0 && L->builder.results.count == 0 &&
                   L->builder.turns.count == 0 && note_slots(L, k, scope);
        k->last = v;
        k->spent = L->spent - before;
    }
    return v;
}
