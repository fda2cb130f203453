/* The program: options, colour, progress bar, signals. It uses only the public interface. */
#include "completion.h"
#include "emit.h"
#include "help.h"
#include "import.h"
#include "interrupt.h"
#include "program.h"
#include "starter.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int program_messages(void) {
    return TRM_OPTIONS | (isatty(STDERR_FILENO) && getenv("NO_COLOR") == NULL ? TRM_COLOUR : 0);
}

int program_exit_code(trm_status status) {
    return status == TRM_NO_MEMORY ? TRM_NO_SOLUTION : (int)status;
}

bool program_put(const char *text) {
    if (interrupt_waits())
        return false;
    if (fputs(text, stdout) != EOF && fflush(stdout) == 0)
        return true;
    terminal_say("cannot write to standard output: %s", strerror(errno));
    return false;
}

bool program_is_stdout(const char *path) {
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; path && i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

trm_status program_write(const char *path, const char *text, bool fresh) {
    char why[4400];
    trm_write_def def;
    trm_write_def_init(&def, sizeof def);
    def.fresh = fresh;
    def.file = &interrupt_file;
    def.stop = &interrupt_flag;
    if (interrupt_waits())
        return TRM_INTERRUPTED;
    trm_status status = trm_file_write(path, text, strlen(text), &def, why, sizeof why);
    if (status == TRM_OK)
        interrupt_settle();
    else if (status != TRM_INTERRUPTED)
        terminal_say("cannot write '%s': %s", path, why);
    return status;
}

trm_status program_spare_model(const trm_model *m, const char *path) {
    if (!trm_model_is_source(m, path))
        return TRM_OK;
    terminal_say("'%s' is the model itself or a file that it includes; it is not overwritten", path);
    return TRM_WRONG_MODEL;
}

void program_name(const char *path, const char *behind, char *out, size_t room) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strrchr(name, '.');
    int length = end && end > name ? (int)(end - name) : (int)strlen(name);
    snprintf(out, room, "%.*s%s", length, name, behind);
}

// ---- the progress bar: on a terminal, after half a second

typedef struct {
    struct timespec start;
    int shown; // percent, -1 before the first
} progress;

