/* What SDF means: poses relative to frames, models within models, joints and loops; and what is told where a
 * file is wrong. */
#include "import/elements.h"
#include "support/robots.h"

#define SDF(elements) "<sdf version='1.11'><model name='m'>" elements "</model></sdf>"
#define WEIGHT                                                                                               \
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1.2</iyy><izz>1.4</izz></inertia></inertial>"
#define PART(name, more) "<link name='" name "'>" more WEIGHT "</link>"
#define LINKED(name, type, parent, child, more)                                                              \
    "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child "</child>" more        \
    "</joint>"
#define AXIS(xyz, more) "<axis><xyz>" xyz "</xyz>" more "</axis>"
#define HALF_PI         "1.5707963267948966"

// poses of the model, of links, of frames that are attached to others, in degrees and as quaternions
static void poses(void **state) {
    described x = read_file(SDF(
        "<pose>0 0 1 0 0 " HALF_PI
        "</pose>" PART("a", "<pose>1 0 0 0 0 0</pose>") PART("b", "<pose relative_to='a'>1 0 0 0 0 0</pose>")
            PART("c", "<pose relative_to='f' degrees='true'>1 0 0 0 90 0</pose>")
                PART("d", "<pose relative_to='world' rotation_format='quat_xyzw'>4 5 6 0 0 2 2</pose>") PART(
                    "e",
                    "<pose relative_to='j'>0 0 1 0 0 0</pose>") "<frame name='f' attached_to='b'><pose>0 0 2 "
                                                                "0 0 -" HALF_PI "</pose></frame>" LINKED(
                                                                    "j", "fixed", "a", "b",
                                                                    "<pose>0 3 0 0 0 0</pose>")));
    if (!x.ok)
        fail_msg("%s", messages(&x));
    assert_vector(link_of(&x, "a")->in_world.at, 0, 1, 1);
    assert_vector(link_of(&x, "b")->in_world.at, 0, 2, 1);
    assert_vector(link_of(&x, "c")->in_world.at, 1, 2, 3);
    assert_vector(rotation_apply(link_of(&x, "c")->in_world.turn, (vector){1, 0, 0}), 0, 0, -1);
    assert_vector(link_of(&x, "d")->in_world.at, 4, 5, 6);
    assert_vector(rotation_apply(link_of(&x, "d")->in_world.turn, (vector){1, 0, 0}), 0, 1, 0);
    assert_vector(link_of(&x, "e")->in_world.at, -3, 2, 2);
    assert_vector(x.robot.joints.at[0].in_world.at, -3, 2, 1); // seen from the child
    forget(&x);
}

static void meshes(void **state) {
    described x = read_file(SDF(PART(
        "a", "<visual name='v'><geometry><mesh><uri>model://any/models/mechanisms/meshes/piston.stl</uri>"
             "<scale>2 2 -1</scale></mesh></geometry></visual>")));
    assert_true(x.ok);
    const robot_shape *s = &link_of(&x, "a")->shapes.at[0];
    assert_string_equal(s->path, "models/mechanisms/meshes/piston.stl");
    assert_true(s->size[1] == 2 && s->size[2] == -1);
    forget(&x);
}

static void models_within_models(void **state) {
    described x = read_file(SDF(PART("base", "") "<model name='hand'><pose>0 0 1 0 0 0</pose>" PART(
        "palm", "<pose>0 0 1 0 0 0</pose>") PART("finger", "")
                                    LINKED("knuckle", "ball", "palm", "finger",
                                           "") "</model>" LINKED("wrist", "fixed", "base", "hand::palm", "")
                                        LINKED("tip", "fixed", "hand", "world", "")));
    if (!x.ok)
        fail_msg("%s", messages(&x));
    assert_vector(link_of(&x, "hand::palm")->in_world.at, 0, 0, 2);
    assert_string_equal(x.robot.joints.at[0].name, "hand::knuckle");
    assert_true(x.robot.joints.at[0].parent == 2 && x.robot.joints.at[0].child == 3);
    assert_true(x.robot.joints.at[1].parent == 1 && x.robot.joints.at[1].child == 2);
    assert_true(x.robot.joints.at[2].parent == 2 && x.robot.joints.at[2].child == 0); // by its first link
    forget(&x);
}

// several models in a world, one of which stands still
static void worlds(void **state) {
    described x =
        assemble_file("<sdf version='1.6'><world name='w'><gravity>0 1 -2</gravity><model name='floor'>"
                      "<static>true</static>" PART("l", "") "</model><model name='robot'>" PART(
                          "l", "") "</model></world></sdf>");
    assert_true(x.ok);
    assert_string_equal(x.robot.name, "w");
    assert_vector(x.robot.gravity, 0, 1, -2);
    assert_int_equal(link_of(&x, "floor::l")->body, -1);
    assert_int_equal(link_of(&x, "robot::l")->body, 2); // free
    forget(&x);
}

