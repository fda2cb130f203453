#include "report/letters.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

unsigned letters_code(const char *c, int *length) {
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    int bytes = text_character(c);
    *length = bytes ? bytes : 1;
    if (bytes == 0)
        return '?';
    unsigned code = (unsigned char)c[0] & masks[bytes];
    for (int i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)c[i] & 0x3F);
    return code;
}

typedef struct {
    unsigned from, to;
} block;

static bool is_in(unsigned code, const block *blocks, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (code >= blocks[i].from && code <= blocks[i].to)
            return true;
    return false;
}

// accents on the letter before, joiners, marks of direction
static bool is_without_width(unsigned code) {
    static const block blocks[] = {
        {0x300, 0x36F}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0xFE00, 0xFE0F}};
    return is_in(code, blocks, sizeof blocks / sizeof *blocks);
}

// East Asian letters and pictograms
static bool is_wide(unsigned code) {
    static const block blocks[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},  {0xAC00, 0xD7A3},
                                   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
                                   {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
    return is_in(code, blocks, sizeof blocks / sizeof *blocks);
}

double letters_in_terminal(unsigned code) {
    return is_without_width(code) ? 0 : is_wide(code) ? 2 : 1;
}

// after DejaVu Sans, which is wider than most
double letters_in_print(unsigned code) {
    if (code >= 0x80)
        return is_without_width(code) ? 0 : is_wide(code) ? 1.2 : 0.75;
    if (strchr("ijlI.,:;|! '", (int)code))
        return 0.33;
    if (strchr("tfr()[]{}/\\-\"_*", (int)code))
        return 0.45;
    if (strchr("mwMW@%<>=+", (int)code))
        return 1;
    return code >= 'A' && code <= 'Z' ? 0.76 : 0.64;
}

double letters_width(const char *shown, letters_measure *of) {
    double width = 0;
    for (int length; *shown; shown += length)
        width += of(letters_code(shown, &length));
    return width;
}

// how many bytes of a text fit
static int fitting(const char *shown, double room, letters_measure *of) {
    double width = 0;
    int bytes = 0, length;
    while (shown[bytes]) {
        width += of(letters_code(shown + bytes, &length));
        if (width > room)
            break;
        bytes += length;
    }
    return bytes;
}

const char *letters_shorten(arena *a, const char *shown, double room, letters_measure *of) {
    if (letters_width(shown, of) <= room)
        return shown;
    return arena_print(a, "%.*s…", fitting(shown, room - of(0x2026), of), shown);
}

// where a line that does not take the whole text ends: at a blank, or else where it is full
static int line_end(const char *shown, int full) {
    for (int at = full; at > 0; at--)
        if (shown[at] == ' ')
            return at;
    int length;
    letters_code(shown, &length);
    return full ? full : length;
}

letters_lines letters_wrap(arena *a, const char *shown, double room, int most, letters_measure *of) {
    letters_lines lines = {0};
    while (letters_width(shown, of) > room && lines.count + 1 < most) {
        int end = line_end(shown, fitting(shown, room, of));
        const char *line = arena_copy(a, shown, (size_t)end);
        vec_push(a, lines, line);
        shown += end + (shown[end] == ' ');
    }
    const char *last = letters_shorten(a, shown, room, of);
    vec_push(a, lines, last);
    return lines;
}
