#include "base/arena.h"

#include "base/number.h"
#include "base/pages.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARENA_CHUNK
#define ARENA_CHUNK (1 << 16) // a test makes it small, so that more calls ask the system for memory
#endif
enum { CHUNK = ARENA_CHUNK, ALIGNMENT = 64 };
/* So many chunks wait for the next arena in the same root: giving each back to the system and asking for it
 * again, with its pages to be cleared, takes as long as compiling a small kernel. */
#ifndef ARENA_SPARE
#define ARENA_SPARE 4 // none with sanitizers, which see what is used after it was freed
#endif
#ifndef ARENA_PAGES
#define ARENA_PAGES (1 << 20) // blocks from here on come straight from the system
#endif

typedef struct chunk {
    struct chunk *next, *before; // in the list of the arena
    arena *of;
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
    jmp_buf *recover;   // from here on of use in the root only
    size_t used, limit; // bytes of all chunks of the root and its descendants
    chunk *spare;       // chunks in no use, which do not count
    int spare_count;
    size_t asked;
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

static bool is_pages(size_t size) {
    return size >= ARENA_PAGES;
}

static size_t rounded(size_t size) {
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

// a chunk as all are but large ones
static size_t usual_size(void) {
    return rounded(CHUNK - ALIGNMENT);
}

static void free_chunk(chunk *c) {
    arena *root = c->of->root;
    *(c->before ? &c->before->next : &c->of->chunks) = c->next;
    if (c->next)
        c->next->before = c->before;
    root->used -= c->size;
    if (c->size == usual_size() && root->spare_count < ARENA_SPARE) {
        c->next = root->spare;
        root->spare = c;
        root->spare_count++;
    } else if (is_pages(c->size))
        pages_free(c, c->size + ALIGNMENT);
    else
        free(c);
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
    while (a->chunks)
        free_chunk(a->chunks);
    while (a->spare) {
        chunk *c = a->spare;
        a->spare = c->next;
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

size_t arena_left(const arena *a) {
    return a->root->limit - a->root->used;
}

// a block of its own
static bool is_large(size_t size) {
    return size > CHUNK / 4;
}

static void check_room(arena *a, size_t more) {
    if (more > a->root->limit - a->root->used || more > SIZE_MAX - 2 * ALIGNMENT)
        arena_give_up(a);
}

static chunk *take_chunk(arena *root, size_t room) {
    chunk *c = root->spare;
    if (c == NULL || room != usual_size())
        return is_pages(room) ? pages_alloc(room + ALIGNMENT) : aligned_alloc(ALIGNMENT, room + ALIGNMENT);
    root->spare = c->next;
    root->spare_count--;
    return c;
}

static chunk *add_chunk(arena *a, size_t size) {
    size_t room = is_large(size) ? size : CHUNK - ALIGNMENT;
    check_room(a, room);
    room = rounded(room);
    chunk *c = take_chunk(a->root, room);
    if (c == NULL)
        arena_give_up(a);
    chunk *before = is_large(size) ? a->chunks : NULL; // it goes behind the chunk in use
    *c = (chunk){.next = before ? before->next : a->chunks, .before = before, .of = a, .size = room};
    *(before ? &before->next : &a->chunks) = c;
    if (c->next)
        c->next->before = c;
    a->root->used += room;
    return c;
}

static void *allocate(arena *a, size_t size, size_t alignment) {
    chunk *c = a->chunks;
    size_t start = c ? (c->used + alignment - 1) & ~(alignment - 1) : 0;
    if (c == NULL || is_large(size) || start > c->size || size > c->size - start) {
        c = add_chunk(a, size);
        start = 0;
    }
    c->used = start + size;
    char *block = chunk_bytes(c) + start;
    return is_pages(c->size) ? block : memset(block, 0, size);
}

size_t arena_asked(const arena *a) {
    return a->asked;
}

void *arena_alloc(arena *a, size_t size) {
    a->asked += (size + sizeof(double) - 1) & ~(sizeof(double) - 1);
    return allocate(a, size, 16);
}

double *arena_doubles(arena *a, size_t count) {
    if (count > SIZE_MAX / sizeof(double) / 2)
        arena_give_up(a);
    a->asked += count * sizeof(double);
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
    int length = number_vprint(NULL, 0, format, args);
    char *text = arena_alloc(a, (size_t)(length < 0 ? 0 : length) + 1);
    number_vprint(text, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(args);
    va_end(again);
    return text;
}

// pages are moved, not copied; links to the chunk follow it
static void *grow_pages(chunk *c, size_t size) {
    size_t more = rounded(size) - c->size;
    check_room(c->of, more);
    chunk *moved = pages_resize(c, c->size + ALIGNMENT, c->size + more + ALIGNMENT);
    if (moved == NULL)
        arena_give_up(c->of);
    *(moved->before ? &moved->before->next : &moved->of->chunks) = moved;
    if (moved->next)
        moved->next->before = moved;
    moved->of->root->used += more;
    moved->size += more;
    moved->used = size;
    return chunk_bytes(moved);
}

// a larger block with the `used` bytes of the old one (`size`), which is given back if it is a block of its
// own
static void *grow(arena *a, void *old, size_t used, size_t size, size_t new_size) {
    chunk *c = is_large(size) ? (chunk *)((char *)old - ALIGNMENT) : NULL;
    if (c && is_pages(c->size))
        return grow_pages(c, new_size);
    void *block = arena_resize(a, old, used, new_size);
    if (c)
        free_chunk(c);
    return block;
}

void *vec_grown(arena *a, void *at, int count, int more, int *room, size_t size) {
    if (more > INT_MAX / 2 - count)
        arena_give_up(a);
    int wanted = *room ? *room : 4;
    while (wanted < count + more)
        wanted *= 2;
    if (wanted == *room)
        return at;
    void *grown = grow(a, at, (size_t)count * size, (size_t)*room * size, (size_t)wanted * size);
    *room = wanted; // after that: without memory the array stays as it was
    return grown;
}
