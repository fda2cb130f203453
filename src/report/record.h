/* The samples of a run, kept for pictures and pages: a sink. Memory grows with the samples, block by block.
 */
#ifndef TRAMMEL_REPORT_RECORD_H
#define TRAMMEL_REPORT_RECORD_H

#include "motion/run.h"

typedef enum { RECORD_PLOTS, RECORD_PAGE } record_extent; // what plots show; that, drawings and all columns

/* The columns of a sample beside its views, group by group; a group is kept as a whole or left out. */
typedef enum {
    COLUMN_COORDINATE,
    COLUMN_VELOCITY,
    COLUMN_QUASI,
    COLUMN_OUTPUT,
    COLUMN_REACTION,
    COLUMN_RESIDUAL,
    COLUMN_GROUPS
} column_group;

typedef struct {
    arena *arena;
    const trm_system *sys;
    int view_count;            // kept of each sample
    int first[COLUMN_GROUPS];  // where a group stands in a sample; -1: left out
    int length[COLUMN_GROUPS]; // of the group
    int width;                 // numbers of a sample: time, views, groups
    long count;                // samples
    vec(double *) blocks;
} record;

/* `expected` is how many samples a run would give: where all columns would be too many numbers, groups are
 * left out, the last first, and then the drawings. */
void record_init(record *r, arena *a, const trm_system *sys, record_extent extent, double expected);
bool record_take(void *context, const sample *s);

double record_time(const record *r, long at);
double record_view(const record *r, long at, int view); // view -1: time
double record_column(const record *r, long at, column_group group, int which);

#endif
