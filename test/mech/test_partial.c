/* jacobian(point(B, s), J), jacobian(omega(B), J): times the rates they are the velocities. */
#include "support/simulate.h"

// an arm with all kinds of joints, some of which name the other body first
static const char arm[] =
    "body a: mass = 2, inertia = (1, 1, 1.5), at = (0.5, 0, 0)\n"
    "body b: mass = 2, inertia = (1, 1, 1.5), at = (1.5, 0, 0)\n"
    "body c: mass = 1, inertia = (1, 1, 1.5), at = (2.5, 0.3, 0)\n"
    "body d: mass = 1, inertia = (1, 1, 1.5), at = (3.5, 0, 0.2)\n"
    "joint A: %s\n"
    "joint B: revolute(%s, at = (1, 0, 0), axis = (1, 2, 0))\n"
    "joint C: cylindrical(%s, at = (2, 0, 0), axis = (1, 0, 1))\n"
    "joint D: prismatic(%s, axis = (0, 1, 1))\n"
    "let p = point(d, (0.1, 0.2, 0.3))\n"
    "%s"
    "let vB = angle(B)'*jacobian(point(d, (0.1, 0.2, 0.3)), B)\n"
    "let vC = angle(C)'*jacobian(point(d, (0.1, 0.2, 0.3)), angle(C)) + displacement(C)'*jacobian(point(d, "
    "(0.1, 0.2, "
    "0.3)), displacement(C))\n"
    "let vD = displacement(D)'*jacobian(point(d, (0.1, 0.2, 0.3)), D)\n"
    "let wBC = angle(B)'*jacobian(omega(d), angle(B)) + angle(C)'*jacobian(omega(d), angle(C))\n"
    "expect always norm(vA + vB + vC + vD - p') < 1e-8\n"
    "expect always norm(wA + wBC - omega(d)) < 1e-8\n"
    "expect always norm(jacobian(b, D)) == 0\n"
    "initial angle(B)' = 1, angle(C)' = -2, displacement(C)' = 0.5, displacement(D)' = 0.7\n%s";

static const struct {
    const char *joint, *velocity, *start;
} roots[] = {
    {"universal(ground, a, at = (0, 0, 0), axis1 = (0, 1, 0), axis2 = (0, 0, 1))",
     "let s1 = dot(vector(a, omega(a)), (0, 1, 0))\nlet s2 = omega(a).z\n"
     "let vA = s1*jacobian(point(d, (0.1, 0.2, 0.3)), A.angle1) + s2*jacobian(point(d, (0.1, 0.2, 0.3)), "
     "A.angle2)\n"
     "let wA = s1*jacobian(omega(d), A.angle1) + s2*jacobian(omega(d), A.angle2)\n",
     "initial A.angle1 = 0.4, A.angle1' = 1, A.angle2' = 2\n"},
    {"spherical(a, ground, at = (0, 0, 0))", // against the ground's axes, so the opposite
     "let s = -vector(a, omega(a))\n"
     "let vA = s.x*jacobian(point(d, (0.1, 0.2, 0.3)), A.x) + s.y*jacobian(point(d, (0.1, 0.2, 0.3)), A.y) + "
     "s.z*jacobian(point(d, (0.1, 0.2, 0.3)), A.z)\n"
     "let wA = s.x*jacobian(omega(d), A.x) + s.y*jacobian(omega(d), A.y) + s.z*jacobian(omega(d), A.z)\n",
     "initial a.x' ~ 1\n"},
    {"planar(ground, a, at = (0, 0, 0), normal = (0, 0, 1))",
     "let s = point(a, (-0.5, 0, 0))'\n"
     "let vA = s.x*jacobian(point(d, (0.1, 0.2, 0.3)), A.slide1) + s.y*jacobian(point(d, (0.1, 0.2, 0.3)), "
     "A.slide2) + "
     "omega(a).z*jacobian(point(d, (0.1, 0.2, 0.3)), A.angle)\n"
     "let wA = omega(a).z*jacobian(omega(d), A.angle)\n",
     "initial A.angle' = 2, A.slide1' = 1, A.slide2' = -1, A.angle = 1\n"},
};

static void make_velocities(void **state) {
    (void)state;
    static const char *const orders[2][3] = {{"a, b", "b, c", "c, d"}, {"b, a", "c, b", "d, c"}};
    for (int i = 0; i < 6; i++) {
        char given[4000];
        const char *const *o = orders[i % 2];
        snprintf(given, sizeof given, arm, roots[i / 2].joint, o[0], o[1], o[2], roots[i / 2].velocity,
                 roots[i / 2].start);
        assert_holds(given, 0.5, 1e-11);
    }
    assert_holds(
        "body2 B: mass = 1, inertia = 1, at = (1, 0)\nbody2 C: mass = 1, inertia = 1, at = (2, 1)\n"
        "joint J: revolute(B, ground, at = (0, 0))\njoint K: prismatic(B, C, axis = (3, 4))\n"
        "initial angle(J)' = 2, displacement(K)' = -1\n"
        "let v = angle(J)'*jacobian(point(C, (1, 2)), J) + displacement(K)'*jacobian(point(C, (1, 2)), K)\n"
        "expect always norm(v - point(C, (1, 2))') < 1e-8\n"
        "expect always abs(angle(J)'*jacobian(omega(C), J) - omega(C)) < 1e-9 and jacobian(omega(C), K) == "
        "0\n",
        1, 1e-11);
}

/* The torques of joints that hold a force at the tip are the jacobian times the force: nothing moves. */
static void hold_a_force(void **state) {
    (void)state;
    assert_holds("body2 B: mass = 1, inertia = 1, at = (1, 0)\nbody2 C: mass = 1, inertia = 1, at = (2, 1)\n"
                 "joint J: revolute(ground, B, at = (0, 0))\njoint K: revolute(B, C, at = (2, 0))\n"
                 "let F = (3, -5)\nforce C at (1, 2) = F\n"
                 "torque J = -dot(F, jacobian(point(C, (1, 2)), J))\n"
                 "torque K = -dot(F, jacobian(point(C, (1, 2)), K))\n"
                 "initial angle(K) = 1\n"
                 "expect always abs(angle(J)) < 1e-10 and abs(angle(K) - 1) < 1e-10\n",
                 5, 1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make_velocities),
        cmocka_unit_test(hold_a_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
