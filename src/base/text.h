/* A text that grows. */
#ifndef TRAMMEL_BASE_TEXT_H
#define TRAMMEL_BASE_TEXT_H

#include "base/arena.h"

typedef struct {
    arena *arena;
    vec(char) bytes; // always ends with a zero that is not counted
} text;

void text_init(text *t, arena *a);
void text_clear(text *t); // its memory stays
void text_add(text *t, const char *piece);
void text_add_bytes(text *t, const char *piece, int length);
void text_print(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *text_string(const text *t);

/* The length in bytes of the UTF-8 character at c, a zero-terminated text; 0 if it is none. */
int text_character(const char *c);

/* The shortest decimal form that reads back as the same double ("0.1", "1e-10", "-3"). Not finite: "nan",
 * "inf", "-inf". The buffer holds at least 32 bytes; returns it. */
char *text_number(char *buffer, double value);

#endif
