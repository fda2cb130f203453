/* The KKT matrix without pivoting, each row of A after all the coordinates that it has entries with:
 *
 *   K = (M A'; A 0) = L D L',   K (x, -multiplier) = (Q, b)
 *
 * The pivots of coordinates are positive and those of rows negative if M is definite and the rows are
 * independent. What the solution leaves of M x = Q + A'multiplier and A x = b is solved for once more.
 *
 * If M is singular, M + A'WA stands in its place, W diagonal and zero but for some of the rows, with Q + A'W
 * b in place of Q: the same x and the same multipliers, since A x = b. W is that of linear/mass.h in symbols.
 * That the rows do not hide a negative direction of M shows in
 *
 *   M >= 0  if and only if  W^-1 - S >= 0,  S = A (M + A'WA)^-1 A' over these rows:
 *
 * both are what remains of (M + A'WA, A'; A, W^-1) once one of the two blocks is taken out. */
#include "system/direct.h"

#include "linear/accuracy.h"
#include "linear/mass.h"
#include "linear/saddle.h"
#include "system/terms.h"

#include <string.h>

// ---- what it would cost

// eliminates k from a pattern (size x size, lower triangle); how many it reaches, listed
static int eliminate(bool *filled, int size, int k, int *list) {
    int count = 0;
    for (int i = k + 1; i < size; i++)
        if (filled[(size_t)i * (size_t)size + (size_t)k])
            list[count++] = i;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            filled[(size_t)list[a] * (size_t)size + (size_t)list[b]] = true;
    return count;
}

long direct_operations(arena *a, int n, sparsity M, sparsity A, long most) {
    enum { SIZE_MOST = 2000 };
    int size = n + A.rows;
    if (size > SIZE_MOST)
        return most + 1;
    arena *scratch = arena_child(a);
    const int *place = saddle_places(scratch, n, M, A);
    bool *filled = arena_array(scratch, bool, (size_t)size *(size_t)size + 1);
    int *list = arena_array(scratch, int, size + 1);
    for (int i = 0; i < size; i++) {
        sparsity p = i < n ? M : A;
        int row = i < n ? i : i - n;
        for (int e = p.start[row]; e < p.start[row + 1]; e++) {
            size_t one = (size_t)place[i], other = (size_t)place[p.to[e]];
            filled[one > other ? one * (size_t)size + other : other * (size_t)size + one] = true;
        }
    }
    long sum = 4L * sparsity_entries(M) + 8L * sparsity_entries(A); // residuals, A A'
    for (int k = 0; k < size && sum <= most; k++) {
        long reached = eliminate(filled, size, k, list);
        sum += reached * (reached + 3) + 8 * reached + 4; // factor, two solutions
    }
    arena_free(scratch);
    return sum;
}

// ---- arithmetic

typedef struct {
    arena *scratch;
    expr_pool *pool;
    const direct_problem *p;
    int n, m;
    const int *place;  // (n + m) of coordinates, then rows: where they stand in K
    int *coordinate;   // (n) coordinates in that order
    int *row;          // (m) rows in that order
    expr *M;           // (n x n) with the rows added, if there are any
    expr *W;           // (m) of these
    expr *K, *inverse; // (n + m squared), (n + m)
    bool *is_row;      // (n + m) of what stands there
    expr *whole;       // (n + m) of a row: its diagonal once all coordinates are taken out of it, and no rows
    bool *beside;      // (n + m) of a row: others are taken out of it, too
} direct;

static expr times(direct *d, expr a, expr b) {
    return term_times(d->pool, a, b);
}

static expr plus(direct *d, expr a, expr b) {
    return term_plus(d->pool, a, b);
}

static expr minus(direct *d, expr a, expr b) {
    return term_minus(d->pool, a, b);
}

static expr over(direct *d, expr a, expr b) {
    return term_over(d->pool, a, b);
}

static expr smaller(direct *d, expr a, expr b) {
    return expr_op2(d->pool, OP_MIN, a, b);
}

