#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MOST = 8 };

struct team {
    pthread_t thread[THREADS_MOST];
    int helpers; // threads beside the caller's
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    // under the lock
    long task;   // how many there were
    int working; // helpers that have not yet finished the last one
    bool over;
    // of the task
    int parts;
    void (*part)(void *context, int i);
    void *context;
    atomic_int next; // part that nobody has taken
};

int team_threads_wanted(void) {
    const char *given = getenv("TRAMMEL_THREADS");
    long count = given ? strtol(given, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MOST ? THREADS_MOST : (int)count;
}

static void work(team *t) {
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->parts;)
        t->part(t->context, i);
}

static void *help(void *object) {
    team *t = object;
    long done = 0;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->task == done && !t->over)
            pthread_cond_wait(&t->begin, &t->lock);
        if (t->over)
            break;
        done = t->task;
        pthread_mutex_unlock(&t->lock);
        work(t);
        pthread_mutex_lock(&t->lock);
        if (--t->working == 0)
            pthread_cond_signal(&t->end);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void dismiss(void *object) {
    team *t = object;
    pthread_mutex_lock(&t->lock);
    t->over = true;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->helpers; i++)
        pthread_join(t->thread[i], NULL);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->end);
    pthread_mutex_destroy(&t->lock);
}

team *team_new(arena *a, int threads) {
    if (threads <= 1)
        return NULL;
    team *t = arena_alloc(a, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begin, NULL);
    pthread_cond_init(&t->end, NULL);
    arena_when_freed(a, dismiss, t);
    while (t->helpers < threads - 1 && t->helpers < THREADS_MOST - 1 &&
           pthread_create(&t->thread[t->helpers], NULL, help, t) == 0)
        t->helpers++;
    return t->helpers ? t : NULL;
}

void team_run(team *t, int parts, void (*part)(void *context, int i), void *context) {
    if (t == NULL || parts <= 1) {
        for (int i = 0; i < parts; i++)
            part(context, i);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->parts = parts;
    t->part = part;
    t->context = context;
    atomic_store(&t->next, 0);
    t->working = t->helpers;
    t->task++;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    work(t);
    pthread_mutex_lock(&t->lock);
    while (t->working > 0)
        pthread_cond_wait(&t->end, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
