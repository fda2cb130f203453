/* Memory, factorisation and questions; sparse_mass.c has the blocks of M, sparse_rank.c the choice of rows,
 * sparse_solve.c what is done with the factors. */
#include "linear/sparse_inside.h"

#include "linear/linalg.h"
#include "linear/rank.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- memory ---- */

// the number of coordinates with the commonest label
static int largest_block(sparse *s) {
    arena *work = arena_child(s->parent);
    int *size = arena_array(work, int, s->n + 1), most = 0;
    for (int j = 0; j < s->n; j++)
        most = ++size[s->label[j]] > most ? size[s->label[j]] : most;
    arena_free(work);
    return most;
}

// what the way of chain.h needs, too
static void add_marks(sparse *s) {
    s->dropped = arena_array(s->arena, bool, s->m);
    s->mobility = arena_doubles(s->arena, s->single ? (size_t)s->n : 0);
    s->mobility_of = arena_doubles(s->arena, s->single ? (size_t)s->n : 0);
    s->mobility_known = false;
}

static void add_workspace(sparse *s) {
    const blocks *p = s->p;
    arena *a = s->arena;
    size_t n = (size_t)s->n, m = (size_t)s->m, values = (size_t)p->begin[s->m];
    size_t inside = (size_t)p->inside[p->count];
    s->scale = arena_doubles(a, m);
    s->N = arena_doubles(a, values);
    s->square = arena_doubles(a, m);
    s->kept = arena_array(a, bool, m);
    s->spanned = arena_array(a, bool, m);
    s->own = ldl_new(a, p->ldl);
    s->near = NULL;
    s->normal = NULL;
    s->normal_known = false;
    s->near_count = 0;
    s->doubtful = arena_array(a, int, m);
    s->remainder = arena_doubles(a, m);
    s->mass = arena_doubles(a, inside);
    s->U = arena_doubles(a, inside);
    s->U_inverse = arena_doubles(a, n);
    s->augmented = arena_array(a, bool, p->count);
    s->weight = arena_doubles(a, m);
    s->block = mass_block_new(a, largest_block(s));
    s->B = arena_doubles(a, values);
    s->white = ldl_new(a, p->ldl);
    s->beyond = arena_doubles(a, s->single ? (size_t)p->ldl->parts * (size_t)ldl_rows_after(p->ldl) : 0);
    double **vectors[] = {&s->f, &s->x, &s->v}, **rows[] = {&s->g, &s->h, &s->l, &s->c, &s->e, &s->d, &s->r};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_doubles(a, n);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = arena_doubles(a, m);
}

// large blocks are not inverted: M stays as it is, and blocks only hold the rows
static void plan_saddle(sparse *s) {
    sparsity none = {s->n, arena_array(s->arena, int, s->n + 1), NULL};
    for (int j = 0; j < s->n; j++)
        s->label[j] = j;
    s->p = blocks_new(s->arena, s->n, none, s->A_pattern, s->label);
    s->saddle = saddle_new(s->arena, s->n, s->M_pattern, (sparsity){s->m, s->p->begin, s->p->place});
}

void sparse_find_chain(sparse *s) {
    if (s->single)
        s->chain = chain_new(s->arena, s->n, s->A_pattern);
}

void sparse_make_ready(sparse *s) {
    if (s->p)
        return;
    if (largest_block(s) > s->block_most)
        plan_saddle(s);
    else
        s->p = blocks_new(s->arena, s->n, s->M_pattern, s->A_pattern, s->label);
    add_workspace(s);
}

static void plan(sparse *s) {
    if (s->arena)
        arena_free(s->arena);
    s->arena = arena_child(s->parent);
    s->p = NULL;
    s->chain = NULL;
    s->single = largest_block(s) <= 1 && s->block_most > 0 && sparsity_entries(s->M_pattern) == s->n;
    add_marks(s);
    if (s->m >= CHAIN_ROWS_LEAST)
        sparse_find_chain(s);
    if (!s->chain)
        sparse_make_ready(s);
}

