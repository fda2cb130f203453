/* Samples as comma-separated values. */
#ifndef TRAMMEL_REPORT_CSV_H
#define TRAMMEL_REPORT_CSV_H

#include "motion/run.h"

#include <stdio.h>

typedef struct {
    const trm_system *sys;
    const char *path;
    FILE *file;
    int error; // errno of the first failure, 0 if all went well
} csv;

/* Opens the file and writes the first line. False, with c->error set, if it cannot. "-" is standard output.
 */
bool csv_open(csv *c, arena *a, const trm_system *sys, const char *path);
bool csv_take(void *context, const sample *s); // a sink
bool csv_close(csv *c);                        // false if the last bytes could not be written

#endif
