/* Frames as pixels: GIF, and what ffmpeg makes of them. */
#ifndef TRAMMEL_REPORT_SCENE_FILM_H
#define TRAMMEL_REPORT_SCENE_FILM_H

#include "base/text.h"
#include "report/child.h"
#include "report/scene/drawing.h"

/* False: it is to be stopped. */
bool film_gif(text *out, const sheet_of_scenes *frames, double seconds, const volatile sig_atomic_t *stop);
/* ending: "webm" or "mp4"; path: where ffmpeg is to write it. */
child_end film_encode(arena *a, const sheet_of_scenes *frames, double seconds, const char *ending,
                      const char *path, const volatile sig_atomic_t *stop, const char **why);

#endif
