/* The motion in velocities that are not q' (rates.h), as one kernel: from (t, q, s) to q' and s'.
 *
 *   v = H (s - g),   s' = G q'' + r,   M_s = H'M H,   S = H'Q + M_s r,   A_s = A H,   b_s = b + A_s r
 *
 * (000 eqs. 2.13, 2.14, 3.5, 3.8), which direct.h solves for s'. The first of w of a quaternion of constant
 * norm is no unknown: it stays 0, and the row that holds the norm takes no part, since its force has
 * no share in the others. So M_s is definite where M is not. M_s, A_s and what velocities do to S and b_s are
 * often numbers and are written as such (settle.h): of a body that turns, Euler's equations are left.
 *
 * Forces and samples have the dynamics by q', and so have ends of steps, where rank is decided. */
#include "system/cost.h"
#include "system/direct.h"
#include "system/inverse.h"
#include "system/natural.h"
#include "system/quantities.h"
#include "system/rates.h"
#include "system/seen.h"
#include "system/settle.h"
#include "system/stages.h"
#include "system/terms.h"

enum { FOUR = 4 };

typedef struct {
    trm_system *sys;
    expr_pool *pool;
    arena *scratch;
    int n;
    expr *dynamics;      // as the y of STAGE_DYNAMICS, without what kinetic energies have of Q
    expr *inertia;       // (n) which is here
    expr *H, *v, *rest;  // (n x n), q' (n), r (n)
    expr sure;           // of H
    bool *fixed;         // (n) velocities that stay as they are
    int *unknown, count; // (count) the others
    int *row, row_count; // (row_count) numbers among the rows in force
} motion;

static expr *zeros(motion *m, int count) {
    return arena_array(m->scratch, expr, (size_t)count + 1);
}

static expr settled(motion *m, expr e) {
    return settle_expression(m->sys, m->pool, e);
}

static expr velocity(motion *m, int i) {
    return expr_symbol(m->pool, SYM_V, i);
}

// ---- what there is by q'

static void sum_up(motion *m) {
    const trm_system *s = m->sys;
    expr *kinetic = zeros(m, s->layout->end[STAGE_DYNAMICS]);
    m->dynamics = zeros(m, s->layout->end[STAGE_DYNAMICS]);
    m->inertia = kinetic + s->Q_at;
    for (int i = 0; i < s->model->shapes.count; i++) {
        bool inertia = s->model->shapes.at[i].kind == SHAPE_KINETIC;
        stages_sum(s, m->pool, STAGE_DYNAMICS, i, m->scratch, inertia ? kinetic : m->dynamics);
    }
    for (int i = 0; i < s->layout->end[STAGE_DYNAMICS]; i++)
        if (i < s->Q_at || i >= s->Q_at + m->n)
            m->dynamics[i] = term_plus(m->pool, m->dynamics[i], kinetic[i]);
}

// ---- H, v and r

// p w / 2 |p|^2
static void turn_quaternion(motion *m, int first) {
    static const int which[FOUR][FOUR] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    static const int sign[FOUR][FOUR] = {{1, -1, -1, -1}, {1, 1, -1, 1}, {1, 1, 1, -1}, {1, -1, 1, 1}};
    expr square = EXPR_NONE, rates = EXPR_NONE;
    for (int k = 0; k < FOUR; k++) {
        expr p = expr_symbol(m->pool, SYM_P, first + k);
        term_add(m->pool, &square, p, p);
    }
    expr half =
        term_times(m->pool, expr_number(m->pool, 0.5), term_over(m->pool, expr_number(m->pool, 1), square));
    for (int i = 0; i < FOUR; i++) {
        for (int k = 0; k < FOUR; k++) {
            expr p = expr_symbol(m->pool, SYM_P, first + which[i][k]);
            expr part = term_times(m->pool, half, p);
            m->H[(first + i) * m->n + first + k] =
                sign[i][k] < 0 ? term_minus(m->pool, EXPR_NONE, part) : part;
            expr w = m->fixed[first + k] ? EXPR_NONE : velocity(m, first + k); // 0, up to errors
            expr product = term_times(m->pool, p, w);
            m->v[first + i] = sign[i][k] < 0 ? term_minus(m->pool, m->v[first + i], product)
                                             : term_plus(m->pool, m->v[first + i], product);
        }
        m->v[first + i] = term_times(m->pool, half, m->v[first + i]);
        term_add(m->pool, &rates, m->v[first + i], m->v[first + i]);
    }
    m->rest[first] = settled(m, term_times(m->pool, expr_number(m->pool, 2), rates));
}

