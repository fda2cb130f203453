/* The symbols that a shape's kernel reads: its inputs, in the order in which they were met. */
#ifndef TRAMMEL_SYSTEM_SYMBOLS_H
#define TRAMMEL_SYSTEM_SYMBOLS_H

#include "base/map.h"
#include "expr/expr.h"

typedef struct {
    arena *arena;
    vec(int) kinds;
    vec(int) indices;
    map number; // by kind and index; set up with the first symbol
} symbol_list;

void symbols_note(symbol_list *list, expr_pool *pool, const expr *e, int count); // those of all e
int symbols_find(void *list, sym_kind kind, int index); // its number, added if it is new: a kernel_input

#endif
