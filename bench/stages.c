/* What elements in lanes cost: the links of a chain in the plane, ns per link, by path.
 *
 * A link is (x1 - x0)^2 + (y1 - y0)^2 = L^2: from four coordinates, four velocities and one parameter to its
 * residual, its four derivatives and the right-hand side. Processor time, the smallest of several runs. */
#include "code/native.h"
#include "code/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { INPUTS = 9, OUTPUTS = 6, REPEATS = 9 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int input_of(void *context, sym_kind kind, int index) {
    (void)context;
    return kind == SYM_P ? index : kind == SYM_V ? 4 + index : 8;
}

// (p0 - p1)^2 + (p2 - p3)^2 - L^2 and what follows from it
static void link(expr_pool *pool, expr *outputs) {
    expr L = expr_symbol(pool, SYM_PARAM, 0), two = expr_number(pool, 2);
    expr phi = expr_op1(pool, OP_NEG, expr_op2(pool, OP_POW, L, two));
    for (int i = 0; i < 4; i += 2) {
        expr d = expr_op2(pool, OP_SUB, expr_symbol(pool, SYM_P, i), expr_symbol(pool, SYM_P, i + 1));
        phi = expr_op2(pool, OP_ADD, phi, expr_op2(pool, OP_POW, d, two));
    }
    outputs[0] = phi;
    expr rate = expr_number(pool, 0), change = rate;
    for (int i = 0; i < 4; i++) {
        outputs[1 + i] = expr_diff(pool, phi, SYM_P, i);
        rate =
            expr_op2(pool, OP_ADD, rate, expr_op2(pool, OP_MUL, outputs[1 + i], expr_symbol(pool, SYM_V, i)));
    }
    for (int i = 0; i < 4; i++)
        change =
            expr_op2(pool, OP_ADD, change,
                     expr_op2(pool, OP_MUL, expr_diff(pool, rate, SYM_P, i), expr_symbol(pool, SYM_V, i)));
    outputs[5] = expr_op1(pool, OP_NEG, change);
}

// x: the coordinates, the velocities, L; y: OUTPUTS places for each link
static void fill_tables(int links, int *gather, int *scatter) {
    int velocity = 2 * (links + 1);
    for (int k = 0; k < links; k++) {
        const int of_link[] = {2 * k + 2, 2 * k, 2 * k + 3, 2 * k + 1};
        for (int i = 0; i < 4; i++) {
            *gather++ = of_link[i];
            gather[3] = velocity + of_link[i];
        }
        gather += 4;
        *gather++ = 2 * velocity;
        for (int i = 0; i < OUTPUTS; i++)
            *scatter++ = OUTPUTS * k + i;
    }
}

static void measure(int links) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr outputs[OUTPUTS];
    link(pool, outputs);
    int *gather = arena_array(a, int, links *INPUTS), *scatter = arena_array(a, int, links *OUTPUTS);
    fill_tables(links, gather, scatter);
    stage s = {.y_size = OUTPUTS * links};
    kernel *k = kernel_compile(a, pool, outputs, OUTPUTS, INPUTS, input_of, NULL);
    stage_add(a, &s, (stage_group){.kernel = k, .count = links, .gather = gather, .scatter = scatter});
    double *x = arena_doubles(a, 4 * (size_t)links + 5), *y = arena_doubles(a, (size_t)s.y_size);
    double *work = arena_doubles(a, s.work_size), best = 1e9;
    for (int i = 0; i < 4 * links + 5; i++)
        x[i] = 0.1 * (i % 37);
    stage_prepare(&s, x, work);
    int rounds = 1 + 1000000 / links;
    for (int r = 0; r < REPEATS; r++) {
        double start = now();
        for (int i = 0; i < rounds; i++)
            stage_run(&s, x, y, work, NULL);
        best = fmin(best, (now() - start) / rounds / links);
    }
    printf("%-7s %8d %6d %9.2f\n", native_name(native_chosen()), links, kernel_operations(k), best * 1e9);
    arena_free(a);
}

int main(void) {
    printf("stages: a chain's links, ns per link\n%-7s %8s %6s %9s\n", "path", "links", "ops", "ns");
    for (int path = PATH_TAPE; path <= (int)native_best(); path++) {
        setenv("TRAMMEL_KERNEL", native_name((native_path)path), 1);
        for (int links = 2; links <= 1000000; links *= links < 1000 ? 22 : 31)
            measure(links);
    }
    return 0;
}
