/* Dependence of rows by orthogonalisation: row i = R'q, with the remainder deciding. Modified Gram-Schmidt,
 * repeated on a row as long as its length still falls by half (Kahan and Parlett: twice is enough, unless
 * the row itself is dependent). m rank n operations per pass. */
#include "linear/rank.h"

#include "linear/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

double rank_rounding(int n) {
    return 4 * DBL_EPSILON * sqrt(n);
}

/* ---- largest remainder first ---- */

rank_basis *rank_basis_new(arena *a, int m, int n) {
    rank_basis *k = arena_alloc(a, sizeof *k);
    k->n = n;
    k->m = m;
    k->width = m < n ? m : n;
    k->row = arena_doubles(a, (size_t)m * (size_t)n);
    k->coordinate = arena_doubles(a, (size_t)m * (size_t)k->width);
    k->square = arena_doubles(a, (size_t)m);
    k->order = arena_array(a, int, k->width);
    k->kept = arena_array(a, bool, m);
    k->used = arena_array(a, bool, m);
    return k;
}

double rank_unit(const double *row, int n) {
    double norm = linalg_norm(row, n);
    return norm > 1e-300 ? 1 / norm : 0;
}

double rank_basis_set(rank_basis *k, int i, const double *A_i) {
    double *row = k->row + i * (long)k->n, scale = rank_unit(A_i, k->n);
    for (int j = 0; j < k->n; j++)
        row[j] = A_i[j] * scale;
    return scale;
}

// v -= sum of (q_k'v) q_k, with the coefficients added to c
static void take_out(const rank_basis *k, double *v, double *c) {
    for (int l = 0; l < k->rank; l++) {
        const double *q = k->row + k->order[l] * (long)k->n;
        double f = linalg_dot(q, v, k->n);
        if (f == 0)
            continue; // most are, of rows that join few coordinates
        linalg_add(v, -f, q, k->n);
        if (c != NULL)
            c[l] += f;
    }
}

double rank_basis_remove(const rank_basis *k, double *v) {
    double before, now = linalg_norm(v, k->n);
    do {
        before = now;
        take_out(k, v, NULL);
        now = linalg_norm(v, k->n);
    } while (now < before / 2 && now > rank_rounding(k->n));
    return now;
}

// the earliest row whose remainder is within a factor of 2 of the largest; -1 if all are at most cut
static int pick(const rank_basis *k, double cut) {
    double most = 0;
    for (int i = 0; i < k->m; i++)
        if (!k->kept[i] && k->square[i] > most)
            most = k->square[i];
    for (int i = 0; i < k->m; i++)
        if (!k->kept[i] && k->square[i] > cut * cut && k->square[i] >= most / 4)
            return i;
    return -1;
}

// row p becomes the next q, if its remainder stands when the basis is taken out once more
static bool accept(rank_basis *k, int p) {
    double *v = k->row + p * (long)k->n, *c = k->coordinate + p * (long)k->width, before = k->square[p];
    take_out(k, v, c);
    k->square[p] = linalg_dot(v, v, k->n);
    if (!(k->square[p] >= before / 4))
        return false;
    double length = linalg_norm(v, k->n);
    c[k->rank] = length;
    linalg_scale(v, 1 / length, k->n);
    k->least = fmin(k->least, length);
    k->kept[p] = true;
    k->order[k->rank++] = p;
    return true;
}

// takes the newest q out of the rows that are left
static void sweep(rank_basis *k) {
    int n = k->n, last = k->rank - 1;
    const double *q = k->row + k->order[last] * (long)n;
    for (int i = 0; i < k->m; i++) {
        if (k->kept[i] || k->square[i] == 0)
            continue;
        double *v = k->row + i * (long)n, f = linalg_dot(q, v, n);
        linalg_add(v, -f, q, n);
        k->coordinate[i * (long)k->width + last] = f;
        k->square[i] = linalg_dot(v, v, n);
    }
}

