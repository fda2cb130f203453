/* Other numbers in a model that is there. */
#ifndef TRAMMEL_LANG_RENUMBER_H
#define TRAMMEL_LANG_RENUMBER_H

#include "lang/model.h"

/* Other values of the settings with which a model with recipes was read; those that were no plain numbers
 * stay as they were, whatever stands there. False, and nothing changes, where the model would be another one
 * but for numbers. */
bool renumber(model *m, const double *set);
void renumber_back(model *m);

#endif
