#include "base/diag.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int told_already(const diags *d, diag_severity severity, place where) {
    for (int i = 0; i < d->list.count; i++) {
        const diag *old = &d->list.at[i];
        if (old->severity == severity && where.source && old->place.source == where.source &&
            old->place.offset == where.offset)
            return 1;
    }
    return 0;
}

static int kept(const diags *d, diag_severity severity) {
    int count = 0;
    for (int i = 0; i < d->list.count; i++)
        count += d->list.at[i].severity == severity;
    return count;
}

static diag *add(diags *d, diag_severity severity, place where, const char *format, va_list args) {
    if (told_already(d, severity, where))
        return &d->unkept;
    if (severity == DIAG_ERROR)
        d->errors++;
    if (kept(d, severity) >= DIAG_MOST)
        return &d->unkept;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *message = arena_alloc(d->arena, (size_t)length + 1);
    vsnprintf(message, (size_t)length + 1, format, again);
    va_end(again);
    diag added = {.severity = severity, .place = where, .message = message};
    vec_push(d->arena, d->list, added);
    return &d->list.at[d->list.count - 1];
}

diag *diag_error(diags *d, place where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag *added = add(d, DIAG_ERROR, where, format, args);
    va_end(args);
    return added;
}

diag *diag_warning(diags *d, place where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag *added = add(d, DIAG_WARNING, where, format, args);
    va_end(args);
    return added;
}

// bytes 10xxxxxx continue a UTF-8 character
static int starts_character(char c) {
    return ((unsigned char)c & 0xC0) != 0x80;
}

void place_line(const source *s, int offset, int *line, int *column) {
    *line = 1;
    *column = 1;
    for (int i = 0; i < offset && i < s->length; i++) {
        if (s->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (starts_character(s->text[i])) {
            ++*column;
        }
    }
}

// at most this many bytes of a line are shown, around the place
enum { SHOWN = 160 };

static void show_line(text *out, place where, const char *caret_colour, const char *plain) {
    const source *s = where.source;
    int start = where.offset, end = where.offset;
    while (start > 0 && s->text[start - 1] != '\n')
        start--;
    while (end < s->length && s->text[end] != '\n' && s->text[end] != '\r')
        end++;
    if (where.offset - start > SHOWN / 2)
        start = where.offset - SHOWN / 2;
    while (start < where.offset && !starts_character(s->text[start]))
        start++;
    if (end - start > SHOWN)
        end = start + SHOWN;
    while (end > start && end < s->length && !starts_character(s->text[end]))
        end--;
    text_add(out, "    ");
    text_add_bytes(out, s->text + start, end - start);
    text_add(out, "\n    ");
    for (int i = start; i < where.offset; i++)
        if (starts_character(s->text[i]))
            text_add(out, s->text[i] == '\t' ? "\t" : " ");
    text_add(out, caret_colour);
    text_add(out, "^");
    for (int i = where.offset + 1; i < where.offset + where.length && i < end; i++)
        if (starts_character(s->text[i]))
            text_add(out, "~");
    text_add(out, plain);
    text_add(out, "\n");
}

static void show_place(text *out, place where) {
    int line, column;
    place_line(where.source, where.offset, &line, &column);
    text_print(out, "%s:%d:%d: ", where.source->path, line, column);
}

char *diags_text(const diags *d, arena *a, int colour) {
    const char *red = colour ? "\033[1;31m" : "", *yellow = colour ? "\033[1;33m" : "";
    const char *plain = colour ? "\033[0m" : "";
    text out;
    text_init(&out, a);
    for (int i = 0; i < d->list.count; i++) {
        const diag *it = &d->list.at[i];
        const char *strong = it->severity == DIAG_ERROR ? red : yellow;
        if (it->place.source)
            show_place(&out, it->place);
        text_print(&out, "%s%s:%s %s\n", strong, it->severity == DIAG_ERROR ? "error" : "warning", plain,
                   it->message);
        if (it->place.source)
            show_line(&out, it->place, strong, plain);
        if (it->hint)
            text_print(&out, "    %s\n", it->hint);
        if (it->other.source) {
            show_place(&out, it->other);
            text_add(&out, "the other place:\n");
            show_line(&out, it->other, strong, plain);
        }
    }
    int unseen = d->errors;
    for (int i = 0; i < d->list.count; i++)
        unseen -= d->list.at[i].severity == DIAG_ERROR;
    if (unseen > 0)
        text_print(&out, "and %d more errors\n", unseen);
    return out.bytes.at;
}
