/* The text that a robot becomes, read back: masses, joints, names. */
#include "support/build.h"
#include "support/robots.h"

typedef struct {
    described robot;
    const char *text;
    built built;
} written;

static written write_text(const char *given, const import_options *o) {
    written w = {.robot = describe("")};
    described *x = &w.robot;
    set_text(x, arena_copy(x->arena, given, strlen(given)));
    w.text = import_robot(x->arena, x->source, o, &x->diags);
    if (w.text == NULL)
        fail_msg("%s", messages(x));
    w.built = build(w.text);
    return w;
}

static written write_with(const char *elements, const import_options *o) {
    char given[5000];
    snprintf(given, sizeof given, "<robot name='r'>%s</robot>", elements);
    return write_text(given, o);
}

static written write_file(const char *given) {
    return write_text(given, &(import_options){0});
}

static written write_model(const char *elements) {
    return write_with(elements, &(import_options){0});
}

static void tear_up(written *w) {
    demolish(&w->built);
    forget(&w->robot);
}

static void assert_has(const written *w, const char *piece) {
    if (strstr(w->text, piece) == NULL)
        fail_msg("'%s' is missing in\n%s", piece, w->text);
}

static void assert_has_not(const written *w, const char *piece) {
    if (strstr(w->text, piece))
        fail_msg("'%s' is in\n%s", piece, w->text);
}

static int find_coordinate(const model *m, const char *name, arena *a) {
    for (int i = 0; i < m->coords.count; i++)
        if (strcmp(model_coord_name(m, i, a), name) == 0)
            return i;
    fail_msg("there is no coordinate %s", name);
    return -1;
}

// the masses stand in M, the places in the typed start
static void masses_and_places(void **state) {
    written w =
        write_model(LINK("base") BODY("arm", "2.5", "<origin xyz='0.1 0 0.2'/>") BODY("hand", "0.5", "")
                        JOINT("hinge", "revolute", "base", "arm", "<origin xyz='0 0 1'/>")
                            JOINT("slide", "prismatic", "arm", "hand", "<origin xyz='1 0 0'/>"));
    const trm_system *s = w.built.sys;
    state_run(s, w.built.st, STAGE_DYNAMICS);
    static const char *const coordinates[] = {"arm.x", "arm.y", "arm.z", "hand.x", "hand.y", "hand.z"};
    static const double masses[] = {2.5, 2.5, 2.5, 0.5, 0.5, 0.5}, places[] = {0.1, 0, 1.2, 1, 0, 1};
    assert_int_equal(s->n, 14);
    assert_int_equal(s->m, 2 * 5 + 2);
    for (int i = 0; i < 6; i++) {
        int at = find_coordinate(s->model, coordinates[i], w.built.arena);
        assert_near(w.built.st->y[STAGE_DYNAMICS][sparsity_find(s->M, at, at)], masses[i], 1e-15);
        assert_near(s->model->position.at[at].value, places[i], 1e-15);
        assert_true(s->model->position.at[at].kind == INITIAL_EXACT);
    }
    assert_has(&w, "param arm_mass = 2.5\n");
    assert_has(&w, "joint slide: prismatic(arm, hand, at = (1, 0, 1), axis = (1, 0, 0))\n");
    tear_up(&w);
}

