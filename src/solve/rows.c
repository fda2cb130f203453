/* The rows in force: what solvers see of A and b at one evaluation. Of rows that repeat each other only the
 * first is solved for, rows of frictions that slip vanish, and rows with weight are replaced by exact ones
 * that hold at the same accelerations (003 eq. 38). Everyone else sees rows by their number in the model. */
#include "solve/solve_inside.h"

#include "linear/linalg.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

// ---- for the solvers

// of soft row i and those behind it of the same constraint
static int block_size(const trm_system *sys, int i) {
    const model_row *rows = sys->model->rows.at;
    int size = 1, of = rows[sys->soft_rows[i]].constraint;
    while (i + size < sys->soft_count && rows[sys->soft_rows[i + size]].constraint == of)
        size++;
    return size;
}

// W of a block, below the diagonal and on it
static void block_weights(const trm_system *sys, const trm_state *st, int first, int size, double *W) {
    for (int i = 0; i < size; i++) {
        int row = sys->soft_rows[first + i];
        W[i * size + i] = st->w[row];
        for (int j = i + 1; j < size; j++)
            W[j * size + i] = st->shared[row * WEIGHTS_SHARED + j - i - 1];
    }
}

// entries of soft row i += factor times those of soft row j as written
static void add_measured(const trm_system *sys, trm_state *st, int i, double factor, int j) {
    int k = sys->all.rows - sys->soft_count + i, row = sys->soft_rows[j];
    for (int e = sys->A.start[row]; e < sys->A.start[row + 1]; e++)
        st->rows.own_A[sparsity_find(sys->all, k, sys->A.to[e])] += factor * st->A[e];
}

// soft row i += factor times soft row j, of which the entries are full or sparse
static void add_row(const trm_system *sys, trm_state *st, int i, double factor, int j) {
    size_t n = (size_t)sys->n;
    if (sys->fits)
        add_measured(sys, st, i, factor, j);
    else
        linalg_add(st->rows.soft_A + (size_t)i * n, factor, st->rows.soft_A + (size_t)j * n, sys->n);
}

/* Rows that share weights become L'E, L'f, with W = L D L', and have the weights D. In ascending order, so
 * that those behind are still as they were. */
static void uncouple_rows(const trm_system *sys, trm_state *st) {
    rows_in_force *r = &st->rows;
    r->indefinite = -1;
    for (int first = 0, size; first < sys->soft_count; first += size) {
        double W[(WEIGHTS_SHARED + 1) * (WEIGHTS_SHARED + 1)];
        size = block_size(sys, first);
        block_weights(sys, st, first, size, W);
        if (!weighted_uncouple(W, size))
            r->indefinite = sys->soft_rows[first];
        for (int i = first; i < first + size; i++) {
            r->soft_w[i] = W[(i - first) * (size + 1)];
            for (int j = i + 1; j < first + size; j++) {
                double l = W[(j - first) * size + i - first];
                r->soft_L[i * WEIGHTS_SHARED + j - i - 1] = l;
                add_row(sys, st, i, l, j);
                r->soft_b[i] += l * r->soft_b[j];
            }
        }
    }
}

// shares of rows that were uncoupled, as shares of the rows as written: L share
static void couple_shares(const trm_system *sys, const rows_in_force *r, double *share) {
    for (int first = 0, size; first < sys->soft_count; first += size) {
        size = block_size(sys, first);
        for (int j = first + size - 1; j >= first; j--)
            for (int i = first; i < j; i++)
                share[j] += r->soft_L[i * WEIGHTS_SHARED + j - i - 1] * share[i];
    }
}

static void take_measured(const trm_system *sys, trm_state *st) {
    for (int i = 0; i < sys->soft_count; i++) {
        st->rows.soft_b[i] = st->b[sys->soft_rows[i]];
        st->rows.soft_w[i] = st->w[sys->soft_rows[i]];
    }
}

