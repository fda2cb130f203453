/* Robots put together: the tree, the start, places, and what links weigh that are one body. */
#include "support/robots.h"

#define HALF_PI "1.5707963267948966"

static void products_of_poses(void **state) {
    pose quarter = {rotation_about((vector){0, 0, 1}, 1.5707963267948966), {1, 0, 0}};
    pose step = {{.w = 1}, {2, 0, 0}};
    assert_vector(pose_product(quarter, step).at, 1, 2, 0); // first the step, then the turn
    assert_vector(pose_product(step, quarter).at, 3, 0, 0);
    assert_vector(rotation_apply(pose_product(quarter, quarter).turn, (vector){1, 0, 0}), -1, 0, 0);
}

// invariants of a turned inertia, and J u for its turned principal axes
static void turned_inertia(void **state) {
    quaternion q = rotation_of_vector((vector){0.4, -1.1, 0.7});
    double J[6] = {2, 3, 4, 0, 0, 0};
    robot_turn_inertia(q, J);
    for (int i = 0; i < 3; i++) {
        vector u = rotation_apply(q, (vector){i == 0, i == 1, i == 2});
        double moment = 2 + i;
        vector Ju = {J[0] * u.x + J[3] * u.y + J[4] * u.z, J[3] * u.x + J[1] * u.y + J[5] * u.z,
                     J[4] * u.x + J[5] * u.y + J[2] * u.z};
        assert_vector(vector_difference(Ju, vector_scaled(moment, u)), 0, 0, 0);
    }
}

// each frame is its parent's, the joint's origin, then the joint's motion
static void places_along_a_chain(void **state) {
    described x = assemble_robot(
        // children before parents, and not in the order of the joints
        BODY("c", "1", "") BODY("b", "1", "") LINK("a")
            JOINT("k", "prismatic", "b", "c",
                  "<origin xyz='0 0 2'/><axis xyz='1 0 0'/><limit lower='1' "
                  "upper='2'/>")
                JOINT("j", "revolute", "a", "b", "<origin xyz='1 0 0' rpy='0 0 " HALF_PI "'/>"),
        false);
    assert_true(x.ok);
    const robot *r = &x.robot;
    assert_int_equal(r->root, 2);
    assert_true(r->order[0] == 2 && r->order[1] == 1 && r->order[2] == 0);
    assert_int_equal(r->links.at[2].body, -1); // the ground
    assert_true(r->links.at[1].body == 1 && r->links.at[0].body == 0);
    assert_vector(r->links.at[1].in_world.at, 1, 0, 0);
    assert_vector(r->joints.at[0].in_world.at, 1, 0, 2);
    assert_true(r->joints.at[0].start == 1.5);          // the middle of limits beyond which 0 lies
    assert_vector(r->links.at[0].in_world.at, 1, 0, 2); // where it is at 0
    forget(&x);
}

static void free_base(void **state) {
    described x = assemble_robot(BODY("a", "3", ""), true);
    assert_true(x.ok && x.robot.links.at[0].body == 0 && x.robot.links.at[0].total.mass == 3);
    forget(&x);
    x = assemble_robot(BODY("a", "3", "") LINK("b") JOINT("j", "fixed", "a", "b", ""), false);
    assert_false(x.ok);
    assert_told(&x, NULL, "error: nothing moves: all links are fixed to the base, and that to the ground",
                "free-base lets go of the base");
    forget(&x);
}

// two points of 1 and 3 at distance 2 across a turned fixed joint: J = m1 m2 / (m1 + m2) d^2 about the centre
static void fixed_links_are_one_body(void **state) {
#define POINT(name, mass, more)                                                                              \
    "<link name='" name "'><inertial>" more "<mass value='" mass                                             \
    "'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>"
    described x = assemble_robot(
        POINT("a", "1", "<origin xyz='0 0 1'/>") POINT("b", "3", "<origin xyz='1 0 0'/>") LINK("tip")
            JOINT("weld", "fixed", "a", "b", "<origin xyz='0 0 1' rpy='0 0 " HALF_PI "'/>")
                JOINT("end", "fixed", "b", "tip", "<origin xyz='2 0 0'/>"),
        true);
    assert_true(x.ok);
    const robot_link *a = &x.robot.links.at[0], *b = &x.robot.links.at[1], *tip = &x.robot.links.at[2];
    assert_true(a->merged == 3 && b->body == 0 && tip->body == 0);
    assert_true(a->total.mass == 4);
    assert_vector(a->total.centre, 0, 0.75, 1); // b's centre is at (0, 1, 1)
    assert_vector(tip->in_body.at, 0, 2, 1);
    static const double J[6] = {0.75, 0, 0.75, 0, 0, 0};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(a->total.inertia[i] - J[i]) < 1e-15);
    forget(&x);
}

