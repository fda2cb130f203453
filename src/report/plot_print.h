/* The plots of a run as pictures for print: one file for each, and one with all of them. */
#ifndef TRAMMEL_REPORT_PLOT_PRINT_H
#define TRAMMEL_REPORT_PLOT_PRINT_H

#include "report/plot_layout.h"

#include <signal.h>

typedef enum { FIGURE_DONE, FIGURE_REFUSED, FIGURE_NOT_WRITTEN, FIGURE_STOPPED } figure_end;

typedef struct {
    const record *record;
    const char *name; // of the model's file
    const char *folder, *format;
    layout_size size;
    const volatile sig_atomic_t *stop; // gives up when it becomes non-zero; may be NULL
    volatile sig_atomic_t *busy;       // becomes 1 when there are files beside their places; may be NULL
} figure_wish;

/* *files gets the names of what was written, each with a newline behind it; what went wrong goes to d.
 * Pictures that are there already stay until all new ones are made. */
figure_end figure_make(arena *a, const figure_wish *w, diags *d, const char **files);

#endif
