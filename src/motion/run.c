#include "motion/run.h"

#include "motion/project.h"
#include "solve/linalg.h"

#include <math.h>
#include <string.h>

/* Rank in a run: rows are taken as dependent when their remainder is no larger than this. Positions carry
 * errors of the order of the tolerance, and 1e-6 keeps a mechanism on its branch where it passes a singular
 * position (measured on a parallelogram with cuts from 1e-15 to 1e-2: smaller cuts leave the branch, larger
 * ones lose accuracy). */
static const double RUN_CUT = 1e-6;
/* A dropped row that is missed by more than this contradicts the others; one on accelerations has no error
 * but that of the rows it depends on. */
static const double CONTRADICTION = 1e-4;
enum { RANK_CHANGES_MOST = 1000, INTERRUPTED = -2000 };
/* A singular position that the motion passes: rows that are independent before and after come this near to
 * dependence, as a part of how far they were from it at the last step. */
static const double SINGULAR = 0.05, APPROACH = 0.2, NEARING = 0.5;
enum { SCAN = 24, REFINE = 30 }; // evaluations to find it

typedef struct {
    arena *arena;
    const trm_system *sys;
    trm_state *st;
    const run_options *options;
    run_report *report;
    double *v, *work_q, *work_v; // (n)
    bool *dropped;               // (m) at the last step
    double *last_A;              // (m x n) at the last step, of rows that may vanish
    bool started;
    int rank;                      // at the last step
    double usual;                  // nearness to dependence at the last step
    double nearest;                // least of the stages since then
    int quasi_sign;                // at the last step
    bool settled;                  // the state has just been projected
    projection position, velocity; // of the last projection
    projection refused;            // the last that failed since the last step; row -1 if none
    bool refused_position;
    solve_status status; // of the last evaluation that failed
    double status_time;
} running;

// ---- the differential equation: y = (q, v), or (q, s) with quasi-velocities

// how near the hard rows are to dependence in the state's last evaluation; 0 if the rank is lower than at the
// last step
static double nearness(const running *r) {
    return dense_rank(r->st->dense) < r->rank ? 0 : dense_nearness(r->st->dense);
}

/* Rank is decided where the state is on the constraints. In between, stages are off them by more than
 * rounding, and rows that depend on others come out independent there: they are left out as at the last step.
 * A C built on multipliers needs them all. */
static void choose_rows(running *r) {
    bool decided = r->settled || r->sys->mech->nonideal_needs_ideal || r->sys->soft_count;
    dense_leave_out(r->st->dense, decided ? NULL : r->dropped);
    r->settled = false;
}

static int evaluate(void *context, double t, const double *y, double *dydt) {
    running *r = context;
    if (r->options->stop && *r->options->stop)
        return INTERRUPTED;
    choose_rows(r);
    const trm_system *sys = r->sys;
    int n = sys->n;
    const double *q = y, *v = y + n;
    r->status = SOLVE_OK;
    if (sys->quasi) {
        r->status = solve_velocities(sys, r->st, t, q, y + n, r->v);
        v = r->v;
    }
    r->status_time = t;
    if (r->status == SOLVE_OK)
        r->status = solve_acceleration(sys, r->st, t, q, v);
    if (r->status != SOLVE_OK)
        return 1; // not here: a shorter step may do
    r->nearest = fmin(r->nearest, nearness(r));
    memcpy(dydt, v, (size_t)n * sizeof *v);
    if (sys->quasi)
        solve_quasi_rate(sys, r->st, dydt + n);
    else
        memcpy(dydt + n, r->st->qdd, (size_t)n * sizeof *v);
    return 0;
}

// [0 I; dq''/dq dq''/dv]
static int jacobian(void *context, double t, const double *y, double *J) {
    running *r = context;
    int n = r->sys->n;
    r->status = solve_acceleration(r->sys, r->st, t, y, y + n);
    r->status_time = t;
    if (r->status != SOLVE_OK)
        return 1;
    memset(J, 0, (size_t)n * 2 * (size_t)n * sizeof *J);
    for (int i = 0; i < n; i++)
        J[i * 2 * n + n + i] = 1;
    double *lower = J + 2 * n * n;
    return !solve_jacobian(r->sys, r->st, lower, lower + n, 2 * n);
}

