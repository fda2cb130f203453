/* A picture of a sweep, by gnuplot: what suits its plan. One parameter: curves over it; two on a grid: heat
 * maps; else each result over each parameter, as dots. Where samples were kept: bundles of curves over the
 * time, coloured by the first parameter. A panel for each output and result over the run; of models without
 * any for the first coordinates. Cases that failed leave a gap. */
#ifndef TRAMMEL_SWEEP_PICTURE_H
#define TRAMMEL_SWEEP_PICTURE_H

#include "sweep/summary.h"

#include <signal.h>

typedef enum { PICTURE_DONE, PICTURE_REFUSED, PICTURE_NOT_WRITTEN, PICTURE_STOPPED } picture_end;

/* path: its ending, svg, png or pdf, says what is drawn. Otherwise than done, the reason is in d. */
picture_end picture_make(arena *a, const sweep_about *s, const char *path, const volatile sig_atomic_t *stop,
                         diags *d);

#endif
