/* Sweeps inside. */
#ifndef TRAMMEL_API_SWEEP_H
#define TRAMMEL_API_SWEEP_H

#include "api/objects.h"
#include "sweep/crew.h"
#include "sweep/picture.h"
#include "sweep/plan.h"
#include "sweep/summary.h"

struct trm_sweep_result {
    arena *arena;
    trm_sweep_def def;  // texts that the program gave are of it
    plan *plan;         // NULL: of a folder that is only read
    const char *stored; // the text of the plan's file
    sweep_columns columns;
    journal *journal; // NULL before there is one
    sweep_store store;
    sweep_about about;
    double **values; // (columns) those that were asked for; NULL: none
    int *shown;      // of the columns that programs see, their numbers among all
    int shown_count, parameter_count;
    diags diags;
};

/* What the plan's file says of a sweep of this model. */
const char *sweep_stored(arena *a, const trm_model *m, const trm_sweep_def *def, const plan *p,
                         const sweep_columns *columns);
/* The other way round: what it was asked for. */
typedef struct {
    const char *path; // of the model
    trm_setting *settings;
    int setting_count;
    trm_run_def run;
    trm_sweep_def def;
} sweep_asked;
void sweep_restore(arena *a, const char *stored, sweep_asked *out);

/* The lines of that which tell the texts of a model, and of how it was read. */
const char *sweep_sources(arena *a, const trm_model *m);

/* The columns of the cases of a model. */
sweep_columns sweep_columns_of(arena *a, const trm_model *m, const plan *p, bool samples);

/* Does the cases of a plan in threads. */
crew_end sweep_do(trm_sweep_result *r, const trm_model *m, const trm_run_def *run);

#endif
