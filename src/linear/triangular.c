#include "linear/triangular.h"

#include "linear/lu.h"
#include "linear/order.h"

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

// ---- large blocks

/* From about here on sparse factors take less time, if they stay sparse. */
enum { LARGE = 100, FULL_PART = 8 };

static bool is_inside(const triangular *t, int b, int place) {
    return place >= t->first[b] && place < t->first[b + 1];
}

static int entries_inside(const triangular *t, int b) {
    int count = 0;
    for (int k = t->first[b]; k < t->first[b + 1]; k++)
        for (int e = t->pattern.start[t->row[k]]; e < t->pattern.start[t->row[k] + 1]; e++)
            count += is_inside(t, b, t->at[t->pattern.to[e]]);
    return count;
}

typedef void entry_act(sparsity_builder *b, int from, int to);

static void announce_both(sparsity_builder *b, int from, int to) {
    sparsity_announce(b, from);
    sparsity_announce(b, to);
}

static void put_both(sparsity_builder *b, int from, int to) {
    sparsity_put(b, from, to);
    sparsity_put(b, to, from);
}

static void announce_column(sparsity_builder *b, int row, int column) {
    (void)row;
    sparsity_announce(b, column);
}

static void put_column(sparsity_builder *b, int row, int column) {
    sparsity_put(b, column, row);
}

static void for_inside(const triangular *t, int b, sparsity_builder *to, entry_act *act, bool diagonal) {
    int first = t->first[b];
    for (int k = first; k < t->first[b + 1]; k++)
        for (int e = t->pattern.start[t->row[k]]; e < t->pattern.start[t->row[k] + 1]; e++) {
            int at = t->at[t->pattern.to[e]];
            if (is_inside(t, b, at) && (diagonal || at != k))
                act(to, k - first, at - first);
        }
}

static triangular_large *large_new(arena *a, const triangular *t, int b) {
    triangular_large *l = arena_alloc(a, sizeof *l);
    int first = t->first[b], size = t->first[b + 1] - first;
    arena *scratch = arena_child(a);
    sparsity_builder columns = sparsity_begin(a, size), both = sparsity_begin(scratch, size);
    for_inside(t, b, &columns, announce_column, true);
    for_inside(t, b, &columns, put_column, true);
    for_inside(t, b, &both, announce_both, false);
    for_inside(t, b, &both, put_both, false);
    l->columns = sparsity_end(&columns);
    sparsity graphs = sparsity_end(&both);
    l->entry = arena_array(a, int, sparsity_entries(l->columns) + 1);
    l->order = arena_array(a, int, size + 1);
    order_minimum_degree(scratch, (graph){size, graphs.start, graphs.to}, l->order);
    for (int k = first; k < first + size; k++)
        for (int e = t->pattern.start[t->row[k]]; e < t->pattern.start[t->row[k] + 1]; e++)
            if (is_inside(t, b, t->at[t->pattern.to[e]]))
                l->entry[sparsity_find(l->columns, t->at[t->pattern.to[e]] - first, k - first)] = e;
    arena_free(scratch);
    return l;
}

// inside, and the large ones, once all else of t is there
static void choose_factors(arena *a, triangular *t) {
    int *inside = arena_array(a, int, t->count + 1);
    t->large = arena_array(a, triangular_large *, t->count + 1);
    for (int b = 0; b < t->count; b++) {
        int size = t->first[b + 1] - t->first[b];
        bool large = size > LARGE && entries_inside(t, b) < (double)size * size / FULL_PART;
        t->large[b] = large ? large_new(a, t, b) : NULL;
        inside[b + 1] = inside[b] + (large ? 0 : size * size);
    }
    t->inside = inside;
}

