/* Bernstein's form against powers of x; that its coefficients bound every part; and that rounding does not
 * grow. */
#include "motion/curve.h"

#include "support/build.h"
#include "support/exact.h"

#include <math.h>

static double power_form(const double *a, int degree, double x, double *slope) {
    double value = 0;
    *slope = 0;
    for (int k = degree; k >= 0; k--) {
        *slope = *slope * x + value;
        value = value * x + a[k];
    }
    return value;
}

// of sum a_k x^k, from the inside out
static void from_powers(const double *a, int degree, double *c) {
    c[0] = 0;
    for (int k = degree, d = 0; k > 0; k--, d++)
        curve_times_x(c, d, a[k]);
    for (int k = 0; k <= degree; k++)
        c[k] += a[0];
}

static void random_powers(dice *d, double *a, int degree) {
    for (int k = 0; k <= degree; k++)
        a[k] = normal(d);
}

static void values_and_slopes(void **state) {
    dice d = {1};
    for (int trial = 0; trial < 300; trial++) {
        int degree = trial % CURVE_POINTS;
        double a[CURVE_POINTS], c[CURVE_POINTS], slopes[CURVE_POINTS], slope, expected, second;
        random_powers(&d, a, degree);
        from_powers(a, degree, c);
        curve_derive(c, degree, slopes);
        for (double x = 0; x <= 1; x += 0.0625) {
            double value = power_form(a, degree, x, &expected);
            assert_near(curve_at(c, degree, x, &slope), value, 1e-14 * (degree + 1));
            assert_near(slope, expected, 1e-13 * (degree + 1));
            if (degree > 0)
                assert_near(curve_at(slopes, degree - 1, x, &second), expected, 1e-13 * (degree + 1));
        }
    }
}

static void rests(void **state) {
    double c[CURVE_POINTS] = {0}, slope;
    curve_times_rest(c, 0, 2); // 2 (1-x)
    curve_times_x(c, 1, 3);    // x (2 (1-x) + 3)
    curve_times_rest(c, 2, 0); // (1-x) x (2 (1-x) + 3)
    for (double x = 0; x <= 1; x += 0.125)
        assert_near(curve_at(c, 3, x, &slope), (1 - x) * x * (2 * (1 - x) + 3), 1e-15);
}

// parts however short: the same polynomial, and within the coefficients
static void parts(void **state) {
    dice d = {2};
    for (int trial = 0; trial < 1000; trial++) {
        int degree = 1 + trial % CURVE_DEGREE;
        double a[CURVE_POINTS], c[CURVE_POINTS], part[CURVE_POINTS], slope, inner;
        double width = pow(10, -14 * uniform(&d)), from = uniform(&d) * (1 - width), to = from + width;
        random_powers(&d, a, degree);
        from_powers(a, degree, c);
        curve_part(c, degree, from, to, part);
        double least = INFINITY, most = -INFINITY;
        for (int k = 0; k <= degree; k++) {
            least = fmin(least, part[k]);
            most = fmax(most, part[k]);
        }
        for (double x = 0; x <= 1; x += 0.125) {
            double value = curve_at(c, degree, from + x * (to - from), &slope);
            assert_near(curve_at(part, degree, x, &inner), value, 1e-13);
            assert_true(value >= least - 1e-13 && value <= most + 1e-13);
        }
        assert_true(most - least <= 100 * degree * width + 1e-13); // and hardly more than that
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_slopes),
        cmocka_unit_test(rests),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
