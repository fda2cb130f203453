/* Sums of terms back to expressions.
 *
 * Factors stand in the order numbers, sums of parameters, parameters, time, coordinates, velocities,
 * accelerations, results, functions, brackets; terms in the order in which they first occurred, but terms of
 * the same form side by side, by their symbols: x'*cos(th) + y'*sin(th). The pool that takes them orders two
 * operands by age, so they are made in the order in which they shall stand, small powers of symbols in
 * advance. */
#include "report/terms.h"

#include <math.h>

enum { POWERS = 4 }; // of symbols made in advance

typedef struct {
    terms *t;
    expr_pool *to;
} writer;

static expr write_sum(writer *w, sum s);

// ---- order

static int rank_of_symbol(const expr_pool *pool, expr e) {
    static const int ranks[SYM_KINDS] = {[SYM_NUMBER] = 1, [SYM_PARAM] = 2, [SYM_TIME] = 3,  [SYM_P] = 4,
                                         [SYM_V] = 5,      [SYM_A] = 6,     [SYM_RESULT] = 7};
    return ranks[expr_kind(pool, e)];
}

static bool constant(const atom *a) {
    return (a->kinds & ~(1u << SYM_PARAM | 1u << SYM_NUMBER)) == 0;
}

static int rank(const terms *t, factor f) {
    const atom *a = terms_atom(t, f);
    if (a->op == OP_SYMBOL)
        return rank_of_symbol(t->pool, a->symbol);
    return a->op != OP_ADD ? 8 : constant(a) ? 0 : 9;
}

static int compare(const terms *t, factor a, factor b) {
    int by_rank = rank(t, a) - rank(t, b), by_age = a.key - b.key;
    if (by_rank || terms_atom(t, a)->op != OP_SYMBOL)
        return by_rank ? by_rank : by_age;
    int index = expr_index(t->pool, terms_atom(t, a)->symbol);
    int other = expr_index(t->pool, terms_atom(t, b)->symbol);
    return index != other ? index - other : by_age;
}

static term ordered(const terms *t, term a) {
    factor *at = arena_array(t->arena, factor, a.count);
    for (int i = 0; i < a.count; i++) {
        int place = i;
        for (; place > 0 && compare(t, at[place - 1], a.at[i]) > 0; place--)
            at[place] = at[place - 1];
        at[place] = a.at[i];
    }
    a.at = at;
    return a;
}

static bool alike(const terms *t, term a, term b) { // both ordered
    bool same = a.count == b.count;
    for (int i = 0; same && i < a.count; i++)
        same = rank(t, a.at[i]) == rank(t, b.at[i]) && a.at[i].power == b.at[i].power &&
               terms_atom(t, a.at[i])->kinds == terms_atom(t, b.at[i])->kinds;
    return same;
}

bool terms_alike(const terms *t, term a, term b) {
    return alike(t, ordered(t, a), ordered(t, b));
}

// whether b goes before a, which is of the same form
static bool goes_before(const terms *t, term a, term b) {
    for (int i = 0; i < a.count; i++) {
        int order = compare(t, a.at[i], b.at[i]);
        if (order)
            return order > 0;
    }
    return false;
}

static bool akin(const terms *t, term a, term b) {
    return ratio_same(a.k, b.k, 1) && alike(t, a, b);
}

static void move_up(sum *s, int from, int to) {
    term moved = s->at[from];
    for (int i = from; i > to; i--)
        s->at[i] = s->at[i - 1];
    s->at[to] = moved;
}

static sum in_order(const terms *t, sum s) {
    sum made = {0};
    for (int i = 0; i < s.count; i++) {
        term a = ordered(t, s.at[i]);
        int place = made.count; // behind the last of its kind, or at the end
        while (place > 0 && !akin(t, made.at[place - 1], a))
            place--;
        place = place ? place : made.count;
        while (place > 0 && akin(t, made.at[place - 1], a) && goes_before(t, made.at[place - 1], a))
            place--;
        vec_push(t->arena, made, a);
        move_up(&made, made.count - 1, place);
    }
    return made;
}

// ---- factors

static expr remake(expr_pool *to, op_code op, const expr *args) {
    return ops[op].arity == 1   ? expr_op1(to, op, args[0])
           : ops[op].arity == 2 ? expr_op2(to, op, args[0], args[1])
                                : expr_op3(to, op, args[0], args[1], args[2]);
}

static expr copied(const writer *w, expr symbol) {
    return expr_symbol(w->to, expr_kind(w->t->pool, symbol), expr_index(w->t->pool, symbol));
}

static expr write_factor(writer *w, factor f) {
    atom a = *terms_atom(w->t, f);
    bool rooted = a.op == OP_SQRT && f.power % 2 == 0; // sqrt(u)^2 is u
    expr args[3] = {0};
    if (a.op == OP_SYMBOL)
        args[0] = copied(w, a.symbol);
    for (int k = 0; a.op != OP_SYMBOL && k < (a.op == OP_ADD ? 1 : ops[a.op].arity); k++)
        args[k] = write_sum(w, a.arg[k]);
    expr base = a.op == OP_SYMBOL || a.op == OP_ADD || rooted ? args[0] : remake(w->to, a.op, args);
    return expr_op2(w->to, OP_POW, base, expr_number(w->to, rooted ? f.power / 2 : f.power));
}

