/* Reading whole files. */
#ifndef TRAMMEL_BASE_FILE_H
#define TRAMMEL_BASE_FILE_H

#include "base/diag.h"

#include <stdbool.h>

/* Reads a text file into the arena. Returns NULL and an explanation ("no such file", "larger than 16 MiB",
 * ...) in *why if it cannot be read. */
const source *file_read(arena *a, const char *path, const char **why);

/* All bytes of a file, with a zero behind them; NULL in the same way. */
const char *file_bytes(arena *a, const char *path, int most, int *length, const char **why);

/* The path of `name` sought beside the file `beside`; absolute names stay as they are. */
const char *file_beside(arena *a, const char *beside, const char *name);

/* Whether both names lead to one file that is there, and whether a name leads to one of these. The first name
 * is that of an output: "-" is standard output, whatever that is. */
bool file_is(const char *path, const char *other);
bool file_among(const source_list *files, const char *path);

#endif
