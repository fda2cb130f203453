#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0) {
        vec_reserve(t->arena, t->bytes, length + 1);
        vsnprintf(t->bytes.at + t->bytes.count, (size_t)length + 1, format, again);
        t->bytes.count += length;
    }
    va_end(args);
    va_end(again);
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

char *text_number(char *buffer, double value) {
    if (isnan(value))
        return strcpy(buffer, "nan");
    if (isinf(value))
        return strcpy(buffer, value > 0 ? "inf" : "-inf");
    // %g leaves trailing zeros away, so 15 digits also find 0.1; subnormal numbers may have as few as one
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (digits == 17 || strtod(buffer, NULL) == value)
            break;
    }
    char *e = strchr(buffer, 'e'); // 1e+06 -> 1e6, 1e-09 -> 1e-9
    if (e) {
        char *digits = e + 1, *to = e + 1;
        if (*digits == '-')
            to++;
        if (*digits == '-' || *digits == '+')
            digits++;
        while (*digits == '0')
            digits++;
        memmove(to, digits, strlen(digits) + 1);
    }
    return buffer;
}
