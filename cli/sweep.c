/* The command that runs a model many times. */
#include "deal.h"
#include "interrupt.h"
#include "page.h"
#include "program.h"
#include "terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the command line

static const struct {
    const char *option;
    trm_sampling sampling;
} samplings[] = {{"--zip", TRM_ZIP}, {"--lhs", TRM_LHS}, {"--sobol", TRM_SOBOL}, {"--random", TRM_RANDOM}};

static bool is_given(const options *o, const char *name) {
    return o->given[option_find(name) - option_table];
}

// at most one way to combine or draw
static bool choose_sampling(const options *o, trm_sweep_def *def) {
    const char *before = is_given(o, "--cases") ? "--cases" : NULL;
    for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++) {
        const char *name = samplings[i].option;
        if (!is_given(o, name))
            continue;
        if (before) {
            terminal_say("%s and %s cannot both be: the cases of a sweep come about in one way", before,
                         name);
            return false;
        }
        before = name;
        def->sampling = samplings[i].sampling;
    }
    return true;
}

static bool whole_number(const char *name, const char *given, long least, long most, long *out) {
    char *end;
    errno = 0;
    long value = given ? strtol(given, &end, 10) : 0;
    if (given && end > given && *end == '\0' && errno == 0 && value >= least && value <= most) {
        *out = value;
        return true;
    }
    if (given)
        terminal_say("%s needs a whole number, %ld or more; found '%s'", name, least, given);
    return given == NULL;
}

static bool seconds(const char *given, double *out) {
    char *end;
    double value = given ? strtod(given, &end) : 0;
    if (given && (end == given || *end || !(value > 0))) {
        terminal_say("--timeout needs seconds, more than 0; found '%s'", given);
        return false;
    }
    *out = value;
    return true;
}

static bool what_to_keep(const char *given, trm_sweep_def *def) {
    if (given && strcmp(given, "samples") == 0)
        def->keep = TRM_KEEP_SAMPLES;
    else if (given && strcmp(given, "final") != 0) {
        terminal_say("there is nothing '%s' to keep; final and samples are there", given);
        return false;
    }
    return true;
}

static bool read_numbers(const options *o, trm_sweep_def *def) {
    long threads = 0, seed = 0;
    bool ok = whole_number("--threads", o->threads, 1, 1024, &threads) &&
              whole_number("--stop-after", o->stop_after, 1, LONG_MAX, &def->stop_after) &&
              whole_number("--seed", o->seed, 0, LONG_MAX, &seed) && seconds(o->timeout, &def->timeout) &&
              what_to_keep(o->keep, def);
    for (size_t i = 1; i < sizeof samplings / sizeof *samplings; i++)
        if (is_given(o, samplings[i].option))
            ok = ok && whole_number(samplings[i].option, o->draws, 1, LONG_MAX, &def->draws);
    def->threads = (int)threads;
    def->seed = seed;
    return ok;
}

// what is in the plan of a sweep that is there; how: the words for what is done with it
static bool has_own_plan(const options *o, const char *how) {
    static const char *const planned[] = {
        "--vary",       "--zip",         "--lhs",    "--sobol", "--random",      "--cases",
        "--seed",       "--keep",        "--set",    "--until", "--every",       "--tolerance",
        "--integrator", "--formulation", "--choice", "--exact", "--coordinates", "--rank-tolerance"};
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++)
        if (is_given(o, planned[i])) {
            terminal_say("%s cannot be given with %s: the sweep has its own plan", planned[i], how);
            return false;
        }
    return true;
}

static bool only_goes_on(const options *o) {
    const char *how = o->resume ? "--continue" : "--export";
    if (!has_own_plan(o, how))
        return false;
    if (o->resume && o->export) {
        terminal_say("--continue exports at its end; leave out --export");
        return false;
    }
    if (o->file) {
        terminal_say("%s needs no model: the sweep knows its own; what is '%s'?", how, o->file);
        return false;
    }
    return true;
}

// ---- progress, on a terminal

typedef struct {
    bool shown;
} line;

static void show_left(double left) {
    if (left < 100)
        fprintf(stderr, "ETA %.0f s", left);
    else if (left < 6000)
        fprintf(stderr, "ETA %.0f min", left / 60);
    else
        fprintf(stderr, "ETA %.1f h", left / 3600);
}

static void show_progress(void *context, long done, long failed, long cases, double spent) {
    enum { WIDTH = 20 };
    line *l = context;
    static long first = -1; // done before we began
    done += deal_done_elsewhere();
    if (first < 0)
        first = done;
    double rate = spent > 0 ? (double)(done - first) / spent : 0;
    if (spent < 0.5)
        return;
    l->shown = true;
    interrupt_bar(true);
    fprintf(stderr, "\r\033[K[");
    for (int i = 0; i < WIDTH; i++)
        fputc((double)i < (double)done / (double)cases * WIDTH ? '#' : '.', stderr);
    fprintf(stderr, "] %ld/%ld  ", done, cases);
    if (failed)
        fprintf(stderr, "%ld failed  ", failed);
    fprintf(stderr, "%.3g/s  ", rate);
    if (rate > 0)
        show_left((double)(cases - done) / rate);
}