static void implicit(void *context, double gamma) {
    running *r = context;
    solve_stiffness(r->sys, r->st, gamma);
}

// q and v of y, projected; false if they cannot be held
static bool project_state(running *r, double t, double *q, double *v) {
    r->velocity = (projection){.row = -1, .held = true};
    r->position = project_position(r->sys, r->st, t, q, r->options->tolerance, NULL);
    if (r->position.held)
        r->velocity = project_velocity(r->sys, r->st, t, q, v, r->options->tolerance);
    if (r->position.held && r->velocity.held)
        return true;
    r->refused_position = !r->position.held;
    r->refused = r->refused_position ? r->position : r->velocity;
    return false;
}

static int project(void *context, double t, double *y) {
    running *r = context;
    const trm_system *sys = r->sys;
    int n = sys->n;
    double *v = y + n;
    if (sys->quasi) {
        r->status = solve_velocities(sys, r->st, t, y, y + n, r->v);
        if (r->status != SOLVE_OK)
            return 1;
        v = r->v;
    }
    if (!project_state(r, t, y, v))
        return 1;
    if (sys->quasi)
        solve_quasi(sys, r->st, t, y, v, y + n);
    r->settled = true;
    return 0;
}

// ---- singular positions ahead

// nearness to dependence a time `ahead` after (t, q, v), along q + v ahead + a ahead^2 / 2
static double nearness_ahead(running *r, double t, const double *q, const double *v, const double *a,
                             double ahead) {
    const trm_system *sys = r->sys;
    trm_state *st = r->st;
    for (int i = 0; i < sys->n; i++) {
        r->work_q[i] = q[i] + ahead * (v[i] + ahead / 2 * a[i]);
        r->work_v[i] = v[i] + ahead * a[i];
    }
    state_set(sys, st, t + ahead, r->work_q, r->work_v);
    state_run(sys, st, STAGE_DYNAMICS);
    dense_leave_out(st->dense, r->dropped);
    if (!linalg_finite(st->A, sys->m * sys->n) || dense_factor(st->dense, st->M, st->A, st->cut) != DENSE_OK)
        return INFINITY;
    return nearness(r);
}

// when nearness is least within the span: the lowest of SCAN instants, then golden sections around it
static double time_of_least(running *r, double t, const double *q, const double *v, const double *a,
                            double span, double *least) {
    int lowest = 1;
    *least = INFINITY;
    for (int k = 1; k <= SCAN; k++) {
        double here = nearness_ahead(r, t, q, v, a, span * k / SCAN);
        if (here < *least) {
            *least = here;
            lowest = k;
        }
    }
    const double part = 0.6180339887498949;
    double from = span * (lowest - 1) / SCAN, to = span * (lowest + 1) / SCAN;
    for (int k = 0; k < REFINE; k++) {
        double one = to - part * (to - from), two = from + part * (to - from);
        double at_one = nearness_ahead(r, t, q, v, a, one), at_two = nearness_ahead(r, t, q, v, a, two);
        *least = fmin(*least, fmin(at_one, at_two));
        if (at_one < at_two)
            to = two;
        else
            from = one;
    }
    return (from + to) / 2;
}

static double singular(void *context, double t, const double *y, const double *dydt, double span) {
    running *r = context;
    double nearest = r->nearest, least;
    r->nearest = INFINITY;
    if (r->sys->quasi || r->sys->soft_count || nearest > APPROACH * r->usual)
        return -1;
    double ahead = time_of_least(r, t, y, dydt, dydt + r->sys->n, span, &least);
    return least <= SINGULAR * r->usual ? ahead : -1;
}