static expr *zeros(direct *d, int count) {
    return arena_array(d->scratch, expr, (size_t)count + 1);
}

// A_r y, and y += f A_r
static expr dot(direct *d, sparsity p, const expr *A, int r, const expr *y) {
    expr sum = EXPR_NONE;
    for (int e = p.start[r]; e < p.start[r + 1]; e++)
        sum = plus(d, sum, times(d, A[e], y[p.to[e]]));
    return sum;
}

static void add(direct *d, sparsity p, const expr *A, int r, expr f, expr *y) {
    for (int e = p.start[r]; e < p.start[r + 1]; e++)
        y[p.to[e]] = plus(d, y[p.to[e]], times(d, f, A[e]));
}

// ---- factors

// a pivot as a part of what it came from, negative if it has another sign
static expr relative(direct *d, expr pivot, expr whole) {
    if (pivot == EXPR_NONE || whole == EXPR_NONE)
        return expr_number(d->pool, 0);
    if (pivot == whole)
        return expr_op1(d->pool, OP_SIGN, whole);
    return over(d, pivot, expr_op1(d->pool, OP_ABS, whole));
}

/* The diagonal of row i is about to lose a product by the pivot k. Most rows lose all that coordinates take
 * before rows take anything, so that it costs no operation to know what the former leave. */
static void note_whole(direct *d, int i, int k, expr diagonal, expr product) {
    if (d->is_row[k] && !d->beside[i]) {
        d->whole[i] = diagonal;
        d->beside[i] = true;
    } else if (!d->is_row[k] && d->beside[i]) {
        d->whole[i] = minus(d, d->whole[i], product);
    }
}

// K (size x size, lower triangle) = L D L' in place: L below the diagonal, D on it, 1/D in inverse
static void factor(direct *d, expr *K, int size, expr *inverse) {
    expr one = expr_number(d->pool, 1), *column = zeros(d, size);
    int *list = arena_array(d->scratch, int, size + 1);
    for (int k = 0; k < size; k++) {
        int count = 0;
        for (int i = k + 1; i < size; i++)
            if (K[i * size + k]) {
                column[count] = K[i * size + k];
                list[count++] = i;
            }
        inverse[k] = over(d, one, K[k * size + k]);
        for (int a = 0; a < count; a++) {
            expr *row = K + list[a] * size, part = times(d, column[a], inverse[k]);
            if (K == d->K && d->is_row[list[a]])
                note_whole(d, list[a], k, row[list[a]], times(d, part, column[a]));
            for (int b = 0; b <= a; b++)
                row[list[b]] = minus(d, row[list[b]], times(d, part, column[b]));
            row[k] = part;
        }
    }
}

// the smallest pivot relative to its diagonal; 1 if there is none
static expr least_pivot(direct *d, expr *K, int size, expr *inverse) {
    expr least = expr_number(d->pool, 1), *diagonal = zeros(d, size);
    for (int k = 0; k < size; k++)
        diagonal[k] = K[k * size + k];
    factor(d, K, size, inverse);
    for (int k = 0; k < size; k++)
        least = smaller(d, least, relative(d, K[k * size + k], diagonal[k]));
    return least;
}

static void forward(direct *d, const expr *L, int size, expr *x) {
    for (int i = 0; i < size; i++)
        for (int j = 0; j < i; j++)
            x[i] = minus(d, x[i], times(d, L[i * size + j], x[j]));
}

static void backward(direct *d, const expr *L, int size, expr *x) {
    for (int i = size - 1; i >= 0; i--)
        for (int j = i + 1; j < size; j++)
            x[i] = minus(d, x[i], times(d, L[j * size + i], x[j]));
}

// ---- M, with rows added where it is singular

