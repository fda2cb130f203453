#include "import/libxml.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    const char *name;
    size_t offset; // in libxml
} function;

#define PLACE(result, name, parameters) {#name, offsetof(libxml, name)},
static const function functions[] = {LIBXML_FUNCTIONS(PLACE)};

/* The number counts changes of what we do not use: 2 for versions up to 2.13, 16 from 2.14 on. */
static void *open_library(void) {
    void *handle = dlopen("libxml2.so.2", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    return handle ? handle : dlopen("libxml2.so.16", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

bool libxml_load(libxml *lib) {
    void *handle = open_library();
    bool complete = handle != NULL;
    for (size_t i = 0; complete && i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        memcpy((char *)lib + functions[i].offset, &symbol, sizeof symbol);
        complete = symbol != NULL;
    }
    if (handle)
        dlclose(handle); // it stays in the process
    return complete;
}

const char *libxml_missing(const char **hint) {
    libxml lib;
    if (libxml_load(&lib))
        return NULL;
    *hint = "install the package libxml2";
    return "needs libxml2, which cannot be loaded";
}
