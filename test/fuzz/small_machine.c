#include "fuzz/small_machine.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST = (size_t)256 << 20;
static size_t used;

void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_pages_alloc(size_t size);
void *__real_pages_alloc(size_t size);
void __wrap_free(void *block);
void __real_free(void *block);
void __wrap_pages_free(void *block, size_t size);
void __real_pages_free(void *block, size_t size);

// arenas take all their memory from here, but for the headers
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    if (size > MOST || used > MOST - size)
        return NULL;
    void *block = __real_aligned_alloc(alignment, size);
    if (block)
        used += malloc_usable_size(block);
    return block;
}

void *__wrap_pages_alloc(size_t size) {
    if (size > MOST || used > MOST - size)
        return NULL;
    void *block = __real_pages_alloc(size);
    if (block)
        used += size;
    return block;
}

void __wrap_pages_free(void *block, size_t size) {
    used -= size < used ? size : used;
    __real_pages_free(block, size);
}

void __wrap_free(void *block) {
    size_t size = block ? malloc_usable_size(block) : 0;
    used -= size < used ? size : used;
    __real_free(block);
}

char *text_of(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    used += malloc_usable_size(text); // it is freed through the above
    return text;
}
