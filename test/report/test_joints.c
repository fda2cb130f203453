/* What is told by joint: rows that are needed, positions in which joints meet, power. */
#include "report/joints.h"

#include "support/simulate.h"

#include <math.h>
#include <string.h>

// ---- rows that are needed, against the rank without the joint

static check_report *check(built *b, const char *given) {
    *b = build(given);
    check_report *r = check_system(b->arena, b->sys, b->st, 0, 1e-9);
    assert_true(r->solved);
    return r;
}

static int rank_without(const built *b, int constraint) {
    const trm_system *sys = b->sys;
    double *rows = arena_doubles(b->arena, (size_t)sys->m * (size_t)sys->n + 1);
    int count = 0;
    for (int i = 0; i < sys->m; i++)
        if (b->model->rows.at[i].constraint != constraint)
            row_add(sys->A, b->st->A, i, 1, rows + (size_t)count++ * (size_t)sys->n);
    return rank_of_rows(b->arena, rows, count, sys->n, 1e-11)->rank;
}

static void assert_needed(const char *given, int redundant) {
    built b;
    check_report *r = check(&b, given);
    assert_int_equal(b.sys->m - r->rank->rank, redundant);
    for (int i = 0; i < b.model->constraints.count; i++)
        assert_int_equal(joints_needed(b.arena, b.sys, r->rank, i), r->rank->rank - rank_without(&b, i));
    demolish(&b);
}

static const char four_bar[] =
    "param a = %g\nlet out(v) = (cos(a)*v.x - sin(a)*v.y, cos(a)*v.y + sin(a)*v.x, v.z)\n"
    "body left: mass = 1, inertia = (1, 1, 1), at = out((0, 0, 0.5)), rotation = (0, 0, 0)\n"
    "body top: mass = 1, inertia = (1, 1, 1), at = out((1, 0, 1.2)), rotation = (0, 0, 0)\n"
    "body right: mass = 1, inertia = (1, 1, 1), at = out((2, 0, 0.7)), rotation = (0, 0, 0)\n"
    "joint A: revolute(ground, left, at = (0, 0, 0), axis = out((0, 1, 0)))\n"
    "joint B: revolute(left, top, at = out((0, 0, 1)), axis = out((0, 1, 0)))\n"
    "joint C: %s(top, right, at = out((2, 0, 1.4))%s)\n"
    "joint D: revolute(right, ground, at = out((2, 0, 0)), axis = out((0, 1, 0)))\n%s";

static void rows_needed(void **state) {
    char given[2000];
    for (int k = 0; k < 2; k++) {
        double a = 0.7 * k;
        snprintf(given, sizeof given, four_bar, a, "revolute", ", axis = out((0, 1, 0))", "");
        assert_needed(given, 3);
        snprintf(given, sizeof given, four_bar, a, "spherical", "", "");
        assert_needed(given, 1);
        snprintf(given, sizeof given, four_bar, a, "revolute", ", axis = out((0, 1, 0))",
                 "joint again: revolute(ground, left, at = (0, 0, 0), axis = out((0, 1, 0)))\n"
                 "constraint and_again: point(left, (0, 0, -0.5)) = (0, 0, 0)\n");
        assert_needed(given, 11);
    }
    assert_needed("body b: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), rotation = (0, 0, 0)\n"
                  "joint J: spherical(ground, b, at = (0, 0, 0))\n",
                  0);
}

static void joints_and_others(void **state) {
    built b;
    check(&b, "body b: mass = 1, inertia = (1, 1, 1), at = (1, 0, 0), rotation = (0, 0, 0)\n"
              "joint J: spherical(ground, b, at = (0, 0, 0))\nconstraint c: b.y = 0\nconstraint d: b = (1, "
              "0, 0)\n");
    for (int i = 0; i < b.model->constraints.count; i++) {
        bool joint = strcmp(names_text(b.model->names, b.model->constraints.at[i].label.name), "J") == 0;
        assert_int_equal(joints_is_joint(b.model, i), joint);
    }
    demolish(&b);
}

// ---- singular positions

/* A parallelogram that turns with w without forces is flat each half turn. With three cranks two more rows
 * depend on others there, and the determinant keeps its sign. */
static void flat_positions(void **state) {
    static const char form[] =
        "param w = 2, a0 = 0.5, cranks = %d\ncoord x[1..cranks], y[1..cranks]\n"
        "for i in 1..cranks {\ninitial x[i] = 2*i + cos(a0), y[i] = sin(a0), x[i]' = -w*sin(a0), y[i]' = "
        "w*cos(a0)\n"
        "kinetic (x[i]'^2 + y[i]'^2)/2\nconstraint crank[i]: (x[i] - 2*i)^2 + y[i]^2 = 1\n}\n"
        "for i in 2..cranks: constraint bar[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 4\n"
        "expect always abs(y[1] - sin(a0 + w*t)) < 1e-6\n";
    for (int cranks = 2; cranks <= 3; cranks++) {
        char given[800];
        built b;
        snprintf(given, sizeof given, form, cranks);
        run_report *r = simulate(&b, given, 10, 1e-10);
        int count = (int)floor((0.5 + 2 * 10) / acos(-1));
        assert_int_equal(r->passes.count, count);
        for (int i = 0; i < count; i++) {
            string_list joints = joints_of_rows(b.arena, b.sys, r->passes.at[i].involved);
            assert_near(r->passes.at[i].time, (acos(-1) * (i + 1) - 0.5) / 2, 1e-6);
            assert_int_equal(joints.count, 2 * cranks - 1); // all of them
            assert_string_equal(joints.at[0], "crank[1]");
        }
        demolish(&b);
    }
}