// ---- what comes out

typedef struct {
    char folder[4096], csv[4096], h5[4096], picture[4096];
} names;

static bool has_ending(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

// NAME, from -o NAME, NAME.sweep, NAME.h5 or NAME.csv
static void name_all(const char *given, names *n) {
    static const char *const endings[] = {".sweep/", ".sweep", ".h5", ".csv"};
    int length = (int)strlen(given);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (has_ending(given, endings[i])) {
            length -= (int)strlen(endings[i]);
            break;
        }
    snprintf(n->folder, sizeof n->folder, "%.*s.sweep", length, given);
    snprintf(n->csv, sizeof n->csv, "%.*s.csv", length, given);
    snprintf(n->h5, sizeof n->h5, "%.*s.h5", length, given);
    snprintf(n->picture, sizeof n->picture, "%.*s.svg", length, given);
}

// its messages are told with those of the sweep
static trm_status export_all(const options *o, trm_sweep_result *r, const names *n) {
    trm_status status = trm_sweep_export(r, n->csv);
    if (status != TRM_OK)
        return status;
    if (!o->quiet && !o->json && !terminal_name("  wrote %s\n", n->csv))
        return TRM_IO_ERROR;
    const char *before = trm_sweep_messages(r, program_messages());
    status = trm_sweep_export(r, n->h5);
    if (status == TRM_WRONG_MODEL) { // there is no libhdf5
        const char *after = trm_sweep_messages(r, program_messages());
        if (!o->quiet)
            terminal_say("no HDF5 file was made: %s",
                         strstr(after, "libhdf5") ? "libhdf5 cannot be loaded" : after);
        (void)before;
        return TRM_OK;
    }
    if (status == TRM_OK && !o->quiet && !o->json && !terminal_name("  wrote %s\n", n->h5))
        return TRM_IO_ERROR;
    return status;
}

static trm_status draw(const options *o, trm_sweep_result *r, const names *n) {
    trm_status status = o->sketch ? trm_sweep_plot(r, n->picture) : TRM_OK;
    if (o->sketch && status == TRM_OK && !o->quiet && !o->json && !terminal_name("  wrote %s\n", n->picture))
        return TRM_IO_ERROR;
    return status;
}

static bool is_complete(trm_status status) {
    return status == TRM_OK || status == TRM_EXPECTATION_FAILED || status == TRM_NO_SOLUTION;
}

static bool remove_folder(const char *folder) {
    char path[4200];
    static const char *const files[] = {"plan", "model.tram", "journal.0"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    for (int i = 1; i < 1 << 15; i++) {
        snprintf(path, sizeof path, "%s/journal.%d", folder, i);
        if (unlink(path) != 0)
            break;
    }
    return rmdir(folder) == 0;
}

static long cases_left(const trm_sweep_result *r) {
    long left = 0;
    for (long i = 0; i < trm_sweep_cases(r); i++)
        left += trm_sweep_status(r, i) < 0;
    return left;
}

static int finish(const options *o, trm_status status, trm_sweep_result *r, const names *n) {
    bool printed = true;
    if (r == NULL)
        return status == TRM_NO_MEMORY ? program_out_of_memory() : program_exit_code(status);
    if (is_complete(status) && !o->json && !o->quiet)
        printed = program_put(trm_sweep_summary(r));
    trm_status written = is_complete(status) && printed ? export_all(o, r, n) : status;
    if (is_complete(status) && written == TRM_OK)
        written = draw(o, r, n);
    if (is_complete(status) && o->json)
        printed = program_put(trm_sweep_json(r)) && program_put("\n");
    if (status != TRM_INTERRUPTED && (!is_complete(written) || !o->quiet))
        fputs(trm_sweep_messages(r, program_messages()), stderr);
    if (status == TRM_NO_MEMORY)
        program_out_of_memory();
    if (status == TRM_INTERRUPTED && access(n->folder, F_OK) != 0)
        interrupt_about("", "nothing was done");
    if (status == TRM_INTERRUPTED)
        interrupt_tell();
    if (o->tidy && is_complete(status) && written == TRM_OK && printed) {
        if (cases_left(r) > 0)
            terminal_say("'%s' stays: not all cases are done", n->folder);
        else if (!remove_folder(n->folder))
            terminal_say("cannot remove '%s': %s", n->folder, strerror(errno));
    }
    trm_sweep_free(r);
    return !printed ? TRM_IO_ERROR : program_exit_code(written != TRM_OK ? written : status);
}

// ---- the command

static int export_one(const options *o) {
    names n;
    trm_sweep_result *r = NULL;
    name_all(o->output ? o->output : o->export, &n);
    trm_status status = trm_sweep_read(o->export, &r);
    if (r == NULL)
        return program_out_of_memory();
    if (!is_complete(status)) {
        fputs(trm_sweep_messages(r, program_messages()), stderr);
        trm_sweep_free(r);
        return program_exit_code(status);
    }
    if (o->output && !has_ending(o->output, ".csv") && !has_ending(o->output, ".h5") &&
        strcmp(o->output, "-") != 0) {
        terminal_say("what kind of file is '%s'? NAME.csv or NAME.h5", o->output);
        status = TRM_WRONG_MODEL;
    } else if (o->output) {
        status = trm_sweep_export(r, o->output);
        fputs(trm_sweep_messages(r, program_messages()), stderr);
        if (status == TRM_OK && !o->quiet && !program_is_stdout(o->output))
            terminal_name("wrote %s\n", o->output);
    } else
        status = export_all(o, r, &n);
    if (status == TRM_OK)
        status = draw(o, r, &n);
    if (status != TRM_OK)
        fputs(trm_sweep_messages(r, program_messages()), stderr);
    trm_sweep_free(r);
    return program_exit_code(status);
}

static void prepare(const options *o, trm_sweep_def *def, const names *n, line *l) {
    def->vary = o->vary;
    def->vary_count = o->vary_count;
    def->cases = o->cases;
    def->run = &o->run;
    def->folder = n->folder;
    if (isatty(STDERR_FILENO) && !o->quiet) {
        def->progress = show_progress;
        def->progress_context = l;
    }
}

// of several processes the first one speaks, and all read the model or none goes on
static trm_status read_model(const options *o, const trm_deal *deal, trm_model **m) {
    bool speaks = deal == NULL || deal->rank == 0;
    trm_status status =
        speaks ? program_read_model(o, m) : trm_model_read(o->file, o->settings, o->setting_count, m);
    if (deal && !deal->meet(deal->context, status == TRM_OK) && status == TRM_OK) {
        if (speaks)
            terminal_say("another of the %d processes cannot read the model", deal->ranks);
        return TRM_IO_ERROR;
    }
    return status;
}

static trm_status conduct(options *o, const trm_sweep_def *def, trm_model **m, trm_sweep_result **r) {
    trm_status status;
    bool speaks = def->deal == NULL || def->deal->rank == 0;
    if (o->resume) {
        status = trm_sweep_continue(def->folder, def, m, r);
        if (*m && speaks && (*r == NULL || status == TRM_WRONG_MODEL || !o->quiet))
            fputs(trm_model_messages(*m, program_messages()), stderr);
        return status;
    }
    status = read_model(o, def->deal, m);
    return status == TRM_OK ? trm_sweep(*m, def, r) : status;
}

// what another process than the first has to say
static int finish_elsewhere(trm_status status, trm_sweep_result *r) {
    bool began = r && trm_sweep_cases(r) > 0,
         failed = began && (status == TRM_IO_ERROR || status == TRM_NO_MEMORY);
    if (failed)
        fputs(trm_sweep_messages(r, program_messages()), stderr);
    trm_sweep_free(r);
    return failed ? program_exit_code(status) : TRM_OK;
}

static int sweep(options *o, const trm_deal *deal) {
    names n;
    char own[4096], goes_on[4400];
    trm_model *m = NULL;
    trm_sweep_result *r = NULL;
    trm_sweep_def def;
    line l = {false};
    trm_sweep_def_init(&def, sizeof def);
    if (!choose_sampling(o, &def) || !read_numbers(o, &def))
        return TRM_WRONG_MODEL;
    if (o->resume == NULL)
        program_name(o->file, "", own, sizeof own);
    name_all(o->resume ? o->resume : o->output ? o->output : own, &n);
    snprintf(goes_on, sizeof goes_on, "go on with: trammel sweep --continue %s", n.folder);
    interrupt_about("", goes_on);
    prepare(o, &def, &n, &l);
    def.deal = deal;
    trm_status status = conduct(o, &def, &m, &r);
    interrupt_bar(false);
    if (l.shown)
        fprintf(stderr, "\r\033[K");
    int code = deal && deal->rank > 0 ? finish_elsewhere(status, r) : finish(o, status, r, &n);
    trm_model_free(m);
    return code;
}

int command_sweep(options *o) {
    const trm_deal *deal;
    if ((o->resume || o->export) && !only_goes_on(o))
        return TRM_WRONG_MODEL;
    if (o->export)
        return export_one(o);
    if (!deal_begin(&deal))
        return TRM_WRONG_MODEL;
    int code = sweep(o, deal);
    deal_end();
    return code;
}

// ---- trammel plot --vary

bool sweep_is_asked(const options *o) {
    return o->vary_count || o->cases;
}

bool sweep_is_folder(const char *path) {
    char plan[4200];
    struct stat seen;
    snprintf(plan, sizeof plan, "%s/plan", path);
    return stat(plan, &seen) == 0 && S_ISREG(seen.st_mode);
}

static trm_status draw_bundles(options *o, const char *folder, trm_status status, trm_sweep_result *r) {
    char own[4096], path[8200];
    program_name(o->file, "", own, sizeof own);
    snprintf(path, sizeof path, "%s/%s-cases.%s", folder, own, o->format ? o->format : "svg");
    if (is_complete(status) && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        terminal_say("cannot make the folder '%s': %s", folder, strerror(errno));
        status = TRM_IO_ERROR;
    }
    trm_status drawn = is_complete(status) ? trm_sweep_plot(r, path) : status;
    if ((!is_complete(drawn) || !o->quiet) && drawn != TRM_INTERRUPTED)
        fputs(trm_sweep_messages(r, program_messages()), stderr);
    if (drawn == TRM_OK)
        interrupt_settle();
    bool printed = drawn != TRM_OK || o->quiet || terminal_name("%s\n", path);
    trm_sweep_free(r);
    return drawn != TRM_OK ? drawn : printed ? status : TRM_IO_ERROR;
}

// the cases of a command that keeps nothing
static trm_status try_cases(options *o, trm_sweep_keep keep, trm_model **m, trm_sweep_result **r) {
    trm_sweep_def def;
    line l = {false};
    names n;
    trm_sweep_def_init(&def, sizeof def);
    if (!choose_sampling(o, &def) || !read_numbers(o, &def))
        return TRM_WRONG_MODEL;
    prepare(o, &def, &n, &l);
    def.folder = NULL;
    def.keep = (int)keep;
    trm_status status = program_read_model(o, m);
    if (status == TRM_OK)
        status = trm_sweep(*m, &def, r);
    interrupt_bar(false);
    if (l.shown)
        fprintf(stderr, "\r\033[K");
    return status;
}

int sweep_plot(options *o, const char *folder) {
    trm_model *m = NULL;
    trm_sweep_result *r = NULL;
    trm_status status = try_cases(o, TRM_KEEP_SAMPLES, &m, &r);
    if (r)
        status = draw_bundles(o, folder, status, r);
    trm_model_free(m);
    return program_exit_code(status);
}

// ---- trammel report NAME.sweep, and --vary

static trm_status read_folder(const options *o, trm_model **m, trm_sweep_result **r) {
    trm_status status = trm_sweep_read(o->file, r);
    if (!is_complete(status))
        return status;
    if (trm_sweep_model(*r, m) != TRM_OK) {
        if (!o->quiet)
            terminal_say("the page cannot run the cases itself: its model cannot be read as it was");
        trm_model_free(*m);
        *m = NULL;
    }
    return status;
}

static trm_status write_page(const options *o, const page_frame *page, trm_model *m, trm_sweep_result *r,
                             const char *path) {
    const char *data = trm_sweep_page(r, m);
    if (data[0] == '\0')
        return TRM_WRONG_MODEL;
    char *text = page_make(page, data, strlen(data), m && !o->no_engine, NULL);
    trm_status status = text ? program_write(path, text, false) : program_no_report();
    free(text);
    if (status == TRM_OK && !o->quiet && !program_is_stdout(path) && !terminal_name("%s\n", path))
        return TRM_IO_ERROR;
    return status;
}

int sweep_report(options *o, const page_frame *page, const char *path) {
    trm_model *m = NULL;
    trm_sweep_result *r = NULL;
    bool folder = sweep_is_folder(o->file);
    if (folder && !has_own_plan(o, o->file))
        return TRM_WRONG_MODEL;
    trm_status status = folder ? read_folder(o, &m, &r) : try_cases(o, TRM_KEEP_FINAL, &m, &r);
    trm_status written = status;
    if (r && is_complete(status)) {
        written = m ? program_spare_model(m, path) : TRM_OK;
        written = written == TRM_OK ? write_page(o, page, m, r, path) : written;
    }
    if (r && (!o->quiet || !is_complete(written)) && written != TRM_INTERRUPTED)
        fputs(trm_sweep_messages(r, program_messages()), stderr);
    if (status == TRM_NO_MEMORY)
        program_out_of_memory();
    trm_sweep_free(r);
    trm_model_free(m);
    return program_exit_code(written != TRM_OK ? written : status);
}
