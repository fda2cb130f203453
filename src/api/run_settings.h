/* What a caller asks of a run, checked. */
#ifndef TRAMMEL_API_RUN_SETTINGS_H
#define TRAMMEL_API_RUN_SETTINGS_H

#include "api/run_texts.h"
#include "motion/run.h"

/* Takes the settings as the program's header knows them; all defaults if it gave none. False, with a message,
 * if there is no such version of them. */
bool settings_take(trm_result *r, const trm_run_def *given, trm_run_def *out);

/* The options of a run and its formulation, from the definition or else from the model. False, with messages,
 * if one cannot be. */
bool settings_read(trm_result *r, const trm_run_def *def, bool needs_end, run_options *o);

/* There is no `kind` of that name: what there is, is listed. */
void settings_unknown(trm_result *r, const char *kind, const char *name, trm_choice (*at)(int i));

/* Whether what a run keeps is for drawings. */
bool settings_show_pictures(const trm_run_def *def);

#endif
