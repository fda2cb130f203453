/* The contract of integrator.h, on all integrators alike; a method whose library is not there is passed over.
 * Then accuracy, each to what its tolerance gives, and what an implicit method is for: a stiff constrained
 * model. */
#include "motion/curve.h"
#include "motion/run.h"

#include "support/build.h"

#include <math.h>

typedef struct {
    const integrator_ops *ops;
    double error; // global error, in tolerances, on the problems here
} subject;

// measured: errors of 20 to 3000 tolerances for the multistep methods, whose steps add up
static const subject all_subjects[] = {
    {&integrator_rk8, 100}, {&integrator_rk5, 300}, {&integrator_bdf, 1e4}, {&integrator_adams, 1e4}};
enum { SUBJECTS = sizeof all_subjects / sizeof *all_subjects };

static bool there(const subject *s) {
    const char *hint;
    return s->ops->missing == NULL || s->ops->missing(&hint) == NULL;
}

#define for_subjects(s)                                                                                      \
    for (const subject *s = all_subjects; s < all_subjects + SUBJECTS; s++)                                  \
        if (there(s))

// ---- problems

typedef struct { // what a problem's functions were asked
    long evaluations, projections, jacobians;
    double latest, last;  // times of f
    int refusals, status; // project: how often yet to refuse, and what to return otherwise
    double bound;         // f refuses, or is not a number, beyond it
    int f_status;
} record;

// on the unit circle with angle a, a' = 1 + cos(a) / 2
static int turning(void *context, double t, const double *y, double *dydt) {
    record *r = context;
    double rate = 1 + 0.5 * y[0];
    r->evaluations++;
    r->latest = fmax(r->latest, t);
    r->last = t;
    dydt[0] = -rate * y[1];
    dydt[1] = rate * y[0];
    return 0;
}

static int turning_slopes(void *context, double t, const double *y, double *J) {
    (void)t;
    ((record *)context)->jacobians++;
    J[0] = -0.5 * y[1];
    J[1] = -1 - 0.5 * y[0];
    J[2] = 1 + y[0];
    J[3] = 0;
    return 0;
}

static double turning_error(double t, const double *y) {
    double half = sqrt(3) / 4 * t, x = cos(half), z = sqrt(3) * sin(half), r2 = x * x + z * z;
    return hypot(y[0] - (x * x - z * z) / r2, y[1] - 2 * x * z / r2);
}

static int onto_circle(void *context, double t, double *y) {
    record *r = context;
    (void)t;
    r->projections++;
    if (r->refusals > 0) {
        r->refusals--;
        return 1;
    }
    double radius = hypot(y[0], y[1]);
    y[0] /= radius;
    y[1] /= radius;
    return r->status;
}

static int decay(void *context, double t, const double *y, double *dydt) { // refuses y < bound
    record *r = context;
    (void)t;
    r->evaluations++;
    dydt[0] = -y[0];
    return y[0] < r->bound ? r->f_status : 0;
}

static int cut(void *context, double t, const double *y, double *dydt) { // not a number after t = bound
    record *r = context;
    r->evaluations++;
    dydt[0] = t > r->bound ? NAN : -y[0];
    return 0;
}

typedef struct {
    arena *memory;
    const integrator_ops *ops;
    integrator *self;
    record seen;
} run;

static void begin(run *r, const subject *s, ode system, double tolerance) {
    r->memory = arena_new(0);
    assert_non_null(r->memory);
    system.context = &r->seen;
    r->ops = s->ops;
    r->self = s->ops->create(r->memory, &system, tolerance);
    assert_non_null(r->self);
}

static void finish(run *r) {
    arena_free(r->memory);
}

static int to_end(run *r, double end) {
    int status = 0;
    for (int i = 0; i < 100000 && status == 0 && r->ops->time(r->self) < end; i++)
        status = r->ops->step(r->self);
    return status;
}

