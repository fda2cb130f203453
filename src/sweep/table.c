/* Cases from a CSV file. A name may stand in quotation marks; empty lines are left out. */
#include "base/crc.h"
#include "sweep/plan.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 1 << 28 };

typedef struct {
    arena *arena;
    plan *plan;
    diags *diags;
    long line;
    vec(double) numbers;
} table;

static bool wrong(const table *t, const char *message, const char *hint) {
    diag_error(t->diags, (place){0}, "%s, line %ld: %s", t->plan->file, t->line, message)->hint = hint;
    return false;
}

/* The next field of a line, changed in place; *at moves behind its comma, to NULL at the end. */
static char *field(char **at) {
    char *c = *at;
    while (*c == ' ' || *c == '\t')
        c++;
    char *begin = c, *to = c;
    bool quoted = *c == '"';
    c += quoted;
    for (; *c && (quoted || *c != ','); c++) {
        if (quoted && *c == '"' && c[1] != '"') {
            quoted = false;
            continue;
        }
        c += quoted && *c == '"';
        *to++ = *c;
    }
    *at = *c ? c + 1 : NULL;
    while (to > begin && isspace((unsigned char)to[-1]))
        to--;
    *to = '\0';
    return begin;
}

static bool is_empty(const char *line) {
    return line[strspn(line, " \t\r\n,")] == '\0';
}

static bool read_names(table *t, char *line) {
    vec(axis) axes = {0};
    if (strncmp(line, "\xef\xbb\xbf", 3) == 0) // of UTF-8 as spreadsheets write it
        line += 3;
    for (char *at = line; at;) {
        const char *name = field(&at);
        if (*name == '\0')
            return wrong(t, "a column has no name", "the first line has the names of parameters: L,m");
        axis x = {.name = arena_copy(t->arena, name, strlen(name)), .given = "", .kind = AXIS_LIST};
        vec_push(t->arena, axes, x);
    }
    t->plan->axes = axes.at;
    t->plan->axis_count = axes.count;
    return true;
}

static bool read_numbers(table *t, char *line) {
    int count = 0;
    for (char *at = line; at; count++) {
        char *given = field(&at), *end;
        double value = number_read(given, &end);
        if (count >= t->plan->axis_count)
            break;
        if (end == given || *end || !isfinite(value))
            return wrong(t, arena_print(t->arena, "'%.40s' is no number", given),
                         "numbers such as 0.5 or 1e-3");
        vec_push(t->arena, t->numbers, value);
    }
    if (count != t->plan->axis_count)
        return wrong(t, "there are not as many numbers as names",
                     arena_print(t->arena, "%d names stand in the first line", t->plan->axis_count));
    t->plan->cases++;
    return t->numbers.count < NUMBERS_MOST || wrong(t, "these are more numbers than can be kept", NULL);
}

// a line of the file was read
static bool take(table *t, char *line, size_t length) {
    t->plan->hash = crc_add(t->plan->hash, line, length);
    t->line++;
    if (strlen(line) != length)
        return wrong(t, "there is a zero byte: this is no text", NULL);
    return is_empty(line) || (t->plan->axes ? read_numbers(t, line) : read_names(t, line));
}

typedef struct {
    FILE *file;
    char *line;
} open_file;

static void close_file(void *object) {
    open_file *f = object;
    if (f->file)
        fclose(f->file);
    free(f->line);
    *f = (open_file){0};
}

bool plan_read_file(arena *a, plan *p, diags *d) {
    table t = {.arena = a, .plan = p, .diags = d};
    open_file *f = arena_alloc(a, sizeof *f);
    arena_when_freed(a, close_file, f);
    f->file = fopen(p->file, "r");
    size_t room = 0;
    bool ok = true;
    if (f->file == NULL) {
        diag_error(d, (place){0}, "cannot read '%s': %s", p->file, strerror(errno));
        return false;
    }
    for (ssize_t length; ok && (length = getline(&f->line, &room, f->file)) >= 0;)
        ok = take(&t, f->line, (size_t)length);
    if (ok && ferror(f->file)) {
        diag_error(d, (place){0}, "cannot read '%s': %s", p->file, strerror(errno));
        ok = false;
    }
    close_file(f);
    if (ok && p->cases == 0)
        ok = wrong(&t, "there are no cases", "a line of names, then a line of numbers for each case");
    p->table = t.numbers.at;
    return ok;
}