static void show_progress(void *context, double part) {
    progress *p = context;
    struct timespec now;
    enum { WIDTH = 40 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
    int percent = (int)(100 * part);
    if (seconds < 0.5 || percent == p->shown)
        return;
    p->shown = percent;
    interrupt_bar(true);
    fprintf(stderr, "\r[");
    for (int i = 0; i < WIDTH; i++)
        fputc(i < part * WIDTH ? '=' : ' ', stderr);
    fprintf(stderr, "] %3d %%", percent);
}

static void clear_progress(const progress *p) {
    interrupt_bar(false);
    if (p->shown >= 0)
        fprintf(stderr, "\r\033[K");
}

// where that is long: nothing is shown until it is done
static void tell_expected(void *context, double seconds) {
    (void)context;
    double minutes = seconds / 60;
    if (minutes >= 100)
        terminal_say("this takes some %.0f hours", minutes / 60);
    else if (minutes >= 2)
        terminal_say("this takes some %.0f minutes", minutes);
    else if (seconds >= 10)
        terminal_say("this takes some %.0f s", seconds);
}

// ---- commands

int program_out_of_memory(void) {
    terminal_say("the model needs more memory than there is");
    return program_exit_code(TRM_NO_MEMORY);
}

void program_tell_model(trm_model *m) {
    fputs(trm_model_messages(m, program_messages()), stderr);
}

trm_status program_read_model(const options *o, trm_model **m) {
    trm_status status = trm_model_read(o->file, o->settings, o->setting_count, m);
    if (*m == NULL)
        program_out_of_memory();
    else if (status != TRM_OK || !o->quiet)
        program_tell_model(*m);
    return status;
}

// what became of the samples of a run that did not come to its end
static void tell_kept(const options *o, trm_status status) {
    if (status == TRM_INTERRUPTED)
        interrupt_tell();
    else if (interrupt_file.state == TRM_FILE_IN_PLACE)
        terminal_say("the samples written so far are kept in '%s'", o->output);
}

trm_status program_no_report(void) {
    program_out_of_memory();
    return TRM_NO_MEMORY;
}

static bool is_failure(trm_status status) {
    return status != TRM_OK && status != TRM_EXPECTATION_FAILED && status != TRM_INTERRUPTED;
}

double program_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void program_tell(const options *o, trm_status status, trm_result *result) {
    if (is_failure(status) || !o->quiet)
        fputs(trm_result_messages(result, program_messages()), stderr);
}

void program_tell_all(const options *o, trm_status status, trm_result *result) {
    program_tell(o, status, result);
    if (!o->quiet)
        fputs(trm_result_failures(result), stderr);
}

// with characters, as wide as the terminal; standard output may belong to samples or JSON
static bool show_sketch(const options *o, trm_result *result) {
    struct winsize size = {0};
    FILE *to = o->json || program_is_stdout(o->output) ? stderr : stdout;
    int colour = isatty(fileno(to)) && getenv("NO_COLOR") == NULL;
    int known = ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const char *drawn = trm_result_sketch(result, known ? size.ws_col : 80, colour);
    if (drawn[0] == '\0' && !interrupt_flag)
        terminal_say("nothing to plot: there are no samples");
    return to == stdout ? program_put(drawn) : fputs(drawn, to) != EOF;
}

static int finish(const options *o, trm_status status, trm_result *result) {
    if (result == NULL) {
        if (status == TRM_NO_MEMORY)
            program_out_of_memory();
        tell_kept(o, status);
        return program_exit_code(status);
    }
    bool failed = is_failure(status);
    program_tell(o, status, result);
    if (status == TRM_INTERRUPTED)
        tell_kept(o, status);
    bool samples_on_stdout = program_is_stdout(o->output);
    bool printed = true;
    const char *json = o->json ? trm_result_json(result) : "";
    if (o->json && json[0])
        printed = program_put(json) && program_put("\n");
    else if (o->json && !failed && status != TRM_INTERRUPTED)
        status = program_no_report();
    else if (!o->quiet && !samples_on_stdout && status != TRM_WRONG_MODEL && status != TRM_IO_ERROR)
        printed = program_put(trm_result_summary(result));
    if (printed && o->sketch && status != TRM_WRONG_MODEL && status != TRM_IO_ERROR)
        printed = show_sketch(o, result);
    if (failed)
        tell_kept(o, status);
    trm_result_free(result);
    return printed ? program_exit_code(status) : TRM_IO_ERROR;
}

trm_status program_run_model(options *o, trm_model *m, trm_result **result) {
    progress bar = {.shown = -1};
    clock_gettime(CLOCK_MONOTONIC, &bar.start);
    if (isatty(STDERR_FILENO) && !o->quiet) {
        o->run.progress = show_progress;
        o->run.progress_context = &bar;
    }
    trm_status status = trm_run(m, &o->run, result);
    clear_progress(&bar);
    return status;
}

static bool both_to_stdout(const options *o) {
    if (o->json && program_is_stdout(o->output))
        terminal_say("--json and -o %s would both write to standard output", o->output);
    return o->json && program_is_stdout(o->output);
}

static int command_run(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    if (both_to_stdout(o))
        return TRM_WRONG_MODEL;
    o->run.csv = o->output;
    if (o->output)
        interrupt_about(o->output, "");
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK && o->sketch && trm_model_plots(m) == 0) {
        terminal_say("nothing to plot; a model says what, as in plot \"Path\": y vs x");
        o->sketch = false;
    }
    o->run.keep = o->sketch ? TRM_KEEP_PLOTS : TRM_KEEP_NOTHING;
    if (status == TRM_OK)
        status = program_run_model(o, m, &result);
    int code = m ? finish(o, status, result) : program_exit_code(status);
    trm_model_free(m);
    return code;
}

