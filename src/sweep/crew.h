/* Threads that do the cases of a sweep. Each takes a batch of numbers, does them, and writes a batch of
 * records; what a case gives does not depend on who does it, or when.
 *
 * Where the cases come from is behind a table of two functions, since several processes may share a sweep
 * (deal.h). The thread that calls crew_run does no case: it asks for more of them, watches the clock of those
 * that are under way, brings the journal to the disk and tells how far it is. */
#ifndef TRAMMEL_SWEEP_CREW_H
#define TRAMMEL_SWEEP_CREW_H

#include "sweep/deal.h"
#include "sweep/journal.h"

#include <signal.h>

typedef struct {
    int threads;
    journal *journal;
    const sweep_columns *columns;
    const deal_ops *deal;
    void *dealing;                     // its context
    double timeout;                    // seconds for a case; 0: as long as it takes
    long stop_after;                   // failures; 0: however many
    const volatile sig_atomic_t *stop; // ends it; may be NULL
    /* Does a case in a worker. *stop becomes non-zero when it is to end. Returns false if it was interrupted,
     * which leaves no record; the texts and arrays of the record may stay until the worker's next case. */
    bool (*run)(void *context, int worker, long which, const volatile sig_atomic_t *stop, case_record *out);
    void *context;
    void (*progress)(void *context, long done, long failed, double seconds); // now and then; may be NULL
    void *progress_context;
} crew_def;

typedef enum { CREW_DONE, CREW_STOPPED, CREW_FAILURES, CREW_CANNOT_WRITE, CREW_NO_MEMORY } crew_end;

/* Done before, as the journal's index says, are left out. */
crew_end crew_run(const crew_def *def);
int crew_threads_wanted(void); // as many as there are processors for this process, or TRAMMEL_THREADS

#endif
