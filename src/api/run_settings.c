#include "api/run_settings.h"

#include "api/choices.h"
#include "api/objects.h"
#include "api/sized.h"
#include "linear/lapack.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The tolerance is relative, too: an error as large as the value leaves no digit. */
static const double LEAST_TOLERANCE = 1e-14, TOLERANCE_BOUND = 1, USUAL_TOLERANCE = 1e-9;
static const double LEAST_SPAN = 1e-13, MOST_SAMPLES = 2e11;

static bool wrong(trm_result *r, const char *message) {
    diag_error(&r->diags, (place){0}, "%s", message);
    return false;
}

const run_text run_texts[RUN_TEXTS] = {{"from", offsetof(trm_run_def, from)},
                                       {"until", offsetof(trm_run_def, until)},
                                       {"every", offsetof(trm_run_def, every)},
                                       {"tolerance", offsetof(trm_run_def, tolerance)},
                                       {"rank-tolerance", offsetof(trm_run_def, rank_tolerance)},
                                       {"integrator", offsetof(trm_run_def, integrator)},
                                       {"formulation", offsetof(trm_run_def, formulation)},
                                       {"coordinates", offsetof(trm_run_def, coordinates)}};

void run_text_set(trm_run_def *def, int i, const char *value) {
    *(const char **)(void *)((char *)def + run_texts[i].offset) = value;
}

const char *run_text_of(const trm_run_def *def, int i) {
    return *(const char *const *)(const void *)((const char *)def + run_texts[i].offset);
}

static void keep(trm_result *r, const char *option, const char *value) {
    model_setting one = {option, arena_copy(r->arena, value, strlen(value))};
    vec_push(r->arena, r->given, one);
}

// what decides on the motion
static void keep_given(trm_result *r, const trm_run_def *def) {
    for (int i = 0; i < RUN_TEXTS; i++)
        if (run_text_of(def, i))
            keep(r, run_texts[i].option, run_text_of(def, i));
    if (def->exact)
        keep(r, "exact", "yes");
}

bool settings_take(trm_result *r, const trm_run_def *given, trm_run_def *out) {
    sized_take(&sized_run_def, given, out);
    if (!sized_told(&r->diags, &sized_run_def, given) || !sized_told(&r->diags, &sized_file, out->file))
        return false;
    keep_given(r, out);
    if (out->keep < TRM_KEEP_NOTHING || out->keep > TRM_KEEP_COLUMNS)
        return wrong(r, "what is to be kept of the samples is none of trm_keep");
    return (out->choice_count >= 0 && (out->choices || out->choice_count == 0)) ||
           wrong(r, "choices and choice_count do not go together");
}

bool settings_show_pictures(const trm_run_def *def) {
    trm_run_def known;
    return sized_take(&sized_run_def, def, &known) && known.keep == TRM_KEEP_PAGE;
}

// ---- what has a name

void settings_unknown(trm_result *r, const char *kind, const char *name, trm_choice (*at)(int i)) {
    text known;
    text_init(&known, r->arena);
    for (int i = 0; at(i).name; i++)
        text_print(&known, "%s%s", i ? ", " : "there are ", at(i).name);
    diag_error(&r->diags, (place){0}, "there is no %s '%s'", kind, name)->hint = text_string(&known);
}

static const integrator_ops *method_named(trm_result *r, const char *name) {
    const integrator_ops *found = name ? integrator_find(name) : integrators[0];
    if (found == NULL) {
        settings_unknown(r, "integrator", name, trm_integrator_at);
        return NULL;
    }
    const char *hint, *missing = found->missing ? found->missing(&hint) : NULL;
    if (missing)
        diag_error(&r->diags, (place){0}, "the integrator %s %s", name, missing)->hint = hint;
    return missing ? NULL : found;
}

// *out is NULL for the default solver
static bool formulation_named(trm_result *r, const char *name, const formulation **out) {
    *out = name ? formulation_find(name) : NULL;
    if (name == NULL || strcmp(name, trm_formulation_at(0).name) == 0)
        return true;
    if (*out == NULL) {
        settings_unknown(r, "formulation", name, trm_formulation_at);
        return false;
    }
    const char *hint, *missing = lapack_missing(&hint);
    if (missing)
        diag_error(&r->diags, (place){0}, "the formulation %s %s", name, missing)->hint = hint;
    return missing == NULL;
}

