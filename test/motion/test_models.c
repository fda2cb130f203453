/* The shipped models from the inside: both ways of evaluation agree, a long chain costs memory in proportion
 * to its length, and integration with projection keeps its order. */
#include "base/file.h"
#include "motion/assemble.h"
#include "motion/project.h"
#include "motion/rk.h"
#include "support/build.h"

#include <glob.h>
#include <math.h>

static const char *read_text(arena *a, const char *path) {
    const char *why = NULL;
    const source *s = file_read(a, path, &why);
    if (s == NULL)
        fail_msg("%s: %s", path, why);
    return s->text;
}

static void start(const built *b, double tolerance, start_state *s) {
    failure f = {0};
    if (!assemble(b->arena, b->sys, b->st, 0, tolerance, s, &f))
        fail_msg("%s", f.message);
}

// with `frozen` given (and empty) a state may start far off: it is brought back as assembly does it
static bool project_both(const built *b, double t, double *q, double *v, double tolerance,
                         const bool *frozen) {
    return project_position(b->sys, b->st, t, q, tolerance, frozen).held &&
           project_velocity(b->sys, b->st, t, q, v, tolerance).held;
}

// ------------------------------------------------------------------------------------ two ways of evaluation

enum { DISTURBANCES = 8 };
static const double ROUNDING = 1e-12;
static const double CUT = 1e-6; // as in a run: below it rows count as dependent

static double largest_of(const double *x, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

// to rounding, relative to what the array holds or to `size`, if that is more
static void same_array(const char *path, const char *what, const double *a, const double *b, int count,
                       double size) {
    size = fmax(size, largest_of(b, count));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= ROUNDING * size))
            fail_msg("%s: %s[%d] is %.17g fused, %.17g assembled", path, what, i, a[i], b[i]);
}

// to what two methods leave of each other: where a state is on its constraints to 1e-12 only, dependent rows
// are so to that, and multipliers depend on which of them was dropped
static void close_array(const char *name, const char *what, const double *a, const double *b, int count,
                        double size, double tolerance) {
    size = fmax(size, largest_of(b, count));
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * size))
            fail_msg("%s: %s[%d] is %.17g sparse, %.17g dense", name, what, i, a[i], b[i]);
}

static void evaluate(const built *b, double t, const double *q, const double *v) {
    assert_int_equal(solve_acceleration(b->sys, b->st, t, q, v).status, SOLVE_OK);
    solve_forces(b->sys, b->st);
    state_run(b->sys, b->st, STAGE_RESIDUAL);
    state_run(b->sys, b->st, STAGE_ENERGY);
    solve_results(b->sys, b->st);
    state_run(b->sys, b->st, STAGE_OUTPUT);
}

static void same_results(const char *path, const built *fused, const built *assembled) {
    const trm_state *f = fused->st, *a = assembled->st;
    int n = fused->sys->n, m = fused->sys->m;
    double force = largest_of(a->Q, n) + largest_of(a->reaction, n); // reactions may cancel
    same_array(path, "M", f->M, a->M, sparsity_entries(fused->sys->M), 0);
    same_array(path, "Q", f->Q, a->Q, n, 0);
    same_array(path, "A", f->A, a->A, sparsity_entries(fused->sys->A), 0);
    same_array(path, "b", f->b, a->b, m, 0);
    same_array(path, "q''", f->qdd, a->qdd, n, 0);
    same_array(path, "reaction", f->reaction, a->reaction, n, force);
    same_array(path, "control", f->control, a->control, n, force);
    same_array(path, "multiplier", f->multiplier, a->multiplier, m, 0);
    same_array(path, "residual", f->y[STAGE_RESIDUAL], a->y[STAGE_RESIDUAL], 2 * m, 1);
    same_array(path, "energy", f->y[STAGE_ENERGY], a->y[STAGE_ENERGY], 3, 0);
    same_array(path, "output", f->y[STAGE_OUTPUT], a->y[STAGE_OUTPUT], fused->model->outputs.count, 0);
    assert_int_equal(f->found.rank, a->found.rank);
}

// numbers in (-1, 1) that are the same in every run
static double disturbance(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 2147483648.0 - 1;
}

/* At the start and at states about it. These are projected, since rows that depend on each other do so on the
 * constraints only: nearby they are almost dependent, and no two ways agree to rounding. */
