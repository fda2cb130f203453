/* What the public objects are inside. */
#ifndef TRAMMEL_API_OBJECTS_H
#define TRAMMEL_API_OBJECTS_H

#include "api/samples.h"
#include "api/studies.h"
#include "report/findings.h"

#include <pthread.h>

typedef struct callbacks callbacks; // callbacks.c

/* A system of a model whose values may change, in an arena of its own; arena NULL: there is none. */
typedef struct {
    arena *arena;
    trm_system *system; // NULL while it is made
    bool exact;
    evaluate_how how;
} system_place;

enum { KEPT_SYSTEMS = 2, SETTING_ROOM = 40 }; // room for the text of a number

/* What was read, with the values that its parameters have. It does not change while anything uses it; setting
 * a parameter takes another one in its place, and what was made of the first keeps that (contents.c). */
struct trm_model {
    arena *arena;
    trm_model *first;         // what was read first: what programs hold
    trm_model *now, *refused; // of the first: the one in force, and one that was set and is wrong, or NULL
    diags *asked;             // of the first: why the last question was refused, in an arena of its own; NULL
    int uses;                 // results, systems and sessions made of it
    pthread_t owner;          // the thread whose these are
    pthread_mutex_t taking;   // of the first: uses, owners
    const char *path;
    const source *source;
    model *model; // NULL if the file could not be read
    const model_setting *settings;
    int setting_count;
    callbacks *callbacks;  // functions of the host; NULL: none
    kernel_store *kernels; // of the first: what other readings compiled
    diags problems;        // of reading the file itself
    const mech *mech;      // NULL before it is derived
    int told;              // messages of reading; those of deriving follow
    bool wrong;            // as read
    int kept;              // expressions in the pool that are of the model itself
    double seconds;
    system_place systems[KEPT_SYSTEMS];
    arena *words;        // what it said, until it has other values; NULL: nothing
    double *set;         // (settings) their values, where they are numbers
    double *turn_starts; // (turns) as read
    trm_model *spare;    // of the first: what nothing uses (kept.c); of one of these: the next
    int spares;          // of the first: how many
    int used, most_used; // of the first: readings that something uses, and how many there were at once
    size_t spare_bytes;  // of the first: of all; of a spare: its own
    const char **column_names, **param_names; // (columns), (parameters) those that were asked for; NULL: none
};

struct trm_result {
    arena *arena;
    trm_model *model;
    const study *study;
    struct drive *drive; // of a run that has begun (session.h); else NULL
    void *report;        // what the study found, NULL before it has; only the study knows its type
    findings findings;
    const formulation *formulation; // NULL: the default solver
    paper_chosen chosen;            // of what it leaves open
    diags diags;
    outlet samples;
    vec(model_setting) given;          // the options that were given, by the names of the command line's
    const volatile sig_atomic_t *stop; // of the run, and who is told what it writes; may be NULL
    trm_file *file;
    const double *begin_q, *begin_v; // (n) a guess from which a run begins, in the place of the model's; NULL
    double **columns;                // (columns) those that were asked for; NULL: none
};

trm_result *result_new(arena *a, trm_model *m, const study *of);
/* trm_run of the model as it was, with other values, in two parts. TRM_OK: it has begun, and its drive is to
 * be brought to its end before result_end; any other status is what it came to. Threads may call it with one
 * model. */
trm_status result_begin_with(const trm_model *was, const model_setting *more, int count,
                             const trm_run_def *def, trm_result **out);
trm_status result_end(trm_result *r);

/* Makes an object of what is in force of a model. Another thread's results, if there are any, are of that
 * alone: then it is of a copy. `make` is as in guard_new; the object's arena lets go of the model. */
typedef trm_status (*content_maker)(arena *a, trm_model *m, void *context);
trm_status content_use(trm_model *m, content_maker make, void *context);
/* The same where pictures are shown. */
trm_status content_use_pictured(trm_model *m, content_maker make, void *context);
/* The same of the model as it was when something was made of it, with other values. */
trm_status content_use_with(const trm_model *was, const model_setting *more, int count, bool pictures,
                            content_maker make, void *context);

/* As trm_model_column_name, of this very reading. */
const char *content_column_name(trm_model *m, int i);
const char *content_equations(trm_model *m, trm_notation notation);
/* A name or a text that a program gave: NULL is an empty one; a name has no spaces before it. */
const char *content_name(const char *given);
const char *content_text(const char *given);
/* A number as an expression of --set. */
const char *content_number(double value, char *room, size_t size);

/* A model of a text, to be elaborated: read, with what the functions of the host add. */
trm_model *model_new(arena *a, const char *name, const char *text);
void model_elaborate(trm_model *m);
/* The same model once more, with settings that come after its own; in the arena. */
trm_model *model_again(arena *a, const trm_model *m, const model_setting *more, int count);
/* Derives the equations, once; NULL if the model turns out to be wrong. */
const mech *model_derived(trm_model *m);
/* Compiles them; NULL if the model is wrong. What that, and all that is done with the system, leaves in the
 * model's pool is of no use afterwards, and goes by model_forget. */
trm_system *model_system(trm_model *m, arena *a, bool exact, double span, double every, evaluate_how how);
void model_forget(trm_model *m);
arena *model_words(trm_model *m);
/* Refuses what was asked, without a change of the model: trm_model_messages says why. False without memory.
 */
bool model_refuse(trm_model *m, const char *why);
void model_forget_refusal(trm_model *m);

/* All that is to be said of a result, with what was told of reading the model if that is asked for. */
const char *result_messages(trm_result *r, int how, bool of_reading);

#endif
