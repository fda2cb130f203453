/* Order: the coordinates as M + N'WN asks for, each row right after the last of its coordinates. So the fill
 * is that of M + N'WN with the rows beside it, linear for chains. */
#include "linear/saddle.h"

#include "linear/mass.h"

#include <math.h>
#include <string.h>

struct saddle {
    int n, m;
    sparsity M_pattern, N_pattern;
    ldl *mass, *K;
    int *M_to, *M_in_K, *N_to; // (entries): places in value, -1 on the diagonal or in the upper triangle
    int *pair_to;              // (pairs of entries of a row, i < j): places in K's value
    bool *negative;            // (n + m)
    const ldl *failed;         // the one that tells the directions
    int blocks, largest_block;
    int *block, *member, *inside; // (blocks + 1), (n), (n): where a block of M begins among the members, and
                                  // which one of its block a coordinate is
    double *full;                 // work, for blocks of at most BLOCK_MOST
    mass_block work;              // the same
    bool augmented;
    int mass_rank;
    double *x; // (n + m)
};

enum { BLOCK_MOST = 64 };

/* ---- patterns ---- */

// coordinates that M couples, directly or not, make a block
static void find_blocks(arena *a, arena *work, saddle *s) {
    int *stack = arena_array(work, int, s->n + 1), count = 0;
    bool *seen = arena_array(work, bool, s->n + 1);
    s->block = arena_array(a, int, s->n + 1);
    s->member = arena_array(a, int, s->n + 1);
    s->inside = arena_array(a, int, s->n + 1);
    for (int j = 0; j < s->n; j++) {
        int top = 0, begin = count;
        if (seen[j])
            continue;
        seen[stack[top++] = j] = true;
        while (top > 0) {
            int i = stack[--top];
            s->inside[i] = count - begin;
            s->member[count++] = i;
            for (int e = s->M_pattern.start[i]; e < s->M_pattern.start[i + 1]; e++)
                if (!seen[s->M_pattern.to[e]])
                    seen[stack[top++] = s->M_pattern.to[e]] = true;
        }
        s->block[++s->blocks] = count;
        s->largest_block = count - begin > s->largest_block ? count - begin : s->largest_block;
    }
    size_t most = (size_t)(s->largest_block <= BLOCK_MOST ? s->largest_block : 0);
    s->full = arena_doubles(a, most * most);
    s->work = mass_block_new(a, (int)most);
}

typedef vec(int) ints;

// coordinates that M couples; if rows is set, also those that a row joins
static graph coordinates_graph(arena *work, const saddle *s, bool rows) {
    int n = s->n, *start = arena_array(work, int, n + 1), *mark = arena_array(work, int, n);
    const sparsity *N = &s->N_pattern;
    int *first = arena_array(work, int, n + 2), *of = arena_array(work, int, N->start[s->m] + 1);
    for (int e = 0; e < N->start[s->m]; e++)
        first[N->to[e] + 2]++;
    for (int j = 0; j < n; j++)
        first[j + 2] += first[j + 1];
    for (int i = 0; i < s->m; i++)
        for (int e = N->start[i]; e < N->start[i + 1]; e++)
            of[first[N->to[e] + 1]++] = i;
    ints to = {0};
    for (int j = 0; j < n; j++) {
        mark[j] = j + 1;
        for (int e = s->M_pattern.start[j]; e < s->M_pattern.start[j + 1]; e++)
            if (mark[s->M_pattern.to[e]] != j + 1) {
                mark[s->M_pattern.to[e]] = j + 1;
                vec_push(work, to, s->M_pattern.to[e]);
            }
        for (int z = first[j]; rows && z < first[j + 1]; z++)
            for (int e = N->start[of[z]]; e < N->start[of[z] + 1]; e++)
                if (mark[N->to[e]] != j + 1) {
                    mark[N->to[e]] = j + 1;
                    vec_push(work, to, N->to[e]);
                }
        start[j + 1] = to.count;
    }
    return (graph){n, start, to.at};
}