// coordinates that M couples, directly or not, get one label
static void label_components(sparse *s) {
    int *stack = arena_array(s->parent, int, s->n);
    for (int j = 0; j < s->n; j++)
        s->label[j] = -1;
    for (int j = 0; j < s->n; j++) {
        int top = 0;
        if (s->label[j] < 0)
            stack[top++] = j;
        while (top > 0) {
            int i = stack[--top];
            s->label[i] = j;
            for (int e = s->M_pattern.start[i]; e < s->M_pattern.start[i + 1]; e++)
                if (s->label[s->M_pattern.to[e]] < 0) {
                    s->label[s->M_pattern.to[e]] = j;
                    stack[top++] = s->M_pattern.to[e];
                }
        }
    }
}

sparse *sparse_new(arena *a, int n, sparsity M, sparsity A, int block_most) {
    sparse *s = arena_alloc(a, sizeof *s);
    s->block_most = block_most;
    s->parent = a;
    s->n = n;
    s->m = A.rows;
    s->M_pattern = M;
    s->A_pattern = A;
    s->label = arena_array(a, int, n);
    s->named = arena_array(a, bool, n);
    label_components(s);
    plan(s);
    return s;
}

/* ---- rows ---- */

/* The square of a row's length, brought between 1/4 and 1 by a power of two, which is returned; 0 for a row
 * that vanishes. The usual case takes the exponent from the bits. */
static double unit_power(const double *A_i, int count, double *square) {
    double sum = 0;
    for (int e = 0; e < count; e++)
        sum += A_i[e] * A_i[e];
    if (sum > 1e-280 && sum < 1e280) {
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        int half = ((int)(bits >> 52) - 1023 + 1026) / 2 - 513; // 4^half <= sum < 4^(half + 1)
        bits = (uint64_t)(1023 - 1 - half) << 52;
        double power;
        memcpy(&power, &bits, sizeof power);
        *square = sum * power * power;
        return power;
    }
    double norm = linalg_norm(A_i, count), power = norm > 1e-300 ? ldexp(1, -1 - ilogb(norm)) : 0;
    *square = norm * power * (norm * power);
    return power;
}

bool sparse_take_rows(sparse *s, const double *A, int from, int to) {
    const blocks *p = s->p;
    bool finite = true;
    for (int k = from; k < to; k++) {
        int i = p->ldl->order[k], begin = s->A_pattern.start[i], count = s->A_pattern.start[i + 1] - begin;
        const double *A_i = A + begin;
        s->scale[k] = unit_power(A_i, count, &s->square[k]);
        if (!(s->square[k] > 0)) // it vanishes, or is not finite
            finite &= linalg_finite(A_i, count);
        if (p->single)
            for (int e = 0; e < count; e++)
                s->N[p->begin[k] + e] = A_i[e] * s->scale[k];
        else
            for (int e = 0; e < count; e++)
                s->N[p->A_to[begin + e]] = A_i[e] * s->scale[k];
    }
    return finite;
}

static void take_mass(sparse *s, const double *M) {
    const sparsity *pattern = &s->M_pattern;
    double largest = 0, lightest = INFINITY;
    s->M = M;
    if (s->saddle)
        return;
    for (int e = 0; e < pattern->start[s->n]; e++) {
        double size = fabs(M[e]);
        s->mass[s->p->M_to[e]] = M[e];
        largest = size > largest ? size : largest;
    }
    for (int c = 0; c < s->p->count; c++) {
        int size = s->p->first[c + 1] - s->p->first[c];
        for (int i = 0; i < size; i++) {
            double diagonal = s->mass[s->p->inside[c] + i * (long)(size + 1)];
            lightest = diagonal > 0 && diagonal < lightest ? diagonal : lightest;
        }
    }
    s->largest = largest;
    s->lightest = lightest;
}

/* ---- factoring ---- */

static void whiten(sparse *s) {
    const blocks *p = s->p;
    int values = p->begin[s->m];
    if (p->single) {
        for (int z = 0; z < values; z++)
            s->B[z] = s->N[z] * s->U_inverse[p->place[z]];
        return;
    }
    memcpy(s->B, s->N, (size_t)values * sizeof(double));
    for (int q = 0; q < p->row[s->m]; q++) {
        int c = p->block[q];
        linalg_solve_lower(s->U + p->inside[c], s->U_inverse + p->first[c], p->first[c + 1] - p->first[c],
                           s->B + p->at[q]);
    }
}

