/* Steps that see. After each step it is asked what could have happened inside it that its stages did not see
 * (system/watch.h): bounds over the whole step tell for nearly all that nothing could. Else the step is
 * halved, and its halves, until nothing can happen in a part, or a sign changes in it once. In those parts it
 * is looked at what is the case:
 *
 *   switches, slips, stops     an event: the motion is right up to there
 *   the equation of motion     the defect D = h |f(t, y) - y'|, y and y' those of the dense output, in
 * tolerances: where it is large, the step did not see what is there, and is taken back
 *
 * What depends on energies, forces of constraints or accelerations cannot be bounded, and a step may hold
 * more than is worth looking for: then there are looks at LOOKS_RUN places of the run at least. */
#include "motion/running.h"

#include "linear/lu.h"
#include "system/watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Looks in a run at least where bounds do not tell, and in a step where forces of constraints are watched. */
enum { LOOKS_RUN = 2000, LOOKS_STEP = 8 };
/* Stages are nearer to each other than this, as a part of the step. */
static const double GAP = 0.27;
/* Looks beside the ends of a step: whether a distance grows or shrinks there, so that its lowest point is
 * between three looks at one step however near to an end it is. */
static const double BESIDE = 1e-3;
/* Parts of a step are not halved further, nor those of so many neighbouring times: their ends would hardly be
 * different numbers. */
static const double PART_LEAST = 1e-13, PART_TIMES = 16;
/* Where parts are divided at a sign that changes, they end this near to it, or as PART_LEAST: there it is
 * known. */
static const double PART_CLOSE = 1e-10;
/* Steps up to this part of the span are not tried again. */
static const double SHORTEST = 1e-13;
/* Of the defect. At the samples of all shipped models it is 2 in the median, and at most 138 with rk8, 117
 * with rk5, 60 with bdf, 275 with adams, tolerances 1e-6 to 1e-12; in the middle of what a step has not seen
 * it is 1e9 to 1e15. */
static const double DEFECT = 1e3;

/* What a place is looked at for. */
enum { FOR_SWITCHES = 1, FOR_SLIPS = 2, FOR_STOPS = 4, FOR_DEFECT = 8 };

static const struct {
    unsigned what;
    step_end end;
    int (*find)(running *r, double from, double *to);
} sources[LOOK_SOURCES] = {
    {FOR_SWITCHES, STEP_SWITCHES, run_find_switch},
    {FOR_SLIPS, STEP_SLIPS, run_find_slip},
    {FOR_STOPS, STEP_STOPS, run_find_stop},
};

// what there is to be looked for in a step
static unsigned all_there_is(const running *r) {
    return (r->switches.hold ? FOR_SWITCHES : 0u) | (r->sys->friction_count ? FOR_SLIPS : 0u) |
           (r->stops.events.count ? FOR_STOPS : 0u) | FOR_DEFECT;
}

double run_span(const running *r) {
    return r->options->until - r->options->from;
}

// near t = 0 numbers are denser than it is worth
double run_least_time(const running *r) {
    return DBL_EPSILON / 16 * run_span(r);
}

static double time_at(const running *r, double x) {
    return x == 1 ? r->step.end : r->step.before + x * (r->step.end - r->step.before);
}

static bool velocities_at(void *context, double x, double *v) {
    running *r = context;
    run_trouble before = r->trouble;
    double t = time_at(r, x);
    const double *found = run_step_state(r, t) ? run_velocities(r, t, r->step.y) : NULL;
    r->trouble = before;
    r->look.disturbed = true;
    if (found)
        memcpy(v, found, (size_t)r->sys->n * sizeof *v);
    return found != NULL;
}

void run_look_new(running *r) {
    size_t size = 2 * (size_t)r->sys->n;
    const system_watch *w = r->sys->watch;
    if (w && w->groups.count) {
        r->look.boxes = boxes_new(r->work, r->sys, w, r->st, r->options->tolerance,
                                  rates_own(r->sys) ? velocities_at : NULL, r);
        r->look.region = region_new(r->work, r->sys, r->st);
    }
    run_over_boxes(r, rates_own(r->sys) ? velocities_at : NULL);
    r->look.hidden = r->look.crowded = -1;
    r->look.slope = arena_doubles(r->work, size);
    r->look.own_slope = arena_doubles(r->work, size);
    if (w && r->newton)
        r->look.newton = solve_newton_new(r->work, r->sys);
    if (w && r->system.jacobian) {
        r->look.J = arena_doubles(r->work, size * size + 2 * size);
        r->look.pivot = arena_array(r->work, int, size);
    }
}

