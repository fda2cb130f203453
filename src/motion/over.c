/* Results over the run (model_over): of the continuous motion, so that samples make no difference.
 *
 * Behind each step, what they are of becomes polynomials over parts of it (cells.h). Where the step is
 * divided first, bounds tell (boxes.h): at places where a sign changes, and so that nothing narrow is
 * overlooked; then parts are halved until their last coefficients are within the tolerance, or cannot matter
 * to what is asked for. At each point the state is projected and evaluated as for a sample. All the rest
 * follows from the polynomials: integrals, extrema, and where the margin of a condition is 0. An extremum
 * that counts is evaluated where it is.
 *
 * The steps do not depend on any of this. */
#include "motion/running.h"

#include "motion/cells.h"
#include "system/watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* As looks at what no bounds are known of, see look.c. */
enum { LOOKS_RUN = 2000 };
/* Parts of a step are not halved further. */
static const double SHORTEST = 1e-13, PART_LEAST = 1e-10;
/* Halved so often without getting better, what is left is noise: of projections, of rounding. */
enum { FLAT_MOST = 4 };
static const double FLAT = 0.25;
/* Worth a polynomial of twice the degree, before it is halved. */
static const double NEARLY = 1e-2;
/* Errors by which something must be away from what matters. */
static const double SURE = 4;
/* In tolerances: noise that is told. */
static const double NOISY = 1000;

static const model_over *over_of(const running *r, int i) {
    return &r->full->model->overs.at[i];
}

static bool is_extremum(const model_over *o) {
    return o->kind == OVER_MAXIMUM || o->kind == OVER_MINIMUM;
}

// a condition is followed by its margin, and how long an equality holds by whether it does
static bool by_margin(const model_over *o) {
    return o->kind >= OVER_DURATION &&
           (o->condition == STOP_INEQUALITY || (o->condition == STOP_EQUALITY && o->kind == OVER_FIRST));
}

// ---- at an instant, where the state is evaluated

static double number_of(const running *r, int i) {
    return state_output(r->full_st, STAGE_OVER)[i];
}

static bool rest_of(const running *r, int i) {
    return state_output(r->full_st, STAGE_OVER)[2 * r->over.count + i] != 0;
}

// what becomes a polynomial: > 0 where a condition is true
static double followed(const running *r, int i) {
    const model_over *o = over_of(r, i);
    double u = number_of(r, i);
    if (o->kind < OVER_DURATION)
        return u;
    if (!by_margin(o))
        return u - 0.5;
    double margin = state_output(r->full_st, STAGE_OVER)[r->over.count + i];
    return margin != 0 || o->condition == STOP_EQUALITY ? margin : u != 0 ? DBL_MIN : -DBL_MIN;
}

static bool evaluate(running *r, double t) {
    run_trouble before = r->trouble;
    if (r->full->shows_work)
        run_find_work(r, t);
    bool solved =
        r->options->method->interpolate(r->step.it, t, r->over.y) == 0 && run_solve_state(r, t, r->over.y);
    r->trouble = before;
    if (solved) {
        run_results(r);
        state_run(r->full, r->full_st, STAGE_OVER);
    }
    return solved;
}

// ---- sums

static bool beats(const model_over *o, double value, double best) {
    return isnan(value) || (o->kind == OVER_MAXIMUM ? value > best : value < best);
}

static void take(const model_over *o, over_sum *s, double value, double t) {
    if (isnan(s->best) || !beats(o, value, s->best))
        return; // what was not a number once has no extremum
    s->best = value;
    s->at = t;
}

static double time_of(const over_cell *c, double x) {
    return x >= 1 ? c->to : x <= -1 ? c->from : c->from + (x + 1) / 2 * (c->to - c->from);
}

static const double *coefficients(const running *r, const over_cell *c, int i) {
    return r->over.numbers.at + c->first + i * OVER_NUMBERS;
}

// extrema inside the cell, up to x
static void add_extrema(running *r, const over_cell *cell, int i, double x, over_sum *s) {
    const model_over *o = over_of(r, i);
    double d[CELLS_POINTS], zero[CELLS_POINTS];
    cells_derive(coefficients(r, cell, i), cell->n, d);
    int count = cells_zeros(d, cell->n, zero);
    for (int k = 0; k < count && zero[k] < x; k++) {
        double t = time_of(cell, zero[k]);
        if (!isnan(s->best) && beats(o, cells_at(coefficients(r, cell, i), cell->n, zero[k]), s->best) &&
            evaluate(r, t))
            take(o, s, number_of(r, i), t);
    }
}

