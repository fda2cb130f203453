#include "base/arena.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARENA_CHUNK
#define ARENA_CHUNK (1 << 16) // a test makes it small, so that more calls ask the system for memory
#endif
enum { CHUNK = ARENA_CHUNK, ALIGNMENT = 64 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size; // of the bytes that follow the header
} chunk;

// the bytes start at the next multiple of ALIGNMENT after the header
static char *chunk_bytes(chunk *c) {
    return (char *)c + ALIGNMENT;
}

typedef struct hold {
    struct hold *next;
    void (*release)(void *object);
    void *object;
} hold;

struct arena {
    chunk *chunks;
    hold *holds; // what is to be released first
    arena *root, *parent, *children, *sibling;
    jmp_buf *recover;   // these three are of use in the root only
    size_t used, limit; // bytes of all chunks of the root and its descendants
};

arena *arena_new(size_t limit) {
    arena *a = calloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    a->root = a;
    a->limit = limit ? limit : SIZE_MAX;
    return a;
}

_Noreturn void arena_give_up(arena *a) {
    if (a->root->recover == NULL)
        abort();
    longjmp(*a->root->recover, 1);
}

arena *arena_child(arena *parent) {
    arena *a = calloc(1, sizeof *a);
    if (a == NULL)
        arena_give_up(parent);
    a->root = parent->root;
    a->parent = parent;
    a->sibling = parent->children;
    parent->children = a;
    return a;
}

static void unlink_child(arena *a) {
    arena **link = &a->parent->children;
    while (*link != a)
        link = &(*link)->sibling;
    *link = a->sibling;
}

void arena_free(arena *a) {
    if (a == NULL)
        return;
    while (a->children)
        arena_free(a->children);
    if (a->parent)
        unlink_child(a);
    for (const hold *h = a->holds; h; h = h->next)
        h->release(h->object);
    for (chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        a->root->used -= c->size;
        free(c);
    }
    free(a);
}

jmp_buf *arena_recover(arena *a, jmp_buf *here) {
    jmp_buf *before = a->root->recover;
    a->root->recover = here;
    return before;
}

size_t arena_used(const arena *a) {
    return a->root->used;
}

static chunk *add_chunk(arena *a, size_t size) {
    arena *root = a->root;
    size_t room = size > CHUNK / 4 ? size : CHUNK - ALIGNMENT;
    if (room > root->limit - root->used || room > SIZE_MAX - 2 * ALIGNMENT)
        arena_give_up(root);
    room = (room + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    chunk *c = aligned_alloc(ALIGNMENT, room + ALIGNMENT);
    if (c == NULL)
        arena_give_up(root);
    c->size = room;
    c->used = 0;
    root->used += room;
    if (a->chunks && size > CHUNK / 4) { // a block of its own goes behind the chunk in use
        c->next = a->chunks->next;
        a->chunks->next = c;
    } else {
        c->next = a->chunks;
        a->chunks = c;
    }
    return c;
}

static void *allocate(arena *a, size_t size, size_t alignment) {
    chunk *c = a->chunks;
    size_t start = c ? (c->used + alignment - 1) & ~(alignment - 1) : 0;
    if (c == NULL || start > c->size || size > c->size - start) {
        c = add_chunk(a, size);
        start = 0;
    }
    c->used = start + size;
    return memset(chunk_bytes(c) + start, 0, size);
}

void *arena_alloc(arena *a, size_t size) {
    return allocate(a, size, 16);
}

double *arena_doubles(arena *a, size_t count) {
    if (count > SIZE_MAX / sizeof(double) / 2)
        arena_give_up(a);
    return allocate(a, count * sizeof(double), ALIGNMENT);
}

void arena_when_freed(arena *a, void (*release)(void *object), void *object) {
    hold *h = arena_alloc(a, sizeof *h);
    *h = (hold){a->holds, release, object};
    a->holds = h;
}

void *arena_resize(arena *a, void *old, size_t size, size_t new_size) {
    void *block = arena_alloc(a, new_size);
    if (size)
        memcpy(block, old, size < new_size ? size : new_size);
    return block;
}

char *arena_copy(arena *a, const char *text, size_t length) {
    char *copy = arena_alloc(a, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_print(arena *a, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(a, (size_t)(length < 0 ? 0 : length) + 1);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(args);
    va_end(again);
    return text;
}

void *vec_grown(arena *a, void *at, int count, int more, int *room, size_t size) {
    if (more > INT_MAX / 2 - count)
        arena_give_up(a);
    int wanted = *room ? *room : 4;
    while (wanted < count + more)
        wanted *= 2;
    if (wanted == *room)
        return at;
    void *grown = arena_resize(a, at, (size_t)count * size, (size_t)wanted * size);
    *room = wanted; // after that: without memory the array stays as it was
    return grown;
}
