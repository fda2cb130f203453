#include "base/table.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

// ---- rows

void table_begin(table_reader *r, arena *a, const source *file, diags *d) {
    bool marked = file->length >= 3 && memcmp(file->text, "\xEF\xBB\xBF", 3) == 0;
    *r = (table_reader){.arena = a, .file = file, .diags = d, .offset = marked ? 3 : 0};
}

static char peek(const table_reader *r) {
    return r->file->text[r->offset]; // a zero at the end
}

static place place_at(const table_reader *r, int offset, int length) {
    return (place){r->file, offset, length};
}

static bool at_end(const table_reader *r) {
    return r->offset >= r->file->length;
}

static bool at_line_end(const table_reader *r) {
    return at_end(r) || peek(r) == '\n' || (peek(r) == '\r' && r->file->text[r->offset + 1] == '\n');
}

static void pass_line_end(table_reader *r) {
    r->offset += peek(r) == '\r' ? 2 : peek(r) == '\n';
}

static bool wrong(table_reader *r, int offset, const char *message, const char *hint) {
    diag_error(r->diags, place_at(r, offset, 1), "%s", message)->hint = hint;
    return false;
}

static bool read_quoted(table_reader *r, table_field *out) {
    int start = r->offset++;
    text t;
    text_init(&t, r->arena);
    for (;; r->offset++) {
        if (at_end(r))
            return wrong(r, start, "this quotation mark is not closed", NULL);
        if (peek(r) == '"' && r->file->text[++r->offset] != '"')
            break;
        text_add_bytes(&t, r->file->text + r->offset, 1);
    }
    *out = (table_field){text_string(&t), place_at(r, start, r->offset - start)};
    return at_line_end(r) || peek(r) == ',' ||
           wrong(r, r->offset, "there is something behind the closing quotation mark",
                 "a comma or the end of the line comes next; a quotation mark in a text is written twice");
}

static bool read_plain(table_reader *r, table_field *out) {
    int start = r->offset;
    for (; !at_line_end(r) && peek(r) != ','; r->offset++)
        if (peek(r) == '"')
            return wrong(r, r->offset, "a quotation mark in the midst of a field",
                         "put marks around the whole field, and write those in it twice");
    *out = (table_field){arena_copy(r->arena, r->file->text + start, (size_t)(r->offset - start)),
                         place_at(r, start, r->offset - start)};
    return true;
}

bool table_next(table_reader *r) {
    r->fields.count = 0;
    while (!at_end(r) && at_line_end(r))
        pass_line_end(r);
    if (at_end(r))
        return false;
    for (;; r->offset++) {
        table_field f;
        if (!(peek(r) == '"' ? read_quoted(r, &f) : read_plain(r, &f)))
            return false;
        vec_push(r->arena, r->fields, f);
        if (at_line_end(r))
            break;
    }
    pass_line_end(r);
    return true;
}

// ---- numbers

// decimal, or as not finite ones are written; blanks may stand around it
static bool read_number(const char *given, double *out) {
    static const char blanks[] = " \t";
    char *end;
    given += strspn(given, blanks);
    *out = NAN;
    if (*given == '\0')
        return true;
    if (strpbrk(given, "xX(")) // strtod would take 0x10 and nan(1) too
        return false;
    *out = number_read(given, &end);
    return end > given && end[strspn(end, blanks)] == '\0';
}

typedef vec(double) column;

static bool take_row(const table_reader *r, const table *t, column *columns) {
    for (int i = 0; i < t->columns; i++) {
        const table_field *f = &r->fields.at[i];
        double value;
        if (!read_number(f->text, &value)) {
            diag_error(r->diags, f->at, "'%.60s' in column '%s' is no number", f->text, t->names[i]);
            return false;
        }
        vec_push(r->arena, columns[i], value);
    }
    return true;
}

static bool is_fitting(const table_reader *r, const table *t) {
    int count = r->fields.count;
    if (count == t->columns)
        return true;
    const table_field *at = &r->fields.at[count > t->columns ? t->columns : count - 1];
    diag_error(r->diags, at->at, "this row has %d field%s, the first one %d", count, count == 1 ? "" : "s",
               t->columns);
    return false;
}

static void take_names(const table_reader *r, table *t) {
    t->columns = r->fields.count;
    t->names = arena_array(r->arena, const char *, t->columns);
    for (int i = 0; i < t->columns; i++)
        t->names[i] = r->fields.at[i].text;
}

const table *table_read(arena *a, const source *file, diags *d) {
    table_reader r;
    table *t = arena_alloc(a, sizeof *t);
    int errors = d->errors;
    table_begin(&r, a, file, d);
    if (!table_next(&r)) {
        if (d->errors == errors)
            diag_error(d, place_at(&r, r.offset, 0), "there are no columns: the file is empty");
        return NULL;
    }
    take_names(&r, t);
    column *columns = arena_array(a, column, t->columns);
    for (; table_next(&r); t->rows++)
        if (!is_fitting(&r, t) || !take_row(&r, t, columns))
            return NULL;
    t->values = arena_array(a, const double *, t->columns);
    for (int i = 0; i < t->columns; i++)
        t->values[i] = columns[i].at;
    return d->errors == errors ? t : NULL;
}

int table_column(const table *t, const char *name) {
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->names[i], name) == 0)
            return i;
    return -1;
}
