/* Singular positions: rows of A become dependent, or one of them vanishes, for an instant, though the motion
 * through it is smooth. How near one is, where one is ahead, and what of a step's error projection would
 * remove.
 *
 * On the constraints the equation of motion is smooth there. Off them it is not: so near such a position
 * stages are projected (equation.c), no step ends close to it, and a step that passes it does so where it was
 * found to be, not by overlooking that the motion turns round shortly before it. */
#include "motion/running.h"

#include "linear/linalg.h"
#include "motion/search.h"
#include "system/rates.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A singular position is one that comes this near, as a part of the nearness at the last step. A slider crank
 * whose rod is longer than its crank by 1e-7 comes to 5e-4. */
static const double SINGULAR = 1e-5;
/* Where it comes nearer, the next step counts as near from here on: all its stages are projected then. Off
 * the constraints the equation is another one, and a step half of one and half of the other had errors of a
 * thousand tolerances (iftomm-a02, N = 2, at t = 10, 1e-8 to 1e-12: 54 to 860, and 58 to 95 with this). */
static const double SOON = 0.65;
/* A step may not end this near to it, as a part of the nearness it began with: the slope there, with which
 * the next step begins, would have the error of the state divided by that. */
static const double LANDING = 0.1;
/* A multistep method does not end a step this near to it while it comes nearer: the next steps would be
 * short, and find no way out. With 0.001, 3 (bdf) and 7 (adams) of 120 runs as in test/scripts/branches.py
 * end there and say so; with 0.02, 2 and 0; with 0.1, 2 and 0. */
static const double SHUNNED = 0.02, APPROACHING = 0.9;
/* Squared: at a step's end nearness is 1 at most, and only what is less than RUN_NEARING of that counts. */
static const double FAR = 0.3;
static const double FORGET = 0.99; // of what was usual, each step
enum { SCAN = 24, REFINE = 20 };   // evaluations to find it
enum { TURN_MOST = 500 };          // rows of which a determinant is looked at
enum { PASSES_MOST = 1000 };       // that are kept

// A by columns, for products of rows with rows
static turn_work turn_new(arena *a, const trm_system *sys) {
    size_t m = (size_t)sys->m;
    turn_work w = {.K = arena_doubles(a, m * m), .number = arena_array(a, int, m + 1)};
    sparsity_builder b = sparsity_begin(a, sys->n);
    for (int e = 0; e < sparsity_entries(sys->A); e++)
        sparsity_announce(&b, sys->A.to[e]);
    for (int i = 0; i < sys->m; i++)
        for (int e = sys->A.start[i]; e < sys->A.start[i + 1]; e++)
            sparsity_put(&b, sys->A.to[e], i);
    w.columns = sparsity_end(&b);
    w.entry = arena_array(a, int, sparsity_entries(w.columns) + 1);
    int *next = arena_array(a, int, sys->n + 1);
    for (int e = 0; e < sparsity_entries(sys->A); e++) {
        int j = sys->A.to[e];
        w.entry[w.columns.start[j] + next[j]++] = e;
    }
    return w;
}

static void forget_nearest(singular_distance *d) {
    d->nearest = INFINITY;
    d->watch.nearest = INFINITY;
}

static double nearest_of(const running *r) {
    const singular_distance *d = &r->singular;
    return r->sys->moves_freely ? d->nearest : fmin(d->nearest, sqrt(d->watch.nearest));
}

/* Stages of the next step are looked at closely from where they may count as near. */
static void set_watch(running *r) {
    static const double ROUNDED = 1 + 1e-12;
    singular_distance *d = &r->singular;
    double near = RUN_NEARING * d->largest;
    if (r->moves)
        solve_watch_for(r->st, r->sys->all.rows < r->rank ? INFINITY : near * near * ROUNDED, &d->watch);
}

