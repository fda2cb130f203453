/* The velocities that it has are decided at the assembled start: those typed, if they belong to a motion of
 * the whole (steady.h), or those that rows ask for which change uniformly; else none. Then positions are
 * sought (settle.h). Where rows change otherwise with time, it stands: drives hold what they hold at the
 * start.
 *
 * Friction that can hold the start does so, and that is an equilibrium. Else one without friction is sought:
 * there friction has nothing to hold, and does so all around, too.
 *
 * Eigenvalues are those of linearize. A zero with a mode is a free direction; beside the equilibrium, a step
 * along it, another is sought, and if that is found there they are a family. */
#include "study/equilibrium.h"

#include "linear/linalg.h"
#include "motion/project.h"
#include "solve/friction.h"
#include "study/chart.h"
#include "study/steady.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

static const double REST = 1e-9;  // speeds, and accelerations as parts of the usual ones
static const double ALONG = 0.03; // a step along a free direction, in natural units: within settle's nearness
static const double GROWING = 1e-9; // real parts beside the largest eigenvalue

typedef struct {
    arena *arena;
    trm_system *sys;
    trm_state *st;
    equilibrium_report *r;
    slopes_of of;
    settle_problem problem;
    double tolerance;
    chart chart; // of the start, for steady motions
} finding;

void equilibrium_prepare(trm_system *sys) {
    linear_prepare(sys);
    system_add_views(sys);
}

static bool fail(finding *k, const char *message, const char *hint) {
    k->r->failure = (failure){.failed = true, .time = k->r->time, .message = message, .hint = hint};
    return false;
}

static trm_state *new_state(const finding *k) {
    trm_state *st = solve_new_state(k->arena, k->sys);
    state_set_cut(st, solve_run_cut(k->sys, k->tolerance));
    state_reset_turns(k->sys, st);
    return st;
}

// ---- velocities

static bool moves(const finding *k, const double *v) {
    for (int i = 0; i < k->sys->n; i++)
        if (fabs(v[i]) > REST * natural_size(k->sys->natural, i, true))
            return true;
    return false;
}

// a row that asks for a velocity where there is none; -1: rest is allowed
static int moving_row(finding *k) {
    const trm_system *sys = k->sys;
    double *none = arena_doubles(k->arena, (size_t)sys->n);
    state_set(sys, k->st, k->r->time, k->r->start.q, none);
    state_run(sys, k->st, STAGE_VELOCITY);
    state_level l = state_velocity(sys, k->st);
    projection p = project_worst(sys, l.level->A, l.residual, l.A, none, true, k->tolerance, l.level->rows);
    return p.held ? -1 : p.row;
}

static bool state_beside(void *context, int number, double t, double *z) {
    const finding *k = context;
    return chart_beside(&k->chart, k->arena, k->sys, k->st, number, t, k->r->start.q, k->r->start.v, z);
}

// whether the velocities of the start are those of a motion of the whole
static bool find_motion(finding *k) {
    const double *q = k->r->start.q, *v = k->r->start.v;
    slopes *s = slopes_new(k->arena, k->sys);
    double *v0 = arena_doubles(k->arena, (size_t)k->sys->n);
    slopes_init(&k->of, k->arena, k->sys, k->st, false);
    if (solve_at(k->sys, k->st, &(moment){k->r->time, q, v, false}).status != SOLVE_OK)
        return false;
    slopes_leave_out(&k->of);
    if (!slopes_at(&k->of, k->r->time, q, v, s))
        return false;
    k->chart = chart_choose(k->arena, k->sys, k->st, s);
    k->problem.S = steady_carry(k->arena, &k->of, k->r->time, s, state_beside, k, v0);
    k->problem.q0 = s->q;
    k->problem.v0 = v0;
    return k->problem.S != NULL;
}

