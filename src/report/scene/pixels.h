/* Drawings as pixels, their edges smoothed. */
#ifndef TRAMMEL_REPORT_SCENE_PIXELS_H
#define TRAMMEL_REPORT_SCENE_PIXELS_H

#include "report/scene/drawing.h"

typedef struct {
    int width, height;
    unsigned char *rgb; // (height x width x 3)
} pixels;

pixels pixels_new(arena *a, int width, int height);
/* White, and then a panel, whose sheet has so many dots for a mm. */
void pixels_paint(pixels *to, const panel_of_scene *p, double dots, arena *scratch);

#endif
