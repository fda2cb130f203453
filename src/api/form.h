/* In which coordinates bodies and joints are integrated. */
#ifndef TRAMMEL_API_FORM_H
#define TRAMMEL_API_FORM_H

#include "api/objects.h"
#include "mech/tree/tree.h"

/* What was decided. */
typedef struct {
    mech_tree *tree; // NULL: the bodies' own coordinates
} form;

/* False, and an error, if the form that is asked for is none, or cannot be had. */
bool form_choose(trm_result *r, const trm_run_def *def, const run_options *o, form *out);

/* Assembles the start, which o has from then on, and compiles the form by it. NULL if it cannot be assembled:
 * the run will say why. */
trm_system *form_compile(trm_result *r, form *chosen, const trm_system *full, run_options *o);

#endif
