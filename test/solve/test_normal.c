/* N = |u + W N|: one solution, none, several; held against bisection, and against all signs. */
#include "solve/normal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 4, WIDEST = 12 };

static double any(void) {
    return 2.0 * rand() / RAND_MAX - 1;
}

typedef struct {
    normal_problem p;
    int first[MOST + 1];
    double u[WIDEST], W[MOST * WIDEST], N[MOST], work[200];
} room;

static normal_problem *fill(room *r, int count, int each, double scale) {
    r->p = (normal_problem){.count = count, .width = count * each, .first = r->first, .u = r->u};
    r->p.W = r->W;
    r->p.N = r->N;
    r->p.work = r->work;
    assert_true(normal_work(MOST, WIDEST) <= 200);
    for (int i = 0; i <= count; i++)
        r->first[i] = i * each;
    for (int i = 0; i < count * each; i++)
        r->u[i] = any();
    for (int i = 0; i < count * count * each; i++)
        r->W[i] = scale * any();
    return &r->p;
}

// the largest difference between both sides
static double miss(const normal_problem *p) {
    double worst = 0;
    for (int f = 0; f < p->count; f++) {
        double square = 0;
        for (int i = p->first[f]; i < p->first[f + 1]; i++) {
            double sum = p->u[i];
            for (int g = 0; g < p->count; g++)
                sum += p->W[g * p->width + i] * p->N[g];
            square += sum * sum;
        }
        worst = fmax(worst, fabs(sqrt(square) - p->N[f]));
    }
    return worst;
}

static void small_friction_has_one(void **state) {
    (void)state;
    room r;
    int culprit;
    for (int k = 0; k < 3000; k++) {
        int count = 1 + k % MOST, each = 1 + k / MOST % 3;
        normal_problem *p = fill(&r, count, each, 0.99 / (count * sqrt(each)));
        assert_int_equal(normal_solve(p, &culprit), NORMAL_ONE);
        assert_true(miss(p) < 1e-12);
    }
}

// with one friction: as many as the function |u + W N| - N has zeros
static void one_friction(void **state) {
    (void)state;
    room r;
    int culprit, seen[3] = {0};
    for (int k = 0; k < 3000; k++) {
        normal_problem *p = fill(&r, 1, 1 + k % 3, 3);
        int zeros = 0;
        double before = 1;
        for (double N = 0; N < 1e4; N = N * 1.01 + 1e-4) {
            r.N[0] = N;
            double square = 0;
            for (int i = 0; i < p->width; i++)
                square += (r.u[i] + r.W[i] * N) * (r.u[i] + r.W[i] * N);
            double now = sqrt(square) - N;
            zeros += (now < 0) != (before < 0);
            before = now;
        }
        normal_status found = normal_solve(p, &culprit);
        if (p->own > 1.05 || p->own < 0.95) { // else the zeros may be far away, or close together
            assert_true(found == (zeros == 0   ? NORMAL_NONE
                                  : zeros == 1 ? NORMAL_ONE
                                               : NORMAL_MANY) ||
                        (zeros == 0 && found == NORMAL_MANY)); // between two places
            seen[found]++;
        }
        if (found == NORMAL_ONE)
            assert_true(miss(p) < 1e-9 * (1 + r.N[0]));
    }
    for (int i = 0; i < 3; i++)
        assert_true(seen[i] > 50);
}

// lambda = u + W |lambda| with two unknowns: each quadrant has at most one solution
static void two_frictions(void **state) {
    (void)state;
    room r;
    int culprit, seen[3] = {0};
    for (int k = 0; k < 3000; k++) {
        normal_problem *p = fill(&r, 2, 1, 2);
        int solutions = 0;
        for (int signs = 0; signs < 4; signs++) {
            double s = signs & 1 ? -1 : 1, t = signs & 2 ? -1 : 1; // N = S (u + W N)
            double a = 1 - s * r.W[0], b = -s * r.W[2], c = -t * r.W[1], d = 1 - t * r.W[3];
            double det = a * d - b * c;
            double x = (s * r.u[0] * d - b * t * r.u[1]) / det, y = (a * t * r.u[1] - s * r.u[0] * c) / det;
            solutions += x >= 0 && y >= 0;
        }
        normal_status found = normal_solve(p, &culprit);
        assert_int_equal(found, solutions == 0 ? NORMAL_NONE : solutions == 1 ? NORMAL_ONE : NORMAL_MANY);
        seen[found]++;
        if (found == NORMAL_ONE)
            assert_true(miss(p) < 1e-9 * (1 + r.N[0] + r.N[1]));
    }
    for (int i = 0; i < 3; i++)
        assert_true(seen[i] > 50);
}

static void no_reaction_no_friction(void **state) {
    (void)state;
    room r;
    int culprit;
    for (int count = 1; count <= MOST; count++) {
        normal_problem *p = fill(&r, count, 2, 0.1);
        for (int i = 0; i < p->width; i++)
            r.u[i] = 0;
        assert_int_equal(normal_solve(p, &culprit), NORMAL_ONE);
        for (int i = 0; i < count; i++)
            assert_true(r.N[i] == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_friction_has_one),
        cmocka_unit_test(one_friction),
        cmocka_unit_test(two_frictions),
        cmocka_unit_test(no_reaction_no_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
