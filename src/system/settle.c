#include "system/settle.h"

#include "expr/residue.h"
#include "system/terms.h"

#include <math.h>
#include <string.h>

enum { V_MOST = 6, ROOTS_MOST = RESIDUE_ROOTS_MOST }; // symbols in one polynomial, expressions at once
enum { POWERS = 3 };                                  // of |p|^2, by which all is multiplied: 0, -1, 1

double settle_some_number(sym_kind kind, int index) {
    return 0.6 + 0.3 * sin(1.0 + 2.7 * index + kind);
}

// ---- what occurs in an expression

typedef struct {
    int v[V_MOST], count; // symbols SYM_V, ascending; count > V_MOST: there are more
    int first;            // the only quaternion that occurs; -1: others do, or none
} symbols_in;

static int quaternion_of(const trm_system *sys, int coordinate) {
    for (int i = 0; i < sys->mech->quaternions.count; i++) {
        int first = sys->mech->quaternions.at[i].first;
        if (coordinate >= first && coordinate < first + 4)
            return first;
    }
    return -1;
}

static void note_velocity(symbols_in *s, int index) {
    int k = s->count++;
    if (s->count > V_MOST)
        return;
    for (; k > 0 && s->v[k - 1] > index; k--)
        s->v[k] = s->v[k - 1];
    s->v[k] = index;
}

static symbols_in symbols_of(const trm_system *sys, const expr_pool *pool, expr e, arena *a) {
    expr *order;
    symbols_in s = {.first = -1};
    bool others = false;
    int nodes = expr_order(pool, &e, 1, a, &order);
    for (int i = 0; i < nodes; i++) {
        if (expr_op(pool, order[i]) != OP_SYMBOL)
            continue;
        sym_kind kind = expr_kind(pool, order[i]);
        int index = expr_index(pool, order[i]);
        if (kind == SYM_V)
            note_velocity(&s, index);
        if (kind == SYM_P && s.first < 0)
            s.first = quaternion_of(sys, index);
        others |= kind == SYM_P && (s.first < 0 || index < s.first || index >= s.first + 4);
    }
    s.first = others ? -1 : s.first;
    return s;
}

static bool same_symbols(const symbols_in *a, const symbols_in *b) {
    return a->count == b->count && a->first == b->first &&
           memcmp(a->v, b->v, (size_t)a->count * sizeof *a->v) == 0;
}

// ---- values of some expressions with the same symbols, at chosen velocities, all else being random

typedef struct {
    residue exact;
    double number;
} value_at;

typedef struct {
    const trm_system *sys;
    expr_pool *pool;
    residue_plan *plan;
    symbols_in in;
    const expr *e; // (count)
    int count;
    int at[V_MOST]; // what the velocities are ...
    bool random;    // ... unless they are random, too
    bool exact;     // before numbers are looked at
    bool fails;
} probe;

static int place_of(const probe *p, int index) {
    int k = 0;
    while (p->in.v[k] != index)
        k++;
    return k;
}

static bool get_exact(void *context, sym_kind kind, int index, residue *out) {
    const probe *p = context;
    if (kind == SYM_PARAM)
        return residue_number(p->sys->model->params.at[index].value, out);
    if (kind == SYM_V && !p->random)
        return residue_number(p->at[place_of(p, index)], out);
    *out = residue_random((uint64_t)index * SYM_KINDS + kind);
    return true;
}

static double get_number(void *context, sym_kind kind, int index) {
    const probe *p = context;
    if (kind == SYM_PARAM)
        return p->sys->model->params.at[index].value;
    return kind == SYM_V ? p->at[place_of(p, index)] : settle_some_number(kind, index);
}

static void look(probe *p, value_at *out) {
    residue exact[ROOTS_MOST] = {0};
    double number[ROOTS_MOST] = {0};
    uint64_t domain;
    if (p->exact)
        p->fails |= !residue_run(p->plan, get_exact, p, exact, &domain);
    else
        expr_eval_all(p->pool, p->e, p->count, get_number, p, number);
    for (int k = 0; k < p->count; k++)
        out[k] = (value_at){exact[k], number[k]};
}

// ---- coefficients

static value_at scaled(double factor, value_at a) {
    residue f;
    residue_number(factor, &f);
    return (value_at){residue_times(f, a.exact), factor * a.number};
}

static value_at sum(value_at a, value_at b) {
    return (value_at){residue_plus(a.exact, b.exact), a.number + b.number};
}

static value_at difference(value_at a, value_at b) {
    return sum(a, scaled(-1, b));
}

