/* Which way stages are compiled: by the run that is expected, without cliffs from one size to the next, and
 * with the same results either way. */
#include "support/build.h"
#include "system/cost.h"
#include "system/natural.h"

#include <math.h>

static built build_printed(const char *form, int n, double until) {
    static char given[1 << 18];
    snprintf(given, sizeof given, form, n, until);
    return build(given);
}

// in 3-D, one revolute joint after the other
static built bodies(int n, double until) {
    return build_printed(
        "param N = %d\ngravity (0, 0, -9.81)\n"
        "for i in 1..N: body b[i]: mass = 1 + i/10, inertia = (0.03, 0.035, 0.012), "
        "at = (i - 0.5, 0, 0), rotation = (1, 0, 0, 0), omega ~ (0, i/10, 0)\n"
        "joint j[1]: revolute(ground, b[1], at = (0, 0, 0), axis = (0, 1, 0))\n"
        "for i in 2..N: joint j[i]: revolute(b[i-1], b[i], at = (i - 1, 0, 0), axis = (0, 1, 0))\n"
        "simulate until %g, every 1000\n",
        n, until);
}

static built particles(int n, double until) {
    return build_printed("param N = %d\ncoord x[1..N], y[1..N]\n"
                         "for i in 1..N {\n    initial x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n"
                         "    kinetic (x[i]'^2 + y[i]'^2)/2\n    potential 9.81*y[i]\n}\n"
                         "constraint first: x[1]^2 + y[1]^2 = 1\n"
                         "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
                         "simulate until %g, every 1000\n",
                         n, until);
}

// potentials of which no two have the same structure
static built shapes(int n) {
    static char given[1 << 18];
    size_t at = (size_t)snprintf(given, sizeof given, "coord x[1..%d]\nsimulate until 1, every 1\n", n);
    for (int i = 1; i <= n; i++) {
        at +=
            (size_t)snprintf(given + at, sizeof given - at, "kinetic x[%d]'^2/2\npotential x[%d]^2 + ", i, i);
        for (int bits = i; bits; bits /= 2)
            at += (size_t)snprintf(given + at, sizeof given - at, bits % 2 ? "sin(" : "cos(");
        at += (size_t)snprintf(given + at, sizeof given - at, "x[%d]", i);
        for (int bits = i; bits; bits /= 2)
            at += (size_t)snprintf(given + at, sizeof given - at, ")");
        at += (size_t)snprintf(given + at, sizeof given - at, "\n");
    }
    assert_true(at < sizeof given - 1);
    return build(given);
}

static int operations(const trm_system *s) {
    int sum = 0;
    for (int i = 0; i < STAGES; i++)
        sum += s->stages[i].operations;
    return sum;
}

static void longer_runs_are_expected_to_take_more(void **state) {
    built b = particles(3, 1), late = particles(3, 100);
    cost_runs once = cost_expect(b.sys), often = cost_expect(late.sys);
    assert_true(often.evaluations > 10 * once.evaluations && often.evaluations < 1000 * once.evaluations);
    assert_true(once.visits < once.evaluations / 5 && often.visits > once.visits);
    demolish(&b);
    demolish(&late);
    // each sample is an evaluation, and a visit
    built few = build("coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2\nsimulate until 8, every 1\n");
    built many =
        build("coord x\ninitial x = 1\nkinetic x'^2/2\npotential x^2\nsimulate until 8, every 0.001\n");
    assert_near(cost_expect(many.sys).evaluations - cost_expect(few.sys).evaluations, 7992, 1e-6);
    assert_near(cost_expect(many.sys).visits - cost_expect(few.sys).visits, 7992, 1e-6);
    demolish(&few);
    demolish(&many);
}

// 7 and 12 bodies take the same way, and it depends on the run
static void chains_of_bodies(void **state) {
    for (int n = 7; n <= 12; n += 5) {
        built b = bodies(n, 50), brief = bodies(n, 0.01);
        assert_true(b.sys->fused && b.sys->direct);
        assert_false(brief.sys->direct);
        assert_true(operations(b.sys) > operations(brief.sys));
        demolish(&b);
        demolish(&brief);
    }
}

// what is decided once is decided for all longer runs, and at some length it is
static void once_direct_always_direct(void **state) {
    int changes = 0;
    bool before = false;
    for (double until = 0x1p-8; until <= 0x1p10; until *= 4) {
        built b = bodies(4, until);
        assert_true(b.sys->direct >= before);
        changes += b.sys->direct != before;
        before = b.sys->direct;
        demolish(&b);
    }
    assert_int_equal(changes, 1);
}

