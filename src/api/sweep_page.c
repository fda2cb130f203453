/* The page of a sweep, and the model that it can run. */
#include "api/guard.h"
#include "api/run_settings.h"
#include "api/sweep.h"
#include "report/page.h"
#include "sweep/page.h"
#include "sweep/stored.h"

#include <string.h>

// ---- the model

typedef struct {
    trm_sweep_result *result;
    sweep_asked asked;
    trm_model *model;
    bool same;
} finding;

static void restore(void *context) {
    finding *k = context;
    sweep_restore(k->result->arena, k->result->stored, &k->asked);
}

static void compare(void *context) {
    finding *k = context;
    trm_sweep_result *r = k->result;
    k->same = strstr(r->stored, sweep_sources(r->arena, k->model)) != NULL;
    if (!k->same)
        diag_warning(&r->diags, (place){0}, "'%s' has changed since the sweep began", k->asked.path);
}

trm_status trm_sweep_model(trm_sweep_result *r, trm_model **m) {
    finding k = {.result = r};
    *m = NULL;
    if (r->stored == NULL)
        return TRM_WRONG_MODEL;
    if (!guard_run(r->arena, NULL, restore, &k))
        return TRM_NO_MEMORY;
    if (k.asked.path == NULL)
        return TRM_WRONG_MODEL;
    trm_status status = trm_model_read(k.asked.path, k.asked.settings, k.asked.setting_count, m);
    k.model = *m;
    if (status == TRM_OK && !guard_run(r->arena, NULL, compare, &k))
        return TRM_NO_MEMORY;
    return status == TRM_OK && !k.same ? TRM_WRONG_MODEL : status;
}

// ---- the page

typedef struct {
    vec(model_setting) options;
    model_setting *settings;
    int setting_count;
    const char *file;
} given;

// what the plan's file says of how the model is run
static void read_given(arena *a, const char *stored, given *g) {
    sweep_asked asked;
    sweep_restore(a, stored, &asked);
    for (int i = 0; i < RUN_TEXTS; i++)
        if (run_text_of(&asked.run, i)) {
            model_setting option = {run_texts[i].option, run_text_of(&asked.run, i)};
            vec_push(a, g->options, option);
        }
    g->setting_count = asked.setting_count;
    g->settings = arena_array(a, model_setting, asked.setting_count + 1);
    for (int i = 0; i < asked.setting_count; i++)
        g->settings[i] = (model_setting){asked.settings[i].name, asked.settings[i].value};
    const char *slash = asked.path ? strrchr(asked.path, '/') : NULL;
    g->file = slash ? slash + 1 : asked.path ? asked.path : "";
}

static const char *const not_in_pages[] = {"bdf", "adams"};

// why a page cannot run the cases; NULL: it can
static const char *unable(const given *g) {
    for (int i = 0; i < g->options.count; i++) {
        const model_setting *o = &g->options.at[i];
        if (strcmp(o->name, "formulation") == 0 && strcmp(o->value, trm_formulation_at(0).name) != 0)
            return "a page does not have the papers' formulations";
        for (size_t k = 0; k < sizeof not_in_pages / sizeof *not_in_pages; k++)
            if (strcmp(o->name, "integrator") == 0 && strcmp(o->value, not_in_pages[k]) == 0)
                return "a page does not have this integrator";
    }
    return NULL;
}

typedef struct {
    trm_sweep_result *result;
    const trm_model *model;
    const char *made;
} paging;

static const char *of_model(const paging *k) {
    trm_sweep_result *r = k->result;
    given g = {0};
    read_given(r->arena, r->stored, &g);
    const char *why = unable(&g);
    page_content content = {.file = g.file,
                            .text = r->store.model,
                            .settings = g.settings,
                            .setting_count = g.setting_count,
                            .options = g.options.at,
                            .option_count = g.options.count};
    if (k->model && why)
        diag_warning(&r->diags, (place){0}, "the page cannot run the cases itself: %s", why);
    return k->model && k->model->model && why == NULL
               ? page_model(r->arena, &content, k->model->model)
               : page_error(r->arena, g.file, r->store.model, NULL, "");
}

static void make_page(void *context) {
    paging *k = context;
    trm_sweep_result *r = k->result;
    const char *made = sweep_page(r->arena, &r->about, of_model(k), &r->diags);
    k->made = made ? made : "";
}

const char *trm_sweep_page(trm_sweep_result *r, trm_model *m) {
    paging k = {r, m ? m->now : NULL, ""};
    if (r->about.store)
        guard_run(r->arena, NULL, make_page, &k);
    return k.made;
}
