/* Numbers at the state of which the acceleration was asked for last: the matrices of the equations of motion,
 * energies, residuals, outputs. */
#include "api/guard.h"
#include "report/columns.h"
#include "solve/solve.h"
#include "system/rates.h"

#include <string.h>

// ---- what there is

enum { MATRICES = TRM_S_REACTION + 1 };
typedef enum { SIDE_N, SIDE_ROWS, SIDE_ONE } side;

static const struct {
    side rows, columns;
    bool quasi;
} table[MATRICES] = {
    [TRM_M] = {SIDE_N, SIDE_N, false},           [TRM_Q] = {SIDE_N, SIDE_ONE, false},
    [TRM_A] = {SIDE_ROWS, SIDE_N, false},        [TRM_B] = {SIDE_ROWS, SIDE_ONE, false},
    [TRM_C] = {SIDE_N, SIDE_ONE, false},         [TRM_G] = {SIDE_N, SIDE_N, true},
    [TRM_G_OFFSET] = {SIDE_N, SIDE_ONE, true},   [TRM_M_S] = {SIDE_N, SIDE_N, true},
    [TRM_S] = {SIDE_N, SIDE_ONE, true},          [TRM_A_S] = {SIDE_ROWS, SIDE_N, true},
    [TRM_B_S] = {SIDE_ROWS, SIDE_ONE, true},     [TRM_C_S] = {SIDE_N, SIDE_ONE, true},
    [TRM_S_REACTION] = {SIDE_N, SIDE_ONE, true},
};

static bool is_there(const trm_system *s, trm_matrix which) {
    return (int)which >= 0 && (int)which < MATRICES && (s->quasi || !table[which].quasi);
}

static int length(const trm_system *s, side of) {
    return of == SIDE_N ? s->n : of == SIDE_ROWS ? s->m : 1;
}

// of matrices that are not full; NULL for the others
static const sparsity *pattern(const trm_system *s, trm_matrix which) {
    return which == TRM_M ? &s->M : which == TRM_A ? &s->A : which == TRM_G ? &s->G : NULL;
}

void trm_system_matrix_size(const trm_system *s, trm_matrix which, int *rows, int *columns, int *entries) {
    bool there = is_there(s, which);
    int i = there ? length(s, table[which].rows) : 0, j = there ? length(s, table[which].columns) : 0;
    const sparsity *p = there ? pattern(s, which) : NULL;
    if (rows)
        *rows = i;
    if (columns)
        *columns = j;
    if (entries)
        *entries = p ? sparsity_entries(*p) : i * j;
}

void trm_system_matrix_pattern(const trm_system *s, trm_matrix which, int *row, int *column) {
    int rows, columns, at = 0;
    const sparsity *p = is_there(s, which) ? pattern(s, which) : NULL;
    trm_system_matrix_size(s, which, &rows, &columns, NULL);
    for (int i = 0; i < rows; i++)
        for (int e = p ? p->start[i] : 0, end = p ? p->start[i + 1] : columns; e < end; e++) {
            row[at] = i;
            column[at++] = p ? p->to[e] : e;
        }
}

// ---- vectors, and matrices that are full

// C, of which nothing is kept where there is none
static void nonideal(const trm_system *s, const trm_state *st, double *out) {
    const state_found *found = state_look(st);
    for (int i = 0; i < s->n; i++)
        out[i] = found->force[i] - found->Q[i];
}

static void asked(const trm_system *s, const trm_state *st, double *out) {
    for (int i = 0; i < s->m; i++)
        out[i] = state_idle(st, i) ? 0 : state_look(st)->b[i];
}

// by itself, so that what it is made of may stand in the state
static trm_status with_quasi(const trm_system *s, trm_state *st, trm_matrix which, double *out) {
    outcome found = solve_quasi(s, st);
    if (found.status != SOLVE_OK) {
        state_set_error(st, found.status);
        return TRM_NO_SOLUTION;
    }
    if (which == TRM_M_S)
        solve_quasi_mass(s, st, out);
    else if (which == TRM_S)
        solve_quasi_force(s, st, out);
    else if (which == TRM_A_S)
        solve_quasi_rows(s, st, out);
    else if (which == TRM_B_S)
        solve_quasi_asked(s, st, out);
    else if (which == TRM_C_S)
        solve_quasi_transform(s, st, state_look(st)->force, state_look(st)->Q, out);
    else {
        solve_forces(s, st);
        solve_quasi_transform(s, st, state_look(st)->reaction, NULL, out);
    }
    return TRM_OK;
}

static bool needs_solution(trm_matrix which) {
    return which == TRM_C || which == TRM_C_S || which == TRM_S_REACTION;
}

