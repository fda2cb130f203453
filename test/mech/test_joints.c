/* Joints: their rows, what they carry, how far they turn, and that assembly does not put them together upside
 * down. */
#include "support/simulate.h"

#include "mech/joints/joints.h"
#include "support/exact.h"

#include <math.h>

static const char bodies[] =
    "gravity (1, -2, -9)\n"
    "body B: mass = 2, inertia = (1, 2, 2.5), at = (0.3, -0.2, 0.4), rotation = (0.4, 1, -0.3)\n"
    "body C: mass = 3, inertia = (2, 2, 1.5), at = (1.3, 0.2, 0.9), rotation = (-0.2, 0.5, 0.8)\n";
static const char planar_bodies[] = "gravity (1, -2)\n"
                                    "body2 B: mass = 2, inertia = 1, at = (0.3, -0.2), angle = 0.4\n"
                                    "body2 C: mass = 3, inertia = 2, at = (1.3, 0.2), angle = -0.3\n";

/* Each kind between two bodies, the first of which hangs on the ground; freely, so that the start is at rest.
 */
static const struct {
    const char *joint;
    int rows;
    bool planar;
} kinds[] = {
    {"revolute(B, C, at = (0.7, 0.1, 0.5), axis = (1, -2, 0.5))", 5, false},
    {"spherical(B, C, at = (0.7, 0.1, 0.5))", 3, false},
    {"fixed(B, C)", 6, false},
    {"prismatic(B, C, axis = (1, -2, 0.5))", 5, false},
    {"prismatic(B, C, axis = (1, -2, 0.5), at = (0.7, 0.1, 0.5))", 5, false},
    {"cylindrical(B, C, at = (0.7, 0.1, 0.5), axis = (1, -2, 0.5))", 4, false},
    {"universal(B, C, at = (0.7, 0.1, 0.5), axis1 = (1, -2, 0.5), axis2 = (2, 1, 0))", 4, false},
    {"planar(B, C, at = (0.7, 0.1, 0.5), normal = (1, -2, 0.5))", 3, false},
    {"rolling(B, C, at = (1.3, 0.2, 0.4), normal = (0, 0, 1), radius = 0.5)", 3, false},
    {"rolling(B, C, at = (1.3, 0.2, 0.4), normal = (0, 0, 1), radius = 0.5, axis = (0, 1, 0))", 3, false},
    {"distance(point(B, (0.1, 0.2, 0.3)), C, length = 1)", 1, false},
    {"revolute(B, C, at = (0.7, 0.1))", 2, true},
    {"fixed(B, C)", 3, true},
    {"prismatic(B, C, axis = (1, -2))", 2, true},
    {"rolling(B, C, at = (1.3, -0.3), normal = (0, 1), radius = 0.5)", 2, true},
    {"distance(point(B, (0.1, 0.2)), C, length = 1)", 1, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *text_of(int i, const char *more) {
    static char given[2000];
    bool guess = strncmp(kinds[i].joint, "distance", 8) == 0;
    char all[700];
    snprintf(all, sizeof all, "%s", kinds[i].planar ? planar_bodies : bodies);
    for (char *at = all; guess && (at = strstr(at, "at =")); at += 4)
        at[3] = '~';
    snprintf(given, sizeof given, "%sjoint J: %s\n%s", all, kinds[i].joint, more);
    return given;
}

static void row_counts(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        built b = build(text_of(i, ""));
        assert_int_equal(b.sys->m, kinds[i].rows + (kinds[i].planar ? 0 : 2));
        demolish(&b);
    }
}

/* Newton and Euler for both bodies, with what the joint does to each about its own centre. The joint's point
 * is the one fixed in B; of a rolling wheel, the contact. */
static void forces_and_torques(void **state) {
    (void)state;
    static const char in_space[] =
        "let wB = omega(B)\n"
        "let wC = omega(C)\n"
        "let LB = vector(B, (wB.x, 2*wB.y, 2.5*wB.z))\n"
        "let LC = vector(C, (2*wC.x, 2*wC.y, 1.5*wC.z))\n"
        "let g = (1, -2, -9)\n"
        "let F = reaction(J)\n"
        "let T = torque(J)\n"
        "expect always norm(3*C'' - 3*g - F) < 1e-7\n"
        "expect always norm(2*B'' - 2*g - reaction(J, B)) < 1e-7\n"
        "expect always norm(F + reaction(J, B)) < 1e-8\n"
        "expect always norm(T + torque(J, B)) < 1e-7\n"
        // T = LC' - (P - C) x F and T = -LB' - (P - B) x F: the point P drops out of what follows
        "expect always norm(LB' + LC' - cross(B - C, F)) < 1e-6\n";
    static const char in_plane[] = "let g = (1, -2)\n"
                                   "let F = reaction(J)\n"
                                   "expect always norm(3*C'' - 3*g - F) < 1e-7\n"
                                   "expect always norm(2*B'' - 2*g - reaction(J, B)) < 1e-7\n"
                                   "expect always norm(F + reaction(J, B)) < 1e-8\n"
                                   "expect always abs(omega(B)' + 2*omega(C)' - cross(B - C, F)) < 1e-6\n";
    for (int i = 0; i < KINDS; i++)
        if (strncmp(kinds[i].joint, "distance", 8) != 0)
            assert_holds(text_of(i, kinds[i].planar ? in_plane : in_space), 0.5, 1e-10);
    assert_holds(text_of(10, "expect always norm(3*C'' - 3*(1, -2, -9) - reaction(J)) < 1e-7\n"
                             "expect always norm(2*B'' - 2*(1, -2, -9) - reaction(J, B)) < 1e-7\n"),
                 0.5, 1e-10);
}

// at which point the torque is taken: a revolute joint has none about its axis, a spherical one none at all
static void where_torques_act(void **state) {
    (void)state;
    assert_holds(text_of(1, "expect always norm(torque(J)) < 1e-7\n"), 0.5, 1e-10);
    assert_holds(text_of(8, "expect always norm(torque(J)) < 1e-7\n"), 0.5, 1e-10);
    assert_holds(text_of(9, "expect always norm(torque(J)) < 1e-7\n"), 0.5, 1e-10);
    assert_holds(text_of(0, "let axis = (1, -2, 0.5)\n" // at the start
                            "expect finally t > 0 or abs(dot(torque(J), axis)) < 1e-8\n"
                            "expect always abs(power(J)) < 1e-8\n"),
                 0, 1e-10);
}

static void angles_go_on(void **state) {
    (void)state;
    static const double tolerances[] = {1e-3, 1e-6, 1e-9};
    for (int i = 0; i < 3; i++) {
        char given[1000];
        snprintf(given, sizeof given,
                 "body B: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), velocity = (0, -20, 0), omega = (0, "
                 "0, -20), rotation = (0, 0, 0)\n"
                 "joint J: revolute(ground, B, at = (0, 0, 0), axis = (0, 0, 1))\n"
                 "body C: mass = 1, inertia = (1, 1, 1), at = (0, 5, 0), omega = (0, 30, 0), rotation = (0, "
                 "0, 0)\n"
                 "joint K: cylindrical(C, ground, at = (0, 5, 0), axis = (0, 2, 0))\n"
                 "expect always abs(angle(J) + 20*t) < %g\n"
                 "expect always abs(angle(K) + 30*t) < %g\n"
                 "expect always abs(angle(J)' + 20) < %g\n",
                 tolerances[i] * 1e5, tolerances[i] * 1e5, tolerances[i] * 1e5);
        assert_holds(given, 10, tolerances[i]);
    }
}

static void driven_and_sprung(void **state) {
    (void)state;
    assert_holds("body B: mass = 2, inertia = (1, 1, 1), at = (0, 0, 1)\n"
                 "joint J (motion = sin(3*t)): prismatic(ground, B, axis = (0, 0, 2))\n"
                 "expect always abs(B.z - 1 - sin(3*t)) < 1e-9\n"
                 "expect always abs(displacement(J) - sin(3*t)) < 1e-9\n"
                 "expect always abs(drive(J) + 18*sin(3*t)) < 1e-8\n"
                 "expect always norm(reaction(J) - (0, 0, drive(J))) < 1e-8\n"
                 "expect always abs(residual(J.motion)) < 1e-9\n",
                 2, 1e-10);
    assert_holds(
        "body B: mass = 1, inertia = (1, 2, 3), at = (0, 0, 0), rotation = (0, 0, 0), omega = (0, 0, 1)\n"
        "joint J (stiffness = 12): revolute(ground, B, at = (0, 0, 0), axis = (0, 0, 1))\n"
        "expect always abs(angle(J) - sin(2*t)/2) < 1e-8\n",
        3, 1e-10);
    assert_holds("body2 B: mass = 1, inertia = 1, at = (2, 0), velocity = (1, 0)\n"
                 "joint J (stiffness = 5, damping = 2): prismatic(ground, B, axis = (1, 0))\n"
                 "expect always abs(displacement(J) - exp(-t)*sin(2*t)/2) < 1e-8\n",
                 3, 1e-10);
    // two turns and more are driven, and sprung from there
    assert_holds("body2 B: mass = 1, inertia = 2, at = (0, 0)\n"
                 "joint J (motion = 4*pi*t^2): revolute(ground, B, at = (0, 0))\n"
                 "expect always abs(drive(J) - 16*pi) < 1e-7\n"
                 "expect finally abs(angle(J) - 36*pi) < 1e-7\n",
                 3, 1e-10);
}

// from any attitude, the axes are put together the right way round
static void never_upside_down(void **state) {
    (void)state;
    dice d = {3};
    static const char *const joints[] = {
        "revolute(ground, B, at1 = (0, 0, 0), axis1 = (0, 0, 1), at2 = (-1, 0, 0), axis2 = (0, 1, 1))",
        "cylindrical(ground, B, at1 = (0, 0, 0), axis1 = (0, 0, 1), at2 = (-1, 0, 0), axis2 = (0, 1, 1))",
        "planar(ground, B, at1 = (0, 0, 0), normal1 = (0, 0, 1), at2 = (-1, 0, 0), normal2 = (0, 1, 1))",
    };
    for (int k = 0; k < 150; k++) {
        char given[600];
        snprintf(given, sizeof given,
                 "body B: mass = 1, inertia = (1, 1.2, 0.8), at ~ (%g, %g, %g), rotation ~ (%g, %g, %g)\n"
                 "joint J: %s\n"
                 "expect always vector(B, (0, 1, 1)).z > 1.41421356\n",
                 normal(&d), normal(&d), normal(&d), 2 * normal(&d), 2 * normal(&d), 2 * normal(&d),
                 joints[k % 3]);
        assert_holds(given, 0, 1e-10);
    }
}

static int shape_count(int n) {
    char given[600];
    snprintf(given, sizeof given,
             "for i in 0..%d: body B[i]: mass = i + 1, shape = rod(1), at = (i, 0, 0)\n"
             "for i in 1..%d {\n"
             "    joint J[i] (stiffness = i, damping = 1): revolute(B[i-1], B[i], at = (i - 0.5, 0, 0), axis "
             "= (0, 1, i))\n"
             "    output F[i] = reaction(J[i])\n"
             "    output T[i] = torque(J[i])\n"
             "}\n",
             n, n);
    built b = build(given);
    int count = b.model->shapes.count;
    demolish(&b);
    return count;
}

static void shapes_do_not_grow(void **state) {
    (void)state;
    assert_int_equal(shape_count(30), shape_count(3));
}

// forces of least norm do not depend on the unit of length, nor on how the frame is turned
static void least_norm_in_other_units(void **state) {
    (void)state;
    double force[3][3];
    static const char form[] =
        "param s = %g, a = %g\n"
        "let out(v) = (cos(a)*v.x - sin(a)*v.z, v.y, sin(a)*v.x + cos(a)*v.z)\n"
        "gravity s*out((0, 0, -9.81))\n"
        "body B: mass = 2, inertia = (s^2, s^2, s^2), at = s*out((0.3, 0.2, 0)), rotation = (0, -a, 0)\n"
        "joint L: revolute(ground, B, at = s*out((-1, 0, 0)), axis = out((1, 0, 0)))\n"
        "joint R: revolute(ground, B, at = s*out((2, 0, 0)), axis = out((1, 0, 0)))\n"
        "output F = cos(a)*reaction(L).x + sin(a)*reaction(L).z\n"
        "output G = (cos(a)*reaction(L).z - sin(a)*reaction(L).x)/s\n"
        "output T = torque(L).y/s^2\n";
    static const double cases[3][2] = {{1, 0}, {1000, 0}, {1, 0.7}};
    for (int i = 0; i < 3; i++) {
        char given[1000];
        built b;
        snprintf(given, sizeof given, form, cases[i][0], cases[i][1]);
        run_report *r = simulate(&b, given, 0, 1e-10);
        memcpy(force[i], r->outputs, sizeof force[i]);
        demolish(&b);
    }
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_near(force[i][k], force[0][k], 1e-7);
}

// wheels that roll do no work, whatever their axes; a plate that is moved under one does
static void rolling_conserves(void **state) {
    (void)state;
    static const char disks[] =
        "for i in 1..2 { body d[i]: mass = 1, shape = disk(0.5), at = (0, i, 0.5), rotation = (-pi/2, 0, 0)\n"
        "joint roll[i]: rolling(ground, d[i], at = (0, 0, 0), normal = (0, 0, 1), radius = 0.5, axis = (0, "
        "1, 0)) }\n";
    built b = build(disks);
    assert_true(b.mech->conserves);
    demolish(&b);
    b = build("body s: mass = 1, shape = sphere(0.5), at = (0, 0, 0.5), rotation = (0, 0, 0)\n"
              "constraint belt: s.x' + 0.5*omega(s).y = 2\n");
    assert_false(b.mech->conserves);
    demolish(&b);
}

// plane and wheel in the axes of their bodies, both of which are only guessed: the rim touches, wherever that
// is
static void rolling_from_a_guess(void **state) {
    (void)state;
    dice d = {5};
    for (int k = 0; k < 60; k++) {
        char given[900];
        snprintf(given, sizeof given,
                 "body P: mass = 5, shape = box(4, 4, 0.1), at ~ (0, 0, 0), rotation ~ (%g, %g, %g)\n"
                 "body W: mass = 1, shape = %s(0.5), at ~ (%g, %g, 1), rotation ~ (1.5, %g, %g)\n"
                 "joint J: rolling(P, W, at1 = (0, 0, 0.05), normal1 = (0, 0, 1), radius = 0.5%s)\n"
                 "let n = vector(P, (0, 0, 1))\nlet tilt = dot(n, vector(W, (0, 0, 1)))\n"
                 "expect always abs(dot(n, W - point(P, (0, 0, 0.05))) - 0.5*%s) < 1e-9\n",
                 0.2 * normal(&d), 0.2 * normal(&d), normal(&d), k % 2 ? "disk" : "sphere", normal(&d),
                 normal(&d), 0.3 * normal(&d), 0.3 * normal(&d), k % 2 ? ", axis2 = (0, 0, 1)" : "",
                 k % 2 ? "sqrt(1 - tilt^2)" : "1");
        assert_holds(given, 0, 1e-10);
    }
    assert_wrong("body2 W: mass = 1, inertia = 1\n"
                 "joint J: rolling(ground, W, at = (0, 0), at1 = (0, 0), normal = (0, 1), radius = 1)\n",
                 "two ways");
}

// ---- how joints look, and kinds of their own

// how many drawings of a kind have this name
static int drawn(const built *b, draw_kind kind, const char *name) {
    int count = 0;
    for (int i = 0; i < b->model->draws.count; i++)
        count += b->model->draws.at[i].kind == kind && strcmp(b->model->draws.at[i].label, name) == 0;
    return count;
}

static int drawn_at_all(const built *b, const char *name) {
    int count = 0;
    for (int kind = 0; kind < DRAW_KINDS; kind++)
        count += drawn(b, (draw_kind)kind, name);
    return count;
}

static int forces_shown(const built *b, const char *name) {
    int count = 0;
    for (int i = 0; i < b->model->forces.count; i++)
        count += strcmp(b->model->forces.at[i].label, name) == 0;
    return count;
}

static void looks(void **state) {
    (void)state;
    built b = build(text_of(0, ""));
    assert_int_equal(drawn(&b, DRAW_POINT, "J"), 1);
    assert_int_equal(drawn(&b, DRAW_LINE, "B") + drawn(&b, DRAW_LINE, "C"), 2);
    assert_int_equal(drawn(&b, DRAW_ELLIPSOID, "C"), 1);
    demolish(&b);
    for (int disk = 0; disk < 2; disk++) { // the joint draws the wheel, and its body is that
        b = build(text_of(8 + disk, ""));
        assert_int_equal(drawn(&b, disk ? DRAW_CYLINDER : DRAW_SPHERE, "C"), 1);
        assert_int_equal(drawn_at_all(&b, "C") + drawn_at_all(&b, "J"), 1);
        assert_int_equal(drawn(&b, DRAW_ELLIPSOID, "B"), 1);
        assert_int_equal(forces_shown(&b, "J"), 1);
        demolish(&b);
    }
    b = build(text_of(10, ""));
    assert_int_equal(drawn(&b, DRAW_LINE, "J"), 1);
    assert_int_equal(drawn_at_all(&b, "J"), 1);
    assert_int_equal(forces_shown(&b, "J"), 1);
    demolish(&b);
}

// what couples joints is nowhere, and its bodies look as those joints make them
static void couplings_are_not_drawn(void **state) {
    (void)state;
    static const char *const couplings[] = {"joint K: prismatic(ground, C, axis = (1, 0))\n"
                                            "joint G: rack(J, K, radius = 0.5)\n",
                                            "joint K: revolute(ground, C, at = (1.3, 0.2))\n"
                                            "joint G: gear(J, K, ratio = 2)\n"};
    for (int i = 0; i < 2; i++) {
        char given[1000];
        snprintf(given, sizeof given, "%sjoint J: revolute(ground, B, at = (0.3, -0.2))\n%s", planar_bodies,
                 couplings[i]);
        built b = build(given);
        assert_int_equal(drawn_at_all(&b, "G") + forces_shown(&b, "G"), 0);
        assert_int_equal(drawn(&b, DRAW_BOX, "C"), 1);
        demolish(&b);
    }
}

/* Joint J of the text is of this kind, whatever is written there. */
static const joint_kind *given_kind;

static void act_on_given(elab *L, part_phase phase, const stmt *s, const binding *scope, int part) {
    parts_extension.act(L, phase, s, scope, part);
    const mech_parts *p = parts_of(L);
    if (phase == PART_DECLARE && p->joints.count)
        p->joints.at[0]->kind = given_kind;
}

static model *read_with_kind(arena *a, const source *file, const model_setting *settings, int count) {
    elab_extension extension = parts_extension;
    extension.act = act_on_given;
    return elab_read(a, file, NULL, settings, count, &extension);
}

static built build_with(const joint_kind *kind, const char *given) {
    given_kind = kind;
    built b = build_read(given, EVALUATE_AUTO, read_with_kind);
    if (b.sys == NULL)
        fail_msg("%s\n%s", diags_text(&b.model->diags, b.arena, 0), given);
    return b;
}

// a point of body 2 stays in a plane of body 1: n . (P2 - P1) = 0. Its force acts at P2.
static bool bead_connect(elab *L, joint *j, const stmt *s, const binding *scope) {
    return joint_bodies(L, j, s, scope) && joint_points(L, j, s, scope);
}

static void bead_rows(elab *L, joint *j, const stmt *s, const binding *scope) {
    (void)s;
    (void)scope;
    elab_begin(L);
    value between = frames_difference(L, joint_point(L, j, 1), joint_point(L, j, 0));
    joint_row(L, j, "1", frames_dot(L, joint_vector(L, j, (vector){0, 0.6, 0.8}), between));
}

static value bead_place(elab *L, joint *j, const binding *scope) {
    (void)scope;
    return joint_point(L, j, 1);
}

static value bead_force(elab *L, joint *j, const node *n, const binding *scope, bool torque) {
    (void)j;
    (void)n;
    (void)scope;
    return frames_known(L, torque ? (double[]){4, 5, 6} : (double[]){1, 2, 3}, 3);
}

static void bead_draw(elab *L, joint *j, const binding *scope) {
    (void)scope;
    elab_drawing d = joint_drawing(L, j, DRAW_CIRCLE);
    d.at = joint_point(L, j, 1);
    d.radius = frames_known(L, (double[]){0.1}, 1);
    elab_draw(L, L->parts.at[j->part].at, &d);
}

static const joint_kind bead = {.name = "bead", .in_space = true, .connect = bead_connect, .rows = bead_rows};

static const char *bead_text(const char *more) {
    static char given[2000];
    snprintf(given, sizeof given,
             "%sjoint J: spherical(B, C, at = (0.3, -0.2, 0.4))\n" // in the centre of B
             "force C = (20, 10, 50)\n"
             "let wB = omega(B)\n"
             "let LB = vector(B, (wB.x, 2*wB.y, 2.5*wB.z))\n%s",
             bodies, more);
    return given;
}

// a kind with rows of its own, and all else as the kinds of the table have it: a mark, lines, forces about P1
static void kind_with_rows(void **state) {
    (void)state;
    const char *given = bead_text("expect always norm(3*C'' - (23, 4, 23) - reaction(J)) < 1e-7\n"
                                  "expect always norm(torque(J) + LB') < 1e-6\n"
                                  "expect finally norm(torque(J)) > 1e-3\n");
    built b = build_with(&bead, given);
    assert_int_equal(b.sys->m, 3);
    assert_int_equal(drawn(&b, DRAW_POINT, "J"), 1);
    assert_int_equal(drawn_at_all(&b, "J"), 1);
    assert_int_equal(drawn(&b, DRAW_LINE, "C"), 1);
    assert_int_equal(drawn(&b, DRAW_ELLIPSOID, "C"), 1);
    assert_int_equal(drawn(&b, DRAW_SPHERE, "C"), 0);
    assert_int_equal(forces_shown(&b, "J"), 1);
    simulate_built(&b, given, 0.5, 1e-10);
    demolish(&b);
}

static void kind_with_slots(void **state) {
    (void)state;
    joint_kind kind = bead;
    kind.place = bead_place;
    kind.draw = bead_draw;
    const char *given = bead_text("expect always norm(3*C'' - (23, 4, 23) - reaction(J)) < 1e-7\n"
                                  "expect always norm(torque(J)) < 1e-7\n");
    built b = build_with(&kind, given);
    assert_int_equal(drawn(&b, DRAW_CIRCLE, "J"), 1);
    assert_int_equal(drawn_at_all(&b, "J"), 1);
    assert_int_equal(drawn(&b, DRAW_ELLIPSOID, "C"), 1);
    assert_int_equal(drawn_at_all(&b, "C"), 1); // its lines are the kind's business
    simulate_built(&b, given, 0.5, 1e-10);
    demolish(&b);

    kind.wheel = true; // its draw shows the second body
    b = build_with(&kind, given);
    assert_int_equal(drawn_at_all(&b, "C"), 0);
    assert_int_equal(drawn(&b, DRAW_ELLIPSOID, "B"), 1);
    demolish(&b);

    kind.force = bead_force;
    given = bead_text("expect always norm(reaction(J) - (1, 2, 3)) == 0\n"
                      "expect always norm(torque(J) - (4, 5, 6)) == 0\n");
    b = build_with(&kind, given);
    assert_int_equal(forces_shown(&b, "J"), 1);
    simulate_built(&b, given, 0.1, 1e-10);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_counts),
        cmocka_unit_test(forces_and_torques),
        cmocka_unit_test(where_torques_act),
        cmocka_unit_test(angles_go_on),
        cmocka_unit_test(driven_and_sprung),
        cmocka_unit_test(never_upside_down),
        cmocka_unit_test(shapes_do_not_grow),
        cmocka_unit_test(least_norm_in_other_units),
        cmocka_unit_test(rolling_conserves),
        cmocka_unit_test(rolling_from_a_guess),
        cmocka_unit_test(looks),
        cmocka_unit_test(couplings_are_not_drawn),
        cmocka_unit_test(kind_with_rows),
        cmocka_unit_test(kind_with_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
