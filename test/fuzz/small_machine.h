/* A machine with little memory, for fuzzing: the library's allocations fail beyond 256 MiB, so that a text
 * which asks for too much is answered with TRM_NO_MEMORY, and an input that is answered otherwise takes too
 * much. Linked with --wrap for the names in small_machine.c. */
#ifndef TRAMMEL_TEST_FUZZ_SMALL_MACHINE_H
#define TRAMMEL_TEST_FUZZ_SMALL_MACHINE_H

#include <stddef.h>
#include <stdint.h>

char *text_of(const uint8_t *data, size_t size); // with a closing zero; to be freed

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
