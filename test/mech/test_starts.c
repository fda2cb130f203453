/* Initial values of joints: where bodies are then, how fast, on which way loops follow, and in which turn. */
#include "support/simulate.h"

#include <math.h>

static void bodies_follow(void **state) {
    (void)state;
    // two links about axes of their own, with points by trigonometry
    static const char arm[] =
        "body upper: mass = 2, shape = rod(0.5), at = (0.25, 0, 0)\n"
        "body lower: mass = 1, shape = rod(0.5), at = (0.75, 0, 0), rotation = (0, 0.4, 0)\n"
        "joint shoulder: revolute(ground, upper, at = (0, 0, 0), axis = (0, 0, 1))\n"
        "joint elbow: revolute(%s, at = (0.5, 0, 0), axis = (0, %d, 0))\n"
        "initial angle(shoulder) = 0.7, angle(elbow) = 0.4, angle(shoulder)' = 2, angle(elbow)' = -1\n"
        "let c = 0.5 + 0.25*cos(0.4)\n"
        "expect always abs(angle(shoulder) - 0.7) < 1e-12 and abs(angle(elbow) - 0.4) < 1e-12\n"
        "expect always abs(angle(shoulder)' - 2) < 1e-12 and abs(angle(elbow)' + 1) < 1e-12\n"
        "expect always norm(lower - (c*cos(0.7), c*sin(0.7), 0.25*sin(0.4))) < 1e-12\n"
        "expect always norm(upper' - 0.5*(-sin(0.7), cos(0.7), 0)) < 1e-12\n"
        "expect always norm(lower' - 2*c*(-sin(0.7), cos(0.7), 0) + 0.25*(-sin(0.4)*cos(0.7), "
        "-sin(0.4)*sin(0.7), "
        "cos(0.4))) < 1e-12\n";
    static const char *const orders[] = {"upper, lower", "lower, upper"};
    for (int i = 0; i < 2; i++) {
        char given[1500];
        snprintf(given, sizeof given, arm, orders[i], i ? 1 : -1);
        assert_holds(given, 0, 1e-10);
    }
    assert_holds("body2 B: mass = 1, inertia = 1, at = (2, 0), angle = 1\n"
                 "body2 C: mass = 1, inertia = 1, at = (3, 0), angle = 2\n"
                 "joint J: prismatic(ground, B, axis = (3, 4))\n"
                 "joint K: revolute(C, B, at = (2, 0))\n"
                 "initial displacement(J) = 5, angle(K) = -40, displacement(J)' = 10\n"
                 "expect always norm(B - (5, 4)) < 1e-12 and norm(B' - (6, 8)) < 1e-12\n"
                 "expect always abs(C.angle - 42) < 1e-12 and norm(C - (5 + cos(40), 4 + sin(40))) < 1e-12\n"
                 "expect always abs(angle(K) + 40) < 1e-12\n",
                 0, 1e-10);
}

static void several_freedoms(void **state) {
    (void)state;
    assert_holds("body B: mass = 1, inertia = (1, 2, 2.5), at = (0, 0, -1)\n"
                 "joint J: universal(ground, B, at = (0, 0, 0), axis1 = (1, 0, 0), axis2 = (0, 1, 0))\n"
                 "initial J.angle1 = 0.5, J.angle2 = 0.3, J.angle1' = 2, J.angle2' = 3\n"
                 "expect always norm(B - (-sin(0.3), sin(0.5)*cos(0.3), -cos(0.5)*cos(0.3))) < 1e-12\n"
                 "expect always abs(dot(vector(B, omega(B)), (1, 0, 0)) - 2) < 1e-12\n"
                 "expect always abs(omega(B).y - 3) < 1e-12\n",
                 0, 1e-10);
    assert_holds("body B: mass = 1, inertia = (1, 2, 2.5), at = (1, 0, 0)\n"
                 "joint J: planar(ground, B, at = (0, 0, 0), normal = (0, 0, 1))\n"
                 "initial J.slide1 = 2, J.slide2 = 3, J.angle = 0.5, J.slide2' = 4\n"
                 "expect always norm(B - (2 + cos(0.5), 3 + sin(0.5), 0)) < 1e-12\n"
                 "expect always norm(B' - (0, 4, 0)) < 1e-12\n",
                 0, 1e-10);
    assert_holds("body B: mass = 1, inertia = (1, 2, 2.5), at = (1, 0, 0)\n"
                 "joint J: cylindrical(B, ground, at = (0, 0, 0), axis = (0, 0, 1))\n"
                 "initial angle(J) = 20, displacement(J) = 3\n"
                 "expect always norm(B - (cos(20), -sin(20), -3)) < 1e-12\n"
                 "expect always abs(angle(J) - 20 + 0*t) < 1e-12\n",
                 0, 1e-10);
}

