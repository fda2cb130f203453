/* What a plot shows, whether print or a terminal draws it: ranges, and the number that is taken off y. Along
 * a logarithmic axis all numbers are decimal logarithms. */
#ifndef TRAMMEL_REPORT_PLOT_PANEL_H
#define TRAMMEL_REPORT_PLOT_PANEL_H

#include "report/record.h"

typedef struct {
    double least, most;
} range;

/* A series that varies by less than its accuracy is drawn as a constant. */
typedef struct {
    bool flat;
    double level, varies; // the constant, and by how much it did vary
} panel_series;

typedef struct {
    const record *record;
    const model_plot *plot;
    const panel_series *series; // of the plot
    range x, y;                 // of what can be drawn, before the offset is taken off
    bool empty;                 // there are none
    bool flat;                  // y does not vary at all, but for rounding
    double offset;              // taken off y, where it varies but little about that; else 0
} panel;

/* Where y varies by less than this part of its size, an offset is taken off: marks with so many digits could
 * not be told apart. */
panel panel_of(arena *a, const record *r, const model_plot *plot, double part);

double range_length(range r);
range range_widened(range r); // about what does not vary; else as it is

/* A point of a series, the offset taken off. False: it cannot be drawn: it is no number, or has no logarithm.
 */
bool panel_point(const panel *p, long at, int series, double *x, double *y);

/* How a series is called, with what is to be said of a constant. */
const char *panel_name(const panel *p, arena *a, int series);

/* Why it is empty. */
const char *panel_nothing(const panel *p);

/* What x is. */
const char *panel_across(const panel *p, arena *a);

/* What y is, as a label: "energy", or with an offset "energy − 0.5". */
const char *panel_label(const panel *p, arena *a, const char *name);

#endif
