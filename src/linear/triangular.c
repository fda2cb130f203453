#include "linear/triangular.h"

#include "linear/lu.h"

#include <math.h>
#include <string.h>

// ---- a matching: for each row a column of its own, in which it has an entry where that can be

typedef struct {
    sparsity p;
    int *column; // (n) of a row, or -1
    int *owner;  // (n) row of a column, or -1
    int *seen;   // (n) the search in which a column was met last
    int *path, *next;
} matching;

// the next column of a row that this search has not met; free ones first
static int next_column(matching *m, int row, int search) {
    for (int e = m->p.start[row]; m->next[row] == m->p.start[row] && e < m->p.start[row + 1]; e++)
        if (m->owner[m->p.to[e]] < 0)
            return m->p.to[e];
    while (m->next[row] < m->p.start[row + 1]) {
        int column = m->p.to[m->next[row]++];
        if (m->seen[column] != search)
            return column;
    }
    return -1;
}

// from a row along columns that others have, to one that is free; then all on the way change theirs
static void augment(matching *m, int row, int search) {
    int depth = 0;
    m->path[0] = row;
    m->next[row] = m->p.start[row];
    while (depth >= 0) {
        int here = m->path[depth], column = next_column(m, here, search);
        if (column < 0) {
            depth--;
            continue;
        }
        m->seen[column] = search;
        int other = m->owner[column];
        if (other >= 0) {
            m->path[++depth] = other;
            m->next[other] = m->p.start[other];
            continue;
        }
        for (; depth >= 0; depth--) {
            int left = m->column[m->path[depth]];
            m->column[m->path[depth]] = column;
            m->owner[column] = m->path[depth];
            column = left;
        }
    }
}

// (n) column of each row; those that find none have what is left
static int *match(arena *a, sparsity p) {
    int n = p.rows, spare = 0;
    matching m = {p,
                  arena_array(a, int, n + 1),
                  arena_array(a, int, n + 1),
                  arena_array(a, int, n + 1),
                  arena_array(a, int, n + 1),
                  arena_array(a, int, n + 1)};
    for (int i = 0; i < n; i++)
        m.column[i] = m.owner[i] = m.seen[i] = -1;
    for (int i = 0; i < n; i++)
        augment(&m, i, i);
    for (int i = 0; i < n; i++) {
        while (m.column[i] < 0 && m.owner[spare] >= 0)
            spare++;
        if (m.column[i] < 0) {
            m.column[i] = spare;
            m.owner[spare] = i;
        }
    }
    return m.column;
}

// ---- strongly connected parts (Tarjan): each comes out once all that it leads to are out

typedef struct {
    sparsity p;
    const int *owner;  // (n) row of a column
    int *low, *number; // (n) of rows; number 0: not met, < 0: it is out
    int *stack, *path, *next;
    int met, height;
} parts;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static void enter(parts *s, int row, int depth) {
    s->number[row] = s->low[row] = ++s->met;
    s->stack[s->height++] = row;
    s->path[depth] = row;
    s->next[row] = s->p.start[row];
}

// takes one part off the stack, to the rows that are out; how many these are then
static int take_part(parts *s, int root, int *rows, int count) {
    int row;
    do {
        row = s->stack[--s->height];
        s->number[row] = -1;
        rows[count++] = row;
    } while (row != root);
    return count;
}

// rows (n) in the order of the parts, first (count + 1) where each begins; returns the count
static int find_parts(parts *s, int *rows, int *first) {
    int count = 0, out = 0;
    for (int i = 0; i < s->p.rows; i++) {
        int depth = 0;
        if (s->number[i] != 0)
            continue;
        enter(s, i, 0);
        while (depth >= 0) {
            int row = s->path[depth];
            if (s->next[row] < s->p.start[row + 1]) {
                int to = s->owner[s->p.to[s->next[row]++]];
                if (s->number[to] == 0)
                    enter(s, to, ++depth);
                else if (s->number[to] > 0)
                    s->low[row] = smaller(s->low[row], s->number[to]);
                continue;
            }
            if (s->low[row] == s->number[row]) {
                first[count++] = out;
                out = take_part(s, row, rows, out);
            }
            if (--depth >= 0)
                s->low[s->path[depth]] = smaller(s->low[s->path[depth]], s->low[row]);
        }
    }
    first[count] = out;
    return count;
}

