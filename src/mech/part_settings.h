/* The settings of a part, as in mass = 1, at ~ (0, 1): which there are, and their values. */
#ifndef TRAMMEL_MECH_PART_SETTINGS_H
#define TRAMMEL_MECH_PART_SETTINGS_H

#include "mech/frames.h"

/* The setting of this name, or NULL. */
const item *setting_find(elab *L, const item_list *list, const char *name);
/* False, and an error, if one is given twice or is not in `known`, a list that ends with NULL. `whose` names
 * the part. */
bool setting_check(elab *L, const item_list *list, const char *const *known, const char *whose);
/* A tuple known when the model is read, with this many numbers; false, and an error, if it is none. */
bool setting_tuple(elab *L, const node *n, const binding *scope, int size, const char *what, double *out);
bool setting_vector(elab *L, const node *n, const binding *scope, bool planar, const char *what, vector *out);
/* "(x, y, z)", as a message shows what is expected. */
const char *setting_form(int size);

#endif
