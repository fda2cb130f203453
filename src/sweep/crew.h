/* Threads that do the cases of a sweep. Each takes a batch of numbers, does them, several side by side if
 * that can be, and writes a batch of records; what a case gives does not depend on who does it, when, or
 * beside which others.
 *
 * Where the cases come from is behind a table of two functions, since several processes may share a sweep
 * (deal.h). The thread that calls crew_run does no case: it asks for more of them, watches the clock of those
 * that are under way, brings the journal to the disk and tells how far it is. */
#ifndef TRAMMEL_SWEEP_CREW_H
#define TRAMMEL_SWEEP_CREW_H

#include "sweep/deal.h"
#include "sweep/journal.h"

#include <signal.h>

/* What became of a case that was begun: it has ended by now, since it is not one to go on beside others; it
 * is under way; or that, and its worker had better go on with what it has. */
typedef enum { CREW_ENDED, CREW_UNDER_WAY, CREW_ENOUGH } crew_begun;

typedef struct {
    int threads;
    int beside; // cases that a worker may have under way at once, each in a seat
    journal *journal;
    const sweep_columns *columns;
    const deal_ops *deal;
    void *dealing;                     // its context
    double timeout;                    // seconds for a case; 0: as long as it takes
    long stop_after;                   // failures; 0: however many
    const volatile sig_atomic_t *stop; // ends it; may be NULL
    /* Begins a case in a seat (threads x beside of them). *stop becomes non-zero when it is to end. */
    crew_begun (*begin)(void *context, int seat, long which, const volatile sig_atomic_t *stop);
    /* Goes on with those of a worker that are under way; returns the seat of one that has ended. */
    int (*advance)(void *context, int worker);
    /* What it came to. Returns false if it was interrupted, which leaves no record; the texts and arrays of
     * the record may stay until the seat's next case. */
    bool (*end)(void *context, int seat, case_record *out);
    void *context;
    void (*progress)(void *context, long done, long failed, double seconds); // now and then; may be NULL
    void *progress_context;
} crew_def;

typedef enum { CREW_DONE, CREW_STOPPED, CREW_FAILURES, CREW_CANNOT_WRITE, CREW_NO_MEMORY } crew_end;

/* Done before, as the journal's index says, are left out. */
crew_end crew_run(const crew_def *def);
int crew_threads_wanted(void); // as many as there are processors for this process, or TRAMMEL_THREADS

#endif