// a slider crank whose rod is longer than the crank comes near to a singular position, but not into one
static void no_singular_position(void **state) {
    built b;
    run_report *r = simulate(&b,
                             "coord phi, s\ninitial phi = 0.5, phi' = 3, s ~ 2\nkinetic phi'^2/2 + s'^2/2\n"
                             "constraint rod: (s - cos(phi))^2 + sin(phi)^2 = 1.01^2\n",
                             10, 1e-9);
    assert_int_equal(r->passes.count, 0);
    demolish(&b);
}

// ---- power

static power_record power_of(const built *b, const power_record *powers, const char *name) {
    for (int i = 0; i < b->model->constraints.count; i++)
        if (strcmp(names_text(b->model->names, b->model->constraints.at[i].label.name), name) == 0)
            return powers[i];
    fail_msg("no constraint %s", name);
    return powers[0];
}

// a mass that is drawn on a table: the drive does work, the table does not
static void who_does_work(void **state) {
    static const char given[] = "coord x, y\ninitial x = 0, x' = 0\nkinetic x'^2 + y'^2\npotential 2*9.81*y\n"
                                "constraint table: y = 0.1*x\nconstraint drive: x = t^2\n";
    built b;
    run_report *r = simulate(&b, given, 3, 1e-9);
    findings f = {.sys = b.sys};
    double slope = 0.1; // power = force along the slope times speed: (2 x'' (1 + slope^2) + 2 g slope) x'
    assert_near(power_of(&b, r->powers, "drive").worst, (4 * (1 + slope * slope) + 2 * 9.81 * slope) * 6,
                1e-6);
    assert_near(power_of(&b, r->powers, "drive").at, 3, 0);
    assert_true(power_of(&b, r->powers, "table").part < 1e-9);
    joints_power_warn(&f, b.arena, r->powers, 1e-9);
    assert_int_equal(f.warnings.count, 0);
    text t;
    text_init(&t, b.arena);
    joints_power_text(&t, b.arena, &f, r->powers, true);
    assert_non_null(strstr(text_string(&t), "do work: drive 36.0"));
    assert_non_null(strstr(text_string(&t), "the force of the other constraint does no work"));
    power_record wrong[] = {{3, 1, 0.5, 6}, {3, 1, 0.5, 6}};
    joints_power_warn(&f, b.arena, wrong, 1e-9);
    assert_int_equal(f.warnings.count, 1);
    assert_non_null(strstr(f.warnings.at[0], "'table' does work"));
    demolish(&b);
}

// held where it is, a drive does no work, whatever rounding says; nor does a rod whose swing is damped to
// rest
static void no_work(void **state) {
    built b;
    run_report *r = simulate(&b,
                             "coord x, y, z\ninitial x = 2, y = 0\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                             "potential 9.81*y + z\ndissipation x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 4\n"
                             "control stay: z = 0*t + min(0, 100 - t)\n",
                             40, 1e-9);
    findings f = {.sys = b.sys, .tolerance = 1e-9};
    joints_power_warn(&f, b.arena, r->powers, 1e-9);
    assert_int_equal(f.warnings.count, 0);
    text t;
    text_init(&t, b.arena);
    joints_power_text(&t, b.arena, &f, r->powers, true);
    assert_null(strstr(text_string(&t), "do work:"));
    assert_non_null(strstr(text_string(&t), "the forces of the constraints do no work"));
    demolish(&b);
}

static void power_at_the_start(void **state) {
    built b;
    check_report *r = check(&b, "coord x, y\ninitial x = 1, y = 0, y' = 2, x' = 0\nkinetic (x'^2 + y'^2)/2\n"
                                "constraint ring: x^2 + y^2 = 1\ncontrol speed (damping = 3): y' = 1\n");
    assert_near(power_of(&b, r->powers, "ring").worst, 0, 1e-12);
    assert_near(power_of(&b, r->powers, "speed").worst, -3 * 2, 1e-12); // y'' = -3 (2 - 1)
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_needed),    cmocka_unit_test(joints_and_others),
        cmocka_unit_test(flat_positions), cmocka_unit_test(no_singular_position),
        cmocka_unit_test(who_does_work),  cmocka_unit_test(power_at_the_start),
        cmocka_unit_test(no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
