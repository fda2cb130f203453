/* Particles and bodies: coordinates, masses, forces, springs, initial values. */
#include "support/simulate.h"

#include <math.h>

static double energy_of(const char *body, const char *motion) {
    char given[512];
    snprintf(given, sizeof given, "body B: %s, %s\n", body, motion);
    built b = build(given);
    start_state s;
    failure f = {0};
    assert_true(assemble(b.arena, b.sys, b.st, 0, 1e-9, &s, &f));
    state_set(b.sys, b.st, 0, s.q, s.v);
    state_run(b.sys, b.st, STAGE_ENERGY);
    double energy = b.st->y[STAGE_ENERGY][0];
    demolish(&b);
    return energy;
}

static void coordinates_and_rows(void **state) {
    (void)state;
    built b = build("particle P: mass = 1, at = (1, 2)\n"
                    "for i in 1..2: body B[i]: mass = 1, inertia = (1, 1, 1), at = (i, 0, 0)\n"
                    "body2 C: mass = 1, inertia = 1\n"
                    "body top: inertia = (1, 1, 1)\n");
    const char *expected[] = {"P.x",     "P.y",     "B[1].x",  "B[1].y",  "B[1].z",
                              "B[1].q0", "B[1].q1", "B[1].q2", "B[1].q3", "B[2].x"};
    assert_int_equal(b.sys->n, 2 + 14 + 3 + 4);
    for (int i = 0; i < 10; i++)
        assert_string_equal(model_coord_name(b.model, i, b.arena), expected[i]);
    assert_string_equal(model_coord_name(b.model, 18, b.arena), "C.angle");
    assert_string_equal(model_coord_name(b.model, 19, b.arena), "top.q0");
    assert_int_equal(b.sys->m, 3);
    text t;
    text_init(&t, b.arena);
    model_row_name(b.model, 1, &t);
    assert_string_equal(text_string(&t), "B[2].norm");
    demolish(&b);
}

// the energy of a turn about each axis tells the inertia, that of a translation the mass
static void shapes(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        double mass, J[3]; // by density 2
    } cases[] = {
        {"rod(3)", 6, {0, 4.5, 4.5}},
        {"box(1, 2, 3)", 12, {13, 10, 5}},
        {"sphere(0.5)", M_PI / 3, {M_PI / 30, M_PI / 30, M_PI / 30}},
        {"cylinder(0.5, 2)", M_PI, {M_PI * 4.75 / 12, M_PI * 4.75 / 12, M_PI / 8}},
        {"disk(0.5)", M_PI / 2, {M_PI / 32, M_PI / 32, M_PI / 16}},
    };
    const char *about[] = {"omega = (2, 0, 0)", "omega = (0, 2, 0)", "omega = (0, 0, 2)"};
    for (int i = 0; i < 5; i++) {
        char body[128];
        snprintf(body, sizeof body, "density = 2, shape = %s", cases[i].shape);
        assert_near(energy_of(body, "velocity = (2, 0, 0)"), 2 * cases[i].mass, 1e-12);
        for (int k = 0; k < 3; k++)
            assert_near(energy_of(body, about[k]), 2 * cases[i].J[k], 1e-12);
        snprintf(body, sizeof body, "mass = 7, shape = %s", cases[i].shape);
        assert_near(energy_of(body, "omega = (0, 2, 0)"), 14 * cases[i].J[1] / cases[i].mass, 1e-12);
    }
    assert_near(energy_of("mass = 1, inertia = (3, 4, 5, 0.5, -0.25, 0.125)", "omega = (1, 2, 3)"),
                0.5 * (3 + 16 + 45) + 0.5 * 2 - 0.25 * 3 + 0.125 * 6, 1e-12);
}

static void limits_of_inertia(void **state) {
    (void)state;
    energy_of("mass = 1, inertia = (1, 2, 3)", "omega = (0, 0, 0)"); // a plate
    energy_of("mass = 1, inertia = (0, 2, 2)", "omega = (0, 0, 0)");
    energy_of("mass = 1, inertia = (1, 1, 1, 0.3, -0.2, 0.1)", "omega = (0, 0, 0)");
    assert_wrong("body B: mass = 1, inertia = (1, 2, 3.001)\n", "exceeds the sum");
    assert_wrong("body B: mass = 1, inertia = (1, 1, 1, 0.9, 0, 0)\n", "exceeds the sum");
    assert_wrong("body B: mass = 1, inertia = (1, 1, 1, 0, 0, 1.1)\n", "less than 0");
}

// omega is exact at the quaternion that assembly finds, though that is not the typed one
static void spin_after_assembly(void **state) {
    (void)state;
    assert_holds("body B: inertia = (1, 2, 2.5), omega = (1, -2, 3)\n"
                 "initial B.q0 ~ 1, B.q1 ~ 0.5, B.q2 ~ -0.3\n"
                 "expect always norm(omega(B) - (1, -2, 3)) < 1e-12\n"
                 "expect always abs(B.q1 - B.q0/2) < 1e-6\n",
                 0, 1e-10);
}

