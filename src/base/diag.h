/* Source texts, places in them, and the list of what is wrong with them. */
#ifndef TRAMMEL_BASE_DIAG_H
#define TRAMMEL_BASE_DIAG_H

#include "base/arena.h"

typedef struct {
    const char *path; // as shown to people
    const char *text; // ends with a zero
    int length;
} source;

typedef vec(const source *) source_list;

typedef struct {
    const source *source; // NULL where there is no text to show (the command line)
    int offset, length;   // bytes
} place;

typedef enum { DIAG_ERROR, DIAG_WARNING } diag_severity;

typedef struct {
    diag_severity severity;
    place place;
    const char *message; // what is wrong
    const char *hint;    // what was expected or what to write instead; NULL for none
    place other;         // a second place to show; source NULL for none
    const char *note;    // what is at the second place ("first declared here"); NULL: "the other place"
} diag;

/* Errors, and warnings, beyond DIAG_MOST are not kept; errors are counted all the same. */
enum { DIAG_MOST = 20 };

typedef struct {
    arena *arena;
    vec(diag) list;
    int errors;
    diag unkept; // takes the hints of findings that are not kept
} diags;

/* Adds a finding; the message is a printf format. Returns it, so that a hint or a second place can be added:
 *     diag_error(d, where, "unknown name '%s'", name)->hint = "did you mean ...";
 * An error at the very place of an earlier one is not kept: the first says it all. */
diag *diag_error(diags *d, place where, const char *format, ...) __attribute__((format(printf, 3, 4)));
diag *diag_warning(diags *d, place where, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds a second place and says what is there. */
void diag_other(diag *d, place other, const char *note);

/* Line and column (both from 1; columns count characters, not bytes) of a byte in a source. */
void place_line(const source *s, int offset, int *line, int *column);

/* Stands before the name of a setting in messages, hints and paths of sources: give SETTING "until". */
#define SETTING "\001"

enum {
    DIAGS_COLOUR = 1, // the words error and warning and the caret stand out
    DIAGS_OPTIONS = 2 // settings are shown as options of a command line, --until; else by their name alone
};

/* All findings as people read them: path:line:column, message, the line, a caret, the hint; those of one file
 * in the order of its lines. Control characters and bytes that are no UTF-8 are shown as '?'. `how` is a sum
 * of the above. The text belongs to the arena. */
char *diags_text(const diags *d, arena *a, int how);

#endif