// the coordinates' graph with the rows as further nodes n, n + 1, ..
static graph with_rows(arena *work, const saddle *s, graph g) {
    int n = s->n, m = s->m, *start = arena_array(work, int, n + m + 2);
    const sparsity *N = &s->N_pattern;
    int *to = arena_array(work, int, g.start[n] + 2 * N->start[m] + 1);
    for (int j = 0; j < n; j++)
        start[j + 2] = g.start[j + 1] - g.start[j];
    for (int i = 0; i < m; i++) {
        start[n + i + 2] = N->start[i + 1] - N->start[i];
        for (int e = N->start[i]; e < N->start[i + 1]; e++)
            start[N->to[e] + 2]++;
    }
    for (int k = 0; k < n + m; k++)
        start[k + 2] += start[k + 1];
    for (int j = 0; j < n; j++)
        for (int e = g.start[j]; e < g.start[j + 1]; e++)
            to[start[j + 1]++] = g.to[e];
    for (int i = 0; i < m; i++)
        for (int e = N->start[i]; e < N->start[i + 1]; e++) {
            to[start[n + i + 1]++] = N->to[e];
            to[start[N->to[e] + 1]++] = n + i;
        }
    return (graph){n + m, start, to};
}

// coordinates in the order that M + N'WN asks for, each row right after the last of its coordinates
static int *constrained_order(arena *work, const saddle *s, graph g) {
    int n = s->n, m = s->m, count = 0;
    int *coordinates = arena_array(work, int, n), *place = arena_array(work, int, n);
    int *order = arena_array(work, int, n + m), *head = arena_array(work, int, n + 1);
    int *next = arena_array(work, int, m + 1);
    order_minimum_degree(work, g, coordinates);
    for (int k = 0; k < n; k++)
        place[coordinates[k]] = k;
    for (int i = m - 1; i >= 0; i--) { // head[k]: 1 + the first row that waits for the k-th coordinate
        int last = 0;
        for (int e = s->N_pattern.start[i]; e < s->N_pattern.start[i + 1]; e++)
            last = place[s->N_pattern.to[e]] > last ? place[s->N_pattern.to[e]] : last;
        next[i] = head[last];
        head[last] = i + 1;
    }
    for (int k = 0; k < n; k++) {
        order[count++] = coordinates[k];
        for (int i = head[k]; i > 0; i = next[i - 1])
            order[count++] = n + i - 1;
    }
    return order;
}

int *saddle_places(arena *a, int n, sparsity M, sparsity N) {
    saddle s = {.n = n, .m = N.rows, .M_pattern = M, .N_pattern = N};
    int *place = arena_array(a, int, n + N.rows + 1);
    arena *work = arena_child(a);
    const int *order = constrained_order(work, &s, coordinates_graph(work, &s, true));
    for (int k = 0; k < n + N.rows; k++)
        place[order[k]] = k;
    arena_free(work);
    return place;
}

