/* Another program as a process: it is found in the path and started without a shell, reads from its standard
 * input what it is given, and what it says on its standard error is kept. */
#ifndef TRAMMEL_REPORT_CHILD_H
#define TRAMMEL_REPORT_CHILD_H

#include "base/arena.h"

#include <signal.h>
#include <stdbool.h>

typedef enum { CHILD_DONE, CHILD_MISSING, CHILD_FAILED, CHILD_STOPPED } child_end;

/* What it is to read next: at least one byte, which stay until the next call. False: that was all. */
typedef bool (*child_more)(void *context, const char **bytes, size_t *length);

/* arguments: its name first, NULL last. CHILD_FAILED: what it said first, or why it could not be run, is in
 * *why. When *stop, which may be NULL, becomes non-zero, it is ended. */
child_end child_run(arena *a, char *const *arguments, child_more more, void *context,
                    const volatile sig_atomic_t *stop, const char **why);

#endif
