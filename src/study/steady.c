/* A motion z(t) = exp(t X) z0 of z' = f(z), X z = (S q + c, S v), is steady if X commutes with f: then
 * deviations w = exp(-t X) z - z0 follow w' = (Df - DX) w, a linear system with constant coefficients. Where
 * a system has such symmetries depends on its equations, so it is asked of them: X is sought as a sum of
 * generators,
 *
 *   shifts of single coordinates, turns in the plane of two coordinates that make a point,
 *   p -> e o p and p -> p o e for the quaternion p of a body (turns in space, spins about its own axes),
 *
 * for which at several states z beside the given one
 *
 *   Df X - DX f + df/dt = 0,   Dphi X + dphi/dt = 0,   Dpsi X + dpsi/dt = 0         (time passes with 1)
 *
 * and which is f at the given one. The first is linear in the coefficients: a null space, by singular values.
 * Shifts and spins are tried first: where a top sleeps, its spin and a turn of all space are the same motion,
 * and frequencies are meant as seen from outside. */
#include "study/steady.h"

#include "linear/lapack.h"
#include "linear/linalg.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

static const double SYMMETRIC = 1e-7; // singular values below this are rounding: equations have entries to 1
static const double STEADY = 1e-7, NEARLY = 1e-2; // rates, as a part of what they may be
static const double LATER = 1e-2; // where time enters, other states are at other times, in natural units
// singular values of equations for 600 generators take 17 s, for 300 one
enum { PLAIN_MOST = 12, GENERATORS_MOST = 300, ENTRIES = 4 };

typedef struct {
    int shift; // of this coordinate, or -1
    int count;
    struct {
        int i, j;
        double s;
    } at[ENTRIES]; // of S
    bool turns;    // neither shift nor spin
} generator;

typedef vec(generator) generators;

typedef struct {
    arena *arena;
    const slopes_of *of;
    int n;
    generators list;
    double *B;    // (rows x list.count + 1): the equations at all states; the last column is time
    double *size; // (rows)
    int rows;
} search;

// ---- the generators

static void add_shift(search *k, int i) {
    generator g = {.shift = i};
    vec_push(k->arena, k->list, g);
}

// in the plane of x_i and ratio x_j
static void add_turn(search *k, int i, int j, double ratio) {
    double most = fmax(ratio, 1 / ratio); // no column of the equations shall hide the others
    generator g = {
        .shift = -1, .count = 2, .at = {{i, j, -ratio / most}, {j, i, 1 / (ratio * most)}}, .turns = true};
    vec_push(k->arena, k->list, g);
}

// e o p / 2 or p o e / 2 with e the unit vector number axis, p in coordinates from first on
static void add_quaternion(search *k, int first, int axis, bool spin) {
    int u = (axis + 1) % 3, w = (axis + 2) % 3, p0 = first, p = first + 1;
    double side = spin ? -1 : 1; // e x p, or p x e
    generator g = {.shift = -1,
                   .count = 4,
                   .at = {{p0, p + axis, -0.5},
                          {p + axis, p0, 0.5},
                          {p + u, p + w, -0.5 * side},
                          {p + w, p + u, 0.5 * side}},
                   .turns = !spin};
    vec_push(k->arena, k->list, g);
}

static bool is_part(const model *m, int i, const char *part) {
    return i < m->coords.count && m->coords.at[i].part && strcmp(m->coords.at[i].part, part) == 0;
}

// coordinates of a point follow each other; so do those of a quaternion
static void add_of_part(search *k, const model *m, int i) {
    if (is_part(m, i, "q0"))
        for (int axis = 0; axis < 3; axis++) {
            add_quaternion(k, i, axis, true);
            add_quaternion(k, i, axis, false);
        }
    if (!is_part(m, i, "q0") && !is_part(m, i, "q1") && !is_part(m, i, "q2") && !is_part(m, i, "q3"))
        add_shift(k, i);
    if (is_part(m, i, "x") && is_part(m, i + 1, "y"))
        add_turn(k, i, i + 1, 1);
    if (is_part(m, i, "x") && is_part(m, i + 2, "z")) {
        add_turn(k, i + 1, i + 2, 1);
        add_turn(k, i + 2, i, 1);
    }
}

