/* Where everything stands in a picture of a plot, in mm: nothing lies on anything else, and nothing is cut.
 */
#ifndef TRAMMEL_REPORT_PLOT_LAYOUT_H
#define TRAMMEL_REPORT_PLOT_LAYOUT_H

#include "report/letters.h"
#include "report/plot_panel.h"

enum { LAYOUT_LABELS = 12 }; // curves in a legend; of the others their number

/* What is asked of a picture; 0: by default. */
typedef struct {
    double width, height; // of the whole picture, mm
    double letters;       // pt
} layout_size;

/* In decimal logarithms marks stand at powers of ten, one in `step` of them with its number; step 0: at 1, 2
 * and 5 of each, too. */
typedef struct {
    double from, to, step; // of the marks
    bool log;
} axis;

/* From the bottom: legend, label of x, marks of x, box, title. From the left: label of y, marks of y, box. */
typedef struct {
    const panel *panel;
    layout_size size;                           // what is asked for
    double letters, line, sample;               // pt; from line to line; a curve's piece in the legend
    double width, height;                       // of the picture
    double left, bottom, box_width, box_height; // of the box
    double margin;                              // what stands left of the box needs so much
    axis x, y;
    letters_lines title;
    const char *x_label, *y_label; // "": none
    letters_lines legend;          // the curves, and then perhaps how many more there are
    int across;                    // columns of the legend
    double column;                 // their width
} layout;

/* `left` is the least margin there: boxes above each other begin at the same place. */
layout layout_of(arena *a, const panel *p, layout_size size, double left);

/* Whether there is room for the box. */
bool layout_fits(const layout *l);

/* The marks of a logarithmic axis: where, and the number there, "" for those without one. */
typedef struct {
    double at;
    const char *shown;
} layout_mark;
typedef vec(layout_mark) layout_marks;
layout_marks layout_decades(arena *a, const axis *x);

/* Middles of texts. */
double layout_middle(const layout *l, const char *shown); // of a title or label: below the box's, if it fits
double layout_y_label(arena *a, const layout *l);         // from the left
double layout_title(const layout *l);                     // from the bottom, of its first line
double layout_x_label(const layout *l);
double layout_legend(const layout *l, int row);

#endif
