/* Joint coordinates at one state: what they give for the bodies' accelerations is what the bodies' own
 * coordinates give, for every kind of joint, either way round, in loops, with forces that speak of bodies and
 * of angles. */
#include "support/build.h"

#include "mech/tree/tree.h"
#include "motion/assemble.h"
#include "motion/project.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    built full;
    mech_tree *tree;
    trm_system *sys;
    trm_state *st;
} both;

static both build_both(const char *given) {
    both b = {.full = build_how(given, EVALUATE_ASSEMBLED)};
    const char *why;
    b.tree = mech_tree_new(b.full.arena, b.full.mech, &why);
    if (b.tree == NULL)
        fail_msg("no tree: %s\n%s", why, given);
    double q[300], v[300] = {0};
    for (int i = 0; i < b.full.sys->n; i++)
        q[i] = b.full.model->position.at[i].value;
    mech_tree_derive(b.tree, q, v);
    b.sys = system_new_tree(b.full.arena, b.tree, b.full.sys, EVALUATE_AUTO);
    b.st = solve_new_state(b.full.arena, b.sys);
    return b;
}

static double some(int i) {
    return sin(1.7 * i + 0.3);
}

static const double *lifted(both *b, double t, const double *u, const double *s) {
    state_set(b->sys, b->st, t, u, s);
    state_run(b->sys, b->st, STAGE_OUTPUT);
    return state_output(b->st, STAGE_OUTPUT);
}

// u' of s
static void position_rates(const both *b, const double *u, const double *s, double *rate) {
    memcpy(rate, s, (size_t)b->sys->n * sizeof *rate);
    for (int i = 0; i < b->tree->links.count; i++) {
        const tree_link *l = &b->tree->links.at[i];
        if (!l->ball)
            continue;
        const double *p = u + l->turn, *w = s + l->turn;
        double *to = rate + l->turn;
        to[0] = -0.5 * (p[1] * w[1] + p[2] * w[2] + p[3] * w[3]);
        to[1] = 0.5 * (p[0] * w[1] + p[2] * w[3] - p[3] * w[2]);
        to[2] = 0.5 * (p[0] * w[2] + p[3] * w[1] - p[1] * w[3]);
        to[3] = 0.5 * (p[0] * w[3] + p[1] * w[2] - p[2] * w[1]);
    }
}

static void some_state(const both *b, double *u, double *s) {
    for (int i = 0; i < b->sys->n; i++) {
        u[i] = b->tree->model->position.at[i].value + 0.3 * some(i);
        s[i] = some(i + 100);
    }
    for (int i = 0; i < b->tree->links.count; i++) {
        const tree_link *l = &b->tree->links.at[i];
        double size = 0;
        for (int k = 0; l->ball && k < 4; k++)
            size += u[l->turn + k] * u[l->turn + k];
        for (int k = 0; l->ball && k < 4; k++)
            u[l->turn + k] /= sqrt(size);
        if (l->ball)
            s[l->turn] = 0;
    }
}

// q' of the lift is the derivative of its q; q'' of the tree is that of the bodies; lowering takes back
static void compare_at(both *b, double t, const double *u, const double *s) {
    enum { MOST = 300 };
    static const double h = 1e-5;
    int n = b->sys->n, N = b->full.sys->n;
    double rate[MOST], ahead[MOST], v_ahead[MOST], q[MOST], v[MOST], back_u[MOST], back_s[MOST], a[MOST];
    double q1[2 * MOST], q2[2 * MOST];
    assert_true(n <= MOST && 2 * N <= 2 * MOST);
    memcpy(q, lifted(b, t, u, s), (size_t)N * sizeof *q);
    memcpy(v, lifted(b, t, u, s) + N, (size_t)N * sizeof *v);
    assert_int_equal(solve_acceleration(b->sys, b->st, t, u, s).status, SOLVE_OK);
    memcpy(a, state_look(b->st)->qdd, (size_t)n * sizeof *a);
    position_rates(b, u, s, rate);
    for (int side = 0; side < 2; side++) {
        double step = side ? h : -h, middle[MOST], v_middle[MOST];
        for (int i = 0; i < n; i++) { // Heun's way, so that the second order is right
            middle[i] = u[i] + step / 2 * rate[i];
            v_middle[i] = s[i] + step / 2 * a[i];
        }
        double middle_rate[MOST];
        position_rates(b, middle, v_middle, middle_rate);
        for (int i = 0; i < n; i++) {
            ahead[i] = u[i] + step * middle_rate[i];
            v_ahead[i] = s[i] + step * a[i];
        }
        memcpy(side ? q2 : q1, lifted(b, t + step, ahead, v_ahead), 2 * (size_t)N * sizeof *q1);
    }
    double size = 1;
    outcome found = solve_acceleration(b->full.sys, b->full.st, t, q, v);
    assert_int_equal(found.status, SOLVE_OK);
    const double *qdd = state_look(b->full.st)->qdd;
    for (int i = 0; i < N; i++)
        size = fmax(size, fabs(qdd[i]));
    for (int i = 0; i < N; i++) {
        assert_near_scaled((q2[i] - q1[i]) / (2 * h), v[i], 1e-8, size);
        assert_near_scaled((q2[N + i] - q1[N + i]) / (2 * h), qdd[i], 1e-7, size);
    }
    mech_tree_lower(b->tree, q, v, back_u, back_s);
    for (int i = 0; i < n; i++) {
        assert_near(back_u[i], u[i], 1e-12);
        assert_near(back_s[i], s[i], 1e-12);
    }
}

