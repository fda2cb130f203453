/* Sources of this library as texts, made by scripts/embed-sources.cmake: first runtime.in, then those of
 * which an emitted program may have pieces. */
#ifndef TRAMMEL_EXPORT_EMBEDDED_H
#define TRAMMEL_EXPORT_EMBEDDED_H

typedef struct {
    const char *path; // below src/
    const char *text; // with a closing zero
} embedded_file;

extern const embedded_file embedded_files[];
extern const int embedded_count;

#endif