void rank_basis_choose(rank_basis *k, int m, double cut) {
    k->m = m;
    k->rank = 0;
    k->least = 1;
    memset(k->coordinate, 0, (size_t)m * (size_t)k->width * sizeof(double));
    memset(k->kept, 0, (size_t)m * sizeof(bool));
    for (int i = 0; i < m; i++)
        k->square[i] = linalg_dot(k->row + i * (long)k->n, k->row + i * (long)k->n, k->n);
    while (k->rank < k->width) {
        int p = pick(k, cut);
        if (p < 0)
            return;
        if (accept(k, p))
            sweep(k);
    }
}

/* ---- all rows by the important ones ---- */

// the largest entry of C in rows and columns not yet used, in rows of which more than cut is left
static bool largest(const rank_basis *k, const double *importance, double cut, const double *C, const int *by,
                    int *row, int *column) {
    double most = 0;
    for (int i = 0; i < k->m; i++) {
        const double *c = C + i * (long)k->width;
        for (int l = 0; l < k->rank && !k->used[i]; l++)
            if (by[l] < 0 && fabs(c[l]) > most && fabs(c[l]) > cut * importance[i]) {
                most = fabs(c[l]);
                *row = i;
                *column = l;
            }
    }
    return most > 0;
}

// C <- C T with T such that row p of C becomes the unit vector at column l (Gauss-Jordan on columns)
static void eliminate(const rank_basis *k, double *C, int p, int l) {
    double *pivot_row = C + p * (long)k->width, pivot = pivot_row[l];
    for (int i = 0; i < k->m; i++) {
        double *c = C + i * (long)k->width, f = c[l] / pivot;
        if (i == p || f == 0)
            continue;
        linalg_add(c, -f, pivot_row, k->rank);
        c[l] = f;
    }
    memset(pivot_row, 0, (size_t)k->rank * sizeof(double));
    pivot_row[l] = 1;
}

bool rank_express(const rank_basis *k, const double *importance, double cut, double *C, int *by) {
    memset(k->used, 0, (size_t)k->m * sizeof(bool));
    for (int l = 0; l < k->rank; l++)
        by[l] = -1;
    for (int i = 0; i < k->m; i++)
        for (int l = 0; l < k->rank; l++)
            C[i * (long)k->width + l] = importance[i] * k->coordinate[i * (long)k->width + l];
    for (int step = 0, p = 0, l = 0; step < k->rank; step++) {
        if (!largest(k, importance, cut, C, by, &p, &l) && !largest(k, importance, 0, C, by, &p, &l))
            return false;
        eliminate(k, C, p, l);
        by[l] = p;
        k->used[p] = true;
    }
    return true;
}

bool rank_negligible(const rank_basis *k, const double *importance, double cut, const double *C,
                     const int *by, int i, int column) {
    const double *h = k->coordinate + by[column] * (long)k->width;
    double reach = importance[by[column]] * sqrt(linalg_dot(h, h, k->rank));
    return fabs(C[i * (long)k->width + column]) * reach <= cut * importance[i];
}

/* ---- in the given order, with a report ---- */

// orthogonalises row i against the rows kept so far; what remains of it
static double reduce(rank_basis *k, int i) {
    double *v = k->row + i * (long)k->n, before, now = linalg_norm(v, k->n);
    do {
        before = now;
        take_out(k, v, k->coordinate + i * (long)k->width);
        now = linalg_norm(v, k->n);
    } while (now < before / 2 && now > rank_rounding(k->n));
    return now;
}

static void keep(rank_basis *k, int i, double remainder) {
    linalg_scale(k->row + i * (long)k->n, 1 / remainder, k->n);
    k->coordinate[i * (long)k->width + k->rank] = remainder;
    k->order[k->rank++] = i;
    k->kept[i] = true;
}

// c <- R^-1 c, where column l of R holds the coordinates of row order[l]: from q to rows
static void by_rows(const rank_basis *k, double *c) {
    for (int l = k->rank - 1; l >= 0; l--) {
        const double *r = k->coordinate + k->order[l] * (long)k->width;
        c[l] /= r[l];
        linalg_add(c, -c[l], r, l);
    }
}

