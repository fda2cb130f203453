/* The equations in quasi-velocities, in symbols, against the same formulas in numbers: M_s = H'M H and so on
 * with H from an LU factorisation, at random places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "linear/lu.h"
#include "report/quasi.h"
#include "support/exact.h"

enum { SIZE_MOST = 6, POINTS = 50 };

typedef struct {
    double p[SIZE_MOST], v[SIZE_MOST], s[SIZE_MOST];
} point;

static double value_of(void *context, sym_kind kind, int index) {
    const point *at = context;
    return kind == SYM_P ? at->p[index] : kind == SYM_V ? at->v[index] : at->s[index];
}

static double eval(const expr_pool *pool, expr e, point *at) {
    return e == EXPR_NONE ? 0 : expr_eval(pool, e, value_of, at);
}

typedef struct {
    expr_pool *pool;
    expr G[SIZE_MOST * SIZE_MOST], g[SIZE_MOST], rate[SIZE_MOST], M[SIZE_MOST * SIZE_MOST], Q[SIZE_MOST],
        C[SIZE_MOST], A[SIZE_MOST * SIZE_MOST], b[SIZE_MOST];
    quasi_given given;
} problem;

static expr p_(problem *k, int i) {
    return expr_symbol(k->pool, SYM_P, i);
}
static expr v_(problem *k, int i) {
    return expr_symbol(k->pool, SYM_V, i);
}
static expr mul(problem *k, expr a, expr b) {
    return expr_op2(k->pool, OP_MUL, a, b);
}
static expr plus(problem *k, expr a, expr b) {
    return expr_op2(k->pool, OP_ADD, a, b);
}
static expr of(problem *k, op_code op, int i) {
    return expr_op1(k->pool, op, p_(k, i));
}

// everything but G: dense M, forces quadratic in the velocities, two rows
static void fill(problem *k, arena *a, int n) {
    *k = (problem){.pool = expr_pool_new(a)};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            k->M[i * n + j] = i == j ? plus(k, expr_number(k->pool, 3), mul(k, p_(k, i), p_(k, i)))
                                     : mul(k, of(k, OP_SIN, i), of(k, OP_SIN, j));
        k->Q[i] = mul(k, mul(k, v_(k, i), v_(k, (i + 1) % n)), of(k, OP_COS, i));
        k->rate[i] = mul(k, v_(k, i), v_(k, i));
        k->C[i] = i ? EXPR_NONE : v_(k, 0);
        k->A[i] = p_(k, i);
        k->A[n + i] = i == 1 ? expr_number(k->pool, 1) : EXPR_NONE;
    }
    k->b[0] = mul(k, v_(k, 0), v_(k, 0));
    k->given = (quasi_given){.n = n,
                             .m = 2,
                             .G = k->G,
                             .g = k->g,
                             .rate = k->rate,
                             .M = k->M,
                             .Q = k->Q,
                             .C = k->C,
                             .A = k->A,
                             .b = k->b,
                             .kind = SYM_NUMBER};
}

// Euler's angles: the angular velocity in the axes of the body
static void euler(problem *k, arena *a) {
    fill(k, a, 3);
    expr s_t = of(k, OP_SIN, 1), s_f = of(k, OP_SIN, 2), c_f = of(k, OP_COS, 2);
    k->G[0] = mul(k, s_t, s_f), k->G[1] = c_f;
    k->G[3] = mul(k, s_t, c_f), k->G[4] = expr_op1(k->pool, OP_NEG, s_f);
    k->G[6] = of(k, OP_COS, 1), k->G[8] = expr_number(k->pool, 1);
}

// blocks of 1, 2 and 1, and terms without velocities
static void mixed(problem *k, arena *a) {
    fill(k, a, 4);
    k->G[0 * 4 + 2] = plus(k, expr_number(k->pool, 2), mul(k, p_(k, 0), p_(k, 0)));
    k->G[1 * 4 + 0] = of(k, OP_COS, 1), k->G[1 * 4 + 3] = of(k, OP_SIN, 1);
    k->G[2 * 4 + 0] = expr_op1(k->pool, OP_NEG, of(k, OP_SIN, 1)), k->G[2 * 4 + 3] = of(k, OP_COS, 1);
    k->G[3 * 4 + 1] = expr_number(k->pool, 5);
    k->g[0] = p_(k, 3);
    k->g[2] = mul(k, p_(k, 0), p_(k, 1));
}

static void inverse(const double *G, int n, double *H) {
    double copy[SIZE_MOST * SIZE_MOST], work[2 * SIZE_MOST], column[SIZE_MOST];
    int pivot[SIZE_MOST], sign;
    memcpy(copy, G, sizeof copy);
    assert_true(lu_factor(copy, n, pivot, work, &sign) < 0);
    for (int j = 0; j < n; j++) {
        memset(column, 0, sizeof column);
        column[j] = 1;
        lu_solve(copy, n, pivot, column);
        for (int i = 0; i < n; i++)
            H[i * n + j] = column[i];
    }
}

static double off(double a, double b) {
    return fabs(a - b) / (1 + fabs(b));
}

// the worst difference at one point; s is G v + g there
static double compare(problem *k, const quasi_made *made, point *at) {
    int n = k->given.n, m = k->given.m;
    double G[SIZE_MOST * SIZE_MOST] = {0}, H[SIZE_MOST * SIZE_MOST], M_s[SIZE_MOST * SIZE_MOST],
                         A_s[SIZE_MOST * SIZE_MOST] = {0}, worst = 0;
    for (int i = 0; i < n * n; i++)
        G[i] = eval(k->pool, k->G[i], at);
    for (int i = 0; i < n; i++) {
        at->s[i] = eval(k->pool, k->g[i], at);
        for (int j = 0; j < n; j++)
            at->s[i] += G[i * n + j] * at->v[j];
    }
    inverse(G, n, H);
    point blind = *at; // what is made must not ask for velocities
    for (int i = 0; i < n; i++)
        blind.v[i] = NAN;
    for (int i = 0; i < n * n; i++) {
        M_s[i] = 0;
        for (int k_ = 0; k_ < n * n; k_++)
            M_s[i] += H[k_ / n * n + i / n] * eval(k->pool, k->M[k_], at) * H[k_ % n * n + i % n];
        worst = fmax(worst, off(eval(k->pool, made->M[i], &blind), M_s[i]));
    }
    for (int i = 0; i < n; i++) {
        double S = 0, C_s = 0;
        for (int j = 0; j < n; j++) {
            S += H[j * n + i] * eval(k->pool, k->Q[j], at) + M_s[i * n + j] * eval(k->pool, k->rate[j], at);
            C_s += H[j * n + i] * eval(k->pool, k->C[j], at);
        }
        worst = fmax(worst, off(eval(k->pool, made->S[i], &blind), S));
        worst = fmax(worst, off(eval(k->pool, made->C[i], &blind), C_s));
    }
    for (int i = 0; i < m; i++) {
        double b_s = eval(k->pool, k->b[i], at);
        for (int j = 0; j < n; j++) {
            for (int l = 0; l < n; l++)
                A_s[i * n + j] += eval(k->pool, k->A[i * n + l], at) * H[l * n + j];
            worst = fmax(worst, off(eval(k->pool, made->A[i * n + j], &blind), A_s[i * n + j]));
            b_s += A_s[i * n + j] * eval(k->pool, k->rate[j], at);
        }
        worst = fmax(worst, off(eval(k->pool, made->b[i], &blind), b_s));
    }
    return worst;
}

static void agrees_with_numbers(void **state) {
    static void (*const problems[])(problem *, arena *) = {euler, mixed};
    dice d = {.state = 7};
    for (int i = 0; i < 2; i++) {
        arena *a = arena_new(0);
        problem k;
        quasi_made made;
        double worst = 0;
        problems[i](&k, a);
        assert_true(quasi_derive(a, k.pool, &k.given, &made));
        for (int j = 0; j < POINTS; j++) {
            point at = {0};
            for (int c = 0; c < k.given.n; c++) {
                at.p[c] = 0.4 + fabs(normal(&d)) / 3; // away from sin(theta) = 0
                at.v[c] = normal(&d);
            }
            worst = fmax(worst, compare(&k, &made, &at));
        }
        print_message("%d points: %.1e\n", POINTS, worst);
        assert_true(worst < 1e-11);
        arena_free(a);
    }
}

// G with two equal rows, and one that is too large
static void cannot_be_inverted(void **state) {
    arena *a = arena_new(0);
    problem k;
    quasi_made made;
    euler(&k, a);
    for (int j = 0; j < 3; j++)
        k.G[3 + j] = k.G[j];
    assert_false(quasi_derive(a, k.pool, &k.given, &made));
    fill(&k, a, SIZE_MOST);
    for (int i = 0; i < SIZE_MOST * SIZE_MOST; i++)
        k.G[i] = p_(&k, i % SIZE_MOST);
    assert_false(quasi_derive(a, k.pool, &k.given, &made));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_numbers),
        cmocka_unit_test(cannot_be_inverted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
