/* Torques and forces along joints: what they are on the two bodies, what they do to known inertia, their
 * work. */
#include "support/simulate.h"

#include <math.h>

static const char bodies[] = "gravity (1, -2, -9)\n"
                             "body B: mass = 2, inertia = (1, 2, 2.5), at = (0.3, -0.2, 0.4), rotation = (0, "
                             "0, 0), velocity ~ (1, 0, 2), "
                             "omega ~ (0.5, 2, -1)\n"
                             "body C: mass = 3, inertia = (2, 2, 1.5), at = (1.3, 0.2, 0.9), rotation = (0, "
                             "0, 0), velocity ~ (0, 1, -1), "
                             "omega ~ (1, -0.7, 3)\n"
                             "output at = (B.x, C.y, C.z)\noutput turn = (C.q0, C.q1, B.q2, B.q3)\n"
                             "let n = (1, -2, 0.5)/sqrt(5.25)\n";
static const char planar_bodies[] =
    "body2 B: mass = 2, inertia = 1, at = (0.3, -0.2), angle = 0.4, velocity ~ (1, 0), omega ~ 2\n"
    "body2 C: mass = 3, inertia = 2, at = (1.3, 0.2), angle = 0.4, velocity ~ (0, 1), omega ~ -1\n"
    "output at = (B.x, C.y)\noutput turn = (C.angle, B.angle)\n";

/* The same as forces and torques on the bodies: T in the world, F in the world at the point Q of body 2. */
static const char in_space[] =
    "torque C = (dot(T, vector(C, (1, 0, 0))), dot(T, vector(C, (0, 1, 0))), dot(T, vector(C, (0, 0, 1))))\n"
    "let U = -T + cross(Q - B, -F)\n"
    "torque B = (dot(U, vector(B, (1, 0, 0))), dot(U, vector(B, (0, 1, 0))), dot(U, vector(B, (0, 0, 1))))\n"
    "force C at (-0.6, -0.1, -0.4) = F\n"
    "force B = -F\n";
static const char in_plane[] = "torque C = T\ntorque B = -T + cross(Q - B, -F)\n"
                               "force C at s = F\nforce B = -F\n";
#define POINT     "let Q = point(C, (-0.6, -0.1, -0.4))\n"
#define NO_FORCE  "let F = (0, 0, 0)\n"
#define NO_TORQUE "let T = (0, 0, 0)\n"
#define AXIS      "vector(B, n)"

