/* A simulation: assembly, then step by step, with rank and samples looked after. */
#include "motion/running.h"

#include "solve/linalg.h"

#include <math.h>
#include <string.h>

/* Rank in a run: rows are taken as dependent when their remainder is no larger than this. Positions carry
 * errors of the order of the tolerance, and 1e-6 keeps a mechanism on its branch where it passes a singular
 * position (measured on a parallelogram with cuts from 1e-15 to 1e-2: smaller cuts leave the branch, larger
 * ones lose accuracy). */
static const double RUN_CUT = 1e-6;
enum { RANK_CHANGES_MOST = 1000 };
static const double DEPARTURE = 1e-6; // first step from a singular position, as a part of the span

// ---- rank

double run_cut(double tolerance) {
    return fmax(RUN_CUT, 30 * tolerance);
}

/* A row that depends on the velocities and turned round since the last step was zero in between: there it
 * asked for nothing, and the motion beyond is one of several. */
static void note_vanished(running *r, double t) {
    const trm_system *sys = r->sys;
    for (int i = 0; i < sys->m && r->may_vanish; i++) {
        if (!sys->mech->shapes[sys->model->rows.at[i].shape].may_vanish)
            continue;
        int begin = sys->A.start[i], count = sys->A.start[i + 1] - begin;
        const double *now = r->st->A + begin, *before = r->last_A + begin;
        bool turned =
            linalg_dot(before, now, count) < -0.5 * linalg_norm(before, count) * linalg_norm(now, count);
        if (turned && r->report->warnings.count < 10) {
            const char *warning = arena_print(
                r->arena,
                "constraint '%s' vanished shortly before t = %.6g: the motion is not unique from there on",
                failure_row_name(r->arena, sys, i), t);
            vec_push(r->arena, r->report->warnings, warning);
        }
    }
}