static const ode circle = {.size = 2, .f = turning, .project = onto_circle};
static const double right[] = {1, 0}, one[] = {1};

// ---- the contract

// ends exactly, never evaluates beyond, further steps do nothing
static void lands_on_the_end(void **state) {
    const double ends[] = {0.1, 1, 3 + 1e-12, 10.0 / 3};
    for_subjects(s) for (int k = 0; k < 4; k++) {
        run r = {0};
        begin(&r, s, circle, 1e-7);
        assert_int_equal(r.ops->start(r.self, 0, right, ends[k], 0), 0);
        assert_int_equal(to_end(&r, ends[k]), 0);
        assert_true(r.ops->time(r.self) == ends[k]);
        assert_true(r.seen.latest <= ends[k] * (1 + 1e-15));
        long steps = r.ops->statistics(r.self).steps;
        assert_int_equal(r.ops->step(r.self), 0);
        assert_int_equal(r.ops->statistics(r.self).steps, steps);
        finish(&r);
    }
}

static void interpolates(void **state) {
    for_subjects(s) {
        run r = {0};
        double y[2], before[2] = {1, 0}, t0 = 0;
        begin(&r, s, circle, 1e-8);
        assert_int_equal(r.ops->start(r.self, 0, right, 5, 0), 0);
        while (r.ops->time(r.self) < 5) {
            assert_int_equal(r.ops->step(r.self), 0);
            double t1 = r.ops->time(r.self);
            assert_true(t1 > t0);
            assert_int_equal(r.ops->interpolate(r.self, t0, y), 0);
            assert_memory_equal(y, before, sizeof y);
            assert_int_equal(r.ops->interpolate(r.self, t1, y), 0);
            assert_memory_equal(y, r.ops->state(r.self), sizeof y);
            for (double part = 0.001; part < 1; part += 0.1665) {
                assert_int_equal(r.ops->interpolate(r.self, t0 + part * (t1 - t0), y), 0);
                assert_near(turning_error(t0 + part * (t1 - t0), y), 0, s->error * 1e-8);
            }
            double outside[] = {t0 - 0.01, t1 + 0.01, NAN};
            for (int k = 0; k < 3; k++)
                assert_int_equal(r.ops->interpolate(r.self, outside[k], y), INTEGRATOR_OUTSIDE_STEP);
            memcpy(before, r.ops->state(r.self), sizeof before);
            t0 = t1;
        }
        finish(&r);
    }
}

// the polynomial is what interpolates; its slope is what f says there, to what the error leaves
static void is_a_polynomial(void **state) {
    const double tolerance = 1e-8;
    for_subjects(s) {
        run r = {0};
        double y[2], f[2], slopes[2], t0 = 0;
        begin(&r, s, circle, tolerance);
        assert_int_equal(r.ops->start(r.self, 0, right, 5, 0), 0);
        while (r.ops->time(r.self) < 5) {
            assert_int_equal(r.ops->step(r.self), 0);
            double h = r.ops->time(r.self) - t0;
            int degree = -1;
            assert_int_equal(r.ops->curve(r.self, &degree), 0);
            assert_in_range(degree, 1, CURVE_DEGREE);
            for (double part = 0; part <= 1; part += 0.0625) {
                double t = part == 1 ? t0 + h : t0 + part * h, c[CURVE_POINTS], slope;
                assert_int_equal(r.ops->interpolate(r.self, t, y), 0);
                r.ops->slope(r.self, t, slopes);
                turning(&r.seen, t, y, f);
                for (int i = 0; i < 2; i++) {
                    r.ops->coefficients(r.self, i, c);
                    assert_near(curve_at(c, degree, part, &slope), y[i], 1e-14);
                    assert_near(slope, h * slopes[i], 1e-13);
                    assert_near(slope, h * f[i], 100 * tolerance);
                }
            }
            t0 = r.ops->time(r.self);
        }
        finish(&r);
    }
}

