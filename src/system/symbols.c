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

void symbols_note(symbol_list *list, expr_pool *pool, const expr *e, int count) {
    expr *order;
    int found = expr_order(pool, e, count, list->arena, &order);
    for (int i = 0; i < found; i++)
        if (expr_op(pool, order[i]) == OP_SYMBOL)
            symbols_find(list, expr_kind(pool, order[i]), expr_index(pool, order[i]));
}