typedef struct {
    value_at constant, linear[V_MOST], square[V_MOST][V_MOST]; // square: those with b <= a
    unsigned powers; // bits: of |p|^2, with which all so far are numbers
} polynomial;

// |p|^2 to the power k of POWERS; false if that is nothing
static bool norm_to(const probe *p, int k, value_at *out) {
    value_at one = {.number = 1}, square = {.number = 0};
    residue_number(1, &one.exact);
    for (int i = 0; i < 4 && k > 0; i++) {
        residue q;
        double number = get_number((void *)p, SYM_P, p->in.first + i);
        get_exact((void *)p, SYM_P, p->in.first + i, &q);
        square = sum(square, (value_at){residue_times(q, q), number * number});
    }
    *out = k == 0 ? one : square;
    if (k == 1) {
        out->number = 1 / square.number;
        return residue_over(one.exact, square.exact, &out->exact);
    }
    return true;
}

// what is left of the powers with one coefficient more
static void narrow(const probe *p, const value_at *norms, polynomial *f, value_at coefficient) {
    for (int k = 0; k < POWERS && p->exact; k++)
        if (!residue_constant(residue_times(coefficient.exact, norms[k].exact)))
            f->powers &= ~(1u << k);
}

static bool none_left(const probe *p, const polynomial *f) {
    unsigned powers = 0;
    for (int k = 0; k < p->count; k++)
        powers |= f[k].powers;
    return powers == 0 || p->fails;
}

// from values at 0, +-e_a, e_a + e_b
static void fit(probe *p, const value_at *norms, polynomial *f) {
    value_at ahead[V_MOST][ROOTS_MOST], behind[ROOTS_MOST], both[ROOTS_MOST];
    look(p, both);
    for (int k = 0; k < p->count; k++)
        narrow(p, norms, &f[k], f[k].constant = both[k]);
    for (int a = 0; a < p->in.count && !none_left(p, f); a++) {
        p->at[a] = -1;
        look(p, behind);
        p->at[a] = 1;
        look(p, ahead[a]);
        for (int k = 0; k < p->count; k++) {
            value_at middle = scaled(0.5, sum(ahead[a][k], behind[k]));
            narrow(p, norms, &f[k], f[k].linear[a] = scaled(0.5, difference(ahead[a][k], behind[k])));
            narrow(p, norms, &f[k], f[k].square[a][a] = difference(middle, f[k].constant));
        }
        for (int b = 0; b < a && !none_left(p, f); b++) {
            p->at[b] = 1;
            look(p, both);
            p->at[b] = 0;
            for (int k = 0; k < p->count; k++) {
                value_at rest = sum(difference(difference(both[k], ahead[a][k]), ahead[b][k]), f[k].constant);
                narrow(p, norms, &f[k], f[k].square[a][b] = rest);
            }
        }
        p->at[a] = 0;
    }
}

// whether that is all there is: at random velocities
static void check(probe *p, polynomial *f) {
    value_at there[ROOTS_MOST];
    residue x[V_MOST];
    p->random = true;
    for (int a = 0; a < p->in.count; a++)
        get_exact(p, SYM_V, p->in.v[a], &x[a]);
    look(p, there);
    p->random = false;
    for (int k = 0; k < p->count; k++) {
        residue total = f[k].constant.exact;
        for (int a = 0; a < p->in.count; a++) {
            total = residue_plus(total, residue_times(f[k].linear[a].exact, x[a]));
            for (int b = 0; b <= a; b++)
                total =
                    residue_plus(total, residue_times(f[k].square[a][b].exact, residue_times(x[a], x[b])));
        }
        if (p->fails || !residue_same(there[k].exact, total))
            f[k].powers = 0;
    }
}

// ---- numbers

static bool is_exactly(residue exact, double number) {
    residue r;
    return residue_number(number, &r) && residue_same(r, exact);
}

// the number that it is, if that is one; else what it came to, which is as near as rounding lets it
static expr number_of(expr_pool *pool, value_at exact, value_at numbers, value_at norm) {
    enum { ULPS = 16 };
    residue r = residue_times(exact.exact, norm.exact);
    double number = numbers.number * norm.number, up = number, down = number;
    if (is_exactly(r, 0))
        return EXPR_NONE;
    for (int k = 0; k < ULPS; k++) {
        if (is_exactly(r, up) || is_exactly(r, down))
            return expr_number(pool, is_exactly(r, up) ? up : down);
        up = nextafter(up, INFINITY);
        down = nextafter(down, -INFINITY);
    }
    double whole = nearbyint(number * 0x1p20) * 0x1p-20;
    return expr_number(pool, is_exactly(r, whole) ? whole : number);
}