static void add_extremum(running *r, const over_cell *cell, int i, double x, over_sum *s) {
    const model_over *o = over_of(r, i);
    const double *c = coefficients(r, cell, i);
    take(o, s, c[OVER_BEGIN], cell->from);
    if (!isnan(s->best))
        add_extrema(r, cell, i, x, s);
    if (x >= 1)
        take(o, s, c[OVER_END], cell->to);
}

static void add_integral(running *r, const over_cell *cell, int i, double x, over_sum *s) {
    double w[CELLS_POINTS + 1];
    cells_integrate(coefficients(r, cell, i), cell->n, w);
    s->sum += cells_at(w, cell->n + 1, fmin(x, 1)) * (cell->to - cell->from) / 2;
}

// pieces between places where the margin is 0
static void add_duration(running *r, const over_cell *cell, int i, double x, over_sum *s) {
    const double *c = coefficients(r, cell, i);
    double zero[CELLS_POINTS + 1], from = -1;
    int count = cells_zeros(c, cell->n, zero);
    zero[count] = 1;
    for (int k = 0; k <= count && from < x; from = zero[k++]) {
        double to = fmin(zero[k], x);
        if (cells_at(c, cell->n, (from + zero[k]) / 2) > 0)
            s->sum += time_of(cell, to) - time_of(cell, from);
    }
}

// an equality, where its margin changes its sign; if the rest of the condition is true there
static bool meets(running *r, int i, double t) {
    return over_of(r, i)->condition != STOP_EQUALITY || !by_margin(over_of(r, i)) ||
           (evaluate(r, t) && rest_of(r, i));
}

static void add_first(running *r, const over_cell *cell, int i, double x, over_sum *s) {
    const double *c = coefficients(r, cell, i);
    bool equality = over_of(r, i)->condition == STOP_EQUALITY && by_margin(over_of(r, i));
    double zero[CELLS_POINTS], begin = c[OVER_BEGIN];
    int count = cells_zeros(c, cell->n, zero);
    if (!isnan(s->at) || isnan(begin))
        return;
    if ((equality ? begin * s->best < 0 : begin > 0) && meets(r, i, cell->from))
        s->at = cell->from;
    for (int k = 0; k < count && isnan(s->at) && zero[k] <= x; k++) {
        double behind = (zero[k] + (k + 1 < count ? zero[k + 1] : 1)) / 2;
        if ((equality || cells_at(c, cell->n, behind) > 0) && meets(r, i, time_of(cell, zero[k])))
            s->at = time_of(cell, zero[k]);
    }
    if (x >= 1 && c[OVER_END] != 0)
        s->best = c[OVER_END]; // whose sign is compared with
}

static void add_cell(running *r, const over_cell *cell, int i, double x, over_sum *s) {
    static void (*const add[OVER_KINDS])(running *, const over_cell *, int, double, over_sum *) = {
        [OVER_MAXIMUM] = add_extremum,  [OVER_MINIMUM] = add_extremum,  [OVER_MEAN] = add_integral,
        [OVER_INTEGRAL] = add_integral, [OVER_DURATION] = add_duration, [OVER_FIRST] = add_first};
    if (cell->n)
        add[over_of(r, i)->kind](r, cell, i, x, s);
}

static double value_of(const running *r, int i, double t, const over_sum *s) {
    double passed = t - r->options->from;
    switch (over_of(r, i)->kind) {
    case OVER_MAXIMUM:
    case OVER_MINIMUM:
        return s->best;
    case OVER_MEAN:
        return passed > 0 ? s->sum / passed : s->best;
    case OVER_FIRST:
        return s->at;
    default:
        return s->sum;
    }
}

// ---- cells: how well they are known

static double *values_of(const over_part *p, int i) {
    return p->u + (size_t)i * CELLS_POINTS;
}