// m_j of mass.h; what M joins coordinate j with is known from the pattern
static expr felt(direct *d, int j) {
    sparsity M = d->p->M_pattern;
    expr joined = EXPR_NONE;
    for (int e = M.start[j]; e < M.start[j + 1]; e++)
        if (d->p->M[e])
            joined = plus(d, joined, d->p->M[sparsity_find(M, M.to[e], M.to[e])]);
    return plus(d, d->p->M[sparsity_find(M, j, j)], times(d, expr_number(d->pool, MASS_JOINED), joined));
}

// 1/W_r; a row between coordinates without mass takes the least mass there is
static expr mobility(direct *d, int r) {
    const direct_problem *p = d->p;
    expr sum = EXPR_NONE, squares = EXPR_NONE, lightest = EXPR_NONE;
    for (int i = 0; i < d->n; i++) {
        expr mass = felt(d, i);
        if (mass)
            lightest = lightest ? smaller(d, lightest, mass) : mass;
    }
    for (int e = p->A_pattern.start[r]; e < p->A_pattern.start[r + 1]; e++) {
        int j = p->A_pattern.to[e];
        expr mass = felt(d, j), square = times(d, p->A[e], p->A[e]);
        squares = plus(d, squares, square);
        if (mass)
            sum = plus(d, sum, over(d, square, mass));
    }
    return sum ? sum : lightest ? over(d, squares, lightest) : squares;
}

static bool is_added(const direct *d, int r) {
    return d->p->added && d->p->added[r];
}

static void set_weights(direct *d) {
    for (int r = 0; r < d->m; r++)
        d->W[r] = is_added(d, r) ? over(d, expr_number(d->pool, 1), mobility(d, r)) : EXPR_NONE;
}

void direct_weights(arena *a, expr_pool *pool, const direct_problem *p, expr *W) {
    direct d = {.scratch = a, .pool = pool, .p = p, .n = p->n, .m = p->A_pattern.rows, .W = W};
    set_weights(&d);
}

static void set_mass(direct *d) {
    const direct_problem *p = d->p;
    sparsity M = p->M_pattern, A = p->A_pattern;
    for (int i = 0; i < d->n; i++)
        for (int e = M.start[i]; e < M.start[i + 1]; e++)
            d->M[i * d->n + M.to[e]] = p->M[e];
    for (int r = 0; r < d->m; r++) {
        if (!is_added(d, r))
            continue;
        for (int e = A.start[r]; e < A.start[r + 1]; e++)
            for (int f = A.start[r]; f < A.start[r + 1]; f++) {
                expr *entry = &d->M[A.to[e] * d->n + A.to[f]];
                *entry = plus(d, *entry, times(d, times(d, d->W[r], p->A[e]), p->A[f]));
            }
    }
}

// with M alone, coordinates in the order of elimination: its smallest pivot, and that of W^-1 - S
static void check_mass(direct *d, expr *checks) {
    int n = d->n, count = 0;
    expr *L = zeros(d, n * n), *inverse = zeros(d, n), *rest = zeros(d, d->m * d->m), *Y = zeros(d, d->m * n);
    expr more = expr_number(d->pool, 1 + (d->p->single ? MASS_NEGATIVE_SINGLE : MASS_NEGATIVE));
    int *which = arena_array(d->scratch, int, d->m + 1);
    for (int k = 0; k < n; k++)
        for (int l = 0; l <= k; l++)
            L[k * n + l] = d->M[d->coordinate[k] * n + d->coordinate[l]];
    checks[DIRECT_MASS] = least_pivot(d, L, n, inverse);
    checks[DIRECT_SIGN] = expr_number(d->pool, 1);
    for (int r = 0; r < d->m; r++) {
        if (!is_added(d, r))
            continue;
        expr *A_r = zeros(d, n), *Y_r = Y + count * n;
        add(d, d->p->A_pattern, d->p->A, r, expr_number(d->pool, 1), A_r);
        for (int k = 0; k < n; k++)
            Y_r[k] = A_r[d->coordinate[k]];
        forward(d, L, n, Y_r);
        which[count++] = r;
    }
    for (int r = 0; r < count; r++)
        for (int s = 0; s <= r; s++) {
            expr sum = r == s ? times(d, more, mobility(d, which[r])) : EXPR_NONE;
            for (int k = 0; k < n; k++)
                sum = minus(d, sum, times(d, times(d, Y[r * n + k], inverse[k]), Y[s * n + k]));
            rest[r * count + s] = sum;
        }
    if (count)
        checks[DIRECT_SIGN] = least_pivot(d, rest, count, zeros(d, count));
}