// the part of an error that projection leaves
static int tangent(void *context, double t, const double *y, double *e) {
    running *r = context;
    const trm_system *sys = r->sys;
    int n = sys->n;
    const double *v = y + n;
    double *dv = e + n;
    if (r->nearest > NEARING * r->usual)
        return 1; // no singular position near: off the constraints, the error is one of the step all the same
    if (sys->quasi) {
        if (solve_velocities(sys, r->st, t, y, y + n, r->v) != SOLVE_OK)
            return 1;
        v = r->v;
        dv = r->work_v;
        solve_velocity_change(sys, r->st, e + n, dv);
    }
    if (!project_tangent(sys, r->st, t, y, v, e, dv))
        return 1;
    if (sys->quasi)
        solve_quasi_change(sys, r->st, dv, e + n);
    return 0;
}

// ---- failures

static void fail_projection(running *r, double t) {
    failure_of_row(&r->report->failure, r->arena, r->sys, r->refused.row,
                   r->refused_position ? "position" : "velocity", r->refused.residual, r->refused.allowed, t);
    r->report->end = RUN_FAILED;
}

// no projection failed, but rows come near to dependence: names the one with least left of it
static void fail_dependence(running *r, double t) {
    const trm_system *sys = r->sys;
    rank_report *rank = rank_at_state(r->arena, sys, r->st);
    int least = 0;
    for (int i = 1; i < sys->hard_count; i++)
        if (rank->remainder[i] < rank->remainder[least])
            least = i;
    failure *f = &r->report->failure;
    failure_of_row(f, r->arena, sys, sys->hard_rows[least], "position", 0, 0, t);
    f->message = arena_print(
        r->arena, "the step size became too small: constraint '%s' becomes dependent on the others",
        f->constraint);
    f->hint = "the constraints leave no way on from here, or the motion is not smooth";
    r->report->end = RUN_FAILED;
}

static void fail_solve(running *r, double t) {
    failure_of_solve(&r->report->failure, r->arena, r->sys, r->st, r->status, t);
    r->report->end = RUN_FAILED;
}

// the step became too small for another reason: names what changes fastest
static void fail_fastest(running *r, double t) {
    const trm_system *sys = r->sys;
    const trm_state *st = r->st;
    failure *f = &r->report->failure;
    int row = -1, coordinate = 0;
    double steepest = 0;
    for (int i = 0; i < sys->m; i++) {
        double asked = fabs(st->b[i]) / linalg_norm(st->A + i * sys->n, sys->n);
        if (asked > steepest) {
            steepest = asked;
            row = i;
        }
    }
    for (int i = 0; i < sys->n; i++)
        if (fabs(st->qdd[i]) > fabs(st->qdd[coordinate]))
            coordinate = i;
    *f = (failure){.failed = true, .time = t};
    if (row >= 0)
        failure_of_row(f, r->arena, sys, row, "position", 0, 0, t);
    f->message =
        row >= 0
            ? arena_print(r->arena, "the step size became too small; '%s' asks for an acceleration of %.3g",
                          f->constraint, steepest)
            : arena_print(r->arena, "the step size became too small; the acceleration of '%s' is %.3g",
                          model_coord_name(sys->model, coordinate, r->arena), st->qdd[coordinate]);
    f->hint = "the motion is not smooth here, or the tolerance cannot be reached";
    r->report->end = RUN_FAILED;
}

static void fail_step(running *r, double t) {
    if (r->status != SOLVE_OK) {
        fail_solve(r, r->status_time);
    } else if (r->refused.row >= 0) {
        fail_projection(r, t);
    } else if (r->sys->hard_count && nearness(r) < 1e-3) {
        fail_dependence(r, t);
    } else {
        fail_fastest(r, t);
    }
}

// what an integrator that did not go on came to
static void end_at(running *r, int code, double t) {
    if (code == INTERRUPTED)
        r->report->end = RUN_STOPPED;
    else
        fail_step(r, t);
}

// a dropped row that the acceleration misses is a contradiction, not a redundancy
static bool check_dropped(running *r, double t) {
    double miss, exact = fmax(1e-9, 100 * r->options->tolerance);
    int row = solve_contradiction(r->sys, r->st, CONTRADICTION, exact, &miss);
    if (row < 0)
        return true;
    failure_of_contradiction(&r->report->failure, r->arena, r->sys, row, miss, t);
    r->report->end = RUN_FAILED;
    return false;
}