void run_singular_new(running *r) {
    const trm_system *sys = r->sys;
    size_t n = (size_t)sys->n, m = (size_t)sys->m;
    singular_distance *d = &r->singular;
    d->row_length = arena_doubles(r->work, m);
    d->row_square = arena_doubles(r->work, m);
    d->largest = INFINITY;
    d->watch.usual = d->row_square;
    d->watch.enough = FAR;
    forget_nearest(d);
    set_watch(r);
    d->largest = 0;
    d->left_out = arena_array(r->work, bool, sys->m + 1);
    d->q = arena_doubles(r->work, n);
    d->v = arena_doubles(r->work, n);
    if (m <= TURN_MOST)
        d->turn = turn_new(r->work, sys);
    if (d->turn.K || r->may_vanish)
        r->last_A = arena_doubles(r->work, (size_t)sparsity_entries(sys->A));
}

static double row_length(const running *r, int i) {
    return natural_length(r->sys, r->sys->A, r->found->A, i);
}

// its square, as it comes out: it may overflow or underflow
static inline double row_square(const running *r, int i) {
    const int *start = r->sys->A.start, *to = r->sys->A.to;
    const double *A = r->found->A, *units = r->sys->natural->units;
    double sum = 0;
    if (units == NULL) {
        for (int e = start[i], end = start[i + 1]; e < end; e++) // of few entries, mostly
            sum += A[e] * A[e];
        return sum;
    }
    for (int e = start[i], end = start[i + 1]; e < end; e++) {
        double part = A[e] * units[to[e]];
        sum += part * part;
    }
    return sum;
}

// the least of nearness and the lengths of rows from `row` on
static __attribute__((noinline)) double nearness_of_rows(const running *r, int row, double nearness) {
    const singular_distance *d = &r->singular;
    for (int i = row; i < r->sys->m; i++) {
        if (r->dropped[i] || solve_dropped(r->sys, r->st, i))
            continue;
        double length = row_length(r, i);
        if (length < nearness * d->row_length[i])
            nearness = length / d->row_length[i];
    }
    return nearness;
}

// the square, as a part of what is usual, from which a row is long enough; rounding allowed for
static inline double doubtful(double nearness) {
    return nearness > 1e-30 ? nearness * nearness * (1 + 1e-12) : INFINITY;
}

// without squares from the kernel
static __attribute__((noinline)) double nearness_by_lengths(const running *r, double nearness) {
    const double *usual = r->singular.row_square, least = doubtful(nearness);
    int m = r->sys->m, i = 0;
    while (i < m && row_square(r, i) > least * usual[i])
        i++;
    return i == m ? nearness : nearness_of_rows(r, i, nearness);
}

/* Squares tell that a row is long enough; roots are taken of the others only. */
double run_nearness(running *r) {
    int m = r->sys->m, i = 0;
    if (m == 0)
        return 1;
    solve_distance now = solve_distance_now(r->sys, r->st);
    const double *square = now.squares, *usual = r->singular.row_square;
    double nearness = now.nearness, least = doubtful(nearness);
    if (now.rank < r->rank)
        return 0;
    if (square == NULL)
        return nearness_by_lengths(r, nearness);
    while (i < m && square[i] > least * usual[i])
        i++;
    return i == m ? nearness : nearness_of_rows(r, i, nearness);
}

double run_nearness_of_rows(const running *r, double nearness) {
    return nearness_of_rows(r, 0, nearness);
}

const bool *run_short_rows(running *r) {
    static const double SHORT = 0.3; // of its length of late
    singular_distance *d = &r->singular;
    bool any = false;
    for (int i = 0; i < r->sys->m; i++) {
        bool is_short = row_square(r, i) < SHORT * SHORT * d->row_square[i];
        any |= is_short && !r->dropped[i];
        d->left_out[i] = is_short;
    }
    return any ? d->left_out : NULL;
}