// the turn in which a joint starts is kept, and goes on
static void turns_count(void **state) {
    (void)state;
    assert_holds("body B: mass = 1, inertia = (1, 2, 2.5), at = (1, 0, 0)\n"
                 "joint J: revolute(ground, B, at = (0, 0, 0), axis = (0, 0, 1))\n"
                 "initial angle(J) = -30, angle(J)' = 20\n"
                 "expect always abs(angle(J) + 30 - 20*t) < 1e-7\n",
                 5, 1e-10);
}

/* A crank turns through, and the loop follows as it does where the crank is driven there; the other way to
 * close it is as near for some angles. */
static void loops_follow(void **state) {
    (void)state;
    static const char form[] = "body2 crank:   mass = 1, inertia = 0.1, at = (0, 0.25), angle = 90*deg\n"
                               "body2 coupler: mass = 2, inertia = 0.5, at = (1, 0.75)\n"
                               "body2 rocker:  mass = 1, inertia = 0.1, at = (2, 0.5), angle = 90*deg\n"
                               "joint a%s: revolute(ground, crank, at = (0, 0))\n"
                               "joint b: revolute(crank, coupler, at = (0, 0.5))\n"
                               "joint c: revolute(coupler, rocker, at = (2, 1))\n"
                               "joint d: revolute(ground, rocker, at = (2, 0))\n"
                               "output o = (angle(a), angle(d))\n%s\n";
    for (int k = -6; k <= 6; k++) {
        double found[2][2];
        for (int way = 0; way < 2; way++) {
            char given[1200], drive[80], start[80];
            built b;
            snprintf(drive, sizeof drive, " (motion = %d*t)", k);
            snprintf(start, sizeof start, "initial angle(a) = %d", k);
            snprintf(given, sizeof given, form, way ? drive : "", way ? "" : start);
            run_report *r = simulate(&b, given, way, 1e-10);
            memcpy(found[way], r->outputs, sizeof found[way]);
            demolish(&b);
        }
        assert_near(found[0][0], k, 1e-9);
        assert_near(found[0][1], found[1][1], 1e-7);
    }
}

// '=' is kept where there is a loop or another constraint, '~' is moved; what hangs elsewhere stays where it
// is
/* Straight ahead where the ways part: a parallelogram is flat at 90 degrees, and could go on crossed. */
static void flat_parallelograms_stay(void **state) {
    (void)state;
    static const char form[] = "body upper: mass = 2, inertia = (0.1, 0.2, 0.3), at ~ (0.2, 0, 0)\n"
                               "body rod: mass = 0.5, inertia = (0.1, 0.2, 0.3), at ~ (0.2, 0, 0.1)\n"
                               "body fore: mass = 1, inertia = (0.1, 0.2, 0.3), at ~ (0.55, 0, 0)\n"
                               "joint a: revolute(ground, upper, at = (0, 0, 0), axis = (0, -1, 0))\n"
                               "joint b: revolute(ground, rod, at = (0, 0, 0.1), axis = (0, -1, 0))\n"
                               "joint c: revolute(upper, fore, at = (0.4, 0, 0), axis = (0, -1, 0))\n"
                               "joint d: revolute(rod, fore, at = (0.4, 0, 0.1), axis = (0, -1, 0))\n"
                               "output o = (angle(a), angle(b))\ninitial angle(a) = %g\n";
    static const double angles[] = {1.6, 1.8, 2, 3.1, 4.5, 6, -1.6, -2.5};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        char given[1200];
        built b;
        snprintf(given, sizeof given, form, angles[k]);
        run_report *r = simulate(&b, given, 0, 1e-10);
        assert_near(r->outputs[0], angles[k], 1e-9);
        assert_near(r->outputs[1], angles[k], 1e-9);
        demolish(&b);
    }
}

static void exact_and_guessed(void **state) {
    (void)state;
    static const char form[] = "body2 B: mass = 1, inertia = 1, at = (1, 0)\n"
                               "body2 C: mass = 1, inertia = 1, at = (3, 0)\n"
                               "body2 D: mass = 1, inertia = 1, at = (0, 5)\n"
                               "joint J: revolute(ground, B, at = (0, 0))\n"
                               "joint K: revolute(B, C, at = (2, 0))\n"
                               "joint L: revolute(ground, D, at = (1, 5))\n"
                               "constraint level: C.y = 0.4\n"
                               "initial angle(J) %c 0.3, angle(K) ~ -0.1\n%s\n";
    char given[1000];
    snprintf(given, sizeof given, form, '=',
             "expect always abs(angle(J) - 0.3) < 1e-12 and abs(C.y - 0.4) < 1e-9 and norm(D - (0, 5)) == 0");
    assert_holds(given, 0, 1e-10);
    snprintf(
        given, sizeof given, form, '~',
        "expect always abs(angle(J) - 0.3) > 1e-3 and abs(angle(J) - 0.3) < 0.2 and abs(C.y - 0.4) < 1e-9");
    assert_holds(given, 0, 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_follow),
        cmocka_unit_test(several_freedoms),
        cmocka_unit_test(turns_count),
        cmocka_unit_test(loops_follow),
        cmocka_unit_test(flat_parallelograms_stay),
        cmocka_unit_test(exact_and_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
