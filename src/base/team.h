/* Threads that share work. A task has parts, numbered and independent of each other; which thread does which
 * part is left to chance. So that results do not depend on the number of threads, a task has the same parts
 * for any number, writes what belongs to a part to that part's place, and the caller puts these together in
 * the order of the parts. */
#ifndef TRAMMEL_BASE_TEAM_H
#define TRAMMEL_BASE_TEAM_H

#include "base/arena.h"

typedef struct team team;

/* TRAMMEL_THREADS, or as many as there are processors, but at most 8. */
int team_threads_wanted(void);
/* Ends with the arena. NULL, which does as well, if threads is 1 or none could be started. */
team *team_new(arena *a, int threads);
/* Calls part(context, i) for i = 0 .. parts - 1 and returns when all are done. Parts must not allocate. */
void team_run(team *t, int parts, void (*part)(void *context, int i), void *context);

#endif
