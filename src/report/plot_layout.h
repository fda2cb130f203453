/* Where everything stands in a picture of a plot, in mm: nothing lies on anything else, and nothing is cut.
 */
#ifndef TRAMMEL_REPORT_PLOT_LAYOUT_H
#define TRAMMEL_REPORT_PLOT_LAYOUT_H

#include "report/letters.h"
#include "report/plot_panel.h"

enum { LAYOUT_LABELS = 12 }; // curves in a legend; of the others their number

typedef struct {
    double from, to, step; // of the marks
} axis;

/* From the bottom: legend, label of x, marks of x, box, title. From the left: label of y, marks of y, box. */
typedef struct {
    const panel *panel;
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

extern const double LAYOUT_WIDTH;   // of a picture: a column of a paper
extern const double LAYOUT_LETTERS; // the size of letters, pt
extern const double LAYOUT_LINE;    // from line to line
extern const double LAYOUT_SAMPLE;  // the piece of a curve in the legend

/* `left` is the least margin there: boxes above each other begin at the same place. */
layout layout_of(arena *a, const panel *p, double left);

/* Middles of texts. */
double layout_middle(const layout *l, const char *shown); // of a title or label: below the box's, if it fits
double layout_y_label(const layout *l);                   // from the left
double layout_title(const layout *l);                     // from the bottom, of its first line
double layout_x_label(const layout *l);
double layout_legend(const layout *l, int row);

#endif