void sparse_complete(sparse *s) {
    if (!s->lean)
        return;
    take_mass(s, s->M);
    sparse_mass_definite(s);
    whiten(s);
    s->lean = false;
}

static void factor_schur(sparse *s) {
    for (int k = 0; k < s->m; k++)
        s->white->out[k] = !s->kept[k];
    ldl_factor(s->white, SPARSE_PIVOT_LEAST, LDL_RAISE);
    s->nearness = sqrt(fmax(0, s->white->smallest));
    s->rank = s->white->rank;
}

// trace of the inverse of block c's U'U
static double trace_of_inverse(const sparse *s, int c) {
    const blocks *p = s->p;
    int at = p->first[c], size = p->first[c + 1] - at;
    double trace = 0, *v = s->v;
    for (int i = 0; i < size; i++) {
        v[i] = 1;
        linalg_solve_lower(s->U + p->inside[c], s->U_inverse + at, size, v);
        trace += linalg_dot(v, v, size);
        memset(v, 0, (size_t)size * sizeof(double));
    }
    return trace;
}

// at most the smallest eigenvalue of U'U, for which a block's trace of the inverse stands
static double least_mass(const sparse *s) {
    double most = 0;
    if (s->p->single) {
        for (int j = 0; j < s->n; j++)
            most = s->U_inverse[j] > most ? s->U_inverse[j] : most;
        return 1 / (most * most);
    }
    for (int c = 0; c < s->p->count; c++) {
        double trace = trace_of_inverse(s, c);
        most = trace > most ? trace : most;
    }
    return 1 / most;
}

/* For every v: v'v >= mu v'M^-1 v with mu the least eigenvalue of M, so the square of a row's remainder in
 * the coordinates' own units is at least mu times its pivot in S. */
bool sparse_independent(const sparse *s, double smallest, double most, double mu) {
    return most * fmax(GRAM_CLEAR, 100 * s->cut * s->cut) < mu && smallest > SPARSE_PIVOT_LEAST;
}

static bool independent(const sparse *s) {
    double most = 0;
    for (int k = 0; k < s->m; k++) {
        double ratio = s->white->inverse[k] * s->square[k];
        most = ratio > most ? ratio : most;
    }
    return sparse_independent(s, s->white->smallest, most, least_mass(s));
}

// tries the rows that were kept last, and whether they are independent and the others repeat them
static bool same_rows_do(sparse *s) {
    for (int k = 0; k < s->m; k++)
        s->kept[k] = sparse_same_row(s, k);
    if (!sparse_same_dropped(s))
        return false;
    factor_schur(s);
    return independent(s);
}

/* With U at hand. Tries the short way unless it failed right after a decision, then not for a while. */
static void factor_rows(sparse *s, bool decided) {
    whiten(s);
    blocks_gram(s->p, s->B, s->white);
    if (decided) {
        factor_schur(s);
        return;
    }
    if (s->patience > 0) {
        s->patience--;
    } else if (same_rows_do(s)) {
        s->fresh = false;
        return;
    } else if (s->fresh) {
        s->patience = CALM_CALLS;
    }
    sparse_choose_rows(s);
    s->fresh = true;
    factor_schur(s);
}

// W of mass.h for all rows, coordinates being single
static void weigh_rows(sparse *s) {
    const blocks *p = s->p;
    const sparsity *M = &s->M_pattern;
    double *own = s->mass, *felt = s->f, least = INFINITY;
    for (int j = 0; j < s->n; j++)
        own[j] = row_entry(*M, s->M, j, j);
    for (int j = 0; j < s->n; j++) {
        felt[j] = own[j];
        for (int e = M->start[j]; e < M->start[j + 1]; e++)
            felt[j] += s->M[e] != 0 ? mass_part(own[M->to[e]]) : 0;
        least = felt[j] > 0 ? fmin(least, felt[j]) : least;
    }
    for (int k = 0; k < s->m; k++) {
        int begin = p->begin[k], count = p->begin[k + 1] - begin;
        s->weight[k] =
            s->kept[k] ? mass_weight(s->N + begin, p->place + begin, count, s->square[k], felt, least) : 0;
    }
}