// f was evaluated last near t = 1 or 2
static bool not_here(void *context) {
    double away = ((record *)context)->last - 1;
    return fmin(fabs(away), fabs(away - 1)) > 0.05;
}

/* Multistep methods pass over such places; the one step that does it is interpolated and goes on as well as
 * any. */
static void passes_over(void **state) {
    ode system = circle;
    system.may_end = not_here;
    for_subjects(s) {
        run r = {0};
        double y[2], t0 = 0;
        int over = 0;
        begin(&r, s, system, 1e-6);
        assert_int_equal(r.ops->start(r.self, 0, right, 3, 0), 0);
        while (r.ops->time(r.self) < 3) {
            assert_int_equal(r.ops->step(r.self), 0);
            double t1 = r.ops->time(r.self), middle = (t0 + t1) / 2;
            over += t1 - t0 > 0.1;
            if (s->ops == &integrator_bdf || s->ops == &integrator_adams)
                assert_true(fabs(t1 - 1) > 0.05 && fabs(t1 - 2) > 0.05);
            assert_int_equal(r.ops->interpolate(r.self, middle, y), 0);
            assert_near(turning_error(middle, y), 0, s->error * 1e-6);
            assert_near(turning_error(t1, r.ops->state(r.self)), 0, s->error * 1e-6);
            t0 = t1;
        }
        assert_true(over >= 2);
        assert_int_equal(r.ops->statistics(r.self).evaluations, r.seen.evaluations);
        finish(&r);
    }
}

static void projects_every_step(void **state) {
    for_subjects(s) {
        run r = {0};
        begin(&r, s, circle, 1e-6);
        r.seen.refusals = 3;
        assert_int_equal(r.ops->start(r.self, 0, right, 5, 0), 0);
        while (r.ops->time(r.self) < 5) {
            assert_int_equal(r.ops->step(r.self), 0);
            assert_near(hypot(r.ops->state(r.self)[0], r.ops->state(r.self)[1]), 1, 4e-16);
        }
        assert_int_equal(r.seen.refusals, 0);
        integrator_statistics count = r.ops->statistics(r.self);
        assert_true(r.seen.projections >= count.steps + 3 && count.rejected >= 3);
        assert_near(turning_error(5, r.ops->state(r.self)), 0, s->error * 1e-6);
        finish(&r);
    }
}

static void counts(void **state) {
    for_subjects(s) {
        run r = {0};
        ode system = circle;
        system.jacobian = turning_slopes;
        begin(&r, s, system, 1e-6);
        assert_int_equal(r.ops->start(r.self, 1, right, 4, 0), 0);
        long steps = 0;
        double smallest = INFINITY, before = 1;
        for (; r.ops->time(r.self) < 4; steps++) {
            assert_int_equal(r.ops->step(r.self), 0);
            smallest = fmin(smallest, r.ops->time(r.self) - before);
            before = r.ops->time(r.self);
        }
        integrator_statistics count = r.ops->statistics(r.self);
        assert_int_equal(count.steps, steps);
        assert_int_equal(count.evaluations, r.seen.evaluations);
        assert_int_equal(count.jacobians, r.seen.jacobians);
        assert_int_equal(count.jacobians > 0, s->ops->implicit);
        assert_true(count.smallest_step == smallest && count.last_step >= smallest);
        assert_int_equal(count.stiff, 0);
        finish(&r);
    }
}

