/* The functions of include/trammel, putting the rooms together. Each call that may run out of memory sets the
 * recover point of the arena it works in; what was allocated stays with the object until it is freed. */
#include <trammel/trammel.h>

#include "base/file.h"
#include "code/native.h"
#include "import/import.h"
#include "report/compare.h"
#include "report/csv.h"
#include "report/equations.h"
#include "report/figure.h"
#include "report/joints.h"
#include "report/linear.h"
#include "report/mathml.h"
#include "report/page.h"
#include "report/sketch.h"
#include "solve/papers/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#ifndef TRAMMEL_VERSION
#define TRAMMEL_VERSION "unknown"
#endif

/* No model may take more than this, so that a wrong bound does not fill the memory. */
static const size_t MODEL_LIMIT = (size_t)8 << 30;

static const double LEAST_TOLERANCE = 1e-14, LEAST_SPAN = 1e-13, MOST_SAMPLES = 2e11;

struct trm_model {
    arena *arena;
    const char *path;
    const source *source;
    model *model;     // NULL if the file could not be read
    diags problems;   // of reading the file itself
    const mech *mech; // NULL before it is derived
    int told;         // messages of reading; those of deriving follow
    bool wrong;       // as read
    double seconds;
};

/* Where samples go. Time spent on writing is not simulation. */
typedef struct {
    csv csv;
    double seconds;
    record *record; // NULL: nothing is kept
} outlet;

struct trm_result {
    arena *arena;
    trm_model *model;
    findings findings;
    const formulation *formulation; // NULL: the default solver
    run_report *run;
    check_report *check;
    comparison *comparison;
    linear_report *linear;
    diags diags;
    outlet samples;
};

const char *trm_version(void) {
    return TRAMMEL_VERSION;
}

const char *trm_parts(void) {
    static const char *const parts[2][2] = {
        {"none", "import (libxml2)"}, {"bdf, adams (SUNDIALS)", "bdf, adams (SUNDIALS), import (libxml2)"}};
    const char *hint;
    return parts[integrator_bdf.missing(&hint) == NULL][import_missing(&hint) == NULL];
}

const char *trm_kernels(void) {
    static const char *const up_to[PATHS] = {
        [PATH_TAPE] = "tape",
        [PATH_SCALAR] = "tape, scalar",
        [PATH_AVX2] = "tape, scalar, avx2",
        [PATH_AVX512] = "tape, scalar, avx2, avx512",
    };
    return up_to[native_allowed() ? native_best() : PATH_TAPE];
}

const char *trm_kernel(void) {
    return native_name(native_allowed() ? native_chosen() : PATH_TAPE);
}

const char *trm_closest(const char *word, const char *const *among, int count) {
    name_guess best = {0};
    for (int i = 0; i < count; i++)
        names_offer(&best, word, among[i]);
    return best.text;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- models

static trm_status read_model(trm_model *m, const char *path, const char *given, const trm_setting *settings,
                             int count) {
    double start = now();
    m->path = arena_copy(m->arena, path, strlen(path));
    m->problems.arena = m->arena;
    const char *why = NULL;
    if (given) {
        source *s = arena_alloc(m->arena, sizeof *s);
        *s = (source){m->path, arena_copy(m->arena, given, strlen(given)), (int)strlen(given)};
        m->source = s;
    } else {
        m->source = file_read(m->arena, path, &why);
    }
    if (m->source == NULL) {
        diag_error(&m->problems, (place){0}, "cannot read '%s': %s", path, why);
        return TRM_IO_ERROR;
    }
    model_setting *own = arena_array(m->arena, model_setting, count + 1);
    for (int i = 0; i < count; i++)
        own[i] = (model_setting){arena_copy(m->arena, settings[i].name, strlen(settings[i].name)),
                                 arena_copy(m->arena, settings[i].value, strlen(settings[i].value))};
    m->model = mech_read(m->arena, m->source, own, count);
    m->told = m->model->diags.list.count;
    m->seconds = now() - start;
    m->wrong = m->model->diags.errors > 0;
    return m->wrong ? TRM_WRONG_MODEL : TRM_OK;
}

static trm_status new_model(const char *path, const char *given, const trm_setting *settings, int count,
                            trm_model **out) {
    *out = NULL;
    arena *a = arena_new(MODEL_LIMIT);
    if (a == NULL)
        return TRM_NO_MEMORY;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) {
        arena_free(a);
        return TRM_NO_MEMORY;
    }
    arena_recover(a, &out_of_memory);
    trm_model *m = arena_alloc(a, sizeof *m);
    m->arena = a;
    trm_status status = read_model(m, path, given, settings, count);
    arena_recover(a, NULL);
    *out = m;
    return status;
}

