#include "linear/mass.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

/* ---- W ---- */

// what M joins coordinate j with; j < 0: all of the block
static double joined_with(const double *M, int size, int j) {
    double joined = 0;
    for (int k = 0; k < size; k++)
        if (j < 0 || M[j * (long)size + k] != 0)
            joined += mass_part(M[k * (long)(size + 1)]);
    return joined;
}

double mass_felt(const double *M, int size, bool all, double *m) {
    double least = INFINITY, joined = all ? joined_with(M, size, -1) : 0;
    for (int j = 0; j < size; j++) {
        m[j] = M[j * (long)(size + 1)] + (all ? joined : joined_with(M, size, j));
        least = m[j] > 0 && m[j] < least ? m[j] : least;
    }
    return least;
}

double mass_weight(const double *row, const int *to, int count, double square, const double *m,
                   double least) {
    double mobility = 0;
    for (int e = 0; e < count; e++) {
        double mass = m[to ? to[e] : e];
        if (mass > 0)
            mobility += row[e] * row[e] / (mass * square);
    }
    return (mobility > 0 ? 1 / mobility : isfinite(least) ? least : 1) / square;
}

/* ---- factors ---- */

mass_block mass_block_new(arena *a, int size) {
    size_t n = (size_t)size;
    return (mass_block){.size = size,
                        .K = arena_doubles(a, n * n),
                        .scale = arena_doubles(a, n),
                        .order = arena_array(a, int, n),
                        .v = arena_doubles(a, n)};
}

bool mass_definite(double *U, int size, double largest, double least, double *inverse) {
    for (int i = 0; i < size; i++)
        if (U[i * (long)(size + 1)] <= MASS_TINY * largest)
            return false;
    return linalg_cholesky(U, size, MASS_LEAST, inverse) > least;
}

// b->K <- the factors of K at unit diagonal, 1 or -1; where that is 0 to rounding, the largest entry stands
static void factor_scaled(mass_block *b, const double *K) {
    int size = b->size;
    double *s = b->scale, largest = b->largest;
    for (int i = 0; i < size; i++) {
        double diagonal = K[i * (long)(size + 1)];
        bool zero = diagonal <= MASS_TINY * largest && diagonal >= -MASS_LEAST * largest;
        s[i] = !zero ? 1 / sqrt(fabs(diagonal)) : largest > 0 ? 1 / sqrt(largest) : 1;
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            b->K[i * (long)size + j] = K[i * (long)size + j] * s[i] * s[j];
    b->rank = linalg_cholesky_pivoted(b->K, size, MASS_LEAST, b->order);
}

/* Looks at what remains of M, the rest having been taken out as U'U: for semi-definite M it is rounding. An
 * entry K_ij that is not, over a vanishing diagonal, gives e_i -+ e_j the value -2 |K_ij|. */
bool mass_has_negative(mass_block *b, const double *M) {
    int size = b->size, row = 0, column = 0;
    double most = 0;
    factor_scaled(b, M);
    b->mass_rank = b->rank;
    double root = b->rank < size || size == 0 ? 0 : b->K[b->order[size - 1] * (long)(size + 1)];
    b->last = root * root;
    for (int k = b->rank; k < size; k++)
        for (int l = k; l < size; l++) {
            double entry = fabs(b->K[b->order[k] * (long)size + b->order[l]]);
            if (entry > most) {
                most = entry;
                row = b->order[k];
                column = b->order[l];
            }
        }
    if (most <= MASS_NEGATIVE)
        return false;
    memset(b->v, 0, (size_t)size * sizeof(double));
    b->v[column] = b->K[row * (long)size + column] > 0 ? -1 : 1;
    b->v[row] = 1;
    linalg_extend(b->K, size, b->order, b->rank, b->v);
    return true;
}

void mass_direction(mass_block *b, int k) {
    memset(b->v, 0, (size_t)b->size * sizeof(double));
    b->v[b->order[k]] = 1;
    linalg_extend(b->K, b->size, b->order, b->rank, b->v);
}

mass_status mass_factor(mass_block *b, const double *M, mass_adder *add, void *context, double *U,
                        double *inverse) {
    if (mass_has_negative(b, M))
        return MASS_INDEFINITE;
    add(context, U);
    double least = linalg_cholesky(U, b->size, MASS_LEAST, inverse);
    if (least >= MASS_DOUBTFUL)
        return MASS_OK;
    add(context, U);
    factor_scaled(b, U);
    // without pivoting rounding may look like a small pivot
    if (least > 0 && b->rank == b->size && linalg_cholesky(U, b->size, 0, inverse) > 0)
        return MASS_OK;
    b->rank = b->rank < b->size ? b->rank : b->size - 1;
    return MASS_SINGULAR;
}

void mass_name(const mass_block *b, const int *coordinate, bool *named) {
    double most = 0;
    for (int i = 0; i < b->size; i++)
        most = fmax(most, fabs(b->v[i]));
    for (int i = 0; i < b->size; i++)
        if (fabs(b->v[i]) > MASS_DIRECTION_LEAST * most)
            named[coordinate ? coordinate[i] : i] = true;
}
