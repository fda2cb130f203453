#include "motion/project.h"

#include "linear/linalg.h"
#include "system/direct.h"
#include "system/rates.h"

#include <math.h>
#include <string.h>

/* Where no more than this part of a row's terms is left, and neither a step nor half of it makes it better,
 * it is rounding. */
static const double NOISE = 1e-14;
/* Near a singular position Newton's method goes by the kernel's solution, too: all that is asked of it is
 * that the worst row becomes SMALLER by it, or the general solver has the next step. From these squared
 * remainders of rows on, where six digits are left, and only if none is near the cut below which rows are
 * left out. */
static const double NEWTON_REMAINDER = 1e-10, ABOVE_CUT = 100;
static const double SMALLER = 0.1;
enum { ASSEMBLY_MOST = 100, HALVINGS_MOST = 30, HALVINGS_OF_NOISE = 1 };

static double allowed_by(double allowance, double tolerance) {
    return allowance == 0 ? tolerance : tolerance * allowance;
}

double project_allowed(const trm_system *sys, sparsity A_pattern, const double *A, int row, const double *x,
                       bool velocity, double tolerance) {
    return allowed_by(natural_allowance(sys, A_pattern, A, row, x, velocity), tolerance);
}

typedef struct {
    projection at;
    double ratio; // of its residual to what is allowed
} worst_row;

static worst_row worst_begin(void) {
    return (worst_row){{.row = -1, .held = true}, -1};
}

static void worst_note(worst_row *worst, int row, double residual, double allowed) {
    double ratio = fabs(residual) / allowed;
    if (!(ratio <= worst->ratio) && !isnan(worst->ratio)) // also if not finite, and then none is worse
        *worst = (worst_row){{row, residual, allowed, ratio <= 1}, ratio};
}

projection project_worst(const trm_system *sys, sparsity A_pattern, const double *residual, const double *A,
                         const double *x, bool velocity, double tolerance, const int *rows) {
    enum { TOGETHER = 256 };
    double allowance[TOGETHER];
    worst_row worst = worst_begin();
    for (int begin = 0; begin < A_pattern.rows; begin += TOGETHER) {
        int end = A_pattern.rows - begin < TOGETHER ? A_pattern.rows : begin + TOGETHER;
        natural_allowances(sys, A_pattern, A, begin, end, x, velocity, allowance);
        for (int i = begin; i < end; i++)
            worst_note(&worst, rows[i], residual[i], allowed_by(allowance[i - begin], tolerance));
    }
    return worst.at;
}

static double ratio_of(projection p) {
    return p.row == -1 ? 0 : fabs(p.residual) / p.allowed;
}

// of M_ii s_i^2; 1 if there is none
static double largest_mass(sparsity M_pattern, const double *M, const double *scale) {
    double largest = 0;
    for (int i = 0; i < M_pattern.rows; i++)
        largest = fmax(largest, row_entry(M_pattern, M, i, i) * scale[i] * scale[i]);
    return largest > 0 ? largest : 1;
}

void project_freeze_mass(sparsity M_pattern, double *M, const bool *frozen, const double *scale) {
    double mass = largest_mass(M_pattern, M, scale);
    for (int i = 0; i < M_pattern.rows; i++)
        for (int e = M_pattern.start[i]; e < M_pattern.start[i + 1]; e++)
            if (frozen[i] || frozen[M_pattern.to[e]])
                M[e] = M_pattern.to[e] == i ? mass / (scale[i] * scale[i]) : 0;
}

void project_freeze_rows(sparsity A_pattern, double *A, const bool *frozen) {
    for (int e = 0; e < sparsity_entries(A_pattern); e++)
        if (frozen[A_pattern.to[e]])
            A[e] = 0;
}

// M + S^-2, times `least` of the largest mass
static void add_identity(sparsity M_pattern, double *M, double least, const double *scale) {
    double mass = least * largest_mass(M_pattern, M, scale);
    for (int i = 0; i < M_pattern.rows; i++)
        M[sparsity_find(M_pattern, i, i)] += mass / (scale[i] * scale[i]);
}

// whether M is definite: at a glance where it is diagonal
static bool is_definite(arena *a, sparsity M_pattern, const double *M, const double *scale) {
    int none[1] = {0};
    if (sparsity_entries(M_pattern) == M_pattern.rows) {
        for (int i = 0; i < M_pattern.rows; i++)
            if (!(M[i] > 0))
                return false;
        return true;
    }
    arena *scratch = arena_child(a);
    solver *free =
        solver_new(scratch, M_pattern.rows, M_pattern, (sparsity){0, none, none}, SOLVER_AUTO, scale);
    bool definite = solver_factor(free, M, M, 0) == DENSE_OK && !solver_mass_singular(free);
    arena_free(scratch);
    return definite;
}

double *project_metric(arena *a, sparsity M_pattern, const double *M, const bool *frozen, double least,
                       const double *scale) {
    double *own = arena_doubles(a, (size_t)sparsity_entries(M_pattern));
    memcpy(own, M, (size_t)sparsity_entries(M_pattern) * sizeof *own);
    if (frozen)
        project_freeze_mass(M_pattern, own, frozen, scale);
    if (!is_definite(a, M_pattern, own, scale))
        add_identity(M_pattern, own, least, scale);
    return own;
}

