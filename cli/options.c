#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Which commands take an option; bits. */
enum {
    OF_RUN = 1,
    OF_CHECK = 2,
    OF_EQUATIONS = 4,
    OF_ANY = 8,
    OF_COMPARE = 16,
    OF_LINEARIZE = 32,
    OF_IMPORT = 64,
    OF_PLOT = 128,
    OF_REPORT = 256,
    OF_VIEW = 512
};
enum { OF_RUNS = OF_RUN | OF_PLOT | OF_REPORT | OF_VIEW }; // options of a run

typedef struct {
    const char *name;
    int commands;
    bool has_value, later; // later: "not yet"
} option;

static const option table[] = {
    {"--quiet", OF_ANY, false, false},
    {"--help", OF_ANY, false, false},
    {"--version", OF_ANY, false, false},
    {"--set", OF_ANY, true, false},
    {"--json", OF_RUN | OF_CHECK | OF_COMPARE | OF_LINEARIZE, false, false},
    {"--latex", OF_EQUATIONS, false, false},
    {"--mathml", OF_EQUATIONS, false, false},
    {"-o", OF_RUN | OF_IMPORT | OF_PLOT | OF_REPORT, true, false},
    {"--until", OF_RUNS | OF_COMPARE, true, false},
    {"--every", OF_RUNS | OF_COMPARE, true, false},
    {"--tolerance", OF_RUNS | OF_CHECK | OF_COMPARE | OF_LINEARIZE, true, false},
    {"--formulation", OF_RUNS, true, false},
    {"--integrator", OF_RUNS | OF_COMPARE, true, false},
    {"--exact", OF_RUNS | OF_COMPARE, false, false},
    {"--plot", OF_RUN, false, false},
    {"--format", OF_PLOT, true, false},
    {"--port", OF_VIEW, true, false},
    {"--profile", OF_RUN, false, false},
    {"--along", OF_COMPARE, false, false},
    {"--loops", OF_IMPORT, true, false},
    {"--free-base", OF_IMPORT, false, false},
};
enum { OPTIONS = sizeof table / sizeof *table };

static const option *find(const char *name) {
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(name, table[i].name) == 0)
            return &table[i];
    return NULL;
}

static bool wrong(const char *message, const char *what) {
    fprintf(stderr, "trammel: ");
    fprintf(stderr, message, what);
    fprintf(stderr, "\n");
    return false;
}

static bool unknown_option(const char *name) {
    const char *names[OPTIONS];
    for (int i = 0; i < OPTIONS; i++)
        names[i] = table[i].name;
    const char *guess = trm_closest(name, names, OPTIONS);
    if (guess)
        fprintf(stderr, "trammel: there is no option '%s'; did you mean '%s'?\n", name, guess);
    else
        fprintf(stderr, "trammel: there is no option '%s'; 'trammel help COMMAND' lists what there is\n",
                name);
    return false;
}

static bool add_setting(options *o, char *value) {
    char *equals = strchr(value, '=');
    if (equals == NULL || equals == value || equals[1] == '\0')
        return wrong("--set needs NAME=EXPR, as in --set L=2; found '%s'", value);
    if (o->setting_count == SETTINGS_MOST)
        return wrong("more than 256 --set options%s", "");
    char *end = equals;
    while (end > value && end[-1] == ' ')
        end--;
    while (*value == ' ')
        value++;
    *end = '\0';
    o->settings[o->setting_count++] = (trm_setting){value, equals + 1};
    return true;
}

