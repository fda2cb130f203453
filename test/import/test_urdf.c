/* What the elements and attributes of a robot description mean, and what is told where they are wrong. */
#include "support/robots.h"

#define HALF_PI "1.5707963267948966"

static void links_and_inertia(void **state) {
    described x = read_robot(LINK("base") BODY("arm", "2.5", "<origin xyz=' 1\t-2 3e-1 '/>"));
    assert_true(x.ok);
    assert_string_equal(x.robot.name, "r");
    assert_int_equal(x.robot.links.count, 2);
    const robot_link *base = &x.robot.links.at[0], *arm = &x.robot.links.at[1];
    assert_string_equal(base->name, "base");
    assert_false(base->has_inertial);
    assert_true(arm->has_inertial && arm->own.mass == 2.5 && arm->joint == -1);
    assert_vector(arm->own.centre, 1, -2, 0.3);
    const double J[6] = {1, 1.2, 1.4, 0, 0, 0};
    assert_memory_equal(arm->own.inertia, J, sizeof J);
    forget(&x);
}

static void assert_inertia(const double *J, const double *wanted) {
    for (int i = 0; i < 6; i++)
        if (!(fabs(J[i] - wanted[i]) < 1e-15))
            fail_msg("entry %d: %.17g instead of %.17g", i, J[i], wanted[i]);
}

// the inertia is given in the axes of its <origin>; xx, yy, zz, xy, xz, yz
static void inertia_is_turned(void **state) {
    static const struct {
        const char *rpy;
        double J[6];
    } cases[] = {
        {"0 0 0", {0.3, 0.2, 0.4, 0.01, 0.02, 0.03}},
        {HALF_PI " 0 0", {0.3, 0.4, 0.2, -0.02, 0.01, -0.03}},
        {"0 " HALF_PI " 0", {0.4, 0.2, 0.3, 0.03, -0.02, -0.01}},
        {"0 0 " HALF_PI, {0.2, 0.3, 0.4, -0.01, -0.03, 0.02}},
        {HALF_PI " 0 " HALF_PI, {0.4, 0.3, 0.2, 0.02, 0.03, 0.01}}, // roll first, about fixed axes
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given[400];
        snprintf(given, sizeof given,
                 "<link name='a'><inertial><origin rpy='%s'/><mass value='1'/><inertia ixx='0.3' iyy='0.2' "
                 "izz='0.4' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial></link>",
                 cases[i].rpy);
        described x = read_robot(given);
        assert_true(x.ok);
        assert_inertia(x.robot.links.at[0].own.inertia, cases[i].J);
        forget(&x);
    }
}

static void joints(void **state) {
    described x = read_robot(
        LINK("a") LINK("b") LINK("c") JOINT("j", "prismatic", "a", "b",
                                            "<origin xyz='1 2 3' rpy='0 0 " HALF_PI "'/><axis xyz='0 3 -4'/>"
                                            "<limit lower='-0.5' upper='2'/><dynamics damping='7'/>")
            JOINT("k", "revolute", "b", "c", "<mimic joint='j' multiplier='-2' offset='0.25'/>"));
    assert_true(x.ok);
    const robot_joint *j = &x.robot.joints.at[0], *k = &x.robot.joints.at[1];
    assert_true(j->kind == ROBOT_PRISMATIC && j->parent == 0 && j->child == 1 && j->leader == -1);
    assert_vector(j->axis, 0, 0.6, -0.8);
    assert_vector(j->origin.at, 1, 2, 3);
    assert_vector(rotation_apply(j->origin.turn, (vector){1, 0, 0}), 0, 1, 0);
    assert_true(j->limited && j->lower == -0.5 && j->upper == 2 && j->damping == 7);
    assert_true(k->kind == ROBOT_REVOLUTE && k->leader == 0 && k->multiplier == -2 && k->offset == 0.25);
    assert_true(!k->limited && k->damping == 0);
    assert_vector(k->axis, 1, 0, 0); // where the file has none
    assert_vector(k->origin.at, 0, 0, 0);
    forget(&x);
}