static void compare(const char *given) {
    both b = build_both(given);
    double u[300], s[300];
    some_state(&b, u, s);
    compare_at(&b, 0.4, u, s);
    demolish(&b.full);
}

// where the constraints hold, with velocities that satisfy them
static void compare_assembled(const char *given) {
    built full = build_how(given, EVALUATE_ASSEMBLED);
    start_state start;
    failure f = {0};
    const char *why;
    assert_true(assemble(full.arena, full.sys, full.st, 0, 1e-13, &start, &f));
    both b = {.full = full, .tree = mech_tree_new(full.arena, full.mech, &why)};
    assert_non_null(b.tree);
    mech_tree_derive(b.tree, start.q, start.v);
    b.sys = system_new_tree(full.arena, b.tree, full.sys, EVALUATE_AUTO);
    b.st = solve_new_state(full.arena, b.sys);
    double u[300], s[300];
    mech_tree_lower(b.tree, start.q, start.v, u, s);
    compare_at(&b, 0, u, s);
    demolish(&b.full);
}

static const char *read_model(const char *path) {
    static char all[100000];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    all[fread(all, 1, sizeof all - 1, f)] = '\0';
    fclose(f);
    return all;
}

static void loops(void **state) {
    static const char *const models[] = {"six-rss",  "four-bar-3d",   "bennett",
                                         "cardan",   "double-cardan", "slider-crank-3d",
                                         "governor", "robot",         "double-scott-russell",
                                         "bicycle"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[100];
        snprintf(path, sizeof path, "models/mechanisms/%s.tram", models[i]);
        print_message("%s\n", path);
        compare_assembled(read_model(path));
    }
}

// Newton's method on the closure rows moves quaternions by their angular velocities, and so converges
static void projection_of_quaternions(void **state) {
    built full = build_how(read_model("models/mechanisms/six-rss.tram"), EVALUATE_ASSEMBLED);
    start_state start;
    failure f = {0};
    const char *why;
    double u[100], s[100];
    assert_true(assemble(full.arena, full.sys, full.st, 0, 1e-13, &start, &f));
    mech_tree *tree = mech_tree_new(full.arena, full.mech, &why);
    mech_tree_derive(tree, start.q, start.v);
    const trm_system *sys = system_new_tree(full.arena, tree, full.sys, EVALUATE_AUTO);
    trm_state *st = solve_new_state(full.arena, sys);
    mech_tree_lower(tree, start.q, start.v, u, s);
    for (int i = 0; i < tree->links.count; i++)
        if (tree->links.at[i].ball) { // turned by 0.02 about the first axis
            double *p = u + tree->links.at[i].turn, c = cos(0.01), d = sin(0.01);
            memcpy(p,
                   (double[]){c * p[0] - d * p[1], c * p[1] + d * p[0], c * p[2] + d * p[3],
                              c * p[3] - d * p[2]},
                   4 * sizeof *p);
        }
    projection found = project_position(sys, st, 0, u, 1e-10, NULL);
    assert_true(found.held);
    assert_true(fabs(found.residual) <= 2e-3 * found.allowed);
    demolish(&full);
}

// ---- open trees

static const char two[] =
    "gravity (1, -2, -9)\n"
    "body B: mass = 2, inertia = (1, 2, 2.5), at = (0.3, -0.2, 0.4), rotation = (0.4, 1, -0.3)\n"
    "body C: mass = 3, inertia = (2, 2, 1.5), at = (1.3, 0.2, 0.9), rotation = (-0.2, 0.5, 0.8)\n"
    "body D: mass = 1, inertia = (1, 1.2, 1.5), at = (2, 0.5, 1.9)\n";
static const char *const joints[] = {
    "revolute(%s, %s, at = (0.7, 0.1, 0.5), axis = (1, -2, 0.5))",
    "revolute(%s, %s, at = (0.7, 0.1, 0.5), axis = (0, -1, 0))",
    "spherical(%s, %s, at = (0.7, 0.1, 0.5))",
    "fixed(%s, %s)",
    "prismatic(%s, %s, axis = (1, -2, 0.5), at = (0.7, 0.1, 0.5))",
    "cylindrical(%s, %s, at = (0.7, 0.1, 0.5), axis = (1, -2, 0.5))",
    "universal(%s, %s, at = (0.7, 0.1, 0.5), axis1 = (1, -2, 0.5), axis2 = (2, 1, 0))",
    "planar(%s, %s, at = (0.7, 0.1, 0.5), normal = (1, -2, 0.5))",
};
enum { JOINTS = sizeof joints / sizeof *joints };

