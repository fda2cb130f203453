#include "motion/assemble.h"

#include "linear/linalg.h"
#include "motion/nearest.h"
#include "motion/project.h"
#include "motion/rough.h"
#include "solve/friction.h"
#include "system/rates.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Exact values may contradict a constraint by what was rounded in typing them. */
static const double TYPED = 1e-9;
/* A row this small beside its residual shows no way: at x = y = 0 that of x^2 + y^2 = L^2. */
static const double VANISHED = 1e-9;
enum { NEWTON_MOST = 100 };

typedef struct assembly {
    arena *arena; // of messages
    arena *work;
    const trm_system *sys;
    trm_state *st;
    double t, tolerance;
    failure *failure;
    const struct assembly *of; // where this is by a system with initial values of joints as rows: the other
} assembly;

/* The values of another start, for those that it gives: where a run goes from an equilibrium, or by `initial
 * instead`. NULL: there is none. */
static const double *instead_of(const assembly *as, bool velocity) {
    const model *m = as->sys->model;
    const double *found = velocity ? as->sys->start_v : as->sys->start_q;
    size_t n = (size_t)as->sys->n;
    if (found || m->instead.count == 0)
        return found;
    double *out = arena_doubles(as->work, n);
    for (size_t i = 0; i < n; i++) {
        const model_initial *given = &m->instead.at[velocity ? n + i : i];
        out[i] =
            given->kind != INITIAL_NONE ? given->value : (velocity ? m->velocity : m->position).at[i].value;
    }
    return out;
}

// what of it was given exactly: nothing of another start
static bool *exact_of(assembly *as, bool velocity, double *value) {
    const model_initial *initial = velocity ? as->sys->model->velocity.at : as->sys->model->position.at;
    const double *instead = instead_of(as, velocity);
    bool *exact = arena_array(as->work, bool, as->sys->n);
    if (instead) {
        memcpy(value, instead, (size_t)as->sys->n * sizeof *value);
        return exact;
    }
    for (int i = 0; i < as->sys->n; i++) {
        value[i] = initial[i].value;
        exact[i] = initial[i].kind == INITIAL_EXACT;
    }
    return exact;
}

// what was given exactly of a coordinate, as it is written: "initial x'" or, of a body, "rotation"
static const char *as_given(assembly *as, int coordinate, bool velocity, place at) {
    const char *name = arena_print(as->arena, "%s%s", model_coord_name(as->sys->model, coordinate, as->arena),
                                   velocity ? "'" : "");
    bool setting = as->sys->model->coords.at[coordinate].part &&
                   !memchr(at.source->text + at.offset, '.', (size_t)at.length);
    return setting ? arena_copy(as->arena, at.source->text + at.offset, (size_t)at.length)
                   : arena_print(as->arena, "initial %s", name);
}

// of a coordinate in the row whose position, or velocity, was given exactly: how; NULL if there is none
static const char *exact_in_row(assembly *as, int row, bool velocity) {
    const model *m = as->sys->model;
    const model_row *r = &m->rows.at[row];
    const shape *s = &m->shapes.at[r->shape];
    for (int i = 0; i < s->slot_count; i++) {
        int coordinate = s->slots.at[r->instance * s->slot_count + i];
        const model_initial *given = velocity ? &m->velocity.at[coordinate] : &m->position.at[coordinate];
        if (given->kind == INITIAL_EXACT)
            return as_given(as, coordinate, velocity, given->at);
    }
    return NULL;
}

// a coordinate in the row of whose position nothing was said; NULL if there is none
static const char *unsaid_in_row(assembly *as, int row) {
    const model *m = as->sys->model;
    const model_row *r = &m->rows.at[row];
    const shape *s = &m->shapes.at[r->shape];
    for (int i = 0; i < s->slot_count; i++) {
        int coordinate = s->slots.at[r->instance * s->slot_count + i];
        if (m->position.at[coordinate].kind == INITIAL_NONE)
            return model_coord_name(m, coordinate, as->arena);
    }
    return NULL;
}

