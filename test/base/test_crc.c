/* CRC-32 against known values and against its definition, bit by bit. */
#include "base/crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void known_values(void **state) {
    assert_int_equal(crc_add(0, "", 0), 0);
    assert_int_equal(crc_add(0, "123456789", 9), 0xCBF43926);
    assert_int_equal(crc_add(0, "a", 1), 0xE8B7BE43);
    assert_int_equal(crc_add(0, "The quick brown fox jumps over the lazy dog", 43), 0x414FA339);
    assert_int_equal(crc_add(0, "\0\0\0\0", 4), 0x2144DF1C);
}

// division of polynomials, a bit at a time
static uint32_t by_definition(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    }
    return ~crc;
}

static void all_bytes_in_pieces(void **state) {
    unsigned char bytes[1000];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    uint32_t whole = by_definition(bytes, sizeof bytes);
    assert_int_equal(crc_add(0, bytes, sizeof bytes), whole);
    for (size_t cut = 0; cut <= sizeof bytes; cut += 37)
        assert_int_equal(crc_add(crc_add(0, bytes, cut), bytes + cut, sizeof bytes - cut), whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_values), cmocka_unit_test(all_bytes_in_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