static bool choose_velocities(finding *k) {
    equilibrium_report *r = k->r;
    r->timed = slopes_timed(k->sys->model);
    bool typed = moves(k, r->start.v);
    r->steady = typed && find_motion(k);
    int row = r->steady ? -1 : moving_row(k);
    if (row >= 0 && !r->timed)
        return fail(k,
                    arena_print(k->arena,
                                "constraint '%s' lets nothing rest, and this is no motion of the whole",
                                failure_row_name(k->arena, k->sys, row)),
                    "what shifts, turns or spins as a whole can be an equilibrium");
    r->still = r->timed && !r->steady;
    r->dropped_velocities = typed && !r->steady && row < 0;
    k->st = new_state(k); // the last one has seen friction, or time pass
    slopes_init(&k->of, k->arena, k->sys, k->st, r->still);
    return true;
}

// ---- positions

static bool is_zero(const finding *k, const trm_state *st) {
    const double *a = state_look(st)->qdd, usual = solve_usual_acceleration(k->sys, st);
    const double *units = k->sys->natural->units;
    for (int i = 0; i < k->sys->n; i++)
        if (fabs(a[i]) / (units ? units[i] : 1) > REST * usual)
            return false;
    return true;
}

// whether friction holds all at q; which ones stick
static bool is_held(finding *k, const double *q, bool *sticking) {
    trm_state *st = new_state(k);
    moment at = {k->r->time, q, arena_doubles(k->arena, (size_t)k->sys->n), false};
    if (k->sys->friction_count == 0 || k->r->steady)
        return false;
    if (k->r->still)
        solve_stand_still(st);
    if (friction_start(k->sys, st, &at, k->tolerance).status != SOLVE_OK || !is_zero(k, st))
        return false;
    friction_get(k->sys, st, sticking);
    return true;
}

static const char *what_is_left(finding *k) {
    const settle_result *s = &k->r->search;
    return arena_print(k->arena, "%s'' is still %.6g", model_coord_name(k->sys->model, s->worst, k->arena),
                       s->left[s->worst]);
}

static bool none_found(finding *k) {
    const settle_result *s = &k->r->search;
    solve_leave_out(k->sys, k->st, NULL);
    outcome at_start = solve_at(k->sys, k->st, &(moment){k->r->time, k->r->start.q, k->r->v, false});
    if (s->worst < 0 && at_start.status != SOLVE_OK) {
        failure_of_solve(&k->r->failure, k->arena, k->sys, k->st, at_start, k->r->time);
        return false;
    }
    if (s->worst < 0)
        return fail(k, "the accelerations beside the start cannot be found, so no equilibrium is sought",
                    "does a root, a logarithm or a division end at the start?");
    if (s->end == SETTLE_RUNS_OFF)
        return fail(k,
                    arena_print(k->arena,
                                "no equilibrium was found: nothing pulls back, and positions run away; where "
                                "accelerations are least, %s",
                                what_is_left(k)),
                    "is a support or a spring missing, or a weight that nothing carries?");
    return fail(k,
                arena_print(k->arena, "no equilibrium was found from this start: at the nearest approach %s",
                            what_is_left(k)),
                "start nearer to it, or see where the model goes with damping: trammel run");
}

static bool seek(finding *k) {
    equilibrium_report *r = k->r;
    size_t size = (size_t)k->sys->n * sizeof(double);
    r->q = arena_doubles(k->arena, (size_t)k->sys->n);
    r->v = arena_doubles(k->arena, (size_t)k->sys->n);
    memcpy(r->q, r->start.q, size);
    r->sticking = arena_array(k->arena, bool, k->sys->friction_count + 1);
    r->sticks = is_held(k, r->q, r->sticking);
    if (r->sticks) {
        r->search = (settle_result){.near = true};
        return true;
    }
    r->search = settle(&k->problem, r->q, r->v);
    return r->search.end == SETTLE_FOUND || none_found(k);
}

