/* What friction.c and sticking.c share. */
#ifndef TRAMMEL_SOLVE_FRICTION_INSIDE_H
#define TRAMMEL_SOLVE_FRICTION_INSIDE_H

#include "solve/friction.h"
#include "solve/normal.h"
#include "solve/solve_inside.h"

enum { BASES_MOST = 2187 }; // that are tried to find what sticks

/* In arrays of slips, those of friction f are friction_slip_count(f) components from friction_slip_first(f)
 * on. */
struct friction_state {
    bool *sticks;  // (frictions)
    bool *at_rest; // (frictions) no slip, up to rounding and tolerance, when it was last decided what sticks
    double *rest;  // (frictions) slip velocities up to this count as none
    double *direction; // (slips) of unit length: of what slips, at the beginning of a step
    bool *begins;      // (frictions) it began to slip a moment ago
    double *normal;    // (frictions) N of the last solve_forces
    double *force;     // (slips) f of what slips, 0 of what sticks
    int worst;         // of what slips, the one that acts most on itself
    // those of sticking.c
    signed char *bases; // (bases_most + 1 x frictions) modes that were seen, then those that may be next
    int bases_most, seen, from;
    // workspace
    normal_problem problem;
    int *slipping;                      // (frictions) those that do
    double *along;                      // (slips) directions at the state at hand
    double *across;                     // (slips) what turns directions of slips that begin
    double *C, *response, *x;           // (n)
    double *lambda, *multiplier, *none; // (m)
};

int friction_slip_first(const trm_system *sys, int f);
int friction_slip_count(const trm_system *sys, int f);
/* Slip velocity (components) after STAGE_FRICTION. */
const double *friction_slip(const trm_system *sys, const trm_state *st, int f);
/* Lets it stick or slip: its rows come into force, or go out of it. */
void friction_let(const trm_system *sys, trm_state *st, int f, bool stick);

#endif
