/* Names as numbers, distances between spellings, suggestions; the table from 64-bit keys. */
#include "base/map.h"
#include "base/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void interning(void **state) {
    enum { COUNT = 20000 };
    arena *a = arena_new(0);
    names *table = names_new(a);
    char name[32];
    for (int round = 0; round < 2; round++) // the second time all are known
        for (int i = 0; i < COUNT; i++) {
            int length = snprintf(name, sizeof name, "%s%d", i % 2 ? "q" : "link_", i);
            assert_int_equal(names_intern(table, name, length), i);
            assert_int_equal(names_count(table), round ? COUNT : i + 1);
        }
    for (int i = 0; i < COUNT; i++) {
        int length = snprintf(name, sizeof name, "%s%d", i % 2 ? "q" : "link_", i);
        assert_int_equal(names_find(table, name, length), i);
        assert_string_equal(names_text(table, i), name);
        assert_int_equal(names_find(table, name, length - 1) == i, 0);
    }
    assert_int_equal(names_find(table, "nowhere", 7), -1);
    assert_int_equal(names_count(table), COUNT); // finding adds nothing
    arena_free(a);
}

// only `length` bytes count, and the text is the table's own
static void parts_of_texts(void **state) {
    arena *a = arena_new(0);
    names *table = names_new(a);
    char text[] = "xyz";
    int x = names_intern(table, text, 1), xy = names_intern(table, text, 2),
        none = names_intern(table, text, 0);
    assert_true(x != xy && xy != none && x != none);
    text[0] = 'a';
    assert_string_equal(names_text(table, x), "x");
    assert_string_equal(names_text(table, xy), "xy");
    assert_string_equal(names_text(table, none), "");
    assert_int_equal(names_find(table, "X", 1), -1); // case matters
    arena_free(a);
}

/* The same distance by brute force: breadth-first from a over single edits, letters of a small alphabet. The
 * distance of names_distance edits no part twice, so cases are compared where that makes no difference: up to
 * two edits. */
typedef struct {
    char text[2000][12];
    int count;
} word_list;

static void add_word(word_list *list, const char *word) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->text[i], word) == 0)
            return;
    if (list->count < 2000)
        strcpy(list->text[list->count++], word);
}

static void add_edits(word_list *list, const char *word) {
    size_t n = strlen(word);
    char edited[12];
    for (size_t i = 0; i <= n; i++) {
        for (char c = 'a'; c <= 'c'; c++) {
            snprintf(edited, sizeof edited, "%.*s%c%s", (int)i, word, c, word + i);
            add_word(list, edited);
            if (i < n) {
                snprintf(edited, sizeof edited, "%.*s%c%s", (int)i, word, c, word + i + 1);
                add_word(list, edited);
            }
        }
        if (i < n) {
            snprintf(edited, sizeof edited, "%.*s%s", (int)i, word, word + i + 1);
            add_word(list, edited);
        }
        if (i + 1 < n) {
            snprintf(edited, sizeof edited, "%.*s%c%c%s", (int)i, word, word[i + 1], word[i], word + i + 2);
            add_word(list, edited);
        }
    }
}

static void distances(void **state) {
    static word_list one;
    const char *const words[] = {"", "a", "ab", "abc", "aab", "cabac", "bbbb"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        one.count = 0;
        add_edits(&one, words[w]);
        for (int i = 0; i < one.count; i++) {
            int same = strcmp(one.text[i], words[w]) == 0;
            assert_int_equal(names_distance(words[w], one.text[i]), same ? 0 : 1);
            assert_int_equal(names_distance(one.text[i], words[w]), same ? 0 : 1);
        }
    }
    assert_int_equal(names_distance("kitten", "sitting"), 3);
    assert_int_equal(names_distance("constraint", "constarint"), 1);
    assert_int_equal(names_distance("abc", ""), 3);
    assert_int_equal(names_distance("abc", "xyz"), 3);
}

// no memory is overrun by long names, and a long name is far from everything
static void long_names(void **state) {
    char a[200], b[200];
    memset(a, 'a', sizeof a);
    memset(b, 'a', sizeof b);
    for (int n = 40; n < 60; n++) {
        a[n] = '\0';
        b[n + 1] = '\0';
        assert_true(names_distance(a, b) >= 1);
        a[n] = b[n + 1] = 'a';
    }
}

static const char *suggestion(const char *wrong, const char *const *candidates) {
    name_guess best = {0};
    for (; *candidates; candidates++)
        names_offer(&best, wrong, *candidates);
    return best.text ? best.text : "";
}

static void suggestions(void **state) {
    const char *const keywords[] = {"constraint", "coord",    "kinetic", "potential",
                                    "param",      "simulate", "x",       NULL};
    assert_string_equal(suggestion("constrant", keywords), "constraint");
    assert_string_equal(suggestion("contsraint", keywords), "constraint");
    assert_string_equal(suggestion("cord", keywords), "coord");
    assert_string_equal(suggestion("Coord", keywords), "coord");
    assert_string_equal(suggestion("KINETIC", keywords), "kinetic"); // case alone, however much of it
    assert_string_equal(suggestion("X", keywords), "x");
    assert_string_equal(suggestion("parma", keywords), "param");
    assert_string_equal(suggestion("banana", keywords), "");
    assert_string_equal(suggestion("y", keywords), ""); // short names are all close to each other
    assert_string_equal(suggestion("ab", keywords), "");
    const char *const near[] = {"lengths", "length", NULL}; // the closest, not the first
    assert_string_equal(suggestion("lenght", near), "length");
    assert_string_equal(suggestion("lengthss", near), "lengths");
}

static void table(void **state) {
    enum { COUNT = 50000 };
    arena *a = arena_new(0);
    map m;
    map_init(&m, a);
    assert_int_equal(map_get(&m, 0), -1);
    for (uint64_t i = 0; i < COUNT; i++)
        map_put(&m, i * 0x100000001u, (int)i);
    map_put(&m, UINT64_MAX, 7);
    assert_int_equal(m.count, COUNT + 1);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(map_get(&m, i * 0x100000001u), (int)i);
    assert_int_equal(map_get(&m, UINT64_MAX), 7);
    assert_int_equal(map_get(&m, 1), -1);
    for (uint64_t i = 0; i < COUNT; i += 3) // a key that is there gets a new value
        map_put(&m, i * 0x100000001u, 0);
    assert_int_equal(m.count, COUNT + 1);
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(map_get(&m, i * 0x100000001u), i % 3 ? (int)i : 0);
    arena_free(a);
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// neighbouring keys and pairs of them must not fall on each other
static void mixing(void **state) {
    enum { SIDE = 300 };
    static uint64_t hash[SIDE * SIDE];
    for (uint64_t i = 0; i < SIDE; i++)
        for (uint64_t j = 0; j < SIDE; j++)
            hash[i * SIDE + j] = map_mix(map_mix(0, i), j);
    qsort(hash, SIDE * SIDE, sizeof *hash, ascending);
    for (int i = 1; i < SIDE * SIDE; i++)
        assert_true(hash[i] != hash[i - 1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interning),  cmocka_unit_test(parts_of_texts), cmocka_unit_test(distances),
        cmocka_unit_test(long_names), cmocka_unit_test(suggestions),    cmocka_unit_test(table),
        cmocka_unit_test(mixing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