static void kinds_of_joints(void **state) {
    static const char *const types[] = {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    for (int i = 0; i < 6; i++) {
        char given[400];
        snprintf(given, sizeof given,
                 LINK("a") LINK("b") "<joint name='j' type='%s'><parent link='a'/><child link='b'/>"
                                     "<limit lower='0' upper='1'/></joint>",
                 types[i]);
        described x = read_robot(given);
        const robot_joint *j = &x.robot.joints.at[0];
        assert_true(x.ok && j->kind == (robot_kind)i);
        assert_true(j->limited == (j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC));
        assert_true(robot_turns(j->kind) == (i < 2) && robot_slides(j->kind) == (i == 2));
        forget(&x);
    }
}

// numbers are decimal, and as many as there should be
static void numbers(void **state) {
    static const char *const wrong[] = {"",     "x",   "1,5", "1 2", "0x10", "inf", "nan", "1.2.3",
                                        "${m}", "--1", "1m",  ".",   "1e",   "+-1", "2 kg"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char given[300];
        snprintf(given, sizeof given,
                 "<link name='a'><inertial><mass value='%s'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
                 "</link>",
                 wrong[i]);
        described x = read_robot(given);
        assert_false(x.ok);
        if (*wrong[i])
            assert_told(&x, "1:48", arena_print(x.arena, "error: value is no number: \"%s\"", wrong[i]),
                        wrong[i][0] == '$' ? "this is for xacro" : NULL);
        else
            assert_told(&x, "1:48", "error: <mass> needs value=\"...\"", NULL);
        forget(&x);
    }
    static const char *const right[] = {"2", " 2.0 ", "+2", "2.", "0.2e1", "20E-1", "\n2\t"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char given[300];
        snprintf(given, sizeof given,
                 "<link name='a'><inertial><mass value='%s'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
                 "</link>",
                 right[i]);
        described x = read_robot(given);
        assert_true(x.ok && x.robot.links.at[0].own.mass == 2);
        forget(&x);
    }
}

static const struct {
    const char *elements, *message, *hint;
} faults[] = {
    // links
    {"", "error: this robot has no <link>", NULL},
    {"<link/>", "error: <link> needs name=\"...\"", NULL},
    {"<link name=' '/>", "error: <link> needs name=\"...\"", NULL},
    {LINK("a") LINK("a"), "error: there are two <link> of the name 'a'", "the first is here"},
    {"<link name='a'><inertial/></link>", "error: <inertial> needs <mass value=\"...\">", NULL},
    {"<link name='a'><inertial><mass value='1'/></inertial></link>",
     "error: <inertial> needs <inertia ixx=\"...\" iyy=\"...\" izz=\"...\">", NULL},
    {"<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial></link>",
     "error: <inertia> needs izz=\"...\"", NULL},
    {BODY("a", "1", "<mass value='2'/>"), "error: <mass> is given twice", "first given here"},
    {BODY("a", "-1", ""), "error: a mass cannot be negative: this is -1", NULL},
    {BODY("a", "1e31", ""), "error: value is too large: no robot has \"1e31\"", NULL},
    {BODY("a", "1", "<origin xyz='1 2'/>"), "error: xyz is not 3 numbers: \"1 2\"", NULL},
    {BODY("a", "1", "<origin xyz='1 2 3 4'/>"), "error: xyz is not 3 numbers: \"1 2 3 4\"", NULL},
    {BODY("a", "1", "<origin rpy='0 0 90deg'/>"), "error: rpy is not 3 numbers: \"0 0 90deg\"", NULL},
    {"<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial></link>",
     "error: no body has this inertia: its principal moments are 1, 1 and 3",
     "none of them can be larger than the other two together"},
    {"<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='2'/></inertial></link>",
     "error: no body has this inertia", "none of them can be negative"},
    // joints
    {LINK("a") "<joint type='fixed'/>", "error: <joint> needs name=\"...\"", NULL},
    {LINK("a") LINK("b") "<joint name='j'><parent link='a'/><child link='b'/></joint>",
     "error: <joint> needs type=\"...\"", NULL},
    {LINK("a") LINK("b") JOINT("j", "revolutte", "a", "b", ""),
     "error: there is no type of joint 'revolutte'", "did you mean 'revolute'?"},
    {LINK("a") LINK("b") JOINT("j", "wheel", "a", "b", ""), "error: there is no type of joint 'wheel'",
     "there are revolute, continuous, prismatic, fixed, floating and planar"},
    {LINK("a") LINK("b") "<joint name='j' type='fixed'><child link='b'/></joint>",
     "error: <joint> needs <parent link=\"...\">", NULL},
    {LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/></joint>",
     "error: <joint> needs <child link=\"...\">", NULL},
    {LINK("a") LINK("b") "<joint name='j' type='fixed'><parent/><child link='b'/></joint>",
     "error: <parent> needs link=\"...\"", NULL},
    {LINK("base") LINK("arm") JOINT("j", "fixed", "base", "arn", ""), "error: there is no link 'arn'",
     "did you mean 'arm'?"},
    {LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "") JOINT("j", "fixed", "b", "c", ""),
     "error: there are two <joint> of the name 'j'", "the first is here"},
    {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>"),
     "error: the axis of a joint cannot be zero", "write a direction, as in <axis xyz=\"0 0 1\"/>"},
    {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='-1'/>"),
     "error: the lower limit 1 is above the upper one, -1", NULL},
    {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<dynamics damping='-1'/>"),
     "error: a damping cannot be negative: this is -1", NULL},
    {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<mimic/>"), "error: <mimic> needs joint=\"...\"",
     NULL},
    {LINK("a") LINK("b") JOINT("lift", "revolute", "a", "b", "<mimic joint='lifd'/>"),
     "error: there is no joint 'lifd' to mimic", "did you mean 'lift'?"},
    {LINK("a") LINK("b") JOINT("j", "planar", "a", "b", "<mimic joint='j'/>"),
     "error: a planar joint cannot mimic another", "revolute, continuous and prismatic joints can"},
    {LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "")
         JOINT("k", "revolute", "b", "c", "<mimic joint='j'/>"),
     "error: 'j' is a fixed joint: it has no position to mimic", NULL},
    // other formats
    {"<xacro:macro/>" LINK("a"), "error: <xacro:macro> is for xacro, which writes robot descriptions",
     "write 'xacro FILE > robot.urdf' first, and import that"},
    {"<link name='a'><visual><xacro:box/></visual></link>", "error: <xacro:box> is for xacro", NULL},
};

