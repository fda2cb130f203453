/* Energies of the same coordinates, derived as one: the motion is that of other ways to write the same, and
 * what is derived and compiled grows with the square of the coordinates. */
#include "support/build.h"

#include <math.h>

// point masses on a chain of n links: places as sums over the links before, one energy for each mass
static const char *nested(arena *a, int n) {
    return arena_print(
        a,
        "param N = %d, l = 0.5, m = 2, g = 9.81\ncoord phi[1..N]\n"
        "let px(i) = l*sum(k in 1..i: sin(phi[k]))\nlet pz(i) = -l*sum(k in 1..i: cos(phi[k]))\n"
        "for i in 1..N {\n"
        "    kinetic m/2*(px(i)'^2 + pz(i)'^2)\n"
        "    potential m*g*pz(i)\n"
        "}\n",
        n);
}

// the same multiplied out, as a textbook has it: one energy for each pair of links
static const char *multiplied_out(arena *a, int n) {
    return arena_print(a,
                       "param N = %d, l = 0.5, m = 2, g = 9.81\ncoord phi[1..N]\n"
                       "kinetic sum(i in 1..N: sum(j in 1..N: "
                       "m*l^2/2*(N + 1 - max(i, j))*cos(phi[i] - phi[j])*phi[i]'*phi[j]'))\n"
                       "potential sum(i in 1..N: -m*g*l*(N + 1 - i)*cos(phi[i]))\n",
                       n);
}

static void accelerate(built *b, double *q, double *v) {
    for (int i = 0; i < b->sys->n; i++) {
        q[i] = 0.4 * sin(1 + 7.3 * i);
        v[i] = cos(2 + 5.1 * i);
    }
    assert_int_equal(solve_acceleration(b->sys, b->st, 0, q, v).status, SOLVE_OK);
}

static void motion_is_the_same(void **state) {
    (void)state;
    for (int n = 2; n <= 60; n = n < 12 ? n + 1 : n + 16) {
        arena *a = arena_new(0);
        double *q = arena_doubles(a, (size_t)n), *v = arena_doubles(a, (size_t)n);
        built one = build(nested(a, n)), other = build(multiplied_out(a, n));
        accelerate(&one, q, v);
        accelerate(&other, q, v);
        for (int i = 0; i < n; i++)
            assert_near(state_look(one.st)->qdd[i], state_look(other.st)->qdd[i], 1e-9);
        demolish(&one);
        demolish(&other);
        arena_free(a);
    }
}

typedef struct {
    int entries, pool, operations;
} cost;

static cost cost_of(int n) {
    arena *a = arena_new(0);
    built b = build_how(nested(a, n), EVALUATE_FUSED); // without a solution
    const stage *dynamics = &b.sys->stages[STAGE_DYNAMICS];
    cost c = {.pool = expr_pool_size(b.model->pool)};
    for (int i = 0; i < b.model->shapes.count; i++)
        c.entries += b.mech->shapes[i].entries.count;
    for (int i = 0; i < dynamics->groups.count; i++)
        c.operations += kernel_operations(dynamics->groups.at[i].kernel);
    demolish(&b);
    arena_free(a);
    return c;
}

static void costs_are_quadratic(void **state) {
    (void)state;
    cost before = cost_of(40);
    for (int n = 80; n <= 160; n *= 2) {
        cost c = cost_of(n);
        assert_true(c.entries <= n * n + 3 * n + 10);
        assert_true(c.pool <= 4.2 * before.pool);
        assert_true(c.operations <= 4.2 * before.operations);
        before = c;
    }
}

static int shapes_of(const char *given, shape_kind kind) {
    built b = build(given);
    int count = 0;
    for (int i = 0; i < b.model->shapes.count; i++)
        count += b.model->shapes.at[i].kind == kind ? b.model->shapes.at[i].count : 0;
    demolish(&b);
    return count;
}

// elements that have little in common stay, and so do many of one shape, and what a message is to speak of
static void what_is_joined(void **state) {
    (void)state;
    assert_int_equal(shapes_of("coord x, y\nkinetic x'^2 + y'^2 + x'*y'\n", SHAPE_KINETIC), 3);
    assert_int_equal(
        shapes_of("coord x, y, z\nkinetic (x' + sin(y)*y')^2/2 + (y' + z')^2 + z'^2\n", SHAPE_KINETIC), 3);
    assert_int_equal(shapes_of("coord x, y\nkinetic (x' + y')^2 + (x' - cos(x)*y')^2\n", SHAPE_KINETIC), 1);
    assert_int_equal(
        shapes_of("coord x, y\nkinetic (x' + y')^2 + (x' - abs(x)*y')^2 + y'^2\n", SHAPE_KINETIC), 3);
    assert_int_equal(
        shapes_of("coord x[1..300]\nfor i in 1..299: kinetic (x[i]' + x[i+1]')^2 + (x[i]' - x[i+1]')^2\n",
                  SHAPE_KINETIC),
        598);
    assert_wrong("coord x, y\nkinetic (x' + y')^2 + (x' - y')^2\nkinetic (x' + y')^3\n", "test.tram:3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_is_the_same),
        cmocka_unit_test(costs_are_quadratic),
        cmocka_unit_test(what_is_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