// compiling 100 links for 1 s took longer than simulating them
static void chains_of_particles(void **state) {
    built b = particles(100, 1), late = particles(100, 1000), large = particles(5000, 0.1);
    assert_false(b.sys->direct);
    assert_true(late.sys->direct);
    assert_true(operations(b.sys) < operations(late.sys) / 3);
    assert_false(large.sys->fused);
    assert_int_equal(large.sys->stages[STAGE_DYNAMICS].groups.count,
                     4); // masses, weights, the first link, links
    demolish(&b);
    demolish(&late);
    demolish(&large);
}

// a thousand kernels run once each would take ten times as long as one
static void different_shapes(void **state) {
    for (int n = 500; n <= 1000; n += 500) {
        built b = shapes(n);
        assert_true(b.model->shapes.count >= n);
        assert_int_equal(b.sys->stages[STAGE_DYNAMICS].groups.count, 1);
        demolish(&b);
    }
}

static void the_ways_agree(void **state) {
    built b = bodies(7, 50), brief = bodies(7, 0.001);
    int n = b.sys->n;
    double q[64], v[64], largest = 0;
    assert_true(b.sys->direct && !brief.sys->fused);
    for (int i = 0; i < n; i++) {
        q[i] = b.model->position.at[i].value;
        v[i] = 0;
    }
    assert_int_equal(solve_acceleration(b.sys, b.st, 0, q, v).status, SOLVE_OK);
    assert_int_equal(solve_acceleration(brief.sys, brief.st, 0, q, v).status, SOLVE_OK);
    assert_true(b.st->direct);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(b.st->qdd[i]));
    assert_true(largest > 1);
    for (int i = 0; i < n; i++)
        assert_near_scaled(brief.st->qdd[i], b.st->qdd[i], 1e-11, largest);
    demolish(&b);
    demolish(&brief);
}

// rows that depend on each other where the model starts: the kernel would hand over at every call
static void dependent_rows_are_not_solved_in_the_kernel(void **state) {
    built b = build("coord x, y, z\ninitial x = 1, y = 0, z = 0\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                    "constraint a: x^2 + y^2 + z^2 = 1\nconstraint b: x^3 + y + z = 1\n"
                    "constraint c: 2*x^2 + y + z + 3*y^2 = 2\nsimulate until 1000\n");
    assert_false(b.sys->direct);
    demolish(&b);
}

// where they depend on each other only as guesses are typed, here both rods upright, it is made
static void guesses_may_be_singular(void **state) {
    static const char form[] = "coord x, y, z\ninitial x %s 1, y %s 0, z = 0\n"
                               "kinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: x^2 + y^2 + z^2 = 1\n"
                               "constraint b: (x + 1)^2 + y^2 + z^2 = 4 - 1e-3\nsimulate until 1000\n";
    for (int exact = 0; exact < 2; exact++) {
        char given[500];
        snprintf(given, sizeof given, form, exact ? "=" : "~", exact ? "=" : "~");
        built b = build(given);
        assert_int_equal(b.sys->direct, !exact);
        demolish(&b);
    }
}

// thin rods have no inertia about themselves: all rows would have to be added to M, which makes it full
static void rods_are_not_solved_in_the_kernel(void **state) {
    built b =
        build_printed("param N = %d\nfor i in 0..N: body b[i]: mass = 1, shape = rod(1), at = (i, 0, 0)\n"
                      "for i in 1..N: joint j[i]: revolute(b[i-1], b[i], at = (i - 0.5, 0, 0), "
                      "axis = (0, 1, i))\nsimulate until %g\n",
                      24, 20);
    assert_false(b.sys->direct || b.sys->position.direct || b.sys->velocity.direct);
    assert_true(operations(b.sys) < 150000);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longer_runs_are_expected_to_take_more),
        cmocka_unit_test(chains_of_bodies),
        cmocka_unit_test(once_direct_always_direct),
        cmocka_unit_test(chains_of_particles),
        cmocka_unit_test(different_shapes),
        cmocka_unit_test(the_ways_agree),
        cmocka_unit_test(dependent_rows_are_not_solved_in_the_kernel),
        cmocka_unit_test(guesses_may_be_singular),
        cmocka_unit_test(rods_are_not_solved_in_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