static void transform(const over_part *p, int i, double *c) {
    const double *u = values_of(p, i);
    double coarse[CELLS_COARSE + 1];
    for (int j = 0; j <= CELLS_COARSE; j++)
        coarse[j] = u[2 * j];
    cells_through(p->n == CELLS_FINE ? u : coarse, p->n, c);
}

typedef struct {
    double least, most;
    int unknown; // points at which it is not a number, or not finite
} extent;

static extent extent_of(const over_part *p, int i) {
    const double *u = values_of(p, i);
    extent e = {INFINITY, -INFINITY, 0};
    for (int j = 0; j <= CELLS_FINE; j += CELLS_FINE / p->n) {
        e.least = fmin(e.least, u[j]);
        e.most = fmax(e.most, u[j]);
        e.unknown += !isfinite(u[j]);
    }
    return e;
}

// whether an error as large makes no difference
static bool is_apart(const running *r, int i, const extent *e, double error) {
    const model_over *o = over_of(r, i);
    const over_sum *s = &r->over.latest[i];
    if (is_extremum(o))
        return isnan(s->best) || (o->kind == OVER_MAXIMUM ? e->most + SURE * error < s->best
                                                          : e->least - SURE * error > s->best);
    if (o->kind == OVER_FIRST && !isnan(s->at))
        return true;
    return o->kind >= OVER_DURATION && (e->least > SURE * error || e->most < -SURE * error);
}

/* By how much the worst that matters is off, in what is allowed of it; at most 1: none is. learn: what it is
 * off by is noise. */
static double off_by(running *r, over_part *p, bool learn, bool *nearly) {
    run_over *o = &r->over;
    double worst = 0, c[CELLS_POINTS];
    *nearly = true;
    for (int i = 0; i < o->count; i++) {
        extent e = extent_of(p, i);
        if (e.unknown == p->n + 1)
            continue;
        transform(p, i, c);
        double error = e.unknown ? INFINITY : cells_error(c, p->n);
        if (isfinite(error))
            o->size[i] = fmax(o->size[i], fmax(fabs(e.least), fabs(e.most)));
        double allowed = fmax(r->options->tolerance * o->size[i], o->noise[i]);
        if (error <= allowed || is_apart(r, i, &e, error))
            continue;
        if (learn && isfinite(error))
            o->noise[i] = fmax(o->noise[i], error);
        worst = fmax(worst, allowed > 0 ? error / allowed : INFINITY);
        *nearly &= error < NEARLY * o->size[i];
    }
    return worst;
}

static double place_in(const running *r, const over_part *p, int j) {
    double x = -cells_place(CELLS_FINE, j), t = p->from + (x + 1) / 2 * (p->to - p->from);
    double inset = 4 * DBL_EPSILON * fmax(fabs(p->from), fabs(p->to)) + run_least_time(r);
    inset = fmin(inset, (p->to - p->from) / 4);
    if (j == 0)
        return p->begins ? p->from + inset : p->from;
    if (j == CELLS_FINE)
        return p->ends ? p->to - inset : p->to;
    return t;
}

// false if the state cannot be had somewhere
static bool evaluate_points(running *r, over_part *p, int first, int by) {
    for (int j = first; j <= CELLS_FINE; j += by) {
        if (!evaluate(r, place_in(r, p, j)))
            return false;
        for (int i = 0; i < r->over.count; i++) // x runs from 1 to -1
            values_of(p, i)[CELLS_FINE - j] = followed(r, i);
    }
    return true;
}

static void look_at_part(running *r, over_part *p) {
    bool nearly;
    p->n = CELLS_COARSE;
    p->known = evaluate_points(r, p, 0, 2);
    p->off = p->known ? off_by(r, p, false, &nearly) : INFINITY;
    if (!p->known || p->off <= 1 || !nearly)
        return;
    if (!evaluate_points(r, p, 1, 2))
        return;
    p->n = CELLS_FINE;
    p->off = off_by(r, p, false, &nearly);
}

