/* One block of the mass matrix M that may be singular: the solvers' only knowledge of it. Dense, M is one
 * block of n coordinates; sparse, each set of coordinates that M couples is a block.
 *
 * Where M is singular, M + A'WA stands in its place, over rows that hold (A x = b): the same x, the same
 * multipliers (paper 002 result 1, which has A+A in place of A'WA). W_r is the mass that row r feels,
 *
 *     W_r = 1 / sum over j of A_rj^2 / m_j,    m_j = M_jj + MASS_JOINED * sum of M_kk, M_jk != 0.
 *
 * So A'WA is nowhere large beside the masses that it joins; a common W, such as the mean mass, would drown
 * light ones (masses 1e12 and 1: 11 digits). The sum in m_j is for a unit quaternion near an axis, (e, 0, 0,
 * 1), with the entry e^2 J there: small because the null direction of its block is near, not because anything
 * is light. A row between coordinates without mass takes the least m_j there is. The kernel has the same
 * formula in symbols (system/direct.c). Nothing here allocates but mass_block_new. */
#ifndef TRAMMEL_LINEAR_MASS_H
#define TRAMMEL_LINEAR_MASS_H

#include "base/arena.h"

#include <stdbool.h>

static const double MASS_JOINED = 1e-3;
static const double MASS_LEAST = 1e-13;   // pivots of M below this part of their diagonal are rounding
static const double MASS_DOUBTFUL = 1e-8; // below, a = M^-1 Q is lost to rounding before the refinement
/* A diagonal entry this small beside the largest counts as 0: it may have lost its digits to underflow, as
 * the square of a component of a quaternion. */
static const double MASS_TINY = 1e-200;
static const double MASS_NEGATIVE = 1e-10;       // what remains of M at unit diagonal, if it is not rounding
static const double MASS_NEGATIVE_SINGLE = 4e-5; // the same in single precision: as far in its digits
static const double MASS_DIRECTION_LEAST = 1e-6; // components of a direction below this are rounding

/* ---- W ---- */

// what M_kk adds to m_j
static inline double mass_part(double M_kk) {
    return M_kk > 0 ? MASS_JOINED * M_kk : 0;
}

/* m (size) for a block M (size x size); the least of those above 0, INFINITY if there is none. all: M couples
 * the block's coordinates, so that its entries are 0 by chance only. */
double mass_felt(const double *M, int size, bool all, double *m);

/* W of one row: its `count` values, at the coordinates `to` (NULL: 0, 1, ..), the square of its length, and
 * the least m_j of all coordinates. */
double mass_weight(const double *row, const int *to, int count, double square, const double *m, double least);

/* ---- factors ---- */

typedef struct {
    int size;       // may change, up to that of mass_block_new
    double largest; // entry of all of M: a diagonal entry that is 0 is held against it
    double *K;      // (size x size): at unit diagonal, factored with the largest pivots first, ...
    double *scale;  // (size): ... K_ij = scale_i M_ij scale_j
    int *order;     // (size): of the pivots
    int rank;       // of K
    int mass_rank;  // of M
    double last;    // the smallest pivot of M at unit diagonal; 0 if it is singular
    double *v;      // (size): a direction, in coordinates at unit diagonal
} mass_block;

mass_block mass_block_new(arena *a, int size);

/* U (size x size, M) <- U'U, inverse (size) the reciprocals of its diagonal. False if a pivot is at most
 * `least`, or is to be built on an entry without digits. */
bool mass_definite(double *U, int size, double largest, double least, double *inverse);

typedef enum {
    MASS_OK,
    MASS_SINGULAR,  // M + A'WA has the null directions mass_direction(b, rank .. size - 1)
    MASS_INDEFINITE // M has the negative direction b->v
} mass_status;

typedef void mass_adder(void *context, double *U); // U <- M + A'WA

/* For a block that is not definite, or doubtful: M + A'WA = U'U. */
mass_status mass_factor(mass_block *b, const double *M, mass_adder *add, void *context, double *U,
                        double *inverse);

/* Whether M has a negative direction, b->v; sets mass_rank and last. */
bool mass_has_negative(mass_block *b, const double *M);
void mass_direction(mass_block *b, int k); // b->v <- the null direction at pivot k >= rank

/* Marks the coordinates that take part in b->v: the block's are `coordinate` (size), NULL: 0, 1, .. */
void mass_name(const mass_block *b, const int *coordinate, bool *named);

#endif
