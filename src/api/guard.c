#include "api/guard.h"

/* No model, system, state or result may take more than this, so that a wrong bound does not fill the memory.
 */
static const size_t OBJECT_LIMIT = (size_t)8 << 30;

bool guard_run_all(arena *const *all, int count, void (*work)(void *context), void *context) {
    jmp_buf out_of_memory, *before[GUARDED_MOST];
    volatile bool done = false;
    for (int i = 0; i < count; i++)
        before[i] = arena_recover(all[i], &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        work(context);
        done = true;
    }
    for (int i = count - 1; i >= 0; i--)
        arena_recover(all[i], before[i]);
    return done;
}

bool guard_run(arena *a, arena *other, void (*work)(void *context), void *context) {
    return guard_run_all((arena *[]){a, other}, other ? 2 : 1, work, context);
}

typedef struct {
    arena *arena;
    trm_status (*make)(arena *a, void *context);
    void *context;
    trm_status status;
} making;

static void make(void *context) {
    making *k = context;
    k->status = k->make(k->arena, k->context);
}

trm_status guard_new(arena *other, trm_status (*by)(arena *a, void *context), void *context) {
    making k = {arena_new(OBJECT_LIMIT), by, context, TRM_OK};
    if (k.arena == NULL)
        return TRM_NO_MEMORY;
    if (guard_run(k.arena, other, make, &k))
        return k.status;
    arena_free(k.arena);
    return TRM_NO_MEMORY;
}

typedef struct {
    const char *(*answer)(void *object, int how);
    void *object;
    int how;
    const char *text;
} asking;

static void ask(void *context) {
    asking *k = context;
    k->text = k->answer(k->object, k->how);
}

const char *guard_text(arena *a, const char *(*answer)(void *object, int how), void *object, int how,
                       const char *without) {
    asking k = {answer, object, how, NULL};
    return guard_run(a, NULL, ask, &k) ? k.text : without;
}
