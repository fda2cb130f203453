/* Robot descriptions in memory, read and put together, for the tests of import. */
#ifndef TRAMMEL_TEST_SUPPORT_ROBOTS_H
#define TRAMMEL_TEST_SUPPORT_ROBOTS_H

#include "import/import.h"
#include "import/robot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LINK(name) "<link name='" name "'/>"
#define BODY(name, mass, inertial)                                                                           \
    "<link name='" name "'><inertial><mass value='" mass "'/>"                                               \
    "<inertia ixx='1' iyy='1.2' izz='1.4'/>" inertial "</inertial></link>"
#define JOINT(name, type, parent, child, more)                                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more       \
    "</joint>"

typedef struct {
    arena *arena;
    source *source; // in the arena: places point to it
    diags diags;
    robot robot;
    bool ok;
} described;

static inline described describe(const char *given) {
    described x = {.arena = arena_new(0)};
    assert_non_null(x.arena);
    x.source = arena_alloc(x.arena, sizeof *x.source);
    *x.source = (source){"r.urdf", given, (int)strlen(given)};
    x.diags = (diags){.arena = x.arena};
    return x;
}

static inline void forget(described *x) {
    arena_free(x->arena);
    *x = (described){0};
}

static inline const char *messages(described *x) {
    return diags_text(&x->diags, x->arena, 0);
}

static inline void set_text(described *x, const char *given) {
    *x->source = (source){x->source->path, given, (int)strlen(given)};
}

static inline void read_it(described *x) {
    x->ok = robot_read(x->arena, x->source, &x->diags, &x->robot);
}

static inline void assemble_it(described *x, bool free_base) {
    if (!x->ok)
        fail_msg("%s\n%s", messages(x), x->source->text);
    x->ok = robot_assemble(x->arena, &x->diags, &x->robot, free_base);
}

// what these elements of a robot say
static inline described read_robot(const char *elements) {
    described x = describe("");
    set_text(&x, arena_print(x.arena, "<robot name='r'>%s</robot>", elements));
    read_it(&x);
    return x;
}

static inline described assemble_robot(const char *elements, bool free_base) {
    described x = read_robot(elements);
    assemble_it(&x, free_base);
    return x;
}

// what a whole file says
static inline described read_file(const char *given) {
    described x = describe(given);
    read_it(&x);
    return x;
}

static inline described assemble_file(const char *given) {
    described x = read_file(given);
    assemble_it(&x, false);
    return x;
}

static inline const robot_link *link_of(const described *x, const char *name) {
    for (int i = 0; i < x->robot.links.count; i++)
        if (strcmp(x->robot.links.at[i].name, name) == 0)
            return &x->robot.links.at[i];
    fail_msg("there is no link %s", name);
    return NULL;
}

// it is told, at this place of the text if there is one ("1:7"), with all the pieces
static inline void assert_told(described *x, const char *at, const char *message, const char *hint) {
    const char *all = messages(x);
    const char *piece = at ? arena_print(x->arena, "r.urdf:%s: %s", at, message) : message;
    if (strstr(all, piece) == NULL || (hint && strstr(all, hint) == NULL))
        fail_msg("'%s', '%s' is not told of:\n%s\nmessages:\n%s", piece, hint ? hint : "", x->source->text,
                 all);
}

static inline void assert_vector(vector v, double a, double b, double c) {
    double off = fmax(fabs(v.x - a), fmax(fabs(v.y - b), fabs(v.z - c)));
    if (!(off < 1e-14))
        fail_msg("(%.17g, %.17g, %.17g) instead of (%.17g, %.17g, %.17g)", v.x, v.y, v.z, a, b, c);
}

// without libxml2 there is nothing to test
static inline bool cannot_import(void) {
    const char *hint, *missing = import_missing(&hint);
    if (missing)
        printf("left out: import %s\n", missing);
    return missing != NULL;
}

#endif
