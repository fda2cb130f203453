/* The text of a plan's file: a line for each thing, KEY VALUE, with '\n' and '\\' for what would end it. */
#ifndef TRAMMEL_SWEEP_STORED_H
#define TRAMMEL_SWEEP_STORED_H

#include "base/text.h"
#include "sweep/journal.h"

void stored_put(text *t, const char *key, const char *value);
void stored_put_number(text *t, const char *key, double value); // the same when it is read
void stored_put_columns(text *t, const sweep_columns *columns);

/* The next line from *at on, which moves; false at the end. The texts are of the arena. */
bool stored_next(arena *a, const char **at, const char **key, const char **value);
/* The value of the first line of that key; NULL if there is none. */
const char *stored_find(arena *a, const char *stored, const char *key);
/* The number of cases and the columns; false if the text does not say. */
bool stored_read_columns(arena *a, const char *stored, long *cases, sweep_columns *out);

#endif
