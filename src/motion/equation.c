/* The motion as a differential equation y' = f(t, y) with y = (q, s), s its velocities (system/rates.h), and
 * its projection. */
#include "motion/running.h"

#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

const double *run_velocities(running *r, double t, const double *y) {
    const double *s = y + r->sys->n;
    if (!rates_own(r->sys))
        return s;
    r->trouble.solve = outcome_of_rates(rates_velocities(r->sys, r->st, t, y, s, r->v));
    return r->trouble.solve.status == SOLVE_OK ? r->v : NULL;
}

void run_set_velocities(running *r, double t, const double *v, double *y) {
    rates_set(r->sys, r->st, t, y, v, y + r->sys->n);
}

/* Rank is decided where the state is on the constraints. In between, stages are off them by more than
 * rounding, and rows that depend on others come out independent there: they are left out as at the last step,
 * where that may be done. */
static void choose_rows(running *r, bool landed) {
    if (r->sys->m == 0)
        return;
    solve_leave_out(r->sys, r->st, r->leaves_out && !landed ? r->dropped : NULL);
}

/* Where a step ends, with a row that has become short: whether the others do without it. In joint coordinates
 * one of two rows that say the same may vanish for an instant, and is no singular position. */
static void choose_long_rows(running *r, double t, const double *q, const double *v) {
    const bool *left_out = run_has_tree(r) && r->leaves_out ? run_short_rows(r) : NULL;
    moment at = run_moment(r, t, q, v);
    if (left_out && solve_only_rank(r->sys, r->st, &at, left_out) && solve_rank(r->sys, r->st) >= r->rank)
        return;
    choose_rows(r, true);
}

/* Positions and velocities as near to the constraints as rounding lets them be: near a singular position, an
 * error off the constraints is divided by the distance to it, in velocities by its square, in accelerations
 * by its cube. */
static void project_exactly(running *r, double t, double *q, double *v) {
    project_position(r->sys, r->st, t, q, DBL_EPSILON, NULL);
    project_velocity(r->sys, r->st, t, q, v, DBL_EPSILON);
}

// q'' at (q, v), and nearness there
static outcome accelerate_at(running *r, double t, const double *q, const double *v, double *nearness) {
    moment at = run_moment(r, t, q, v);
    outcome found = solve_at(r->sys, r->st, &at);
    if (found.status == SOLVE_OK)
        *nearness = run_nearness(r);
    return found;
}

/* Near a singular position: q'' at the projected q and v, which then are in *q and *v. On the constraints the
 * equation is the same, and smooth. Apart, so that the many evaluations elsewhere do not pay for it. */
static __attribute__((noinline)) outcome accelerate_projected(running *r, double t, const double **q,
                                                              const double **v, double *nearness) {
    singular_distance *d = &r->singular;
    size_t bytes = (size_t)r->sys->n * sizeof(double);
    *q = memcpy(d->q, *q, bytes);
    *v = memcpy(d->v, *v, bytes);
    project_exactly(r, t, d->q, d->v);
    return accelerate_at(r, t, d->q, d->v, nearness);
}

static outcome accelerate(running *r, double t, const double **q, const double **v, bool landed,
                          double *nearness) {
    singular_distance *d = &r->singular;
    if (landed || !d->near) {
        outcome found = accelerate_at(r, t, *q, *v, nearness);
        d->near |= found.status == SOLVE_OK && run_is_near(r, *nearness);
        if (landed || !d->near)
            return found;
    }
    return accelerate_projected(r, t, q, v, nearness);
}

// what is known of an evaluation, if nothing is wrong with it
static inline void note_found(running *r, double t) {
    r->settled = NAN;
    r->trouble.solve = SOLVED;
    r->trouble.of_full = false;
    r->trouble.time = t;
}

// apart, as all that few evaluations need
static __attribute__((noinline)) bool move_near(running *r, solve_moved moved) {
    r->moved_in_vain = moved == MOVED_NOT;
    if (r->moved_in_vain || r->sys->moves_freely)
        return !r->moved_in_vain;
    double nearness = run_nearness(r);
    if (nearness < r->singular.nearest)
        r->singular.nearest = nearness;
    r->singular.near = run_is_near(r, nearness);
    return !r->singular.near;
}