// ---- numbers

static bool read_number(trm_result *r, const char *setting, const char *given, double above, double *out) {
    if (given == NULL)
        return true;
    if (!model_number(r->arena, r->model->model, setting, given, &r->diags, out))
        return false;
    if (*out > above)
        return true;
    diag_error(&r->diags, (place){0}, "%s must be larger than 0, not %.15g", setting, *out);
    return false;
}

static bool read_numbers(trm_result *r, const trm_run_def *def, run_options *o) {
    bool ok = read_number(r, SETTING "from", def->from, -INFINITY, &o->from);
    ok &= read_number(r, SETTING "until", def->until, -INFINITY, &o->until);
    ok &= read_number(r, SETTING "every", def->every, 0, &o->every);
    ok &= read_number(r, SETTING "rank-tolerance", def->rank_tolerance, 0, &o->rank);
    return ok & read_number(r, SETTING "tolerance", def->tolerance, 0, &o->tolerance);
}

// `at`: in the model, if that gives it
static bool fits_tolerance(trm_result *r, place at, double tolerance) {
    if (tolerance < LEAST_TOLERANCE)
        diag_error(&r->diags, at, "a tolerance of %.3g is below rounding", tolerance)->hint =
            "1e-14 is the least that double precision allows";
    else if (!(tolerance < TOLERANCE_BOUND))
        diag_error(&r->diags, at, "a tolerance of %.3g allows errors as large as the values themselves",
                   tolerance)
            ->hint = "it is relative as well as absolute, and must be below 1; 1e-9 is usual, 1e-3 rough";
    else
        return true;
    return false;
}

static bool fits_rank(trm_result *r, double rank) {
    if (rank < 1)
        return true;
    diag_error(&r->diags, (place){0}, "the rank tolerance must be below 1, not %.15g", rank)->hint =
        "rows whose remainder over the others is less, at unit length, count as dependent: 1e-9";
    return false;
}

static bool fits_span(trm_result *r, const run_options *o) {
    double span = o->until - o->from;
    if (span < 0)
        diag_error(&r->diags, (place){0}, "the end time %.15g lies before the start %.15g", o->until,
                   o->from);
    else if (span > 0 && !(span > LEAST_SPAN * (fabs(o->from) + fabs(o->until)) + DBL_MIN))
        diag_error(&r->diags, (place){0}, "the span from %.15g to %.15g is too short for a run", o->from,
                   o->until);
    else if (o->every > 0 && span / o->every > MOST_SAMPLES)
        diag_error(&r->diags, (place){0}, "a sample every %.3g gives more than %.0g samples", o->every,
                   MOST_SAMPLES)
            ->hint = "give a longer interval, as in " SETTING "every 0.01";
    else
        return true;
    return false;
}

static bool has_end(trm_result *r, const trm_run_def *def) {
    if (r->model->model->simulate.given || def->until)
        return true;
    diag_error(&r->diags, (place){0}, "when does the run end?")->hint =
        "give " SETTING "until T, or write 'simulate until T' in the model";
    return false;
}

bool settings_read(trm_result *r, const trm_run_def *def, bool needs_end, run_options *o) {
    const model *m = r->model->model;
    *o = (run_options){.from = m->simulate.from,
                       .until = m->simulate.until,
                       .every = m->simulate.every,
                       .tolerance = m->simulate.tolerance > 0 ? m->simulate.tolerance : USUAL_TOLERANCE,
                       .progress = def->progress,
                       .progress_context = def->progress_context,
                       .stop = def->stop};
    bool read = read_numbers(r, def, o),
         ok = read && fits_tolerance(r, def->tolerance ? (place){0} : m->simulate.at, o->tolerance);
    ok = ok && fits_rank(r, o->rank);
    ok &= !needs_end || has_end(r, def);
    ok = ok && fits_span(r, o);
    if (!(o->every > 0))
        o->every = (o->until - o->from) / 1000;
    if (!(o->every > 0))
        o->every = 1;
    o->method = method_named(r, def->integrator);
    return formulation_named(r, def->formulation, &r->formulation) && choices_read(r, def) && ok && o->method;
}