// what to do where no start was found; exact, unsaid: names, or NULL
static const char *no_start_hint(assembly *as, int row, bool velocity, const char *exact,
                                 const char *unsaid) {
    if (exact)
        return arena_print(
            as->arena,
            "of %s nothing is said: give a rough value with '~'; or let go of an exact one, as in "
            "%s ~ ...",
            unsaid, exact);
    const char *ask = "is it at odds with the other constraints? if not,";
    const char *position = velocity ? exact_in_row(as, row, false) : NULL;
    if (position)
        return arena_print(as->arena, "%s let go of an exact position, as in %s ~ ...", ask, position);
    return arena_print(as->arena, "%s give a better guess: initial %s%s ~ 1", ask, unsaid ? unsaid : "x",
                       velocity ? "'" : "");
}

// the initial values of joints that are rows: "angle(a) = 0.3, angle(d) = 0.4"
static const char *rows_of_joints(assembly *as, bool velocity) {
    enum { MOST = 4 };
    const model *m = as->sys->model;
    int told = 0;
    text t;
    text_init(&t, as->arena);
    for (int i = 0; i < m->begins.count; i++) {
        const model_begin *b = &m->begins.at[i];
        if (b->given.kind != INITIAL_EXACT || b->label.rate != velocity || told++ >= MOST)
            continue;
        text_add(&t, told > 1 ? ", " : "");
        model_label(m, b->label, &t);
        text_print(&t, " = %.6g", b->given.value);
    }
    text_add(&t, told > MOST ? ", ..." : "");
    return text_string(&t);
}

// no start by a system in which initial values of joints are rows
static bool joints_contradict(assembly *as, projection p, bool velocity) {
    failure *f = as->failure;
    bool own = p.row >= as->of->sys->m; // of the joints' values
    f->message = arena_print(as->arena,
                             own ? "no start was found with this value of '%s': it is off by %.6g"
                                 : "no start was found that satisfies constraint '%s': its residual is %.6g",
                             f->constraint, p.residual);
    f->hint =
        arena_print(as->arena, "given are %s: are they at odds with %s? '~' instead of '=' makes one a guess",
                    rows_of_joints(as, velocity),
                    own ? "each other, with what drives the joints, or with exact values of bodies" : "it");
    return false;
}

// Directions are measured by M, so nothing is found where a kinetic energy is negative: that is said then.
static const char *indefinite(assembly *as, const char *otherwise) {
    const trm_system *sys = as->sys;
    double *x = arena_doubles(as->work, 2 * (size_t)sys->n);
    memcpy(x, state_q(sys, as->st), (size_t)sys->n * sizeof *x);
    outcome found = solve_acceleration(sys, as->st, as->t, x, x + sys->n);
    if (found.status != SOLVE_INDEFINITE)
        return otherwise;
    failure f;
    failure_of_solve(&f, as->arena, sys, as->st, found, as->t);
    return arena_print(as->arena, "%s; %s", f.message, f.hint);
}

static bool contradiction(assembly *as, projection p, const char *what) {
    bool velocity = strcmp(what, "velocity") == 0;
    failure *f = as->failure;
    const char *exact = exact_in_row(as, p.row, velocity);
    const char *unsaid = velocity ? NULL : unsaid_in_row(as, p.row);
    if (failure_of_refusal(f, as->arena, as->st, as->t))
        return false;
    failure_of_row(f, as->arena, as->sys, p.row, what, p.residual, p.allowed, as->t);
    if (!isfinite(p.residual) || !isfinite(p.allowed))
        return false; // that is told
    if (as->of)
        return joints_contradict(as, p, velocity);
    if (exact && !unsaid) {
        f->message =
            arena_print(as->arena, "the initial values contradict constraint '%s': its %sresidual is %.6g",
                        f->constraint, velocity ? "velocity " : "", p.residual);
        f->hint = arena_print(
            as->arena, "give a value that may be moved with '~' instead of '=', as in %s ~ ...", exact);
    } else {
        f->message = arena_print(as->arena,
                                 "no start was found that satisfies constraint '%s': its %sresidual is %.6g",
                                 f->constraint, velocity ? "velocity " : "", p.residual);
        f->hint = indefinite(as, no_start_hint(as, p.row, velocity, exact, unsaid));
    }
    return false;
}

