/* Explicit Runge-Kutta methods: their tables (conditions of order, by rooted trees), convergence, dense
 * output, step control against published behaviour, and the contract of integrator.h. Every test runs on all
 * methods. */
#include "motion/rk.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    const integrator_ops *ops;
    const rk_method *method;
    int dense_order;                            // conditions met by the dense output
    int error_order[RK_ERRORS];                 // conditions met by the embedded methods
    int accepted, accepted_projected, rejected; // evaluations per step
    double eccentricity;                        // of the orbit, and steps of the first run: convergence shows
    int steps;                                  // over four halvings before rounding does (16^8 is 4e9)
} subject;

static const subject subjects[] = {{&integrator_rk8, &rk8_method, 7, {5, 3}, 12, 12, 11, 0, 4},
                                   {&integrator_rk5, &rk5_method, 4, {4, 0}, 6, 7, 6, 0.3, 64}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };
#define for_subjects(s) for (const subject *s = subjects; s < subjects + SUBJECTS; s++)

// ------------------------------------------------------------------------------------ conditions of order

/* Rooted trees with their elementary weights (HNW I, II.2): a tree's weight at stage i is the product over
 * its branches of sum_j a_ij (weight of the branch at j); b has order p if sum_i b_i weight_i = 1 / gamma for
 * all trees of up to p nodes, gamma being the product of the sizes of all subtrees. */
typedef struct {
    int order;
    double gamma;
    long double weight[RK_STAGES], inner[RK_STAGES]; // inner = a weight
} tree;

enum { TREES = 486 }; // of up to nine nodes: 1, 1, 2, 4, 9, 20, 48, 115, 286

typedef struct {
    const rk_method *method;
    int count;
    tree at[TREES];
} forest;

static void plant(forest *trees, int order, double gamma, const long double *weight) {
    tree *t = &trees->at[trees->count++];
    *t = (tree){.order = order, .gamma = gamma * order};
    for (int i = 0; i < RK_STAGES; i++) {
        t->weight[i] = weight[i];
        for (int j = 0; j < i; j++)
            t->inner[i] += trees->method->a[i][j] * weight[j];
    }
}

// all trees of an order: branches from number `first` on, with `left` nodes to give away
static void grow(forest *trees, int order, int first, int left, double gamma, const long double *weight) {
    if (left == 0) {
        plant(trees, order, gamma, weight);
        return;
    }
    for (int b = first, known = trees->count; b < known && trees->at[b].order <= left; b++) {
        long double product[RK_STAGES];
        for (int i = 0; i < RK_STAGES; i++)
            product[i] = weight[i] * trees->at[b].inner[i];
        grow(trees, order, b, left - trees->at[b].order, gamma * trees->at[b].gamma, product);
    }
}

static forest *all_trees(const rk_method *method) {
    static forest trees;
    trees = (forest){.method = method};
    long double one[RK_STAGES];
    for (int i = 0; i < RK_STAGES; i++)
        one[i] = 1;
    for (int order = 1; order <= 9; order++)
        grow(&trees, order, 0, order - 1, 1, one);
    assert_int_equal(trees.count, TREES);
    return &trees;
}

// largest |sum_i w_i weight_i - x^order / gamma| over the trees of an order; x = 0 for differences of methods
static double defect(const forest *trees, int order, const double *w, double x) {
    double worst = 0;
    for (int t = 0; t < trees->count; t++)
        if (trees->at[t].order == order) {
            long double sum = -powl(x, order) / trees->at[t].gamma;
            for (int i = 0; i < RK_STAGES; i++)
                sum += w[i] * trees->at[t].weight[i];
            worst = fmax(worst, fabs((double)sum));
        }
    return worst;
}

static void assert_order(const forest *trees, int order, const double *w, double x) {
    for (int p = 1; p <= order; p++)
        assert_true(defect(trees, p, w, x) < 2e-14); // entries of a reach 43, their rounding 4e-15
    assert_true(defect(trees, order + 1, w, x) > 1e-6);
}

