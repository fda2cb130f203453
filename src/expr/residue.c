/* Arithmetic modulo 2^61 - 1 and 2^57 - 13, and expressions in it: see residue.h. A product costs 4 ns; a
 * quotient, by Fermat's u^(p-2) = 1/u, 70 of them. */
#include "expr/residue.h"

#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

// ---- numbers of one field, p = 2^bits - less

typedef struct {
    int bits;
    uint64_t less;
} field;

static const field fields[2] = {{61, 1}, {57, 13}};

static inline field field_of(int lane) {
    return fields[lane / 2];
}

static inline uint64_t prime(field f) {
    return ((uint64_t)1 << f.bits) - f.less;
}

// any number below 2^64: 2^bits is less
static inline uint64_t reduced(field f, uint64_t x) {
    uint64_t mask = ((uint64_t)1 << f.bits) - 1;
    x = (x & mask) + f.less * (x >> f.bits);
    return x >= prime(f) ? x - prime(f) : x;
}

static inline uint64_t plus(field f, uint64_t a, uint64_t b) {
    uint64_t s = a + b;
    return s >= prime(f) ? s - prime(f) : s;
}

static inline uint64_t minus(field f, uint64_t a) {
    return a ? prime(f) - a : 0;
}

static inline uint64_t times(field f, uint64_t a, uint64_t b) {
    wide product = (wide)a * b;
    uint64_t mask = ((uint64_t)1 << f.bits) - 1;
    return reduced(f, ((uint64_t)product & mask) + f.less * (uint64_t)(product >> f.bits));
}

static inline uint64_t power(field f, uint64_t a, unsigned n) {
    if (n == 2)
        return times(f, a, a);
    uint64_t result = 1;
    for (; n > 1; n >>= 1, a = times(f, a, a))
        if (n & 1)
            result = times(f, result, a);
    return n ? times(f, result, a) : result;
}

static uint64_t squared(field f, uint64_t a, int often) {
    while (often-- > 0)
        a = times(f, a, a);
    return a;
}

/* a^(p-2). With r = a^(2^k - 1) for the leading bits k of bits - 4: r^(2^k) r has 2k, r^2 a one more. Then
 * p - 2 = 2^4 (2^(bits-4) - 1) + 16 - less - 2. */
static uint64_t inverse(field f, uint64_t a) {
    uint64_t r = a;
    int ones = 1, most = f.bits - 4;
    for (int bit = 4; bit >= 0; bit--) { // most has six bits
        r = times(f, squared(f, r, ones), r);
        ones *= 2;
        if (most >> bit & 1) {
            r = times(f, times(f, r, r), a);
            ones++;
        }
    }
    return times(f, squared(f, r, 4), power(f, a, (unsigned)(14 - f.less)));
}

static uint64_t number_in(field f, uint64_t mantissa, int exponent) {
    uint64_t two = exponent < 0 ? (prime(f) + 1) / 2 : 2;
    return times(f, reduced(f, mantissa), power(f, two, (unsigned)abs(exponent)));
}

static uint64_t mixed(uint64_t x) { // the finish of splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t hashed(uint64_t hash, uint64_t value) {
    return mixed(hash * 0x9e3779b97f4a7c15u + value + 0x632be59bd9b4e019u);
}

// ---- residues

bool residue_number(double value, residue *out) {
    if (!isfinite(value))
        return false;
    int exponent = 0;
    double mantissa = fabs(value);
    if (mantissa != floor(mantissa) || mantissa > 0x1p53) {
        mantissa = ldexp(frexp(mantissa, &exponent), 53);
        exponent -= 53;
    }
    for (int k = 0; k < RESIDUE_LANES; k += 2) {
        uint64_t r = number_in(field_of(k), (uint64_t)mantissa, exponent);
        out->at[k] = out->at[k + 1] = value < 0 ? minus(field_of(k), r) : r;
    }
    return true;
}

residue residue_random(uint64_t which) {
    residue r;
    for (int k = 0; k < RESIDUE_LANES; k++)
        r.at[k] = reduced(field_of(k), hashed((uint64_t)k + 1, which));
    return r;
}

bool residue_same(residue a, residue b) {
    return memcmp(a.at, b.at, sizeof a.at) == 0;
}