// place of the entry (i, j) of a plan's lower triangle, in either order
static int place_of(const ldl_plan *p, int i, int j) {
    int row = p->place[i], column = p->place[j];
    if (row < column) {
        int swap = row;
        row = column;
        column = swap;
    }
    int low = p->row[row], high = p->row[row + 1];
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (p->column[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void find_places(arena *a, saddle *s) {
    const sparsity *M = &s->M_pattern, *N = &s->N_pattern;
    ints pairs = {0};
    s->M_to = arena_array(a, int, M->start[s->n] + 1);
    s->M_in_K = arena_array(a, int, M->start[s->n] + 1);
    s->N_to = arena_array(a, int, N->start[s->m] + 1);
    for (int j = 0; j < s->n; j++)
        for (int e = M->start[j]; e < M->start[j + 1]; e++) {
            bool lower = M->to[e] < j;
            s->M_to[e] = lower ? place_of(s->mass->plan, j, M->to[e]) : -1;
            s->M_in_K[e] = lower ? place_of(s->K->plan, j, M->to[e]) : -1;
        }
    for (int i = 0; i < s->m; i++)
        for (int e = N->start[i]; e < N->start[i + 1]; e++) {
            s->N_to[e] = place_of(s->K->plan, s->n + i, N->to[e]);
            for (int other = N->start[i]; other < e; other++)
                vec_push(a, pairs, place_of(s->K->plan, N->to[e], N->to[other]));
        }
    s->pair_to = pairs.at;
}

saddle *saddle_new(arena *a, int n, sparsity M, sparsity N) {
    saddle *s = arena_alloc(a, sizeof *s);
    arena *work = arena_child(a);
    s->n = n;
    s->m = N.rows;
    s->M_pattern = M;
    s->N_pattern = N;
    s->mass = ldl_new(a, ldl_plan_new(a, coordinates_graph(work, s, false)));
    graph joined = coordinates_graph(work, s, true);
    const int *order = constrained_order(work, s, joined);
    s->K = ldl_new(a, ldl_plan_ordered(a, with_rows(work, s, joined), order));
    s->negative = arena_array(a, bool, n + s->m);
    for (int i = 0; i < s->m; i++)
        s->negative[s->K->plan->place[n + i]] = true;
    s->K->negative = s->negative;
    s->x = arena_doubles(a, (size_t)(n + s->m));
    find_places(a, s);
    find_blocks(a, work, s);
    arena_free(work);
    return s;
}

/* ---- values ---- */

// diagonal entries that are negative by rounding count as 0
static void put_mass(const saddle *s, ldl *f, const int *to, const double *M) {
    f->largest = 0;
    for (int e = 0; e < s->M_pattern.start[s->n]; e++)
        f->largest = fmax(f->largest, fabs(M[e]));
    for (int j = 0; j < s->n; j++) {
        double *diagonal = &f->diagonal[f->plan->place[j]];
        *diagonal = 0;
        for (int e = s->M_pattern.start[j]; e < s->M_pattern.start[j + 1]; e++)
            if (to[e] >= 0)
                f->value[to[e]] = M[e];
            else if (s->M_pattern.to[e] == j)
                *diagonal = M[e] < 0 && M[e] >= -MASS_LEAST * f->largest ? 0 : M[e];
    }
}

// N, and N'WN if W is given
static void put_rows(saddle *s, const double *N, const double *W, const bool *kept) {
    const int *place = s->K->plan->place, *pair = s->pair_to;
    for (int i = 0; i < s->m; i++) {
        double weight = W && kept[i] ? W[i] : 0;
        s->K->out[place[s->n + i]] = !kept[i];
        for (int e = s->N_pattern.start[i]; e < s->N_pattern.start[i + 1]; e++) {
            s->K->value[s->N_to[e]] = N[e];
            s->K->diagonal[place[s->N_pattern.to[e]]] += weight * N[e] * N[e];
            for (int other = s->N_pattern.start[i]; other < e; other++)
                s->K->value[*pair++] += weight * N[e] * N[other];
        }
    }
}

static bool factor_K(saddle *s, const double *M, const double *N, const double *W, const bool *kept) {
    ldl *K = s->K;
    memset(K->value, 0, (size_t)K->plan->row[s->n + s->m] * sizeof(double));
    memset(K->out, 0, (size_t)(s->n + s->m) * sizeof(bool));
    put_mass(s, K, s->M_in_K, M);
    put_rows(s, N, W, kept);
    ldl_factor(K, MASS_LEAST, LDL_DROP);
    for (int j = 0; j < s->n; j++)
        if (K->out[K->plan->place[j]])
            return false;
    return true;
}

// v (plan->n) <- one with L'v = 0 but for the rows that were put out, or one of them
static void null_vector(const ldl *f, int only, double *v) {
    const ldl_plan *p = f->plan;
    for (int k = p->n - 1; k >= 0; k--) {
        double sum = 0;
        for (int z = p->from[k]; z < p->from[k + 1]; z++)
            sum += f->L[z] * v[p->below[z]];
        v[k] = !f->out[k] ? -sum : only < 0 || only == k ? 1 + 0.5 * sin(k) : 0; // no two of them cancel
    }
}

/* Whether v is one: a semi-definite M takes a v with v'M v = 0 to 0, and (M v)_j^2 <= M_jj v'M v, with v'M v
 * up to what a pivot may have that was taken for 0. Row of M that tells otherwise, or -1. */
static int not_taken_to_zero(const saddle *s, const double *M, const double *v) {
    const int *place = s->mass->plan->place;
    double energy = 0;
    for (int k = 0; k < s->n; k++)
        energy += s->mass->out[k] ? MASS_LEAST * s->mass->diagonal[k] * v[k] * v[k] : 0;
    for (int j = 0; j < s->n; j++) {
        double sum = 0, size = 0;
        for (int e = s->M_pattern.start[j]; e < s->M_pattern.start[j + 1]; e++) {
            double term = M[e] * v[place[s->M_pattern.to[e]]];
            sum += term;
            size += fabs(term);
        }
        double rounding = MASS_NEGATIVE * (size + s->mass->largest * MASS_LEAST * fabs(v[place[j]]));
        if (fabs(sum) > rounding + 10 * sqrt(s->mass->diagonal[place[j]] * energy))
            return j;
    }
    return -1;
}

/* Without pivoting, entries far below the others' size make rounding look like anything. So what looks
 * negative, or is singular or nearly so, is looked at again, with pivoting and at unit diagonal, where the
 * block is small: what remains of it then is rounding, or there is a negative direction. */
static bool block_negative(saddle *s, const double *M, int c) {
    int begin = s->block[c], size = s->block[c + 1] - begin;
    memset(s->full, 0, (size_t)(size * size) * sizeof(double));
    for (int i = 0; i < size; i++) {
        int j = s->member[begin + i];
        for (int e = s->M_pattern.start[j]; e < s->M_pattern.start[j + 1]; e++)
            s->full[i * size + s->inside[s->M_pattern.to[e]]] = M[e];
    }
    s->work.size = size;
    s->work.largest = s->mass->largest;
    bool negative = mass_has_negative(&s->work, s->full);
    s->mass_rank -= size - s->work.mass_rank;
    return negative;
}

static bool has_negative_direction(saddle *s, const double *M) {
    bool clear = s->mass->rank == s->n && !(s->mass->lowest < -MASS_NEGATIVE), negative = false;
    s->mass_rank = s->mass->rank;
    if (clear && !(s->mass->smallest < MASS_DOUBTFUL))
        return false;
    if (s->largest_block <= BLOCK_MOST) {
        s->mass_rank = s->n;
        for (int c = 0; c < s->blocks; c++)
            negative |= block_negative(s, M, c);
        return negative;
    }
    if (clear)
        return false;
    if (s->mass->lowest < -MASS_NEGATIVE)
        return true;
    null_vector(s->mass, -1, s->x);
    return not_taken_to_zero(s, M, s->x) >= 0;
}

/* Without pivoting, a pivot of coordinates may be rounding and look like a small one. With v such that L'v =
 * e_k it is v'K v: rounding if that is nothing beside its terms. */
static bool is_rounding(saddle *s, int k, const double *M, const double *N, const double *W) {
    const int *place = s->K->plan->place;
    double energy = 0, terms = 0, *v = s->x;
    s->K->out[k] = true;
    null_vector(s->K, k, v);
    for (int j = 0; j < s->n; j++)
        for (int e = s->M_pattern.start[j]; e < s->M_pattern.start[j + 1]; e++) {
            double term = v[place[j]] * M[e] * v[place[s->M_pattern.to[e]]];
            energy += term;
            terms += fabs(term);
        }
    for (int i = 0; i < s->m; i++) {
        double sum = 0, size = 0, multiplier = 2 * v[place[s->n + i]];
        for (int e = s->N_pattern.start[i]; e < s->N_pattern.start[i + 1]; e++) {
            sum += N[e] * v[place[s->N_pattern.to[e]]];
            size += fabs(N[e] * v[place[s->N_pattern.to[e]]]);
        }
        energy += W[i] * sum * sum + multiplier * sum;
        terms += W[i] * size * size + fabs(multiplier * size);
    }
    s->K->out[k] = fabs(energy) <= MASS_LEAST * terms;
    return s->K->out[k];
}

static bool is_determined(saddle *s, const double *M, const double *N, const double *W) {
    for (int k = 0; k < s->n + s->m; k++) {
        bool small = !s->negative[k] && s->K->diagonal[k] * s->K->inverse[k] > 1 / MASS_NEGATIVE;
        if (small && is_rounding(s, k, M, N, W))
            return false;
    }
    return true;
}

saddle_status saddle_factor(saddle *s, const double *M, const double *N, const double *W, const bool *kept) {
    memset(s->mass->out, 0, (size_t)s->n * sizeof(bool));
    put_mass(s, s->mass, s->M_to, M);
    ldl_factor(s->mass, MASS_LEAST, LDL_DROP);
    s->failed = s->mass;
    if (has_negative_direction(s, M))
        return SADDLE_INDEFINITE;
    s->augmented = s->mass->rank < s->n || s->mass->smallest < MASS_DOUBTFUL;
    s->failed = s->K;
    const double *used = s->augmented ? W : NULL;
    bool determined = factor_K(s, M, N, used, kept) && (!used || is_determined(s, M, N, used));
    return determined ? SADDLE_OK : SADDLE_UNDETERMINED;
}

void saddle_solve(saddle *s, double *f, double *g) {
    const int *order = s->K->plan->order;
    for (int k = 0; k < s->n + s->m; k++)
        s->x[k] = order[k] < s->n ? f[order[k]] : g[order[k] - s->n];
    ldl_solve(s->K, s->x);
    for (int k = 0; k < s->n + s->m; k++)
        if (order[k] < s->n)
            f[order[k]] = s->x[k];
        else
            g[order[k] - s->n] = -s->x[k];
}

/* ---- questions ---- */

bool saddle_augmented(const saddle *s) {
    return s->augmented;
}

int saddle_mass_rank(const saddle *s) {
    return s->mass_rank;
}

double saddle_smallest(const saddle *s) {
    return s->K->smallest;
}

long saddle_entries(const saddle *s) {
    return s->K->plan->entries;
}

/* With L'v = e_k, v'K v is the pivot of row k: 0, or negative, for those that were put out. Where M is
 * indefinite, only the directions that it does not take to 0 count, and the rows of M that tell. */
void saddle_name(saddle *s, const double *M, bool *named) {
    const ldl *f = s->failed;
    const ldl_plan *p = f->plan;
    for (int k = 0; k < p->n; k++) {
        if (!f->out[k] || p->order[k] >= s->n)
            continue;
        double most = 0;
        null_vector(f, k, s->x);
        int told_by = f == s->mass ? not_taken_to_zero(s, M, s->x) : -1;
        if (f == s->mass && told_by < 0)
            continue;
        for (int i = 0; i < p->n; i++)
            most = fmax(most, p->order[i] < s->n ? fabs(s->x[i]) : 0);
        for (int i = 0; i < p->n; i++)
            if (p->order[i] < s->n && (fabs(s->x[i]) > MASS_DIRECTION_LEAST * most || p->order[i] == told_by))
                named[p->order[i]] = true;
    }
}
