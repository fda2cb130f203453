/* weight = ((a, b), (b, c)): the symmetric matrix W of the rows of one constraint, which minimise r'W r
 * (paper 003 eq. 38); weight = (a, c) is its diagonal. */
#include "lang/elab.h"

#include <math.h>

static bool is_matrix(const node *n) {
    for (int i = 0; i < n->count; i++)
        if (n->args[i]->kind == NODE_TUPLE)
            return true;
    return false;
}

// as many as there are rows, each way
static bool fits(elab *L, const node *n, int size, bool matrix) {
    bool fit = n->count == size;
    for (int i = 0; matrix && i < n->count; i++)
        fit &= n->args[i]->kind == NODE_TUPLE && n->args[i]->count == size;
    if (fit)
        return true;
    if (size == 1)
        elab_error(L, n->whole, "this constraint is one equation, and its weight one number");
    else
        elab_error(L, n->whole, "this constraint has %d rows: its weights are %d numbers, or %d rows of %d",
                   size, size, size, size)
            ->hint = "write weight = ((a, b), (b, c)) for two rows; one number is the weight of each";
    return false;
}

static bool read(elab *L, const node *n, const binding *scope, scalar *out) {
    return elab_option(L, n, scope, "a weight", out);
}

// of a pair of equal numbers, or one expression
static bool same(elab *L, scalar a, scalar b) {
    if (a.known && b.known)
        return fabs(elab_peek(L, &a) - elab_peek(L, &b)) <= 1e-12 * fabs(a.number);
    return elab_expr(L, a) == elab_expr(L, b);
}

static bool own_weight(elab *L, const node *n, const binding *scope, scalar *out) {
    if (!read(L, n, scope, out))
        return false;
    bool negative = out->known && elab_asks(L, OP_LT, *out, elab_plain(0));
    if (negative)
        elab_error(L, n->whole, "a weight is not negative: this is %.6g", out->number);
    return !negative;
}

/* W_ij, which must be W_ji. With known numbers W_ij^2 <= W_ii W_jj is seen here; the rest of what makes it
 * positive semi-definite where it is used. */
static bool shared_weight(elab *L, const node *n, const binding *scope, int i, int j, scalar *out) {
    const node *there = n->args[i]->args[j], *back = n->args[j]->args[i];
    scalar mirrored, own, other;
    if (!read(L, there, scope, out) || !read(L, back, scope, &mirrored) ||
        !own_weight(L, n->args[i]->args[i], scope, &own) ||
        !own_weight(L, n->args[j]->args[j], scope, &other))
        return false;
    if (!same(L, *out, mirrored)) {
        diag_other(elab_error(L, back->whole, "the weights are not symmetric"), there->whole,
                   "this must be the same");
        return false;
    }
    bool known = out->known && own.known && other.known;
    if (known && elab_peek(L, out) * out->number > elab_peek(L, &own) * elab_peek(L, &other) * (1 + 1e-12)) {
        elab_error(L, there->whole,
                   "the weights are not positive semi-definite: %.6g^2 is more than %.6g*%.6g", out->number,
                   own.number, other.number)
            ->hint = "some way to miss the equations would count less than none";
        return false;
    }
    return true;
}

bool elab_weights(elab *L, const node *n, const binding *scope, int row, int size, expr *parts) {
    bool matrix = is_matrix(n);
    scalar w;
    if (!fits(L, n, size, matrix) ||
        !own_weight(L, matrix ? n->args[row]->args[row] : n->args[row], scope, &w))
        return false;
    parts[PART_WEIGHT] = elab_expr(L, w);
    for (int j = row + 1; matrix && j < size; j++) {
        if (!shared_weight(L, n, scope, row, j, &w))
            return false;
        parts[PART_SHARED + j - row - 1] = elab_expr(L, w);
    }
    return true;
}