bool residue_constant(residue a) {
    return a.at[0] == a.at[1] && a.at[2] == a.at[3];
}

residue residue_plus(residue a, residue b) {
    for (int k = 0; k < RESIDUE_LANES; k++)
        a.at[k] = plus(field_of(k), a.at[k], b.at[k]);
    return a;
}

residue residue_negative(residue a) {
    for (int k = 0; k < RESIDUE_LANES; k++)
        a.at[k] = minus(field_of(k), a.at[k]);
    return a;
}

residue residue_times(residue a, residue b) {
    for (int k = 0; k < RESIDUE_LANES; k++)
        a.at[k] = times(field_of(k), a.at[k], b.at[k]);
    return a;
}

// both points of a field with one division: 1/a = b (1/ab)
static bool inverted(residue a, residue *out) {
    for (int k = 0; k < RESIDUE_LANES; k += 2) {
        field f = field_of(k);
        uint64_t both = times(f, a.at[k], a.at[k + 1]);
        if (both == 0)
            return false;
        both = inverse(f, both);
        out->at[k] = times(f, both, a.at[k + 1]);
        out->at[k + 1] = times(f, both, a.at[k]);
    }
    return true;
}

bool residue_over(residue a, residue b, residue *out) {
    residue over;
    if (!inverted(b, &over))
        return false;
    *out = residue_times(a, over);
    return true;
}

static bool somewhere_zero(residue a) {
    return a.at[0] == 0 || a.at[1] == 0 || a.at[2] == 0 || a.at[3] == 0;
}

/* r at one point over r at the other. Many are divided by their second values with one inverse: of the
 * product of all of them, from which the factors are taken off again one by one. */
void residue_directions(int count, const residue *r, residue_direction *out) {
    for (int side = 0; side < 2; side++) {
        field f = fields[side];
        uint64_t all = 1;
        for (int i = 0; i < count; i++) {
            out[i].at[side] = all; // of those before
            all = somewhere_zero(r[i]) ? all : times(f, all, r[i].at[2 * side + 1]);
        }
        all = inverse(f, all);
        for (int i = count - 1; i >= 0; i--) {
            if (somewhere_zero(r[i])) {
                out[i].at[side] = 0;
                continue;
            }
            out[i].at[side] = times(f, r[i].at[2 * side], times(f, all, out[i].at[side]));
            all = times(f, all, r[i].at[2 * side + 1]);
        }
    }
}

// ---- plans

typedef struct {
    op_code op;
    int to, arg[3]; // places in values
    sym_kind kind;  // of a symbol
    int index;
    double number;
    bool plain; // the second operand is a number or symbol, not computed
} step;

struct residue_plan {
    residue *values; // of all nodes
    step *steps;     // of those that are not fixed
    int count, root_count, roots[RESIDUE_ROOTS_MOST];
    uint64_t *partial; // hashes of operations that are not defined everywhere, those of fixed nodes first
    int partial_count, partial_fixed;
    uint64_t *sorted; // workspace
    bool circle;
};

static void note_partial(residue_plan *p, uint64_t hash) {
    p->partial[p->partial_count++] = hash;
}

/* A denominator u, up to a constant factor. */
static void note_denominator(residue_plan *p, residue u, residue over) {
    if (residue_constant(u))
        return;
    uint64_t first = times(fields[0], u.at[0], over.at[1]), second = times(fields[1], u.at[2], over.at[3]);
    note_partial(p, hashed(hashed(OP_DIV, first), second));
}

static bool divide(residue_plan *p, residue a, residue b, residue *out) {
    residue over;
    if (!inverted(b, &over))
        return false;
    note_denominator(p, b, over);
    *out = residue_times(a, over);
    return true;
}

static void swap_to_order(uint64_t *a, uint64_t *b) {
    uint64_t least = *a < *b ? *a : *b, most = *a < *b ? *b : *a;
    *a = least;
    *b = most;
}

