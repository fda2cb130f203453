/* The accuracy of a number that depends on the state is how much it changes when the state moves by the error
 * that the run allows, tolerance (scale + |x|) in each coordinate and velocity; and it is not less than what
 * rounding makes of it. It is found by moving: at a few samples, each coordinate and velocity by its error in
 * one direction or the other, three times with other directions. That is the root of a sum of squares where a
 * bound would be a sum, as errors add up.
 *
 * A state that is evaluated alone may lack what a run knows, such as the work done so far or what sticks:
 * where it does not give the number that the run gave, only rounding counts. */
#include "report/column_accuracy.h"

#include "solve/solve.h"
#include "system/natural.h"
#include "system/rates.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOVES = 3 };
static const double ROUNDING = 16 * DBL_EPSILON; // of the number itself, and of time
static const double AGREES = 1e-9;               // with what the run gave, relative

typedef struct {
    const record *record;
    trm_state *st;
    double *q, *v;         // (n) moved
    double *there, *moved; // (width) numbers
    double *out;           // (width) the accuracy found so far
    unsigned seed;
} search;

// as a sample has them
static void collect(const record *r, trm_state *st, double t, double *out) {
    const trm_system *sys = r->sys;
    *out = t;
    if (r->view_count)
        memcpy(out + 1, state_output(st, STAGE_VIEW), (size_t)r->view_count * sizeof *out);
    sample s = {.q = state_q(sys, st), .v = state_v(sys, st), .outputs = state_output(st, STAGE_OUTPUT)};
    s.reaction = state_look(st)->reaction;
    s.residual = state_output(st, STAGE_RESIDUAL);
    s.s = sys->quasi ? rates_s(sys, st) : NULL;
    for (int g = 0; g < COLUMN_GROUPS; g++)
        if (r->first[g] >= 0 && r->length[g])
            memcpy(out + r->first[g], columns_values(&s, (column_group)g),
                   (size_t)r->length[g] * sizeof *out);
    if (r->first_energy >= 0) { // the work done is not known here
        double *energies = out + r->first_energy;
        record_energies(state_output(st, STAGE_ENERGY), energies);
        solve_powers(sys, st, energies + RECORD_ENERGIES + r->work_count);
    }
}

static bool evaluate(const record *r, trm_state *st, double t, const double *q, const double *v,
                     double *out) {
    const trm_system *sys = r->sys;
    if (solve_off_constraints(sys, st, t, q, v).status != SOLVE_OK)
        return false;
    solve_forces(sys, st);
    solve_results(sys, st);
    state_run(sys, st, STAGE_OUTPUT);
    solve_residuals(sys, st);
    if (sys->views)
        solve_views(sys, st);
    if (sys->quasi)
        rates_evaluate(sys, st);
    collect(r, st, t, out);
    return true;
}

// +1 or -1, the same in every run
static double direction(search *s) {
    s->seed = s->seed * 1664525u + 1013904223u;
    return s->seed >> 31 ? 1 : -1;
}

static void move(search *s, const record_state *at) {
    const natural *u = s->record->sys->natural;
    double tolerance = s->record->tolerance;
    for (int i = 0; i < s->record->sys->n; i++) {
        s->q[i] = at->q[i] + direction(s) * tolerance * (natural_size(u, i, false) + fabs(at->q[i]));
        s->v[i] = at->v[i] + direction(s) * tolerance * (natural_size(u, i, true) + fabs(at->v[i]));
    }
}

/* Rows that depend on others do so on the constraints only: off them they ask for forces of their own, as
 * large as the distance is small. What is found there says nothing: then velocities alone are moved. */
static bool evaluate_moved(search *s, const record_state *at, int rank) {
    const record *r = s->record;
    double t = at->t + direction(s) * ROUNDING * fabs(at->t);
    if (!evaluate(r, s->st, t, s->q, s->v, s->moved))
        return false;
    return solve_rank(r->sys, s->st) == rank || evaluate(r, s->st, t, at->q, s->v, s->moved);
}

static void look_around(search *s, const record_state *at) {
    const record *r = s->record;
    double *found = arena_doubles(r->arena, (size_t)r->width), t = at->t;
    if (!evaluate(r, s->st, t, at->q, at->v, s->there))
        return;
    int rank = solve_rank(r->sys, s->st);
    for (int k = 0; k < MOVES; k++) {
        move(s, at);
        if (!evaluate_moved(s, at, rank))
            return;
        for (int i = 1; i < r->width; i++)
            found[i] = fmax(found[i], fabs(s->moved[i] - s->there[i]));
    }
    for (int i = 1; i < r->width; i++) {
        double given = record_number(r, at->sample, i);
        if (fabs(s->there[i] - given) <= found[i] + AGREES * fabs(given))
            s->out[i] = fmax(s->out[i], found[i]);
    }
}

static void add_rounding(const record *r, double *out) {
    for (long k = 0; k < r->count; k++)
        for (int i = 1; i < r->width; i++) {
            double size = fabs(record_number(r, k, i));
            if (isfinite(size))
                out[i] = fmax(out[i], ROUNDING * size);
        }
}

void accuracy_find(record *r) {
    if (r->accuracy)
        return;
    const trm_system *sys = r->sys;
    double *found = arena_doubles(r->arena, (size_t)r->width);
    if (r->states.count && sys->model->supplies.count == 0) {
        arena *work = arena_child(r->arena);
        search s = {.record = r, .st = solve_new_state(work, sys), .out = found, .seed = 1};
        s.q = arena_doubles(work, (size_t)sys->n);
        s.v = arena_doubles(work, (size_t)sys->n);
        s.there = arena_doubles(work, (size_t)r->width);
        s.moved = arena_doubles(work, (size_t)r->width);
        for (int i = 0; i < r->states.count; i++)
            look_around(&s, &r->states.at[i]);
        arena_free(work);
    }
    add_rounding(r, found);
    r->accuracy = found; // only now: memory may run out before
}

const char *accuracy_words(arena *a, double varies) {
    if (!(varies > 0))
        return "constant";
    int power = (int)ceil(log10(varies) - 1e-9);
    return arena_print(a, "constant to 1e%d", power);
}