// weight of each stage in the dense output at x
static void dense_weights(const rk_method *m, double x, double *w) {
    for (int i = 0; i < RK_STAGES; i++) {
        double F0 = m->a[m->stages][i], F1 = (i == 0) - F0, F2 = F0 - (i == m->stages) - F1, sum = 0;
        for (int k = m->terms - 1; k >= 0; k--)
            sum = (k % 2 ? x : 1 - x) * (sum + m->d[k][i]);
        w[i] = x * (F0 + (1 - x) * (F1 + x * (F2 + sum)));
    }
}

static void test_tables(void **state) {
    (void)state;
    for_subjects(s) {
        const rk_method *m = s->method;
        const double *b = m->a[m->stages];
        for (int i = 0; i <= m->stages + m->extra; i++) {
            long double sum = -(long double)m->c[i], size = 1;
            for (int j = 0; j < i; j++) {
                sum += m->a[i][j];
                size += fabs(m->a[i][j]);
            }
            assert_true(fabsl(sum) < 1e-16L * size);
        }
        for (int power = 0; power < s->method->order; power++) {
            long double sum = -1.0L / (power + 1);
            for (int i = 0; i < m->stages; i++)
                sum += b[i] * powl(m->c[i], power);
            assert_true(fabsl(sum) < 1e-15L);
        }
    }
}

static void test_conditions_of_order(void **state) {
    (void)state;
    for_subjects(s) {
        const forest *trees = all_trees(s->method);
        assert_order(trees, s->ops->order, s->method->a[s->method->stages], 1);
        for (int i = 0; i < s->method->errors; i++)
            assert_order(trees, s->error_order[i], s->method->e[i], 0);
        for (double x = 0.125; x < 1; x += 0.125) {
            double w[RK_STAGES];
            dense_weights(s->method, x, w);
            for (int p = 1; p <= s->dense_order; p++)
                assert_true(defect(trees, p, w, x) < 1e-12); // entries of d reach 528
            assert_true(defect(trees, s->dense_order + 1, w, x) > 1e-7);
        }
    }
}

// ----------------------------------------------------------------------------------------------- problems

typedef struct { // what a problem's f and project were asked
    long evaluations, projections;
    double latest;
    int refusals; // project: how often yet to refuse
    int f_status; // returned where f is out of bounds
    double bound; // of t or y, see the problem
    int size;
} record;

static void note(record *r, double t) {
    r->evaluations++;
    r->latest = fmax(r->latest, t);
}

static int kepler(void *context, double t, const double *y, double *dydt) {
    note(context, t);
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = -y[0] / r3;
    dydt[3] = -y[1] / r3;
    return 0;
}

static void kepler_exact(double e, double t, double *y) {
    double E = t, root = sqrt(1 - e * e);
    for (int i = 0; i < 50; i++)
        E -= (E - e * sin(E) - t) / (1 - e * cos(E));
    double rate = 1 / (1 - e * cos(E));
    memcpy(y, (double[]){cos(E) - e, root * sin(E), -sin(E) * rate, root * cos(E) * rate}, 4 * sizeof *y);
}

static int onto_energy(void *context, double t, double *y) { // velocity scaled to the energy -1/2
    (void)t;
    ((record *)context)->projections++;
    double scale = sqrt((2 / hypot(y[0], y[1]) - 1) / (y[2] * y[2] + y[3] * y[3]));
    y[2] *= scale;
    y[3] *= scale;
    return 0;
}

// Arenstorf's orbit (HNW I, II.0), period ARENSTORF_PERIOD
static const double ARENSTORF_START[] = {0.994, 0, 0, -2.00158510637908252240537862224};
static const double ARENSTORF_PERIOD = 17.0652165601579625588917206249;

static int arenstorf(void *context, double t, const double *y, double *dydt) {
    note(context, t);
    double mu = 0.012277471, nu = 1 - mu, x1 = y[0] + mu, x2 = y[0] - nu;
    double d1 = pow(x1 * x1 + y[1] * y[1], 1.5), d2 = pow(x2 * x2 + y[1] * y[1], 1.5);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = y[0] + 2 * y[3] - nu * x1 / d1 - mu * x2 / d2;
    dydt[3] = y[1] - 2 * y[2] - nu * y[1] / d1 - mu * y[1] / d2;
    return 0;
}

