/* The guard on SUNDIALS' library: builds that are not as declared are refused. Where it is not there, nothing
 * is tested but that this is said. */
#include "motion/sundials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static sundials lib;

static int version_7(int *major, int *minor, int *patch, char *label, int room) {
    *major = 7;
    *minor = *patch = 0;
    label[0] = '\0';
    return 0;
}

// what a build with four-byte indices writes
static void short_lengths(sun_vector *v, sun_index *reals, sun_index *integers) {
    int32_t one = 1;
    memcpy(reals, &one, sizeof one);
    memcpy(integers, &one, sizeof one);
}

// what builds with single and with extended precision do to the first real
static void absolute_single(sun_vector *from, sun_vector *to) {
    float x;
    memcpy(&x, lib.N_VGetArrayPointer(from), sizeof x);
    x = x < 0 ? -x : x;
    memcpy(lib.N_VGetArrayPointer(from), &x, sizeof x);
}

static void absolute_extended(sun_vector *from, sun_vector *to) {
    ((unsigned char *)lib.N_VGetArrayPointer(from))[9] &= 0x7f; // the sign
}

static int no_memory(void *communicator, sun_context **made) {
    return -1;
}

static void wrong_builds_are_refused(void **state) {
    const char *hint = NULL, *missing = sundials_missing(&hint);
    if (!sundials_load(&lib)) {
        assert_non_null(strstr(missing, "SUNDIALS 6"));
        assert_non_null(strstr(hint, "libsundials-cvode6"));
        return;
    }
    assert_null(missing);
    assert_true(sundials_fits(&lib));
    sundials wrong = lib;
    wrong.SUNDIALSGetVersionNumber = version_7;
    assert_false(sundials_fits(&wrong));
    wrong = lib;
    wrong.N_VSpace = short_lengths;
    assert_false(sundials_fits(&wrong));
    wrong = lib;
    wrong.N_VAbs = absolute_single;
    assert_false(sundials_fits(&wrong));
    wrong.N_VAbs = absolute_extended;
    assert_false(sundials_fits(&wrong));
    wrong = lib;
    wrong.SUNContext_Create = no_memory; // says nothing against it
    assert_true(sundials_fits(&wrong));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_builds_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
