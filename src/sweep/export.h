/* What was found, as one file for other programs. The same cases give the same bytes, whoever did them, in
 * which order, and however often the sweep was broken off. */
#ifndef TRAMMEL_SWEEP_EXPORT_H
#define TRAMMEL_SWEEP_EXPORT_H

#include "base/diag.h"
#include "sweep/journal.h"

typedef struct {
    journal *journal; // with its index
    const sweep_columns *columns;
    long cases;
    const char *plan, *model, *version; // texts
} sweep_store;

/* All return false, with the reason in d. */

/* A line of names, then one for each case that was done. */
bool export_csv(arena *a, const sweep_store *s, const char *path, diags *d);

/* /case, /parameters/NAME, /final/NAME, /report/NAME, /status, /message, each as long as there are cases; if
 * samples were kept /samples/NAME (cases x samples), NAN behind the last, and their times as /t (samples) if
 * they are the same in all cases, else (cases x samples). */
bool export_hdf5(arena *a, const sweep_store *s, const char *path, diags *d);
/* What it needs and does not find, with what to do about it in *hint; NULL if it is there. */
const char *export_hdf5_missing(const char **hint);

#endif
