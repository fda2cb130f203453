/* What kernels cost on this processor: ns per operation (and lane) and preparation per operation, by path.
 *
 * The expressions are random sums, products and quotients with a share of functions as mechanics has it:
 * 3.5 % sin and cos, 1.3 % sqrt. Processor time, the smallest of several runs. */
#include "code/kernel.h"
#include "code/native.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { INPUTS_MOST = 2000, REPEATS = 7 };

typedef struct {
    int operations, inputs, outputs;
} size;

static const size sizes[] = {{100, 20, 20}, {1000, 60, 60}, {10000, 300, 300}, {100000, 2000, 2000}};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t random_below(uint64_t *state, uint32_t limit) { // splitmix64
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32) % limit;
}

// ---- random expressions

typedef struct {
    expr e;
    double value; // at the inputs of input_value
    int depth;
} term;

enum { DEPTH_MOST = 24 }; // deeper, and rounding alone would take the values anywhere

static double input_value(int i) {
    return 0.5 + i % 17 * 0.05;
}

static op_code random_op(uint64_t *state) {
    uint32_t which = random_below(state, 1000);
    return which < 380   ? OP_ADD
           : which < 550 ? OP_SUB
           : which < 910 ? OP_MUL
           : which < 940 ? OP_DIV
           : which < 952 ? OP_NEG
           : which < 987 ? (which % 2 ? OP_SIN : OP_COS)
                         : OP_SQRT;
}

static const term *random_operand(uint64_t *state, const term *made, int count, int inputs) {
    uint32_t recent = count < 60 || random_below(state, 10) == 0 ? (uint32_t)count : 60;
    const term *t = &made[count - 1 - (int)random_below(state, recent)];
    return t->depth < DEPTH_MOST ? t : &made[random_below(state, (uint32_t)inputs)];
}

// of some size, so that nothing overflows and no function meets what it must treat in a way of its own
static term random_term(expr_pool *pool, uint64_t *state, const term *made, int count, int inputs) {
    for (;;) {
        const term *x = random_operand(state, made, count, inputs);
        const term *y = random_operand(state, made, count, inputs);
        op_code op = random_op(state);
        double value = ops[op].value(x->value, y->value, 0);
        if (fabs(value) > 0.1 && fabs(value) < 5)
            return (term){ops[op].arity == 1 ? expr_op1(pool, op, x->e) : expr_op2(pool, op, x->e, y->e),
                          value, 1 + (x->depth > y->depth ? x->depth : y->depth)};
    }
}

static void random_expressions(arena *a, expr_pool *pool, size s, expr *outputs) {
    uint64_t state = 42;
    int count = s.inputs + s.operations;
    term *made = arena_array(a, term, count);
    for (int i = 0; i < s.inputs; i++)
        made[i] = (term){expr_symbol(pool, SYM_P, i), input_value(i), 0};
    for (int i = s.inputs; i < count; i++)
        made[i] = random_term(pool, &state, made, i, s.inputs);
    for (int i = 0; i < s.outputs; i++)
        outputs[i] = made[count - 1 - (int)((long long)i * s.operations / s.outputs)].e;
}

// ---- measuring

typedef void (*runner)(const kernel *k, const double *in, double *out, double *work);

static double time_of(const kernel *k, runner run, const double *in, double *out, double *work) {
    double best = 1e9;
    int rounds = 1 + 2000000 / kernel_operations(k);
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (int i = 0; i < rounds; i++)
            run(k, in, out, work);
        best = fmin(best, (now() - start) / rounds);
    }
    return best * 1e9 / kernel_operations(k);
}

static int input_of(void *context, sym_kind kind, int index) {
    (void)context, (void)kind;
    return index;
}

static void measure(size s, bool exact) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr_pool_set_exact(pool, exact);
    expr *outputs = arena_array(a, expr, s.outputs);
    random_expressions(a, pool, s, outputs);
    double prepare = 1e9, wide_prepare = 1e9;
    kernel *k = NULL;
    arena *home = NULL;
    for (int i = 0; i < REPEATS; i++) {
        arena_free(home);
        home = arena_child(a);
        double start = now();
        k = kernel_compile(home, pool, outputs, s.outputs, s.inputs, input_of, NULL);
        double middle = now();
        kernel_add_lanes(home, k);
        prepare = fmin(prepare, middle - start);
        wide_prepare = fmin(wide_prepare, now() - middle);
    }
    double in[INPUTS_MOST], *wide_in = arena_doubles(a, INPUTS_MOST * KERNEL_LANES);
    double *out = arena_doubles(a, INPUTS_MOST * KERNEL_LANES);
    for (int i = 0; i < INPUTS_MOST * KERNEL_LANES; i++)
        wide_in[i] = in[i / KERNEL_LANES] = input_value(i / KERNEL_LANES);
    double *work = arena_doubles(a, kernel_work_size(k)), *wide = arena_doubles(a, kernel_lanes_work_size(k));
    kernel_prepare(k, in, work);
    kernel_lanes_prepare(k, wide_in, wide);
    int count = kernel_operations(k);
    printf("%-7s %-6s %7d %9.3f %9.3f %9.3f %9.3f\n", native_name(native_chosen()), exact ? "exact" : "fast",
           count, time_of(k, kernel_run, in, out, work),
           time_of(k, kernel_lanes_run, wide_in, out, wide) / KERNEL_LANES, prepare * 1e6 / count,
           wide_prepare * 1e6 / count);
    arena_free(a);
}

int main(void) {
    printf("kernels: ns per operation, in lanes per operation and lane; preparation in us per operation\n");
    printf("%-7s %-6s %7s %9s %9s %9s %9s\n", "path", "mode", "ops", "one", "lanes", "prepare", "for lanes");
    for (int path = PATH_TAPE; path <= (int)native_best(); path++) {
        setenv("TRAMMEL_KERNEL", native_name((native_path)path), 1);
        for (int exact = 0; exact < (path == PATH_TAPE ? 1 : 2); exact++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                measure(sizes[i], exact);
    }
    return 0;
}