// ---- the nearest point on the constraints to the typed one; exact values stay

typedef struct {
    assembly *as;
    const bool *frozen;
    const double *M; // at the typed point, frozen components apart
    const double *q; // for velocities: the positions
    struct velocity_rows *rows;
} near;

// the part of d along the rows A x = 0 in the metric M
static bool along_rows(near *c, solver *by, const double *A, int m, const double *direction, double *out) {
    const trm_system *sys = c->as->sys;
    double *force = state_position(sys, c->as->st).scratch, *zero = force + sys->n, *multiplier = zero + m;
    for (int i = 0; i < sys->n; i++)
        force[i] = row_dot(sys->M, c->M, i, direction);
    memset(zero, 0, (size_t)m * sizeof *zero);
    solver_leave_out(by, NULL);
    if (solver_factor(by, c->M, A, state_cut(c->as->st)) != DENSE_OK)
        return false;
    solver_solve(by, force, zero, out, multiplier);
    return linalg_finite(out, sys->n);
}

static bool along_position(void *context, const double *q, const double *direction, double *out) {
    near *c = context;
    const trm_system *sys = c->as->sys;
    trm_state *st = c->as->st;
    state_level l = state_position(sys, st);
    state_set(sys, st, c->as->t, q, NULL);
    state_run(sys, st, STAGE_POSITION);
    project_freeze_rows(sys->position.A, l.A, c->frozen);
    return along_rows(c, l.solver, l.A, sys->position.m, direction, out);
}

static bool restore_position(void *context, double *q) {
    near *c = context;
    return project_position(c->as->sys, c->as->st, c->as->t, q, c->as->tolerance, c->frozen).held;
}

static const double *sizes_of(assembly *as, bool velocity) {
    double *size = arena_doubles(as->work, (size_t)as->sys->n);
    for (int i = 0; i < as->sys->n; i++)
        size[i] = natural_size(as->sys->natural, i, velocity);
    return size;
}

static void nearest_position(assembly *as, const double *typed, double *q, const bool *frozen) {
    const trm_system *sys = as->sys;
    state_set(sys, as->st, as->t, typed, NULL);
    state_run(sys, as->st, STAGE_POSITION);
    near c = {.as = as, .frozen = frozen};
    c.M = project_metric(as->work, sys->M, state_position(sys, as->st).M, frozen, PROJECT_LEAST,
                         sys->natural->scale);
    nearest_problem p = {sys->n, sys->M, c.M, sizes_of(as, false), &c, along_position, restore_position};
    nearest_point(as->work, &p, typed, q);
}

// whether a row that is not satisfied has no direction in which a guess could move: A vanishes there
static bool any_vanishes(const assembly *as, sparsity A_pattern, const double *residual, double *A,
                         const bool *exact, bool velocity) {
    project_freeze_rows(A_pattern, A, exact);
    for (int i = 0; i < A_pattern.rows; i++)
        if (fabs(residual[i]) > 0 &&
            natural_allowance(as->sys, A_pattern, A, i, NULL, velocity) <= VANISHED * fabs(residual[i]))
            return true;
    return false;
}

static bool stuck(assembly *as, const double *q, const bool *exact) {
    state_level l = state_position(as->sys, as->st);
    state_set(as->sys, as->st, as->t, q, NULL);
    state_run(as->sys, as->st, STAGE_POSITION);
    return any_vanishes(as, l.level->A, l.residual, l.A, exact, false);
}