// squares: of the rows, or NULL
static void note_lengths(running *r, const double *squares) {
    singular_distance *d = &r->singular;
    for (int i = 0; i < r->sys->m; i++) {
        double square = squares ? squares[i] : 0, usual = FORGET * d->row_length[i];
        double length = square > 1e-200 && square < 1e200 ? sqrt(square) : row_length(r, i);
        length = length > usual ? length : usual;
        bool plain = length == 0 || (length > 1e-100 && length < 1e100);
        d->row_length[i] = length;
        d->row_square[i] = plain ? length * length : NAN;
    }
}

void run_note_distance(running *r) {
    const trm_system *sys = r->sys;
    singular_distance *d = &r->singular;
    note_lengths(r, solve_distance_now(r->sys, r->st).squares);
    r->rank = solve_rank(r->sys, r->st);
    double before = d->last;
    d->last = run_nearness(r);
    d->largest = fmax(FORGET * d->largest, d->last);
    d->near =
        fmin(nearest_of(r), d->last) < RUN_NEARING * d->largest || // also for the dense output of that step
        (d->last < before && d->last < SOON * d->largest);
    forget_nearest(d);
    set_watch(r);
    d->instant = NAN;
    if (r->last_A)
        memcpy(r->last_A, r->found->A, (size_t)sparsity_entries(sys->A) * sizeof(double));
}

void run_forget_distance(running *r) {
    singular_distance *d = &r->singular;
    memset(d->row_length, 0, (size_t)r->sys->m * sizeof *d->row_length);
    for (int i = 0; i < r->sys->m; i++)
        r->dropped[i] = solve_dropped(r->sys, r->st, i);
    d->largest = 0;
    forget_nearest(d);
    run_note_distance(r);
}

static double unit_squared(const trm_system *sys, int j) {
    const double *units = sys->natural->units;
    return units ? units[j] * units[j] : 1;
}

// K (kept x kept) <- A0 U^2 A'
static int products_with_last(running *r) {
    const sparsity *A = &r->sys->A, *columns = &r->singular.turn.columns;
    const turn_work *w = &r->singular.turn;
    int kept = 0;
    for (int i = 0; i < r->sys->m; i++)
        w->number[i] = r->dropped[i] ? -1 : kept++;
    memset(w->K, 0, (size_t)kept * (size_t)kept * sizeof *w->K);
    for (int i = 0; i < r->sys->m; i++) {
        double *row = w->K + (long)w->number[i] * kept;
        for (int e = A->start[i]; e < A->start[i + 1] && w->number[i] >= 0; e++) {
            int j = A->to[e];
            double last = r->last_A[e] * unit_squared(r->sys, j);
            for (int z = columns->start[j]; z < columns->start[j + 1]; z++)
                if (w->number[columns->to[z]] >= 0)
                    row[w->number[columns->to[z]]] += last * r->found->A[w->entry[z]];
        }
    }
    return kept;
}

/* Whether the rows kept have turned round since the last step: det(A0 U^2 A') < 0. Then they were dependent
 * in between, or one was zero, on the way that the step took. */
static bool turned_round(running *r) {
    double *K = r->singular.turn.K;
    return K && linalg_negative(K, products_with_last(r));
}

bool run_may_land(running *r, double t, double nearness) {
    const singular_distance *d = &r->singular;
    if (solve_rank(r->sys, r->st) > r->rank)
        return true; // the last step ended in a singular position
    if (nearness < LANDING * d->last)
        return false;
    bool passed = d->near && turned_round(r);
    return !passed || d->instant < t;
}

// at the state in work_q and work_v, projected: off the constraints there are singular positions where on
// them there are none
static double nearness_projected(running *r, double t) {
    const trm_system *sys = r->sys;
    trm_state *st = r->st;
    project_position(sys, st, t, r->work_q, DBL_EPSILON, NULL);
    moment at = run_moment(r, t, r->work_q, r->work_v);
    if (!solve_only_rank(sys, st, &at, r->dropped))
        return INFINITY;
    return run_nearness(r);
}

