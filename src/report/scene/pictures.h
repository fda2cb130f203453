/* Pictures of a run's scene: at instants side by side, or moving. */
#ifndef TRAMMEL_REPORT_SCENE_PICTURES_H
#define TRAMMEL_REPORT_SCENE_PICTURES_H

#include "base/diag.h"
#include "report/scene/paint.h"

#include <signal.h>

typedef struct {
    const record *record; // with drawings
    const char *name;     // of the model's file
    const char *path;     // of the picture; without an ending of a format: its name, to which they are added
    const double *instants;
    int instant_count;        // 0: a film
    const char *style, *view; // NULL: what suits
    double width, height;     // of the picture of one instant, mm; 0: what suits
    const volatile sig_atomic_t *stop;
} picture_wish;

typedef enum { PICTURE_DONE, PICTURE_REFUSED, PICTURE_NOT_WRITTEN, PICTURE_STOPPED } picture_end;

/* *files: the names of what was made, each followed by a newline. */
picture_end pictures_make(arena *a, const picture_wish *w, diags *d, const char **files);

#endif