// moves the guesses a little, each by another amount, the same in every run
static void disturb(assembly *as, double *q, const bool *exact, double size, bool velocity) {
    for (int i = 0; i < as->sys->n; i++)
        if (!exact[i]) // each by its own size: a quaternion is not turned over because lengths are large
            q[i] += size * (natural_size(as->sys->natural, i, velocity) + fabs(q[i])) *
                    (0.5 + fmod(0.6180339887498949 * (i + 1), 1.0));
}

static projection look_at_position(void *context, const double *q) {
    assembly *as = context;
    const trm_system *sys = as->sys;
    state_level l = state_position(sys, as->st);
    state_set(sys, as->st, as->t, q, NULL);
    state_run(sys, as->st, STAGE_POSITION);
    return project_worst(sys, l.level->A, l.residual, l.A, q, false, as->tolerance, l.level->rows);
}

static const double RUN_OFF = 3; // residual of Newton's last point, as a part of that of the best

// where Newton's method from the typed point failed
static projection approach_position(assembly *as, const double *typed, double *q, const bool *exact) {
    const trm_system *sys = as->sys;
    state_level l = state_position(sys, as->st);
    newton_problem p = {.n = sys->n,
                        .M_pattern = l.M_pattern,
                        .A_pattern = l.level->A,
                        .M = l.M,
                        .residual = l.residual,
                        .A = l.A,
                        .scale = sys->natural->scale,
                        .frozen = exact,
                        .look = look_at_position,
                        .context = as};
    memcpy(q, typed, (size_t)sys->n * sizeof *q);
    rough_approach(as->work, &p, q);
    double *best = arena_doubles(as->work, (size_t)sys->n);
    memcpy(best, q, (size_t)sys->n * sizeof *q);
    projection approached = look_at_position(as, q);
    projection found = project_position(sys, as->st, as->t, q, as->tolerance, exact);
    // of rows that contradict each other Newton's method leaves one, and that one is named; but it may also
    // run off
    if (found.held || fabs(found.residual) <= RUN_OFF * fabs(approached.residual))
        return found;
    memcpy(q, best, (size_t)sys->n * sizeof *q);
    return look_at_position(as, q);
}

static bool moved(const assembly *as, const double *from, const double *to) {
    for (int i = 0; i < as->sys->n; i++)
        if (to[i] != from[i])
            return true;
    return false;
}

// whether a row is off by no more than what was rounded in typing
static bool typed_off(const assembly *as, projection p) {
    return p.held || fabs(p.residual) <= p.allowed / as->tolerance * TYPED;
}

/* Where rows vanish at the typed point, or it is as good as its mirror image (legs that lie in one plane), no
 * way leads on from there, but one does from beside it. */
static projection start_beside(assembly *as, const double *typed, double *q, const bool *exact, double most) {
    size_t size = (size_t)as->sys->n * sizeof *q;
    double *beside = arena_doubles(as->work, (size_t)as->sys->n);
    projection p = {.held = false};
    for (double by = 1e-3; !p.held && by < most; by *= 10) {
        memcpy(beside, typed, size);
        disturb(as, beside, exact, by, false);
        memcpy(q, beside, size);
        p = project_position(as->sys, as->st, as->t, q, as->tolerance, exact);
        if (!p.held)
            p = approach_position(as, beside, q, exact);
    }
    return p;
}

// positions: first the guesses alone, then, for what typing rounded, everything
static bool assemble_positions(assembly *as, double *q) {
    const trm_system *sys = as->sys;
    double *typed = arena_doubles(as->work, (size_t)sys->n);
    bool *exact = exact_of(as, false, typed);
    if (as->of && !look_at_position(as, typed).held) // there are loops
        lead(as->work, sys, as->st, as->t, as->tolerance, exact, typed);
    memcpy(q, typed, (size_t)sys->n * sizeof *q);
    projection p = project_position(sys, as->st, as->t, q, as->tolerance, exact);
    bool vanishes = !p.held && stuck(as, typed, exact);
    if (!p.held && !vanishes)
        p = approach_position(as, typed, q, exact);
    if (!typed_off(as, p)) {
        projection beside = start_beside(as, typed, q, exact, vanishes ? 10 : 1);
        if (!beside.held)
            return contradiction(as, p, "position");
        p = beside;
    }
    if (p.held && moved(as, typed, q))
        nearest_position(as, typed, q, exact);
    p = project_position(sys, as->st, as->t, q, as->tolerance, NULL);
    return p.held || contradiction(as, p, "position");
}

