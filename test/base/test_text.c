/* Texts that grow. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void growing(void **state) {
    arena *a = arena_new(0);
    text t;
    text_init(&t, a);
    assert_string_equal(text_string(&t), "");
    for (int i = 0; i < 10000; i++) {
        text_add(&t, "ab");
        text_print(&t, "%d", i % 10);
        text_add_bytes(&t, "cde", 1);
        text_print(&t, "%s", "");
        assert_int_equal(t.bytes.count, 4 * (i + 1));
    }
    const char *all = text_string(&t);
    assert_int_equal(strlen(all), 40000);
    for (int i = 0; i < 10000; i++)
        assert_true(memcmp(all + 4 * i, (char[]){'a', 'b', (char)('0' + i % 10), 'c'}, 4) == 0);
    arena_free(a);
}

static void assert_tamed(const char *given, bool lines, const char *expected) {
    char copy[200];
    snprintf(copy, sizeof copy, "%s", given);
    assert_int_equal(text_tame(copy, lines), strlen(expected));
    assert_string_equal(copy, expected);
}

static void what_a_terminal_may_show(void **state) {
    assert_tamed("", false, "");
    assert_tamed("plain – ½ 𝛼 \t.", false, "plain – ½ 𝛼 \t.");
    assert_tamed("a\033[2J\007\177b\r", false, "a?[2J??b?");
    assert_tamed("two\nlines\n", true, "two\nlines\n");
    assert_tamed("two\nlines\n", false, "two?lines?");
    assert_tamed("\xC2\x9B"
                 "31m\xC2\x80\xC2\x9F\xC2\xA0.",
                 true, "?31m??\xC2\xA0."); // U+009B begins a sequence as ESC [ does
    assert_tamed("\x9B"
                 "31m",
                 true, "31m");
    assert_tamed("a\xFF\xC3", false, "a??");
    assert_tamed("\xE2\x82z\xF0\x9F\x98\x80\x80", false, "?z\xF0\x9F\x98\x80");
    assert_tamed("\xED\xA0\x80|\xC0\xAF|", false, "?|?|");
    // lines and directions of writing: U+2028 to U+202E, U+2066 to U+2069, and their neighbours
    assert_tamed("\u2027\u2028\u2029\u202A\u202B\u202C\u202D\u202E\u202F", true, "\u2027???????\u202F");
    assert_tamed("\u2065\u2066\u2067\u2068\u2069\u206A", false, "\u2065????\u206A");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing),
        cmocka_unit_test(what_a_terminal_may_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
