/* Slopes by expressions or by differences. Central differences at steps that shrink by 4, extrapolated to
 * none (Ridders): each value is the one whose two neighbours in the table agree best, so neither the scale of
 * the coordinate nor that of the function need be known well. 1e-11 is usual. What was found is then written
 * in natural units, all of which are powers of two. */
#include "study/slopes.h"

#include "linear/linalg.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 7, SHRINK = 4 };
static const double FIRST_STEP = 0.1; // in natural units

bool slopes_timed(const model *m) {
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *s = &m->shapes.at[i];
        bool moves = s->kind <= SHAPE_NONIDEAL || s->kind == SHAPE_ROW;
        for (int k = 0; moves && k < SHAPE_PARTS; k++)
            if (s->part[k] != EXPR_NONE && expr_has(m->pool, s->part[k], SYM_TIME))
                return true;
    }
    return false;
}

static int most_values(const trm_system *sys) {
    int n = sys->n, m = sys->position.m + sys->velocity.m;
    return n > m ? n : m;
}

void slopes_init(slopes_of *c, arena *a, const trm_system *sys, trm_state *st, bool still) {
    *c = (slopes_of){.sys = sys, .st = st, .timed = !still && slopes_timed(sys->model), .still = still};
    if (still)
        solve_stand_still(st);
    c->dropped = arena_array(a, bool, sys->m + 1);
    c->work = arena_doubles(a, 2 * (size_t)sys->n + (2 * LEVELS + 4) * (size_t)most_values(sys));
}

void slopes_leave_out(slopes_of *c) {
    for (int i = 0; i < c->sys->m; i++)
        c->dropped[i] = solve_dropped(c->sys, c->st, i);
    c->left_out = solve_may_leave_out(c->sys) ? c->dropped : NULL;
}

slopes *slopes_new(arena *a, const trm_system *sys) {
    slopes *s = arena_alloc(a, sizeof *s);
    size_t n = (size_t)sys->n, p = (size_t)sys->position.m, r = (size_t)sys->velocity.m;
    s->q = arena_doubles(a, n);
    s->v = arena_doubles(a, n);
    s->a = arena_doubles(a, n);
    s->a_by_q = arena_doubles(a, n * n);
    s->a_by_v = arena_doubles(a, n * n);
    s->a_by_t = arena_doubles(a, n);
    s->phi_by_q = arena_doubles(a, p * n + 1);
    s->phi_by_t = arena_doubles(a, p + 1);
    s->psi_by_q = arena_doubles(a, r * n + 1);
    s->psi_by_v = arena_doubles(a, r * n + 1);
    s->psi_by_t = arena_doubles(a, r + 1);
    return s;
}

// ---- differences

typedef enum { ACCELERATIONS, ROWS } what_changes;

/* The values at (t, q, v): accelerations, or the residuals of the rows at both levels. */
static bool values_at(const slopes_of *c, what_changes what, double t, const double *q, const double *v,
                      double *out) {
    const trm_system *sys = c->sys;
    trm_state *st = c->st;
    if (what == ACCELERATIONS) {
        solve_leave_out(sys, st, c->left_out);
        if (solve_at(sys, st, &(moment){t, q, v, true}).status != SOLVE_OK)
            return false;
        memcpy(out, state_look(st)->qdd, (size_t)sys->n * sizeof *out);
        return true;
    }
    state_set(sys, st, t, q, v);
    state_run(sys, st, STAGE_POSITION);
    memcpy(out, state_position(sys, st).residual, (size_t)sys->position.m * sizeof *out);
    state_run(sys, st, STAGE_VELOCITY);
    memcpy(out + sys->position.m, state_velocity(sys, st).residual, (size_t)sys->velocity.m * sizeof *out);
    return linalg_finite(out, sys->position.m + sys->velocity.m);
}

// one entry more of a column of the table, and what of it is better than what was found so far
static void extrapolate(const double *before, double *now, int level, int count, double *best,
                        double *error) {
    double factor = 1;
    for (int k = 1; k <= level; k++) {
        const double *coarse = before + (k - 1) * count, *fine = now + (k - 1) * count;
        factor *= SHRINK * SHRINK;
        for (int i = 0; i < count; i++) {
            double value = (factor * fine[i] - coarse[i]) / (factor - 1);
            double off = fmax(fabs(value - fine[i]), fabs(value - coarse[i]));
            now[k * count + i] = value;
            if (off < error[i]) {
                error[i] = off;
                best[i] = value;
            }
        }
    }
}

size_t slopes_difference_work(int count) {
    return (2 * LEVELS + 3) * (size_t)count;
}

