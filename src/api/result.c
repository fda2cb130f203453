/* Results: a study conducted, and what there is to say of it. */
#include "api/guard.h"
#include "api/objects.h"

typedef struct {
    trm_model *model;
    const study *study;
    const trm_run_def *def;
    trm_result *made;
} conducting;

// a file left open by a lack of memory is closed
static void close_samples(void *result) {
    trm_result *r = result;
    samples_abandon(&r->samples);
}

static trm_status conduct(arena *a, void *context) {
    conducting *k = context;
    trm_result *r = arena_alloc(a, sizeof *r);
    *r = (trm_result){.arena = a, .model = k->model, .study = k->study, .diags = {.arena = a}};
    arena_when_freed(a, close_samples, r);
    trm_status status = study_conduct(r, k->def);
    k->made = r;
    return status;
}

static trm_status with_result(trm_model *m, const study *s, const trm_run_def *def, trm_result **out) {
    conducting k = {m, s, def, NULL};
    trm_status status = m->model ? guard_new(m->arena, conduct, &k) : TRM_IO_ERROR;
    model_forget(m);
    *out = k.made;
    return status;
}

trm_status trm_run(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_run, def, out);
}

trm_status trm_check(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_check, def, out);
}

trm_status trm_compare(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, def->along ? &study_compare_along : &study_compare, def, out);
}

trm_status trm_linearize(trm_model *m, const trm_run_def *def, trm_result **out) {
    return with_result(m, &study_linearize, def, out);
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
    return guard_text(r->arena, messages, r, how, "out of memory\n");
}
