/* The plots of a run as pictures for print: one file for each, and one with all of them. */
#ifndef TRAMMEL_REPORT_FIGURE_H
#define TRAMMEL_REPORT_FIGURE_H

#include "report/record.h"

typedef enum { FIGURE_DONE, FIGURE_REFUSED, FIGURE_NOT_WRITTEN } figure_end;

/* `name` is that of the model's file. *files gets the names of what was written, each with a newline behind
 * it; what went wrong goes to d. A picture that is there already stays until a new one is made. */
figure_end figure_make(arena *a, const record *r, const char *name, const char *folder, const char *format,
                       diags *d, const char **files);

#endif
