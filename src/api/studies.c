#include "api/studies.h"

#include "api/form.h"
#include "api/objects.h"
#include "api/run_settings.h"
#include "linear/lapack.h"
#include "report/compare.h"
#include "report/joints.h"
#include "report/linearize.h"

#include <math.h>

// ---- what they share

static trm_system *compiled(trm_result *r, const trm_run_def *def, run_options *o, bool jacobian) {
    double start = profile_clock();
    mech_tree *tree = NULL;
    model_derived(r->model); // done once per model
    r->findings.derive_seconds = profile_clock() - start;
    expr_pool_set_exact(r->model->model->pool, def->exact);
    if (r->study->needs & NEEDS_FORM && !form_choose(r, def, o, &tree))
        return NULL;
    bool integrates = tree && r->study->needs & NEEDS_END;
    trm_system *sys = model_system(r->model, r->arena, def->exact, o->until - o->from,
                                   integrates ? EVALUATE_SHOWN : EVALUATE_AUTO);
    if (sys && o->rank > 0)
        sys->rank = o->rank;
    if (sys && def->keep != TRM_KEEP_NOTHING)
        system_add_views(sys); // before there is a state of it
    if (sys && integrates)
        o->tree = form_compile(r, tree, sys, o);
    r->findings.tree = o->tree || !integrates ? tree : NULL;
    jacobian = jacobian && !o->tree;
    if (sys && jacobian)
        system_add_jacobian(sys);
    r->findings.sys = sys;
    r->findings.path = r->model->path;
    r->findings.read_seconds = r->model->seconds;
    r->findings.compile_seconds = profile_clock() - start;
    return sys;
}

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
        ->hint = "a few thousand are not; the default formulation and rk8 have no such limit";
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

static trm_status told(trm_result *r, const failure *f) {
    if (!f->failed)
        return TRM_OK;
    diag_error(&r->diags, f->at, "at t = %.9g: %s", f->time, f->message)->hint = f->hint;
    return TRM_NO_SOLUTION;
}

static bool is_stopped(const trm_run_def *def) {
    return def->stop && *def->stop;
}

// what was stopped shows how far it came in time, or nothing
static trm_status stopped(trm_result *r) {
    if (!(r->study->needs & NEEDS_END))
        r->report = NULL;
    return TRM_INTERRUPTED;
}

trm_status study_conduct(trm_result *r, const trm_run_def *def) {
    const study *k = r->study;
    run_options o;
    bool needs_end = k->needs & NEEDS_END;
    if ((k->needs & NEEDS_LAPACK && !has_lapack(r)) || !settings_read(r, def, needs_end, &o))
        return TRM_WRONG_MODEL;
    trm_system *sys = compiled(r, def, &o, needs_end && o.method->implicit);
    if (sys == NULL || !within_reach(r, sys, k->needs & NEEDS_FULL ? k->name : NULL))
        return TRM_WRONG_MODEL;
    if (is_stopped(def)) // before anything is written
        return TRM_INTERRUPTED;
    r->findings.tolerance = o.tolerance;
    r->findings.from = o.from;
    trm_status status = k->conduct(r, sys, def, &o);
    if (r->report && k->warn)
        k->warn(r);
    bool done = status == TRM_OK || status == TRM_EXPECTATION_FAILED;
    return done && is_stopped(def) ? stopped(r) : status;
}

// ---- run

