/* Memory of one object: everything is allocated from its arena and freed at once.
 *
 * Allocation never returns NULL. When the system refuses memory, or the arena's limit is reached, control
 * goes to the recover point of the root arena (as Lua does it), so that the code between needs no checks:
 *
 *     arena *a = arena_new(limit);
 *     jmp_buf out_of_memory;
 *     if (a == NULL || setjmp(out_of_memory)) { arena_free(a); return TRM_NO_MEMORY; }
 *     arena_recover(a, &out_of_memory);
 *
 * All memory is zeroed. An arena is used by one thread at a time. */
#ifndef TRAMMEL_BASE_ARENA_H
#define TRAMMEL_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

typedef struct arena arena;

arena *arena_new(size_t limit);     // NULL if there is no memory; limit in bytes, 0 for none
arena *arena_child(arena *parent);  // freed by arena_free, or with its parent
void arena_free(arena *a);          // NULL is fine
size_t arena_used(const arena *a);  // bytes asked of the system, children included
size_t arena_asked(const arena *a); // bytes given out from it alone, as if packed in whole doubles
size_t arena_left(const arena *a);  // that may still be asked for, by its limit

/* What an object of the arena holds of another library: arena_free calls release(object) before the memory
 * goes, the last one given first. Asks for memory, so: give it before there is anything to release. */
void arena_when_freed(arena *a, void (*release)(void *object), void *object);

/* Where to go when memory runs out; NULL aborts. Returns where it went before, so that who holds something
 * that an arena does not free can let go of it and hand on. */
jmp_buf *arena_recover(arena *a, jmp_buf *here);
_Noreturn void arena_give_up(arena *a); // goes there

void *arena_alloc(arena *a, size_t size);                              // aligned to 16 bytes
void *arena_resize(arena *a, void *old, size_t size, size_t new_size); // the old block stays with the arena
double *arena_doubles(arena *a, size_t count);                         // aligned to 64 bytes
char *arena_print(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_copy(arena *a, const char *text, size_t length); // with a closing zero

#define arena_array(a, type, count) ((type *)arena_alloc((a), (size_t)(count) * sizeof(type)))

/* A growing array: vec(int) v = {0}; vec_push(a, v, 3); v.at[0]; v.count. It doubles. What it leaves behind
 * in the arena is little, large blocks are given back: so pointers into it end when it grows. */
#define vec(type)                                                                                            \
    struct {                                                                                                 \
        type *at;                                                                                            \
        int count, room;                                                                                     \
    }
#define vec_reserve(a, v, more)                                                                              \
    ((v).at = vec_grown((a), (v).at, (v).count, (more), &(v).room, sizeof *(v).at))
#define vec_push(a, v, value)                                                                                \
    do {                                                                                                     \
        if ((v).count == (v).room)                                                                           \
            vec_reserve(a, v, 1);                                                                            \
        (v).at[(v).count++] = (value);                                                                       \
    } while (0)
void *vec_grown(arena *a, void *at, int count, int more, int *room, size_t size);

#endif
