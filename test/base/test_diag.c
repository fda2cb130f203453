/* What people see when something is wrong: places, lines, carets, hints. */
#include "base/diag.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    arena *arena;
    source source;
    diags diags;
} fixture;

static fixture open_text(const char *content) {
    fixture f = {.arena = arena_new(0)};
    f.source = (source){"m.tram", content, (int)strlen(content)};
    f.diags.arena = f.arena;
    return f;
}

// the place of the first occurrence of a piece
static place find(const fixture *f, const char *piece) {
    const char *at = strstr(f->source.text, piece);
    assert_non_null(at);
    return (place){&f->source, (int)(at - f->source.text), (int)strlen(piece)};
}

static void assert_shown(fixture *f, place where, const char *expected) {
    diag_error(&f->diags, where, "wrong");
    assert_string_equal(diags_text(&f->diags, f->arena, 0), expected);
    arena_free(f->arena);
}

static void plain_caret(void **state) {
    fixture f = open_text("coord x\nkinetic m/2*x'^2\n");
    assert_shown(&f, find(&f, "m/2"), "m.tram:2:9: error: wrong\n    kinetic m/2*x'^2\n            ^~~\n");
}

// tabs before the caret stay tabs, so that it stands under the place however wide they are
static void caret_after_tabs(void **state) {
    fixture f = open_text("\tforce\tx = y");
    assert_shown(&f, find(&f, "y"), "m.tram:1:12: error: wrong\n    \tforce\tx = y\n    \t     \t    ^\n");
}

// columns and the caret count characters, not bytes
static void caret_after_utf8(void **state) {
    fixture f = open_text("title \"Pendel fällt – weit\" oops");
    assert_shown(&f, find(&f, "oops"),
                 "m.tram:1:29: error: wrong\n    title \"Pendel fällt – weit\" oops\n"
                 "                                ^~~~\n");
    f = open_text("x = größe");
    assert_shown(&f, find(&f, "größe"), "m.tram:1:5: error: wrong\n    x = größe\n        ^~~~~\n");
}

static void end_of_text(void **state) {
    fixture f = open_text("coord x\nforce x =");
    place end = {&f.source, f.source.length, 0};
    assert_shown(&f, end, "m.tram:2:10: error: wrong\n    force x =\n             ^\n");
    f = open_text("");
    assert_shown(&f, (place){&f.source, 0, 0}, "m.tram:1:1: error: wrong\n    \n    ^\n");
}

static void carriage_returns(void **state) {
    fixture f = open_text("coord x\r\nforce y = 1\r\n");
    assert_shown(&f, find(&f, "y"), "m.tram:2:7: error: wrong\n    force y = 1\n          ^\n");
}

// an extent beyond the line's end is marked up to there
static void extent_over_lines(void **state) {
    fixture f = open_text("let a = (1 +\n  2)\n");
    place where = {&f.source, 8, 9};
    assert_shown(&f, where, "m.tram:1:9: error: wrong\n    let a = (1 +\n            ^~~~\n");
}

static int characters(const char *line) {
    int count = 0;
    for (; *line && *line != '\n'; line++)
        count += ((unsigned char)*line & 0xC0) != 0x80;
    return count;
}

static void assert_valid_utf8(const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        int more = *c >= 0xF0 ? 3 : *c >= 0xE0 ? 2 : *c >= 0xC0 ? 1 : 0;
        assert_true(more || *c < 0x80);
        for (; more; more--)
            assert_true((*++c & 0xC0) == 0x80);
    }
}

// of a long line the part around the place is shown, whole characters, with the caret under it
static void check_long_line(const char *filler, int before, int after) {
    char *content = calloc(1, strlen(filler) * (size_t)(before + after) + 10);
    for (int i = 0; i < before; i++)
        strcat(content, filler);
    strcat(content, "HERE");
    for (int i = 0; i < after; i++)
        strcat(content, filler);
    fixture f = open_text(content);
    diag_error(&f.diags, find(&f, "HERE"), "wrong");
    char *out = diags_text(&f.diags, f.arena, 0);
    assert_valid_utf8(out);
    char *line = strchr(out, '\n') + 1, *caret = strchr(line, '\n') + 1;
    assert_true(caret - line < 300);
    char *here = strstr(line, "HERE"), *mark = strchr(caret, '^');
    assert_true(here && here < caret && mark);
    *here = '\0'; // as many characters before both
    *mark = '\0';
    assert_int_equal(characters(line), characters(caret));
    assert_true(strncmp(mark + 1, "~~~\n", 4) == 0);
    arena_free(f.arena);
    free(content);
}

static void long_lines(void **state) {
    const char *const fillers[] = {"a", "ab ", "é", "–", "\xF0\x9D\x9C\x91", "\t"};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        for (int before = 0; before < 200; before += 13)
            for (int after = 0; after < 200; after += 17)
                check_long_line(fillers[i], before, after);
}

static void lines_and_columns(void **state) {
    const char *content = "ab\n\né–x\ny";
    source s = {"p", content, (int)strlen(content)};
    const int expected[][3] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3},  {3, 2, 1},  {4, 3, 1},
                               {6, 3, 2}, {9, 3, 3}, {10, 3, 4}, {11, 4, 1}, {12, 4, 2}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int line, column;
        place_line(&s, expected[i][0], &line, &column);
        assert_int_equal(line, expected[i][1]);
        assert_int_equal(column, expected[i][2]);
    }
}

