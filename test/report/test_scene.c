/* What a scene is made of: each kind of joint has its glyph at its place, teeth stand in gaps, and what goes
 * far is told from what is small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/objects.h"
#include "report/scene/scene.h"

typedef struct {
    trm_model *model;
    trm_result *result;
    scene scene;
} shown;

static shown show(const char *given) {
    shown out;
    trm_run_def def = trm_run_def_default();
    def.keep = TRM_KEEP_PAGE;
    trm_status status = trm_model_read_text("test.tram", given, NULL, 0, &out.model);
    if (status != TRM_OK)
        fail_msg("%s\n%s", trm_model_messages(out.model, 0), given);
    status = trm_run(out.model, &def, &out.result);
    if (status != TRM_OK)
        fail_msg("%s\n%s", trm_result_messages(out.result, 0), given);
    scene_make(&out.scene, out.result->arena, out.result->samples.record);
    return out;
}

static void hide(shown *s) {
    trm_result_free(s->result);
    trm_model_free(s->model);
}

static vector place_of(const scene *s, const item *i, long at) {
    instant when = {at, 0};
    vector offset = rotation_apply(track_turn(&s->tracks, i->turn, when), i->offset);
    return vector_sum(track_point(&s->tracks, i->at, when), offset);
}

// of a joint, the nearest glyph to a point at a sample
static double nearest(const scene *s, const char *joint, long at, vector wanted) {
    double least = INFINITY;
    for (int i = 0; i < s->items.count; i++) {
        const item *g = &s->items.at[i];
        if (g->joint && strcmp(g->label, joint) == 0)
            least = fmin(least, vector_norm(vector_difference(place_of(s, g, at), wanted)));
    }
    return least;
}

static const item *find(const scene *s, const char *joint, int kind, int skip) {
    for (int i = 0; i < s->items.count; i++)
        if (s->items.at[i].joint && strcmp(s->items.at[i].label, joint) == 0 && s->items.at[i].kind == kind &&
            skip-- == 0)
            return &s->items.at[i];
    fail_msg("'%s' has no such glyph", joint);
    return NULL;
}

// ---- joints

static void check_place(const char *kind, const char *more, const char *spin) {
    char given[1000];
    int named = 0;
    snprintf(given, sizeof given,
             "body A: mass = 1, inertia = (1, 2, 3), at = (1, 2, 3), omega = (%s)\n"
             "body B: mass = 1, inertia = (1, 2, 3), at = (3, 2, 3), omega = (%s)\n"
             "joint J: %s(ground, A%s)\njoint K: fixed(A, B)\n"
             "force A = (0.2, 0.1, -1)\ndraw line A B\nsimulate until 1, every 0.1\n",
             spin, spin, kind, more);
    shown s = show(given);
    const model_joint *j = &s.scene.model->joints.at[0];
    for (long at = 0; at < s.scene.record->count; at++)
        if (!(nearest(&s.scene, "J", at, tracks_point_at(&s.scene.tracks, j->at[1], at)) < 1e-6))
            fail_msg("%s: no glyph where it is", kind);
    for (int i = 0; i < s.scene.items.count; i++)
        named += s.scene.items.at[i].named && strcmp(s.scene.items.at[i].label, "J") == 0;
    assert_int_equal(named, 1);
    hide(&s);
}

static void each_joint_has_its_glyph_at_its_place(void **state) {
    check_place("revolute", ", at = (1, 2, 3), axis = (0, 0, 1)", "0, 0, 0");
    check_place("spherical", ", at = (1, 2, 3)", "0, 0, 0");
    check_place("universal", ", at = (1, 2, 3), axis1 = (1, 0, 0), axis2 = (0, 1, 0)", "0, 0, 0");
    check_place("fixed", "", "0, 0, 0");
    check_place("planar", ", at = (1, 2, 3), normal = (0, 0, 1)", "0, 0, 0");
    check_place("prismatic", ", axis = (0, 0, 1)", "0, 0, 0");
    check_place("cylindrical", ", at = (1, 2, 3), axis = (0, 0, 1)", "0, 0, 0");
}

static void a_rail_is_as_long_as_its_block_goes(void **state) {
    shown s = show(
        "body A: mass = 1, inertia = (1, 1, 1), at = (0, 0, 0), velocity = (0, 0, 2)\n"
        "body B: mass = 1, inertia = (1, 1, 1), at = (5, 0, 0)\n"
        "joint J: prismatic(ground, A, axis = (0, 0, 1))\njoint F: fixed(ground, B)\nsimulate until 1\n");
    const item *rail = find(&s.scene, "J", DRAW_BOX, 0);
    vector middle = place_of(&s.scene, rail, 0);
    assert_true(rail->size[2] > 2 && rail->size[2] < 4);
    assert_true(fabs(middle.z - 1) < 1e-6 && fabs(middle.x) < 1e-6);
    hide(&s);
}

static void a_pin_of_the_ground_stands_on_hatching(void **state) {
    shown s = show("body2 A: mass = 1, inertia = 1, at = (1, 0)\njoint J: revolute(ground, A, at = (0, 0))\n"
                   "gravity (0, -1)\nsimulate until 1\n");
    const item *bracket = find(&s.scene, "J", ITEM_OUTLINE, 0), *pin = find(&s.scene, "J", ITEM_PIN, 0);
    assert_true(s.scene.outlines.at[bracket->outline].lines.count > 3);
    assert_true(vector_norm(place_of(&s.scene, pin, 3)) < 1e-9);
    assert_false(s.scene.space);
    hide(&s);
}

static void a_wheel_has_spokes_and_turns(void **state) {
    shown s =
        show("body2 W: mass = 1, inertia = 0.1, at = (0, 0.5), velocity = (1, 0)\n"
             "joint J: rolling(ground, W, at = (0, 0), normal = (0, 1), radius = 0.5)\nsimulate until 1\n");
    const item *wheel = find(&s.scene, "J", ITEM_OUTLINE, 0), *floor = find(&s.scene, "J", ITEM_OUTLINE, 1);
    assert_int_equal(s.scene.outlines.at[wheel->outline].loops.count, 9);
    assert_true(s.scene.tracks.all.at[wheel->turn].moves);
    assert_true(s.scene.outlines.at[floor->outline].lines.count > 3);
    hide(&s);
}

// ---- what stands still

static int count_of(const scene *s, const char *joint, int kind) {
    int count = 0;
    for (int i = 0; i < s->items.count; i++) {
        const item *it = &s->items.at[i];
        count += it->joint && strcmp(it->joint, joint) == 0 && it->kind == kind;
    }
    return count;
}

// the end of a rod that stays has a bracket; that of what changes its length, and of what goes along, has
// none
static void rods_end_on_brackets(void **state) {
    static const char pendulum[] = "coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential y\n"
                                   "constraint rod: x^2 + y^2 = 1\nsimulate until 1\n";
    static const char spring[] =
        "coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y\n"
        "draw line (0, 0) (x, y)\ndraw line (x, y) (x, y + 1)\nsimulate until 1\n";
    shown s = show(pendulum);
    assert_int_equal(count_of(&s.scene, "pin", ITEM_OUTLINE), 1);
    hide(&s);
    s = show(spring);
    assert_int_equal(count_of(&s.scene, "pin", ITEM_OUTLINE), 0);
    hide(&s);
}

// three motors in a circle stand on one plate, two on a beam; those at other heights on none
static void supports_stand_on_a_base(void **state) {
    static const char motors[] =
        "for i in 1..%d: body A[i]: mass = 1, inertia = (1, 1, 1), at = (3*cos(2*i), 3*sin(2*i), %s)\n"
        "for i in 1..%d: joint J[i]: revolute(ground, A[i], at = (2*cos(2*i), 2*sin(2*i), %s), axis = (0, 0, "
        "1))\n"
        "simulate until 1\n";
    char given[500];
    for (int count = 2; count <= 3; count++) {
        snprintf(given, sizeof given, motors, count, "0", count, "0");
        shown s = show(given);
        assert_int_equal(count_of(&s.scene, "base", ITEM_OUTLINE), 1);
        for (int i = 0; i < s.scene.items.count; i++) {
            const item *base = &s.scene.items.at[i];
            if (base->joint && strcmp(base->joint, "base") == 0) // below all of them
                assert_true(place_of(&s.scene, base, 0).z < 0);
        }
        hide(&s);
    }
    snprintf(given, sizeof given, motors, 2, "2*i", 2, "2*i");
    shown s = show(given);
    assert_int_equal(count_of(&s.scene, "base", ITEM_OUTLINE), 0);
    hide(&s);
}

// a fork's arms stand at the ends of its pin, on the side of its body, and turn with it
static void a_cross_has_yokes_on_the_side_of_their_bodies(void **state) {
    shown s = show(
        "body A: mass = 1, inertia = (1, 1, 1), at = (-1, 0, 0), omega = (2, 0, 0)\n"
        "body B: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), omega = (2, 0, 0)\n"
        "joint in: revolute(ground, A, at = (-2, 0, 0), axis = (1, 0, 0))\n"
        "joint out: revolute(ground, B, at = (2, 0, 0), axis = (1, 0, 0))\n"
        "joint J: universal(A, B, at = (0, 0, 0), axis1 = (0, 0, 1), axis2 = (0, 1, 0))\nsimulate until 1\n");
    for (int side = 0; side < 2; side++)
        for (int arm = 0; arm < 2; arm++) {
            const item *yoke = find(&s.scene, "J", DRAW_BOX, 3 * side + arm);
            vector start = place_of(&s.scene, yoke, 0),
                   end = place_of(&s.scene, yoke, s.scene.record->count - 1);
            double along = side ? start.y : start.z, across = side ? start.z : start.y;
            assert_true(side ? start.x > 0.01 : start.x < -0.01);
            assert_true(fabs(across) < 1e-6 && (arm ? along > 0.01 : along < -0.01));
            assert_true(fabs(end.x - start.x) < 1e-5); // it turns about the shafts
            assert_true(fabs(hypot(end.y, end.z) - hypot(start.y, start.z)) < 1e-5);
            assert_true(hypot(end.y - start.y, end.z - start.z) > 0.01);
        }
    hide(&s);
}

// what is drawn of one body has one colour, and what is of none and stays that of the ground
static void a_body_has_one_colour(void **state) {
    shown s = show("body A: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), omega = (1, 0, 0)\n"
                   "body B: mass = 1, inertia = (1, 1, 1), at = (3, 0, 0), omega = (1, 0, 0)\n"
                   "draw line point(A, (0, 0, 1)) point(A, (0, 1, 0))\ndraw box B (1, 1, 1) (2, 0, 0)\n"
                   "draw cylinder A point(A, (1, 0, 0)) 0.1\ndraw line A B\ndraw box ground (1, 1, 1)\n"
                   "draw circle point(B, (0, 1, 0)) 0.2\nsimulate until 1\n");
    static const int colours[] = {0, 1, 0, COLOUR_INK, COLOUR_GROUND, 1};
    for (int i = 0; i < 6; i++)
        assert_int_equal(s.scene.items.at[i].colour, colours[i]);
    vector middle = place_of(&s.scene, &s.scene.items.at[1], 0);
    assert_true(vector_norm(vector_difference(middle, (vector){5, 0, 0})) < 1e-6);
    hide(&s);
}

// ---- teeth

static void place_points(const scene *s, const item *i, long at, point_list *out) {
    const point_list *edge = &s->outlines.at[i->outline].loops.at[0];
    quaternion q = track_turn(&s->tracks, i->turn, (instant){at, 0});
    vector from = place_of(s, i, at);
    out->count = 0;
    for (int k = 0; k < edge->count; k++) {
        vector v = vector_sum(from, rotation_apply(q, (vector){edge->at[k].x, edge->at[k].y, 0}));
        vec_push(s->arena, *out, ((point){v.x, v.y}));
    }
}

static bool is_inside(const point_list *edge, double x, double y) {
    bool odd = false;
    for (int i = 0; i < edge->count; i++) {
        point a = edge->at[i], b = edge->at[(i + 1) % edge->count];
        if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
            odd = !odd;
    }
    return odd;
}

// how many points along an edge lie in another
static int overlap(const point_list *a, const point_list *b) {
    int count = 0;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < 5; k++) {
            point p = a->at[i], q = a->at[(i + 1) % a->count];
            count += is_inside(b, p.x + (q.x - p.x) * k / 5, p.y + (q.y - p.y) * k / 5);
        }
    return count;
}

static double reach_from(const point_list *edge, double x, double y) {
    double most = 0;
    for (int i = 0; i < edge->count; i++)
        most = fmax(most, hypot(edge->at[i].x - x, edge->at[i].y - y));
    return most;
}

static void teeth_have_the_ratio_of_radii(void **state) {
    static const double ratios[] = {1, 1.5, 2, 2.0 / 3, 3.2, 0.25, 1.4};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        int a, b;
        outline_teeth(ratios[i], &a, &b);
        assert_true(fabs((double)a / b - ratios[i]) < 1e-12);
        assert_true(a >= 18 && b >= 18);
    }
}

// at every angle, however the wheels stand at the start
static void check_gears(double ratio) {
    char given[1000];
    snprintf(given, sizeof given,
             "body2 A: mass = 1, inertia = 1, at = (1, 2), angle = 0.3\n"
             "body2 B: mass = 1, inertia = 1, at = (3, 1), angle = -1.1\n"
             "joint a: revolute(ground, A, at = (1, 2))\njoint b: revolute(ground, B, at = (3, 1))\n"
             "joint g: gear(a, b, ratio = %g)\ntorque A = 1\nsimulate until 3, every 0.05\n",
             ratio);
    shown s = show(given);
    point_list a = {0}, b = {0};
    for (long at = 0; at < s.scene.record->count; at++) {
        place_points(&s.scene, find(&s.scene, "g", ITEM_OUTLINE, 0), at, &a);
        place_points(&s.scene, find(&s.scene, "g", ITEM_OUTLINE, 1), at, &b);
        if (overlap(&a, &b) + overlap(&b, &a) > 0)
            fail_msg("ratio %g: a tooth stands in a tooth at sample %ld", ratio, at);
        assert_true(reach_from(&a, 1, 2) + reach_from(&b, 3, 1) > hypot(2, 1)); // they reach into each other
    }
    hide(&s);
}

static void gears_mesh(void **state) {
    check_gears(-1.5);
    check_gears(-1);
    check_gears(-2);
    check_gears(-0.4);
}

static void gears_out_of_phase_would_not(void **state) {
    arena *a = arena_new(0);
    for (int i = 0; i < 2; i++) {
        outline first = outline_gear(a, 1, 20, 0, 0.1),
                other = outline_gear(a, 1, 20, i ? M_PI / 20 : 0, 0.1);
        point_list *moved = &other.loops.at[0];
        for (int k = 0; k < moved->count; k++)
            moved->at[k].x += 2;
        assert_int_equal(overlap(&first.loops.at[0], moved) > 0, i == 0); // tooth on tooth
    }
    arena_free(a);
}

static void rack_and_wheel_mesh(void **state) {
    shown s =
        show("body2 W: mass = 1, inertia = 1, at = (0, 0), angle = 0.7\n"
             "body2 bar: mass = 1, inertia = 1, at = (0.13, 0.4)\n"
             "joint hub: revolute(ground, W, at = (0, 0))\n"
             "joint slide: prismatic(ground, bar, axis = (1, 0))\n"
             "joint teeth: rack(hub, slide, radius = 0.4)\ntorque W = 1\nsimulate until 2, every 0.05\n");
    point_list wheel = {0}, bar = {0};
    for (long at = 0; at < s.scene.record->count; at++) {
        double low = INFINITY;
        place_points(&s.scene, find(&s.scene, "teeth", ITEM_OUTLINE, 0), at, &wheel);
        place_points(&s.scene, find(&s.scene, "teeth", ITEM_OUTLINE, 1), at, &bar);
        assert_int_equal(overlap(&wheel, &bar) + overlap(&bar, &wheel), 0);
        for (int i = 0; i < bar.count; i++)
            low = fmin(low, fabs(bar.at[i].y));
        assert_true(low < reach_from(&wheel, 0, 0)); // teeth reach between teeth
    }
    hide(&s);
}

static double area_of(const point_list *l) {
    double sum = 0;
    for (int i = 0; i < l->count; i++) {
        point a = l->at[i], b = l->at[(i + 1) % l->count];
        sum += (a.x * b.y - a.y * b.x) / 2;
    }
    return sum;
}

// a square with a rim of 0.1: its sides, and a disc for its corners
static void plates_reach_beyond_their_corners(void **state) {
    static const double square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    arena *a = arena_new(0);
    outline plate = outline_plate(a, square, 4, 0.1, 0.1);
    double area = area_of(&plate.loops.at[0]);
    assert_true(fabs(area - (1 + 4 * 0.1 + M_PI * 0.01)) < 1e-3);
    assert_int_equal(plate.loops.count, 5);
    arena_free(a);
}

// ---- meshes

#define MESHES "models/mechanisms/meshes/"

static void meshes_are_in_the_scene_once(void **state) {
    shown s = show("gravity (0, 0, -9.81)\n"
                   "body A: mass = 1, inertia = (1, 1, 1), mesh = \"" MESHES
                   "piston.stl\", mesh_scale = 0.001, colour = (1, 0.5, 0)\n"
                   "body B: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), rotation = (0, 0, pi/2), mesh_at "
                   "= (2, 0, 0),\n"
                   "        mesh = \"" MESHES
                   "piston.stl\", mesh_scale = (0.001, 0.002, -0.001), mesh_rotation = (0, pi/2, 0)\n"
                   "joint J: revolute(A, B, at = (0.5, 0, 0), axis = (0, 1, 0))\n"
                   "joint K: spherical(ground, A, at = (0, 0, 0))\nsimulate until 0.1, every 0.1\n");
    const scene *c = &s.scene;
    assert_int_equal(c->meshes.count, 1);
    assert_int_equal(c->items.count, 2); // no pins: meshes show what the joints look like
    for (int i = 0; i < 2; i++)
        assert_int_equal(c->items.at[i].kind, DRAW_MESH);
    assert_true(fabs(c->items.at[0].reach - hypot(0.034, 0.036)) < 1e-6);
    assert_int_equal(c->items.at[0].colour, COLOUR_OWN + 0xff8000);
    assert_true(c->items.at[1].size[1] == 0.002 && c->items.at[1].size[2] == -0.001);
    vector at = place_of(c, &c->items.at[1], 0), x = {0, 0, 1};
    assert_true(vector_norm(vector_difference(at, (vector){1, 2, 0})) < 1e-6);
    vector z = rotation_apply(track_turn(&c->tracks, c->items.at[1].turn, (instant){0, 0}), x);
    assert_true(vector_norm(vector_difference(z, (vector){0, 1, 0})) < 1e-6); // z to x to y
    hide(&s);
}

static void meshes_of_statements(void **state) {
    shown s = show(
        "body2 A: mass = 1, inertia = 1\nbody2 B: mass = 1, inertia = 1, at = (1, 0), colour = (0, 0, 1)\n"
        "joint J: revolute(A, B, at = (0.5, 0))\n"
        "draw mesh A \"" MESHES "connecting-rod.stl\" 0.001 (-0.07, 0) 0.1\n"
        "draw mesh A \"" MESHES "piston.stl\"\ndraw mesh ground \"" MESHES "piston.stl\"\n"
        "simulate until 0.1, every 0.1\n");
    const scene *c = &s.scene;
    int count = 0;
    for (int i = 0; i < c->items.count; i++)
        count += c->items.at[i].kind == DRAW_MESH;
    assert_int_equal(count, 3);
    assert_int_equal(c->meshes.count, 2);
    assert_string_equal(c->items.at[0].of, "A");
    assert_int_equal(c->items.at[0].colour, c->items.at[1].colour);
    assert_int_equal(c->items.at[2].colour, COLOUR_GROUND);
    assert_non_null(find(c, "J", ITEM_PIN, 0)); // B has no mesh
    hide(&s);
}

// ---- how large it is

static void check_bounds(const char *given, const double *low, const double *high) {
    shown s = show(given);
    for (int k = 0; k < 3; k++)
        if (fabs(s.scene.low[k] - low[k]) > 1e-5 || fabs(s.scene.high[k] - high[k]) > 1e-5)
            fail_msg("along %d from %g to %g, not from %g to %g:\n%s", k, s.scene.low[k], s.scene.high[k],
                     low[k], high[k], given);
    hide(&s);
}

// on what it stands is seen by its shadow: so the box about it all is as it is in its turn
static void bounds_are_tight(void **state) {
    double d = (2 + 1) * M_SQRT1_2, r = 0.6 + 0.1 * 0.8, z = 0.8 + 0.1 * 0.6;
    check_bounds("body B: mass = 1, shape = box(4, 2, 1), rotation = (0, 0, pi/4), omega = (0, 0, "
                 "0)\nsimulate until 1, every 1\n",
                 (double[]){-d, -d, -0.5}, (double[]){d, d, 0.5});
    check_bounds("body B: mass = 1, shape = cylinder(2, 1), at = (0, 0, 5), rotation = (pi/2, 0, 0), omega = "
                 "(0, 0, 0)\n"
                 "simulate until 1, every 1\n",
                 (double[]){-2, -0.5, 3}, (double[]){2, 0.5, 7});
    check_bounds("coord x\ninitial x' = 1\nkinetic x'^2/2\ndraw cylinder (x, 0, 0) (x + 0.6, 0, 0.8) "
                 "0.1\nsimulate until 1, every 1\n",
                 (double[]){-0.08, -0.1, -0.06}, (double[]){1 + r, 0.1, z});
    check_bounds("body B: mass = 1, inertia = (1, 1, 1), omega = (0, 0, 0), mesh = \"" MESHES
                 "piston.stl\", mesh_at = (0, 0, 1),\n"
                 "  mesh_rotation = (pi/2, 0, 0)\nsimulate until 1, every 1\n",
                 (double[]){-34, -34, 1 - 26}, (double[]){34, 34, 1 + 36});
    check_bounds("body B: mass = 1, shape = box(1, 1, 4), rotation = (0, 0, 0), omega = (pi/2, 0, "
                 "0)\nsimulate until 1, every 0.5\n",
                 (double[]){-0.5, -2, -2}, (double[]){0.5, 2, 2});
}

// ---- what goes far

// two boxes, one unit apart, that go where x says
static shown two_boxes(const char *x) {
    char given[1000];
    snprintf(given, sizeof given,
             "body A: mass = 1, shape = box(1, 1, 1)\nbody B: mass = 1, shape = box(1, 1, 1)\n"
             "constraint a: A.x = %s\nconstraint b: B.x = %s\nconstraint c: B.y = 1\nsimulate until 10, "
             "every 0.1\n",
             x, x);
    return show(given);
}

static void what_goes_far_is_followed_unless_it_comes_back(void **state) {
    shown s = two_boxes("10*t");
    assert_true(s.scene.far && s.scene.travels && s.scene.extent > 100);
    assert_true(s.scene.scale < 4); // marks are sized by the things, not by their way
    hide(&s);
    s = two_boxes("50*sin(2*pi*t)");
    assert_true(s.scene.far && !s.scene.travels && s.scene.scale == s.scene.extent / 4);
    hide(&s);
    s = two_boxes("t/10");
    assert_false(s.scene.far);
    hide(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_end_on_brackets),
        cmocka_unit_test(supports_stand_on_a_base),
        cmocka_unit_test(a_cross_has_yokes_on_the_side_of_their_bodies),
        cmocka_unit_test(a_body_has_one_colour),
        cmocka_unit_test(each_joint_has_its_glyph_at_its_place),
        cmocka_unit_test(a_rail_is_as_long_as_its_block_goes),
        cmocka_unit_test(a_pin_of_the_ground_stands_on_hatching),
        cmocka_unit_test(a_wheel_has_spokes_and_turns),
        cmocka_unit_test(teeth_have_the_ratio_of_radii),
        cmocka_unit_test(gears_mesh),
        cmocka_unit_test(gears_out_of_phase_would_not),
        cmocka_unit_test(rack_and_wheel_mesh),
        cmocka_unit_test(plates_reach_beyond_their_corners),
        cmocka_unit_test(meshes_are_in_the_scene_once),
        cmocka_unit_test(meshes_of_statements),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(what_goes_far_is_followed_unless_it_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
