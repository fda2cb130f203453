/* What a page does not have: code of the processor, threads, processes, files to write. All of it is behind
 * headers of the library, so that nothing else of it knows where it runs. */
#include "base/output.h"
#include "base/pages.h"
#include "code/native.h"
#include "import/import.h"
#include "motion/integrator.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// ---- base: memory. What is grown cannot be given back, so malloc has it all

enum { ALIGNMENT = 64 };

void *pages_alloc(size_t size) {
    void *block = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    return block ? memset(block, 0, size) : NULL;
}

void *pages_resize(void *block, size_t size, size_t new_size) {
    void *grown = pages_alloc(new_size);
    if (grown == NULL)
        return NULL;
    memcpy(grown, block, size < new_size ? size : new_size);
    free(block);
    return grown;
}

void pages_free(void *block, size_t size) {
    (void)size;
    free(block);
}

/* Throws, in the host: no memory. */
_Noreturn void host_give_up(void) __attribute__((import_module("trammel"), import_name("give_up")));

_Noreturn void longjmp(jmp_buf here, int value) {
    (void)here, (void)value;
    host_give_up();
}

// ---- base: files that are written

bool output_open(output *o, arena *a, const char *path, output_kind kind) {
    (void)a, (void)path, (void)kind;
    *o = (output){.file = -1, .about = "a page writes no files"};
    return false;
}

bool output_write(output *o, const void *bytes, size_t length) {
    (void)o, (void)bytes, (void)length;
    return false;
}

bool output_place(output *o) {
    (void)o;
    return false;
}

bool output_move(int file, const char *part, const char *to, bool into) {
    (void)file, (void)part, (void)to, (void)into;
    return false;
}

void output_lend(output *o) {
    (void)o;
}

void output_discard(output *o) {
    (void)o;
}

const char *output_why(const output *o, arena *a) {
    (void)a;
    return o->about;
}

bool output_has_files(void) {
    return false;
}

// ---- code: the tape

native_path native_best(void) {
    return PATH_TAPE;
}

native_path native_chosen(void) {
    return PATH_TAPE;
}

bool native_allowed(void) {
    return false;
}

const char *native_name(native_path path) {
    (void)path;
    return "tape";
}

bool native_compile(arena *a, arena *scratch, const program *p, native_path path, bool lanes, native_code *code) {
    (void)a, (void)scratch, (void)p, (void)path, (void)lanes;
    *code = (native_code){0};
    return false;
}

// ---- import

const char *import_missing(const char **hint) {
    *hint = "";
    return "needs libxml2, which is not in a page";
}

// ---- motion: SUNDIALS, which is loaded where there are libraries

static const char *no_sundials(const char **hint) {
    *hint = "take rk8 or rk5, or the program";
    return "needs SUNDIALS, which is not in a page";
}

const integrator_ops integrator_bdf = {.name = "bdf", .about = "for stiff systems, of SUNDIALS", .missing = no_sundials};
const integrator_ops integrator_adams = {.name = "adams", .about = "for smooth systems, of SUNDIALS", .missing = no_sundials};
