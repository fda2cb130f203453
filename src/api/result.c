/* Results: a study conducted, and what there is to say of it. */
#include "api/guard.h"
#include "api/objects.h"
#include "api/run_settings.h"
#include "report/columns.h"

#include <math.h>
#include <string.h>

typedef struct {
    const study *study;
    const trm_run_def *def;
    trm_result *made;
    trm_status (*by)(trm_result *r, const trm_run_def *def);
} conducting;

// a file left open by a lack of memory is closed
static void close_samples(void *result) {
    trm_result *r = result;
    samples_abandon(&r->samples);
}

trm_result *result_new(arena *a, trm_model *m, const study *of) {
    trm_result *r = arena_alloc(a, sizeof *r);
    *r = (trm_result){.arena = a, .model = m, .study = of, .diags = {.arena = a}};
    arena_when_freed(a, close_samples, r);
    return r;
}

static trm_status conduct(arena *a, trm_model *m, void *context) {
    conducting *k = context;
    trm_result *r = result_new(a, m, k->study);
    trm_run_def def;
    bool taken = settings_take(r, k->def, &def);
    if (taken && def.along && r->study == &study_compare)
        r->study = &study_compare_along;
    trm_status status = taken ? k->by(r, &def) : TRM_WRONG_MODEL;
    k->made = r;
    return status;
}

static trm_status with_result(trm_model *m, const study *s, const trm_run_def *def, trm_result **out) {
    conducting k = {s, def, NULL, study_conduct};
    trm_status status = m->now->model == NULL         ? TRM_IO_ERROR
                        : settings_show_pictures(def) ? content_use_pictured(m, conduct, &k)
                                                      : content_use(m, conduct, &k);
    if (out)
        *out = k.made;
    else
        trm_result_free(k.made);
    return status;
}

trm_status trm_run(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_run, def, out);
}

trm_status result_begin_with(const trm_model *was, const model_setting *more, int count,
                             const trm_run_def *def, trm_result **out) {
    conducting k = {&study_run, def, NULL, study_begin_run};
    trm_status status = content_use_with(was, more, count, settings_show_pictures(def), conduct, &k);
    *out = k.made;
    return status;
}

typedef struct {
    trm_result *result;
    trm_status status;
} ending;

static void end(void *context) {
    ending *k = context;
    k->status = study_end_run(k->result);
}

trm_status result_end(trm_result *r) {
    ending k = {r, TRM_OK};
    return guard_run(r->arena, r->model->arena, end, &k) ? k.status : TRM_NO_MEMORY;
}

trm_status trm_assemble(trm_model *m, const trm_run_def *def, double *q, double *v, trm_result **out) {
    trm_result *found = NULL;
    trm_status status = with_result(m, &study_assemble, def, &found);
    const start_state *start = found ? study_start(found) : NULL;
    size_t n = (size_t)trm_model_coordinates(m);
    if (status == TRM_OK) {
        memcpy(q, start->q, n * sizeof *q);
        memcpy(v, start->v, n * sizeof *v);
    }
    if (out)
        *out = found;
    else
        trm_result_free(found);
    return status;
}

trm_status trm_check(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_check, def, out);
}

trm_status trm_compare(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_compare, def, out);
}

trm_status trm_linearize(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_linearize, def, out);
}

trm_status trm_equilibrium(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_equilibrium, def, out);
}

void trm_result_free(trm_result *r) {
    if (r)
        arena_free(r->arena);
}

// ---- what there is to say

long trm_result_samples(const trm_result *r) {
    const run_report *run = study_of_run(r);
    return run ? run->samples : 0;
}

int trm_result_columns(const trm_result *r) {
    return columns_count(r->model->model);
}

const char *trm_result_column_name(trm_result *r, int i) {
    return content_column_name(r->model, i);
}

int trm_result_column_named(trm_result *r, const char *name) {
    for (int i = 0; i < trm_result_columns(r); i++)
        if (strcmp(content_column_name(r->model, i), content_text(name)) == 0)
            return i;
    return -1;
}

typedef struct {
    trm_result *result;
    int which;
    double *found;
} gathering;

static void gather(void *context) {
    gathering *k = context;
    trm_result *r = k->result;
    const record *kept = r->samples.record;
    if (r->columns == NULL)
        r->columns = arena_array(r->arena, double *, trm_result_columns(r));
    if (r->columns[k->which] == NULL) {
        double *column = arena_doubles(r->arena, (size_t)kept->count + 1);
        record_all_of(kept, k->which, column);
        r->columns[k->which] = column;
    }
    k->found = r->columns[k->which];
}

const double *trm_result_column(trm_result *r, int i) {
    gathering k = {r, i, NULL};
    const record *kept = r->samples.record;
    bool there = kept && kept->extent == RECORD_COLUMNS && i >= 0 && i < trm_result_columns(r);
    return there && guard_run(r->arena, NULL, gather, &k) ? k.found : NULL;
}

int trm_result_results(const trm_result *r) {
    return study_of_run(r) ? r->model->model->told.count : 0;
}

const char *trm_result_result_name(const trm_result *r, int i) {
    return i >= 0 && i < trm_result_results(r) ? r->model->model->told.at[i].name : "";
}

static over_record result_of(const trm_result *r, int i) {
    return i >= 0 && i < trm_result_results(r) ? run_result(r->model->model, study_of_run(r), i)
                                               : (over_record){NAN, NAN};
}

double trm_result_result(const trm_result *r, int i) {
    return result_of(r, i).value;
}

double trm_result_result_at(const trm_result *r, int i) {
    return result_of(r, i).at;
}

static const char *in_words(void *object, int json) {
    const trm_result *r = object;
    if (r->report == NULL)
        return "";
    return json ? r->study->json(r) : text_tamed(r->arena, r->study->summary(r), true);
}

const char *trm_result_summary(trm_result *r) {
    return guard_text(r->arena, in_words, r, false, "");
}

const char *trm_result_json(trm_result *r) {
    return guard_text(r->arena, in_words, r, true, "");
}

typedef struct {
    const trm_result *result;
    const char *path;
} model_at;

static const char *model_text(void *object, int unused) {
    const model_at *k = object;
    (void)unused;
    return study_model(k->result, k->path);
}

const char *trm_result_model(trm_result *r, const char *path) {
    return guard_text(r->arena, model_text, &(model_at){r, path}, 0, "");
}

static const char *table_text(void *object, int unused) {
    (void)unused;
    return study_matrices(object);
}

const char *trm_result_matrices(trm_result *r) {
    return guard_text(r->arena, table_text, r, 0, "");
}

static const char *failures(void *object, int unused) {
    const trm_result *r = object;
    const run_report *run = study_of_run(r);
    (void)unused;
    return run ? text_tamed(r->arena, run_failures(r->arena, &r->findings, run), true) : "";
}

const char *trm_result_failures(trm_result *r) {
    return guard_text(r->arena, failures, r, 0, "");
}

const char *result_messages(trm_result *r, int how, bool of_reading) {
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
    return diags_text(&all, r->arena, how);
}

static const char *messages(void *object, int how) {
    return result_messages(object, how, false);
}

const char *trm_result_messages(trm_result *r, int how) {
    return r ? guard_text(r->arena, messages, r, how, OUT_OF_MEMORY) : OUT_OF_MEMORY;
}