bool slopes_difference(slopes_along *f, void *context, double h, int count, double *work, double *slope) {
    double *table[2] = {work, work + LEVELS * count};
    double *error = table[1] + LEVELS * count, *up = error + count, *down = up + count;
    int level = 0;
    for (int i = 0; i < count; i++)
        error[i] = INFINITY;
    for (int k = 0; k < LEVELS; k++, h /= SHRINK) {
        double *now = table[level % 2];
        bool above = f(context, h, up), below = f(context, -h, down);
        if (!above || !below) { // too far: begin with the next
            level = 0;
            continue;
        }
        for (int i = 0; i < count; i++)
            now[i] = (up[i] - down[i]) / (2 * h);
        if (level > 0)
            extrapolate(table[(level + 1) % 2], now, level, count, slope, error);
        level++;
    }
    return level > 1;
}

/* Values at a state one component of which has moved: coordinate or velocity number j, or time (-1). */
typedef struct {
    const slopes_of *of;
    what_changes what;
    double t;
    const double *q, *v;
    int j;
    double *z; // (2 n)
} component;

static bool along_component(void *context, double h, double *out) {
    const component *c = context;
    int n = c->of->sys->n;
    memcpy(c->z, c->q, (size_t)n * sizeof *c->z);
    memcpy(c->z + n, c->v, (size_t)n * sizeof *c->z);
    if (c->j >= 0)
        c->z[c->j] += h;
    return values_at(c->of, c->what, c->j < 0 ? c->t + h : c->t, c->z, c->z + n, out);
}

static bool slope_with(const slopes_of *c, what_changes what, double t, const double *q, const double *v,
                       int j, int count, double *slope) {
    int n = c->sys->n;
    component along = {c, what, t, q, v, j, c->work};
    double size = j < 0 ? 1 / c->sys->natural->rate : natural_size(c->sys->natural, j % n, j >= n);
    return slopes_difference(along_component, &along, FIRST_STEP * size, count, c->work + 2 * n, slope);
}

static bool difference_accelerations(const slopes_of *c, double t, const double *q, const double *v,
                                     slopes *s) {
    int n = c->sys->n;
    double *slope = s->a_by_t; // filled in last
    for (int j = 0; j < 2 * n; j++) {
        if (!slope_with(c, ACCELERATIONS, t, q, v, j, n, slope))
            return false;
        double *to = (j < n ? s->a_by_q : s->a_by_v) + j % n;
        for (int i = 0; i < n; i++)
            to[(size_t)i * (size_t)n] = slope[i];
    }
    return true;
}

static bool difference_rows(const slopes_of *c, double t, const double *q, const double *v, slopes *s,
                            double *slope) {
    int n = c->sys->n, p = c->sys->position.m, r = c->sys->velocity.m;
    for (int j = c->timed ? -1 : 0; j < n && p + r > 0; j++) {
        if (!slope_with(c, ROWS, t, q, v, j, p + r, slope))
            return false;
        if (j < 0)
            memcpy(s->phi_by_t, slope, (size_t)p * sizeof *slope);
        for (int i = 0; i < r; i++)
            *(j < 0 ? &s->psi_by_t[i] : &s->psi_by_q[(size_t)i * (size_t)n + (size_t)j]) = slope[p + i];
    }
    return true;
}

// ---- natural units

// row (n) for positions or velocities, of a quantity with this unit
static void scale_row(const trm_system *sys, double *row, bool velocity, double unit) {
    for (int j = 0; j < sys->n; j++)
        row[j] *= natural_size(sys->natural, j, velocity) / unit;
}

// the unit of a row, such that it has unit length
static double row_unit(const trm_system *sys, const double *row, bool velocity, double *work) {
    for (int j = 0; j < sys->n; j++)
        work[j] = row[j] * natural_size(sys->natural, j, velocity);
    double length = linalg_norm(work, sys->n);
    return length > 0 ? length : 1;
}

static void make_natural(const slopes_of *c, const double *q, const double *v, slopes *s) {
    const trm_system *sys = c->sys;
    double rate = sys->natural->rate;
    size_t n = (size_t)sys->n;
    for (size_t i = 0; i < n; i++) {
        double position = natural_size(sys->natural, (int)i, false), velocity = position * rate;
        s->q[i] = q[i] / position;
        s->v[i] = v[i] / velocity;
        s->a[i] /= velocity * rate;
        s->a_by_t[i] /= velocity * rate * rate;
        scale_row(sys, s->a_by_q + i * n, false, velocity * rate);
        scale_row(sys, s->a_by_v + i * n, true, velocity * rate);
    }
    for (size_t i = 0; i < (size_t)sys->position.m; i++) {
        double unit = row_unit(sys, s->phi_by_q + i * n, false, c->work);
        scale_row(sys, s->phi_by_q + i * n, false, unit);
        s->phi_by_t[i] /= unit * rate;
    }
    for (size_t i = 0; i < (size_t)sys->velocity.m; i++) {
        double unit = row_unit(sys, s->psi_by_v + i * n, true, c->work);
        scale_row(sys, s->psi_by_v + i * n, true, unit);
        scale_row(sys, s->psi_by_q + i * n, false, unit);
        s->psi_by_t[i] /= unit * rate;
    }
}