// ---- rows

// what remains of each row at unit length once those before it are taken out of it, squared
static expr least_remainder(direct *d) {
    sparsity A = d->p->A_pattern;
    expr *gram = zeros(d, d->m * d->m), *y = zeros(d, d->n);
    for (int k = 0; k < d->m; k++) {
        memset(y, 0, (size_t)d->n * sizeof *y);
        for (int e = A.start[d->row[k]]; e < A.start[d->row[k] + 1]; e++)
            y[A.to[e]] = d->p->A[e];
        for (int l = 0; l <= k; l++)
            gram[k * d->m + l] = dot(d, A, d->p->A, d->row[l], y);
    }
    return least_pivot(d, gram, d->m, zeros(d, d->m));
}

// of row k, which is negative as what it came from is
static expr row_pivot(direct *d, int k) {
    expr pivot = d->K[k * (d->n + d->m) + k];
    if (pivot == EXPR_NONE)
        return expr_number(d->pool, 0);
    return d->beside[k] ? over(d, pivot, d->whole[k])
                        : expr_op1(d->pool, OP_SIGN, minus(d, EXPR_NONE, pivot));
}

/* The pivot of a row is what the coordinates took from it, less what the rows before it did: the smallest,
 * relative to the former. L D L' is at hand. */
static expr least_row_pivot(direct *d) {
    expr least = expr_number(d->pool, 1);
    for (int k = 0; k < d->n + d->m; k++)
        if (d->is_row[k])
            least = smaller(d, least, row_pivot(d, k));
    return least;
}

static void factor_both(direct *d) {
    int size = d->n + d->m;
    sparsity A = d->p->A_pattern;
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++)
            if (d->place[j] <= d->place[i])
                d->K[d->place[i] * size + d->place[j]] = d->M[i * d->n + j];
    for (int r = 0; r < d->m; r++)
        for (int e = A.start[r]; e < A.start[r + 1]; e++)
            d->K[d->place[d->n + r] * size + d->place[A.to[e]]] = d->p->A[e];
    factor(d, d->K, size, d->inverse);
}

// ---- solving

// adds to x (n) and multiplier (m) the solution for Q (n) and b (m); Q is spoiled
static void solve(direct *d, expr *Q, const expr *b, expr *x, expr *multiplier) {
    int size = d->n + d->m;
    expr *y = zeros(d, size);
    for (int r = 0; r < d->m; r++)
        if (d->W[r])
            add(d, d->p->A_pattern, d->p->A, r, times(d, d->W[r], b[r]), Q);
    for (int i = 0; i < size; i++)
        y[d->place[i]] = i < d->n ? Q[i] : b[i - d->n];
    forward(d, d->K, size, y);
    for (int k = 0; k < size; k++)
        y[k] = times(d, y[k], d->inverse[k]);
    backward(d, d->K, size, y);
    for (int i = 0; i < d->n; i++)
        x[i] = plus(d, x[i], y[d->place[i]]);
    for (int r = 0; r < d->m; r++)
        multiplier[r] = minus(d, multiplier[r], y[d->place[d->n + r]]);
}

static void refine(direct *d, expr *x, expr *multiplier) {
    const direct_problem *p = d->p;
    expr *force = zeros(d, d->n), *rest = zeros(d, d->m);
    for (int r = 0; r < d->m; r++) {
        add(d, p->A_pattern, p->A, r, multiplier[r], force);
        rest[r] = minus(d, p->b[r], dot(d, p->A_pattern, p->A, r, x));
    }
    for (int i = 0; i < d->n; i++) {
        expr inertia = dot(d, p->M_pattern, p->M, i, x);
        force[i] = plus(d, minus(d, p->Q ? p->Q[i] : EXPR_NONE, inertia), force[i]);
    }
    solve(d, force, rest, x, multiplier);
}