trm_status trm_model_read(const char *path, const trm_setting *settings, int count, trm_model **out) {
    return new_model(path, NULL, settings, count, out);
}

trm_status trm_model_read_text(const char *name, const char *given, const trm_setting *settings, int count,
                               trm_model **out) {
    return new_model(name, given, settings, count, out);
}

void trm_model_free(trm_model *m) {
    if (m)
        arena_free(m->arena);
}

/* For functions that return a text: runs body with memory guarded, gives NULL without memory. */
#define GUARDED(arena_of, failed)                                                                            \
    jmp_buf out_of_memory;                                                                                   \
    if (setjmp(out_of_memory)) {                                                                             \
        arena_recover((arena_of), NULL);                                                                     \
        return (failed);                                                                                     \
    }                                                                                                        \
    arena_recover((arena_of), &out_of_memory)

const char *trm_model_messages(trm_model *m, int colour) {
    GUARDED(m->arena, "out of memory\n");
    return diags_text(m->model ? &m->model->diags : &m->problems, m->arena, colour);
}

const char *trm_model_title(const trm_model *m) {
    return m->model && m->model->title ? m->model->title : "";
}

int trm_model_coordinates(const trm_model *m) {
    return m->model ? m->model->coords.count : 0;
}

int trm_model_rows(const trm_model *m) {
    return m->model ? m->model->rows.count : 0;
}

const char *trm_model_coordinate_name(trm_model *m, int i) {
    if (i < 0 || i >= trm_model_coordinates(m))
        return "";
    GUARDED(m->arena, "");
    return model_coord_name(m->model, i, m->arena);
}

const char *trm_model_row_name(trm_model *m, int i) {
    if (i < 0 || i >= trm_model_rows(m))
        return "";
    GUARDED(m->arena, "");
    text t;
    text_init(&t, m->arena);
    model_row_name(m->model, i, &t);
    return text_string(&t);
}

// derives once; NULL if the model turns out to be wrong
static const mech *derived(trm_model *m) {
    if (m->model == NULL || m->wrong)
        return NULL;
    if (m->mech == NULL) {
        m->model->diags.list.count = m->told; // an attempt that ran out of memory may have told some of it
        m->model->diags.errors = 0;
        m->mech = mech_derive(m->arena, m->model);
    }
    return m->model->diags.errors == 0 ? m->mech : NULL;
}

const char *trm_model_equations(trm_model *m, trm_notation notation) {
    GUARDED(m->arena, NULL);
    const mech *d = derived(m);
    if (d == NULL)
        return NULL;
    const char *written =
        equations_text(m->arena, m->model, d, notation == TRM_TEXT ? PRINT_TEXT : PRINT_LATEX);
    return notation == TRM_MATHML ? mathml_from_latex(m->arena, written) : written;
}

int trm_model_plots(const trm_model *m) {
    return m->model ? m->model->plots.count : 0;
}

trm_status trm_model_number(trm_model *m, const char *given, double *out) {
    if (m->model == NULL)
        return TRM_IO_ERROR;
    GUARDED(m->arena, TRM_NO_MEMORY);
    diags d = {.arena = m->arena};
    return model_number(m->arena, m->model, "expression", given, &d, out) ? TRM_OK : TRM_WRONG_MODEL;
}

// ---- accelerations and forces

static trm_system *system_of(trm_model *m, arena *a, bool exact) { // NULL if the model has none
    const mech *d = derived(m);
    if (d == NULL)
        return NULL;
    expr_pool_set_exact(m->model->pool, exact);
    return system_new(a, m->model, d, EVALUATE_AUTO);
}

trm_status trm_system_create(trm_model *m, trm_system **out) {
    *out = NULL;
    GUARDED(m->arena, TRM_NO_MEMORY);
    *out = system_of(m, m->arena, false);
    return *out ? TRM_OK : TRM_WRONG_MODEL;
}

