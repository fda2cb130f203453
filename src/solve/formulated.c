/* In quasi-velocities s = G q' + g, with H = G^-1 and s' = G q'' + r (000 eqs. 2.13, 2.14, 3.5, 3.8, 3.45):
 *
 *   M_s = H'M H,   S = H'Q + M_s r,   A_s = A H,   b_s = b + A_s r,   C_s = H'C
 *   q'' = H (s' - r),   Q^c = G'S^c */
#include "solve/solve_inside.h"

#include "linear/linalg.h"
#include "system/natural.h"
#include "system/rates.h"

#include <string.h>

static const outcome NOT_APPLICABLE = {SOLVE_FORMULATION, -1};

double solve_use_bytes(const trm_system *sys) {
    double n = sys->n, m = sys->m;
    return (sys->quasi ? 4 * n * n + 2 * m * n : n * n + m * n) * (double)sizeof(double);
}

void solve_use(const trm_system *sys, trm_state *st, const formulation *by, matrices *shared) {
    size_t n = (size_t)sys->n, m = (size_t)sys->m;
    formulated *f = arena_alloc(st->arena, sizeof *f);
    *f = (formulated){.by = by, .papers = papers_new(st->arena, sys->n, sys->m, shared)};
    f->M_full = arena_doubles(st->arena, n * n);
    f->A_full = arena_doubles(st->arena, m * n);
    f->b_full = arena_doubles(st->arena, m);
    f->force = arena_doubles(st->arena, n);
    f->none = arena_doubles(st->arena, n);
    f->own_Q = arena_doubles(st->arena, n);
    f->own_C = arena_doubles(st->arena, n);
    if (sys->quasi) {
        double **vectors[] = {&f->Q, &f->C, &f->rate, &f->b};
        for (int i = 0; i < 4; i++)
            *vectors[i] = arena_doubles(st->arena, i < 3 ? n : m);
        f->H = arena_doubles(st->arena, n * n);
        f->half = arena_doubles(st->arena, n * n);
        f->M = arena_doubles(st->arena, n * n);
        f->A = arena_doubles(st->arena, m * n);
    }
    st->formulated = f;
    solve_note_plain(st);
}

void solve_choose(trm_state *st, const paper_choice *choice) {
    st->formulated->choice = choice ? *choice : (paper_choice){0};
}

const formulation *solve_in_use(const trm_state *st) {
    return st->formulated ? st->formulated->by : NULL;
}

// out (rows x n) = X H
static void times_H(const double *X, int rows, const double *H, int n, double *out) {
    memset(out, 0, (size_t)rows * (size_t)n * sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++)
            linalg_add(out + i * n, X[i * n + k], H + k * n, n);
}

// out (n) = X'v
static void transposed_times(const double *X, const double *v, int n, double *out) {
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < n; k++)
        linalg_add(out, v[k], X + k * n, n);
}

static void to_quasi(const trm_system *sys, trm_state *st, const double *b, const double *C,
                     const double *rate) {
    formulated *f = st->formulated;
    int n = sys->n;
    times_H(f->M_full, n, f->H, n, f->half);
    memset(f->M, 0, (size_t)n * (size_t)n * sizeof *f->M);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            linalg_add(f->M + i * n, f->H[k * n + i], f->half + k * n, n);
    transposed_times(f->H, st->Q, n, f->Q);
    transposed_times(f->H, C, n, f->C);
    for (int i = 0; i < n; i++)
        f->Q[i] += linalg_dot(f->M + i * n, rate, n);
    times_H(f->A_full, sys->m, f->H, n, f->A);
    for (int i = 0; i < sys->m; i++)
        f->b[i] = b[i] + linalg_dot(f->A + i * n, rate, n);
}

