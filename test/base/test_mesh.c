/* Meshes of files: the same cube in all formats, and what is wrong with others. */
#include "base/mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <math.h>

#include "base/text.h"

static const int faces_of_cube[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static double coordinate(int corner, int k) {
    return corner >> k & 1;
}

static const source *read_text(arena *a, const void *bytes, size_t length, int *faces, const char **why) {
    char name[] = "/tmp/trammel-mesh-XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), (ssize_t)length);
    close(file);
    *why = NULL;
    const source *s = mesh_file(a, name, faces, why);
    unlink(name);
    assert_true((s == NULL) == (*why != NULL));
    return s;
}

// of eight points and twelve faces about a volume of 1: six times that, by the divergence theorem
static void assert_cube(const mesh *m) {
    double volume = 0;
    assert_int_equal(m->points.count, 8);
    assert_int_equal(m->faces.count, 12);
    for (int i = 0; i < 12; i++) {
        const double *p = m->points.at[m->faces.at[i].corner[0]].at,
                     *q = m->points.at[m->faces.at[i].corner[1]].at,
                     *r = m->points.at[m->faces.at[i].corner[2]].at;
        volume += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                  p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    assert_true(volume > 6 - 1e-12 && volume < 6 + 1e-12);
}

static void expect_cube(const void *bytes, size_t length) {
    arena *a = arena_new(0);
    int faces = 0;
    const char *why;
    const source *s = read_text(a, bytes, length, &faces, &why);
    if (s == NULL)
        fail_msg("%s", why);
    assert_int_equal(faces, 12);
    assert_cube(mesh_of(a, s));
    const source *again = read_text(a, s->text, (size_t)s->length, &faces, &why);
    assert_non_null(again);
    assert_string_equal(again->text, s->text);
    arena_free(a);
}

// ---- formats

static size_t put_float(unsigned char *to, float value) {
    memcpy(to, &value, 4);
    return 4;
}

enum { CUBE = 84 + 12 * 50 };
static void put_binary(unsigned char *to) {
    memset(to, 0, CUBE);
    memcpy(to, "solid, though binary", 20);
    to[80] = 12;
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 9; k++) {
            int corner = faces_of_cube[i / 2][k / 3 == 0 ? 0 : k / 3 + i % 2];
            put_float(to + 84 + 50 * (size_t)i + 12 + 4 * (size_t)k, (float)coordinate(corner, k % 3));
        }
}

static void binary(void **state) {
    unsigned char bytes[CUBE];
    put_binary(bytes);
    expect_cube(bytes, CUBE);
}

static const char *stl_cube(arena *a, const char *end) {
    text t;
    text_init(&t, a);
    text_print(&t, "  solid cube%s", end);
    for (int i = 0; i < 12; i++) {
        text_print(&t, "facet normal 0 0 0%s outer loop%s", end, end);
        for (int k = 0; k < 3; k++) {
            int corner = faces_of_cube[i / 2][k == 0 ? 0 : k + i % 2];
            text_print(&t, "\tVERTEX %g %.3e %g%s", coordinate(corner, 0), coordinate(corner, 1),
                       coordinate(corner, 2) == 0 ? -0.0 : 1.0, end);
        }
        text_print(&t, "endloop%sendfacet%s", end, end);
    }
    text_print(&t, "endsolid cube%s", end);
    return text_string(&t);
}

static void stl_as_text(void **state) {
    arena *a = arena_new(0);
    for (int i = 0; i < 2; i++) {
        const char *given = stl_cube(a, i ? "\r\n" : "\n");
        expect_cube(given, strlen(given));
    }
    arena_free(a);
}

// faces of four, by numbers from the end, with normals and textures, a point twice
static void obj(void **state) {
    arena *a = arena_new(0);
    for (int back = 0; back < 2; back++) {
        text t;
        text_init(&t, a);
        text_add(&t, "# a cube\nmtllib none.mtl\no cube\nv 0 0 0\n");
        for (int i = 0; i < 8; i++)
            text_print(&t, "v %g %g %g 1.0\n", coordinate(i, 0), coordinate(i, 1), coordinate(i, 2));
        text_add(&t, "vn 0 0 1\nvt 0 0\nusemtl steel\ns off\n");
        for (int i = 0; i < 6; i++) {
            text_add(&t, "f");
            for (int k = 0; k < 4; k++)
                text_print(&t, k % 2 ? " %d/1/1" : " %d//1", faces_of_cube[i][k] + (back ? -8 : 2));
            text_add(&t, "\n");
        }
        expect_cube(text_string(&t), (size_t)t.bytes.count);
    }
    arena_free(a);
}

// ---- what is wrong

static void assert_refused(const void *bytes, size_t length, const char *expected) {
    arena *a = arena_new(0);
    int faces;
    const char *why;
    read_text(a, bytes, length, &faces, &why);
    if (why == NULL || strstr(why, expected) == NULL)
        fail_msg("expected '%s', found '%s'", expected, why ? why : "nothing wrong");
    arena_free(a);
}

static void wrong_texts(void **state) {
    static const char *const cases[][2] = {
        {"", "it is neither STL nor OBJ"},
        {"<?xml version='1.0'?>\n<COLLADA/>\n", "it is neither STL nor OBJ"},
        {"v 0 0 0\nv 1 0 0\n", "there is no triangle in it"},
        {"v 0 0 0\nv 1 0 0\nf 1 2 2\n", "there is no triangle in it"},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face has three corners or more"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: there is no point 4: there are 3"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4: there is no point 0"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "line 4: there is no point -4"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "line 4: there is no point"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "line 4: a corner of a face is the number of a point"},
        {"v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "line 2: a point has three coordinates"},
        {"v 0 0 0\nv 1 0 O\nv 0 1 0\nf 1 2 3\n", "line 2: 'O' is no number"},
        {"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "line 2: a point is at no finite place"},
        {"v 0 0 0\nv 1 0 -1e31\nv 0 1 0\nf 1 2 3\n", "line 2: a point is at no finite place"},
        {"solid\nendsolid\n", "there is no triangle in it"},
        {"solid\nvertex 0 0 0\nendsolid\n", "line 2: a vertex stands in no facet"},
        {"solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid\n",
         "line 5: a facet has three corners"},
        {"solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n",
         "line 6: a facet has three corners"},
        {"solid\nfacet\nvertex 0 0 0\nfacet\n", "line 4: a facet begins within another"},
        {"solid\nfacet\nvertex 0 0 inf\n", "line 3: a point is at no finite place"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

static void wrong_numbers(void **state) {
    unsigned char bytes[CUBE];
    put_binary(bytes);
    put_float(bytes + 84 + 50 * 7 + 12 + 4 * 5, (float)NAN);
    assert_refused(bytes, CUBE, "a corner of triangle 8 is at no finite place");
    put_binary(bytes);
    bytes[80] = 13;
    assert_refused(bytes, CUBE, "it is cut off: it should be 734 bytes long, and is 684");
    bytes[80] = 11;
    assert_refused(bytes, CUBE, "no STL as it should be: it should be 634 bytes long");
    bytes[83] = 0xff; // more than any file has
    assert_refused(bytes, CUBE, "it is cut off");
}

// wherever a file is cut off
static void cut_off(void **state) {
    unsigned char bytes[CUBE];
    put_binary(bytes);
    for (size_t length = 0; length < CUBE; length++)
        assert_refused(bytes, length, "it");
    arena *a = arena_new(0);
    const char *given = stl_cube(a, "\n");
    for (size_t length = 0; length < strlen(given) - strlen("endsolid cube\n"); length++)
        assert_refused(given, length, "");
    arena_free(a);
}

static void too_many(void **state) {
    arena *a = arena_new(0);
    for (int more = 0; more < 2; more++) {
        size_t count = MESH_FACES_MOST + (size_t)more, length = 84 + 50 * count;
        unsigned char *bytes = arena_array(a, unsigned char, length);
        for (int i = 0; i < 4; i++)
            bytes[80 + i] = (unsigned char)(count >> 8 * i);
        for (size_t i = 0; i < count; i++) {
            put_float(bytes + 84 + 50 * i + 12, (float)i);
            put_float(bytes + 84 + 50 * i + 28, 1);
            put_float(bytes + 84 + 50 * i + 44, 1);
        }
        int faces;
        const char *why;
        const source *s = read_text(a, bytes, length, &faces, &why);
        assert_true((s != NULL) == (more == 0));
        assert_int_equal(faces, MESH_FACES_MOST);
        if (more)
            assert_string_equal(why, "it has more than 200000 triangles, the most there may be");
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(binary),        cmocka_unit_test(stl_as_text),
                                       cmocka_unit_test(obj),           cmocka_unit_test(wrong_texts),
                                       cmocka_unit_test(wrong_numbers), cmocka_unit_test(cut_off),
                                       cmocka_unit_test(too_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
