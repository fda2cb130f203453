/* A text that grows. */
#ifndef TRAMMEL_BASE_TEXT_H
#define TRAMMEL_BASE_TEXT_H

#include "base/arena.h"
#include "base/number.h"

#include <stdbool.h>

typedef struct {
    arena *arena;
    vec(char) bytes; // always ends with a zero that is not counted
} text;

void text_init(text *t, arena *a);
void text_clear(text *t); // its memory stays
void text_add(text *t, const char *piece);
void text_add_bytes(text *t, const char *piece, int length);
void text_print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_insert(text *t, int at, const char *piece);
void text_remove(text *t, int at, int length);
const char *text_string(const text *t);

/* Makes a text one that a terminal may show: control characters (text_is_control) and what begins a character
 * that is no UTF-8 become '?', but for tabs and, with `lines`, newlines; bytes that continue nothing go. So
 * columns stay as diag counts them. Gives the new length. */
int text_tame(char *bytes, bool lines);
const char *text_tamed(arena *a, const char *given, bool lines); // a copy

/* The length in bytes of the UTF-8 character at c, a zero-terminated text; 0 if it is none. */
int text_character(const char *c);
unsigned text_code(const char *c, int length); // its number
/* What a terminal would obey: the control characters, those from U+0080 to U+009F among them, and what ends
 * lines (U+2028, U+2029) or turns the direction of writing (U+202A to U+202E, U+2066 to U+2069), so that a
 * text would read as another one. */
bool text_is_control(unsigned code);

#endif