// x += H change, where changes are not those of x
static bool add_change(const newton_problem *p, double *change, double *x) {
    if (p->moves)
        rates_of_positions(p->moves, x, change, change);
    linalg_add(x, 1, change, p->n);
    return linalg_all_finite(x, p->n);
}

static bool leads_on(const double *checks, double cut) {
    double least = fmax(NEWTON_REMAINDER, ABOVE_CUT * cut * cut);
    return checks[DIRECT_MASS] > MASS_DOUBTFUL && checks[DIRECT_SIGN] > 0 && checks[DIRECT_GRAM] > least &&
           checks[DIRECT_SCHUR] > NEWTON_REMAINDER;
}

/* x += M^-1 A' (A M^-1 A')+ (-residual). *doubtful: asks whether the kernel's solution may be taken where it
 * is not sure, and tells whether it was. */
static bool step(const newton_problem *p, double *x, bool *doubtful) {
    int n = p->n, m = p->A_pattern.rows;
    double *zero = p->scratch, *change = zero + n, *b = change + n, *multiplier = b + m;
    if (p->evaluate)
        p->evaluate(p->context);
    const double *checks = p->step + n + m;
    bool sure = p->step && direct_sure(checks);
    *doubtful = !sure && p->step && *doubtful && leads_on(checks, p->cut);
    if (sure || *doubtful) {
        linalg_copy(change, p->step, n);
        return add_change(p, change, x);
    }
    if (p->frozen) {
        project_freeze_mass(p->M_pattern, p->M, p->frozen, p->scale);
        project_freeze_rows(p->A_pattern, p->A, p->frozen);
    }
    solver_leave_out(p->solver, NULL);
    dense_status why = solver_factor(p->solver, p->M, p->A, p->cut);
    if (why == DENSE_UNDETERMINED || why == DENSE_INDEFINITE) {
        add_identity(p->M_pattern, p->M, PROJECT_LEAST, p->scale);
        why = solver_factor(p->solver, p->M, p->A, p->cut);
    }
    if (why != DENSE_OK)
        return false;
    memset(zero, 0, (size_t)n * sizeof *zero);
    for (int i = 0; i < m; i++)
        b[i] = -p->residual[i];
    solver_solve(p->solver, zero, b, change, multiplier);
    return add_change(p, change, x);
}

// takes the step from `from` in x; shortens it until the worst row is no worse than before
static projection damped(const newton_problem *p, const double *from, double *x, double before) {
    projection now = p->look(p->context, x);
    int most = before * p->tolerance <= NOISE ? HALVINGS_OF_NOISE : HALVINGS_MOST;
    for (int k = 0; k < most && !(ratio_of(now) < before); k++) {
        for (int i = 0; i < p->n; i++)
            x[i] = (from[i] + x[i]) / 2;
        now = p->look(p->context, x);
    }
    return now;
}

static double goal_of(double tolerance) {
    return fmax(PROJECT_GOAL, PROJECT_ROUNDING / tolerance);
}

static projection back(const newton_problem *p, const double *from, double *x) {
    memcpy(x, from, (size_t)p->n * sizeof *x);
    return p->look(p->context, x);
}

// from where the worst row is `now`
static projection newton_from(const newton_problem *p, projection now, double *x) {
    double goal = goal_of(p->tolerance), *from = p->scratch + 2 * p->n + 2 * p->A_pattern.rows;
    bool may_doubt = true;
    for (int k = 0; k < p->most && ratio_of(now) > goal; k++) {
        double before = ratio_of(now);
        bool doubtful = may_doubt;
        linalg_copy(from, x, p->n);
        bool done = step(p, x, &doubtful);
        if (done)
            now = damped(p, from, x, before);
        bool better = done && ratio_of(now) < before;
        may_doubt = !doubtful || (better && ratio_of(now) < SMALLER * before);
        if (doubtful && !better) {
            now = back(p, from, x);
        } else if (!better) { // it gets no better: rounding, or no way
            now = back(p, from, x);
            now.held &= done;
            return now;
        } else if (now.held && ratio_of(now) > before / 2) {
            break;
        }
    }
    return now;
}

projection project_newton(const newton_problem *p, double *x) {
    return newton_from(p, p->look(p->context, x), x);
}

/* One level of a system. */
typedef struct {
    const trm_system *sys;
    trm_state *st;
    const state_level *at;
    double tolerance;
} level;

static void evaluate(void *context) {
    level *l = context;
    state_run(l->sys, l->st, l->at->stage);
}

static projection look(void *context, const double *x) {
    level *l = context;
    memcpy(l->at->input, x, (size_t)l->sys->n * sizeof *x);
    evaluate(l);
    return project_worst(l->sys, l->at->level->A, l->at->residual, l->at->A, x,
                         l->at->stage == STAGE_VELOCITY, l->tolerance, l->at->level->rows);
}

