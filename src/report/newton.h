/* Newton's and Euler's equations of bodies, and what their joints hold, by name. */
#ifndef TRAMMEL_REPORT_NEWTON_H
#define TRAMMEL_REPORT_NEWTON_H

#include "report/typeset.h"

/* Whether a model has bodies that turn, with no mass but their own. */
bool newton_suits(arena *a, const model *m);

/* The equations, the bodies first; then which coordinates (coords) and rows (rows) are not in them: those of
 * no body, and of constraints that are no joints. */
void newton_put(typeset *t, bool *coordinates, bool *rows);

#endif
