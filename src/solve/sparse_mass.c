/* The blocks of M. Definite ones are factored as they are. To a singular one the rows are added that lie in
 * it: M + A'WA, the same equations (dense.c). A quaternion's block needs no more than its own norm. If null
 * directions remain, the rows that see them join other blocks to this one; if none does, they are
 * undetermined. */
#include "solve/sparse_inside.h"

#include "solve/linalg.h"

#include <math.h>
#include <string.h>

static const double NEGATIVE = 1e-10;       // as in dense.c: of what remains of M at unit diagonal
static const double DIRECTION_LEAST = 1e-6; // components of a direction below this are rounding
static const double SEEN = 1e-9;            // a row sees a direction when their product exceeds this part

static int size_of(const sparse *s, int c) {
    return s->p->first[c + 1] - s->p->first[c];
}

// blocks of one coordinate each: a loop that the compiler can widen
static int single_definite(sparse *s) {
    int singular = 0;
    for (int j = 0; j < s->n; j++)
        s->U_inverse[j] = 1 / sqrt(s->mass[j]);
    for (int j = 0; j < s->n && s->single; j++)
        s->mobility[j] = 1 / s->mass[j];
    for (int j = 0; j < s->n; j++) {
        s->augmented[j] = !(s->mass[j] > 0);
        singular += s->augmented[j];
    }
    return singular;
}

// a diagonal entry that may have lost its digits: no pivot is to be built on it
static bool has_tiny_entry(const sparse *s, int c) {
    int size = size_of(s, c);
    for (int i = 0; i < size; i++)
        if (s->mass[s->p->inside[c] + i * (long)(size + 1)] <= SPARSE_MASS_TINY * s->largest)
            return true;
    return false;
}

static int blocks_definite(sparse *s) {
    const blocks *p = s->p;
    int singular = 0;
    memcpy(s->U, s->mass, (size_t)p->inside[p->count] * sizeof(double));
    for (int c = 0; c < p->count; c++) {
        double smallest = linalg_cholesky(s->U + p->inside[c], size_of(s, c), SPARSE_MASS_LEAST,
                                          s->U_inverse + p->first[c]);
        s->augmented[c] = smallest <= SPARSE_MASS_DOUBTFUL || has_tiny_entry(s, c);
        singular += s->augmented[c];
    }
    return singular;
}

int sparse_mass_definite(sparse *s) {
    int singular = s->p->single ? single_definite(s) : blocks_definite(s);
    s->any = singular > 0;
    s->mass_rank = s->n;
    return singular;
}

/* ---- one block that is not definite; matrices (size x size) ---- */

typedef struct {
    int c, size;
    double *K, *scale, *v; // at unit diagonal; (size); (size)
    int *order;
} block_work;

// as to_unit_diagonal in dense.c
static void to_unit_diagonal(const sparse *s, block_work *w, const double *K) {
    for (int i = 0; i < w->size; i++) {
        double diagonal = K[i * (long)(w->size + 1)];
        bool zero = diagonal <= SPARSE_MASS_TINY * s->largest && diagonal >= -SPARSE_MASS_LEAST * s->largest;
        w->scale[i] = !zero ? 1 / sqrt(fabs(diagonal)) : s->largest > 0 ? 1 / sqrt(s->largest) : 1;
    }
    for (int i = 0; i < w->size; i++)
        for (int j = 0; j < w->size; j++)
            w->K[i * (long)w->size + j] = K[i * (long)w->size + j] * w->scale[i] * w->scale[j];
}

static void name(sparse *s, const block_work *w) {
    double most = 0;
    for (int i = 0; i < w->size; i++)
        most = fmax(most, fabs(w->v[i]));
    for (int i = 0; i < w->size; i++)
        if (fabs(w->v[i]) > DIRECTION_LEAST * most)
            s->named[s->p->coordinate[s->p->first[w->c] + i]] = true;
}

// of what remains of M, rank rows taken out: an entry that is not rounding means a negative direction
static bool negative(sparse *s, block_work *w, int rank) {
    int row = 0, column = 0;
    double most = 0;
    for (int k = rank; k < w->size; k++)
        for (int l = k; l < w->size; l++) {
            double entry = fabs(w->K[w->order[k] * (long)w->size + w->order[l]]);
            if (entry > most) {
                most = entry;
                row = w->order[k];
                column = w->order[l];
            }
        }
    if (most <= NEGATIVE)
        return false;
    memset(w->v, 0, (size_t)w->size * sizeof(double));
    w->v[column] = w->K[row * (long)w->size + column] > 0 ? -1 : 1;
    w->v[row] = 1;
    linalg_extend(w->K, w->size, w->order, rank, w->v);
    name(s, w);
    return true;
}

static const double *piece_values(const sparse *s, int z) {
    return s->N + s->p->value[z];
}

static bool within_block(const sparse *s, int k) {
    return s->p->row[k + 1] - s->p->row[k] == 1;
}

// as row_weight in dense.c, for a row in block c
static double row_weight(const sparse *s, int c, int k, const double *N_k) {
    double mobility = 0, joined = 0;
    int size = size_of(s, c);
    const double *M = s->mass + s->p->inside[c];
    for (int i = 0; i < size; i++)
        joined += SPARSE_JOINED * fmax(0, M[i * (long)(size + 1)]);
    for (int i = 0; i < size; i++) {
        double mass = M[i * (long)(size + 1)] + joined;
        if (mass > 0)
            mobility += N_k[i] * N_k[i] / (mass * s->square[k]);
    }
    double felt = mobility > 0 ? 1 / mobility : isfinite(s->lightest) ? s->lightest : 1;
    return felt / s->square[k];
}

