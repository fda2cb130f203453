#include "report/csv.h"

#include "base/profile.h"

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

static void put_labels(csv *c, arena *a, const label *labels, int count, const char *before,
                       const char *after) {
    for (int i = 0; i < count; i++) {
        text t;
        text_init(&t, a);
        text_add(&t, before);
        model_label(c->sys->model, labels[i], &t);
        text_add(&t, after);
        put_name(c, text_string(&t));
    }
}

static void put_header(csv *c, arena *a) {
    const model *m = c->sys->model;
    text_add(&c->waiting, "t");
    put_labels(c, a, m->coords.at, m->coords.count, "", "");
    put_labels(c, a, m->coords.at, m->coords.count, "", "'");
    put_labels(c, a, m->quasis.at, m->quasis.count, "", "");
    put_labels(c, a, m->outputs.at, m->outputs.count, "", "");
    put_labels(c, a, m->coords.at, m->coords.count, "reaction(", ")");
    for (int i = 0; i < m->rows.count; i++) {
        text t;
        text_init(&t, a);
        text_add(&t, "residual(");
        model_row_name(m, i, &t);
        text_add(&t, ")");
        put_name(c, text_string(&t));
    }
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
    put_numbers(c, s->q, m->coords.count);
    put_numbers(c, s->v, m->coords.count);
    put_numbers(c, s->s, m->quasis.count);
    put_numbers(c, s->outputs, m->outputs.count);
    put_numbers(c, s->reaction, m->coords.count);
    put_numbers(c, s->residual, m->rows.count);
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