static bool *copied(running *r, const bool *from, int count) {
    bool *copy = arena_array(r->arena, bool, count + 1);
    if (count)
        memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

// a friction that has begun or ceased to stick, or -1
static int changed_friction(const running *r) {
    for (int f = 0; f < r->sys->friction_count; f++)
        if (r->stuck[f] != r->st->friction->sticks[f])
            return f;
    return -1;
}

static void keep_frictions(running *r) {
    if (r->sys->friction_count)
        memcpy(r->stuck, r->st->friction->sticks, (size_t)r->sys->friction_count * sizeof(bool));
}

static void note_rank(running *r, double t) {
    const trm_system *sys = r->sys;
    run_note_distance(r);
    r->refused.row = -1;
    r->jump = false;
    int friction = changed_friction(r), before = 0, now = 0;
    bool changed = friction >= 0;
    for (int i = 0; i < sys->hard_count; i++)
        changed |= r->dropped[i] != solve_dropped(sys, r->st, i);
    if (!changed)
        return;
    for (int i = 0; i < sys->hard_count; i++) {
        before += !r->dropped[i];
        r->dropped[i] = solve_dropped(sys, r->st, i);
        now += !r->dropped[i];
    }
    keep_frictions(r);
    if ((before == now && friction < 0) || r->report->rank_changes.count >= RANK_CHANGES_MOST)
        return; // the same rank by other rows
    rank_change change = {t, now, copied(r, r->dropped, sys->hard_count), NULL, friction};
    if (sys->friction_count)
        change.sticks = copied(r, r->stuck, sys->friction_count);
    vec_push(r->arena, r->report->rank_changes, change);
}

// a row that repeats another is what that is, times a factor
static void explain_repeats(arena *a, const trm_system *sys, rank_report *r, const rank_report *solved) {
    double *c = arena_doubles(a, (size_t)r->m);
    for (int k = 0; k < solved->m; k++) {
        int row = sys->solved_rows[k];
        r->remainder[row] = solved->remainder[k];
        memset(c, 0, (size_t)r->m * sizeof *c);
        for (int l = 0; l < solved->term_count[k]; l++)
            c[sys->solved_rows[solved->terms[k][l].row]] = solved->terms[k][l].factor;
        if (!solved->kept[k])
            rank_report_explain(r, a, row, c);
    }
    for (int i = 0; i < sys->sharing->count; i++) {
        const share_entry *e = &sys->sharing->entries[i];
        if (e->row == e->of)
            continue;
        rank_report_repeat(r, a, e->row, e->of, e->factor);
    }
}

rank_report *rank_at_state(arena *a, const trm_system *sys, const trm_state *st) {
    bool all = sys->soft_count == 0, independent = solve_rank(sys, st) == sys->all.rows;
    int count = all ? sys->all.rows : sys->hard_count;
    const int *rows = all ? sys->solved_rows : sys->hard_rows;
    if (count == sys->m && sys->friction_count == 0)
        return dependence_of_rows(a, sys->n, sys->A, st->A, st->cut, independent);
    sparsity pattern = sparsity_rows(a, sys->A, rows, count);
    double *A = arena_doubles(a, (size_t)sparsity_entries(pattern));
    for (int i = 0; i < count; i++)
        if (!friction_idle(sys, st, rows[i]))
            memcpy(A + pattern.start[i], st->A + sys->A.start[rows[i]],
                   (size_t)(pattern.start[i + 1] - pattern.start[i]) * sizeof *A);
    rank_report *solved = dependence_of_rows(a, sys->n, pattern, A, st->cut, independent);
    for (int i = 0; i < count; i++)
        solved->unique[i] |= friction_idle(sys, st, rows[i]); // what it is does not follow from the rows
    if (sys->sharing == NULL)
        return solved;
    rank_report *r = rank_report_new(a, sys->m, sys->n);
    r->rank = solved->rank;
    explain_repeats(a, sys, r, solved);
    return r;
}

static void note_start(running *r) {
    const trm_system *sys = r->sys;
    for (int i = 0; i < sys->hard_count; i++)
        r->dropped[i] = solve_dropped(sys, r->st, i);
    run_note_distance(r);
    keep_frictions(r);
    for (int i = 0; i < sys->m; i++)
        r->report->idle[i] = friction_idle(sys, r->st, i);
    r->report->rank = rank_at_state(r->arena, sys, r->st);
    r->report->mass_singular = solve_mass_singular(sys, r->st);
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
            run_end_at(r, code, t);
            return false;
        }
        if (!run_sample_state(r, t, y, *next == count - 1))
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

// the last samples, those before t and at t, where a stop ends the run
static void sample_stop(running *r, integrator *it, double *y, long *next, int which, double t) {
    if (!sample_step(r, it, y, next, nextafter(t, -INFINITY)))
        return;
    int code = r->options->method->interpolate(it, t, y);
    if (code != 0)
        run_end_at(r, code, t);
    else if (run_sample_state(r, t, y, true))
        r->report->stop = which;
}

// samples of the step from `before`, up to where the run stops or cannot go on; false if it ends there
static bool look_after_step(running *r, integrator *it, double *y, long *next, double before,
                            double switched) {
    double time = r->options->method->time(it), limit = quasi_limit(r, it, y, before);
    run_note_pass(r, it, before, y);
    bool singular = limit < time;
    limit = fmin(limit, switched);
    int stop = r->stops.count ? run_find_stop(r, it, before, &limit, y) : -1;
    if (stop >= 0) {
        sample_stop(r, it, y, next, stop, limit);
        return false;
    }
    if (!sample_step(r, it, y, next, limit))
        return false;
    if (singular) {
        r->status = SOLVE_SINGULAR_QUASI;
        run_fail_solve(r, limit);
    }
    return !singular;
}

static void note_step(running *r, double t) {
    note_vanished(r, t);
    note_rank(r, t);
}

static int begin_anew(running *r, integrator *it, double t, double *y, bool slipped) {
    int code = slipped ? run_turn_slips(r, it, t, y) : run_turn_switches(r, it, t, y);
    if (code != 0)
        return code;
    note_step(r, t);
    r->settled = t;
    return r->options->method->start(it, t, y, r->options->until, 0);
}

/* A run that would take more than 3e9 steps, and far shorter ones than it took before, ends nowhere: it
 * creeps towards a place that it cannot pass. Where forces were found to switch to and fro, 2e7 are too many.
 */
static bool makes_headway(running *r, integrator *it, double step) {
    const run_options *o = r->options;
    double t = o->method->time(it), span = o->until - o->from, covered = t - r->marked_time;
    r->longest_step = fmax(r->longest_step, step);
    if (++r->marked_steps < HEADWAY_STEPS)
        return true;
    bool chatters = r->sys->switch_count && !r->st->held && covered < 1e-3 * span;
    bool creeps = covered < 6e-6 * span && covered < 1e-3 * HEADWAY_STEPS * r->longest_step;
    if (chatters || creeps)
        run_fail_headway(r, t);
    r->marked_steps = 0;
    r->marked_time = t;
    return !chatters && !creeps;
}

// angles of joints go on from where the step ended
static void keep_turns(running *r, integrator *it) {
    const integrator_ops *method = r->options->method;
    if (r->sys->model->turns.count == 0)
        return;
    state_set(r->sys, r->st, method->time(it), method->state(it), NULL);
    state_keep_turns(r->sys, r->st);
}

// one step with all that belongs to it; false if the run ends
static bool advance(running *r, integrator *it, double *y, long *next) {
    const integrator_ops *method = r->options->method;
    if (stopped(r->options)) {
        r->report->end = RUN_STOPPED;
        return false;
    }
    double before = method->time(it);
    int code = method->step(it);
    double end = method->time(it);
    if (code == 0) {
        if (r->settled == end) // the method did not evaluate there
            run_evaluate(r, end, method->state(it), y);
        bool switched = run_find_switch(r, it, before, &end, y);
        bool slipped = r->sys->friction_count && run_find_slip(r, it, before, &end, y);
        if (!switched && !slipped)
            note_step(r, end);
        if (!look_after_step(r, it, y, next, before, end))
            return false;
        code = switched || slipped ? begin_anew(r, it, end, y, slipped) : 0;
    } else if (r->st->held) {
        code = run_release_switches(r, it, code, y);
    }
    if (code != 0)
        run_end_at(r, code, end);
    else
        keep_turns(r, it);
    return code == 0 && makes_headway(r, it, end - before);
}

// y (2 n): the state to begin with, then workspace
static void integrate(running *r, double *y) {
    const run_options *o = r->options;
    ode system = {2 * r->sys->n, run_evaluate, run_project, run_tangent,
                  run_singular,  run_may_end,  .context = r};
    if (r->sys->switch_count)
        system.f = run_evaluate_held;
    if (r->sys->slopes && o->method->implicit) {
        system.jacobian = run_jacobian;
        system.implicit = run_implicit;
        state_add_stiffness(r->sys, r->st);
    }
    integrator *it = o->method->create(r->work, &system, o->tolerance);
    long next = 1;
    r->settled = r->marked_time = o->from;
    run_hold_switches(r, o->from, y);
    // a singular position is left by a short step: its rows are missing in it
    bool branching = r->report->start.branching >= 0;
    int code = o->method->start(it, o->from, y, o->until, branching ? DEPARTURE * (o->until - o->from) : 0);
    if (code != 0)
        run_end_at(r, code, o->from);
    while (code == 0 && o->method->time(it) < o->until && advance(r, it, y, &next)) {
        if (o->progress)
            o->progress(o->progress_context, (o->method->time(it) - o->from) / (o->until - o->from));
    }
    r->report->statistics = o->method->statistics(it);
    warn_stiff(r);
    r->st->stiff = NULL;
    r->st->held = false;
}

static run_report *new_report(arena *a, const trm_system *sys) {
    const model *m = sys->model;
    run_report *p = arena_alloc(a, sizeof *p);
    p->stop = -1;
    p->rows = arena_array(a, row_record, sys->m + 1);
    p->powers = arena_array(a, power_record, sys->model->constraints.count + 1);
    p->expects = arena_array(a, expect_record, m->expects.count + 1);
    for (int i = 0; i < m->expects.count; i++)
        p->expects[i] = (expect_record){.holds = true, .worst = NAN};
    double **vectors[] = {&p->q, &p->v, &p->s, &p->reaction, &p->control};
    for (int i = 0; i < 5; i++)
        *vectors[i] = arena_doubles(a, (size_t)sys->n);
    p->multiplier = arena_doubles(a, (size_t)sys->m);
    p->idle = arena_array(a, bool, sys->m + 1);
    p->outputs = arena_doubles(a, (size_t)m->outputs.count);
    return p;
}

static running begin(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    running r = {.arena = a, .sys = sys, .st = st, .options = options, .report = new_report(a, sys)};
    size_t n = (size_t)sys->n;
    r.work = arena_child(a);
    r.v = arena_doubles(r.work, n);
    r.work_q = arena_doubles(r.work, n);
    r.work_v = arena_doubles(r.work, n);
    r.dropped = arena_array(r.work, bool, sys->m + 1);
    r.stuck = arena_array(r.work, bool, sys->friction_count + 1);
    r.refused.row = -1;
    for (int i = 0; i < sys->model->shapes.count; i++)
        r.may_vanish |= sys->mech->shapes[i].may_vanish;
    run_singular_new(&r);
    r.report->time = options->from;
    st->cut = run_cut(options->tolerance);
    st->evaluations = 0;
    return r;
}

run_report *run_simulation(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    running r = begin(a, sys, st, options);
    run_report *report = r.report;
    size_t n = (size_t)sys->n;
    profile_part before = profile_enter(st->profile, PROFILE_START);
    bool assembled =
        assemble(a, sys, st, options->from, options->tolerance, &report->start, &report->failure);
    profile_leave(st->profile, before);
    if (!assembled) {
        report->end = RUN_FAILED;
        arena_free(r.work);
        return report;
    }
    double *y = arena_doubles(r.work, 2 * n);
    memcpy(y, report->start.q, n * sizeof *y);
    run_find_spheres(&r);
    run_set_velocities(&r, options->from, report->start.v, y);
    if (run_begin_slips(&r, options->from, y) != 0) {
        run_end_at(&r, 1, options->from);
    } else if (run_sample_state(&r, options->from, y, run_sample_count(options) == 1)) {
        note_start(&r);
        r.quasi_sign = st->quasi_sign;
        if (sys->model->stops.count)
            run_watch_stops(&r);
        if (options->until > options->from)
            integrate(&r, y);
    } else if (r.status == SOLVE_UNDETERMINED || r.status == SOLVE_INDEFINITE) {
        report->rank = rank_at_state(a, sys, st);
    }
    report->evaluations = st->evaluations;
    solve_leave_out(sys, st, NULL); // or it would look at r.dropped
    arena_free(r.work);
    return report;
}
