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

/* Up to four or eight values, from memory and back; zeros fill up, and memory beyond is not touched. By
 * masks: a copy of as many bytes would cost more than the function. */
AVX2 static __m256i first_four(long count) {
    static const long long mask[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return _mm256_loadu_si256((const __m256i *)(mask + 4 - count));
}

AVX2 static four load_four(const double *x, long count) {
    return (four)_mm256_maskload_pd(x, first_four(count));
}

AVX2 static void store_four(double *x, four value, long count) {
    _mm256_maskstore_pd(x, first_four(count), (__m256d)value);
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

static void halves_of_one(double *x, const double *y, long count, batch_function f) {
    for (long i = 0; i < count; i++)
        fours_of_one(x + 8 * i, y + 8 * i, 4, f);
}

static void halves_of_two(double *x, const double *y, long count, batch_function f) {
    for (long i = 0; i < count; i++)
        fours_of_two(x + 8 * i, y + 8 * i, 4, f);
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
