/* Slopes of outputs are extrapolated central differences along the tangents of chart.h: outputs hold
 * accelerations and forces, which follow from the state. An input is tried likewise: a force is added to Q,
 * another value of a parameter makes another system, and of a drive w the row asks for w'' more, while a
 * deviation with w and w' stands in the chart. States get names in states.c. */
#include "study/response_inside.h"

#include "linear/linalg.h"
#include "solve/friction.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

static const double STEP = 0.02;  // along tangents, in natural units; of forces and parameters, of theirs
static const double MOVES = 1e-7; // a row, by a parameter: it is a constraint that changes

bool response_fail(making *k, const char *message, const char *hint) {
    k->r->failure = message;
    k->r->hint = hint;
    return false;
}

// ---- values at a state

// accelerations (n) and outputs; with the switches and what sticks as they are in the state
static bool evaluate(making *k, const trm_system *sys, trm_state *st, const double *q, const double *v,
                     double *out) {
    solve_leave_out(sys, st, k->p->of->left_out);
    if (solve_at(sys, st, &(moment){k->p->t, q, v, true}).status != SOLVE_OK)
        return false;
    solve_forces(sys, st);
    solve_results(sys, st);
    state_run(sys, st, STAGE_OUTPUT);
    memcpy(out, state_look(st)->qdd, (size_t)k->n * sizeof *out);
    memcpy(out + k->n, state_output(st, STAGE_OUTPUT), (size_t)(k->values - k->n) * sizeof *out);
    return true;
}

typedef struct {
    making *k;
    const double *dz;
} tangent_line;

static bool along_tangent(void *context, double h, double *out) {
    const tangent_line *c = context;
    making *k = c->k;
    for (int i = 0; i < k->n; i++) {
        k->z[i] = k->p->q[i] + h * c->dz[i];
        k->z[k->n + i] = k->p->v[i] + h * c->dz[k->n + i];
    }
    return evaluate(k, k->p->sys, k->p->st, k->z, k->z + k->n, out);
}

static bool slopes_along_tangents(making *k) {
    k->acceleration = arena_doubles(k->arena, (size_t)k->values + 1);
    if (!evaluate(k, k->p->sys, k->p->st, k->p->q, k->p->v, k->acceleration))
        return response_fail(k, "the outputs of this state cannot be found", NULL);
    for (int j = 0; j < k->all; j++) {
        tangent_line c = {k, k->dz + (size_t)j * 2 * (size_t)k->n};
        double *slope = k->dy + (size_t)j * (size_t)k->values;
        if (!slopes_difference(along_tangent, &c, STEP, k->values, k->work, slope))
            return response_fail(k, "the outputs beside this state cannot be found",
                                 "does a root, a logarithm or a division end there?");
    }
    return true;
}

// ---- tangents

static void unit_tangents(making *k) {
    const natural *u = k->p->sys->natural;
    size_t n = (size_t)k->n;
    double *dev = arena_doubles(k->arena, (size_t)k->all + 1);
    for (int j = 0; j < k->all; j++) {
        double *dz = k->dz + (size_t)j * 2 * n;
        memset(dev, 0, (size_t)k->all * sizeof *dev);
        dev[j] = 1;
        chart_deviate(&k->chart, dev, dz);
        for (int i = 0; i < 2 * k->n; i++)
            dz[i] *= natural_size(u, i % k->n, i >= k->n);
        if (j < k->size) {
            int where = chart_place(&k->chart, j);
            k->unit[j] = natural_size(u, where % k->n, where >= k->n);
        }
    }
}

// drives in units of what is driven: of the output that tells it
static bool scale_drives(making *k) {
    const ports *given = k->p->ports;
    for (int i = 0, d = 0; i < given->input_count; i++) {
        if (given->inputs[i].kind != PORT_DRIVE)
            continue;
        double by =
            k->dy[(size_t)(k->size + d) * (size_t)k->values + (size_t)(k->n + given->inputs[i].output)];
        if (!(fabs(by) > 0))
            return response_fail(
                k, arena_print(k->arena, "%s moves nothing at this state", given->inputs[i].name), NULL);
        for (int rate = 0; rate < 2; rate++) {
            int j = k->size + d + rate * k->drives;
            double f = 1 / (rate ? by * k->p->sys->natural->rate : by);
            linalg_scale(k->dz + (size_t)j * 2 * (size_t)k->n, f, 2 * k->n);
            linalg_scale(k->dy + (size_t)j * (size_t)k->values, f, k->values);
            k->unit[j] = 1;
        }
        d++;
    }
    return true;
}