// Euler's equations, and Newton's, of a body with forces at points and torques
static void newton_and_euler(void **state) {
    (void)state;
    assert_holds("param J1 = 1, J2 = 2, J3 = 2.5\n"
                 "gravity (1, -2, 3)\n"
                 "body B: mass = 2, inertia = (J1, J2, J3), at = (1, 2, 3), rotation = (0.3, -1, 0.2),\n"
                 "    velocity = (1, 1, -1), omega = (1, -2, 3)\n"
                 "force B = (1, t, 0)\n"
                 "force B at (0.5, 0.25, -1) = (sin(t), 2, B.x)\n"
                 "torque B = (0.1, 0.2*t, omega(B).x)\n"
                 "let w = omega(B)\n"
                 "let F = (sin(t), 2, B.x)\n"
                 "let arm = point(B, (0.5, 0.25, -1)) - B\n"
                 "let spin = vector(B, (J1*w.x, J2*w.y, J3*w.z))\n" // angular momentum
                 "expect always norm(2*B'' - (1, t, 0) - F - 2*(1, -2, 3)) < 1e-8\n"
                 "expect always norm(spin' - cross(arm, F) - vector(B, (0.1, 0.2*t, w.x))) < 1e-8\n"
                 "expect always norm(point(B, (0.5, 0.25, -1))' - B' - cross(vector(B, w), arm)) < 1e-9\n",
                 2, 1e-11);
}

static void planar_body(void **state) {
    (void)state;
    assert_holds("gravity (1, -2)\n"
                 "body2 B: mass = 2, inertia = 0.5, at = (1, 2), angle = 0.3, velocity = (1, -1), omega = 3\n"
                 "force B at (0.5, 0.25) = (sin(t), 2)\n"
                 "torque B = 0.7\n"
                 "let arm = point(B, (0.5, 0.25)) - B\n"
                 "expect always norm(2*B'' - (sin(t), 2) - 2*(1, -2)) < 1e-9\n"
                 "expect always abs(0.5*omega(B)' - 0.7 - cross(arm, (sin(t), 2))) < 1e-9\n"
                 "expect always norm(vector(B, (1, 0)) - (cos(B.angle), sin(B.angle))) < 1e-12\n",
                 2, 1e-11);
}

static void springs(void **state) {
    (void)state;
    assert_holds("particle P: mass = 2, at = (3, 0), velocity = (0, 0)\n"
                 "spring S: (0, 0), P, stiffness = 8, length = 2\n"
                 "expect always abs(P.x - 2 - cos(2*t)) < 1e-8\n",
                 3, 1e-11);
    // without a length: an oscillator in each direction, through the centre too
    assert_holds("particle P: mass = 2, at = (0, 0, 1), velocity = (1, 0, 0)\n"
                 "spring S: P, (0, 0, 0), stiffness = 8\n"
                 "expect always norm(P - (sin(2*t)/2, 0, cos(2*t))) < 1e-8\n",
                 3, 1e-11);
    // so does a length of 0, also from the centre itself
    assert_holds("param l = 0\nparticle P: mass = 2, at = (0, 0), velocity = (2, 1)\n"
                 "spring S: P, (0, 0), stiffness = 8, length = l\n"
                 "expect always norm(P - sin(2*t)*(1, 0.5)) < 1e-8\n",
                 3, 1e-11);
    assert_holds("particle P: mass = 1, at = (3, 0), velocity = (0, 0)\n"
                 "spring S: (0, 0), P, stiffness = 5, length = 2, damping = 2\n"
                 "expect always abs(P.x - 2 - exp(-t)*(cos(2*t) + sin(2*t)/2)) < 1e-8\n",
                 3, 1e-11);
}

// bodies of a loop are a few shapes, however many they are
static int shape_count(int n) {
    char given[512];
    snprintf(given, sizeof given,
             "gravity (0, 0, -9.81)\n"
             "for i in 1..%d {\n"
             "    body B[i]: mass = i, shape = box(1, 0.1*i, 0.2), at = (i, 0, 0), rotation = (i, 0, 1)\n"
             "    particle P[i]: mass = 1/i, at = (i, 0, 1)\n"
             "    spring S[i]: point(B[i], (0.5, 0, 0)), P[i], stiffness = i, length = 1, damping = 0.1\n"
             "    force B[i] at (0, 0, i) = (1, 0, t)\n"
             "}\n",
             n);
    built b = build(given);
    int count = b.model->shapes.count;
    demolish(&b);
    return count;
}

static void shapes_do_not_grow(void **state) {
    (void)state;
    assert_int_equal(shape_count(50), shape_count(2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_and_rows),
        cmocka_unit_test(shapes),
        cmocka_unit_test(limits_of_inertia),
        cmocka_unit_test(spin_after_assembly),
        cmocka_unit_test(newton_and_euler),
        cmocka_unit_test(planar_body),
        cmocka_unit_test(springs),
        cmocka_unit_test(shapes_do_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
