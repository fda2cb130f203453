#include "system/rates.h"

#include "linear/linalg.h"
#include "system/natural.h"
#include "system/quantities.h"
#include "system/state_inside.h"

#include <math.h>
#include <string.h>

enum { FOUR = 4 };
/* Factors of G have so many numbers at most: beyond, they would need gigabytes. */
static const double LARGEST_FACTORS = 3e7;

// ---- the description

static void find_quaternions(arena *a, const trm_system *sys, system_rates *r) {
    const mech *m = sys->mech;
    int count = sys->full ? sys->model->quaternions.count : sys->quasi ? 0 : m->quaternions.count;
    r->quaternions = arena_array(a, int, count + 1);
    for (int i = 0; i < count; i++)
        r->quaternions[i] = sys->full ? sys->model->quaternions.at[i] : m->quaternions.at[i].first;
    r->quaternion_count = count;
}

const system_rates *rates_new(arena *a, const trm_system *sys) {
    system_rates *r = arena_alloc(a, sizeof *r);
    const int *start = sys->layout->start[STAGE_QUASI];
    r->s_at = start[MECH_QUASI];
    r->g_at = start[MECH_QUASI_OFFSET];
    r->rate_at = start[MECH_QUASI_RATE];
    find_quaternions(a, sys, r);
    if (sys->quasi && triangular_size(a, sys->G) > LARGEST_FACTORS)
        return NULL;
    r->by = triangular_new(a, sys->G);
    return r;
}

bool rates_differ(const trm_system *sys) {
    return sys->full && sys->rates->quaternion_count;
}

bool rates_own(const trm_system *sys) {
    return sys->quasi || (!sys->full && sys->rates->quaternion_count);
}

// ---- quaternions

// factor a b
static void product(double factor, const double *a, const double *b, double *out) {
    double c[FOUR] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                      a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                      a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    for (int k = 0; k < FOUR; k++)
        out[k] = factor * c[k];
}

// p w / 2 |p|^2
static void turn(const double *p, const double *w, double *out) {
    product(0.5 / linalg_dot(p, p, FOUR), p, w, out);
}

// 2 p* v
static void turn_back(const double *p, const double *v, double *out) {
    const double conjugate[FOUR] = {p[0], -p[1], -p[2], -p[3]};
    product(2, conjugate, v, out);
}

static void copy(const trm_system *sys, const double *from, double *to) {
    if (from != to)
        memcpy(to, from, (size_t)sys->n * sizeof *to);
}

// all others are copied
static void turn_all(const trm_system *sys, void (*act)(const double *p, const double *x, double *out),
                     const double *q, const double *x, double *out) {
    const system_rates *r = sys->rates;
    copy(sys, x, out);
    for (int i = 0; i < r->quaternion_count; i++)
        act(q + r->quaternions[i], x + r->quaternions[i], out + r->quaternions[i]);
}

// ---- between s and v

static int factor(const trm_system *sys, trm_state *st) {
    rates_evaluate(sys, st);
    return triangular_factor(sys->rates->by, rates_G(st), &st->quasi);
}

int rates_factor(const trm_system *sys, trm_state *st, double t, const double *q) {
    state_set(sys, st, t, q, NULL);
    return sys->quasi ? factor(sys, st) : -1;
}

// by the kernel that has H in symbols, where that can be trusted; v in x stays as it is
static bool turn_by_kernel(const trm_system *sys, trm_state *st, double t, const double *q, const double *s,
                           double *v) {
    const double *y = st->y[STAGE_MOTION], *sure = y + sys->stages[STAGE_MOTION].y_size - 1;
    double *before = st->scratch;
    copy(sys, st->x + sys->x_v, before);
    state_set(sys, st, t, q, s);
    state_run(sys, st, STAGE_MOTION);
    copy(sys, before, st->x + sys->x_v);
    if (!(*sure > 0) || !linalg_finite(y, sys->n))
        return false;
    copy(sys, y, v);
    return true;
}