void trm_system_free(trm_system *s) {
    (void)s; // its memory is the model's
}

trm_status trm_state_create(const trm_system *s, trm_state **out) {
    *out = NULL;
    arena *a = arena_new(MODEL_LIMIT);
    if (a == NULL)
        return TRM_NO_MEMORY;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) {
        arena_free(a);
        return TRM_NO_MEMORY;
    }
    arena_recover(a, &out_of_memory);
    *out = state_new(a, s);
    arena_recover(a, NULL);
    return TRM_OK;
}

void trm_state_free(trm_state *st) {
    if (st)
        arena_free(st->arena);
}

trm_status trm_acceleration(const trm_system *s, trm_state *st, double t, const double *q, const double *v,
                            double *qdd, double *reaction, double *multiplier) {
    solve_status status = solve_acceleration(s, st, t, q, v);
    st->error = status;
    if (status != SOLVE_OK)
        return TRM_NO_SOLUTION;
    if (reaction || multiplier)
        solve_forces(s, st);
    if (qdd)
        memcpy(qdd, st->qdd, (size_t)s->n * sizeof *qdd);
    if (reaction && reaction != st->reaction)
        memcpy(reaction, st->reaction, (size_t)s->n * sizeof *qdd);
    if (multiplier)
        memcpy(multiplier, st->multiplier, (size_t)s->m * sizeof *qdd);
    return TRM_OK;
}

trm_status trm_control(const trm_system *s, trm_state *st, double t, const double *q, const double *v,
                       double *control, double *back, double *forward) {
    size_t bytes = (size_t)s->n * sizeof(double);
    trm_status status = trm_acceleration(s, st, t, q, v, NULL, st->reaction, NULL);
    if (status != TRM_OK)
        return status;
    if (back || forward)
        solve_control_parts(s, st, st->back, st->forward);
    if (control)
        memcpy(control, st->control, bytes);
    if (back)
        memcpy(back, st->back, bytes);
    if (forward)
        memcpy(forward, st->forward, bytes);
    return TRM_OK;
}

const char *trm_state_error(const trm_state *st) {
    switch (st->error) {
    case SOLVE_OK:
        return "";
    case SOLVE_NOT_FINITE:
        return "a mass, force or constraint is not finite";
    case SOLVE_UNDETERMINED:
        return "the motion is not unique: [M; A] lacks full rank";
    case SOLVE_INDEFINITE:
        return "the mass matrix is indefinite";
    case SOLVE_WEIGHT:
        return "a weight is negative";
    default:
        return "the quasi-velocities do not determine the velocities";
    }
}

// ---- simulation

trm_run_def trm_run_def_default(void) {
    return (trm_run_def){.integrator = "rk8", .formulation = "default"};
}

static bool option_number(trm_result *r, const char *option, const char *given, double least, double *out) {
    if (given == NULL)
        return true;
    if (!model_number(r->arena, r->model->model, option, given, &r->diags, out))
        return false;
    if (*out > least)
        return true;
    diag_error(&r->diags, (place){0}, "%s must be larger than 0, not %.15g", option, *out);
    return false;
}

static const integrator_ops *method_named(trm_result *r, const char *name) {
    static const integrator_ops *const methods[] = {&integrator_rk8, &integrator_rk5, &integrator_bdf,
                                                    &integrator_adams};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(name, methods[i]->name) != 0)
            continue;
        const char *hint, *missing = methods[i]->missing ? methods[i]->missing(&hint) : NULL;
        if (missing == NULL)
            return methods[i];
        diag_error(&r->diags, (place){0}, "--integrator %s %s", name, missing)->hint = hint;
        return NULL;
    }
    diag_error(&r->diags, (place){0}, "there is no integrator '%s'", name)->hint =
        "rk8, rk5, bdf and adams are there";
    return NULL;
}

