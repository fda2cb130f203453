/* What wasi-libc leaves out; stubs.c has it. */
#ifndef TRAMMEL_WASM_STDLIB_H
#define TRAMMEL_WASM_STDLIB_H

#include_next <stdlib.h>

char *realpath(const char *path, char *resolved);

#endif
