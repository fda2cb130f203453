/* The dense solver behind the table: entries of patterns to full matrices. */
#include "linear/solver.h"

typedef struct {
    int n;
    sparsity M_pattern, A_pattern;
    double *M, *A; // (n x n), (m x n)
    dense *dense;
} from_patterns;

static void *create(arena *a, int n, sparsity M, sparsity A) {
    size_t N = (size_t)n;
    from_patterns *f = arena_alloc(a, sizeof *f);
    *f = (from_patterns){
        n, M, A, arena_doubles(a, N * N), arena_doubles(a, (size_t)A.rows * N), dense_new(a, n, A.rows)};
    return f;
}

static dense_status factor(void *self, const double *M, const double *A, double cut) {
    from_patterns *f = self;
    sparsity_fill(f->M_pattern, M, f->n, f->M);
    sparsity_fill(f->A_pattern, A, f->n, f->A);
    return dense_factor(f->dense, f->M, f->A, cut);
}

static void solve(void *self, const double *Q, const double *b, double *x, double *multiplier) {
    dense_solve(((from_patterns *)self)->dense, Q, b, x, multiplier);
}

static void least_norm(void *self, double *multiplier) {
    dense_least_norm(((from_patterns *)self)->dense, multiplier);
}

static void leave_out(void *self, const bool *rows) {
    dense_leave_out(((from_patterns *)self)->dense, rows);
}

static bool is_quick(const void *self) {
    return dense_is_quick(((const from_patterns *)self)->dense);
}

static int rank(const void *self) {
    return dense_rank(((const from_patterns *)self)->dense);
}

static double nearness(const void *self) {
    return dense_nearness(((const from_patterns *)self)->dense);
}

static bool dropped(const void *self, int row) {
    return dense_dropped(((const from_patterns *)self)->dense, row);
}

static bool mass_singular(const void *self) {
    return dense_mass_singular(((const from_patterns *)self)->dense);
}

static int undetermined(const void *self, bool *coordinate) {
    return dense_undetermined(((const from_patterns *)self)->dense, coordinate);
}

const solver_ops solver_dense = {.name = "dense",
                                 .create = create,
                                 .factor = factor,
                                 .solve = solve,
                                 .least_norm = least_norm,
                                 .leave_out = leave_out,
                                 .is_quick = is_quick,
                                 .rank = rank,
                                 .nearness = nearness,
                                 .dropped = dropped,
                                 .mass_singular = mass_singular,
                                 .undetermined = undetermined};