static void set_order(direct *d) {
    int size = d->n + d->m, coordinates = 0, rows = 0, *at = arena_array(d->scratch, int, size + 1);
    d->place = saddle_places(d->scratch, d->n, d->p->M_pattern, d->p->A_pattern);
    d->coordinate = arena_array(d->scratch, int, d->n + 1);
    d->row = arena_array(d->scratch, int, d->m + 1);
    for (int i = 0; i < size; i++)
        at[d->place[i]] = i;
    for (int k = 0; k < size; k++)
        if (at[k] < d->n)
            d->coordinate[coordinates++] = at[k];
        else
            d->row[rows++] = at[k] - d->n;
    d->is_row = arena_array(d->scratch, bool, size + 1);
    d->beside = arena_array(d->scratch, bool, size + 1);
    d->whole = zeros(d, size);
    for (int k = 0; k < size; k++)
        d->is_row[k] = at[k] >= d->n;
}

void direct_build(arena *a, expr_pool *pool, const direct_problem *p, bool refined, expr *out) {
    int n = p->n, m = p->A_pattern.rows;
    direct d = {.scratch = arena_child(a), .pool = pool, .p = p, .n = n, .m = m};
    d.M = zeros(&d, n * n);
    d.W = zeros(&d, m);
    d.K = zeros(&d, (n + m) * (n + m));
    d.inverse = zeros(&d, n + m);
    set_order(&d);
    set_weights(&d);
    set_mass(&d);
    factor_both(&d);
    expr *checks = out + n + m, *Q = zeros(&d, n);
    check_mass(&d, checks);
    checks[DIRECT_SCHUR] = least_row_pivot(&d);
    checks[DIRECT_GRAM] = p->by_mass ? checks[DIRECT_SCHUR] : least_remainder(&d);
    for (int i = 0; p->Q && i < n; i++)
        Q[i] = p->Q[i];
    solve(&d, Q, p->b, out, out + n);
    if (refined)
        refine(&d, out, out + n);
    arena_free(d.scratch);
}

expr direct_remainder(arena *a, expr_pool *pool, const direct_problem *p) {
    direct d = {.scratch = arena_child(a), .pool = pool, .p = p, .n = p->n, .m = p->A_pattern.rows};
    set_order(&d);
    expr least = least_remainder(&d);
    arena_free(d.scratch);
    return least;
}

// ---- a singular M, at some values

typedef struct {
    int n, m;
    sparsity M_pattern, A_pattern;
    double *M;           // (n x n)
    const double *A;     // (entries)
    double *K, *inverse; // (n x n), (n)
    bool *added;         // (m)
} numbers;

// M, with the rows marked added to it, over the coordinates listed
static bool is_definite(numbers *v, const int *list, int count) {
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            v->K[k * count + l] = v->M[list[k] * v->n + list[l]];
    return linalg_cholesky(v->K, count, MASS_DOUBTFUL, v->inverse) > 0;
}

static bool definite_with_rows(numbers *v, arena *scratch, const int *all) {
    double *M = v->M, *felt = arena_doubles(scratch, (size_t)v->n);
    double least = mass_felt(M, v->n, false, felt);
    v->M = arena_doubles(scratch, (size_t)(v->n * v->n));
    memcpy(v->M, M, (size_t)(v->n * v->n) * sizeof(double));
    for (int r = 0; r < v->m; r++) {
        const int *to = v->A_pattern.to + v->A_pattern.start[r];
        const double *A_r = v->A + v->A_pattern.start[r];
        int count = v->A_pattern.start[r + 1] - v->A_pattern.start[r];
        double square = linalg_dot(A_r, A_r, count);
        double weight = v->added[r] && square > 0 ? mass_weight(A_r, to, count, square, felt, least) : 0;
        for (int k = 0; k < count; k++)
            for (int l = 0; l < count; l++)
                v->M[to[k] * v->n + to[l]] += weight * A_r[k] * A_r[l];
    }
    bool definite = is_definite(v, all, v->n);
    v->M = M;
    return definite;
}