// ---- both

static void fill_rows(const slopes_of *c, double t, const double *q, const double *v, slopes *s) {
    const trm_system *sys = c->sys;
    trm_state *st = c->st;
    state_set(sys, st, t, q, v);
    memset(s->phi_by_q, 0, (size_t)sys->position.m * (size_t)sys->n * sizeof(double));
    memset(s->psi_by_v, 0, (size_t)sys->velocity.m * (size_t)sys->n * sizeof(double));
    state_run(sys, st, STAGE_POSITION); // the two share their memory
    sparsity_fill(sys->position.A, state_position(sys, st).A, sys->n, s->phi_by_q);
    state_run(sys, st, STAGE_VELOCITY);
    sparsity_fill(sys->velocity.A, state_velocity(sys, st).A, sys->n, s->psi_by_v);
}

bool slopes_at(const slopes_of *c, double t, const double *q, const double *v, slopes *s) {
    const trm_system *sys = c->sys;
    trm_state *st = c->st;
    int n = sys->n;
    fill_rows(c, t, q, v, s);
    if (!c->still && !difference_rows(c, t, q, v, s, c->work + 2 * n + (2 * LEVELS + 3) * most_values(sys)))
        return false;
    if (!sys->slopes && !difference_accelerations(c, t, q, v, s))
        return false;
    memset(s->a_by_t, 0, (size_t)n * sizeof(double));
    if (c->timed && !slope_with(c, ACCELERATIONS, t, q, v, -1, n, s->a_by_t))
        return false;
    solve_leave_out(sys, st, c->left_out);
    if (solve_at(sys, st, &(moment){t, q, v, true}).status != SOLVE_OK)
        return false;
    memcpy(s->a, state_look(st)->qdd, (size_t)n * sizeof(double));
    if (sys->slopes && !solve_jacobian(sys, st, s->a_by_q, s->a_by_v, n))
        return false;
    make_natural(c, q, v, s);
    return true;
}

// |Q_i|/M in natural units
static double push_by(const slopes_of *c, int i, double mass) {
    const natural *u = c->sys->natural;
    return mass > 0 ? fabs(state_look(c->st)->Q[i]) / mass / (u->scale[i] * u->rate * u->rate) : 0;
}

static double mass_of(const slopes_of *c, int i) {
    return row_entry(c->sys->M, state_look(c->st)->M, i, i);
}

/* |Q_i/M_ii| of all; of a unit quaternion, of whose masses one may vanish, the largest of the four. */
static void fill_push(const slopes_of *c, double *push) {
    const model *m = c->sys->model;
    for (int i = 0; i < c->sys->n; i++)
        push[i] = push_by(c, i, mass_of(c, i));
    for (int k = 0; k < m->quaternions.count; k++) {
        int first = m->quaternions.at[k];
        double most = 0;
        for (int i = first; i < first + 4; i++)
            most = fmax(most, mass_of(c, i));
        for (int i = first; i < first + 4; i++)
            push[i] = push_by(c, i, most);
    }
}

double slopes_push(const slopes_of *c) {
    double largest = 0;
    fill_push(c, c->work);
    for (int i = 0; i < c->sys->n; i++)
        largest = fmax(largest, c->work[i]);
    return largest;
}

double slopes_usual(const slopes_of *c, const slopes *s) {
    static const double NEAR = 1e-3; // next to 0, where only slopes are left, as if so far away
    size_t n = (size_t)c->sys->n;
    double largest = 0;
    fill_push(c, c->work);
    for (size_t i = 0; i < n; i++) {
        const double *by_q = s->a_by_q + i * n, *by_v = s->a_by_v + i * n;
        double sum = fabs(s->a[i]) + c->work[i];
        for (size_t j = 0; j < n; j++)
            sum += fabs(by_q[j]) * (fabs(s->q[j]) + NEAR) + fabs(by_v[j] * s->v[j]);
        largest = fmax(largest, sum);
    }
    return largest;
}
