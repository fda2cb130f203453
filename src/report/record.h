/* The samples of a run, kept for pictures and pages: a sink. Memory grows with the samples, block by block.
 */
#ifndef TRAMMEL_REPORT_RECORD_H
#define TRAMMEL_REPORT_RECORD_H

#include "report/columns.h"

/* What plots show; that, drawings and the columns that there is room for; all columns and nothing else. */
typedef enum { RECORD_PLOTS, RECORD_PAGE, RECORD_COLUMNS } record_extent;

/* A state that a sample is of. */
typedef struct {
    long sample;
    double t;
    const double *q, *v; // (n)
} record_state;

typedef struct {
    arena *arena;
    const trm_system *sys;
    double tolerance; // of the run
    record_extent extent;
    int view_count;            // kept of each sample
    int first[COLUMN_GROUPS];  // where a group stands in a sample; -1: left out, as a whole
    int length[COLUMN_GROUPS]; // of the group
    int first_energy;          // T, V, T + V, T2 - T0 + V, the works, the powers; -1: left out
    int work_count;            // of each of these
    int width;                 // numbers of a sample: time, views, groups, energies
    long count;                // samples
    vec(double *) blocks;
    long apart;               // samples from one state that is kept to the next
    vec(record_state) states; // some, by which accuracy.c finds
    double *accuracy;         // (width) of a sample's numbers; NULL until it is found
} record;

/* `expected` is how many samples a run would give: where all columns would be too many numbers, groups are
 * left out, the last first, and then the drawings. */
void record_init(record *r, arena *a, const trm_system *sys, record_extent extent, double expected,
                 double tolerance);
bool record_take(void *context, const sample *s);

double record_time(const record *r, long at);
double record_view(const record *r, long at, int view); // view -1: time
double record_number(const record *r, long at, int i);  // of a sample's numbers, by its place (width)
const double *record_numbers(const record *r, long at); // (width)
/* T, V, T + V, T2 - T0 + V of energies as a sample has them. */
enum { RECORD_ENERGIES = 4 };
void record_energies(const double *energy, double *out);
double record_column(const record *r, long at, column_group group, int which);
/* Column i of all (columns_name_at), as RECORD_COLUMNS keeps them: out (count). */
void record_all_of(const record *r, int i, double *out);

#endif
