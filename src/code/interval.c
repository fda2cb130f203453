#include "code/interval.h"

#include "code/tape.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* More than the error of any operation or function of the C library, relative: 3.6 units in the last place.
 */
static const double WIDEN = 8e-16;
static const double PI = 3.141592653589793;
static const interval ALL = {-INFINITY, INFINITY}, ZERO = {0, 0}, ONE = {1, 1};

// ---- bounds of numbers

static double smaller(double a, double b) { // as fmin, without a call; a NaN stays
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

// lo and hi as computed, widened
static interval around(double lo, double hi) {
    if (!(lo <= hi))
        return ALL;
    if (lo == INFINITY || hi == -INFINITY) // what overflowed is larger than all there is
        return lo > 0 ? (interval){DBL_MAX, INFINITY} : (interval){-INFINITY, -DBL_MAX};
    return (interval){lo - WIDEN * fabs(lo), hi + WIDEN * fabs(hi)};
}

static interval between(double a, double b) {
    return a <= b ? around(a, b) : around(b, a);
}

interval interval_hull(interval a, interval b) {
    return (interval){smaller(a.lo, b.lo), larger(a.hi, b.hi)};
}

interval interval_meet(interval a, interval b) {
    interval both = {larger(a.lo, b.lo), smaller(a.hi, b.hi)};
    return both.lo <= both.hi ? both : a;
}

interval interval_add(interval a, interval b) {
    return around(a.lo + b.lo, a.hi + b.hi);
}

static interval subtract(interval a, interval b) {
    return around(a.lo - b.hi, a.hi - b.lo);
}

static interval negative(interval a) {
    return (interval){-a.hi, -a.lo};
}

static double product(double a, double b) { // 0 times infinity bounds nothing else than 0
    return a == 0 || b == 0 ? 0 : a * b;
}

interval interval_multiply(interval a, interval b) {
    double p = product(a.lo, b.lo), q = product(a.lo, b.hi), r = product(a.hi, b.lo), s = product(a.hi, b.hi);
    return around(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)));
}

static interval square(interval a) {
    double l = a.lo * a.lo, h = a.hi * a.hi;
    return around(interval_has(a, 0) ? 0 : smaller(l, h), larger(l, h));
}

static interval divide(interval a, interval b) {
    return interval_has(b, 0) ? ALL : interval_multiply(a, between(1 / b.hi, 1 / b.lo));
}

// ---- values of functions

static interval rising(double (*f)(double), interval a) {
    return around(f(a.lo), f(a.hi));
}

// whether a has a point of first + k period, k whole
static bool meets(interval a, double first, double period) {
    return floor((a.hi - first) / period + WIDEN) >= ceil((a.lo - first) / period - WIDEN);
}

// cos of a, whose maxima are at top
static interval wave(interval a, double top) {
    if (!(a.hi - a.lo < 2 * PI))
        return (interval){-1, 1};
    double l = cos(a.lo - top), h = cos(a.hi - top), rounding = WIDEN * (1 + larger(fabs(a.lo), fabs(a.hi)));
    return (interval){meets(a, top + PI, 2 * PI) ? -1 : larger(-1, smaller(l, h) - rounding),
                      meets(a, top, 2 * PI) ? 1 : smaller(1, larger(l, h) + rounding)};
}

static interval power(interval a, interval b) {
    if (!(a.lo > 0)) { // by multiplication are whole powers up to OPS_POWER_MOST, which do not come here
        bool whole = b.lo == b.hi && b.lo == floor(b.lo) && b.lo > 0;
        double most = pow(larger(fabs(a.lo), fabs(a.hi)), b.hi);
        return whole ? around(-most, most) : ALL;
    }
    double p = pow(a.lo, b.lo), q = pow(a.lo, b.hi), r = pow(a.hi, b.lo), s = pow(a.hi, b.hi);
    return around(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)));
}

// the part of a at which f is defined, from least to most; all that is outside is no number
static interval within(double (*f)(double), interval a, double least, double most) {
    if (!(a.lo >= least - WIDEN && a.hi <= most + WIDEN))
        return ALL;
    return between(f(smaller(larger(a.lo, least), most)), f(smaller(larger(a.hi, least), most)));
}

static bool crosses_cut(interval y, interval x) { // of atan2; or holds (0, 0)
    return x.lo <= 0 && (y.lo < 0 ? y.hi >= 0 : y.lo == 0 && x.hi >= 0);
}

// the angle over a rectangle without the cut is extreme in corners
static interval angle(interval y, interval x) {
    if (crosses_cut(y, x))
        return (interval){-PI, PI};
    double p = atan2(y.lo, x.lo), q = atan2(y.lo, x.hi), r = atan2(y.hi, x.lo), s = atan2(y.hi, x.hi);
    return around(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)));
}

static interval magnitude(interval a) {
    return a.lo >= 0 ? a : a.hi <= 0 ? negative(a) : (interval){0, larger(-a.lo, a.hi)};
}

