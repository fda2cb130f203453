/* Shorter forms of a sum, each found by comparing its terms two by two:
 *
 *     k R sin(u) sin(v) + k R cos(u) cos(v) = k R cos(u - v)     and its relatives, sin^2 + cos^2 = 1 among
 * them k R p^2 + 2 k R p q + k R q^2         = k R (p + q)^2 R s + R u                             = R (s +
 * u)          where that has fewer operations
 *
 * R, p, q are products of atoms, and k is a number. */
#include "report/terms.h"

#include <math.h>

enum {
    PAIRED_MOST =
        100, // terms of a sum in which pairs are looked for: longer ones take seconds, and stay long
    GROUPED_MOST = 40, // terms of a sum in which groups with a common factor are looked for
    NESTING = 3        // operations that a pair of brackets within brackets must save
};

// one term in place of the terms i < j
static void replace(terms *t, sum *s, int i, int j, term a) {
    sum made = {0};
    for (int l = 0; l < s->count; l++)
        if (l != j)
            sum_add(t, &made, l == i ? a : s->at[l]);
    *s = made;
}

// ---- sines and cosines

/* sin(u)^i sin(v)^j cos(..).. of degree 2 at most: op[k](angle[k]) for k < count. */
typedef struct {
    int count;
    op_code op[2];
    int angle[2]; // the atom, of which the argument is taken
} waves;

static bool same_angle(terms *t, int a, int b) {
    sum difference = {0};
    sum_append(t, &difference, t->atoms.at[a].arg[0], 1);
    sum_append(t, &difference, t->atoms.at[b].arg[0], -1);
    return difference.count == 0;
}

static bool waves_of(const terms *t, term a, waves *out) {
    *out = (waves){0};
    for (int i = 0; i < a.count; i++) {
        op_code op = terms_atom(t, a.at[i])->op;
        if ((op != OP_SIN && op != OP_COS) || a.at[i].key % 2 || out->count + a.at[i].power > 2)
            return false;
        for (int n = 0; n < a.at[i].power; n++) {
            out->op[out->count] = op;
            out->angle[out->count++] = a.at[i].key / 2;
        }
    }
    return true;
}

// whether the oldest symbol in it has a minus: a - b is what one writes, not b - a
static bool reversed(const terms *t, sum s) {
    expr oldest = EXPR_NONE;
    bool minus = false;
    for (int i = 0; i < s.count; i++)
        for (int j = 0; j < s.at[i].count; j++) {
            expr symbol = terms_atom(t, s.at[i].at[j])->symbol;
            if (symbol != EXPR_NONE && (oldest == EXPR_NONE || symbol < oldest)) {
                oldest = symbol;
                minus = s.at[i].k.num < 0;
            }
        }
    return minus;
}

// op(u + sign v)
static term wave(terms *t, op_code op, int u, int v, double sign) {
    sum angle = {0};
    sum_append(t, &angle, t->atoms.at[u].arg[0], 1);
    sum_append(t, &angle, t->atoms.at[v].arg[0], sign);
    if (angle.count == 0)
        return terms_number((ratio){op == OP_COS, 1});
    bool turned = reversed(t, angle);
    angle = sum_scaled(t, angle, turned ? -1 : 1);
    term made = terms_call(t, op, &angle);
    made.k.num *= turned && op == OP_SIN ? -1 : 1;
    return made;
}

// a cos(u) cos(v) + b sin(u) sin(v), with |a| = |b| and sign = a b; what multiplies a
static bool join_alike(terms *t, waves cosines, waves sines, double sign, term *out) {
    int u = cosines.angle[0], v = cosines.angle[1];
    bool straight = same_angle(t, u, sines.angle[0]) && same_angle(t, v, sines.angle[1]);
    bool crossed = same_angle(t, u, sines.angle[1]) && same_angle(t, v, sines.angle[0]);
    if ((!straight && !crossed) || (u == v && sign < 0)) // cos(u)^2 - sin(u)^2 stays
        return false;
    *out = wave(t, OP_COS, u, v, -sign);
    return true;
}

// a sin(u) cos(v) + b cos(u) sin(v)
static bool join_mixed(terms *t, waves a, waves b, double sign, term *out) {
    int i = a.op[0] == OP_SIN ? 0 : 1, j = b.op[0] == OP_COS ? 0 : 1;
    int u = a.angle[i], v = a.angle[1 - i];
    if (!same_angle(t, u, b.angle[j]) || !same_angle(t, v, b.angle[1 - j]))
        return false;
    *out = wave(t, OP_SIN, u, v, sign);
    return true;
}

// a - a sin(u)^2 = a cos(u)^2
static bool join_one(terms *t, waves square, double sign, term *out) {
    if (square.angle[0] != square.angle[1] || sign > 0)
        return false;
    sum angle = t->atoms.at[square.angle[0]].arg[0];
    *out = terms_power(t, terms_call(t, square.op[0] == OP_SIN ? OP_COS : OP_SIN, &angle), 2);
    return true;
}

