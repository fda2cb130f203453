/* Up-looking: row k of L from l_k: L_(k-1) D l = K_k, which takes one multiplication for each entry of L in
 * the columns that row k has, n + sum of (column lengths)^2 / 2 in all. */
#include "linear/ldl.h"

#include "linear/fronts.h"

#include <math.h>
#include <string.h>

enum { NONE = -1 };

/* ---- symbolic ---- */

typedef struct {
    arena *work;
    graph g;
    int *order, *place; // (n)
    int *parent;        // (n): elimination tree
    int *mark;          // (n)
} analysis;

/* parent[k]: the first row below the diagonal in column k of L. Liu's algorithm, with the paths shortened. */
static void find_tree(analysis *s) {
    int n = s->g.n, *ancestor = arena_array(s->work, int, n);
    for (int k = 0; k < n; k++) {
        s->parent[k] = ancestor[k] = NONE;
        int i = s->order[k];
        for (int z = s->g.start[i]; z < s->g.start[i + 1]; z++)
            for (int j = s->place[s->g.to[z]], next; j != NONE && j < k; j = next) {
                next = ancestor[j];
                ancestor[j] = k;
                if (next == NONE)
                    s->parent[j] = k;
            }
    }
}

// children before parents, each subtree in one piece: the same fill, and neighbours stay near in memory
static void postorder(analysis *s) {
    int n = s->g.n, *child = arena_array(s->work, int, n), *sibling = arena_array(s->work, int, n);
    int *stack = arena_array(s->work, int, n), *renamed = arena_array(s->work, int, n), done = 0;
    for (int k = 0; k < n; k++)
        child[k] = NONE;
    for (int k = n - 1; k >= 0; k--)
        if (s->parent[k] != NONE) {
            sibling[k] = child[s->parent[k]];
            child[s->parent[k]] = k;
        }
    for (int root = 0; root < n; root++) {
        if (s->parent[root] != NONE)
            continue;
        int top = 0;
        stack[top++] = root;
        while (top > 0) {
            int k = stack[top - 1], c = child[k];
            if (c != NONE) {
                child[k] = sibling[c];
                stack[top++] = c;
            } else {
                renamed[k] = done++;
                top--;
            }
        }
    }
    int *order = arena_array(s->work, int, n), *parent = arena_array(s->work, int, n);
    for (int k = 0; k < n; k++) {
        order[renamed[k]] = s->order[k];
        parent[renamed[k]] = s->parent[k] == NONE ? NONE : renamed[s->parent[k]];
    }
    memcpy(s->order, order, (size_t)n * sizeof(int));
    memcpy(s->parent, parent, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        s->place[s->order[k]] = k;
}

/* A chain is eliminated from both ends in turn: no more fill, and the processor works on two rows at once
 * where each would have to wait for the one before. */
static bool from_both_ends(analysis *s) {
    int n = s->g.n, *order = arena_array(s->work, int, n);
    for (int k = 0; k < n; k++)
        if (s->parent[k] != (k + 1 < n ? k + 1 : NONE) || s->g.start[k + 1] - s->g.start[k] > 2)
            return false;
    for (int k = 0; k < n; k++)
        order[k] = s->order[k % 2 ? n - 1 - k / 2 : k / 2];
    memcpy(s->order, order, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        s->place[s->order[k]] = k;
    find_tree(s);
    return true;
}

// lists by row to lists by column; where the rows came in ascending order, so do they now
static int *transpose(arena *a, int n, const int *row, const int *column, const int **start) {
    int *from = arena_array(a, int, n + 2), *to = arena_array(a, int, row[n] + 1);
    for (int z = 0; z < row[n]; z++)
        from[column[z] + 2]++;
    for (int i = 0; i < n; i++)
        from[i + 2] += from[i + 1];
    for (int k = 0; k < n; k++)
        for (int z = row[k]; z < row[k + 1]; z++)
            to[from[column[z] + 1]++] = k;
    *start = from;
    return to;
}

// the lower triangle in the order of elimination, columns ascending: two transpositions sort them
static void lower_triangle(analysis *s, arena *a, ldl_plan *p) {
    int n = s->g.n, count = 0;
    int *row = arena_array(s->work, int, n + 1), *column = arena_array(s->work, int, s->g.start[n] + 1);
    for (int k = 0; k < n; k++) { // the upper triangle by rows
        row[k] = count;
        for (int z = s->g.start[s->order[k]]; z < s->g.start[s->order[k] + 1]; z++)
            if (s->place[s->g.to[z]] > k)
                column[count++] = s->place[s->g.to[z]];
    }
    row[n] = count;
    p->column = transpose(a, n, row, column, &p->row);
}

// columns of row k of L: the paths in the tree from the entries of K up to k
static int walk_row(const analysis *s, const ldl_plan *p, int k, int *to) {
    int count = 0;
    s->mark[k] = k;
    for (int z = p->row[k]; z < p->row[k + 1]; z++)
        for (int i = p->column[z]; s->mark[i] != k; i = s->parent[i]) {
            s->mark[i] = k;
            if (to)
                to[count] = i;
            count++;
        }
    return count;
}

static void clear_marks(analysis *s) {
    for (int k = 0; k < s->g.n; k++)
        s->mark[k] = NONE;
}

static void pattern_of_L(analysis *s, arena *a, ldl_plan *p) {
    int n = s->g.n, *row = arena_array(s->work, int, n + 1);
    clear_marks(s);
    for (int k = 0; k < n; k++)
        row[k + 1] = row[k] + walk_row(s, p, k, NULL);
    int *column = arena_array(s->work, int, row[n] + 1);
    clear_marks(s);
    for (int k = 0; k < n; k++)
        walk_row(s, p, k, column + row[k]);
    p->entries = row[n];
    p->below = transpose(a, n, row, column, &p->from);
    p->across = transpose(a, n, p->from, p->below, &p->into);
}

/* ---- parts ---- */

/* Up to so many multiplications a factorisation is done before threads are awake. */
static const double PARTS_FROM = 1e6;
/* A part is no more than this share of all the work, if it can be divided, so that up to eight threads have
 * enough of them; and no less, so that there are few. */
static const double SHARE_MOST = 1.0 / 12, SHARE_LEAST = 1.0 / 48;

typedef struct {
    double *work; // (n): of the subtree below and with k, the squares of column lengths
    bool *above;  // (n): k belongs to no part
} division;

static division divide_tree(const analysis *s, const ldl_plan *p) {
    int n = s->g.n;
    division d = {arena_doubles(s->work, (size_t)n), arena_array(s->work, bool, n)};
    double all = 0;
    for (int k = 0; k < n; k++) {
        double length = p->from[k + 1] - p->from[k] + 1.0;
        d.work[k] += length * length;
        all += length * length;
        if (s->parent[k] != NONE)
            d.work[s->parent[k]] += d.work[k];
    }
    for (int k = n - 1; k >= 0; k--)
        d.above[k] = all < PARTS_FROM || d.work[k] > SHARE_MOST * all;
    return d;
}

// subtrees before all that is above them; ends of parts go to `ends`, how many
static int put_parts_first(analysis *s, const division *d, int *ends) {
    int n = s->g.n, parts = 0, done = 0;
    int *renamed = arena_array(s->work, int, n), *order = arena_array(s->work, int, n);
    double all = 0, work = 0;
    for (int k = 0; k < n; k++)
        all += s->parent[k] == NONE ? d->work[k] : 0;
    for (int k = 0; k < n; k++) {
        if (d->above[k])
            continue;
        renamed[k] = done++;
        bool root = s->parent[k] == NONE || d->above[s->parent[k]];
        work += root ? d->work[k] : 0;
        if (root && work > SHARE_LEAST * all) {
            ends[parts++] = done;
            work = 0;
        }
    }
    if (work > 0 && parts > 0)
        ends[parts - 1] = done;
    for (int k = 0; k < n; k++)
        if (d->above[k])
            renamed[k] = done++;
    for (int k = 0; k < n; k++)
        order[renamed[k]] = s->order[k];
    memcpy(s->order, order, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        s->place[s->order[k]] = k;
    return parts;
}

static void find_parts(analysis *s, arena *a, ldl_plan *p) {
    ldl_plan first = *p;
    lower_triangle(s, s->work, &first);
    pattern_of_L(s, s->work, &first);
    division d = divide_tree(s, &first);
    int *ends = arena_array(s->work, int, s->g.n + 1), parts = put_parts_first(s, &d, ends);
    int *part = arena_array(a, int, parts + 1);
    if (parts > 0)
        memcpy(part + 1, ends, (size_t)parts * sizeof(int));
    p->part = part;
    p->parts = parts;
    find_tree(s);
}

// column i has the rows of column i + 1, and i + 1 itself, if that is its parent and it has one more
static int *columns_alike(arena *a, const analysis *s, const ldl_plan *p) {
    int *alike = arena_array(a, int, p->n);
    for (int i = p->n - 1; i >= 0; i--) {
        bool same =
            s->parent[i] == i + 1 && p->from[i + 1] - p->from[i] == p->from[i + 2] - p->from[i + 1] + 1;
        alike[i] = !same ? 1 : alike[i + 1] < 3 ? alike[i + 1] + 1 : 4;
    }
    return alike;
}

static ldl_plan *make_plan(arena *a, graph g, const int *order, bool free) {
    ldl_plan *p = arena_alloc(a, sizeof *p);
    int n = p->n = g.n;
    analysis s = {.work = arena_child(a), .g = g};
    s.order = arena_array(a, int, n);
    s.place = arena_array(a, int, n);
    s.parent = arena_array(s.work, int, n);
    s.mark = arena_array(s.work, int, n);
    for (int k = 0; k < n; k++) {
        s.order[k] = order[k];
        s.place[order[k]] = k;
    }
    find_tree(&s);
    postorder(&s);
    if (free && !from_both_ends(&s))
        find_parts(&s, a, p);
    else
        p->part = arena_array(a, int, 1);
    p->order = s.order;
    p->place = s.place;
    lower_triangle(&s, a, p);
    pattern_of_L(&s, a, p);
    p->alike = columns_alike(a, &s, p);
    p->fronts = free ? fronts_new(a, p, s.parent) : NULL;
    arena_free(s.work);
    return p;
}

ldl_plan *ldl_plan_ordered(arena *a, graph g, const int *order) {
    return make_plan(a, g, order, false);
}

ldl_plan *ldl_plan_new(arena *a, graph g) {
    arena *work = arena_child(a);
    int *order = arena_array(work, int, g.n);
    order_minimum_degree(work, g, order);
    ldl_plan *p = make_plan(a, g, order, true);
    arena_free(work);
    return p;
}

/* ---- numeric ---- */

ldl *ldl_new(arena *a, const ldl_plan *plan) {
    ldl *f = arena_alloc(a, sizeof *f);
    size_t n = (size_t)plan->n;
    f->plan = plan;
    f->diagonal = arena_doubles(a, n);
    f->value = arena_doubles(a, (size_t)plan->row[n]);
    f->L = arena_doubles(a, (size_t)plan->entries);
    f->inverse = arena_doubles(a, n);
    f->out = arena_array(a, bool, n);
    f->filled = arena_array(a, int, n);
    f->work = arena_doubles(a, n);
    if (plan->fronts) {
        f->stack = arena_doubles(a, (size_t)plan->fronts->stack);
        f->fronts_room = arena_doubles(a, (size_t)plan->fronts->front * (size_t)(plan->parts + 1));
    }
    return f;
}

// L_ki for column i, from what is in y; what it takes from the pivot
static inline double divide(ldl *f, int i, double y_i) {
    double l = y_i * f->inverse[i];
    f->L[f->filled[i]++] = l;
    f->work[i] = 0;
    return l * y_i;
}

// four columns alike at once: where the factor fills, most of the time goes here
static double eliminate_four(ldl *f, int i) {
    const ldl_plan *p = f->plan;
    const double *L0 = f->L + p->from[i], *L1 = f->L + p->from[i + 1], *L2 = f->L + p->from[i + 2];
    const double *L3 = f->L + p->from[i + 3];
    const int *below = p->below + p->from[i + 3];
    double *y = f->work, y0 = y[i], y1 = y[i + 1] - L0[0] * y0;
    double y2 = y[i + 2] - (L0[1] * y0 + L1[0] * y1);
    double y3 = y[i + 3] - (L0[2] * y0 + L1[1] * y1 + L2[0] * y2);
    int count = f->filled[i + 3] - p->from[i + 3];
    for (int z = 0; z < count; z++)
        y[below[z]] -= (L0[z + 3] * y0 + L1[z + 2] * y1) + (L2[z + 1] * y2 + L3[z] * y3);
    return (divide(f, i, y0) + divide(f, i + 1, y1)) + (divide(f, i + 2, y2) + divide(f, i + 3, y3));
}

// row k of L, from K_k in y, which is zero again afterwards; what it takes from the pivot
static double eliminate(ldl *f, int k) {
    const ldl_plan *p = f->plan;
    double taken = 0, *y = f->work;
    for (int t = p->into[k]; t < p->into[k + 1];) {
        int i = p->across[t];
        if (p->alike[i] == 4 && i + 4 <= k) {
            taken += eliminate_four(f, i);
            t += 4;
            continue;
        }
        double y_i = y[i];
        if (y_i != 0)
            for (int z = p->from[i]; z < f->filled[i]; z++)
                y[p->below[z]] -= f->L[z] * y_i;
        taken += divide(f, i, y_i);
        t++;
    }
    return taken;
}

// of that, what rows with positive pivots take from row k of L
static double taken_by_positive(const ldl *f, int k) {
    const ldl_plan *p = f->plan;
    double sum = 0;
    for (int t = p->into[k]; t < p->into[k + 1]; t++) {
        int i = p->across[t];
        double l = f->L[f->filled[i] - 1];
        sum += f->inverse[i] > 0 ? l * l / f->inverse[i] : 0;
    }
    return sum;
}

void ldl_begin(ldl *f) {
    memcpy(f->filled, f->plan->from, (size_t)f->plan->n * sizeof(int));
    f->smallest = f->lowest = 1;
    f->rank = 0;
}

void ldl_factor(ldl *f, double least, ldl_small small) {
    const ldl_plan *p = f->plan;
    ldl_begin(f);
    for (int i = 0; i < p->parts; i++)
        ldl_factor_rows(f, p->part[i], p->part[i + 1], least, small);
    ldl_factor_rows(f, p->part[p->parts], p->n, least, small);
}

void ldl_factor_rows(ldl *f, int from, int to, double least, ldl_small small) {
    const ldl_plan *p = f->plan;
    double smallest = f->smallest, lowest = f->lowest;
    if (p->fronts && small == LDL_RAISE && !f->negative) {
        fronts_factor(f, from, to, least);
        return;
    }
    for (int k = from; k < to; k++) {
        if (!f->out[k])
            for (int z = p->row[k]; z < p->row[k + 1]; z++)
                f->work[p->column[z]] = f->out[p->column[z]] ? 0 : f->value[z];
        bool negative = f->negative && f->negative[k];
        double taken = eliminate(f, k), pivot = negative ? taken : f->diagonal[k] - taken;
        double size = negative ? taken_by_positive(f, k) : f->diagonal[k];
        f->inverse[k] = 0;
        if (f->out[k])
            continue;
        double beside = size != 0 ? fabs(size) : f->largest;
        lowest = pivot < lowest * beside ? pivot / beside : lowest;
        if (!(pivot > least * size) && small == LDL_DROP && !negative) {
            f->out[k] = true;
            continue;
        }
        f->inverse[k] = (negative ? -1 : 1) / (pivot > least * size ? pivot : least * size);
        smallest = pivot < smallest * size ? pivot / size : smallest;
        f->rank++;
    }
    f->smallest = smallest;
    f->lowest = lowest;
}

// of each x_k so many beside each other
static inline __attribute__((always_inline)) void solve_sides(const ldl *f, double *x, const int sides) {
    const ldl_plan *p = f->plan;
    const double *L = f->L;
    double x_k[LDL_SIDES];
    for (int k = 0; k < p->n; k++) {
        memcpy(x_k, x + (long)k * sides, (size_t)sides * sizeof *x);
        for (int z = p->from[k]; z < p->from[k + 1]; z++)
            for (int l = 0; l < sides; l++)
                x[(long)p->below[z] * sides + l] -= L[z] * x_k[l];
    }
    for (int k = p->n - 1; k >= 0; k--) {
        for (int l = 0; l < sides; l++)
            x_k[l] = x[(long)k * sides + l] * f->inverse[k];
        for (int z = p->from[k]; z < p->from[k + 1]; z++)
            for (int l = 0; l < sides; l++)
                x_k[l] -= L[z] * x[(long)p->below[z] * sides + l];
        for (int l = 0; l < sides; l++)
            x[(long)k * sides + l] = f->out[k] ? 0 : x_k[l];
    }
}

void ldl_solve(const ldl *f, double *x) {
    solve_sides(f, x, 1);
}

void ldl_solve_sides(const ldl *f, double *x) {
    solve_sides(f, x, LDL_SIDES);
}