static expr put_velocity(void *context, sym_kind kind, int index) {
    const motion *m = context;
    return kind == SYM_V ? m->v[index] : EXPR_NONE;
}

// s for q' in all that is not zero
static void put_velocities(motion *m, expr *e, int count) {
    expr *there = zeros(m, count);
    int *at = arena_array(m->scratch, int, count + 1), k = 0;
    for (int i = 0; i < count; i++)
        if (e[i]) {
            there[k] = e[i];
            at[k++] = i;
        }
    if (k)
        expr_substitute_all(m->pool, there, k, put_velocity, m, there);
    for (int i = 0; i < k; i++)
        e[at[i]] = there[i];
}

static void use_quasi(motion *m) {
    const trm_system *s = m->sys;
    expr *y = zeros(m, s->layout->end[STAGE_QUASI]);
    for (int i = 0; i < s->model->shapes.count; i++)
        stages_sum(s, m->pool, STAGE_QUASI, i, m->scratch, y);
    m->sure = inverse_build(s->arena, m->pool, s, y, m->H);
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < m->n; k++)
            term_add(m->pool, &m->v[i], m->H[i * m->n + k],
                     term_minus(m->pool, velocity(m, k), y[s->rates->g_at + k]));
    for (int i = 0; i < m->n; i++)
        m->rest[i] = y[s->rates->rate_at + i];
    put_velocities(m, m->rest, m->n);
    settle_expressions(s, m->pool, m->rest, m->n);
}

static void use_quaternions(motion *m) {
    const system_rates *r = m->sys->rates;
    for (int i = 0; i < m->n; i++) {
        m->H[i * m->n + i] = expr_number(m->pool, 1);
        m->v[i] = velocity(m, i);
    }
    for (int i = 0; i < r->quaternion_count; i++) {
        for (int k = 0; k < FOUR; k++)
            m->v[r->quaternions[i] + k] = EXPR_NONE;
        turn_quaternion(m, r->quaternions[i]);
    }
}

// ---- what is solved for

// the row that holds a quaternion's norm, if that is a constant and the row is one of those in force; else -1
static int row_of_norm(const motion *m, const mech_quaternion *p) {
    const trm_system *s = m->sys;
    const mech_shape *row = &s->mech->shapes[s->model->rows.at[p->row].shape];
    for (int k = 0; k < row->entries.count; k++)
        if (row->entries.at[k].quantity == MECH_POSITION && expr_has(m->pool, row->entries.at[k].e, SYM_TIME))
            return -1;
    return s->rows[p->row].solved;
}

static void choose_unknowns(motion *m) {
    const trm_system *s = m->sys;
    bool *silent = arena_array(m->scratch, bool, s->all.rows + 1);
    m->fixed = arena_array(m->scratch, bool, m->n + 1);
    m->unknown = arena_array(m->scratch, int, m->n + 1);
    m->row = arena_array(m->scratch, int, s->all.rows + 1);
    for (int i = 0; i < s->rates->quaternion_count; i++) {
        const mech_quaternion *p = &s->mech->quaternions.at[i];
        int row = row_of_norm(m, p);
        if (row >= 0)
            m->fixed[p->first] = silent[row] = true;
    }
    for (int i = 0; i < m->n; i++)
        if (!m->fixed[i])
            m->unknown[m->count++] = i;
    for (int k = 0; k < s->all.rows; k++)
        if (!silent[k])
            m->row[m->row_count++] = k;
}

// ---- M_s and S

// (X H)_j with X a row of a sparse matrix
static void row_times_H(motion *m, sparsity p, const expr *X, int row, expr *out) {
    for (int e = p.start[row]; e < p.start[row + 1]; e++)
        for (int j = 0; X[e] && j < m->n; j++)
            term_add(m->pool, &out[j], X[e], m->H[p.to[e] * m->n + j]);
}

// M_s (count x n), for unknowns and all velocities
static expr *mass_in_rates(motion *m) {
    const trm_system *s = m->sys;
    int n = m->n;
    expr *half = zeros(m, n * n), *out = zeros(m, m->count * n);
    int *number = arena_array(m->scratch, int, n + 1);
    for (int i = 0; i < n; i++) {
        row_times_H(m, s->M, m->dynamics, i, half + i * n);
        number[i] = -1;
    }
    for (int k = 0; k < m->count; k++)
        number[m->unknown[k]] = k;
    for (int k = 0; k < m->count; k++)
        for (int i = 0; i < n; i++) {
            expr h = m->H[i * n + m->unknown[k]];
            for (int j = 0; j < n && h; j++)
                if (number[j] < 0 || number[j] >= k)
                    term_add(m->pool, &out[k * n + j], h, half[i * n + j]);
        }
    for (int k = 0; k < m->count; k++) // symmetric
        for (int l = 0; l < k; l++)
            out[k * n + m->unknown[l]] = out[l * n + m->unknown[k]];
    settle_expressions(m->sys, m->pool, out, m->count * n);
    return out;
}