// full rows: those without weight, then the equivalents of those with
static void stack_rows(const trm_system *sys, trm_state *st) {
    rows_in_force *r = &st->rows;
    int n = sys->n, soft = sys->soft_count, exact = sys->all.rows - soft;
    double *A = r->own_A, *b = r->own_b;
    memset(A, 0, (size_t)(sys->all.rows * n) * sizeof *A);
    memset(b, 0, (size_t)sys->all.rows * sizeof *b);
    memset(r->soft_A, 0, (size_t)(soft * n) * sizeof *A);
    for (int k = 0; k < exact; k++)
        if (!st->idle[sys->solved_rows[k]]) {
            row_add(sys->A, st->A, sys->solved_rows[k], 1, A + k * n);
            b[k] = st->b[sys->solved_rows[k]];
        }
    take_measured(sys, st);
    for (int i = 0; i < soft; i++)
        row_add(sys->A, st->A, sys->soft_rows[i], 1, r->soft_A + i * n);
    if (r->soft_L)
        uncouple_rows(sys, st);
    weighted_rows(r->weighted, A, st->cut, r->soft_A, r->soft_b, r->soft_w, A + exact * n, b + exact);
}

static void take_rows(const trm_system *sys, trm_state *st) {
    rows_in_force *r = &st->rows;
    for (int k = 0; k < sys->all.rows - sys->soft_count; k++) {
        int row = sys->solved_rows[k];
        const double *A_k = st->A + sys->A.start[row] - sys->all.start[k];
        double scale = st->idle[row] ? 0 : sys->row_scale[k];
        for (int e = sys->all.start[k]; e < sys->all.start[k + 1]; e++)
            r->own_A[e] = A_k[e] * scale;
        r->own_b[k] = st->b[row] * scale;
    }
}

// sparse rows: those without weight, then those with; of these the ones that count for nothing vanish
static void put_rows(const trm_system *sys, trm_state *st) {
    rows_in_force *r = &st->rows;
    int exact = sys->all.rows - sys->soft_count, begin = sys->all.start[exact];
    take_rows(sys, st);
    take_measured(sys, st);
    memset(r->own_A + begin, 0, (size_t)(sparsity_entries(sys->all) - begin) * sizeof *r->own_A);
    for (int i = 0; i < sys->soft_count; i++)
        add_measured(sys, st, i, 1, i);
    if (r->soft_L)
        uncouple_rows(sys, st);
    for (int i = 0; i < sys->soft_count; i++) {
        int k = exact + i;
        bool counts = r->soft_w[i] > 0;
        r->own_b[k] = counts ? r->soft_b[i] : 0;
        for (int e = sys->all.start[k]; e < sys->all.start[k + 1] && !counts; e++)
            r->own_A[e] = 0;
    }
}

void rows_refresh(const trm_system *sys, trm_state *st) {
    if (sys->fits)
        put_rows(sys, st);
    else if (sys->soft_count)
        stack_rows(sys, st);
    else if (st->rows.own_A)
        take_rows(sys, st);
}

bool rows_fit(const trm_system *sys, trm_state *st) {
    rows_in_force *r = &st->rows;
    int there = 0;
    for (int k = 0; k < sys->all.rows; k++)
        there += row_norm(sys->all, r->own_A, k) > 0;
    r->fitted = solver_rank(st->solver) < there;
    return !r->fitted || (fit_factor(r->fit, r->own_A, r->soft_w, sys->natural->units, st->cut) &&
                          fit_values(r->fit, r->own_b));
}

void rows_share(const trm_state *st, double *lambda) {
    if (st->rows.fitted)
        fit_multipliers(st->rows.fit, lambda); // which were found when the rows were
    else
        solver_least_norm(st->solver, lambda);
}

void rows_hand_out(const trm_system *sys, const double *lambda, double *multiplier) {
    memset(multiplier, 0, (size_t)sys->m * sizeof *multiplier);
    for (int k = 0; k < sys->all.rows - sys->soft_count; k++)
        multiplier[sys->solved_rows[k]] = lambda[k] * sys->row_scale[k];
    if (sys->sharing)
        share_multipliers(sys->sharing, multiplier);
}

// of what rows with weight have together
static void find_shares(const trm_system *sys, const trm_state *st, const double *lambda) {
    const double *soft = lambda + sys->all.rows - sys->soft_count;
    if (sys->fits)
        memcpy(st->rows.soft_share, soft, (size_t)sys->soft_count * sizeof *soft);
    else
        weighted_share(st->rows.weighted, soft, st->rows.soft_share);
}

void rows_of_controls(const trm_system *sys, const trm_state *st, const double *lambda,
                      const double *multiplier, double *force) {
    double *share = st->rows.soft_share;
    memset(force, 0, (size_t)sys->n * sizeof *force);
    for (int i = 0; i < sys->m; i++)
        if (sys->rows[i].control && !sys->rows[i].weighted)
            row_add(sys->A, st->A, i, multiplier[i], force);
    if (sys->soft_count == 0)
        return;
    find_shares(sys, st, lambda);
    if (st->rows.soft_L)
        couple_shares(sys, &st->rows, share);
    for (int i = 0; i < sys->soft_count; i++)
        if (sys->rows[sys->soft_rows[i]].control)
            row_add(sys->A, st->A, sys->soft_rows[i], share[i], force);
}