// ---- A and C in deviations

double response_rate(const slopes *s, const double *S, int n, const double *dz, int where) {
    static const double ROUNDING = 1e-14; // beside the largest of the products
    size_t at = (size_t)(where % n) * (size_t)n;
    const double *rows[3] = {s->a_by_q + at, s->a_by_v + at, S + at};
    double sum = where < n ? dz[n + where] : 0, largest = fabs(sum);
    for (int k = where < n ? 2 : 0; k < 3; k++) {
        const double *x = k == 1 || (k == 2 && where >= n) ? dz + n : dz;
        for (int i = 0; i < n; i++) {
            double part = rows[k][i] * x[i];
            sum += k == 2 ? -part : part;
            largest = fmax(largest, fabs(part));
        }
    }
    return fabs(sum) > ROUNDING * largest ? sum : 0;
}

// in the model's units; w' is the rate of w
static void fill_A(making *k) {
    const natural *u = k->p->sys->natural;
    size_t all = (size_t)k->all, n = (size_t)k->n;
    double *dz = arena_doubles(k->arena, 2 * n);
    for (int j = 0; j < k->all; j++) {
        for (int i = 0; i < 2 * k->n; i++)
            dz[i] = k->dz[(size_t)j * 2 * n + (size_t)i] / natural_size(u, i % k->n, i >= k->n);
        double per = j < k->size ? k->unit[j] : 1;
        for (int i = 0; i < k->size; i++) {
            double rate = response_rate(k->p->s, k->p->S, k->n, dz, chart_place(&k->chart, i)) * u->rate;
            k->r->A[(size_t)i * all + (size_t)j] = rate * k->unit[i] / per;
        }
    }
    for (int d = 0; d < k->drives; d++)
        k->r->A[(size_t)(k->size + d) * all + (size_t)(k->size + k->drives + d)] = 1;
}

static void fill_C(making *k) {
    const ports *given = k->p->ports;
    for (int i = 0; i < given->output_count; i++)
        for (int j = 0; j < k->all; j++)
            k->r->C[(size_t)i * (size_t)k->all + (size_t)j] =
                k->dy[(size_t)j * (size_t)k->values + (size_t)(k->n + given->outputs[i])] /
                (j < k->size ? k->unit[j] : 1);
}

// ---- inputs

typedef struct {
    making *k;
    const double *force, *ask; // for a unit of the input
    double *now;               // (n or m)
} pushed;

static bool along_push(void *context, double h, double *out) {
    const pushed *c = context;
    making *k = c->k;
    int count = c->force ? k->n : k->p->sys->m;
    memset(c->now, 0, (size_t)count * sizeof *c->now);
    linalg_add(c->now, h, c->force ? c->force : c->ask, count);
    solve_add(k->p->st, c->force ? c->now : NULL, c->ask ? c->now : NULL);
    bool there = evaluate(k, k->p->sys, k->p->st, k->p->q, k->p->v, out);
    solve_add(k->p->st, NULL, NULL);
    return there;
}

typedef struct {
    making *k;
    const input_port *in;
} varied;

// whether rows hold as before
static bool rows_stay(making *k, const trm_system *sys, trm_state *st) {
    state_set(sys, st, k->p->t, k->p->q, k->p->v);
    for (int velocity = 0; velocity < 2; velocity++) {
        state_run(sys, st, velocity ? STAGE_VELOCITY : STAGE_POSITION);
        state_level l = velocity ? state_velocity(sys, st) : state_position(sys, st);
        for (int i = 0; i < l.level->m; i++)
            if (fabs(l.residual[i]) >
                MOVES * natural_allowance(sys, l.level->A, l.A, i, velocity ? k->p->v : k->p->q, velocity))
                return false;
    }
    return true;
}

