/* The library as a page sees it: one model, its last result, its session, and what they have to say. Texts come in and go out by
 * address, ending with a zero; a status is that of the library. What runs out of memory, or goes wrong in the
 * library itself, ends in an exception of the host, which throws the whole instance away. */
#include "api/live.h"
#include "api/run_texts.h"
#include "texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) web_##name

enum { SETTINGS_MOST = 256, GIVEN_MOST = 64 };

static trm_model *model;
static trm_result *result;
static trm_session *session;
static live *hands;
static double reached;                 // of the session
static volatile sig_atomic_t stopping; // ends what runs
static double limit;                   // seconds that it may take; 0: any time
static double deadline;                // by the clock
static trm_run_def def;
static char *given[GIVEN_MOST]; // texts of def
static int given_count;
static char *names;     // of what is set: cut in pieces

// ---- memory of texts

void *EXPORT(alloc)(int bytes);
void *EXPORT(alloc)(int bytes) {
    return malloc((size_t)bytes);
}

void EXPORT(release)(void *p);
void EXPORT(release)(void *p) {
    free(p);
}

// ---- time

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look_at_clock(void *context, double part) {
    (void)context, (void)part;
    if (limit > 0 && now() > deadline)
        stopping = 1;
}

static void begin(void) {
    stopping = 0;
    deadline = now() + limit;
}

// ---- settings of a run

void EXPORT(set_limit)(double seconds);
void EXPORT(set_limit)(double seconds) {
    limit = seconds;
}

volatile sig_atomic_t *EXPORT(stop)(void);
volatile sig_atomic_t *EXPORT(stop)(void) {
    return &stopping;
}

static void start_def(void) {
    trm_run_def_init(&def, sizeof def);
    def.progress = look_at_clock;
    def.stop = &stopping;
}

// those of a run, and those of a study beside it
static bool take(const char *name, const char *value) {
    for (int i = 0; i < RUN_TEXTS; i++)
        if (strcmp(name, run_texts[i].option) == 0) {
            run_text_set(&def, i, value);
            return true;
        }
    const char **at = strcmp(name, "at") == 0        ? &def.at
                      : strcmp(name, "inputs") == 0  ? &def.inputs
                      : strcmp(name, "outputs") == 0 ? &def.outputs
                                                     : NULL;
    if (at)
        *at = value;
    return at != NULL;
}

void EXPORT(clear_options)(void);
void EXPORT(clear_options)(void) {
    while (given_count > 0)
        free(given[--given_count]);
    start_def();
}

/* An option of the command line, without its dashes. 1; 0 if it is none of a run. */
int EXPORT(option)(const char *name, const char *value);
int EXPORT(option)(const char *name, const char *value) {
    if (strcmp(name, "exact") == 0)
        return def.exact = 1;
    char *copy = given_count < GIVEN_MOST ? strdup(value) : NULL;
    if (copy == NULL)
        return 0;
    given[given_count++] = copy;
    return take(name, copy);
}

// ---- the model

/* A file that models may include, by the name under which they do. */
int EXPORT(put)(const char *name, const char *text);
int EXPORT(put)(const char *name, const char *text) {
    return texts_put(name, text);
}

void EXPORT(clear)(void);
void EXPORT(clear)(void) {
    texts_clear();
}

static void forget_result(void) {
    trm_result_free(result);
    result = NULL;
}

static void forget(void) {
    live_free(hands);
    hands = NULL;
    trm_session_free(session);
    session = NULL;
    forget_result();
    trm_model_free(model);
    model = NULL;
    free(names);
    names = NULL;
}

// "L=2\nm=3"
static int read_settings(trm_setting *out) {
    int count = 0;
    for (char *at = names; at && *at && count < SETTINGS_MOST;) {
        char *end = at + strcspn(at, "\n"), *equals = memchr(at, '=', (size_t)(end - at));
        char *next = *end ? end + 1 : end;
        *end = '\0';
        if (equals) {
            *equals = '\0';
            out[count++] = (trm_setting){at, equals + 1};
        }
        at = next;
    }
    return count;
}

/* Reads a model of a text, with settings NAME=EXPR, a line each. */
int EXPORT(read)(const char *name, const char *text, const char *settings);
int EXPORT(read)(const char *name, const char *text, const char *settings) {
    trm_setting list[SETTINGS_MOST];
    if (def.size == 0)
        start_def();
    forget();
    names = strdup(settings);
    return names && texts_put(name, text) ? trm_model_read(name, list, read_settings(list), &model) : TRM_NO_MEMORY;
}

// ---- studies

typedef trm_status study(trm_model *m, const trm_run_def *def, trm_result **out);

static int conduct(study *by) {
    forget_result();
    begin();
    return model ? (int)by(model, &def, &result) : (int)TRM_WRONG_MODEL;
}

/* What of its samples is kept: a trm_keep. */
int EXPORT(run)(int keep);
int EXPORT(run)(int keep) {
    def.keep = (trm_keep)keep;
    return conduct(trm_run);
}

int EXPORT(check)(void);
int EXPORT(check)(void) {
    return conduct(trm_check);
}

int EXPORT(linearize)(void);
int EXPORT(linearize)(void) {
    return conduct(trm_linearize);
}

int EXPORT(equilibrium)(void);
int EXPORT(equilibrium)(void) {
    return conduct(trm_equilibrium);
}

/* The assembled start: so many coordinates, into q and v. */
int EXPORT(assemble)(double *q, double *v);
int EXPORT(assemble)(double *q, double *v) {
    forget_result();
    begin();
    return model ? (int)trm_assemble(model, &def, q, v, &result) : (int)TRM_WRONG_MODEL;
}