static void hints_and_other_places(void **state) {
    fixture f = open_text("coord x\ncoord x\n");
    diag *d = diag_error(&f.diags, (place){&f.source, 14, 1}, "'%s' is declared twice", "x");
    d->hint = "choose another name";
    d->other = (place){&f.source, 6, 1};
    diag_warning(&f.diags, (place){0}, "%d%%", 50);
    assert_int_equal(f.diags.errors, 1);
    assert_string_equal(diags_text(&f.diags, f.arena, 0), "m.tram:2:7: error: 'x' is declared twice\n"
                                                          "    coord x\n          ^\n"
                                                          "    choose another name\n"
                                                          "m.tram:1:7: the other place:\n"
                                                          "    coord x\n          ^\n"
                                                          "warning: 50%\n");
    char *coloured = diags_text(&f.diags, f.arena, 1);
    assert_non_null(strstr(coloured, "\033[1;31merror:\033[0m '"));
    assert_non_null(strstr(coloured, "\033[1;33mwarning:\033[0m 50%"));
    assert_null(strchr(diags_text(&f.diags, f.arena, 0), '\033'));
    arena_free(f.arena);
}

static void nothing_wrong(void **state) {
    fixture f = open_text("");
    assert_string_equal(diags_text(&f.diags, f.arena, 1), "");
    arena_free(f.arena);
}

// the first error at a place says it all; a warning there is another matter
static void once_for_each_place(void **state) {
    fixture f = open_text("abc");
    diag_error(&f.diags, find(&f, "b"), "first");
    diag_error(&f.diags, find(&f, "b"), "second")->hint = "lost";
    diag_warning(&f.diags, find(&f, "b"), "third");
    diag_error(&f.diags, find(&f, "c"), "fourth");
    diag_error(&f.diags, (place){0}, "fifth"); // without a place there is nothing to compare
    diag_error(&f.diags, (place){0}, "sixth");
    assert_int_equal(f.diags.errors, 4);
    char *out = diags_text(&f.diags, f.arena, 0);
    assert_null(strstr(out, "second"));
    assert_null(strstr(out, "lost"));
    const char *const kept[] = {"first", "third", "fourth", "fifth", "sixth"};
    for (int i = 0; i < 5; i++)
        assert_non_null(strstr(out, kept[i]));
    arena_free(f.arena);
}

static void too_many_errors(void **state) {
    fixture f = open_text("");
    for (int i = 0; i < DIAG_MOST + 15; i++)
        diag_error(&f.diags, (place){0}, "error number %d.", i)->hint = "hint";
    assert_int_equal(f.diags.errors, DIAG_MOST + 15);
    char *out = diags_text(&f.diags, f.arena, 0);
    assert_non_null(strstr(out, "error number 19."));
    assert_null(strstr(out, "error number 20."));
    assert_non_null(strstr(out, "and 15 more errors\n"));
    arena_free(f.arena);
}

// warnings, however many, do not hide an error
static void errors_behind_warnings(void **state) {
    fixture f = open_text("");
    for (int i = 0; i < 2 * DIAG_MOST; i++)
        diag_warning(&f.diags, (place){0}, "warning %d", i);
    diag_error(&f.diags, (place){0}, "this is what is wrong");
    assert_non_null(strstr(diags_text(&f.diags, f.arena, 0), "this is what is wrong"));
    arena_free(f.arena);
}

// ---- files

static void reading(void **state) {
    arena *a = arena_new(0);
    char folder[] = "/tmp/trammel-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = arena_print(a, "%s/m.tram", folder), *why = NULL;
    assert_null(file_read(a, path, &why));
    assert_string_equal(why, "there is no such file");
    assert_null(file_read(a, folder, &why));
    assert_non_null(strstr(why, "folder"));
    assert_null(file_read(a, arena_print(a, "%s/nowhere/m.tram", folder), &why));
    for (int size = 0; size < 200000; size = 3 * size + 1) {
        FILE *out = fopen(path, "wb");
        for (int i = 0; i < size; i++)
            fputc('a' + i % 26, out);
        fclose(out);
        const source *s = file_read(a, path, &why);
        assert_true(s && s->length == size && s->text[size] == '\0');
        assert_string_equal(s->path, path);
        for (int i = 0; i < size; i++)
            assert_int_equal(s->text[i], 'a' + i % 26);
    }
    FILE *out = fopen(path, "wb");
    fwrite("a\0b", 1, 3, out);
    fclose(out);
    assert_null(file_read(a, path, &why));
    assert_non_null(strstr(why, "zero bytes"));
    out = fopen(path, "wb");
    fseek(out, (16 << 20) + 10, SEEK_SET);
    fputc('x', out);
    fclose(out);
    assert_null(file_read(a, path, &why));
    assert_non_null(strstr(why, "larger than 16 MiB"));
    unlink(path);
    rmdir(folder);
    arena_free(a);
}

static void beside(void **state) {
    arena *a = arena_new(0);
    assert_string_equal(file_beside(a, "models/a.tram", "b.tram"), "models/b.tram");
    assert_string_equal(file_beside(a, "/x/y/a.tram", "../b.tram"), "/x/y/../b.tram");
    assert_string_equal(file_beside(a, "a.tram", "b.tram"), "b.tram");
    assert_string_equal(file_beside(a, "models/a.tram", "/b.tram"), "/b.tram");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_caret),
        cmocka_unit_test(caret_after_tabs),
        cmocka_unit_test(caret_after_utf8),
        cmocka_unit_test(end_of_text),
        cmocka_unit_test(carriage_returns),
        cmocka_unit_test(extent_over_lines),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(lines_and_columns),
        cmocka_unit_test(hints_and_other_places),
        cmocka_unit_test(nothing_wrong),
        cmocka_unit_test(once_for_each_place),
        cmocka_unit_test(too_many_errors),
        cmocka_unit_test(errors_behind_warnings),
        cmocka_unit_test(reading),
        cmocka_unit_test(beside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