/* The motion from t on: q + v ahead + a ahead^2 / 2 (a NULL: 0), or what an integrator that has been there
 * tells. */
typedef struct {
    running *r;
    double t;
    const double *q, *v, *a;
    const double *rate, *curve; // q' and q'', where they are not v and a; else NULL
    integrator *it;             // NULL: it is ahead
    double *y;                  // (2 n) workspace
} path;

static double nearness_after(path *p, double ahead) {
    running *r = p->r;
    size_t n = (size_t)r->sys->n;
    if (p->it) {
        if (r->options->method->interpolate(p->it, p->t + ahead, p->y) != 0)
            return INFINITY;
        memcpy(r->work_q, p->y, n * sizeof(double));
        memcpy(r->work_v, run_velocities(r, p->t + ahead, p->y), n * sizeof(double));
    } else {
        for (size_t i = 0; i < n; i++) {
            double a = p->a ? p->a[i] : 0, rate = p->rate ? p->rate[i] : p->v[i];
            r->work_q[i] = p->q[i] + ahead * (rate + ahead / 2 * (p->curve ? p->curve[i] : a));
            r->work_v[i] = p->v[i] + ahead * a;
        }
    }
    return nearness_projected(r, p->t + ahead);
}

// its square, which is smooth where it is least
static double squared(void *context, double ahead) {
    double here = nearness_after(context, ahead);
    return here * here;
}

/* When nearness is least within the span: between the neighbours of the lowest of SCAN instants. */
static double time_of_least(path *p, double span, double *least) {
    double square[SCAN + 2];
    int lowest = 1;
    for (int k = 0; k <= SCAN + 1; k++) {
        square[k] = squared(p, span * k / SCAN);
        if (k > 0 && k <= SCAN && square[k] < square[lowest])
            lowest = k;
    }
    search_dip d;
    for (int k = 0; k < 3; k++) {
        d.t[k] = span * (lowest - 1 + k) / SCAN;
        d.f[k] = square[lowest - 1 + k];
    }
    search_least(&d, squared, p, 1e-18 * d.f[0], false, 1e-9 * span, REFINE);
    *least = sqrt(d.f[1]);
    return d.t[1];
}

double run_singular(void *context, double t, const double *y, const double *dydt, double span) {
    running *r = context;
    singular_distance *d = &r->singular;
    double nearest = nearest_of(r), least;
    forget_nearest(d);
    if (r->sys->quasi || r->sys->soft_count || fmin(nearest, d->last) > RUN_NEARING * d->largest)
        return -1;
    profile_part before = profile_enter(state_profile(r->st), PROFILE_PROJECT);
    int n = r->sys->n;
    rates_curve(r->sys, y, y + n, dydt + n, r->v);
    path p = {.r = r, .t = t, .q = y, .v = dydt, .a = r->v};
    if (rates_differ(r->sys))
        p = (path){.r = r, .t = t, .q = y, .v = y + n, .a = dydt + n, .rate = dydt, .curve = r->v};
    double ahead = time_of_least(&p, span, &least);
    profile_leave(state_profile(r->st), before);
    if (least > SINGULAR * d->last)
        return -1;
    d->instant = t + ahead;
    return ahead;
}

/* Rows, independent before, that nearly depend on each other at the state in work_q and work_v, where the
 * last evaluation was. In joint coordinates a row of a loop vanishes there, by itself: the bodies' form tells
 * which joints it takes for that. */