// a + b = a * out / (what a has of sines and cosines); |a| = |b|
static bool join(terms *t, waves a, waves b, double sign, term *out) {
    if (a.count == 0 && b.count == 2)
        return join_one(t, b, sign, out);
    if (a.count != 2 || b.count != 2)
        return false;
    bool even = a.op[0] == a.op[1], other = b.op[0] == b.op[1];
    if (even && other && a.op[0] == OP_COS && b.op[0] == OP_SIN)
        return join_alike(t, a, b, sign, out);
    return !even && !other && join_mixed(t, a, b, sign, out);
}

// the terms i and j in place of both, if they can be joined
static bool join_terms(terms *t, sum *s, int i, int j) {
    term a = s->at[i], b = s->at[j], joined;
    double sign = ratio_same(a.k, b.k, 1) ? 1 : ratio_same(a.k, b.k, -1) ? -1 : 0;
    if (sign == 0)
        return false;
    term common = terms_common(t, a, b);
    waves u, v;
    if (!waves_of(t, terms_without(t, a, common), &u) || !waves_of(t, terms_without(t, b, common), &v) ||
        !join(t, u, v, sign, &joined))
        return false;
    common.k = a.k;
    replace(t, s, i < j ? i : j, i < j ? j : i, terms_times(t, common, joined));
    return true;
}

static bool join_any(terms *t, sum *s) {
    for (int i = 0; i < s->count; i++)
        for (int j = 0; j < s->count; j++)
            if (i != j && join_terms(t, s, i, j))
                return true;
    return false;
}

// ---- squares

static bool root(terms *t, term a, term *out) { // of a positive term, where it has one
    term made = {.at = arena_array(t->arena, factor, a.count), .count = a.count};
    made.k = (ratio){sqrt(a.k.num), sqrt(a.k.den)};
    bool exact = made.k.num == floor(made.k.num) && made.k.den == floor(made.k.den);
    for (int i = 0; i < a.count; i++) {
        exact &= a.at[i].power % 2 == 0;
        made.at[i] = (factor){a.at[i].key, a.at[i].power / 2};
    }
    *out = terms_times(t, made, terms_number((ratio){1, 1}));
    return exact;
}

// R p^2 + R q^2 with 2 R p q, in place of all three
static bool square_terms(terms *t, sum *s, int i, int j) {
    term common = terms_common(t, s->at[i], s->at[j]), p, q;
    common.k = ratio_common(s->at[i].k, s->at[j].k);
    common.k.num *= s->at[i].k.num < 0 ? -1 : 1;
    if (!root(t, terms_without(t, s->at[i], common), &p) || !root(t, terms_without(t, s->at[j], common), &q))
        return false;
    term cross = terms_times(t, terms_times(t, common, p), q);
    cross.k = ratio_times(cross.k, (ratio){2, 1});
    for (int l = 0; l < s->count; l++) {
        double sign = ratio_same(cross.k, s->at[l].k, 1) ? 1 : -1;
        if (!terms_like(cross, s->at[l]) || !ratio_same(cross.k, s->at[l].k, sign))
            continue;
        sum both = sum_single(t, p);
        q.k.num *= sign;
        sum_add(t, &both, q);
        term square = terms_times(t, common, terms_power(t, terms_bracket(t, both), 2));
        sum_remove(s, l);
        replace(t, s, i - (l < i), j - (l < j), square);
        return true;
    }
    return false;
}

static bool square_any(terms *t, sum *s) {
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++)
            if (s->at[i].k.num * s->at[j].k.num > 0 && square_terms(t, s, i, j))
                return true;
    return false;
}

// ---- common factors

// the number in front of the brackets: the least, if it occurs twice and the others are multiples of it
static ratio content(sum s) {
    ratio least = s.at[0].k;
    int negative = 0, times = 0;
    for (int i = 0; i < s.count; i++) {
        if (fabs(ratio_value(s.at[i].k)) < fabs(ratio_value(least)))
            least = s.at[i].k;
        negative += s.at[i].k.num < 0;
    }
    least.num = fabs(least.num);
    for (int i = 0; i < s.count; i++) {
        ratio rest = ratio_over(s.at[i].k, least);
        times += fabs(ratio_value(rest)) == 1;
        if (rest.den != 1)
            least = (ratio){1, 1};
    }
    ratio k = times > 1 ? least : (ratio){1, 1};
    k.num *= negative == s.count ? -1 : 1;
    return k;
}

static term common_factor(terms *t, sum s) {
    term common = s.at[0];
    for (int i = 0; i < s.count; i++)
        common = terms_common(t, common, s.at[i]);
    common.k = content(s);
    return common;
}

