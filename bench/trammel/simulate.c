/* Trammel through its library.
 *
 *     simulate run MODEL UNTIL REPEATS SAMPLES [-OPTION=VALUE...] [NAME=VALUE...]
 *         repeats the run within JOB_SECONDS; prints the JSON summary of each, one per line
 *     simulate evaluate p1|p2 MODEL TIMES [NAME=VALUE...]
 *         only evaluates accelerations at the start, for counting instructions
 *
 * UNTIL "-" is what the model says; SAMPLES "ends" asks for the two ends only, "all" for what the model says.
 * OPTION is "tolerance" or, where the library has it (COORDINATES), "coordinates".
 *
 * Linked with -Wl,--wrap=clock_gettime: what the library takes for the time on the wall is processor time. */
#include "../report.h"
#include <trammel/trammel.h>

enum { SETTINGS = 8 };

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t) {
    (void)clock;
    return __real_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, t);
}

static int read_settings(char **texts, int count, trm_setting *settings) {
    for (int i = 0; i < count; i++) {
        char *equals = strchr(texts[i], '=');
        if (!equals || i == SETTINGS)
            return -1;
        *equals = 0;
        settings[i] = (trm_setting){texts[i], equals + 1};
    }
    return count;
}

static trm_model *read_model(const char *path, char **texts, int count) {
    trm_setting settings[SETTINGS];
    trm_model *model = NULL;
    int n = read_settings(texts, count, settings);
    if (n < 0 || trm_model_read(path, settings, n, &model) != TRM_OK) {
        fputs(model ? trm_model_messages(model, 0) : "cannot read the model\n", stderr);
        exit(TRM_WRONG_MODEL);
    }
    return model;
}

/* The value of -NAME=VALUE, or NULL. */
static const char *option(const char *text, const char *name) {
    size_t length = strlen(name);
    return strncmp(text + 1, name, length) == 0 && text[1 + length] == '=' ? text + 2 + length : NULL;
}

/* Returns how many options there were; -1 if one is unknown. */
static int read_options(char **texts, int count, trm_run_def *def) {
    int i = 0;
    for (; i < count && texts[i][0] == '-'; i++) {
        const char *value = option(texts[i], "tolerance");
        if (value) {
            def->tolerance = value;
            continue;
        }
#ifdef COORDINATES
        value = option(texts[i], "coordinates");
        def->coordinates = value;
#endif
        if (!value)
            return -1;
    }
    return i;
}

static int run(int argc, char **argv) {
    trm_run_def def = trm_run_def_default();
    int options = read_options(argv + 4, argc - 4, &def);
    if (options < 0)
        return fputs("unknown option\n", stderr), 2;
    trm_model *model = read_model(argv[0], argv + 4 + options, argc - 4 - options);
    if (strcmp(argv[1], "-") != 0)
        def.until = argv[1];
    if (strcmp(argv[3], "ends") == 0)
        def.every = "1e9";
    int repeats = atoi(argv[2]);
    double began = job_now();
    trm_status status = TRM_OK;
    for (int i = 0; i < repeats && (i == 0 || job_now() - began < JOB_SECONDS); i++) {
        trm_result *result = NULL;
        status = trm_run(model, &def, &result);
        if (status != TRM_OK && status != TRM_EXPECTATION_FAILED) {
            fputs(result ? trm_result_messages(result, 0) : "no result\n", stderr);
            return status;
        }
        for (const char *p = trm_result_json(result); *p; p++) // one line each
            putchar(*p == '\n' ? ' ' : *p);
        putchar('\n');
        trm_result_free(result);
    }
    trm_model_free(model);
    return 0;
}

static int evaluate(int argc, char **argv) {
    trm_model *model = read_model(argv[1], argv + 3, argc - 3);
    trm_system *system = NULL;
    trm_state *state = NULL;
    if (trm_system_create(model, &system) != TRM_OK || trm_state_create(system, &state) != TRM_OK)
        return 1;
    int n = trm_model_coordinates(model), chain = strcmp(argv[0], "p2") == 0, times = atoi(argv[2]);
    double *q = calloc(n, sizeof(double)), *v = calloc(n, sizeof(double)), *a = calloc(n, sizeof(double));
    if (!q || !v || !a)
        return 1;
    for (int i = 0; i < n; i++) // x[1..N], y[1..N]; x1, y1, x2, y2
        q[i] = chain ? (i < n / 2 ? i + 1 : 0) : (i % 2 ? 0 : i / 2 + 1);
    trm_status status = TRM_OK;
    for (int k = 0; k < times && status == TRM_OK; k++) {
        status = trm_acceleration(system, state, 0, q, v, a, NULL, NULL);
        q[0] += 1e-12 * a[0];
    }
    if (status != TRM_OK)
        fprintf(stderr, "%s\n", trm_state_error(state));
    free(q), free(v), free(a);
    trm_state_free(state);
    trm_system_free(system);
    trm_model_free(model);
    return status;
}

int main(int argc, char **argv) {
    if (argc >= 6 && strcmp(argv[1], "run") == 0)
        return run(argc - 2, argv + 2);
    if (argc >= 5 && strcmp(argv[1], "evaluate") == 0)
        return evaluate(argc - 2, argv + 2);
    fputs("usage: simulate run MODEL UNTIL REPEATS SAMPLES [-OPTION=VALUE...] [NAME=VALUE...]\n"
          "       simulate evaluate p1|p2 MODEL TIMES [NAME=VALUE...]\n",
          stderr);
    return 2;
}