static void both_ways(const char *path) {
    arena *texts = arena_new(0);
    const char *given = read_text(texts, path);
    built fused = build_file(path, given, EVALUATE_FUSED),
          assembled = build_file(path, given, EVALUATE_ASSEMBLED);
    assert_true(fused.sys->fused);
    assert_false(assembled.sys->fused);
    fused.st->cut = assembled.st->cut = CUT;
    int n = fused.sys->n;
    bool *nothing = arena_array(texts, bool, n);
    start_state s;
    start(&fused, 1e-12, &s);
    evaluate(&fused, 0, s.q, s.v);
    evaluate(&assembled, 0, s.q, s.v);
    same_results(path, &fused, &assembled);
    double *q = arena_doubles(texts, (size_t)n), *v = arena_doubles(texts, (size_t)n);
    unsigned seed = 1;
    for (int k = 0; k < DISTURBANCES; k++) {
        double t = 0.1 * k;
        for (int i = 0; i < n; i++) {
            q[i] = s.q[i] + 0.1 * disturbance(&seed);
            v[i] = s.v[i] + disturbance(&seed);
        }
        bool projected = project_both(&fused, t, q, v, 1e-12, nothing);
        if (!projected) { // overconstrained, or driven: near the start only
            memcpy(q, s.q, (size_t)n * sizeof *q);
            projected = project_both(&fused, 0, q, v, 1e-12, nothing);
            t = 0;
        }
        if (!projected)
            fail_msg("%s: disturbance %d cannot be projected", path, k);
        evaluate(&fused, t, q, v);
        evaluate(&assembled, t, q, v);
        same_results(path, &fused, &assembled);
    }
    demolish(&fused);
    demolish(&assembled);
    arena_free(texts);
}

/* As above, with full matrices and with their entries only: the same rank, accelerations, forces, multipliers
 * of least norm. */
static void both_solvers(const char *name, const char *given) {
    built full = build_file(name, given, EVALUATE_ASSEMBLED),
          few = build_file(name, given, EVALUATE_ASSEMBLED);
    arena *own = arena_new(0);
    full.sys->solver = SOLVER_DENSE;
    few.sys->solver = SOLVER_SPARSE;
    full.st = solve_new_state(own, full.sys);
    few.st = solve_new_state(own, few.sys);
    full.st->cut = few.st->cut = CUT;
    int n = full.sys->n;
    bool *nothing = arena_array(own, bool, n);
    start_state s;
    start(&full, 1e-12, &s);
    double *q = arena_doubles(own, (size_t)n), *v = arena_doubles(own, (size_t)n);
    unsigned seed = 1;
    int compared = 0;
    for (int k = 0; k < DISTURBANCES; k++) {
        for (int i = 0; i < n; i++) {
            q[i] = s.q[i] + 0.1 * disturbance(&seed);
            v[i] = s.v[i] + disturbance(&seed);
        }
        if (!project_both(&full, 0.1 * k, q, v, 1e-12, nothing))
            continue; // too far off
        compared++;
        evaluate(&full, 0.1 * k, q, v);
        evaluate(&few, 0.1 * k, q, v);
        double force = largest_of(full.st->Q, n) + largest_of(full.st->reaction, n);
        assert_int_equal(full.st->found.rank, few.st->found.rank);
        // where everything is driven, and stands, q'' is rounding beside what the forces would give
        double usual = solve_usual_acceleration(full.sys, full.st);
        close_array(name, "q''", few.st->qdd, full.st->qdd, n, usual, 1e-10);
        close_array(name, "reaction", few.st->reaction, full.st->reaction, n, force, 1e-10);
        close_array(name, "multiplier", few.st->multiplier, full.st->multiplier, full.sys->m, 0, 1e-8);
    }
    assert_true(compared > 0);
    arena_free(own);
    demolish(&full);
    demolish(&few);
}

