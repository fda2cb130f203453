/* The program: options, colour, progress bar, signals. It uses only the public interface. */
#include "help.h"
#include "import.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t program_interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    program_interrupted = 1;
}

void program_catch_signals(void) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int program_use_colour(void) {
    return isatty(STDERR_FILENO) && getenv("NO_COLOR") == NULL;
}

int program_exit_code(trm_status status) {
    return status == TRM_NO_MEMORY ? TRM_NO_SOLUTION : (int)status;
}

bool program_put(const char *text) {
    if (fputs(text, stdout) != EOF && fflush(stdout) == 0)
        return true;
    fprintf(stderr, "trammel: cannot write to standard output: %s\n", strerror(errno));
    return false;
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
    fprintf(stderr, "\r[");
    for (int i = 0; i < WIDTH; i++)
        fputc(i < part * WIDTH ? '=' : ' ', stderr);
    fprintf(stderr, "] %3d %%", percent);
}

static void clear_progress(const progress *p) {
    if (p->shown >= 0)
        fprintf(stderr, "\r\033[K");
}

// ---- commands

int program_out_of_memory(void) {
    fprintf(stderr, "trammel: the model needs more memory than there is\n");
    return program_exit_code(TRM_NO_MEMORY);
}

trm_status program_read_model(const options *o, trm_model **m) {
    trm_status status = trm_model_read(o->file, o->settings, o->setting_count, m);
    if (*m == NULL)
        program_out_of_memory();
    else if (status != TRM_OK || !o->quiet)
        fputs(trm_model_messages(*m, program_use_colour()), stderr);
    return status;
}

static void tell_interruption(const options *o) {
    fprintf(stderr, "trammel: interrupted");
    fprintf(stderr, o->output ? "; the samples written so far are kept in '%s'\n" : "\n", o->output);
}

// there was memory for the run, but not for telling of it
static trm_status no_report(void) {
    program_out_of_memory();
    return TRM_NO_MEMORY;
}

static bool is_failure(trm_status status) {
    return status != TRM_OK && status != TRM_EXPECTATION_FAILED && status != TRM_INTERRUPTED;
}

void program_tell(const options *o, trm_status status, trm_result *result) {
    if (is_failure(status) || !o->quiet)
        fputs(trm_result_messages(result, program_use_colour()), stderr);
}

void program_tell_all(const options *o, trm_status status, trm_result *result) {
    program_tell(o, status, result);
    if (!o->quiet)
        fputs(trm_result_failures(result), stderr);
}

// with characters, as wide as the terminal; standard output may belong to samples or JSON
static bool show_sketch(const options *o, trm_result *result) {
    struct winsize size = {0};
    FILE *to = o->json || (o->output && strcmp(o->output, "-") == 0) ? stderr : stdout;
    int colour = isatty(fileno(to)) && getenv("NO_COLOR") == NULL;
    int known = ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const char *drawn = trm_result_sketch(result, known ? size.ws_col : 80, colour);
    if (drawn[0] == '\0')
        fprintf(stderr, "trammel: nothing to plot: there are no samples\n");
    return to == stdout ? program_put(drawn) : fputs(drawn, to) != EOF;
}

static int finish(const options *o, trm_status status, trm_result *result) {
    if (result == NULL)
        return status == TRM_NO_MEMORY ? program_out_of_memory() : program_exit_code(status);
    bool failed = is_failure(status);
    program_tell(o, status, result);
    if (status == TRM_INTERRUPTED)
        tell_interruption(o);
    bool samples_on_stdout = o->output && strcmp(o->output, "-") == 0;
    bool printed = true;
    const char *json = o->json ? trm_result_json(result) : "";
    if (o->json && json[0])
        printed = program_put(json) && program_put("\n");
    else if (o->json && !failed)
        status = no_report();
    else if (!o->quiet && !samples_on_stdout && status != TRM_WRONG_MODEL && status != TRM_IO_ERROR)
        printed = program_put(trm_result_summary(result));
    if (printed && o->sketch && status != TRM_WRONG_MODEL && status != TRM_IO_ERROR)
        printed = show_sketch(o, result);
    if (status == TRM_NO_SOLUTION && o->output)
        fprintf(stderr, "trammel: the samples written so far are kept in '%s'\n", o->output);
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
    program_catch_signals(); // reading a model needs no care: it is simply ended
    o->run.stop = &program_interrupted;
    trm_status status = trm_run(m, &o->run, result);
    clear_progress(&bar);
    return status;
}

static int command_run(options *o) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    if (o->json && o->output && strcmp(o->output, "-") == 0) {
        fprintf(stderr, "trammel: --json and -o - would both write to standard output\n");
        return TRM_WRONG_MODEL;
    }
    o->run.csv = o->output;
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK && o->sketch && trm_model_plots(m) == 0) {
        fprintf(stderr, "trammel: nothing to plot; a model says what, as in plot \"Path\": y vs x\n");
        o->sketch = false;
    }
    o->run.keep = o->sketch ? TRM_KEEP_PLOTS : TRM_KEEP_NOTHING;
    if (status == TRM_OK)
        status = program_run_model(o, m, &result);
    int code = m && status != TRM_NO_MEMORY ? finish(o, status, result) : finish(o, status, NULL);
    trm_model_free(m);
    return code;
}

