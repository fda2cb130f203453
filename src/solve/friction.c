#include "solve/friction_inside.h"

#include "linear/linalg.h"

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
/* Of what counts as none, where a slip with several components ends: a step less far into where its direction
 * cannot be told. */
static const double LEFT = 1e-3;

void friction_add(const trm_system *sys, trm_state *st) {
    arena *a = st->arena;
    friction_state *f = arena_alloc(a, sizeof *f);
    size_t count = (size_t)sys->friction_count, slips = (size_t)sys->slip_count, n = (size_t)sys->n,
           m = (size_t)sys->m;
    int width = 0;
    f->bases_most = 1;
    for (int i = 0; i < sys->friction_count; i++) {
        width += sys->model->frictions.at[i].pressed_count;
        f->bases_most = f->bases_most < BASES_MOST ? 3 * f->bases_most : BASES_MOST;
    }
    f->bases = arena_array(a, signed char, (size_t)(f->bases_most + 1) * count);
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
    f->across = arena_doubles(a, slips);
    f->C = arena_doubles(a, n);
    f->response = arena_doubles(a, n);
    f->x = arena_doubles(a, n);
    f->lambda = arena_doubles(a, m);
    f->multiplier = arena_doubles(a, m);
    f->none = arena_doubles(a, m);
    st->friction = f;
    friction_release_all(sys, st);
}

void friction_let(const trm_system *sys, trm_state *st, int f, bool stick) {
    const model_friction *m = &sys->model->frictions.at[f];
    st->friction->sticks[f] = stick;
    for (int i = 0; i < m->stick_count; i++)
        st->idle[m->stick_first + i] = !stick;
}

void friction_release_all(const trm_system *sys, trm_state *st) {
    for (int f = 0; f < sys->friction_count; f++)
        friction_let(sys, st, f, false);
}

bool friction_sticks(const trm_state *st, int f) {
    return st->friction->sticks[f];
}

void friction_get(const trm_system *sys, const trm_state *st, bool *sticks) {
    for (int f = 0; f < sys->friction_count; f++)
        sticks[f] = st->friction->sticks[f];
}

void friction_copy(const trm_system *sys, const trm_state *from, trm_state *to) {
    size_t count = (size_t)sys->friction_count;
    if (count == 0 || from == to)
        return;
    for (int f = 0; f < sys->friction_count; f++)
        friction_let(sys, to, f, from->friction->sticks[f]);
    memcpy(to->friction->begins, from->friction->begins, count * sizeof(bool));
    memcpy(to->friction->rest, from->friction->rest, count * sizeof(double));
    memcpy(to->friction->direction, from->friction->direction, (size_t)sys->slip_count * sizeof(double));
}

int friction_slip_first(const trm_system *sys, int f) {
    return sys->rows[sys->model->frictions.at[f].stick_first].slip;
}

int friction_slip_count(const trm_system *sys, int f) {
    return sys->model->frictions.at[f].stick_count;
}

const double *friction_slip(const trm_system *sys, const trm_state *st, int f) {
    return st->y[STAGE_FRICTION] + 2 * sys->friction_count + friction_slip_first(sys, f);
}

static double mu_of(const trm_state *st, int f) {
    return st->y[STAGE_FRICTION][f];
}

static double static_of(const trm_system *sys, const trm_state *st, int f) {
    return st->y[STAGE_FRICTION][sys->friction_count + f];
}

static outcome check_coefficients(const trm_system *sys, const trm_state *st) {
    for (int f = 0; f < sys->friction_count; f++) {
        double mu = mu_of(st, f), at_rest = static_of(sys, st, f);
        if (!(mu >= 0) || !isfinite(at_rest) || (st->friction->sticks[f] && at_rest < mu))
            return (outcome){SOLVE_FRICTION_MU, f};
    }
    return SOLVED;
}

// ---- directions

