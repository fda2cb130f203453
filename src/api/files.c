#include "api/files.h"

#include "api/guard.h"
#include "api/objects.h"
#include "api/sized.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int trm_model_is_source(const trm_model *m, const char *path) {
    return m->model ? file_among(&m->model->sources, path) : file_is(path, m->path);
}

void trm_text_tame(char *given, int lines) {
    if (given)
        text_tame(given, lines != 0);
}

// ---- a file that is followed

bool files_follow(trm_file *f, const output *o) {
    if (f == NULL)
        return false;
    f->state = TRM_FILE_NONE; // while the names are not whole
    if (o->place == NULL)
        return false;
    f->file = o->file;
    f->into = o->into;
    snprintf(f->part, sizeof f->part, "%s", o->part);
    snprintf(f->place, sizeof f->place, "%s", o->place);
    f->state = TRM_FILE_BEGUN;
    return true;
}

const char *trm_file_rescue(const trm_file *f) {
    if (!sized_fits(&sized_file, f))
        return NULL;
    if (f->state == TRM_FILE_BEGUN)
        unlink(f->part);
    if (f->state == TRM_FILE_IN_PLACE)
        return f->place;
    if (f->state != TRM_FILE_HAS_SAMPLES)
        return NULL;
    if (output_move(f->file, f->part, f->place, f->into))
        return f->place;
    return access(f->part, F_OK) == 0 ? f->part : NULL;
}

// ---- a file that is written at once

typedef struct {
    arena *arena;
    const char *path, *text;
    size_t length;
    const trm_write_def *def;
    trm_status status;
    const char *why;
} writing;

static bool is_stopped(const writing *w) {
    return w->def->stop && *w->def->stop;
}

// while it is busy nobody ends us: so no part is left, and the flag is looked at when it could be put in
// place
static trm_status write_beside(const writing *w, output *o) {
    if (!output_write(o, w->text, w->length))
        return TRM_IO_ERROR;
    if (o->place && is_stopped(w))
        return TRM_INTERRUPTED;
    return output_place(o) ? TRM_OK : TRM_IO_ERROR;
}

static void write_file(void *context) {
    writing *w = context;
    output o;
    bool open = output_open(&o, w->arena, w->path, w->def->fresh ? OUTPUT_FRESH : OUTPUT_REPLACES);
    bool followed = open && files_follow(w->def->file, &o);
    if (followed)
        w->def->file->busy = 1;
    w->status = open ? write_beside(w, &o) : TRM_IO_ERROR;
    output_discard(&o);
    if (followed) {
        w->def->file->state = w->status == TRM_OK ? TRM_FILE_IN_PLACE : TRM_FILE_NONE;
        w->def->file->busy = 0;
    }
    w->why = output_why(&o, w->arena);
}

trm_status trm_file_write(const char *path, const char *given, size_t length, const trm_write_def *def,
                          char *why, size_t room) {
    trm_write_def own;
    if (!sized_take(&sized_write_def, def, &own)) {
        sized_refuse(&sized_write_def, def, why, room);
        return TRM_WRONG_MODEL;
    }
    if (own.file && !sized_fits(&sized_file, own.file)) {
        sized_refuse(&sized_file, own.file, why, room);
        return TRM_WRONG_MODEL;
    }
    writing w = {.arena = arena_new(0),
                 .path = content_text(path),
                 .text = content_text(given),
                 .length = given ? length : 0,
                 .def = &own,
                 .status = TRM_IO_ERROR,
                 .why = "out of memory"};
    if (w.arena)
        guard_run(w.arena, NULL, write_file, &w);
    if (w.status != TRM_OK)
        snprintf(why, room, "%s", w.why);
    arena_free(w.arena);
    return w.status;
}