typedef trm_status study(trm_model *m, const trm_run_def *def, trm_result **out);
typedef trm_status writer(const options *o, trm_model *m, trm_result *result); // of what -o asks for

static int examine(options *o, study *by, writer *write) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    if (both_to_stdout(o))
        return TRM_WRONG_MODEL;
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK)
        status = by(m, &o->run, &result);
    if (status == TRM_OK && o->output)
        status = write(o, m, result);
    int code = m ? finish(o, status, result) : program_exit_code(status);
    trm_model_free(m);
    return code;
}

static int command_check(options *o) {
    return examine(o, trm_check, NULL);
}

static void tell_long(options *o) {
    if (isatty(STDERR_FILENO) && !o->quiet)
        o->run.expected = tell_expected;
}

static int command_compare(options *o) {
    tell_long(o);
    return examine(o, trm_compare, NULL);
}

/* The name of the model as it is found from where the file will be: the same folder, or from the root. */
static const char *name_from(const char *model, const char *file, char *out, size_t room) {
    const char *a = strrchr(model, '/'), *b = strrchr(file, '/');
    size_t of_model = a ? (size_t)(a - model) : 0, of_file = b ? (size_t)(b - file) : 0;
    if (of_model == of_file && strncmp(model, file, of_model) == 0)
        return a ? a + 1 : model;
    char *full = realpath(model, NULL);
    snprintf(out, room, "%s", full ? full : model);
    free(full);
    return out;
}

static trm_status write_start(const options *o, trm_model *m, trm_result *result) {
    char name[4096];
    trm_status status = program_spare_model(m, o->output);
    if (status != TRM_OK)
        return status;
    const char *from =
        program_is_stdout(o->output) ? o->file : name_from(o->file, o->output, name, sizeof name);
    return program_write(o->output, trm_result_model(result, from), false);
}

static trm_status write_matrices(const options *o, trm_model *m, trm_result *result) {
    trm_status status = program_spare_model(m, o->output);
    return status == TRM_OK ? program_write(o->output, trm_result_matrices(result), false) : status;
}

static int command_linearize(options *o) {
    tell_long(o);
    return examine(o, trm_linearize, write_matrices);
}

static int command_equilibrium(options *o) {
    return examine(o, trm_equilibrium, write_start);
}

// why there are no equations
static trm_status no_equations(trm_model *m) {
    trm_system *s = NULL;
    if (trm_system_create(m, &s) != TRM_WRONG_MODEL)
        return program_no_report();
    fputs(trm_model_messages(m, program_messages()), stderr);
    return TRM_WRONG_MODEL;
}

static int command_equations(options *o) {
    trm_model *m = NULL;
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK) {
        const char *text = trm_model_equations(m, o->notation | (o->expand ? TRM_EXPANDED : 0));
        if (text == NULL)
            status = no_equations(m);
        else if (!program_put(text))
            status = TRM_IO_ERROR;
    }
    trm_model_free(m);
    return program_exit_code(status);
}

static int command_new(options *o) {
    interrupt_about("", "no model was made");
    if (access(o->file, F_OK) == 0) {
        terminal_say("'%s' is there already; it is not overwritten", o->file);
        return TRM_IO_ERROR;
    }
    if (program_write(o->file, starter, true) != TRM_OK)
        return TRM_IO_ERROR;
    bool shown = o->quiet || program_is_stdout(o->file) ||
                 terminal_name("wrote %s; try: trammel run %s\n", o->file, o->file);
    return shown ? 0 : TRM_IO_ERROR;
}

static int command_import(options *o) {
    interrupt_about("", "no model was made");
    return program_exit_code(import_command(o, program_messages()));
}

