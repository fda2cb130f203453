/* In which coordinates bodies and joints are integrated. */
#ifndef TRAMMEL_API_FORM_H
#define TRAMMEL_API_FORM_H

#include "api/objects.h"
#include "mech/tree/tree.h"

/* The tree whose coordinates a run is to have; NULL: those of the bodies. False, and an error, if the form
 * that is asked for is none, or cannot be had. */
bool form_choose(trm_result *r, const trm_run_def *def, const run_options *o, mech_tree **out);

/* Assembles the start, which o has from then on, and compiles the tree by it. NULL if it cannot be assembled:
 * the run will say why. */
trm_system *form_compile(trm_result *r, mech_tree *tree, const trm_system *full, run_options *o);

/* For calls from outside: the system in the coordinates that the model states, bodies if it states none. NULL
 * if the model is wrong, or cannot have those of joints. */
trm_system *form_system(trm_model *m, arena *a);

#endif