// ---- what they say

/* Of the model as it was read, or of the last study, or of the session. */
const char *EXPORT(messages)(void);
const char *EXPORT(messages)(void) {
    if (session)
        return trm_session_messages(session, 0);
    if (hands && *live_messages(hands))
        return live_messages(hands);
    return result ? trm_result_messages(result, 0) : model ? trm_model_messages(model, 0) : "";
}

const char *EXPORT(model_messages)(void);
const char *EXPORT(model_messages)(void) {
    return model ? trm_model_messages(model, 0) : "";
}

const char *EXPORT(json)(void);
const char *EXPORT(json)(void) {
    return result ? trm_result_json(result) : "";
}

const char *EXPORT(summary)(void);
const char *EXPORT(summary)(void) {
    return result ? trm_result_summary(result) : "";
}

/* The data of a page: of the last run or, where there is none, of the model and what is wrong with it. */
const char *EXPORT(page)(int equations);
const char *EXPORT(page)(int equations) {
    return result ? trm_result_page(result, equations) : model ? trm_model_page(model, NULL) : "";
}

int EXPORT(samples)(void);
int EXPORT(samples)(void) {
    return result ? (int)trm_result_samples(result) : 0;
}

const double *EXPORT(column)(int i);
const double *EXPORT(column)(int i) {
    return result ? trm_result_column(result, i) : NULL;
}

int EXPORT(columns)(void);
int EXPORT(columns)(void) {
    return model ? trm_model_columns(model) : 0;
}

const char *EXPORT(column_name)(int i);
const char *EXPORT(column_name)(int i) {
    return model ? trm_model_column_name(model, i) : "";
}

int EXPORT(coordinates)(void);
int EXPORT(coordinates)(void) {
    return model ? trm_model_coordinates(model) : 0;
}

const char *EXPORT(coordinate_name)(int i);
const char *EXPORT(coordinate_name)(int i) {
    return model ? trm_model_coordinate_name(model, i) : "";
}

// ---- sessions

int EXPORT(session_create)(void);
int EXPORT(session_create)(void) {
    trm_session_free(session);
    session = NULL;
    def.keep = TRM_KEEP_NOTHING;
    reached = 0;
    begin();
    trm_status status = model ? trm_session_create(model, &def, &session) : TRM_WRONG_MODEL;
    if (status == TRM_OK)
        reached = trm_session_values(session)[0];
    return status;
}

int EXPORT(session_advance)(double until);
int EXPORT(session_advance)(double until) {
    begin();
    return session ? (int)trm_session_advance(session, until, &reached) : (int)TRM_WRONG_MODEL;
}

double EXPORT(session_reached)(void);
double EXPORT(session_reached)(void) {
    return reached;
}

int EXPORT(session_set)(const char *name, double value);
int EXPORT(session_set)(const char *name, double value) {
    begin();
    return session ? (int)trm_session_set(session, name, value) : (int)TRM_WRONG_MODEL;
}

/* (columns) where the session is. */
const double *EXPORT(session_values)(void);
const double *EXPORT(session_values)(void) {
    return session ? trm_session_values(session) : NULL;
}

// ---- hands on (api/live.h)

/* From the start, or, where time is a number, from (q, v) at that time. */
int EXPORT(live_create)(double time, const double *q, const double *v);
int EXPORT(live_create)(double time, const double *q, const double *v) {
    live_state from = {time, q, v};
    live_free(hands);
    hands = NULL;
    forget_result();
    begin();
    return model ? (int)live_create(model, &def, isnan(time) ? NULL : &from, &hands) : (int)TRM_WRONG_MODEL;
}

const char *EXPORT(live_picture)(void);
const char *EXPORT(live_picture)(void) {
    return hands ? live_picture(hands) : "";
}

int EXPORT(live_width)(void);
int EXPORT(live_width)(void) {
    return hands ? live_width(hands) : 0;
}

const float *EXPORT(live_tracks)(void);
const float *EXPORT(live_tracks)(void) {
    return hands ? live_tracks(hands) : NULL;
}

/* (LIVE_NUMBERS) */
const double *EXPORT(live_numbers)(void);
const double *EXPORT(live_numbers)(void) {
    return hands ? live_numbers(hands) : NULL;
}

/* (coordinates), for another live_create */
const double *EXPORT(live_q)(void);
const double *EXPORT(live_q)(void) {
    return hands ? live_q(hands) : NULL;
}

const double *EXPORT(live_v)(void);
const double *EXPORT(live_v)(void) {
    return hands ? live_v(hands) : NULL;
}

int EXPORT(live_advance)(double until);
int EXPORT(live_advance)(double until) {
    begin();
    return hands ? (int)live_advance(hands, until) : (int)TRM_WRONG_MODEL;
}

int EXPORT(live_hold)(int what, int i, double part, double x, double y, double z, double time);
int EXPORT(live_hold)(int what, int i, double part, double x, double y, double z, double time) {
    const double offset[] = {x, y, z};
    return hands ? live_hold(hands, (live_what)what, i, part, offset, time) : 0;
}

void EXPORT(live_aim)(double x, double y, double z);
void EXPORT(live_aim)(double x, double y, double z) {
    const double target[] = {x, y, z};
    if (hands)
        live_aim(hands, target);
}

int EXPORT(live_lead)(double x, double y, double z);
int EXPORT(live_lead)(double x, double y, double z) {
    const double target[] = {x, y, z};
    begin();
    return hands ? (int)live_lead(hands, target) : (int)TRM_WRONG_MODEL;
}

void EXPORT(live_let_go)(void);
void EXPORT(live_let_go)(void) {
    if (hands)
        live_let_go(hands);
}
