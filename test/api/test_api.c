/* The public interface, as a program that embeds the library sees it. */
#include <trammel/trammel.h>

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char pendulum[] = "title \"Pendulum\"\nparam m = 2, L = 3, g = 9.81\ncoord x, y\n"
                               "initial x = L, y = 0\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                               "constraint rod: x^2 + y^2 = L^2\nsimulate until 1, every 0.1\n"
                               "output height = y + L\nexpect always abs(residual(rod)) < 1e-7\n";

static trm_model *read_text(const char *given) {
    trm_model *m = NULL;
    trm_status status = trm_model_read_text("test.tram", given, NULL, 0, &m);
    if (status != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

// ---- models

static void what_a_model_says(void **state) {
    trm_model *m = read_text(pendulum);
    assert_string_equal(trm_model_messages(m, 0), "");
    assert_string_equal(trm_model_title(m), "Pendulum");
    assert_int_equal(trm_model_coordinates(m), 2);
    assert_int_equal(trm_model_rows(m), 1);
    assert_string_equal(trm_model_coordinate_name(m, 0), "x");
    assert_string_equal(trm_model_coordinate_name(m, 1), "y");
    assert_string_equal(trm_model_row_name(m, 0), "rod");
    const char *text = trm_model_equations(m, 0), *latex = trm_model_equations(m, 1);
    assert_true(text && latex && strcmp(text, latex) != 0);
    assert_non_null(strstr(latex, "\\"));
    trm_model_free(m);
    m = read_text("coord q[1..3]\nmass q[1] = 1\nfor i in 2..3: constraint link[i]: q[i] = q[i-1]\n");
    assert_string_equal(trm_model_title(m), "");
    assert_string_equal(trm_model_coordinate_name(m, 2), "q[3]");
    assert_string_equal(trm_model_row_name(m, 1), "link[3]");
    trm_model_free(m);
    assert_non_null(strchr(trm_version(), '.'));
}

// a system of joints has coordinates of its own, and leads to those of the bodies and back
static void joint_coordinates(void **state) {
    static const char given[] = "gravity (0, 0, -9.81)\n"
                                "body a: mass = 1, inertia = (0.1, 0.1, 0.1), at = (1, 0, 0)\n"
                                "body b: mass = 1, inertia = (0.1, 0.1, 0.2), at = (2, 0, 0)\n"
                                "joint j: revolute(ground, a, at = (0, 0, 0), axis = (0, 1, 0))\n"
                                "joint k: prismatic(a, b, axis = (1, 0, 0))\n%s";
    double qdd[2][14], q[14], v[14], u[2] = {0.3, 0.1}, w[2] = {0.5, -0.2}, back[4], rate[2];
    for (int joints = 0; joints < 2; joints++) {
        char all[600];
        trm_model *m;
        trm_system *s;
        trm_state *st;
        snprintf(all, sizeof all, given, joints ? "coordinates joints\n" : "");
        assert_int_equal(trm_model_read_text("arm", all, NULL, 0, &m), TRM_OK);
        assert_int_equal(trm_system_create(m, &s), TRM_OK);
        assert_int_equal(trm_state_create(s, &st), TRM_OK);
        assert_int_equal(trm_system_coordinates(s), joints ? 2 : trm_model_coordinates(m));
        assert_int_equal(trm_system_rows(s), joints ? 0 : trm_model_rows(m));
        assert_string_equal(trm_system_coordinate_name(s, 0), joints ? "angle(j)" : "a.x");
        assert_string_equal(trm_system_coordinate_name(s, 14), "");
        if (!joints) { // by hand: where u and w lead
            double c = cos(u[0]), d = sin(u[0]), out = 2 + u[1];
            const double at[] = {c,       0, -d,       cos(u[0] / 2), 0, sin(u[0] / 2), 0,
                                 out * c, 0, -out * d, cos(u[0] / 2), 0, sin(u[0] / 2), 0};
            const double half = w[0] / 2;
            const double of[] = {-d * w[0],
                                 0,
                                 -c * w[0],
                                 -half * at[5],
                                 0,
                                 half * at[3],
                                 0,
                                 -out * d * w[0] + w[1] * c,
                                 0,
                                 -out * c * w[0] - w[1] * d,
                                 -half * at[5],
                                 0,
                                 half * at[3],
                                 0};
            memcpy(q, at, sizeof q);
            memcpy(v, of, sizeof v);
            assert_int_equal(trm_acceleration(s, st, 0, q, v, qdd[0], NULL, NULL), TRM_OK);
        } else {
            double lifted[14], speed[14];
            trm_system_from_bodies(s, q, v, back, rate);
            for (int i = 0; i < 2; i++) {
                assert_true(fabs(back[i] - u[i]) < 1e-14);
                assert_true(fabs(rate[i] - w[i]) < 1e-14);
            }
            trm_system_to_bodies(s, st, u, w, lifted, speed);
            for (int i = 0; i < 14; i++) {
                assert_true(fabs(lifted[i] - q[i]) < 1e-14);
                assert_true(fabs(speed[i] - v[i]) < 1e-14);
            }
            assert_int_equal(trm_acceleration(s, st, 0, u, w, qdd[1], NULL, NULL), TRM_OK);
            // a.x'' = -sin(u) u'' - cos(u) u'^2
            assert_true(fabs(qdd[0][0] + sin(u[0]) * qdd[1][0] + cos(u[0]) * w[0] * w[0]) < 1e-12);
        }
        trm_state_free(st);
        trm_system_free(s);
        trm_model_free(m);
    }
}

// of a hand on an arm: by the model's columns, by the velocities of the bodies' form, and by a planar arm's
// formula
static void jacobians(void **state) {
    static const char given[] =
        "body a: mass = 1, inertia = (0.1, 0.1, 0.1), at = (1, 0, 0), rotation = (0.3, 0, 0)\n"
        "body b[1]: mass = 1, inertia = (0.1, 0.1, 0.2), at = (2, 0, 0), rotation = (0, 0.2, 0.1)\n"
        "joint j: spherical(ground, a, at = (0, 0, 0))\njoint k: cylindrical(b[1], a, at = (1.5, 0, 0), axis "
        "= (1, 2, 0))\n"
        "coordinates joints\n";
    double u[6] = {0.5, 0.5, -0.5, 0.5, 0.7, 0.2}, w[6] = {0, 1, -2, 0.5, 3, -1}, q[14], v[14], linear[18],
           angular[18];
    const double point[] = {0.1, -0.3, 0.2};
    trm_model *m;
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_model_read_text("arm", given, NULL, 0, &m), TRM_OK);
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    assert_int_equal(trm_system_coordinates(s), 6);
    assert_int_equal(trm_system_body(s, "b[1]"), 1);
    assert_int_equal(trm_system_body(s, "b"), -1);
    assert_int_equal(trm_system_jacobian(s, st, u, 1, point, linear, angular), 3);
    assert_int_equal(trm_system_jacobian(s, st, u, 2, point, linear, angular), 0);
    trm_system_to_bodies(s, st, u, w, q, v);
    // 2 q' o q^-1, and v + omega x R p, for body 1
    const double *p = q + 10, *r = v + 10;
    double omega[3] = {2 * (-r[0] * p[1] + r[1] * p[0] - r[2] * p[3] + r[3] * p[2]),
                       2 * (-r[0] * p[2] + r[2] * p[0] - r[3] * p[1] + r[1] * p[3]),
                       2 * (-r[0] * p[3] + r[3] * p[0] - r[1] * p[2] + r[2] * p[1])};
    double arm[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        arm[i] = point[i] * (1 - 2 * (p[1 + j] * p[1 + j] + p[1 + k] * p[1 + k])) +
                 2 * point[j] * (p[1 + i] * p[1 + j] - p[0] * p[1 + k]) +
                 2 * point[k] * (p[1 + i] * p[1 + k] + p[0] * p[1 + j]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double moves = 0, turns = 0;
        for (int c = 0; c < 6; c++) {
            moves += linear[6 * i + c] * w[c];
            turns += angular[6 * i + c] * w[c];
        }
        assert_true(fabs(turns - omega[i]) < 1e-13);
        assert_true(fabs(moves - v[7 + i] - omega[j] * arm[k] + omega[k] * arm[j]) < 1e-13);
    }
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

static void planar_jacobian(void **state) {
    trm_model *m = read_text(
        "body2 a: mass = 1, inertia = 1, at = (0.5, 0)\nbody2 b: mass = 1, inertia = 1, at = (1.5, 0)\n"
        "joint j: revolute(ground, a, at = (0, 0))\njoint k: revolute(a, b, at = (1, 0))\n"
        "coordinates joints\n");
    trm_system *s;
    trm_state *st;
    double u[] = {0.3, 0.8}, linear[4], angular[2];
    const double tip[] = {0.5, 0};
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    assert_int_equal(trm_system_jacobian(s, st, u, trm_system_body(s, "b"), tip, linear, angular), 2);
    const double known[] = {-sin(0.3) - sin(1.1), -sin(1.1), cos(0.3) + cos(1.1), cos(1.1)};
    for (int i = 0; i < 4; i++)
        assert_true(fabs(linear[i] - known[i]) < 1e-15);
    assert_true(angular[0] == 1 && angular[1] == 1);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

static void wrong_texts(void **state) {
    const char *const texts[] = {
        "coord x\nkinetic y'^2\n", "coord\n", "nonsense", "coord x, x\n", "coord x\nkinetic x'^3\n", "\"",
        "coord x\nmass x = (\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        trm_model *m = NULL;
        trm_system *s = NULL;
        trm_result *r = NULL;
        trm_status status = trm_model_read_text("wrong.tram", texts[i], NULL, 0, &m);
        assert_non_null(m);
        if (status == TRM_OK) // found only when the equations are derived
            assert_int_equal(trm_system_create(m, &s), TRM_WRONG_MODEL);
        else
            assert_int_equal(status, TRM_WRONG_MODEL);
        assert_null(s);
        assert_non_null(strstr(trm_model_messages(m, 0), "wrong.tram:"));
        assert_non_null(strstr(trm_model_messages(m, 0), "error: "));
        assert_null(strchr(trm_model_messages(m, 0), '\033'));
        assert_non_null(strchr(trm_model_messages(m, 1), '\033'));
        assert_null(trm_model_equations(m, 0));
        trm_run_def def = trm_run_def_default();
        def.until = "1";
        assert_int_equal(trm_run(m, &def, &r), TRM_WRONG_MODEL); // and a run does not try
        trm_result_free(r);
        trm_model_free(m);
    }
}

// every error that is independent of the others, in one go
static void several_errors(void **state) {
    trm_model *m = NULL;
    assert_int_equal(
        trm_model_read_text("w", "coord x\nkinetic a*x'^2\nforce z = 1\npotential b\n", NULL, 0, &m),
        TRM_WRONG_MODEL);
    const char *messages = trm_model_messages(m, 0);
    assert_non_null(strstr(messages, "w:2:9"));
    assert_non_null(strstr(messages, "w:3:7"));
    assert_non_null(strstr(messages, "w:4:11"));
    trm_model_free(m);
}

// asks a model that could not be read; a crash there ends a process of its own
static int survives(void (*act)(trm_model *m), trm_model *m) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        act(m);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void ask_everything(trm_model *m) {
    trm_system *s = NULL;
    trm_result *r = NULL;
    trm_run_def def = trm_run_def_default();
    double value;
    if (trm_model_coordinates(m) != 0 || trm_model_rows(m) != 0 || trm_model_title(m)[0] != '\0')
        _exit(1);
    if (trm_model_equations(m, 0) != NULL || trm_model_number(m, "1", &value) == TRM_NO_MEMORY)
        _exit(1);
    if (trm_system_create(m, &s) == TRM_OK || trm_check(m, &def, &r) == TRM_OK)
        _exit(1);
    if (r)
        trm_result_messages(r, 0), trm_result_json(r), trm_result_summary(r);
    trm_result_free(r);
}

static void missing_file(void **state) {
    trm_model *m = NULL;
    assert_int_equal(trm_model_read("/nowhere/at/all.tram", NULL, 0, &m), TRM_IO_ERROR);
    assert_non_null(m);
    assert_non_null(strstr(trm_model_messages(m, 0), "/nowhere/at/all.tram"));
    assert_string_equal(trm_model_title(m), "");
    assert_true(survives(ask_everything, m));
    trm_model_free(m);
    assert_int_equal(trm_model_read("/tmp", NULL, 0, &m), TRM_IO_ERROR);
    trm_model_free(m);
    trm_model_free(NULL);
    trm_system_free(NULL);
    trm_state_free(NULL);
    trm_result_free(NULL);
}

static void settings(void **state) {
    const trm_setting set[] = {{"L", "2*pi"}, {"g", "L"}};
    trm_model *m = NULL;
    double value = 0;
    assert_int_equal(trm_model_read_text("t", pendulum, set, 2, &m), TRM_OK);
    assert_int_equal(trm_model_number(m, "L", &value), TRM_OK);
    assert_true(value == 2 * M_PI);
    assert_int_equal(trm_model_number(m, "g + m", &value), TRM_OK); // may use earlier parameters
    assert_true(value == 2 * M_PI + 2);
    assert_int_equal(trm_model_number(m, "2^3 - sqrt(4)", &value), TRM_OK);
    assert_true(value == 6);
    const char *const wrong[] = {"x", "nothing", "1 +", "", "t", "x'"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(trm_model_number(m, wrong[i], &value), TRM_WRONG_MODEL);
    trm_model_free(m);
    const trm_setting unknown[] = {{"M", "1"}}, bad[] = {{"m", "1 +"}};
    assert_int_equal(trm_model_read_text("t", pendulum, unknown, 1, &m), TRM_WRONG_MODEL);
    assert_non_null(strstr(trm_model_messages(m, 0), "M"));
    trm_model_free(m);
    assert_int_equal(trm_model_read_text("t", pendulum, bad, 1, &m), TRM_WRONG_MODEL);
    trm_model_free(m);
}

static void closest_words(void **state) {
    const char *const among[] = {"run", "check", "equations"};
    assert_string_equal(trm_closest("chek", among, 3), "check");
    assert_string_equal(trm_closest("equation", among, 3), "equations");
    assert_null(trm_closest("banana", among, 3));
    assert_null(trm_closest("run", among, 0));
}

// ---- accelerations

// with u = (x, y)/L: q'' = -g e_y + l u, l = -(v.v/L - g y/L) of unit normal; multiplier of 2(x, y): m l / (2
// L)
static void assert_pendulum(const trm_system *s, trm_state *st, double angle, double rate) {
    const double m = 2, L = 3, g = 9.81;
    double q[] = {L * sin(angle), -L * cos(angle)}, v[] = {rate * L * cos(angle), rate * L * sin(angle)};
    double qdd[2], reaction[2], multiplier[1], l = -(rate * rate * L) + g * q[1] / L;
    assert_int_equal(trm_acceleration(s, st, 0, q, v, qdd, reaction, multiplier), TRM_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(qdd[i] - (l * q[i] / L - (i ? g : 0))) < 1e-12 * (10 + rate * rate));
        assert_true(fabs(reaction[i] - m * l * q[i] / L) < 1e-12 * (20 + rate * rate));
    }
    assert_true(fabs(multiplier[0] - m * l / (2 * L)) < 1e-12 * (10 + rate * rate));
    assert_string_equal(trm_state_error(st), "");
}

static void accelerations(void **state) {
    trm_model *m = read_text(pendulum);
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    for (int k = 0; k < 100; k++)
        assert_pendulum(s, st, 0.1 * k, 0.3 * (k % 7) - 1);
    double qdd[2];
    const double q[] = {3, 0}, v[] = {0, 0};
    assert_int_equal(trm_acceleration(s, st, 0, q, v, NULL, NULL, NULL), TRM_OK); // each output may be NULL
    assert_int_equal(trm_acceleration(s, st, 0, q, v, qdd, NULL, NULL), TRM_OK);
    assert_true(qdd[0] == 0 && qdd[1] == -9.81);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

// numbers that allow no acceleration are told, and the state is of use afterwards
static void no_acceleration(void **state) {
    trm_model *m = read_text("coord x, y\nmass x = 1\nmass y = x\nforce x = log(y)\n");
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    const double v[] = {0, 0}, good[] = {2, 1};
    double qdd[2];
    const double bad[][2] = {{0, 1}, {-1, 1}, {1, -1}};
    const char *const why[] = {"not unique", "indefinite", "not finite"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(trm_acceleration(s, st, 0, bad[k], v, qdd, NULL, NULL), TRM_NO_SOLUTION);
        assert_non_null(strstr(trm_state_error(st), why[k]));
        assert_int_equal(trm_acceleration(s, st, 0, good, v, qdd, NULL, NULL), TRM_OK);
        assert_string_equal(trm_state_error(st), "");
    }
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

#if defined(__SANITIZE_ADDRESS__)
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
static size_t calls;

static void count_allocation(const volatile void *block, size_t size) {
    (void)block, (void)size;
    calls++;
}

static void ignore(const volatile void *block) {
    (void)block;
}
#endif

// grows with every allocation; without the sanitizer, with those that are not given back
static size_t allocated(void) {
#if defined(__SANITIZE_ADDRESS__)
    static int installed;
    if (!installed)
        installed = __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore);
    assert_true(installed);
    return calls;
#else
    return mallinfo2().uordblks;
#endif
}

// redundant and measured rows, a non-ideal force on reactions, quasi-velocities: nothing is allocated
static void no_allocation(void **state) {
    trm_model *m =
        read_text("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                  "quasi a = x'\nquasi b = y' + x*z'\nquasi c = z'\n"
                  "constraint one: x^2 + y^2 + z^2 = 1\nconstraint two: 2*(x^2 + y^2 + z^2) = 2\n"
                  "constraint soft (weight = 1 + t): x + y = 0\nconstraint soft2 (weight = 2): x'' = 0\n"
                  "nonideal x = -0.1*abs(reaction(x))\n");
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    double q[] = {0.6, 0, 0.8}, v[] = {0, 1, 0}, qdd[3], reaction[3], multiplier[4];
    assert_int_equal(trm_acceleration(s, st, 0, q, v, qdd, reaction, multiplier), TRM_OK);
    size_t before = allocated();
    for (int k = 0; k < 1000; k++)
        trm_acceleration(s, st, 0.001 * k, q, v, qdd, reaction, multiplier);
    assert_int_equal(allocated(), before);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

// m x'' = -k x + u is to follow sin(t): u = k x - m sin(t), the first part fed back, the second fed forward
static void control_of_an_instant(void **state) {
    trm_model *m = read_text("param m = 2, k = 3\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*x^2\n"
                             "control plan: x = sin(t)\nconstraint rail: y = 0\n");
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    size_t before = allocated();
    for (int i = 0; i < 100; i++) { // the measured state is off the plan
        double t = 0.1 * i, q[] = {sin(t) + 0.01, 0.5}, v[] = {cos(t), 0}, u[2], back[2], forward[2];
        assert_int_equal(trm_control(s, st, t, q, v, u, back, forward), TRM_OK);
        assert_true(fabs(back[0] - (3 * q[0])) < 1e-12);
        assert_true(fabs(forward[0] - (-2 * sin(t))) < 1e-12);
        assert_true(fabs(u[0] - (back[0] + forward[0])) < 1e-12);
        assert_true(u[1] == 0); // the rail is no control
        assert_int_equal(trm_control(s, st, t, q, v, NULL, NULL, NULL), TRM_OK);
    }
    assert_int_equal(allocated(), before);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

// where A depends on the state there is nothing to feed forward
static void control_without_parts(void **state) {
    trm_model *m = read_text("coord x, y\nkinetic (x'^2 + y'^2)/2\ncontrol ring: x^2 + y^2 = 1\n");
    trm_system *s;
    trm_state *st;
    double q[] = {1, 0}, v[] = {0, 2}, u[2], back[2], forward[2];
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    assert_int_equal(trm_control(s, st, 0, q, v, u, back, forward), TRM_OK);
    assert_true(fabs(u[0] - (-4)) < 1e-12);
    assert_true(isnan(back[0]) && isnan(forward[0]));
    q[0] = NAN;
    assert_int_equal(trm_control(s, st, 0, q, v, u, back, forward), TRM_NO_SOLUTION);
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

// a system is shared by threads, each with a state of its own
static void *work(void *shared) {
    const trm_system *s = shared;
    trm_state *st;
    if (trm_state_create(s, &st) != TRM_OK)
        return "no state";
    double sum = 0;
    for (int k = 0; k < 2000; k++) {
        double q[] = {3 * sin(k), -3 * cos(k)}, v[] = {3 * cos(k), 3 * sin(k)}, qdd[2];
        if (trm_acceleration(s, st, 0, q, v, qdd, NULL, NULL) != TRM_OK)
            return "no acceleration";
        sum += fabs(q[0] * qdd[0] + q[1] * qdd[1] + 9); // phi'' = 0
    }
    trm_state_free(st);
    return sum < 1e-8 ? NULL : "wrong";
}

static void threads(void **state) {
    enum { COUNT = 4 };
    pthread_t thread[COUNT];
    trm_model *m = read_text(pendulum);
    trm_system *s;
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, s), 0);
    for (int i = 0; i < COUNT; i++) {
        void *result;
        pthread_join(thread[i], &result);
        assert_null(result);
    }
    trm_system_free(s);
    trm_model_free(m);
}

// ---- simulation

static trm_status run_model(trm_model *m, const trm_run_def *def, const char *piece) {
    trm_result *r = NULL;
    trm_status status = trm_run(m, def, &r);
    assert_non_null(r);
    const char *messages = trm_result_messages(r, 0);
    if (piece[0] && strstr(messages, piece) == NULL)
        fail_msg("'%s' is not in: %s", piece, messages);
    trm_result_free(r);
    return status;
}

// what can be chosen is listed with the formulation that uses it, and reaches the run
static void chooses(void **state) {
    trm_model *m = read_text(pendulum);
    trm_run_def def = trm_run_def_default();
    int count = 0;
    while (trm_paper_choice_at(count).name) {
        assert_non_null(trm_paper_choice_at(count).about);
        int known = 0;
        for (int i = 0; trm_formulation_at(i).name; i++)
            known |= strcmp(trm_formulation_at(i).name, trm_paper_choice_formulation(count)) == 0;
        assert_true(known);
        count++;
    }
    assert_int_equal(count, 6);
    assert_null(trm_paper_choice_formulation(count));
    assert_null(trm_paper_choice_at(-1).name);
    def.choices = &(trm_setting){"alpha", "2*m"};
    def.choice_count = 1;
    assert_int_equal(run_model(m, &def, "leaves nothing to choose"), TRM_WRONG_MODEL);
    def.formulation = "auxiliary"; // or its library is not there
    trm_status status = run_model(m, &def, "");
    assert_true(status == TRM_OK || run_model(m, &def, "liblapack") == TRM_WRONG_MODEL);
    def.choices = &(trm_setting){"beta", "2"};
    assert_int_equal(run_model(m, &def, "there is no choice 'beta'"), TRM_WRONG_MODEL);
    trm_model_free(m);
}

static void runs(void **state) {
    trm_model *m = read_text(pendulum);
    trm_run_def def = trm_run_def_default();
    trm_result *r = NULL;
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    assert_non_null(strstr(trm_result_summary(r), "Pendulum"));
    const char *json = trm_result_json(r);
    assert_true(json[0] == '{' && json[strlen(json) - 1] == '}');
    assert_non_null(strstr(json, "\"degrees_of_freedom\": 1"));
    assert_string_equal(trm_result_messages(r, 0), "");
    trm_result_free(r);
    def.until = "-1"; // the same model again, with other options
    assert_int_equal(run_model(m, &def, "before the start"), TRM_WRONG_MODEL);
    def = trm_run_def_default();
    def.integrator = "bdf"; // or its library is not there
    trm_status status = run_model(m, &def, "");
    assert_true(status == TRM_OK || run_model(m, &def, "SUNDIALS") == TRM_WRONG_MODEL);
    def.integrator = "euler";
    assert_int_equal(run_model(m, &def, "euler"), TRM_WRONG_MODEL);
    def = trm_run_def_default();
    def.formulation = "gauss"; // or its library is not there
    status = run_model(m, &def, "");
    assert_true(status == TRM_OK || run_model(m, &def, "liblapack") == TRM_WRONG_MODEL);
    def = trm_run_def_default();
    def.every = "0";
    assert_int_equal(run_model(m, &def, "every"), TRM_WRONG_MODEL);
    def = trm_run_def_default();
    def.tolerance = "-1e-9";
    assert_int_equal(run_model(m, &def, "tolerance"), TRM_WRONG_MODEL);
    def = trm_run_def_default();
    def.csv = "/nowhere/at/all.csv";
    assert_int_equal(run_model(m, &def, "/nowhere/at/all.csv"), TRM_IO_ERROR);
    def = trm_run_def_default(); // and none of that did it harm
    assert_int_equal(run_model(m, &def, ""), TRM_OK);
    trm_model_free(m);
}

static void run_statuses(void **state) {
    trm_run_def def = trm_run_def_default();
    trm_model *m = read_text("coord x\ninitial x' = 1\nkinetic x'^2/2\nexpect finally x > 100\n");
    assert_int_equal(run_model(m, &def, "until"), TRM_WRONG_MODEL); // when does it end?
    def.until = "2*pi";
    assert_int_equal(run_model(m, &def, ""), TRM_EXPECTATION_FAILED);
    volatile sig_atomic_t stop = 1;
    def.stop = &stop;
    assert_int_equal(run_model(m, &def, ""), TRM_INTERRUPTED);
    trm_model_free(m);
    m = read_text("coord x\nkinetic x'^2/2\nforce x = 1/t\nsimulate until 1\n");
    def = trm_run_def_default();
    assert_int_equal(run_model(m, &def, "not finite"), TRM_NO_SOLUTION);
    def.from = "1/2";
    assert_int_equal(run_model(m, &def, ""), TRM_OK);
    trm_model_free(m);
}

static void checks(void **state) {
    trm_run_def def = trm_run_def_default();
    trm_model *m = read_text(pendulum);
    trm_result *r = NULL;
    assert_int_equal(trm_check(m, &def, &r), TRM_OK);
    assert_int_equal(trm_result_samples(r), 0);
    assert_non_null(strstr(trm_result_summary(r), "1 degree of freedom"));
    assert_non_null(strstr(trm_result_json(r), "\"rank\": 1"));
    trm_result_free(r);
    trm_model_free(m);
    m = read_text("coord x, y\ninitial x = 1, y = 1\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 1\n");
    assert_int_equal(trm_check(m, &def, &r), TRM_NO_SOLUTION);
    assert_non_null(strstr(trm_result_messages(r, 0), "rod"));
    trm_result_free(r);
    trm_model_free(m);
}

// two results of one model live side by side, whichever is freed first
static void several_results(void **state) {
    trm_run_def def = trm_run_def_default();
    trm_model *m = read_text(pendulum);
    trm_result *one, *two;
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_run(m, &def, &one), TRM_OK);
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    def.until = "0.5";
    assert_int_equal(trm_run(m, &def, &two), TRM_OK);
    trm_result_free(one);
    assert_pendulum(s, st, 1, 2);
    assert_non_null(strstr(trm_result_json(two), "\"end\": 0.5"));
    trm_state_free(st);
    trm_result_free(two);
    trm_system_free(s);
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_model_says),
        cmocka_unit_test(joint_coordinates),
        cmocka_unit_test(jacobians),
        cmocka_unit_test(planar_jacobian),
        cmocka_unit_test(wrong_texts),
        cmocka_unit_test(several_errors),
        cmocka_unit_test(missing_file),
        cmocka_unit_test(settings),
        cmocka_unit_test(closest_words),
        cmocka_unit_test(accelerations),
        cmocka_unit_test(no_acceleration),
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(control_of_an_instant),
        cmocka_unit_test(control_without_parts),
        cmocka_unit_test(threads),
        cmocka_unit_test(chooses),
        cmocka_unit_test(runs),
        cmocka_unit_test(run_statuses),
        cmocka_unit_test(checks),
        cmocka_unit_test(several_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