static int examine(options *o, trm_status (*by)(trm_model *m, const trm_run_def *def, trm_result **out)) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK)
        status = by(m, &o->run, &result);
    int code = finish(o, status, result);
    trm_model_free(m);
    return code;
}

static int command_check(options *o) {
    return examine(o, trm_check);
}

static int command_compare(options *o) {
    return examine(o, trm_compare);
}

static int command_linearize(options *o) {
    return examine(o, trm_linearize);
}

// why there are no equations
static trm_status no_equations(trm_model *m) {
    trm_system *s = NULL;
    if (trm_system_create(m, &s) != TRM_WRONG_MODEL)
        return no_report();
    fputs(trm_model_messages(m, program_use_colour()), stderr);
    return TRM_WRONG_MODEL;
}

static int command_equations(options *o) {
    trm_model *m = NULL;
    trm_status status = program_read_model(o, &m);
    if (status == TRM_OK) {
        const char *text = trm_model_equations(m, o->notation);
        if (text == NULL)
            status = no_equations(m);
        else if (!program_put(text))
            status = TRM_IO_ERROR;
    }
    trm_model_free(m);
    return program_exit_code(status);
}

static const char starter[] =
    "# A pendulum in Cartesian coordinates. Run it with: trammel run THIS_FILE\n"
    "title \"Pendulum\"\n"
    "\n"
    "param m = 1, L = 2, g = 9.81     # change them with --set L=3\n"
    "coord x, y\n"
    "initial x = L, y = 0             # exact; write y ~ 0 for a guess that may be moved\n"
    "\n"
    "kinetic   m/2*(x'^2 + y'^2)\n"
    "potential m*g*y\n"
    "constraint rod: x^2 + y^2 = L^2\n"
    "\n"
    "output tension = -2*L*multiplier(rod)\n"
    "simulate until 10, every 0.01\n"
    "expect always abs(residual(rod)) < 1e-7\n";

static int command_new(options *o) {
    int file = open(o->file, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) {
        fprintf(stderr, "trammel: '%s' is there already; it is not overwritten\n", o->file);
        return TRM_IO_ERROR;
    }
    bool written = file >= 0 && write(file, starter, sizeof starter - 1) == (ssize_t)sizeof starter - 1;
    if ((file >= 0 && close(file) != 0) || !written) {
        fprintf(stderr, "trammel: cannot write '%s': %s\n", o->file, strerror(errno));
        return TRM_IO_ERROR;
    }
    if (!o->quiet)
        printf("wrote %s; try: trammel run %s\n", o->file, o->file);
    return 0;
}

static int command_import(options *o) {
    return program_exit_code(import_command(o, program_use_colour()));
}

static int command_help_texts(const options *o) {
    if (o->file == NULL || strcmp(o->file, "help") == 0) {
        help_print();
        return 0;
    }
    const command_help *c = help_find(o->file);
    if (c == NULL) {
        fprintf(stderr, "trammel: there is no command '%s'\n", o->file);
        return TRM_WRONG_MODEL;
    }
    help_print_command(c);
    return 0;
}

static int version(void) {
    const char *wish = getenv("TRAMMEL_KERNEL"), *used = trm_kernel();
    printf("trammel %s\nkernels: %s; %s is used\n", trm_version(), trm_kernels(), used);
    if (wish && strcmp(wish, used) != 0)
        printf("  (TRAMMEL_KERNEL=%s is not among them)\n", wish);
    printf("optional parts: %s\n", trm_parts());
    return 0;
}

static int unknown_command(const char *name) {
    fprintf(stderr, "trammel: there is no command '%s'", name);
    const char *guess = help_guess(name);
    const char *end = strrchr(name, '.');
    if (end && strcmp(end, ".tram") == 0)
        fprintf(stderr, "; to run a model write: trammel run %s\n", name);
    else if (guess)
        fprintf(stderr, "; did you mean '%s'?\n", guess);
    else
        fprintf(stderr, "; 'trammel help' lists what there is\n");
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
                    {"view", command_view},       {"new", command_new}};
    static options o;
    signal(SIGPIPE, SIG_IGN); // a closed pipe is an error that is told
    if (!options_read(&o, argc, argv))
        return TRM_WRONG_MODEL;
    if (o.version)
        return version();
    if (o.command == NULL || strcmp(o.command, "help") == 0) {
        command_help_texts(&o);
        return o.command || o.help
                   ? (o.file && !help_find(o.file) && strcmp(o.file, "help") ? TRM_WRONG_MODEL : 0)
                   : TRM_WRONG_MODEL;
    }
    const command_help *c = help_find(o.command);
    if (c == NULL)
        return unknown_command(o.command);
    if (o.help) {
        help_print_command(c);
        return 0;
    }
    if (c->later) {
        fprintf(stderr, "trammel: '%s' is not yet part of this version\n", o.command);
        return TRM_WRONG_MODEL;
    }
    if (o.file == NULL) {
        fprintf(stderr, "trammel: '%s' needs a file: %s\n", o.command, c->usage);
        return TRM_WRONG_MODEL;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(o.command, commands[i].name) == 0)
            return commands[i].act(&o);
    return TRM_WRONG_MODEL;
}

int main(int argc, char **argv) {
    int code = act(argc, argv);
    if (code == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "trammel: cannot write to standard output: %s\n", strerror(errno));
        return TRM_IO_ERROR;
    }
    return code;
}
