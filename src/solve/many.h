/* Accelerations of many states: the kernel that solves (system/direct.h), KERNEL_LANES states at a time.
 * States that it is not sure of, and all of systems that have no such kernel, are solved one by one: the
 * numbers are the same. */
#ifndef TRAMMEL_SOLVE_MANY_H
#define TRAMMEL_SOLVE_MANY_H

#include "solve/solve.h"

/* Makes the system's kernel ready for it, before any state is made. */
void many_add(trm_system *sys);

/* Makes room for it in a state. */
void many_join(const trm_system *sys, trm_state *st);

/* The states' times (count), positions and velocities (count x n), and what is wanted of each, or NULL: q''
 * (count x n), reactions (count x n), multipliers (count x m); NAN where there is no solution. How the first
 * of these went that have none. */
typedef struct {
    int count;
    const double *t, *q, *v;
    double *qdd, *reaction, *multiplier;
} many_states;
outcome many_solve(const trm_system *sys, trm_state *st, const many_states *m);

#endif