static expr square_of(expr_pool *pool, int first) {
    expr square = EXPR_NONE;
    for (int k = 0; k < 4; k++)
        term_add(pool, &square, expr_symbol(pool, SYM_P, first + k), expr_symbol(pool, SYM_P, first + k));
    return square;
}

static expr write_out(const probe *p, const value_at *norms, const polynomial *f, const polynomial *numbers) {
    int power = f->powers & 1 ? 0 : f->powers & 2 ? 1 : 2;
    value_at norm = norms[power];
    expr_pool *pool = p->pool;
    expr total = number_of(pool, f->constant, numbers->constant, norm);
    for (int a = 0; a < p->in.count; a++) {
        expr with = number_of(pool, f->linear[a], numbers->linear[a], norm);
        for (int b = 0; b <= a; b++)
            term_add(pool, &with, number_of(pool, f->square[a][b], numbers->square[a][b], norm),
                     expr_symbol(pool, SYM_V, p->in.v[b]));
        term_add(pool, &total, with, expr_symbol(pool, SYM_V, p->in.v[a]));
    }
    if (power == 1)
        total = term_times(pool, total, square_of(pool, p->in.first));
    else if (power == 2)
        total = term_times(pool, total, term_over(pool, expr_number(pool, 1), square_of(pool, p->in.first)));
    return total ? total : expr_number(pool, 0);
}

// ---- together

// expressions with the same symbols
static void settle_alike(probe *p, arena *scratch, expr *e) {
    value_at norms[POWERS] = {0};
    polynomial *f = arena_array(scratch, polynomial, p->count);
    polynomial *numbers = arena_array(scratch, polynomial, p->count);
    unsigned powers = 0;
    for (int k = 0; k < POWERS && (k == 0 || p->in.first >= 0); k++)
        powers |= norm_to(p, k, &norms[k]) ? 1u << k : 0;
    for (int k = 0; k < p->count; k++)
        f[k].powers = numbers[k].powers = powers;
    p->exact = true;
    p->plan = residue_plan_new(scratch, p->pool, p->e, p->count, 0, get_exact, p);
    if (p->plan == NULL)
        return;
    residue_plan_on_circle(p->plan);
    fit(p, norms, f);
    if (none_left(p, f))
        return;
    if (p->in.count)
        check(p, f);
    p->exact = false;
    fit(p, norms, numbers);
    for (int k = 0; k < p->count; k++)
        if (f[k].powers)
            e[k] = write_out(p, norms, &f[k], &numbers[k]);
}

static bool is_known(const expr_pool *pool, expr e) {
    const unsigned known = 1u << SYM_PARAM | 1u << SYM_V;
    return e == EXPR_NONE || (expr_kinds(pool, e) & ~known) == 0;
}

void settle_expressions(const trm_system *sys, expr_pool *pool, expr *e, int count) {
    arena *scratch = arena_child(sys->arena);
    symbols_in *in = arena_array(scratch, symbols_in, count + 1);
    bool *done = arena_array(scratch, bool, count + 1);
    for (int i = 0; i < count; i++) {
        done[i] = is_known(pool, e[i]);
        if (!done[i])
            in[i] = symbols_of(sys, pool, e[i], scratch);
        done[i] |= in[i].count > V_MOST;
    }
    for (int i = 0; i < count; i++) {
        expr roots[ROOTS_MOST];
        int which[ROOTS_MOST], alike = 0;
        for (int k = i; k < count && alike < ROOTS_MOST && !done[i]; k++)
            if (!done[k] && same_symbols(&in[k], &in[i])) {
                which[alike] = k;
                roots[alike++] = e[k];
            }
        probe p = {.sys = sys, .pool = pool, .in = in[i], .e = roots, .count = alike};
        expr settled[ROOTS_MOST];
        memcpy(settled, roots, sizeof roots);
        if (alike)
            settle_alike(&p, scratch, settled);
        for (int k = 0; k < alike; k++) {
            e[which[k]] = settled[k];
            done[which[k]] = true;
        }
    }
    arena_free(scratch);
}

expr settle_expression(const trm_system *sys, expr_pool *pool, expr e) {
    settle_expressions(sys, pool, &e, 1);
    return e;
}

bool settle_is_zero(const trm_system *sys, expr_pool *pool, expr e) {
    return e == EXPR_NONE || expr_is_number(pool, settle_expression(sys, pool, e), 0);
}