static void keep_cell(running *r, over_part *p) {
    run_over *o = &r->over;
    over_cell cell = {p->from, p->to, p->known ? p->n : 0, o->numbers.count};
    vec_reserve(r->work, o->numbers, o->numbers.count + o->count * OVER_NUMBERS);
    for (int i = 0; i < o->count; i++) {
        double *c = o->numbers.at + o->numbers.count;
        memset(c, 0, OVER_NUMBERS * sizeof *c);
        if (p->known)
            transform(p, i, c);
        c[OVER_BEGIN] = values_of(p, i)[CELLS_FINE];
        c[OVER_END] = values_of(p, i)[0];
        o->numbers.count += OVER_NUMBERS;
        vec_push(r->work, o->before, o->latest[i]);
    }
    vec_push(r->work, o->cells, cell);
    for (int i = 0; i < o->count; i++)
        add_cell(r, &cell, i, 1, &o->latest[i]);
}

// ---- a part that bounds say is smooth

static void set_part(over_part *p, double from, double to, bool begins, bool ends) {
    p->from = from;
    p->to = to;
    p->begins = begins;
    p->ends = ends;
    p->flat = 0;
}

static bool is_short(const running *r, const over_part *p) {
    double h = p->to - p->from;
    return h <= SHORTEST * (r->step.end - r->step.before) || h <= 256 * DBL_EPSILON * fabs(p->to);
}

/* Parts still to be looked at stand on a stack, the first on top; each has been evaluated. */
static void follow(running *r, double from, double to, bool begins, bool ends) {
    run_over *o = &r->over;
    int depth = 0;
    bool nearly;
    set_part(&o->parts[0], from, to, begins, ends);
    look_at_part(r, &o->parts[0]);
    while (depth >= 0) {
        over_part *p = &o->parts[depth];
        bool noise = p->flat >= FLAT_MOST;
        if (p->off <= 1 || noise || is_short(r, p) || depth == OVER_DEEPEST) {
            if (noise && p->known)
                off_by(r, p, true, &nearly);
            keep_cell(r, p);
            depth--;
            continue;
        }
        double middle = p->from + (p->to - p->from) / 2, off = p->off;
        int flat = p->flat;
        over_part *left = &o->parts[depth + 1];
        set_part(left, p->from, middle, p->begins, false);
        set_part(p, middle, p->to, false, p->ends);
        look_at_part(r, left);
        look_at_part(r, p);
        double least = fmin(p->off, left->off);
        bool better = least <= 1 || least < FLAT * off;
        left->flat = p->flat = better ? 0 : flat + 1;
        depth++;
    }
}

// ---- a step

static double step_time(const running *r, double x) {
    return x >= 1 ? r->step.end : r->step.before + x * (r->step.end - r->step.before);
}

static void add_border(running *r, double x) {
    vec_push(r->work, r->over.borders, x);
}

// so many that there are LOOKS_RUN looks in a run
static void add_even(running *r, double from, double to) {
    double h = step_time(r, to) - step_time(r, from);
    int count = (int)fmax(1, ceil(LOOKS_RUN * h / (CELLS_COARSE * run_span(r))));
    for (int k = 1; k <= count; k++)
        add_border(r, k == count ? to : from + k * (to - from) / count);
}

// borders between from, which is one, and to, which becomes one
static void divide(running *r, double from, double to) {
    boxes *b = r->over.boxes;
    double x[BOXES_CROSSINGS];
    if (boxes_exhausted(b)) {
        if (r->over.crowded < 0) {
            r->over.crowded = boxes_shape(b);
            r->over.crowded_at = step_time(r, from);
        }
        add_even(r, from, to);
        return;
    }
    boxes_verdict v = boxes_look(b, from, to);
    if (v.open == 0 && v.crossings <= BOXES_CROSSINGS) {
        int count = v.crossings ? boxes_crossings(b, x) : 0;
        for (int i = 0; i < count; i++)
            if (x[i] > from && x[i] < to)
                add_border(r, x[i]);
        add_border(r, to);
    } else if (to - from <= PART_LEAST) {
        add_border(r, to);
    } else {
        divide(r, from, from + (to - from) / 2);
        divide(r, from + (to - from) / 2, to);
    }
    boxes_close(b);
}

static double place_of(const running *r, double t) {
    double h = r->step.end - r->step.before;
    return t >= r->step.end ? 1 : fmin(1, fmax(0, (t - r->step.before) / h));
}

/* How large they are is seen before parts of the step are looked at, which may be short ones at a place where
 * all is 0. */