// rows for velocities: the held ones, then G v = s - g of the quasi-velocities that are given
typedef struct velocity_rows {
    int held, count;
    sparsity pattern;
    double *residual, *A, *M;
    int *number; // of the row in the model, or -2 - quasi-velocity
    double *scratch;
    solver *solver;
} velocity_rows;

static sparsity velocity_pattern(assembly *as, const velocity_rows *r) {
    const trm_system *sys = as->sys;
    const sparsity *held = &sys->velocity.A;
    if (r->count == r->held)
        return *held;
    sparsity_builder b = sparsity_begin(as->work, r->count);
    for (int put = 0; put < 2; put++)
        for (int i = 0; i < r->count; i++) {
            const sparsity *p = i < r->held ? held : &sys->G;
            int row = i < r->held ? i : -2 - r->number[i];
            for (int e = p->start[row]; e < p->start[row + 1]; e++)
                if (put)
                    sparsity_put(&b, i, p->to[e]);
                else
                    sparsity_announce(&b, i);
        }
    return sparsity_end(&b);
}

static velocity_rows gather_rows(assembly *as, bool held, initial_kind least) {
    const trm_system *sys = as->sys;
    const model *m = sys->model;
    velocity_rows r = {.held = held ? sys->velocity.m : 0};
    r.number = arena_array(as->work, int, r.held + sys->n + 1);
    for (r.count = 0; r.count < r.held; r.count++)
        r.number[r.count] = sys->velocity.rows[r.count];
    for (int i = 0; i < m->quasi.count; i++)
        if (m->quasi.at[i].kind >= least)
            r.number[r.count++] = -2 - i;
    size_t n = (size_t)sys->n, rows = (size_t)r.count;
    r.residual = arena_doubles(as->work, rows + 1);
    r.pattern = velocity_pattern(as, &r);
    r.A = arena_doubles(as->work, (size_t)sparsity_entries(r.pattern) + 1);
    r.M = arena_doubles(as->work, (size_t)sparsity_entries(sys->M));
    r.scratch = arena_doubles(as->work, 3 * n + 2 * rows);
    r.solver = r.pattern.to == sys->velocity.A.to
                   ? state_velocity(sys, as->st).solver
                   : solver_new(as->work, sys->n, sys->M, r.pattern, SOLVER_AUTO, sys->natural->units);
    return r;
}

static void fill_rows(assembly *as, velocity_rows *r, const double *q, const double *v) {
    const trm_system *sys = as->sys;
    trm_state *st = as->st;
    state_set(sys, st, as->t, q, v);
    state_run(sys, st, STAGE_VELOCITY);
    state_level l = state_velocity(sys, st);
    memcpy(r->M, l.M, (size_t)sparsity_entries(sys->M) * sizeof(double));
    memcpy(r->residual, l.residual, (size_t)r->held * sizeof(double));
    memcpy(r->A, l.A, (size_t)r->pattern.start[r->held] * sizeof(double));
    if (r->count == r->held)
        return;
    rates_evaluate(sys, st);
    for (int i = r->held; i < r->count; i++) {
        int which = -2 - r->number[i], first = sys->G.start[which];
        memcpy(r->A + r->pattern.start[i], rates_G(st) + first,
               (size_t)(sys->G.start[which + 1] - first) * sizeof(double));
        r->residual[i] = rates_s(sys, st)[which] - sys->model->quasi.at[which].value;
    }
}

typedef struct {
    assembly *as;
    velocity_rows *rows;
    const double *q;
} velocity_look;

