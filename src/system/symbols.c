#include "system/symbols.h"

int symbols_find(void *context, sym_kind kind, int index) {
    symbol_list *list = context;
    for (int i = 0; i < list->kinds.count; i++)
        if (list->kinds.at[i] == (int)kind && list->indices.at[i] == index)
            return i;
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
