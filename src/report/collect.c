/* From expressions to sums of terms and back.
 *
 * A sum in a product can be kept as a factor, or be multiplied out. Neither is best everywhere:
 * k*(x - y) + h*(x - y)^3 shall stay, m*(x' - a*w*s)*c*w - m*c*w*x' + ... shall cancel. So both are tried,
 * and what is shorter in print is taken, for the whole expression and for every argument and bracket in it.
 * What is tried is bounded: nothing is done for expressions longer than COLLECTED_MOST, and multiplying out
 * is given up when a sum has more than TERMS_MOST terms. */
#include "report/collect.h"

#include "base/map.h"
#include "report/terms.h"

#include <limits.h>
#include <math.h>

enum { COLLECTED_MOST = 4000 }; // operations, numbers and symbols: as much as is printed

typedef enum {
    KEEP,         // sums in products stay brackets
    EXPAND,       // products of sums are multiplied out, powers of sums stay
    EXPAND_POWERS // all is multiplied out
} depth;

typedef struct {
    sum form;
    bool failed;
} known_form;

typedef struct {
    terms t;
    map found; // expression -> its best form
    vec(known_form) best;
} collector;

static sum read(collector *c, expr e, depth how);

double collect_length(const expr_pool *pool, expr e, arena *scratch) {
    arena *list = arena_child(scratch);
    expr *order;
    int count = expr_order(pool, &e, 1, list, &order);
    map place;
    map_init(&place, list);
    double *length = arena_array(list, double, count);
    for (int i = 0; i < count; i++) {
        length[i] = 1;
        for (int k = 0; k < ops[expr_op(pool, order[i])].arity; k++)
            length[i] += length[map_get(&place, expr_arg(pool, order[i], k))];
        map_put(&place, order[i], i);
    }
    double all = length[count - 1];
    arena_free(list);
    return all;
}

static sum shortest(collector *c, expr e) { // fails where nothing that is tried succeeds
    int least = INT_MAX;
    sum form = {0};
    for (depth how = KEEP; how <= EXPAND_POWERS; how++) {
        c->t.failed = false;
        sum s = read(c, e, how);
        s = c->t.failed ? s : terms_shorten(&c->t, s);
        int length = c->t.failed ? INT_MAX : terms_length(&c->t, s);
        form = length < least ? s : form;
        least = length < least ? length : least;
    }
    c->t.failed = least == INT_MAX;
    return form;
}

// the same, kept, since arguments and brackets are asked for again and again
static sum best(collector *c, expr e) {
    int known = map_get(&c->found, e);
    bool failed = c->t.failed;
    if (known < 0) {
        sum form = shortest(c, e);
        known = c->best.count;
        vec_push(c->t.arena, c->best, ((known_form){form, c->t.failed}));
        map_put(&c->found, e, known);
    }
    c->t.failed = failed || c->best.at[known].failed;
    return c->best.at[known].form;
}

static sum read_factor(collector *c, expr e, depth how) {
    sum s = read(c, e, how);
    return how == KEEP && s.count > 1 ? sum_single(&c->t, terms_bracket(&c->t, best(c, e))) : s;
}

static sum read_inverse(collector *c, expr e) {
    return sum_single(&c->t, terms_inverse(&c->t, terms_bracket(&c->t, best(c, e))));
}

static sum read_product(collector *c, expr a, expr b, bool inverse, depth how) {
    sum left = read_factor(c, a, how); // before the right one: what is met first is written first
    return sum_times(&c->t, left, inverse ? read_inverse(c, b) : read_factor(c, b, how));
}

static sum read_call(collector *c, expr e) {
    op_code op = expr_op(c->t.pool, e);
    sum args[3] = {0};
    for (int k = 0; k < ops[op].arity; k++)
        args[k] = best(c, expr_arg(c->t.pool, e, k));
    return sum_single(&c->t, terms_call(&c->t, op, args));
}

static sum read_power(collector *c, expr e, depth how) {
    expr base = expr_arg(c->t.pool, e, 0), exponent = expr_arg(c->t.pool, e, 1);
    double n = expr_op(c->t.pool, exponent) == OP_NUMBER ? expr_value(c->t.pool, exponent) : NAN;
    if (!ops_power_is_product(n) || n == 0)
        return read_call(c, e);
    sum s = n < 0 ? read_inverse(c, base) : read_factor(c, base, how);
    if (how == EXPAND && s.count > 1)
        s = sum_single(&c->t, terms_bracket(&c->t, best(c, base)));
    if (s.count == 1)
        return sum_single(&c->t, terms_power(&c->t, s.at[0], (int)fabs(n)));
    sum product = s;
    for (int i = 1; i < n && !c->t.failed; i++)
        product = sum_times(&c->t, product, s);
    return product;
}

static sum read_sum(collector *c, expr a, expr b, double sign, depth how) {
    sum s = read(c, a, how);
    sum_append(&c->t, &s, read(c, b, how), sign);
    return s;
}

static sum read_number(collector *c, double value) {
    c->t.failed |= !isfinite(value);
    return sum_single(&c->t, terms_number(isfinite(value) ? ratio_of(value) : (ratio){0, 1}));
}

static sum read(collector *c, expr e, depth how) {
    const expr_pool *pool = c->t.pool;
    op_code op = expr_op(pool, e);
    expr a = ops[op].arity > 0 ? expr_arg(pool, e, 0) : 0, b = ops[op].arity > 1 ? expr_arg(pool, e, 1) : 0;
    switch (op) {
    case OP_NUMBER:
        return read_number(c, expr_value(pool, e));
    case OP_SYMBOL:
        return sum_single(&c->t, terms_symbol(&c->t, e));
    case OP_NEG:
        return sum_scaled(&c->t, read(c, a, how), -1);
    case OP_ADD:
    case OP_SUB:
        return read_sum(c, a, b, op == OP_ADD ? 1 : -1, how);
    case OP_MUL:
    case OP_DIV:
        return read_product(c, a, b, op == OP_DIV, how);
    case OP_POW:
        return read_power(c, e, how);
    default:
        return read_call(c, e);
    }
}

static collected collect(arena *a, const expr_pool *pool, expr e, bool cancels) {
    arena *scratch = arena_child(a);
    double length = collect_length(pool, e, scratch);
    collected made = {pool, e};
    if (length <= COLLECTED_MOST) {
        collector c = {
            .t = {.arena = scratch, .pool = pool, .trial = expr_pool_new(scratch), .cancels = cancels}};
        map_init(&c.found, scratch);
        sum s = best(&c, e);
        expr_pool *to = expr_pool_new(a);
        expr written = c.t.failed ? EXPR_NONE : terms_write(&c.t, s, to);
        if (written != EXPR_NONE && collect_length(to, written, scratch) <= length)
            made = (collected){to, written};
    }
    arena_free(scratch);
    return made;
}

collected collect_terms(arena *a, const expr_pool *pool, expr e) {
    return collect(a, pool, e, false);
}

collected collect_quotients(arena *a, const expr_pool *pool, expr e) {
    return collect(a, pool, e, true);
}
