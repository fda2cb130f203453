/* The constrained acceleration of a system whose M and A have given patterns: of all x with A x = b the one
 * with least (x - a)' M (x - a), M a = Q, by one of several solvers behind one table of operations.
 *
 * Contract: patterns are given once, numbers as often as needed. A factorisation decides which rows of A are
 * independent, each at unit length and in the units of the coordinates, and drops the others: a row counts as
 * dependent when its remainder over the others is at most cut, its own error level. M may be singular as long
 * as [M; A] has full rank; where it has not, or M has a negative direction, the coordinates concerned are
 * named. What earlier factorisations have met may change the way to an answer, never the answer beyond
 * rounding; the same numbers given to a new solver give the same bits. An alternative may say that it is not
 * sure (DENSE_NOT_SURE): then another has to look. test/linear/test_solvers.c holds all of them to this.
 *
 * solver_new takes the alternative that is fastest for the patterns. The kernel (system/direct.h), which
 * solves beside evaluating M, Q, A and b, is held to the same contract by the same test. */
#ifndef TRAMMEL_LINEAR_SOLVER_H
#define TRAMMEL_LINEAR_SOLVER_H

#include "base/team.h"
#include "linear/dense.h"
#include "linear/sparsity.h"

typedef struct {
    const char *name;
    /* M (n rows, symmetric, both triangles, with its diagonal), A. The patterns must stay. */
    void *(*create)(arena *a, int n, sparsity M, sparsity A);
    /* Values in the order of the patterns' entries; they must stay until the last solve. */
    dense_status (*factor)(void *self, const double *M, const double *A, double cut);
    /* x (n) for one Q (n) and b (m), with a multiplier for each row (m) such that M x - Q = A' multiplier to
     * rounding; 0 for dropped rows. After DENSE_OK only, as often as wanted. */
    void (*solve)(void *self, const double *Q, const double *b, double *x, double *multiplier);
    /* Changes the multipliers to those of least norm that give the same force, rows as written. Not while
     * rows are left out. */
    void (*least_norm)(void *self, double *multiplier);
    /* Rows (m) that the next factorisations leave out, as dropped ones; NULL for none. */
    void (*leave_out)(void *self, const bool *rows);
    bool (*is_quick)(const void *self);         // dense_is_quick; NULL: it is not dense
    int (*rank)(const void *self);              // of A
    double (*nearness)(const void *self);       // how near the kept rows are to dependence
    bool (*dropped)(const void *self, int row); // or left out
    bool (*mass_singular)(const void *self);    // M alone is not definite; NULL: it does not tell
    /* After DENSE_UNDETERMINED or DENSE_INDEFINITE: 1 for each coordinate (n) that takes part in the
     * undetermined (negative) direction, 0 for the others; how many. NULL: it never says so. */
    int (*undetermined)(const void *self, bool *coordinate);
    /* Once, after a factorisation at values like those to come: no later one asks for memory. NULL: none ever
     * does. */
    void (*settle)(void *self, bool constant_mass);
    bool (*has_parts)(const void *self);   // threads would help; NULL: they never do
    void (*use_team)(void *self, team *t); // NULL with has_parts
} solver_ops;

/* Full matrices; sparse ones by blocks of M; sparse ones by the KKT matrix, which the former becomes where
 * blocks are large; and as the former goes where rows are a long chain. */
extern const solver_ops solver_dense, solver_sparse, solver_kkt, solver_chain;

typedef struct solver solver;

typedef enum { SOLVER_AUTO, SOLVER_DENSE, SOLVER_SPARSE } solver_kind;

/* scale (n), powers of two: the columns of A, and M, are held against numbers in units of these, x = S x^;
 * NULL: of one. They must stay. */
solver *solver_new(arena *a, int n, sparsity M, sparsity A, solver_kind kind, const double *scale);
bool solver_is_sparse(const solver *s);
/* Whether dense_lanes.h does what the next factorisation would, where it is fine with the numbers. */
bool solver_is_quick(const solver *s);
const double *solver_scale(const solver *s); // as it was given

dense_status solver_factor(solver *s, const double *M, const double *A, double cut);
void solver_solve(solver *s, const double *Q, const double *b, double *x, double *multiplier);
void solver_least_norm(solver *s, double *multiplier);
void solver_leave_out(solver *s, const bool *rows);
int solver_rank(const solver *s);
double solver_nearness(const solver *s);
bool solver_dropped(const solver *s, int row);
bool solver_mass_singular(const solver *s);
int solver_undetermined(const solver *s, bool *coordinate);
void solver_settle(solver *s, bool constant_mass);
bool solver_has_parts(const solver *s);
void solver_use_team(solver *s, team *t);

#endif