// NULL for the default solver
static bool formulation_named(trm_result *r, const char *name, const formulation **out) {
    *out = formulation_find(name);
    if (*out == NULL && strcmp(name, "default") != 0) {
        text known;
        text_init(&known, r->arena);
        text_add(&known, "there are default");
        for (int i = 0; i < FORMULATIONS; i++)
            text_print(&known, ", %s", formulations[i]->name);
        diag_error(&r->diags, (place){0}, "there is no formulation '%s'", name)->hint = text_string(&known);
        return false;
    }
    const char *hint, *missing = *out ? lapack_missing(&hint) : NULL;
    if (missing)
        diag_error(&r->diags, (place){0}, "--formulation %s %s", name, missing)->hint = hint;
    return missing == NULL;
}

static bool run_settings(trm_result *r, const trm_run_def *def, run_options *o, bool needs_end) {
    const model *m = r->model->model;
    *o = (run_options){.from = m->simulate.from, .until = m->simulate.until, .every = m->simulate.every};
    o->tolerance = m->simulate.tolerance > 0 ? m->simulate.tolerance : 1e-9;
    bool ok = option_number(r, "--from", def->from, -INFINITY, &o->from);
    ok &= option_number(r, "--until", def->until, -INFINITY, &o->until);
    ok &= option_number(r, "--every", def->every, 0, &o->every);
    ok &= option_number(r, "--tolerance", def->tolerance, 0, &o->tolerance);
    if (ok && o->tolerance < LEAST_TOLERANCE) {
        diag_error(&r->diags, (place){0}, "a tolerance of %.3g is below rounding", o->tolerance)->hint =
            "1e-14 is the least that double precision allows";
        ok = false;
    }
    if (needs_end && !m->simulate.given && def->until == NULL) {
        diag_error(&r->diags, (place){0}, "when does the run end?")->hint =
            "give --until T, or write 'simulate until T' in the model";
        ok = false;
    }
    if (ok && o->until < o->from) {
        diag_error(&r->diags, (place){0}, "the end time %.15g lies before the start %.15g", o->until,
                   o->from);
        ok = false;
    }
    if (ok && o->until > o->from &&
        !(o->until - o->from > LEAST_SPAN * (fabs(o->from) + fabs(o->until)) + DBL_MIN)) {
        diag_error(&r->diags, (place){0}, "the span from %.15g to %.15g is too short for a run", o->from,
                   o->until);
        ok = false;
    }
    if (ok && o->every > 0 && (o->until - o->from) / o->every > MOST_SAMPLES) {
        diag_error(&r->diags, (place){0}, "a sample every %.3g gives more than %.0g samples", o->every,
                   MOST_SAMPLES)
            ->hint = "give a longer interval, as in --every 0.01";
        ok = false;
    }
    if (!(o->every > 0))
        o->every = (o->until - o->from) / 1000;
    if (!(o->every > 0))
        o->every = 1;
    o->method = method_named(r, def->integrator ? def->integrator : "rk8");
    ok &= formulation_named(r, def->formulation ? def->formulation : "default", &r->formulation);
    o->progress = def->progress;
    o->progress_context = def->progress_context;
    o->stop = def->stop;
    return ok && o->method;
}

static bool take_sample(void *context, const sample *s) {
    outlet *out = context;
    double start = now();
    bool taken = out->csv.file == NULL || csv_take(&out->csv, s);
    if (taken && out->record)
        record_take(out->record, s);
    out->seconds += now() - start;
    return taken;
}