// ---- samples

static void record_row(running *r, int i, double t, double residual, double rate, double size_q,
                       double size_v) {
    const trm_system *sys = r->sys;
    const system_row *row = &sys->rows[i];
    row_record *record = &r->report->rows[i];
    double tolerance = r->options->tolerance;
    record->velocity = fmax(record->velocity, fabs(rate));
    if (r->started && !(fabs(residual) > record->worst))
        return;
    record->worst = fabs(residual);
    record->at = t;
    bool holonomic = row->level == ROW_HOLONOMIC;
    bool held = !row->damped && !row->weighted && row->level != ROW_ACCELERATION;
    record->allowed =
        held ? project_allowed(r->st->A + i * sys->n, sys->n, holonomic ? size_q : size_v, tolerance) : NAN;
}

// e1 - e2 of all rows; those on accelerations are A q'' - b
static void residuals(running *r, double t) {
    const trm_system *sys = r->sys;
    trm_state *st = r->st;
    int n = sys->n, m = sys->m;
    state_run(sys, st, STAGE_RESIDUAL);
    double *residual = st->y[STAGE_RESIDUAL];
    double size_q = linalg_norm(st->x + sys->x_q, n), size_v = linalg_norm(st->x + sys->x_v, n);
    for (int i = 0; i < m; i++) {
        if (sys->rows[i].level == ROW_ACCELERATION)
            residual[i] = linalg_dot(st->A + i * n, st->qdd, n) - st->b[i];
        record_row(r, i, t, residual[i], residual[m + i], size_q, size_v);
    }
}

static void record_energy(running *r) {
    const double *y = r->st->y[STAGE_ENERGY];
    run_report *report = r->report;
    double jacobi = y[1] + y[2];
    report->energy_end = y[0] + y[2];
    if (!r->started) {
        report->energy_start = report->energy_end;
        report->jacobi_start = jacobi;
    }
    if (!isfinite(jacobi))
        report->energy_lost = true;
    report->drift = fmax(report->drift, fabs(jacobi - report->jacobi_start));
    report->largest_energy = fmax(report->largest_energy, fabs(y[0]) + fabs(y[2]));
}

static void record_expectations(running *r, double t, bool last) {
    const trm_system *sys = r->sys;
    const double *conditions = r->st->y[STAGE_OUTPUT] + sys->model->outputs.count;
    const double *margins = conditions + sys->expect_count;
    for (int i = 0; i < sys->expect_count; i++) {
        int which = sys->expect_of[i];
        expect_record *e = &r->report->expects[which];
        if (!sys->model->expects.at[which].always && !last)
            continue;
        if (sys->has_margin[i] && !(e->worst <= margins[i]))
            e->worst = margins[i];
        if (conditions[i] == 0 && e->holds) {
            e->holds = false;
            e->failed_at = t;
        }
    }
}

static void keep_sample(running *r, const sample *s) {
    const trm_system *sys = r->sys;
    run_report *report = r->report;
    size_t n = (size_t)sys->n * sizeof(double), m = (size_t)sys->m * sizeof(double);
    memcpy(report->q, s->q, n);
    memcpy(report->v, s->v, n);
    if (s->s)
        memcpy(report->s, s->s, n);
    memcpy(report->reaction, r->st->reaction, n);
    memcpy(report->control, r->st->control, n);
    memcpy(report->multiplier, r->st->multiplier, m);
    memcpy(report->outputs, s->outputs, (size_t)sys->model->outputs.count * sizeof(double));
    report->time = s->t;
    report->samples++;
}

// the values of start(...), in order: one may hold another
static void evaluate_starts(running *r) {
    for (int i = 0; i <= r->sys->model->start_count && i < 8; i++) {
        solve_results(r->sys, r->st);
        state_run(r->sys, r->st, STAGE_START);
    }
    solve_results(r->sys, r->st);
}

