/* Structs that programs fill in begin with their size, by which those of older headers are told: what they
 * have is taken, and the rest has its default, which is 0. */
#ifndef TRAMMEL_API_SIZED_H
#define TRAMMEL_API_SIZED_H

#include <trammel/trammel.h>

#include "base/diag.h"

#include <stdbool.h>

typedef struct {
    const char *type;
    size_t least, known; // the sizes it had, from its first version to this one
} sized;

extern const sized sized_run_def, sized_write_def, sized_import_def, sized_emit_def, sized_plot_def,
    sized_scene_def, sized_file, sized_sweep_def;

/* Makes a program's struct all 0 but for its size. */
void sized_init(void *made, size_t size);
/* Whether it is one of ours. */
bool sized_fits(const sized *of, const void *given);
/* Copies what it has, of->known bytes in all; all defaults if it is NULL. False, all defaults: it does not
 * fit. */
bool sized_take(const sized *of, const void *given, void *to);
/* Why it does not fit. */
void sized_refuse(const sized *of, const void *given, char *why, size_t room);
/* Whether it fits, or is NULL; else an error says why. */
bool sized_told(diags *d, const sized *of, const void *given);

#endif
