/* Samples: projected, with forces, outputs, residuals, energies and expectations. */
#include "motion/running.h"

#include "linear/linalg.h"
#include "system/rates.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void record_row(running *r, int i, double t, double residual, double rate) {
    const trm_system *sys = r->full;
    const system_row *row = &sys->rows[i];
    row_record *record = &r->report->rows[i];
    double tolerance = r->options->tolerance;
    if (!r->started && row->friction >= 0)
        record->allowed = NAN;
    if (state_idle(r->full_st, i))
        return; // nothing is asked for
    record->velocity = fmax(record->velocity, fabs(rate));
    if (r->started && !(fabs(residual) > record->worst) && !(row->friction >= 0 && isnan(record->allowed)))
        return;
    record->worst = fabs(residual);
    record->at = t;
    bool velocity = row->level != ROW_HOLONOMIC;
    bool held = !row->damped && !row->weighted && row->level != ROW_ACCELERATION;
    const double *x = velocity ? state_v(sys, r->full_st) : state_q(sys, r->full_st);
    record->allowed = held ? project_allowed(sys, sys->A, r->full_found->A, i, x, velocity, tolerance) : NAN;
}

static void residuals(running *r, double t) {
    const trm_system *sys = r->full;
    trm_state *st = r->full_st;
    int m = sys->m;
    solve_residuals(sys, st);
    const double *residual = state_output(st, STAGE_RESIDUAL);
    for (int i = 0; i < m; i++)
        record_row(r, i, t, residual[i], residual[m + i]);
}

// what the force of each constraint puts into the system
static void record_powers(running *r, double t) {
    const model *m = r->full->model;
    r->fastest = fmax(r->fastest, natural_speed(r->full, state_v(r->full, r->full_st)));
    for (int i = 0; i < m->constraints.count; i++) {
        const model_constraint *c = &m->constraints.at[i];
        power_record *p = &r->report->powers[i];
        double most, power = fabs(solve_power(r->full, r->full_st, c->first_row, c->row_count, &most));
        if (most > 0)
            p->part = fmax(p->part, power / (most * r->fastest));
        p->could = fmax(p->could, most * r->fastest);
        if (power > p->worst) {
            p->worst = power;
            p->at = t;
        }
    }
}

static void record_energy(running *r) {
    const double *y = state_output(r->full_st, STAGE_ENERGY);
    run_report *report = r->report;
    double jacobi = y[1] + y[2];
    report->energy_end = y[0] + y[2];
    if (!r->started) {
        report->energy_start = report->energy_end;
        report->jacobi_start = jacobi;
    }
    if (!isfinite(jacobi))
        report->energy_lost = true;
    report->drift = fmax(report->drift, fabs(jacobi - report->jacobi_start));
    report->largest_energy = fmax(report->largest_energy, fabs(y[0]) + fabs(y[2]));
}

static void record_expectations(running *r, double t, bool last) {
    const trm_system *sys = r->full;
    const double *conditions = state_output(r->full_st, STAGE_OUTPUT) + sys->model->outputs.count;
    const double *margins = conditions + sys->expect_count;
    for (int i = 0; i < sys->expect_count; i++) {
        int which = sys->expect_of[i];
        expect_record *e = &r->report->expects[which];
        if (!sys->model->expects.at[which].always && !last)
            continue;
        if (sys->has_margin[i] && !(e->worst <= margins[i]))
            e->worst = margins[i];
        if (conditions[i] == 0 && e->holds) {
            e->holds = false;
            e->failed_at = t;
        }
    }
}

static void keep_sample(running *r, const sample *s) {
    const trm_system *sys = r->full;
    run_report *report = r->report;
    size_t n = (size_t)sys->n * sizeof(double), m = (size_t)sys->m * sizeof(double);
    memcpy(report->q, s->q, n);
    memcpy(report->v, s->v, n);
    if (s->s)
        memcpy(report->s, s->s, n);
    memcpy(report->reaction, r->full_found->reaction, n);
    if (sys->controls)
        memcpy(report->control, r->full_found->control, n);
    memcpy(report->multiplier, r->full_found->multiplier, m);
    memcpy(report->outputs, s->outputs, (size_t)sys->model->outputs.count * sizeof(double));
    run_turns(r, report->turns);
    report->time = s->t;
    report->samples++;
}

// the values of start(...), in order: one may hold another
static void evaluate_starts(running *r) {
    for (int i = 0; i <= r->full->model->start_count && i < 8; i++) {
        solve_results(r->full, r->full_st);
        state_run(r->full, r->full_st, STAGE_START);
    }
    solve_results(r->full, r->full_st);
}