static void faults_are_told(void **state) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        described x = read_robot(faults[i].elements);
        assert_false(x.ok);
        assert_told(&x, NULL, faults[i].message, faults[i].hint);
        forget(&x);
    }
}

static void other_roots(void **state) {
    static const char *const roots[] = {"html", "mujocoinclude", "xacro:macro", "gazebo", "model"};
    static const char *const hints[] = {NULL, "import takes whole ones", "xacro FILE > robot.urdf",
                                        "gz sdf -p FILE", "import the file that it names"};
    for (int i = 0; i < 5; i++) {
        described x = describe("");
        set_text(&x, arena_print(x.arena, "<%s/>", roots[i]));
        assert_false(robot_read(x.arena, x.source, &x.diags, &x.robot));
        assert_told(&x, "1:2",
                    arena_print(x.arena,
                                "error: a robot description begins with <robot>, <sdf> or <mujoco>, not <%s>",
                                roots[i]),
                    hints[i]);
        forget(&x);
    }
}

// once for each kind of element, with how often and why
static void leftovers(void **state) {
    described x = read_robot("<material name='m'/><link name='a'><collision/><collision/></link>"
                             "<link name='b'><visual/><collision/><bell/></link>" JOINT(
                                 "j", "revolute", "a", "b", "<limit lower='-1' upper='1'/><calibration/>")
                                 LINK("c") JOINT("k", "floating", "a", "c", "<dynamics friction='0.1'/>"));
    assert_true(x.ok);
    assert_int_equal(x.diags.errors, 0);
    assert_told(&x, "1:53", "warning: <collision> is not imported (3 times; the first is here)",
                "there are no contacts");
    assert_told(&x, NULL, "warning: <bell> is not imported", NULL);
    assert_told(&x, NULL, "warning: <limit> is not enforced", "nothing stops a joint at its limits");
    assert_told(&x, NULL, "warning: <dynamics friction> is not imported", "only joints with one motion");
    assert_told(&x, NULL, "warning: <calibration> is not imported", NULL);
    assert_told(&x, NULL, "warning: <material> is not imported", "a model has no colours");
    forget(&x);
}

#define SHAPE(what) "<visual><origin xyz='0 0 1'/><geometry>" what "</geometry></visual>"

// what is drawn: what is to be seen, or else what would be touched
static void shapes(void **state) {
    described x = read_robot(
        "<link name='a'>" SHAPE("<box size='1 2 3'/>") SHAPE("<sphere radius='2'/>")
            SHAPE("<cylinder radius='1' length='4'/>") SHAPE("<mesh filename='a.stl' scale='1 1 2'/>")
                SHAPE("<box size='1 0 1'/>") "<collision><geometry><sphere "
                                             "radius='9'/></geometry></collision></link>"
                                             "<link name='b'><collision><geometry><sphere "
                                             "radius='9'/></geometry></collision></link>");
    assert_true(x.ok);
    const robot_link *a = &x.robot.links.at[0], *b = &x.robot.links.at[1];
    assert_int_equal(a->shapes.count, 4); // one is flat
    static const solid_kind kinds[] = {SOLID_BOX, SOLID_SPHERE, SOLID_CYLINDER, SOLID_MESH};
    static const double last[] = {3, 0, 0, 2};
    for (int i = 0; i < 4; i++) {
        assert_true(a->shapes.at[i].kind == kinds[i] && a->shapes.at[i].size[2] == last[i]);
        assert_vector(a->shapes.at[i].origin.at, 0, 0, 1);
    }
    assert_true(a->shapes.at[2].size[0] == 1 && a->shapes.at[2].size[1] == 4);
    assert_string_equal(a->shapes.at[3].file, "a.stl");
    assert_true(b->shapes.count == 1 && b->shapes.at[0].size[0] == 9);
    assert_told(&x, NULL, "warning: <mesh> is not drawn", "stand in the model as a comment");
    forget(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_and_inertia),
        cmocka_unit_test(inertia_is_turned),
        cmocka_unit_test(joints),
        cmocka_unit_test(kinds_of_joints),
        cmocka_unit_test(numbers),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(other_roots),
        cmocka_unit_test(leftovers),
        cmocka_unit_test(shapes),
    };
    return cannot_import() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
