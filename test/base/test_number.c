/* Numbers as text, in any locale of the host. */
#include "base/diag.h"
#include "base/number.h"
#include "base/text.h"
#include "support/locales.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

static void assert_number(double value, const char *expected) {
    char buffer[32];
    assert_string_equal(number_shortest(buffer, value), expected);
}

static void known_forms(void **state) {
    assert_number(0, "0");
    assert_number(-0.0, "-0");
    assert_number(0.1, "0.1");
    assert_number(-3, "-3");
    assert_number(1e-10, "1e-10");
    assert_number(1e-5, "1e-5");
    assert_number(1e300, "1e300");
    assert_number(-1.5e-300, "-1.5e-300");
    assert_number(1e100, "1e100");
    assert_number(1.0 / 3, "0.3333333333333333");
    assert_number(0.1 + 0.2, "0.30000000000000004");
    assert_number(123456789012345680.0, "1.2345678901234568e17");
    assert_number(DBL_MAX, "1.7976931348623157e308");
    assert_number(DBL_MIN, "2.2250738585072014e-308");
    assert_number(NAN, "nan");
    assert_number(-NAN, "nan");
    assert_number(INFINITY, "inf");
    assert_number(-INFINITY, "-inf");
}

// numbers below DBL_MIN have few digits
static void subnormal_forms(void **state) {
    assert_number(5e-324, "5e-324");
    assert_number(-1e-323, "-1e-323");
    assert_number(1e-320, "1e-320");
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t roll(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static int digits_in(const char *number) {
    int count = 0, leading = 1, zeros = 0;
    for (; *number && *number != 'e'; number++) {
        if (*number < '0' || *number > '9')
            continue;
        leading &= *number == '0';
        zeros = *number == '0' ? zeros + 1 : 0;
        count += !leading;
    }
    return count - (count ? zeros : 0);
}

// reads back to the same bits, fits the buffer, and no form with fewer digits would do
static void check_number(double value) {
    char buffer[40], shorter[40];
    memset(buffer, '#', sizeof buffer);
    assert_ptr_equal(number_shortest(buffer, value), buffer);
    assert_true(strlen(buffer) < 32 && buffer[32] == '#');
    assert_true(bits_of(strtod(buffer, NULL)) == bits_of(value));
    assert_null(strpbrk(buffer, "+ "));
    int digits = digits_in(buffer);
    assert_true(digits <= 17);
    if (digits > 1) {
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        if (bits_of(strtod(shorter, NULL)) == bits_of(value))
            fail_msg("%s could be %s", buffer, shorter);
    }
}

static void round_trip(void **state) {
    uint64_t s = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        double value, short_value;
        uint64_t bits = roll(&s);
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && fabs(value) >= DBL_MIN)
            check_number(value);
        // numbers as people type them
        char typed[40];
        snprintf(typed, sizeof typed, "%.*e", (int)(roll(&s) % 17), (double)(int64_t)roll(&s) * 1e-12);
        short_value = strtod(typed, NULL);
        check_number(short_value);
        check_number((double)(int64_t)roll(&s) * 0x1p-63);
        check_number((double)(roll(&s) % 100000));
    }
}

// ---- a host whose decimal sign is a comma

static void as_anywhere(void) {
    char buffer[64], *end;
    arena *a = arena_new(0);
    text t;
    diags d = {.arena = a};
    text_init(&t, a);
    assert_string_equal(number_shortest(buffer, -0.1), "-0.1");
    assert_int_equal(number_print(buffer, sizeof buffer, "%.9g %s %5.2f", 1.5, "a,b", 2.25), 13);
    assert_string_equal(buffer, "1.5 a,b  2.25");
    assert_true(number_read("1.5e3x", &end) == 1500 && *end == 'x');
    assert_true(number_read("2,5", &end) == 2 && *end == ',');
    text_print(&t, "%g", 0.5);
    assert_string_equal(text_string(&t), "0.5");
    assert_string_equal(arena_print(a, "%.15g", 0.25), "0.25");
    assert_string_equal(diag_error(&d, (place){0}, "%.3g is wrong", 1.25)->message, "1.25 is wrong");
    arena_free(a);
}

static void comma_of_the_process(void **state) {
    char host[64];
    as_anywhere();
    if (!locales_set_comma())
        skip();
    as_anywhere();
    snprintf(host, sizeof host, "%g", 1.5);
    assert_string_equal(host, "1,5"); // the host still has what it wanted
    for (int i = 0; i < 1000; i++)
        assert_true(number_read(number_shortest(host, 0.1 * i), NULL) == 0.1 * i);
    setlocale(LC_ALL, "C");
}

static void comma_of_a_thread(void **state) {
    char host[64];
    locale_t comma = locales_comma();
    if (comma == (locale_t)0)
        skip();
    locale_t before = uselocale(comma);
    as_anywhere();
    assert_ptr_equal(uselocale((locale_t)0), comma);
    snprintf(host, sizeof host, "%g", 1.5);
    assert_string_equal(host, "1,5");
    uselocale(before);
    freelocale(comma);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_forms),       cmocka_unit_test(subnormal_forms),
        cmocka_unit_test(round_trip),        cmocka_unit_test(comma_of_the_process),
        cmocka_unit_test(comma_of_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
