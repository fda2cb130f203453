/* Energies as elements: a sum of terms, also under a factor, becomes one element for each term, so that a sum
 * over N particles is one shape with N instances. */
#include "lang/elab.h"

/* A sum of terms taken apart: each term is an element, times the factors that stood before a bracket or sum.
 */
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
    if (!elab_number_alike(L, n, scope, &s) || !times_factors(L, factors, &s))
        return;
    expr parts[SHAPE_PARTS] = {elab_expr(L, s)};
    elab_finish(L, kind, n->whole, parts, NULL, 0);
}

static void add_terms(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors);

static void add_repeated(elab *L, shape_kind kind, const node *n, const binding *scope,
                         const factor *factors) {
    int low, high;
    if (!elab_whole(L, n->a, scope, "a bound", &low) || !elab_whole(L, n->b, scope, "a bound", &high))
        return;
    binding variable = {.next = scope, .name = n->name, .loop = true};
    int errors = L->diags->errors;
    repetition r;
    elab_repeat(L, &r, n->whole, low, high);
    while (L->diags->errors == errors && elab_turn(L, &r)) {
        variable.value = elab_scalar((scalar){.number = (double)r.now, .known = true, .varies = true});
        add_terms(L, kind, n->c, &variable, factors);
    }
    elab_leave(L, &r);
}

static symbol *let_of(elab *L, const node *n, const binding *scope) {
    symbol *s = n->kind == NODE_NAME ? L->symbols[n->name] : NULL;
    for (; s && scope; scope = scope->next)
        if (scope->name == n->name)
            return NULL;
    return s && s->kind == SYMBOL_LET && s->sequence < L->sequence && s->let->value->has_sum ? s : NULL;
}

static bool splits(elab *L, const node *n, const binding *scope) {
    return n->has_sum || (n->kind == NODE_NAME && let_of(L, n, scope));
}

// one term of a sum: a repeated sum, a product or quotient with a sum in it, the name of a sum, or anything
// else
static void add_one(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors) {
    symbol *let = let_of(L, n, scope);
    factor f = {.next = factors, .scope = scope, .op = n->op};
    if (n->kind == NODE_SUM) {
        add_repeated(L, kind, n, scope, factors);
    } else if (n->kind == NODE_UNARY && n->op == OP_NEG) {
        add_terms(L, kind, n->a, scope, &f);
    } else if (n->kind == NODE_BINARY && (n->op == OP_MUL || n->op == OP_DIV) && splits(L, n->a, scope)) {
        f.node = n->b;
        add_terms(L, kind, n->a, scope, &f);
    } else if (n->kind == NODE_BINARY && n->op == OP_MUL && splits(L, n->b, scope)) {
        f.node = n->a;
        add_terms(L, kind, n->b, scope, &f);
    } else if (let) {
        int sequence = L->sequence;
        if (!elab_deeper(L, n->at))
            return;
        L->sequence = let->sequence;
        add_terms(L, kind, let->let->value, NULL, factors);
        L->sequence = sequence;
        L->level--;
    } else {
        add_term(L, kind, n, scope, factors);
    }
}

static bool is_additive(const node *n) {
    return n->kind == NODE_BINARY && (n->op == OP_ADD || n->op == OP_SUB);
}

// sums lean to the left and may be long: walk down in a loop, then take the terms in order
static void add_terms(elab *L, shape_kind kind, const node *n, const binding *scope, const factor *factors) {
    vec(const node *) spine = {0};
    for (; is_additive(n); n = n->a)
        vec_push(L->arena, spine, n);
    add_one(L, kind, n, scope, factors);
    factor minus = {.next = factors, .op = OP_NEG};
    for (int i = spine.count - 1; i >= 0; i--)
        add_one(L, kind, spine.at[i]->b, scope, spine.at[i]->op == OP_SUB ? &minus : factors);
}

void elab_terms(elab *L, shape_kind kind, const node *n, const binding *scope) {
    add_terms(L, kind, n, scope, NULL);
}
