/* Walks over statements, with loops run for their values. A walk acts on every statement that is no loop;
 * lets inside a loop's body are local to it. */
#include "lang/elab.h"

static bool any_wanted(const elab_walk *w, const stmt_list *list) {
    for (int i = 0; i < list->count; i++) {
        const stmt *s = list->at[i];
        if (s->kind == STMT_FOR ? any_wanted(w, &s->body) : w->wanted(s))
            return true;
    }
    return false;
}

static void walk_loop(const elab_walk *w, const stmt *s, const binding *scope) {
    elab *L = w->elab;
    int low, high;
    if (s->low == NULL || s->high == NULL || !any_wanted(w, &s->body))
        return;
    if (!elab_whole(L, s->low, scope, "a bound", &low) || !elab_whole(L, s->high, scope, "a bound", &high))
        return;
    binding variable = {.next = scope, .name = s->name, .loop = true};
    repetition r;
    int errors = L->diags->errors;
    elab_repeat(L, &r, s->at, low, high);
    while (L->diags->errors == errors && elab_turn(L, &r)) { // after an error the next would say the same
        variable.value = elab_scalar((scalar){.number = (double)r.now, .known = true, .varies = true});
        elab_list(w, &s->body, &variable);
    }
    elab_leave(L, &r);
}

void elab_list(const elab_walk *w, const stmt_list *list, const binding *scope) {
    elab *L = w->elab;
    binding *lets = NULL; // those of this loop's body
    int let_count = 0;
    for (int i = 0; scope && i < list->count; i++)
        let_count += list->at[i]->kind == STMT_LET && !list->at[i]->function;
    if (let_count)
        lets = arena_array(L->arena, binding, let_count);
    for (int i = 0; i < list->count && !L->stopped && L->diags->errors < ERRORS_ENOUGH; i++) {
        const stmt *s = list->at[i];
        L->turned = L->spent;
        L->sequence = s->sequence;
        L->use = (place){0};
        if (s->kind == STMT_FOR) {
            walk_loop(w, s, scope);
        } else if (s->kind == STMT_LET && scope && !s->function) {
            *lets = (binding){.next = scope, .name = s->items.at[0].name, .body = s->value, .scope = scope};
            scope = lets++;
        } else {
            w->act(L, s, scope);
        }
    }
}
