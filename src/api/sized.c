#include "api/sized.h"

#include <stdio.h>
#include <string.h>

/* Where a struct grows, `least` stays. A trm_file is written where it is, all of it. */
#define FROM(type, last) offsetof(type, last) + sizeof((type *)0)->last
const sized sized_run_def = {"trm_run_def", FROM(trm_run_def, tolerance), sizeof(trm_run_def)};
const sized sized_write_def = {"trm_write_def", FROM(trm_write_def, stop), sizeof(trm_write_def)};
const sized sized_import_def = {"trm_import_def", FROM(trm_import_def, free_base), sizeof(trm_import_def)};
const sized sized_emit_def = {"trm_emit_def", sizeof(trm_emit_def), sizeof(trm_emit_def)};
const sized sized_plot_def = {"trm_plot_def", sizeof(trm_plot_def), sizeof(trm_plot_def)};
const sized sized_scene_def = {"trm_scene_def", sizeof(trm_scene_def), sizeof(trm_scene_def)};
const sized sized_sweep_def = {"trm_sweep_def", sizeof(trm_sweep_def), sizeof(trm_sweep_def)};
const sized sized_file = {"trm_file", sizeof(trm_file), sizeof(trm_file)};

static size_t size_of(const void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

void sized_init(void *made, size_t size) {
    if (size < sizeof size)
        return;
    memset(made, 0, size);
    memcpy(made, &size, sizeof size);
}

void trm_run_def_init(trm_run_def *def, size_t size) {
    sized_init(def, size);
}

void trm_write_def_init(trm_write_def *def, size_t size) {
    sized_init(def, size);
}

void trm_import_def_init(trm_import_def *def, size_t size) {
    sized_init(def, size);
}

void trm_emit_def_init(trm_emit_def *def, size_t size) {
    sized_init(def, size);
}

void trm_plot_def_init(trm_plot_def *def, size_t size) {
    sized_init(def, size);
}

void trm_scene_def_init(trm_scene_def *def, size_t size) {
    sized_init(def, size);
}

void trm_sweep_def_init(trm_sweep_def *def, size_t size) {
    sized_init(def, size);
}

void trm_file_init(trm_file *f, size_t size) {
    sized_init(f, size);
}

bool sized_fits(const sized *of, const void *given) {
    size_t size = size_of(given);
    return size >= of->least && size <= of->known && size % _Alignof(void *) == 0;
}

bool sized_take(const sized *of, const void *given, void *to) {
    bool fits = given == NULL || sized_fits(of, given);
    sized_init(to, of->known);
    if (given && fits)
        memcpy((char *)to + sizeof(size_t), (const char *)given + sizeof(size_t),
               size_of(given) - sizeof(size_t));
    return fits;
}

void sized_refuse(const sized *of, const void *given, char *why, size_t room) {
    size_t size = size_of(given);
    if (size == 0)
        snprintf(why, room, "a %s has the size 0: %s_init(&it, sizeof it) comes before all else", of->type,
                 of->type);
    else
        snprintf(why, room,
                 "a %s has the size %zu, and this library, version %s, knows %zu to %zu: was %s_init called, "
                 "and is the header as old as the library?",
                 of->type, size, trm_version(), of->least, of->known, of->type);
}

bool sized_told(diags *d, const sized *of, const void *given) {
    char why[300];
    if (given == NULL || sized_fits(of, given))
        return true;
    sized_refuse(of, given, why, sizeof why);
    diag_error(d, (place){0}, "%s", why);
    return false;
}
