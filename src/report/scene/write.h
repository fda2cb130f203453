/* Drawings as files. Each gives all bytes of one, the same for the same drawing. */
#ifndef TRAMMEL_REPORT_SCENE_WRITE_H
#define TRAMMEL_REPORT_SCENE_WRITE_H

#include "base/text.h"
#include "report/scene/drawing.h"

void write_svg(text *out, const sheet_of_scenes *s);
void write_pdf(text *out, const sheet_of_scenes *s);

/* Frames that are shown one after the other, again and again: panels of one size, all of the same scale and
 * place. Where marks keep their number and order, as in the plane, they move; else each frame is there. */
void write_svg_film(text *out, const sheet_of_scenes *frames, double seconds);

#endif