static dense_status factor_saddle(sparse *s) {
    sparse_choose_rows(s);
    weigh_rows(s);
    memset(s->named, 0, (size_t)s->n * sizeof(bool));
    saddle_status status = saddle_factor(s->saddle, s->M, s->N, s->weight, s->kept);
    if (status != SADDLE_OK) {
        saddle_name(s->saddle, s->M, s->named);
        return status == SADDLE_INDEFINITE ? DENSE_INDEFINITE : DENSE_UNDETERMINED;
    }
    s->any = saddle_augmented(s->saddle);
    s->mass_rank = saddle_mass_rank(s->saddle);
    s->nearness = sqrt(fmax(0, saddle_smallest(s->saddle)));
    s->rank = 0;
    for (int k = 0; k < s->m; k++)
        s->rank += s->kept[k];
    return DENSE_OK;
}

static dense_status factor(sparse *s, const double *M, const double *A, bool *again) {
    *again = false;
    s->own_ready = s->lean = false;
    sparse_take_rows(s, A, 0, s->m);
    take_mass(s, M);
    if (s->saddle)
        return factor_saddle(s);
    bool singular = sparse_mass_definite(s) > 0;
    if (singular) {
        sparse_choose_rows(s);
        dense_status status = sparse_mass_augment(s, again);
        if (status != DENSE_OK || *again)
            return status;
    }
    factor_rows(s, singular);
    return DENSE_OK;
}

// what the caller has set stays
static void become(sparse *s, const sparse *other) {
    const bool *left_out = s->left_out;
    team *helpers = s->team;
    double cut = s->cut;
    *s = *other;
    s->left_out = left_out;
    s->team = helpers;
    s->cut = cut;
}

dense_status sparse_factor(sparse *s, const double *M, const double *A, double cut) {
    bool again, finite = true;
    s->cut = fmax(cut, rank_rounding(s->n));
    s->mass_rank = 0; // until it is known
    s->by_chain = false;
    if (s->single && s->patience == 0 && sparse_single_factor(s, M, A, &finite))
        return DENSE_OK;
    if (!finite || !linalg_finite(M, s->M_pattern.start[s->n]) || !linalg_finite(A, s->A_pattern.start[s->m]))
        return DENSE_NOT_FINITE;
    sparse_make_ready(s);
    dense_status status = factor(s, M, A, &again);
    while (again && status != DENSE_INDEFINITE) {
        if (s->spare)
            become(s, s->spare);
        else
            plan(s); // M is not diagonal
        status = factor(s, M, A, &again);
    }
    return status;
}

void sparse_settle(sparse *s, bool constant_mass) {
    bool definite = s->mass_rank == s->n && !s->any;
    memset(s->dropped, 0, (size_t)s->m * sizeof(bool));
    s->near_count = s->patience = 0;
    s->fresh = false;
    sparse_make_ready(s);
    sparse_make_near(s);
    if (s->saddle || (constant_mass && definite))
        return;
    s->spare = sparse_new(s->parent, s->n, s->M_pattern, s->A_pattern, 0);
    sparse_make_near(s->spare);
}

/* ---- questions ---- */

void sparse_leave_out(sparse *s, const bool *rows) {
    s->left_out = rows;
}

int sparse_rank(const sparse *s) {
    return s->rank;
}

double sparse_nearness(const sparse *s) {
    return s->nearness;
}

bool sparse_dropped(const sparse *s, int row) {
    return !s->by_chain && !s->kept[s->p->ldl->place[row]];
}

bool sparse_mass_singular(const sparse *s) {
    return s->mass_rank < s->n;
}

int sparse_undetermined(const sparse *s, bool *coordinate) {
    int count = 0;
    for (int j = 0; j < s->n; j++) {
        coordinate[j] = s->named[j];
        count += s->named[j];
    }
    return count;
}

bool sparse_has_parts(const sparse *s) {
    return s->chain ? chain_has_parts(s->chain) : s->single && s->p->ldl->parts > 1;
}

void sparse_use_team(sparse *s, team *t) {
    s->team = t;
}

long sparse_entries(sparse *s) {
    sparse_make_ready(s);
    return s->saddle ? saddle_entries(s->saddle) : s->p->ldl->entries;
}