/* Coordinates that are no part of a body need not have one unit; those of so different scales have not, or
 * no part in one turn. */
static void add_plain_turn(search *k, int i, int j) {
    static const double MOST = 32;
    const double *scale = k->of->sys->natural->scale, ratio = scale[j] / scale[i];
    if (ratio < MOST && 1 / ratio < MOST)
        add_turn(k, i, j, ratio);
}

static void list_generators(search *k, const model *m) {
    int plain = 0;
    for (int i = 0; i < k->n; i++)
        plain += m->coords.at[i].part == NULL;
    for (int i = 0; i < k->n; i++)
        if (m->coords.at[i].part)
            add_of_part(k, m, i);
        else
            add_shift(k, i);
    for (int i = 0; i < k->n && plain <= PLAIN_MOST; i++)
        for (int j = 0; j < i; j++)
            if (!m->coords.at[i].part && !m->coords.at[j].part)
                add_plain_turn(k, j, i);
}

// ---- the equations

// a row (n) times S x, and the size of what was added up
static double times_S(const generator *g, const double *row, const double *x, double *size) {
    double sum = 0;
    for (int e = 0; e < g->count; e++) {
        double part = row[g->at[e].i] * g->at[e].s * x[g->at[e].j];
        sum += part;
        *size += fabs(part);
    }
    return sum;
}

// a row times (S q + c)
static double times_rate(const generator *g, const double *row, const double *q, double *size) {
    double shifted = g->shift >= 0 ? row[g->shift] : 0;
    *size += fabs(shifted);
    return shifted + times_S(g, row, q, size);
}

/* One equation: by_q (S q + c) + by_v S v - (S a)_i + by_t = 0. Its size is that of the largest of its terms.
 */
static void add_equation(search *k, const slopes *s, const double *by_q, const double *by_v, const double *a,
                         int i, double by_t) {
    int columns = k->list.count + 1;
    double *row = k->B + (size_t)k->rows * (size_t)columns, largest = fabs(by_t);
    for (int g = 0; g < k->list.count; g++) {
        const generator *x = &k->list.at[g];
        double size = 0;
        row[g] = times_rate(x, by_q, s->q, &size);
        if (by_v)
            row[g] += times_S(x, by_v, s->v, &size);
        for (int e = 0; a && e < x->count; e++)
            if (x->at[e].i == i) {
                row[g] -= x->at[e].s * a[x->at[e].j];
                size += fabs(x->at[e].s * a[x->at[e].j]);
            }
        largest = fmax(largest, size);
    }
    row[columns - 1] = by_t;
    k->size[k->rows++] = largest;
}

/* Makes the equations from `first` on comparable. What is this much smaller than others of its kind may be
 * rounding: the acceleration of a coordinate that constraints hold fast. */
static void scale_equations(search *k, int first) {
    static const double SMALL = 1e-6;
    int columns = k->list.count + 1;
    double largest = 0;
    for (int i = first; i < k->rows; i++)
        largest = fmax(largest, k->size[i]);
    for (int i = first; i < k->rows && largest > 0; i++)
        linalg_scale(k->B + (size_t)i * (size_t)columns, 1 / fmax(k->size[i], SMALL * largest), columns);
}

static void add_state(search *k, const slopes *s) {
    const trm_system *sys = k->of->sys;
    size_t n = (size_t)k->n;
    int first = k->rows;
    for (size_t i = 0; i < n; i++)
        add_equation(k, s, s->a_by_q + i * n, s->a_by_v + i * n, s->a, (int)i, s->a_by_t[i]);
    scale_equations(k, first);
    first = k->rows;
    for (size_t i = 0; i < (size_t)sys->position.m; i++)
        add_equation(k, s, s->phi_by_q + i * n, NULL, NULL, 0, s->phi_by_t[i]);
    scale_equations(k, first);
    first = k->rows;
    for (size_t i = 0; i < (size_t)sys->velocity.m; i++)
        add_equation(k, s, s->psi_by_q + i * n, s->psi_by_v + i * n, NULL, 0, s->psi_by_t[i]);
    scale_equations(k, first);
}

