/* Natural units: a scale for each coordinate and a rate for the run, such that q/scale and t rate are of
 * order 1 whatever units the model is written in. Wherever a number is compared with 1, it is in these.
 *
 * A scale transforms as its coordinate does when units change:
 *
 *   stated        scale x = 1e-6 in the simulate statement
 *   argument      1/|k| where the coordinate stands in sin(k q + ...), cos or tan; the least of them
 *   quaternion    1
 *   one for all   coordinates with the same mass in symbols, or in a norm that a row holds, x^2 + y^2 = L^2
 *   rows          |A_ij| s_j is the same for all kinds of coordinates in a row, on average and at the start
 *   typed         the largest typed value among the coordinates that rows join
 *   motion        where all of them are 0: |v| T or |Q/M| T^2, T a hundredth of the span; not by forces in
 *                 which time stands: what they are at the start says nothing of later
 *
 *   rate^2 = max(sum |Q_j| s_j, sum M_jj v_j^2) / sum M_jj s_j^2, or 1/T^2 if that is 0
 *
 * All are powers of two, so that scaling is exact. The mass metric is not used for scales: it would make rows
 * nearly parallel where masses differ. */
#ifndef TRAMMEL_SYSTEM_NATURAL_H
#define TRAMMEL_SYSTEM_NATURAL_H

#include "system/system.h"

typedef enum {
    SCALE_STATED,
    SCALE_ARGUMENT,
    SCALE_QUATERNION,
    SCALE_ROW,
    SCALE_TYPED,
    SCALE_MOTION,
    SCALE_UNKNOWN, // nothing tells: 1
    SCALE_REASONS
} scale_reason;

struct natural {
    double *scale;      // (n)
    scale_reason *why;  // (n)
    int *row;           // (n) of SCALE_ROW: one that joins it with others
    double rate;        // 1/tau
    scale_reason timed; // SCALE_STATED, SCALE_MOTION: by forces and velocities; SCALE_UNKNOWN: by the span
    /* (n) scales as parts of the one that most coordinates have: solvers see M, Q and A in these, and their
     * size does not matter there. NULL: all are 1. */
    double *units;
};

/* y: M, Q and A at the typed start, as STAGE_DYNAMICS has them. */
const natural *natural_find(arena *a, const trm_system *sys, expr_pool *pool, const double *y);

/* Of a tree form: angles and quaternions have the scale 1, slides that of the body that slides. */
const natural *natural_of_tree(arena *a, const trm_system *sys);

/* |A_i U|: the length of a row, its columns in these units. */
double natural_length(const trm_system *sys, sparsity pattern, const double *A, int row);
/* A U: the entries in these units; of the arena, or A itself. */
const double *natural_rows(arena *a, const trm_system *sys, sparsity pattern, const double *A);
/* Size of coordinate i, or of its velocity, beyond what it is: what tolerances are relative to is its sum
 * with |q|, |v|. */
static inline double natural_size(const natural *u, int i, bool velocity) {
    return velocity ? u->scale[i] * u->rate : u->scale[i];
}
/* Promise 1: how far row i may be off, sum_j |A_ij| (size_j + |x_j|) at a tolerance of 1, where x are
 * positions or velocities; NULL: 0. */
double natural_allowance(const trm_system *sys, sparsity pattern, const double *A, int row, const double *x,
                         bool velocity);
/* The same of the rows from .. to - 1. */
void natural_allowances(const trm_system *sys, sparsity pattern, const double *A, int from, int to,
                        const double *x, bool velocity, double *out);
/* Of that, the least in a tree form; rows: the numbers of the rows at hand, NULL for all in order. */
double natural_least(const trm_system *sys, const int *rows, int row, bool velocity);
double natural_norm(const trm_system *sys, const double *x, bool velocity); // of x/size
/* Of velocities v, |v/scale|, or what is usual if they are slower: that is rest, up to rounding. */
double natural_speed(const trm_system *sys, const double *v);

#endif