/* Within a step, away from singular positions: straight from s. After it failed, the rest of the step does
 * without. */
static inline bool move(running *r, double t, const double *y, double *dydt) {
    if (r->moved_in_vain || r->singular.near || (r->options->stop && *r->options->stop))
        return false;
    note_found(r, t);
    solve_moved moved = solve_motion(r->sys, r->st, t, y, r->switches.hold, &r->singular.watch, dydt);
    return moved == MOVED || move_near(r, moved);
}

// q'' at the state y; *q and *v are where: there, or near a singular position beside it
static int find_accelerations(running *r, double t, const double *y, const double **q, const double **v) {
    if (r->options->stop && *r->options->stop)
        return RUN_INTERRUPTED;
    bool landed = r->settled == t;
    choose_rows(r, landed);
    note_found(r, t);
    *q = y;
    *v = run_velocities(r, t, y);
    double nearness = INFINITY;
    if (*v && landed)
        choose_long_rows(r, t, *q, *v);
    if (*v)
        r->trouble.solve = accelerate(r, t, q, v, landed, &nearness);
    if (r->trouble.solve.status == SOLVE_SUPPLY)
        return RUN_INTERRUPTED;
    if (r->trouble.solve.status != SOLVE_OK)
        return 1; // not here: a shorter step may do
    if (nearness < r->singular.nearest)
        r->singular.nearest = nearness;
    return landed && !run_may_land(r, t, nearness) ? 1 : 0;
}

// apart, so that evaluations which take the short way do not pay for it
static __attribute__((noinline)) int evaluate_fully(running *r, double t, const double *y, double *dydt) {
    const trm_system *sys = r->sys;
    const double *q, *v;
    int code = find_accelerations(r, t, y, &q, &v);
    if (code != 0)
        return code;
    rates_of_positions(sys, q, v, dydt);
    rates_slope(sys, r->st, r->found->qdd, dydt + sys->n);
    return 0;
}

/* Where a step ends, away from singular positions: all rows are independent, and none is short. */
static bool land(running *r, double t, const double *y, double *dydt) {
    r->moved_in_vain = false;
    if (!r->lands || r->singular.near || (r->options->stop && *r->options->stop) ||
        !solve_landing(r->sys, r->st, t, y, &r->singular.watch, dydt))
        return false;
    choose_rows(r, true);
    note_found(r, t);
    return true;
}

int run_evaluate(void *context, double t, const double *y, double *dydt) {
    running *r = context;
    bool done = r->settled == t ? land(r, t, y, dydt) : r->moves && move(r, t, y, dydt);
    return done ? 0 : evaluate_fully(r, t, y, dydt);
}

/* Not where the solution of all coordinates is looked at beyond the slopes, and in joint coordinates not
 * where a row may vanish for an instant (choose_long_rows). */
void run_choose_landing(running *r) {
    bool looks = r->look.region || r->may_vanish;
    r->lands = solve_lands(r->st) && !(r->sys->moves && looks) && !(run_has_tree(r) && r->sys->m);
}

/* Fewer coordinates are not worth it, and keep their bits. */
enum { SECOND_FROM = 400 };

bool run_is_second(const running *r) {
    return r->sys->n >= SECOND_FROM && r->sys->switch_count == 0 && !rates_own(r->sys) &&
           !rates_differ(r->sys);
}

int run_accelerate(void *context, double t, const double *y, double *a) {
    running *r = context;
    const double *q = y, *v;
    int code = r->singular.near ? INTEGRATOR_NOT_SECOND : find_accelerations(r, t, y, &q, &v);
    if (code == 0 && q != y)
        code = INTEGRATOR_NOT_SECOND;
    if (code == 0)
        rates_slope(r->sys, r->st, r->found->qdd, a);
    return code;
}

