#include "api/studies.h"

#include "api/form.h"
#include "api/kept.h"
#include "api/objects.h"
#include "api/ports.h"
#include "api/run_settings.h"
#include "api/session.h"
#include "linear/lapack.h"
#include "report/compare.h"
#include "report/equilibrium.h"
#include "report/joints.h"

#include <math.h>

// ---- what they share

static bool has_lapack(trm_result *r) {
    const char *hint, *missing = lapack_missing(&hint);
    if (missing)
        diag_error(&r->diags, (place){0}, "%s %s", r->study->name, missing)->hint = hint;
    return missing == NULL;
}

// what works with full matrices, if it is asked for, is refused where these would not fit
static bool within_reach(trm_result *r, const trm_system *sys, const char *what) {
    if (what == NULL || system_fits_full(sys))
        return true;
    diag_error(&r->diags, (place){0}, "%d coordinates with %d constraint rows are too many for %s", sys->n,
               sys->m, what)
        ->hint =
        arena_print(r->arena,
                    "some %d coordinates of this kind are not; the default formulation and rk8 have no "
                    "such limit",
                    system_full_most(sys));
    return false;
}

static const double GIGABYTE = (double)(1 << 30);

/* The same where it is known how many bytes they take. These grow as the square of the size, so that it can
 * be told which size would fit. */
static bool within_memory(trm_result *r, const trm_system *sys, const char *what, double bytes) {
    double left = (double)arena_left(r->arena);
    if (bytes <= left)
        return true;
    diag_error(&r->diags, (place){0},
               "%s takes %.1f GB for %d coordinates with %d constraint rows; it may take %.1f GB", what,
               bytes / GIGABYTE, sys->n, sys->m, left / GIGABYTE)
        ->hint =
        arena_print(r->arena,
                    "some %d coordinates of this kind fit; the default formulation alone has no such "
                    "limit",
                    (int)(sys->n * sqrt(left / bytes)) / 10 * 10);
    return false;
}

// full matrices, of equilibria and linear systems
static bool fits_full(trm_result *r, const trm_system *sys, const char *what) {
    return within_reach(r, sys, what) && within_memory(r, sys, what, linear_bytes(sys));
}

trm_status study_told(trm_result *r, const failure *f) {
    if (!f->failed)
        return TRM_OK;
    diag_error(&r->diags, f->at, "at t = %.9g: %s", f->time, f->message)->hint = f->hint;
    return f->unsuitable ? TRM_WRONG_MODEL : TRM_NO_SOLUTION;
}

trm_status study_settle(trm_result *r, const trm_run_def *def, const run_options *o, trm_system *sys,
                        bool *still) {
    trm_system *other = model_system(r->model, r->arena, def->exact, o->until - o->from, 0, EVALUATE_AUTO);
    if (other == NULL || !fits_full(r, other, study_equilibrium.name))
        return TRM_WRONG_MODEL;
    other->rank = sys->rank;
    equilibrium_prepare(other);
    equilibrium_report *found = equilibrium_start(r->arena, other, o->from, o->tolerance);
    sys->start_q = other->start_q;
    sys->start_v = other->start_v;
    *still = found->still;
    if (!found->failure.failed)
        return TRM_OK;
    r->study = &study_equilibrium;
    r->report = found;
    return study_told(r, &found->failure);
}

// the equilibrium that a model starts in, if it says so
static trm_status find_start(trm_result *r, const trm_run_def *def, const run_options *o, trm_system *sys) {
    bool still;
    if (r->begin_q) {
        sys->start_q = r->begin_q;
        sys->start_v = r->begin_v;
        return TRM_OK;
    }
    if (!r->model->model->simulate.equilibrium || r->study == &study_equilibrium)
        return TRM_OK;
    return study_settle(r, def, o, sys, &still);
}

// *status: whether there is a start
static trm_system *compiled(trm_result *r, const trm_run_def *def, run_options *o, bool jacobian,
                            trm_status *status) {
    double start = profile_clock();
    mech_tree *tree = NULL;
    model_derived(r->model); // done once per model
    r->findings.derive_seconds = profile_clock() - start;
    expr_pool_set_exact(r->model->model->pool, def->exact);
    *status = TRM_WRONG_MODEL;
    if (r->study->needs & NEEDS_FORM && !form_choose(r, def, o, &tree))
        return NULL;
    bool integrates = tree && r->study->needs & NEEDS_END;
    trm_system *sys = kept_system(r->model, r->arena, def->exact, o->until - o->from, o->every,
                                  integrates && !tree->asks ? EVALUATE_SHOWN : EVALUATE_AUTO);
    if (sys && o->rank > 0)
        sys->rank = o->rank;
    if (sys && (def->keep == TRM_KEEP_PLOTS || def->keep == TRM_KEEP_PAGE))
        system_add_views(sys); // before there is a state of it
    r->findings.sys = sys;
    r->findings.path = r->model->path;
    *status = sys ? find_start(r, def, o, sys) : TRM_WRONG_MODEL;
    if (*status != TRM_OK)
        return NULL;
    if (integrates)
        o->tree = form_compile(r, tree, sys, o);
    r->findings.tree = o->tree || !integrates ? tree : NULL;
    jacobian = jacobian && !o->tree;
    if (jacobian)
        system_add_slopes(sys);
    r->findings.read_seconds = r->model->seconds;
    r->findings.compile_seconds = profile_clock() - start;
    return sys;
}

