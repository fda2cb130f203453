#include "options.h"

#include "terminal.h"

#include <stddef.h>
#include <string.h>

__attribute__((format(printf, 1, 0))) static bool wrong(const char *message, const char *what) {
    terminal_say(message, what);
    return false;
}

static bool unknown_option(const char *name) {
    const char *names[OPTIONS_MOST];
    int count = 0;
    for (const option *o = option_table; o->name; o++)
        names[count++] = o->name;
    const char *guess = trm_closest(name, names, count);
    if (guess)
        terminal_say("there is no option '%s'; did you mean '%s'?", name, guess);
    else
        terminal_say("there is no option '%s'; 'trammel help COMMAND' lists what there is", name);
    return false;
}

// NAME=EXPR, cut in two
static bool add_setting(char *value, const char *name, const char *example, trm_setting *list, int *count) {
    char *equals = strchr(value, '=');
    if (equals == NULL || equals == value || equals[1] == '\0') {
        terminal_say("%s needs NAME=EXPR, as in %s %s; found '%s'", name, name, example, value);
        return false;
    }
    if (*count == SETTINGS_MOST)
        return wrong("more than 256 %s options", name);
    char *end = equals;
    while (end > value && end[-1] == ' ')
        end--;
    while (*value == ' ')
        value++;
    *end = '\0';
    list[(*count)++] = (trm_setting){value, equals + 1};
    return true;
}

typedef struct {
    const char *name;
    size_t offset; // in options
} listed;

static const listed texts[] = {
    {"-o", offsetof(options, output)},
    {"--until", offsetof(options, run.until)},
    {"--at", offsetof(options, run.at)},
    {"--inputs", offsetof(options, run.inputs)},
    {"--outputs", offsetof(options, run.outputs)},
    {"--every", offsetof(options, run.every)},
    {"--tolerance", offsetof(options, run.tolerance)},
    {"--rank-tolerance", offsetof(options, run.rank_tolerance)},
    {"--formulation", offsetof(options, run.formulation)},
    {"--coordinates", offsetof(options, run.coordinates)},
    {"--integrator", offsetof(options, run.integrator)},
    {"--loops", offsetof(options, import.loops)},
    {"--format", offsetof(options, format)},
    {"--width", offsetof(options, width)},
    {"--height", offsetof(options, height)},
    {"--font-size", offsetof(options, letters)},
    {"--scene", offsetof(options, instants)},
    {"--style", offsetof(options, style)},
    {"--view", offsetof(options, view)},
    {"--port", offsetof(options, port)},
    {"--prefix", offsetof(options, emit.prefix)},
    {"--solver", offsetof(options, emit.solver)},
    {"--lhs", offsetof(options, draws)},
    {"--sobol", offsetof(options, draws)},
    {"--random", offsetof(options, draws)},
    {"--seed", offsetof(options, seed)},
    {"--cases", offsetof(options, cases)},
    {"--keep", offsetof(options, keep)},
    {"--threads", offsetof(options, threads)},
    {"--timeout", offsetof(options, timeout)},
    {"--stop-after", offsetof(options, stop_after)},
    {"--continue", offsetof(options, resume)},
    {"--export", offsetof(options, export)},
};

static const listed flags[] = {
    {"--tidy", offsetof(options, tidy)},           {"--quiet", offsetof(options, quiet)},
    {"--json", offsetof(options, json)},           {"--expand", offsetof(options, expand)},
    {"--no-engine", offsetof(options, no_engine)}, {"--no-browser", offsetof(options, no_browser)},
    {"--plot", offsetof(options, sketch)},         {"--animate", offsetof(options, animate)},
    {"--version", offsetof(options, version)},     {"--help", offsetof(options, help)},
};

// what the library is told, as an int
static const listed switches[] = {
    {"--along", offsetof(options, run.along)},
    {"--exact", offsetof(options, run.exact)},
    {"--free-base", offsetof(options, import.free_base)},
    {"--jacobian", offsetof(options, emit.jacobian)},
    {"--no-main", offsetof(options, emit.no_main)},
    {"--float", offsetof(options, emit.single_precision)},
    {"--profile", offsetof(options, run.profile)},
};

static void *find_listed(options *o, const listed *list, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i].name) == 0)
            return (char *)o + list[i].offset;
    return NULL;
}

static bool add_varied(options *o, const char *value) {
    if (o->vary_count == SETTINGS_MOST)
        return wrong("more than 256 %s options", "--vary");
    o->vary[o->vary_count++] = value;
    return true;
}

static bool apply(options *o, const char *name, char *value) {
    const char **text = find_listed(o, texts, sizeof texts / sizeof *texts, name);
    bool *flag = find_listed(o, flags, sizeof flags / sizeof *flags, name);
    int *on = find_listed(o, switches, sizeof switches / sizeof *switches, name);
    if (text)
        *text = value;
    if (flag)
        *flag = true;
    if (on)
        *on = 1;
    if (strcmp(name, "--set") == 0)
        return add_setting(value, name, "L=2", o->settings, &o->setting_count);
    if (strcmp(name, "--vary") == 0)
        return add_varied(o, value);
    if (strcmp(name, "--choice") == 0)
        return add_setting(value, name, "alpha=2", o->choices, &o->run.choice_count);
    if (strcmp(name, "--latex") == 0)
        o->notation = TRM_LATEX;
    if (strcmp(name, "--mathml") == 0)
        o->notation = TRM_MATHML;
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
    const option *found = option_find(name);
    if (found == NULL)
        return unknown_option(name);
    bool has_value = found->kind != VALUE_NONE;
    if (!has_value && value)
        return wrong("%s takes no value", name);
    if (has_value && value == NULL) {
        if (*i + 1 >= argc)
            return wrong("%s needs a value", name);
        value = argv[++*i];
    }
    if (found->kind == VALUE_FILE && value[0] == '\0')
        return wrong("%s needs a name, and '' is none", name);
    o->given[found - option_table] = true;
    return apply(o, found->name, value);
}

// whether one of the rows of an option is of the command
static bool fits(const option *o, const command *c) {
    for (const option *row = o; row->name; row++)
        if (strcmp(row->name, o->name) == 0 && (row->anywhere || option_is_of(row, c)))
            return true;
    return false;
}

// options that the command at hand does not know
static bool check_fit(const options *o) {
    const command *c = o->command ? command_find(o->command) : NULL;
    for (const option *row = option_table; row->name; row++)
        if (o->given[row - option_table] && !fits(row, c)) {
            terminal_say("'%s' is no option of 'trammel %s'", row->name, o->command ? o->command : "");
            return false;
        }
    return true;
}

bool options_read(options *o, int argc, char **argv) {
    *o = (options){
        .run = trm_run_def_default(), .import = trm_import_def_default(), .emit = trm_emit_def_default()};
    o->run.choices = o->choices;
    bool only_names = false;
    for (int i = 1; i < argc; i++) {
        if (!only_names && strcmp(argv[i], "--") == 0)
            only_names = true;
        else if (!only_names && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(o, argc, argv, &i))
                return false;
        } else if (o->command == NULL)
            o->command = argv[i];
        else if (o->language == NULL && o->file == NULL && strcmp(o->command, "emit") == 0)
            o->language = argv[i];
        else if (o->file == NULL)
            o->file = argv[i];
        else
            return wrong("one file at a time, please: what is '%s'?", argv[i]);
    }
    return check_fit(o);
}