triangular *triangular_new(arena *a, sparsity p) {
    int n = p.rows;
    triangular *t = arena_alloc(a, sizeof *t);
    int *row = arena_array(a, int, n + 1), *column = arena_array(a, int, n + 1);
    int *at = arena_array(a, int, n + 1), *first = arena_array(a, int, n + 1);
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
    arena_free(scratch);
    *t = (triangular){.pattern = p, .count = count, .row = row, .column = column, .at = at, .first = first};
    choose_factors(a, t);
    return t;
}

double triangular_size(arena *a, sparsity pattern) {
    arena *scratch = arena_child(a);
    const triangular *t = triangular_new(scratch, pattern);
    double sum = 0;
    for (int b = 0; b < t->count; b++)
        sum += t->large[b] ? 0 : pow(t->first[b + 1] - t->first[b], 2);
    arena_free(scratch);
    return sum;
}

// ---- numbers

triangular_factors triangular_factors_new(arena *a, const triangular *t) {
    size_t n = (size_t)t->pattern.rows;
    int most = 0;
    triangular_factors f = {.K = arena_doubles(a, (size_t)t->inside[t->count] + 1),
                            .large = arena_array(a, lu_sparse *, t->count + 1),
                            .pivot = arena_array(a, int, n + 1),
                            .sign = arena_array(a, signed char, (size_t)t->count + 1),
                            .work = arena_doubles(a, 3 * n + 1)};
    for (int b = 0; b < t->count; b++) {
        const triangular_large *l = t->large[b];
        if (l == NULL)
            continue;
        f.large[b] = lu_sparse_new(a, l->columns, l->order);
        most = sparsity_entries(l->columns) > most ? sparsity_entries(l->columns) : most;
    }
    f.values = arena_doubles(a, (size_t)most + 1);
    return f;
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

static int factor_large(const triangular *t, const double *G, int b, triangular_factors *f) {
    const triangular_large *l = t->large[b];
    for (int e = 0; e < sparsity_entries(l->columns); e++)
        f->values[e] = G[l->entry[e]];
    int column = lu_sparse_factor(f->large[b], f->values);
    f->sign[b] = (signed char)(column < 0 ? lu_sparse_sign(f->large[b]) : 0);
    return column < 0 ? -1 : t->column[t->first[b] + column];
}

static int factor_block(const triangular *t, const double *G, int b, triangular_factors *f) {
    int first = t->first[b], size = t->first[b + 1] - first, sign = 0;
    double *K = f->K + t->inside[b];
    if (t->large[b])
        return factor_large(t, G, b, f);
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
        if (t->large[c])
            lu_sparse_solve(f->large[c], w + first);
        else
            lu_solve(f->K + t->inside[c], end - first, f->pivot + first, w + first);
    }
    for (int k = 0; k < p->rows; k++)
        x[t->column[k]] = w[k];
}

void triangular_solve_transposed(const triangular *t, const double *G, const triangular_factors *f,
                                 const double *b, double *x) {
    const sparsity *p = &t->pattern;
    double *w = f->work;
    for (int k = 0; k < p->rows; k++)
        w[k] = b[t->column[k]];
    for (int c = t->count - 1; c >= 0; c--) {
        int first = t->first[c], end = t->first[c + 1];
        if (t->large[c])
            lu_sparse_solve_transposed(f->large[c], w + first);
        else
            lu_solve_transposed(f->K + t->inside[c], end - first, f->pivot + first, w + first);
        for (int k = first; k < end; k++)
            for (int e = p->start[t->row[k]]; e < p->start[t->row[k] + 1]; e++)
                if (t->at[p->to[e]] < first)
                    w[t->at[p->to[e]]] -= G[e] * w[k];
    }
    for (int k = 0; k < p->rows; k++)
        x[t->row[k]] = w[k];
}

// the k-th of a block, rows as they are
static double pivot_of(const triangular *t, const triangular_factors *f, int b, int k) {
    int size = t->first[b + 1] - t->first[b];
    return t->large[b] ? lu_sparse_pivot(f->large[b], k) : 1 / f->K[t->inside[b] + k * size + k];
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
            part *= fabs(pivot_of(t, f, b, k)) / length;
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
