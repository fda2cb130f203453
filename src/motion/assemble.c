#include "motion/assemble.h"

#include "motion/project.h"
#include "solve/linalg.h"

#include <math.h>
#include <string.h>

/* Exact values may contradict a constraint by what was rounded in typing them. */
static const double TYPED = 1e-9;
enum { GAUSS_NEWTON_MOST = 60 };

typedef struct {
    arena *arena;
    const trm_system *sys;
    trm_state *st;
    double t, tolerance;
    failure *failure;
} assembly;

static bool *exact_of(assembly *as, const model_initial *initial, double *value) {
    bool *exact = arena_array(as->arena, bool, as->sys->n);
    for (int i = 0; i < as->sys->n; i++) {
        value[i] = initial[i].value;
        exact[i] = initial[i].kind == INITIAL_EXACT;
    }
    return exact;
}

static bool contradiction(assembly *as, projection p, const char *what) {
    failure_of_row(as->failure, as->arena, as->sys, p.row, what, p.residual, p.allowed, as->t);
    as->failure->message =
        arena_print(as->arena, "the initial values contradict constraint '%s': its %sresidual is %.6g",
                    as->failure->constraint, strcmp(what, "velocity") == 0 ? "velocity " : "", p.residual);
    as->failure->hint = "give a value that may be moved with '~' instead of '=', as in initial x ~ 1";
    return false;
}

// positions: first the guesses alone, then, for what typing rounded, everything
static bool assemble_positions(assembly *as, double *q) {
    const trm_system *sys = as->sys;
    bool *exact = exact_of(as, sys->model->position.at, q);
    double best = INFINITY;
    projection p = {.row = -1, .held = true};
    for (int k = 0; k < GAUSS_NEWTON_MOST; k++) {
        p = project_position(sys, as->st, as->t, q, as->tolerance, exact);
        if (p.held || !(fabs(p.residual) < 0.99 * best))
            break;
        best = fabs(p.residual);
    }
    double wide = fmax(TYPED, as->tolerance);
    if (!p.held && !(fabs(p.residual) <= p.allowed / as->tolerance * wide))
        return contradiction(as, p, "position");
    p = project_position(sys, as->st, as->t, q, as->tolerance, NULL);
    return p.held || contradiction(as, p, "position");
}

// rows for velocities: the held ones, then G v = s - g of the quasi-velocities that are given
typedef struct {
    int held, count;
    double *residual, *A, *M;
    int *quasi; // which quasi-velocity each further row is
    dense *dense;
} velocity_rows;

static velocity_rows gather_rows(assembly *as, bool held, initial_kind least) {
    const trm_system *sys = as->sys;
    const model *m = sys->model;
    velocity_rows r = {.held = held ? sys->velocity_count : 0};
    r.quasi = arena_array(as->arena, int, sys->n);
    for (int i = 0; i < m->quasi.count; i++)
        if (m->quasi.at[i].kind >= least)
            r.quasi[r.count++] = i;
    r.count += r.held;
    size_t n = (size_t)sys->n, rows = (size_t)r.count;
    r.residual = arena_doubles(as->arena, rows + 1);
    r.A = arena_doubles(as->arena, rows * n + 1);
    r.M = arena_doubles(as->arena, n * n);
    r.dense = dense_new(as->arena, sys->n, r.count);
    return r;
}

static void fill_rows(assembly *as, velocity_rows *r, const double *q, const double *v) {
    const trm_system *sys = as->sys;
    trm_state *st = as->st;
    size_t n = (size_t)sys->n;
    state_set(sys, st, as->t, q, v);
    state_run(sys, st, STAGE_VELOCITY);
    const double *y = st->y[STAGE_VELOCITY];
    memcpy(r->M, y, n * n * sizeof(double));
    memcpy(r->residual, y + n * n, (size_t)r->held * sizeof(double));
    memcpy(r->A, y + n * n + sys->velocity_count, (size_t)r->held * n * sizeof(double));
    if (r->count == r->held)
        return;
    state_run(sys, st, STAGE_QUASI);
    const double *G = st->y[STAGE_QUASI], *s = G + n * n;
    for (int i = r->held; i < r->count; i++) {
        int which = r->quasi[i - r->held];
        memcpy(r->A + (size_t)i * n, G + (size_t)which * n, n * sizeof(double));
        r->residual[i] = s[which] - sys->model->quasi.at[which].value;
    }
}

static projection worst_velocity(assembly *as, const velocity_rows *r, const double *v) {
    projection worst = {.row = -1, .held = true};
    double largest = 0, size = linalg_norm(v, as->sys->n);
    for (int i = 0; i < r->count; i++) {
        double allowed = project_allowed(r->A + i * as->sys->n, as->sys->n, size, as->tolerance);
        double ratio = fabs(r->residual[i]) / allowed;
        if (ratio <= largest)
            continue;
        largest = ratio;
        worst = (projection){i < r->held ? as->sys->velocity_rows[i] : -2 - r->quasi[i - r->held],
                             r->residual[i], allowed, ratio <= 1};
    }
    return worst;
}

static projection solve_rows(assembly *as, velocity_rows *r, const double *q, double *v, const bool *frozen) {
    double *scratch = arena_doubles(as->arena, (size_t)(2 * as->sys->n + 2 * r->count));
    projection p = {.row = -1, .held = true};
    double best = INFINITY;
    for (int k = 0; k < GAUSS_NEWTON_MOST; k++) {
        fill_rows(as, r, q, v);
        p = worst_velocity(as, r, v);
        bool small = p.row == -1 || fabs(p.residual) <= 1e-3 * p.allowed;
        if (small || !(fabs(p.residual) < best))
            break;
        best = fabs(p.residual);
        if (!project_step(r->dense, as->sys->n, r->count, r->M, r->A, r->residual, as->st->cut, frozen,
                          scratch, v))
            break;
    }
    fill_rows(as, r, q, v);
    return worst_velocity(as, r, v);
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
                  .message = arena_print(as->arena,
                                         "the initial value of quasi-velocity '%s' contradicts the others: "
                                         "it is off by %.6g",
                                         text_string(&name), p.residual),
                  .hint = "give a value that may be moved with '~' instead of '='"};
    return false;
}

static bool assemble_velocities(assembly *as, const double *q, double *v) {
    bool *exact = exact_of(as, as->sys->model->velocity.at, v);
    if (as->sys->quasi) { // a first guess that has all the quasi-velocities given, guesses too
        velocity_rows guesses = gather_rows(as, false, INITIAL_GUESS);
        solve_rows(as, &guesses, q, v, exact);
    }
    velocity_rows rows = gather_rows(as, true, INITIAL_EXACT);
    projection p = solve_rows(as, &rows, q, v, exact);
    double wide = fmax(TYPED, as->tolerance);
    if (!p.held && !(fabs(p.residual) <= p.allowed / as->tolerance * wide))
        return velocity_contradiction(as, p);
    p = solve_rows(as, &rows, q, v, NULL);
    return p.held || velocity_contradiction(as, p);
}

bool assemble(arena *a, const trm_system *sys, trm_state *st, double t, double tolerance, start_state *s,
              failure *f) {
    size_t n = (size_t)sys->n;
    assembly as = {a, sys, st, t, tolerance, f};
    s->q = arena_doubles(a, n);
    s->v = arena_doubles(a, n);
    s->q_typed = arena_doubles(a, n);
    s->v_typed = arena_doubles(a, n);
    exact_of(&as, sys->model->position.at, s->q_typed);
    exact_of(&as, sys->model->velocity.at, s->v_typed);
    return assemble_positions(&as, s->q) && assemble_velocities(&as, s->q, s->v);
}