// after a kernel that finds residuals and allowances alone
static projection worst_seen(const level *l) {
    int m = l->at->level->m;
    const double *residual = l->at->off, *allowance = residual + m;
    int row = 0;
    double worst = -1;
    for (int i = 0; i < m && !isnan(worst); i++) { // as worst_note
        double ratio = fabs(residual[i]) / allowed_by(allowance[i], l->tolerance);
        if (!(ratio <= worst)) {
            worst = ratio;
            row = i;
        }
    }
    return (projection){l->at->level->rows[row], residual[row], allowed_by(allowance[row], l->tolerance),
                        worst <= 1};
}

static projection look_only(void *context, const double *x) {
    level *l = context;
    linalg_copy(l->at->input, x, l->sys->n);
    state_run(l->sys, l->st, l->at->look);
    return worst_seen(l);
}

static newton_problem problem_of(const trm_system *sys, const state_level *l) {
    return (newton_problem){.n = sys->n,
                            .M_pattern = l->M_pattern,
                            .A_pattern = l->level->A,
                            .M = l->M,
                            .residual = l->residual,
                            .A = l->A,
                            .scale = sys->natural->scale,
                            .solver = l->solver,
                            .cut = l->cut,
                            .scratch = l->scratch};
}

// seen: the look that does without a solution has been taken
static projection project_level(level *l, bool seen, int most, const bool *frozen, double *x) {
    projection now = seen ? worst_seen(l) : l->at->off ? look_only(l, x) : look(l, x);
    if (now.held && ratio_of(now) <= goal_of(l->tolerance))
        return now;
    newton_problem p = problem_of(l->sys, l->at);
    if (l->at->stage == STAGE_POSITION && rates_differ(l->sys))
        p.moves = l->sys;
    p.tolerance = l->tolerance;
    p.most = most;
    p.frozen = frozen;
    p.step = frozen ? NULL : l->at->step;
    p.look = l->at->off ? look_only : look;
    p.evaluate = l->at->off ? evaluate : NULL;
    p.context = l;
    now = newton_from(&p, now, x);
    if (now.held)
        return now;
    state_level plain = state_without_stiffness(l->sys, l->st, l->at->stage);
    if (plain.M == l->at->M)
        return now;
    l->at = &plain; // where M is singular, it need not be definite with a stiffness
    return project_level(l, false, most, frozen, x);
}

/* Whether each row is off by no more than Newton's method leaves, by a kernel that tells that alone. */
static bool is_there(const trm_system *sys, trm_state *st, stage_kind look, int m, double tolerance) {
    const double *residual = state_output(st, look), *allowance = residual + m;
    double goal = goal_of(tolerance);
    state_run(sys, st, look);
    for (int i = 0; i < m; i++)
        if (!(fabs(residual[i]) < goal * allowed_by(allowance[i], tolerance))) // nor are both infinite
            return false;
    return true;
}

// the inputs are those at x
static projection project_rows(const trm_system *sys, trm_state *st, bool velocity, double tolerance,
                               const bool *frozen, double *x) {
    const system_level *rows = velocity ? &sys->velocity : &sys->position;
    stage_kind look = velocity ? STAGE_VELOCITY_LOOK : STAGE_POSITION_LOOK;
    bool seen = sys->stages[look].groups.count > 0;
    if (rows->m == 0)
        return (projection){.row = -1, .held = true};
    if (seen && is_there(sys, st, look, rows->m, tolerance)) // most projections end here
        return (projection){.row = rows->rows[0], .held = true};
    state_level at = velocity ? state_velocity(sys, st) : state_position(sys, st);
    level l = {sys, st, &at, tolerance};
    return project_level(&l, seen, frozen ? ASSEMBLY_MOST : PROJECT_MOST, frozen, x);
}

projection project_position(const trm_system *sys, trm_state *st, double t, double *q, double tolerance,
                            const bool *frozen) {
    state_set(sys, st, t, q, NULL);
    return project_rows(sys, st, false, tolerance, frozen, q);
}

projection project_velocity(const trm_system *sys, trm_state *st, double t, const double *q, double *v,
                            double tolerance) {
    state_set(sys, st, t, q, v);
    return project_rows(sys, st, true, tolerance, NULL, v);
}

// dx -= M^-1 A' (A M^-1 A')+ A dx for the rows of a stage that has been set up
static bool take_along(const trm_system *sys, trm_state *st, state_level l, double *dx) {
    if (l.level->m == 0)
        return true;
    state_run(sys, st, l.stage);
    for (int i = 0; i < l.level->m; i++)
        l.residual[i] = row_dot(l.level->A, l.A, i, dx);
    newton_problem p = problem_of(sys, &l);
    bool doubtful = false;
    return step(&p, dx, &doubtful);
}

bool project_tangent(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                     double *dq, double *dv) {
    state_set(sys, st, t, q, v);
    rates_from_positions(sys, q, dq, dq);
    bool along =
        take_along(sys, st, state_position(sys, st), dq) && take_along(sys, st, state_velocity(sys, st), dv);
    rates_of_positions(sys, q, dq, dq);
    return along;
}
