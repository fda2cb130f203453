/* A simulation: assembly, then step by step, with rank and samples looked after. */
#include "motion/running.h"

#include "linear/linalg.h"
#include "mech/tree/tree.h"
#include "motion/search.h"

#include <math.h>
#include <string.h>

enum { RANK_CHANGES_MOST = 1000 };
/* Of the scale of a coordinate, what errors are measured by where it is 0. A choice: with 1/4
 * all claims of the shipped models hold; with 1, 000-nonideal-ring misses one. */
static const double FLOOR = 0.25;
static const double DEPARTURE = 1e-6; // first step from a singular position, as a part of the span

// ---- rank

/* A row that depends on the velocities and turned round since the last step was zero in between: there it
 * asked for nothing, and the motion beyond is one of several. */
static void note_vanished(running *r, double t) {
    const trm_system *sys = r->sys;
    for (int i = 0; i < sys->m && r->may_vanish; i++) {
        if (!sys->mech->shapes[sys->model->rows.at[i].shape].may_vanish)
            continue;
        int begin = sys->A.start[i], count = sys->A.start[i + 1] - begin;
        const double *now = r->found->A + begin, *before = r->last_A + begin;
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

static int count_kept(const bool *dropped, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++)
        kept += !dropped[i];
    return kept;
}

// a friction that has begun or ceased to stick, or -1
static int changed_friction(const running *r) {
    for (int f = 0; f < r->sys->friction_count; f++)
        if (r->stuck[f] != friction_sticks(r->st, f))
            return f;
    return -1;
}

static void note_rank(running *r, double t) {
    const trm_system *sys = r->sys;
    run_note_distance(r);
    r->trouble.refused.row = -1;
    r->trouble.of_a_jump = false;
    int friction = changed_friction(r), before = 0, now = 0;
    bool changed = friction >= 0;
    for (int i = 0; i < sys->m; i++)
        changed |= r->dropped[i] != solve_dropped(sys, r->st, i);
    if (!changed)
        return;
    for (int i = 0; i < sys->m; i++) {
        before += !r->dropped[i];
        r->dropped[i] = solve_dropped(sys, r->st, i);
        now += !r->dropped[i];
    }
    friction_get(r->sys, r->st, r->stuck);
    if ((before == now && friction < 0) || r->report->rank_changes.count >= RANK_CHANGES_MOST)
        return; // the same rank by other rows
    bool *dropped = run_full_rows(r, r->dropped);
    rank_change change = {t, count_kept(dropped, r->full->m), dropped,
                          copied(r, r->stuck, sys->friction_count), friction};
    vec_push(r->arena, r->report->rank_changes, change);
}

/* Rows that check calls independent, and that the run leaves out since it cannot tell. */
static void warn_nearly_dependent(running *r) {
    const trm_system *sys = r->full;
    double cut = state_cut(r->full_st), finer = solve_cut(sys, 0);
    const rank_report *here = r->report->rank;
    if (finer >= cut || here->rank == sys->m - sys->soft_count)
        return;
    state_set_cut(r->full_st, finer);
    rank_report *found = solve_dependence(r->work, sys, r->full_st);
    state_set_cut(r->full_st, cut);
    for (int i = 0; i < sys->m && found->rank > here->rank && r->report->warnings.count < 10; i++)
        if (found->kept[i] && !here->kept[i]) {
            const char *warning = arena_print(r->arena,
                                              "constraint '%s' is independent of the others by %.1g only, "
                                              "less than the %.1g that a run can "
                                              "tell: it is left out ('rank %.0g' in simulate keeps it)",
                                              failure_row_name(r->arena, sys, i), found->remainder[i], cut,
                                              found->remainder[i] / 10);
            vec_push(r->arena, r->report->warnings, warning);
        }
}

// the first sample has been taken at y
static void note_start(running *r, const double *y) {
    const trm_system *sys = r->sys;
    for (int i = 0; i < r->full->m; i++)
        r->full_dropped[i] = solve_dropped(r->full, r->full_st, i);
    if (run_has_tree(r))
        solve_acceleration(sys, r->st, r->options->from, y, y + sys->n);
    for (int i = 0; i < sys->m; i++)
        r->dropped[i] = solve_dropped(sys, r->st, i);
    run_note_distance(r);
    friction_get(r->sys, r->st, r->stuck);
    for (int i = 0; i < r->full->m; i++)
        r->report->idle[i] = state_idle(r->full_st, i);
    r->report->rank = solve_dependence(r->arena, r->full, r->full_st);
    warn_nearly_dependent(r);
    r->report->mass_singular = solve_mass_singular(r->full, r->full_st);
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

/* Samples between the last step's ends. Where one of them does not fit the step, the step is wrong: *wrong is
 * its time. */
static bool sample_step(running *r, double *y, long *next, double limit, double *wrong) {
    const run_options *o = r->options;
    long count = run_sample_count(o);
    while (*next < count && run_sample_time(o, *next) <= limit) {
        if (stopped(o)) { // a step may hold any number of samples
            r->report->end = RUN_STOPPED;
            return false;
        }
        double t = run_sample_time(o, *next);
        int code = o->method->interpolate(r->step.it, t, y);
        if (code != 0) {
            run_end_at(r, code, t);
            return false;
        }
        if (!run_sample_state(r, t, y, *next == count - 1, wrong))
            return false;
        ++*next;
    }
    return true;
}

/* Steps of an explicit method that are as long as stability allows; where the system is not stiff, hardly any
 * (of the shipped models one in five at most). */
static void warn_stiff(running *r) {
    const integrator_statistics *count = &r->report->statistics;
    const char *warning = "the system looks stiff: the integrator bdf may need far fewer steps";
    if (count->stiff >= 20 && 3 * count->stiff > count->steps)
        vec_push(r->arena, r->report->warnings, warning);
}

/* Where the determinant of G changes its sign within a step, the quasi-velocities did not determine the
 * velocities on the way. */
static bool quasi_turned(void *context, double t) {
    running *r = context;
    if (t == r->step.end && !r->look.disturbed) // the state is as evaluated there
        return solve_quasi_sign(r->st) != r->quasi_sign;
    return !run_step_state(r, t) ||
           solve_velocities(r->sys, r->st, t, r->step.y, r->step.y + r->sys->n, r->v).status != SOLVE_OK ||
           solve_quasi_sign(r->st) != r->quasi_sign;
}

// the instant up to which they do
static double quasi_limit(running *r, double to) {
    if (!r->sys->quasi || !quasi_turned(r, to))
        return to;
    r->trouble.solve = (outcome){SOLVE_SINGULAR_QUASI, -1};
    return search_border(quasi_turned, r, r->step.before, to, run_least_time(r));
}

// the last samples, those before t and at t, where a stop ends the run
static void sample_stop(running *r, double *y, long *next, const step_finding *f, double *wrong) {
    if (!sample_step(r, y, next, nextafter(f->time, -INFINITY), wrong))
        return;
    int code = r->options->method->interpolate(r->step.it, f->time, y);
    if (code != 0)
        run_end_at(r, code, f->time);
    else if (run_sample_state(r, f->time, y, true, wrong))
        r->report->stop = f->which;
}

// samples of the step up to what was found in it; false if the run ends there, or the step is wrong
static bool sample_found(running *r, double *y, long *next, const step_finding *f, double *wrong) {
    double limit = quasi_limit(r, f->time);
    run_note_pass(r);
    if (limit < f->time) {
        if (sample_step(r, y, next, limit, wrong)) {
            r->trouble.solve = (outcome){SOLVE_SINGULAR_QUASI, -1};
            run_fail_solve(r, limit);
        }
        return false;
    }
    if (f->end != STEP_STOPS)
        return sample_step(r, y, next, limit, wrong);
    sample_stop(r, y, next, f, wrong);
    return false;
}

// the same; the next steps do not depend on where samples are: evaluations for these tell them nothing
static bool sample_up_to(running *r, double *y, long *next, const step_finding *f, double *wrong) {
    singular_distance before = r->singular;
    bool goes_on = sample_found(r, y, next, f, wrong);
    r->singular = before;
    return goes_on;
}

static void note_step(running *r, double t) {
    note_vanished(r, t);
    note_rank(r, t);
}

// (t, y) is where the motion goes on from: the state is as evaluated there
static void settle(running *r, double t, const double *y) {
    r->settled = t;
    run_evaluate(r, t, y, r->look.slope);
    note_step(r, t);
    run_look_from(r, t, y);
    r->settled = t; // for the method, which evaluates there, too
}

// integration begins anew where something changed
static int begin_anew(running *r, const step_finding *f, double *y) {
    const integrator_ops *method = r->options->method;
    run_keep_work(r, f->time);
    if (f->end == STEP_SWITCHES)
        run_look_behind(r, f->time);
    int code = method->interpolate(r->step.it, f->time, y);
    if (code == 0)
        code = (f->end == STEP_SLIPS ? run_turn_slips : run_turn_switches)(r, f->time, y);
    if (code != 0)
        return code;
    settle(r, f->time, y);
    return method->start(r->step.it, f->time, y, r->options->until, 0);
}

/* The step was not what happens: it is tried again, up to half the way to where that showed. What was noted
 * of it counts no more. */
static int take_back(running *r, double *y, double wrong) {
    const run_options *o = r->options;
    run_report *p = r->report;
    double before = r->step.before, h = r->step.end - before;
    double shorter = fmin(fmax((wrong - before) / 2, h / 10), h / 2);
    int code = o->method->interpolate(r->step.it, before, y);
    if (code != 0)
        return code;
    run_keep_work(r, before);
    while (p->rank_changes.count && p->rank_changes.at[p->rank_changes.count - 1].time > before)
        p->rank_changes.count--;
    while (p->passes.count && p->passes.at[p->passes.count - 1].time > before)
        p->passes.count--;
    r->taken_back++;
    run_keep_switches(r, before, y);
    settle(r, before, y);
    return o->method->start(r->step.it, before, y, o->until, shorter);
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
    bool chatters = r->sys->switch_count && !r->switches.hold && covered < 1e-3 * span;
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

// what switches and slips is kept as it is at the end of a step; and the state is as evaluated there
static void keep_step(running *r, double t) {
    const double *state = r->options->method->state(r->step.it);
    run_keep_switches(r, t, state);
    if (r->sys->friction_count)
        run_keep_slips(r, t, state);
    if (r->look.disturbed) {
        r->settled = t;
        run_evaluate(r, t, state, r->look.slope);
    }
    note_step(r, t);
    run_look_from(r, t, state);
}

/* What happened in the step that was just taken; false if the run ends. */
static bool look_after_step(running *r, integrator *it, double before, double *y, long *next, int *code,
                            double *at) {
    const run_options *o = r->options;
    double wrong = NAN;
    if (r->settled == o->method->time(it)) // the method did not evaluate there
        run_evaluate(r, r->settled, o->method->state(it), r->look.slope);
    step_finding f = run_look_into(r, it, before, y);
    bool goes_on = f.end != STEP_WRONG;
    if (f.end == STEP_WRONG && run_can_shorten(r))
        wrong = f.time;
    else if (f.end == STEP_WRONG)
        run_fail_defect(r, f.time, f.which);
    if (f.end == STEP_FINE)
        keep_step(r, f.time);
    goes_on = goes_on && sample_up_to(r, y, next, &f, &wrong);
    *at = f.time;
    if (!isnan(wrong))
        *code = take_back(r, y, wrong);
    else if (goes_on && f.end != STEP_FINE)
        *code = begin_anew(r, &f, y);
    return goes_on || !isnan(wrong);
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
    if (code == 0 && !look_after_step(r, it, before, y, next, &code, &end))
        return false;
    if (code != 0 && r->switches.hold)
        code = run_release_switches(r, it, code, y);
    if (code != 0)
        run_end_at(r, code, end);
    else
        keep_turns(r, it);
    return code == 0 && makes_headway(r, it, end - before);
}

// y (2 n): the state to begin with
static const double *floors(running *r, const double *y) {
    const natural *u = r->sys->natural;
    int n = r->sys->n;
    double *floor = arena_doubles(r->work, 2 * (size_t)n);
    for (int i = 0; i < n; i++) {
        floor[i] = FLOOR * u->scale[i];
        floor[n + i] = FLOOR * natural_size(u, i, true);
    }
    run_own_floors(r, y, floor + n);
    return floor;
}

// y (2 n): the state to begin with, then workspace
static void integrate(running *r, double *y) {
    const run_options *o = r->options;
    r->system = (ode){.size = 2 * r->sys->n,
                      .floor = floors(r, y),
                      .unit = 1 / r->sys->natural->rate,
                      .f = run_evaluate,
                      .project = run_project,
                      .tangent = run_tangent,
                      .singular = run_singular,
                      .may_end = run_may_end,
                      .context = r};
    if (r->sys->switch_count)
        r->system.f = run_evaluate_held;
    if (r->sys->slopes && o->method->implicit) {
        r->system.jacobian = run_jacobian;
        r->system.implicit = run_implicit;
        state_add_stiffness(r->sys, r->st);
    }
    run_carry_work(r);
    run_look_new(r);
    run_look_from(r, o->from, y); // the state is as sampled there
    integrator *it = o->method->create(r->work, &r->system, o->tolerance);
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
    r->report->statistics.steps -= r->taken_back;
    r->report->statistics.rejected += r->taken_back;
    warn_stiff(r);
    run_warn_missed(r);
    run_warn_balance(r);
    state_drop_stiffness(r->st);
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
    p->work = arena_doubles(a, (size_t)sys->work_count);
    return p;
}

static running begin(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    running r = {.arena = a,
                 .sys = options->tree ? options->tree : sys,
                 .st = options->tree ? options->tree_state : st,
                 .full = sys,
                 .full_st = st,
                 .full_found = state_look(st),
                 .options = options,
                 .report = new_report(a, sys)};
    r.found = state_look(r.st);
    sys = r.sys;
    size_t n = (size_t)sys->n, shown = (size_t)r.full->n;
    r.work = arena_child(a);
    r.v = arena_doubles(r.work, n);
    r.work_q = arena_doubles(r.work, n);
    r.work_v = arena_doubles(r.work, n);
    r.full_q = run_has_tree(&r) ? arena_doubles(r.work, shown) : r.work_q;
    r.full_v = run_has_tree(&r) ? arena_doubles(r.work, shown) : r.work_v;
    r.full_dropped = arena_array(r.work, bool, r.full->m + 1);
    r.dropped = arena_array(r.work, bool, sys->m + 1);
    r.stuck = arena_array(r.work, bool, sys->friction_count + 1);
    r.trouble.refused.row = -1;
    r.leaves_out = solve_may_leave_out(sys);
    for (int i = 0; i < sys->model->shapes.count; i++)
        r.may_vanish |= sys->mech->shapes[i].may_vanish;
    run_singular_new(&r);
    run_work_new(&r);
    r.report->time = options->from;
    state_set_cut(r.st, solve_run_cut(sys, options->tolerance));
    state_set_cut(r.full_st, solve_run_cut(r.full, options->tolerance));
    return r;
}

// y (2 n): the state to begin with, as assembled
static void set_start(running *r, double *y) {
    const start_state *start = &r->report->start;
    size_t n = (size_t)r->sys->n;
    run_find_spheres(r);
    if (run_has_tree(r)) {
        mech_tree_lower(r->sys->mech->tree, start->q, start->v, y, y + n);
        return;
    }
    memcpy(y, start->q, n * sizeof *y);
    run_set_velocities(r, r->options->from, start->v, y);
}

run_report *run_simulation(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    running r = begin(a, sys, st, options);
    long evaluations = r.found->evaluations, shown = r.full_found->evaluations;
    run_report *report = r.report;
    profile_part before = profile_enter(state_profile(st), PROFILE_START);
    bool assembled = options->start != NULL;
    if (assembled)
        report->start = *options->start;
    else
        assembled = assemble(a, sys, st, options->from, options->tolerance, &report->start, &report->failure);
    profile_leave(state_profile(st), before);
    if (!assembled) {
        report->end = RUN_FAILED;
        arena_free(r.work);
        return report;
    }
    double *y = arena_doubles(r.work, 2 * (size_t)r.sys->n);
    set_start(&r, y);
    if (run_begin_slips(&r, options->from, y) != 0) {
        run_end_at(&r, 1, options->from);
    } else if (stopped(options)) {
        report->end = RUN_STOPPED;
    } else if (run_sample_state(&r, options->from, y, run_sample_count(options) == 1, NULL)) {
        note_start(&r, y);
        r.quasi_sign = solve_quasi_sign(r.st);
        if (sys->model->stops.count)
            run_watch_stops(&r);
        if (options->until > options->from)
            integrate(&r, y);
    } else if (r.trouble.solve.status == SOLVE_UNDETERMINED || r.trouble.solve.status == SOLVE_INDEFINITE) {
        report->rank = solve_dependence(a, sys, st);
    }
    report->evaluations = r.found->evaluations - evaluations;
    if (run_has_tree(&r))
        report->evaluations += r.full_found->evaluations - shown;
    solve_leave_out(r.sys, r.st, NULL); // or it would look at r.dropped
    arena_free(r.work);
    return report;
}
