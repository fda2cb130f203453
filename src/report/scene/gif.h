/* GIF89a, which plays again and again: one palette for all frames, and of each frame what changed. */
#ifndef TRAMMEL_REPORT_SCENE_GIF_H
#define TRAMMEL_REPORT_SCENE_GIF_H

#include "base/text.h"
#include "report/scene/pixels.h"

typedef struct gif gif;

gif *gif_new(arena *a, int width, int height);
/* First all frames, or some that have their colours; then all of them once more. */
void gif_see(gif *g, const pixels *given);
void gif_begin(gif *g, text *out);
void gif_add(gif *g, text *out, const pixels *given, int hundredths); // how long it is shown
void gif_end(text *out);

#endif