static bool decimal(double den) { // 2^a 5^b: the fraction has a short form
    for (int i = 0; i < 2; i++)
        while (fmod(den, i ? 5 : 2) == 0)
            den /= i ? 5 : 2;
    return den == 1;
}

// number * the factors above or below the bar
static expr write_product(writer *w, double number, term a, int below) {
    expr product = expr_number(w->to, number);
    for (int i = 0; i < a.count; i++)
        if (a.at[i].key % 2 == below)
            product = expr_op2(w->to, OP_MUL, product, write_factor(w, a.at[i]));
    return product;
}

static expr write_term(writer *w, term a) { // without its sign
    bool plain = decimal(a.k.den);
    double above = fabs(plain ? ratio_value(a.k) : a.k.num), below = plain ? 1 : a.k.den;
    expr product = write_product(w, above, a, 0);
    return expr_op2(w->to, OP_DIV, product, write_product(w, below, a, 1));
}

// ---- sums

/* A sum starts with a term that has no minus. And since the pool writes 2*a + 2*b as 2*(a + b), two terms
 * with the same number stand first only if they are of the same form. */
static sum ready(const terms *t, sum s) {
    sum all = in_order(t, s);
    int first = 0, second = 1;
    while (first < all.count && all.at[first].k.num < 0)
        first++;
    if (first < all.count)
        move_up(&all, first, 0);
    if (all.count > 2 && fabs(ratio_value(all.at[0].k)) != 1 && !alike(t, all.at[0], all.at[1]))
        while (second < all.count - 1 &&
               fabs(ratio_value(all.at[second].k)) == fabs(ratio_value(all.at[0].k)))
            second++;
    if (all.count > 2)
        move_up(&all, second, 1);
    return all;
}

static expr write_sum(writer *w, sum s) {
    sum all = ready(w->t, s);
    bool negative = all.count > 0 && all.at[0].k.num < 0; // all are: -a - b is -(a + b)
    expr total = all.count ? write_term(w, all.at[0]) : expr_number(w->to, 0);
    for (int i = 1; i < all.count; i++) {
        bool minus = all.at[i].k.num < 0 && !negative;
        total = expr_op2(w->to, minus ? OP_SUB : OP_ADD, total, write_term(w, all.at[i]));
    }
    return negative ? expr_op1(w->to, OP_NEG, total) : total;
}

static int length(const expr_pool *pool, expr e) { // sums are short: it may recurse
    int all = 1;
    for (int k = 0; k < ops[expr_op(pool, e)].arity; k++)
        all += length(pool, expr_arg(pool, e, k));
    return all;
}

int terms_length(terms *t, sum s) {
    writer w = {t, t->trial};
    return length(t->trial, write_sum(&w, s));
}

int terms_nesting(const terms *t, sum s, bool inside) {
    int all = 0;
    for (int i = 0; i < s.count; i++)
        for (int j = 0; j < s.at[i].count; j++) {
            factor f = s.at[i].at[j];
            const atom *a = terms_atom(t, f);
            if (a->op == OP_ADD && !constant(a))
                all += (inside && f.power == 1 && f.key % 2 == 0) + terms_nesting(t, a->arg[0], true);
        }
    return all;
}

/* Sums of parameters, wherever they stand in s, shall be older than the parameters that they multiply, and
 * the symbols in them older still: all these symbols as one product, or the sums written down. */
static void find_constants(writer *w, sum s, term *symbols) {
    for (int i = 0; i < s.count; i++)
        for (int j = 0; j < s.at[i].count; j++) {
            const atom *a = terms_atom(w->t, s.at[i].at[j]);
            if (a->op == OP_SYMBOL)
                continue;
            bool found = a->op == OP_ADD && constant(a);
            for (int k = 0; found && symbols && k < a->arg[0].count; k++)
                *symbols = terms_times(w->t, *symbols, a->arg[0].at[k]);
            if (found && !symbols)
                write_factor(w, s.at[i].at[j]);
            for (int k = 0; !found && k < (a->op == OP_ADD ? 1 : ops[a->op].arity); k++)
                find_constants(w, a->arg[k], symbols);
        }
}

static void write_symbols(writer *w, term all) {
    all = ordered(w->t, all);
    for (int i = 0; i < all.count; i++)
        for (int n = 1; n <= POWERS && terms_atom(w->t, all.at[i])->op == OP_SYMBOL; n++)
            write_factor(w, (factor){all.at[i].key, n});
}

expr terms_write(terms *t, sum s, expr_pool *to) {
    writer w = {t, to};
    term inside = terms_number((ratio){1, 1}), all = {.at = arena_array(t->arena, factor, t->atoms.count)};
    for (int i = 0; i < t->atoms.count; i++)
        all.at[all.count++] = (factor){2 * i, 1};
    find_constants(&w, s, &inside);
    write_symbols(&w, inside);
    find_constants(&w, s, NULL);
    write_symbols(&w, all);
    return write_sum(&w, s);
}
