/* One thread: locks are free, and none can be started, which src/base/team.c takes for an answer. */
#ifndef TRAMMEL_WASM_PTHREAD_H
#define TRAMMEL_WASM_PTHREAD_H

#include <errno.h>
#include <stddef.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;
#define PTHREAD_MUTEX_INITIALIZER 0

#define pthread_mutex_init(lock, how) ((void)(lock), 0)
#define pthread_mutex_destroy(lock) ((void)(lock), 0)
#define pthread_mutex_lock(lock) ((void)(lock), 0)
#define pthread_mutex_unlock(lock) ((void)(lock), 0)
#define pthread_cond_init(c, how) ((void)(c), 0)
#define pthread_cond_destroy(c) ((void)(c), 0)
#define pthread_cond_wait(c, lock) ((void)(c), (void)(lock), 0)
#define pthread_cond_signal(c) ((void)(c), 0)
#define pthread_cond_broadcast(c) ((void)(c), 0)
#define pthread_create(thread, how, run, object) ((void)(thread), (void)(run), (void)(object), EAGAIN)
#define pthread_join(thread, result) ((void)(thread), 0)
#define pthread_self() ((pthread_t)0)
#define pthread_equal(a, b) ((a) == (b))

#endif
