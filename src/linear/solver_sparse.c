/* The sparse solver behind the table, with blocks of M as large as they are worth it, or without any. */
#include "linear/solver.h"
#include "linear/sparse.h"

static void *create(arena *a, int n, sparsity M, sparsity A) {
    return sparse_new(a, n, M, A, SPARSE_BLOCK_MOST);
}

static void *create_kkt(arena *a, int n, sparsity M, sparsity A) {
    return sparse_new(a, n, M, A, 0);
}

static void *create_chain(arena *a, int n, sparsity M, sparsity A) {
    sparse *s = create(a, n, M, A);
    sparse_find_chain(s);
    return s;
}

static dense_status factor(void *self, const double *M, const double *A, double cut) {
    return sparse_factor(self, M, A, cut);
}

static void solve(void *self, const double *Q, const double *b, double *x, double *multiplier) {
    sparse_solve(self, Q, b, x, multiplier);
}

static void least_norm(void *self, double *multiplier) {
    sparse_least_norm(self, multiplier);
}

static void leave_out(void *self, const bool *rows) {
    sparse_leave_out(self, rows);
}

static int rank(const void *self) {
    return sparse_rank(self);
}

static double nearness(const void *self) {
    return sparse_nearness(self);
}

static bool dropped(const void *self, int row) {
    return sparse_dropped(self, row);
}

static bool mass_singular(const void *self) {
    return sparse_mass_singular(self);
}

static int undetermined(const void *self, bool *coordinate) {
    return sparse_undetermined(self, coordinate);
}

static void settle(void *self, bool constant_mass) {
    sparse_settle(self, constant_mass);
}

static bool has_parts(const void *self) {
    return sparse_has_parts(self);
}

static void use_team(void *self, team *t) {
    sparse_use_team(self, t);
}

// clang-format off
#define AFTER_CREATE                                                                                         \
    .factor = factor, .solve = solve, .least_norm = least_norm, .leave_out = leave_out, .rank = rank,         \
    .nearness = nearness, .dropped = dropped, .mass_singular = mass_singular, .undetermined = undetermined,   \
    .settle = settle, .has_parts = has_parts, .use_team = use_team
// clang-format on

const solver_ops solver_sparse = {.name = "sparse", .create = create, AFTER_CREATE};
const solver_ops solver_kkt = {.name = "kkt", .create = create_kkt, AFTER_CREATE};
const solver_ops solver_chain = {.name = "chain", .create = create_chain, AFTER_CREATE};
