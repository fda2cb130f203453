#include "code/batch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool batch_is_function(op_code op) {
    return op == OP_POW || (op >= OP_SIN && op <= OP_LOG);
}

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
// ---- four and eight at a time

typedef double four __attribute__((vector_size(32)));
typedef double eight __attribute__((vector_size(64)));

/* An array in steps of a vector's size; what is left over goes through a copy. A value's bits do not depend
 * on its neighbours, so that zeros may fill it up. */
#define BATCH_RUN(name, vector, wanted, parameters, arguments)                                               \
    __attribute__((target(wanted))) static void name(double *x, const double *y, long count,                 \
                                                     batch_function f) {                                     \
        enum { SIZE = sizeof(vector) / sizeof(double) };                                                     \
        vector(*function) parameters = (vector(*) parameters)f;                                              \
        vector a = {0}, b = {0};                                                                             \
        for (; count >= SIZE; count -= SIZE, x += SIZE, y += SIZE) {                                         \
            memcpy(&a, x, sizeof a);                                                                         \
            memcpy(&b, y, sizeof b);                                                                         \
            a = function arguments;                                                                          \
            memcpy(x, &a, sizeof a);                                                                         \
        }                                                                                                    \
        if (count > 0) {                                                                                     \
            a = b = (vector){0};                                                                             \
            memcpy(&a, x, (size_t)count * sizeof *x);                                                        \
            memcpy(&b, y, (size_t)count * sizeof *y);                                                        \
            a = function arguments;                                                                          \
            memcpy(x, &a, (size_t)count * sizeof *x);                                                        \
        }                                                                                                    \
        (void)b;                                                                                             \
    }

BATCH_RUN(fours_of_one, four, "avx2", (four), (a))
BATCH_RUN(fours_of_two, four, "avx2", (four, four), (a, b))
BATCH_RUN(eights_of_one, eight, "avx512f", (eight), (a))
BATCH_RUN(eights_of_two, eight, "avx512f", (eight, eight), (a, b))

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
