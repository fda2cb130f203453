/* What can be asked of a model: one row of a table for each study. */
#ifndef TRAMMEL_API_STUDIES_H
#define TRAMMEL_API_STUDIES_H

#include <trammel/trammel.h>

#include "motion/run.h"

enum {
    NEEDS_LAPACK = 1,
    NEEDS_FULL = 2, // n x n matrices
    NEEDS_END = 4,  // the settings of a simulation, its end among them; implicit methods get their Jacobian
    NEEDS_FORM = 8, // bodies may be in joint coordinates
    COMPARES = 16,  // all formulations are in use
};

typedef struct {
    const char *name;
    unsigned needs;
    /* Does it with the compiled system; r->report is then what it found. */
    trm_status (*conduct)(trm_result *r, trm_system *sys, const trm_run_def *def, run_options *o);
    void (*warn)(trm_result *r); // what follows from the report; may be NULL
    const char *(*summary)(const trm_result *r);
    const char *(*json)(const trm_result *r);
} study;

extern const study study_run, study_check, study_compare, study_compare_along, study_linearize,
    study_equilibrium, study_assemble;

/* Reads the settings, sees that there is what the study needs, compiles, conducts it and warns. */
trm_status study_conduct(trm_result *r, const trm_run_def *def);

/* The same of a run in two parts: up to where it has begun, and once its drive has come to its end. */
trm_status study_begin_run(trm_result *r, const trm_run_def *def);
trm_status study_end_run(trm_result *r);

/* The first part of that: the compiled system, and where it starts; with messages if the settings or the
 * model are wrong, or there is no such start. */
trm_status study_prepare(trm_result *r, const trm_run_def *def, bool needs_end, run_options *o,
                         trm_system **sys);
/* Finds the equilibrium near the start, where the system starts from then on; still: of what is held as at
 * that time (study/equilibrium.h). Where there is none, that is what the result tells. */
trm_status study_settle(trm_result *r, const trm_run_def *def, const run_options *o, trm_system *sys,
                        bool *still);
/* Tells a failure, if it is one: TRM_OK or TRM_NO_SOLUTION. */
trm_status study_told(trm_result *r, const failure *f);

/* Of an equilibrium that was found: a model that starts there, which includes the one at `path`; else "". */
const char *study_model(const trm_result *r, const char *path);

/* Of a linear system: its matrices as CSV; else "". */
const char *study_matrices(const trm_result *r);

/* The assembled start; NULL if the result is not that. */
const start_state *study_start(const trm_result *r);

/* The report of a run; NULL if the result is not that of a run. */
const run_report *study_of_run(const trm_result *r);

#endif