int run_peek(running *r, double t, const double *y, double *dydt, bool held) {
    run_trouble trouble = r->trouble;
    double nearest = r->singular.nearest, unheeded = r->singular.watch.nearest, settled = r->settled;
    bool near = r->singular.near;
    r->settled = NAN;
    int code = !r->switches.hold ? run_evaluate(r, t, y, dydt)
               : held            ? run_evaluate_held(r, t, y, dydt)
                                 : run_evaluate_unheld(r, t, y, dydt);
    r->trouble = trouble;
    r->singular.nearest = nearest;
    r->singular.watch.nearest = unheeded;
    r->singular.near = near;
    r->settled = settled;
    return code;
}

// accelerations where slopes are wanted
static bool accelerate_for_slopes(running *r, double t, const double *y) {
    choose_rows(r, false);
    r->trouble.solve = SOLVED;
    r->trouble.time = t;
    const double *v = run_velocities(r, t, y);
    moment at = run_moment(r, t, y, v);
    if (v)
        r->trouble.solve = solve_at(r->sys, r->st, &at);
    return r->trouble.solve.status == SOLVE_OK;
}

int run_newton_take(running *r, solve_newton *to, double t, const double *y) {
    if (!accelerate_for_slopes(r, t, y))
        return 1;
    solve_newton_take(r->sys, r->st, to); // without a slope, Newton's method may do
    return 0;
}

int run_newton_at(void *context, double t, const double *y) {
    running *r = context;
    linalg_copy(r->newton_q, y, r->sys->n);
    return run_newton_take(r, r->newton, t, y);
}

bool run_newton_factor(void *context, double gamma) {
    running *r = context;
    return solve_newton_factor(r->newton, gamma);
}

/* Of velocities other than q' as if these were s = G v with a constant G: what that leaves out is of the
 * order of gamma times the velocities, and implicit steps are no longer than accuracy allows. */
void run_newton_apply(running *r, solve_newton *by, const double *q, double *x) {
    double *s = x + r->sys->n, *v = r->newton_v;
    if (rates_own(r->sys))
        rates_change(r->sys, r->st, q, s, s);
    solve_newton_solve(by, x);
    if (!rates_own(r->sys))
        return;
    linalg_copy(v, s, r->sys->n);
    rates_own_change(r->sys, r->st, q, v, s);
}

void run_newton_solve(void *context, double *x) {
    running *r = context;
    run_newton_apply(r, r->newton, r->newton_q, x);
}

int run_jacobian(void *context, double t, const double *y, double *J) {
    running *r = context;
    int n = r->sys->n;
    if (!accelerate_for_slopes(r, t, y))
        return 1;
    double *X = rates_own(r->sys) ? r->slopes : J + 2 * n * n;
    solve_jacobian(r->sys, r->st, X, X + n, 2 * n); // without a slope, Newton's method may do
    if (rates_own(r->sys)) {
        rates_jacobian(r->sys, r->st, X, J);
        return 0;
    }
    memset(J, 0, (size_t)n * 2 * (size_t)n * sizeof *J); // [0 I; dq''/dq dq''/dv]
    for (int i = 0; i < n; i++)
        J[i * 2 * n + n + i] = 1;
    return 0;
}

void run_implicit(void *context, double gamma) {
    running *r = context;
    solve_stiffness(r->sys, r->st, gamma);
}

static bool project_state(running *r, double t, double *q, double *v) {
    r->velocity = (projection){.row = -1, .held = true};
    if (r->singular.near)
        project_exactly(r, t, q, v);
    r->position = project_position(r->sys, r->st, t, q, r->options->tolerance, NULL);
    if (r->position.held)
        r->velocity = project_velocity(r->sys, r->st, t, q, v, r->options->tolerance);
    if (!r->position.held || !r->velocity.held)
        return false;
    rates_normalise(r->sys, q, v); // to rounding at any tolerance, where Newton's method leaves a thousandth
    return true;
}