// on the unit circle with angle a, a' = 1 + cos(a) / 2: tan(a / 2) = sqrt(3) tan(sqrt(3) t / 4)
static int turning(void *context, double t, const double *y, double *dydt) {
    note(context, t);
    double rate = 1 + 0.5 * y[0];
    dydt[0] = -rate * y[1];
    dydt[1] = rate * y[0];
    return 0;
}

static void turning_exact(double t, double *y) {
    double half = sqrt(3) / 4 * t, x = cos(half), z = sqrt(3) * sin(half), r2 = x * x + z * z;
    y[0] = (x * x - z * z) / r2;
    y[1] = 2 * x * z / r2;
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
    return r->f_status;
}

static int bell(void *context, double t, const double *y, double *dydt) { // 1 / (1 + t^2), in each component
    note(context, t);
    for (int i = 0; i < ((record *)context)->size; i++)
        dydt[i] = -2 * t * y[i] * y[i];
    return 0;
}

static int square(void *context, double t, const double *y, double *dydt) { // 1 / (1 - t): ends at 1
    note(context, t);
    dydt[0] = y[0] * y[0];
    return 0;
}

static int decay(void *context, double t, const double *y, double *dydt) { // refuses y < bound
    record *r = context;
    note(r, t);
    dydt[0] = -y[0];
    return y[0] < r->bound ? r->f_status : 0;
}

static int cut(void *context, double t, const double *y, double *dydt) { // not a number after t = bound
    record *r = context;
    note(r, t);
    dydt[0] = t > r->bound ? NAN : -y[0];
    return 0;
}

static int cubic(void *context, double t, const double *y, double *dydt) { // 0 at first
    (void)y;
    note(context, t);
    dydt[0] = 4 * t * t * t;
    return 0;
}

static int rest(void *context, double t, const double *y, double *dydt) {
    (void)y;
    note(context, t);
    dydt[0] = 0;
    return 0;
}

// an integrator on its own arena, freed by finish
typedef struct {
    arena *memory;
    integrator *self;
    const integrator_ops *ops;
    record seen;
} run;

static void begin(run *r, const subject *s, ode system, double tolerance) {
    r->memory = arena_new(0);
    assert_non_null(r->memory);
    system.context = &r->seen;
    r->ops = s->ops;
    r->self = s->ops->create(r->memory, &system, tolerance);
}

static int to_end(run *r, double end) {
    int status = 0;
    for (int i = 0; i < 100000 && status == 0 && r->ops->time(r->self) < end; i++)
        status = r->ops->step(r->self);
    return status;
}

