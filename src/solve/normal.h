/* The forces N with which frictions are pressed, where each presses on the others and on itself:
 *
 *   N_f = | u_f + sum over g of W_fg N_g |
 *
 * u_f is the reaction without slipping friction, W_fg what friction at g adds to it for N_g = 1. */
#ifndef TRAMMEL_SOLVE_NORMAL_H
#define TRAMMEL_SOLVE_NORMAL_H

#include "base/arena.h"

#include <stdbool.h>

typedef enum { NORMAL_ONE, NORMAL_NONE, NORMAL_MANY } normal_status;

typedef struct {
    int count, width; // frictions, components of all reactions together
    int *first;       // (count + 1) where the components of each begin
    double *u;        // (width)
    double *W;        // (count x width): row g holds W_fg for all f
    double *N;        // (count) out
    double own;       // out: the largest |W_ff|
    double *work;     // normal_work
} normal_problem;

size_t normal_work(int count, int width); // how many numbers

/* Fills N if there is exactly one solution; else *culprit is the friction that acts most on itself. Where the
 * norms of W_fg have a spectral radius below 1 there is one, whatever u is; else solutions are sought from
 * all combinations of signs of the u_f, which finds all of them where reactions have one component each. */
normal_status normal_solve(normal_problem *p, int *culprit);

#endif