bool run_solve_state(running *r, double t, const double *y) {
    const trm_system *sys = r->sys;
    trm_state *st = r->st;
    size_t n = (size_t)sys->n;
    r->trouble.solve = SOLVED;
    r->trouble.of_full = false;
    const double *v = run_velocities(r, t, y);
    if (v == NULL)
        return false;
    memcpy(r->work_q, y, n * sizeof *y);
    memcpy(r->work_v, v, n * sizeof *y);
    if (!run_project_state(r, t, r->work_q, r->work_v))
        return false;
    if (run_has_tree(r)) {
        r->trouble.of_full = true;
        r->trouble.solve = run_solve_lifted(r, t, r->work_q, r->work_v);
        return r->trouble.solve.status == SOLVE_OK;
    }
    solve_leave_out(sys, st, NULL);
    r->trouble.solve = run_solve_unheld(r, t, r->work_q, r->work_v);
    return r->trouble.solve.status == SOLVE_OK;
}

void run_results(running *r) {
    solve_forces(r->full, r->full_st);
    solve_results(r->full, r->full_st);
}

static void record(running *r, double t, bool last) {
    state_run(r->full, r->full_st, STAGE_OUTPUT);
    residuals(r, t);
    record_powers(r, t);
    record_energy(r);
    run_record_balance(r, t);
    run_record_over(r, t);
    record_expectations(r, t, last);
}

/* Whether projection moved the sample by no more than errors explain, and the equation of motion there is
 * what the step says. */
static bool fits(running *r, double t, const double *y) {
    const trm_system *sys = r->sys;
    double *f = r->look.slope;
    if (run_jumped(r, y, run_velocities(r, t, y), r->work_q, r->work_v))
        return false;
    if (sys->watch == NULL ||
        t == r->look.found.time) // at the end; where something changes, the sample has what is behind
        return true;
    if (run_has_tree(r) && !r->tree_solved)
        return false;
    rates_of_positions(sys, r->work_q, r->work_v, f);
    rates_slope(sys, r->st, r->found->qdd, f + sys->n);
    r->look.disturbed = false;
    return run_fits(r, t, y, f) && (!r->look.disturbed || run_solve_state(r, t, y));
}

/* In joint coordinates rows that those at hand imply are not looked at: here it shows whether they hold. */
static bool is_held(running *r, double t) {
    const trm_system *sys = r->full;
    const double *residual = state_output(r->full_st, STAGE_RESIDUAL);
    for (int i = 0; i < sys->m; i++) {
        bool velocity = sys->rows[i].level != ROW_HOLONOMIC;
        if (sys->rows[i].damped || sys->rows[i].weighted || sys->rows[i].level == ROW_ACCELERATION ||
            state_idle(r->full_st, i))
            continue;
        double allowed = project_allowed(sys, sys->A, r->full_found->A, i, velocity ? r->full_v : r->full_q,
                                         velocity, r->options->tolerance);
        if (fabs(residual[i]) <= allowed)
            continue;
        failure_of_row(&r->report->failure, r->arena, sys, i, velocity ? "velocity" : "position", residual[i],
                       allowed, t);
        r->report->end = RUN_FAILED;
        return false;
    }
    return true;
}

// what is recorded by now, and what is shown beside
static sample made_sample(running *r, double t) {
    const trm_system *sys = r->full;
    trm_state *st = r->full_st;
    sample s = {.t = t,
                .q = r->full_q,
                .v = r->full_v,
                .outputs = state_output(st, STAGE_OUTPUT),
                .reaction = r->full_found->reaction,
                .residual = state_output(st, STAGE_RESIDUAL),
                .energy = state_output(st, STAGE_ENERGY),
                .work = r->work_done.now};
    if (sys->views) {
        solve_views(sys, st);
        s.views = state_output(st, STAGE_VIEW);
    }
    if (sys->quasi) {
        rates_evaluate(sys, st);
        s.s = rates_s(sys, st);
    }
    return s;
}

// the sample is projected for itself; the trajectory stays as it is
static bool sample_state(running *r, double t, const double *y, bool last, double *wrong) {
    run_find_over(r, t);
    run_find_work(r, t);
    bool solved = run_solve_state(r, t, y);
    if (wrong && (!solved || !fits(r, t, y)) && run_can_shorten(r)) {
        *wrong = t;
        return false;
    }
    if (!solved) {
        if (r->trouble.solve.status != SOLVE_OK)
            run_fail_solve(r, t);
        else
            run_fail_projection(r, t);
        return false;
    }
    if (!run_check_dropped(r, t))
        return false;
    run_results(r);
    if (run_is_refused(r))
        return false;
    if (!r->started)
        evaluate_starts(r);
    run_put_over(r, t);
    record(r, t, last);
    if (run_has_tree(r) && !is_held(r, t))
        return false;
    sample s = made_sample(r, t);
    keep_sample(r, &s);
    if (r->full->views) { // last, for it may leave other multipliers than those of least norm
        solve_powers(r->full, r->full_st, r->work_done.power);
        s.power = r->work_done.power;
    }
    r->started = true;
    if (r->options->sink.take && !r->options->sink.take(r->options->sink.context, &s)) {
        r->report->end = RUN_SINK_FAILED;
        return false;
    }
    return true;
}

bool run_sample_state(running *r, double t, const double *y, bool last, double *wrong) {
    profile_part before = profile_enter(state_profile(r->st), PROFILE_SAMPLE);
    bool done = sample_state(r, t, y, last, wrong);
    profile_leave(state_profile(r->st), before);
    return done;
}
