/* What functions of the host add to a model (trm_callbacks). */
#ifndef TRAMMEL_API_CALLBACKS_H
#define TRAMMEL_API_CALLBACKS_H

#include "api/objects.h"

/* Adds those of a list, NULL: none, to a model that was read and is not yet derived. */
void callbacks_supply(model *m, const callbacks *list);

#endif
