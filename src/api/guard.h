/* The one guard against exhausted memory. Code that allocates is handed over as a function: where memory runs
 * out in an arena it works in, it is left for good, and the caller is told. Whatever happens, the recover
 * points of the arenas are afterwards what they were before, so that none leads into a frame that is gone. */
#ifndef TRAMMEL_API_GUARD_H
#define TRAMMEL_API_GUARD_H

#include <trammel/trammel.h>

#include "base/arena.h"

#include <stdbool.h>

/* False if memory ran out before work(context) came to its end. other: a second arena that it works in, or
 * NULL. */
bool guard_run(arena *a, arena *other, void (*work)(void *context), void *context);

/* The same in several arenas. */
enum { GUARDED_MOST = 24 };
bool guard_run_all(arena *const *all, int count, void (*work)(void *context), void *context);

/* For a new object, in an arena of its own: what make(a, context) returns. Without memory the arena is freed
 * and TRM_NO_MEMORY is returned. */
trm_status guard_new(arena *other, trm_status (*make)(arena *a, void *context), void *context);

#define OUT_OF_MEMORY "out of memory\n"

/* For a text that belongs to an object: what answer(object, how) returns, or `without` if memory ran out. */
const char *guard_text(arena *a, const char *(*answer)(void *object, int how), void *object, int how,
                       const char *without);

#endif
