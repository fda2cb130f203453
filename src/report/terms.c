/* Arithmetic of terms and sums: see terms.h. Looking for an equal atom or a like term is a walk over all of
 * them; there are some hundred at most. */
#include "report/terms.h"

#include "base/map.h"

#include <math.h>

// ---- numbers

static const double whole_most = 9007199254740992; // 2^53: up to here whole numbers are exact

static double divisor(double a, double b) {
    while (b != 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

static bool whole(double value) {
    return value == floor(value) && fabs(value) <= whole_most;
}

static ratio reduced(double num, double den) {
    if (!whole(num) || !whole(den))
        return (ratio){num / den, 1};
    double common = copysign(divisor(fabs(num), fabs(den)), den);
    return (ratio){num / common, den / common};
}

// 0.1 is 1/10 and 0.3333333333333333 is 1/3: what was typed, before it was rounded
ratio ratio_of(double value) {
    for (int den = 1; den <= 1000; den++)
        if (whole(value) || round(value * den) / den == value)
            return reduced(round(value * den), den);
    for (double den = 1e4; den <= 1e9; den *= 10)
        if (fabs(value * den) < 1e15 && round(value * den) / den == value)
            return reduced(round(value * den), den);
    return (ratio){value, 1};
}

ratio ratio_times(ratio a, ratio b) {
    return reduced(a.num * b.num, a.den * b.den);
}

ratio ratio_over(ratio a, ratio b) {
    return reduced(a.num * b.den, a.den * b.num);
}

ratio ratio_common(ratio a, ratio b) {
    double num = divisor(fabs(a.num), fabs(b.num)), den = a.den * b.den / divisor(a.den, b.den);
    bool exact = whole(a.num) && whole(b.num) && whole(den);
    return exact ? (ratio){num, den} : (ratio){fabs(a.num), a.den};
}

double ratio_value(ratio a) {
    return a.num / a.den;
}

bool ratio_same(ratio a, ratio b, double sign) {
    return a.num == sign * b.num && a.den == b.den;
}

static ratio ratio_plus(ratio a, ratio b) {
    double left = a.num * b.den, right = b.num * a.den;
    bool exact = whole(left) && whole(right) && whole(a.den * b.den);
    if (!exact && fabs(left + right) <= 1e-15 * fabs(left)) // equal but for rounding
        return (ratio){0, 1};
    return reduced(left + right, a.den * b.den);
}

// ---- terms

static term finished(term a) {
    a.hash = 0;
    for (int i = 0; i < a.count; i++) // the order of factors must not matter
        a.hash += map_mix(map_mix(1, (uint64_t)a.at[i].key), (uint64_t)a.at[i].power);
    return a;
}

term terms_number(ratio k) {
    return finished((term){.k = k});
}

static term one_factor(terms *t, int key) {
    term a = {.k = {1, 1}, .at = arena_array(t->arena, factor, 1), .count = 1};
    a.at[0] = (factor){key, 1};
    return finished(a);
}

// keys 2 atom and 2 atom + 1 stand side by side
static term cancelled(term a) {
    int count = 0;
    for (int i = 0; i < a.count; i++) {
        bool pair = i + 1 < a.count && a.at[i].key % 2 == 0 && a.at[i + 1].key == a.at[i].key + 1;
        int left = pair ? a.at[i].power - a.at[i + 1].power : a.at[i].power;
        int key = left < 0 ? a.at[i + 1].key : a.at[i].key;
        i += pair;
        if (left != 0)
            a.at[count++] = (factor){key, left < 0 ? -left : left};
    }
    a.count = count;
    return a;
}

term terms_times(terms *t, term a, term b) {
    term made = {.k = ratio_times(a.k, b.k), .at = arena_array(t->arena, factor, a.count + b.count)};
    t->failed |= !isfinite(made.k.num) || (made.k.num == 0) != (a.k.num == 0 || b.k.num == 0);
    for (int i = 0, j = 0; i < a.count || j < b.count;) {
        bool left = j == b.count || (i < a.count && a.at[i].key <= b.at[j].key);
        bool both = left && j < b.count && a.at[i].key == b.at[j].key;
        factor f = left ? a.at[i++] : b.at[j++];
        f.power += both ? b.at[j++].power : 0;
        made.at[made.count++] = f;
    }
    return finished(t->cancels ? cancelled(made) : made);
}

term terms_power(terms *t, term a, int n) {
    term made = {.k = {1, 1}, .at = arena_array(t->arena, factor, a.count), .count = a.count};
    for (int i = 0; i < n; i++)
        made.k = ratio_times(made.k, a.k);
    t->failed |= !isfinite(made.k.num) || (made.k.num == 0) != (a.k.num == 0);
    for (int i = 0; i < a.count; i++)
        made.at[i] = (factor){a.at[i].key, a.at[i].power * n};
    return finished(made);
}

term terms_inverse(terms *t, term a) {
    term made = terms_number((ratio){1, 1});
    for (int i = 0; i < a.count; i++) {
        term flipped = one_factor(t, a.at[i].key ^ 1);
        made = terms_times(t, made, terms_power(t, flipped, a.at[i].power));
    }
    t->failed |= a.k.num == 0;
    made.k = a.k.num == 0 ? made.k : ratio_over(made.k, a.k);
    return made;
}

static int power_in(term a, int key) {
    for (int i = 0; i < a.count; i++)
        if (a.at[i].key == key)
            return a.at[i].power;
    return 0;
}

term terms_common(terms *t, term a, term b) {
    term made = {.k = {1, 1}, .at = arena_array(t->arena, factor, a.count)};
    for (int i = 0; i < a.count; i++) {
        int other = power_in(b, a.at[i].key), power = a.at[i].power;
        if (other)
            made.at[made.count++] = (factor){a.at[i].key, other < power ? other : power};
    }
    return finished(made);
}

term terms_without(terms *t, term a, term part) {
    term made = {.k = ratio_over(a.k, part.k), .at = arena_array(t->arena, factor, a.count)};
    for (int i = 0; i < a.count; i++) {
        int power = a.at[i].power - power_in(part, a.at[i].key);
        if (power)
            made.at[made.count++] = (factor){a.at[i].key, power};
    }
    return finished(made);
}

bool terms_like(term a, term b) {
    if (a.hash != b.hash || a.count != b.count)
        return false;
    for (int i = 0; i < a.count; i++)
        if (a.at[i].key != b.at[i].key || a.at[i].power != b.at[i].power)
            return false;
    return true;
}

// ---- sums

static int find_like(const sum *s, term a) {
    for (int i = 0; i < s->count; i++)
        if (terms_like(s->at[i], a))
            return i;
    return -1;
}

void sum_remove(sum *s, int i) {
    for (s->count--; i < s->count; i++)
        s->at[i] = s->at[i + 1];
}

void sum_add(terms *t, sum *s, term a) {
    int i = find_like(s, a);
    if (a.k.num == 0)
        return;
    if (i < 0) {
        vec_push(t->arena, *s, a);
        return;
    }
    s->at[i].k = ratio_plus(s->at[i].k, a.k);
    t->failed |= !isfinite(s->at[i].k.num);
    if (s->at[i].k.num == 0)
        sum_remove(s, i);
}

void sum_append(terms *t, sum *s, sum other, double sign) {
    for (int i = 0; i < other.count; i++) {
        term a = other.at[i];
        a.k.num *= sign;
        sum_add(t, s, a);
    }
}

sum sum_scaled(terms *t, sum s, double k) {
    sum made = {0};
    sum_append(t, &made, s, k);
    return made;
}

sum sum_single(terms *t, term a) {
    sum made = {0};
    sum_add(t, &made, a);
    return made;
}

sum sum_times(terms *t, sum a, sum b) {
    sum made = {0};
    t->failed |= a.count * b.count > 4 * TERMS_MOST; // most of them could still cancel
    for (int i = 0; i < a.count && !t->failed; i++)
        for (int j = 0; j < b.count; j++)
            sum_add(t, &made, terms_times(t, a.at[i], b.at[j]));
    t->failed |= made.count > TERMS_MOST;
    return made;
}

static bool same_sum(sum a, sum b, double sign) { // a = sign b
    if (a.count != b.count)
        return false;
    for (int i = 0; i < a.count; i++) {
        int j = find_like(&b, a.at[i]);
        if (j < 0 || !ratio_same(a.at[i].k, b.at[j].k, sign))
            return false;
    }
    return true;
}

// ---- atoms

const atom *terms_atom(const terms *t, factor f) {
    return &t->atoms.at[f.key / 2];
}

term terms_symbol(terms *t, expr symbol) {
    for (int i = 0; i < t->atoms.count; i++)
        if (t->atoms.at[i].symbol == symbol)
            return one_factor(t, 2 * i);
    atom made = {.op = OP_SYMBOL, .symbol = symbol, .kinds = expr_kinds(t->pool, symbol), .size = 1};
    vec_push(t->arena, t->atoms, made);
    return one_factor(t, 2 * (t->atoms.count - 1));
}

static int find_call(const terms *t, op_code op, const sum *args, double sign) {
    for (int i = 0; i < t->atoms.count; i++) {
        const atom *a = &t->atoms.at[i];
        bool same = a->op == op && a->symbol == EXPR_NONE && same_sum(a->arg[0], args[0], sign);
        for (int k = 1; same && k < ops[op].arity && op != OP_ADD; k++)
            same = same_sum(a->arg[k], args[k], 1);
        if (same)
            return i;
    }
    return -1;
}

// whether sin or cos is to follow the other one, which has -u already
static bool partner_mirrored(const terms *t, op_code op, const sum *args) {
    return (op == OP_SIN && find_call(t, OP_COS, args, -1) >= 0) ||
           (op == OP_COS && find_call(t, OP_SIN, args, -1) >= 0);
}

static bool mostly_negative(sum s) {
    int balance = 0;
    for (int i = 0; i < s.count; i++)
        balance += s.at[i].k.num < 0 ? 1 : -1;
    return balance > 0;
}

static atom new_call(const terms *t, op_code op, const sum *args) {
    atom made = {.op = op, .size = 1};
    for (int k = 0; k < (op == OP_ADD ? 1 : ops[op].arity); k++) {
        made.arg[k] = args[k];
        for (int i = 0; i < args[k].count; i++)
            for (int j = 0; j < args[k].at[i].count; j++) {
                made.kinds |= terms_atom(t, args[k].at[i].at[j])->kinds;
                made.size += 1 + terms_atom(t, args[k].at[i].at[j])->size;
            }
    }
    return made;
}

term terms_call(terms *t, op_code op, const sum *args) {
    double mirror = op == OP_ADD ? -1 : ops_symmetry(op), sign = 1; // OP_ADD: brackets
    int found = find_call(t, op, args, 1);
    if (found < 0 && mirror != 0) {
        found = find_call(t, op, args, -1);
        sign = found >= 0 ? mirror : 1;
    }
    if (found < 0) {
        atom made = new_call(t, op, args);
        if (mirror != 0 && (mostly_negative(args[0]) || partner_mirrored(t, op, args))) {
            made.arg[0] = sum_scaled(t, args[0], -1);
            sign = mirror;
        }
        found = t->atoms.count;
        vec_push(t->arena, t->atoms, made);
    }
    term a = one_factor(t, 2 * found);
    a.k.num = sign;
    return a;
}

term terms_bracket(terms *t, sum s) {
    return s.count == 0 ? terms_number((ratio){0, 1}) : s.count == 1 ? s.at[0] : terms_call(t, OP_ADD, &s);
}
