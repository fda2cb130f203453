/* What MJCF means: defaults, turns, geoms, joints, loops; and what is told where a file is wrong. */
#include "import/mjcf.h"
#include "support/robots.h"

#define MUJOCO(before, bodies, after) "<mujoco>" before "<worldbody>" bodies "</worldbody>" after "</mujoco>"
#define BALL(name, more)              "<body name='" name "'>" more "<geom size='0.1'/></body>"
#define HINGED(name, joint)           BALL(name, "<joint name='" joint "'/>")

// how a body is turned: where its x and z axes point
static void turns(void **state) {
    static const struct {
        const char *compiler, *turn;
        double x[3], z[3];
    } cases[] = {
        {"", "", {1, 0, 0}, {0, 0, 1}},
        {"", "quat='2 0 0 2'", {0, 1, 0}, {0, 0, 1}},
        {"", "axisangle='0 0 5 90'", {0, 1, 0}, {0, 0, 1}},
        {"", "euler='90 0 90'", {0, 0, 1}, {0, -1, 0}}, // about z as x has turned it
        {"<compiler eulerseq='XYZ'/>", "euler='90 0 90'", {0, 1, 0}, {1, 0, 0}},
        {"<compiler eulerseq='zyx'/>", "euler='90 90 0'", {0, 0, -1}, {0, 1, 0}},
        {"<compiler angle='radian'/>", "euler='0 0 1.5707963267948966'", {0, 1, 0}, {0, 0, 1}},
        {"", "xyaxes='0 2 0 -1 5 0'", {0, 1, 0}, {0, 0, 1}}, // y is made perpendicular
        {"", "xyaxes='0 0 1 0 1 0'", {0, 0, 1}, {-1, 0, 0}},
        {"", "zaxis='3 0 0'", {0, 0, -1}, {1, 0, 0}},
        {"", "zaxis='0 0 -1'", {1, 0, 0}, {0, 0, -1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given[500];
        snprintf(given, sizeof given,
                 MUJOCO("%s", "<body name='b' %s><freejoint/><geom size='1'/></body>", ""), cases[i].compiler,
                 cases[i].turn);
        described x = read_file(given);
        assert_true(x.ok);
        quaternion q = link_of(&x, "b")->in_world.turn;
        assert_vector(rotation_apply(q, (vector){1, 0, 0}), cases[i].x[0], cases[i].x[1], cases[i].x[2]);
        assert_vector(rotation_apply(q, (vector){0, 0, 1}), cases[i].z[0], cases[i].z[1], cases[i].z[2]);
        forget(&x);
    }
}

// in the folder that the file names
static void meshes(void **state) {
    described x = read_file(
        MUJOCO("<compiler meshdir='models/mechanisms/meshes'/>"
               "<asset><mesh file='piston.stl' scale='2 2 1'/><mesh name='m' file='none.stl'/></asset>",
               "<body name='b'><freejoint/><geom size='1'/><geom mesh='piston' mass='0'/>"
               "<geom type='mesh' mesh='m' mass='0'/></body>",
               ""));
    assert_true(x.ok);
    const robot_link *b = link_of(&x, "b");
    assert_int_equal(b->shapes.count, 3);
    assert_string_equal(b->shapes.at[1].path, "models/mechanisms/meshes/piston.stl");
    assert_true(b->shapes.at[1].size[0] == 2 && b->shapes.at[1].size[2] == 1);
    assert_null(b->shapes.at[2].path);
    assert_told(&x, NULL, "warning: <mesh> is not drawn", "there is no such file");
    forget(&x);
}

// by moments, with all sizes different
static void geoms(void **state) {
    static const struct {
        const char *geom;
        double mass, J[3];
    } cases[] = {
        {"type='box' size='1 2 3' mass='3'", 3, {13, 10, 5}},
        {"type='sphere' size='2' mass='5'", 5, {8, 8, 8}},
        {"size='0.5' density='6'",
         3.141592653589793,
         {0.3141592653589793, 0.3141592653589793, 0.3141592653589793}},
        {"type='ellipsoid' size='1 2 3' mass='5'", 5, {13, 10, 5}},
        {"type='cylinder' size='2 3' mass='1'", 1, {4, 4, 2}},
        // ball 4/7 and tube 3/7 of the mass: 3/7 (1/4 + 1/12) + 4/7 (2/5 + 1/4 + 3/8)
        {"type='capsule' size='1 0.5' mass='7'", 7, {5.1, 5.1, 3.1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given[500];
        snprintf(given, sizeof given, MUJOCO("", "<body name='b'><freejoint/><geom %s/></body>", ""),
                 cases[i].geom);
        described x = read_file(given);
        assert_true(x.ok);
        const robot_inertia *own = &link_of(&x, "b")->own;
        assert_true(fabs(own->mass - cases[i].mass) < 1e-14);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(own->inertia[k] - cases[i].J[k]) < 1e-13);
        forget(&x);
    }
}

// an element, its class, the class around that, and the class of its body
static void defaults(void **state) {
    described x = read_file(MUJOCO(
        "<default><joint damping='1' armature='2'/><default class='a'><joint damping='3'/><default class='b'>"
        "<joint type='slide'/></default></default></default>",
        "<body name='p'><joint name='plain'/><joint name='own' damping='9'/><joint name='b' class='b'/>"
        "<geom size='1'/><body name='q' childclass='a'><joint name='child'/><geom size='1'/>"
        "<body name='r'><joint name='main' class='main'/><geom size='1'/></body></body></body>",
        ""));
    assert_true(x.ok);
    static const double damping[] = {1, 9, 3, 3, 1};
    for (int i = 0; i < 5; i++) {
        assert_true(x.robot.joints.at[i].damping == damping[i] && x.robot.joints.at[i].armature == 2);
        assert_true(x.robot.joints.at[i].kind == (i == 2 ? ROBOT_PRISMATIC : ROBOT_REVOLUTE));
    }
    forget(&x);
}

static void inertia_of_geoms_or_given(void **state) {
    static const struct {
        const char *compiler;
        double mass;
    } cases[] = {{"", 7}, {"inertiafromgeom='false'", 7}, {"inertiafromgeom='true'", 2}};
    for (int i = 0; i < 3; i++) {
        char given[600];
        snprintf(given, sizeof given,
                 MUJOCO("<compiler %s inertiagrouprange='0 1'/>",
                        "<body name='b'><freejoint/><inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/>"
                        "<geom size='1' mass='2'/><geom size='1' mass='5' group='2'/></body>",
                        ""),
                 cases[i].compiler);
        described x = read_file(given);
        assert_true(x.ok && link_of(&x, "b")->own.mass == cases[i].mass);
        forget(&x);
    }
}

// positions are those of the file, in degrees; the spring's rest, too
static void motions(void **state) {
    described x =
        read_file(MUJOCO("",
                         "<body pos='1 0 0' euler='0 0 90'><joint name='h' pos='1 0 0' axis='0 3 0' ref='90' "
                         "springref='180' stiffness='2' frictionloss='0.5' range='-90 90'/>"
                         "<joint name='s' type='slide' ref='3'/><geom size='1'/></body>",
                         ""));
    assert_true(x.ok);
    const robot_joint *h = &x.robot.joints.at[0], *s = &x.robot.joints.at[1];
    double quarter = 1.5707963267948966;
    assert_vector(h->in_world.at, 1, 1, 0);
    assert_vector(rotation_apply(h->in_world.turn, h->axis), -1, 0, 0);
    assert_true(h->start == quarter && h->rest == 2 * quarter && h->stiffness == 2 && h->friction == 0.5);
    assert_true(h->limited && h->lower == -quarter && h->upper == quarter && s->start == 3);
    assert_int_equal(x.robot.links.count, 3); // the world, one between the joints, the body
    assert_true(x.robot.links.at[h->child].made && h->child == s->parent);
    forget(&x);
}

// a frame turns what is in it; a weld joins bodies; several bodies of the world
static void places(void **state) {
    described x = assemble_file(
        MUJOCO("",
               "<frame pos='0 0 5' euler='0 0 90'><body name='a' pos='1 0 0'><freejoint/><geom "
               "size='1'/></body></frame>"
               "<body name='still' pos='0 1 0'><geom size='1'/></body>"
               "<body name='b' pos='3 0 0'><joint/><geom size='1' mass='1'/><body name='c' pos='0 0 2'>"
               "<geom size='1' mass='1'/></body></body>",
               ""));
    assert_true(x.ok);
    assert_vector(link_of(&x, "a")->in_world.at, 0, 1, 5);
    assert_int_equal(link_of(&x, "still")->body, -1);
    const robot_link *b = link_of(&x, "b");
    assert_true(link_of(&x, "c")->body == b->body && b->merged == 2 && b->total.mass == 2);
    assert_vector(b->total.centre, 0, 0, 1);
    forget(&x);
}

#define TWO HINGED("a", "j") HINGED("b", "k")

static void loops(void **state) {
    described x = assemble_file(MUJOCO(
        "",
        "<body name='a' pos='0 0 1'><joint name='j'/><geom size='1'/><site name='s' pos='1 0 0'/></body>"
        "<body name='b'><joint name='k'/><geom size='1'/><site name='t' pos='1 0 2'/></body>",
        "<equality><connect body1='a' anchor='1 2 3'/><weld body1='a' body2='b'/><joint joint1='j' "
        "joint2='k' "
        "polycoef='0 -2'/><connect site1='s' site2='t'/></equality>"));
    assert_true(x.ok && x.robot.joints.count == 5 && !x.robot.meeting);
    const robot_joint *connect = &x.robot.joints.at[2], *weld = &x.robot.joints.at[3],
                      *sites = &x.robot.joints.at[4];
    assert_true(connect->closes && connect->kind == ROBOT_SPHERICAL && connect->parent == 0 &&
                connect->child == 1);
    assert_vector(connect->in_world.at, 1, 2, 4);
    assert_true(weld->closes && weld->kind == ROBOT_FIXED && weld->parent == 1 && weld->child == 2);
    assert_true(x.robot.couplings.count == 1 && x.robot.couplings.at[0].factor[1] == -2);
    assert_true(sites->apart);
    assert_vector(sites->in_world.at, 1, 0, 1);
    assert_vector(sites->other, 1, 0, 2);
    forget(&x);
}

static const struct {
    const char *given, *message, *hint;
} faults[] = {
    {"<mujoco/>", "error: this robot has no <body>", NULL},
    {MUJOCO("", "<body><geom size='1'/></body>", ""), NULL, NULL}, // that nothing moves is told later
    {MUJOCO("", HINGED("a", "j") HINGED("a", "k"), ""), "error: there are two <body> of the name 'a'",
     "the first is here"},
    {MUJOCO("", HINGED("a", "j") HINGED("b", "j"), ""), "error: there are two <joint> of the name 'j'", NULL},
    {MUJOCO("", HINGED("world", "j"), ""), "error: there are two <body> of the name 'world'", NULL},
    {MUJOCO("", BALL("a", "<joint axis='0 0 0'/>"), ""), "error: the axis of a joint cannot be zero",
     "axis=\"0 0 1\""},
    {MUJOCO("", BALL("a", "<joint type='hing'/>"), ""), "error: there is no type of joint 'hing'",
     "did you mean 'hinge'?"},
    {MUJOCO("", BALL("a", "<joint damping='-1'/>"), ""), "error: a damping cannot be negative: this is -1",
     NULL},
    {MUJOCO("", BALL("a", "<joint range='2 1'/>"), ""), "error: the lower limit", NULL},
    {MUJOCO("", BALL("a", "<freejoint/><joint/>"), ""),
     "error: a free joint is the only one of a body in <worldbody>", NULL},
    {MUJOCO("", "<body><geom size='1'/><body><freejoint/><geom size='1'/></body></body>", ""),
     "error: a free joint is the only", NULL},
    {MUJOCO("", "<body><joint/><geom/></body>", ""), "error: a <geom> of the type sphere needs 1 sizes",
     NULL},
    {MUJOCO("", "<body><joint/><geom type='box' size='1 2'/></body>", ""),
     "error: a <geom> of the type box needs 3 sizes", NULL},
    {MUJOCO("", "<body><joint/><geom size='-1'/></body>", ""), "error: the sizes of a <geom> are positive",
     NULL},
    {MUJOCO("", "<body><joint/><geom size='1' mass='-1'/></body>", ""), "error: a mass cannot be negative",
     NULL},
    {MUJOCO("", "<body><joint/><geom type='blob' size='1'/></body>", ""),
     "error: there is no type of geom 'blob'", NULL},
    {MUJOCO("", "<body><joint/><geom type='capsule' size='1' fromto='1 1 1 1 1 1'/></body>", ""),
     "both ends of a geom are at the same place", NULL},
    {MUJOCO("", "<body><joint/><geom mesh='m'/></body>", ""), "error: what a mesh weighs is not known here",
     "give its body an <inertial>"},
    {MUJOCO("", "<body><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 3'/></body>", ""),
     "error: no body has this inertia", NULL},
    {MUJOCO("", "<body><joint/><inertial mass='1' pos='0 0 0'/></body>", ""),
     "error: <inertial> needs diaginertia", NULL},
    {MUJOCO("", "<body quat='0 0 0 0'><joint/><geom size='1'/></body>", ""), "error: quat has no direction",
     NULL},
    {MUJOCO("", "<body xyaxes='1 0 0 2 0 0'><joint/><geom size='1'/></body>", ""),
     "error: xyaxes has no direction", NULL},
    {MUJOCO("", "<body euler='1 2'><joint/><geom size='1'/></body>", ""),
     "error: euler is not 3 numbers: \"1 2\"", NULL},
    {MUJOCO("<compiler eulerseq='xyw'/>", HINGED("a", "j"), ""), "error: eulerseq is not three of", NULL},
    {MUJOCO("<compiler angle='degrees'/>", HINGED("a", "j"), ""),
     "error: there is no unit of angles 'degrees'", "did you mean 'degree'?"},
    {MUJOCO("<compiler coordinate='global'/>", HINGED("a", "j"), ""),
     "error: only coordinate=\"local\" is read", NULL},
    {MUJOCO("<default><default/></default>", HINGED("a", "j"), ""),
     "error: <default> within another needs class", NULL},
    {MUJOCO("", BALL("a", "<joint class='c'/>"), ""), "error: there is no default class 'c'", NULL},
    {MUJOCO("<include file='x.xml'/>", HINGED("a", "j"), ""), "error: <include> is not read", "whole.xml"},
    {MUJOCO("", TWO, "<equality><connect body1='a' body2='c' anchor='0 0 0'/></equality>"),
     "error: there is no body 'c'", NULL},
    {MUJOCO("", TWO, "<equality><connect body1='a' body2='b'/></equality>"), "error: <connect> needs anchor",
     NULL},
    {MUJOCO("", TWO, "<equality><connect site1='a' site2='b'/></equality>"), "error: there is no site 'a'",
     NULL},
    {MUJOCO("", TWO, "<equality><weld body1='a' body2='b' relpose='1 0 0 1 0 0 0'/></equality>"),
     "are not where its relpose has them", NULL},
    {MUJOCO("", TWO, "<equality><joint joint1='jj'/></equality>"), "error: there is no joint 'jj'", NULL},
    {MUJOCO("", TWO, "<equality><joint joint1='j' joint2='j'/></equality>"),
     "error: joint 'j' is coupled to itself", NULL},
    {MUJOCO("", BALL("a", "<freejoint name='f'/>"), "<actuator><motor joint='f'/></actuator>"),
     "error: 'f' is no hinge or slide", NULL},
};

static void faults_are_told(void **state) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        described x = read_file(faults[i].given);
        assert_true(x.ok == (faults[i].message == NULL));
        if (faults[i].message)
            assert_told(&x, NULL, faults[i].message, faults[i].hint);
        forget(&x);
    }
}

static void what_cannot_hang(void **state) {
    static const char *const given[] = {
        MUJOCO("", "<body><geom size='1'/></body>", ""),
        MUJOCO("", TWO, "<equality><connect name='c' body1='a' body2='a' anchor='0 0 0'/></equality>")};
    static const char *const told[] = {"error: nothing moves: all that there is is fixed to the ground",
                                       "error: joint 'c' connects 'a' with itself"};
    for (int i = 0; i < 2; i++) {
        described x = assemble_file(given[i]);
        assert_false(x.ok);
        assert_told(&x, NULL, told[i], NULL);
        forget(&x);
    }
}

static void leftovers(void **state) {
    described x = read_file(
        MUJOCO("<size/><option wind='1 0 0'/><compiler settotalmass='5'/>",
               BALL("a", "<joint type='ball' stiffness='1'/><light/><camera/>"),
               "<tendon/><sensor/><keyframe/><contact/><equality><tendon/><weld active='false'/></equality>"
               "<actuator><muscle/></actuator>"));
    assert_true(x.ok);
    static const char *const told[] = {
        "<size>",           "<option>",  "<compiler>",        "<joint stiffness>",
        "<light>",          "<camera>",  "<tendon>",          "<sensor>",
        "<keyframe>",       "<contact>", "<equality tendon>", "<equality active=\"false\">",
        "<actuator muscle>"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        assert_told(&x, NULL, arena_print(x.arena, "warning: %s is not imported", told[i]), NULL);
    assert_told(&x, NULL, "warning: <geom> is not solid", "bodies pass through each other");
    forget(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns),
        cmocka_unit_test(geoms),
        cmocka_unit_test(meshes),
        cmocka_unit_test(defaults),
        cmocka_unit_test(inertia_of_geoms_or_given),
        cmocka_unit_test(motions),
        cmocka_unit_test(places),
        cmocka_unit_test(loops),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(what_cannot_hang),
        cmocka_unit_test(leftovers),
    };
    return cannot_import() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