static bool *find_involved(running *r, double t) {
    static const double DEPENDENT = 1e-3; // where nearness is 1e-5 of what it was
    const trm_system *sys = r->full;
    const bool *dropped = run_has_tree(r) ? r->full_dropped : r->dropped;
    bool *involved = arena_array(r->arena, bool, sys->m + 1);
    int m = 0;
    if (sys->m > TURN_MOST)
        return involved;
    if (run_has_tree(r)) {
        run_lift(r, t, r->work_q, r->work_v);
        moment at = {t, r->full_q, r->full_v, false};
        solve_only_rank(sys, r->full_st, &at, dropped);
        solve_leave_out(sys, r->full_st, NULL);
    }
    arena *scratch = arena_child(r->arena);
    const double *A = natural_rows(scratch, sys, sys->A, r->full_found->A);
    int *number = arena_array(scratch, int, sys->m + 1), entries = 0;
    double *rows = arena_doubles(scratch, (size_t)sparsity_entries(sys->A) + 1);
    for (int i = 0; i < sys->m; i++) {
        int count = dropped[i] ? 0 : sys->A.start[i + 1] - sys->A.start[i];
        memcpy(rows + entries, A + sys->A.start[i], (size_t)count * sizeof *rows);
        entries += count;
        if (!dropped[i])
            number[m++] = i;
    }
    rank_report *rank =
        dependence_of_many(scratch, sys->n, sparsity_rows(scratch, sys->A, number, m), rows, DEPENDENT);
    for (int i = 0; i < m; i++) {
        involved[number[i]] |= !rank->kept[i];
        for (int k = 0; k < rank->term_count[i]; k++)
            involved[number[rank->terms[i][k].row]] = true;
    }
    arena_free(scratch);
    return involved;
}

static bool is_any(const bool *marked, int count) {
    for (int i = 0; i < count; i++)
        if (marked[i])
            return true;
    return false;
}

/* Nearness at one end of the step, and whether it is less beside it, `aside` from there, on a straight line:
 * no dense output is needed for that. */
static bool falls(running *r, double t, double aside, double *nearness) {
    double *y = r->step.y;
    if (!run_step_state(r, t))
        return false;
    path p = {.r = r, .t = t, .q = y, .v = run_velocities(r, t, y)};
    if (p.v == NULL)
        return false;
    if (rates_differ(r->sys)) {
        rates_of_positions(r->sys, y, p.v, r->v);
        p.rate = r->v;
    }
    *nearness = nearness_after(&p, 0);
    return nearness_after(&p, aside) < *nearness;
}

void run_note_pass(running *r) {
    static const double ASIDE = 1e-3; // of the step
    double span = r->step.end - r->step.before, least, begin, end;
    path p = {.r = r, .t = r->step.before, .it = r->step.it, .y = r->step.y};
    if (!r->singular.near || r->sys->quasi || r->sys->soft_count || r->report->passes.count >= PASSES_MOST)
        return;
    if (!falls(r, r->step.before, ASIDE * span, &begin) || !falls(r, r->step.end, -ASIDE * span, &end))
        return; // it only comes nearer, or leaves
    double ahead = time_of_least(&p, span, &least);
    if (least > SINGULAR * fmax(begin, end))
        return;
    nearness_after(&p, ahead);
    singular_pass pass = {p.t + ahead, find_involved(r, p.t + ahead)};
    // in joint coordinates a row may only say there what others do: the bodies' form has as many as ever
    if (!run_has_tree(r) || r->full->m > TURN_MOST || is_any(pass.involved, r->full->m))
        vec_push(r->arena, r->report->passes, pass);
}

bool run_may_end(void *context) {
    running *r = context;
    return run_nearness(r) >= fmin(SHUNNED, APPROACHING * r->singular.last);
}

// the part of an error that projection leaves
int run_tangent(void *context, double t, const double *y, double *e) {
    running *r = context;
    const trm_system *sys = r->sys;
    int n = sys->n;
    if (isnan(r->singular.instant))
        return 1; // no singular position near: off the constraints, the error is one of the step all the same
    const double *v = run_velocities(r, t, y);
    if (v == NULL)
        return 1;
    double *dv = r->work_v;
    rates_factor(sys, r->st, t, y);
    rates_change(sys, r->st, y, e + n, dv);
    if (!project_tangent(sys, r->st, t, y, v, e, dv))
        return 1;
    rates_own_change(sys, r->st, y, dv, e + n);
    return 0;
}