// coordinates that M couples, directly or not, have the same number
static int *blocks_of(arena *a, sparsity M) {
    int *block = arena_array(a, int, M.rows + 1);
    for (int i = 0; i < M.rows; i++)
        block[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < M.rows; i++)
            for (int e = M.start[i]; e < M.start[i + 1]; e++)
                if (block[M.to[e]] > block[i]) {
                    block[M.to[e]] = block[i];
                    changed = true;
                }
    }
    return block;
}

// marks the rows that lie within a singular block of M
static void add_rows_of_blocks(numbers *v, arena *scratch) {
    const int *block = blocks_of(scratch, v->M_pattern);
    int *list = arena_array(scratch, int, v->n + 1);
    bool *singular = arena_array(scratch, bool, v->n + 1); // by number
    for (int i = 0; i < v->n; i++) {
        int count = 0;
        for (int j = i; j < v->n && block[i] == i; j++)
            if (block[j] == i)
                list[count++] = j;
        singular[i] = count && !is_definite(v, list, count);
    }
    for (int r = 0; r < v->m; r++) {
        const int *to = v->A_pattern.to + v->A_pattern.start[r];
        int count = v->A_pattern.start[r + 1] - v->A_pattern.start[r];
        v->added[r] = count > 0 && singular[block[to[0]]];
        for (int k = 1; k < count; k++)
            v->added[r] &= block[to[k]] == block[to[0]];
    }
}

bool *direct_rows_by_numbers(arena *a, const direct_problem *p, const double *mass, const double *A,
                             bool *possible) {
    arena *scratch = arena_child(a);
    int n = p->n, m = p->A_pattern.rows, *all = arena_array(scratch, int, n + 1);
    numbers v = {.n = n, .m = m, .M_pattern = p->M_pattern, .A_pattern = p->A_pattern, .A = A};
    v.M = arena_doubles(scratch, (size_t)(n * n));
    v.K = arena_doubles(scratch, (size_t)(n * n));
    v.inverse = arena_doubles(scratch, (size_t)n);
    v.added = arena_array(a, bool, m + 1);
    for (int i = 0; i < n; i++) {
        all[i] = i;
        for (int e = p->M_pattern.start[i]; e < p->M_pattern.start[i + 1]; e++)
            v.M[i * n + p->M_pattern.to[e]] = mass[e];
    }
    bool finite = linalg_finite(v.M, n * n) && linalg_finite(v.A, sparsity_entries(p->A_pattern));
    bool needed = finite && !is_definite(&v, all, n);
    *possible = true;
    if (needed) {
        add_rows_of_blocks(&v, scratch);
        *possible = definite_with_rows(&v, scratch, all);
    }
    if (!*possible) {
        memset(v.added, true, (size_t)m * sizeof(bool));
        *possible = definite_with_rows(&v, scratch, all);
    }
    arena_free(scratch);
    return needed ? v.added : NULL;
}

bool *direct_rows_for_mass(arena *a, const expr_pool *pool, const direct_problem *p, expr_get get,
                           void *context, bool *possible) {
    arena *scratch = arena_child(a);
    double *mass = arena_doubles(scratch, (size_t)sparsity_entries(p->M_pattern)),
           *A = arena_doubles(scratch, (size_t)sparsity_entries(p->A_pattern));
    expr_eval_all(pool, p->M, sparsity_entries(p->M_pattern), get, context, mass);
    expr_eval_all(pool, p->A, sparsity_entries(p->A_pattern), get, context, A);
    bool *added = direct_rows_by_numbers(a, p, mass, A, possible);
    arena_free(scratch);
    return added;
}