static projection look_at_velocity(void *context, const double *v) {
    velocity_look *c = context;
    fill_rows(c->as, c->rows, c->q, v);
    return project_worst(c->as->sys, c->rows->pattern, c->rows->residual, c->rows->A, v, true,
                         c->as->tolerance, c->rows->number);
}

static projection solve_rows(assembly *as, velocity_rows *r, const double *q, double *v, const bool *frozen) {
    velocity_look context = {as, r, q};
    newton_problem p = {.n = as->sys->n,
                        .M_pattern = as->sys->M,
                        .A_pattern = r->pattern,
                        .M = r->M,
                        .residual = r->residual,
                        .A = r->A,
                        .scale = as->sys->natural->scale,
                        .solver = r->solver,
                        .cut = state_cut(as->st),
                        .tolerance = as->tolerance,
                        .most = NEWTON_MOST,
                        .frozen = frozen,
                        .scratch = r->scratch,
                        .look = look_at_velocity,
                        .context = &context};
    return r->count ? project_newton(&p, v) : (projection){.row = -1, .held = true};
}

static bool along_velocity(void *context, const double *v, const double *direction, double *out) {
    near *c = context;
    fill_rows(c->as, c->rows, c->q, v);
    project_freeze_rows(c->rows->pattern, c->rows->A, c->frozen);
    return along_rows(c, c->rows->solver, c->rows->A, c->rows->count, direction, out);
}

static bool restore_velocity(void *context, double *v) {
    near *c = context;
    return solve_rows(c->as, c->rows, c->q, v, c->frozen).held;
}

static void nearest_velocity(assembly *as, velocity_rows *rows, const double *q, const double *guess,
                             double *v, const bool *frozen) {
    fill_rows(as, rows, q, guess);
    near c = {.as = as, .frozen = frozen, .q = q, .rows = rows};
    c.M = project_metric(as->work, as->sys->M, rows->M, frozen, PROJECT_LEAST, as->sys->natural->scale);
    nearest_problem p = {as->sys->n,     as->sys->M,      c.M, sizes_of(as, true), &c,
                         along_velocity, restore_velocity};
    nearest_point(as->work, &p, guess, v);
}

static bool velocity_contradiction(assembly *as, projection p) {
    if (p.row >= 0)
        return contradiction(as, p, "velocity");
    text name;
    text_init(&name, as->arena);
    model_label(as->sys->model, as->sys->model->quasis.at[-2 - p.row], &name);
    *as->failure =
        (failure){.failed = true,
                  .time = as->t,
                  .at = as->sys->model->quasi.at[-2 - p.row].at,
                  .message = arena_print(as->arena,
                                         "the initial value of quasi-velocity '%s' contradicts the others: "
                                         "it is off by %.6g",
                                         text_string(&name), p.residual),
                  .hint = "give a value that may be moved with '~' instead of '='"};
    return false;
}

// velocities of quaternions whose angular velocity was given, at the positions q
static void spin(const model *m, const double *q, double *v) {
    for (int i = 0; i < m->spins.count; i++) {
        const double *p = q + m->spins.at[i].first, *w = m->spins.at[i].omega;
        double *rate = v + m->spins.at[i].first;
        rate[0] = (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]) / 2;
        rate[1] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
        rate[2] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
        rate[3] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
    }
}

static bool assemble_velocities(assembly *as, const double *q, double *v) {
    bool *exact = exact_of(as, true, v), typed = instead_of(as, true) == NULL;
    if (typed)
        spin(as->sys->model, q, v);
    if (as->sys->quasi && typed) { // a first guess that has all the quasi-velocities given, guesses too
        velocity_rows guesses = gather_rows(as, false, INITIAL_GUESS);
        solve_rows(as, &guesses, q, v, exact);
    }
    velocity_rows rows = gather_rows(as, true, typed ? INITIAL_EXACT : INITIAL_EXACT + 1);
    double *guess = arena_doubles(as->work, (size_t)as->sys->n);
    memcpy(guess, v, (size_t)as->sys->n * sizeof *v);
    projection p = solve_rows(as, &rows, q, v, exact);
    if (!p.held) {
        fill_rows(as, &rows, q, guess);
        bool vanishes = any_vanishes(as, rows.pattern, rows.residual, rows.A, exact, true);
        for (double size = 1e-3; !p.held && size < 10 && vanishes; size *= 10) {
            memcpy(v, guess, (size_t)as->sys->n * sizeof *v);
            disturb(as, v, exact, size, true);
            p = solve_rows(as, &rows, q, v, exact);
        }
    }
    if (!typed_off(as, p))
        return velocity_contradiction(as, p);
    if (p.held && moved(as, guess, v))
        nearest_velocity(as, &rows, q, guess, v, exact);
    p = solve_rows(as, &rows, q, v, NULL);
    return p.held || velocity_contradiction(as, p);
}