static const char *const words[SHAPE_KINDS] = {[SHAPE_KINETIC] = "the kinetic energy",
                                               [SHAPE_POTENTIAL] = "the potential energy",
                                               [SHAPE_DISSIPATION] = "the dissipation",
                                               [SHAPE_MASS] = "a mass",
                                               [SHAPE_MASS_PAIR] = "a mass",
                                               [SHAPE_FORCE] = "a force",
                                               [SHAPE_ACTUATOR] = "what acts along a joint",
                                               [SHAPE_NONIDEAL] = "a non-ideal force",
                                               [SHAPE_QUASI] = "a quasi-velocity",
                                               [SHAPE_ROW] = "a constraint",
                                               [SHAPE_STOP] = "a condition",
                                               [SHAPE_FRICTION] = "a friction"};

static void warn_missed(running *r, int shape_number, const char *why) {
    int line, column;
    const shape *s = &r->sys->model->shapes.at[shape_number];
    const char *where = "";
    if (s->at.source) {
        place_line(s->at.source, s->at.offset, &line, &column);
        where = arena_print(r->arena, " (line %d)", line);
    }
    const char *warning = arena_print(r->arena, "%s%s %s: what lasts less than %.3g may be missed",
                                      words[s->kind], where, why, run_span(r) / LOOKS_RUN);
    vec_push(r->arena, r->report->warnings, warning);
}

void run_warn_missed(running *r) {
    const run_look *l = &r->look;
    if (l->hidden >= 0)
        warn_missed(
            r, l->hidden,
            "depends on energies, forces of constraints or accelerations, and was looked at now and then");
    if (l->crowded >= 0)
        warn_missed(r, l->crowded,
                    arena_print(r->arena,
                                "changes so often from t = %.6g on that it was looked at now and then",
                                l->crowded_at));
}

void run_look_from(running *r, double t, const double *y) {
    const double *v = r->look.region ? run_velocities(r, t, y) : NULL;
    if (v)
        region_start(r->look.region, t, y, v, r->found->qdd);
}

bool run_step_state(running *r, double t) {
    return r->options->method->interpolate(r->step.it, t, r->step.y) == 0;
}

// ---- the defect

// f becomes h (f - y'), with y' of the dense output
static void subtract_slopes(running *r, double t, double *f) {
    double h = r->step.end - r->step.before, *slope = r->look.own_slope;
    r->options->method->slope(r->step.it, t, slope);
    for (int i = 0; i < 2 * r->sys->n; i++)
        f[i] = h * (f[i] - slope[i]);
}

// the largest component, divided by what the tolerance allows of it
static double largest(running *r, const double *y, const double *defect) {
    double worst = 0;
    for (int i = 0; i < 2 * r->sys->n; i++) {
        double part = fabs(defect[i]) / (r->options->tolerance * (r->system.floor[i] + fabs(y[i])));
        if (!(part <= worst)) {
            worst = part;
            r->look.component = i % r->sys->n;
        }
    }
    return worst;
}

/* In a stiff system errors within tolerance make large defects in directions along which they are soon gone.
 * What is left of a defect by an implicit step is (I - h J)^-1 of it, with J at the end of the step: where
 * only what the step has not seen is stiff, it counts. */
static bool take_stiffness_out(running *r, double *defect) {
    const ode *system = &r->system;
    run_look *l = &r->look;
    int size = system->size, sign;
    double h = r->step.end - r->step.before;
    const double *end = r->options->method->state(r->step.it);
    l->disturbed |= l->J != NULL || l->newton != NULL;
    if (l->newton) {
        bool regular =
            run_newton_take(r, l->newton, r->step.end, end) == 0 && solve_newton_factor(l->newton, h);
        if (regular)
            run_newton_apply(r, l->newton, end, defect);
        return regular;
    }
    if (l->J == NULL || system->jacobian(system->context, r->step.end, end, l->J) != 0)
        return false;
    for (int i = 0; i < size * size; i++)
        l->J[i] *= -h;
    for (int i = 0; i < size; i++)
        l->J[i * size + i] += 1;
    if (lu_factor(l->J, size, l->pivot, l->J + size * size, &sign) >= 0)
        return false;
    lu_solve(l->J, size, l->pivot, defect);
    return true;
}