static double distance(const double *a, const double *b, int size) {
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// ------------------------------------------------------------------------------------------- convergence

enum { HALVINGS = 4 };

static double slope(const double *error) { // least squares of log2 error over the halvings of h
    double sum = 0, squares = 0;
    for (int i = 0; i <= HALVINGS; i++) {
        double x = i - HALVINGS / 2.0;
        sum -= x * log2(error[i]);
        squares += x * x;
    }
    return sum / squares;
}

// errors of fixed steps at the end and, largest over all steps, of the dense output
static void kepler_errors(const subject *s, ode system, int steps, double *at_end, double *inside) {
    run r = {0};
    double end = 6, h = end / steps, exact[4], y[4];
    begin(&r, s, system, 1e-9);
    kepler_exact(s->eccentricity, 0, y);
    assert_int_equal(s->ops->start(r.self, 0, y, end, h), 0);
    *inside = 0;
    for (int i = 0; i < steps; i++) {
        assert_int_equal(rk_fixed_step(r.self, h), 0);
        for (double x = 0.1; x < 1; x += 0.2) {
            double t = (i + x) * h;
            assert_int_equal(s->ops->interpolate(r.self, t, y), 0);
            kepler_exact(s->eccentricity, t, exact);
            *inside = fmax(*inside, distance(y, exact, 4));
        }
    }
    kepler_exact(s->eccentricity, end, exact);
    *at_end = distance(s->ops->state(r.self), exact, 4);
    assert_int_equal(r.seen.projections, system.project ? steps : 0);
    arena_free(r.memory);
}

/* A dense output that meets the conditions of order p errs by h^(p+1) inside one step; over many steps this
 * is seen beside the error h^q that the steps have gathered: 8 for order 8, 5 for order 5. */
static void check_convergence(ode system) {
    for_subjects(s) {
        double at_end[HALVINGS + 1], inside[HALVINGS + 1];
        for (int i = 0; i <= HALVINGS; i++)
            kepler_errors(s, system, s->steps << i, &at_end[i], &inside[i]);
        print_message("%s%s: order %.2f, dense output %.2f\n", s->ops->name,
                      system.project ? " with projection" : "", slope(at_end), slope(inside));
        assert_true(slope(at_end) > s->ops->order - 0.3 && slope(inside) > s->dense_order + 1 - 0.3);
        if (system.project == NULL) // projection can take the leading error away
            assert_true(slope(at_end) < s->ops->order + 0.3 && slope(inside) < s->dense_order + 1 + 0.3);
    }
}

/* Inside one step from the exact state. The dense output of the method's own has an error of h^(p+1), p = 7
 * and 4; with its defect taken away it has that of the step, h^(p+2). */
static double error_inside(const subject *s, double from, double h) {
    run r = {0};
    double y[4], exact[4], worst = 0;
    begin(&r, s, (ode){.size = 4, .f = kepler}, 1e-18); // no defect is small
    kepler_exact(0.3, from, y);
    assert_int_equal(s->ops->start(r.self, from, y, from + 6, h), 0);
    assert_int_equal(rk_fixed_step(r.self, h), 0);
    for (double x = 0.05; x < 1; x += 0.1) {
        assert_int_equal(s->ops->interpolate(r.self, from + x * h, y), 0);
        kepler_exact(0.3, from + x * h, exact);
        worst = fmax(worst, distance(y, exact, 4));
    }
    arena_free(r.memory);
    return worst;
}

static void test_local_order_inside(void **state) {
    (void)state;
    for_subjects(s) {
        double sum = 0, h = s->method->order == 8 ? 0.6 : 0.1;
        for (int i = 0; i < 8; i++)
            sum += log2(error_inside(s, 0.7 * i, h) / error_inside(s, 0.7 * i, h / 2)) / 8;
        print_message("%s: local order inside a step %.2f\n", s->ops->name, sum);
        assert_true(fabs(sum - (s->method->order + 1)) < 0.3);
    }
}

static void test_convergence(void **state) {
    (void)state;
    check_convergence((ode){.size = 4, .f = kepler});
}

static void test_convergence_with_projection(void **state) {
    (void)state;
    check_convergence((ode){.size = 4, .f = kepler, .project = onto_energy});
}

// projection takes the error in radius away; that of the angle keeps its order at least
static void test_rotation_with_projection(void **state) {
    (void)state;
    for_subjects(s) {
        double error[HALVINGS + 1], exact[2], end = 10;
        turning_exact(end, exact);
        for (int i = 0; i <= HALVINGS; i++) {
            run r = {0};
            int steps = 8 << i;
            begin(&r, s, (ode){.size = 2, .f = turning, .project = onto_circle}, 1e-9);
            s->ops->start(r.self, 0, (double[]){1, 0}, end, end / steps);
            for (int k = 0; k < steps; k++)
                assert_int_equal(rk_fixed_step(r.self, end / steps), 0);
            error[i] = distance(s->ops->state(r.self), exact, 2);
            assert_int_equal(r.seen.projections, steps);
            assert_int_equal(r.seen.evaluations, 1 + steps * s->accepted_projected);
            arena_free(r.memory);
        }
        print_message("%s: order %.2f projected onto the circle\n", s->ops->name, slope(error));
        assert_true(slope(error) > s->ops->order - 0.3);
    }
}

// e = 0.6, two orbits: the error is 4 to 1000 times the tolerance and follows it
static void test_error_follows_tolerance(void **state) {
    (void)state;
    for_subjects(s) {
        double ratio_least = INFINITY, ratio_most = 0;
        for (double tolerance = 1e-6; tolerance > 0.9e-12; tolerance *= 0.1) {
            run r = {0};
            double y[4], exact[4], end = 4 * acos(-1);
            begin(&r, s, (ode){.size = 4, .f = kepler}, tolerance);
            kepler_exact(0.6, 0, y);
            s->ops->start(r.self, 0, y, end, 0);
            assert_int_equal(to_end(&r, end), 0);
            kepler_exact(0.6, end, exact);
            double ratio = distance(s->ops->state(r.self), exact, 4) / tolerance;
            ratio_least = fmin(ratio_least, ratio);
            ratio_most = fmax(ratio_most, ratio);
            arena_free(r.memory);
        }
        print_message("%s: error / tolerance %.0f to %.0f\n", s->ops->name, ratio_least, ratio_most);
        assert_true(ratio_most < 3000 && ratio_least > 1);
    }
}

/* Steps and evaluations of SciPy 1.10.1, solve_ivp with DOP853 or RK45, rtol = atol = tolerance, on ten
 * orbits of the Kepler problem with e = 0.6 and one of Arenstorf's: the same formulas and initial step, but
 * no PI control, one evaluation more for a rejected step of order 8, and a larger part of the step that the
 * error calls for, 0.9. */
typedef struct {
    int subject, steps, evaluations;
    double tolerance;
} published;

static void compare(ode system, const double *y, double end, const published *cases, int count) {
    for (const published *c = cases; c < cases + count; c++) {
        const subject *s = &subjects[c->subject];
        run r = {0};
        begin(&r, s, system, c->tolerance);
        s->ops->start(r.self, 0, y, end, 0);
        assert_int_equal(to_end(&r, end), 0);
        integrator_statistics n = s->ops->statistics(r.self);
        print_message("%s %.0e: steps %ld (SciPy %d), rejected %ld, evaluations %ld (SciPy %d)\n",
                      s->ops->name, c->tolerance, n.steps, c->steps, n.rejected, n.evaluations,
                      c->evaluations);
        assert_true(n.steps > 0.9 * c->steps && n.steps < 1.2 * c->steps);
        assert_true(n.evaluations < 1.05 * c->evaluations && n.evaluations > 0.75 * c->evaluations);
        arena_free(r.memory);
    }
}

static void test_published_behaviour(void **state) {
    (void)state;
    static const published on_kepler[] = {{0, 146, 2450, 1e-6},
                                          {0, 305, 5138, 1e-9},
                                          {0, 669, 9470, 1e-12},
                                          {1, 311, 2510, 1e-6},
                                          {1, 1167, 7004, 1e-9}};
    static const published on_arenstorf[] = {{0, 66, 1070, 1e-6},
                                             {0, 136, 2234, 1e-9},
                                             {0, 298, 4286, 1e-12},
                                             {1, 132, 1004, 1e-6},
                                             {1, 501, 3056, 1e-9}};
    double y[4];
    kepler_exact(0.6, 0, y);
    compare((ode){.size = 4, .f = kepler}, y, 20 * acos(-1), on_kepler, 5);
    compare((ode){.size = 4, .f = arenstorf}, ARENSTORF_START, ARENSTORF_PERIOD, on_arenstorf, 5);
}

// ---------------------------------------------------------------------------------------------- contract

static void test_counts(void **state) {
    (void)state;
    for_subjects(s) for (int projected = 0; projected < 2; projected++) {
        run r = {0};
        begin(&r, s, (ode){.size = 2, .f = turning, .project = projected ? onto_circle : NULL}, 1e-7);
        size_t used = arena_used(r.memory);
        s->ops->start(r.self, 0, (double[]){1, 0}, 20, 0);
        assert_int_equal(r.seen.evaluations, 2);
        assert_int_equal(to_end(&r, 20), 0);
        integrator_statistics n = s->ops->statistics(r.self);
        assert_int_equal(n.evaluations, r.seen.evaluations);
        long accepted = projected ? s->accepted_projected : s->accepted;
        assert_int_equal(n.evaluations, 2 + n.steps * accepted + n.rejected * s->rejected);
        assert_int_equal(r.seen.projections, projected ? n.steps : 0);
        assert_true(n.rejected > 0 && n.smallest_step > 0 && n.smallest_step <= n.last_step);
        assert_int_equal(arena_used(r.memory), used);
        arena_free(r.memory);
    }
}

static void test_interpolation(void **state) {
    (void)state;
    for_subjects(s) {
        run r = {0};
        double y[2], before[2], t0, t1;
        begin(&r, s, (ode){.size = 2, .f = turning, .project = onto_circle}, 1e-9);
        s->ops->start(r.self, 0, (double[]){1, 0}, 5, 0);
        assert_int_equal(s->ops->interpolate(r.self, 0, y), 0); // before the first step: its beginning only
        assert_int_equal(s->ops->interpolate(r.self, 0.01, y), INTEGRATOR_OUTSIDE_STEP);
        while ((t0 = s->ops->time(r.self)) < 5) {
            memcpy(before, s->ops->state(r.self), sizeof before);
            assert_int_equal(s->ops->step(r.self), 0);
            t1 = s->ops->time(r.self);
            long evaluations = r.seen.evaluations;
            assert_int_equal(s->ops->interpolate(r.self, t0, y), 0);
            assert_memory_equal(y, before, sizeof y);
            assert_int_equal(s->ops->interpolate(r.self, t1, y), 0);
            assert_memory_equal(y, s->ops->state(r.self), sizeof y);
            assert_int_equal(r.seen.evaluations, evaluations);
            for (double x = 0.25; x < 1; x += 0.25) {
                double t = t0 + x * (t1 - t0), exact[2];
                turning_exact(t, exact);
                assert_int_equal(s->ops->interpolate(r.self, t, y), 0);
                assert_true(distance(y, exact, 2) < 1e-7);
            }
            long more = r.seen.evaluations - evaluations - s->method->extra;
            assert_true(more == s->method->terms || (more == 1 && s->method->small > 0));
            assert_int_equal(s->ops->interpolate(r.self, nextafter(t1, 9), y), INTEGRATOR_OUTSIDE_STEP);
            assert_int_equal(s->ops->interpolate(r.self, NAN, y), INTEGRATOR_OUTSIDE_STEP);
        }
        arena_free(r.memory);
    }
}

static void test_lands_on_end(void **state) {
    (void)state;
    for_subjects(s) for (int i = 0; i < 200; i++) {
        run r = {0};
        double begin_at = i % 3 * 1000.1, end = begin_at + 0.1 + 0.037 * i, previous = 0;
        begin(&r, s, (ode){.size = 2, .f = turning}, 1e-8);
        s->ops->start(r.self, begin_at, (double[]){1, 0}, end, 0);
        while (s->ops->time(r.self) < end) {
            previous = s->ops->statistics(r.self).last_step;
            assert_int_equal(s->ops->step(r.self), 0);
        }
        assert_true(s->ops->time(r.self) == end && r.seen.latest <= end);
        assert_true(s->ops->statistics(r.self).last_step > 0.15 * previous); // not a tiny one
        long steps = s->ops->statistics(r.self).steps;
        assert_int_equal(s->ops->step(r.self), 0); // nothing left to do
        assert_int_equal(s->ops->statistics(r.self).steps, steps);
        arena_free(r.memory);
    }
}

static void test_short_span_far_from_zero(void **state) {
    (void)state;
    for_subjects(s) {
        run r = {0};
        double end = nextafter(nextafter(1e6, 1e7), 1e7);
        begin(&r, s, (ode){.size = 2, .f = turning}, 1e-8);
        s->ops->start(r.self, 1e6, (double[]){1, 0}, end, 0);
        assert_int_equal(to_end(&r, end), 0);
        assert_true(s->ops->time(r.self) == end);
        arena_free(r.memory);
    }
}

static void test_zero_slope(void **state) {
    (void)state;
    for_subjects(s) {
        for (double end = 1e-9; end < 1e10; end *= 1e3) {
            run r = {0}, still = {0};
            begin(&r, s, (ode){.size = 1, .f = cubic}, 1e-8);
            s->ops->start(r.self, 0, (double[]){0}, end, 0);
            assert_int_equal(to_end(&r, end), 0);
            assert_true(fabs(s->ops->state(r.self)[0] - pow(end, 4)) <= 1e-8 * (1 + pow(end, 4)));
            arena_free(r.memory);
            begin(&still, s, (ode){.size = 1, .f = rest}, 1e-8);
            s->ops->start(still.self, 0, (double[]){7}, end, 0);
            assert_int_equal(to_end(&still, end), 0);
            assert_true(s->ops->state(still.self)[0] == 7);
            assert_true(s->ops->statistics(still.self).steps < 20);
            arena_free(still.memory);
        }
    }
}

static void test_every_size(void **state) { // padding must not show
    (void)state;
    for_subjects(s) {
        double one = 0, y[40], inside[40];
        for (int i = 0; i < 40; i++)
            y[i] = 1;
        for (int size = 0; size <= 40; size++) {
            run r = {.seen.size = size};
            begin(&r, s, (ode){.size = size, .f = bell}, 1e-9);
            assert_int_equal(s->ops->start(r.self, 0, y, 3, 0), 0);
            for (int i = 0; i < 8; i++)
                assert_int_equal(rk_fixed_step(r.self, 0.25), 0);
            assert_int_equal(s->ops->interpolate(r.self, 1.9, inside), 0);
            if (size == 1)
                one = inside[0];
            for (int i = 0; i < size; i++)
                assert_true(inside[i] == one);
            assert_int_equal(to_end(&r, 3), 0);
            for (int i = 0; i < size; i++)
                assert_true(fabs(s->ops->state(r.self)[i] - 0.1) < 1e-4);
            arena_free(r.memory);
        }
    }
}

static void test_restart(void **state) {
    (void)state;
    for_subjects(s) {
        run r = {0};
        begin(&r, s, (ode){.size = 2, .f = turning}, 1e-9);
        s->ops->start(r.self, 0, (double[]){1, 0}, 2, 0);
        assert_int_equal(to_end(&r, 2), 0);
        integrator_statistics first = s->ops->statistics(r.self);
        assert_int_equal(s->ops->start(r.self, 2, s->ops->state(r.self), 3, 0.01), 0);
        assert_int_equal(s->ops->statistics(r.self).evaluations, first.evaluations + 1);
        assert_int_equal(s->ops->statistics(r.self).steps, first.steps);
        assert_int_equal(s->ops->step(r.self), 0);
        assert_true(fabs(s->ops->time(r.self) - 2.01) < 1e-12);
        assert_int_equal(to_end(&r, 3), 0);
        double exact[2];
        turning_exact(3, exact);
        assert_true(distance(s->ops->state(r.self), exact, 2) < 1e-7);
        arena_free(r.memory);
    }
}

// ---------------------------------------------------------------------------------------------- failures

static void test_refusals(void **state) {
    (void)state;
    for_subjects(s) {
        run r = {
            .seen = {.f_status = 1, .bound = 0}}; // stages of too long a step are below 0: go on, shorter
        begin(&r, s, (ode){.size = 1, .f = decay}, 1e-6);
        s->ops->start(r.self, 0, (double[]){1}, 5, 5);
        assert_int_equal(to_end(&r, 5), 0);
        assert_true(s->ops->statistics(r.self).rejected > 0);
        assert_true(fabs(s->ops->state(r.self)[0] - exp(-5)) < 1e-5);
        arena_free(r.memory);

        run wall = {.seen = {.f_status = 1, .bound = 0.5}}; // no way past y = 1/2
        begin(&wall, s, (ode){.size = 1, .f = decay}, 1e-6);
        s->ops->start(wall.self, 0, (double[]){1}, 5, 0);
        assert_int_equal(to_end(&wall, 5), INTEGRATOR_STEP_TOO_SMALL);
        assert_true(fabs(s->ops->time(wall.self) - log(2)) < 1e-5 && s->ops->state(wall.self)[0] >= 0.5);
        arena_free(wall.memory);

        run project = {.seen.refusals = 3};
        begin(&project, s, (ode){.size = 2, .f = turning, .project = onto_circle}, 1e-6);
        s->ops->start(project.self, 0, (double[]){1, 0}, 1, 0.01);
        assert_int_equal(s->ops->step(project.self), 0);
        assert_int_equal(s->ops->statistics(project.self).rejected, 3);
        assert_true(fabs(s->ops->time(project.self) - 0.01 / 64) < 1e-12);
        arena_free(project.memory);
    }
}

static void test_negative_status_is_handed_on(void **state) {
    (void)state;
    for_subjects(s) {
        run r = {.seen = {.f_status = -7, .bound = 0.5}};
        begin(&r, s, (ode){.size = 1, .f = decay}, 1e-6);
        s->ops->start(r.self, 0, (double[]){1}, 5, 0.01);
        assert_int_equal(s->ops->step(r.self), 0);
        assert_int_equal(to_end(&r, 5), -7);
        double t = s->ops->time(r.self), y = s->ops->state(r.self)[0], copy;
        assert_true(fabs(y - exp(-t)) < 1e-5 && y >= 0.5);
        assert_int_equal(s->ops->interpolate(r.self, t, &copy), 0);
        assert_true(copy == y);
        r.seen.f_status = 0; // the obstacle is gone: the run can go on
        assert_int_equal(to_end(&r, 5), 0);
        assert_true(fabs(s->ops->state(r.self)[0] - exp(-5)) < 1e-5);
        r.seen.f_status = -9;
        assert_int_equal(s->ops->start(r.self, 0, (double[]){0.1}, 5, 0), -9);
        arena_free(r.memory);

        run project = {.seen.f_status = -8};
        begin(&project, s, (ode){.size = 2, .f = turning, .project = onto_circle}, 1e-6);
        s->ops->start(project.self, 0, (double[]){1, 0}, 1, 0);
        assert_int_equal(s->ops->step(project.self), -8);
        assert_true(s->ops->time(project.self) == 0 && s->ops->state(project.self)[0] == 1);
        arena_free(project.memory);
    }
}

static void test_not_finite(void **state) {
    (void)state;
    for_subjects(s) {
        run r = {0};
        begin(&r, s, (ode){.size = 1, .f = square}, 1e-8);
        s->ops->start(r.self, 0, (double[]){1}, 2, 0);
        assert_true(to_end(&r, 2) < 0);
        assert_true(fabs(s->ops->time(r.self) - 1) < 1e-6 && isfinite(s->ops->state(r.self)[0]));
        arena_free(r.memory);

        run ends = {.seen.bound = 1};
        begin(&ends, s, (ode){.size = 1, .f = cut}, 1e-8);
        s->ops->start(ends.self, 0, (double[]){1}, 2, 0);
        assert_int_equal(to_end(&ends, 2), INTEGRATOR_NOT_FINITE);
        assert_true(s->ops->time(ends.self) <= 1 && s->ops->time(ends.self) > 1 - 1e-6);
        assert_true(fabs(s->ops->state(ends.self)[0] - exp(-s->ops->time(ends.self))) < 1e-7);
        assert_int_equal(s->ops->start(ends.self, 1.5, (double[]){1}, 2, 0), INTEGRATOR_NOT_FINITE);
        arena_free(ends.memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_conditions_of_order),
        cmocka_unit_test(test_local_order_inside),
        cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_convergence_with_projection),
        cmocka_unit_test(test_rotation_with_projection),
        cmocka_unit_test(test_error_follows_tolerance),
        cmocka_unit_test(test_published_behaviour),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_interpolation),
        cmocka_unit_test(test_lands_on_end),
        cmocka_unit_test(test_short_span_far_from_zero),
        cmocka_unit_test(test_zero_slope),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_negative_status_is_handed_on),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