static trm_system *compiled(trm_result *r, const trm_run_def *def, bool jacobian) {
    double start = now();
    derived(r->model); // done once per model
    r->findings.derive_seconds = now() - start;
    trm_system *sys = system_of(r->model, r->arena, def->exact);
    if (sys && jacobian)
        system_add_jacobian(sys);
    if (sys && def->keep != TRM_KEEP_NOTHING)
        system_add_views(sys);
    r->findings.sys = sys;
    r->findings.path = r->model->path;
    r->findings.read_seconds = r->model->seconds;
    r->findings.compile_seconds = now() - start;
    return sys;
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

static void tell_failure(trm_result *r, const failure *f) {
    if (!f->failed)
        return;
    diag *d = diag_error(&r->diags, f->at, "at t = %.9g: %s", f->time, f->message);
    d->hint = f->hint;
}

static trm_status run_status(trm_result *r, csv *out, bool written) {
    const run_report *run = r->run;
    if (!written || run->end == RUN_SINK_FAILED) {
        diag_error(&r->diags, (place){0}, "cannot write '%s': %s", out->path, strerror(out->error));
        return TRM_IO_ERROR;
    }
    if (run->end == RUN_STOPPED)
        return TRM_INTERRUPTED;
    if (run->end == RUN_FAILED)
        return run->failure.unsuitable && run->samples == 0 ? TRM_WRONG_MODEL : TRM_NO_SOLUTION;
    for (int i = 0; i < r->findings.sys->model->expects.count; i++)
        if (!run->expects[i].holds)
            return TRM_EXPECTATION_FAILED;
    return TRM_OK;
}

static bool same_file(const char *one, const char *other) {
    struct stat a, b;
    return other && stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static void keep_samples(trm_result *r, const trm_run_def *def, const run_options *o) {
    record_extent extent = def->keep == TRM_KEEP_PLOTS ? RECORD_PLOTS : RECORD_PAGE;
    r->samples.record = arena_alloc(r->arena, sizeof *r->samples.record);
    record_init(r->samples.record, r->arena, r->findings.sys, extent, (double)run_sample_count(o));
}

static trm_status open_samples(trm_result *r, const trm_run_def *def, run_options *o) {
    outlet *out = &r->samples;
    if (def->keep != TRM_KEEP_NOTHING)
        keep_samples(r, def, o);
    if (def->csv || out->record)
        o->sink = (sink){take_sample, out};
    if (def->csv == NULL)
        return TRM_OK;
    if (same_file(def->csv, r->model->path)) {
        diag_error(&r->diags, (place){0}, "'%s' is the model itself; it is not overwritten", def->csv);
        return TRM_WRONG_MODEL;
    }
    if (!csv_open(&out->csv, r->arena, r->findings.sys, def->csv)) {
        diag_error(&r->diags, (place){0}, "cannot write '%s': %s", def->csv, strerror(out->csv.error));
        csv_close(&out->csv);
        return TRM_IO_ERROR;
    }
    return TRM_OK;
}

// the run itself, with its time and, if asked for, where that went
static void simulate_timed(trm_result *r, const trm_run_def *def, const run_options *o) {
    const trm_system *sys = r->findings.sys;
    profile *parts = def->profile ? arena_alloc(r->arena, sizeof *parts) : NULL;
    double start = now(), *writing = &r->samples.seconds;
    if (parts)
        *parts = (profile){.now = PROFILE_START, .since = profile_clock()};
    arena *of_state = arena_child(r->arena);
    trm_state *st = state_new(of_state, sys);
    if (r->formulation)
        state_use(sys, st, r->formulation);
    st->profile = parts;
    if (parts)
        profile_turn_to(parts, PROFILE_STEPS);
    r->run = run_simulation(r->arena, sys, st, o);
    arena_free(of_state);
    if (parts) {
        profile_turn_to(parts, PROFILE_STEPS);
        parts->seconds[PROFILE_SAMPLE] -= *writing;
    }
    r->findings.simulate_seconds = now() - start - *writing;
    r->findings.write_seconds = *writing;
    r->findings.profile = parts;
}

static trm_status simulate(trm_result *r, const trm_run_def *def) {
    run_options o;
    if (!run_settings(r, def, &o, true))
        return TRM_WRONG_MODEL;
    trm_system *sys = compiled(r, def, o.method->implicit);
    if (sys == NULL || !within_reach(r, sys, o.method->implicit ? o.method->name : NULL) ||
        !within_reach(r, sys, r->formulation ? r->formulation->name : NULL))
        return TRM_WRONG_MODEL;
    r->findings.formulation = r->formulation ? r->formulation->name : "default";
    r->findings.integrator = o.method->name;
    r->findings.tolerance = o.tolerance;
    r->findings.from = o.from;
    trm_status status = open_samples(r, def, &o);
    if (status != TRM_OK)
        return status;
    simulate_timed(r, def, &o);
    bool written = def->csv == NULL || csv_close(&r->samples.csv);
    r->findings.idle = r->run->idle;
    findings_warn(&r->findings, r->arena, &r->run->start, r->run->rank, r->run->mass_singular);
    joints_power_warn(&r->findings, r->arena, r->run->powers, r->findings.tolerance);
    for (int i = 0; i < r->run->warnings.count; i++)
        vec_push(r->arena, r->findings.warnings, r->run->warnings.at[i]);
    tell_failure(r, &r->run->failure);
    return run_status(r, &r->samples.csv, written);
}

static trm_status check(trm_result *r, const trm_run_def *def) {
    run_options o;
    if (!run_settings(r, def, &o, false))
        return TRM_WRONG_MODEL;
    trm_system *sys = compiled(r, def, false);
    if (sys == NULL)
        return TRM_WRONG_MODEL;
    r->check = check_system(r->arena, sys, state_new(r->arena, sys), o.from, o.tolerance);
    r->findings.idle = r->check->idle;
    findings_warn(&r->findings, r->arena, &r->check->start, r->check->rank, r->check->mass_singular);
    joints_power_warn(&r->findings, r->arena, r->check->powers, o.tolerance);
    tell_failure(r, &r->check->failure);
    return r->check->failure.failed ? TRM_NO_SOLUTION : TRM_OK;
}

static trm_status compare(trm_result *r, const trm_run_def *def) {
    run_options o;
    const char *hint, *missing = lapack_missing(&hint);
    if (missing)
        diag_error(&r->diags, (place){0}, "compare %s", missing)->hint = hint;
    if (missing || !run_settings(r, def, &o, def->along))
        return TRM_WRONG_MODEL;
    trm_system *sys = compiled(r, def, o.method->implicit);
    if (sys == NULL || !within_reach(r, sys, "compare"))
        return TRM_WRONG_MODEL;
    r->comparison = compare_system(r->arena, sys, o.from, o.tolerance, def->along ? &o : NULL);
    tell_failure(r, &r->comparison->failure);
    if (o.stop && *o.stop)
        return TRM_INTERRUPTED;
    return r->comparison->failure.failed ? TRM_NO_SOLUTION : TRM_OK;
}

static trm_status linearize(trm_result *r, const trm_run_def *def) {
    run_options o;
    const char *hint, *missing = lapack_missing(&hint);
    if (missing)
        diag_error(&r->diags, (place){0}, "linearize %s", missing)->hint = hint;
    if (missing || !run_settings(r, def, &o, false))
        return TRM_WRONG_MODEL;
    trm_system *sys = compiled(r, def, false);
    if (sys == NULL || !within_reach(r, sys, "linearize"))
        return TRM_WRONG_MODEL;
    linear_prepare(sys);
    r->linear = linear_system(r->arena, sys, state_new(r->arena, sys), o.from, o.tolerance);
    r->findings.idle = r->linear->idle;
    findings_warn(&r->findings, r->arena, &r->linear->start, r->linear->rank, r->linear->mass_singular);
    linear_warn(&r->findings, r->arena, r->linear);
    tell_failure(r, &r->linear->failure);
    return r->linear->failure.failed ? TRM_NO_SOLUTION : TRM_OK;
}

// makes a result and does the work in it; a file left open by a lack of memory is closed
static trm_status with_result(trm_model *m, const trm_run_def *def, trm_result **out,
                              trm_status (*work)(trm_result *r, const trm_run_def *def)) {
    *out = NULL;
    if (m->model == NULL)
        return TRM_IO_ERROR;
    arena *a = arena_new(MODEL_LIMIT);
    if (a == NULL)
        return TRM_NO_MEMORY;
    trm_result *volatile made = NULL;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory)) {
        if (made)
            csv_close(&made->samples.csv);
        arena_recover(m->arena, NULL);
        arena_free(a);
        return TRM_NO_MEMORY;
    }
    arena_recover(a, &out_of_memory);
    arena_recover(m->arena, &out_of_memory);
    trm_result *r = arena_alloc(a, sizeof *r);
    made = r;
    r->arena = a;
    r->model = m;
    r->diags.arena = a;
    trm_status status = work(r, def);
    arena_recover(a, NULL);
    arena_recover(m->arena, NULL);
    *out = r;
    return status;
}

