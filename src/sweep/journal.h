/* What a sweep has found so far, in a folder that survives whatever may happen to the process: NAME.sweep.
 *
 *   plan        lines of text: what was asked for, by which it can go on, and what the columns are
 *   model.tram  the text of the model, as it was read
 *   journal.N   of process N: a record for each case, in the order in which they were done
 *
 * A record is, little-endian as x86 is: u32 bytes of what follows the sum, u32 CRC-32 of these, u64 case, u32
 * status, u32 bytes of the message, u64 samples, f64 values (columns), f64 samples (samples x width), the
 * message. Reading stops at the first that is not whole, and a journal that is written on is cut there. Where
 * a case is there twice, the first counts, but for one that may end otherwise another time: out of time, out
 * of memory. Records are written whole batches at a time, and brought to the disk once a second.
 *
 * Without a folder the same is kept in memory. */
#ifndef TRAMMEL_SWEEP_JOURNAL_H
#define TRAMMEL_SWEEP_JOURNAL_H

#include "base/diag.h"
#include "base/text.h"

#include <pthread.h>
#include <stdint.h>

/* As the program's exit codes; a case that was interrupted has no record. */
typedef enum {
    CASE_FINE = 0,
    CASE_EXPECTATION = 1,
    CASE_WRONG = 2,
    CASE_NO_SOLUTION = 3,
    CASE_NO_MEMORY = 5,
    CASE_TIMEOUT = 6,
    CASE_STATUSES
} case_status;

typedef struct {
    long which;
    int status;
    const double *values;  // (columns)
    long samples;          // kept
    const double *sampled; // (samples x width)
    const char *message;   // "" if there is nothing to say
} case_record;

// ---- the columns of a sweep

typedef enum {
    COLUMN_IS_PARAMETER,
    COLUMN_IS_FINAL,  // at the end of the run: the time, coordinates, ...
    COLUMN_IS_SHOWN,  // the same, of an output
    COLUMN_IS_RESULT, // over the run, as maximum(x); and when that was
    COLUMN_IS_WHEN,
    COLUMN_IS_REPORT, // of the run: its worst residual, ...
    COLUMN_IS_HIDDEN, // how long it took: in no export, since that is never twice the same
    COLUMN_KINDS
} sweep_column_kind;

typedef struct {
    sweep_column_kind kind;
    const char *name;
} sweep_column;

typedef struct {
    vec(sweep_column) list;
    int sampled; // width of a sample: the columns of kind FINAL and SHOWN, in their order; 0: none are kept
    int first;   // of these among all
    int finals;  // how many these are
} sweep_columns;

/* Whether it is a result that is an output, too: then it has that name twice, and is listed once. */
bool sweep_columns_repeated(const sweep_columns *c, int i);

// ---- a folder

typedef struct journal journal;

typedef enum {
    JOURNAL_FRESH, // made; it must not be there yet
    JOURNAL_JOIN,  // it is there: what is damaged in it is cut off
    JOURNAL_SHARE, // it is there, and another process cares for it
    JOURNAL_LOOK   // nothing is written to it
} journal_how;

/* `plan`: the text of its file, if it is fresh. folder NULL: in memory. cases and columns are those of the
 * plan. NULL, with the reason in d, if it cannot be; *io: since a file could not be read or written. */
journal *journal_open(arena *a, const char *folder, journal_how how, const char *plan, const char *model,
                      long cases, const sweep_columns *columns, int rank, diags *d, bool *io);
/* The text of a file of the folder, NULL if it cannot be read; *why says why then. */
const char *journal_file(arena *a, const char *folder, const char *name, const char **why);
/* The plan's file would be this text: false, and where they differ, if what is there is another one. */
bool journal_compare(const char *there, const char *wanted, int *line);

/* The bytes of a record, behind what is there; 0 if there is no memory, else 1. */
int journal_pack(const sweep_columns *columns, const case_record *r, char **bytes, size_t *length,
                 size_t *room);
/* Writes them. Threads may call it. False if it could not be: then and from then on journal_why says why. */
bool journal_append(journal *j, const char *bytes, size_t length);
void journal_sync(journal *j); // to the disk, if anything was written since the last time
const char *journal_why(journal *j);
/* Nothing more will be written: others may. */
void journal_end(journal *j);

// ---- what is in it

/* Looks through all that was written, up to now. False without memory. */
bool journal_index(journal *j);
long journal_most_samples(const journal *j);
long journal_done(const journal *j); // cases
long journal_count(const journal *j, case_status status);
int journal_status(const journal *j, long which); // -1: it was not done
/* Reads one; *r is valid until the next call. False if it is not there, or can no longer be read. */
bool journal_read(journal *j, long which, case_record *r);

#endif
