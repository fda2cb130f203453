/* Large blocks, straight from the system: zeroed without being written, so that what is never touched takes
 * no memory, and given back at once when freed. */
#ifndef TRAMMEL_BASE_PAGES_H
#define TRAMMEL_BASE_PAGES_H

#include <stddef.h>

void *pages_alloc(size_t size); // at the beginning of a page; NULL if there is no memory
/* Moves the pages rather than their contents; what is new is zero. NULL if there is no memory: the block
 * stays then. */
void *pages_resize(void *block, size_t size, size_t new_size);
void pages_free(void *block, size_t size);

#endif