static void gather(search *k, double t, const slopes *s, beside *other, void *context) {
    const trm_system *sys = k->of->sys;
    int each = k->n + sys->position.m + sys->velocity.m, columns = k->list.count + 1;
    int states = 3 + columns / k->n;
    double *z = arena_doubles(k->arena, 2 * (size_t)k->n);
    slopes *there = slopes_new(k->arena, sys);
    k->B = arena_doubles(k->arena, (size_t)((states + 1) * each) * (size_t)columns);
    k->size = arena_doubles(k->arena, (size_t)((states + 1) * each));
    add_state(k, s);
    for (int i = 0; i < states; i++) {
        double at = k->of->timed ? t + LATER * (i + 1) / sys->natural->rate : t;
        if (other(context, i, at, z) && slopes_at(k->of, at, z, z + k->n, there))
            add_state(k, there);
    }
}

// ---- their solution

/* Columns of X (rows x columns) whose combinations vanish: null (columns x *count), by rows of Vt. */
static double *null_space(arena *a, double *X, int rows, int columns, int *count) {
    int least = rows < columns ? rows : columns, size = rows > columns ? rows : columns;
    double *U = arena_doubles(a, (size_t)rows * (size_t)least), *s = arena_doubles(a, (size_t)least);
    double *Vt = arena_doubles(a, (size_t)columns * (size_t)columns);
    int rank = 0;
    *count = 0;
    if (!lapack_svd(rows, columns, X, U, s, Vt, arena_doubles(a, lapack_scratch(size))))
        return NULL;
    while (rank < least && s[rank] > SYMMETRIC)
        rank++;
    *count = columns - rank;
    return Vt + (size_t)rank * (size_t)columns;
}

/* x (columns) of least norm for which X x (rows) is next to y. */
static bool least_squares(arena *a, double *X, int rows, int columns, const double *y, double *x) {
    int least = rows < columns ? rows : columns, size = rows > columns ? rows : columns;
    double *U = arena_doubles(a, (size_t)rows * (size_t)least), *s = arena_doubles(a, (size_t)least);
    double *Vt = arena_doubles(a, (size_t)columns * (size_t)columns);
    memset(x, 0, (size_t)columns * sizeof *x);
    if (!lapack_svd(rows, columns, X, U, s, Vt, arena_doubles(a, lapack_scratch(size))))
        return false;
    for (int k = 0; k < least && s[k] > 1e-9 * s[0]; k++) {
        double part = 0;
        for (int i = 0; i < rows; i++)
            part += U[(size_t)i * (size_t)least + (size_t)k] * y[i];
        linalg_add(x, part / s[k], Vt + (size_t)k * (size_t)columns, columns);
    }
    return true;
}

// out (2 n + 1) += f times the rates of a generator: of q, of v, of time
static void add_rates(const generator *g, double f, const double *q, const double *v, int n, double *out) {
    if (g->shift >= 0)
        out[g->shift] += f;
    for (int e = 0; e < g->count; e++) {
        out[g->at[e].i] += f * g->at[e].s * q[g->at[e].j];
        out[n + g->at[e].i] += f * g->at[e].s * v[g->at[e].j];
    }
}

/* What the rates of positions and velocities are compared with. */
typedef struct {
    double q, v, t;
} scales;

static scales scales_at(const search *k, const slopes *s) {
    scales out = {.v = slopes_usual(k->of, s), .t = 1};
    for (int i = 0; i < k->n; i++)
        out.q = fmax(out.q, fabs(s->v[i]));
    out.q = fmax(out.q, sqrt(out.v)); // a speed that is small beside this is rounding
    return out;
}

// largest rate that the motion does not explain
static void judge(const search *k, steady_motion *m, const double *target, const double *found, scales by) {
    double worst = -1;
    for (int i = 0; i < 2 * k->n; i++) {
        double off = fabs(target[i] - found[i]), scale = i < k->n ? by.q : by.v;
        double part = scale > 0 ? off / scale : 0;
        if (part > worst) {
            worst = part;
            m->off = off;
            m->off_where = i;
        }
    }
    double time = fabs(target[2 * k->n] - found[2 * k->n]);
    m->steady = worst <= STEADY && time <= STEADY;
    if (m->steady || (worst <= NEARLY && time <= NEARLY))
        return;
    memset(m->S, 0, (size_t)k->n * (size_t)k->n * sizeof(double));
}

