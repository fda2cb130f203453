/* What one acceleration costs, ns: by the kernel alone, and by the general solver behind the same kernel
 * without that part. Processor time, the smallest of several runs; the states differ, so that nothing is
 * predicted. */
#include "solve/solve.h"
#include "system/state_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STATES = 64, ROUNDS = 500, REPEATS = 15 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static trm_system *read(arena *a, const char *given, evaluate_how how) {
    source *s = arena_alloc(a, sizeof *s);
    *s = (source){"bench", arena_copy(a, given, strlen(given)), (int)strlen(given)};
    model *m = model_read(a, s, NULL, 0);
    return m->diags.errors ? NULL : system_new(a, m, mech_derive(a, m), how, 0, 0);
}

// -1 if an acceleration fails, or comes from the other of the two
static double nanoseconds(const char *given, evaluate_how how) {
    arena *a = arena_new(0);
    trm_system *sys = read(a, given, how);
    double best = sys ? INFINITY : -1;
    trm_state *st = sys ? solve_new_state(a, sys) : NULL;
    size_t n = sys ? (size_t)sys->n : 0;
    double *q = arena_doubles(a, STATES * n), *v = arena_doubles(a, STATES * n);
    for (size_t i = 0; i < STATES * n; i++) {
        q[i] = 1 + 0.3 * sin(1.0 + 7.3 * (double)i);
        v[i] = cos(2.0 + 5.1 * (double)i);
    }
    for (int r = 0; r < REPEATS && best > 0; r++) {
        double start = now();
        for (size_t i = 0; i < ROUNDS * STATES; i++) {
            size_t at = i % STATES * n;
            if (solve_acceleration(sys, st, 0, q + at, v + at).status != SOLVE_OK ||
                st->direct != (how == EVALUATE_AUTO))
                best = -1;
        }
        best = fmin(best, (now() - start) / (ROUNDS * STATES) * 1e9);
    }
    arena_free(a);
    return best;
}

static void measure(const char *name, const char *given) {
    printf("%-32s %8.0f %8.0f\n", name, nanoseconds(given, EVALUATE_AUTO),
           nanoseconds(given, EVALUATE_FUSED));
}

int main(void) {
    printf("accelerate: ns\n%-32s %8s %8s\n", "system", "kernel", "general");
    measure("pendulum, n = 2", "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                               "constraint c: x^2 + y^2 = 1\n");
    measure("two pendulums, n = 4", "coord x1, y1, x2, y2\nkinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
                                    "potential 9.81*(y1 + y2)\nconstraint a: x1^2 + y1^2 = 1\n"
                                    "constraint b: (x2 - x1 - 1)^2 + (y2 - y1)^2 = 1\n");
    measure("six pendulums, n = 12",
            "coord x[1..6], y[1..6]\nkinetic sum(i in 1..6: x[i]'^2 + y[i]'^2)/2\n"
            "potential sum(i in 1..6: 9.81*y[i])\nconstraint a: x[1]^2 + y[1]^2 = 1\n"
            "for i in 2..6: constraint l[i]: (x[i] - x[i-1] - 1)^2 + (y[i] - y[i-1])^2 = 1\n");
    measure("body in a quaternion, n = 4",
            "coord a, b, c, d\n"
            "kinetic 2*(-b*a' + a*b' + d*c' - c*d')^2\nkinetic 4*(-c*a' - d*b' + a*c' + b*d')^2\n"
            "kinetic 6*(-d*a' + c*b' - b*c' + a*d')^2\nconstraint unit: a^2 + b^2 + c^2 + d^2 = 1\n");
    return 0;
}