// whose inertia is given in axes that turn with a fixed joint
static void inertia_turns_with_its_link(void **state) {
    described x = assemble_robot("<link name='a'/>" BODY("b", "1", "")
                                     JOINT("weld", "fixed", "a", "b", "<origin rpy='" HALF_PI " 0 0'/>"),
                                 true);
    const double *J = x.robot.links.at[0].total.inertia;
    assert_true(x.ok && fabs(J[0] - 1) < 1e-15 && fabs(J[1] - 1.4) < 1e-15 && fabs(J[2] - 1.2) < 1e-15);
    forget(&x);
}

static void mimics_start_where_their_leaders_do(void **state) {
    described x = assemble_robot(
        LINK("a") BODY("b", "1", "") BODY("c", "1", "") BODY("d", "1", "")
            JOINT("third", "revolute", "c", "d", "<mimic joint='second' multiplier='2' offset='1'/>")
                JOINT("second", "prismatic", "b", "c",
                      "<mimic joint='first' multiplier='-0.5'/><limit "
                      "lower='0' upper='1'/>")
                    JOINT("first", "revolute", "a", "b", "<limit lower='1' upper='3'/>"),
        false);
    assert_true(x.ok);
    assert_true(x.robot.joints.at[2].start == 2 && x.robot.joints.at[1].start == -1);
    assert_true(x.robot.joints.at[0].start == -1);
    assert_told(&x, NULL, "warning: at the start 'second' stands at -1, outside its limits",
                "that is where the joint it mimics puts it");
    forget(&x);
}

static const struct {
    const char *elements, *message, *hint;
} faults[] = {
    {LINK("a") JOINT("j", "revolute", "a", "a", ""), "error: joint 'j' connects 'a' with itself", NULL},
    {LINK("a") LINK("b") LINK("c") JOINT("j", "revolute", "a", "c", "") JOINT("k", "revolute", "b", "c", ""),
     "error: 'c' is the child of two joints",
     "a robot description is a tree; write what closes a loop to a file, and give it with loops"},
    {LINK("a") LINK("b") LINK("c") JOINT("j", "revolute", "a", "b", ""),
     "error: no joint leads to 'c', nor to 'a'",
     "a robot has one base, from which joints lead to all other links"},
    {LINK("a") LINK("b") LINK("c") JOINT("j", "revolute", "b", "c", "") JOINT("k", "revolute", "c", "b", ""),
     "error: 'b' hangs on itself: the joints that lead to it make a circle", "with loops"},
    {LINK("b") LINK("c") JOINT("j", "revolute", "b", "c", "") JOINT("k", "revolute", "c", "b", ""),
     "error: 'b' hangs on itself", NULL},
    {LINK("a") BODY("b", "1", "") JOINT("j", "revolute", "a", "b", "<mimic joint='j'/>"),
     "error: 'j' mimics itself, directly or by way of others", NULL},
    {LINK("a") BODY("b", "1", "") BODY("c", "1", "") JOINT("j", "revolute", "a", "b", "<mimic joint='k'/>")
         JOINT("k", "revolute", "b", "c", "<mimic joint='j'/>"),
     "mimics itself, directly or by way of others", NULL},
    {LINK("a") BODY("b", "1", "") BODY("c", "1", "") BODY("d", "1", "")
         JOINT("i", "revolute", "a", "b", "<limit lower='1e20' upper='1e20'/>")
             JOINT("j", "revolute", "b", "c", "<mimic joint='i' multiplier='1e20'/>")
                 JOINT("k", "revolute", "c", "d", ""),
     "error: where 'j' stands, by what it mimics, is out of all bounds", NULL},
};

static void faults_are_told(void **state) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        described x = assemble_robot(faults[i].elements, false);
        assert_false(x.ok);
        assert_told(&x, NULL, faults[i].message, faults[i].hint);
        forget(&x);
    }
}

static void massless_links(void **state) {
    described x = assemble_robot(LINK("a") LINK("b") BODY("c", "1", "") JOINT("j", "revolute", "a", "b", "")
                                     JOINT("k", "revolute", "b", "c", ""),
                                 false);
    assert_true(x.ok && x.robot.links.at[1].heavy);
    assert_told(&x, NULL, "warning: without mass, but able to move: 'b'\n",
                "that is fine where what it carries has mass");
    forget(&x);
    x = assemble_robot(LINK("a") BODY("b", "1", "") LINK("c") JOINT("j", "revolute", "a", "b", "")
                           JOINT("k", "revolute", "b", "c", ""),
                       false);
    assert_true(x.ok && !x.robot.links.at[2].heavy);
    assert_told(&x, NULL, "warning: without mass, but able to move: 'c'\n", "give it an <inertial>");
    forget(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_poses),
        cmocka_unit_test(turned_inertia),
        cmocka_unit_test(places_along_a_chain),
        cmocka_unit_test(free_base),
        cmocka_unit_test(fixed_links_are_one_body),
        cmocka_unit_test(inertia_turns_with_its_link),
        cmocka_unit_test(mimics_start_where_their_leaders_do),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(massless_links),
    };
    return cannot_import() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