static void weights(void **state) {
    described x = read_file(SDF("<link name='bare'/>" PART("a", "<gravity>false</gravity>")));
    assert_true(x.ok);
    const robot_link *bare = link_of(&x, "bare"), *a = link_of(&x, "a");
    assert_true(bare->own.mass == 1 && bare->own.inertia[2] == 1 && bare->lift == 0);
    assert_true(a->own.mass == 2 && a->own.inertia[2] == 1.4 && a->lift == 1);
    assert_vector(x.robot.gravity, 0, 0, -9.8);
    assert_told(&x, NULL, "warning: <link> is not given a weight", "SDF says so");
    forget(&x);
}

// in the axes of the joint, of a frame, or of the model
static void axes(void **state) {
    static const struct {
        const char *version, *xyz;
        double x, y;
    } cases[] = {{"1.11", "<xyz>1 0 0</xyz>", -1, 0},
                 {"1.11", "<xyz expressed_in='__model__'>1 0 0</xyz>", 1, 0},
                 {"1.11", "<xyz expressed_in='b'>1 0 0</xyz>", 0, 1},
                 {"1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>", 1, 0},
                 {"1.4", "<xyz>1 0 0</xyz>", 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given[1500];
        snprintf(given, sizeof given,
                 "<sdf version='%s'><model name='m'>" PART("a", "")
                     PART("b", "<pose>0 0 0 0 0 " HALF_PI "</pose>")
                         LINKED("j", "revolute", "a", "b",
                                "<pose>0 0 0 0 0 " HALF_PI "</pose><axis>%s</axis>") "</model></sdf>",
                 cases[i].version, cases[i].xyz);
        described x = read_file(given);
        assert_true(x.ok);
        const robot_joint *j = &x.robot.joints.at[0];
        assert_vector(rotation_apply(j->in_world.turn, j->axis), cases[i].x, cases[i].y, 0);
        forget(&x);
    }
}

static void motions(void **state) {
    described x =
        read_file(SDF(PART("a", "") PART("b", "") PART("c", "") PART("d", "") PART("e", "") LINKED(
            "j", "revolute", "a", "b",
            AXIS("0 0 2",
                 "<limit><lower>-1</lower><upper>2</upper><effort>5</effort></limit><dynamics><damping>0.1"
                 "</damping><friction>0.2</friction><spring_stiffness>3</spring_stiffness>"
                 "<spring_reference>0.5</spring_reference></dynamics>"))
                          LINKED("k", "prismatic", "b", "c",
                                 AXIS("1 0 0",
                                      "<limit><lower>-1e16</lower><upper>inf</upper></limit><mimic "
                                      "joint='j'><multiplier>2"
                                      "</multiplier><offset>1</offset><reference>3</reference></mimic>"))
                              LINKED("s", "screw", "c", "d",
                                     "<screw_thread_pitch>0.01</screw_thread_pitch>" AXIS("0 0 1", ""))
                                  LINKED("u", "universal", "d", "e",
                                         AXIS("1 0 0", "") "<axis2><xyz>0 1 0</xyz></axis2>")));
    if (!x.ok)
        fail_msg("%s", messages(&x));
    const robot_joint *j = x.robot.joints.at;
    assert_true(j[0].limited && j[0].lower == -1 && j[0].upper == 2 && j[0].effort == 5);
    assert_true(j[0].damping == 0.1 && j[0].friction == 0.2 && j[0].stiffness == 3 && j[0].rest == 0.5);
    assert_true(!j[1].limited && j[1].leader == 0 && j[1].multiplier == 2 && j[1].offset == -5);
    assert_true(j[2].kind == ROBOT_SCREW && fabs(j[2].pitch - 0.01 / 6.283185307179586) < 1e-18);
    assert_true(x.robot.joints.count == 5 && x.robot.links.at[j[3].child].made && j[3].child == j[4].parent);
    assert_vector(j[3].axis, 1, 0, 0);
    assert_vector(j[4].axis, 0, 1, 0);
    forget(&x);
}

// two joints to one link, a circle in the air, a joint from a link to what carries it
static void loops(void **state) {
    described x = assemble_file(SDF(PART("a", "") PART("b", "") PART("c", "")
                                        LINKED("j", "revolute", "world", "a", AXIS("0 1 0", ""))
                                            LINKED("k", "revolute", "world", "b", AXIS("0 1 0", ""))
                                                LINKED("l", "revolute", "a", "c", AXIS("0 1 0", ""))
                                                    LINKED("n", "revolute", "b", "c", AXIS("0 1 0", ""))));
    assert_true(x.ok && x.robot.meeting);
    for (int i = 0; i < 4; i++)
        assert_true(x.robot.joints.at[i].closes == (i == 3));
    forget(&x);
    x = assemble_file(SDF(PART("a", "") PART("b", "") PART("c", "") LINKED("j", "ball", "a", "b", "")
                              LINKED("k", "ball", "b", "c", "") LINKED("l", "ball", "c", "a", "")));
    assert_true(x.ok && x.robot.links.at[1].joint == -1 && x.robot.links.at[1].body == 1);
    assert_int_equal(x.robot.joints.at[0].closes + x.robot.joints.at[1].closes + x.robot.joints.at[2].closes,
                     1);
    forget(&x);
    x = assemble_file(SDF(PART("a", "") PART("b", "<pose>1 0 0 0 0 0</pose>")
                              LINKED("j", "fixed", "a", "b", "") LINKED("k", "ball", "world", "b", "")));
    assert_true(x.ok && x.robot.links.at[1].body == 2 && x.robot.links.at[1].over == 2); // hangs on its child
    assert_vector(x.robot.links.at[1].in_body.at, -1, 0, 0);
    forget(&x);
}

static const struct {
    const char *given, *message, *hint;
} faults[] = {
    {"<sdf/>", "error: this robot has no <link>", NULL},
    {SDF(""), "error: this robot has no <link>", NULL},
    {"<sdf><model>" PART("a", "") "</model></sdf>", "error: <model> needs name=\"...\"", NULL},
    {SDF("<link/>"), "error: <link> needs name=\"...\"", NULL},
    {SDF(PART("a", "") PART("a", "")), "error: there are two <link> of the name 'a'", "the first is here"},
    {SDF(PART("a", "<pose>1 2 3</pose>")), "error: pose is not 6 numbers: \"1 2 3\"", NULL},
    {SDF(PART("a", "<pose>1 2 3 4 5 x</pose>")), "error: pose is not 6 numbers", NULL},
    {SDF(PART("a", "<pose rotation_format='quat_xyzw'>1 2 3 0 0 0 0</pose>")),
     "error: a quaternion cannot be zero", NULL},
    {SDF(PART("lever", "<pose relative_to='leverr'/>")), "error: there is no frame 'leverr'",
     "did you mean 'lever'?"},
    {SDF(PART("a", "<pose relative_to='b'/>") PART("b", "<pose relative_to='a'/>")), "depends on itself",
     NULL},
    {SDF(PART("a", "<pose relative_to='a'/>")), "error: where 'a' is depends on itself", NULL},
    {SDF(PART("a", "") "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'><pose "
                       "relative_to='a'/></frame>"),
     "is attached to itself, by way of others", NULL},
    {SDF(PART("a", "") "<frame name='a'/>"), "error: there are two frames of the name 'a'", NULL},
    {SDF("<link name='a'><inertial><mass>-1</mass></inertial></link>"),
     "error: a mass cannot be negative: this is -1", NULL},
    {SDF("<link name='a'><inertial><inertia><ixx>3</ixx></inertia></inertial></link>"),
     "error: no body has this inertia", NULL},
    {SDF("<link name='a'><inertial auto='true'/></link>"),
     "error: an inertia is not computed from collisions", NULL},
    {SDF(PART("a", "") LINKED("j", "revolute", "a", "a", AXIS("0 0 0", ""))),
     "error: the axis of a joint cannot be zero", "<xyz>0 0 1</xyz>"},
    {SDF(PART("a", "") LINKED("j", "revolutte", "world", "a", "")),
     "error: there is no type of joint 'revolutte'", "did you mean 'revolute'?"},
    {SDF(PART("a", "") LINKED("j", "gearbox", "world", "a", "")), "error: a gearbox is not read", "loops"},
    {SDF(PART("a", "") LINKED("j", "ball", "world", "b", "")), "error: there is no", NULL},
    {SDF(PART("a", "") "<joint name='j' type='ball'><child>a</child></joint>"),
     "error: <joint> needs <parent>LINK</parent>", NULL},
    {SDF(PART("a", "") LINKED("j", "ball", "world", "a", "") LINKED("j", "ball", "world", "a", "")),
     "error: there are two <joint> of the name 'j'", NULL},
    {SDF(PART("a", "") LINKED("j", "revolute", "world", "a", AXIS("0 0 1", "<mimic joint='k'/>"))),
     "error: there is no joint 'k' to mimic", NULL},
    {SDF(PART("a", "") LINKED("j", "revolute", "world", "a",
                              AXIS("0 0 1", "<limit><lower>2</lower><upper>1</upper></limit>"))),
     "error: the lower limit 2 is above", NULL},
    {SDF(PART("a", "") LINKED("j", "revolute", "world", "a",
                              AXIS("0 0 1", "<dynamics><friction>-2</friction></dynamics>"))),
     "error: a friction cannot be negative: this is -2", NULL},
};

static void faults_are_told(void **state) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        described x = read_file(faults[i].given);
        assert_false(x.ok);
        assert_told(&x, NULL, faults[i].message, faults[i].hint);
        forget(&x);
    }
}

static void what_does_not_hang(void **state) {
    described x = assemble_file(SDF(PART("a", "") LINKED("j", "ball", "a", "a", "")));
    assert_false(x.ok);
    assert_told(&x, NULL, "error: joint 'j' connects 'a' with itself", NULL);
    forget(&x);
    x = assemble_file(SDF(PART("a", "") LINKED("j", "fixed", "world", "a", "")));
    assert_false(x.ok);
    assert_told(&x, NULL, "error: nothing moves", NULL);
    forget(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses),
        cmocka_unit_test(meshes),
        cmocka_unit_test(models_within_models),
        cmocka_unit_test(worlds),
        cmocka_unit_test(weights),
        cmocka_unit_test(axes),
        cmocka_unit_test(motions),
        cmocka_unit_test(loops),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(what_does_not_hang),
    };
    return cannot_import() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