static void see_sizes(running *r, double from, double to) {
    for (int k = 1; k <= 2; k++) {
        bool known = evaluate(r, from + k * (to - from) / 3);
        for (int i = 0; i < r->over.count && known; i++)
            if (isfinite(followed(r, i)))
                r->over.size[i] = fmax(r->over.size[i], fabs(followed(r, i)));
    }
}

// up to `to`, behind what is there; changes: there the motion is another
static void extend(running *r, double to, bool changes) {
    run_over *o = &r->over;
    const system_watch *w = r->sys->over_watch;
    double from = place_of(r, o->done), end = place_of(r, to);
    profile_part before = profile_enter(state_profile(r->st), PROFILE_SAMPLE);
    o->borders.count = 0;
    if (w && w->hidden >= 0)
        add_even(r, from, end);
    else if (o->boxes &&
             boxes_begin(o->boxes, r->options->method, r->step.it, r->step.before, r->step.end) == 0)
        divide(r, from, end);
    else
        add_border(r, end);
    if (o->borders.count > 1)
        see_sizes(r, o->done, to);
    double begin = o->done, least = SHORTEST * (r->step.end - r->step.before);
    for (int i = 0; i < o->borders.count; i++) {
        bool last = i + 1 == o->borders.count;
        double border = last ? to : step_time(r, o->borders.at[i]);
        if (!(border > begin) || (!last && !(border - begin > least && to - border > least)))
            continue;
        follow(r, begin, border, begin > r->step.before || o->anew, !last || changes);
        begin = border;
    }
    o->done = to;
    profile_leave(state_profile(r->st), before);
}

// at t, without what is there itself
static void look_up(running *r, double t, over_sum *out) {
    run_over *o = &r->over;
    int k = o->cells.count;
    while (k > 0 && o->cells.at[k - 1].from >= t)
        k--;
    const over_cell *cell = k ? &o->cells.at[k - 1] : NULL;
    bool at_end = cell && k == o->cells.count && t >= cell->to;
    const over_sum *from = at_end || (k == 0 && !o->cells.count) ? o->latest
                           : k                                   ? o->before.at + (k - 1) * o->count
                                                                 : o->before.at;
    memcpy(out, from, (size_t)o->count * sizeof *out);
    if (cell == NULL || at_end)
        return;
    double x = 2 * (t - cell->from) / (cell->to - cell->from) - 1;
    for (int i = 0; i < o->count; i++)
        add_cell(r, cell, i, fmin(x, 1), &out[i]);
}

// ---- for the files beside this one

void run_over_new(running *r) {
    run_over *o = &r->over;
    size_t count = (size_t)r->full->model->overs.count, points = count * CELLS_POINTS;
    *o = (run_over){.count = (int)count, .crowded = -1, .left_out = NAN, .recorded = NAN};
    if (count == 0)
        return;
    o->y = arena_doubles(r->work, 2 * (size_t)r->sys->n);
    double **vectors[] = {&o->size, &o->noise, &o->kept_size, &o->kept_noise, &o->values};
    for (int i = 0; i < 5; i++)
        *vectors[i] = arena_doubles(r->work, count);
    over_sum **sums[] = {&o->sums, &o->latest, &o->here};
    for (int i = 0; i < 3; i++)
        *sums[i] = arena_array(r->work, over_sum, count);
    for (int i = 0; i <= OVER_DEEPEST; i++)
        o->parts[i].u = arena_doubles(r->work, points);
}

void run_over_boxes(running *r, boxes_velocities velocities) {
    const system_watch *w = r->sys->over_watch;
    if (r->over.count && w && w->groups.count)
        r->over.boxes = boxes_new(r->work, r->sys, w, r->st, r->options->tolerance, velocities, r);
}

void run_begin_over(running *r) {
    run_over *o = &r->over;
    if (o->count == 0)
        return;
    o->done = r->step.before;
    o->cells.count = o->numbers.count = o->before.count = 0;
    memcpy(o->latest, o->sums, (size_t)o->count * sizeof *o->latest);
    memcpy(o->size, o->kept_size, (size_t)o->count * sizeof *o->size);
    memcpy(o->noise, o->kept_noise, (size_t)o->count * sizeof *o->noise);
}

void run_follow_over(running *r, double to, bool changes) {
    if (r->over.count && to > r->over.done)
        extend(r, to, changes);
}

