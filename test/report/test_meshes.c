/* What is seen of a mesh from a side: flat pieces one behind the other, and lines as far as nothing hides
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/scene/meshes.h"

static const double ONE[3] = {1, 1, 1};
static const quaternion UPRIGHT = {.w = 1};

static mesh_pose from_front(const double *scale) {
    return (mesh_pose){{0}, UPRIGHT, {scale[0], scale[1], scale[2]}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

static mesh_pose from_corner(void) {
    double h = sqrt(0.5), t = sqrt(1.0 / 6), c = sqrt(1.0 / 3);
    return (mesh_pose){{0}, UPRIGHT, {1, 1, 1}, {h, 0, -h}, {-t, 2 * t, -t}, {c, c, c}};
}

// the unit cube from (x, y, z) on
static void put_cube(text *t, int first, double x, double y, double z) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 8; i++)
        text_print(t, "v %g %g %g\n", x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
    for (int i = 0; i < 6; i++)
        text_print(t, "f %d %d %d %d\n", first + faces[i][0], first + faces[i][1], first + faces[i][2],
                   first + faces[i][3]);
}

static mesh_shape shape_of(arena *a, const char *given) {
    source *s = arena_alloc(a, sizeof *s);
    *s = (source){"test", given, (int)strlen(given)};
    return mesh_shape_of(a, s);
}

static mesh_shape cube(arena *a) {
    text t;
    text_init(&t, a);
    put_cube(&t, 1, 0, 0, 0);
    return shape_of(a, text_string(&t));
}

static mesh_picture seen_of(arena *a, const mesh_shape *s, mesh_pose pose) {
    return mesh_seen(a, &(mesh_part){s, pose}, 1);
}

static double length_of(const mesh_picture *m) {
    double sum = 0;
    for (int i = 0; i < m->lines.count; i++)
        sum +=
            hypot(m->lines.at[i].to.x - m->lines.at[i].from.x, m->lines.at[i].to.y - m->lines.at[i].from.y);
    return sum;
}

static double area_of(const mesh_piece *piece) {
    double sum = 0;
    for (int n = 0; n < piece->loops.count; n++) {
        const point_list *l = &piece->loops.at[n];
        for (int i = 0; i < l->count; i++) {
            point p = l->at[i], q = l->at[(i + 1) % l->count];
            sum += (p.x * q.y - p.y * q.x) / 2;
        }
    }
    return sum;
}

static void a_cube(void **state) {
    arena *a = arena_new(0);
    mesh_shape s = cube(a);
    mesh_pose front = from_front(ONE), corner = from_corner();
    assert_true(s.closed);
    assert_true(fabs(mesh_reach(&s, (double[]){1, 2, 2}) - 3) < 1e-12);
    mesh_picture m = seen_of(a, &s, front);
    assert_int_equal(m.pieces.count, 1);
    assert_true(fabs(area_of(&m.pieces.at[0]) - 1) < 1e-12 && fabs(length_of(&m) - 4) < 1e-12);
    m = seen_of(a, &s, corner);
    assert_int_equal(m.pieces.count, 3);
    assert_int_equal(m.lines.count, 9);
    assert_true(fabs(length_of(&m) - 9 * sqrt(2.0 / 3)) < 1e-12);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(m.pieces.at[i].loops.count, 1);
        assert_int_equal(m.pieces.at[i].loops.at[0].count, 4);
        assert_true(fabs(area_of(&m.pieces.at[i]) - sqrt(1.0 / 3)) < 1e-12);
        assert_true(fabs(vector_dot(m.pieces.at[i].normal, corner.back) - sqrt(1.0 / 3)) < 1e-12);
    }
    arena_free(a);
}

// its x the other way round
static void a_mirrored_cube(void **state) {
    arena *a = arena_new(0);
    mesh_shape s = cube(a);
    mesh_pose front = from_front((double[]){-2, 3, 1});
    mesh_picture m = seen_of(a, &s, front);
    assert_int_equal(m.pieces.count, 1);
    assert_true(fabs(fabs(area_of(&m.pieces.at[0])) - 6) < 1e-12 && fabs(length_of(&m) - 10) < 1e-12);
    assert_true(m.pieces.at[0].normal.z > 0.999);
    arena_free(a);
}

// two cubes: one behind, and shifted by half along both sides, so that a corner of it is hidden
static void what_is_behind(void **state) {
    for (int swapped = 0; swapped < 2; swapped++) {
        arena *a = arena_new(0);
        text t;
        text_init(&t, a);
        put_cube(&t, 1, swapped ? 0.5 : 0, swapped ? 0.5 : 0, swapped ? -2 : 0);
        put_cube(&t, 9, swapped ? 0 : 0.5, swapped ? 0 : 0.5, swapped ? 0 : -2);
        mesh_shape s = shape_of(a, text_string(&t));
        mesh_pose pose = from_front(ONE);
        mesh_picture m = seen_of(a, &s, pose);
        assert_int_equal(m.pieces.count, 2);
        double right = 0;
        for (int i = 0; i < 4; i++)
            right = fmax(right, m.pieces.at[1].loops.at[0].at[i].x);
        assert_true(right == 1); // the last is in front
        assert_true(fabs(length_of(&m) - 7) < 1e-4);
        arena_free(a);
    }
}

// a cube of one part in the frame of another, before its back and behind its front
static void parts_reach_into_each_other(void **state) {
    arena *a = arena_new(0);
    text t;
    text_init(&t, a);
    put_cube(&t, 1, 0.1, 0.1, 0);
    put_cube(&t, 9, 0, 0, 4);
    mesh_shape frame = shape_of(a, text_string(&t)), block = cube(a);
    mesh_pose pose = from_front(ONE), inside = from_front(ONE);
    inside.at = (vector){0.25, 0.5, 2};
    mesh_picture m = mesh_seen(a, (mesh_part[]){{&frame, pose}, {&block, inside}}, 2);
    static const int parts[] = {0, 1, 0};
    assert_int_equal(m.pieces.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(m.pieces.at[i].part, parts[i]);
    assert_true(fabs(length_of(&m) - 4 - 2.75 - 0.75) < 1e-4); // front, block, back
    arena_free(a);
}

// around z, its sides no lines; flat ends
static void a_cylinder(void **state) {
    enum { SIDES = 24 };
    arena *a = arena_new(0);
    text t;
    text_init(&t, a);
    for (int i = 0; i < 2 * SIDES; i++)
        text_print(&t, "v %.9g %.9g %d\n", cos(2 * M_PI * (i / 2) / SIDES), sin(2 * M_PI * (i / 2) / SIDES),
                   i % 2);
    for (int i = 0; i < SIDES; i++) {
        int k = (i + 1) % SIDES;
        text_print(&t, "f %d %d %d %d\n", 2 * i + 1, 2 * k + 1, 2 * k + 2, 2 * i + 2);
    }
    text_add(&t, "f");
    for (int i = 0; i < SIDES; i++)
        text_print(&t, " %d", 2 * i + 2);
    text_add(&t, "\nf");
    for (int i = SIDES - 1; i >= 0; i--)
        text_print(&t, " %d", 2 * i + 1);
    text_add(&t, "\n");
    mesh_shape s = shape_of(a, text_string(&t));
    double c = sqrt(0.5);
    mesh_pose pose = {{0},       rotation_about((vector){0, 0, 1}, 0.01), {1, 1, 1}, {1, 0, 0}, {0, c, c},
                      {0, -c, c}};
    mesh_picture m = seen_of(a, &s, pose);
    assert_true(s.closed);
    assert_int_equal(m.pieces.count, 1 + SIDES / 2);
    assert_int_equal(m.lines.count, SIDES + SIDES / 2 + 2); // the upper rim, half of the lower, two sides
    arena_free(a);
}

static void a_sheet_has_two_sides(void **state) {
    arena *a = arena_new(0);
    mesh_shape s = shape_of(a, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
    mesh_pose pose = from_front(ONE);
    mesh_picture m = seen_of(a, &s, pose);
    assert_false(s.closed);
    assert_int_equal(m.pieces.count, 1);
    assert_true(m.pieces.at[0].normal.z > 0.999 && fabs(length_of(&m) - 2 - sqrt(2)) < 1e-12);
    arena_free(a);
}

static void how_near_it_is(void **state) {
    arena *a = arena_new(0);
    mesh_shape s = cube(a);
    mesh_pose pose = from_front((double[]){2, 2, 5});
    const vector *points = mesh_points(a, &s, &pose);
    assert_true(mesh_front(&s, points, (point){1.3, 0.4}) == 5);
    assert_true(mesh_front(&s, points, (point){2.1, 0.4}) == -INFINITY);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cube),
                                       cmocka_unit_test(a_mirrored_cube),
                                       cmocka_unit_test(what_is_behind),
                                       cmocka_unit_test(a_cylinder),

                                       cmocka_unit_test(parts_reach_into_each_other),
                                       cmocka_unit_test(how_near_it_is),
                                       cmocka_unit_test(a_sheet_has_two_sides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
