/* What a caller asks of a run, checked. */
#ifndef TRAMMEL_API_RUN_SETTINGS_H
#define TRAMMEL_API_RUN_SETTINGS_H

#include <trammel/trammel.h>

#include "motion/run.h"

/* What of a run is given as text and decides on its motion: the option's name, and the place of it. */
typedef struct {
    const char *option;
    size_t offset;
} run_text;
enum { RUN_TEXTS = 8 };
extern const run_text run_texts[RUN_TEXTS];
const char *run_text_of(const trm_run_def *def, int i);
void run_text_set(trm_run_def *def, int i, const char *value);

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
