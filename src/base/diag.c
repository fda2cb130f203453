#include "base/diag.h"

#include "base/text.h"

#include <stdarg.h>
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
    if (kept(d, severity) >= DIAG_MOST) {
        d->errors += severity == DIAG_ERROR;
        return &d->unkept;
    }
    va_list again;
    va_copy(again, args);
    int length = number_vprint(NULL, 0, format, args);
    char *message = arena_alloc(d->arena, (size_t)length + 1);
    number_vprint(message, (size_t)length + 1, format, again);
    va_end(again);
    diag added = {.severity = severity, .place = where, .message = message};
    vec_push(d->arena, d->list, added);
    d->errors += severity == DIAG_ERROR; // not before: without memory it is not in the list
    return &d->list.at[d->list.count - 1];
}

void diag_other(diag *d, place other, const char *note) {
    d->other = other;
    d->note = note;
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

// ---- showing

// bytes 10xxxxxx continue a UTF-8 character
static int starts_character(char c) {
    return ((unsigned char)c & 0xC0) != 0x80;
}

// where the text proper starts: behind a byte order mark
static int text_start(const source *s) {
    return s->length >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

void place_line(const source *s, int offset, int *line, int *column) {
    *line = 1;
    *column = 1;
    for (int i = text_start(s); i < offset && i < s->length; i++) {
        if (s->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (starts_character(s->text[i])) {
            ++*column;
        }
    }
}

// a terminal must not obey what a model holds
static void add_shown(text *out, const char *piece, int length) {
    int start = out->bytes.count;
    text_add_bytes(out, piece, length);
    out->bytes.count = start + text_tame(out->bytes.at + start, false);
}

// how settings are shown: what stands before their names, and how findings stand out
typedef struct {
    const char *before_setting;
    const char *red, *yellow, *plain;
} looks;

static void show_text(text *out, const char *piece, const looks *k) {
    for (const char *mark; (mark = strchr(piece, SETTING[0])); piece = mark + 1) {
        add_shown(out, piece, (int)(mark - piece));
        text_add(out, k->before_setting);
    }
    add_shown(out, piece, (int)strlen(piece));
}

// at most this many bytes of a line are shown, around the place
enum { SHOWN = 160 };

static void show_line(text *out, place where, const char *strong, const looks *k) {
    const source *s = where.source;
    int start = where.offset, end = where.offset;
    while (start > text_start(s) && s->text[start - 1] != '\n')
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
    add_shown(out, s->text + start, end - start);
    text_add(out, "\n    ");
    for (int i = start; i < where.offset; i++)
        if (starts_character(s->text[i]))
            text_add(out, s->text[i] == '\t' ? "\t" : " ");
    text_add(out, strong);
    text_add(out, "^");
    for (int i = where.offset + 1; i < where.offset + where.length && i < end; i++)
        if (starts_character(s->text[i]))
            text_add(out, "~");
    text_add(out, k->plain);
    text_add(out, "\n");
}

static void show_place(text *out, place where, const looks *k) {
    int line, column;
    place_line(where.source, where.offset, &line, &column);
    show_text(out, where.source->path, k);
    text_print(out, ":%d:%d: ", line, column);
}

static void show(text *out, const diag *it, const looks *k) {
    bool error = it->severity == DIAG_ERROR;
    const char *strong = error ? k->red : k->yellow;
    if (it->place.source)
        show_place(out, it->place, k);
    text_print(out, "%s%s:%s ", strong, error ? "error" : "warning", k->plain);
    show_text(out, it->message, k);
    text_add(out, "\n");
    if (it->place.source)
        show_line(out, it->place, strong, k);
    if (it->hint) {
        text_add(out, "    ");
        show_text(out, it->hint, k);
        text_add(out, "\n");
    }
    if (it->other.source) {
        show_place(out, it->other, k);
        text_print(out, "%s:\n", it->note ? it->note : "the other place");
        show_line(out, it->other, strong, k);
    }
}

// whether a is shown before b: by file, in the order in which files were found wrong, and there by place
static int goes_before(const diags *d, const diag *a, const diag *b) {
    if (a->place.source == b->place.source)
        return a->place.source && a->place.offset < b->place.offset;
    for (int i = 0; i < d->list.count; i++) {
        const source *s = d->list.at[i].place.source;
        if (s == a->place.source || s == b->place.source)
            return s == a->place.source;
    }
    return 0;
}

// at most twice DIAG_MOST findings, so sorting by insertion will do; equals keep their order
static const diag **in_order(const diags *d, arena *a) {
    const diag **list = arena_array(a, const diag *, d->list.count + 1);
    for (int i = 0; i < d->list.count; i++) {
        int k = i;
        for (; k > 0 && goes_before(d, &d->list.at[i], list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = &d->list.at[i];
    }
    return list;
}

char *diags_text(const diags *d, arena *a, int how) {
    bool colour = how & DIAGS_COLOUR;
    const looks k = {.before_setting = how & DIAGS_OPTIONS ? "--" : "",
                     .red = colour ? "\033[1;31m" : "",
                     .yellow = colour ? "\033[1;33m" : "",
                     .plain = colour ? "\033[0m" : ""};
    const diag **list = in_order(d, a);
    int unseen = d->errors;
    text out;
    text_init(&out, a);
    for (int i = 0; i < d->list.count; i++) {
        show(&out, list[i], &k);
        unseen -= list[i]->severity == DIAG_ERROR;
    }
    if (unseen > 0)
        text_print(&out, "and %d more error%s\n", unseen, unseen == 1 ? "" : "s");
    return out.bytes.at;
}
