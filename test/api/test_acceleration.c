/* trm_acceleration asks for no memory, whatever it meets: memory is a state's when it is created. */
#define ARENA_CHUNK 128 // nearly every allocation asks the system then
#define ARENA_SPARE 0
#include "base/arena.c" // instead of the library's own

#include <trammel/trammel.h>

#include <math.h>
#include <stdarg.h>

#include <cmocka.h>

// ---- the allocator, by --wrap of the linker

static long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_pages_alloc(size_t size);
void *__real_pages_resize(void *block, size_t size, size_t new_size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_pages_alloc(size_t size);
void *__wrap_pages_resize(void *block, size_t size, size_t new_size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    allocations++;
    return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

void *__wrap_pages_alloc(size_t size) {
    allocations++;
    return __real_pages_alloc(size);
}

void *__wrap_pages_resize(void *block, size_t size, size_t new_size) {
    allocations++;
    return __real_pages_resize(block, size, new_size);
}

// ---- a system with numbers of its own

typedef struct {
    trm_model *model;
    trm_system *sys;
    trm_state *st;
    int n, m;
    double *q, *v, *qdd, *reaction, *multiplier;
} subject;

static subject create(trm_model *model) {
    subject s = {.model = model, .n = trm_model_coordinates(model), .m = trm_model_rows(model)};
    assert_string_equal(trm_model_messages(model, 0), "");
    assert_int_equal(trm_system_create(model, &s.sys), TRM_OK);
    assert_int_equal(trm_state_create(s.sys, &s.st), TRM_OK);
    double **numbers[] = {&s.q, &s.v, &s.qdd, &s.reaction, &s.multiplier};
    for (int i = 0; i < 5; i++)
        *numbers[i] = calloc((size_t)(s.n + s.m) + 1, sizeof(double));
    return s;
}

static subject from_text(const char *text) {
    trm_model *m;
    trm_model_read_text("test", text, NULL, 0, &m);
    return create(m);
}

static subject from_file(const char *path) {
    trm_model *m;
    trm_model_read(path, NULL, 0, &m);
    return create(m);
}

static void destroy(subject *s) {
    double *numbers[] = {s->q, s->v, s->qdd, s->reaction, s->multiplier};
    for (int i = 0; i < 5; i++)
        free(numbers[i]);
    trm_state_free(s->st);
    trm_system_free(s->sys);
    trm_model_free(s->model);
}

// all outputs, at the subject's q and v, without a single allocation
static void accelerate(subject *s) {
    long before = allocations;
    trm_status status = trm_acceleration(s->sys, s->st, 0, s->q, s->v, s->qdd, s->reaction, s->multiplier);
    assert_int_equal(allocations - before, 0);
    if (status != TRM_OK)
        fail_msg("%s", trm_state_error(s->st));
}

// ---- what has asked for memory, or might

// a chain whose every second particle has no mass; the others pull at it
static void half_of_the_coordinates_without_mass(void **state) {
    (void)state;
    subject s = from_text("coord x[1..201], y[1..201]\n"
                          "for i in 1..201: initial x[i] = i, y[i] = sin(i)\n"
                          "for i in 1..100: kinetic (x[2*i]'^2 + y[2*i]'^2)/2\n"
                          "for i in 1..100: potential y[2*i]\n"
                          "constraint first: x[1]^2 + y[1]^2 = 2\n"
                          "for i in 2..201: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 2\n"
                          "constraint last: x[201] = 201\n");
    assert_int_equal(s.n, 402);
    for (int i = 0; i < 201; i++) {
        s.q[i] = i + 1;
        s.q[201 + i] = sin(i + 1);
    }
    accelerate(&s);
    for (int i = 0; i < 201; i += 2) // no mass, no force left
        assert_true(fabs(s.reaction[i]) + fabs(s.reaction[201 + i]) < 1e-12);
    destroy(&s);
}

// M is definite at the start, and loses pieces of its diagonal on the way
static void mass_that_vanishes_on_the_way(void **state) {
    (void)state;
    subject s = from_text("coord x[1..30], y[1..30]\n"
                          "for i in 1..30: kinetic (x[i]'^2 + (1 - y[i])^2*y[i]'^2)/2\n"
                          "for i in 1..30: initial y[i] = 0\n"
                          "for i in 1..29: constraint tied[i]: y[i] + y[i+1] = x[i] + 2*x[i+1]\n"
                          "constraint last: y[30] = x[30]\n"
                          "for i in 1..30: force x[i] = i\n");
    accelerate(&s);
    for (int count = 1; count <= 30; count++) {
        s.q[30 + (7 * count) % 30] = 1;
        accelerate(&s);
        for (int i = 0; i < 29; i++) {
            const double *x = s.qdd, *y = s.qdd + 30;
            assert_true(fabs(y[i] + y[i + 1] - x[i] - 2 * x[i + 1]) < 1e-10);
        }
    }
    destroy(&s);
}

// rows that repeat others in other words, and rows that nearly do
static void chain_with_dependent_rows(void **state) {
    (void)state;
    subject s = from_text("param N = 2000\ncoord x[1..N], y[1..N]\n"
                          "for i in 1..N {\n"
                          "    initial x[i] = i, y[i] = 0\n"
                          "    kinetic (x[i]'^2 + y[i]'^2)/2\n"
                          "    potential y[i]\n}\n"
                          "constraint first: x[1]^2 + y[1]^2 = 1\n"
                          "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
                          "for i in 2..500: constraint again[i]: norm((x[i] - x[i-1], y[i] - y[i-1])) = 1\n"
                          "for i in 501..540: constraint near[i]: x[i] - x[i-1] + 1e-7*y[i] = 1\n");
    for (int i = 0; i < 2000; i++)
        s.q[i] = i + 1;
    accelerate(&s);
    for (int i = 0; i < 2000; i++)
        s.q[2000 + i] = 1e-9 * i;
    accelerate(&s);
    accelerate(&s);
    destroy(&s);
}

// every number that there is at the state
static void look_at_all(subject *s, double *room) {
    for (int k = TRM_M; k <= TRM_S_REACTION; k++) {
        trm_state_matrix(s->sys, s->st, (trm_matrix)k, room);
        trm_state_entries(s->sys, s->st, (trm_matrix)k, room);
    }
    trm_state_energies(s->sys, s->st, room, room, room);
    trm_state_residuals(s->sys, s->st, room, room);
    trm_state_outputs(s->sys, s->st, room);
}

static void models_of_all_kinds(void **state) {
    (void)state;
    static const char *const paths[] = {
        "models/mechanisms/stick-slip.tram",    // friction
        "models/mechanisms/leaning-disk.tram",  // friction on a body
        "models/papers/003-measured.tram",      // weights
        "models/papers/000-suslov.tram",        // quasi-velocities
        "models/papers/000-nonideal-ring.tram", // a force that does work
        "models/mechanisms/six-rss.tram",       // many bodies
        "models/mechanisms/perpendicular.tram", // rows that depend on each other
        "models/benchmarks/iftomm-a02-bodies.tram"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        subject s = from_file(paths[i]);
        double *room =
            calloc((size_t)((s.n + s.m + 1) * (s.n + s.m + trm_system_outputs(s.sys) + 1)), sizeof *room);
        for (int round = 0; round < 20; round++) { // states that satisfy nothing, singular ones among them
            for (int j = 0; j < s.n; j++) {
                s.q[j] = round % 4 == 3 ? 0 : sin(1 + j + 0.3 * round);
                s.v[j] = round % 2 ? cos(3.0 * j + round) : 0;
            }
            long before = allocations;
            trm_acceleration(s.sys, s.st, 0.1 * round, s.q, s.v, s.qdd, s.reaction, s.multiplier);
            look_at_all(&s, room);
            assert_int_equal(allocations - before, 0);
        }
        free(room);
        destroy(&s);
    }
}

// ---- many states at once

enum { MANY = 37 }; // blocks of eight, and some that are left

static void same_rows(const double *one, const double *many, int count) {
    for (int i = 0; i < count; i++)
        if (isnan(one[i]) ? !isnan(many[i]) : !(fabs(one[i] - many[i]) <= 1e-9 * (1 + fabs(one[i]))))
            fail_msg("%.17g one by one, %.17g among many", one[i], many[i]);
}

/* As one by one, with all that comes with it: rows that depend on each other, states without a solution,
 * switches. */
static void many_states_at_once(void **state) {
    (void)state;
    static const char *const paths[] = {
        "models/classics/double-pendulum.tram", "models/benchmarks/andrews.tram",
        "models/benchmarks/free-body.tram",     "models/papers/000-suslov.tram",
        "models/papers/003-measured.tram",      "models/mechanisms/stick-slip.tram",
        "models/mechanisms/four-bar-3d.tram",   "models/mechanisms/perpendicular.tram",
        "models/papers/002-nonideal-slope.tram"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        subject s = from_file(paths[k]);
        size_t n = (size_t)s.n, m = (size_t)s.m;
        double *all = calloc(MANY * (1 + 4 * n + m), sizeof *all), *t = all, *q = t + MANY, *v = q + MANY * n;
        double *qdd = v + MANY * n, *reaction = qdd + MANY * n, *multiplier = reaction + MANY * n;
        for (int i = 0; i < MANY; i++) {
            t[i] = 0.01 * i;
            for (size_t j = 0; j < n; j++) {
                q[(size_t)i * n + j] = i == 3 ? NAN : i == 20 ? 0 : sin(1 + (double)j + 0.3 * i);
                v[(size_t)i * n + j] = i % 5 ? cos(3.0 * (double)j + i) : 0;
            }
        }
        long before = allocations;
        trm_status told = trm_accelerations(s.sys, s.st, MANY, t, q, v, qdd, reaction, multiplier),
                   worst = TRM_OK;
        assert_int_equal(allocations - before, 0);
        for (int i = 0; i < MANY; i++) {
            size_t at = (size_t)i * n;
            trm_status one =
                trm_acceleration(s.sys, s.st, t[i], q + at, v + at, s.qdd, s.reaction, s.multiplier);
            worst = one ? one : worst;
            for (size_t j = 0; one != TRM_OK && j < n + m; j++)
                s.qdd[j] = s.reaction[j] = s.multiplier[j] = NAN;
            same_rows(s.qdd, qdd + at, s.n);
            same_rows(s.reaction, reaction + at, s.n);
            same_rows(s.multiplier, multiplier + (size_t)i * m, s.m);
        }
        assert_int_equal(told, worst);
        free(all);
        destroy(&s);
    }
}

// ---- off the constraints

// three equations hold a bead on a circle: p'' = -g cos(p)/2, in error by some times what the state is off
static void off_the_constraints(void **unused) {
    const char *text =
        "coord x, y, p\nkinetic (x'^2 + y'^2 + p'^2)/2\npotential 9.81*y\nconstraint a: x = cos(p)\n"
        "constraint b: y = sin(p)\nconstraint c: x^2 + y^2 = 1\ninitial p = 0.3, x ~ 1, y ~ 0.3\n";
    trm_model *m;
    trm_system *s;
    trm_state *st;
    unsigned seed = 1;
    assert_int_equal(trm_model_read_text("circle", text, NULL, 0, &m), TRM_OK);
    assert_int_equal(trm_system_create(m, &s), TRM_OK);
    assert_int_equal(trm_state_create(s, &st), TRM_OK);
    for (double off = 1e-14; off < 1e-4; off *= 10)
        for (int k = 0; k < 200; k++) {
            double e[4], a[3];
            for (int i = 0; i < 4; i++) {
                seed = seed * 1664525u + 1013904223u;
                e[i] = (double)(seed >> 8) / (1 << 23) - 1;
            }
            double p = 3.14159 * e[3], q[3] = {cos(p) + off * e[0], sin(p) + off * e[1], p + off * e[2]};
            double v[3] = {-1.3 * sin(p), 1.3 * cos(p), 1.3};
            assert_int_equal(trm_acceleration(s, st, 0, q, v, a, NULL, NULL), TRM_OK);
            assert_true(fabs(a[2] + 9.81 * cos(p) / 2) < 10 * off + 1e-13);
        }
    trm_state_free(st);
    trm_system_free(s);
    trm_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_the_constraints),
        cmocka_unit_test(half_of_the_coordinates_without_mass),
        cmocka_unit_test(mass_that_vanishes_on_the_way),
        cmocka_unit_test(chain_with_dependent_rows),
        cmocka_unit_test(models_of_all_kinds),
        cmocka_unit_test(many_states_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
