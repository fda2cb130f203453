/* What was compiled before, for other readings of the same model: private to this folder but for what
 * kernel.h says of it.
 *
 * A key tells all that a kernel is made from but its numbers (kernel.c). One whose key is the same, to the
 * last word, has the same code, and gets numbers of its own. */
#ifndef TRAMMEL_CODE_STORE_H
#define TRAMMEL_CODE_STORE_H

#include "code/tape.h"

/* What is kept of a kernel, in an arena of its own; it does not change. */
typedef struct stored {
    arena *own;
    const kernel *kernel;
    const int *number_place; // (numbers of the kernel) which place of the key has its value; -1: as it is
    // of the store
    const int *key; // (count)
    size_t count;
    uint64_t hash;
    long uses, asked;    // how many hold it; which question found it last
    struct stored *next; // in the order of their last use
    bool listed;         // not, if it only lives for those that use it
} stored;

/* Holds what is found for as long as the arena lives. */
typedef struct {
    kernel_store *store;
    stored *of; // NULL: there is none
} store_use;

store_use *store_ask(arena *a, kernel_store *s, const int *key, size_t count);
/* Where there was none: keeps it for others, too. Its key is copied before, to its own arena. */
void store_give(store_use *use, stored *made);

#endif