static int command_help_texts(const options *o) {
    if (o->file == NULL || strcmp(o->file, "help") == 0) {
        help_print();
        return 0;
    }
    const command *c = command_find(o->file);
    if (c == NULL) {
        terminal_say("there is no command '%s'", o->file);
        return TRM_WRONG_MODEL;
    }
    help_print_command(c);
    return 0;
}

static int version(void) {
    const char *wish = getenv("TRAMMEL_KERNEL"), *used = trm_kernel();
    char shown[100];
    printf("trammel %s\nkernels: %s; %s is used\n", trm_version(), trm_kernels(), used);
    if (wish && strcmp(wish, used) != 0) {
        snprintf(shown, sizeof shown, "%s", wish);
        trm_text_tame(shown, 0);
        printf("  (TRAMMEL_KERNEL=%s is not among them)\n", shown);
    }
    printf("optional parts: %s\n", trm_parts());
    return 0;
}

static int unknown_command(const char *name) {
    const char *guess = help_guess(name);
    const char *end = strrchr(name, '.');
    if (end && strcmp(end, ".tram") == 0)
        terminal_say("there is no command '%s'; to run a model write: trammel run %s", name, name);
    else if (guess)
        terminal_say("there is no command '%s'; did you mean '%s'?", name, guess);
    else
        terminal_say("there is no command '%s'; 'trammel help' lists what there is", name);
    return TRM_WRONG_MODEL;
}

static int act(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*act)(options *o);
    } commands[] = {{"run", command_run},         {"check", command_check},
                    {"compare", command_compare}, {"equations", command_equations},
                    {"import", command_import},   {"linearize", command_linearize},
                    {"plot", command_plot},       {"report", command_report},
                    {"view", command_view},       {"playground", command_playground},
                    {"new", command_new},         {"equilibrium", command_equilibrium},
                    {"sweep", command_sweep},     {"emit", command_emit}};
    static options o;
    signal(SIGPIPE, SIG_IGN); // a closed pipe is an error that is told
    signal(SIGXFSZ, SIG_IGN); // and so is a file that becomes larger than the limit
    interrupt_catch();
    if (!options_read(&o, argc, argv))
        return TRM_WRONG_MODEL;
    o.run.stop = &interrupt_flag;
    o.run.file = &interrupt_file;
    if (o.version)
        return version();
    if (o.command == NULL || strcmp(o.command, "help") == 0) {
        command_help_texts(&o);
        return o.command || o.help
                   ? (o.file && !command_find(o.file) && strcmp(o.file, "help") ? TRM_WRONG_MODEL : 0)
                   : TRM_WRONG_MODEL;
    }
    const command *c = command_find(o.command);
    if (c == NULL)
        return unknown_command(o.command);
    if (o.help) {
        help_print_command(c);
        return 0;
    }
    if (c->later) {
        terminal_say("'%s' is not yet part of this version", o.command);
        return TRM_WRONG_MODEL;
    }
    if (strcmp(o.command, "completion") == 0)
        return completion_command(o.file);
    bool needs_file = o.resume == NULL && o.export == NULL && strcmp(o.command, "playground") != 0;
    if (o.file == NULL && needs_file) {
        terminal_say("'%s' needs a file: %s", o.command, c->usage);
        return TRM_WRONG_MODEL;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(o.command, commands[i].name) == 0)
            return commands[i].act(&o);
    return TRM_WRONG_MODEL;
}

/* Where a standard stream is closed, the next file that is opened would get its number, and messages would be
 * written into that. What is opened for reading instead cannot be written to, as a closed one. */
static void fill_closed_streams(void) {
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0)
            open("/dev/null", O_RDONLY); // the least number that is free is i
}

int main(int argc, char **argv) {
    fill_closed_streams();
    int code = act(argc, argv);
    if (interrupt_waits()) {
        interrupt_tell();
        return TRM_INTERRUPTED;
    }
    if (code == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        terminal_say("cannot write to standard output: %s", strerror(errno));
        return TRM_IO_ERROR;
    }
    return code;
}
