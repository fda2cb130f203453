/* Plots drawn with characters, for a terminal. */
#ifndef TRAMMEL_REPORT_PLOT_TERMINAL_H
#define TRAMMEL_REPORT_PLOT_TERMINAL_H

#include "report/record.h"

/* All plots of the run; no line is longer than `columns`, if these are 30 or more. Curves are Braille
 * patterns, eight points to a character, told apart by colour; several curves without colour, or more than
 * there are colours, are letters. The text belongs to the arena. */
const char *sketch_plots(arena *a, const record *r, int columns, bool colour);

#endif