static const struct {
    const char *joint, *acts, *same;
    bool planar;
} kinds[] = {
    {"revolute(B, C, at = (0.7, 0.1, 0.5), axis = n)", "torque J = 2 + sin(3*t) - angle(J)'\n",
     "let T = (2 + sin(3*t) - angle(J)')*" AXIS "\n" NO_FORCE, false},
    {"prismatic(B, C, axis = n, at = (0.7, 0.1, 0.5))", "force J = 5*B.x\nforce J = -7*displacement(J)\n",
     NO_TORQUE "let F = (5*B.x - 7*displacement(J))*" AXIS "\n", false},
    {"cylindrical(B, C, at = (0.7, 0.1, 0.5), axis = n)", "force J = 3*t\ntorque J = 1 - C.z\n",
     "let T = (1 - C.z)*" AXIS "\nlet F = 3*t*" AXIS "\n", false},
    {"universal(B, C, at = (0.7, 0.1, 0.5), axis1 = n, axis2 = (2, 1, 0))", "torque J = (2, cos(t))\n",
     "let T = 2*" AXIS " + cos(t)*vector(C, (2, 1, 0)/sqrt(5))\n" NO_FORCE, false},
    {"universal(C, B, at = (0.7, 0.1, 0.5), axis1 = n, axis2 = (2, 1, 0))",
     "torque J.angle2 = 1.5\ntorque J.angle1 = t\n",
     "let T = -t*vector(C, n) - 1.5*vector(B, (2, 1, 0)/sqrt(5))\n" NO_FORCE, false},
    {"spherical(B, C, at = (0.7, 0.1, 0.5))", "torque J = (2, -omega(C).y, t)\n",
     "let T = vector(C, (2, -omega(C).y, t))\n" NO_FORCE, false},
    {"spherical(C, B, at = (0.7, 0.1, 0.5))", "torque J.z = 2\ntorque J.x = -1\n",
     "let T = vector(B, (1, 0, -2))\n" NO_FORCE, false},
    {"planar(B, C, at = (0.7, 0.1, 0.5), normal = (0, 0, 3))",
     "torque J = 3\nforce J = (2, t)\nforce J.slide2 = -1\n",
     "let T = vector(B, (0, 0, 3))\nlet F = vector(B, (2, t - 1, 0))\n", false},
    {"revolute(B, C, at = (0.7, 0.1))", "torque J = 2*cos(t)\n", "let T = 2*cos(t)\nlet F = (0, 0)\n", true},
    {"prismatic(B, C, axis = (3, 4))", "force J = 2*cos(t)\n",
     "let T = 0\nlet F = 2*cos(t)*vector(B, (0.6*cos(0.4) + 0.8*sin(0.4), 0.8*cos(0.4) - 0.6*sin(0.4)))\n",
     true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// the last values of the outputs of the text, of a model and of one with other statements
static void run_both(int i, double out[2][7]) {
    for (int way = 0; way < 2; way++) {
        char given[3000];
        built b;
        bool planar = kinds[i].planar;
        const char *same = planar ? in_plane : in_space;
        const char *point = planar ? "let s = (0, 0)\nlet Q = point(C, s)\n" : POINT;
        snprintf(given, sizeof given, "%sjoint J: %s\n%s%s%s", planar ? planar_bodies : bodies,
                 kinds[i].joint, way ? point : "", way ? kinds[i].same : kinds[i].acts, way ? same : "");
        run_report *r = simulate(&b, given, 1, 1e-11);
        memcpy(out[way], r->outputs, (planar ? 4 : 7) * sizeof **out);
        demolish(&b);
    }
}

static void act_on_both_bodies(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        double out[2][7];
        run_both(i, out);
        for (int k = 0; k < (kinds[i].planar ? 4 : 7); k++)
            if (!(fabs(out[0][k] - out[1][k]) < 1e-8))
                fail_msg("%s: output %d is %g, not %g", kinds[i].joint, k, out[0][k], out[1][k]);
    }
}

static void move_known_inertia(void **state) {
    (void)state;
    // about an axis that is off the centre: 0.3 + 2*0.5^2
    assert_holds("body arm: mass = 2, inertia = (0.1, 0.2, 0.3), at = (0.5, 0, 0)\n"
                 "joint J: revolute(ground, arm, at = (0, 0, 0), axis = (0, 0, 1))\n"
                 "torque J = 3\ntorque J = cos(t)\n"
                 "expect always abs(angle(J) - (3*t^2/2 + 1 - cos(t))/0.8) < 1e-8\n"
                 "expect always abs(work(J) - kinetic) < 1e-8\n"
                 "expect always abs(power(J) - (3 + cos(t))*angle(J)') < 1e-8\n",
                 6, 1e-11);
    // a controller of position and rate: damped oscillation
    assert_holds("body2 B: mass = 3, inertia = 2, at = (1, 0), omega ~ 1, velocity ~ (0, 1)\n"
                 "joint J: revolute(B, ground, at = (0, 0))\n"
                 "torque J = -25*angle(J) - 10*angle(J)'\n"
                 "expect always abs(angle(J) + exp(-t)*sin(2*t)/2) < 1e-9\n",
                 3, 1e-11);
    // two bodies pushed apart: reduced mass 2*3/5
    assert_holds("body B: mass = 2, inertia = (1, 1, 1), at = (0, 0, 0)\n"
                 "body C: mass = 3, inertia = (1, 1, 1), at = (0, 0, 1)\n"
                 "joint J: cylindrical(B, C, at = (0, 0, 0), axis = (0, 0, 2))\n"
                 "force J = 6\ntorque J = 4\n"
                 "expect always abs(displacement(J) - 2.5*t^2) < 1e-8\n"
                 "expect always abs(angle(J) - 4*t^2) < 1e-8\n"
                 "expect always abs(work(J) - 6*displacement(J) - 4*angle(J)) < 1e-7\n",
                 3, 1e-11);
    // what is driven needs so much less
    assert_holds("body2 B: mass = 1, inertia = 2, at = (0, 0)\n"
                 "joint J (motion = t^2): revolute(ground, B, at = (0, 0))\n"
                 "torque J = 3\n"
                 "expect always abs(drive(J) - 1) < 1e-8\n"
                 "expect always abs(work(J) - 4*t^2) < 1e-8\n",
                 1, 1e-11);
}

static void conserve_what_they_should(void **state) {
    (void)state;
    static const char form[] = "body2 B: mass = 1, inertia = 2, at = (0, 0)\n"
                               "joint J: revolute(ground, B, at = (0, 0))\nparam k = %g\ntorque J = k*t\n";
    for (int on = 0; on < 2; on++) {
        char given[300];
        snprintf(given, sizeof given, form, (double)on);
        built b = build(given);
        assert_int_equal(b.mech->conserves, !on);
        assert_int_equal(b.model->actuators.count, 1);
        assert_int_equal(b.sys->work_count, on);
        demolish(&b);
    }
}

// one for each freedom, however many statements there are
static void are_named(void **state) {
    (void)state;
    built b = build(
        "for i in 1..3: body B[i]: mass = 1, inertia = (1, 1, 1), at = (i, 0, 0)\n"
        "joint J[1]: universal(ground, B[1], at = (0, 0, 0), axis1 = (1, 0, 0), axis2 = (0, 1, 0))\n"
        "for i in 2..3: joint J[i]: revolute(B[i-1], B[i], at = (i, 0, 0), axis = (0, 0, 1))\n"
        "torque J[1] = (1, 2)\ntorque J[1].angle2 = t\nfor i in 2..3: torque J[i] = i\ntorque J[3] = 1\n");
    static const char *const wanted[] = {"torque(J[1].angle1)", "torque(J[1].angle2)", "torque(J[2])",
                                         "torque(J[3])"};
    assert_int_equal(b.model->actuators.count, 4);
    for (int i = 0; i < 4; i++) {
        text t;
        text_init(&t, b.arena);
        model_label(b.model, b.model->actuators.at[i].label, &t);
        assert_string_equal(text_string(&t), wanted[i]);
    }
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(act_on_both_bodies),
        cmocka_unit_test(move_known_inertia),
        cmocka_unit_test(conserve_what_they_should),
        cmocka_unit_test(are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
