/* What compare takes of memory is told beforehand: all formulations work in one workspace. What these leave
 * open is tried, and does not matter. */
#include "study/compare.h"

#include "linear/lapack.h"
#include "support/build.h"

#include <math.h>

#define CHAIN(N)                                                                                             \
    "param N = " N "\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n    initial x[i] = i, y[i] = 0\n"             \
    "    kinetic (x[i]'^2 + y[i]'^2)/2\n    potential 9.81*y[i]\n}\n"                                        \
    "constraint link[1]: x[1]^2 + y[1]^2 = 1\n"                                                              \
    "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\nsimulate until 1\n"

static const paper_chosen NOTHING = {0};

static void estimate_holds(void **state) {
    static const char *const models[] = {
        CHAIN("30"), // sparse and dense solvers
        "param N = 60\ncoord x[1..N]\nfor i in 1..N: kinetic x[i]'^2/2\n"
        "for i in 2..N: constraint k[i]: x[i] = x[i-1]\nconstraint s (weight = 2): x[1]' = 1\nsimulate until "
        "1\n",
        "param N = 40\ncoord x[1..N]\nfor i in 1..N: quasi u[i] = x[i]' + if(i > 1, x[max(1, i - 1)]', 0)\n"
        "for i in 1..N: kinetic x[i]'^2/2\nsimulate until 1\n"};
    const char *hint;
    if (lapack_missing(&hint))
        skip();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        built b = build(models[i]);
        size_t before = arena_used(b.arena);
        double told = compare_bytes(b.arena, b.sys);
        assert_int_equal(arena_used(b.arena), before);
        comparison *c = compare_system(b.arena, b.sys, 0, 1e-9, &NOTHING, NULL);
        double taken = (double)(arena_used(b.arena) - before);
        assert_false(c->failure.failed);
        if (!(taken <= told && taken > told / 2))
            fail_msg("%g bytes were told, %g taken", told, taken);
        demolish(&b);
    }
}

/* 11 GB when each formulation had a workspace of its own. A process that compares them holds 314 MB in its
 * memory. */
static void chain_of_400_particles(void **state) {
    built b = build(CHAIN("400"));
    double megabytes = compare_bytes(b.arena, b.sys) / (1 << 20);
    assert_int_equal(b.sys->n, 800);
    if (!(megabytes > 300 && megabytes < 400))
        fail_msg("%g MB", megabytes);
    demolish(&b);
}

// dependent rows, so that each class of inverses has more than one member
static const char BEAD[] = "coord x, y, z\ninitial x = 0.6, y = 0.8, z = 0, x' = 0.8, y' = -0.6, z' = 1\n"
                           "kinetic x'^2 + y'^2 + x'*z' + 3*z'^2\npotential 9.81*y + x*z\n"
                           "constraint ring: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"
                           "nonideal x = -0.3*x'\nnonideal y = -0.3*y'\nsimulate until 1\n";

static void choices_do_not_matter(void **state) {
    const double mix[] = {1, 4, 0, 0.1}, z[] = {3, -7};
    paper_chosen chosen = {.choice = {.alpha = 30,
                                      .z = Z_GIVEN,
                                      .z_given = z,
                                      .z_count = 2,
                                      .basis = BASIS_GIVEN,
                                      .mix = mix,
                                      .mix_size = 2}};
    const char *hint;
    if (lapack_missing(&hint))
        skip();
    built b = build(BEAD);
    for (int k = 0; k < 2; k++) {
        comparison *c = compare_system(b.arena, b.sys, 0, 1e-9, k ? &chosen : &NOTHING, NULL);
        assert_false(c->failure.failed);
        assert_int_equal(c->freedom.tried, CHOICE_TRIALS);
        assert_true(c->freedom.acceleration.size < 1e-13 && c->freedom.force.size < 1e-13);
        assert_true(c->acceleration.size < 1e-13 && c->force.size < 1e-13);
        assert_non_null(c->freedom.force.of);
    }
    demolish(&b);
}

static void basis_must_fit(void **state) {
    const double mix[] = {1};
    paper_chosen chosen = {.choice = {.basis = BASIS_GIVEN, .mix = mix, .mix_size = 1}};
    const char *hint;
    if (lapack_missing(&hint))
        skip();
    built b = build(BEAD);
    comparison *c = compare_system(b.arena, b.sys, 0, 1e-9, &chosen, NULL);
    assert_true(c->failure.failed && c->failure.unsuitable);
    assert_non_null(strstr(c->failure.message, "has 2 columns here"));
    demolish(&b);
}

// 004 eq. 42: what may be added to the multipliers exerts no force
static void null_space_of_rows(void **state) {
    const char *hint;
    if (lapack_missing(&hint))
        skip();
    built b = build("coord x, y, z\ninitial x = 0.6, y = 0.8\nkinetic x'^2 + y'^2 + z'^2\npotential y + 2*z\n"
                    "constraint ring: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"
                    "constraint flat: z = 0\nconstraint sum: x^2 + y^2 + 3*z = 1\nsimulate until 1\n");
    comparison *c = compare_system(b.arena, b.sys, 0, 1e-9, &NOTHING, NULL);
    const multipliers *m = &c->multipliers;
    const state_found *found = state_look(c->each[0].st);
    assert_int_equal(m->dimension, 2);
    int vectors = 0;
    for (int i = 0; i < b.sys->m; i++) {
        double force[3] = {0};
        if (m->rows->kept[i])
            continue;
        row_add(b.sys->A, found->A, i, 1, force);
        for (int k = 0; k < m->rows->term_count[i]; k++)
            row_add(b.sys->A, found->A, m->rows->terms[i][k].row, -m->rows->terms[i][k].factor, force);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(force[k]) < 1e-14);
        vectors++;
    }
    assert_int_equal(vectors, 2);
    demolish(&b);
}

/* On the plane 2x + 3y - z = 0, y is given by the others: R = (2, -1)/3, and under the force (1, 2, 5) eq. 23
 * has the right side (1 - 4/3, 5 + 2/3). */
static void gibbs_and_appell(void **state) {
    const char *hint;
    if (lapack_missing(&hint))
        skip();
    built b = build("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x = 1\nforce y = 2\nforce z = 5\n"
                    "constraint plane: 2*x + 3*y = z\nsimulate until 1\n");
    comparison *c = compare_system(b.arena, b.sys, 0, 1e-9, &NOTHING, NULL);
    const gibbs *g = &c->gibbs;
    const double *a = c->each[0].qdd;
    assert_non_null(g->order);
    assert_true(g->dependent == 1 && g->order[0] == 1 && g->order[1] == 0 && g->order[2] == 2);
    assert_true(fabs(g->force[0] + 1.0 / 3) < 1e-14 && fabs(g->force[1] - 17.0 / 3) < 1e-14);
    assert_true(fabs(g->slope[0] + 1.0 / 3) < 1e-14 && fabs(g->slope[1] - 17.0 / 3) < 1e-14);
    assert_true(fabs(g->energy - (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / 2) < 1e-14);
    demolish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimate_holds),        cmocka_unit_test(chain_of_400_particles),
        cmocka_unit_test(choices_do_not_matter), cmocka_unit_test(basis_must_fit),
        cmocka_unit_test(null_space_of_rows),    cmocka_unit_test(gibbs_and_appell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