void run_find_over(running *r, double t) {
    if (r->over.count && r->over.begun)
        look_up(r, t, r->over.here);
}

static void begin_sums(running *r, double t) {
    run_over *o = &r->over;
    for (int i = 0; i < o->count; i++) {
        bool first = over_of(r, i)->kind == OVER_FIRST, condition = over_of(r, i)->kind >= OVER_DURATION;
        bool holds = condition && number_of(r, i) != 0;
        o->sums[i] =
            (over_sum){.best = condition ? followed(r, i) : number_of(r, i), .at = first && !holds ? NAN : t};
        o->kept_size[i] = isfinite(o->sums[i].best) ? fabs(o->sums[i].best) : 0;
    }
    memcpy(o->latest, o->sums, (size_t)o->count * sizeof *o->sums);
    memcpy(o->here, o->sums, (size_t)o->count * sizeof *o->sums);
    o->begun = true;
}

static void record(running *r, double t, const over_sum *sums) {
    for (int i = 0; i < r->over.count; i++) {
        over_kind kind = over_of(r, i)->kind;
        bool instant = is_extremum(over_of(r, i)) || kind == OVER_FIRST;
        r->report->overs[i] = (over_record){value_of(r, i, t, &sums[i]), instant ? sums[i].at : NAN};
    }
    r->over.recorded = t;
}

void run_put_over(running *r, double t) {
    run_over *o = &r->over;
    if (o->count == 0)
        return;
    state_run(r->full, r->full_st, STAGE_OVER);
    if (!o->begun)
        begin_sums(r, t);
    for (int i = 0; i < o->count; i++) {
        const model_over *over = over_of(r, i);
        if (is_extremum(over))
            take(over, &o->here[i], number_of(r, i), t);
        else if (over->kind == OVER_FIRST && isnan(o->here[i].at) && number_of(r, i) != 0)
            o->here[i].at = t;
        o->values[i] = value_of(r, i, t, &o->here[i]);
    }
    state_set_over(r->full, r->full_st, o->values);
    solve_overs(r->full, r->full_st);
}

void run_record_over(running *r, double t) {
    record(r, t, r->over.here);
}

void run_keep_over(running *r, double t, bool changes) {
    run_over *o = &r->over;
    if (o->count == 0)
        return;
    look_up(r, t, o->sums);
    for (int i = 0; i < o->cells.count && isnan(o->left_out); i++)
        if (o->cells.at[i].n == 0 && o->cells.at[i].from < t)
            o->left_out = o->cells.at[i].from;
    memcpy(o->kept_size, o->size, (size_t)o->count * sizeof *o->size);
    memcpy(o->kept_noise, o->noise, (size_t)o->count * sizeof *o->noise);
    o->anew = changes;
    if (!(t <= o->recorded))
        record(r, t, o->sums);
}

// ---- at the end

static void warn(running *r, const char *what) {
    vec_push(r->arena, r->report->warnings, what);
}

void run_warn_over(running *r) {
    enum { MOST = 3 };
    const run_over *o = &r->over;
    int told = 0;
    for (int i = 0; i < o->count && told < MOST; i++)
        if (o->noise[i] > NOISY * r->options->tolerance * o->size[i]) {
            warn(r, arena_print(r->arena, "what '%s' is of jitters by %.2g: it is known to that only",
                                over_of(r, i)->text, o->noise[i]));
            told++;
        }
    if (o->crowded >= 0)
        warn(r, arena_print(r->arena,
                            "what results over the run are of changes so often from t = %.6g on that it was "
                            "looked at now and then: what lasts less than %.3g may be missed",
                            o->crowded_at, run_span(r) / LOOKS_RUN));
    if (!isnan(o->left_out))
        warn(r,
             arena_print(r->arena,
                         "the results over the run leave out what is near t = %.6g, where the state cannot "
                         "be evaluated",
                         o->left_out));
}

// of an output that is made of several, the value is that of the last sample
over_record run_result(const model *m, const run_report *p, int i) {
    const model_told *told = &m->told.at[i];
    if (told->over >= 0)
        return p->overs[told->over];
    return (over_record){p->samples ? p->outputs[told->output] : NAN, NAN};
}
