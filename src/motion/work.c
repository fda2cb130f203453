/* Energy balance: h = T2 - T0 + V changes by the work W of what has no potential, and h - h0 - W is evidence
 * for every model. The integrator carries W as silent components; where jacobi is conserved there are none,
 * and the balance is the drift. */
#include "motion/running.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void rates(void *context, double *out) {
    running *r = context;
    solve_powers(r->sys, r->st, out);
}

static int rates_at(void *context, double t, const double *y, double *out) {
    running *r = context;
    int code = run_peek(r, t, y, r->work_done.slope, true);
    if (code == 0)
        solve_powers(r->sys, r->st, out);
    return code;
}

void run_work_new(running *r) {
    size_t count = (size_t)r->sys->work_count;
    r->work_done.done = arena_doubles(r->work, count);
    r->work_done.now = arena_doubles(r->work, count);
    r->work_done.power = arena_doubles(r->work, count);
    r->work_done.slope = arena_doubles(r->work, 2 * (size_t)r->sys->n);
}

void run_carry_work(running *r) {
    r->system.silent = r->sys->work_count;
    r->system.silent_size = &r->report->balance_size;
    r->system.rates = rates;
    r->system.rates_at = rates_at;
}

void run_find_work(running *r, double t) {
    run_work *w = &r->work_done;
    int count = r->sys->work_count;
    bool begun = r->step.it != NULL;
    if (count == 0)
        return;
    int code = begun ? r->options->method->silent(r->step.it, t, w->now) : 0;
    for (int i = 0; i < count; i++)
        w->now[i] = code != 0 ? NAN : w->done[i] + (begun ? w->now[i] : 0);
    state_set_done(r->sys, r->st, w->now);
    state_set_done(r->full, r->full_st, w->now);
}

void run_keep_work(running *r, double t) {
    run_find_work(r, t);
    memcpy(r->work_done.done, r->work_done.now, (size_t)r->sys->work_count * sizeof(double));
}

/* The energy that errors of one tolerance in the positions make. Less counts as none: at rest all there is
 * is rounding. */
static double felt_error(const running *r) {
    const double *q = state_q(r->full, r->full_st);
    double sum = 0;
    for (int i = 0; i < r->full->n; i++)
        sum += fabs(r->full_found->Q[i]) * (natural_size(r->full->natural, i, false) + fabs(q[i]));
    return r->options->tolerance * sum;
}

void run_record_balance(running *r, double t) {
    const double *energy = state_output(r->full_st, STAGE_ENERGY);
    run_report *p = r->report;
    double sum = 0;
    for (int i = 0; i < r->sys->work_count; i++) {
        p->work[i] = r->work_done.now[i];
        sum += p->work[i];
    }
    double off = fabs(energy[1] + energy[2] - p->jacobi_start - sum);
    double size = fmax(fabs(energy[0]) + fabs(energy[2]) + fabs(sum), felt_error(r));
    p->balance_size = fmax(p->balance_size, size);
    p->balance_lost |= !isfinite(off) || r->full->mech->unbalanced;
    if (off > p->balance) {
        p->balance = off;
        p->balance_at = t;
    }
}

double run_balance(const run_report *p) {
    if (p->samples == 0 || p->balance_lost)
        return NAN;
    return p->balance_size > DBL_MIN ? p->balance / p->balance_size : 0;
}

/* Of the shipped models all are off by less than 36 tolerances with rk8. Rounding alone may be more than a
 * thousand of the smallest ones. */
void run_warn_balance(running *r) {
    static const double MOST = 1000, ROUNDING = 1e-10;
    double off = run_balance(r->report);
    if (r->report->end != RUN_DONE || !(off > fmax(MOST * r->options->tolerance, ROUNDING)))
        return;
    const char *warning =
        arena_print(r->arena,
                    "the energy is off by %.2g of its size at t = %.6g%s: more than 1000 tolerances, so the "
                    "motion is less accurate than the tolerance suggests",
                    off, r->report->balance_at, r->sys->work_count ? ", with the work that was done" : "");
    vec_push(r->arena, r->report->warnings, warning);
}
