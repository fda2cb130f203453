/* plot --scene and plot --animate: what moves, at instants or moving. */
#include "interrupt.h"
#include "program.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANTS_MOST = 64 };

typedef struct {
    trm_scene_def def;
    double instants[INSTANTS_MOST];
    char path[4096];
} wish;

static bool wished(const options *o, wish *w) {
    w->def = trm_scene_def_default();
    w->def.style = o->style;
    w->def.view = o->view;
    if (o->instants && o->animate)
        terminal_say("--scene stands still and --animate moves: one of both, please");
    else if (o->vary_count)
        terminal_say("--vary is of plots: --scene and --animate show one run");
    else if (o->letters)
        terminal_say("--font-size is of plots");
    else if (o->output && program_is_stdout(o->output))
        terminal_say("pictures are files, and do not go to standard output");
    else
        return program_number("--width", "mm", o->width, &w->def.width) &&
               program_number("--height", "mm", o->height, &w->def.height);
    return false;
}

// -o, or a name by the model, with the format if one was given
static void name_it(const options *o, wish *w) {
    program_name(o->file, o->animate ? "-film" : "-scene", w->path, sizeof w->path);
    if (o->output)
        snprintf(w->path, sizeof w->path, "%s", o->output);
    size_t length = strlen(w->path);
    if (o->format)
        snprintf(w->path + length, sizeof w->path - length, ".%s", o->format);
    w->def.path = w->path;
}

// T1,T2,... are expressions in the model's parameters
static bool read_instants(const options *o, trm_model *m, wish *w) {
    const char *from = o->instants;
    int depth = 0;
    for (const char *c = from; o->instants; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && (*c != ',' || depth > 0))
            continue;
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)(c - from), from);
        if (w->def.count == INSTANTS_MOST ||
            trm_model_number(m, one, &w->instants[w->def.count++]) != TRM_OK) {
            terminal_say("--scene needs up to %d times, as in --scene 0,0.5,1; '%s' is none", INSTANTS_MOST,
                         one);
            return false;
        }
        from = c + 1;
        if (*c == '\0')
            break;
    }
    w->def.instants = o->instants ? w->instants : NULL;
    return true;
}

static trm_status make(options *o, trm_model *m, wish *w, trm_result **result, trm_status *made) {
    const char *files = "";
    if (!read_instants(o, m, w))
        return *made = TRM_WRONG_MODEL;
    o->run.keep = TRM_KEEP_PAGE;
    trm_status status = program_run_model(o, m, result);
    if (*result == NULL || !program_has_picture(status))
        return status;
    *made = trm_result_scene(*result, &w->def, &files);
    if (*made == TRM_OK)
        interrupt_settle();
    program_tell_all(o, *made == TRM_OK ? status : *made, *result);
    if (*made == TRM_OK && !o->quiet && !terminal_name("%s", files))
        *made = TRM_IO_ERROR;
    return status;
}

int scene_plot(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    trm_status made = TRM_OK;
    wish w = {0};
    if (!wished(o, &w))
        return TRM_WRONG_MODEL;
    name_it(o, &w);
    interrupt_about("", "no picture was made");
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK)
        status = make(o, m, &w, &result, &made);
    if (result && !program_has_picture(status))
        program_tell_all(o, status, result);
    if (m && (status == TRM_NO_MEMORY || made == TRM_NO_MEMORY))
        program_out_of_memory();
    trm_result_free(result);
    trm_model_free(m);
    return program_exit_code(made != TRM_OK ? made : status);
}
