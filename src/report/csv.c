#include "report/csv.h"

#include "base/profile.h"
#include "report/columns.h"

#include <string.h>

enum { WAITING_MOST = 1 << 16 }; // bytes
static const double WAITING_LONGEST = 0.1;

// quoted where the name holds a comma or a quotation mark
static void put_name(csv *c, const char *name) {
    if (strpbrk(name, ",\"\r\n") == NULL) {
        text_print(&c->waiting, ",%s", name);
        return;
    }
    text_add(&c->waiting, ",\"");
    for (; *name; name++) {
        if (*name == '"')
            text_add(&c->waiting, "\"");
        text_add_bytes(&c->waiting, name, 1);
    }
    text_add(&c->waiting, "\"");
}

static void put_header(csv *c, arena *a) {
    const model *m = c->sys->model;
    text_add(&c->waiting, "t");
    for (int g = 0; g < COLUMN_GROUPS; g++)
        for (int i = 0; i < columns_length(m, (column_group)g); i++)
            put_name(c, columns_name(a, m, (column_group)g, i));
    text_add(&c->waiting, "\n");
}

bool csv_open(csv *c, arena *a, const trm_system *sys, const char *path) {
    *c = (csv){.sys = sys, .path = path, .file.file = -1};
    text_init(&c->waiting, a);
    arena *scratch = arena_child(a);
    put_header(c, scratch);
    arena_free(scratch);
    return output_open(&c->file, a, path, OUTPUT_REPLACES);
}

static void put_numbers(csv *c, const double *values, int count) {
    char buffer[32];
    for (int i = 0; i < count; i++) {
        text_add(&c->waiting, ",");
        text_add(&c->waiting, number_shortest(buffer, values[i]));
    }
}

static bool write_waiting(csv *c) {
    bool written = output_write(&c->file, text_string(&c->waiting), (size_t)c->whole);
    c->has_samples |= written;
    text_clear(&c->waiting);
    c->whole = 0;
    return written;
}

bool csv_take(void *context, const sample *s) {
    csv *c = context;
    const model *m = c->sys->model;
    char buffer[32];
    text_add(&c->waiting, number_shortest(buffer, s->t));
    for (int g = 0; g < COLUMN_GROUPS; g++)
        put_numbers(c, columns_values(s, (column_group)g), columns_length(m, (column_group)g));
    text_add(&c->waiting, "\n");
    c->whole = c->waiting.bytes.count;
    double now = profile_clock();
    if (c->waiting.bytes.count < WAITING_MOST && now - c->since < WAITING_LONGEST)
        return true;
    c->since = now;
    return write_waiting(c);
}

bool csv_close(csv *c) {
    if (c->path == NULL || c->file.file < 0)
        return c->file.error == 0;
    if (c->has_samples && c->whole > 0 && c->file.error == 0)
        write_waiting(c);
    if (c->has_samples)
        return output_place(&c->file) && c->file.error == 0;
    output_discard(&c->file);
    return c->file.error == 0;
}