trm_status trm_run(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, def, out, simulate);
}

trm_status trm_check(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, def, out, check);
}

trm_status trm_compare(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, def, out, compare);
}

trm_status trm_linearize(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, def, out, linearize);
}

const char *trm_result_summary(trm_result *r) {
    GUARDED(r->arena, "");
    if (r->linear)
        return linear_summary(r->arena, &r->findings, r->linear);
    if (r->comparison)
        return compare_summary(r->arena, &r->findings, r->comparison);
    return r->run     ? run_summary(r->arena, &r->findings, r->run)
           : r->check ? check_summary(r->arena, &r->findings, r->check)
                      : "";
}

const char *trm_result_json(trm_result *r) {
    GUARDED(r->arena, "");
    if (r->linear)
        return linear_json(r->arena, &r->findings, r->linear);
    if (r->comparison)
        return compare_json(r->arena, &r->findings, r->comparison);
    return r->run     ? run_json(r->arena, &r->findings, r->run)
           : r->check ? check_json(r->arena, &r->findings, r->check)
                      : "";
}

const char *trm_result_failures(trm_result *r) {
    GUARDED(r->arena, "");
    return r->run ? run_failures(r->arena, &r->findings, r->run) : "";
}

static const char *messages_of(trm_result *r, int colour, bool of_reading) {
    diags all = {.arena = r->arena};
    const model *m = r->model->model;
    if (m && (r->findings.sys == NULL || of_reading)) { // compiling may have found structural errors
        for (int i = 0; i < m->diags.list.count; i++)
            vec_push(r->arena, all.list, m->diags.list.at[i]);
        all.errors = m->diags.errors;
    }
    for (int i = 0; i < r->findings.warnings.count; i++)
        diag_warning(&all, (place){0}, "%s", r->findings.warnings.at[i]);
    for (int i = 0; i < r->diags.list.count; i++) {
        vec_push(r->arena, all.list, r->diags.list.at[i]);
        all.errors++;
    }
    return diags_text(&all, r->arena, colour);
}