static bool apply(options *o, const char *name, char *value) {
    static const struct {
        const char *name;
        size_t offset;
    } texts[] = {
        {"-o", offsetof(options, output)},
        {"--until", offsetof(options, run.until)},
        {"--every", offsetof(options, run.every)},
        {"--tolerance", offsetof(options, run.tolerance)},
        {"--formulation", offsetof(options, run.formulation)},
        {"--integrator", offsetof(options, run.integrator)},
        {"--loops", offsetof(options, import.loops)},
        {"--format", offsetof(options, format)},
        {"--port", offsetof(options, port)},
    };
    if (strcmp(name, "--set") == 0)
        return add_setting(o, value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0)
            *(const char **)((char *)o + texts[i].offset) = value;
    o->quiet |= strcmp(name, "--quiet") == 0;
    o->json |= strcmp(name, "--json") == 0;
    if (strcmp(name, "--latex") == 0)
        o->notation = TRM_LATEX;
    if (strcmp(name, "--mathml") == 0)
        o->notation = TRM_MATHML;
    o->sketch |= strcmp(name, "--plot") == 0;
    o->version |= strcmp(name, "--version") == 0;
    o->help |= strcmp(name, "--help") == 0;
    o->run.along |= strcmp(name, "--along") == 0;
    o->run.exact |= strcmp(name, "--exact") == 0;
    o->import.free_base |= strcmp(name, "--free-base") == 0;
    o->run.profile |= strcmp(name, "--profile") == 0;
    return true;
}

// --name VALUE, --name=VALUE, -o VALUE, -oVALUE; *i is moved to the last argument used
static bool read_option(options *o, int argc, char **argv, int *i) {
    char *name = argv[*i], *value = NULL;
    if (strcmp(name, "-h") == 0)
        name = "--help";
    if (strcmp(name, "-q") == 0)
        name = "--quiet";
    if (strncmp(name, "-o", 2) == 0 && name[2]) {
        value = name + 2;
        name = "-o";
    }
    char *equals = name[1] == '-' && value == NULL ? strchr(name, '=') : NULL;
    if (equals) {
        *equals = '\0';
        value = equals + 1;
    }
    const option *found = find(name);
    if (found == NULL)
        return unknown_option(name);
    if (found->later)
        return wrong("%s is not yet part of this version", name);
    if (!found->has_value && value)
        return wrong("%s takes no value", name);
    if (found->has_value && value == NULL) {
        if (*i + 1 >= argc)
            return wrong("%s needs a value", name);
        value = argv[++*i];
    }
    o->given[found - table] = true;
    return apply(o, found->name, value);
}

// options that the command at hand does not know
static bool check_fit(const options *o) {
    int command = o->command == NULL                     ? OF_ANY
                  : strcmp(o->command, "run") == 0       ? OF_RUN
                  : strcmp(o->command, "check") == 0     ? OF_CHECK
                  : strcmp(o->command, "equations") == 0 ? OF_EQUATIONS
                  : strcmp(o->command, "compare") == 0   ? OF_COMPARE
                  : strcmp(o->command, "import") == 0    ? OF_IMPORT
                  : strcmp(o->command, "linearize") == 0 ? OF_LINEARIZE
                  : strcmp(o->command, "plot") == 0      ? OF_PLOT
                  : strcmp(o->command, "report") == 0    ? OF_REPORT
                  : strcmp(o->command, "view") == 0      ? OF_VIEW
                                                         : OF_ANY;
    for (int i = 0; i < OPTIONS; i++)
        if (o->given[i] && !(table[i].commands & (command | OF_ANY))) {
            fprintf(stderr, "trammel: '%s' is no option of 'trammel %s'\n", table[i].name,
                    o->command ? o->command : "");
            return false;
        }
    return true;
}

bool options_read(options *o, int argc, char **argv) {
    *o = (options){.run = trm_run_def_default(), .import = trm_import_def_default()};
    bool only_names = false;
    for (int i = 1; i < argc; i++) {
        if (!only_names && strcmp(argv[i], "--") == 0)
            only_names = true;
        else if (!only_names && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(o, argc, argv, &i))
                return false;
        } else if (o->command == NULL)
            o->command = argv[i];
        else if (o->file == NULL)
            o->file = argv[i];
        else
            return wrong("one file at a time, please: what is '%s'?", argv[i]);
    }
    return check_fit(o);
}