static outcome in_quasi(const trm_system *sys, trm_state *st, const double *b, const double *C) {
    formulated *f = st->formulated;
    int n = sys->n;
    outcome found = outcome_of_rates(rates_inverse(sys, st, f->H));
    if (found.status != SOLVE_OK)
        return found;
    const double *rate = rates_rest(sys, st);
    to_quasi(sys, st, b, C, rate);
    double *S_c = st->scratch;
    if (!papers_solve(f->papers, f->by, &f->choice, f->M, f->Q, f->C, f->A, f->b, solver_rank(st->solver),
                      f->rate, S_c))
        return NOT_APPLICABLE;
    memset(f->force, 0, (size_t)n * sizeof *f->force);
    for (int i = 0; i < n; i++)
        row_add(sys->G, rates_G(st), i, S_c[i], f->force);
    for (int i = 0; i < n; i++)
        f->rate[i] -= rate[i];
    for (int i = 0; i < n; i++)
        st->qdd[i] = linalg_dot(f->H + i * n, f->rate, n);
    return SOLVED;
}

// S M S, A S, S Q, S C in the units of the coordinates, as solvers have them
static void take_units(const trm_system *sys, trm_state *st, const double *units, const double *C) {
    formulated *f = st->formulated;
    int n = sys->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            f->M_full[i * n + j] *= units[i] * units[j];
        for (int k = 0; k < sys->m; k++)
            f->A_full[k * n + i] *= units[i];
        f->own_Q[i] = st->Q[i] * units[i];
        f->own_C[i] = C[i] * units[i];
    }
}

static bool solve_in_units(const trm_system *sys, trm_state *st, const double *units, const double *C) {
    formulated *f = st->formulated;
    take_units(sys, st, units, C);
    bool solved = papers_solve(f->papers, f->by, &f->choice, f->M_full, f->own_Q, f->own_C, f->A_full,
                               f->b_full, solver_rank(st->solver), st->qdd, f->force);
    for (int i = 0; i < sys->n; i++) {
        st->qdd[i] *= units[i];
        f->force[i] /= units[i];
        for (int k = 0; k < sys->m; k++)
            f->A_full[k * sys->n + i] /= units[i]; // multipliers are found with the rows as written
    }
    return solved;
}

outcome solve_formulated(const trm_system *sys, trm_state *st, const double *C) {
    formulated *f = st->formulated;
    if (f->by->definite && solver_mass_singular(st->solver))
        return NOT_APPLICABLE;
    if (f->choice.basis == BASIS_GIVEN && f->choice.mix_size != sys->n - solver_rank(st->solver))
        return (outcome){SOLVE_CHOICE, sys->n - solver_rank(st->solver)};
    if (C == NULL)
        C = f->none;
    sparsity_fill(sys->M, st->M, sys->n, f->M_full);
    solve_written_rows(sys, st, f->A_full, f->b_full);
    if (sys->quasi)
        return in_quasi(sys, st, f->b_full, C);
    const double *units = sys->natural->units;
    bool solved = units ? solve_in_units(sys, st, units, C)
                        : papers_solve(f->papers, f->by, &f->choice, f->M_full, st->Q, C, f->A_full,
                                       f->b_full, solver_rank(st->solver), st->qdd, f->force);
    return solved ? SOLVED : NOT_APPLICABLE;
}

bool solve_gibbs(const trm_system *sys, trm_state *st, gibbs *out) {
    formulated *f = st->formulated;
    int n = sys->n, rank = solver_rank(st->solver);
    if (!sys->quasi) {
        sparsity_fill(sys->M, st->M, n, f->M_full); // they may have been scaled
        return papers_gibbs(f->papers, f->M_full, st->force, f->A_full, rank, st->qdd, out);
    }
    const double *rate = rates_rest(sys, st);
    double *given = st->scratch, *sdot = given + n;
    for (int i = 0; i < n; i++) {
        given[i] = f->Q[i] + f->C[i];
        sdot[i] = f->rate[i] + rate[i];
    }
    return papers_gibbs(f->papers, f->M, given, f->A, rank, sdot, out);
}