// with its time and, if asked for, where that went
static run_report *simulate(trm_result *r, const trm_system *sys, const trm_run_def *def,
                            const run_options *o) {
    profile *parts = def->profile ? arena_alloc(r->arena, sizeof *parts) : NULL;
    double start = profile_clock(), *writing = &r->samples.seconds;
    if (parts)
        *parts = (profile){.now = PROFILE_START, .since = profile_clock()};
    arena *of_state = arena_child(r->arena);
    trm_state *st = o->tree ? o->start_state : solve_new_state(of_state, sys);
    run_options with_tree = *o;
    if (o->tree) {
        with_tree.tree_state = solve_new_state(of_state, o->tree);
        state_set_profile(with_tree.tree_state, parts);
    }
    if (r->formulation)
        solve_use(sys, st, r->formulation, NULL);
    state_set_profile(st, parts);
    if (parts)
        profile_turn_to(parts, PROFILE_STEPS);
    run_report *run = run_simulation(r->arena, sys, st, &with_tree);
    arena_free(of_state);
    if (parts) {
        profile_turn_to(parts, PROFILE_STEPS);
        parts->seconds[PROFILE_SAMPLE] -= *writing;
    }
    r->findings.simulate_seconds = profile_clock() - start - *writing;
    r->findings.write_seconds = *writing;
    r->findings.profile = parts;
    return run;
}

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

static trm_status conduct_run(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    double bytes = papers_workspace_bytes(sys->n, sys->m) + solve_use_bytes(sys);
    if (!within_reach(r, sys, o->method->implicit ? o->method->name : NULL) ||
        (r->formulation && !within_memory(r, sys, r->formulation->name, bytes)))
        return TRM_WRONG_MODEL;
    r->findings.formulation = r->formulation ? r->formulation->name : trm_formulation_at(0).name;
    r->findings.integrator = o->method->name;
    trm_status status = samples_open(r, def, o);
    if (status != TRM_OK)
        return status;
    run_report *run = simulate(r, sys, def, o);
    r->report = run->end == RUN_STOPPED && run->samples == 0 ? NULL : run;
    bool written = samples_close(r, run->end != RUN_SINK_FAILED);
    told(r, &run->failure);
    return written ? run_status(sys, run) : TRM_IO_ERROR;
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
    return told(r, &found->failure);
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
        def->expected(def->progress_context, (double)states * compare_seconds(sys));
    }
    comparison *found = compare_system(r->arena, sys, o->from, o->tolerance, def->along ? o : NULL);
    r->report = found;
    return told(r, &found->failure);
}

static const char *summary_of_compare(const trm_result *r) {
    return compare_summary(r->arena, &r->findings, r->report);
}

static const char *json_of_compare(const trm_result *r) {
    return compare_json(r->arena, &r->findings, r->report);
}

// ---- linearize

static trm_status conduct_linearize(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o) {
    (void)def;
    linear_prepare(sys);
    linear_report *found =
        linear_system(r->arena, sys, solve_new_state(r->arena, sys), o->from, o->tolerance);
    r->report = found;
    return told(r, &found->failure);
}

static void warn_of_linearize(trm_result *r) {
    const linear_report *found = r->report;
    r->findings.idle = found->idle;
    findings_warn(&r->findings, r->arena, &found->start, found->rank, found->mass_singular);
    linear_warn(&r->findings, r->arena, found);
}

static const char *summary_of_linearize(const trm_result *r) {
    return linear_summary(r->arena, &r->findings, r->report);
}

static const char *json_of_linearize(const trm_result *r) {
    return linear_json(r->arena, &r->findings, r->report);
}

// ---- the table

const study study_run = {"run",       NEEDS_END | NEEDS_FORM, conduct_run,
                         warn_of_run, summary_of_run,         json_of_run};
const study study_check = {"check",       NEEDS_FORM,       conduct_check,
                           warn_of_check, summary_of_check, json_of_check};
const study study_compare = {"compare", NEEDS_LAPACK,       conduct_compare,
                             NULL,      summary_of_compare, json_of_compare};
const study study_compare_along = {"compare", NEEDS_LAPACK | NEEDS_END, conduct_compare,
                                   NULL,      summary_of_compare,       json_of_compare};
const study study_linearize = {"linearize",       NEEDS_LAPACK | NEEDS_FULL, conduct_linearize,
                               warn_of_linearize, summary_of_linearize,      json_of_linearize};
