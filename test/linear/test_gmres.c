/* Systems of which only products are known, with nothing and with something near to the inverse. */
#include "linear/gmres.h"
#include "support/build.h"
#include "support/exact.h"

#include <math.h>
#include <string.h>

enum { N = 18 };

typedef struct {
    double A[N * N], diagonal[N];
    int products, most;
} matrix;

static bool times(void *context, const double *x, double *out) {
    matrix *m = context;
    for (int i = 0; i < N; i++) {
        out[i] = 0;
        for (int j = 0; j < N; j++)
            out[i] += m->A[i * N + j] * x[j];
    }
    return ++m->products <= m->most;
}

static void as_it_is(void *context, double *x) {
    (void)context, (void)x;
}

static void by_diagonal(void *context, double *x) {
    const matrix *m = context;
    for (int i = 0; i < N; i++)
        x[i] /= m->diagonal[i];
}

// rows of sizes over six decades; what is not on the diagonal is `rest` of it
static matrix random_matrix(dice *d, double rest) {
    matrix m = {.most = GMRES_MOST};
    for (int i = 0; i < N; i++) {
        m.diagonal[i] = pow(10, 6 * uniform(d) - 3);
        for (int j = 0; j < N; j++)
            m.A[i * N + j] = (i == j) * m.diagonal[i] + rest * m.diagonal[i] * (2 * uniform(d) - 1);
    }
    return m;
}

static double left(matrix *m, const double *x, const double *b) {
    double Ax[N], sum = 0, all = 0;
    m->products = 0;
    times(m, x, Ax);
    for (int i = 0; i < N; i++) {
        double size = m->diagonal[i];
        sum += (b[i] - Ax[i]) / size * ((b[i] - Ax[i]) / size);
        all += b[i] / size * (b[i] / size);
    }
    return sqrt(sum / all);
}

static void check(double rest, void (*nearly)(void *, double *), double part, int products) {
    dice d = {3};
    for (int trial = 0; trial < 100; trial++) {
        arena *a = arena_new(0);
        matrix m = random_matrix(&d, rest);
        gmres *g = gmres_new(a, N);
        double b[N], x[N];
        for (int again = 0; again < 2; again++) { // nothing is left of the first
            for (int i = 0; i < N; i++)
                x[i] = b[i] = m.diagonal[i] * (2 * uniform(&d) - 1);
            m.products = 0;
            assert_true(gmres_solve(g, &(gmres_problem){times, nearly, m.diagonal, &m}, part, x));
            assert_true(m.products <= products);
            assert_true(left(&m, x, b) < 2 * part);
        }
        memset(x, 0, sizeof x);
        assert_true(gmres_solve(g, &(gmres_problem){times, nearly, m.diagonal, &m}, part, x));
        assert_true(x[0] == 0 && x[N - 1] == 0);
        arena_free(a);
    }
}

static void leaves_the_part(void **state) {
    check(0.02, by_diagonal, 1e-3, 4);
    check(0.5, by_diagonal, 1e-9, N);
    check(0.5, as_it_is, 1e-6, N); // as many products as unknowns
}

static void no_value_is_told(void **state) {
    arena *a = arena_new(0);
    dice d = {5};
    matrix m = random_matrix(&d, 0.5);
    double x[N];
    for (int i = 0; i < N; i++)
        x[i] = 1;
    m.most = 2;
    assert_false(gmres_solve(gmres_new(a, N), &(gmres_problem){times, as_it_is, m.diagonal, &m}, 1e-6, x));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_the_part), cmocka_unit_test(no_value_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
