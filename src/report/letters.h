/* How much room a text takes, in a terminal or in print, and how it is made to take less. */
#ifndef TRAMMEL_REPORT_LETTERS_H
#define TRAMMEL_REPORT_LETTERS_H

#include "base/arena.h"

/* The width of a character, by its Unicode number. */
typedef double letters_measure(unsigned code);
letters_measure letters_in_terminal; // columns
letters_measure letters_in_print;    // parts of the letters' size; nearly, and rather more than less

/* The character at c, whose length in bytes goes to *length; '?' where there is no UTF-8. */
unsigned letters_code(const char *c, int *length);

double letters_width(const char *shown, letters_measure *of);

/* The text, or as much of its beginning as fits with an ellipsis behind it. */
const char *letters_shorten(arena *a, const char *shown, double room, letters_measure *of);

/* The text in lines, broken at blanks where that is possible; the last of at most `most` is shortened. */
typedef vec(const char *) letters_lines;
letters_lines letters_wrap(arena *a, const char *shown, double room, int most, letters_measure *of);

#endif
