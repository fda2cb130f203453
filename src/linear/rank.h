/* Which rows of a matrix depend on which others. The one place where that is decided: rows at unit length, in
 * the coordinates' own units, by what remains of a row once others are taken out of it. */
#ifndef TRAMMEL_LINEAR_RANK_H
#define TRAMMEL_LINEAR_RANK_H

#include "base/arena.h"

#include <stdbool.h>

/* Rows are taken at unit length. A row is dependent when what remains of it, after the rows kept before it
 * are taken out, is at most cut. Rows are considered in the given order, so that of two equal rows the later
 * one is the redundant one. */
typedef struct {
    int row;
    double factor;
} rank_term;

typedef struct {
    int m, n, rank;
    bool *kept;        // (m)
    rank_term **terms; // (m): a row that is not kept is the sum of factor times row `row`, rows as written
    int *term_count;   // (m): 0 for kept rows
    bool *unique;      // (m): the row's multiplier is the same in every solution
    double *remainder; // (m): of the row at unit length
} rank_report;

rank_report *rank_report_new(arena *a, int m, int n); // all rows kept
/* Row i was dropped: it is the sum of c[j] (m) times row j, where that is not 0. */
void rank_report_explain(rank_report *r, arena *a, int i, const double *c);
/* Row i is factor times row j, which is kept or explained already. */
void rank_report_repeat(rank_report *r, arena *a, int i, int j, double factor);

/* Row i is zero: it depends on nothing. */
static inline bool rank_vanishes(const rank_report *r, int i) {
    return !r->kept[i] && r->term_count[i] == 0;
}

rank_report *rank_of_rows(arena *a, const double *A, int m, int n, double cut);

/* ---- for the solvers: the same decision with the largest remainder first, without allocation ---- */

typedef struct {
    int n, width;       // width: min(m, n), of the rows that there is room for
    int m, rank;        // rows in use, rows kept
    double *row;        // (m x n): in: the rows; out: q_k in row order[k], remainders in the others
    double *coordinate; // (m x width): row i = sum over k of coordinate[i][k] q_k + its remainder
    double *square;     // (m): of the remainder
    int *order;         // (rank): the kept rows as they were chosen
    bool *kept;         // (m)
    bool *used;         // (m): work
    double least;       // smallest remainder of a kept row
} rank_basis;

rank_basis *rank_basis_new(arena *a, int m, int n); // room for m rows

double rank_unit(const double *row, int n); // 1/|row|, and 0 for a row that vanishes

// Fills in row i of the basis: A_i at unit length. Returns rank_unit of it.
double rank_basis_set(rank_basis *k, int i, const double *A_i);

/* An orthonormal basis of the first m rows, by modified Gram-Schmidt with reorthogonalisation. Rows that
 * differ by less than a factor of 2 in what remains of them are taken in the given order, so that of equal
 * rows the later ones are dropped. With cut 0 every row is kept that does not vanish. */
void rank_basis_choose(rank_basis *k, int m, double cut);

/* Takes the basis out of v (n), to rounding. Returns what remains of its length. */
double rank_basis_remove(const rank_basis *k, double *v);

/* Below this, remainders of unit rows of length n are rounding: cuts are not taken lower. */
double rank_rounding(int n);

/* Expresses all rows by `rank` of them, chosen anew with large importance (m) first, so that no coefficient
 * in C (m x width) is much above 1: importance_i row_i = sum over k of C[i][k] importance_j row_j, j = by[k].
 * Rows whose remainder is below cut are not chosen, however important. False if importances underflow. */
bool rank_express(const rank_basis *k, const double *importance, double cut, double *C, int *by);

/* C[i][k] stands for less than cut of row i. */
bool rank_negligible(const rank_basis *k, const double *importance, double cut, const double *C,
                     const int *by, int i, int column);

#endif