static void each_kind(void **state) {
    for (int i = 0; i < JOINTS; i++)
        for (int k = 0; k < JOINTS; k++)
            for (int way = 0; way < 4; way++) {
                char given[3000], first[300], second[300];
                snprintf(first, sizeof first, joints[i], way & 1 ? "B" : "ground", way & 1 ? "ground" : "B");
                snprintf(second, sizeof second, joints[k], way & 2 ? "C" : "B", way & 2 ? "B" : "C");
                snprintf(given, sizeof given,
                         "%sjoint J: %s\njoint K: %s\n"
                         "joint L: revolute(C, D, at = (1.7, 0.3, 1), axis = (0, 0.6, 0.8))\n"
                         "spring s: point(D, (0.1, 0.2, 0.3)), (3, 3, 3), stiffness = 20, length = 1\n"
                         "force C at (0.1, 0, 0.2) = (sin(t), B.x*C.y', 0.3)\ntorque D = (0.1, t, C.q1')\n",
                         two, first, second);
                compare(given);
            }
}

static void planar_trees(void **state) {
    static const char *const kinds[] = {"revolute(%s, %s, at = (0.7, 0.1))", "fixed(%s, %s)",
                                        "prismatic(%s, %s, axis = (1, -2))"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int way = 0; way < 4; way++) {
                char given[2000], first[300], second[300];
                snprintf(first, sizeof first, kinds[i], way & 1 ? "B" : "ground", way & 1 ? "ground" : "B");
                snprintf(second, sizeof second, kinds[k], way & 2 ? "C" : "B", way & 2 ? "B" : "C");
                snprintf(given, sizeof given,
                         "gravity (1, -2)\n"
                         "body2 B: mass = 2, inertia = 1, at = (0.3, -0.2), angle = 0.4\n"
                         "body2 C: mass = 3, inertia = 2, at = (1.3, 0.2), angle = -0.3\n"
                         "body2 D: mass = 1, inertia = 2, at = (1.3, 0.8), angle = 7\n"
                         "joint J: %s\njoint K: %s\npotential 3*(B.x - C.y)^2 + B.angle*C.angle\n",
                         first, second);
                compare(given);
            }
}

static void forces_on_angles(void **state) {
    char given[3000];
    snprintf(given, sizeof given,
             "%sjoint J (stiffness = 20, damping = 0.3): revolute(ground, B, at = (0.7, 0.1, 0.5), axis = "
             "(1, -2, 0.5))\n"
             "joint K (damping = 0.7): revolute(C, B, at = (0.7, 0.3, 0.5), axis = (0, 0, 1))\n"
             "joint L (stiffness = 5, damping = 2): prismatic(C, D, axis = (1, 0, 1))\n"
             "potential sin(angle(J))*angle(K)^2\n",
             two);
    compare(given);
}

static void other_coordinates(void **state) {
    char given[3000];
    snprintf(given, sizeof given,
             "%sparticle P: mass = 2, at = (0.1, 0.2, 0.3)\ncoord z\nmass z = 3\n"
             "joint J: revolute(ground, B, at = (0.7, 0.1, 0.5), axis = (1, -2, 0.5))\n"
             "spring s: P, point(B, (0.1, 0, 0)), stiffness = 20, length = 1\n"
             "potential 3*z*B.x^2\nconstraint c: z^2 = B.z*P.x\n",
             two);
    compare(given);
}

static void long_chains(void **state) {
    for (int n = 3; n <= 24; n += 7) {
        char given[20000] = "gravity (0, 0, -9.81)\n";
        for (int i = 0; i < n; i++) {
            char more[600], before[20];
            snprintf(before, sizeof before, i ? "b%d" : "ground", i - 1);
            snprintf(more, sizeof more,
                     "body b%d: mass = %g, inertia = (0.03, 0.035, 0.012, 0.002, -0.0015, 0.001), at = (%g, "
                     "0.1, %g)\n"
                     "joint j%d: revolute(%s, b%d, at = (%g, 0, %g), axis = %s)\n",
                     i, 1 + 0.1 * i, 0.06 * i, -0.5 * i - 0.25, i, before, i, 0.06 * i, -0.5 * i,
                     i % 3 == 0   ? "(0, 1, 0)"
                     : i % 3 == 1 ? "(1, 0.2, 0)"
                                  : "(0, 0, -1)");
            strcat(given, more);
        }
        compare(given);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind),
        cmocka_unit_test(planar_trees),
        cmocka_unit_test(forces_on_angles),
        cmocka_unit_test(other_coordinates),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(loops),
        cmocka_unit_test(projection_of_quaternions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
