#include "base/pages.h"

#include <sys/mman.h>

/* Pages of 2 MB, where the system has them to give: a fault for each 4 kB costs a tenth of a run of a few
 * steps of 100 000 particles. A wish, so it does not matter if it fails. */
static void *with_large_pages(void *block, size_t size) {
    if (block == MAP_FAILED)
        return NULL;
    madvise(block, size, MADV_HUGEPAGE);
    return block;
}

void *pages_alloc(size_t size) {
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return with_large_pages(block, size);
}

void *pages_resize(void *block, size_t size, size_t new_size) {
    return with_large_pages(mremap(block, size, new_size, MREMAP_MAYMOVE), new_size);
}

void pages_free(void *block, size_t size) {
    munmap(block, size);
}
