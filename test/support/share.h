/* Which cases of a long test this run takes: TEST_EVERY=n one in n, TEST_PART=k/n the k'th of n parts of
 * these. Without them, all. test/tiers.txt says what "make test" sets. */
#ifndef TRAMMEL_TEST_SUPPORT_SHARE_H
#define TRAMMEL_TEST_SUPPORT_SHARE_H

#include <stdbool.h>
#include <stdlib.h>

static inline long test_every(void) {
    const char *every = getenv("TEST_EVERY");
    return every ? strtol(every, NULL, 10) : 1;
}

// whether case k is taken, k = 0, 1, ...
static inline bool test_takes(long k) {
    char *rest = NULL;
    const char *given = getenv("TEST_PART");
    long part = given ? strtol(given, &rest, 10) : 1, parts = given ? strtol(rest + 1, NULL, 10) : 1;
    return k % test_every() == 0 && k / test_every() % parts == part - 1;
}

#endif
