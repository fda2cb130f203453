#include "report/csv.h"

#include <errno.h>
#include <string.h>

static bool note_error(csv *c) {
    if (c->error == 0)
        c->error = errno ? errno : EIO;
    return false;
}

// quoted where the name holds a comma or a quotation mark
static void put_name(csv *c, const char *name) {
    if (strpbrk(name, ",\"\n") == NULL) {
        fprintf(c->file, ",%s", name);
        return;
    }
    fputs(",\"", c->file);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', c->file);
        fputc(*name, c->file);
    }
    fputc('"', c->file);
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
    fputs("t", c->file);
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
    fputc('\n', c->file);
}

bool csv_open(csv *c, arena *a, const trm_system *sys, const char *path) {
    *c = (csv){.sys = sys, .path = path};
    errno = 0;
    c->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (c->file == NULL)
        return note_error(c);
    arena *scratch = arena_child(a);
    put_header(c, scratch);
    arena_free(scratch);
    return ferror(c->file) ? note_error(c) : true;
}

static void put_numbers(csv *c, const double *values, int count) {
    char buffer[32];
    for (int i = 0; i < count; i++) {
        fputc(',', c->file);
        fputs(text_number(buffer, values[i]), c->file);
    }
}

bool csv_take(void *context, const sample *s) {
    csv *c = context;
    const model *m = c->sys->model;
    char buffer[32];
    errno = 0;
    fputs(text_number(buffer, s->t), c->file);
    put_numbers(c, s->q, m->coords.count);
    put_numbers(c, s->v, m->coords.count);
    put_numbers(c, s->s, m->quasis.count);
    put_numbers(c, s->outputs, m->outputs.count);
    put_numbers(c, s->reaction, m->coords.count);
    put_numbers(c, s->residual, m->rows.count);
    fputc('\n', c->file);
    return ferror(c->file) ? note_error(c) : true;
}

bool csv_close(csv *c) {
    if (c->file == NULL)
        return c->error == 0;
    errno = 0;
    bool bad = ferror(c->file) != 0;
    bad |= (c->file == stdout ? fflush(c->file) : fclose(c->file)) != 0;
    c->file = NULL;
    return bad ? note_error(c) : c->error == 0;
}