static sum factored(terms *t, sum s, bool inside);

// x + (y + z) without the brackets
static bool flatten(terms *t, sum *s) {
    sum made = {0};
    int brackets = 0;
    for (int i = 0; i < s->count; i++) {
        term a = s->at[i];
        bool bracket = a.count == 1 && a.at[0].power == 1 && a.at[0].key % 2 == 0 &&
                       terms_atom(t, a.at[0])->op == OP_ADD && fabs(ratio_value(a.k)) == 1;
        sum_append(t, &made, bracket ? terms_atom(t, a.at[0])->arg[0] : sum_single(t, a),
                   bracket ? a.k.num : 1);
        brackets += bracket;
    }
    *s = made;
    return brackets;
}

// common * (what remains)
static term pulled_out(terms *t, sum s) {
    term common = common_factor(t, s);
    sum rest = {0};
    for (int i = 0; i < s.count; i++)
        sum_add(t, &rest, terms_without(t, s.at[i], common));
    rest = flatten(t, &rest) ? terms_shorten(t, rest) : factored(t, rest, true);
    return terms_times(t, common, terms_bracket(t, rest));
}

static int weight(const terms *t, term a) {
    int all = 0;
    for (int i = 0; i < a.count; i++)
        all += 1 + terms_atom(t, a.at[i])->size + (a.at[i].power > 1 ? 2 : 0);
    return all;
}

/* Parameters alone are no reason for brackets around terms that have little to do with each other:
 * m*g*l*sin(a) - m*l*r*b'^2*sin(b), but k*(x - L) and m*(x'^2 + y'^2). */
static bool unrelated(terms *t, sum s, term common) {
    bool apart = common.count > 0, same = true;
    for (int i = 0; i < common.count; i++)
        apart &= terms_atom(t, common.at[i])->kinds == 1u << SYM_PARAM;
    for (int i = 0; i < s.count && apart; i++) {
        term rest = terms_without(t, s.at[i], common);
        apart &= rest.count > 1;
        same &= terms_alike(t, rest, terms_without(t, s.at[0], common));
    }
    return apart && !same;
}

// x*(x + 3*y) + y^2 is no gain for the reader
static bool remains(terms *t, sum s, term common) {
    for (int i = 0; i < s.count; i++)
        if (terms_common(t, terms_without(t, s.at[i], common), common).count)
            return true;
    return false;
}

static sum with_factor(terms *t, sum s, term part) {
    sum made = {0};
    for (int i = 0; i < s.count; i++)
        if (terms_like(terms_common(t, part, s.at[i]), part))
            vec_push(t->arena, made, s.at[i]);
    return made;
}

// the common factor that saves most, found in two terms and taken from all that have it
static bool best_factor(terms *t, sum s, term *out) {
    int most = 0;
    for (int i = 0; i < s.count; i++)
        for (int j = i + 1; j < s.count; j++) {
            term common = terms_common(t, s.at[i], s.at[j]);
            sum with = with_factor(t, s, common);
            int saved = (with.count - 1) * weight(t, common);
            if (saved > most && !unrelated(t, with, common) && !remains(t, with, common)) {
                most = saved;
                *out = common;
            }
        }
    return most > 0;
}

// terms that have the factor are put together, where the first of them stands
static sum grouped(terms *t, sum s, term common) {
    sum with = with_factor(t, s, common), made = {0};
    term group = pulled_out(t, with);
    for (int i = 0, member = 0; i < s.count; i++) {
        bool inside = member < with.count && terms_like(s.at[i], with.at[member]);
        if (!inside || member == 0)
            sum_add(t, &made, inside ? group : s.at[i]);
        member += inside;
    }
    return made;
}

// operations, and some more for brackets within brackets, which are hard to read
static int effort(terms *t, sum s, bool inside) {
    return terms_length(t, s) + NESTING * terms_nesting(t, s, inside);
}

// inside: it will stand in brackets
static sum factored(terms *t, sum s, bool inside) {
    if (s.count < 2)
        return s;
    term common = common_factor(t, s);
    if (!unrelated(t, s, common) && (common.count || common.k.num != 1 || common.k.den != 1)) {
        sum whole = sum_single(t, pulled_out(t, s));
        if (effort(t, whole, inside) < effort(t, s, inside))
            return whole;
    }
    while (s.count > 1 && s.count <= GROUPED_MOST && best_factor(t, s, &common)) {
        sum made = grouped(t, s, common);
        if (effort(t, made, inside) >= effort(t, s, inside))
            break;
        s = made;
    }
    return s;
}

sum terms_shorten(terms *t, sum s) {
    bool few = s.count <= PAIRED_MOST;
    while (few && join_any(t, &s))
        continue;
    while (few && square_any(t, &s))
        continue;
    return factored(t, s, false);
}