static interval hyperbolic_cosine(interval a) {
    interval size = magnitude(a);
    return around(cosh(size.lo), cosh(size.hi));
}

static interval truth(bool may_be_false, bool may_be_true) {
    return (interval){may_be_false ? 0 : 1, may_be_true ? 1 : 0};
}

static bool certainly_equal(interval a, interval b) {
    return a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
}

static bool may_be_equal(interval a, interval b) {
    return a.lo <= b.hi && b.lo <= a.hi;
}

static double sign(double x) {
    return (x > 0) - (x < 0);
}

static bool is_true(interval a) {
    return !interval_has(a, 0);
}

static bool is_false(interval a) {
    return a.lo == 0 && a.hi == 0;
}

static interval value_of(op_code op, interval a, interval b, interval c, bool same) {
    switch (op) {
    case OP_NEG:
        return negative(a);
    case OP_ADD:
        return interval_add(a, b);
    case OP_SUB:
        return same ? ZERO : subtract(a, b);
    case OP_MUL:
        return same ? square(a) : interval_multiply(a, b);
    case OP_DIV:
        return divide(a, b);
    case OP_POW:
        return power(a, b);
    case OP_SQRT:
        return within(sqrt, a, 0, INFINITY);
    case OP_SIN:
        return wave(a, PI / 2);
    case OP_COS:
        return wave(a, 0);
    case OP_TAN:
        return meets(a, PI / 2, PI) ? ALL : rising(tan, a);
    case OP_ASIN:
        return within(asin, a, -1, 1);
    case OP_ACOS:
        return within(acos, a, -1, 1);
    case OP_ATAN:
        return rising(atan, a);
    case OP_ATAN2:
        return angle(a, b);
    case OP_SINH:
        return rising(sinh, a);
    case OP_COSH:
        return hyperbolic_cosine(a);
    case OP_TANH:
        return rising(tanh, a);
    case OP_EXP:
        return rising(exp, a);
    case OP_LOG:
        return a.lo > 0 ? rising(log, a) : ALL;
    case OP_ABS:
        return magnitude(a);
    case OP_SIGN:
        return (interval){sign(a.lo), sign(a.hi)};
    case OP_MIN:
        return (interval){smaller(a.lo, b.lo), smaller(a.hi, b.hi)};
    case OP_MAX:
        return (interval){larger(a.lo, b.lo), larger(a.hi, b.hi)};
    case OP_FLOOR:
        return (interval){floor(a.lo), floor(a.hi)};
    case OP_LT:
        return truth(!(a.hi < b.lo), a.lo < b.hi);
    case OP_LE:
        return truth(!(a.hi <= b.lo), a.lo <= b.hi);
    case OP_EQ:
        return truth(!certainly_equal(a, b), may_be_equal(a, b));
    case OP_NE:
        return truth(may_be_equal(a, b), !certainly_equal(a, b));
    case OP_AND:
        return truth(!(is_true(a) && is_true(b)), !is_false(a) && !is_false(b));
    case OP_OR:
        return truth(!is_true(a) && !is_true(b), !is_false(a) || !is_false(b));
    case OP_NOT:
        return truth(!is_false(a), !is_true(a));
    case OP_IF:
        return is_true(a) ? b : is_false(a) ? c : interval_hull(b, c);
    default:
        return ALL;
    }
}

// ---- derivatives by time

// f' a', where f' = 0 or a' = 0 leaves nothing
static interval chain(interval slope, interval da) {
    return is_false(da) ? ZERO : interval_multiply(slope, da);
}

static interval root_slope(interval value, interval da) {
    return chain(divide(ONE, interval_add(value, value)), da);
}

static interval arc_slope(interval a, interval da, interval (*turned)(interval)) {
    interval root = within(sqrt, subtract(ONE, square(a)), 0, INFINITY);
    return chain(turned(divide(ONE, root)), da);
}

static interval as_it_is(interval a) {
    return a;
}

// a^b (b a'/a + b' log(a))
static interval power_slope(interval value, interval a, interval b, interval da, interval db) {
    if (is_false(da) && is_false(db))
        return ZERO;
    if (is_false(db) && b.lo == b.hi && b.lo == floor(b.lo) && b.lo >= 1)
        return chain(interval_multiply(b, power(a, interval_of(b.lo - 1))), da);
    if (!(a.lo > 0))
        return ALL;
    return interval_multiply(value, interval_add(chain(divide(b, a), da), chain(rising(log, a), db)));
}

static interval angle_slope(interval y, interval x, interval dy, interval dx) {
    if (crosses_cut(y, x))
        return ALL;
    return divide(subtract(chain(x, dy), chain(y, dx)), interval_add(square(y), square(x)));
}

static interval chosen(interval da, interval db, bool a, bool b) {
    return a ? da : b ? db : interval_hull(da, db);
}