static bool is_stopped(const volatile sig_atomic_t *stop) {
    return stop && *stop;
}

// what was stopped shows how far it came in time, or nothing
static trm_status stopped(trm_result *r) {
    if (!(r->study->needs & NEEDS_END))
        r->report = NULL;
    return TRM_INTERRUPTED;
}

trm_status study_prepare(trm_result *r, const trm_run_def *def, bool needs_end, run_options *o,
                         trm_system **sys) {
    const study *k = r->study;
    trm_status status;
    if ((k->needs & NEEDS_LAPACK && !has_lapack(r)) || !settings_read(r, def, needs_end, o))
        return TRM_WRONG_MODEL;
    r->findings.tolerance = o->tolerance;
    r->findings.from = o->from;
    *sys = compiled(r, def, o, k->needs & NEEDS_END && o->method->implicit, &status);
    if (*sys == NULL)
        return status;
    return k->needs & NEEDS_FULL && !fits_full(r, *sys, k->name) ? TRM_WRONG_MODEL : TRM_OK;
}

// up to where it is conducted
static trm_status ready(trm_result *r, const trm_run_def *def, run_options *o, trm_system **sys) {
    if (!ports_extend(r, def))
        return TRM_WRONG_MODEL;
    trm_status status = study_prepare(r, def, r->study->needs & NEEDS_END, o, sys);
    return status == TRM_OK && is_stopped(def->stop) ? TRM_INTERRUPTED : status; // before anything is written
}

static trm_status conducted(trm_result *r, trm_status status, const volatile sig_atomic_t *stop) {
    if (r->report && r->study->warn)
        r->study->warn(r);
    bool done = status == TRM_OK || status == TRM_EXPECTATION_FAILED;
    return done && is_stopped(stop) ? stopped(r) : status;
}

trm_status study_conduct(trm_result *r, const trm_run_def *def) {
    run_options o;
    trm_system *sys;
    trm_status status = ready(r, def, &o, &sys);
    return status == TRM_OK ? conducted(r, r->study->conduct(r, sys, def, &o), def->stop) : status;
}

// ---- assemble

static trm_status conduct_assemble(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    failure f = {0};
    trm_state *st = solve_new_state(r->arena, sys);
    start_state *start = arena_alloc(r->arena, sizeof *start);
    (void)def;
    state_set_cut(st, solve_run_cut(sys, o->tolerance));
    if (assemble(r->arena, sys, st, o->from, o->tolerance, start, &f))
        r->report = start;
    return study_told(r, &f);
}

static const char *nothing_to_say(const trm_result *r) {
    (void)r;
    return "";
}

const start_state *study_start(const trm_result *r) {
    return r->study == &study_assemble ? r->report : NULL;
}

// ---- run

static trm_status run_status(const trm_system *sys, const run_report *run) {
    if (run->end == RUN_STOPPED)
        return TRM_INTERRUPTED;
    if (run->end == RUN_FAILED)
        return run->failure.unsuitable && run->samples == 0 ? TRM_WRONG_MODEL : TRM_NO_SOLUTION;
    for (int i = 0; i < sys->model->expects.count; i++)
        if (!run->expects[i].holds)
            return TRM_EXPECTATION_FAILED;
    return TRM_OK;
}

static trm_status begin_run(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    double bytes = papers_workspace_bytes(sys->n, sys->m) + solve_use_bytes(sys);
    if (!within_reach(r, sys, o->method->implicit && !sys->sparse_slopes ? o->method->name : NULL) ||
        (r->formulation && !within_memory(r, sys, r->formulation->name, bytes)))
        return TRM_WRONG_MODEL;
    r->findings.formulation = r->formulation ? r->formulation->name : trm_formulation_at(0).name;
    r->findings.chosen = &r->chosen;
    r->findings.integrator = o->method->name;
    trm_status status = samples_open(r, def, o);
    if (status != TRM_OK)
        return status;
    r->drive = arena_alloc(r->arena, sizeof *r->drive);
    drive_begin(r->drive, r, sys, def, o);
    return TRM_OK;
}

static trm_status end_run(trm_result *r) {
    run_report *run = drive_end(r->drive, r);
    r->report = run->end == RUN_STOPPED && run->samples == 0 ? NULL : run;
    bool refused = r->samples.refused, written = samples_close(r, run->end != RUN_SINK_FAILED || refused);
    study_told(r, &run->failure);
    return !written ? TRM_IO_ERROR : refused ? TRM_INTERRUPTED : run_status(r->findings.sys, run);
}

static trm_status conduct_run(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    trm_status status = begin_run(r, sys, def, o);
    if (status != TRM_OK)
        return status;
    run_advance(r->drive->run, INFINITY);
    return end_run(r);
}

