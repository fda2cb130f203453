/* What pictures and pages are made of: strings for gnuplot, texts for a script element, MathML, samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/gnuplot.h"
#include "report/json.h"
#include "report/letters.h"
#include "report/mathml.h"
#include "report/record.h"

static void check_string(const char *shown, const char *expected) {
    arena *a = arena_new(0);
    text t;
    text_init(&t, a);
    gnuplot_string(&t, shown);
    assert_string_equal(text_string(&t), expected);
    arena_free(a);
}

static void strings_for_gnuplot(void **state) {
    check_string("Path of A", "\"Path of A\"");
    check_string("x1", "\"x\\061\"");
    check_string("\"'`\\@{}$", "\"\\042\\047\\140\\134\\100\\173\\175\\044\"");
    check_string("a\nb", "\"a\\012b\"");
    check_string("\033[0m\x7f", "\"\\077\\133\\060m\\077\"");
    check_string("½", "\"\\302\\275\"");
    check_string("\xC2", "\"\\077\"");
}

// no byte but letters, blanks and \ooo, whatever the text
static void strings_for_gnuplot_are_harmless(void **state) {
    arena *a = arena_new(0);
    char all[2] = "";
    for (int c = 1; c < 256; c++) {
        text t;
        text_init(&t, a);
        all[0] = (char)c;
        gnuplot_string(&t, all);
        const char *s = text_string(&t);
        size_t length = strlen(s);
        assert_true(s[0] == '"' && s[length - 1] == '"');
        assert_true(length == 3 ? strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ") == 1
                                : length == 6 && s[1] == '\\' && strspn(s + 2, "01234567") == 3);
    }
    arena_free(a);
}

static void characters(void **state) {
    static const struct {
        const char *at;
        int length;
    } cases[] = {{"a", 1},
                 {"½", 2},
                 {"…", 3},
                 {"😀", 4},
                 {"\x80", 0},
                 {"\xC0\x80", 0},
                 {"\xC3", 0},
                 {"\xE0\x80\x80", 0},
                 {"\xED\xA0\x80", 0},
                 {"\xF0\x80\x80\x80", 0},
                 {"\xF4\x90\x80\x80", 0},
                 {"\xF5\x80\x80\x80", 0},
                 {"\xFF", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(text_character(cases[i].at), cases[i].length);
}

static void texts_are_shortened(void **state) {
    arena *a = arena_new(0);
    static const struct {
        const char *shown;
        double room;
        const char *expected;
    } cases[] = {{"abc", 3, "abc"},    {"abcd", 3, "ab…"}, {"中文", 4, "中文"}, {"中文字", 5, "中文…"},
                 {"中文字", 4, "中…"}, {"", 0, ""},        {"ab", 1, "…"},      {"\xFFxyz", 3, "\xFFx…"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(letters_shorten(a, cases[i].shown, cases[i].room, letters_in_terminal),
                            cases[i].expected);
    arena_free(a);
}

static void check_lines(const char *shown, double room, int most, const char *expected) {
    arena *a = arena_new(0);
    text t;
    text_init(&t, a);
    letters_lines lines = letters_wrap(a, shown, room, most, letters_in_terminal);
    for (int i = 0; i < lines.count; i++)
        text_print(&t, "%s|", lines.at[i]);
    assert_string_equal(text_string(&t), expected);
    arena_free(a);
}

static void texts_are_wrapped(void **state) {
    check_lines("", 5, 3, "|");
    check_lines("one two three", 20, 3, "one two three|");
    check_lines("one two three", 7, 3, "one two|three|");
    check_lines("one two three", 6, 2, "one|two t…|");
    check_lines("onetwothree", 4, 3, "onet|woth|ree|");
    check_lines("中文字", 1, 2, "中|…|"); // a character that does not fit stands alone
}

static void check_json(bool safe, const char *value, const char *expected) {
    arena *a = arena_new(0);
    json j;
    json_init(&j, a);
    j.safe = safe;
    json_string(&j, value);
    assert_string_equal(text_string(&j.out), expected);
    arena_free(a);
}

static void texts_of_pages(void **state) {
    check_json(false, "a<b\u2028\u202E\177\xC2\x85", "\"a<b\\u2028\\u202e\\u007f\\u0085\"");
    check_json(true, "</script>", "\"\\u003c/script>\"");
    check_json(true, "\u2028\u2029", "\"\\u2028\\u2029\"");
    check_json(true, "…½\"\\\n", "\"…½\\\"\\\\\\u000a\"");
    check_json(true, "\xFFx\xC3", "\"\\ufffdx\\ufffd\"");
}

static void check_mathml(const char *latex, const char *expected) {
    arena *a = arena_new(0);
    const char *made = mathml_from_latex(a, latex);
    if (strstr(made, expected) == NULL)
        fail_msg("no %s in %s", expected, made);
    arena_free(a);
}

static void formulas(void **state) {
    check_mathml("$x_{1}^{2}$",
                 "<msubsup><mi>x</mi><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></msubsup>");
    check_mathml("$\\dot{x}$", "<mover accent=\"true\"><mrow><mi>x</mi></mrow><mo>˙</mo></mover>");
    check_mathml("$\\ddot{\\theta}$", "<mi>θ</mi></mrow><mo>¨</mo>");
    check_mathml("$\\frac{a}{2\\,b}$", "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn>");
    check_mathml("$\\left(a - b\\right)^{2}$",
                 "<msup><mrow><mo>(</mo><mi>a</mi><mo>−</mo><mi>b</mi><mo>)</mo></mrow>");
    check_mathml("$a < b$", "<mo>&lt;</mo>");
    check_mathml(
        "\\begin{align*}\nM &= \\begin{pmatrix} m & 0 \\\\ 0 & m \\end{pmatrix} \\\\\nb &= 0\n\\end{align*}",
        "<mtable><mtr><mtd><mi>m</mi></mtd><mtd><mn>0</mn></mtd></mtr><mtr>");
    check_mathml("with $m = 1$, $L = 2$",
                 "<mtext>with\xC2\xA0</mtext><mrow><mi>m</mi><mo>=</mo><mn>1</mn></mrow>");
    check_mathml("% a comment\n$\\operatorname{sign}\\left(x\\right)$",
                 "<mi mathvariant=\"normal\">sign</mi>");
    check_mathml("$\\text{on\\_line}$", "<mtext>on_line</mtext>");
    check_mathml("$\\sin\\left(x\\right)$", "<mi>sin</mi><mrow><mo>(</mo>");
}

// what ends too early, or is none of our LaTeX, gives something and comes to an end
static void check_ends(const char *latex) {
    arena *a = arena_new(1 << 24);
    jmp_buf endless;
    if (setjmp(endless))
        fail_msg("no end of it");
    arena_recover(a, &endless);
    assert_non_null(mathml_from_latex(a, latex));
    arena_free(a);
}

static void broken_formulas(void **state) {
    static const char *const wrong[] = {
        "$",         "$\\",      "$\\left", "$\\frac", "$x^", "$\\frac{", "$\\unknown", "\\begin{align*}",
        "$\\begin{", "$\\text{", "}",       "$}$",     "\\",  "$x_{",     "&"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_ends(wrong[i]);
}

static void rows_left_out(void **state) {
    arena *a = arena_new(0);
    text t;
    text_init(&t, a);
    text_add(&t, "\\begin{align*}\nx &= 0");
    for (int i = 0; i < 999; i++)
        text_add(&t, " \\\\\nx &= 0");
    text_add(&t, "\n\\end{align*}\n");
    const char *made = mathml_from_latex(a, text_string(&t));
    assert_non_null(strstr(made, "600 more rows are left out"));
    arena_free(a);
}

// the test vectors of RFC 4648
static void bytes_in_pages(void **state) {
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\377\376\373", "//77"}};
    arena *a = arena_new(0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        json j;
        json_init(&j, a);
        json_base64(&j, (const unsigned char *)pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(text_string(&j.out), arena_print(a, "\"%s\"", pairs[i][1]));
    }
    arena_free(a);
}

// samples in blocks come back as they were
static void samples(void **state) {
    arena *a = arena_new(0);
    model m = {.view_count = 2, .plot_view_count = 1, .coords.count = 1};
    trm_system sys = {.model = &m, .n = 1, .m = 0, .work_count = 1};
    record r;
    record_init(&r, a, &sys, RECORD_PAGE, 1000, 1e-9);
    for (int i = 0; i < 1000; i++) {
        double q = i, v = -i, views[] = {2 * i, 3 * i}, reaction = 0.5 * i;
        double energy[] = {4 * i, 5 * i, 6 * i}, work = 7 * i, power = 8 * i;
        sample s = {.t = 0.1 * i, .q = &q, .v = &v, .views = views, .reaction = &reaction};
        s.energy = energy, s.work = &work, s.power = &power;
        assert_true(record_take(&r, &s));
    }
    assert_int_equal(r.count, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_true(record_time(&r, i) == 0.1 * i && record_view(&r, i, -1) == 0.1 * i);
        assert_true(record_view(&r, i, 1) == 3 * i && record_column(&r, i, COLUMN_VELOCITY, 0) == -i);
        assert_true(record_column(&r, i, COLUMN_REACTION, 0) == 0.5 * i);
        static const double times[] = {4, 6, 10, 11, 7, 8};
        const double *kept = record_numbers(&r, i) + r.first_energy;
        for (int k = 0; k < 6; k++) // T, V, T + V, T2 - T0 + V, work, power
            assert_true(kept[k] == times[k] * i);
    }
    record_init(&r, a, &sys, RECORD_PAGE, 9e5, 1e-9); // three columns and two views of as many samples
    assert_true(r.first[COLUMN_VELOCITY] > 0 && r.first[COLUMN_REACTION] < 0 && r.view_count == 2);
    assert_int_equal(r.first_energy, -1); // what comes last goes first
    record_init(&r, a, &sys, RECORD_PAGE, 1e8, 1e-9);
    assert_true(r.first[COLUMN_COORDINATE] < 0 && r.view_count == 1);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_for_gnuplot),
        cmocka_unit_test(strings_for_gnuplot_are_harmless),
        cmocka_unit_test(characters),
        cmocka_unit_test(texts_are_shortened),
        cmocka_unit_test(texts_are_wrapped),
        cmocka_unit_test(texts_of_pages),
        cmocka_unit_test(formulas),
        cmocka_unit_test(broken_formulas),
        cmocka_unit_test(rows_left_out),
        cmocka_unit_test(bytes_in_pages),
        cmocka_unit_test(samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