// U <- M + A'WA over the kept rows in the block; false if there is none
static bool augment(sparse *s, int c) {
    const blocks *p = s->p;
    int size = size_of(s, c), used = 0;
    double *U = s->U + p->inside[c];
    memcpy(U, s->mass + p->inside[c], (size_t)size * (size_t)size * sizeof(double));
    for (int z = p->touch[c]; z < p->touch[c + 1]; z++) {
        int k = p->who[z];
        if (!s->kept[k] || !within_block(s, k))
            continue;
        const double *N_k = piece_values(s, z);
        s->weight[k] = row_weight(s, c, k, N_k);
        for (int i = 0; i < size; i++)
            linalg_add(U + i * (long)size, s->weight[k] * N_k[i], N_k, size);
        used++;
    }
    return used > 0;
}

static void forget_weights(sparse *s, int c) {
    for (int z = s->p->touch[c]; z < s->p->touch[c + 1]; z++)
        if (within_block(s, s->p->who[z]))
            s->weight[s->p->who[z]] = 0;
}

static int root_of(int *label, int j) {
    while (label[j] != j)
        j = label[j] = label[label[j]];
    return j;
}

// row k touches this block and others: all their coordinates get one label
static void join_blocks(sparse *s, int c, int k) {
    const blocks *p = s->p;
    int root = root_of(s->label, s->label[p->coordinate[p->first[c]]]);
    for (int q = p->row[k]; q < p->row[k + 1]; q++)
        s->label[root_of(s->label, p->coordinate[p->first[p->block[q]]])] = root;
}

/* The null direction v (size, at unit diagonal) of M + A'WA within the block: whether kept rows that leave
 * the block see it; these join their blocks to this one. */
static bool join_rows_that_see(sparse *s, block_work *w) {
    const blocks *p = s->p;
    bool seen = false;
    double length = 0;
    for (int i = 0; i < w->size; i++)
        length = hypot(length, w->scale[i] * w->v[i]);
    for (int z = p->touch[w->c]; z < p->touch[w->c + 1]; z++) {
        int k = p->who[z];
        double product = 0;
        if (!s->kept[k] || within_block(s, k))
            continue;
        for (int i = 0; i < w->size; i++)
            product += piece_values(s, z)[i] * (w->scale[i] * w->v[i]);
        if (fabs(product) <= SEEN * length * sqrt(s->square[k]))
            continue;
        join_blocks(s, w->c, k);
        seen = true;
    }
    return seen;
}

static void look_at_null_space(sparse *s, block_work *w, bool *undetermined, bool *again) {
    to_unit_diagonal(s, w, s->U + s->p->inside[w->c]);
    int rank = linalg_cholesky_pivoted(w->K, w->size, SPARSE_MASS_LEAST, w->order);
    rank = rank < w->size ? rank : w->size - 1;
    for (int k = rank; k < w->size; k++) {
        memset(w->v, 0, (size_t)w->size * sizeof(double));
        w->v[w->order[k]] = 1;
        linalg_extend(w->K, w->size, w->order, rank, w->v);
        if (join_rows_that_see(s, w)) {
            *again = true;
            continue;
        }
        name(s, w);
        *undetermined = true;
    }
}

static dense_status augment_block(sparse *s, block_work *w, bool *undetermined, bool *again) {
    const blocks *p = s->p;
    double *U = s->U + p->inside[w->c], *inverse = s->U_inverse + p->first[w->c];
    to_unit_diagonal(s, w, s->mass + p->inside[w->c]);
    int rank = linalg_cholesky_pivoted(w->K, w->size, SPARSE_MASS_LEAST, w->order);
    s->mass_rank -= w->size - rank;
    if (negative(s, w, rank))
        return DENSE_INDEFINITE;
    bool more = augment(s, w->c);
    double least = linalg_cholesky(U, w->size, SPARSE_MASS_LEAST, inverse);
    if (least > 0 && least < SPARSE_MASS_DOUBTFUL) { // without pivoting rounding may look like a small pivot
        augment(s, w->c);
        to_unit_diagonal(s, w, U);
        bool definite = linalg_cholesky_pivoted(w->K, w->size, SPARSE_MASS_LEAST, w->order) == w->size;
        least = linalg_cholesky(U, w->size, definite ? 0 : INFINITY, inverse);
    }
    if (least > 0) {
        s->augmented[w->c] = more;
        return DENSE_OK;
    }
    augment(s, w->c);
    look_at_null_space(s, w, undetermined, again);
    return DENSE_OK;
}

static dense_status visit_block(sparse *s, int c, bool *undetermined, bool *again) {
    int size = size_of(s, c);
    double *K = s->block, *scale = K + (size_t)size * (size_t)size;
    block_work w = {c, size, K, scale, scale + size, s->block_order};
    return augment_block(s, &w, undetermined, again);
}

dense_status sparse_mass_augment(sparse *s, bool *again) {
    bool undetermined = false, negative_found = false;
    memset(s->named, 0, (size_t)s->n * sizeof(bool));
    memset(s->weight, 0, (size_t)s->m * sizeof(double));
    *again = false;
    s->any = false;
    for (int c = 0; c < s->p->count; c++) {
        if (!s->augmented[c])
            continue;
        forget_weights(s, c);
        dense_status status = visit_block(s, c, &undetermined, again);
        negative_found |= status == DENSE_INDEFINITE;
        s->any |= s->augmented[c];
    }
    for (int j = 0; j < s->n; j++)
        s->label[j] = root_of(s->label, j);
    if (negative_found)
        return DENSE_INDEFINITE;
    return undetermined ? DENSE_UNDETERMINED : DENSE_OK;
}