bool run_fits(running *r, double t, const double *y, double *f) {
    if (r->singular.near) // there f divides errors by the distance to the singular position
        return true;
    subtract_slopes(r, t, f);
    if (largest(r, y, f) <= DEFECT)
        return true;
    return take_stiffness_out(r, f) && largest(r, y, f) <= DEFECT;
}

static bool is_right(running *r, double t) {
    r->look.component = 0;
    return run_step_state(r, t) && run_peek(r, t, r->step.y, r->look.slope, true) == 0 &&
           run_fits(r, t, r->step.y, r->look.slope);
}

bool run_can_shorten(const running *r) {
    double h = r->step.end - r->step.before;
    return h > fmax(SHORTEST * run_span(r), 1e3 * DBL_EPSILON * fabs(r->step.end));
}

// ---- places

// looks at x for what has happened up to there, in order; true if something has
static bool look_for(running *r, double x, unsigned what) {
    run_look *l = &r->look;
    double limit = time_at(r, x);
    for (int i = 0; i < LOOK_SOURCES; i++) {
        if (!(what & l->there & sources[i].what) || !(limit > l->from[i]))
            continue;
        int which = sources[i].find(r, l->from[i], &limit);
        if (which >= 0)
            l->found = (step_finding){sources[i].end, limit, which};
        l->from[i] = limit;
    }
    if (l->found.end == STEP_FINE && what & FOR_DEFECT && !is_right(r, limit))
        l->found = (step_finding){STEP_WRONG, limit, l->component};
    l->disturbed = true;
    return l->found.end != STEP_FINE;
}

/* Places at even distances, n of them from where they begin, and two beside the ends. */
static double even_place(const run_look *l, int k) {
    int n = l->even - 2;
    double x = k == 0 ? BESIDE : k < n ? (double)k / n : k == n ? 1 - BESIDE : 1;
    return l->even_from + (1 - l->even_from) * x;
}

static bool visit_even(running *r, double until) {
    run_look *l = &r->look;
    for (; l->even_done < l->even && even_place(l, l->even_done) <= until; l->even_done++)
        if (look_for(r, even_place(l, l->even_done), l->even_for))
            return true;
    return false;
}

static bool visit(running *r, double x, unsigned what) {
    return visit_even(r, x) || look_for(r, x, what);
}

static void plan_even(running *r, double from, int count, unsigned what) {
    run_look *l = &r->look;
    l->even_from = from;
    l->even = count + 2;
    l->even_for = what;
    l->even_done = 0;
}

// so many looks that there are LOOKS_RUN in a run
static int share_of_looks(const running *r) {
    return (int)fmax(LOOKS_STEP, ceil(LOOKS_RUN * (r->step.end - r->step.before) / run_span(r)));
}

// what no bounds are known of
static void plan(running *r) {
    const system_watch *w = r->sys->watch;
    unsigned what = 0;
    r->look.even = 0;
    if (r->sys->friction_count == 0 && (w == NULL || (!w->hidden_stop && w->hidden < 0)))
        return;
    int most = share_of_looks(r), count = LOOKS_STEP;
    bool sparse = GAP * LOOKS_RUN * (r->step.end - r->step.before) > run_span(r); // are the stages
    if (r->sys->friction_count) {
        what |= FOR_SLIPS;
        count = run_any_sticks(r) ? most : count;
    }
    if (w && w->hidden_stop)
        what |= FOR_STOPS;
    if (w && w->hidden >= 0 && sparse) {
        what |= FOR_SWITCHES | FOR_DEFECT;
        count = most;
        r->look.hidden = w->hidden;
    }
    if (what)
        plan_even(r, 0, count, what);
}

// ---- parts of the step

static unsigned asked(bool motion, bool stop) {
    return (motion ? FOR_SWITCHES : 0u) | (stop ? FOR_STOPS : 0u);
}

/* A part in which signs change once at most, and nothing else happens: between these changes, and at the end.
 * Where it was part of a larger one in which something narrow could be, the equation of motion is looked at
 * in its middle. */