const char *trm_result_messages(trm_result *r, int colour) {
    GUARDED(r->arena, "out of memory\n");
    return messages_of(r, colour, false);
}

// ---- pictures

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *trm_result_page(trm_result *r, int equations) {
    const char *math = equations && r->run ? trm_model_equations(r->model, TRM_MATHML) : NULL;
    if (equations && r->run && math == NULL)
        return "";
    GUARDED(r->arena, "");
    const char *messages = messages_of(r, 0, true);
    if (r->run == NULL || r->samples.record == NULL || r->samples.record->count == 0)
        return page_error(r->arena, name_of(r->model->path), r->model->source->text, r->model->model,
                          messages);
    page_content content = {.file = name_of(r->model->path),
                            .text = r->model->source->text,
                            .messages = messages,
                            .equations = math,
                            .findings = &r->findings,
                            .run = r->run,
                            .record = r->samples.record};
    return page_json(r->arena, &content);
}

const char *trm_model_page(trm_model *m, const char *messages) {
    GUARDED(m->arena, "");
    diags *d = m->model ? &m->model->diags : &m->problems;
    const char *written = m->source ? m->source->text : NULL;
    return page_error(m->arena, name_of(m->path), written, d->errors ? NULL : m->model,
                      messages ? messages : diags_text(d, m->arena, 0));
}

trm_status trm_result_plots(trm_result *r, const char *folder, const char *format, const char **files) {
    *files = "";
    GUARDED(r->arena, TRM_NO_MEMORY);
    if (r->samples.record == NULL || r->model->model->plots.count == 0) {
        diag_error(&r->diags, (place){0}, "the model has no plots")->hint =
            "write some, as in plot \"Path\": y vs x";
        return TRM_WRONG_MODEL;
    }
    if (r->samples.record->count == 0) {
        diag_error(&r->diags, (place){0}, "there are no samples; no picture is made");
        return TRM_NO_SOLUTION;
    }
    static const trm_status status_of[] = {
        [FIGURE_DONE] = TRM_OK, [FIGURE_REFUSED] = TRM_WRONG_MODEL, [FIGURE_NOT_WRITTEN] = TRM_IO_ERROR};
    return status_of[figure_make(r->arena, r->samples.record, name_of(r->model->path), folder, format,
                                 &r->diags, files)];
}

const char *trm_result_sketch(trm_result *r, int columns, int colour) {
    GUARDED(r->arena, "");
    return r->samples.record ? sketch_plots(r->arena, r->samples.record, columns, colour) : "";
}

void trm_result_free(trm_result *r) {
    if (r)
        arena_free(r->arena);
}