trm_status study_begin_run(trm_result *r, const trm_run_def *def) {
    run_options o;
    trm_system *sys;
    trm_status status = ready(r, def, &o, &sys);
    return status == TRM_OK ? begin_run(r, sys, def, &o) : status;
}

trm_status study_end_run(trm_result *r) {
    return conducted(r, end_run(r), r->stop);
}

static void warn_of_run(trm_result *r) {
    const run_report *run = r->report;
    r->findings.idle = run->idle;
    findings_warn(&r->findings, r->arena, &run->start, run->rank, run->mass_singular);
    joints_power_warn(&r->findings, r->arena, run->powers, r->findings.tolerance);
    for (int i = 0; i < run->warnings.count; i++)
        vec_push(r->arena, r->findings.warnings, run->warnings.at[i]);
}

static const char *summary_of_run(const trm_result *r) {
    return run_summary(r->arena, &r->findings, r->report);
}

static const char *json_of_run(const trm_result *r) {
    return run_json(r->arena, &r->findings, r->report);
}

const run_report *study_of_run(const trm_result *r) {
    return r->study == &study_run ? r->report : NULL;
}

// ---- check

static trm_status conduct_check(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    (void)def;
    check_report *found = check_system(r->arena, sys, solve_new_state(r->arena, sys), o->from, o->tolerance);
    r->report = found;
    return study_told(r, &found->failure);
}

static void warn_of_check(trm_result *r) {
    const check_report *found = r->report;
    r->findings.idle = found->idle;
    findings_warn(&r->findings, r->arena, &found->start, found->rank, found->mass_singular);
    joints_power_warn(&r->findings, r->arena, found->powers, r->findings.tolerance);
}

static const char *summary_of_check(const trm_result *r) {
    return check_summary(r->arena, &r->findings, r->report);
}

static const char *json_of_check(const trm_result *r) {
    return check_json(r->arena, &r->findings, r->report);
}

// ---- compare

static trm_status conduct_compare(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    if (!within_memory(r, sys, r->study->name, compare_bytes(r->arena, sys)))
        return TRM_WRONG_MODEL;
    if (def->expected) {
        long states = def->along ? 1 + run_sample_count(o) : 1;
        def->expected(def->progress_context, compare_seconds(sys, states));
    }
    comparison *found =
        compare_system(r->arena, sys, o->from, o->tolerance, &r->chosen, def->along ? o : NULL);
    r->report = found;
    return study_told(r, &found->failure);
}

static const char *summary_of_compare(const trm_result *r) {
    return compare_summary(r->arena, &r->findings, r->report);
}

static const char *json_of_compare(const trm_result *r) {
    return compare_json(r->arena, &r->findings, r->report);
}

// ---- equilibrium

static trm_status conduct_equilibrium(trm_result *r, trm_system *sys, const trm_run_def *def,
                                      run_options *o) {
    (void)def;
    equilibrium_prepare(sys);
    equilibrium_report *found = equilibrium_find(r->arena, sys, o->from, o->tolerance);
    r->report = found;
    return study_told(r, &found->failure);
}

static void warn_of_equilibrium(trm_result *r) {
    const equilibrium_report *found = r->report;
    const linear_report *l = found->linear;
    r->findings.idle = l ? l->idle : NULL;
    r->findings.about = "the equilibrium";
    if (l && l->rank)
        findings_warn(&r->findings, r->arena, &l->start, l->rank, l->mass_singular);
    equilibrium_warn(&r->findings, r->arena, found);
}

static const char *summary_of_equilibrium(const trm_result *r) {
    return equilibrium_summary(r->arena, &r->findings, r->report);
}

static const char *json_of_equilibrium(const trm_result *r) {
    return equilibrium_json(r->arena, &r->findings, r->report);
}

const char *study_model(const trm_result *r, const char *path) {
    const equilibrium_report *found = r->study == &study_equilibrium ? r->report : NULL;
    return found && found->found ? equilibrium_model(r->arena, &r->findings, found, path) : "";
}

// ---- the table

const study study_run = {"run",       NEEDS_END | NEEDS_FORM, conduct_run,
                         warn_of_run, summary_of_run,         json_of_run};
const study study_assemble = {"assemble", 0, conduct_assemble, NULL, nothing_to_say, nothing_to_say};
const study study_check = {"check",       NEEDS_FORM,       conduct_check,
                           warn_of_check, summary_of_check, json_of_check};
const study study_compare = {"compare", NEEDS_LAPACK | COMPARES, conduct_compare,
                             NULL,      summary_of_compare,      json_of_compare};
const study study_compare_along = {"compare",          NEEDS_LAPACK | NEEDS_END | COMPARES,
                                   conduct_compare,    NULL,
                                   summary_of_compare, json_of_compare};
const study study_equilibrium = {"equilibrium",          NEEDS_FULL,
                                 conduct_equilibrium,    warn_of_equilibrium,
                                 summary_of_equilibrium, json_of_equilibrium};
