/* Teams: each part of each task is done once, by any number of threads, and all are done when the call
 * returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/team.h"

enum { PARTS_MOST = 50 };

typedef struct {
    int done[PARTS_MOST];
} task;

static void do_part(void *context, int i) {
    task *t = context;
    t->done[i]++;
}

static void each_part_once(void **state) {
    for (int threads = 1; threads <= 8; threads++) {
        arena *a = arena_new(0);
        team *t = team_new(a, threads);
        assert_true((t != NULL) == (threads > 1));
        for (int round = 0; round < 500; round++) {
            task now = {0};
            int parts = round % (PARTS_MOST + 1);
            team_run(t, parts, do_part, &now);
            for (int i = 0; i < PARTS_MOST; i++)
                assert_int_equal(now.done[i], i < parts);
        }
        arena_free(a);
    }
}

static void number_of_threads(void **state) {
    setenv("TRAMMEL_THREADS", "3", 1);
    assert_int_equal(team_threads_wanted(), 3);
    setenv("TRAMMEL_THREADS", "1000", 1);
    assert_int_equal(team_threads_wanted(), 8);
    setenv("TRAMMEL_THREADS", "none", 1);
    assert_int_equal(team_threads_wanted(), 1);
    unsetenv("TRAMMEL_THREADS");
    assert_true(team_threads_wanted() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_part_once), cmocka_unit_test(number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
