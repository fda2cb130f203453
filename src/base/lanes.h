/* Vectors of eight numbers, for loops that are compiled several times: for AVX-512, for AVX2 and for any
 * processor, where the compiler cuts them to what there is. No operation is fused (CMakeLists.txt), so that
 * all give the same bits. Which one is to be called code/native.h tells at run time.
 *
 * Functions that take or return vectors are inlined, so that it does not matter how these are passed. */
#ifndef TRAMMEL_BASE_LANES_H
#define TRAMMEL_BASE_LANES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

enum { LANES = 8 };

typedef double lanes __attribute__((vector_size(64)));
typedef int64_t lane_bits __attribute__((vector_size(64))); // of numbers, or the result of a comparison

#define LANES_INLINE static inline __attribute__((always_inline))
#ifdef __x86_64__
#define LANES_AVX2   __attribute__((target("avx2")))
#define LANES_AVX512 __attribute__((target("avx512f,avx512dq")))
#endif

#ifdef __clang__
#define LANES_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LANES_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (lane_bits){__VA_ARGS__})
#endif

LANES_INLINE lanes lanes_load(const double *from) {
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

LANES_INLINE void lanes_store(double *to, lanes v) {
    memcpy(to, &v, sizeof v);
}

// numbers that are `step` apart
LANES_INLINE lanes lanes_take(const double *from, long step) {
    if (step == 1)
        return lanes_load(from);
    return (lanes){from[0],        from[step],     from[2 * step], from[3 * step],
                   from[4 * step], from[5 * step], from[6 * step], from[7 * step]};
}

LANES_INLINE void lanes_give(lanes v, double *to, long step) {
    if (step == 1)
        lanes_store(to, v);
    else
        for (int l = 0; l < LANES; l++)
            to[l * step] = v[l];
}

LANES_INLINE lanes lanes_size(lanes v) {
    return (lanes)((lane_bits)v & INT64_MAX);
}

LANES_INLINE lanes lanes_larger(lanes a, lanes b) { // a, if either is no number
    lane_bits more = b > a;
    return (lanes)(((lane_bits)b & more) | ((lane_bits)a & ~more));
}

LANES_INLINE double lanes_largest(lanes v) {
    double most = v[0];
    for (int l = 1; l < LANES; l++)
        most = v[l] > most ? v[l] : most;
    return most;
}

LANES_INLINE double lanes_total(lanes v) {
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += v[l];
    return sum;
}

LANES_INLINE bool lanes_all(lane_bits v) {
    bool every = true;
    for (int l = 0; l < LANES; l++)
        every &= v[l] != 0;
    return every;
}

/* Room for so many vectors, each on a cache line of its own. */
static inline double *lanes_room(arena *a, size_t count) {
    uintptr_t at = (uintptr_t)arena_doubles(a, (count + 1) * LANES), line = sizeof(lanes);
    return (double *)((at + line - 1) / line * line);
}

#endif