triangular *triangular_new(arena *a, sparsity p) {
    int n = p.rows;
    triangular *t = arena_alloc(a, sizeof *t);
    int *row = arena_array(a, int, n + 1), *column = arena_array(a, int, n + 1);
    int *at = arena_array(a, int, n + 1), *first = arena_array(a, int, n + 1),
        *inside = arena_array(a, int, n + 1);
    arena *scratch = arena_child(a);
    int *of = match(scratch, p), *owner = arena_array(scratch, int, n + 1);
    for (int i = 0; i < n; i++)
        owner[of[i]] = i;
    parts s = {p,
               owner,
               arena_array(scratch, int, n + 1),
               arena_array(scratch, int, n + 1),
               arena_array(scratch, int, n + 1),
               arena_array(scratch, int, n + 1),
               arena_array(scratch, int, n + 1),
               0,
               0};
    int count = find_parts(&s, row, first);
    for (int k = 0; k < n; k++) {
        column[k] = of[row[k]];
        at[column[k]] = k;
    }
    for (int b = 0; b < count; b++) {
        int size = first[b + 1] - first[b];
        inside[b + 1] = inside[b] + size * size;
    }
    arena_free(scratch);
    *t = (triangular){p, count, row, column, at, first, inside};
    return t;
}

double triangular_size(arena *a, sparsity pattern) {
    arena *scratch = arena_child(a);
    const triangular *t = triangular_new(scratch, pattern);
    double sum = 0;
    for (int b = 0; b < t->count; b++)
        sum += pow(t->first[b + 1] - t->first[b], 2);
    arena_free(scratch);
    return sum;
}

// ---- numbers

triangular_factors triangular_factors_new(arena *a, const triangular *t) {
    size_t n = (size_t)t->pattern.rows;
    return (triangular_factors){arena_doubles(a, (size_t)t->inside[t->count] + 1), arena_array(a, int, n + 1),
                                arena_array(a, signed char, (size_t)t->count + 1),
                                arena_doubles(a, 3 * n + 1)};
}

static void fill_block(const triangular *t, const double *G, int b, double *K) {
    int first = t->first[b], size = t->first[b + 1] - first;
    memset(K, 0, (size_t)size * (size_t)size * sizeof *K);
    for (int k = 0; k < size; k++) {
        int row = t->row[first + k];
        for (int e = t->pattern.start[row]; e < t->pattern.start[row + 1]; e++) {
            int at = t->at[t->pattern.to[e]];
            if (at >= first)
                K[k * size + at - first] = G[e];
        }
    }
}

static int factor_block(const triangular *t, const double *G, int b, triangular_factors *f) {
    int first = t->first[b], size = t->first[b + 1] - first, sign = 0;
    double *K = f->K + t->inside[b];
    fill_block(t, G, b, K);
    int column = lu_factor(K, size, f->pivot + first, f->work, &sign);
    f->sign[b] = (signed char)(column < 0 ? sign : 0);
    return column < 0 ? -1 : t->column[first + column];
}

int triangular_factor(const triangular *t, const double *G, triangular_factors *f) {
    for (int b = 0; b < t->count; b++) {
        int column = factor_block(t, G, b, f);
        if (column >= 0)
            return column;
    }
    return -1;
}

void triangular_solve(const triangular *t, const double *G, const triangular_factors *f, const double *b,
                      double *x) {
    const sparsity *p = &t->pattern;
    double *w = f->work;
    for (int k = 0; k < p->rows; k++)
        w[k] = b[t->row[k]];
    for (int c = 0; c < t->count; c++) {
        int first = t->first[c], end = t->first[c + 1];
        for (int k = first; k < end; k++)
            for (int e = p->start[t->row[k]]; e < p->start[t->row[k] + 1]; e++)
                if (t->at[p->to[e]] < first)
                    w[k] -= G[e] * w[t->at[p->to[e]]];
        lu_solve(f->K + t->inside[c], end - first, f->pivot + first, w + first);
    }
    for (int k = 0; k < p->rows; k++)
        x[t->column[k]] = w[k];
}

int triangular_worst(const triangular *t, const double *G, triangular_factors *f) {
    int worst = 0;
    double least = INFINITY, longest = 0;
    for (int i = 0; i < t->pattern.rows; i++)
        longest = fmax(longest, row_norm(t->pattern, G, i));
    for (int b = 0; b < t->count; b++) {
        double part = 1, shortest = longest;
        int first = t->first[b], size = t->first[b + 1] - first;
        bool singular = factor_block(t, G, b, f) >= 0;
        for (int k = 0; k < size && !singular; k++) {
            double length = row_norm(t->pattern, G, t->row[first + k]);
            part /= fabs(f->K[t->inside[b] + k * size + k]) * length;
            shortest = fmin(shortest, length);
        }
        part = singular ? 0 : part * shortest;
        if (!(part >= least)) {
            least = part;
            worst = b;
        }
    }
    return worst;
}
