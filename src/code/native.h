/* Native kernels: a program's steps as x86-64 machine code, straight-line.
 *
 * Which path a processor has is found at run time. The environment's TRAMMEL_KERNEL names another one; a path
 * that the processor lacks, or a word that is no path, gives the best one there is, for all of them compute
 * the same. Memory is never writable and executable at once. */
#ifndef TRAMMEL_CODE_NATIVE_H
#define TRAMMEL_CODE_NATIVE_H

#include "code/steps.h"

/* Each path has what those before it have. Scalar code needs AVX, the lanes AVX2 and AVX-512 (F and DQ). */
typedef enum { PATH_TAPE, PATH_SCALAR, PATH_AVX2, PATH_AVX512, PATHS } native_path;

native_path native_best(void);   // of this processor
native_path native_chosen(void); // the same, if TRAMMEL_KERNEL does not wish otherwise
bool native_allowed(void);       // whether memory can be made executable; where not, the tape runs
const char *native_name(native_path path);

typedef struct {
    /* Value i at [i], or in lanes at [8 i + l]. Four lanes: that many are done, call it twice. */
    void (*run)(const double *in, double *out, double *work);
    size_t slots; // of the workspace, counted as values
} native_code;

/* Code for one instance, or for lanes. False, and *code is cleared, if there is none: the path has no such
 * code, the program is too large, or memory cannot be made executable. The code is freed with the arena. */
bool native_compile(arena *a, arena *scratch, const program *p, native_path path, bool lanes,
                    native_code *code);

#endif