int rates_velocities(const trm_system *sys, trm_state *st, double t, const double *q, const double *s,
                     double *v) {
    if (!sys->quasi) {
        rates_change(sys, st, q, s, v);
        return -1;
    }
    if (sys->moves && turn_by_kernel(sys, st, t, q, s, v))
        return -1;
    const double *g = st->y[STAGE_QUASI] + sys->rates->g_at;
    int column = rates_factor(sys, st, t, q);
    if (column >= 0)
        return column;
    for (int i = 0; i < sys->n; i++)
        v[i] = s[i] - g[i];
    triangular_solve(sys->rates->by, rates_G(st), &st->quasi, v, v);
    return -1;
}

void rates_set(const trm_system *sys, trm_state *st, double t, const double *q, const double *v, double *s) {
    if (!sys->quasi) {
        rates_own_change(sys, st, q, v, s);
        return;
    }
    state_set(sys, st, t, q, v);
    rates_evaluate(sys, st);
    copy(sys, rates_s(sys, st), s);
}

void rates_change(const trm_system *sys, trm_state *st, const double *q, const double *ds, double *dv) {
    if (sys->quasi)
        triangular_solve(sys->rates->by, rates_G(st), &st->quasi, ds, dv);
    else if (sys->full)
        copy(sys, ds, dv);
    else
        turn_all(sys, turn, q, ds, dv);
}

void rates_own_change(const trm_system *sys, const trm_state *st, const double *q, const double *dv,
                      double *ds) {
    if (sys->full)
        copy(sys, dv, ds);
    else if (!sys->quasi)
        turn_all(sys, turn_back, q, dv, ds);
    for (int i = 0; sys->quasi && i < sys->n; i++)
        ds[i] = row_dot(sys->G, rates_G(st), i, dv);
}

void rates_force(const trm_system *sys, const trm_state *st, const double *force, double *out) {
    triangular_solve_transposed(sys->rates->by, rates_G(st), &st->quasi, force, out);
}

void rates_slope(const trm_system *sys, trm_state *st, const double *dv, double *ds) {
    const double *q = st->x + sys->x_q, *v = st->x + sys->x_v;
    const system_rates *r = sys->rates;
    if (sys->quasi)
        rates_evaluate(sys, st);
    rates_own_change(sys, st, q, dv, ds);
    if (sys->quasi)
        linalg_add(ds, 1, rates_rest(sys, st), sys->n);
    for (int i = 0; !sys->full && i < r->quaternion_count; i++) // p'* p' is a number
        ds[r->quaternions[i]] += 2 * linalg_dot(v + r->quaternions[i], v + r->quaternions[i], FOUR);
}

// s_i = sum_j G_ij v_j, as large as its terms; w = 2 p* p'
void rates_floors(const trm_system *sys, trm_state *st, double *floor) {
    const system_rates *r = sys->rates;
    for (int i = 0; !sys->full && i < r->quaternion_count; i++)
        for (int k = 0, at = r->quaternions[i]; k < FOUR; k++)
            floor[at + k] *= sys->natural->scale[at];
    if (!sys->quasi)
        return;
    rates_evaluate(sys, st);
    const double *G = rates_G(st);
    double *of_v = st->scratch;
    copy(sys, floor, of_v);
    for (int i = 0; i < sys->n; i++) {
        double sum = 0;
        for (int e = sys->G.start[i]; e < sys->G.start[i + 1]; e++)
            sum += fabs(G[e]) * of_v[sys->G.to[e]];
        floor[i] = sum > 0 ? sum : floor[i];
    }
}

int rates_sign_count(const trm_system *sys) {
    return sys->quasi ? sys->rates->by->count : 0;
}

const signed char *rates_signs(const trm_state *st) {
    return st->quasi.sign;
}

// ---- between v and q'

void rates_of_positions(const trm_system *sys, const double *q, const double *v, double *out) {
    if (sys->full)
        turn_all(sys, turn, q, v, out);
    else
        copy(sys, v, out);
}

