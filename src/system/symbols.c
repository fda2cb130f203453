#include "system/symbols.h"

int symbols_find(void *context, sym_kind kind, int index) {
    symbol_list *list = context;
    uint64_t key = (uint64_t)kind << 32 | (uint32_t)index;
    if (list->kinds.count == 0)
        map_init(&list->number, list->arena);
    int found = map_get(&list->number, key);
    if (found >= 0)
        return found;
    map_put(&list->number, key, list->kinds.count);
    vec_push(list->arena, list->kinds, (int)kind);
    vec_push(list->arena, list->indices, index);
    return list->kinds.count - 1;
}

static expr note(void *context, sym_kind kind, int index) {
    symbols_find(context, kind, index);
    return EXPR_NONE;
}

void symbols_note(symbol_list *list, expr_pool *pool, const expr *e, int count) {
    expr *same = arena_array(list->arena, expr, count + 1);
    expr_substitute_all(pool, e, count, note, list, same);
}
