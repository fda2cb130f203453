/* Pictures of a run, and the data of a page. */
#include "report/scene/pictures.h"
#include "api/guard.h"
#include "api/objects.h"
#include "api/sized.h"
#include "report/column_accuracy.h"
#include "report/page.h"
#include "report/plot_print.h"
#include "report/plot_terminal.h"

#include <string.h>

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---- pages

static const char *page(void *object, int equations) {
    trm_result *r = object;
    const trm_model *m = r->model;
    const run_report *run = study_of_run(r);
    page_content content = {.file = name_of(m->path),
                            .text = m->source->text,
                            .messages = result_messages(r, 0, true),
                            .findings = &r->findings,
                            .run = run,
                            .record = r->samples.record,
                            .settings = m->settings,
                            .setting_count = m->setting_count,
                            .options = r->given.at,
                            .option_count = r->given.count};
    if (equations && run && (content.equations = content_equations(r->model, TRM_MATHML)) == NULL)
        return "";
    if (run == NULL || content.record == NULL || content.record->count == 0)
        return page_error(r->arena, content.file, content.text, m->model, content.messages);
    accuracy_find(r->samples.record);
    return page_json(r->arena, &content);
}

const char *trm_result_page(trm_result *r, int equations) {
    return guard_text(r->arena, page, r, equations, "");
}

typedef struct {
    trm_model *model;
    const char *messages, *made;
} error_page;

static void make_error_page(void *context) {
    error_page *k = context;
    trm_model *m = k->model;
    diags *d = m->model ? &m->model->diags : &m->problems;
    const char *written = m->source ? m->source->text : NULL;
    arena *a = model_words(m);
    k->made = page_error(a, name_of(m->path), written, d->errors ? NULL : m->model,
                         k->messages ? k->messages : diags_text(d, a, 0));
}

const char *trm_model_page(trm_model *m, const char *messages) {
    error_page k = {m->now, messages, ""};
    guard_run(m->now->arena, NULL, make_error_page, &k);
    return k.made;
}

// ---- plots

typedef struct {
    trm_result *result;
    trm_plot_def def;
    const char **files;
    trm_status status;
} plotting;

static void make_plots(void *context) {
    static const trm_status status_of[] = {
        [FIGURE_DONE] = TRM_OK,
        [FIGURE_REFUSED] = TRM_WRONG_MODEL,
        [FIGURE_NOT_WRITTEN] = TRM_IO_ERROR,
        [FIGURE_STOPPED] = TRM_INTERRUPTED,
    };
    plotting *k = context;
    trm_result *r = k->result;
    const record *kept = r->samples.record;
    if (kept == NULL || r->model->model->plots.count == 0) {
        diag_error(&r->diags, (place){0}, "the model has no plots")->hint =
            "write some, as in plot \"Path\": y vs x";
        k->status = TRM_WRONG_MODEL;
    } else if (kept->count == 0) {
        diag_error(&r->diags, (place){0}, "there are no samples; no picture is made");
        k->status = TRM_NO_SOLUTION;
    } else {
        accuracy_find(r->samples.record);
        figure_wish wish = {.record = kept,
                            .name = name_of(r->model->path),
                            .folder = k->def.folder ? k->def.folder : ".",
                            .format = k->def.format ? k->def.format : "svg",
                            .size = {k->def.width, k->def.height, k->def.letters},
                            .stop = r->stop,
                            .busy = r->file ? &r->file->busy : NULL};
        k->status = status_of[figure_make(r->arena, &wish, &r->diags, k->files)];
    }
}

trm_status trm_result_plots(trm_result *r, const trm_plot_def *def, const char **files) {
    plotting k = {.result = r, .files = files, .status = TRM_OK};
    *files = "";
    if (!sized_told(&r->diags, &sized_plot_def, def))
        return TRM_WRONG_MODEL;
    sized_take(&sized_plot_def, def, &k.def);
    bool done = guard_run(r->arena, NULL, make_plots, &k);
    if (r->file)
        r->file->busy = 0;
    return done ? k.status : TRM_NO_MEMORY;
}

// ---- scenes

typedef struct {
    trm_result *result;
    trm_scene_def def;
    const char **files;
    trm_status status;
} staging;

static bool can_show(trm_result *r, const trm_scene_def *def, trm_status *status) {
    const record *kept = r->samples.record;
    *status = TRM_WRONG_MODEL;
    if (kept == NULL || kept->extent != RECORD_PAGE || def->path == NULL) {
        diag_error(&r->diags, (place){0}, "a picture needs a path, and a run that kept TRM_KEEP_PAGE");
        return false;
    }
    *status = TRM_NO_SOLUTION;
    if (kept->count == 0)
        diag_error(&r->diags, (place){0}, "there are no samples; no picture is made");
    else if (kept->view_count < r->model->model->view_count)
        diag_error(&r->diags, (place){0}, "there are too many samples for pictures")->hint =
            "take fewer: 'every' in the model, or --every";
    else
        *status = TRM_OK;
    return *status == TRM_OK;
}

static void make_scene(void *context) {
    static const trm_status status_of[] = {
        [PICTURE_DONE] = TRM_OK,
        [PICTURE_REFUSED] = TRM_WRONG_MODEL,
        [PICTURE_NOT_WRITTEN] = TRM_IO_ERROR,
        [PICTURE_STOPPED] = TRM_INTERRUPTED,
    };
    staging *k = context;
    trm_result *r = k->result;
    if (!can_show(r, &k->def, &k->status))
        return;
    picture_wish wish = {.record = r->samples.record,
                         .name = name_of(r->model->path),
                         .path = k->def.path,
                         .instants = k->def.instants,
                         .instant_count = k->def.instants ? k->def.count : 0,
                         .style = k->def.style,
                         .view = k->def.view,
                         .width = k->def.width,
                         .height = k->def.height,
                         .stop = r->stop};
    k->status = status_of[pictures_make(r->arena, &wish, &r->diags, k->files)];
}

trm_status trm_result_scene(trm_result *r, const trm_scene_def *def, const char **files) {
    staging k = {.result = r, .files = files, .status = TRM_OK};
    *files = "";
    if (!sized_told(&r->diags, &sized_scene_def, def))
        return TRM_WRONG_MODEL;
    sized_take(&sized_scene_def, def, &k.def);
    return guard_run(r->arena, NULL, make_scene, &k) ? k.status : TRM_NO_MEMORY;
}

// ---- plots in the terminal

typedef struct {
    trm_result *result;
    int columns, colour;
    const char *drawn;
} sketching;

static void draw(void *context) {
    sketching *k = context;
    const trm_result *r = k->result;
    if (r->samples.record == NULL)
        return;
    accuracy_find(r->samples.record);
    k->drawn = sketch_plots(r->arena, r->samples.record, k->columns, k->colour);
}

const char *trm_result_sketch(trm_result *r, int columns, int colour) {
    sketching k = {r, columns, colour, ""};
    guard_run(r->arena, NULL, draw, &k);
    return k.drawn;
}
