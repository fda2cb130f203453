#include "solve/many_lanes.h"

#include "base/lanes.h"
#include "code/native.h"

LANES_INLINE lanes at(const double *y, int i) {
    return lanes_load(y + (long)i * LANES);
}

/* A vector is put together in registers and stored whole: the kernel loads it whole, and would wait for eight
 * stores of one number each. */
LANES_INLINE void put(const double *from, int count, double *to) {
    for (int i = 0; i < count; i++)
        lanes_store(to + (long)i * LANES, lanes_take(from + i, count));
}

LANES_INLINE void take(const double *from, int count, double *to) {
    for (int i = 0; i < count; i++)
        lanes_give(at(from, i), to + i, count);
}

typedef double half __attribute__((vector_size(32)));

LANES_INLINE half half_at(const double *y, int i) {
    half v;
    memcpy(&v, y + 4L * i, sizeof v);
    return v;
}

/* 0 times what is not finite is not 0. By halves, which processors without AVX-512 keep in registers; four
 * sums, since each addition waits for the one before. */
LANES_INLINE bool look(const many_layout *l, const double *y, double *checks) {
    int first = l->qdd_at + l->n + l->seen, halves = 2 * (first + DIRECT_CHECKS), i = 0;
    half a = {0}, b = {0}, c = {0}, d = {0};
    for (; i + 4 <= halves; i += 4) {
        a += 0 * half_at(y, i);
        b += 0 * half_at(y, i + 1);
        c += 0 * half_at(y, i + 2);
        d += 0 * half_at(y, i + 3);
    }
    for (; i < halves; i++)
        a += 0 * half_at(y, i);
    half all = (a + b) + (c + d);
    for (int k = 0; k < DIRECT_CHECKS; k++)
        checks[k] = -lanes_largest(-at(y, first + k));
    return all[0] + all[1] + all[2] + all[3] == 0;
}

LANES_INLINE void forces(const many_layout *l, const double *y, double *reaction, double *multiplier) {
    for (int i = 0; reaction && i < l->n; i++) {
        lanes sum = {0};
        for (int e = l->M.start[i]; e < l->M.start[i + 1]; e++)
            sum += at(y, e) * at(y, l->qdd_at + l->M.to[e]);
        lanes_give(sum - at(y, l->Q_at + i), reaction + i, l->n);
    }
    for (int i = 0; multiplier && i < l->rows * LANES; i++)
        multiplier[i] = 0;
    for (int k = 0; multiplier && k < l->seen; k++)
        lanes_give(at(y, l->qdd_at + l->n + k) * l->scale[k], multiplier + l->row_of[k], l->rows);
}

#define LOOPS(name, level)                                                                                   \
    level static void name##_put(const double *from, int count, double *to) {                                \
        put(from, count, to);                                                                                \
    }                                                                                                        \
    level static void name##_take(const double *from, int count, double *to) {                               \
        take(from, count, to);                                                                               \
    }                                                                                                        \
    level static bool name##_look(const many_layout *l, const double *y, double *checks) {                   \
        return look(l, y, checks);                                                                           \
    }                                                                                                        \
    level static void name##_forces(const many_layout *l, const double *y, double *reaction,                 \
                                    double *multiplier) {                                                    \
        forces(l, y, reaction, multiplier);                                                                  \
    }                                                                                                        \
    static const many_loops name = {name##_put, name##_take, name##_look, name##_forces};

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, LANES_AVX2)
LOOPS(avx512, LANES_AVX512)
#endif

const many_loops *many_loops_here(void) {
#ifdef __x86_64__
    native_path path = native_chosen();
    if (path >= PATH_AVX2)
        return path == PATH_AVX512 ? &avx512 : &avx2;
#endif
    return &plain;
}
