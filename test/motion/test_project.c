/* Projections: what a look tells without a solution is what the whole stage tells, and nothing is solved for
 * where the rows hold already. */
#include "motion/project.h"
#include "support/build.h"

#include <math.h>

#define PENDULUMS                                                                                            \
    "param N = 4\ncoord x[1..N], y[1..N]\n"                                                                  \
    "for i in 1..N {\n    initial x[i] = 0.6*i, y[i] = -0.8*i, x[i]' = 0.8*i, y[i]' = 0.6*i\n"               \
    "    kinetic (x[i]'^2 + y[i]'^2)/2\n    potential 9.81*y[i]\n}\n"                                        \
    "constraint a: x[1]^2 + y[1]^2 = 1\n"                                                                    \
    "for i in 2..N: constraint l[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"

#define SKATES                                                                                               \
    "coord x, y, phi\ninitial x = 0.3, y = 0.1, phi = 0.5, x' = 2*cos(0.5), y' = 2*sin(0.5), phi' = 1\n"     \
    "kinetic (x'^2 + y'^2)/2 + 3*phi'^2\nconstraint blade: x'*sin(phi) - y'*cos(phi) = 0\n"                  \
    "constraint rail: y = 0.1 + 0*x\n"

#define BODY                                                                                                 \
    "gravity (0, 0, -9.81)\n"                                                                                \
    "body b: mass = 2, inertia = (1, 2, 3), at = (1, 0, 0), rotation = (1, 0, 0, 0), omega ~ (0, 0, 1)\n"    \
    "joint j: spherical(ground, b, at = (0, 0, 0))\n"

static void typed(const built *b, double *q, double *v) {
    for (int i = 0; i < b->sys->n; i++) {
        q[i] = b->model->position.at[i].value;
        v[i] = b->model->velocity.at[i].value;
    }
}

static void same_look(const built *b, state_level l, const double *x) {
    assert_non_null(l.off);
    state_run(b->sys, b->st, l.stage);
    state_run(b->sys, b->st, l.look);
    int m = l.level->m;
    for (int i = 0; i < m; i++) {
        double size = natural_allowance(b->sys, l.level->A, l.A, i, x, l.stage == STAGE_VELOCITY);
        assert_near_scaled(l.off[i], l.residual[i], 1e-14, size);
        assert_near_scaled(l.off[m + i], size, 1e-14, size);
    }
}

static void looks_are_those_of_the_stage(void **state) {
    static const char *texts[] = {PENDULUMS, SKATES, BODY};
    for (int k = 0; k < 3; k++) {
        built b = build(texts[k]);
        double q[64], v[64];
        typed(&b, q, v);
        for (int i = 0; i < b.sys->n; i++) {
            q[i] += 0.3 * sin(1 + 7.3 * i);
            v[i] -= 2 * cos(2 + 5.1 * i);
        }
        state_set(b.sys, b.st, 0, q, v);
        assert_true(b.sys->velocity.m > 0);
        if (b.sys->position.m)
            same_look(&b, state_position(b.sys, b.st), q);
        same_look(&b, state_velocity(b.sys, b.st), v);
        demolish(&b);
    }
}

// the stages that solve are run where a step is taken, and nowhere else
static void nothing_is_solved_on_the_constraints(void **state) {
    built b = build(PENDULUMS);
    double q[8], v[8], tolerance = 1e-9;
    typed(&b, q, v);
    double *position = b.st->y[STAGE_POSITION], *velocity = b.st->y[STAGE_VELOCITY];
    assert_true(project_position(b.sys, b.st, 0, q, 1e-14, NULL).held);
    assert_true(project_velocity(b.sys, b.st, 0, q, v, 1e-14).held);
    position[0] = velocity[0] = NAN;
    assert_true(project_position(b.sys, b.st, 0, q, tolerance, NULL).held);
    assert_true(project_velocity(b.sys, b.st, 0, q, v, tolerance).held);
    assert_true(isnan(position[0]) && isnan(velocity[0]));
    q[0] += 1e-6;
    assert_true(project_position(b.sys, b.st, 0, q, tolerance, NULL).held);
    assert_true(!isnan(position[0]) && isnan(velocity[0]));
    v[0] += 1e-6;
    assert_true(project_velocity(b.sys, b.st, 0, q, v, tolerance).held);
    assert_false(isnan(velocity[0]));
    demolish(&b);
}

// a row that is off stays the one that is named, with its residual and what is allowed
static void the_worst_row_is_named(void **state) {
    static const evaluate_how hows[] = {EVALUATE_AUTO, EVALUATE_FUSED, EVALUATE_ASSEMBLED};
    for (int k = 0; k < 3; k++) {
        built b = build_how("coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                            "constraint near: x^2 + y^2 = 1\nconstraint far: x^2 + y^2 = 3 + 0*x*y\n",
                            hows[k]);
        double q[] = {1, 0};
        projection at = project_position(b.sys, b.st, 0, q, 1e-9, NULL);
        assert_false(at.held);
        assert_true(at.row >= 0 && fabs(at.residual) > 0.1 && at.allowed < 1e-7);
        demolish(&b);
    }
}

// a residual that is not a number is the worst, also before rows that hold
static void what_is_not_a_number_is_not_held(void **state) {
    built b = build("coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                    "constraint root: sqrt(x) = 1\nconstraint line: y + 0*x = 0\n");
    double q[] = {-1, 0};
    projection p = project_position(b.sys, b.st, 0, q, 1e-9, NULL);
    assert_false(p.held);
    assert_int_equal(p.row, 0);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_are_those_of_the_stage),
        cmocka_unit_test(nothing_is_solved_on_the_constraints),
        cmocka_unit_test(the_worst_row_is_named),
        cmocka_unit_test(what_is_not_a_number_is_not_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
