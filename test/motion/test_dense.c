/* How good the dense output is: the state within a step against the motion from the step's own beginning, by
 * rk8 at a far smaller tolerance; both as root of the mean square, in tolerances, as the error of a step is
 * measured. `test_motion_dense table` prints what docs/theory.md shows. */
#include "base/file.h"
#include "motion/assemble.h"
#include "motion/run.h"
#include "solve/solve.h"

#include "support/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 4, STEPS_MOST = 200 };

static const struct {
    const char *path;
    double until;
} subjects[] = {{"models/classics/double-pendulum.tram", 3},
                {"models/benchmarks/andrews.tram", 0.01},
                {"models/benchmarks/car-axis.tram", 0.5},
                {"models/benchmarks/heavy-top.tram", 0.5}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* What is asserted: errors inside, in tolerances. Measured 2.2,
 * 0.9, 2.2 and 2.3 at most. */
static const struct {
    const integrator_ops *method;
    double most;
} methods[] = {{&integrator_rk8, 4}, {&integrator_rk5, 2}, {&integrator_bdf, 6}, {&integrator_adams, 6}};
enum { METHODS = sizeof methods / sizeof *methods };

static const double tolerances[] = {1e-6, 1e-9, 1e-12};

static bool there(const integrator_ops *method) {
    const char *hint;
    return method->missing == NULL || method->missing(&hint) == NULL;
}

static int evaluate(void *context, double t, const double *y, double *dydt) {
    built *b = context;
    size_t n = (size_t)b->sys->n;
    if (solve_acceleration(b->sys, b->st, t, y, y + n).status != SOLVE_OK)
        return 1;
    memcpy(dydt, y + n, n * sizeof *y);
    memcpy(dydt + n, state_look(b->st)->qdd, n * sizeof *y);
    return 0;
}

typedef struct {
    ode system;
    integrator *reference;
    double tolerance, *at, *from;
    double inside[STEPS_MOST], end; // largest of each step; of all ends
    int steps;
} measuring;

static double size(const measuring *m, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < m->system.size; i++) {
        double part = (a[i] - b[i]) / (m->tolerance * (1 + fabs(b[i])));
        sum += part * part;
    }
    return sqrt(sum / m->system.size);
}

// the motion from `from` at t to `to`, exact
static const double *exact(measuring *m, double t, double to) {
    const integrator_ops *rk8 = &integrator_rk8;
    assert_int_equal(rk8->start(m->reference, t, m->from, to, 0), 0);
    while (rk8->time(m->reference) < to)
        assert_int_equal(rk8->step(m->reference), 0);
    return rk8->state(m->reference);
}

static void measure_step(measuring *m, const integrator_ops *method, integrator *it, double before) {
    double end = method->time(it), worst = 0;
    for (int k = 1; k < PLACES; k++) {
        double t = before + (end - before) * k / PLACES;
        assert_int_equal(method->interpolate(it, t, m->at), 0);
        worst = fmax(worst, size(m, m->at, exact(m, before, t)));
    }
    m->inside[m->steps++] = worst;
    m->end = fmax(m->end, size(m, method->state(it), exact(m, before, end)));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int subject, const integrator_ops *method, double tolerance, measuring *m) {
    arena *texts = arena_new(0);
    const char *why;
    const source *given = file_read(texts, subjects[subject].path, &why);
    assert_non_null(given);
    built b = build(given->text);
    size_t size = 2 * (size_t)b.sys->n;
    start_state start = {0};
    failure wrong = {0};
    assert_true(assemble(b.arena, b.sys, b.st, 0, tolerance, &start, &wrong));
    *m = (measuring){.system = {.size = (int)size, .f = evaluate, .context = &b}, .tolerance = tolerance};
    m->at = arena_doubles(b.arena, size);
    m->from = arena_doubles(b.arena, size);
    m->reference = integrator_rk8.create(b.arena, &m->system, fmax(1e-3 * tolerance, 1e-14));
    memcpy(m->from, start.q, size / 2 * sizeof(double));
    memcpy(m->from + size / 2, start.v, size / 2 * sizeof(double));
    integrator *it = method->create(b.arena, &m->system, tolerance);
    assert_int_equal(method->start(it, 0, m->from, subjects[subject].until, 0), 0);
    while (method->time(it) < subjects[subject].until && m->steps < STEPS_MOST) {
        double before = method->time(it);
        assert_int_equal(method->step(it), 0);
        measure_step(m, method, it, before);
        memcpy(m->from, method->state(it), size * sizeof(double));
    }
    qsort(m->inside, (size_t)m->steps, sizeof(double), ascending);
    demolish(&b);
    arena_free(texts);
}

// largest of all subjects: median and largest inside, largest at the end
static void worst_of_all(const integrator_ops *method, double tolerance, double *found) {
    static measuring m;
    memset(found, 0, 3 * sizeof *found);
    for (int i = 0; i < SUBJECTS; i++) {
        measure(i, method, tolerance, &m);
        found[0] = fmax(found[0], m.inside[m.steps / 2]);
        found[1] = fmax(found[1], m.inside[m.steps - 1]);
        found[2] = fmax(found[2], m.end);
    }
}

static void inside_as_at_the_end(void **state) {
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 3 && there(methods[i].method); k++) {
            double found[3];
            worst_of_all(methods[i].method, tolerances[k], found);
            if (!(found[1] <= methods[i].most))
                fail_msg("%s at %g: %g tolerances inside, %g at the end", methods[i].method->name,
                         tolerances[k], found[1], found[2]);
        }
}

static void print_table(void) {
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 3 && there(methods[i].method); k++) {
            double found[3];
            worst_of_all(methods[i].method, tolerances[k], found);
            printf("%-6s %g: inside median %.2g, most %.2g; end most %.2g\n", methods[i].method->name,
                   tolerances[k], found[0], found[1], found[2]);
            fflush(stdout);
        }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inside_as_at_the_end)};
    if (argc > 1 && strcmp(argv[1], "table") == 0) {
        print_table();
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
