/* Systems, and the accelerations and forces of their states. */
#include "api/form.h"
#include "api/guard.h"
#include "motion/failure.h"
#include "solve/many.h"

#include <string.h>

typedef struct {
    const trm_system *of;
    trm_system *system;
    trm_state *state;
    arena *arena;
} making;

static trm_status make_system(arena *a, trm_model *m, void *context) {
    making *k = context;
    k->system = form_system(m, a);
    k->arena = a;
    return k->system ? TRM_OK : TRM_WRONG_MODEL;
}

trm_status trm_system_create(trm_model *m, trm_system **out) {
    making k = {0};
    trm_status status = m->now->model ? content_use(m, make_system, &k) : TRM_IO_ERROR;
    if (status == TRM_WRONG_MODEL)
        arena_free(k.arena);
    *out = k.system;
    return status;
}

void trm_system_free(trm_system *s) {
    if (s)
        arena_free(s->arena);
}

// ---- its coordinates

int trm_system_coordinates(const trm_system *s) {
    return s->n;
}

int trm_system_rows(const trm_system *s) {
    return s->m;
}

static const char *coordinate_name(void *object, int i) {
    const trm_system *s = object;
    return i < 0 || i >= s->n ? "" : model_coord_name(s->model, i, s->arena);
}

static const char *row_name(void *object, int i) {
    const trm_system *s = object;
    return i < 0 || i >= s->m ? "" : failure_row_name(s->arena, s, i);
}

const char *trm_system_coordinate_name(trm_system *s, int i) {
    return guard_text(s->arena, coordinate_name, s, i, NULL);
}

const char *trm_system_row_name(trm_system *s, int i) {
    return guard_text(s->arena, row_name, s, i, NULL);
}

void trm_system_from_bodies(const trm_system *s, const double *q, const double *v, double *u, double *w) {
    if (s->full) {
        mech_tree_lower(s->mech->tree, q, v, u, w);
        return;
    }
    memcpy(u, q, (size_t)s->n * sizeof *u);
    memcpy(w, v, (size_t)s->n * sizeof *w);
}

void trm_system_to_bodies(const trm_system *s, trm_state *st, const double *u, const double *w, double *q,
                          double *v) {
    size_t n = (size_t)(s->full ? s->full->n : s->n);
    const double *at = u, *rate = w;
    if (s->full) {
        state_set_known(st, false);
        state_set(s, st, 0, u, w);
        state_run(s, st, STAGE_OUTPUT);
        at = state_output(st, STAGE_OUTPUT);
        rate = at + n;
    }
    memcpy(q, at, n * sizeof *q);
    memcpy(v, rate, n * sizeof *v);
}

// ---- states

static trm_status make_state(arena *a, void *context) {
    making *k = context;
    trm_state *st = solve_new_state(a, k->of);
    solve_settle(k->of, st);
    state_reset_turns(k->of, st);
    many_join(k->of, st);
    solve_shown_add(k->of, st);
    k->state = st;
    return TRM_OK;
}

trm_status trm_state_create(const trm_system *s, trm_state **out) {
    making k = {.of = s};
    trm_status status = guard_new(NULL, make_state, &k);
    *out = k.state;
    return status;
}

void trm_state_free(trm_state *st) {
    if (st)
        state_free(st);
}

trm_status trm_acceleration(const trm_system *s, trm_state *st, double t, const double *q, const double *v,
                            double *qdd, double *reaction, double *multiplier) {
    state_forgive(st);
    solve_status status = solve_off_constraints(s, st, t, q, v).status;
    const state_found *found = state_look(st);
    state_set_error(st, status);
    state_set_known(st, true);
    if (status != SOLVE_OK)
        return TRM_NO_SOLUTION;
    if (reaction || multiplier)
        solve_forces(s, st);
    if (qdd)
        memcpy(qdd, found->qdd, (size_t)s->n * sizeof *qdd);
    if (reaction)
        memcpy(reaction, found->reaction, (size_t)s->n * sizeof *qdd);
    if (multiplier)
        memcpy(multiplier, found->multiplier, (size_t)s->m * sizeof *qdd);
    return TRM_OK;
}

trm_status trm_accelerations(const trm_system *s, trm_state *st, int count, const double *t, const double *q,
                             const double *v, double *qdd, double *reaction, double *multiplier) {
    outcome found = many_solve(s, st, &(many_states){count, t, q, v, qdd, reaction, multiplier});
    state_set_error(st, found.status);
    state_set_known(st, false);
    return found.status == SOLVE_OK ? TRM_OK : TRM_NO_SOLUTION;
}

void trm_state_keep_turns(const trm_system *s, trm_state *st, double t, const double *q) {
    state_set(s, st, t, q, NULL);
    state_keep_turns(s, st);
    state_set_known(st, false);
}

trm_status trm_control(const trm_system *s, trm_state *st, double t, const double *q, const double *v,
                       double *control, double *back, double *forward) {
    trm_status status = trm_acceleration(s, st, t, q, v, NULL, NULL, NULL);
    if (status != TRM_OK)
        return status;
    solve_forces(s, st);
    if (back || forward)
        solve_control_parts(s, st, back, forward);
    if (control)
        memcpy(control, state_look(st)->control, (size_t)s->n * sizeof *control);
    return TRM_OK;
}

const char *trm_state_error(const trm_state *st) {
    if (state_error(st) == SOLVE_OK && !state_known(st))
        return "no acceleration was asked for before";
    switch (state_error(st)) {
    case SOLVE_OK:
        return "";
    case SOLVE_NOT_FINITE:
        return "a mass, force or constraint is not finite";
    case SOLVE_UNDETERMINED:
        return "the motion is not unique: [M; A] lacks full rank";
    case SOLVE_INDEFINITE:
        return "the mass matrix is indefinite";
    case SOLVE_SUPPLY:
        return state_last_refusal(st);
    case SOLVE_FIT:
        return "what the constraints with weights ask for together cannot be told";
    case SOLVE_WEIGHT:
        return "a weight is negative, or weights are not positive semi-definite";
    default:
        return "the quasi-velocities do not determine the velocities";
    }
}
