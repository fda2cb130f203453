/* Samples as comma-separated values. */
#ifndef TRAMMEL_REPORT_CSV_H
#define TRAMMEL_REPORT_CSV_H

#include "base/output.h"
#include "motion/run.h"

/* The file holds whole lines at any time; lines wait in memory for a tenth of a second at most while samples
 * come. */
typedef struct {
    const trm_system *sys;
    const char *path; // NULL: there is no file
    output file;
    text waiting;     // lines that are not yet in the file
    int whole;        // bytes of them; the line at hand follows
    double since;     // when the last ones went there, in seconds
    bool has_samples; // in the file
} csv;

/* Opens the file. False, with c->file.error set, if it cannot. "-" is standard output. */
bool csv_open(csv *c, arena *a, const trm_system *sys, const char *path);
bool csv_take(void *context, const sample *s); // a sink
/* Puts the file in place if it has samples, so far as they came; else the old one stays. False if not all of
 * them are there. */
bool csv_close(csv *c);

#endif