// of a slip with several components; where it has just begun, that in which it did
static bool direction(const trm_system *sys, trm_state *st, int f, double *out) {
    friction_state *fr = st->friction;
    int count = friction_slip_count(sys, f), row = sys->model->frictions.at[f].stick_first;
    const double *slip = friction_slip(sys, st, f), *kept = fr->direction + friction_slip_first(sys, f);
    double terms = 0;
    for (int i = row; i < row + count; i++)
        for (int e = sys->A.start[i]; e < sys->A.start[i + 1]; e++)
            terms += fabs(st->A[e] * st->x[sys->x_v + sys->A.to[e]]);
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

static outcome find_directions(const trm_system *sys, trm_state *st) {
    friction_state *fr = st->friction;
    for (int k = 0; k < fr->problem.count; k++) {
        int f = fr->slipping[k], at = friction_slip_first(sys, f);
        if (friction_slip_count(sys, f) == 1)
            fr->along[at] = fr->direction[at];
        else if (!direction(sys, st, f, fr->along + at))
            return (outcome){SOLVE_FRICTION_TURNS, f};
    }
    return SOLVED;
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
    rows_share(st, fr->lambda);
    rows_hand_out(sys, fr->lambda, fr->multiplier);
    for (int k = 0; k < fr->problem.count; k++)
        press(sys, st, fr->slipping[k], fr->multiplier, out + fr->problem.first[k]);
}

// sum += amount S' along
static void add_friction(const trm_system *sys, const trm_state *st, int f, double amount, double *sum) {
    const model_friction *m = &sys->model->frictions.at[f];
    const double *along = st->friction->along + friction_slip_first(sys, f);
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

static outcome find_normals(const trm_system *sys, trm_state *st, const double *C) {
    friction_state *fr = st->friction;
    normal_problem *p = &fr->problem;
    for (int i = 0; i < sys->n; i++)
        fr->response[i] = st->Q[i] + (C ? C[i] : 0);
    respond(sys, st, fr->response, st->rows.b, p->u);
    for (int k = 0; k < p->count; k++) {
        memset(fr->response, 0, (size_t)sys->n * sizeof(double));
        add_friction(sys, st, fr->slipping[k], -mu_of(st, fr->slipping[k]), fr->response);
        respond(sys, st, fr->response, fr->none, p->W + k * p->width);
    }
    int culprit = 0;
    normal_status found = normal_solve(p, &culprit);
    fr->worst = fr->slipping[culprit];
    if (found == NORMAL_ONE)
        return SOLVED;
    return (outcome){found == NORMAL_NONE ? SOLVE_FRICTION_NONE : SOLVE_FRICTION_MANY, fr->worst};
}

void friction_forget(const trm_system *sys, trm_state *st) {
    if (st->friction)
        memset(st->friction->force, 0, (size_t)sys->slip_count * sizeof(double));
}

// what slips has the forces that it has in the bodies' form
static void take_forces(const trm_system *sys, trm_state *st) {
    friction_state *fr = st->friction;
    const friction_state *of = st->bodies->friction;
    fr->problem.own = of->problem.own;
    fr->worst = of->worst;
    memcpy(fr->force, of->force, (size_t)sys->slip_count * sizeof(double));
    for (int k = 0; k < fr->problem.count; k++) {
        const model_friction *m = &sys->model->frictions.at[fr->slipping[k]];
        const double *force = fr->force + friction_slip_first(sys, fr->slipping[k]);
        for (int i = 0; i < m->stick_count; i++)
            row_add(sys->A, st->A, m->stick_first + i, force[i], fr->C);
    }
}

static outcome find_forces(const trm_system *sys, trm_state *st, const double *C) {
    friction_state *fr = st->friction;
    outcome found = find_directions(sys, st);
    if (found.status == SOLVE_OK)
        found = find_normals(sys, st, C);
    for (int k = 0; found.status == SOLVE_OK && k < fr->problem.count; k++) {
        int f = fr->slipping[k], at = friction_slip_first(sys, f);
        double amount = -mu_of(st, f) * fr->problem.N[k];
        add_friction(sys, st, f, amount, fr->C);
        linalg_add(fr->force + at, amount, fr->along + at, friction_slip_count(sys, f));
    }
    return found;
}

outcome friction_force(const trm_system *sys, trm_state *st, const double *C, const double **sum) {
    friction_state *fr = st->friction;
    *sum = C;
    if (fr == NULL)
        return SOLVED;
    friction_forget(sys, st);
    state_run(sys, st, STAGE_FRICTION);
    outcome found = check_coefficients(sys, st);
    list_slipping(sys, fr);
    if (found.status != SOLVE_OK || fr->problem.count == 0)
        return found;
    memset(fr->C, 0, (size_t)sys->n * sizeof(double));
    if (C)
        memcpy(fr->C, C, (size_t)sys->n * sizeof(double));
    *sum = fr->C;
    if (st->bodies == NULL)
        return find_forces(sys, st, C);
    take_forces(sys, st);
    return SOLVED;
}

int friction_jam(const trm_state *st) {
    const friction_state *fr = st->friction;
    return fr && fr->problem.count > 0 && fr->problem.own > JAM ? fr->worst : -1;
}

static void report_of_bodies(const trm_system *sys, trm_state *st) {
    const trm_state *of = st->bodies;
    solve_forces(sys->full, st->bodies);
    memcpy(st->friction->normal, of->friction->normal, (size_t)sys->friction_count * sizeof(double));
    for (int f = 0; f < sys->friction_count; f++) {
        const model_friction *m = &sys->model->frictions.at[f];
        memcpy(st->multiplier + m->stick_first,
               of->multiplier + sys->full->model->frictions.at[f].stick_first,
               (size_t)m->stick_count * sizeof(double));
    }
}

void friction_report(const trm_system *sys, trm_state *st) {
    friction_state *fr = st->friction;
    if (st->bodies && fr) {
        report_of_bodies(sys, st);
        return;
    }
    for (int f = 0; f < sys->friction_count; f++) {
        const model_friction *m = &sys->model->frictions.at[f];
        double *reaction = fr->problem.u;
        press(sys, st, f, st->multiplier, reaction);
        fr->normal[f] = linalg_norm(reaction, m->pressed_count);
        if (!fr->sticks[f])
            memcpy(st->multiplier + m->stick_first, fr->force + friction_slip_first(sys, f),
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

double friction_slip_margin(const trm_system *sys, const trm_state *st, int f) {
    const friction_state *fr = st->friction;
    int count = friction_slip_count(sys, f);
    double along = linalg_dot(friction_slip(sys, st, f), fr->direction + friction_slip_first(sys, f), count);
    return fr->begins[f] ? along + fr->rest[f] : count > 1 ? along - LEFT * fr->rest[f] : along;
}