void rates_from_positions(const trm_system *sys, const double *q, const double *rate, double *v) {
    if (sys->full)
        turn_all(sys, turn_back, q, rate, v);
    else
        copy(sys, rate, v);
}

void rates_curve(const trm_system *sys, const double *q, const double *s, const double *ds, double *out) {
    const system_rates *r = sys->rates;
    copy(sys, ds, out);
    for (int i = 0; i < r->quaternion_count; i++) {
        int at = r->quaternions[i];
        double rate[FOUR], rest[FOUR];
        turn(q + at, s + at, rate);
        memcpy(rest, ds + at, sizeof rest);
        rest[0] -= 2 * linalg_dot(rate, rate, FOUR);
        turn(q + at, rest, out + at);
    }
}

void rates_normalise(const trm_system *sys, double *q, double *v) {
    const model *m = sys->model;
    for (int i = 0; i < m->quaternions.count; i++) {
        double *p = q + m->quaternions.at[i], *rate = v + m->quaternions.at[i];
        double size = linalg_norm(p, FOUR);
        for (int k = 0; k < FOUR; k++)
            p[k] /= size;
        if (sys->full)
            rate[0] = 0;
        else
            linalg_add(rate, -linalg_dot(p, rate, FOUR), p, FOUR);
    }
}

/* ---- the Jacobian. s(q, v) = G v + g is constant as q changes alone: with K = ds/dq, and D_q, D_v the
 * derivatives of s'(q, v, v') = G v' + (what is left),
 *
 *   dv = H (ds - K dq),   dv' = X_q dq + X_v dv,   ds' = G dv' + D_q dq + D_v dv */

// out += K dq, D_q dq or D_v dv: the first, second or third of what STAGE_JACOBIAN has of quasi-velocities
static void add_slopes(const trm_system *sys, const trm_state *st, int which, const double *dx, double *out) {
    const int *start = sys->layout->start[STAGE_JACOBIAN];
    const double *slopes = st->y[STAGE_JACOBIAN] + start[MECH_QUASI_BY_P];
    const double *of = slopes + which * sparsity_entries(sys->G_slots);
    const double *v = st->x + sys->x_v, *with = which == 0 ? v : st->qdd;
    for (int i = 0; i < sys->G_slots.rows; i++)
        out[i] += row_dot(sys->G_slots, of, i, dx);
    for (int i = 0; i < sys->rates->quaternion_count; i++) {
        int at = sys->rates->quaternions[i];
        double part[FOUR];
        turn_back(dx + at, with + at, part); // w = 2 p* p', w' = 2 p* p'' + 2 p'* p'
        if (which < 2)
            linalg_add(out + at, 1, part, FOUR);
        else
            out[at] += 4 * linalg_dot(v + at, dx + at, FOUR);
    }
}

// a += X_j f, j of 2n
static void add_column(const double *X, int n, int j, double f, double *a) {
    for (int i = 0; i < n && f != 0; i++)
        a[i] += X[2 * (size_t)n * (size_t)i + (size_t)j] * f;
}

// column j of 2n: of the direction that `unit` has in q, or in s; dv (2 n)
static void jacobian_column(const trm_system *sys, trm_state *st, const double *X, int j, const double *unit,
                            double *dv, double *out) {
    int n = sys->n;
    bool of_q = j < n;
    const double *q = st->x + sys->x_q;
    double *a = dv + n;
    memset(dv, 0, 2 * (size_t)n * sizeof *dv);
    if (of_q)
        add_slopes(sys, st, 0, unit, dv);
    for (int i = 0; i < n; i++)
        dv[i] = of_q ? -dv[i] : unit[i];
    rates_change(sys, st, q, dv, dv);
    if (of_q)
        add_column(X, n, j, 1, a);
    for (int k = 0; k < n; k++)
        add_column(X, n, n + k, dv[k], a);
    rates_own_change(sys, st, q, a, out);
    if (of_q)
        add_slopes(sys, st, 1, unit, out);
    add_slopes(sys, st, 2, dv, out);
}