// q and v of y, projected; false if they cannot be held
bool run_project_state(running *r, double t, double *q, double *v) {
    profile_part before = profile_enter(state_profile(r->st), PROFILE_PROJECT);
    bool held = project_state(r, t, q, v);
    profile_leave(state_profile(r->st), before);
    if (held)
        return true;
    r->trouble.of_position = !r->position.held;
    r->trouble.of_a_jump = false;
    r->trouble.refused = r->trouble.of_position ? r->position : r->velocity;
    return false;
}

// RMS of a change, each component divided by its size, as in an error test
static double moved(const running *r, const double *from, const double *to, bool velocity) {
    double sum = 0;
    for (int i = 0; i < r->sys->n; i++) {
        double part = (to[i] - from[i]) / (natural_size(r->sys->natural, i, velocity) + fabs(to[i]));
        sum += part * part;
    }
    return sqrt(sum / r->sys->n);
}

/* Projection of a step that passed its error test moves the state by about what the test allows: by 80 times
 * that at most in the shipped models, with any method and tolerance. A constraint that moves it by this much
 * jumps, or has a kink: the motion would need an impact. */
static const double JUMP = 1000;
/* Less may be rounding, divided by the square of the distance to a singular position: 7 of 60 slider cranks
 * whose rod is longer than the crank by 1e-8 to 5e-8 were refused at a tolerance of 1e-12, for 1e-11. */
static const double JUMP_LEAST = 1e-8;

static bool are_same(const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

bool run_jumped(running *r, const double *q_before, const double *v_before, const double *q,
                const double *v) {
    const trm_system *sys = r->sys;
    if (are_same(q_before, q, sys->n) && are_same(v_before, v, sys->n)) // most projections move nothing
        return false;
    bool leaving = r->report->start.branching >= 0 && r->report->rank_changes.count == 0; // a singular start
    double least = fmax(JUMP * r->options->tolerance, JUMP_LEAST);
    if (leaving || r->singular.near ||
        fmax(moved(r, q_before, q, false), moved(r, v_before, v, true)) < least)
        return false;
    state_level l = state_velocity(sys, r->st);
    state_run(sys, r->st, l.stage);
    double largest = -1;
    for (int i = 0; i < l.level->m; i++) {
        double residual = row_dot(l.level->A, l.A, i, v_before) - row_dot(l.level->A, l.A, i, v);
        double allowed = project_allowed(sys, l.level->A, l.A, i, v, true, r->options->tolerance);
        if (fabs(residual) / allowed > largest) {
            largest = fabs(residual) / allowed;
            r->trouble.refused = (projection){sys->velocity.rows[i], residual, allowed, false};
        }
    }
    r->trouble.of_position = false;
    r->trouble.of_a_jump = true;
    return true;
}

// beyond a constraint that switches: the step is right up to there, and there is nothing to project on
static bool is_beyond(running *r, double t, const double *q, const double *v) {
    if (!r->switches.hold || r->sys->row_switch == NULL)
        return false;
    state_set(r->sys, r->st, t, q, v);
    return state_row_switches_turned(r->sys, r->st);
}

int run_project(void *context, double t, double *y) {
    running *r = context;
    int n = r->sys->n;
    if (run_velocities(r, t, y) == NULL)
        return 1;
    double *v = rates_own(r->sys) ? r->v : y + n;
    if (is_beyond(r, t, y, v)) {
        r->settled = t;
        return 0;
    }
    linalg_copy(r->singular.q, y, n);
    linalg_copy(r->singular.v, v, n);
    if (!run_project_state(r, t, y, v) || run_jumped(r, r->singular.q, r->singular.v, y, v))
        return 1;
    run_set_velocities(r, t, v, y);
    r->settled = t;
    return 0;
}

bool run_take_projected(running *r, double t, const double *projected, double *y) {
    size_t bytes = (size_t)r->sys->n * sizeof *y;
    const double *q = projected, *v = projected + r->sys->n;
    if (run_jumped(r, y, y + r->sys->n, q, v))
        return false;
    memcpy(r->singular.q, y, bytes);
    memcpy(r->singular.v, y + r->sys->n, bytes);
    memcpy(y, projected, 2 * bytes);
    r->position = r->velocity = (projection){.row = -1, .held = true};
    r->settled = t;
    return true;
}
