/* Inputs and outputs of a linear system, as they are asked for by name. */
#ifndef TRAMMEL_API_PORTS_H
#define TRAMMEL_API_PORTS_H

#include "api/objects.h"
#include "study/response.h"

/* Where outputs are asked for that the model has not, it is read once more with them, and the result is of
 * that one. False, with messages, if they are wrong. */
bool ports_extend(trm_result *r, const trm_run_def *def);

/* What is asked for, with the numbers that it has in the model; false, with messages, if a name is wrong. */
bool ports_find(trm_result *r, const trm_run_def *def, double span, ports *out);

#endif
