#include "solve/newton.h"

#include "linear/lu_sparse.h"
#include "linear/saddle.h"
#include "solve/solve_inside.h"
#include "system/slopes.h"

#include <string.h>

struct solve_newton {
    int n, rows;                                   // rows: that solvers see
    sparsity M, A, slopes;                         // M by rows, A of all rows, slopes by columns
    int *solved;                                   // (rows) their numbers in the model
    const double *row_scale;                       // (rows)
    int *number;                                   // (m) the other way round, -1: repeats another
    sparsity columns;                              // of the matrix
    int *M_to, *A_to, *across, *slope_to, *one_to; // places in it; slope_to -1: nowhere
    double *K;                                     // its values
    lu_sparse *factors;
    double *M_values, *A_values, *by_q, *by_v; // taken
    bool *out;                                 // (rows) dropped
    double gamma;
    double *x; // (n + rows)
};

// ---- the pattern

// the equation of an entry of the slopes; -1: none
static int equation(const solve_newton *k, int to) {
    int number = to < k->n ? to : k->number[to - k->n];
    return to < k->n || number < 0 ? number : k->n + number;
}

typedef void entry_act(sparsity_builder *b, int column, int row);

static void announce(sparsity_builder *b, int column, int row) {
    (void)row;
    sparsity_announce(b, column);
}

static void for_entries(const solve_newton *k, sparsity_builder *b, entry_act *act) {
    for (int j = 0; j < k->n; j++) {
        for (int e = k->M.start[j]; e < k->M.start[j + 1]; e++)
            act(b, k->M.to[e], j);
        for (int e = k->slopes.start[j]; e < k->slopes.start[j + 1]; e++)
            if (equation(k, k->slopes.to[e]) >= 0)
                act(b, j, equation(k, k->slopes.to[e]));
    }
    for (int r = 0; r < k->rows; r++) {
        act(b, k->n + r, k->n + r);
        for (int e = k->A.start[r]; e < k->A.start[r + 1]; e++) {
            act(b, k->A.to[e], k->n + r);
            act(b, k->n + r, k->A.to[e]);
        }
    }
}

static void find_places(arena *a, solve_newton *k) {
    k->M_to = arena_array(a, int, sparsity_entries(k->M) + 1);
    k->A_to = arena_array(a, int, sparsity_entries(k->A) + 1);
    k->across = arena_array(a, int, sparsity_entries(k->A) + 1);
    k->slope_to = arena_array(a, int, sparsity_entries(k->slopes) + 1);
    k->one_to = arena_array(a, int, k->rows + 1);
    for (int j = 0; j < k->n; j++) {
        for (int e = k->M.start[j]; e < k->M.start[j + 1]; e++)
            k->M_to[e] = sparsity_find(k->columns, k->M.to[e], j);
        for (int e = k->slopes.start[j]; e < k->slopes.start[j + 1]; e++) {
            int row = equation(k, k->slopes.to[e]);
            k->slope_to[e] = row < 0 ? -1 : sparsity_find(k->columns, j, row);
        }
    }
    for (int r = 0; r < k->rows; r++) {
        k->one_to[r] = sparsity_find(k->columns, k->n + r, k->n + r);
        for (int e = k->A.start[r]; e < k->A.start[r + 1]; e++) {
            k->A_to[e] = sparsity_find(k->columns, k->A.to[e], k->n + r);
            k->across[e] = sparsity_find(k->columns, k->n + r, k->A.to[e]);
        }
    }
}

// coordinates as M + N'N asks for, each row after its coordinates: then pivots stay on the diagonal
static int *find_order(arena *a, const solve_newton *k, const trm_system *sys) {
    int size = k->n + k->rows, *order = arena_array(a, int, size + 1);
    arena *work = arena_child(a);
    const int *stands = saddle_places(work, k->n, slopes_metric(work, sys), k->A);
    for (int i = 0; i < size; i++)
        order[stands[i]] = i;
    arena_free(work);
    return order;
}