static bool along_param(void *context, double h, double *out) {
    const varied *c = context;
    making *k = c->k;
    const response_problem *p = k->p;
    double value = p->sys->model->params.at[c->in->of].value;
    trm_system *sys = p->ports->with_param(p->ports->context, c->in->of, value + h);
    if (sys == NULL || sys->n != k->n || sys->m != p->sys->m)
        return false;
    trm_state *st = solve_new_state(k->arena, sys);
    state_set_cut(st, state_cut(p->st));
    if (p->of->still)
        solve_stand_still(st);
    if (!rows_stay(k, sys, st)) {
        response_fail(
            k,
            arena_print(k->arena,
                        "%s changes the constraints, so it is no input at a state that is held by them",
                        c->in->name),
            "parameters of masses and forces are inputs; a drive is drive(J)");
        return false;
    }
    state_keep_turns(sys, st);
    state_set_switches(sys, st);
    friction_copy(sys, p->st, st);
    return evaluate(k, sys, st, p->q, p->v, out);
}

// the force that does work at the rate of the output: its slopes by velocities
static bool force_along(making *k, int output, double *force) {
    const response_problem *p = k->p;
    double *up = k->probe, *down = up + k->values;
    for (int i = 0; i < k->n; i++) {
        double h = natural_size(p->sys->natural, i, true);
        for (int side = 0; side < 2; side++) {
            memcpy(k->z, p->q, (size_t)k->n * sizeof *k->z);
            memcpy(k->z + k->n, p->v, (size_t)k->n * sizeof *k->z);
            k->z[k->n + i] += side ? -h : h;
            if (!evaluate(k, p->sys, p->st, k->z, k->z + k->n, side ? down : up))
                return false;
        }
        force[i] = (up[k->n + output] - down[k->n + output]) / (2 * h);
    }
    return true;
}

// what the row of a drive asks for where it is accelerated by 1
static double ask_of(making *k, int row, int drive) {
    const trm_system *sys = k->p->sys;
    state_set(sys, k->p->st, k->p->t, k->p->q, k->p->v);
    state_run(sys, k->p->st, STAGE_DYNAMICS);
    return row_dot(sys->A, state_look(k->p->st)->A, row,
                   k->dz + (size_t)(k->size + drive) * 2 * (size_t)k->n);
}

static bool slope_of_input(making *k, const input_port *in, int drive, double *slope) {
    const trm_system *sys = k->p->sys;
    double *x = arena_doubles(k->arena, (size_t)(k->n + sys->m)),
           *now = arena_doubles(k->arena, (size_t)(k->n + sys->m));
    if (in->kind == PORT_PARAM) {
        double value = fabs(sys->model->params.at[in->of].value);
        varied c = {k, in};
        return slopes_difference(along_param, &c, STEP * (value > 0 ? value : 1), k->values, k->work, slope);
    }
    pushed c = {.k = k, .now = now};
    if (in->kind == PORT_DRIVE) {
        x[in->of] = ask_of(k, in->of, drive);
        c.ask = x;
    } else {
        c.force = x;
        if (in->of >= 0)
            x[in->of] = 1;
        else if (!force_along(k, in->output, x))
            return false;
    }
    return slopes_difference(along_push, &c, STEP, k->values, k->work, slope);
}

static bool fill_inputs(making *k) {
    const ports *given = k->p->ports;
    double *slope = arena_doubles(k->arena, (size_t)k->values + 1);
    size_t width = (size_t)given->input_count;
    for (int i = 0, d = 0; i < given->input_count; i++) {
        const input_port *in = &given->inputs[i];
        if (!slope_of_input(k, in, d, slope))
            return k->r->failure
                       ? false
                       : response_fail(k,
                                       arena_print(k->arena, "what %s does beside this state cannot be found",
                                                   in->name),
                                       NULL);
        double most = 0;
        for (int j = k->chart.q->count; j < k->size; j++)
            k->r->B[(size_t)j * width + (size_t)i] = slope[chart_place(&k->chart, j) - k->n];
        for (int j = 0; j < k->values; j++)
            most = fmax(most, isfinite(slope[j]) ? fabs(slope[j]) : 0);
        if (most == 0)
            return response_fail(k, arena_print(k->arena, "%s changes nothing at this state", in->name),
                                 "is it held by constraints, or does no force or mass depend on it?");
        for (int o = 0; o < given->output_count; o++)
            k->r->D[(size_t)o * width + (size_t)i] = slope[k->n + given->outputs[o]];
        if (in->kind == PORT_DRIVE)
            k->r->B[(size_t)(k->size + k->drives + d++) * width + (size_t)i] = 1;
    }
    return true;
}