/* The symmetries among some of the generators: each is a sum of these, with its rates at the given state. */
typedef struct {
    int columns, count, sizes; // sizes: 2 n + 1 rates, of q, v and time
    int *which;                // (columns) generators; the last one is time
    double *basis;             // (count x columns); time is in the first alone, if it is in any
    double *rates;             // (count x sizes)
} symmetries;

/* Singular values leave a share of time in each. It is gathered in one of them; where that is next to
 * nothing, the rest of it is rounding that would be blown up: there is no symmetry with time. */
static void separate_time(arena *a, symmetries *y) {
    static const double LEAST = 1e-3; // of a vector at unit length; the others are speeds in natural units
    size_t columns = (size_t)y->columns, time = columns - 1;
    double *with = arena_doubles(a, columns), all = 0;
    int most = 0;
    for (int b = 0; b < y->count; b++) {
        double part = y->basis[(size_t)b * columns + time];
        linalg_add(with, part, y->basis + (size_t)b * columns, y->columns);
        all += part * part;
        if (fabs(part) > fabs(y->basis[(size_t)most * columns + time]))
            most = b;
    }
    if (all > SYMMETRIC * SYMMETRIC) {
        linalg_scale(with, 1 / sqrt(all), y->columns);
        memcpy(y->basis + (size_t)most * columns, y->basis, columns * sizeof *with);
        memcpy(y->basis, with, columns * sizeof *with);
    }
    for (int b = all > SYMMETRIC * SYMMETRIC; b < y->count; b++) {
        double *other = y->basis + (size_t)b * columns;
        linalg_add(other, -linalg_dot(other, with, y->columns), with, y->columns);
        other[time] = 0;
    }
    if (all > SYMMETRIC * SYMMETRIC && all < LEAST * LEAST) {
        y->basis += columns;
        y->count--;
    }
}

static symmetries find_symmetries(search *k, bool turns, const slopes *s) {
    int all = k->list.count + 1;
    symmetries y = {.sizes = 2 * k->n + 1, .which = arena_array(k->arena, int, all)};
    for (int g = 0; g < all; g++)
        if (g == all - 1 || turns || !k->list.at[g].turns)
            y.which[y.columns++] = g;
    size_t columns = (size_t)y.columns, sizes = (size_t)y.sizes;
    double *X = arena_doubles(k->arena, (size_t)k->rows * columns + 1);
    for (size_t i = 0; i < (size_t)k->rows; i++)
        for (size_t c = 0; c < columns; c++)
            X[i * columns + c] = k->B[i * (size_t)all + (size_t)y.which[c]];
    y.basis = null_space(k->arena, X, k->rows, y.columns, &y.count);
    if (y.count)
        separate_time(k->arena, &y);
    y.rates = arena_doubles(k->arena, (size_t)y.count * sizes + 1);
    for (size_t b = 0; b < (size_t)y.count; b++) {
        double *rates = y.rates + b * sizes;
        for (size_t c = 0; c + 1 < columns; c++)
            add_rates(&k->list.at[y.which[c]], y.basis[b * columns + c], s->q, s->v, k->n, rates);
        rates[sizes - 1] = y.basis[b * columns + columns - 1];
    }
    return y;
}

// x (symmetries): how much of each makes the rates that are wanted
static void combine(search *k, const symmetries *y, const double *target, scales by, double *x) {
    size_t sizes = (size_t)y->sizes, count = (size_t)y->count, n = (size_t)k->n;
    double *Y = arena_doubles(k->arena, sizes * count + 1), *wanted = arena_doubles(k->arena, sizes);
    for (size_t i = 0; i < sizes; i++) {
        double scale = i < n ? by.q : i < 2 * n ? by.v : by.t, f = scale > 0 ? 1 / scale : 1;
        wanted[i] = f * target[i];
        for (size_t b = 0; b < count; b++)
            Y[i * count + b] = f * y->rates[b * sizes + i];
    }
    if (count > 0)
        least_squares(k->arena, Y, y->sizes, y->count, wanted, x);
}