// ---- for everyone else

void solve_written_rows(const trm_system *sys, const trm_state *st, double *A, double *b) {
    size_t n = (size_t)sys->n;
    sparsity_fill(sys->A, st->A, sys->n, A);
    memcpy(b, st->b, (size_t)sys->m * sizeof *b);
    for (int i = 0; i < sys->m; i++)
        if (st->idle[i]) {
            memset(A + (size_t)i * n, 0, n * sizeof *A);
            b[i] = 0;
        }
    for (int i = 0, exact = sys->m - sys->soft_count; i < sys->soft_count; i++) {
        size_t row = (size_t)sys->soft_rows[i];
        memset(A + row * n, 0, n * sizeof *A);
        row_add(sys->all, st->rows.A, exact + i, 1, A + row * n);
        b[row] = st->rows.b[exact + i];
    }
}

const double *solve_entries_in_force(arena *a, const trm_system *sys, const trm_state *st) {
    if (sys->friction_count == 0)
        return st->A;
    double *A = arena_doubles(a, (size_t)sparsity_entries(sys->A));
    for (int i = 0; i < sys->m; i++)
        for (int e = sys->A.start[i]; e < sys->A.start[i + 1]; e++)
            A[e] = st->idle[i] ? 0 : st->A[e];
    return A;
}

// ---- which depend on which

// what was found for the rows that solvers see, said of the rows of the model
static void explain_solved(arena *a, const trm_system *sys, rank_report *r, const rank_report *solved) {
    double *c = arena_doubles(a, (size_t)r->m);
    r->rank = solved->rank;
    for (int k = 0; k < solved->m; k++) {
        int row = sys->solved_rows[k];
        r->remainder[row] = solved->remainder[k];
        memset(c, 0, (size_t)r->m * sizeof *c);
        for (int l = 0; l < solved->term_count[k]; l++)
            c[sys->solved_rows[solved->terms[k][l].row]] = solved->terms[k][l].factor;
        if (!solved->kept[k])
            rank_report_explain(r, a, row, c);
    }
}

// a row that repeats another is what that is, times a factor
static void explain_repeats(arena *a, const trm_system *sys, rank_report *r) {
    for (int i = 0; sys->sharing && i < sys->sharing->count; i++) {
        const share_entry *e = &sys->sharing->entries[i];
        if (e->row != e->of)
            rank_report_repeat(r, a, e->row, e->of, e->factor);
    }
}

/* The last factorisation kept all rows, none of them by little: then looking at them again, which takes m^2 n
 * operations, would say the same. How much is left of rows is told only where it is little. */
static bool found_independent(const trm_system *sys, trm_state *st) {
    static const double LITTLE = 1e-2;
    return solve_rank(sys, st) == sys->all.rows && solve_nearness(sys, st) > fmax(LITTLE, 100 * st->cut);
}

rank_report *solve_dependence(arena *a, const trm_system *sys, trm_state *st) {
    bool independent = found_independent(sys, st);
    int count = sys->all.rows - sys->soft_count;
    const double *entries = natural_rows(a, sys, sys->A, solve_entries_in_force(a, sys, st));
    rank_report *r;
    if (count == sys->m) {
        r = dependence_of_rows(a, sys->n, sys->A, entries, st->cut, independent);
    } else {
        sparsity pattern = sparsity_rows(a, sys->A, sys->solved_rows, count);
        double *A = arena_doubles(a, (size_t)sparsity_entries(pattern));
        for (int k = 0; k < count; k++)
            memcpy(A + pattern.start[k], entries + sys->A.start[sys->solved_rows[k]],
                   (size_t)(pattern.start[k + 1] - pattern.start[k]) * sizeof *A);
        r = rank_report_new(a, sys->m, sys->n);
        explain_solved(a, sys, r, dependence_of_rows(a, sys->n, pattern, A, st->cut, independent));
        explain_repeats(a, sys, r);
    }
    for (int i = 0; i < sys->m; i++)
        r->unique[i] |= st->idle[i]; // what it is does not follow from the rows
    return r;
}
