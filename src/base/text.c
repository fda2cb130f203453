#include "base/text.h"

#include <stdarg.h>
#include <string.h>

void text_init(text *t, arena *a) {
    *t = (text){.arena = a};
    vec_push(a, t->bytes, '\0');
    t->bytes.count = 0;
}

void text_clear(text *t) {
    t->bytes.count = 0;
    t->bytes.at[0] = '\0';
}

void text_add_bytes(text *t, const char *piece, int length) {
    vec_reserve(t->arena, t->bytes, length + 1);
    memcpy(t->bytes.at + t->bytes.count, piece, (size_t)length);
    t->bytes.count += length;
    t->bytes.at[t->bytes.count] = '\0';
}

void text_add(text *t, const char *piece) {
    text_add_bytes(t, piece, (int)strlen(piece));
}

void text_print(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = number_vprint(NULL, 0, format, args);
    if (length > 0) {
        vec_reserve(t->arena, t->bytes, length + 1);
        number_vprint(t->bytes.at + t->bytes.count, (size_t)length + 1, format, again);
        t->bytes.count += length;
    }
    va_end(args);
    va_end(again);
}

void text_insert(text *t, int at, const char *piece) {
    int length = (int)strlen(piece), behind = t->bytes.count - at;
    text_add(t, piece);
    memmove(t->bytes.at + at + length, t->bytes.at + at, (size_t)behind);
    memcpy(t->bytes.at + at, piece, (size_t)length);
}

void text_remove(text *t, int at, int length) {
    memmove(t->bytes.at + at, t->bytes.at + at + length, (size_t)(t->bytes.count - at - length) + 1);
    t->bytes.count -= length;
}

const char *text_string(const text *t) {
    return t->bytes.at;
}

int text_character(const char *c) {
    unsigned char first = (unsigned char)*c, second = first ? (unsigned char)c[1] : 0;
    int length = first < 0x80   ? 1
                 : first < 0xC2 ? 0
                 : first < 0xE0 ? 2
                 : first < 0xF0 ? 3
                 : first < 0xF5 ? 4
                                : 0;
    bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    bool outside =
        (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F); // surrogates, too large
    for (int i = 1; i < length; i++)
        if (((unsigned char)c[i] & 0xC0) != 0x80)
            return 0;
    return overlong || outside ? 0 : length;
}

unsigned text_code(const char *c, int length) {
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = (unsigned char)c[0] & first_bits[length];
    for (int i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)c[i] & 0x3F);
    return code;
}

bool text_is_control(unsigned code) {
    return code < ' ' || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

int text_tame(char *bytes, bool lines) {
    char *to = bytes;
    for (const char *c = bytes; *c;) {
        int length = text_character(c);
        bool kept = length && (!text_is_control(text_code(c, length)) || *c == '\t' || (lines && *c == '\n'));
        if (kept)
            to = (char *)memmove(to, c, (size_t)length) + length;
        else if (((unsigned char)*c & 0xC0) !=
                 0x80) // what would continue a character has no place of its own
            *to++ = '?';
        c += length ? length : 1;
    }
    *to = '\0';
    return (int)(to - bytes);
}

const char *text_tamed(arena *a, const char *given, bool lines) {
    char *copy = arena_copy(a, given, strlen(given));
    text_tame(copy, lines);
    return copy;
}
