/* What is kept of the wish for a sweep, so that it can go on: the text of its plan. */
#include "api/run_settings.h"
#include "api/sweep.h"
#include "base/crc.h"
#include "sweep/stored.h"

#include <stdlib.h>
#include <string.h>

// ---- to text

static const char *whole_path(arena *a, const char *path) {
    char *found = realpath(path, NULL);
    const char *out = arena_copy(a, found ? found : path, strlen(found ? found : path));
    free(found);
    return out;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_sources(text *t, const trm_model *m) {
    const source_list *sources = &m->model->sources;
    for (int i = 0; i < sources->count; i++) {
        const source *s = sources->at[i];
        stored_put(t, "source",
                   arena_print(t->arena, "%08x %s", crc_add(0, s->text, (size_t)s->length),
                               whole_path(t->arena, s->path)));
    }
    for (int i = 0; i < m->setting_count; i++)
        stored_put(t, "set", arena_print(t->arena, "%s=%s", m->settings[i].name, m->settings[i].value));
}

const char *sweep_sources(arena *a, const trm_model *m) {
    text t;
    text_init(&t, a);
    put_sources(&t, m);
    return text_string(&t);
}

static void put_run(text *t, const trm_run_def *run) {
    for (int i = 0; i < RUN_TEXTS; i++)
        if (run_text_of(run, i))
            stored_put(t, run_texts[i].option, run_text_of(run, i));
    for (int i = 0; i < run->choice_count; i++)
        stored_put(t, "choice", arena_print(t->arena, "%s=%s", run->choices[i].name, run->choices[i].value));
    stored_put(t, "kernel", run->exact ? "exact" : trm_kernel());
}

static void put_plan(text *t, const plan *p) {
    stored_put(t, "sampling", plan_kind_name(p->kind));
    if (p->kind == PLAN_FILE)
        stored_put(t, "cases-file", arena_print(t->arena, "%08x %s", p->hash, whole_path(t->arena, p->file)));
    for (int i = 0; p->kind != PLAN_FILE && i < p->axis_count; i++)
        stored_put(t, "vary", p->axes[i].given);
    if (p->kind == PLAN_LHS || p->kind == PLAN_RANDOM)
        stored_put(t, "seed", arena_print(t->arena, "%ld", (long)p->seed));
    stored_put(t, "cases", arena_print(t->arena, "%ld", p->cases));
}

const char *sweep_stored(arena *a, const trm_model *m, const trm_sweep_def *def, const plan *p,
                         const sweep_columns *columns) {
    text t;
    text_init(&t, a);
    stored_put(&t, "trammel-sweep", "1");
    stored_put(&t, "version", trm_version());
    stored_put(&t, "title", m->model->title ? m->model->title : base_name(m->first->path));
    put_sources(&t, m);
    put_run(&t, def->run);
    put_plan(&t, p);
    stored_put(&t, "keep", def->keep == TRM_KEEP_SAMPLES ? "samples" : "final");
    stored_put_columns(&t, columns);
    return text_string(&t);
}

// ---- and back

static trm_setting cut_setting(arena *a, const char *given) {
    size_t length = strcspn(given, "=");
    return (trm_setting){arena_copy(a, given, length), given + length + (given[length] == '=')};
}

// behind the check sum
static const char *path_in(const char *value) {
    const char *blank = strchr(value, ' ');
    return blank ? blank + 1 : value;
}

static void take(arena *a, const char *key, const char *value, sweep_asked *out, trm_setting *choices,
                 const char **vary) {
    for (int i = 0; i < RUN_TEXTS; i++)
        if (strcmp(key, run_texts[i].option) == 0)
            run_text_set(&out->run, i, value);
    for (int i = 0; i < PLAN_KINDS; i++)
        if (strcmp(key, "sampling") == 0 && strcmp(value, plan_kind_name((plan_kind)i)) == 0)
            out->def.sampling = i;
    if (strcmp(key, "source") == 0 && out->path == NULL)
        out->path = path_in(value);
    else if (strcmp(key, "set") == 0)
        out->settings[out->setting_count++] = cut_setting(a, value);
    else if (strcmp(key, "choice") == 0)
        choices[out->run.choice_count++] = cut_setting(a, value);
    else if (strcmp(key, "kernel") == 0)
        out->run.exact = strcmp(value, "exact") == 0;
    else if (strcmp(key, "cases-file") == 0)
        out->def.cases = path_in(value);
    else if (strcmp(key, "vary") == 0)
        vary[out->def.vary_count++] = value;
    else if (strcmp(key, "seed") == 0)
        out->def.seed = strtol(value, NULL, 10);
    else if (strcmp(key, "cases") == 0)
        out->def.draws = strtol(value, NULL, 10);
    else if (strcmp(key, "keep") == 0)
        out->def.keep = strcmp(value, "samples") == 0 ? TRM_KEEP_SAMPLES : TRM_KEEP_FINAL;
}

void sweep_restore(arena *a, const char *stored, sweep_asked *out) {
    const char *key, *value;
    int lines = 0;
    for (const char *c = stored; *c; c++)
        lines += *c == '\n';
    *out = (sweep_asked){.settings = arena_array(a, trm_setting, lines + 1)};
    trm_setting *choices = arena_array(a, trm_setting, lines + 1);
    const char **vary = arena_array(a, const char *, lines + 1);
    trm_run_def_init(&out->run, sizeof out->run);
    trm_sweep_def_init(&out->def, sizeof out->def);
    while (stored_next(a, &stored, &key, &value))
        take(a, key, value, out, choices, vary);
    out->run.choices = choices;
    out->def.vary = vary;
    if (out->def.sampling > TRM_RANDOM) // of a file
        out->def.sampling = TRM_GRID;
}
