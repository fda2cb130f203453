/* Each allocation of a model's whole life fails in turn: every call that meets the failure says so, leaves no
 * file open and nothing broken, and the same call on the same object succeeds when there is memory again.
 * What is leaked, the sanitizers build tells. */
#ifndef ARENA_CHUNK
#define ARENA_CHUNK 2048 // few calls then do without asking the system; 512 takes four times as long
#endif
#ifndef ARENA_PAGES
#define ARENA_PAGES 8192
#endif
#ifndef ARENA_SPARE
#define ARENA_SPARE 0
#endif
#include "base/arena.c" // instead of the library's own

#include <trammel/trammel.h>

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/share.h"

// ---- the allocator, by --wrap of the linker

static long allocations, failing_at; // the failing_at'th fails; 0: none does
static bool goes_on;                 // and so do all later ones, until memory_back
static bool happened;                // since memory_back

static bool fails(void) {
    allocations++;
    if (failing_at == 0 || !(allocations == failing_at || (goes_on && allocations > failing_at)))
        return false;
    happened = true;
    errno = ENOMEM;
    return true;
}

static void memory_back(void) {
    failing_at = 0;
    happened = false;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_pages_alloc(size_t size);
void *__real_pages_resize(void *block, size_t size, size_t new_size);
FILE *__real_fopen(const char *path, const char *mode);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_pages_alloc(size_t size);
void *__wrap_pages_resize(void *block, size_t size, size_t new_size);
FILE *__wrap_fopen(const char *path, const char *mode);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_pages_alloc(size_t size) {
    return fails() ? NULL : __real_pages_alloc(size);
}

void *__wrap_pages_resize(void *block, size_t size, size_t new_size) {
    return fails() ? NULL : __real_pages_resize(block, size, new_size);
}

// it allocates too: what it says then is an error of the file, with the system's reason
FILE *__wrap_fopen(const char *path, const char *mode) {
    return fails() ? NULL : __real_fopen(path, mode);
}

// ---- a life, written down

typedef struct {
    const char *name;
    const char *text;        // or the path of a model in the clone
    bool csv;                // samples to a file
    trm_status expected;     // of reading
    const char *integrator;  // NULL: the default
    bool linearize;          // too: elsewhere it would only cost time
    const trm_callbacks *by; // functions that are added; without a text, alone
} scenario;

typedef struct {
    char *at; // what the calls answered; times left out
    size_t length, room;
} record;

static char csv_path[64];

// what differs from run to run: times, and everything in "seconds": {...}
static bool is_time(const char *line) {
    return strstr(line, " s (read ") != NULL;
}

static void note(record *r, const char *what, const char *text) {
    const char *seconds = strstr(text, "\"seconds\": {");
    size_t extra = strlen(what) + strlen(text) + 8;
    if (r->length + extra > r->room) {
        r->room = 2 * (r->length + extra);
        r->at = __real_realloc(r->at, r->room);
        assert_non_null(r->at);
    }
    r->length += (size_t)sprintf(r->at + r->length, "%s: ", what);
    while (*text) {
        size_t line = strcspn(text, "\n") + (strchr(text, '\n') != NULL);
        char first[256] = "";
        snprintf(first, sizeof first, "%.*s", (int)line, text);
        if (seconds && seconds < text + line) {
            r->length += (size_t)sprintf(r->at + r->length, "%.*s", (int)(seconds - text), text);
            line = (size_t)(strchr(seconds, '}') - text);
            seconds = NULL;
        } else if (!is_time(first)) {
            memcpy(r->at + r->length, text, line);
            r->length += line;
        }
        text += line;
    }
    r->length += (size_t)sprintf(r->at + r->length, "\n");
}

static void note_number(record *r, const char *what, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    note(r, what, text);
}

/* Does the call again if memory ran out in it; it must then have said so: `said` is a condition. */
#define AGAIN(call, said)                                                                                    \
    do {                                                                                                     \
        call;                                                                                                \
        if (happened) {                                                                                      \
            if (!(said))                                                                                     \
                fail_msg("%s: a lack of memory was not told", #call);                                        \
            memory_back();                                                                                   \
            call;                                                                                            \
        }                                                                                                    \
    } while (0)

static void note_result(record *r, const char *what, trm_status status, trm_result *result) {
    const char *text = NULL;
    note_number(r, what, status);
    if (result == NULL)
        return;
    AGAIN(text = trm_result_messages(result, 1), strstr(text, "memory"));
    note(r, "messages", text);
    AGAIN(text = trm_result_summary(result), text[0] == '\0');
    note(r, "summary", text);
    AGAIN(text = trm_result_json(result), text[0] == '\0');
    note(r, "json", text);
    trm_result_free(result);
}

static void note_samples(record *r) {
    FILE *in = __real_fopen(csv_path, "r");
    char line[1000];
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        note(r, "sample", line);
    fclose(in);
}

// a failing fopen is an error of the file, or of the include, that gives the system's reason
static bool told(trm_status status, const char *messages) {
    return status == TRM_NO_MEMORY || (status != TRM_OK && strstr(messages, strerror(ENOMEM)));
}

static void note_model(record *r, trm_model *m) {
    const char *text = NULL;
    double number = 0;
    trm_status status;
    note(r, "title", trm_model_title(m));
    for (int i = 0; i < trm_model_coordinates(m); i++) {
        AGAIN(text = trm_model_coordinate_name(m, i), text[0] == '\0');
        note(r, "coordinate", text);
    }
    for (int i = 0; i < trm_model_rows(m); i++) {
        AGAIN(text = trm_model_row_name(m, i), text[0] == '\0');
        note(r, "row", text);
    }
    AGAIN(status = trm_model_number(m, "if(2 < 3, sin(2*pi/3), 1/0)", &number), status == TRM_NO_MEMORY);
    note_number(r, "number", number);
    for (trm_notation notation = TRM_TEXT; notation <= TRM_MATHML; notation++) {
        AGAIN(text = trm_model_equations(m, notation), text == NULL);
        note(r, "equations", text ? text : "none");
    }
}

static void note_acceleration(record *r, trm_model *m) {
    double q[32], v[32], qdd[32], reaction[32], multiplier[32];
    trm_system *sys = NULL;
    trm_state *st = NULL;
    trm_status status;
    assert_true(trm_model_coordinates(m) <= 32 && trm_model_rows(m) <= 32);
    AGAIN(status = trm_system_create(m, &sys), status == TRM_NO_MEMORY && sys == NULL);
    if (status != TRM_OK)
        return;
    AGAIN(status = trm_state_create(sys, &st), status == TRM_NO_MEMORY && st == NULL);
    for (int i = 0; i < 32; i++) {
        q[i] = 1 + 0.1 * i;
        v[i] = 0.2 * i;
    }
    long before = allocations;
    status = trm_acceleration(sys, st, 0.1, q, v, qdd, reaction, multiplier);
    assert_int_equal(allocations, before);
    note_number(r, "acceleration", status);
    note(r, "error", trm_state_error(st));
    for (int i = 0; status == TRM_OK && i < trm_model_coordinates(m); i++)
        note_number(r, "qdd", qdd[i]);
    trm_state_free(st);
    trm_system_free(sys);
}

static const char *messages_of(trm_model *m, trm_result *result) {
    bool had = happened; // asking may not count as memory running out
    long at = failing_at;
    failing_at = 0;
    const char *text = result ? trm_result_messages(result, 0) : m ? trm_model_messages(m, 0) : "";
    failing_at = at;
    happened = had;
    return text;
}

// frees what a call that ran out of memory may have made
static trm_status try_read(const scenario *s, trm_model **m) {
    static const trm_setting settings[] = {{"given", "2*given_before"}, {"given_before", "3"}};
    trm_model_free(*m);
    *m = NULL;
    if (s->by && s->text[0] == '\0')
        return trm_model_from_callbacks(s->by, m);
    bool file = strchr(s->text, '\n') == NULL;
    return file ? trm_model_read(s->text, NULL, 0, m)
                : trm_model_read_text("a.tram", s->text, settings, strstr(s->text, "given") ? 2 : 0, m);
}

static void add_functions(const scenario *s, trm_model *m) {
    trm_status status;
    if (s->by == NULL || s->text[0] == '\0')
        return;
    AGAIN(status = trm_model_add_callbacks(m, s->by), status == TRM_NO_MEMORY);
    assert_int_equal(status, TRM_OK);
}

typedef trm_status act(trm_model *m, const trm_run_def *def, trm_result **result);

static trm_status try_act(act *by, trm_model *m, const trm_run_def *def, trm_result **result) {
    trm_result_free(*result);
    return by(m, def, result);
}

static void note_pictures(record *r, trm_model *m) {
    trm_result *result = NULL;
    trm_run_def def = trm_run_def_default();
    trm_status status;
    const char *text = NULL;
    def.keep = TRM_KEEP_PAGE;
    AGAIN(status = try_act(trm_run, m, &def, &result), status == TRM_NO_MEMORY && result == NULL);
    AGAIN(text = trm_result_page(result, 1), text[0] == '\0');
    note(r, "page", text);
    AGAIN(text = trm_result_sketch(result, 60, 1), text[0] == '\0');
    note(r, "sketch", text);
    note_result(r, "run for pictures", status, result);
}

// a session that ran out of memory on its way cannot go on: another one does
static trm_status try_session(trm_model *m, trm_session **out) {
    trm_session_free(*out);
    *out = NULL;
    trm_status status = trm_session_create(m, NULL, out);
    return status == TRM_OK ? trm_session_advance(*out, 0.1, NULL) : status;
}

static trm_status try_copy(const trm_session *s, trm_session **out) {
    trm_session_free(*out);
    return trm_session_copy(s, out);
}

static void note_session(record *r, trm_session *s, int columns, const char *what) {
    for (int i = 0; i < columns; i++)
        note_number(r, what, trm_session_values(s)[i]);
}

// what is set in vain changes nothing, and after a lack of memory it can be set again
static void note_settings(record *r, trm_model *m) {
    trm_session *s = NULL, *copy = NULL;
    trm_status status;
    const char *text = NULL;
    int columns = trm_model_columns(m);
    AGAIN(status = try_session(m, &s), status == TRM_NO_MEMORY);
    note_number(r, "session", status);
    static const struct {
        const char *name;
        double value;
    } sets[] = {{"m", 3}, {"x", 0.7}, {"nothing", 1}, {"m", 0}, {"y'", 0.1}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        AGAIN(status = trm_session_set(s, sets[i].name, sets[i].value), status == TRM_NO_MEMORY);
        note_number(r, "set", status);
        AGAIN(text = trm_session_messages(s, 0), strstr(text, "memory"));
        note(r, "messages", text);
        note_session(r, s, columns, "at hand");
    }
    AGAIN(status = try_copy(s, &copy), status == TRM_NO_MEMORY && copy == NULL);
    note_session(r, copy, columns, "copy");
    trm_session_free(copy);
    trm_session_free(s);
}

// the scenario of sessions, settings and columns, and of nothing else
static const char held[] = "what is held";

static void note_held(record *r, trm_model *m) {
    trm_result *result = NULL;
    trm_run_def def = trm_run_def_default();
    trm_status status;
    const char *text = NULL;
    double q[2] = {0}, v[2] = {0}, number;
    const double *column = NULL;
    int rebuilt;
    note_settings(r, m);
    AGAIN(status = trm_model_number(m, "2*", &number), status == TRM_NO_MEMORY);
    note_number(r, "no number", status);
    AGAIN(status = trm_model_set(m, "m", 5, &rebuilt), status == TRM_NO_MEMORY);
    note_number(r, "set in the model", status);
    AGAIN(status = trm_model_set(m, "nothing", 5, &rebuilt), status == TRM_NO_MEMORY);
    AGAIN(text = trm_model_messages(m, 0), strstr(text, "memory"));
    note(r, "messages", text);
    AGAIN(text = trm_model_parameter_name(m, 1), text[0] == '\0');
    note(r, "parameter", text);
    AGAIN(status = trm_assemble(m, NULL, q, v, NULL), status == TRM_NO_MEMORY && q[0] == 0);
    note_number(r, "start", q[1]);
    def.keep = TRM_KEEP_COLUMNS;
    AGAIN(status = try_act(trm_run, m, &def, &result), status == TRM_NO_MEMORY && result == NULL);
    AGAIN(column = trm_result_column(result, 1), column == NULL);
    for (long i = 0; i < trm_result_samples(result); i++)
        note_number(r, "sample", column[i]);
    trm_result_free(result);
}

static void live(record *r, const scenario *s) {
    trm_model *m = NULL;
    trm_result *result = NULL;
    trm_run_def def = trm_run_def_default();
    trm_status status;
    const char *text = NULL;
    AGAIN(status = try_read(s, &m), told(status, messages_of(m, NULL)));
    if (status != s->expected)
        fail_msg("%s: %s", s->name, trm_model_messages(m, 0));
    note_number(r, "read", status);
    AGAIN(text = trm_model_messages(m, 1), strstr(text, "memory"));
    note(r, "messages", text);
    if (status == TRM_OK && s->name == held) {
        note_held(r, m);
    } else if (status == TRM_OK) {
        add_functions(s, m);
        note_model(r, m);
        note_acceleration(r, m);
        AGAIN(status = try_act(trm_check, m, &def, &result), status == TRM_NO_MEMORY && result == NULL);
        note_result(r, "check", status, result);
        result = NULL;
        if (s->linearize) {
            AGAIN(status = try_act(trm_linearize, m, &def, &result),
                  status == TRM_NO_MEMORY && result == NULL);
            note_result(r, "linearize", status, result);
            result = NULL;
        }
        def.until = s->by ? "0.2" : NULL;
        def.csv = s->csv ? csv_path : NULL;
        def.integrator = s->integrator;
        AGAIN(status = try_act(trm_run, m, &def, &result), told(status, messages_of(m, result)));
        note_result(r, "run", status, result);
        if (s->csv)
            note_samples(r);
        result = NULL;
        if (strstr(s->text, "plot"))
            note_pictures(r, m);
        def.until = "given_too_late + 1";
        result = NULL;
        AGAIN(status = try_act(trm_run, m, &def, &result), status == TRM_NO_MEMORY);
        note_result(r, "wrong option", status, result);
    }
    trm_model_free(m);
}

static long cases, failures;

// the least that is free: larger after a file was left open
static int free_descriptor(void) {
    int probe = dup(STDIN_FILENO);
    close(probe);
    return probe;
}

static size_t parts_left(void) {
    char pattern[100];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%.*s.%s.*.part", (int)(strrchr(csv_path, '/') - csv_path) + 1,
             csv_path, strrchr(csv_path, '/') + 1);
    glob(pattern, 0, NULL, &found);
    size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

static void fail_each(const scenario *s, bool on, int stride) {
    record expected = {0}, actual = {0};
    failing_at = 0;
    allocations = 0;
    live(&expected, s);
    long count = allocations;
    int descriptor = free_descriptor();
    for (long k = 1; k <= count; k += stride) {
        if (!test_takes(cases++))
            continue;
        allocations = 0;
        failing_at = k;
        goes_on = on;
        happened = false;
        actual.length = 0;
        live(&actual, s);
        if (strcmp(actual.at, expected.at) != 0)
            fail_msg("%s: after allocation %ld failed:\n%s\nbut without that:\n%s", s->name, k, actual.at,
                     expected.at);
        if (free_descriptor() != descriptor || parts_left())
            fail_msg("%s: after allocation %ld failed, a file is left open or unfinished", s->name, k);
        failures++;
    }
    print_message("%s: %ld allocations%s\n", s->name, count, on ? ", and all after the one that fails" : "");
    free(expected.at);
    free(actual.at);
}

// ---- the models

/* Fails on the way, while CVODE holds memory that is no part of an arena; the name is so long that each text
 * with it asks for a block of its own. Where the library is not there, that is told instead. */
#define LETTERS   "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
#define LONG_NAME LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS LETTERS
#define SHRINKING                                                                                            \
    "coord x, y\ninitial x = 1\nkinetic x'^2 + y'^2\npotential 9.81*y\n"                                     \
    "constraint " LONG_NAME                                                                                  \
    ": x^2 + y^2 = if(t < 0.05, 1, -1)\nsimulate until 0.1, every 0.01, tolerance 1e-6\n"

static int mass(void *context, double t, const double *q, double *M) {
    (void)context, (void)t, (void)q;
    M[0] = M[3] = 2;
    return 0;
}

static int force(void *context, double t, const double *q, const double *v, double *Q) {
    (void)context, (void)q, (void)v;
    Q[1] = -9.81 + t;
    return 0;
}

static int row(void *context, double t, const double *q, const double *v, double *A, double *b) {
    (void)context, (void)t;
    A[0] = 2 * q[0];
    A[1] = 2 * q[1];
    b[0] = -2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static int late_velocity(void *context, double t, const double *q, const double *v, double *psi) {
    (void)context;
    psi[0] = 2 * (q[0] * v[0] + q[1] * v[1]);
    return t > 0.15;
}

static int position(void *context, double t, const double *q, double *phi) {
    (void)context, (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static const double begin[] = {1, 0};
static const trm_callbacks alone = {.size = sizeof alone,
                                    .n = 2,
                                    .m = 1,
                                    .position_rows = 1,
                                    .velocity_rows = 1,
                                    .q = begin,
                                    .mass = mass,
                                    .force = force,
                                    .constraint = row,
                                    .position = position,
                                    .velocity = late_velocity};
static const trm_callbacks added = {.size = sizeof added, .n = 2, .force = force};

static const scenario scenarios[] = {
    {held,
     "param m = 2, L = 1\ncoord x, y\ninitial x = 0.6, y ~ -1\nkinetic m/2*(x'^2 + y'^2)\npotential "
     "9.81*m*y\n"
     "constraint rod: x^2 + y^2 = L^2\nsimulate until 0.3, every 0.1\n",
     false, TRM_OK, NULL, false, NULL},
    {"functions", "", true, TRM_OK, NULL, false, &alone},
    {"functions on a text",
     "coord x, y\ninitial x = 1\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 1\nsimulate until 0.2\n",
     false, TRM_OK, NULL, false, &added},
    {"pendulum with samples",
     "title \"Pendulum\"\nparam m = 2, L = 3, g = 9.81\ncoord x, y\ninitial x = L, y = 0\n"
     "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = L^2\n"
     "output height = y + L\noutput tension = norm((reaction(x), reaction(y)))\n"
     "simulate until 0.3, every 0.1\nexpect always abs(residual(rod)) < 1e-7\nexpect finally y > 0\n",
     true, TRM_OK, NULL, true, NULL},
    {"pictures",
     "param L = 1\ncoord x, y\ninitial x = L\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "constraint rod: x^2 + y^2 = L^2\nsimulate until 0.3, every 0.1\nplot \"Path <b>\": y vs x\n"
     "for i in 1..2: plot \"Both\": i*x, i*multiplier(rod)\ndraw line (0, 0) (x, y)\n"
     "draw circle (x, y) 0.1 + t\ndraw text (x, y) \"bob\"\n",
     false, TRM_OK, NULL, false, NULL},
    {"quasi-velocities",
     "param J = 2, m = 1, b = 0.3\ncoord x, y, phi\nquasi u = x'*cos(phi) + y'*sin(phi)\n"
     "quasi v = -x'*sin(phi) + y'*cos(phi)\nquasi s = phi' + t\n"
     "kinetic m/2*(u^2 + v^2) + J/2*phi'^2\nconstraint knife: v = b*phi'\ninitial u = 1, phi' = 0.5\n"
     "output a = u'\nsimulate until 0.2, every 0.1\nexpect always abs(v - b*phi') < 1e-6\n",
     true, TRM_OK, NULL, true, NULL},
    {"non-ideal, redundant, weighted, controlled",
     "param given_before = 1, given = 2, N = 2\ncoord x, y, z[1..N]\ninitial x = 1, y ~ 0.1, y' ~ 0.5\n"
     "let r = (x, y)\nlet f(a, b) = if(a < b, a^2, min(a, b))\n"
     "kinetic dot(r', r')/2 + sum(i in 1..N: z[i]'^2/2)\npotential given*y + product(i in 1..N: cos(z[i]))\n"
     "dissipation 0.1*x'^2\nforce x = f(x, y)\nconstraint rod: norm(r) = 1\nconstraint twin: x^2 + y^2 = 1\n"
     "constraint seen (weight = 3): z[2]' = 0.2\ncontrol track (damping = 4, stiffness = 4): z[1] = sin(t)\n"
     "nonideal x = -0.1*reaction(x)*tanh(x')\noutput total = energy + start(kinetic) + rank\n"
     "simulate until 0.2, every 0.1, tolerance 1e-7\nexpect always abs(residual(rod)) < 1e-6\n"
     "expect finally power(track) < 1e9\n",
     false, TRM_OK, NULL, false, NULL},
    {"a chain",
     "param N = 3, L = 1\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n    initial x[i] = i*L, y[i] = 0\n"
     "    kinetic (x[i]'^2 + y[i]'^2)/2\n    potential 9.81*y[i]\n}\n"
     "constraint link[1]: x[1]^2 + y[1]^2 = L^2\n"
     "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2\n"
     "simulate until 0.1, every 0.1\nfor i in 1..N: expect always abs(residual(link[i])) < 1e-6\n",
     false, TRM_OK, NULL, false, NULL},
    {"no solution", "coord x, y\ninitial x = 1\nkinetic x'^2\nconstraint a: x = 2\nsimulate until 1\n", true,
     TRM_OK, NULL, false, NULL},
    {"structure that is wrong",
     "coord x, y\nkinetic x'^2 + y'^2\nquasi s = x'^2\nquasi u = floor(y)*y'\nsimulate until 1\n", false,
     TRM_OK, NULL, false, NULL},
    {"wrong text",
     "title 3\nparam a = b, c = (1, 2\ncoord x, x\nkinetik x'^2\nfor i in 1..: coord y[i]\n"
     "include \"nowhere.tram\"\nconstraint c: x = 'a\nexpect always x = 3\nsimulate until x\n",
     false, TRM_WRONG_MODEL, NULL, false, NULL},
    {"a rod that vanishes, by bdf", SHRINKING, true, TRM_OK, "bdf", false, NULL},
    {"a rod that vanishes, by adams", SHRINKING, false, TRM_OK, "adams", false, NULL},
    {"a file with includes", "test/fuzz/seeds/include.tram", true, TRM_OK, NULL, false, NULL},
    {"no such file", "test/fuzz/seeds/nowhere.tram", false, TRM_IO_ERROR, NULL, false, NULL},
};

static void each_allocation_fails(void **state) {
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        fail_each(&scenarios[i], false, 1);
        fail_each(&scenarios[i], true, 7);
    }
    print_message("%ld failures in turn\n", failures);
    assert_true(failures > 0);
}

int main(void) {
    int file = -1;
    bool quick = access("/dev/shm", W_OK) == 0; // on a disk each file waits until it is there
    snprintf(csv_path, sizeof csv_path, "%s/trammel-memory-XXXXXX", quick ? "/dev/shm" : "/tmp");
    if ((file = mkstemp(csv_path)) < 0)
        return 1;
    close(file);
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(csv_path);
    return failed;
}
