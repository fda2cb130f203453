/* linearize: about which state, with which inputs and outputs. */
#include "api/objects.h"
#include "api/ports.h"
#include "report/linearize.h"

#include <math.h>
#include <string.h>

// a time within the run; false, with messages, if it is none
static bool read_time(trm_result *r, const trm_run_def *def, const run_options *o, double *time) {
    const model *m = r->model->model;
    if (!model_number(r->arena, m, SETTING "at", def->at, &r->diags, time)) {
        r->diags.list.at[r->diags.list.count - 1].hint = "write start, equilibrium, or a time";
        return false;
    }
    if (*time < o->from)
        diag_error(&r->diags, (place){0}, "%s %.15g lies before the start of the run, %.15g", SETTING "at",
                   *time, o->from);
    else if (m->simulate.given && *time > o->until)
        diag_error(&r->diags, (place){0}, "%s %.15g lies beyond the end of the run, %.15g", SETTING "at",
                   *time, o->until)
            ->hint = "the model says 'simulate until' that time";
    else
        return true;
    return false;
}

// runs there, and lets the system start from there
static trm_status run_to(trm_result *r, const trm_run_def *def, run_options *o, trm_system *sys,
                         double time) {
    trm_system *other = model_system(r->model, r->arena, def->exact, time - o->from, 0, EVALUATE_AUTO);
    run_options until = *o;
    other->rank = sys->rank;
    other->start_q = sys->start_q;
    other->start_v = sys->start_v;
    until.until = time;
    until.every = time - o->from;
    run_report *run = run_simulation(r->arena, other, solve_new_state(r->arena, other), &until);
    if (run->failure.failed)
        return study_told(r, &run->failure);
    if (run->end == RUN_STOPPED)
        return TRM_INTERRUPTED;
    if (run->time < time) {
        diag_error(&r->diags, (place){0}, "%s %.15g is not reached: the run stops at t = %.9g", SETTING "at",
                   time, run->time);
        return TRM_NO_SOLUTION;
    }
    sys->start_q = run->q;
    sys->start_v = run->v;
    sys->start_turns = run->turns;
    o->from = r->findings.from = time;
    return TRM_OK;
}

typedef struct {
    const char *about;
    bool still;
} place_of;

static trm_status go_there(trm_result *r, const trm_run_def *def, run_options *o, trm_system *sys,
                           place_of *out) {
    double time;
    *out = (place_of){.about = r->model->model->simulate.equilibrium ? "the equilibrium from the start"
                                                                     : "the start"};
    if (def->at == NULL || strcmp(def->at, "start") == 0)
        return TRM_OK;
    if (strcmp(def->at, "equilibrium") == 0) {
        out->about = "the equilibrium from the start";
        return study_settle(r, def, o, sys, &out->still);
    }
    if (!read_time(r, def, o, &time))
        return TRM_WRONG_MODEL;
    out->about = "the state of the run";
    return time > o->from ? run_to(r, def, o, sys, time) : TRM_OK;
}

static trm_status conduct(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    ports with;
    place_of where;
    if (!ports_find(r, def, o->until - o->from, &with))
        return TRM_WRONG_MODEL;
    trm_status status = go_there(r, def, o, sys, &where);
    if (status != TRM_OK)
        return status;
    if (def->expected)
        def->expected(def->progress_context, linear_seconds(sys));
    linear_prepare(sys);
    linear_report *found = linear_system(r->arena, sys, solve_new_state(r->arena, sys), o->from, o->tolerance,
                                         where.still, &with);
    found->about = where.about;
    r->report = found;
    return study_told(r, &found->failure);
}

static void warn(trm_result *r) {
    const linear_report *found = r->report;
    if (r->study != &study_linearize) // no equilibrium was found: that is what is told
        return;
    r->findings.idle = found->idle;
    r->findings.about = found->about;
    findings_warn(&r->findings, r->arena, &found->start, found->rank, found->mass_singular);
    linear_warn(&r->findings, r->arena, found);
}

static const char *summary(const trm_result *r) {
    return linear_summary(r->arena, &r->findings, r->report);
}

static const char *as_json(const trm_result *r) {
    return linear_json(r->arena, &r->findings, r->report);
}

const char *study_matrices(const trm_result *r) {
    const linear_report *found = r->study == &study_linearize ? r->report : NULL;
    return found && found->response ? linear_csv(r->arena, found) : "";
}

const study study_linearize = {"linearize", NEEDS_FULL, conduct, warn, summary, as_json};
