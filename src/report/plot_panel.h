/* What a plot shows, whether print or a terminal draws it: ranges, and the number that is taken off y. */
#ifndef TRAMMEL_REPORT_PLOT_PANEL_H
#define TRAMMEL_REPORT_PLOT_PANEL_H

#include "report/record.h"

typedef struct {
    double least, most;
} range;

typedef struct {
    const record *record;
    const model_plot *plot;
    range x, y;    // of what can be drawn, before the offset is taken off
    bool empty;    // there are none
    bool flat;     // y does not vary at all, but for rounding
    double offset; // taken off y, where it varies but little about that; else 0
} panel;

/* Where y varies by less than this part of its size, an offset is taken off: marks with so many digits could
 * not be told apart. */
panel panel_of(const record *r, const model_plot *plot, double part);

double range_length(range r);
range range_widened(range r); // about what does not vary; else as it is

/* A point of a series, the offset taken off. False: it cannot be drawn. */
bool panel_point(const panel *p, long at, int series, double *x, double *y);

/* What y is, as a label: "energy", or with an offset "energy − 0.5". */
const char *panel_label(const panel *p, arena *a, const char *name);

#endif
