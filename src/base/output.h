/* A file that is written: beside its place first, in the same folder under the name .NAME.PID-RANDOM.part,
 * and put in place in one step when it is complete. So who reads sees the old file or the new one, each
 * whole, and of two writers the last one wins. After a loss of power there is the old or the new one too: its
 * bytes are brought to the disk before it gets its name, the folder is left to the system.
 *
 * The new file has the owner, group, permissions, access list and attributes of the one it replaces, which
 * must be writable. Where it cannot be given them, as only root gives files away, the old one is written into
 * when the new one is complete: its rights are then as they were, and the one step is many. Where there was
 * none, the umask decides. Where the name is a link, what it points to is replaced and the link stays.
 * Standard output ("-"), /dev/stdout, /dev/fd/N, pipes and devices are written straight through.
 *
 * Who is killed leaves a .part file. It is removed by the next one who writes to that name: while it is being
 * written it is locked (flock), and its process lives. */
#ifndef TRAMMEL_BASE_OUTPUT_H
#define TRAMMEL_BASE_OUTPUT_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct {
    const char *place; // where it goes, links followed; NULL: written straight through
    const char *part;  // where it is meanwhile; NULL as well
    bool fresh;        // it must not be there yet
    bool into;         // what it replaces is written into: a new file could not be what that is
    bool lent;         // another process writes it
    bool placed;       // what was written is there, under its name
    int file;          // -1: none is open
    int error;         // errno of the first failure, 0 if all went well
    const char *about; // what the error is about, where errno alone would mislead; NULL
    long length;       // bytes written so far
} output;

typedef enum {
    OUTPUT_REPLACES,
    OUTPUT_FRESH, // it must not be there yet
    OUTPUT_FILE,  // it may be there, and be nothing but a file
} output_kind;

/* All return false on failure; output_why says why. The texts of o belong to the arena. */
bool output_open(output *o, arena *a, const char *path, output_kind kind);
/* All of the bytes or, in a file, the whole lines of them for which there was room. */
bool output_write(output *o, const void *bytes, size_t length);
/* Leaves the writing of o->part to another process, up to output_place or output_discard. */
void output_lend(output *o);
/* Ends it and puts it in place. Where it cannot be put there it stays where it is, and output_why says so. */
bool output_place(output *o);
/* What output_place does with the file that is open; nothing but what a signal's handler may do. */
bool output_move(int file, const char *part, const char *to, bool into);
/* Ends it and leaves everything as it was before. */
void output_discard(output *o);
const char *output_why(const output *o, arena *a);

/* Whether there are files besides those that were given: a page has none. */
bool output_has_files(void);

#endif