static void test_both_solvers(void **state) {
    static const char windows[] = // M couples all x and all y; repeated in other words, and as a sum of two
        "param N = 30\ncoord x[0..N], y[0..N]\n"
        "for i in 0..N {\n initial x[i] = i, y[i] = 1\n kinetic (x[i]'^2 + y[i]'^2)/6\n"
        " constraint side[i]: (x[i] - i)^2 + y[i]^2 = 1\n}\n"
        "for i in 1..N {\n kinetic (x[i-1]'^2 + x[i-1]'*x[i]' + x[i]'^2 + y[i-1]'^2 + y[i-1]'*y[i]' + "
        "y[i]'^2)/6\n"
        " constraint coupler[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n"
        "for i in 1..N/3: constraint again[i]: sqrt((x[3*i] - 3*i)^2 + y[3*i]^2) = 1\n"
        "for i in 1..N/5: constraint sum[i]: (x[5*i] - 5*i)^2 + y[5*i]^2 + (x[i] - i)^2 + y[i]^2 = 2\n";
    static const char bodies[] = // singular blocks of M
        "param N = 12\ncoord x[1..N], y[1..N], a[1..N], b[1..N]\n"
        "for i in 1..N {\n initial x[i] = i - 1/2, y[i] = 0, a[i] = 1, b[i] = 0\n"
        " kinetic (x[i]'^2 + y[i]'^2)/2 + (a[i]*b[i]' - b[i]*a[i]')^2/24\n potential 9.81*y[i]\n"
        " constraint unit[i]: a[i]^2 + b[i]^2 = 1\n}\n"
        "constraint first: (x[1] - a[1]/2, y[1] - b[1]/2) = (0, 0)\n"
        "for i in 2..N: constraint pin[i]: (x[i] - a[i]/2, y[i] - b[i]/2) = (x[i-1] + a[i-1]/2, y[i-1] + "
        "b[i-1]/2)\n";
    glob_t found;
    arena *texts = arena_new(0);
    assert_int_equal(glob("models/*/*.tram", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        both_solvers(found.gl_pathv[i], read_text(texts, found.gl_pathv[i]));
    both_solvers("windows", windows);
    both_solvers("bodies", bodies);
    arena_free(texts);
    globfree(&found);
}

static void test_both_ways_of_evaluation(void **state) {
    glob_t found;
    assert_int_equal(glob("models/*/*.tram", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        both_ways(found.gl_pathv[i]);
    globfree(&found);
}

// ------------------------------------------------------------------------------------ memory

typedef struct {
    size_t memory;
    int coords, rows, shapes, entries;
} extent;

// of the shipped chain with that many links, read and derived
static extent chain_of(const char *links) {
    arena *a = arena_new(0);
    const char *why = NULL;
    const source *s = file_read(a, "models/classics/chain.tram", &why);
    assert_non_null(s);
    model *m = model_read(a, s, &(model_setting){"N", links}, 1);
    assert_int_equal(m->diags.errors, 0);
    const mech *derived = mech_derive(a, m);
    assert_int_equal(m->diags.errors, 0);
    extent e = {arena_used(a), m->coords.count, m->rows.count, m->shapes.count, 0};
    for (int i = 0; i < m->shapes.count; i++)
        e.entries += derived->shapes[i].entries.count;
    arena_free(a);
    return e;
}

static void test_memory_grows_with_the_chain(void **state) {
    extent small = chain_of("10000"), large = chain_of("100000");
    assert_int_equal(small.coords, 20000);
    assert_int_equal(large.coords, 200000);
    assert_int_equal(large.rows, 100000);
    assert_int_equal(small.shapes, large.shapes);
    assert_int_equal(small.entries, large.entries);
    if (large.memory > 11 * small.memory)
        fail_msg("%zu bytes for 10000 links, %zu for 100000", small.memory, large.memory);
}

// ------------------------------------------------------------------------------------ order of convergence

/* The unit pendulum after ten units of time, in closed form: sin(phi/2) = k cd(t | 1/2), k^2 = 1/2. */
static const double PENDULUM_END = 10;
static const double PENDULUM[] = {-0.81158644619130383427, -0.58423235134539570106, -0.63152914906501758095,
                                  0.87728879884106932896};
static const double HELD = 1e-13; // tolerance of the projection: far below the errors that are measured

static int motion(void *context, double t, const double *y, double *dydt) {
    const built *b = context;
    int n = b->sys->n;
    if (solve_acceleration(b->sys, b->st, t, y, y + n).status != SOLVE_OK)
        return -1;
    memcpy(dydt, y + n, (size_t)n * sizeof *y);
    memcpy(dydt + n, b->st->qdd, (size_t)n * sizeof *y);
    return 0;
}

static int hold(void *context, double t, double *y) {
    const built *b = context;
    return project_both(b, t, y, y + b->sys->n, HELD, NULL) ? 0 : -1;
}

static double error_after(const integrator_ops *method, int steps) {
    arena *a = arena_new(0);
    built b = build(read_text(a, "models/classics/pendulum.tram"));
    ode system = {.size = 4, .f = motion, .project = hold, .context = &b};
    start_state s;
    start(&b, HELD, &s);
    double y[4] = {s.q[0], s.q[1], s.v[0], s.v[1]}, error = 0;
    integrator *integration = method->create(a, &system, 1e-10);
    assert_int_equal(method->start(integration, 0, y, PENDULUM_END, 0), 0);
    for (int i = 0; i < steps; i++)
        assert_int_equal(rk_fixed_step(integration, PENDULUM_END / steps), 0);
    const double *end = method->state(integration);
    assert_near(end[0] * end[0] + end[1] * end[1], 1, 1e-12);
    assert_near(end[0] * end[2] + end[1] * end[3], 0, 1e-12);
    for (int i = 0; i < 4; i++)
        error = fmax(error, fabs(end[i] - PENDULUM[i]));
    demolish(&b);
    arena_free(a);
    return error;
}

/* Four runs, each with twice the steps of the one before: over them the error falls by 8^order, up to what
 * terms of higher order still make of it. */
static void order_of(const integrator_ops *method, int steps) {
    double first = error_after(method, steps), last = error_after(method, 8 * steps);
    double order = log2(first / last) / 3;
    if (!(order > method->order - 0.5 && order < method->order + 1.5))
        fail_msg("%s: order %.2f instead of %d (errors %.3g with %d steps, %.3g with %d)", method->name,
                 order, method->order, first, steps, last, 8 * steps);
}

static void test_order_with_projection(void **state) {
    order_of(&integrator_rk8, 16);
    order_of(&integrator_rk5, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways_of_evaluation),
        cmocka_unit_test(test_both_solvers),
        cmocka_unit_test(test_memory_grows_with_the_chain),
        cmocka_unit_test(test_order_with_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
