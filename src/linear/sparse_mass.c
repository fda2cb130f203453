/* The blocks of M. Definite ones are factored as they are. To a singular one the rows are added that lie in
 * it: M + A'WA (mass.h). A quaternion's block needs no more than its own norm. If null
 * directions remain, the rows that see them join other blocks to this one; if none does, they are
 * undetermined. */
#include "linear/sparse_inside.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

static const double SEEN = 1e-9; // a row sees a direction when their product exceeds this part

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

static int blocks_definite(sparse *s) {
    const blocks *p = s->p;
    int singular = 0;
    memcpy(s->U, s->mass, (size_t)p->inside[p->count] * sizeof(double));
    for (int c = 0; c < p->count; c++) {
        s->augmented[c] = !mass_definite(s->U + p->inside[c], size_of(s, c), s->largest, MASS_DOUBTFUL,
                                         s->U_inverse + p->first[c]);
        singular += s->augmented[c];
    }
    return singular;
}

int sparse_mass_definite(sparse *s) {
    int singular = s->p->single ? single_definite(s) : blocks_definite(s);
    s->mobility_known = false;
    s->any = singular > 0;
    s->mass_rank = s->n;
    return singular;
}

/* ---- one block that is not definite ---- */

static const double *piece_values(const sparse *s, int z) {
    return s->N + s->p->value[z];
}

static bool within_block(const sparse *s, int k) {
    return s->p->row[k + 1] - s->p->row[k] == 1;
}

typedef struct {
    sparse *s;
    const double *felt; // (n): m of mass.h, and the least of them
    double least;
    int c;    // the block that is looked at
    bool any; // there are rows in it
} visit;

// U <- M + A'WA over the kept rows in the block
static void augment(void *context, double *U) {
    visit *v = context;
    sparse *s = v->s;
    const blocks *p = s->p;
    int size = size_of(s, v->c);
    memcpy(U, s->mass + p->inside[v->c], (size_t)size * (size_t)size * sizeof(double));
    for (int z = p->touch[v->c]; z < p->touch[v->c + 1]; z++) {
        int k = p->who[z];
        if (!s->kept[k] || !within_block(s, k))
            continue;
        const double *N_k = piece_values(s, z);
        s->weight[k] = mass_weight(N_k, NULL, size, s->square[k], v->felt + p->first[v->c], v->least);
        for (int i = 0; i < size; i++)
            linalg_add(U + i * (long)size, s->weight[k] * N_k[i], N_k, size);
        v->any = true;
    }
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

/* The null direction b->v of M + A'WA within block c: whether kept rows that leave the block see it; these
 * join their blocks to this one. */
static bool join_rows_that_see(sparse *s, int c) {
    const blocks *p = s->p;
    const mass_block *b = &s->block;
    bool seen = false;
    double length = 0;
    for (int i = 0; i < b->size; i++)
        length = hypot(length, b->scale[i] * b->v[i]);
    for (int z = p->touch[c]; z < p->touch[c + 1]; z++) {
        int k = p->who[z];
        double product = 0;
        if (!s->kept[k] || within_block(s, k))
            continue;
        for (int i = 0; i < b->size; i++)
            product += piece_values(s, z)[i] * (b->scale[i] * b->v[i]);
        if (fabs(product) <= SEEN * length * sqrt(s->square[k]))
            continue;
        join_blocks(s, c, k);
        seen = true;
    }
    return seen;
}

static dense_status augment_block(sparse *s, visit *v, bool *again) {
    int c = v->c;
    const blocks *p = s->p;
    const int *coordinate = p->coordinate + p->first[c];
    mass_block *b = &s->block;
    v->any = false;
    b->size = size_of(s, c);
    b->largest = s->largest;
    mass_status status =
        mass_factor(b, s->mass + p->inside[c], augment, v, s->U + p->inside[c], s->U_inverse + p->first[c]);
    s->mass_rank -= b->size - b->mass_rank;
    if (status == MASS_INDEFINITE) {
        mass_name(b, coordinate, s->named);
        return DENSE_INDEFINITE;
    }
    bool undetermined = false;
    for (int k = b->rank; k < b->size && status == MASS_SINGULAR; k++) {
        mass_direction(b, k);
        if (join_rows_that_see(s, c)) {
            *again = true;
            continue;
        }
        mass_name(b, coordinate, s->named);
        undetermined = true;
    }
    s->augmented[c] = v->any || status == MASS_SINGULAR;
    return undetermined ? DENSE_UNDETERMINED : DENSE_OK;
}

dense_status sparse_mass_augment(sparse *s, bool *again) {
    const blocks *p = s->p;
    bool undetermined = false, indefinite = false;
    memset(s->named, 0, (size_t)s->n * sizeof(bool));
    memset(s->weight, 0, (size_t)s->m * sizeof(double));
    *again = false;
    s->any = false;
    visit v = {.s = s, .felt = s->f, .least = INFINITY};
    for (int c = 0; c < p->count; c++)
        v.least = fmin(v.least, mass_felt(s->mass + p->inside[c], size_of(s, c), true, s->f + p->first[c]));
    for (int c = 0; c < p->count; c++) {
        if (!s->augmented[c])
            continue;
        forget_weights(s, c);
        v.c = c;
        dense_status status = augment_block(s, &v, again);
        undetermined |= status == DENSE_UNDETERMINED;
        indefinite |= status == DENSE_INDEFINITE;
        s->any |= s->augmented[c];
    }
    for (int j = 0; j < s->n; j++)
        s->label[j] = root_of(s->label, j);
    if (indefinite)
        return DENSE_INDEFINITE;
    return undetermined ? DENSE_UNDETERMINED : DENSE_OK;
}
