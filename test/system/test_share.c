/* Multipliers of rows that repeat each other, against Lagrange's condition for the least sum of squares. */
#include "system/share.h"

#include "support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { ROWS = 12 };

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-14 * fmax(fabs(a), fabs(b));
}

static mech_repeats random_repeats(dice *d, int *of, double *factor, double span) {
    mech_repeats r = {.rows = ROWS, .of = of, .factor = factor};
    for (int i = 0; i < ROWS; i++) {
        int first = below(d, ROWS);
        of[i] = first < i && of[first] < 0 ? first : -1;
        factor[i] = of[i] < 0 ? 1 : (below(d, 2) ? 1 : -1) * decades(d, span);
        r.count += of[i] >= 0;
    }
    return r;
}

/* The force stays: sum c_k l_k = l. The sum of squares is least where l_k is proportional to c_k; it is that
 * of the row times the scale. */
static void check_group(const mech_repeats *r, const double *before, const double *after, const double *scale,
                        int first) {
    double sum = 0, squares = 0;
    for (int i = 0; i < ROWS; i++)
        if (i == first || r->of[i] == first) {
            sum += r->factor[i] * after[i];
            squares += after[i] * after[i];
            assert_true(is_near(after[i], r->factor[i] * after[first]));
        }
    assert_true(is_near(sum, before[first]));
    assert_true(is_near(sqrt(squares), fabs(before[first]) / scale[first]));
}

static void shares_are_least(void **state) {
    dice d = {99};
    for (int round = 0; round < 1000; round++) {
        int of[ROWS];
        double factor[ROWS], before[ROWS], after[ROWS], scale[ROWS];
        mech_repeats r = random_repeats(&d, of, factor, round % 4);
        arena *a = arena_new(0);
        sharing *s = share_new(a, &r);
        for (int i = 0; i < ROWS; i++) {
            before[i] = after[i] = normal(&d);
            scale[i] = 1;
        }
        share_multipliers(s, after);
        share_scale(s, scale);
        for (int i = 0; i < ROWS; i++)
            if (of[i] < 0)
                check_group(&r, before, after, scale, i);
        arena_free(a);
    }
}

static void huge_factors_do_not_overflow(void **state) {
    int of[] = {-1, 0, -1};
    double factor[] = {1, 1e200, 1}, multiplier[] = {3e10, 0, 7};
    arena *a = arena_new(0);
    share_multipliers(share_new(a, &(mech_repeats){.rows = 3, .count = 1, .of = of, .factor = factor}),
                      multiplier);
    assert_true(is_near(multiplier[1], 3e-190));
    assert_true(multiplier[0] >= 0 && multiplier[0] < 1e-300);
    assert_true(multiplier[2] == 7);
    arena_free(a);
}

static void nothing_to_share(void **state) {
    int of[] = {-1};
    double factor[] = {1}, multiplier[] = {5};
    arena *a = arena_new(0);
    sharing *s = share_new(a, &(mech_repeats){.rows = 1, .of = of, .factor = factor});
    share_multipliers(s, multiplier);
    assert_int_equal(s->count, 0);
    assert_true(multiplier[0] == 5);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_least),
        cmocka_unit_test(huge_factors_do_not_overflow),
        cmocka_unit_test(nothing_to_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
