/* The kernel's solver (system/direct.h) behind the table of linear/solver.h: M, Q, A and b are inputs, and
 * the code is made for their patterns at the first factorisation, whose values say which rows a singular M
 * needs. */
#ifndef TRAMMEL_TEST_SUPPORT_KERNEL_SOLVER_H
#define TRAMMEL_TEST_SUPPORT_KERNEL_SOLVER_H

#include "code/kernel.h"
#include "linear/linalg.h"
#include "linear/solver.h"
#include "system/direct.h"

#include <math.h>
#include <string.h>

typedef struct {
    arena *a;
    int n, m;
    sparsity M, A;
    bool made, any_left_out;
    kernel *code;            // NULL: none can be made
    double *in, *out, *work; // M, A, Q, b; x, multipliers, checks
    double *in_M, *in_A, *in_Q, *in_b;
} kernel_solver;

static inline void *kernel_solver_create(arena *a, int n, sparsity M, sparsity A) {
    kernel_solver *k = arena_alloc(a, sizeof *k);
    int in_M = sparsity_entries(M), in_A = sparsity_entries(A);
    *k = (kernel_solver){.a = a, .n = n, .m = A.rows, .M = M, .A = A};
    k->in_M = k->in = arena_doubles(a, (size_t)(in_M + in_A + n + k->m + 1));
    k->in_A = k->in_M + in_M;
    k->in_Q = k->in_A + in_A;
    k->in_b = k->in_Q + n;
    k->out = arena_doubles(a, (size_t)(n + k->m + DIRECT_CHECKS));
    return k;
}

static inline double kernel_solver_value(void *context, sym_kind kind, int index) {
    return ((const double *)context)[index];
}

static inline int kernel_solver_input(void *context, sym_kind kind, int index) {
    return index;
}

static inline void kernel_solver_make(kernel_solver *k) {
    enum { OPERATIONS_MOST = 50000 };
    int count = (int)(k->in_b - k->in) + k->m, outs = k->n + k->m + DIRECT_CHECKS;
    expr_pool *pool = expr_pool_new(k->a);
    expr *in = arena_array(k->a, expr, count + 1), *out = arena_array(k->a, expr, outs);
    bool possible = direct_operations(k->a, k->n, k->M, k->A, OPERATIONS_MOST) <= OPERATIONS_MOST;
    k->made = true;
    for (int i = 0; i < count; i++)
        in[i] = expr_symbol(pool, SYM_NUMBER, i);
    direct_problem p = {.n = k->n,
                        .M_pattern = k->M,
                        .A_pattern = k->A,
                        .M = in,
                        .Q = in + (k->in_Q - k->in),
                        .A = in + (k->in_A - k->in),
                        .b = in + (k->in_b - k->in)};
    if (possible)
        p.added = direct_rows_for_mass(k->a, pool, &p, kernel_solver_value, k->in, &possible);
    if (!possible)
        return;
    direct_build(k->a, pool, &p, true, out);
    for (int i = 0; i < outs; i++)
        out[i] = out[i] ? out[i] : expr_number(pool, 0);
    k->code = kernel_compile(k->a, pool, out, outs, count, kernel_solver_input, NULL);
    k->work = arena_doubles(k->a, kernel_work_size(k->code));
    kernel_prepare(k->code, k->in, k->work);
}

// what it cannot do, be it dropping rows or naming what is undetermined, it leaves to others
static inline dense_status kernel_solver_factor(void *self, const double *M, const double *A, double cut) {
    kernel_solver *k = self;
    memset(k->in_Q, 0, (size_t)(k->n + k->m) * sizeof(double));
    if (k->in_A > k->in_M)
        memcpy(k->in_M, M, (size_t)(k->in_A - k->in_M) * sizeof(double));
    if (k->in_Q > k->in_A)
        memcpy(k->in_A, A, (size_t)(k->in_Q - k->in_A) * sizeof(double));
    if (!k->made)
        kernel_solver_make(k);
    if (!k->code || k->any_left_out)
        return DENSE_NOT_SURE;
    kernel_run(k->code, k->in, k->out, k->work);
    bool sure = direct_sure(k->out + k->n + k->m) && linalg_finite(k->out, k->n + k->m);
    return sure ? DENSE_OK : DENSE_NOT_SURE;
}

static inline void kernel_solver_solve(void *self, const double *Q, const double *b, double *x,
                                       double *multiplier) {
    kernel_solver *k = self;
    memcpy(k->in_Q, Q, (size_t)k->n * sizeof(double));
    if (k->m)
        memcpy(k->in_b, b, (size_t)k->m * sizeof(double));
    kernel_run(k->code, k->in, k->out, k->work);
    memcpy(x, k->out, (size_t)k->n * sizeof(double));
    if (k->m)
        memcpy(multiplier, k->out + k->n, (size_t)k->m * sizeof(double));
}

static inline void kernel_solver_least_norm(void *self, double *multiplier) {
} // its rows are independent: there are no others

static inline void kernel_solver_leave_out(void *self, const bool *rows) {
    kernel_solver *k = self;
    k->any_left_out = false;
    for (int i = 0; rows && i < k->m; i++)
        k->any_left_out |= rows[i];
}

static inline int kernel_solver_rank(const void *self) {
    return ((const kernel_solver *)self)->m;
}

static inline double kernel_solver_nearness(const void *self) {
    const kernel_solver *k = self;
    return sqrt(k->out[k->n + k->m + DIRECT_GRAM]);
}

static inline bool kernel_solver_dropped(const void *self, int row) {
    return false;
}

static const solver_ops solver_kernel = {.name = "kernel",
                                         .create = kernel_solver_create,
                                         .factor = kernel_solver_factor,
                                         .solve = kernel_solver_solve,
                                         .least_norm = kernel_solver_least_norm,
                                         .leave_out = kernel_solver_leave_out,
                                         .rank = kernel_solver_rank,
                                         .nearness = kernel_solver_nearness,
                                         .dropped = kernel_solver_dropped};

#endif
