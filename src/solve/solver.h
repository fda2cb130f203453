/* The constrained acceleration of a system whose M and A have these patterns, by the dense or the sparse
 * solver, whichever is faster for them. The contract is that of dense.h. */
#ifndef TRAMMEL_SOLVE_SOLVER_H
#define TRAMMEL_SOLVE_SOLVER_H

#include "solve/dense.h"
#include "solve/sparse.h"

typedef struct solver solver;

typedef enum { SOLVER_AUTO, SOLVER_DENSE, SOLVER_SPARSE } solver_kind;

/* M (n rows, symmetric, both triangles, with its diagonal), A. The patterns must stay. */
solver *solver_new(arena *a, int n, sparsity M, sparsity A, solver_kind kind);
bool solver_is_sparse(const solver *s);

dense_status solver_factor(solver *s, const double *M, const double *A, double cut);
void solver_solve(solver *s, const double *Q, const double *b, double *x, double *multiplier);
void solver_least_norm(solver *s, double *multiplier);
void solver_leave_out(solver *s, const bool *rows);
int solver_rank(const solver *s);
double solver_nearness(const solver *s);
bool solver_dropped(const solver *s, int row);
bool solver_mass_singular(const solver *s);
/* Threads help the sparse solver where its factor is large enough. */
bool solver_has_parts(const solver *s);
void solver_use_team(solver *s, team *t);
int solver_undetermined(const solver *s, bool *coordinate);

#endif
