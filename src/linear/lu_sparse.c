/* Column k of L and U is x with L x = K_k, over the rows that can be reached from those of K_k in the graph
 * of L: those are found first, by a search in depth, in an order in which x can be computed. */
#include "linear/lu_sparse.h"

#include <math.h>
#include <string.h>

static const double DIAGONAL = 0.01, ROUNDING = 1e-14;

typedef struct {
    int row;
    double value;
} entry;

typedef struct {
    arena *arena;
    int *start; // (n + 1)
    vec(entry) entries;
} factor;

struct lu_sparse {
    int n;
    sparsity columns;
    const int *order;
    factor L, U;                 // L without its diagonal of ones
    int *pivot, *place;          // (n) row that is the k-th pivot, and the other way round; -1: none yet
    double *inverse;             // (n) of the pivots
    double *row, *column;        // (n) factors that bring rows and columns to size 1
    double *x;                   // (n) zero between columns
    int *reached, *stack, *next; // (n)
    int *mark, marker;           // (n) rows reached in column `marker`
};

lu_sparse *lu_sparse_new(arena *a, sparsity columns, const int *order) {
    lu_sparse *f = arena_array(a, lu_sparse, 1);
    int n = columns.rows;
    *f = (lu_sparse){.n = n, .columns = columns, .order = order, .L = {.arena = a}, .U = {.arena = a}};
    int **ints[] = {&f->L.start, &f->U.start, &f->pivot, &f->place,
                    &f->reached, &f->stack,   &f->next,  &f->mark};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i] = arena_array(a, int, n + 1);
    double **doubles[] = {&f->inverse, &f->row, &f->column, &f->x};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        *doubles[i] = arena_doubles(a, (size_t)n + 1);
    return f;
}

static void put(factor *f, int row, double value) {
    vec_push(f->arena, f->entries, ((entry){row, value}));
}

static void measure(lu_sparse *f, const double *K) {
    memset(f->row, 0, (size_t)f->n * sizeof *f->row);
    for (int e = 0; e < sparsity_entries(f->columns); e++) {
        double *largest = &f->row[f->columns.to[e]];
        *largest = fabs(K[e]) > *largest ? fabs(K[e]) : *largest;
    }
    for (int i = 0; i < f->n; i++)
        f->row[i] = f->row[i] > 0 ? 1 / f->row[i] : 0;
    for (int j = 0; j < f->n; j++) {
        double largest = 0;
        for (int e = f->columns.start[j]; e < f->columns.start[j + 1]; e++)
            largest = fmax(largest, fabs(K[e]) * f->row[f->columns.to[e]]);
        f->column[j] = largest > 0 ? 1 / largest : 0;
    }
}

// what can be reached from a row, put before reached[top]; returns the new top
static int reach(lu_sparse *f, int from, int top) {
    int depth = 0;
    if (f->mark[from] == f->marker)
        return top;
    f->mark[from] = f->marker;
    f->stack[0] = from;
    f->next[0] = f->place[from] < 0 ? 0 : f->L.start[f->place[from]];
    while (depth >= 0) {
        int k = f->place[f->stack[depth]], end = k < 0 ? 0 : f->L.start[k + 1], to = -1;
        while (f->next[depth] < end && to < 0) {
            to = f->L.entries.at[f->next[depth]++].row;
            to = f->mark[to] == f->marker ? -1 : to;
        }
        if (to < 0) {
            f->reached[--top] = f->stack[depth--];
            continue;
        }
        f->mark[to] = f->marker;
        f->stack[++depth] = to;
        f->next[depth] = f->place[to] < 0 ? 0 : f->L.start[f->place[to]];
    }
    return top;
}

// x <- L^-1 K_j over the rows reached[top] ..
static int solve_column(lu_sparse *f, const double *K, int j) {
    int top = f->n;
    f->marker++;
    for (int e = f->columns.start[j]; e < f->columns.start[j + 1]; e++) {
        int i = f->columns.to[e];
        top = reach(f, i, top);
        f->x[i] = K[e] * f->row[i] * f->column[j];
    }
    for (int p = top; p < f->n; p++) {
        int k = f->place[f->reached[p]];
        double x = f->x[f->reached[p]];
        for (int e = k < 0 ? 0 : f->L.start[k], end = k < 0 ? 0 : f->L.start[k + 1]; e < end; e++)
            f->x[f->L.entries.at[e].row] -= f->L.entries.at[e].value * x;
    }
    return top;
}