// from the middle on, from its own state: as if it had begun there, but statistics go on
static void starts_again(void **state) {
    for_subjects(s) {
        run r = {0}, fresh = {0};
        begin(&r, s, circle, 1e-7);
        begin(&fresh, s, circle, 1e-7);
        assert_int_equal(r.ops->start(r.self, 0, right, 2, 0), 0);
        assert_int_equal(to_end(&r, 2), 0);
        integrator_statistics first = r.ops->statistics(r.self);
        assert_int_equal(fresh.ops->start(fresh.self, 2, r.ops->state(r.self), 3, 1e-3), 0);
        assert_int_equal(r.ops->start(r.self, 2, r.ops->state(r.self), 3, 1e-3), 0);
        assert_true(r.ops->time(r.self) == 2);
        assert_int_equal(to_end(&r, 3), 0);
        assert_int_equal(to_end(&fresh, 3), 0);
        assert_memory_equal(r.ops->state(r.self), fresh.ops->state(fresh.self), 2 * sizeof(double));
        integrator_statistics both = r.ops->statistics(r.self), second = fresh.ops->statistics(fresh.self);
        assert_int_equal(both.steps, first.steps + second.steps);
        assert_int_equal(both.rejected, first.rejected + second.rejected);
        assert_int_equal(both.evaluations, first.evaluations + second.evaluations);
        finish(&r);
        finish(&fresh);
    }
}

// after a failure time and state are those of the last accepted step
static void assert_stays(run *r, int code) {
    double y = r->ops->state(r->self)[0], t = r->ops->time(r->self), at;
    assert_int_equal(r->ops->step(r->self), code);
    assert_true(r->ops->time(r->self) == t && r->ops->state(r->self)[0] == y);
    assert_int_equal(r->ops->interpolate(r->self, t, &at), 0);
    assert_true(at == y);
    assert_int_equal(r->ops->interpolate(r->self, t - 1e-9, &at), INTEGRATOR_OUTSIDE_STEP);
}

static void refused_by_f(void **state) {
    for_subjects(s) {
        run r = {.seen = {.bound = exp(-1), .f_status = 1}}, ended = {.seen = {.bound = 0.5, .f_status = -7}};
        begin(&r, s, (ode){.size = 1, .f = decay}, 1e-6);
        assert_int_equal(r.ops->start(r.self, 0, one, 0.9, 0), 0);
        assert_int_equal(to_end(&r, 0.9), 0); // steps that look beyond the wall are tried again
        assert_near(r.ops->state(r.self)[0], exp(-0.9), s->error * 1e-6);
        assert_int_equal(r.ops->start(r.self, 0, one, 2, 0), 0);
        assert_int_equal(to_end(&r, 2), INTEGRATOR_STEP_TOO_SMALL);
        assert_near(r.ops->time(r.self), 1, s->error * 1e-6);
        assert_true(r.ops->statistics(r.self).rejected > 0);
        assert_stays(&r, INTEGRATOR_STEP_TOO_SMALL);
        finish(&r);

        begin(&ended, s, (ode){.size = 1, .f = decay}, 1e-6);
        assert_int_equal(ended.ops->start(ended.self, 0, one, 2, 0), 0);
        assert_int_equal(to_end(&ended, 2), -7);
        assert_stays(&ended, -7);
        ended.seen.bound = 2;
        assert_int_equal(ended.ops->start(ended.self, 0, one, 2, 0), -7);
        finish(&ended);
    }
}

static void refused_by_project(void **state) {
    for_subjects(s) {
        run r = {.seen = {.status = -9}};
        begin(&r, s, circle, 1e-6);
        assert_int_equal(r.ops->start(r.self, 0, right, 1, 0), 0);
        assert_int_equal(to_end(&r, 1), -9);
        assert_true(r.ops->time(r.self) == 0);
        r.seen.status = 1; // refuses always
        assert_int_equal(r.ops->start(r.self, 0, right, 1, 0), 0);
        assert_int_equal(to_end(&r, 1), INTEGRATOR_STEP_TOO_SMALL);
        assert_true(r.ops->time(r.self) == 0);
        finish(&r);
    }
}

static void not_finite(void **state) {
    for_subjects(s) {
        run r = {.seen = {.bound = 0.5}};
        begin(&r, s, (ode){.size = 1, .f = cut}, 1e-6);
        assert_int_equal(r.ops->start(r.self, 0, one, 1, 0), 0);
        assert_int_equal(to_end(&r, 1), INTEGRATOR_NOT_FINITE);
        assert_near(r.ops->time(r.self), 0.5, 1e-6);
        assert_stays(&r, INTEGRATOR_NOT_FINITE);
        assert_int_equal(r.ops->start(r.self, 0.7, one, 1, 0), INTEGRATOR_NOT_FINITE);
        finish(&r);
    }
}

