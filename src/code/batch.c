#include "code/batch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// ---- one value at a time

typedef double (*one_value)(double a, double b, double c);

static void each(double *x, const double *y, long count, batch_function f) {
    one_value value = (one_value)f;
    for (long i = 0; i < count; i++)
        x[i] = value(x[i], y[i], 0);
}

static void each_half(double *x, const double *y, long count, batch_function f) {
    for (long i = 0; i < count; i++)
        each(x + 8 * i, y + 8 * i, 4, f);
}

static batch one_at_a_time(op_code op, bool halves) {
    return (batch){halves ? each_half : each, (batch_function)ops[op].value};
}

#ifdef __x86_64__
#include <immintrin.h>

// ---- four and eight at a time

typedef double four __attribute__((vector_size(32)));
typedef double eight __attribute__((vector_size(64)));

#define AVX2   __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f")))

/* Up to four or eight values, from memory and back; zeros fill up, and memory beyond is not touched. Fours
 * are put together from single values, as kernels have just stored them: on Zen 3 that takes 15 cycles, one
 * wide load 22, for it waits until the stores are done. A masked store takes 8 cycles, a plain one 1. Six
 * sines and six cosines took 80 ns, now 36. */
AVX2 static four load_four(const volatile double *x, long count) { // volatile: not to be joined into one load
    if (count == 4)
        return (four){x[0], x[1], x[2], x[3]};
    return (four){x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0, 0};
}

AVX2 static void store_four(double *x, four value, long count) {
    if (count == 4) {
        _mm256_storeu_pd(x, (__m256d)value);
        return;
    }
    x[0] = value[0];
    if (count > 1)
        x[1] = value[1];
    if (count > 2)
        x[2] = value[2];
}

AVX512 static eight load_eight(const double *x, long count) {
    return (eight)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), x);
}

AVX512 static void store_eight(double *x, eight value, long count) {
    _mm512_mask_storeu_pd(x, (__mmask8)((1u << count) - 1), (__m512d)value);
}

/* An array in steps of a vector's size. A value's bits do not depend on its neighbours. */
#define BATCH_RUN(name, size, count_of, parameters, arguments, level)                                        \
    level static void name(double *x, const double *y, long count, batch_function f) {                       \
        size(*function) parameters = (size(*) parameters)f;                                                  \
        for (; count > 0; count -= (count_of), x += (count_of), y += (count_of)) {                           \
            long part = count < (count_of) ? count : (count_of);                                             \
            store_##size(x, function arguments, part);                                                       \
        }                                                                                                    \
    }

BATCH_RUN(fours_of_one, four, 4, (four), (load_four(x, part)), AVX2)
BATCH_RUN(fours_of_two, four, 4, (four, four), (load_four(x, part), load_four(y, part)), AVX2)
BATCH_RUN(eights_of_one, eight, 8, (eight), (load_eight(x, part)), AVX512)
BATCH_RUN(eights_of_two, eight, 8, (eight, eight), (load_eight(x, part), load_eight(y, part)), AVX512)

/* Lanes have been stored as wide as they are loaded here. */
AVX2 static void halves_of_one(double *x, const double *y, long count, batch_function f) {
    four (*function)(four) = (four(*)(four))f;
    (void)y;
    for (long i = 0; i < count; i++)
        _mm256_storeu_pd(x + 8 * i, (__m256d)function((four)_mm256_loadu_pd(x + 8 * i)));
}

AVX2 static void halves_of_two(double *x, const double *y, long count, batch_function f) {
    four (*function)(four, four) = (four(*)(four, four))f;
    for (long i = 0; i < count; i++) {
        four u = (four)_mm256_loadu_pd(x + 8 * i), v = (four)_mm256_loadu_pd(y + 8 * i);
        _mm256_storeu_pd(x + 8 * i, (__m256d)function(u, v));
    }
}

/* The library stays in the process once loaded. */
static batch_function find(op_code op, batch_size size) {
    char name[40];
    snprintf(name, sizeof name, "_ZGV%s%s_%s", size == BATCH_8 ? "eN8v" : "dN4v",
             ops[op].arity > 1 ? "v" : "", op == OP_POW ? "pow" : ops[op].name);
    void *library = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, name) : NULL;
    batch_function f;
    memcpy(&f, &symbol, sizeof f);
    if (library)
        dlclose(library);
    return f;
}

batch batch_find(op_code op, batch_size size, bool halves) {
    bool two = ops[op].arity > 1;
    batch_function f = size == BATCH_1 ? NULL : find(op, size);
    if (f == NULL)
        return one_at_a_time(op, halves);
    if (halves)
        return (batch){two ? halves_of_two : halves_of_one, f};
    if (size == BATCH_4)
        return (batch){two ? fours_of_two : fours_of_one, f};
    return (batch){two ? eights_of_two : eights_of_one, f};
}
#else
batch batch_find(op_code op, batch_size size, bool halves) {
    (void)size;
    return one_at_a_time(op, halves);
}
#endif