// one sample at (t, q, v), which are projected and not part of the trajectory
static bool take_sample(running *r, double t, double *q, double *v, bool last) {
    const trm_system *sys = r->sys;
    trm_state *st = r->st;
    if (!project_state(r, t, q, v)) {
        fail_projection(r, t);
        return false;
    }
    dense_leave_out(st->dense, NULL);
    r->status = solve_acceleration(sys, st, t, q, v);
    if (r->status != SOLVE_OK) {
        fail_solve(r, t);
        return false;
    }
    if (!check_dropped(r, t))
        return false;
    solve_forces(sys, st);
    solve_results(sys, st);
    if (!r->started)
        evaluate_starts(r);
    state_run(sys, st, STAGE_OUTPUT);
    residuals(r, t);
    record_energy(r);
    record_expectations(r, t, last);
    sample s = {t, q, v, NULL, st->y[STAGE_OUTPUT], st->reaction, st->y[STAGE_RESIDUAL]};
    if (sys->quasi) {
        state_run(sys, st, STAGE_QUASI);
        s.s = st->y[STAGE_QUASI] + sys->n * sys->n;
    }
    keep_sample(r, &s);
    r->started = true;
    if (r->options->sink.take && !r->options->sink.take(r->options->sink.context, &s)) {
        r->report->end = RUN_SINK_FAILED;
        return false;
    }
    return true;
}

static bool sample_state(running *r, double t, const double *y, bool last) {
    const trm_system *sys = r->sys;
    size_t n = (size_t)sys->n;
    memcpy(r->work_q, y, n * sizeof *y);
    memcpy(r->work_v, y + n, n * sizeof *y);
    if (sys->quasi) {
        r->status = solve_velocities(sys, r->st, t, y, y + n, r->work_v);
        if (r->status != SOLVE_OK) {
            fail_solve(r, t);
            return false;
        }
    }
    return take_sample(r, t, r->work_q, r->work_v, last);
}

// ---- rank

/* A row that depends on the velocities and turned round since the last step was zero in between: there it
 * asked for nothing, and the motion beyond is one of several. */
static void note_vanished(running *r, double t) {
    const trm_system *sys = r->sys;
    for (int i = 0; i < sys->m; i++) {
        if (!sys->mech->shapes[sys->model->rows.at[i].shape].may_vanish)
            continue;
        const double *now = r->st->A + i * sys->n;
        double *before = r->last_A + i * sys->n;
        bool turned =
            linalg_dot(before, now, sys->n) < -0.5 * linalg_norm(before, sys->n) * linalg_norm(now, sys->n);
        if (turned && r->report->warnings.count < 10) {
            const char *warning = arena_print(
                r->arena,
                "constraint '%s' vanished shortly before t = %.6g: the motion is not unique from there on",
                failure_row_name(r->arena, sys, i), t);
            vec_push(r->arena, r->report->warnings, warning);
        }
        memcpy(before, now, (size_t)sys->n * sizeof *now);
    }
}

static void note_rank(running *r, double t) {
    const trm_system *sys = r->sys;
    r->rank = dense_rank(r->st->dense);
    r->usual = dense_nearness(r->st->dense);
    r->nearest = INFINITY;
    r->refused.row = -1;
    bool changed = false;
    for (int i = 0; i < sys->hard_count; i++)
        changed |= r->dropped[i] != dense_dropped(r->st->dense, i);
    if (!changed)
        return;
    int before = 0, now = 0;
    for (int i = 0; i < sys->hard_count; i++) {
        before += !r->dropped[i];
        r->dropped[i] = dense_dropped(r->st->dense, i);
        now += !r->dropped[i];
    }
    if (before == now || r->report->rank_changes.count >= RANK_CHANGES_MOST)
        return; // the same rank by other rows
    rank_change change = {t, now, arena_array(r->arena, bool, sys->hard_count)};
    memcpy(change.dropped, r->dropped, (size_t)sys->hard_count * sizeof(bool));
    vec_push(r->arena, r->report->rank_changes, change);
}

