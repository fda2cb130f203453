/* Which characters the fonts of this system have. fontconfig knows: it is there wherever gnuplot draws PDF.
 * It is loaded when it is needed, never linked, and its headers are not needed to build. */
#ifndef TRAMMEL_REPORT_FONTS_H
#define TRAMMEL_REPORT_FONTS_H

#include "base/arena.h"

typedef struct fonts fonts;

/* Freed with the arena. */
const fonts *fonts_load(arena *a);

/* The text with a white square in place of each character that no font has; without fontconfig, or with fonts
 * NULL, as it is. */
const char *fonts_shown(const fonts *f, arena *a, const char *shown);

#endif
