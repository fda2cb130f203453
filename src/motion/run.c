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

// the sample at t of the last step; where it does not fit the step, the step is wrong: *wrong is t
static bool sample_at(running *r, double t, bool last, double *wrong) {
    int code = r->options->method->interpolate(r->it, t, r->y);
    if (code != 0)
        run_end_at(r, code, t);
    if (code == 0)
        run_follow_turns(r, t, r->y);
    return code == 0 && run_sample_state(r, t, r->y, last, wrong);
}

static void set_due(running *r, long next) {
    const run_options *o = r->options;
    r->next = next;
    r->due = o->unsampled || next >= run_sample_count(o) ? INFINITY : run_sample_time(o, next);
}

// those that are due in the last step up to `limit`
static bool sample_step(running *r, double limit, double *wrong) {
    while (r->due <= limit) {
        if (stopped(r->options)) { // a step may hold any number of samples
            r->report->end = RUN_STOPPED;
            return false;
        }
        if (!sample_at(r, r->due, r->next == run_sample_count(r->options) - 1, wrong))
            return false;
        set_due(r, r->next + 1);
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

static bool signs_differ(const running *r) {
    return memcmp(rates_signs(r->st), r->signs, (size_t)rates_sign_count(r->sys)) != 0;
}

/* Where a determinant of G changes its sign within a step, the quasi-velocities did not determine the
 * velocities on the way. */
static bool quasi_turned(void *context, double t) {
    running *r = context;
    bool ends = t == r->step.end;
    const double *y = ends ? r->options->method->state(r->it) : r->step.y;
    r->look.disturbed |= !ends;
    return (!ends && !run_step_state(r, t)) || rates_factor(r->sys, r->st, t, y) >= 0 || signs_differ(r);
}

// the instant up to which they do
static double quasi_limit(running *r, double to) {
    if (!r->sys->quasi || !quasi_turned(r, to))
        return to;
    r->trouble.solve = (outcome){SOLVE_SINGULAR_QUASI, -1};
    return search_border(quasi_turned, r, r->step.before, to, run_least_time(r));
}

// the last samples, those before what was found and there, where a stop ends the run
static void sample_stop(running *r, double *wrong) {
    const step_finding *f = &r->window.found;
    if (sample_step(r, nextafter(f->time, -INFINITY), wrong) && sample_at(r, f->time, true, wrong))
        r->report->stop = f->which;
}

/* Samples of the window up to t; beyond its end, all of it, and it is closed. False if the run ends there, or
 * the step is wrong. */
static bool sample_window(running *r, double t, double *wrong) {
    run_window *w = &r->window;
    if (t <= w->limit)
        return sample_step(r, t, wrong);
    w->open = false;
    if (w->found.end == STEP_STOPS && w->limit == w->found.time) {
        sample_stop(r, wrong);
        return false;
    }
    bool goes_on = sample_step(r, w->limit, wrong);
    if (!goes_on || w->limit == w->found.time)
        return goes_on;
    r->trouble.solve = (outcome){SOLVE_SINGULAR_QUASI, -1};
    run_fail_solve(r, w->limit);
    return false;
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
static int begin_anew(running *r) {
    const integrator_ops *method = r->options->method;
    const step_finding *f = &r->window.found;
    double *y = r->y;
    run_keep_work(r, f->time);
    if (f->end == STEP_SWITCHES)
        run_look_behind(r, f->time);
    int code = method->interpolate(r->it, f->time, y);
    if (code == 0)
        code = (f->end == STEP_SLIPS ? run_turn_slips : run_turn_switches)(r, f->time, y);
    if (code != 0)
        return code;
    settle(r, f->time, y);
    return method->start(r->it, f->time, y, r->options->until, 0);
}

/* The step was not what happens: it is tried again, up to half the way to where that showed. What was noted
 * of it counts no more. */
static int take_back(running *r, double wrong) {
    const run_options *o = r->options;
    run_report *p = r->report;
    double before = r->step.before, h = r->step.end - before, *y = r->y;
    double shorter = fmin(fmax((wrong - before) / 2, h / 10), h / 2);
    int code = o->method->interpolate(r->it, before, y);
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
    return o->method->start(r->it, before, y, o->until, shorter);
}

/* A run that would take more than 3e9 steps, and far shorter ones than it took before, ends nowhere: it
 * creeps towards a place that it cannot pass. Where forces were found to switch to and fro, 2e7 are too many.
 */
static bool makes_headway(running *r, double step) {
    const run_options *o = r->options;
    double t = o->method->time(r->it), span = o->until - o->from, covered = t - r->marked_time;
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

// what switches and slips is kept as it is at the end of a step; and the state is as evaluated there
static void keep_step(running *r, double t) {
    const double *state = r->options->method->state(r->it);
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

// what follows a step and its samples; false if the run ends
static bool end_step(running *r, int code) {
    double end = r->window.found.time;
    if (code != 0 && r->switches.hold)
        code = run_release_switches(r, r->it, code, r->y);
    if (code != 0)
        run_end_at(r, code, end);
    else
        run_keep_turns(r);
    return code == 0 && makes_headway(r, end - r->window.from);
}

// what happened in the step that was just taken: it becomes the window
static bool look_after_step(running *r) {
    const run_options *o = r->options;
    run_window *w = &r->window;
    if (r->settled == o->method->time(r->it)) // the method did not evaluate there
        run_evaluate(r, r->settled, o->method->state(r->it), r->look.slope);
    w->found = run_look_into(r, r->it, w->from, r->y);
    if (w->found.end == STEP_WRONG && run_can_shorten(r))
        return end_step(r, take_back(r, w->found.time));
    if (w->found.end == STEP_WRONG) {
        run_fail_defect(r, w->found.time, w->found.which);
        return false;
    }
    if (w->found.end == STEP_FINE)
        keep_step(r, w->found.time);
    w->limit = w->found.time;
    if (r->sys->quasi || r->singular.near) {
        singular_distance before = r->singular;
        w->limit = quasi_limit(r, w->limit);
        run_note_pass(r);
        r->singular = before;
    }
    return w->open = true;
}

bool run_to_step(running *r) {
    const run_options *o = r->options;
    r->goes_on = r->goes_on && o->method->time(r->it) < o->until;
    if (r->goes_on && stopped(o)) {
        r->report->end = RUN_STOPPED;
        r->goes_on = false;
    }
    if (r->goes_on)
        r->window = (run_window){.from = o->method->time(r->it)};
    return r->goes_on;
}

void run_stepped(running *r, int code) {
    r->window.found.time = r->options->method->time(r->it);
    r->goes_on = code == 0 ? look_after_step(r) : end_step(r, code);
}

/* Samples up to t; if that is beyond the window, it is left. The next steps do not depend on where samples
 * are: evaluations for these tell them nothing. */
static bool pass_window(running *r, double t) {
    double wrong = NAN;
    run_window *w = &r->window;
    bool changes = w->found.end != STEP_FINE, sampled = changes || r->over.count || r->due <= w->limit;
    singular_distance before;
    if (sampled)
        before = r->singular;
    run_follow_over(r, w->limit, changes);
    bool goes_on = sample_window(r, t, &wrong);
    bool left = goes_on || r->report->stop >= 0 || w->limit < w->found.time;
    if (isnan(wrong) && !w->open && left)
        run_keep_over(r, w->limit, changes);
    if (sampled)
        r->singular = before;
    if (isnan(wrong) && (!goes_on || r->window.open))
        return goes_on;
    r->window.open = false;
    if (!isnan(wrong))
        return end_step(r, take_back(r, wrong));
    return end_step(r, r->window.found.end == STEP_FINE ? 0 : begin_anew(r));
}

static void tell_progress(const running *r) {
    const run_options *o = r->options;
    if (o->progress)
        o->progress(o->progress_context, (o->method->time(r->it) - o->from) / (o->until - o->from));
}

bool run_leave(running *r, double t) {
    if (r->goes_on && r->window.open)
        r->goes_on = pass_window(r, t);
    if (r->goes_on && r->window.open)
        return false;
    if (r->goes_on)
        tell_progress(r);
    return true;
}

bool run_advance(running *r, double t) {
    while (r->goes_on) {
        if (!r->window.open && run_to_step(r))
            run_stepped(r, r->options->method->step(r->it));
        if (!run_leave(r, t))
            return true;
    }
    return false;
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
    if (run_velocities(r, r->options->from, y))
        rates_floors(r->sys, r->st, floor + n);
    return floor;
}

// for an implicit method
static void add_slopes(running *r) {
    size_t n = (size_t)r->sys->n;
    if (r->sys->sparse_slopes) {
        r->newton = solve_newton_new(r->work, r->sys);
        r->newton_q = arena_doubles(r->work, n);
        r->newton_v = arena_doubles(r->work, n);
        r->system.newton_near = r->sys->near_slopes;
        r->system.newton_at = run_newton_at;
        r->system.newton_factor = run_newton_factor;
        r->system.newton_solve = run_newton_solve;
        return;
    }
    r->system.jacobian = run_jacobian;
    r->slopes = arena_doubles(r->work, 2 * n * n);
}

// r->y is the state to begin with, then workspace; the state is as sampled there
static void start_integrator(running *r) {
    const run_options *o = r->options;
    double *y = r->y;
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
    if (run_is_second(r))
        r->system.accelerate = run_accelerate;
    r->system.team = state_team(r->st);
    if (r->sys->slopes && o->method->implicit) {
        add_slopes(r);
        r->system.implicit = run_implicit;
        state_add_stiffness(r->sys, r->st);
    }
    run_carry_work(r);
    run_look_new(r);
    run_look_from(r, o->from, y);
    run_choose_landing(r);
    r->it = o->method->create(r->work, &r->system, o->tolerance);
    set_due(r, 1);
    r->settled = r->marked_time = o->from;
    run_hold_switches(r, o->from, y);
    // a singular position is left by a short step: its rows are missing in it
    bool branching = r->report->start.branching >= 0;
    int code =
        o->method->start(r->it, o->from, y, o->until, branching ? DEPARTURE * (o->until - o->from) : 0);
    r->goes_on = code == 0;
    if (code != 0)
        run_end_at(r, code, o->from);
}

bool run_show(running *r, double t) {
    singular_distance before = r->singular;
    bool shown = sample_at(r, t, false, NULL);
    r->singular = before;
    r->goes_on &= shown;
    return shown;
}

bool run_extend(running *r) {
    const integrator_ops *method = r->options->method;
    double t = method->time(r->it), step = method->statistics(r->it).last_step;
    memcpy(r->y, method->state(r->it), 2 * (size_t)r->sys->n * sizeof *r->y);
    set_due(r, r->next);
    run_keep_work(r, t);
    settle(r, t, r->y);
    int code = method->start(r->it, t, r->y, r->options->until, step);
    if (code != 0)
        run_end_at(r, code, t);
    return r->goes_on = code == 0;
}

// switches and frictions become what the state asks for
static int decide_anew(running *r, double t, double *y) {
    state_ask_again(r->st);
    if (r->sys->switch_count)
        run_set_switches(r, t, y);
    return run_decide_slips(r, t, y);
}

bool run_renew(running *r, const double *q, const double *v) {
    const integrator_ops *method = r->options->method;
    double t = method->time(r->it), step = q ? 0 : method->statistics(r->it).last_step, *y = r->y;
    size_t n = (size_t)r->sys->n;
    memcpy(y, method->state(r->it), 2 * n * sizeof *y);
    run_keep_work(r, t);
    if (q) {
        memcpy(y, q, n * sizeof *y);
        run_set_velocities(r, t, v, y);
    }
    int code = decide_anew(r, t, y);
    if (code == 0 && q && !run_sample_state(r, t, y, false, NULL))
        return r->goes_on = false;
    if (code == 0) {
        settle(r, t, y);
        if (q) { // what was usual counts no more
            run_forget_distance(r);
            settle(r, t, y);
        }
        code = method->start(r->it, t, y, r->options->until, fmin(step, r->options->until - t));
    }
    if (code != 0)
        run_end_at(r, code, t);
    return r->goes_on = code == 0;
}

void run_turns(const running *r, double *out) {
    state_turns(r->full, r->full_st, out);
}

const run_report *run_so_far(const running *r) {
    return r->report;
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
    p->turns = arena_doubles(a, (size_t)m->turns.count + 1);
    p->work = arena_doubles(a, (size_t)sys->work_count);
    p->overs = arena_array(a, over_record, m->overs.count + 1);
    for (int i = 0; i < m->overs.count; i++)
        p->overs[i] = (over_record){NAN, NAN};
    return p;
}

static running *new_running(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    arena *work = arena_child(a);
    running *r = arena_alloc(work, sizeof *r);
    *r = (running){.arena = a,
                   .work = work,
                   .sys = options->tree ? options->tree : sys,
                   .st = options->tree ? options->tree_state : st,
                   .full = sys,
                   .full_st = st,
                   .full_found = state_look(st),
                   .options = options,
                   .report = new_report(a, sys)};
    r->found = state_look(r->st);
    r->evaluations_before = r->found->evaluations + (run_has_tree(r) ? r->full_found->evaluations : 0);
    sys = r->sys;
    size_t n = (size_t)sys->n, shown = (size_t)r->full->n;
    r->y = arena_doubles(work, 2 * n);
    r->v = arena_doubles(r->work, n);
    r->work_q = arena_doubles(r->work, n);
    r->work_v = arena_doubles(r->work, n);
    r->full_q = run_has_tree(r) ? arena_doubles(r->work, shown) : r->work_q;
    r->full_v = run_has_tree(r) ? arena_doubles(r->work, shown) : r->work_v;
    r->full_dropped = arena_array(r->work, bool, r->full->m + 1);
    r->dropped = arena_array(r->work, bool, sys->m + 1);
    r->stuck = arena_array(r->work, bool, sys->friction_count + 1);
    r->trouble.refused.row = -1;
    r->leaves_out = solve_may_leave_out(sys);
    r->moves = solve_moves(sys);
    for (int i = 0; i < sys->model->shapes.count; i++)
        r->may_vanish |= sys->mech->shapes[i].may_vanish;
    run_lift_new(r);
    run_begin_turns(r);
    run_singular_new(r);
    run_work_new(r);
    run_over_new(r);
    r->report->time = options->from;
    state_set_cut(r->st, solve_run_cut(sys, options->tolerance));
    state_set_cut(r->full_st, solve_run_cut(r->full, options->tolerance));
    return r;
}

// r->y, as assembled
static void set_start(running *r) {
    const start_state *start = &r->report->start;
    size_t n = (size_t)r->sys->n;
    if (run_has_tree(r)) {
        double *turns = arena_doubles(r->work, (size_t)r->full->model->turns.count + 1);
        mech_tree_lower(r->sys->mech->tree, start->q, start->v, r->y, r->y + n);
        state_turns(r->full, r->full_st, turns);
        for (int i = 0; i < r->full->model->turns.count; i++)
            state_put_turn(r->sys, r->st, i, turns[i]);
        return;
    }
    memcpy(r->y, start->q, n * sizeof *r->y);
    run_set_velocities(r, r->options->from, start->v, r->y);
}

static bool find_start(running *r) {
    const run_options *o = r->options;
    run_report *report = r->report;
    profile_part before = profile_enter(state_profile(r->full_st), PROFILE_START);
    bool assembled = o->start != NULL;
    if (assembled)
        report->start = *o->start;
    else
        assembled =
            assemble(r->arena, r->full, r->full_st, o->from, o->tolerance, &report->start, &report->failure);
    profile_leave(state_profile(r->full_st), before);
    return assembled;
}

static void keep_signs(running *r) {
    size_t count = (size_t)rates_sign_count(r->sys);
    r->signs = arena_array(r->work, signed char, count + 1);
    if (count && rates_factor(r->sys, r->st, r->options->from, r->y) < 0)
        memcpy(r->signs, rates_signs(r->st), count);
}

running *run_begin(arena *a, const trm_system *sys, trm_state *st, const run_options *o) {
    running *r = new_running(a, sys, st, o);
    if (!find_start(r)) {
        r->report->end = RUN_FAILED;
        return r;
    }
    set_start(r);
    if (run_begin_slips(r, o->from, r->y) != 0) {
        run_end_at(r, 1, o->from);
    } else if (stopped(o)) {
        r->report->end = RUN_STOPPED;
    } else if (run_sample_state(r, o->from, r->y, run_sample_count(o) == 1, NULL)) {
        note_start(r, r->y);
        keep_signs(r);
        if (sys->model->stops.count)
            run_watch_stops(r);
        if (o->until > o->from)
            start_integrator(r);
    } else if (r->trouble.solve.status == SOLVE_UNDETERMINED || r->trouble.solve.status == SOLVE_INDEFINITE) {
        r->report->rank = solve_dependence(a, sys, st);
    }
    return r;
}

run_report *run_finish(running *r) {
    run_report *report = r->report;
    if (r->it) {
        report->statistics = r->options->method->statistics(r->it);
        report->statistics.steps -= r->taken_back;
        report->statistics.rejected += r->taken_back;
        warn_stiff(r);
        run_warn_missed(r);
        run_warn_balance(r);
        run_warn_over(r);
        state_drop_stiffness(r->st);
    }
    report->evaluations =
        r->found->evaluations + (run_has_tree(r) ? r->full_found->evaluations : 0) - r->evaluations_before;
    solve_leave_out(r->sys, r->st, NULL); // or it would look at r->dropped
    arena_free(r->work);
    return report;
}

run_report *run_simulation(arena *a, const trm_system *sys, trm_state *st, const run_options *options) {
    running *r = run_begin(a, sys, st, options);
    run_advance(r, INFINITY);
    return run_finish(r);
}
