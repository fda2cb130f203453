/* Sums over the stages of a step: the state of a stage, and the error estimates.
 *
 * In two vectors of four, compiled for AVX2 and for any processor; no operation is fused (CMakeLists.txt), so
 * that both give the same bits. Wider vectors would wait for what kernels have just written. */
#include "motion/rk_inside.h"

#include "code/native.h"

#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

typedef double block __attribute__((vector_size(RK_BLOCK * sizeof(double))));
typedef int64_t block_bits __attribute__((vector_size(RK_BLOCK * sizeof(int64_t))));

#define INLINE static inline __attribute__((always_inline))

INLINE block load(const double *from) {
    block v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store(double *to, block v) {
    memcpy(to, &v, sizeof v);
}

INLINE block size_of(block v) {
    return (block)((block_bits)v & INT64_MAX);
}

INLINE block larger(block a, block b) {
    block_bits more = a > b;
    return (block)(((block_bits)a & more) | ((block_bits)b & ~more));
}

INLINE double total(block v) {
    return v[0] + v[1] + v[2] + v[3];
}

// sum_j weight_j k_j of the components from i on, RK_WIDE of them
INLINE void weighted(const integrator *self, const rk_row *r, int i, block *low, block *high) {
    block one = {0}, other = {0};
    for (int j = 0; j < r->count; j++) {
        const double *k = self->k[r->stage[j]] + i;
        one += r->weight[j] * load(k);
        other += r->weight[j] * load(k + RK_BLOCK);
    }
    *low = one;
    *high = other;
}

INLINE void combine(const integrator *self, const rk_row *r, double h, const double *y, int from, int to,
                    double *out) {
    for (int i = from; i < to; i += RK_WIDE) {
        block none = {0}, low, high;
        weighted(self, r, i, &low, &high);
        store(out + i, (y ? load(y + i) : none) + h * low);
        store(out + i + RK_BLOCK, (y ? load(y + i + RK_BLOCK) : none) + h * high);
    }
}

// 1 / (tol (floor + max(|y0|, |y1|))); what is not finite in y1
INLINE block scale_at(const integrator *self, int i, block *finite) {
    block y = load(self->y + i), most = larger(size_of(load(self->y0 + i)), size_of(y));
    *finite += 0 * y;
    return 1 / (self->tolerance * (load(self->floor + i) + most));
}

INLINE bool errors(const integrator *self, double *square) {
    block sum[RK_ERRORS] = {0}, finite = {0};
    int size = self->system.size, count = self->method->errors;
    for (int i = 0; i < self->padded; i += RK_WIDE) {
        block scale[] = {scale_at(self, i, &finite), scale_at(self, i + RK_BLOCK, &finite)};
        for (int set = 0; set < count; set++) {
            block low, high;
            weighted(self, &self->e[set], i, &low, &high);
            sum[set] += (low * scale[0]) * (low * scale[0]);
            sum[set] += (high * scale[1]) * (high * scale[1]);
        }
    }
    for (int set = 0; set < count; set++)
        square[set] = size ? total(sum[set]) / size : 0;
    return total(finite) == 0;
}

#define LOOPS(name, level)                                                                                   \
    level static void name##_combine(const integrator *self, const rk_row *r, double h, const double *y,     \
                                     int from, int to, double *out) {                                        \
        combine(self, r, h, y, from, to, out);                                                               \
    }                                                                                                        \
    level static bool name##_errors(const integrator *self, double *square) {                                \
        return errors(self, square);                                                                         \
    }

LOOPS(plain, )
#ifdef __x86_64__
LOOPS(avx2, __attribute__((target("avx2"))))
#endif

const rk_sums *rk_sums_here(void) {
    static const rk_sums any = {plain_combine, plain_errors};
#ifdef __x86_64__
    static const rk_sums by_avx2 = {avx2_combine, avx2_errors};
    if (native_chosen() >= PATH_AVX2)
        return &by_avx2;
#endif
    return &any;
}