// a copy, as near to the constraints as rounding allows; as it is where they have no gradient
static void settle(assembly *as, const double *q, const double *v, double *q_near, double *v_near) {
    const trm_system *sys = as->sys;
    size_t size = (size_t)sys->n * sizeof *q;
    memcpy(q_near, q, size);
    memcpy(v_near, v, size);
    project_position(sys, as->st, as->t, q_near, DBL_EPSILON, NULL);
    if (!linalg_finite(q_near, sys->n))
        memcpy(q_near, q, size);
    project_velocity(sys, as->st, as->t, q_near, v_near, DBL_EPSILON);
    if (!linalg_finite(v_near, sys->n))
        memcpy(v_near, v, size);
}

// whether a row cannot be held though it holds: tells so
static bool one_sided(assembly *as, const double *q, const double *v) {
    bool above;
    double *q_near = arena_doubles(as->work, (size_t)as->sys->n),
           *v_near = arena_doubles(as->work, (size_t)as->sys->n);
    settle(as, q, v, q_near, v_near);
    int row = one_sided_row(as->work, as->sys, as->st, as->t, q_near, v_near, &above);
    if (row >= 0)
        failure_of_sides(as->failure, as->arena, as->sys, row, above, as->t);
    return row >= 0;
}

// by the system itself, or by that in which initial values of joints are rows
static bool assemble_level(const assembly *by, int level, start_state *s) {
    assembly as = *by;
    if (by->sys->starting[level] && !instead_of(by, level)) {
        as.of = by;
        as.sys = by->sys->starting[level];
        as.st = solve_new_state(as.work, as.sys);
        state_set_cut(as.st, state_cut(by->st));
        state_reset_turns(as.sys, as.st);
        friction_release_all(as.sys, as.st);
    }
    return level == 0 ? assemble_positions(&as, s->q) : assemble_velocities(&as, s->q, s->v);
}

bool assemble(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance, start_state *s,
              failure *f) {
    size_t n = (size_t)sys->n;
    assembly as = {a, arena_child(a), sys, st, t, fmin(tolerance, TYPED), f, NULL};
    s->q = arena_doubles(a, n);
    s->v = arena_doubles(a, n);
    s->q_typed = arena_doubles(a, n);
    s->v_typed = arena_doubles(a, n);
    exact_of(&as, false, s->q_typed);
    exact_of(&as, true, s->v_typed);
    if (!instead_of(&as, true))
        spin(sys->model, s->q_typed, s->v_typed);
    s->branching = s->near = -1;
    state_reset_turns(sys, st);
    friction_release_all(sys, st); // what sticks is decided where the start is known
    bool assembled = assemble_level(&as, 0, s) && assemble_level(&as, 1, s);
    if (assembled) {
        state_set(sys, st, t, s->q, s->v);
        state_keep_turns(sys, st);
        s->branching = branching_row(as.work, sys, st, t, s->q);
        if (s->branching < 0)
            s->near = near_row(as.work, sys, st, t, s->q, s->v);
        assembled = !one_sided(&as, s->q, s->v);
    } else {
        one_sided(&as, s->q_typed, s->v_typed); // it may be why
    }
    arena_free(as.work);
    return assembled;
}
