/* The arena: alignment, zeroed memory, children, what is released with it, limits and the way back when
 * memory runs out; growing arrays. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int all_zero(const void *block, size_t size) {
    const unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return 0;
    return 1;
}

// blocks of all sizes: aligned, zeroed, and none overlaps another
static void blocks(void **state) {
    enum { COUNT = 4000 };
    static unsigned char *block[COUNT];
    static size_t size[COUNT];
    arena *a = arena_new(0);
    for (int i = 0; i < COUNT; i++) {
        size[i] = (size_t)(i * 37 % 1009) + (i % 100 == 0 ? (size_t)i * 64 : 0);
        if (i % 3 == 2) {
            size[i] = size[i] / 8 * 8;
            block[i] = (unsigned char *)arena_doubles(a, size[i] / 8);
            assert_int_equal((uintptr_t)block[i] % 64, 0);
        } else {
            block[i] = arena_alloc(a, size[i]);
            assert_int_equal((uintptr_t)block[i] % 16, 0);
        }
        assert_true(all_zero(block[i], size[i]));
        memset(block[i], i % 251 + 1, size[i]);
    }
    for (int i = 0; i < COUNT; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(block[i][k], i % 251 + 1);
    arena_free(a);
}

// a block larger than a chunk neither spoils the chunk in use nor is spoilt by what follows
static void big_blocks(void **state) {
    arena *a = arena_new(0);
    char *before = arena_alloc(a, 100);
    size_t used = arena_used(a);
    char *big = arena_alloc(a, 10000000);
    char *after = arena_alloc(a, 100);
    assert_true(arena_used(a) >= used + 10000000);
    assert_true(arena_used(a) < used + 10000000 + 1000000);
    assert_true(all_zero(big, 10000000));
    memset(big, 1, 10000000);
    assert_true(all_zero(before, 100) && all_zero(after, 100));
    assert_ptr_equal(after, before + 112); // the chunk in use stays in use
    arena_free(a);
    a = arena_new(0); // a big block may also be the first
    memset(arena_alloc(a, 1 << 20), 1, 1 << 20);
    assert_true(all_zero(arena_alloc(a, 64), 64));
    arena_free(a);
}

static void children(void **state) {
    arena *root = arena_new(0);
    arena_alloc(root, 10);
    size_t alone = arena_used(root);
    arena *kept[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = arena_child(root);
        memset(arena_alloc(kept[i], 100000), 7, 100000);
        arena *grandchild = arena_child(kept[i]);
        arena_alloc(grandchild, 50000);
    }
    assert_true(arena_used(root) >= alone + 3 * 150000);
    assert_int_equal(arena_used(kept[1]), arena_used(root)); // of the whole family
    arena_free(kept[1]);                                     // in the middle of the list, with its child
    assert_true(arena_used(root) >= alone + 2 * 150000 && arena_used(root) < alone + 3 * 150000);
    arena_free(kept[2]);
    arena_free(kept[0]);
    assert_int_equal(arena_used(root), alone);
    arena_alloc(arena_child(root), 100); // freed with its parent: the leak checker watches
    arena_free(root);
    arena_free(NULL);
}

typedef struct {
    const char *name;
    char *order; // of those that were released
} held;

static void let_go(void *object) {
    held *h = object;
    strcat(h->order, h->name);
}

// the last first, those of children before, each once, and while the memory of all is still there
static void released(void **state) {
    static const char *const names[] = {"a", "b", "c"};
    char order[8] = "";
    arena *root = arena_new(0), *inner = arena_child(root);
    for (int i = 0; i < 3; i++) {
        arena *of = i == 1 ? inner : root;
        held *h = arena_alloc(of, sizeof *h);
        *h = (held){names[i], order};
        arena_when_freed(of, let_go, h);
    }
    assert_string_equal(order, "");
    arena_free(inner);
    assert_string_equal(order, "b");
    arena_free(root);
    assert_string_equal(order, "bca");
}

// asks for blocks until there are no more; returns how many bytes there were
static size_t exhaust(arena *a, arena *from, size_t block) {
    volatile size_t total = 0;
    jmp_buf out_of_memory;
    if (setjmp(out_of_memory))
        return total;
    arena_recover(a, &out_of_memory);
    for (;;) {
        memset(arena_alloc(from, block), 1, block);
        total += block;
        assert_true(total < 100000000);
    }
}

static void limits(void **state) {
    const size_t limit = 1000000;
    arena *a = arena_new(limit);
    size_t got = exhaust(a, a, 1000);
    assert_true(got > limit / 2 && got <= limit);
    assert_true(arena_used(a) <= limit + 64);
    arena_free(a);
    a = arena_new(limit); // a child's memory counts for the root, and so does its recover point
    arena *child = arena_child(a);
    got = exhaust(child, child, 100000);
    assert_true(got > limit / 2 && got <= limit);
    arena_free(child); // and is there again when the child is gone
    assert_int_equal(arena_used(a), 0);
    assert_true(exhaust(a, a, 100000) == got);
    arena_free(a);
}

static void absurd_sizes(void **state) {
    arena *a = arena_new(0);
    jmp_buf out_of_memory;
    volatile int back = 0;
    if (setjmp(out_of_memory))
        back++;
    arena_recover(a, &out_of_memory);
    if (back == 0)
        arena_alloc(a, SIZE_MAX);
    if (back == 1)
        arena_alloc(a, SIZE_MAX - 100);
    if (back == 2)
        arena_doubles(a, SIZE_MAX / 8);
    if (back == 3)
        arena_doubles(a, SIZE_MAX / 4);
    if (back == 4) {
        struct {
            char *at;
            int count, room;
        } v = {0};
        vec_reserve(a, v, INT32_MAX); // doubling would overflow
    }
    assert_int_equal(back, 5);
    arena_alloc(a, 10); // of use after all that
    arena_free(a);
}

static void texts(void **state) {
    arena *a = arena_new(0);
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(arena_print(a, "%s-%d-%.2f", "a", 7, 0.5), "a-7-0.50");
    assert_string_equal(arena_print(a, "%s|%s", longest, ""), arena_print(a, "%s%c", longest, '|'));
    assert_int_equal(strlen(arena_print(a, "%s", longest)), sizeof longest - 1);
    assert_string_equal(arena_print(a, "%s", ""), "");
    assert_string_equal(arena_copy(a, "abcdef", 3), "abc");
    assert_string_equal(arena_copy(a, "abcdef", 0), "");
    arena_free(a);
}

static void resize(void **state) {
    arena *a = arena_new(0);
    int *old = arena_array(a, int, 3);
    memcpy(old, (int[]){1, 2, 3}, sizeof(int[3]));
    int *larger = arena_resize(a, old, sizeof(int[3]), sizeof(int[6]));
    assert_memory_equal(larger, ((int[]){1, 2, 3, 0, 0, 0}), sizeof(int[6]));
    int *smaller = arena_resize(a, larger, sizeof(int[6]), sizeof(int[2]));
    assert_memory_equal(smaller, ((int[]){1, 2}), sizeof(int[2]));
    assert_memory_equal(old, ((int[]){1, 2, 3}), sizeof(int[3]));
    arena_free(a);
}

// what doubling leaves behind is at most the array's own size again
static void growing_array(void **state) {
    enum { COUNT = 1000000 };
    arena *a = arena_new(0);
    vec(int) v = {0};
    for (int i = 0; i < COUNT; i++)
        vec_push(a, v, i ^ 12345);
    assert_int_equal(v.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(v.at[i], i ^ 12345);
    assert_true(v.room < 2 * COUNT);
    assert_true(arena_used(a) < 2 * sizeof(int) * (size_t)v.room + (1 << 18));
    int *where = v.at;
    vec_reserve(a, v, v.room - v.count); // there is room: nothing moves
    assert_ptr_equal(v.at, where);
    vec_reserve(a, v, v.room); // beyond it: all is copied
    assert_true(v.room >= 2 * COUNT && v.at[COUNT - 1] == ((COUNT - 1) ^ 12345));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks), cmocka_unit_test(big_blocks),    cmocka_unit_test(children),
        cmocka_unit_test(limits), cmocka_unit_test(absurd_sizes),  cmocka_unit_test(texts),
        cmocka_unit_test(resize), cmocka_unit_test(growing_array), cmocka_unit_test(released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
