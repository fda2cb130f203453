/* Names of quantities in the signs of print: theta' is a dotted letter, L1 has an index, * is a thin space.
 */
#ifndef TRAMMEL_REPORT_SYMBOLS_H
#define TRAMMEL_REPORT_SYMBOLS_H

#include "base/arena.h"

/* The Greek letter of this name; NULL: it is none. */
const char *symbols_letter(const char *word, int length);

const char *symbols_shown(arena *a, const char *written);

#endif
