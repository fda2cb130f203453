#include "linear/peel.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

/* Rows of a group are clearly independent if so much is left of each at unit length. What is left of f is
 * rounding if it is no more than this part of its terms. */
static const double CLEAR = 1e-6, ROUNDING = 1e-10;

typedef struct {
    int *rows, *columns;
    int row_count, column_count;
} group;

struct peel {
    arena *arena;
    int n;
    sparsity A;
    const double *scale;
    vec(group) groups;
    int *group_of, *place; // (n) of a column: its group from 1 on, 0 for none; its place there
    bool *grouped;         // (m)
    double *B, *right;     // of the largest group
    int largest;
};

peel *peel_new(arena *a, int n, sparsity A, const double *scale) {
    peel *p = arena_alloc(a, sizeof *p);
    *p = (peel){.arena = a, .n = n, .A = A, .scale = scale};
    p->group_of = arena_array(a, int, n + 1);
    p->place = arena_array(a, int, n + 1);
    p->grouped = arena_array(a, bool, A.rows + 1);
    return p;
}

void peel_add(peel *p, const int *rows, int row_count, const int *columns, int column_count) {
    group g = {arena_array(p->arena, int, row_count + 1), arena_array(p->arena, int, column_count + 1),
               row_count, column_count};
    memcpy(g.rows, rows, (size_t)row_count * sizeof *rows);
    memcpy(g.columns, columns, (size_t)column_count * sizeof *columns);
    vec_push(p->arena, p->groups, g);
    for (int i = 0; i < row_count; i++)
        p->grouped[rows[i]] = true;
    for (int i = 0; i < column_count; i++) {
        p->group_of[columns[i]] = p->groups.count;
        p->place[columns[i]] = i;
    }
    if ((row_count + 1) * column_count > p->largest) {
        p->largest = (row_count + 1) * column_count;
        p->B = arena_doubles(p->arena, (size_t)p->largest);
        p->right = arena_doubles(p->arena, (size_t)column_count + 1);
    }
}

static double unit(const peel *p, int column) {
    return p->scale ? p->scale[column] : 1;
}

// the rows of a group on its own columns (rows x columns), each of length 1, their lengths behind them
static void gather(const peel *p, int number, const double *A) {
    const group *g = &p->groups.at[number];
    int width = g->column_count;
    memset(p->B, 0, (size_t)(g->row_count * width) * sizeof *p->B);
    for (int i = 0; i < g->row_count; i++)
        for (int e = p->A.start[g->rows[i]]; e < p->A.start[g->rows[i] + 1]; e++)
            if (p->group_of[p->A.to[e]] == number + 1)
                p->B[i * width + p->place[p->A.to[e]]] = A[e] * unit(p, p->A.to[e]);
}

// takes the reflection along v, with v'v = 2 / factor, from x
static void reflect(const double *v, double factor, double *x, int count) {
    double part = factor * linalg_dot(v, x, count);
    for (int i = 0; i < count; i++)
        x[i] -= part * v[i];
}

/* B' lambda = right by Householder's reflections, one for each row of B; what they make of it stands in the
 * first entries. */
static bool triangulate(double *B, double *right, int rows, int width, double *diagonal) {
    for (int i = 0; i < rows; i++) {
        double *v = B + i * width + i, whole = linalg_norm(B + i * width, width);
        double length = linalg_norm(v, width - i);
        if (!(length > CLEAR * whole))
            return false;
        diagonal[i] = v[0] > 0 ? -length : length;
        v[0] -= diagonal[i];
        double factor = 1 / (-diagonal[i] * v[0]);
        for (int k = i + 1; k < rows; k++)
            reflect(v, factor, B + k * width + i, width - i);
        reflect(v, factor, right + i, width - i);
    }
    return true;
}

static void take_row(const peel *p, const double *A, int row, double lambda, double *f, double *size) {
    for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++) {
        double part = lambda * A[e];
        f[p->A.to[e]] -= part;
        size[p->A.to[e]] += fabs(part);
    }
}

static bool is_left(const peel *p, const int *columns, int count, const double *f, const double *size) {
    double left = 0, whole = 0;
    for (int i = 0; i < count; i++) {
        left += fabs(f[columns[i]]) * unit(p, columns[i]);
        whole += size[columns[i]] * unit(p, columns[i]);
    }
    return !(left <= ROUNDING * whole);
}

static bool take_group(const peel *p, int number, const double *A, double *f, double *size, double *lambda) {
    const group *g = &p->groups.at[number];
    int rows = g->row_count, width = g->column_count;
    double *diagonal = p->B + rows * width;
    if (rows > width)
        return false;
    gather(p, number, A);
    for (int i = 0; i < width; i++)
        p->right[i] = f[g->columns[i]] * unit(p, g->columns[i]);
    if (!triangulate(p->B, p->right, rows, width, diagonal))
        return false;
    for (int i = rows - 1; i >= 0; i--) {
        double x = p->right[i];
        for (int k = i + 1; k < rows; k++)
            x -= p->B[k * width + i] * lambda[g->rows[k]];
        lambda[g->rows[i]] = x / diagonal[i];
    }
    for (int i = 0; i < rows; i++)
        take_row(p, A, g->rows[i], lambda[g->rows[i]], f, size);
    return !is_left(p, g->columns, width, f, size);
}

bool peel_solve(const peel *p, const double *A, double *f, double *size, double *lambda) {
    for (int row = 0; row < p->A.rows; row++)
        if (!p->grouped[row])
            take_row(p, A, row, lambda[row], f, size);
    for (int i = 0; i < p->groups.count; i++)
        if (!take_group(p, i, A, f, size, lambda))
            return false;
    for (int i = 0; i < p->n; i++)
        if (p->group_of[i] == 0 && is_left(p, &i, 1, f, size))
            return false;
    return true;
}