// of what only chooses: 0, or unknown where it has not decided
static interval jump(interval value) {
    return value.lo == value.hi ? ZERO : ALL;
}

typedef struct {
    interval value, slope;
} pair;

static interval slope_of(op_code op, interval value, pair a, pair b, pair c) {
    switch (op) {
    case OP_NEG:
        return negative(a.slope);
    case OP_ADD:
        return interval_add(a.slope, b.slope);
    case OP_SUB:
        return subtract(a.slope, b.slope);
    case OP_MUL:
        return interval_add(chain(b.value, a.slope), chain(a.value, b.slope));
    case OP_DIV: // (a' - (a/b) b') / b
        return divide(subtract(a.slope, chain(value, b.slope)), b.value);
    case OP_POW:
        return power_slope(value, a.value, b.value, a.slope, b.slope);
    case OP_SQRT:
        return root_slope(value, a.slope);
    case OP_SIN:
        return chain(wave(a.value, 0), a.slope);
    case OP_COS:
        return chain(negative(wave(a.value, PI / 2)), a.slope);
    case OP_TAN:
        return chain(interval_add(ONE, square(value)), a.slope);
    case OP_ASIN:
        return arc_slope(a.value, a.slope, as_it_is);
    case OP_ACOS:
        return arc_slope(a.value, a.slope, negative);
    case OP_ATAN:
        return chain(divide(ONE, interval_add(ONE, square(a.value))), a.slope);
    case OP_ATAN2:
        return angle_slope(a.value, b.value, a.slope, b.slope);
    case OP_SINH:
        return chain(hyperbolic_cosine(a.value), a.slope);
    case OP_COSH:
        return chain(rising(sinh, a.value), a.slope);
    case OP_TANH:
        return chain(subtract(ONE, square(value)), a.slope);
    case OP_EXP:
        return chain(value, a.slope);
    case OP_LOG:
        return chain(divide(ONE, a.value), a.slope);
    case OP_ABS:
        return chain((interval){sign(a.value.lo), sign(a.value.hi)}, a.slope);
    case OP_MIN:
        return chosen(a.slope, b.slope, a.value.hi < b.value.lo, b.value.hi < a.value.lo);
    case OP_MAX:
        return chosen(a.slope, b.slope, a.value.lo > b.value.hi, b.value.lo > a.value.hi);
    case OP_IF:
        return is_true(a.value) ? b.slope : is_false(a.value) ? c.slope : ALL;
    default:
        return jump(value);
    }
}

// ---- kernels

size_t kernel_bounds_size(const kernel *k) {
    return (size_t)k->slots;
}

static void run_values(const tape *t, interval *work) {
    for (const run *r = t->runs, *end = r + t->count; r < end; r++) {
        int arity = ops[r->op].arity;
        const int *a = r->args;
        for (int i = 0; i < r->count; i++, a += arity)
            work[r->first + i] = value_of(r->op, work[a[0]], work[a[arity > 1]], work[a[arity > 2 ? 2 : 0]],
                                          arity > 1 && a[0] == a[1]);
    }
}

static void run_slopes(const tape *t, const interval *work, interval *slope) {
    for (const run *r = t->runs, *end = r + t->count; r < end; r++) {
        int arity = ops[r->op].arity;
        const int *args = r->args;
        for (int i = 0; i < r->count; i++, args += arity) {
            int a = args[0], b = args[arity > 1], c = args[arity > 2 ? 2 : 0], at = r->first + i;
            slope[at] = slope_of(r->op, work[at], (pair){work[a], slope[a]}, (pair){work[b], slope[b]},
                                 (pair){work[c], slope[c]});
            if (isinf(work[at].lo) || isinf(work[at].hi))
                slope[at] = ALL; // beyond a pole it begins anew
        }
    }
}

void kernel_bounds_prepare(const kernel *k, const double *in, interval *work) {
    for (int i = 0; i < k->inputs; i++)
        work[i] = interval_of(in[i]);
    for (int i = 0; i < k->numbers; i++)
        work[k->inputs + i] = interval_of(k->number[i]);
    run_values(&k->prepare, work);
}

void kernel_bound(const kernel *k, const bounds *b) {
    size_t inputs = (size_t)k->inputs * sizeof(interval);
    if (inputs)
        memcpy(b->work, b->in, inputs);
    run_values(&k->code->tape, b->work);
    for (int i = 0; i < k->outputs; i++)
        b->out[i] = b->work[k->code->output[i]];
    if (b->slope_in == NULL)
        return;
    if (inputs)
        memcpy(b->slope_work, b->slope_in, inputs);
    for (int i = k->inputs; i < k->program.first; i++)
        b->slope_work[i] = ZERO; // numbers, and what depends on parameters alone
    run_slopes(&k->code->tape, b->work, b->slope_work);
    for (int i = 0; i < k->outputs; i++)
        b->slope_out[i] = b->slope_work[k->code->output[i]];
}