static void kinds_of_joints(void **state) {
    static const struct {
        const char *type, *written;
        int rows;
    } cases[] = {
        {"revolute", "joint j: revolute(ground, b, at = (0, 0, 0), axis = (0, 0, 1))", 5},
        {"continuous", "joint j: revolute(ground, b, at = (0, 0, 0), axis = (0, 0, 1))", 5},
        {"prismatic", "joint j: prismatic(ground, b, at = (0, 0, 0), axis = (0, 0, 1))", 5},
        {"planar", "joint j: planar(ground, b, at = (0, 0, 0), normal = (0, 0, 1))", 3},
        {"floating", "# j leaves b free.", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given[500];
        snprintf(given, sizeof given,
                 LINK("a") BODY("b", "1", "") "<joint name='j' type='%s'><parent link='a'/><child link='b'/>"
                                              "<axis xyz='0 0 2'/></joint>",
                 cases[i].type);
        written w = write_model(given);
        assert_has(&w, cases[i].written);
        assert_int_equal(w.built.sys->m, 1 + cases[i].rows);
        tear_up(&w);
    }
}

static void limits_and_damping(void **state) {
    written w = write_model(LINK("a") BODY("b", "1", "") BODY("c", "1", "") JOINT(
        "j", "revolute", "a", "b",
        "<limit lower='1' upper='2'/>"
        "<dynamics damping='0.25'/>") JOINT("k", "prismatic", "b", "c", "<limit upper='3'/>"));
    assert_has(&w, "# j may go from 1 to 2, and starts at 1.5.\n");
    assert_has(&w, "joint j (damping = 0.25): revolute(");
    assert_has(&w, "initial angle(j) = 1.5\n");
    assert_has(&w, "# expect always angle(j) >= 1 and angle(j) <= 2\n");
    assert_has(&w, "# expect always displacement(k) >= 0 and displacement(k) <= 3\n");
    tear_up(&w);
}

static void mimics(void **state) {
    written w = write_model(
        LINK("a") BODY("b", "1", "") BODY("c", "1", "") BODY("d", "1", "") BODY("e", "1", "")
            JOINT("turn", "revolute", "a", "b", "")
                JOINT("gear", "continuous", "b", "c", "<mimic joint='turn' multiplier='-2'/>")
                    JOINT("push", "prismatic", "a", "d", "<mimic joint='turn' multiplier='0.1'/>")
                        JOINT("pull", "prismatic", "d", "e", "<mimic joint='push' multiplier='3'/>"));
    assert_has(&w, "joint gear_mimic: gear(turn, gear, ratio = -2)\n");
    assert_has(&w, "joint push_mimic: rack(turn, push, radius = 0.1)\n");
    assert_has(&w, "constraint pull_mimic: displacement(pull) = 3*displacement(push)\n");
    assert_int_equal(w.built.sys->m, 4 + 4 * 5 + 3);
    tear_up(&w);
}

// names that mean something, are no names, or are there already
static void hard_names(void **state) {
    written w = write_model(
        LINK("ground") BODY("t", "1", "") BODY("7 of 9", "1", "") BODY("a-b", "1", "") BODY("a_b", "1", "")
            BODY("g", "1", "") BODY("\xC3\xA9", "1", "") JOINT("t", "revolute", "ground", "t", "")
                JOINT("a_b", "revolute", "t", "7 of 9", "") JOINT("k", "revolute", "7 of 9", "a-b", "")
                    JOINT("energy", "revolute", "a-b", "a_b", "") JOINT("l", "revolute", "a_b", "g", "")
                        JOINT("m", "revolute", "g", "\xC3\xA9", ""));
    static const char *const pieces[] = {
        "# t_link is 't' in the file.\n",
        "body t_link: ",
        "# _7_of_9 is '7 of 9' in the file.\n",
        "body _7_of_9: ",
        "# a_b is 'a-b' in the file.\n",
        "body a_b: ",
        "# a_b_link is 'a_b' in the file.\n",
        "body a_b_link: ",
        "body g: ",
        "param g_gravity = 9.81\ngravity (0, 0, -g_gravity)\n",
        "body link: ", // no letter of it can stand
        "# t_joint is 't' in the file.\n",
        "joint t_joint: ",
        "joint a_b_joint: ",
        "joint energy_joint: ",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_has(&w, pieces[i]);
    tear_up(&w);
}

// a line break in a name would end a comment
static void names_in_comments(void **state) {
    written w = write_model(LINK("a&#10;expect finally 1 &gt; 2") BODY("b", "1", "")
                                JOINT("&quot;j&quot;", "revolute", "a&#10;expect finally 1 &gt; 2", "b", ""));
    assert_has(&w, "# The ground: 'a?expect finally 1 > 2'\n");
    assert_has(&w, "# _j_ is ''j'' in the file.\n");
    assert_int_equal(w.built.model->expects.count, 0);
    tear_up(&w);
}

static void the_base(void **state) {
    static const char two[] = BODY("a", "2", "") BODY("b", "1", "") JOINT("j", "revolute", "a", "b", "");
    written held = write_with(two, &(import_options){.free_base = false});
    assert_has(&held, "# The ground: 'a'\n");
    assert_has(&held, "revolute(ground, b, ");
    assert_has_not(&held, "body a:");
    assert_int_equal(held.built.sys->n, 7);
    tear_up(&held);
    written loose = write_with(two, &(import_options){.free_base = true});
    assert_has(&loose, "body a: mass = a_mass");
    assert_has(&loose, "revolute(a, b, ");
    assert_has_not(&loose, "# The ground");
    assert_int_equal(loose.built.sys->n, 14);
    tear_up(&loose);
}

// statements beside the robot: places become guesses, and the text stands at the end as it is
static void loops(void **state) {
    static const char closing[] = "joint close: spherical(ground, c, at1 = (0, 1, 0), at2 = (0, 0, 0))";
    source file = {"some/where.loops", closing, sizeof closing - 1};
    written w = write_with(LINK("a") BODY("b", "1", "") BODY("c", "1", "")
                               JOINT("j", "revolute", "a", "b", "<origin xyz='0 1 0'/>")
                                   JOINT("k", "revolute", "b", "c", ""),
                           &(import_options){.loops = &file});
    assert_has(
        &w, "\n# From where.loops.\njoint close: spherical(ground, c, at1 = (0, 1, 0), at2 = (0, 0, 0))\n");
    assert_has(&w, "at ~ (0, 1, 0)");
    assert_has(&w, "its guesses (~) are moved until they do");
    assert_int_equal(w.built.sys->m, 2 + 2 * 5 + 3);
    assert_true(w.built.model->position.at[0].kind == INITIAL_GUESS);
    tear_up(&w);
}

static void one_body_of_many_links(void **state) {
    written w = write_model(LINK("a") BODY("b", "1.5", "") BODY("c", "0.25", "") LINK("d")
                                JOINT("j", "revolute", "a", "b", "")
                                    JOINT("weld", "fixed", "b", "c", "<origin xyz='0 0 1'/>")
                                        JOINT("end", "fixed", "c", "d", "<origin xyz='0 0 1'/>"));
    assert_has(&w, "# 'c' is one body with it, by the fixed joint 'weld'.\n");
    assert_has(&w, "# 'd' is one body with it, by the fixed joint 'end'.\n");
    assert_has(&w, "param b_mass = 1.5 + 0.25\n");
    assert_has(&w, "let c = point(b, (0, 0, ");
    assert_has_not(&w, "body c:");
    assert_has_not(&w, "joint weld");
    assert_int_equal(w.built.sys->n, 7);
    tear_up(&w);
}

#define MUJOCO(bodies, more) "<mujoco><worldbody>" bodies "</worldbody>" more "</mujoco>"
#define BALL(name, joints)   "<body name='" name "'>" joints "<geom type='sphere' size='0.1' mass='1'/></body>"

// what acts in a joint: each is an element of its own, and the model holds them all
static void actions(void **state) {
    written w =
        write_file(MUJOCO(BALL("a", "<joint name='j' stiffness='2' frictionloss='0.5' armature='0.01'/>")
                              BALL("b", "<joint name='k' stiffness='2' springref='90' damping='0.1'/>")
                                  BALL("c", "<joint name='l' type='ball' damping='0.3'/>"),
                          "<actuator><motor name='m' joint='j' gear='5' ctrlrange='-1 1'/><position "
                          "joint='k' kp='3' kv='0.5'/></actuator>"));
    static const char *const pieces[] = {
        "joint j (stiffness = 2): revolute(ground, a, ",
        "coord j_rotor\nmass j_rotor = 0.01\nconstraint j_shaft: j_rotor = angle(j)\n",
        "coord j_pad\nmass j_pad = 1\nforce j_pad = -1\nconstraint j_dry: j_pad = 0\n"
        "friction j_dry: mu = 0.5, slip = angle(j)'\n",
        "joint k (damping = 0.1): revolute(",
        "potential 2/2*(angle(k) - 1.570796326794897)^2\n",
        "let l_rate = vector(c, omega(c))\ndissipation 0.3/2*dot(l_rate, l_rate)\n",
        "# torque j = 5*0  # 'm', its control from -1 to 1\n",
        "# torque k = 3*(0 - angle(k)) - 0.5*angle(k)'  # 'position'\n",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_has(&w, pieces[i]);
    assert_int_equal(w.built.sys->n, 3 * 7 + 2);
    assert_int_equal(w.built.sys->m, 3 + 5 + 5 + 3 + 1 + 2); // norms, joints, shaft, pad and its stick
    tear_up(&w);
}

static void couplings(void **state) {
    written w =
        write_file(MUJOCO(BALL("a", "<joint name='j'/>") BALL("b", "<joint name='k' type='slide'/>")
                              BALL("c", "<joint name='l'/>"),
                          "<equality><joint name='rack' joint1='k' joint2='j' polycoef='0 0.1'/>"
                          "<joint name='cam' joint1='l' joint2='j' polycoef='0.5 -1 0.25'/></equality>"));
    assert_has(&w, "joint rack: rack(j, k, radius = 0.1)\n");
    assert_has(&w, "constraint cam: angle(l) = 0.5 - 1*angle(j) + 0.25*angle(j)^2\n");
    assert_has(&w, "at ~ (0, 0, 0)"); // the cam does not hold at the start
    tear_up(&w);
    w = write_file(
        MUJOCO(BALL("a", "<joint name='j'/>"), "<equality><joint name='held' joint1='j'/></equality>"));
    assert_has(&w, "constraint held: angle(j) = 0\n");
    tear_up(&w);
}

// what closes a loop: where the sides meet, where they do not, and where there is nothing to join
static void closures(void **state) {
    static const char bodies[] =
        MUJOCO(BALL("a", "<joint name='j'/><site name='s' pos='0 1 0'/>")
                   BALL("b", "<joint name='k'/><site name='t' pos='0 0 2'/>"
                             "<body name='rim' pos='1 0 0'/>"),
               "<equality><connect name='c' site1='s' site2='t'/><connect name='d' body1='b' anchor='0 0 1'/>"
               "<weld name='e' body1='b' body2='rim'/></equality>");
    written w = write_file(bodies);
    assert_has(&w, "# What closes loops.\njoint c: spherical(a, b, at1 = (0, 1, 0), at2 = (0, 0, 2))\n");
    assert_has(&w, "joint d: spherical(ground, b, at = (0, 0, 1))\n");
    assert_has(&w, "# e is left out: what it joins is one body.\n");
    tear_up(&w);
}

static void other_joints(void **state) {
    written w = write_file(
        "<sdf version='1.11'><model name='m'><link name='a'><gravity>0</gravity></link><link name='b'/>"
        "<joint name='s' type='screw'><parent>world</parent><child>a</child><screw_thread_pitch>2"
        "</screw_thread_pitch><axis><xyz>0 0 1</xyz><dynamics><damping>3</damping></dynamics></axis>"
        "</joint><joint name='u' type='universal'><parent>a</parent><child>b</child><axis><xyz>1 0 0"
        "</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>");
    static const char *const pieces[] = {
        "param g = 9.8\n",
        "joint s: cylindrical(ground, a, at = (0, 0, 0), axis = (0, 0, 1))\n",
        "constraint s_thread: displacement(s) = 0.3183098861837907*angle(s)\n",
        "dissipation 3/2*angle(s)'^2\n",
        "# It weighs nothing, and stands between two joints.\nbody u_cross: mass = 0, inertia = (0, 0, 0),",
        "joint u: revolute(a, u_cross, at = (0, 0, 0), axis = (1, 0, 0))\n",
        "joint u_2: revolute(u_cross, b, at = (0, 0, 0), axis = (0, 1, 0))\n",
        "# Gravity does not act on all of 'a'.\nforce a at (0, 0, 0) = (0, 0, 9.8)\n",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_has(&w, pieces[i]);
    tear_up(&w);
}

#define PISTON "models/mechanisms/meshes/piston.stl"

// a box along the axes of its body is one statement; a mesh whose file is not there is kept as a comment
static void drawings(void **state) {
#define VISUAL(more) "<visual>" more "</visual>"
    written w =
        write_model("<link name='i'>" VISUAL("<geometry><sphere radius='2'/></geometry>") "</link>" LINK(
            "base") "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                    "izz='1'/></inertial>" VISUAL("<geometry><box size='1 2 3'/></geometry>")
                        VISUAL("<origin xyz='1 0 0'/><geometry><box size='2 2 2'/></geometry>")
                            VISUAL("<geometry><cylinder radius='1' length='4'/></geometry>") VISUAL(
                                "<origin xyz='0 0 3'/><geometry><mesh filename='a\tb.stl' scale='1 1 "
                                "2'/></geometry>")
                                VISUAL("<origin xyz='0 0 3' rpy='0 0 3.141592653589793'/><geometry><mesh "
                                       "filename='" PISTON "' scale='1 1 -2'/></geometry>")
                                    VISUAL("<geometry><mesh filename='package://nowhere/" PISTON
                                           "'/></geometry>") "</link>" JOINT("j", "fixed", "base", "i", "")
                                        JOINT("k", "revolute", "i", "b", ""));
    static const char *const pieces[] = {
        "draw circle (0, 0, 0) 2\n",
        "draw box b (1, 2, 3)\n",
        "draw box b (2, 2, 2) (1, 0, 0)\n",
        "draw cylinder point(b, (0, 0, -2)) point(b, (0, 0, 2)) 1\n",
        "# mesh of b: \"a b.stl\", scale (1, 1, 2), at (0, 0, 3) of its frame\n",
        "draw mesh b \"" PISTON "\" (1, 1, -2) (0, 0, 3) (0, 0, 0, 1)\n",
        "draw mesh b \"" PISTON "\"\n",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_has(&w, pieces[i]);
    assert_int_equal(w.built.model->draws.count, 6);
    tear_up(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_and_places),
        cmocka_unit_test(kinds_of_joints),
        cmocka_unit_test(limits_and_damping),
        cmocka_unit_test(mimics),
        cmocka_unit_test(hard_names),
        cmocka_unit_test(names_in_comments),
        cmocka_unit_test(the_base),
        cmocka_unit_test(loops),
        cmocka_unit_test(one_body_of_many_links),
        cmocka_unit_test(actions),
        cmocka_unit_test(couplings),
        cmocka_unit_test(closures),
        cmocka_unit_test(other_joints),
        cmocka_unit_test(drawings),
    };
    return cannot_import() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
