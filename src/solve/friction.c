#include "solve/friction.h"

#include "solve/linalg.h"
#include "solve/system.h"

#include <math.h>
#include <string.h>

/* Between a direction and its opposite, a step may not lead: beyond the latter it goes on as if nothing had
 * happened, so that the instant of no slip can be found in it. */
static const double OPPOSITE = -0.5;
static const double ROUNDING = 1e-14; // of a slip velocity, relative to its terms
static const double JAM = 0.999;      // of |W_ff|
/* Of static friction, in which rounding is not taken for the beginning of slip; and of all forces, where
 * there is no normal force. */
static const double SLACK = 1e-12, SLACK_ALL = 1e-14;

friction_state *friction_new(arena *a, const trm_system *sys) {
    friction_state *f = arena_alloc(a, sizeof *f);
    size_t count = (size_t)sys->friction_count, slips = (size_t)sys->slip_count, n = (size_t)sys->n,
           m = (size_t)sys->m;
    int width = 0;
    for (int i = 0; i < sys->friction_count; i++)
        width += sys->model->frictions.at[i].pressed_count;
    f->sticks = arena_array(a, bool, count);
    f->at_rest = arena_array(a, bool, count);
    f->begins = arena_array(a, bool, count);
    f->rest = arena_doubles(a, count);
    f->direction = arena_doubles(a, slips);
    f->normal = arena_doubles(a, count);
    f->force = arena_doubles(a, slips);
    f->problem = (normal_problem){.first = arena_array(a, int, count + 1),
                                  .u = arena_doubles(a, (size_t)width),
                                  .W = arena_doubles(a, count * (size_t)width),
                                  .N = arena_doubles(a, count),
                                  .work = arena_doubles(a, normal_work((int)count, width))};
    f->slipping = arena_array(a, int, count);
    f->along = arena_doubles(a, slips);
    f->C = arena_doubles(a, n);
    f->response = arena_doubles(a, n);
    f->x = arena_doubles(a, n);
    f->lambda = arena_doubles(a, m);
    f->multiplier = arena_doubles(a, m);
    f->none = arena_doubles(a, m);
    f->right = arena_doubles(a, m);
    return f;
}

void friction_copy(const trm_system *sys, const friction_state *from, friction_state *to) {
    size_t count = (size_t)sys->friction_count;
    memcpy(to->sticks, from->sticks, count * sizeof(bool));
    memcpy(to->begins, from->begins, count * sizeof(bool));
    memcpy(to->rest, from->rest, count * sizeof(double));
    memcpy(to->direction, from->direction, (size_t)sys->slip_count * sizeof(double));
}

static int slip_first(const trm_system *sys, int f) {
    return sys->rows[sys->model->frictions.at[f].stick_first].slip;
}

int friction_slip_count(const trm_system *sys, int f) {
    return sys->model->frictions.at[f].stick_count;
}

bool friction_idle(const trm_system *sys, const trm_state *st, int row) {
    return sys->friction_count && sys->rows[row].friction >= 0 &&
           !st->friction->sticks[sys->rows[row].friction];
}

const double *friction_slip(const trm_system *sys, const trm_state *st, int f) {
    return st->y[STAGE_FRICTION] + 2 * sys->friction_count + slip_first(sys, f);
}

static double mu_of(const trm_state *st, int f) {
    return st->y[STAGE_FRICTION][f];
}

static double static_of(const trm_system *sys, const trm_state *st, int f) {
    return st->y[STAGE_FRICTION][sys->friction_count + f];
}

static solve_status check_coefficients(const trm_system *sys, trm_state *st) {
    for (int f = 0; f < sys->friction_count; f++) {
        double mu = mu_of(st, f), at_rest = static_of(sys, st, f);
        st->culprit = f;
        if (!(mu >= 0) || !isfinite(at_rest) || (st->friction->sticks[f] && at_rest < mu))
            return SOLVE_FRICTION_MU;
    }
    return SOLVE_OK;
}

// ---- directions

// of a slip with several components; where it has just begun, that in which it did
static bool direction(const trm_system *sys, trm_state *st, int f, double *out) {
    friction_state *fr = st->friction;
    int count = friction_slip_count(sys, f), row = sys->model->frictions.at[f].stick_first;
    const double *slip = friction_slip(sys, st, f), *kept = fr->direction + slip_first(sys, f);
    double terms = row_norm(sys->A, st->A, row) * linalg_norm(st->x + sys->x_v, sys->n);
    memcpy(out, slip, (size_t)count * sizeof *out);
    double speed = linalg_norm(out, count), along = linalg_dot(out, kept, count);
    if (fr->begins[f] || speed <= ROUNDING * terms) {
        memcpy(out, kept, (size_t)count * sizeof *out);
        return true;
    }
    double sign = along < 0 ? -1 : 1;
    for (int i = 0; i < count; i++)
        out[i] *= sign / speed;
    return along >= 0 || along < OPPOSITE * speed;
}

static solve_status find_directions(const trm_system *sys, trm_state *st) {
    friction_state *fr = st->friction;
    for (int k = 0; k < fr->problem.count; k++) {
        int f = fr->slipping[k], at = slip_first(sys, f);
        st->culprit = f;
        if (friction_slip_count(sys, f) == 1)
            fr->along[at] = fr->direction[at];
        else if (!direction(sys, st, f, fr->along + at))
            return SOLVE_FRICTION_TURNS;
    }
    return SOLVE_OK;
}