// ---- accuracy

static void error_follows_the_tolerance(void **state) {
    for_subjects(s) for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
        run r = {0};
        begin(&r, s, circle, tolerance);
        assert_int_equal(r.ops->start(r.self, 0, right, 10, 0), 0);
        assert_int_equal(to_end(&r, 10), 0);
        assert_near(turning_error(10, r.ops->state(r.self)), 0, s->error * tolerance);
        finish(&r);
    }
}

static run_report *simulate(built *b, const subject *s, const char *given, double until, double tolerance) {
    *b = build(given);
    if (s->ops->implicit)
        assert_true(system_add_jacobian(b->sys));
    b->st = solve_new_state(b->arena, b->sys);
    run_options o = {.until = until, .every = until / 50, .tolerance = tolerance, .method = s->ops};
    run_report *report = run_simulation(b->arena, b->sys, b->st, &o);
    if (report->end != RUN_DONE)
        fail_msg("%s: %s", s->ops->name, report->failure.message);
    assert_true(report->time == until);
    assert_int_equal(report->samples, 51);
    for (int i = 0; i < b->sys->m; i++)
        assert_true(report->rows[i].worst <= report->rows[i].allowed);
    return report;
}

// a constrained pendulum against the same in its angle
static void pendulum(void **state) {
    built b;
    double angle = simulate(&b, all_subjects,
                            "coord a\ninitial a = 0\nkinetic a'^2/2\npotential 9.81*sin(a)\n", 3, 1e-13)
                       ->q[0];
    demolish(&b);
    for_subjects(s) {
        run_report *r = simulate(&b, s,
                                 "coord x, y\ninitial x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n",
                                 3, s->ops->order == 8 ? 1e-8 : 1e-10);
        assert_near(r->q[0], cos(angle), 1e-6);
        assert_near(r->q[1], sin(angle), 1e-6);
        assert_int_equal(r->warnings.count, 0);
        demolish(&b);
    }
}

/* The bob drags a mass by a stiff, damped spring, so that projection in the metric of the mass alone would
 * excite it at every step. */
static void stiff_pendulum(void **state) {
    const char *given = "coord x, y, u\ninitial x = 1, y = 0, u = 1\nkinetic (x'^2 + y'^2 + u'^2)/2\n"
                        "potential 9.81*y + 1e8/2*(u - x)^2\ndissipation 2e4/2*(u' - x')^2\n"
                        "constraint rod: x^2 + y^2 = 1\n";
    built b;
    run_report *explicit_ = simulate(&b, all_subjects, given, 2, 1e-6);
    long steps = explicit_->statistics.steps;
    double x = explicit_->q[0];
    assert_int_equal(explicit_->warnings.count, 1);
    assert_non_null(strstr(explicit_->warnings.at[0], "stiff"));
    demolish(&b);
    for_subjects(s) {
        if (!s->ops->implicit)
            continue;
        run_report *r = simulate(&b, s, given, 2, 1e-6);
        assert_true(10 * r->statistics.steps < steps);
        assert_near(r->q[0], x, 1e-3);
        assert_near(r->q[2], x, 1e-3);
        assert_int_equal(r->warnings.count, 0);
        demolish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lands_on_the_end),   cmocka_unit_test(interpolates),
        cmocka_unit_test(is_a_polynomial),    cmocka_unit_test(projects_every_step),
        cmocka_unit_test(passes_over),        cmocka_unit_test(counts),
        cmocka_unit_test(starts_again),       cmocka_unit_test(refused_by_f),
        cmocka_unit_test(refused_by_project), cmocka_unit_test(not_finite),
        cmocka_unit_test(pendulum),           cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(stiff_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