static bool visit_part(running *r, double from, double to, const boxes_verdict *v, bool suspect) {
    double x[BOXES_CROSSINGS], middle = from + (to - from) / 2;
    unsigned what = asked(v->crosses_motion, v->crosses_stop);
    int count = v->crossings > 1 ? boxes_crossings(r->look.boxes, x) : 0;
    for (int i = 1; i <= count; i++) {
        double next = i < count ? x[i - 1] + (x[i] - x[i - 1]) / 2 : to;
        if (suspect && middle <= next) {
            suspect = false;
            if (visit(r, middle, what | FOR_SWITCHES | FOR_DEFECT))
                return true;
        }
        if (i < count && x[i] > x[i - 1] && visit(r, next, what))
            return true;
    }
    return (suspect && visit(r, middle, what | FOR_SWITCHES | FOR_DEFECT)) || (what && visit(r, to, what));
}

// there is more in the rest of the step than is worth looking for
static void give_up(running *r, double from) {
    run_look *l = &r->look;
    if (l->crowded < 0) {
        l->crowded = boxes_shape(l->boxes);
        l->crowded_at = time_at(r, from);
    }
    l->gave_up = true;
    plan_even(r, from, share_of_looks(r), l->there);
}

static double part_least(const running *r) {
    double times = PART_TIMES * DBL_EPSILON * fabs(r->step.end);
    return fmax(PART_LEAST, times / (r->step.end - r->step.before));
}

static bool walk(running *r, double from, double to, bool suspect);

// between the signs that change from x[0] on, up to `until`
static bool visit_between(running *r, const double *x, int count, double until, unsigned what) {
    for (int i = 1; i < count && x[i] < until; i++)
        if (x[i] > x[i - 1] && visit(r, x[i - 1] + (x[i] - x[i - 1]) / 2, what))
            return true;
    return visit(r, until, what);
}

/* Divides a part in which anything may happen: where a sign changes in it, since what else is not known there
 * may depend on that; else in its middle. */
static bool walk_on(running *r, double from, double to, const boxes_verdict *v) {
    double x[BOXES_CROSSINGS], middle = from + (to - from) / 2;
    double close = fmax(PART_CLOSE, part_least(r));
    int count = v->crossings ? boxes_crossings(r->look.boxes, x) : 0;
    bool apart = count > 0 && x[0] - from > 4 * close && to - x[0] > 4 * close;
    double before = apart ? x[0] - close : middle, behind = apart ? x[0] + close : middle;
    if (walk(r, from, before, v->open_smooth))
        return true;
    if (apart && visit_between(r, x, count, behind, asked(v->crosses_motion, v->crosses_stop)))
        return true;
    return !r->look.gave_up && walk(r, behind, to, v->open_smooth);
}

static bool walk(running *r, double from, double to, bool suspect) {
    run_look *l = &r->look;
    boxes_verdict v = boxes_look(l->boxes, from, to);
    bool found = false;
    if (boxes_exhausted(l->boxes))
        give_up(r, from);
    else if (v.open == 0 && v.crossings <= BOXES_CROSSINGS)
        found = visit_part(r, from, to, &v, suspect);
    else if (to - from <= part_least(r))
        found = visit(r, to, l->there);
    else
        found = walk_on(r, from, to, &v);
    boxes_close(l->boxes);
    return found;
}

// whether there is nothing to be looked for, by a rough look; the state is as evaluated at the end of the
// step
static bool is_clear(running *r) {
    const double *y = r->options->method->state(r->step.it), *v = run_velocities(r, r->step.end, y);
    return v && region_clear(r->look.region, r->step.end, y, v, r->found->qdd);
}

// true if something was found
static bool look_at_parts(running *r) {
    run_look *l = &r->look;
    if (is_clear(r))
        return false;
    if (boxes_begin(l->boxes, r->options->method, r->step.it, r->step.before, r->step.end) != 0) {
        l->found = (step_finding){STEP_WRONG, r->step.end, 0};
        return true;
    }
    return walk(r, 0, 1, false);
}

step_finding run_look_into(running *r, integrator *it, double before, double *y) {
    run_look *l = &r->look;
    r->step = (run_step){it, before, r->options->method->time(it), y};
    run_begin_over(r);
    l->found = (step_finding){STEP_FINE, r->step.end, -1};
    l->there = all_there_is(r);
    l->disturbed = l->gave_up = false;
    for (int i = 0; i < LOOK_SOURCES; i++)
        l->from[i] = before;
    r->switches.pending = NAN;
    events_begin(&r->slips.events);
    events_begin(&r->stops.events);
    plan(r);
    bool found = l->boxes && look_at_parts(r);
    found = found || visit_even(r, 1);
    if (!found && !isnan(r->switches.pending)) // it may matter by now
        look_for(r, 1, FOR_SWITCHES);
    return l->found;
}
