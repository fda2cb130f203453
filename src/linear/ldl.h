/* K = L D L' of a sparse symmetric positive matrix with a pattern that does not change: order, elimination
 * tree and the pattern of L are found once, values as often as needed. Rows whose pivot is too small are left
 * out on the way, as if they were not there.
 *
 * The caller puts the values where the pattern says: rows are numbered in the order of elimination, k =
 * place[i] for row i of the graph, and row k has its diagonal and the entries of columns column[z] < k,
 * row[k] <= z < row[k + 1], ascending. */
#ifndef TRAMMEL_LINEAR_LDL_H
#define TRAMMEL_LINEAR_LDL_H

#include "linear/order.h"

#include <stdbool.h>

enum { LDL_PARTS_MOST = 64 };

typedef struct {
    int n;
    const int *order, *place; // (n): row of the graph that is k-th, and the other way round
    const int *row, *column;  // of the lower triangle, see above
    // L: column i holds rows below[from[i]] .. below[from[i + 1] - 1]; row k has entries in the columns
    // across[into[k]] .. across[into[k + 1] - 1], ascending
    const int *from, *below, *into, *across;
    /* Rows part[i] .. part[i + 1] - 1 and their columns have nothing to do with those of other parts; the
     * rows from part[parts] on come after all of them. No parts where it is not worth it. */
    int parts;
    const int *part;  // (parts + 1)
    const int *alike; // (n): how many columns from i on have the same rows but for their own, at most 4
    int entries;      // of L
    const struct fronts *fronts; // another way to it, where L fills; or NULL
} ldl_plan;

typedef struct {
    const ldl_plan *plan;
    double *diagonal, *value; // (n), (row[n]): of K, set by the caller
    double *L;                // (plan->entries)
    double *inverse;          // (n): of D; 0 for rows left out
    bool *out;                // (n): rows to be left out; the factorisation adds those with small pivots
    const bool *negative; // (n): rows with zeros on the diagonal and negative pivots, which come after those
                          // that they have entries with; NULL for none. A small pivot of theirs is raised.
    double smallest;      // pivot that was accepted, each relative to its diagonal entry of K, or, for a
                          // negative one, to what was taken from it
    double largest;       // diagonal entry of K, if set by the caller
    double lowest;        // pivot of all rows, relative to its diagonal entry, or to largest if that is 0
    int rank;
    double *stack, *fronts_room; // of fronts.h
    int *filled;                 // (n) work
    double *work;                // (n), zero between calls
} ldl;

// rows that come after all parts
static inline int ldl_rows_after(const ldl_plan *p) {
    return p->n - p->part[p->parts];
}

ldl_plan *ldl_plan_new(arena *a, graph g);
/* With an order (n) given, but for what leaves the fill as it is; descendants in the elimination tree stay
 * before their ancestors. */
ldl_plan *ldl_plan_ordered(arena *a, graph g, const int *order);
ldl *ldl_new(arena *a, const ldl_plan *plan);
typedef enum {
    LDL_DROP, // a row whose pivot is at most least times its diagonal entry is put out
    LDL_RAISE // its pivot is taken to be that: the factor of a matrix nearby, to iterate with
} ldl_small;
void ldl_factor(ldl *f, double least, ldl_small small);
/* The same in parts: rows from .. to - 1, each after those before it. With fronts and LDL_RAISE these are a
 * part of the plan, all after the parts, or all. */
void ldl_begin(ldl *f);
void ldl_factor_rows(ldl *f, int from, int to, double least, ldl_small small);
/* x (n, in the order of elimination) <- K^-1 x over the rows that are not out; 0 at the others. */
void ldl_solve(const ldl *f, double *x);
/* The same of LDL_SIDES right-hand sides: x (n x LDL_SIDES). */
enum { LDL_SIDES = 10 };
void ldl_solve_sides(const ldl *f, double *x);

#endif
