/* K = L D L' by fronts (Duff, Reid 1983), where L fills: columns with the same rows below are eliminated
 * together, as a small full matrix, and hand what they take from the rest to the next such group up the
 * elimination tree. The same factor as by rows (ldl.c), but for the order of sums; what is looked up by index
 * is once for a group, and all else goes through neighbouring numbers, in lanes.
 *
 * Cloth of 80 x 80: factorisation by rows took 2.4 times as long as a solution, by fronts 1.45 times. */
#ifndef TRAMMEL_LINEAR_FRONTS_H
#define TRAMMEL_LINEAR_FRONTS_H

#include "linear/ldl.h"

enum { FRONT_WIDTH = 64 };

struct front;

/* The columns from first to the next group's, with the rows below of the last of them. */
typedef struct {
    int first, width, rows;
    int entries;            // where its entries of K begin, in entry and place
    int children, relative; // where its children begin; where its rows stand in its parent's front
    long at;                // what it hands on, (rows x rows), in the stack
} front_group;

typedef struct fronts {
    int count;
    const front_group *group; // (count + 1)
    const int *of;            // (n): group of a column
    const int *entry, *place; // (entries of K below the diagonal): which, and where in its group's columns
    const int *row;           // of that entry
    const int *child;         // groups
    const int *relative;
    long stack; // numbers
    long front; // numbers of a front, for each part and for what comes after all parts
    void (*eliminate)(const struct front *x); // for this processor
} fronts;

/* parent (n): the elimination tree. */
fronts *fronts_new(arena *a, const ldl_plan *p, const int *parent);
/* As ldl_factor_rows with LDL_RAISE, for a part or all that comes after the parts. No row is negative. */
void fronts_factor(ldl *f, int from, int to, double least);

#endif