// a random function with the symmetries of op
static residue call(residue_plan *p, const step *s) {
    int arity = ops[s->op].arity, mirror = ops_symmetry(s->op);
    bool partial = !(ops[s->op].flags & OPS_TOTAL);
    uint64_t all = 0;
    residue out;
    for (int k = 0; k < RESIDUE_LANES; k++) {
        field f = field_of(k);
        uint64_t arg[3] = {0}, hash = 1000 + (uint64_t)s->op;
        for (int i = 0; i < arity; i++)
            arg[i] = p->values[s->arg[i]].at[k];
        bool flip = mirror && arg[0] > minus(f, arg[0]) && arg[0];
        arg[0] = flip ? minus(f, arg[0]) : arg[0];
        if (ops[s->op].flags & OPS_COMMUTES)
            swap_to_order(&arg[0], &arg[1]);
        for (int i = 0; i < arity; i++)
            hash = hashed(hash, arg[i]);
        all = hashed(all, hash);
        out.at[k] = reduced(f, hash);
        out.at[k] = mirror < 0 && arg[0] == 0 ? 0 : flip && mirror < 0 ? minus(f, out.at[k]) : out.at[k];
    }
    if (partial)
        note_partial(p, all);
    return out;
}

// sin or cos with r a random odd function of the argument; false if 1 + r^2 is 0
static bool on_circle(const residue_plan *p, const step *s, residue *out) {
    residue r, one = {{1, 1, 1, 1}};
    for (int k = 0; k < RESIDUE_LANES; k++) {
        field f = field_of(k);
        uint64_t u = p->values[s->arg[0]].at[k], opposite = minus(f, u);
        bool flip = u > opposite;
        r.at[k] = u == 0 ? 0 : reduced(f, hashed(1000 + OP_SIN, flip ? opposite : u));
        r.at[k] = flip ? minus(f, r.at[k]) : r.at[k];
    }
    residue square = residue_times(r, r), below = residue_plus(one, square);
    residue above = s->op == OP_SIN ? residue_plus(r, r) : residue_plus(one, residue_negative(square));
    return residue_over(above, below, out);
}

// n if it is a whole number for which powers are products, and else 0
static int whole_exponent(const residue *e) {
    uint64_t n = e->at[0], m = prime(fields[0]) - n;
    if (!residue_constant(*e))
        return 0;
    if (n <= OPS_POWER_MOST && e->at[2] == n)
        return (int)n;
    return m <= OPS_POWER_MOST && e->at[2] == prime(fields[1]) - m ? -(int)m : 0;
}

static bool raise(residue_plan *p, const step *s, residue *out) {
    residue base = p->values[s->arg[0]];
    int n = s->plain ? whole_exponent(&p->values[s->arg[1]]) : 0;
    if (n == 0) {
        *out = call(p, s);
        return true;
    }
    if (n < 0 && !divide(p, (residue){{1, 1, 1, 1}}, base, &base))
        return false;
    for (int k = 0; k < RESIDUE_LANES; k++)
        out->at[k] = power(field_of(k), base.at[k], (unsigned)abs(n));
    return true;
}

static bool perform(residue_plan *p, const step *s, residue_get get, void *context) {
    residue *v = p->values, *out = &v[s->to];
    switch (s->op) {
    case OP_NUMBER:
        return residue_number(s->number, out);
    case OP_SYMBOL:
        return get(context, s->kind, s->index, out);
    case OP_NEG:
        *out = residue_negative(v[s->arg[0]]);
        return true;
    case OP_ADD:
        *out = residue_plus(v[s->arg[0]], v[s->arg[1]]);
        return true;
    case OP_SUB:
        *out = residue_plus(v[s->arg[0]], residue_negative(v[s->arg[1]]));
        return true;
    case OP_MUL:
        *out = residue_times(v[s->arg[0]], v[s->arg[1]]);
        return true;
    case OP_DIV:
        return divide(p, v[s->arg[0]], v[s->arg[1]], out);
    case OP_POW:
        return raise(p, s, out);
    case OP_SIN:
    case OP_COS:
        if (p->circle)
            return on_circle(p, s, out);
        // fall through
    default:
        *out = call(p, s);
        return true;
    }
}

void residue_plan_on_circle(residue_plan *p) {
    p->circle = true;
}

// ---- making plans

/* Degrees of numerator and denominator, at most. A random function counts as one more symbol. */
typedef struct {
    double above, below;
} degrees;