rank_report *rank_at_state(arena *a, const trm_system *sys, const trm_state *st) {
    double *A = arena_doubles(a, (size_t)sys->hard_count * (size_t)sys->n);
    for (int i = 0; i < sys->hard_count; i++)
        memcpy(A + i * sys->n, st->A + sys->hard_rows[i] * sys->n, (size_t)sys->n * sizeof *A);
    return rank_of_rows(a, A, sys->hard_count, sys->n, st->cut);
}

static void note_start(running *r) {
    const trm_system *sys = r->sys;
    for (int i = 0; i < sys->hard_count; i++)
        r->dropped[i] = dense_dropped(r->st->dense, i);
    r->rank = dense_rank(r->st->dense);
    r->usual = dense_nearness(r->st->dense);
    r->report->rank = rank_at_state(r->arena, sys, r->st);
    r->report->mass_singular = dense_mass_singular(r->st->dense);
}

// ---- the loop

// whole intervals in the span, and whether they fill it
static double intervals(const run_options *o, bool *fill) {
    double whole = floor((o->until - o->from) / o->every * (1 + 1e-12));
    *fill = whole > 0 && fabs(o->from + whole * o->every - o->until) <= 1e-9 * o->every;
    return whole;
}

long run_sample_count(const run_options *o) {
    bool fill;
    if (!(o->until > o->from))
        return 1;
    double whole = intervals(o, &fill);
    return (long)whole + (fill ? 1 : 2);
}

double run_sample_time(const run_options *o, long k) {
    bool fill;
    double whole = intervals(o, &fill);
    if (k >= run_sample_count(o) - 1)
        return o->until;
    if (fill) // 207 of 1000 parts are 0.207; 207 times 0.001 are not
        return o->from + (o->until - o->from) * (double)k / whole;
    return o->from + (double)k * o->every;
}

static bool stopped(const run_options *o) {
    return o->stop && *o->stop;
}

// samples between the last step's ends
static bool sample_step(running *r, integrator *it, double *y, long *next, double limit) {
    const run_options *o = r->options;
    long count = run_sample_count(o);
    while (*next < count && run_sample_time(o, *next) <= limit) {
        if (stopped(o)) { // a step may hold any number of samples
            r->report->end = RUN_STOPPED;
            return false;
        }
        double t = run_sample_time(o, *next);
        int code = o->method->interpolate(it, t, y);
        if (code != 0) {
            end_at(r, code, t);
            return false;
        }
        if (!sample_state(r, t, y, *next == count - 1))
            return false;
        ++*next;
    }
    return true;
}

/* Steps of an explicit method that are as long as stability allows; where the system is not stiff, hardly any
 * (of the shipped models one in five at most). */
static void warn_stiff(running *r) {
    const integrator_statistics *count = &r->report->statistics;
    const char *warning = "the system looks stiff: --integrator bdf may need far fewer steps";
    if (count->stiff >= 20 && 3 * count->stiff > count->steps)
        vec_push(r->arena, r->report->warnings, warning);
}

/* Where the determinant of G changes its sign within a step, the quasi-velocities did not determine the
 * velocities on the way: the instant, found by halving, or the end of the step. */
static double quasi_limit(running *r, integrator *it, double *y, double from) {
    const integrator_ops *method = r->options->method;
    double to = method->time(it);
    int before = r->quasi_sign;
    r->quasi_sign = r->st->quasi_sign;
    if (!r->sys->quasi || before == r->quasi_sign)
        return to;
    for (int k = 0; k < 50; k++) {
        double middle = (from + to) / 2;
        bool crossed = method->interpolate(it, middle, y) != 0 ||
                       solve_velocities(r->sys, r->st, middle, y, y + r->sys->n, r->v) != SOLVE_OK ||
                       r->st->quasi_sign != before;
        *(crossed ? &to : &from) = middle;
    }
    return to;
}

