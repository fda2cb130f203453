/* What the public objects are inside. */
#ifndef TRAMMEL_API_OBJECTS_H
#define TRAMMEL_API_OBJECTS_H

#include "api/samples.h"
#include "api/studies.h"
#include "report/findings.h"

typedef struct callbacks callbacks; // callbacks.c

struct trm_model {
    arena *arena;
    const char *path;
    const source *source;
    model *model; // NULL if the file could not be read
    const model_setting *settings;
    int setting_count;
    callbacks *callbacks; // functions of the host; NULL: none
    diags problems;       // of reading the file itself
    const mech *mech;     // NULL before it is derived
    int told;             // messages of reading; those of deriving follow
    bool wrong;           // as read
    int kept;             // expressions in the pool that are of the model itself
    double seconds;
    const char **column_names; // (columns) those that were asked for; NULL: none
};

struct trm_result {
    arena *arena;
    trm_model *model;
    const study *study;
    void *report; // what the study found, NULL before it has; only the study knows its type
    findings findings;
    const formulation *formulation; // NULL: the default solver
    paper_chosen chosen;            // of what it leaves open
    diags diags;
    outlet samples;
    const volatile sig_atomic_t *stop; // of the run, and who is told what it writes; may be NULL
    trm_file *file;
    double **columns; // (columns) those that were asked for; NULL: none
};

trm_result *result_new(arena *a, trm_model *m, const study *of);

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

/* All that is to be said of a result, with what was told of reading the model if that is asked for. */
const char *result_messages(trm_result *r, int how, bool of_reading);

#endif