static bool is_there(motion *m, expr e) {
    return e && !expr_is_number(m->pool, e, 0);
}

static expr *forces_in_rates(motion *m, const expr *M) {
    const trm_system *s = m->sys;
    int n = m->n;
    expr *S = zeros(m, m->count), *applied = zeros(m, m->count), *inertia = zeros(m, n),
         *Q = m->dynamics + s->Q_at;
    for (int i = 0; i < n; i++)
        inertia[i] = m->inertia[i];
    put_velocities(m, inertia, n);
    for (int k = 0; k < m->count; k++) {
        for (int i = 0; i < n; i++) {
            expr h = m->H[i * n + m->unknown[k]];
            term_add(m->pool, &S[k], h, inertia[i]);
            term_add(m->pool, &applied[k], h, Q[i]);
            term_add(m->pool, &S[k], is_there(m, M[k * n + i]) ? M[k * n + i] : EXPR_NONE, m->rest[i]);
        }
    }
    settle_expressions(s, m->pool, S, m->count);
    for (int k = 0; k < m->count; k++)
        S[k] = term_plus(m->pool, is_there(m, S[k]) ? S[k] : EXPR_NONE, applied[k]);
    return S;
}

// ---- the problem to be solved

// rows x count, of a full matrix; entries in their order
static sparsity pattern_of(motion *m, const expr *full, int rows, int columns, bool diagonal) {
    sparsity_builder b = sparsity_begin(m->sys->arena, rows);
    for (int put = 0; put < 2; put++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                bool there = is_there(m, full[i * columns + j]) || (diagonal && i == j);
                if (there && put)
                    sparsity_put(&b, i, j);
                else if (there)
                    sparsity_announce(&b, i);
            }
    return sparsity_end(&b);
}

static expr *entries_of(motion *m, sparsity p, const expr *full, int columns) {
    expr *out = zeros(m, sparsity_entries(p));
    for (int i = 0; i < p.rows; i++)
        for (int e = p.start[i]; e < p.start[i + 1]; e++)
            out[e] = is_there(m, full[i * columns + p.to[e]]) ? full[i * columns + p.to[e]] : EXPR_NONE;
    return out;
}

static void add_masses(motion *m, direct_problem *p) {
    int n = m->n, count = m->count;
    const expr *M = mass_in_rates(m);
    expr *own = zeros(m, count * count);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            own[k * count + l] = M[k * n + m->unknown[l]];
    p->n = count;
    p->M_pattern = pattern_of(m, own, count, count, true);
    p->M = entries_of(m, p->M_pattern, own, count);
    p->Q = forces_in_rates(m, M);
}

static void add_rows(motion *m, direct_problem *p) {
    const trm_system *s = m->sys;
    int n = m->n, count = m->count;
    expr *A = zeros(m, m->row_count * count), *b = zeros(m, m->row_count), *full = zeros(m, n);
    for (int r = 0; r < m->row_count; r++) {
        int row = s->solved_rows[m->row[r]];
        double scale = s->row_scale[m->row[r]];
        for (int j = 0; j < n; j++)
            full[j] = EXPR_NONE;
        row_times_H(m, s->A, m->dynamics + s->A_at, row, full);
        b[r] = m->dynamics[s->b_at + row];
        settle_expressions(s, m->pool, full, n);
        for (int j = 0; j < n; j++)
            term_add(m->pool, &b[r], is_there(m, full[j]) ? full[j] : EXPR_NONE, m->rest[j]);
        expr factor = scale == 1 ? EXPR_NONE : expr_number(m->pool, scale);
        b[r] = settled(m, b[r]);
        b[r] = factor ? term_times(m->pool, factor, b[r]) : b[r];
        for (int k = 0; k < count; k++) {
            expr entry = full[m->unknown[k]];
            A[r * count + k] = factor ? term_times(m->pool, factor, entry) : entry;
        }
    }
    p->A_pattern = pattern_of(m, A, m->row_count, count, false);
    p->A = entries_of(m, p->A_pattern, A, count);
    p->b = b;
}

/* How near rows are to dependence, as the dynamics tell it; the squares of rows behind the checks only where
 * they may come to it. */
