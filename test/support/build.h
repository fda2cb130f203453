/* From a model text in memory to a system and a state, for tests that look inside. */
#ifndef TRAMMEL_TEST_SUPPORT_BUILD_H
#define TRAMMEL_TEST_SUPPORT_BUILD_H

#include "solve/solve.h"
#include "system/state_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    arena *arena;
    model *model;
    const mech *mech;
    trm_system *sys; // NULL if the text is wrong
    trm_state *st;
} built;

typedef model *(*reading)(arena *a, const source *file, const model_setting *settings, int setting_count);

// name: beside which files are sought
static inline built build_named(const char *name, const char *given, evaluate_how how, reading read) {
    built b = {.arena = arena_new((size_t)1 << 30)};
    assert_non_null(b.arena);
    source *s = arena_alloc(b.arena, sizeof *s);
    *s = (source){name, arena_copy(b.arena, given, strlen(given)), (int)strlen(given)};
    b.model = read(b.arena, s, NULL, 0);
    if (b.model->diags.errors == 0)
        b.mech = mech_derive(b.arena, b.model);
    if (b.model->diags.errors == 0)
        b.sys = system_new(b.arena, b.model, b.mech, how, 0, 0);
    if (b.sys)
        b.st = solve_new_state(b.arena, b.sys);
    return b;
}

static inline built build_read(const char *given, evaluate_how how, reading read) {
    return build_named("test.tram", given, how, read);
}

static inline built build_unchecked(const char *given, evaluate_how how) {
    return build_read(given, how, mech_read);
}

static inline built build_file(const char *name, const char *given, evaluate_how how) {
    built b = build_named(name, given, how, mech_read);
    if (b.sys == NULL)
        fail_msg("%s\n%s", diags_text(&b.model->diags, b.arena, 0), given);
    return b;
}

static inline built build_how(const char *given, evaluate_how how) {
    return build_file("test.tram", given, how);
}

static inline built build(const char *given) {
    return build_how(given, EVALUATE_AUTO);
}

static inline void demolish(built *b) {
    arena_free(b->arena);
    *b = (built){0};
}

// the text is wrong, and the messages hold this piece
static inline void assert_wrong(const char *given, const char *piece) {
    built b = build_unchecked(given, EVALUATE_AUTO);
    const char *messages = diags_text(&b.model->diags, b.arena, 0);
    if (b.sys || strstr(messages, piece) == NULL)
        fail_msg("'%s' is not told of:\n%s\nmessages:\n%s", piece, given, messages);
    demolish(&b);
}

// |a - b| <= tolerance * scale, with both numbers told otherwise
static inline void near_at(double a, double b, double tolerance, double scale, const char *what,
                           const char *file, int line) {
    double off = a > b ? a - b : b - a;
    if (off <= tolerance * scale)
        return;
    print_error("%s: %.17g instead of %.17g, off by %.3g of %.3g\n", what, a, b, off, tolerance * scale);
    _fail(file, line);
}
#define assert_near(a, b, tolerance) near_at((a), (b), (tolerance), 1, #a, __FILE__, __LINE__)
#define assert_near_scaled(a, b, tolerance, scale)                                                           \
    near_at((a), (b), (tolerance), (scale), #a, __FILE__, __LINE__)

#endif
