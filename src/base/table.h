/* Comma-separated values, read: fields as texts, or a table of numbers under names. As in RFC 4180: a field
 * in quotation marks may hold commas, newlines and, doubled, quotation marks; lines end with LF or CRLF, the
 * last one may lack it; a byte order mark and empty lines are passed over. What is wrong is told with its
 * place. */
#ifndef TRAMMEL_BASE_TABLE_H
#define TRAMMEL_BASE_TABLE_H

#include "base/diag.h"

#include <stdbool.h>

typedef struct {
    const char *text; // without the marks around it
    place at;
} table_field;

typedef struct {
    arena *arena;
    const source *file;
    diags *diags;
    int offset;              // of what is not yet read
    vec(table_field) fields; // of the row at hand
} table_reader;

void table_begin(table_reader *r, arena *a, const source *file, diags *d);
/* Reads the next row to r->fields. False at the end and where something is wrong, which d tells. */
bool table_next(table_reader *r);

typedef struct {
    int columns, rows;
    const char **names;    // (columns): the first row
    const double **values; // (columns), each (rows); NAN where a field is empty
} table;

/* NULL if something is wrong: a row longer or shorter than the first, a field that is no number. */
const table *table_read(arena *a, const source *file, diags *d);
/* The column of that name; -1 if there is none. */
int table_column(const table *t, const char *name);

#endif
