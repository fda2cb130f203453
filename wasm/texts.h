/* The files that there are in a page: texts by the names under which a model includes them. */
#ifndef TRAMMEL_WASM_TEXTS_H
#define TRAMMEL_WASM_TEXTS_H

#include <stdbool.h>

/* Both are copied; a text that has the name already is replaced. False without memory. */
bool texts_put(const char *name, const char *text);
void texts_clear(void);

#endif