static equilibrium_report *find(finding *k, double t) {
    equilibrium_report *r = arena_alloc(k->arena, sizeof *r);
    k->r = r;
    r->time = t;
    r->start.branching = r->start.near = -1;
    k->st = new_state(k);
    if (!assemble(k->arena, k->sys, k->st, t, k->tolerance, &r->start, &r->failure) || !choose_velocities(k))
        return r;
    k->problem.arena = k->arena;
    k->problem.of = &k->of;
    k->problem.t = t;
    k->problem.tolerance = k->tolerance;
    r->found = seek(k);
    if (r->found) {
        k->sys->start_q = r->q;
        k->sys->start_v = r->v;
    }
    return r;
}

equilibrium_report *equilibrium_start(arena *a, trm_system *sys, double t, double tolerance) {
    finding k = {.arena = a, .sys = sys, .tolerance = tolerance};
    return find(&k, t);
}

// ---- stability

static double largest_eigenvalue(const linear_report *l) {
    double most = 0;
    for (int i = 0; i < l->positions + l->velocities; i++)
        most = fmax(most, hypot(l->re[i], l->im[i]));
    return most;
}

static bool is_null(const linear_report *l, int i, double largest) {
    return hypot(l->re[i], l->im[i]) <= l->same * largest;
}

// whether there is an equilibrium a step along the direction, which has not come back
static bool leads_on(finding *k, const free_direction *d, double sign) {
    const trm_system *sys = k->sys;
    size_t n = (size_t)sys->n;
    double *q = arena_doubles(k->arena, n), *v = arena_doubles(k->arena, n), most = 0, went = 0, size = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(d->dq[i]) / sys->natural->scale[i]);
    for (size_t i = 0; i < n; i++)
        q[i] = k->r->q[i] + sign * ALONG / most * d->dq[i];
    if (!project_position(sys, k->st, k->r->time, q, k->tolerance, NULL).held)
        return false;
    if (k->r->sticks)
        return is_held(k, q, arena_array(k->arena, bool, sys->friction_count));
    settle_result found = settle(&k->problem, q, v);
    for (size_t i = 0; i < n; i++) {
        double scale = sys->natural->scale[i] * sys->natural->scale[i];
        went += sign * (q[i] - k->r->q[i]) * d->dq[i] / scale;
        size += d->dq[i] * d->dq[i] / scale;
    }
    return found.end == SETTLE_FOUND && found.near && went / size > 0.5 * ALONG / most;
}

// the outputs at q, angles in the same turns as before
static double *outputs_at(finding *k, const double *q) {
    double *out = arena_doubles(k->arena, (size_t)k->sys->model->outputs.count + 1);
    state_set(k->sys, k->st, k->r->time, q, k->r->v);
    state_keep_turns(k->sys, k->st);
    state_run(k->sys, k->st, STAGE_OUTPUT);
    memcpy(out, state_output(k->st, STAGE_OUTPUT), (size_t)k->sys->model->outputs.count * sizeof *out);
    return out;
}

/* Joints are what people turn: where some of them move, the one that moves most tells a direction best. */
static void tell_by_joints(finding *k, free_direction *d) {
    static const double BESIDE = 1e-5, ROUNDING = 1e-7, LESS = 1 - 1e-6; // of scales; of the largest
    const trm_system *sys = k->sys;
    int count = sys->model->outputs.count;
    double *q = arena_doubles(k->arena, (size_t)sys->n), most = 0, largest = 0;
    d->joint = arena_doubles(k->arena, (size_t)count + 1);
    d->by = -1;
    for (int i = 0; i < sys->n; i++)
        most = fmax(most, fabs(d->dq[i]) / sys->natural->scale[i]);
    const double *side[2];
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < sys->n; i++)
            q[i] = k->r->q[i] + (s ? 1 : -1) * BESIDE / most * d->dq[i];
        side[s] = outputs_at(k, q);
    }
    for (int i = 0; i < count; i++) {
        const label *l = &sys->model->outputs.at[i];
        d->joint[i] = l->freedom && !l->rate ? (side[1][i] - side[0][i]) * most / (2 * BESIDE) : 0;
        largest = fmax(largest, fabs(d->joint[i]));
    }
    for (int i = 0; i < count; i++) {
        d->joint[i] = fabs(d->joint[i]) > ROUNDING * fmax(largest, most) ? d->joint[i] : 0;
        if (d->joint[i] != 0 && (d->by < 0 || fabs(d->joint[i]) * LESS > fabs(d->joint[d->by])))
            d->by = i;
    }
    double size = d->by < 0 ? 1 : d->joint[d->by];
    linalg_scale(d->dq, 1 / size, sys->n);
    linalg_scale(d->joint, 1 / size, count);
}

