/* A system as a program of its own: C99 files that need nothing but the mathematical part of the C library.
 *
 * Its kernels are printed (code/ctext.h), what it is made of becomes tables, and around them stand the
 * library's own functions (pieces.h) with those of runtime.in. The system is one of EVALUATE_EMITTED. */
#ifndef TRAMMEL_EXPORT_EMIT_H
#define TRAMMEL_EXPORT_EMIT_H

#include "system/state.h"

#include <stdint.h>

typedef struct {
    const char *prefix; // an identifier
    bool direct_only;   // without the general solver
    bool jacobian, main;
    bool single; // numbers of single precision
    double from, until, every, tolerance;
    const double *q, *v; // (n) the assembled start
    const bool *fixed; // (parameters) of which something was computed that stands in the program as a number
} emit_def;

typedef struct {
    const char *header, *source, *main; // texts; main NULL if it is not asked for
    int operations;                     // of one acceleration in the kernel
    long ram;                           // bytes of one object
    long flash;                         // bytes of code, roughly, that a small processor takes
} emitted;

/* NULL, or why this system cannot be emitted so, a text for people. */
const char *emit_refusal(arena *a, const trm_system *sys, trm_state *st, const emit_def *d);
void emit_c(arena *a, const trm_system *sys, trm_state *st, const emit_def *d, emitted *out);

/* Of the texts of its kernels: those of a system with other values of parameters are the same where nothing
 * was computed of these. */
uint64_t emit_fingerprint(arena *a, const trm_system *sys, trm_state *st, const emit_def *d);

/* A name of a file as an identifier. */
const char *emit_identifier(arena *a, const char *name);
/* Whether files and functions may begin with it. */
bool emit_prefix_fits(const char *prefix);

#endif