/* Fits the rates by symmetries. */
static void fit(search *k, const symmetries *y, const double *target, scales by, steady_motion *m,
                double *found) {
    size_t n = (size_t)k->n;
    double *x = arena_doubles(k->arena, (size_t)y->count + 1);
    memset(found, 0, (size_t)y->sizes * sizeof *found);
    combine(k, y, target, by, x);
    memset(m->S, 0, n * n * sizeof(double));
    for (int b = 0; b < y->count; b++) {
        linalg_add(found, x[b], y->rates + (size_t)b * (size_t)y->sizes, y->sizes);
        for (int c = 0; c + 1 < y->columns; c++) {
            const generator *g = &k->list.at[y->which[c]];
            double f = x[b] * y->basis[(size_t)b * (size_t)y->columns + (size_t)c];
            for (int e = 0; e < g->count; e++)
                m->S[(size_t)g->at[e].i * n + (size_t)g->at[e].j] += f * g->at[e].s;
        }
    }
    judge(k, m, target, found, by);
}

// whether a move is more than rounding; a shift moves by 1, other generators by what there is
static bool moves(const search *k, const double *move) {
    for (int i = 0; i < 2 * k->n; i++)
        if (fabs(move[i]) > SYMMETRIC)
            return true;
    return false;
}

// the symmetries that leave time alone
static void keep_moves(search *k, const symmetries *y, steady_motion *m) {
    size_t sizes = (size_t)y->sizes, n = (size_t)k->n;
    m->moves = arena_doubles(k->arena, (size_t)y->count * 2 * n + 1);
    for (int b = 0; b < y->count; b++) {
        const double *rates = y->rates + (size_t)b * sizes;
        double *move = m->moves + (size_t)m->move_count * 2 * n;
        if (rates[2 * n] != 0)
            continue;
        memcpy(move, rates, 2 * n * sizeof *move);
        m->move_count += moves(k, move);
    }
}

steady_motion *steady_find(arena *a, const slopes_of *c, double t, const slopes *s, beside *other,
                           void *context) {
    search k = {.arena = a, .of = c, .n = c->sys->n};
    size_t n = (size_t)k.n;
    steady_motion *m = arena_alloc(a, sizeof *m);
    double *target = arena_doubles(a, 2 * n + 1), *found = arena_doubles(a, 2 * n + 1);
    m->S = arena_doubles(a, n * n);
    memcpy(target, s->v, n * sizeof *target);
    memcpy(target + n, s->a, n * sizeof *target);
    scales by = scales_at(&k, s);
    judge(&k, m, target, found, by);
    m->resting = m->steady && !c->timed;
    target[2 * n] = 1;
    list_generators(&k, c->sys->model);
    if (c->still || k.list.count > GENERATORS_MOST) { // only what stands still can be told
        m->steady = m->resting;
        return m;
    }
    gather(&k, t, s, other, context);
    symmetries all = find_symmetries(&k, true, s);
    keep_moves(&k, &all, m);
    if (m->resting)
        return m;
    symmetries straight = find_symmetries(&k, false, s);
    fit(&k, &straight, target, by, m, found);
    if (!m->steady)
        fit(&k, &all, target, by, m, found);
    return m;
}

const double *steady_carry(arena *a, const slopes_of *c, double t, const slopes *s, beside *other,
                           void *context, double *v) {
    search k = {.arena = a, .of = c, .n = c->sys->n};
    size_t n = (size_t)k.n;
    steady_motion m = {.S = arena_doubles(a, n * n)};
    double *target = arena_doubles(a, 2 * n + 1), *found = arena_doubles(a, 2 * n + 1);
    memcpy(target, s->v, n * sizeof *target);
    target[2 * n] = 1;
    scales by = scales_at(&k, s);
    by.v = INFINITY; // accelerations are not asked for
    by.t = SYMMETRIC;
    list_generators(&k, c->sys->model);
    if (k.list.count > GENERATORS_MOST)
        return NULL;
    gather(&k, t, s, other, context);
    for (int turns = 0; turns < 2; turns++) {
        symmetries some = find_symmetries(&k, turns, s);
        fit(&k, &some, target, by, &m, found);
        memcpy(v, found, n * sizeof *v);
        if (m.steady || (c->timed && fabs(found[2 * n] - 1) <= STEADY && turns))
            return m.S;
    }
    return NULL;
}