// |row l of R^-1|: by how much c_l moves when the row that it explains moves by 1
static double *sensitivities(arena *a, const rank_basis *k) {
    double *s = arena_doubles(a, (size_t)k->width), *c = arena_doubles(a, (size_t)k->width);
    for (int j = 0; j < k->rank; j++) {
        memset(c, 0, (size_t)k->width * sizeof(double));
        c[j] = 1;
        by_rows(k, c);
        for (int l = 0; l < k->rank; l++)
            s[l] = hypot(s[l], c[l]);
    }
    return s;
}

/* Row i was dropped; row_i = sum of c_l row_l makes a left null vector, and the multipliers with a component
 * in it are not unique. Rows are known to cut, hence c_l to cut (1 + sum |c|) |row l of R^-1|: what lies
 * below cannot be told from 0. Where kept rows are nearly dependent that bound is large; sqrt(cut) then
 * limits it. */
static void explain(rank_report *r, arena *a, const rank_basis *k, int i, const double *scale,
                    const double *sensitivity, double cut, double *factors) {
    double *c = k->coordinate + i * (long)k->width, sum = 1;
    by_rows(k, c);
    memset(factors, 0, (size_t)r->m * sizeof *factors);
    for (int l = 0; l < k->rank; l++)
        sum += fabs(c[l]);
    for (int l = 0; l < k->rank && scale[i] > 0; l++) {
        int j = k->order[l];
        if (fabs(c[l]) > fmin(sqrt(cut), 4 * cut * sum * sensitivity[l]))
            factors[j] = c[l] * (scale[j] / scale[i]);
    }
    rank_report_explain(r, a, i, factors);
}

rank_report *rank_report_new(arena *a, int m, int n) {
    rank_report *r = arena_alloc(a, sizeof *r);
    r->m = m;
    r->n = n;
    r->rank = m;
    r->terms = arena_array(a, rank_term *, m);
    r->term_count = arena_array(a, int, m);
    r->remainder = arena_doubles(a, (size_t)m);
    r->kept = arena_array(a, bool, m);
    r->unique = arena_array(a, bool, m);
    for (int i = 0; i < m; i++) {
        r->kept[i] = r->unique[i] = true;
        r->remainder[i] = 1;
    }
    return r;
}

void rank_report_explain(rank_report *r, arena *a, int i, const double *c) {
    int count = 0;
    for (int j = 0; j < r->m; j++)
        count += c[j] != 0;
    r->kept[i] = r->unique[i] = false;
    r->terms[i] = arena_array(a, rank_term, count);
    for (int j = 0; j < r->m; j++)
        if (c[j] != 0) {
            r->terms[i][r->term_count[i]++] = (rank_term){j, c[j]};
            r->unique[j] = false;
        }
}

void rank_report_repeat(rank_report *r, arena *a, int i, int j, double factor) {
    int count = r->kept[j] ? 1 : r->term_count[j];
    r->terms[i] = arena_array(a, rank_term, count);
    r->term_count[i] = count;
    for (int k = 0; k < count; k++) {
        rank_term term = r->kept[j] ? (rank_term){j, 1} : r->terms[j][k];
        r->terms[i][k] = (rank_term){term.row, factor * term.factor};
        r->unique[term.row] = false;
    }
    r->kept[i] = r->unique[i] = r->unique[j] = false;
}

rank_report *rank_of_rows(arena *a, const double *A, int m, int n, double cut) {
    rank_report *r = rank_report_new(a, m, n);
    arena *work = arena_child(a);
    rank_basis *k = rank_basis_new(work, m, n);
    double *scale = arena_doubles(work, (size_t)m), *factors = arena_doubles(work, (size_t)m);
    cut = fmax(cut, rank_rounding(n));
    for (int i = 0; i < m; i++) {
        scale[i] = rank_basis_set(k, i, A + i * (long)n);
        r->remainder[i] = reduce(k, i);
        r->kept[i] = r->remainder[i] > cut && k->rank < k->width;
        if (r->kept[i])
            keep(k, i, r->remainder[i]);
    }
    r->rank = k->rank;
    double *sensitivity = sensitivities(work, k);
    for (int i = 0; i < m; i++)
        if (!r->kept[i])
            explain(r, a, k, i, scale, sensitivity, cut, factors);
    arena_free(work);
    return r;
}