static trm_status full(const trm_system *s, trm_state *st, trm_matrix which, double *out) {
    const state_found *found = state_look(st);
    size_t n = (size_t)s->n * sizeof *out;
    switch (which) {
    case TRM_Q:
        memcpy(out, found->Q, n);
        return TRM_OK;
    case TRM_B:
        asked(s, st, out);
        return TRM_OK;
    case TRM_C:
        nonideal(s, st, out);
        return TRM_OK;
    case TRM_G_OFFSET:
        rates_evaluate(s, st);
        memcpy(out, state_output(st, STAGE_QUASI) + s->rates->g_at, n);
        return TRM_OK;
    default:
        return with_quasi(s, st, which, out);
    }
}

// ---- matrices with a pattern

static const double *entries_of(const trm_system *s, trm_state *st, trm_matrix which) {
    if (which == TRM_G)
        rates_evaluate(s, st);
    return which == TRM_M ? state_look(st)->M : which == TRM_A ? state_look(st)->A : rates_G(st);
}

static bool is_zero(const trm_state *st, trm_matrix which, int row) {
    return which == TRM_A && state_idle(st, row);
}

static void spread(const trm_system *s, trm_state *st, trm_matrix which, bool all, double *out) {
    const sparsity *p = pattern(s, which);
    const double *values = entries_of(s, st, which);
    size_t n = (size_t)s->n;
    if (all)
        memset(out, 0, (size_t)p->rows * n * sizeof *out);
    for (int i = 0; i < p->rows; i++)
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            out[all ? (size_t)i * n + (size_t)p->to[e] : (size_t)e] = is_zero(st, which, i) ? 0 : values[e];
}

static trm_status matrix(const trm_system *s, trm_state *st, trm_matrix which, bool all, double *out) {
    if (!is_there(s, which))
        return TRM_WRONG_MODEL;
    if (!state_known(st) || (needs_solution(which) && state_error(st) != SOLVE_OK))
        return TRM_NO_SOLUTION;
    if (pattern(s, which) == NULL)
        return full(s, st, which, out);
    spread(s, st, which, all, out);
    return TRM_OK;
}

trm_status trm_state_matrix(const trm_system *s, trm_state *st, trm_matrix which, double *out) {
    return matrix(s, st, which, true, out);
}

trm_status trm_state_entries(const trm_system *s, trm_state *st, trm_matrix which, double *values) {
    return matrix(s, st, which, false, values);
}

// ---- energies, residuals, outputs

trm_status trm_state_energies(const trm_system *s, trm_state *st, double *kinetic, double *potential,
                              double *jacobi) {
    if (!state_known(st))
        return TRM_NO_SOLUTION;
    shown_state k = solve_shown(s, st);
    state_run(k.sys, k.st, STAGE_ENERGY);
    const double *y = state_output(k.st, STAGE_ENERGY);
    if (kinetic)
        *kinetic = y[0];
    if (potential)
        *potential = y[2];
    if (jacobi)
        *jacobi = y[1] + y[2];
    return TRM_OK;
}

static bool is_solved(const trm_state *st) {
    return state_known(st) && state_error(st) == SOLVE_OK;
}

trm_status trm_state_residuals(const trm_system *s, trm_state *st, double *off, double *rate) {
    size_t m = (size_t)s->m;
    if (!is_solved(st))
        return TRM_NO_SOLUTION;
    solve_residuals(s, st);
    const double *y = state_output(st, STAGE_RESIDUAL);
    if (off)
        memcpy(off, y, m * sizeof *off);
    if (rate)
        memcpy(rate, y + m, m * sizeof *rate);
    return TRM_OK;
}

static const model *shown_model(const trm_system *s) {
    return s->full ? s->full->model : s->model;
}

int trm_system_outputs(const trm_system *s) {
    return shown_model(s)->outputs.count;
}

static const char *output_name(void *object, int i) {
    const trm_system *s = object;
    bool there = i >= 0 && i < trm_system_outputs(s);
    return there ? columns_name(s->arena, shown_model(s), COLUMN_OUTPUT, i) : "";
}

const char *trm_system_output_name(trm_system *s, int i) {
    return guard_text(s->arena, output_name, s, i, NULL);
}

trm_status trm_state_outputs(const trm_system *s, trm_state *st, double *values) {
    if (!is_solved(st))
        return TRM_NO_SOLUTION;
    outcome found = solve_shown_solution(s, st);
    if (found.status != SOLVE_OK) {
        state_set_error(st, found.status);
        return TRM_NO_SOLUTION;
    }
    shown_state k = solve_shown(s, st);
    solve_forces(k.sys, k.st);
    solve_results(k.sys, k.st);
    state_run(k.sys, k.st, STAGE_OUTPUT);
    memcpy(values, state_output(k.st, STAGE_OUTPUT), (size_t)trm_system_outputs(s) * sizeof *values);
    return TRM_OK;
}