// a singular position has several modes of one direction
static bool is_known(const finding *k, const double *dq) {
    static const double SAME = 1e-6;
    const double *scale = k->sys->natural->scale;
    for (int j = 0; j < k->r->free.count; j++) {
        double dot = 0, own = 0, other = 0;
        for (int i = 0; i < k->sys->n; i++) {
            double a = dq[i] / scale[i], b = k->r->free.at[j].dq[i] / scale[i];
            dot += a * b;
            own += a * a;
            other += b * b;
        }
        if (dot * dot > (1 - SAME) * own * other)
            return true;
    }
    return false;
}

// the mode, spread to all coordinates; the coordinate that tells it best is 1
static void add_free(finding *k, const mode *m) {
    const linear_report *l = k->r->linear;
    const trm_system *sys = k->sys;
    size_t n = (size_t)sys->n;
    double *u = arena_doubles(k->arena, n + (size_t)l->velocities), *dz = arena_doubles(k->arena, 2 * n);
    for (int i = 0; i < l->positions; i++)
        u[i] = creal(m->shape[i]) / sys->natural->scale[l->position[i]];
    chart_deviate(&l->chart, u, dz);
    free_direction d = {.dq = arena_doubles(k->arena, n), .leading = l->position[m->leading]};
    for (size_t i = 0; i < n; i++)
        d.dq[i] = dz[i] * sys->natural->scale[i];
    linalg_scale(d.dq, 1 / d.dq[d.leading], sys->n);
    if (is_known(k, d.dq))
        return;
    tell_by_joints(k, &d);
    d.family = leads_on(k, &d, 1) && leads_on(k, &d, -1);
    vec_push(k->arena, k->r->free, d);
}

static void judge(finding *k) {
    equilibrium_report *r = k->r;
    const linear_report *l = r->linear;
    double largest = largest_eigenvalue(l), fastest = -INFINITY;
    int zeros = 0, families = 0;
    for (int i = 0; i < l->positions + l->velocities; i++) {
        const mode *m = &l->modes[i];
        bool null = is_null(l, i, largest);
        zeros += null;
        if (null && m->shape && m->leading < l->positions)
            add_free(k, m);
        if (!null)
            fastest = fmax(fastest, l->re[i] / (largest > 0 ? largest : 1));
    }
    for (int i = 0; i < r->free.count; i++)
        families += r->free.at[i].family;
    double grows = l->exact ? GROWING : 100 * GROWING;
    bool singular = l->start.branching >= 0 || l->start.near >= 0; // eigenvalues are of no use there
    r->stable = singular               ? STABLE_UNDECIDED
                : fastest > grows      ? STABLE_NOT
                : zeros > 2 * families ? STABLE_UNDECIDED
                : zeros > 0            ? STABLE_NEUTRAL
                : fastest < -grows     ? STABLE_DECAYS
                                       : STABLE_OSCILLATES;
}

equilibrium_report *equilibrium_find(arena *a, trm_system *sys, double t, double tolerance) {
    finding k = {.arena = a, .sys = sys, .tolerance = tolerance};
    equilibrium_report *r = find(&k, t);
    if (!r->found)
        return r;
    r->linear = linear_system(a, sys, solve_new_state(a, sys), t, tolerance, r->still, NULL);
    if (r->linear->failure.failed)
        r->failure = r->linear->failure;
    if (r->linear->solved) {
        judge(&k);
        r->there = values_at(a, sys, new_state(&k), &(moment){t, r->q, r->v, false}, r->still, tolerance);
    }
    return r;
}