void rates_jacobian(const trm_system *sys, trm_state *st, const double *X, double *J) {
    int n = sys->n, wide = 2 * n;
    double *unit = st->scratch, *dv = unit + n, *out = dv + wide;
    if (sys->quasi)
        factor(sys, st);
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int j = 0; j < wide; j++) {
        unit[j % n] = 1;
        jacobian_column(sys, st, X, j, unit, dv, out);
        for (int i = 0; i < n; i++) {
            J[(size_t)i * (size_t)wide + (size_t)j] = dv[i];
            J[(size_t)(n + i) * (size_t)wide + (size_t)j] = out[i];
        }
        unit[j % n] = 0;
    }
}

// ---- quasi-velocities

void rates_evaluate(const trm_system *sys, trm_state *st) {
    state_run(sys, st, STAGE_QUASI);
}

const double *rates_G(const trm_state *st) {
    return st->y[STAGE_QUASI];
}

const double *rates_s(const trm_system *sys, const trm_state *st) {
    return st->y[STAGE_QUASI] + sys->rates->s_at;
}

const double *rates_rest(const trm_system *sys, const trm_state *st) {
    return st->y[STAGE_QUASI] + sys->rates->rate_at;
}

int rates_inverse(const trm_system *sys, trm_state *st, double *H) {
    int n = sys->n, column = factor(sys, st);
    double *x = st->scratch;
    for (int j = 0; j < n && column < 0; j++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = 1;
        triangular_solve(sys->rates->by, rates_G(st), &st->quasi, x, x);
        for (int i = 0; i < n; i++)
            H[i * n + j] = x[i];
    }
    return column;
}

static int mark_block(const triangular *t, int block, bool *row, bool *column) {
    for (int k = t->first[block]; k < t->first[block + 1]; k++)
        row[t->row[k]] = column[t->column[k]] = true;
    return t->first[block + 1] - t->first[block];
}

// a row that has an entry in one of the columns joins, with its own
static bool joins(const triangular *t, int k, const bool *row, bool *column) {
    const sparsity *p = &t->pattern;
    int i = t->row[k];
    bool touches = false;
    for (int e = p->start[i]; e < p->start[i + 1] && !row[i]; e++)
        touches |= column[p->to[e]];
    for (int e = p->start[i]; e < p->start[i + 1] && touches; e++)
        column[p->to[e]] = true;
    return touches;
}

/* Marks rows and columns that hang together with those of a block, as many of each; of more than a thousand
 * the block alone. */
static int mark_together(const triangular *t, int block, bool *row, bool *column) {
    enum { MOST = 1000 };
    int n = t->pattern.rows, count = mark_block(t, block, row, column);
    for (int k = t->first[block]; k < t->first[block + 1]; k++)
        for (int e = t->pattern.start[t->row[k]]; e < t->pattern.start[t->row[k] + 1]; e++)
            column[t->pattern.to[e]] = true;
    for (bool more = true; more && count <= MOST;) {
        more = false;
        for (int k = 0; k < n && count <= MOST; k++)
            if (joins(t, k, row, column)) {
                row[t->row[k]] = more = true;
                count++;
            }
    }
    if (count <= MOST)
        return count;
    memset(row, 0, (size_t)n * sizeof *row);
    memset(column, 0, (size_t)n * sizeof *column);
    return mark_block(t, block, row, column);
}

int rates_worst(arena *a, const trm_system *sys, trm_state *st, int **which) {
    const triangular *t = sys->rates->by;
    int n = sys->n, count = 0;
    bool *row = arena_array(a, bool, n + 1), *column = arena_array(a, bool, n + 1);
    rates_evaluate(sys, st);
    int size = mark_together(t, triangular_worst(t, rates_G(st), &st->quasi), row, column);
    *which = arena_array(a, int, size + 1);
    for (int i = 0; i < n; i++)
        if (row[i])
            (*which)[count++] = i;
    return count;
}
