/* The import of robots from inside: each allocation fails in turn, also within what libxml2 calls; and the
 * text that a small robot becomes. */
#define ARENA_CHUNK 256
#include "base/arena.c" // instead of the library's own

#include "base/file.h"
#include "import/import.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

// the model, NULL if the arena's limit was reached
static const char *import_within(arena *a, const char *path) {
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory))
        return NULL;
    arena_recover(a, &out_of_memory);
    const char *why;
    const source *s = file_read(a, path, &why);
    assert_non_null(s);
    diags d = {.arena = a};
    const char *text = import_robot(a, s, &(import_options){0}, &d);
    assert_int_equal(d.errors, 0);
    assert_non_null(text);
    diags_text(&d, a, 0);
    return text;
}

static void test_memory(void **state) {
    static const char *const paths[] = {"test/import/robots/arm.urdf", "test/import/robots/gripper.urdf",
                                        "models/mechanisms/gripper.sdf", "models/mechanisms/linkage.xml"};
    for (int i = 0; i < 4; i++) {
        int failures = 0;
        for (size_t limit = 1 << 12;; limit += 256) {
            arena *a = arena_new(limit);
            bool made = a && import_within(a, paths[i]);
            arena_free(a);
            if (made)
                break;
            failures++;
        }
        assert_true(failures > 100);
    }
}

static const char small[] =
    "<robot name='small'><link name='base'/><link name='arm'><inertial><origin xyz='0 0 0.5' rpy='0 "
    "1.5707963267948966 0'/>"
    "<mass value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link><link name='tip'/>"
    "<joint name='hinge' type='revolute'><parent link='base'/><child link='arm'/><origin xyz='0 0 1' rpy='0 "
    "0 "
    "1.5707963267948966'/><axis xyz='0 -2 0'/><limit lower='-1' upper='1'/><dynamics damping='0.5'/></joint>"
    "<joint name='end' type='fixed'><parent link='arm'/><child link='tip'/><origin xyz='0 0 "
    "0.75'/></joint></robot>";

static const char expected[] =
    "# Made by 'trammel import' from small.urdf, to be read and changed: nothing refers to that file any "
    "more.\n"
    "# Points and directions are in world axes, as the file places everything; angle(J) and displacement(J) "
    "count from there.\n"
    "title \"small\"\n"
    "\n"
    "param g = 9.81\n"
    "gravity (0, 0, -g)\n"
    "\n"
    "# The ground: 'base'\n"
    "\n"
    "# 'tip' is one body with it, by the fixed joint 'end'.\n"
    "param arm_mass = 2\n"
    "body arm: mass = arm_mass, inertia = (0.25, 0.2, 0.1),\n"
    "    at = (0, 0, 1.5), rotation = (0, 0, pi/2)\n"
    "\n"
    "# hinge may go from -1 to 1.\n"
    "joint hinge (damping = 0.5): revolute(ground, arm, at = (0, 0, 1), axis = (1, 0, 0))\n"
    "\n"
    "# Where links are that are part of another body or the ground: the origins of their frames.\n"
    "let base = (0, 0, 0)\n"
    "let tip = point(arm, (0, 0, 0.25))\n"
    "\n"
    "simulate until 1\n"
    "plot \"Angles\": angle(hinge)\n"
    "\n"
    "draw line (0, 0, 0) (0, 0, 1)\n"
    "draw line point(arm, (0, 0, -0.5)) point(arm, (0, 0, 0.25))\n"
    "\n"
    "# Nothing stops a joint at its limits. A run tells whether they were kept if the '#' goes:\n"
    "# expect always angle(hinge) >= -1 and angle(hinge) <= 1\n"
    "\n"
    "# What drives it: take the '#' of a line away, and change what it says.\n"
    "# torque hinge = 0\n";

static void test_text(void **state) {
    arena *a = arena_new(0);
    source s = {"robots/small.urdf", small, sizeof small - 1};
    diags d = {.arena = a};
    const char *text = import_robot(a, &s, &(import_options){0}, &d);
    assert_int_equal(d.errors, 0);
    assert_string_equal(text, expected);
    arena_free(a);
}

static void test_places(void **state) {
    // the second attribute of a tag over three lines, after a byte order mark and a comment with tags in it
    static const char text[] = "\xEF\xBB\xBF<!-- <link> --><robot>\n<link\n name='a'\n\tname2 = \"'&lt;\"/>\n"
                               "<joint\n name = 'j'\n  type\t=\n'wheel'/></robot>";
    arena *a = arena_new(0);
    source s = {"r.urdf", text, sizeof text - 1};
    diags d = {.arena = a};
    assert_null(import_robot(a, &s, &(import_options){0}, &d));
    assert_non_null(strstr(diags_text(&d, a, 0), "r.urdf:7:3: error: there is no type of joint 'wheel'"));
    arena_free(a);
}

int main(void) {
    const char *hint;
    if (import_missing(&hint)) {
        puts("left out: there is no libxml2");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
