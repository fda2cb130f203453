/* The constrained acceleration as expressions, for small systems: compiled with M, Q, A and b into one
 * kernel, for just these patterns and without what is zero. */
#ifndef TRAMMEL_SYSTEM_DIRECT_H
#define TRAMMEL_SYSTEM_DIRECT_H

#include "expr/expr.h"
#include "linear/accuracy.h"
#include "linear/mass.h"
#include "linear/sparsity.h"

#include <stdbool.h>

/* What it adds to the outputs of a stage: x (n), multipliers (m), and the smallest pivots of M, of the Schur
 * complement A M^-1 A', of A A', and of what tells a negative direction of a singular M, each relative to
 * what it came from. Where these are small, the general solver must look: rows may be dependent, the motion
 * may be undetermined. */
enum { DIRECT_MASS, DIRECT_SCHUR, DIRECT_GRAM, DIRECT_SIGN, DIRECT_CHECKS };

/* Of a row at unit length, squared: below, the general solver looks. */
static const double DIRECT_REMAINDER = 1e-6;

/* Whether these checks allow it. */
static inline bool direct_sure(const double *checks) {
    return checks[DIRECT_MASS] > MASS_DOUBTFUL && checks[DIRECT_SCHUR] > GRAM_CLEAR &&
           checks[DIRECT_GRAM] > DIRECT_REMAINDER && checks[DIRECT_SIGN] > 0;
}

/* Whether they are so large that a solution which is not refined has nothing to gain by it: loses three
 * digits of sixteen at most, and then leaves them in no equation. */
static const double DIRECT_CLEAR = 1e-3;
static inline bool direct_clear(const double *checks) {
    return checks[DIRECT_MASS] > DIRECT_CLEAR && checks[DIRECT_SCHUR] > DIRECT_CLEAR;
}

/* M x - A' multiplier = Q, A x = b; EXPR_NONE for zero. */
typedef struct {
    int n;
    sparsity M_pattern, A_pattern;
    const expr *M, *Q, *A, *b; // Q may be NULL: zero
    const bool *added;         // (m) rows that make M definite, see below; NULL: none are needed
    bool by_mass; // how near rows are to dependence is measured by their forces on M: DIRECT_GRAM is
                  // DIRECT_SCHUR
    bool single;  // to be computed in single precision
} direct_problem;

/* Operations that solving takes: what the code would grow by. More than `most` are not counted to the end. */
long direct_operations(arena *a, int n, sparsity M, sparsity A, long most);

/* If M is singular, or nearly, at the values that `get` gives: the rows (m) to be added to it, those that lie
 * within its singular blocks, or all. NULL if M is definite. *possible: there it is definite then. */
bool *direct_rows_for_mass(arena *a, const expr_pool *pool, const direct_problem *p, expr_get get,
                           void *context, bool *possible);

/* The same by numbers: those of M and A where they have entries. */
bool *direct_rows_by_numbers(arena *a, const direct_problem *p, const double *mass, const double *A,
                             bool *possible);

/* W (m) of the rows that are added, as linear/mass.h has it; EXPR_NONE for the others. */
void direct_weights(arena *a, expr_pool *pool, const direct_problem *p, expr *W);

/* What DIRECT_GRAM is, if not by mass. */
expr direct_remainder(arena *a, expr_pool *pool, const direct_problem *p);

/* out: n + m + DIRECT_CHECKS. Refined, it is as accurate as the general solver. */
void direct_build(arena *a, expr_pool *pool, const direct_problem *p, bool refined, expr *out);

#endif
