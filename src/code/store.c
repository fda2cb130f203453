/* Kept kernels, by their keys: a list in the order of their last use, of a few hundred at most, which are
 * compared by a hash and then word by word. Nothing is allocated while the lock is held. */
#include "code/store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What is used longest ago goes first. A model with a hundred shapes has some 300 kernels. Where a value
 * happens to make two numbers equal, or one of them 1, a kernel is made that is hardly ever asked for again:
 * what as many questions as for some readings did not find goes, too. */
enum { KERNELS_MOST = 1000, READINGS = 4 };
static const size_t BYTES_MOST = (size_t)128 << 20;

struct kernel_store {
    pthread_mutex_t lock;
    stored *first;
    int count;
    size_t bytes;
    long asked;   // questions
    long holders; // who made it, and all that use what is in it
};

kernel_store *kernel_store_new(void) {
    kernel_store *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->holders = 1;
    return s;
}

// ---- with the lock held

static void unlist(kernel_store *s, stored **link) {
    stored *of = *link;
    *link = of->next;
    of->listed = false;
    s->count--;
    s->bytes -= arena_used(of->own);
    if (of->uses == 0)
        arena_free(of->own);
}

static void list(kernel_store *s, stored *of) {
    of->next = s->first;
    s->first = of;
    of->listed = true;
    of->asked = s->asked;
    s->count++;
    s->bytes += arena_used(of->own);
}

static bool is_stale(const kernel_store *s, const stored *of) {
    return s->asked - of->asked > READINGS * s->count;
}

// the last one, if it is to go
static bool tidy(kernel_store *s) {
    stored **link = &s->first;
    while (*link && (*link)->next)
        link = &(*link)->next;
    if (*link == NULL || !(s->count > KERNELS_MOST || s->bytes > BYTES_MOST || is_stale(s, *link)))
        return false;
    unlist(s, link);
    return true;
}

static stored *find(kernel_store *s, const int *key, size_t count, uint64_t hash) {
    for (stored **link = &s->first; *link; link = &(*link)->next) {
        stored *of = *link;
        if (of->hash != hash || of->count != count || memcmp(of->key, key, count * sizeof *key) != 0)
            continue;
        *link = of->next;
        of->next = s->first;
        of->asked = s->asked;
        return s->first = of;
    }
    return NULL;
}

// ---- who holds what

// the lock is let go of, and with the last holder the store
static void let_go(kernel_store *s) {
    bool last = --s->holders == 0;
    while (last && s->first)
        unlist(s, &s->first);
    pthread_mutex_unlock(&s->lock);
    if (last) {
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}

void kernel_store_leave(kernel_store *s) {
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    let_go(s);
}

static void end_use(void *object) {
    store_use *use = object;
    if (use->of == NULL)
        return;
    pthread_mutex_lock(&use->store->lock);
    if (--use->of->uses == 0 && !use->of->listed)
        arena_free(use->of->own);
    let_go(use->store);
}

static void begin_use(store_use *use, stored *of) {
    use->of = of;
    of->uses++;
    use->store->holders++;
}

static uint64_t hash_of(const int *key, size_t count) {
    uint64_t h = count;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ (uint32_t)key[i]) * 0x9E3779B97F4A7C15u; // 2^64 over the golden ratio
        h ^= h >> 32;
    }
    return h;
}

store_use *store_ask(arena *a, kernel_store *s, const int *key, size_t count) {
    uint64_t hash = hash_of(key, count);
    store_use *use = arena_alloc(a, sizeof *use);
    *use = (store_use){.store = s};
    arena_when_freed(a, end_use, use);
    pthread_mutex_lock(&s->lock);
    s->asked++;
    stored *of = find(s, key, count, hash);
    if (of)
        begin_use(use, of);
    pthread_mutex_unlock(&s->lock);
    return use;
}

void store_give(store_use *use, stored *made) {
    kernel_store *s = use->store;
    made->hash = hash_of(made->key, made->count);
    pthread_mutex_lock(&s->lock);
    bool fits = arena_used(made->own) <= BYTES_MOST / 4;
    if (fits && find(s, made->key, made->count, made->hash) == NULL) // else another thread was faster
        list(s, made);
    begin_use(use, made);
    while (tidy(s)) {
    }
    pthread_mutex_unlock(&s->lock);
}