// the row that gives the k-th pivot, of column j; -1: none
static int choose(const lu_sparse *f, int top, int j) {
    int best = -1;
    double largest = ROUNDING;
    for (int p = top; p < f->n; p++) {
        int i = f->reached[p];
        if (f->place[i] < 0 && fabs(f->x[i]) > largest) {
            largest = fabs(f->x[i]);
            best = i;
        }
    }
    bool diagonal =
        best >= 0 && f->mark[j] == f->marker && f->place[j] < 0 && fabs(f->x[j]) >= DIAGONAL * largest;
    return diagonal ? j : best;
}

// what the column holds goes to L and U; x is zero after it
static void store(lu_sparse *f, int k, int top, int best) {
    double inverse = best < 0 ? 0 : 1 / f->x[best];
    f->inverse[k] = inverse;
    for (int p = top; p < f->n; p++) {
        int i = f->reached[p];
        if (f->place[i] >= 0)
            put(&f->U, f->place[i], f->x[i]);
        else if (i != best && f->x[i] != 0)
            put(&f->L, i, f->x[i] * inverse);
        f->x[i] = 0;
    }
    f->L.start[k + 1] = f->L.entries.count;
    f->U.start[k + 1] = f->U.entries.count;
}

int lu_sparse_factor(lu_sparse *f, const double *K) {
    measure(f, K);
    f->L.entries.count = f->U.entries.count = 0;
    f->marker = 0;
    for (int i = 0; i < f->n; i++) {
        f->place[i] = -1;
        f->mark[i] = 0;
    }
    for (int k = 0; k < f->n; k++) {
        int top = solve_column(f, K, f->order[k]), best = choose(f, top, f->order[k]);
        store(f, k, top, best);
        if (best < 0)
            return f->order[k];
        f->pivot[k] = best;
        f->place[best] = k;
    }
    return -1;
}

void lu_sparse_solve(lu_sparse *f, double *x) {
    double *y = f->x; // by places
    for (int i = 0; i < f->n; i++)
        x[i] *= f->row[i];
    for (int k = 0; k < f->n; k++) {
        y[k] = x[f->pivot[k]];
        for (int e = f->L.start[k]; e < f->L.start[k + 1]; e++)
            x[f->L.entries.at[e].row] -= f->L.entries.at[e].value * y[k];
    }
    for (int k = f->n - 1; k >= 0; k--) {
        y[k] *= f->inverse[k];
        for (int e = f->U.start[k]; e < f->U.start[k + 1]; e++)
            y[f->U.entries.at[e].row] -= f->U.entries.at[e].value * y[k];
    }
    for (int k = 0; k < f->n; k++) {
        x[f->order[k]] = y[k] * f->column[f->order[k]];
        y[k] = 0;
    }
}

void lu_sparse_solve_transposed(lu_sparse *f, double *x) {
    double *y = f->x; // by places
    for (int k = 0; k < f->n; k++) {
        y[k] = x[f->order[k]] * f->column[f->order[k]];
        for (int e = f->U.start[k]; e < f->U.start[k + 1]; e++)
            y[k] -= f->U.entries.at[e].value * y[f->U.entries.at[e].row];
        y[k] *= f->inverse[k];
    }
    for (int k = f->n - 1; k >= 0; k--) {
        for (int e = f->L.start[k]; e < f->L.start[k + 1]; e++)
            y[k] -= f->L.entries.at[e].value * y[f->place[f->L.entries.at[e].row]];
        x[f->pivot[k]] = y[k] * f->row[f->pivot[k]];
    }
    memset(y, 0, (size_t)f->n * sizeof *y);
}

double lu_sparse_pivot(const lu_sparse *f, int k) {
    return 1 / (f->inverse[k] * f->row[f->pivot[k]] * f->column[f->order[k]]);
}

// even permutations: as many places as cycles, but for an even number
static int parity(const int *to, int n, int *seen, int mark) {
    int sign = 1;
    for (int i = 0; i < n; i++)
        for (int k = i, first = 1; seen[k] != mark; k = to[k], first = 0) {
            seen[k] = mark;
            sign = first ? sign : -sign;
        }
    return sign;
}

int lu_sparse_sign(lu_sparse *f) {
    int sign = parity(f->pivot, f->n, f->mark, ++f->marker);
    sign *= parity(f->order, f->n, f->mark, ++f->marker);
    for (int k = 0; k < f->n; k++)
        sign = f->inverse[k] < 0 ? -sign : sign;
    return sign;
}

long lu_sparse_entries(const lu_sparse *f) {
    return (long)f->L.entries.count + f->U.entries.count + f->n;
}
