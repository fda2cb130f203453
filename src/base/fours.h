/* Four of eight lanes at a time (lanes.h): vectors that gcc 12 keeps in registers with AVX2, and compares
 * there. Of vectors of eight it compares number by number, with AVX-512, too. Functions have o, 0 or 4: which
 * half. */
#ifndef TRAMMEL_BASE_FOURS_H
#define TRAMMEL_BASE_FOURS_H

#include "base/lanes.h"

typedef double four __attribute__((vector_size(32)));
typedef int64_t four_bits __attribute__((vector_size(32)));

static const four FOUR_ZERO = {0, 0, 0, 0}, FOUR_ONE = {1, 1, 1, 1};

LANES_INLINE four four_at(const double *x, long i, int o) {
    four v;
    memcpy(&v, x + i * LANES + o, sizeof v);
    return v;
}

LANES_INLINE void four_put(double *x, long i, int o, four v) {
    memcpy(x + i * LANES + o, &v, sizeof v);
}

LANES_INLINE four four_choose(four_bits which, four a, four b) {
    return (four)(((four_bits)a & which) | ((four_bits)b & ~which));
}

LANES_INLINE four four_size(four v) {
    return (four)((four_bits)v & INT64_MAX);
}

LANES_INLINE four four_larger(four a, four b) { // a, if either is no number
    return four_choose(b > a, b, a);
}

LANES_INLINE four four_root(four v) {
    for (int l = 0; l < 4; l++)
        v[l] = __builtin_sqrt(v[l]);
    return v;
}

LANES_INLINE four four_flags(four_bits which) { // 1 or 0
    return (four)((four_bits)FOUR_ONE & which);
}

LANES_INLINE four_bits four_true(void) {
    return FOUR_ZERO == FOUR_ZERO;
}

LANES_INLINE bool four_any(four_bits v) {
    return v[0] | v[1] | v[2] | v[3];
}

LANES_INLINE bool four_all(four_bits v) {
    return v[0] & v[1] & v[2] & v[3];
}

#endif
