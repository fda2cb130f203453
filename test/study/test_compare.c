/* What compare takes of memory is told beforehand: all formulations work in one workspace. */
#include "study/compare.h"

#include "linear/lapack.h"
#include "support/build.h"

#define CHAIN(N)                                                                                             \
    "param N = " N "\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n    initial x[i] = i, y[i] = 0\n"             \
    "    kinetic (x[i]'^2 + y[i]'^2)/2\n    potential 9.81*y[i]\n}\n"                                        \
    "constraint link[1]: x[1]^2 + y[1]^2 = 1\n"                                                              \
    "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\nsimulate until 1\n"

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
        comparison *c = compare_system(b.arena, b.sys, 0, 1e-9, NULL);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimate_holds),
        cmocka_unit_test(chain_of_400_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
