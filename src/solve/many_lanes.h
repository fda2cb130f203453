/* What accelerations of many states take besides their kernel: states put into lanes, results looked at and
 * taken out. Compiled for several processors (base/lanes.h). */
#ifndef TRAMMEL_SOLVE_MANY_LANES_H
#define TRAMMEL_SOLVE_MANY_LANES_H

#include "linear/sparsity.h"
#include "system/direct.h"

#include <stdbool.h>

/* Where in the kernel's outputs y (count x LANES) is what: entries of M, Q (n), q'' (n), multipliers of the
 * rows that solvers see (seen), checks (DIRECT_CHECKS). Those rows' places among all (rows), and their scale.
 */
typedef struct {
    sparsity M;
    int n, rows, seen, Q_at, qdd_at;
    const int *row_of;
    const double *scale;
} many_layout;

typedef struct many_loops {
    // LANES states after each other (LANES x count) to lanes (count x LANES), and back
    void (*put)(const double *from, int count, double *to);
    void (*take)(const double *from, int count, double *to);
    // the least of each check over the lanes; false where a number is not finite
    bool (*look)(const many_layout *l, const double *y, double *checks);
    // M q'' - Q (LANES x n), and the multipliers of all rows (LANES x rows); either may be NULL
    void (*forces)(const many_layout *l, const double *y, double *reaction, double *multiplier);
} many_loops;

const many_loops *many_loops_here(void);

#endif