static void add_distance(motion *m, expr *checks) {
    const trm_system *s = m->sys;
    const double *units = s->natural->units;
    expr *A = zeros(m, sparsity_entries(s->all));
    for (int k = 0; k < s->all.rows; k++)
        for (int e = s->all.start[k]; e < s->all.start[k + 1]; e++) {
            expr entry = m->dynamics[s->A_at + s->A.start[s->solved_rows[k]] + e - s->all.start[k]];
            double factor = s->row_scale[k] * (units ? units[s->all.to[e]] : 1);
            A[e] = factor == 1 ? entry : term_times(m->pool, expr_number(m->pool, factor), entry);
        }
    direct_problem p = {.n = s->n, .M_pattern = s->M, .A_pattern = s->all, .A = A};
    checks[DIRECT_GRAM] = direct_remainder(s->arena, m->pool, &p);
    for (int k = 0; k < s->all.rows && m->row_count; k++)
        for (int e = s->all.start[k]; e < s->all.start[k + 1]; e++)
            term_add(m->pool, &checks[DIRECT_CHECKS + k], A[e], A[e]);
}

// ---- the kernel

static void write_out(motion *m, const expr *solution, expr *y) {
    const trm_system *s = m->sys;
    int n = m->n, entries = sparsity_entries(s->A);
    const expr *found = solution + m->count + m->row_count;
    expr *multiplier = y + 2 * n, *A = multiplier + s->all.rows, *power = A + entries;
    expr *checks = power + s->work_count, *sure = y + s->stages[STAGE_MOTION].y_size - 1;
    for (int i = 0; i < n; i++)
        y[i] = m->v[i];
    for (int k = 0; k < m->count; k++)
        y[n + m->unknown[k]] = solution[k];
    for (int r = 0; r < m->row_count; r++)
        multiplier[m->row[r]] = solution[m->count + r];
    for (int e = 0; e < entries; e++)
        A[e] = m->dynamics[s->A_at + e];
    for (int i = 0; i < s->work_count; i++)
        power[i] = m->dynamics[s->power_at + i];
    for (int i = 0; i < DIRECT_CHECKS; i++)
        checks[i] = found[i];
    add_distance(m, checks);
    *sure = m->sure ? m->sure : expr_number(m->pool, 1);
    for (expr *e = y; e <= sure; e++)
        *e = *e ? *e : expr_number(m->pool, 0);
}

static bool has_symbols(motion *m, const expr *e, int count) {
    for (int i = 0; i < count; i++)
        if (e[i] && (expr_kinds(m->pool, e[i]) & ~(1u << SYM_PARAM)))
            return true;
    return false;
}

static bool solve(motion *m, expr *y) {
    bool possible = true;
    direct_problem p = {.by_mass = true};
    add_masses(m, &p);
    add_rows(m, &p);
    p.added = direct_rows_for_mass(m->sys->arena, m->pool, &p, stages_some_value, m->sys, &possible);
    if (!possible)
        return false;
    bool refined = has_symbols(m, p.M, sparsity_entries(p.M_pattern)) ||
                   has_symbols(m, p.A, sparsity_entries(p.A_pattern));
    expr *solution = zeros(m, m->count + m->row_count + DIRECT_CHECKS);
    direct_build(m->sys->arena, m->pool, &p, refined, solution);
    write_out(m, solution, y);
    return true;
}

static void build(motion *m) {
    trm_system *s = m->sys;
    int n = m->n;
    m->H = zeros(m, n * n);
    m->v = zeros(m, n);
    m->rest = zeros(m, n);
    sum_up(m);
    choose_unknowns(m);
    if (s->quasi)
        use_quasi(m);
    else
        use_quaternions(m);
    put_velocities(m, m->dynamics + s->Q_at, s->layout->end[STAGE_DYNAMICS] - s->Q_at);
    stage *out = &s->stages[STAGE_MOTION];
    out->y_size = 2 * n + s->all.rows + sparsity_entries(s->A) + s->work_count + DIRECT_CHECKS +
                  (m->row_count ? s->all.rows : 0) + 1;
    expr *y = zeros(m, out->y_size);
    if (!solve(m, y))
        return;
    const kernel *k = kernel_compile(s->arena, m->pool, y, out->y_size, s->x_number, stages_input, s);
    stage_add(s->arena, out, (stage_group){.kernel = k, .count = 1});
    s->moves = true;
    s->moves_freely = m->row_count == 0;
}

void stages_add_motion(trm_system *s, expr_pool *pool) {
    if (!rates_own(s) || !s->direct || !cost_moves(s))
        return;
    if (s->seen)
        s->seen->everything = true;
    motion m = {.sys = s, .pool = pool, .scratch = arena_child(s->arena), .n = s->n};
    build(&m);
    arena_free(m.scratch);
}