// ---- forces

static void press(const trm_system *sys, const trm_state *st, int f, const double *multiplier, double *out) {
    const model_friction *m = &sys->model->frictions.at[f];
    for (int i = 0; i < m->pressed_count; i++) {
        out[i] = 0;
        for (int row = m->first; row < m->first + m->count; row++)
            out[i] += multiplier[row] * row_entry(sys->A, st->A, row, m->pressed[i]);
    }
}

// the reactions of what slips, under this force
static void respond(const trm_system *sys, trm_state *st, const double *force, const double *b, double *out) {
    friction_state *fr = st->friction;
    solver_solve(st->solver, force, b, fr->x, fr->lambda);
    solver_least_norm(st->solver, fr->lambda);
    solve_hand_out(sys, fr->lambda, fr->multiplier);
    for (int k = 0; k < fr->problem.count; k++)
        press(sys, st, fr->slipping[k], fr->multiplier, out + fr->problem.first[k]);
}

// sum += amount S' along
static void add_friction(const trm_system *sys, const trm_state *st, int f, double amount, double *sum) {
    const model_friction *m = &sys->model->frictions.at[f];
    const double *along = st->friction->along + slip_first(sys, f);
    for (int i = 0; i < m->stick_count; i++)
        row_add(sys->A, st->A, m->stick_first + i, amount * along[i], sum);
}

static void list_slipping(const trm_system *sys, friction_state *fr) {
    normal_problem *p = &fr->problem;
    p->count = p->width = 0;
    for (int f = 0; f < sys->friction_count; f++) {
        if (fr->sticks[f])
            continue;
        fr->slipping[p->count] = f;
        p->first[p->count++] = p->width;
        p->width += sys->model->frictions.at[f].pressed_count;
    }
    p->first[p->count] = p->width;
}

static solve_status find_normals(const trm_system *sys, trm_state *st, const double *C) {
    friction_state *fr = st->friction;
    normal_problem *p = &fr->problem;
    for (int i = 0; i < sys->n; i++)
        fr->response[i] = st->Q[i] + (C ? C[i] : 0);
    respond(sys, st, fr->response, solve_right(st), p->u);
    for (int k = 0; k < p->count; k++) {
        memset(fr->response, 0, (size_t)sys->n * sizeof(double));
        add_friction(sys, st, fr->slipping[k], -mu_of(st, fr->slipping[k]), fr->response);
        respond(sys, st, fr->response, fr->none, p->W + k * p->width);
    }
    int culprit = 0;
    normal_status found = normal_solve(p, &culprit);
    st->culprit = fr->worst = fr->slipping[culprit];
    return found == NORMAL_ONE ? SOLVE_OK : found == NORMAL_NONE ? SOLVE_FRICTION_NONE : SOLVE_FRICTION_MANY;
}

int friction_force(const trm_system *sys, trm_state *st, const double *C, const double **sum) {
    friction_state *fr = st->friction;
    *sum = C;
    memset(fr->force, 0, (size_t)sys->slip_count * sizeof(double));
    state_run(sys, st, STAGE_FRICTION);
    solve_status status = check_coefficients(sys, st);
    list_slipping(sys, fr);
    if (status != SOLVE_OK || fr->problem.count == 0)
        return status;
    status = find_directions(sys, st);
    if (status == SOLVE_OK)
        status = find_normals(sys, st, C);
    if (status != SOLVE_OK)
        return status;
    memset(fr->C, 0, (size_t)sys->n * sizeof(double));
    if (C)
        memcpy(fr->C, C, (size_t)sys->n * sizeof(double));
    for (int k = 0; k < fr->problem.count; k++) {
        int f = fr->slipping[k], at = slip_first(sys, f);
        double amount = -mu_of(st, f) * fr->problem.N[k];
        add_friction(sys, st, f, amount, fr->C);
        linalg_add(fr->force + at, amount, fr->along + at, friction_slip_count(sys, f));
    }
    *sum = fr->C;
    return SOLVE_OK;
}

int friction_jam(const trm_system *sys, const trm_state *st) {
    const friction_state *fr = st->friction;
    bool jams = sys->friction_count && fr->problem.count > 0 && fr->problem.own > JAM;
    return jams ? fr->worst : -1;
}

void friction_report(const trm_system *sys, trm_state *st) {
    friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++) {
        const model_friction *m = &sys->model->frictions.at[f];
        double *reaction = fr->problem.u;
        press(sys, st, f, st->multiplier, reaction);
        fr->normal[f] = linalg_norm(reaction, m->pressed_count);
        if (!fr->sticks[f])
            memcpy(st->multiplier + m->stick_first, fr->force + slip_first(sys, f),
                   (size_t)m->stick_count * sizeof(double));
    }
}

double friction_margin(const trm_system *sys, const trm_state *st, int f) {
    const model_friction *m = &sys->model->frictions.at[f];
    double most = static_of(sys, st, f) * st->friction->normal[f];
    double all = linalg_norm(st->Q, sys->n) + linalg_norm(st->reaction, sys->n);
    return most * (1 + SLACK) + SLACK_ALL * all -
           linalg_norm(st->multiplier + m->stick_first, m->stick_count);
}
