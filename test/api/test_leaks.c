/* What is made and freed leaves nothing behind, however often. */
#include "api/objects.h"

#include <malloc.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char pendulum[] = "param L = 3\ncoord x, y\ninitial x = L, y = 0\nkinetic x'^2 + y'^2\n"
                               "potential 9.81*y\nconstraint rod: x^2 + y^2 = L^2\nplot \"Path\": y vs x\n"
                               "simulate until 0.01\n";

/* Repeated rows, quasi-velocities, a switch, a weight, friction, a body: whatever has parts of its own. */
static const char *const models[] = {
    pendulum,
    "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nquasi u = x'\nquasi v = y' + x*z'\nquasi w = z'\n"
    "constraint soft (weight = 1 + t): x + y = 0\nforce z = if(x > 0.5, 1, -1)\nsimulate until 0.01\n",
    "param N = 30\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n    initial x[i] = i, y[i] = 0\n"
    "    kinetic (x[i]'^2 + y[i]'^2)/2\n    potential 9.81*y[i]\n}\n"
    "constraint link[1]: x[1]^2 + y[1]^2 = 1\nconstraint twin: 2*x[1]^2 + 2*y[1]^2 = 2\n"
    "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\nsimulate until 0.01\n",
    "body top: mass = 1, inertia = (1, 1, 2), at = (0, 0, 1)\n"
    "joint foot: spherical(ground, top, at = (0, 0, 0))\nsimulate until 0.01\n",
    "body2 A: mass = 1, inertia = 1, at = (1, 0)\nbody2 B: mass = 1, inertia = 1, at = (3, 0)\n"
    "joint J: revolute(ground, A, at = (0, 0))\njoint K: revolute(ground, B, at = (2, 0))\n"
    "joint G: gear(J, K, ratio = 2)\ninitial angle(J) = 0.1, angle(J)' = 1\ntorque J = 1\nsimulate until "
    "0.01\n",
};

static trm_model *read_text(const char *given) {
    trm_model *m = NULL;
    trm_status status = trm_model_read_text("test.tram", given, NULL, 0, &m);
    if (status != TRM_OK)
        fail_msg("%s", trm_model_messages(m, 0));
    return m;
}

static void system_and_state(trm_model *m) {
    trm_system *s;
    trm_state *st;
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    trm_state_free(st);
    trm_system_free(s);
}

static void run(trm_model *m) {
    trm_result *r;
    trm_run_def def = trm_run_def_default();
    def.keep = TRM_KEEP_PAGE;
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    trm_result_free(r);
    def.integrator = "bdf"; // which has a Jacobian
    trm_run(m, &def, &r);
    trm_result_free(r);
    trm_linearize(m, &def, &r);
    trm_result_free(r);
    trm_equilibrium(m, &def, &r);
    trm_result_free(r);
}

static void wrong_run(trm_model *m) {
    trm_result *r;
    trm_run_def def = {.size = sizeof def, .until = "nothing + x"};
    assert_int_equal(trm_run(m, &def, &r), TRM_WRONG_MODEL);
    trm_result_free(r);
}

// other numbers every time
static void numbers(trm_model *m) {
    static int count;
    char given[32];
    double value;
    for (int i = 0; i < 1000; i++) {
        snprintf(given, sizeof given, "sqrt(%d)/7", count++);
        assert_int_equal(trm_model_number(m, given, &value), TRM_OK);
        assert_int_equal(trm_model_number(m, "1 +", &value), TRM_WRONG_MODEL);
    }
    trm_result *r;
    trm_run_def def = {.size = sizeof def, .until = given, .every = "1000"};
    assert_int_not_equal(trm_check(m, &def, &r), TRM_WRONG_MODEL);
    trm_result_free(r);
}

// the first two may grow tables; after that a model has as many bytes and expressions as before
static void stays(trm_model *m, void (*act)(trm_model *m), int times) {
    act(m);
    act(m);
    size_t bytes = arena_used(m->arena);
    int expressions = expr_pool_size(m->model->pool);
    for (int i = 0; i < times; i++)
        act(m);
    assert_int_equal(arena_used(m->arena), bytes);
    assert_int_equal(expr_pool_size(m->model->pool), expressions);
}

static void models_do_not_grow(void **state) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        trm_model *m = read_text(models[i]);
        stays(m, system_and_state, 20);
        stays(m, run, 5);
        stays(m, wrong_run, 20);
        stays(m, numbers, 5);
        trm_model_free(m);
    }
}

#if defined(__SANITIZE_ADDRESS__)
size_t __sanitizer_get_current_allocated_bytes(void);
static size_t allocated(void) {
    return __sanitizer_get_current_allocated_bytes();
}
#else
static size_t allocated(void) {
    return mallinfo2().uordblks;
}
#endif

// and the systems themselves are gone: 4 MB stayed after 20 of them
static void systems_are_freed(void **state) {
    trm_model *m = read_text(pendulum);
    system_and_state(m);
    system_and_state(m);
    size_t before = allocated();
    for (int i = 0; i < 2000; i++)
        system_and_state(m);
    assert_int_equal(allocated(), before);
    trm_model_free(m);
}

// a model that turns out to be wrong when it is compiled makes no system, and keeps none
static void refused_systems(void **state) {
    trm_model *m = read_text("coord x\nkinetic x'^3\n");
    trm_system *s;
    assert_int_equal(trm_system_create(m, &s), TRM_WRONG_MODEL);
    assert_null(s);
    size_t before = allocated();
    for (int i = 0; i < 20; i++)
        assert_int_equal(trm_system_create(m, &s), TRM_WRONG_MODEL);
    assert_int_equal(allocated(), before);
    trm_model_free(m);
}

// compiled again, a system gives the same numbers: what the first left in the pool does not matter
static void compiled_again(void **state) {
    double q[] = {1, 2}, v[] = {0.3, -0.1}, first[2], again[2];
    trm_model *m = read_text(pendulum);
    for (int i = 0; i < 3; i++) {
        trm_system *s;
        trm_state *st;
        assert_int_equal(trm_system_create(m, &s), TRM_OK);
        assert_int_equal(trm_state_create(s, &st), TRM_OK);
        assert_int_equal(trm_acceleration(s, st, 0, q, v, i ? again : first, NULL, NULL), TRM_OK);
        if (i)
            assert_memory_equal(first, again, sizeof first);
        trm_state_free(st);
        trm_system_free(s);
        run(m);
    }
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_do_not_grow),
        cmocka_unit_test(systems_are_freed),
        cmocka_unit_test(refused_systems),
        cmocka_unit_test(compiled_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
