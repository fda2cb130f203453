/* The columns of samples: what each is called, in which order they stand in files, pages and arrays. Which
 * there are follows from the model alone. */
#ifndef TRAMMEL_REPORT_COLUMNS_H
#define TRAMMEL_REPORT_COLUMNS_H

#include "motion/run.h"

/* Behind the time, group by group. */
typedef enum {
    COLUMN_COORDINATE,
    COLUMN_VELOCITY,
    COLUMN_QUASI,
    COLUMN_OUTPUT,
    COLUMN_REACTION,
    COLUMN_RESIDUAL,
    COLUMN_GROUPS
} column_group;

int columns_length(const model *m, column_group group);
const double *columns_values(const sample *s, column_group group); // (length)
const char *columns_name(arena *a, const model *m, column_group group, int which);

// ---- all of them in a row, the time first

int columns_count(const model *m);
const char *columns_name_at(arena *a, const model *m, int i); // NULL beyond the last
void columns_fill(const model *m, const sample *s, double *out);

#endif