// ---- names

static void name_ports(making *k) {
    const ports *given = k->p->ports;
    for (int i = 0, d = 0; i < given->input_count; i++) {
        const input_port *in = &given->inputs[i];
        text row; // drive(J) is a torque: what moves has the name of its row
        text_init(&row, k->arena);
        if (in->kind == PORT_DRIVE)
            model_row_name(k->p->sys->model, in->of, &row);
        const char *name = text_string(&row);
        k->r->input_names[i] = in->kind == PORT_DRIVE ? arena_print(k->arena, "%s''", name) : in->name;
        if (in->kind != PORT_DRIVE)
            continue;
        k->r->state_names[k->size + d] = name;
        k->r->state_names[k->size + k->drives + d++] = arena_print(k->arena, "%s'", name);
    }
    for (int i = 0; i < given->output_count; i++)
        k->r->output_names[i] = given->output_names[i];
}

// ---- all of it

static bool find_zeros(making *k) {
    response *r = k->r;
    r->zeros = arena_array(k->arena, transfer_zeros, r->outputs * r->inputs + 1);
    for (int o = 0; o < r->outputs; o++)
        for (int i = 0; i < r->inputs; i++)
            if (!zeros_find(k->arena, r->states, r->A, r->B + i, r->inputs,
                            r->C + (size_t)o * (size_t)r->states,
                            r->D[(size_t)o * (size_t)r->inputs + (size_t)i], &r->zeros[o * r->inputs + i]))
                return response_fail(k, "the zeros could not be found", NULL);
    return true;
}

static void begin(making *k) {
    const response_problem *p = k->p;
    int *rows = arena_array(k->arena, int, p->ports->input_count + 1);
    for (int i = 0; i < p->ports->input_count; i++)
        if (p->ports->inputs[i].kind == PORT_DRIVE)
            rows[k->drives++] = p->ports->inputs[i].of;
    k->n = p->sys->n;
    k->chart = chart_drive(k->arena, p->sys, p->st, p->s, rows, k->drives);
    k->size = chart_size(&k->chart);
    k->all = k->size + 2 * k->drives;
    k->values = k->n + p->sys->model->outputs.count;
    size_t all = (size_t)k->all + 1, n = (size_t)k->n, values = (size_t)k->values,
           in = (size_t)p->ports->input_count + 1, out = (size_t)p->ports->output_count + 1;
    k->dz = arena_doubles(k->arena, all * 2 * n);
    k->unit = arena_doubles(k->arena, all);
    k->dy = arena_doubles(k->arena, all * values);
    k->work = arena_doubles(k->arena, slopes_difference_work(k->values));
    k->probe = arena_doubles(k->arena, 2 * values);
    k->z = arena_doubles(k->arena, 2 * n);
    *k->r = (response){.states = k->all, .inputs = p->ports->input_count, .outputs = p->ports->output_count};
    k->r->A = arena_doubles(k->arena, all * all);
    k->r->B = arena_doubles(k->arena, all * in);
    k->r->C = arena_doubles(k->arena, all * out);
    k->r->D = arena_doubles(k->arena, in * out);
    k->r->state_names = arena_array(k->arena, const char *, all);
    k->r->input_names = arena_array(k->arena, const char *, in);
    k->r->output_names = arena_array(k->arena, const char *, out);
}

response *response_find(const response_problem *p) {
    making k = {.p = p, .arena = p->arena, .r = arena_alloc(p->arena, sizeof(response))};
    begin(&k);
    if (k.chart.lost >= 0) {
        response_fail(&k, "a drive that depends on other constraints cannot be moved",
                      "'trammel check' says on which");
        return k.r;
    }
    unit_tangents(&k);
    bool asked = p->ports->output_count || k.drives || response_needs_names(&k);
    if ((asked && !slopes_along_tangents(&k)) || !scale_drives(&k))
        return k.r;
    fill_A(&k);
    fill_C(&k);
    if (fill_inputs(&k) && response_name_states(&k)) {
        name_ports(&k);
        find_zeros(&k);
    }
    return k.r;
}
