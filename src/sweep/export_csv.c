#include "base/output.h"
#include "sweep/export.h"

#include <string.h>

enum { WAITING_MOST = 1 << 16 };

typedef struct {
    const sweep_store *store;
    output file;
    text waiting;
} writer;

static void put_text(text *t, const char *given) {
    if (strpbrk(given, ",\"\r\n") == NULL) {
        text_add(t, given);
        return;
    }
    text_add(t, "\"");
    for (; *given; given++) {
        if (*given == '"')
            text_add(t, "\"");
        text_add_bytes(t, given, 1);
    }
    text_add(t, "\"");
}

static bool is_left_out(const sweep_columns *c, int i) {
    return c->list.at[i].kind == COLUMN_IS_HIDDEN || sweep_columns_repeated(c, i);
}

static void put_header(writer *w) {
    const sweep_columns *c = w->store->columns;
    text_add(&w->waiting, "case");
    for (int i = 0; i < c->list.count; i++) {
        if (i == c->first)
            text_add(&w->waiting, ",status");
        if (is_left_out(c, i))
            continue;
        text_add(&w->waiting, ",");
        put_text(&w->waiting, c->list.at[i].name);
    }
    text_add(&w->waiting, ",message\n");
}

static void put_case(writer *w, const case_record *r) {
    const sweep_columns *c = w->store->columns;
    char buffer[32];
    text_print(&w->waiting, "%ld", r->which);
    for (int i = 0; i < c->list.count; i++) {
        if (i == c->first)
            text_print(&w->waiting, ",%d", r->status);
        if (is_left_out(c, i))
            continue;
        text_add(&w->waiting, ",");
        text_add(&w->waiting, number_shortest(buffer, r->values[i]));
    }
    text_add(&w->waiting, ",");
    put_text(&w->waiting, r->message);
    text_add(&w->waiting, "\n");
}

static bool flush(writer *w, int most) {
    if (w->waiting.bytes.count <= most)
        return true;
    bool written = output_write(&w->file, text_string(&w->waiting), (size_t)w->waiting.bytes.count);
    text_clear(&w->waiting);
    return written;
}

static bool put_all(writer *w) {
    put_header(w);
    for (long i = 0; i < w->store->cases; i++) {
        case_record r;
        if (journal_read(w->store->journal, i, &r))
            put_case(w, &r);
        if (!flush(w, WAITING_MOST))
            return false;
    }
    return flush(w, 0);
}

bool export_csv(arena *a, const sweep_store *s, const char *path, diags *d) {
    writer w = {.store = s};
    text_init(&w.waiting, a);
    bool opened = output_open(&w.file, a, path, OUTPUT_REPLACES);
    if (opened && put_all(&w) && output_place(&w.file))
        return true;
    diag_error(d, (place){0}, "cannot write '%s': %s", path, output_why(&w.file, a));
    if (opened)
        output_discard(&w.file);
    return false;
}
