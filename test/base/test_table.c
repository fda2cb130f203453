/* Comma-separated values read, right and wrong, and those that a run writes read back. */
#include "base/file.h"
#include "base/number.h"
#include "base/table.h"

#include <trammel/trammel.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static arena *a;

static source source_of(const char *text) {
    return (source){"data.csv", text, (int)strlen(text)};
}

// the rows as "field|field;", what is wrong behind them
static void assert_rows(const char *text, const char *expected) {
    char shown[2000] = "";
    source file = source_of(text);
    diags d = {.arena = a};
    table_reader r;
    table_begin(&r, a, &file, &d);
    while (table_next(&r))
        for (int i = 0; i < r.fields.count; i++) {
            strcat(shown, r.fields.at[i].text);
            strcat(shown, i + 1 < r.fields.count ? "|" : ";");
        }
    for (int i = 0; i < d.list.count; i++) {
        int line, column;
        place_line(&file, d.list.at[i].place.offset, &line, &column);
        sprintf(shown + strlen(shown), "%d:%d: %s", line, column, d.list.at[i].message);
    }
    assert_string_equal(shown, expected);
}

static void rows(void **state) {
    assert_rows("", "");
    assert_rows("\n\r\n\n", "");
    assert_rows("a", "a;");
    assert_rows("a,b\n", "a|b;");
    assert_rows("a,b\nc,d", "a|b;c|d;");
    assert_rows("a,b\r\nc,d\r\n", "a|b;c|d;");
    assert_rows("\xEF\xBB\xBF\"a\",b\n", "a|b;");
    assert_rows(",\n,,\n", "|;||;");
    assert_rows("a,", "a|;");
    assert_rows(" a , b\n\n\nc\n", " a | b;c;");
    assert_rows("\"a,b\",\"say \"\"hi\"\"\",\"\",\"\"\"\"\n", "a,b|say \"hi\"||\";");
    assert_rows("\"two\nlines\r\n\",x\r\ny", "two\nlines\r\n|x;y;");
    assert_rows("a\rb,c\n", "a\rb|c;");
    assert_rows("link[3],B.q0,x',reaction(x)\n", "link[3]|B.q0|x'|reaction(x);");
    assert_rows("α,\"β,γ\"\n", "α|β,γ;");
}

static void wrong_rows(void **state) {
    assert_rows("a\nb,\"c\nd", "a;2:3: this quotation mark is not closed");
    assert_rows("a\n\"b\"c,d\n", "a;2:4: there is something behind the closing quotation mark");
    assert_rows("é,b\"c\"\n", "1:4: a quotation mark in the midst of a field");
    assert_rows("\"", "1:1: this quotation mark is not closed");
    assert_rows("\"\"\"", "1:1: this quotation mark is not closed");
}

static const table *read_text(const char *text, diags *d) {
    source *file = arena_alloc(a, sizeof *file);
    *file = source_of(text);
    *d = (diags){.arena = a};
    return table_read(a, file, d);
}

static void numbers(void **state) {
    diags d;
    const table *t = read_text("t,\"x, y\",z\n0, 1.5 ,-inf\n1e-3,,nan\n+2,.5,1.7976931348623157e308\n", &d);
    assert_non_null(t);
    assert_int_equal(t->columns, 3);
    assert_int_equal(t->rows, 3);
    assert_int_equal(table_column(t, "x, y"), 1);
    assert_int_equal(table_column(t, "w"), -1);
    assert_true(t->values[0][1] == 1e-3 && t->values[0][2] == 2 && t->values[1][0] == 1.5);
    assert_true(isnan(t->values[1][1]) && t->values[2][0] == -INFINITY && isnan(t->values[2][1]));
    assert_true(t->values[1][2] == 0.5 && t->values[2][2] == 1.7976931348623157e308);
    t = read_text("a,b\n", &d);
    assert_true(t && t->rows == 0 && t->columns == 2);
}

static void assert_wrong(const char *text, const char *expected) {
    diags d;
    assert_null(read_text(text, &d));
    assert_int_equal(d.errors, 1);
    assert_non_null(strstr(diags_text(&d, a, 0), expected));
}

static void wrong_numbers(void **state) {
    assert_wrong("", "there are no columns");
    assert_wrong("a,b\n1,2\n3\n", "data.csv:3:1: error: this row has 1 field, the first one 2");
    assert_wrong("a,b\n1,2,3\n", "data.csv:2:5: error: this row has 3 fields, the first one 2");
    assert_wrong("a,b\n1,2\n3,4 m\n", "data.csv:3:3: error: '4 m' in column 'b' is no number");
    assert_wrong("a\n0x10\n", "'0x10' in column 'a' is no number");
    assert_wrong("a\n\"1,5\"\n", "'1,5' in column 'a' is no number");
    assert_wrong("a\n-\n", "is no number");
    assert_wrong("a\n\"1\n", "data.csv:2:1: error: this quotation mark is not closed");
}

// every field of a file that a run wrote: the name as it was, the number by its shortest form
static void what_a_run_writes(void **state) {
    static const char text[] = "coord link[1..3]\n"
                               "body B: mass = 1, inertia = (1, 2, 3)\n"
                               "initial link[3] = 0.1, link[3]' = 1/3\n"
                               "for i in 1..3: mass link[i] = 1\n"
                               "for i in 1..2: constraint tie[i]: link[i] = i*link[3]\n"
                               "output rate = sin(link[2])\n"
                               "simulate until 0.5, every 0.125\n";
    char path[] = "/tmp/trammel-table-XXXXXX", digits[32];
    const char *why = NULL;
    trm_model *m = NULL;
    trm_result *r = NULL;
    diags d = {.arena = a};
    close(mkstemp(path));
    trm_run_def def = trm_run_def_default();
    def.csv = path;
    assert_int_equal(trm_model_read_text("m.tram", text, NULL, 0, &m), TRM_OK);
    assert_int_equal(trm_run(m, &def, &r), TRM_OK);
    const source *file = file_read(a, path, &why);
    assert_non_null(file);
    const table *t = table_read(a, file, &d);
    assert_non_null(t);
    assert_int_equal(t->rows, 5);
    assert_string_equal(t->names[0], "t");
    static const char *const names[] = {"link[3]",         "B.q0", "link[3]'", "rate", "reaction(link[1])",
                                        "residual(tie[2])"};
    for (int i = 0; i < 6; i++)
        assert_true(table_column(t, names[i]) > 0);
    table_reader again;
    table_begin(&again, a, file, &d);
    assert_true(table_next(&again));
    for (int row = 0; table_next(&again); row++)
        for (int i = 0; i < t->columns; i++)
            assert_string_equal(again.fields.at[i].text, number_shortest(digits, t->values[i][row]));
    trm_result_free(r);
    trm_model_free(m);
    unlink(path);
}

static int enter(void **state) {
    a = arena_new(0);
    return 0;
}

static int leave(void **state) {
    arena_free(a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),          cmocka_unit_test(wrong_rows),        cmocka_unit_test(numbers),
        cmocka_unit_test(wrong_numbers), cmocka_unit_test(what_a_run_writes),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