static void integrate(running *r, const double *y0) {
    const run_options *o = r->options;
    ode system = {2 * r->sys->n, evaluate, project, tangent, singular, .context = r};
    if (r->sys->slopes && o->method->implicit) {
        system.jacobian = jacobian;
        system.implicit = implicit;
        r->st->stiffness = arena_doubles(r->arena, (size_t)r->sys->n * (size_t)r->sys->n);
    }
    integrator *it = o->method->create(r->arena, &system, o->tolerance);
    double *y = arena_doubles(r->arena, (size_t)system.size);
    long next = 1;
    r->settled = true;
    int code = o->method->start(it, o->from, y0, o->until, 0);
    if (code != 0)
        end_at(r, code, o->from);
    while (r->report->end == RUN_DONE && o->method->time(it) < o->until) {
        if (stopped(o)) {
            r->report->end = RUN_STOPPED;
            break;
        }
        double before = o->method->time(it);
        code = o->method->step(it);
        if (code != 0) {
            end_at(r, code, o->method->time(it));
            break;
        }
        note_vanished(r, o->method->time(it));
        note_rank(r, o->method->time(it));
        double limit = quasi_limit(r, it, y, before);
        if (sample_step(r, it, y, &next, limit) && limit < o->method->time(it)) {
            r->status = SOLVE_SINGULAR_QUASI;
            fail_solve(r, limit);
        }
        if (o->progress)
            o->progress(o->progress_context, (o->method->time(it) - o->from) / (o->until - o->from));
    }
    r->report->statistics = o->method->statistics(it);
    warn_stiff(r);
    if (o->method->release)
        o->method->release(it);
    r->st->stiffness = NULL;
}

static run_report *new_report(arena *a, const trm_system *sys) {
    const model *m = sys->model;
    run_report *p = arena_alloc(a, sizeof *p);
    p->rows = arena_array(a, row_record, sys->m + 1);
    p->expects = arena_array(a, expect_record, m->expects.count + 1);
    for (int i = 0; i < m->expects.count; i++)
        p->expects[i] = (expect_record){.holds = true, .worst = NAN};
    double **vectors[] = {&p->q, &p->v, &p->s, &p->reaction, &p->control};
    for (int i = 0; i < 5; i++)
        *vectors[i] = arena_doubles(a, (size_t)sys->n);
    p->multiplier = arena_doubles(a, (size_t)sys->m);
    p->outputs = arena_doubles(a, (size_t)m->outputs.count);
    return p;
}

run_report *run_simulation(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    running r = {.arena = a, .sys = sys, .st = st, .options = options, .report = new_report(a, sys)};
    size_t n = (size_t)sys->n;
    r.v = arena_doubles(a, n);
    r.work_q = arena_doubles(a, n);
    r.work_v = arena_doubles(a, n);
    r.dropped = arena_array(a, bool, sys->m + 1);
    r.last_A = arena_doubles(a, (size_t)sys->m * n);
    r.refused.row = -1;
    r.nearest = INFINITY;
    r.report->time = options->from;
    st->cut = fmax(RUN_CUT, 30 * options->tolerance);
    st->evaluations = 0;
    run_report *report = r.report;
    if (!assemble(a, sys, st, options->from, options->tolerance, &report->start, &report->failure)) {
        report->end = RUN_FAILED;
        return report;
    }
    double *y = arena_doubles(a, 2 * n);
    memcpy(y, report->start.q, n * sizeof *y);
    memcpy(y + n, report->start.v, n * sizeof *y);
    if (sys->quasi)
        solve_quasi(sys, st, options->from, report->start.q, report->start.v, y + n);
    if (sample_state(&r, options->from, y, run_sample_count(options) == 1)) {
        note_start(&r);
        r.quasi_sign = st->quasi_sign;
        note_vanished(&r, options->from);
        if (options->until > options->from)
            integrate(&r, y);
    } else if (r.status == SOLVE_UNDETERMINED || r.status == SOLVE_INDEFINITE) {
        report->rank = rank_at_state(a, sys, st);
    }
    report->evaluations = st->evaluations;
    return report;
}