solve_newton *solve_newton_new(arena *a, const trm_system *sys) {
    solve_newton *k = arena_array(a, solve_newton, 1);
    *k = (solve_newton){.n = sys->n,
                        .rows = sys->all.rows,
                        .M = sys->M,
                        .A = sys->all,
                        .slopes = sys->slope_pattern,
                        .row_scale = sys->row_scale};
    k->solved = arena_array(a, int, k->rows + 1);
    for (int r = 0; r < k->rows; r++) // those with weight come last
        k->solved[r] =
            sys->solved_rows[r] < 0 ? sys->soft_rows[r - k->rows + sys->soft_count] : sys->solved_rows[r];
    k->number = arena_array(a, int, sys->m + 1);
    memset(k->number, -1, (size_t)sys->m * sizeof *k->number);
    for (int r = 0; r < k->rows; r++)
        k->number[k->solved[r]] = r;
    sparsity_builder b = sparsity_begin(a, k->n + k->rows);
    for_entries(k, &b, announce);
    for_entries(k, &b, sparsity_put);
    k->columns = sparsity_end(&b);
    find_places(a, k);
    k->factors = lu_sparse_new(a, k->columns, find_order(a, k, sys));
    k->K = arena_doubles(a, (size_t)sparsity_entries(k->columns) + 1);
    k->M_values = arena_doubles(a, (size_t)sparsity_entries(k->M) + 1);
    k->A_values = arena_doubles(a, (size_t)sparsity_entries(k->A) + 1);
    k->by_q = arena_doubles(a, (size_t)sparsity_entries(k->slopes) + 1);
    k->by_v = arena_doubles(a, (size_t)sparsity_entries(k->slopes) + 1);
    k->out = arena_array(a, bool, k->rows + 1);
    k->x = arena_doubles(a, (size_t)(k->n + k->rows) + 1);
    return k;
}

// ---- numbers

bool solve_newton_take(const trm_system *sys, trm_state *st, solve_newton *k) {
    size_t slopes = (size_t)sparsity_entries(k->slopes);
    bool finite = solve_slopes(sys, st);
    memcpy(k->M_values, st->M, (size_t)sparsity_entries(k->M) * sizeof(double));
    memcpy(k->A_values, st->rows.A, (size_t)sparsity_entries(k->A) * sizeof(double));
    memcpy(k->by_q, st->y[STAGE_JACOBIAN], slopes * sizeof(double));
    memcpy(k->by_v, st->y[STAGE_JACOBIAN] + slopes, slopes * sizeof(double));
    for (int r = 0; r < k->rows; r++)
        k->out[r] = solver_dropped(st->solver, r);
    return finite;
}

static double scale_of(const solve_newton *k, int to) {
    int number = to < k->n ? -1 : k->number[to - k->n];
    return number < 0 ? 1 : k->out[number] ? 0 : k->row_scale[number];
}

bool solve_newton_factor(solve_newton *k, double gamma) {
    k->gamma = gamma;
    memset(k->K, 0, (size_t)sparsity_entries(k->columns) * sizeof *k->K);
    for (int e = 0; e < sparsity_entries(k->M); e++)
        k->K[k->M_to[e]] = k->M_values[e];
    for (int r = 0; r < k->rows; r++) {
        k->K[k->one_to[r]] = k->out[r];
        for (int e = k->A.start[r]; e < k->A.start[r + 1] && !k->out[r]; e++) {
            k->K[k->A_to[e]] = k->A_values[e];
            k->K[k->across[e]] = -k->A_values[e];
        }
    }
    for (int e = 0; e < sparsity_entries(k->slopes); e++)
        if (k->slope_to[e] >= 0)
            k->K[k->slope_to[e]] += gamma * (k->by_v[e] + gamma * k->by_q[e]) * scale_of(k, k->slopes.to[e]);
    return lu_sparse_factor(k->factors, k->K) < 0;
}

void solve_newton_solve(solve_newton *k, double *r) {
    int n = k->n;
    double *f = r, *g = r + n, *w = k->x, gamma = k->gamma;
    memset(w, 0, (size_t)(n + k->rows) * sizeof *w);
    for (int j = 0; j < n; j++)
        for (int e = k->slopes.start[j]; e < k->slopes.start[j + 1]; e++)
            if (k->slope_to[e] >= 0)
                w[equation(k, k->slopes.to[e])] -=
                    (k->by_q[e] * (f[j] + gamma * g[j]) + k->by_v[e] * g[j]) * scale_of(k, k->slopes.to[e]);
    lu_sparse_solve(k->factors, w);
    for (int j = 0; j < n; j++) {
        g[j] += gamma * w[j];
        f[j] += gamma * g[j];
    }
}
