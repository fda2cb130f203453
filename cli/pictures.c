/* The commands that make pictures and pages of a run. */
#include "interrupt.h"
#include "page.h"
#include "program.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- plot

static int no_plots(trm_model *m) {
    terminal_say("the model has no plots; write some, as in plot \"Path\": y vs x");
    trm_model_free(m);
    return TRM_WRONG_MODEL;
}

static bool is_format(const char *format) {
    if (strcmp(format, "svg") == 0 || strcmp(format, "png") == 0 || strcmp(format, "pdf") == 0)
        return true;
    terminal_say("there is no format '%s' of pictures; svg, png and pdf are there", format);
    return false;
}

static bool is_folder(const char *output) {
    if (output == NULL || strcmp(output, "-") != 0)
        return true;
    terminal_say("pictures are files and go to a folder, not to standard output");
    return false;
}

bool program_number(const char *name, const char *of, const char *given, double *out) {
    char *end;
    double value = given ? strtod(given, &end) : 0;
    if (given && (end == given || *end || !(value > 0))) {
        terminal_say("%s needs a number of %s, as in %s %s; found '%s'", name, of, name,
                     strcmp(of, "mm") == 0 ? "85" : "8", given);
        return false;
    }
    *out = value;
    return true;
}

static bool wished(const options *o, const char *folder, trm_plot_def *def) {
    *def = trm_plot_def_default();
    def->folder = o->output ? o->output : folder;
    def->format = o->format ? o->format : "svg";
    bool sized = o->width || o->height || o->letters;
    if (sized && sweep_is_asked(o))
        terminal_say(
            "the picture of many cases has a size of its own: --width, --height and --font-size are for "
            "the model's plots");
    return !(sized && sweep_is_asked(o)) && is_format(def->format) && is_folder(o->output) &&
           program_number("--width", "mm", o->width, &def->width) &&
           program_number("--height", "mm", o->height, &def->height) &&
           program_number("--font-size", "pt", o->letters, &def->letters);
}

int command_plot(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    trm_plot_def def;
    char folder[4096];
    const char *files = "";
    if (o->instants || o->animate)
        return scene_plot(o);
    if (o->style || o->view) {
        terminal_say("--style and --view are of --scene and --animate");
        return TRM_WRONG_MODEL;
    }
    program_name(o->file, "-plots", folder, sizeof folder);
    if (!wished(o, folder, &def))
        return TRM_WRONG_MODEL;
    interrupt_about("", "no pictures were made");
    if (sweep_is_asked(o))
        return sweep_plot(o, def.folder);
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK && trm_model_plots(m) == 0)
        return no_plots(m);
    o->run.keep = TRM_KEEP_PLOTS;
    if (status == TRM_OK)
        status = program_run_model(o, m, &result);
    bool drawn = result && program_has_picture(status);
    trm_status made = drawn ? trm_result_plots(result, &def, &files) : TRM_OK;
    if (drawn && made == TRM_OK)
        interrupt_settle();
    if (result)
        program_tell_all(o, made == TRM_OK ? status : made, result);
    if (m && (status == TRM_NO_MEMORY || made == TRM_NO_MEMORY))
        program_out_of_memory();
    bool printed = o->quiet || terminal_name("%s", files);
    trm_result_free(result);
    trm_model_free(m);
    return made != TRM_OK ? program_exit_code(made) : printed ? program_exit_code(status) : TRM_IO_ERROR;
}

// ---- report

/* A run that takes longer than this is longer still in a page, and longer than who moves a slider waits. */
static const double TOO_SLOW = 5;

// whether the page can run the model itself
static bool wants_engine(const options *o, double seconds) {
    const char *integrator = o->run.integrator, *formulation = o->run.formulation;
    if (o->no_engine || engine_text_size == 0)
        return false;
    const char *why = NULL;
    if (seconds > TOO_SLOW)
        why = "the run took longer than 5 s";
    else if (integrator && (strcmp(integrator, "bdf") == 0 || strcmp(integrator, "adams") == 0))
        why = "a page does not have this integrator";
    else if (formulation && strcmp(formulation, trm_formulation_at(0).name) != 0)
        why = "a page does not have the papers' formulations";
    if (why && !o->quiet)
        terminal_say("the page is without sliders: %s", why);
    return why == NULL;
}

static trm_status write_page(const page_frame *page, const char *data, bool engine, const char *path) {
    char *text = page_make(page, data, strlen(data), engine, NULL);
    trm_status status = text ? program_write(path, text, false) : program_no_report();
    free(text);
    return status;
}

static trm_status write_report(const options *o, const page_frame *page, trm_result *result, bool engine,
                               const char *path) {
    if (trm_result_samples(result) == 0) {
        terminal_say("there are no samples; no page is made");
        return TRM_NO_SOLUTION;
    }
    const char *data = trm_result_page(result, 1);
    trm_status status = data[0] ? write_page(page, data, engine, path) : program_no_report();
    if (status == TRM_OK && !o->quiet && !program_is_stdout(path) && !terminal_name("%s\n", path))
        return TRM_IO_ERROR;
    return status;
}

int command_report(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    page_frame page;
    char own[4096];
    if (!page_find(&page))
        return TRM_WRONG_MODEL;
    interrupt_about("", "no page was made");
    program_name(o->file, ".html", own, sizeof own);
    const char *path = o->output ? o->output : own;
    if (sweep_is_asked(o) || sweep_is_folder(o->file))
        return sweep_report(o, &page, path);
    o->run.keep = TRM_KEEP_PAGE;
    trm_status status = program_read_model(o, &m);
    double began = program_clock();
    if (status == TRM_OK)
        status = program_spare_model(m, path);
    if (status == TRM_OK)
        status = program_run_model(o, m, &result);
    double seconds = program_clock() - began;
    if (status == TRM_NO_MEMORY && m)
        program_out_of_memory();
    int code = program_exit_code(status);
    if (result)
        program_tell_all(o, status, result);
    if (result && program_has_picture(status)) {
        trm_status written = write_report(o, &page, result, wants_engine(o, seconds), path);
        code = written ? program_exit_code(written) : code;
    }
    trm_result_free(result);
    trm_model_free(m);
    return code;
}
