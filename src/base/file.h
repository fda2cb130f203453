/* Reading whole files. */
#ifndef TRAMMEL_BASE_FILE_H
#define TRAMMEL_BASE_FILE_H

#include "base/diag.h"

/* Reads a text file into the arena. Returns NULL and an explanation ("no such file", "larger than 16 MiB",
 * ...) in *why if it cannot be read. */
const source *file_read(arena *a, const char *path, const char **why);

/* The path of `name` sought beside the file `beside`; absolute names stay as they are. */
const char *file_beside(arena *a, const char *beside, const char *name);

#endif
