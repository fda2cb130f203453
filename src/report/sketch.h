/* Plots drawn with characters, for a terminal. */
#ifndef TRAMMEL_REPORT_SKETCH_H
#define TRAMMEL_REPORT_SKETCH_H

#include "report/record.h"

/* All plots of the run, so many columns wide. Curves are Braille patterns, eight points to a character, told
 * apart by colour; without colour, several curves are letters. The text belongs to the arena. */
const char *sketch_plots(arena *a, const record *r, int columns, bool colour);

#endif
