/* Robot descriptions to model text, of include/trammel. */
#include "import/import.h"
#include "api/guard.h"
#include "api/objects.h"
#include "api/sized.h"
#include "base/file.h"
#include "mech/mech.h"

#include <string.h>

struct trm_import {
    arena *arena;
    diags diags;
    const char *text;
    source_list sources; // what it was made from
};

static const source *read_file(trm_import *m, const char *path) {
    const char *why = NULL;
    const source *s = file_read(m->arena, path, &why);
    if (s == NULL)
        diag_error(&m->diags, (place){0}, "cannot read '%s': %s", path, why);
    else
        vec_push(m->arena, m->sources, s);
    return s;
}

/* What is wrong with the loops is told here, where they are, and not in the model that holds a copy: the
 * robot is read together with the file itself. */
static void check_loops(trm_import *m, const source *s, const import_options *o) {
    import_options alone = {.free_base = o->free_base};
    diags quiet = {.arena = m->arena};
    source *whole = arena_alloc(m->arena, sizeof *whole);
    whole->path = "robot"; // without a folder, so that the include is sought where it was
    whole->text = arena_print(m->arena, "%s\ninclude \"%s\"\n", import_robot(m->arena, s, &alone, &quiet),
                              o->loops->path);
    whole->length = (int)strlen(whole->text);
    model *read = mech_read(m->arena, whole, NULL, 0);
    for (int i = 0; i < read->diags.list.count; i++)
        vec_push(m->arena, m->diags.list, read->diags.list.at[i]);
    m->diags.errors += read->diags.errors;
    for (int i = 1; i < read->sources.count; i++) // the first is the robot's text
        vec_push(m->arena, m->sources, read->sources.at[i]);
}

static bool take_def(trm_import *m, const trm_import_def *given, trm_import_def *out) {
    char why[300];
    if (sized_take(&sized_import_def, given, out))
        return true;
    sized_refuse(&sized_import_def, given, why, sizeof why);
    diag_error(&m->diags, (place){0}, "%s", why);
    return false;
}

static trm_status make_text(trm_import *m, const char *path, const trm_import_def *def) {
    const source *s = read_file(m, path);
    import_options o = {.free_base = def->free_base,
                        .model = def->model,
                        .loops = s && def->loops ? read_file(m, def->loops) : NULL};
    if (s == NULL || (def->loops && o.loops == NULL))
        return TRM_IO_ERROR;
    m->text = import_robot(m->arena, s, &o, &m->diags);
    if (m->text && o.loops)
        check_loops(m, s, &o);
    return m->diags.errors ? TRM_WRONG_MODEL : TRM_OK;
}

typedef struct {
    const char *path;
    const trm_import_def *def;
    trm_import *made;
} importing;

static trm_status import(arena *a, void *context) {
    importing *k = context;
    trm_import *m = arena_alloc(a, sizeof *m);
    m->arena = m->diags.arena = a;
    trm_import_def def;
    trm_status status = take_def(m, k->def, &def) ? make_text(m, k->path, &def) : TRM_WRONG_MODEL;
    k->made = m;
    return status;
}

trm_status trm_import_read(const char *path, const trm_import_def *def, trm_import **out) {
    importing k = {content_text(path), def, NULL};
    trm_status status = guard_new(NULL, import, &k);
    *out = k.made;
    return status;
}

const char *trm_import_text(const trm_import *m) {
    return m->text && m->diags.errors == 0 ? m->text : "";
}

int trm_import_is_source(const trm_import *m, const char *path) {
    return file_among(&m->sources, path);
}

static const char *messages(void *object, int how) {
    trm_import *m = object;
    return diags_text(&m->diags, m->arena, how);
}

const char *trm_import_messages(trm_import *m, int how) {
    return m ? guard_text(m->arena, messages, m, how, OUT_OF_MEMORY) : OUT_OF_MEMORY;
}

void trm_import_free(trm_import *m) {
    if (m)
        arena_free(m->arena);
}
