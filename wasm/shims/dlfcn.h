/* No library is loaded at run time: SUNDIALS, LAPACK and libxml2 are missing there. */
#ifndef TRAMMEL_WASM_DLFCN_H
#define TRAMMEL_WASM_DLFCN_H

#include <stddef.h>

enum { RTLD_LAZY = 1, RTLD_NOW = 2, RTLD_LOCAL = 0, RTLD_NODELETE = 4 };
static inline void *dlopen(const char *name, int how) {
    (void)name, (void)how;
    return NULL;
}
static inline void *dlsym(void *library, const char *name) {
    (void)library, (void)name;
    return NULL;
}
static inline int dlclose(void *library) {
    (void)library;
    return 0;
}
static inline const char *dlerror(void) {
    return "there are no libraries in a page";
}

#endif
