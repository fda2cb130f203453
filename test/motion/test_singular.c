/* What a run answers an integrator near a singular position, asked by one that goes where the test wants. */
#include "motion/run.h"
#include "support/build.h"

#include <math.h>

/* Rod and crank of one length lie on each other and turn steadily, phi = 0.3 + 2 t; at 90 degrees the only
 * row of A, (0, -cos(phi)), vanishes and turns round. */
static const char folded[] = "coord phi, s\n"
                             "initial phi = 0.3, s = 0, phi' = 2, s' = 0\n"
                             "kinetic phi'^2/4 + s'^2/2\n"
                             "constraint rod: norm((s, 0) - (cos(phi), sin(phi))) = 1\n";
static const double SINGULAR_AT = (1.5707963267948966 - 0.3) / 2;

// ---- an integrator that takes one step to `until`, after a test has asked what it wants

struct integrator {
    ode system;
    double before, t, end, y[4], slope[4];
};

static void (*ask)(integrator *self);

static integrator *create(arena *a, const ode *system, double tolerance) {
    integrator *self = arena_alloc(a, sizeof *self);
    self->system = *system;
    return self;
}

static void motion(double t, double *y) {
    const double exact[] = {0.3 + 2 * t, 0, 2, 0};
    memcpy(y, exact, sizeof exact);
}

static int start(integrator *self, double t, const double *y, double end, double step) {
    self->t = t;
    self->end = end;
    memcpy(self->y, y, sizeof self->y);
    return self->system.f(self->system.context, t, self->y, self->slope);
}

static int step(integrator *self) {
    ask(self);
    self->before = self->t;
    self->t = self->end;
    motion(self->t, self->y);
    return self->system.project(self->system.context, self->t, self->y);
}

static double time_of(const integrator *self) {
    return self->t;
}

static const double *state_of(const integrator *self) {
    return self->y;
}

static int interpolate(integrator *self, double t, double *y) {
    motion(t, y);
    return 0;
}

static int curve(integrator *self, int *degree) {
    *degree = 1;
    return 0;
}

static void coefficients(const integrator *self, int i, double *c) {
    double y[2][4];
    motion(self->before, y[0]);
    motion(self->t, y[1]);
    c[0] = y[0][i];
    c[1] = y[1][i];
}

static void slope(const integrator *self, double t, double *dydt) {
    const double exact[] = {2, 0, 0, 0};
    memcpy(dydt, exact, sizeof exact);
}

static integrator_statistics statistics(const integrator *self) {
    return (integrator_statistics){.steps = 1};
}

static const integrator_ops asking = {.name = "asking",
                                      .order = 1,
                                      .create = create,
                                      .start = start,
                                      .step = step,
                                      .time = time_of,
                                      .state = state_of,
                                      .interpolate = interpolate,
                                      .curve = curve,
                                      .coefficients = coefficients,
                                      .slope = slope,
                                      .statistics = statistics};

// a stage at t
static int evaluate_at(integrator *self, double t) {
    double y[4], dydt[4];
    motion(t, y);
    return self->system.f(self->system.context, t, y, dydt);
}

// the end of a step at t
static int land_at(integrator *self, double t) {
    double y[4], dydt[4];
    motion(t, y);
    assert_int_equal(self->system.project(self->system.context, t, y), 0);
    return self->system.f(self->system.context, t, y, dydt);
}

// of the row at the start, at which nearness is 1, this much is left so long before or after the instant
static double before(double left) {
    return asin(left * cos(0.3)) / 2;
}

static void run_asking(void (*what)(integrator *self)) {
    built b = build(folded);
    run_options o = {.until = 2, .every = 2, .tolerance = 1e-9, .method = &asking};
    ask = what;
    run_simulation(b.arena, b.sys, b.st, &o);
    demolish(&b);
}

// ---- tests

static void ask_to_land(integrator *self) {
    assert_int_equal(land_at(self, SINGULAR_AT - before(0.5)), 0);
    assert_int_equal(land_at(self, SINGULAR_AT - before(0.11)), 0);
    assert_true(land_at(self, SINGULAR_AT - before(0.09)) > 0);
    assert_true(land_at(self, SINGULAR_AT - before(1e-5)) > 0);
    assert_int_equal(evaluate_at(self, SINGULAR_AT - before(0.09)), 0); // a stage may be there
}

static void no_step_ends_near_it(void **state) {
    run_asking(ask_to_land);
}

// only where it was found to lie may it be passed
static void ask_to_pass(integrator *self) {
    double beyond = SINGULAR_AT + before(0.5), y[4], dydt[4];
    assert_int_equal(evaluate_at(self, SINGULAR_AT - before(0.2)), 0);
    assert_true(land_at(self, beyond) > 0);
    motion(0, y);
    assert_int_equal(self->system.f(self->system.context, 0, y, dydt), 0);
    evaluate_at(self, SINGULAR_AT - before(0.2));
    double ahead = self->system.singular(self->system.context, 0, y, dydt, 1);
    assert_near(ahead, SINGULAR_AT, 1e-6);
    assert_int_equal(land_at(self, beyond), 0);
}

static void no_step_passes_it_unawares(void **state) {
    run_asking(ask_to_pass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_ends_near_it),
        cmocka_unit_test(no_step_passes_it_unawares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
