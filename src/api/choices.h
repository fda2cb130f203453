/* --choice NAME=EXPR: what a formulation of the papers leaves open, as a caller asks for it. */
#ifndef TRAMMEL_API_CHOICES_H
#define TRAMMEL_API_CHOICES_H

#include <trammel/trammel.h>

#include <stdbool.h>

/* Reads what def chooses into the result's `chosen`, for its formulation, or, where all are compared, for
 * all. False, with messages, if something cannot be chosen. */
bool choices_read(trm_result *r, const trm_run_def *def);

#endif
