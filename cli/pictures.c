/* The commands that make pictures and pages of a run. */
#include "page.h"
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// reads and runs the model; the result is there if any sample may be
static trm_status run_kept(options *o, trm_keep keep, trm_model **m, trm_result **result) {
    o->run.keep = keep;
    trm_status status = program_read_model(o, m);
    if (status == TRM_OK)
        status = program_run_model(o, *m, result);
    if (status == TRM_NO_MEMORY && *m)
        program_out_of_memory();
    return status;
}

// ---- plot

static int no_plots(trm_model *m) {
    fprintf(stderr, "trammel: the model has no plots\n    write some, as in plot \"Path\": y vs x\n");
    trm_model_free(m);
    return TRM_WRONG_MODEL;
}

static bool is_format(const char *format) {
    if (strcmp(format, "svg") == 0 || strcmp(format, "png") == 0 || strcmp(format, "pdf") == 0)
        return true;
    fprintf(stderr, "trammel: there is no format '%s' of pictures; svg, png and pdf are there\n", format);
    return false;
}

static bool is_folder(const char *output) {
    if (output == NULL || strcmp(output, "-") != 0)
        return true;
    fprintf(stderr, "trammel: pictures are files and go to a folder, not to standard output\n");
    return false;
}

int command_plot(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    char folder[4096];
    const char *files = "", *format = o->format ? o->format : "svg";
    if (!is_format(format) || !is_folder(o->output))
        return TRM_WRONG_MODEL;
    program_name(o->file, "-plots", folder, sizeof folder);
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK && trm_model_plots(m) == 0)
        return no_plots(m);
    o->run.keep = TRM_KEEP_PLOTS;
    if (status == TRM_OK)
        status = program_run_model(o, m, &result);
    bool drawn = result && status != TRM_WRONG_MODEL && status != TRM_IO_ERROR;
    trm_status made =
        drawn ? trm_result_plots(result, o->output ? o->output : folder, format, &files) : TRM_OK;
    if (result)
        program_tell_all(o, made == TRM_OK ? status : made, result);
    if (status == TRM_NO_MEMORY || made == TRM_NO_MEMORY)
        program_out_of_memory();
    bool printed = o->quiet || program_put(files);
    trm_result_free(result);
    trm_model_free(m);
    return made != TRM_OK ? program_exit_code(made) : printed ? program_exit_code(status) : TRM_IO_ERROR;
}

// ---- report

static bool same_file(const char *one, const char *other) {
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool write_page(FILE *out, const page_frame *page, const char *data) {
    return fwrite(page->before, 1, page->before_size, out) == page->before_size && fputs(data, out) != EOF &&
           fwrite(page->behind, 1, page->behind_size, out) == page->behind_size;
}

static int write_report(const options *o, const page_frame *page, const char *data, const char *path) {
    bool to_stdout = strcmp(path, "-") == 0;
    if (!to_stdout && same_file(path, o->file)) {
        fprintf(stderr, "trammel: '%s' is the model itself; it is not overwritten\n", path);
        return TRM_WRONG_MODEL;
    }
    FILE *out = to_stdout ? stdout : fopen(path, "wb");
    bool written = out && write_page(out, page, data);
    if (out && (to_stdout ? fflush(out) : fclose(out)) != 0)
        written = false;
    if (!written) {
        fprintf(stderr, "trammel: cannot write '%s': %s\n", path, strerror(errno));
        return TRM_IO_ERROR;
    }
    if (!o->quiet && !to_stdout)
        printf("%s\n", path);
    return TRM_OK;
}

int command_report(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    page_frame page;
    char path[4096];
    if (!page_find(&page))
        return TRM_WRONG_MODEL;
    program_name(o->file, ".html", path, sizeof path);
    trm_status status = run_kept(o, TRM_KEEP_PAGE, &m, &result);
    int code = program_exit_code(status);
    if (result)
        program_tell_all(o, status, result);
    if (result && status != TRM_WRONG_MODEL && status != TRM_IO_ERROR) {
        const char *data = trm_result_page(result, 1);
        int written =
            data[0] ? write_report(o, &page, data, o->output ? o->output : path) : program_out_of_memory();
        code = written ? written : code;
    }
    trm_result_free(result);
    trm_model_free(m);
    return code;
}