static degrees degrees_of_power(const expr_pool *pool, expr exponent, degrees base) {
    if (expr_op(pool, exponent) != OP_NUMBER)
        return (degrees){OPS_POWER_MOST * (base.above + base.below) + 1,
                         OPS_POWER_MOST * (base.above + base.below)};
    double n = expr_value(pool, exponent);
    if (!ops_power_is_product(n))
        return (degrees){1, 0};
    return n < 0 ? (degrees){-n * base.below, -n * base.above} : (degrees){n * base.above, n * base.below};
}

static degrees degrees_of(const expr_pool *pool, expr e, const step *s, const degrees *known) {
    degrees a = known[s->arg[0]], b = known[s->arg[1]];
    switch (s->op) {
    case OP_NUMBER:
        return (degrees){0, 0};
    case OP_NEG:
        return a;
    case OP_ADD:
    case OP_SUB:
        return (degrees){fmax(a.above + b.below, b.above + a.below), a.below + b.below};
    case OP_MUL:
        return (degrees){a.above + b.above, a.below + b.below};
    case OP_DIV:
        return (degrees){a.above + b.below, a.below + b.above};
    case OP_POW:
        return degrees_of_power(pool, expr_arg(pool, e, 1), a);
    default:
        return (degrees){1, 0};
    }
}

static step step_of(const expr_pool *pool, expr e, int to, const map *places) {
    step s = {.op = expr_op(pool, e), .to = to};
    if (s.op == OP_NUMBER)
        s.number = expr_value(pool, e);
    if (s.op == OP_SYMBOL) {
        s.kind = expr_kind(pool, e);
        s.index = expr_index(pool, e);
    }
    for (int k = 0; k < ops[s.op].arity; k++)
        s.arg[k] = map_get(places, expr_arg(pool, e, k));
    if (s.op == OP_POW)
        s.plain = ops[expr_op(pool, expr_arg(pool, e, 1))].arity == 0;
    return s;
}

residue_plan *residue_plan_new(arena *a, const expr_pool *pool, const expr *roots, int count, unsigned fixed,
                               residue_get get, void *context) {
    expr *order;
    int size = expr_order(pool, roots, count, a, &order);
    residue_plan *p = arena_alloc(a, sizeof *p);
    p->values = arena_array(a, residue, size);
    p->steps = arena_array(a, step, size);
    p->partial = arena_array(a, uint64_t, 2 * size);
    degrees *degree = arena_array(a, degrees, size);
    map places;
    map_init(&places, a);
    for (int i = 0; i < size; i++) {
        step s = step_of(pool, order[i], i, &places);
        degree[i] = degrees_of(pool, order[i], &s, degree);
        if (degree[i].above + degree[i].below > RESIDUE_DEGREE)
            return NULL;
        if (expr_kinds(pool, order[i]) & ~fixed)
            p->steps[p->count++] = s;
        else if (!perform(p, &s, get, context))
            return NULL;
        map_put(&places, order[i], i);
    }
    p->partial_fixed = p->partial_count;
    p->sorted = p->partial + size;
    p->root_count = count;
    for (int i = 0; i < count; i++)
        p->roots[i] = map_get(&places, roots[i]);
    return p;
}

// ---- running them

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t domain_of(residue_plan *p) {
    uint64_t hash = 0;
    if (p->partial_count == 0)
        return 0;
    memcpy(p->sorted, p->partial, (size_t)p->partial_count * sizeof *p->sorted);
    qsort(p->sorted, (size_t)p->partial_count, sizeof *p->sorted, ascending);
    for (int i = 0; i < p->partial_count; i++)
        if (i == 0 || p->sorted[i] != p->sorted[i - 1])
            hash = hashed(hash, p->sorted[i]);
    return hash;
}

bool residue_run(residue_plan *p, residue_get get, void *context, residue *out, uint64_t *domain) {
    p->partial_count = p->partial_fixed;
    for (int i = 0; i < p->count; i++)
        if (!perform(p, &p->steps[i], get, context))
            return false;
    for (int i = 0; i < p->root_count; i++)
        out[i] = p->values[p->roots[i]];
    *domain = domain_of(p);
    return true;
}
